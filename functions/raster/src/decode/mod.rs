//! Block bytes → samples: codec, predictor, byte order. Knows no georeference and no request.
//!
//! A block is one tile or strip. [`decode`] gives its first rows as `[rows, width, samples per pixel]` in the
//! narrowest type that holds every stored value. Each codec stands in a module of its own, and each codec library
//! is named in that module only. What a codec cannot read is refused by [`BlockFormat::check`], before a byte is
//! fetched; a block that is broken is an error, never a hole and never a guessed pixel.

mod format; // how bytes become samples
mod check; // what can be refused before
mod error; // why they did not
mod bits; // codec-neutral: byte order, bit depths, half floats
mod predictor; // differences → values
mod to_rgb; // YCbCr and CMYK, where no codec does it
mod inflate; // the codecs, each on its own
mod lzma;
mod lzw;
mod packbits;
mod zstandard;
mod ccitt;
mod jpeg;
mod lerc;
mod webp;

pub use check::MAX_BLOCK_BYTES;
pub use error::DecodeError;
pub use format::{BlockFormat, ByteOrder, Compression, Photometric, Predictor, SampleKind};

use std::borrow::Cow;

use crate::samples::{DataType, Samples};

/// The first rows of a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// `[rows, width, samples per pixel]`.
    pub samples: Samples,
    /// Rows decoded: at least as many as were needed.
    pub rows: u32,
    /// `[rows, width]`, 0 = no data, 255 = data: the valid mask that LERC carries, where some pixel is invalid.
    pub mask: Option<Vec<u8>>,
}

/// Decodes the first `rows_needed` rows of a block.
///
/// `rows_stored` is how many rows this block really has: a last strip may be short, a tile is always whole. No codec
/// works much beyond the rows needed where its format allows a stop. YCbCr comes out as RGB, and 8-bit CMYK as RGB and an
/// opaque alpha.
///
/// # Errors
/// [`DecodeError::Unsupported`] as [`BlockFormat::check`] says; [`DecodeError::Broken`] when a needed row is not
/// there or not what the codec allows.
pub fn decode(
    format: &BlockFormat,
    bytes: &[u8],
    rows_stored: u32,
    rows_needed: u32,
) -> Result<Decoded, DecodeError> {
    let data_type = format.check()?;
    let rows_stored = rows_stored.min(format.height_px);
    let rows = rows_needed.min(rows_stored);
    if rows == 0 {
        let samples = Samples::zeros(data_type, 0);
        return Ok(Decoded {
            samples,
            rows,
            mask: None,
        });
    }
    format.check_rows(data_type, rows)?;
    let mut decoded = match format.compression {
        Compression::Jpeg => jpeg::decode(format, bytes, rows)?,
        Compression::Webp => webp::decode(format, bytes, rows)?,
        Compression::Lerc => lerc::decode(format, data_type, bytes, rows)?,
        _ => {
            let samples = byte_stream(format, data_type, &in_bit_order(format, bytes), rows_stored, rows)?;
            Decoded {
                samples,
                rows,
                mask: None,
            }
        }
    };
    if let (true, Samples::U8(pixels)) = (format.is_cmyk(), &mut decoded.samples) {
        to_rgb::from_cmyk(pixels);
    }
    Ok(decoded)
}

/// The bytes with the first bit of each the highest, which is how every codec here but JPEG, WebP and LERC reads.
fn in_bit_order<'a>(format: &BlockFormat, bytes: &'a [u8]) -> Cow<'a, [u8]> {
    if format.fill_order_lsb_first {
        Cow::Owned(bytes.iter().map(|byte| byte.reverse_bits()).collect())
    } else {
        Cow::Borrowed(bytes)
    }
}

/// Decodes a codec that restores the very bytes of the samples, then makes samples of them.
fn byte_stream(
    format: &BlockFormat,
    data_type: DataType,
    bytes: &[u8],
    rows_stored: u32,
    rows: u32,
) -> Result<Samples, DecodeError> {
    if format.is_subsampled_ycbcr() {
        let packed_len = to_rgb::packed_len(format, rows);
        let mut packed = vec![0; packed_len + slack(format, packed_len, 0)];
        fill(format, bytes, &mut packed, packed_len)?;
        return Ok(Samples::U8(to_rgb::from_ycbcr(format, &packed, rows)));
    }
    let row_bytes = format.row_bytes();
    let needed = row_bytes * rows as usize;
    let slack = slack(format, needed, rows_stored);
    let row_len = format.row_len();
    if bits::is_native(format) {
        // Decompressed straight into the samples' own memory; the slack is cut off without a copy.
        let item = data_type.size();
        let mut samples = Samples::zeros(data_type, (needed + slack) / item);
        fill(format, bytes, bits::bytes_mut(&mut samples), needed)?;
        bits::truncate(&mut samples, needed / item);
        match predictor::of(format) {
            Predictor::FloatingPoint => predictor::float_in_place(&mut samples, row_len, format),
            Predictor::Horizontal => {
                bits::to_native_order(&mut samples, format.byte_order);
                predictor::horizontal(&mut samples, row_len, format.samples_per_pixel as usize);
            }
            Predictor::None => bits::to_native_order(&mut samples, format.byte_order),
        }
        return Ok(samples);
    }
    let mut stored = vec![0; needed + slack];
    fill(format, bytes, &mut stored, needed)?;
    stored.truncate(needed);
    predictor::undo_in_bytes(&mut stored, row_bytes, format);
    Ok(bits::widen(&stored, format, data_type))
}

/// Bytes beyond those needed that the codec wants in its output.
fn slack(format: &BlockFormat, needed: usize, rows_stored: u32) -> usize {
    match format.compression {
        Compression::Deflate => inflate::SLACK,
        Compression::Zstd => zstandard::slack(needed, format.row_bytes() * rows_stored as usize),
        _ => 0,
    }
}

/// Decompresses at least the first `needed` bytes of a block into `out`, which is [`slack`] longer.
fn fill(format: &BlockFormat, bytes: &[u8], out: &mut [u8], needed: usize) -> Result<(), DecodeError> {
    match format.compression {
        Compression::Deflate => inflate::fill(bytes, out, needed),
        Compression::Lzw => lzw::fill(bytes, &mut out[..needed]),
        Compression::Zstd => zstandard::fill(bytes, out, needed),
        Compression::PackBits => packbits::fill(bytes, &mut out[..needed]),
        Compression::Lzma => lzma::fill(bytes, &mut out[..needed]),
        Compression::CcittRle | Compression::CcittG3 | Compression::CcittG4 => {
            ccitt::fill(format, bytes, &mut out[..needed])
        }
        _ => {
            let stored = bytes
                .get(..needed)
                .ok_or_else(|| DecodeError::short("uncompressed", bytes.len(), needed))?;
            out[..needed].copy_from_slice(stored);
            Ok(())
        }
    }
}

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod tests;
