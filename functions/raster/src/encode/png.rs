//! PNG, in the leanest form that a picture allows. The `png` crate writes the frame; filters and compression are ours.

use bytes::Bytes;
use libdeflater::{CompressionLvl, Compressor};
use png::{ColorType, Encoder, chunk};

use super::EncodeError;
use super::filter;
use super::lean::{Lean, lean};
use crate::colour::Picture;

/// Encodes a picture as PNG: a palette of 1, 2, 4 or 8 bits, gray or RGB of 8 or 16; a transparent colour rather than
/// an alpha channel where nothing is partly transparent.
pub fn png(picture: &Picture) -> Result<Bytes, EncodeError> {
    let lean = lean(picture);
    let data = compressed(picture.width, &lean);
    let mut bytes = Vec::with_capacity(data.len() + 4 * lean.palette.len() + 128);
    let mut encoder = Encoder::new(&mut bytes, picture.width as u32, picture.height as u32);
    encoder.set_color(lean.colour);
    encoder.set_depth(lean.depth);
    if lean.colour == ColorType::Indexed {
        encoder.set_palette(lean.palette.as_flattened());
    }
    if !lean.transparency.is_empty() {
        encoder.set_trns(lean.transparency.as_slice());
    }
    let mut writer = encoder.write_header()?;
    writer.write_chunk(chunk::IDAT, &data)?;
    writer.finish()?;
    Ok(Bytes::from(bytes))
}

/// The filtered, compressed rows.
fn compressed(width: usize, lean: &Lean) -> Vec<u8> {
    let bits = lean.channels * lean.depth as usize;
    let (stride, step) = ((width * bits).div_ceil(8), bits.div_ceil(8));
    let (filtered, level) = if (lean.depth as u8) < 8 {
        (filter::none(&lean.data, stride), 6)
    } else {
        (filter::adaptive(&lean.data, stride, step), 1)
    };
    let mut compressor = Compressor::new(CompressionLvl::new(level).unwrap_or_default());
    let mut data = vec![0; compressor.zlib_compress_bound(filtered.len())];
    let length = compressor.zlib_compress(&filtered, &mut data).unwrap_or(0);
    data.truncate(length);
    data
}

#[cfg(test)]
mod tests;
