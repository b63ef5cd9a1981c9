//! GeoTIFF: data with its place, for programs that read maps.
//!
//! A classic little-endian TIFF (TIFF 6.0) of band-sequential strips, compressed with DEFLATE after the horizontal
//! predictor, with the GeoTIFF 1.1 keys of its coordinate reference system. What is masked becomes the nodata value,
//! or where there is none, a 1-bit mask directory as GDAL reads it (TIFF 6.0, `NewSubfileType` 4).

use bytes::Bytes;
use libdeflater::{CompressionLvl, Compressor};

use super::EncodeError;
use super::directory::{Directory, Value};
use crate::crs::GeoKeys;
use crate::header::Nodata;
use crate::header::directory::tag;
use crate::header::nodata::NodataType;
use crate::samples::{DataType, Mask, Raster, Samples};
use crate::with_samples;

/// Uncompressed bytes of a strip: readers take a strip whole.
const STRIP: usize = 1 << 18;

/// Where a raster lies: north-up, in a coordinate reference system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place<'a> {
    /// The north-west corner of the first pixel, x and y in the units of the system.
    pub origin: [f64; 2],
    /// The width and the height of a pixel, both positive.
    pub pixel_size: [f64; 2],
    /// The system.
    pub system: System<'a>,
}

/// A coordinate reference system as a file says it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum System<'a> {
    /// A registered one.
    Registered {
        /// Its EPSG code.
        epsg: u16,
        /// Whether x and y are longitude and latitude rather than those of a projection.
        geographic: bool,
    },
    /// One that another file spells out.
    Described(&'a GeoKeys),
}

/// Encodes a raster as GeoTIFF, in its own type.
///
/// With `nodata`, masked samples take that value, if the type has it. Otherwise a mask says where any band holds data
/// (partial alpha counts as data).
pub fn geotiff(raster: &Raster, place: &Place, nodata: Option<Nodata>) -> Result<Bytes, EncodeError> {
    let size = raster.samples.len() * raster.samples.data_type().size();
    if raster.samples.is_empty() || u32::try_from(2 * size).is_err() {
        return Err(EncodeError::TiffSize);
    }
    let nodata = nodata.filter(|nodata| nodata.fits(raster.samples.data_type()));
    let mut bytes = b"II\x2a\x00\x00\x00\x00\x00".to_vec();
    let strips = strips(raster, nodata, &mut bytes);
    let mut image = image_directory(raster, strips);
    georeference(&mut image, place);
    if let Some(value) = nodata {
        image.add(tag::GDAL_NODATA, Value::text(&text(value)));
    }
    let next = image.write(&mut bytes, 4);
    if nodata.is_none()
        && let Some(mask) = raster.any_band()
    {
        let strip = mask_strip(raster.width, &mask, &mut bytes);
        mask_directory(raster, strip).write(&mut bytes, next);
    }
    Ok(Bytes::from(bytes))
}

/// Offsets and lengths of strips, and how many rows each has.
struct Strips {
    offsets: Vec<u32>,
    lengths: Vec<u32>,
    rows: usize,
}

/// Writes the strips of all bands, one band after the other.
fn strips(raster: &Raster, nodata: Option<Nodata>, bytes: &mut Vec<u8>) -> Strips {
    let sample = raster.samples.data_type().size();
    let rows = (STRIP / (raster.width * sample)).clamp(1, raster.height);
    let mut strips = Strips {
        offsets: Vec::new(),
        lengths: Vec::new(),
        rows,
    };
    let mut compressor = Compressor::new(CompressionLvl::default());
    for band in 0..raster.bands {
        let mut plane = plane(raster, band, nodata);
        if predictor(&raster.samples) == 2 {
            plane
                .chunks_exact_mut(raster.width * sample)
                .for_each(|row| difference(row, sample));
        }
        for strip in plane.chunks(rows * raster.width * sample) {
            let (offset, length) = append(bytes, strip, &mut compressor);
            strips.offsets.push(offset);
            strips.lengths.push(length);
        }
    }
    strips
}

/// A band's samples as little-endian bytes, with nodata where the mask is 0.
fn plane(raster: &Raster, band: usize, nodata: Option<Nodata>) -> Vec<u8> {
    let len = raster.height * raster.width;
    let mask = match (&raster.mask, nodata) {
        (Mask::All, _) | (_, None) => None,
        (Mask::Shared(plane), _) => Some(plane.as_slice()),
        (Mask::PerBand(planes), _) => planes.get(band * len..(band + 1) * len),
    };
    with_samples!(&raster.samples, values => {
        let mut values = values[band * len..][..len].to_vec();
        fill(&mut values, mask.unwrap_or_default(), nodata);
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    })
}

/// Gives masked samples the nodata value.
fn fill<T: NodataType>(values: &mut [T], mask: &[u8], nodata: Option<Nodata>) {
    let Some(nodata) = nodata.and_then(T::nodata) else {
        return;
    };
    for (value, _) in values.iter_mut().zip(mask).filter(|(_, mask)| **mask == 0) {
        *value = nodata;
    }
}

/// A nodata value as GDAL writes it.
fn text(nodata: Nodata) -> String {
    match nodata {
        Nodata::Integer(value) => value.to_string(),
        Nodata::Float(value) => value.to_string().to_lowercase(),
    }
}

/// The predictor tag's value: integers that GDAL of any age predicts, take it.
fn predictor(samples: &Samples) -> u16 {
    match samples {
        Samples::F32(_) | Samples::F64(_) | Samples::U64(_) | Samples::I64(_) => 1,
        _ => 2,
    }
}

/// Replaces each sample of a row by its difference to the one before (TIFF 6.0, section 14).
fn difference(row: &mut [u8], sample: usize) {
    macro_rules! difference {
        ($t:ty) => {{
            let mut last = 0;
            for bytes in row.chunks_exact_mut(size_of::<$t>()) {
                let value = <$t>::from_le_bytes(bytes.try_into().unwrap_or_default());
                bytes.copy_from_slice(&value.wrapping_sub(last).to_le_bytes());
                last = value;
            }
        }};
    }
    match sample {
        1 => difference!(u8),
        2 => difference!(u16),
        _ => difference!(u32),
    }
}

/// Appends compressed bytes; gives their offset and length.
fn append(bytes: &mut Vec<u8>, data: &[u8], compressor: &mut Compressor) -> (u32, u32) {
    let offset = bytes.len();
    bytes.resize(offset + compressor.zlib_compress_bound(data.len()), 0);
    let length = compressor.zlib_compress(data, &mut bytes[offset..]).unwrap_or(0);
    bytes.truncate(offset + length);
    (offset as u32, length as u32)
}

/// The directory of the data (TIFF 6.0, sections 8 and 19).
fn image_directory(raster: &Raster, strips: Strips) -> Directory {
    let data_type = raster.samples.data_type();
    let format = match data_type {
        DataType::U8 | DataType::U16 | DataType::U32 | DataType::U64 => 1,
        DataType::I8 | DataType::I16 | DataType::I32 | DataType::I64 => 2,
        DataType::F32 | DataType::F64 => 3,
    };
    let colours = if raster.bands == 3 && data_type == DataType::U8 {
        3
    } else {
        1
    };
    let mut image = Directory::default();
    image.add(tag::IMAGE_WIDTH, Value::Long(vec![raster.width as u32]));
    image.add(tag::IMAGE_LENGTH, Value::Long(vec![raster.height as u32]));
    image.add(
        tag::BITS_PER_SAMPLE,
        Value::Short(vec![8 * data_type.size() as u16; raster.bands]),
    );
    image.add(tag::COMPRESSION, Value::Short(vec![8]));
    // RGB, or zero is black.
    image.add(
        tag::PHOTOMETRIC,
        Value::Short(vec![if colours == 3 { 2 } else { 1 }]),
    );
    image.add(tag::STRIP_OFFSETS, Value::Long(strips.offsets));
    image.add(tag::SAMPLES_PER_PIXEL, Value::Short(vec![raster.bands as u16]));
    image.add(tag::ROWS_PER_STRIP, Value::Long(vec![strips.rows as u32]));
    image.add(tag::STRIP_BYTE_COUNTS, Value::Long(strips.lengths));
    image.add(
        tag::PLANAR_CONFIGURATION,
        Value::Short(vec![if raster.bands > 1 { 2 } else { 1 }]),
    );
    image.add(tag::PREDICTOR, Value::Short(vec![predictor(&raster.samples)]));
    if raster.bands > colours {
        image.add(tag::EXTRA_SAMPLES, Value::Short(vec![0; raster.bands - colours]));
    }
    image.add(tag::SAMPLE_FORMAT, Value::Short(vec![format; raster.bands]));
    image
}

/// The place, as pixel scale, tie point and keys (GeoTIFF 1.1, 7.1.2 and 7.1.3, annex B).
fn georeference(image: &mut Directory, place: &Place) {
    let [width, height] = place.pixel_size;
    let [x, y] = place.origin;
    image.add(tag::MODEL_PIXEL_SCALE, Value::Double(vec![width, height, 0.0]));
    image.add(tag::MODEL_TIEPOINT, Value::Double(vec![0.0, 0.0, 0.0, x, y, 0.0]));
    let (keys, doubles, text) = match place.system {
        System::Registered { epsg, geographic } => GeoKeys::registered(epsg, geographic).written(),
        System::Described(keys) => keys.of_areas().written(),
    };
    image.add(tag::GEO_KEY_DIRECTORY, Value::Short(keys));
    if !doubles.is_empty() {
        image.add(tag::GEO_DOUBLE_PARAMS, Value::Double(doubles));
    }
    if !text.is_empty() {
        image.add(tag::GEO_ASCII_PARAMS, Value::text(&text));
    }
}

/// Writes the mask as one strip of bits, the leftmost highest.
fn mask_strip(width: usize, mask: &[u8], bytes: &mut Vec<u8>) -> (u32, u32) {
    let bits = |pixels: &[u8]| {
        let packed = pixels
            .iter()
            .fold(0u8, |byte, &mask| byte << 1 | u8::from(mask > 0));
        packed << (8 - pixels.len())
    };
    let packed: Vec<u8> = mask
        .chunks(width)
        .flat_map(|row| row.chunks(8).map(bits))
        .collect();
    append(bytes, &packed, &mut Compressor::new(CompressionLvl::default()))
}

fn mask_directory(raster: &Raster, (offset, length): (u32, u32)) -> Directory {
    let mut mask = Directory::default();
    mask.add(tag::NEW_SUBFILE_TYPE, Value::Long(vec![4]));
    mask.add(tag::IMAGE_WIDTH, Value::Long(vec![raster.width as u32]));
    mask.add(tag::IMAGE_LENGTH, Value::Long(vec![raster.height as u32]));
    mask.add(tag::BITS_PER_SAMPLE, Value::Short(vec![1]));
    mask.add(tag::COMPRESSION, Value::Short(vec![8]));
    mask.add(tag::PHOTOMETRIC, Value::Short(vec![4]));
    mask.add(tag::STRIP_OFFSETS, Value::Long(vec![offset]));
    mask.add(tag::SAMPLES_PER_PIXEL, Value::Short(vec![1]));
    mask.add(tag::ROWS_PER_STRIP, Value::Long(vec![raster.height as u32]));
    mask.add(tag::STRIP_BYTE_COUNTS, Value::Long(vec![length]));
    mask
}

#[cfg(test)]
mod tests;
