//! JPEG, by libjpeg-turbo: small and quick for photographs, without transparency.

use bytes::Bytes;
use turbojpeg::{Compressor, Image, PixelFormat, Subsamp};

use super::EncodeError;
use crate::colour::{Picture, Pixels};

/// Encodes a picture as JPEG of a quality from 1 to 100, colour at half resolution. What is transparent comes out in the
/// colour beneath, which is black.
pub fn jpeg(picture: &Picture, quality: u8) -> Result<Bytes, EncodeError> {
    let (pixels, format, subsampling) = match &picture.pixels {
        Pixels::Gray(values) => (values.clone(), PixelFormat::GRAY, Subsamp::Gray),
        Pixels::Gray16(values) => (
            values.iter().map(|value| (value >> 8) as u8).collect(),
            PixelFormat::GRAY,
            Subsamp::Gray,
        ),
        _ => (picture.rgb(), PixelFormat::RGB, Subsamp::Sub2x2),
    };
    let mut compressor = Compressor::new()?;
    compressor.set_quality(i32::from(quality.clamp(1, 100)))?;
    compressor.set_subsamp(subsampling)?;
    let pitch = picture.width * format.size();
    let image = Image {
        pixels: pixels.as_slice(),
        width: picture.width,
        pitch,
        height: picture.height,
        format,
    };
    Ok(Bytes::from(compressor.compress_to_vec(image)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use turbojpeg::{Decompressor, decompress};

    #[test]
    fn colours_come_back_nearly() {
        let ramp: Vec<u8> = (0..64 * 64)
            .flat_map(|at| [(at / 64) * 4, (at % 64) * 2, 90].map(|v| v as u8))
            .collect();
        let picture = Picture {
            width: 64,
            height: 64,
            pixels: Pixels::Rgb(ramp.clone()),
            alpha: None,
        };
        let bytes = jpeg(&picture, 90).unwrap();
        let image = decompress(&bytes, PixelFormat::RGB).unwrap();
        assert_eq!((image.width, image.height), (64, 64));
        assert!(image.pixels.iter().zip(&ramp).all(|(a, b)| a.abs_diff(*b) < 12));
        assert!(jpeg(&picture, 30).unwrap().len() < bytes.len());
    }

    #[test]
    fn gray_stays_gray_and_transparent_is_black() {
        let gray = Picture {
            width: 8,
            height: 8,
            pixels: Pixels::Gray16(vec![0x8000; 64]),
            alpha: None,
        };
        let bytes = jpeg(&gray, 85).unwrap();
        assert_eq!(
            Decompressor::new().unwrap().read_header(&bytes).unwrap().subsamp,
            Subsamp::Gray
        );
        assert_eq!(decompress(&bytes, PixelFormat::GRAY).unwrap().pixels, [128; 64]);
        let pixels = Pixels::Palette {
            index: vec![0; 64],
            palette: vec![[0; 4]],
        };
        let bytes = jpeg(
            &Picture {
                width: 8,
                height: 8,
                pixels,
                alpha: None,
            },
            85,
        )
        .unwrap();
        assert_eq!(decompress(&bytes, PixelFormat::RGB).unwrap().pixels, [0; 192]);
    }

    #[test]
    fn no_pixel_is_an_error() {
        let nothing = Picture {
            width: 0,
            height: 0,
            pixels: Pixels::Gray(Vec::new()),
            alpha: None,
        };
        assert!(matches!(jpeg(&nothing, 85), Err(EncodeError::Jpeg(_))));
    }
}
