//! JPEG (TIFF Technical Note 2), by libjpeg-turbo, so that values are those that GDAL gives.
//!
//! How colours are stored is what the photometric tag says, never what the stream suggests: the block is handed on
//! with an Adobe marker that says the same, and without the markers that libjpeg would believe instead.

use std::cell::RefCell;

use turbojpeg::{Decompressor, Image, PixelFormat};

use super::{BlockFormat, DecodeError, Decoded, MAX_BLOCK_BYTES, Photometric};
use crate::samples::Samples;

const CODEC: &str = "JPEG";

thread_local! {
    static DECOMPRESSOR: RefCell<Option<Decompressor>> = const { RefCell::new(None) };
}

/// Decodes a block; YCbCr becomes RGB.
pub(super) fn decode(format: &BlockFormat, bytes: &[u8], rows: u32) -> Result<Decoded, DecodeError> {
    let stream = spliced(format, bytes)?;
    DECOMPRESSOR.with_borrow_mut(|slot| {
        let decompressor = match slot {
            Some(decompressor) => decompressor,
            None => slot.insert(Decompressor::new().map_err(|error| broken(&error))?),
        };
        decompress(decompressor, format, &stream, rows)
    })
}

fn decompress(
    decompressor: &mut Decompressor,
    format: &BlockFormat,
    stream: &[u8],
    rows: u32,
) -> Result<Decoded, DecodeError> {
    // A progressive stream may hold any number of scans of the whole picture; writers make about ten.
    decompressor.set_scan_limit(64).map_err(|error| broken(&error))?;
    let header = decompressor.read_header(stream).map_err(|error| broken(&error))?;
    let (width, height) = (header.width, header.height);
    if width != format.width_px as usize || height < rows as usize {
        let expected = format!("{}x{rows}", format.width_px);
        return Err(DecodeError::broken(
            CODEC,
            format!("it is {width}x{height} pixels, not {expected}"),
        ));
    }
    let samples = format.samples_per_pixel as usize;
    let pitch = width * samples;
    if (pitch * height) as u64 > MAX_BLOCK_BYTES {
        return Err(DecodeError::TooLarge {
            bytes: (pitch * height) as u64,
            limit: MAX_BLOCK_BYTES,
        });
    }
    let pixel_format = match samples {
        1 => PixelFormat::GRAY,
        3 => PixelFormat::RGB,
        _ => PixelFormat::CMYK,
    };
    let mut pixels = vec![0; pitch * height];
    let image = Image {
        pixels: pixels.as_mut_slice(),
        width,
        pitch,
        height,
        format: pixel_format,
    };
    match decompressor.decompress(stream, image) {
        Ok(()) => {}
        Err(error) if is_harmless(&error) => {}
        Err(error) => return Err(broken(&error)),
    }
    Ok(Decoded {
        samples: Samples::U8(pixels),
        rows: height as u32,
        mask: None,
    })
}

/// Warnings that leave every pixel as it was written.
fn is_harmless(error: &turbojpeg::Error) -> bool {
    let text = error.to_string();
    text.contains("extraneous bytes before marker")
}

fn broken(error: &turbojpeg::Error) -> DecodeError {
    let text = error.to_string();
    DecodeError::broken(CODEC, text.trim_start_matches("TurboJPEG error: ").to_lowercase())
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
                    let precision = segment.get(4).ok_or_else(cut)?;
                    if *precision != 8 {
                        return Err(DecodeError::unsupported(format!("{precision}-bit JPEG"), 259));
                    }
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
