//! Values one by one: as bytes, as luma, as black and white.

use super::{Algorithm, Surroundings, is_float, plane, samples_of, shared};
use crate::samples::{DataType, Mask, Raster};

/// Every band through a function, as bytes. Values beyond a byte become its ends.
fn bytes(bands: &Raster, round: impl Fn(f64) -> f64) -> Raster {
    let values: Vec<f64> = (0..bands.bands)
        .flat_map(|band| plane(bands, band))
        .map(round)
        .collect();
    Raster {
        samples: samples_of(&values, DataType::U8),
        mask: bands.mask.clone(),
        ..*bands
    }
}

pub(super) fn cast(_: &Algorithm, bands: &Raster, _: &Surroundings) -> Raster {
    bytes(bands, f64::trunc)
}

pub(super) fn ceil(_: &Algorithm, bands: &Raster, _: &Surroundings) -> Raster {
    bytes(bands, f64::ceil)
}

pub(super) fn floor(_: &Algorithm, bands: &Raster, _: &Surroundings) -> Raster {
    bytes(bands, f64::floor)
}

/// ITU-R BT.601's luma of the first three bands, and the mask of all.
fn luma(bands: &Raster) -> (Vec<f64>, Mask) {
    let [red, green, blue] = [0, 1, 2].map(|band| plane(bands, band));
    let colours = red.iter().zip(&green).zip(&blue);
    let luma = colours.map(|((red, green), blue)| (299.0 * red + 587.0 * green + 114.0 * blue) / 1000.0);
    (luma.collect(), shared(bands.every_band()))
}

/// Luma in the bands' own type.
pub(super) fn grayscale(_: &Algorithm, bands: &Raster, _: &Surroundings) -> Raster {
    let data_type = bands.samples.data_type();
    let (mut values, mask) = luma(bands);
    if !is_float(data_type) {
        for value in &mut values {
            *value = value.round();
        }
    }
    Raster {
        bands: 1,
        samples: samples_of(&values, data_type),
        mask,
        ..*bands
    }
}

/// 255 above 127, else 0: of the luma where there are three bands, else of the first.
pub(super) fn bitonal(_: &Algorithm, bands: &Raster, _: &Surroundings) -> Raster {
    let (values, mask) = if bands.bands >= 3 {
        luma(bands)
    } else {
        (plane(bands, 0), shared(super::mask_of(bands, 0)))
    };
    let levels: Vec<f64> = values
        .iter()
        .map(|value| if *value > 127.0 { 255.0 } else { 0.0 })
        .collect();
    Raster {
        bands: 1,
        samples: samples_of(&levels, DataType::U8),
        mask,
        ..*bands
    }
}
