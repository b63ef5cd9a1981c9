//! JPEG (TIFF Technical Note 2), by libjpeg-turbo, so that values are those that GDAL gives.
//!
//! How colours are stored is what the photometric tag says, never what the stream suggests: the block is handed on
//! with an Adobe marker that says the same, and without the markers that libjpeg would believe instead.

use super::{BlockFormat, DecodeError, Decoded, Photometric};
use crate::samples::Samples;

mod turbo;

use turbo::{Pixels, Turbo};

const CODEC: &str = "JPEG";

/// Decodes a block; YCbCr becomes RGB.
pub(super) fn decode(format: &BlockFormat, bytes: &[u8], rows: u32) -> Result<Decoded, DecodeError> {
    let stream = spliced(format, bytes)?;
    // Each block has a decompressor of its own: libjpeg keeps tables from stream to stream, and a block whose tables
    // are missing must be an error, not a picture made with another file's.
    let mut turbo = Turbo::new().map_err(broken)?;
    let samples = first_rows(&mut turbo, format, &stream, rows as usize)?;
    Ok(Decoded {
        samples,
        rows,
        mask: None,
    })
}

fn first_rows(
    turbo: &mut Turbo,
    format: &BlockFormat,
    stream: &[u8],
    rows: usize,
) -> Result<Samples, DecodeError> {
    let header = turbo.header(stream).map_err(broken)?;
    if header.precision != i32::from(format.bits) {
        return Err(broken(format!(
            "its samples have {} bits, not {}",
            header.precision, format.bits
        )));
    }
    let (width, height, expected_width) = (header.width, header.height, format.width_px as usize);
    if width != expected_width || !(rows..=format.height_px as usize).contains(&height) {
        return Err(broken(format!(
            "it is {width}x{height} pixels, not {expected_width}x{rows}"
        )));
    }
    let pixels = match format.samples_per_pixel {
        1 => Pixels::Gray,
        3 => Pixels::Rgb,
        _ => Pixels::Cmyk,
    };
    if format.bits == 8 {
        turbo
            .decode8(stream, pixels, rows)
            .map(Samples::U8)
            .map_err(broken)
    } else {
        turbo
            .decode12(stream, pixels, rows)
            .map(Samples::U16)
            .map_err(broken)
    }
}

fn broken(why: impl Into<String>) -> DecodeError {
    DecodeError::broken(CODEC, why)
}

/// A whole JPEG stream: start, the Adobe marker that the photometric tag calls for, the shared tables, the block.
fn spliced(format: &BlockFormat, bytes: &[u8]) -> Result<Vec<u8>, DecodeError> {
    let transform = match (format.photometric, format.samples_per_pixel) {
        (Photometric::YCbCr, 3) => 1,
        _ => 0,
    };
    let tables = format.jpeg_tables.as_deref().unwrap_or_default();
    let mut stream = Vec::with_capacity(bytes.len() + tables.len() + 32);
    stream.extend([0xff, 0xd8]);
    // APP14, length 14, "Adobe", version 100, two flags of two bytes, the transform (Adobe Technical Note 5116).
    stream.extend(*b"\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00");
    stream.push(transform);
    let components = copy_segments(tables, &mut stream)?;
    let components = copy_segments(bytes, &mut stream)?.or(components);
    match components {
        Some(components) if u16::from(components) == format.samples_per_pixel => Ok(stream),
        Some(components) => {
            let expected = format.samples_per_pixel;
            Err(DecodeError::broken(
                CODEC,
                format!("it has {components} components, not {expected}"),
            ))
        }
        None => Err(DecodeError::broken(CODEC, "it has no frame header")),
    }
}

/// Copies the segments of a stream up to and with its first scan, but for its start, its end and what would speak
/// about colour (APP0 of JFIF, APP14 of Adobe). Gives the number of components that the frame header states.
fn copy_segments(mut rest: &[u8], stream: &mut Vec<u8>) -> Result<Option<u8>, DecodeError> {
    let cut = || DecodeError::broken(CODEC, "a marker segment is cut short");
    let mut components = None;
    while let Some((&first, after)) = rest.split_first() {
        let Some(&code) = after.first() else { break };
        match (first, code) {
            // Padding before a marker, or the zeros that some writers leave behind the tables.
            (0xff, 0xff) | (0, _) => rest = after,
            (0xff, 0xd8 | 0x01) => rest = &after[1..],
            (0xff, 0xd9) => break,
            (0xff, _) => {
                let &[high, low] = after.get(1..3).and_then(|len| len.as_array()).ok_or_else(cut)?;
                let len = usize::from(u16::from_be_bytes([high, low]));
                let segment = rest.get(..len + 2).filter(|_| len >= 2).ok_or_else(cut)?;
                if code == 0xda {
                    // From the first scan on, the rest is the picture itself.
                    stream.extend_from_slice(rest);
                    return Ok(components);
                }
                if matches!(code, 0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf) {
                    components = Some(*segment.get(9).ok_or_else(cut)?);
                }
                if !matches!(code, 0xe0 | 0xee) {
                    stream.extend_from_slice(segment);
                }
                rest = &rest[segment.len()..];
            }
            _ => return Err(DecodeError::broken(CODEC, "a marker is missing")),
        }
    }
    Ok(components)
}
