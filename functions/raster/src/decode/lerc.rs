//! LERC (Esri's Limited Error Raster Compression), plain or packed once more in DEFLATE or ZSTD, by `lerc-reader`.
//!
//! A blob carries its own size, type and a mask of valid pixels. libtiff writes the samples of a pixel as one blob of
//! that depth. Where the bands of a float file are NaN in different places it writes a blob for each; where the file
//! has an 8-bit alpha band, the mask is that band, and the blob holds one sample less. Invalid floats become NaN.

use std::borrow::Cow;

use lerc_core::PixelData;

use super::{BlockFormat, DecodeError, Decoded, MAX_BLOCK_BYTES, inflate, zstandard};
use crate::samples::{DataType, Samples};

const CODEC: &str = "LERC";

/// Decodes a block, with its valid mask where some pixel is invalid in every band.
pub(super) fn decode(
    format: &BlockFormat,
    data_type: DataType,
    bytes: &[u8],
    rows: u32,
) -> Result<Decoded, DecodeError> {
    let packed = unpacked(format, bytes)?;
    let head = Head::of(&packed)?;
    head.check(format, rows)?;
    format.check_rows(data_type, head.height)?;
    let per_pixel = u32::from(format.samples_per_pixel);
    let (samples, mask) = if head.depth == per_pixel {
        let blob = blob(&packed, head, data_type, None)?;
        (blob.samples, blob.valid)
    } else if data_type == DataType::U8 && Some(head.depth) == per_pixel.checked_sub(1) {
        let blob = blob(&packed, head, data_type, None)?;
        (with_alpha(&blob), None)
    } else if head.depth == 1 {
        one_blob_a_band(&packed, head, data_type, per_pixel as usize)?
    } else {
        let why = format!("it holds {} samples a pixel, not {per_pixel}", head.depth);
        return Err(DecodeError::broken(CODEC, why));
    };
    let mask = mask.filter(|valid| valid.contains(&0));
    Ok(Decoded {
        samples,
        rows: head.height,
        mask,
    })
}

/// The blobs without what they are further packed in.
fn unpacked<'a>(format: &BlockFormat, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, DecodeError> {
    // Samples that nothing makes smaller are stored plain; beside them a header, a mask and ranges for each band.
    let mask = format.width_px as usize * format.height_px as usize;
    let heads = 4096 + 128 * format.samples_per_pixel as usize;
    let limit = (format.row_bytes() * format.height_px as usize + mask + heads).min(MAX_BLOCK_BYTES as usize);
    match format.lerc_additional {
        1 => inflate::inflate_all(bytes, limit).map(Cow::Owned),
        2 => zstandard::decompress_all(bytes, limit).map(Cow::Owned),
        _ => Ok(Cow::Borrowed(bytes)),
    }
}

/// What a blob says of its size: read here, because `lerc-reader` allocates by it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Head {
    width: u32,
    height: u32,
    depth: u32,
}

impl Head {
    /// The fields of the version 2 header (Esri's `Lerc2.h`): key, version, checksum from version 3 on, rows, columns,
    /// depth from version 4 on; lowest byte first.
    fn of(blob: &[u8]) -> Result<Self, DecodeError> {
        let rest = blob
            .strip_prefix(b"Lerc2 ")
            .ok_or_else(|| DecodeError::broken(CODEC, "it is no LERC 2 blob"))?;
        let word = |index: usize| {
            let bytes = rest
                .get(index * 4..index * 4 + 4)
                .and_then(|bytes| bytes.as_array());
            bytes
                .map(|bytes| u32::from_le_bytes(*bytes))
                .ok_or_else(|| DecodeError::broken(CODEC, "it is cut short"))
        };
        let version = word(0)?;
        let at = if version >= 3 { 2 } else { 1 };
        let depth = if version >= 4 { word(at + 2)? } else { 1 };
        Ok(Self {
            width: word(at + 1)?,
            height: word(at)?,
            depth,
        })
    }

    fn check(self, format: &BlockFormat, rows: u32) -> Result<(), DecodeError> {
        let Self { width, height, .. } = self;
        if width == format.width_px && (rows..=format.height_px).contains(&height) {
            return Ok(());
        }
        let why = format!("it is {width}x{height} pixels, not {}x{rows}", format.width_px);
        Err(DecodeError::broken(CODEC, why))
    }

    fn pixels(self) -> usize {
        self.width as usize * self.height as usize
    }
}

struct Blob {
    /// `[height, width, depth]`; NaN where invalid, if floats.
    samples: Samples,
    /// `[height, width]`, 0 or 255.
    valid: Option<Vec<u8>>,
    depth: usize,
    len: usize,
}

/// Decodes the blob that `bytes` begin with. One that leaves its mask out has that of the blob `before`.
fn blob(bytes: &[u8], head: Head, data_type: DataType, before: Option<&[u8]>) -> Result<Blob, DecodeError> {
    let decoded = match before {
        Some(mask) => lerc_reader::decode_first_with_mask(bytes, mask),
        None => lerc_reader::decode_first(bytes),
    }
    .map_err(|error| DecodeError::broken(CODEC, error.to_string()))?;
    let mut samples = typed(decoded.pixels);
    if samples.data_type() != data_type {
        let (got, expected) = (samples.data_type().name(), data_type.name());
        return Err(DecodeError::broken(
            CODEC,
            format!("it holds {got}, not {expected}"),
        ));
    }
    let depth = head.depth as usize;
    let valid = decoded.mask.map(|mask| {
        mask.iter()
            .map(|valid| if *valid == 0 { 0 } else { 255 })
            .collect()
    });
    let valid: Option<Vec<u8>> = valid;
    if samples.len() != head.pixels() * depth
        || valid.as_ref().is_some_and(|valid| valid.len() != head.pixels())
    {
        return Err(DecodeError::broken(CODEC, "it holds fewer samples than it says"));
    }
    match (&mut samples, &valid) {
        (Samples::F32(values), Some(valid)) => invalidate(values, valid, depth, f32::NAN),
        (Samples::F64(values), Some(valid)) => invalidate(values, valid, depth, f64::NAN),
        _ => {}
    }
    Ok(Blob {
        samples,
        valid,
        depth,
        len: decoded.info.blob_size,
    })
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

fn invalidate<T: Copy>(values: &mut [T], valid: &[u8], depth: usize, nan: T) {
    for (pixel, valid) in values.chunks_exact_mut(depth).zip(valid) {
        if *valid == 0 {
            pixel.fill(nan);
        }
    }
}

/// 8-bit pixels, each followed by its validity.
fn with_alpha(blob: &Blob) -> Samples {
    let Samples::U8(values) = &blob.samples else {
        return blob.samples.clone();
    };
    let mut out = Vec::with_capacity(values.len() / blob.depth * (blob.depth + 1));
    for (at, pixel) in values.chunks_exact(blob.depth).enumerate() {
        out.extend_from_slice(pixel);
        out.push(blob.valid.as_ref().map_or(255, |valid| valid[at]));
    }
    Samples::U8(out)
}

/// Blobs of one band each → pixels; a pixel is valid where some band of it is.
fn one_blob_a_band(
    bytes: &[u8],
    head: Head,
    data_type: DataType,
    bands: usize,
) -> Result<(Samples, Option<Vec<u8>>), DecodeError> {
    let mut samples = Samples::zeros(data_type, head.pixels() * bands);
    let mut any_valid = vec![0; head.pixels()];
    let (mut rest, mut before) = (bytes, None);
    for band in 0..bands {
        if Head::of(rest)? != head {
            return Err(DecodeError::broken(CODEC, "its bands differ in size"));
        }
        let Blob {
            samples: values,
            valid,
            len,
            ..
        } = blob(rest, head, data_type, before.as_deref())?;
        interleave(&mut samples, values, band, bands);
        match &valid {
            Some(valid) => any_valid
                .iter_mut()
                .zip(valid)
                .for_each(|(any, valid)| *any |= valid),
            None => any_valid.fill(255),
        }
        rest = rest.get(len..).unwrap_or_default();
        before = valid;
    }
    Ok((samples, Some(any_valid)))
}

/// Puts a band into its place among the pixels.
fn interleave(samples: &mut Samples, values: Samples, band: usize, bands: usize) {
    macro_rules! each_type {
        ($($variant:ident)*) => {
            match (samples, values) {
                $((Samples::$variant(samples), Samples::$variant(values)) => {
                    samples.iter_mut().skip(band).step_by(bands).zip(values).for_each(|(to, from)| *to = from);
                })*
                _ => {}
            }
        };
    }
    each_type!(U8 I8 U16 I16 U32 I32 F32 F64);
}
