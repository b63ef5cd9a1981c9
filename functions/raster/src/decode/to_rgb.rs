//! Colour spaces that no later step knows → RGB: YCbCr data units (TIFF 6.0, section 21) and CMYK (section 16).
//!
//! A unit of YCbCr holds the Y of a block of pixels, row by row, then one Cb and one Cr for all of them. Units go across the
//! block, then down. Each pixel takes its unit's Cb and Cr as they are, as libtiff's RGBA reader does.

use super::BlockFormat;

/// Bytes of the units that cover the first `rows` rows.
pub(super) fn packed_len(format: &BlockFormat, rows: u32) -> usize {
    let (across, down) = unit(format);
    let units = format.width_px.div_ceil(across) as usize * rows.div_ceil(down) as usize;
    units * unit_len(format)
}

/// Data units → `[rows, width, 3]`, 8 bits.
pub(super) fn from_ycbcr(format: &BlockFormat, packed: &[u8], rows: u32) -> Vec<u8> {
    let (across, down) = unit(format);
    let (width, rows) = (format.width_px as usize, rows as usize);
    let mut rgb = vec![0; width * rows * 3];
    let row_of_units = format.width_px.div_ceil(across) as usize * unit_len(format);
    let bands = rgb
        .chunks_mut(width * 3 * down as usize)
        .zip(packed.chunks_exact(row_of_units));
    for (band, units) in bands {
        for (y, row) in band.chunks_exact_mut(width * 3).enumerate() {
            let runs = row
                .chunks_mut(3 * across as usize)
                .zip(units.chunks_exact(unit_len(format)));
            for (run, unit) in runs {
                let lumas = &unit[y * across as usize..];
                let chroma = &unit[(across * down) as usize..];
                for (pixel, luma) in run.as_chunks_mut().0.iter_mut().zip(lumas) {
                    *pixel = rgb_of(*luma, chroma[0], chroma[1]);
                }
            }
        }
    }
    rgb
}

fn unit(format: &BlockFormat) -> (u32, u32) {
    let (across, down) = format.ycbcr_subsampling;
    (across.into(), down.into())
}

fn unit_len(format: &BlockFormat) -> usize {
    let (across, down) = unit(format);
    (across * down + 2) as usize
}

/// ITU-R BT.601 luma, full range: what the tags `YCbCrCoefficients` and `ReferenceBlackWhite` say when they are not there
/// (with 128 as the zero of Cb and Cr, which writers give).
fn rgb_of(luma: u8, cb: u8, cr: u8) -> [u8; 3] {
    let (luma, cb, cr) = (f32::from(luma), f32::from(cb) - 128.0, f32::from(cr) - 128.0);
    let red = luma + 1.402 * cr;
    let blue = luma + 1.772 * cb;
    let green = (luma - 0.299 * red - 0.114 * blue) / 0.587;
    [red, green, blue].map(|value| value.round().clamp(0.0, 255.0) as u8)
}

/// Turns pixels of 8-bit cyan, magenta, yellow and black into red, green, blue and an opaque alpha, the four bands that
/// GDAL shows of such a file. No ink profile is heeded.
pub(super) fn from_cmyk(pixels: &mut [u8]) {
    for [cyan, magenta, yellow, black] in pixels.as_chunks_mut().0 {
        let light = 255 - u16::from(*black);
        for ink in [cyan, magenta, yellow] {
            *ink = ((255 - u16::from(*ink)) * light / 255) as u8;
        }
        *black = 255;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::Photometric;

    #[test]
    fn units_of_two_by_two_over_an_odd_size() {
        let format = BlockFormat {
            photometric: Photometric::YCbCr,
            bits: 8,
            samples_per_pixel: 3,
            width_px: 3,
            height_px: 3,
            ..BlockFormat::default()
        };
        assert_eq!(packed_len(&format, 3), 4 * 6);
        // Grey units, but for the last: pure red's Y, Cb, Cr.
        let packed = [
            [10, 20, 40, 50, 128, 128],
            [30, 0, 60, 0, 128, 128],
            [70, 80, 0, 0, 128, 128],
            [76, 0, 0, 0, 85, 255],
        ];
        let rgb = from_ycbcr(&format, packed.as_flattened(), 3);
        let red: Vec<u8> = rgb.iter().step_by(3).copied().collect();
        assert_eq!(red, [10, 20, 30, 40, 50, 60, 70, 80, 254]);
        assert_eq!(rgb[24..], [254, 0, 0]);
    }

    #[test]
    fn ink_takes_light_away() {
        let mut pixels = [0, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 255, 131, 229, 244, 146];
        from_cmyk(&mut pixels);
        assert_eq!(
            pixels,
            [255, 255, 255, 255, 0, 255, 255, 255, 0, 0, 0, 255, 53, 11, 4, 255]
        );
    }
}
