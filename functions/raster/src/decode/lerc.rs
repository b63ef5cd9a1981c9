//! LERC (Esri's Limited Error Raster Compression), plain or packed once more in DEFLATE or ZSTD, by `lerc-reader`.
//!
//! A blob carries its own size, type and a mask of valid pixels. libtiff writes all samples of a pixel as one blob of
//! that depth; where the file has an 8-bit alpha band, that band is the mask and the blob holds one sample less.

use std::borrow::Cow;

use lerc_core::PixelData;
use lerc_reader::InspectOptions;

use super::{BlockFormat, DecodeError, Decoded, inflate, zstandard};
use crate::samples::{DataType, Samples};

const CODEC: &str = "LERC";

/// Decodes a block, with its valid mask where some pixel is invalid.
pub(super) fn decode(
    format: &BlockFormat,
    data_type: DataType,
    bytes: &[u8],
    rows: u32,
) -> Result<Decoded, DecodeError> {
    let blob = unpacked(format, bytes)?;
    let options = InspectOptions::new().with_compute_value_range(false);
    let info = lerc_reader::inspect_first_with_options(&blob, options).map_err(|error| broken(&error))?;
    if info.width != format.width_px || info.height < rows || info.height > format.height_px {
        let (got, expected) = ((info.width, info.height), (format.width_px, rows));
        let why = format!(
            "it is {}x{} pixels, not {}x{}",
            got.0, got.1, expected.0, expected.1
        );
        return Err(DecodeError::broken(CODEC, why));
    }
    let samples = u32::from(format.samples_per_pixel);
    let has_alpha_mask = data_type == DataType::U8 && samples > 1 && info.depth == samples - 1;
    if info.depth != samples && !has_alpha_mask {
        return Err(DecodeError::broken(
            CODEC,
            format!("it holds {} samples a pixel, not {samples}", info.depth),
        ));
    }
    let decoded = lerc_reader::decode_first(&blob).map_err(|error| broken(&error))?;
    let values = typed(decoded.pixels);
    if values.data_type() != data_type {
        let (got, expected) = (values.data_type().name(), data_type.name());
        return Err(DecodeError::broken(
            CODEC,
            format!("it holds {got}, not {expected}"),
        ));
    }
    let pixels = info.width as usize * info.height as usize;
    let valid = decoded.mask.map(|mask| {
        mask.iter()
            .map(|v| if *v == 0 { 0 } else { 255 })
            .collect::<Vec<u8>>()
    });
    if values.len() != pixels * info.depth as usize
        || valid.as_ref().is_some_and(|valid| valid.len() != pixels)
    {
        return Err(DecodeError::broken(CODEC, "it holds fewer samples than it says"));
    }
    Ok(if has_alpha_mask {
        let samples = with_alpha(&values, info.depth as usize, valid.as_deref());
        Decoded {
            samples,
            rows: info.height,
            mask: None,
        }
    } else {
        let mask = valid.filter(|valid| valid.contains(&0));
        Decoded {
            samples: values,
            rows: info.height,
            mask,
        }
    })
}

/// The blob without what it is further packed in.
fn unpacked<'a>(format: &BlockFormat, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, DecodeError> {
    // A blob falls back to plain samples where nothing else is smaller; beside them a header, ranges and a mask.
    let pixels = format.width_px as usize * format.height_px as usize;
    let limit = format.row_bytes() * format.height_px as usize
        + pixels
        + 16 * format.samples_per_pixel as usize
        + 4096;
    match format.lerc_additional {
        1 => inflate::inflate_all(bytes, limit).map(Cow::Owned),
        2 => zstandard::decompress_all(bytes, limit).map(Cow::Owned),
        _ => Ok(Cow::Borrowed(bytes)),
    }
}

fn typed(pixels: PixelData) -> Samples {
    match pixels {
        PixelData::U8(values) => Samples::U8(values),
        PixelData::I8(values) => Samples::I8(values),
        PixelData::U16(values) => Samples::U16(values),
        PixelData::I16(values) => Samples::I16(values),
        PixelData::U32(values) => Samples::U32(values),
        PixelData::I32(values) => Samples::I32(values),
        PixelData::F32(values) => Samples::F32(values),
        PixelData::F64(values) => Samples::F64(values),
    }
}

/// Pixels of `depth` 8-bit samples, each followed by its validity.
fn with_alpha(values: &Samples, depth: usize, valid: Option<&[u8]>) -> Samples {
    let Samples::U8(values) = values else {
        return values.clone();
    };
    let mut out = Vec::with_capacity(values.len() / depth * (depth + 1));
    for (at, pixel) in values.chunks_exact(depth).enumerate() {
        out.extend_from_slice(pixel);
        out.push(valid.map_or(255, |valid| valid[at]));
    }
    Samples::U8(out)
}

fn broken(error: &lerc_core::Error) -> DecodeError {
    DecodeError::broken(CODEC, error.to_string())
}
