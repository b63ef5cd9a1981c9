//! npy: an array with numpy's own header, for programs.

use bytes::Bytes;

use crate::samples::{DataType, Raster, Samples};
use crate::with_samples;

#[cfg(target_endian = "big")]
compile_error!("samples are written as they lie in memory, which the headers here call little-endian");

/// Encodes a raster as an array `[bands, height, width]` in the data's type, C order, little-endian
/// (NEP 1, format version 1.0).
///
/// `with_mask` adds a last plane: 255 where any band holds data (partial alpha stays), else 0; as `int8` has no 255,
/// there it is halved.
pub fn npy(raster: &Raster, with_mask: bool) -> Bytes {
    let (data_type, len) = (raster.samples.data_type(), raster.height * raster.width);
    let planes = raster.bands + usize::from(with_mask);
    let mut bytes = header(data_type, [planes, raster.height, raster.width]);
    bytes.reserve_exact(planes * len * data_type.size());
    with_samples!(&raster.samples, values => bytes.extend_from_slice(bytemuck::cast_slice(values)));
    if with_mask {
        let mask = raster.any_band().unwrap_or_else(|| vec![255; len]);
        append_mask(&mut bytes, &raster.samples, &mask);
    }
    Bytes::from(bytes)
}

/// Magic, version, length and dictionary, padded so that the data starts at a multiple of 64.
fn header(data_type: DataType, [planes, height, width]: [usize; 3]) -> Vec<u8> {
    let descr = match data_type {
        DataType::U8 => "|u1",
        DataType::I8 => "|i1",
        DataType::U16 => "<u2",
        DataType::I16 => "<i2",
        DataType::U32 => "<u4",
        DataType::I32 => "<i4",
        DataType::U64 => "<u8",
        DataType::I64 => "<i8",
        DataType::F32 => "<f4",
        DataType::F64 => "<f8",
    };
    let dictionary =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({planes}, {height}, {width}), }}");
    // 10 bytes stand before the dictionary, and a newline ends it.
    let length = (10 + dictionary.len() + 1).next_multiple_of(64) - 10;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(length as u16).to_le_bytes());
    bytes.extend_from_slice(format!("{dictionary:<width$}\n", width = length - 1).as_bytes());
    bytes
}

/// Appends a mask in the type of the samples.
fn append_mask(bytes: &mut Vec<u8>, samples: &Samples, mask: &[u8]) {
    macro_rules! append {
        ($t:ty) => {
            mask.iter()
                .for_each(|&value| bytes.extend_from_slice(&<$t>::from(value).to_le_bytes()))
        };
    }
    match samples {
        Samples::U8(_) => bytes.extend_from_slice(mask),
        Samples::I8(_) => bytes.extend(mask.iter().map(|value| value / 2)),
        Samples::U16(_) => append!(u16),
        Samples::I16(_) => append!(i16),
        Samples::U32(_) => append!(u32),
        Samples::I32(_) => append!(i32),
        Samples::U64(_) => append!(u64),
        Samples::I64(_) => append!(i64),
        Samples::F32(_) => append!(f32),
        Samples::F64(_) => append!(f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Mask;

    fn raster(samples: Samples, mask: Mask) -> Raster {
        Raster {
            bands: samples.len() / 2,
            height: 1,
            width: 2,
            samples,
            mask,
        }
    }

    #[test]
    fn the_bytes_are_numpys() {
        let bytes = npy(&raster(Samples::U16(vec![1, 0x0203]), Mask::All), false);
        let header = b"\x93NUMPY\x01\x00v\x00{'descr': '<u2', 'fortran_order': False, 'shape': (1, 1, 2), }";
        assert_eq!(&bytes[..header.len()], header);
        assert_eq!(bytes[header.len()..127], [b' '; 128][header.len()..127]);
        assert_eq!(bytes[127..], *b"\n\x01\x00\x03\x02");
    }

    #[test]
    fn the_last_plane_is_the_mask_in_the_type_of_the_data() {
        let bytes = npy(
            &raster(Samples::F32(vec![1.5, 0.0]), Mask::Shared(vec![255, 0])),
            true,
        );
        assert_eq!(
            bytes[128..],
            *[1.5f32, 0.0, 255.0, 0.0].map(f32::to_le_bytes).as_flattened()
        );
        let bytes = npy(&raster(Samples::I8(vec![-1, -2]), Mask::All), true);
        assert_eq!(bytes[128..], [255, 254, 127, 127]);
        let bands = raster(Samples::U8(vec![1, 2, 3, 4]), Mask::PerBand(vec![0, 0, 0, 255]));
        assert_eq!(npy(&bands, true)[128..], [1, 2, 3, 4, 0, 255]);
    }
}
