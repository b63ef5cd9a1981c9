//! One band from several, pixel by pixel. Samples without data are left out, as numpy's masked arrays do; there is none in
//! the answer where none is left.

use super::{Algorithm, Surroundings, is_float, mask_of, plane, samples_of, shared};
use crate::samples::{DataType, Raster, Samples};

/// Calls `reduce` with the samples of each pixel that hold data; it may reorder them, and has no answer where they are
/// too few.
fn reduced(bands: &Raster, data_type: DataType, reduce: impl Fn(&mut [f64]) -> Option<f64>) -> Raster {
    let planes: Vec<_> = (0..bands.bands)
        .map(|band| (plane(bands, band), mask_of(bands, band)))
        .collect();
    let area = bands.height * bands.width;
    let (mut values, mut mask) = (Vec::with_capacity(area), Vec::with_capacity(area));
    let mut of_pixel = Vec::with_capacity(planes.len());
    for at in 0..area {
        of_pixel.clear();
        let mut strongest = 0;
        for (plane, mask) in &planes {
            let strength = mask.as_ref().map_or(255, |mask| mask[at]);
            strongest = strongest.max(strength);
            of_pixel.extend((strength > 0).then(|| plane[at]));
        }
        let value = if of_pixel.is_empty() {
            None
        } else {
            reduce(&mut of_pixel)
        };
        let value = value.filter(|value| value.is_finite());
        values.push(value.unwrap_or(0.0));
        mask.push(if value.is_some() { strongest } else { 0 });
    }
    let mask = mask.iter().any(|value| *value < 255).then_some(mask);
    Raster {
        bands: 1,
        samples: samples_of(&values, data_type),
        mask: shared(mask),
        ..*bands
    }
}

pub(super) fn min(_: &Algorithm, bands: &Raster, _: &Surroundings) -> Raster {
    reduced(bands, bands.samples.data_type(), |values| {
        values.iter().copied().reduce(f64::min)
    })
}

pub(super) fn max(_: &Algorithm, bands: &Raster, _: &Surroundings) -> Raster {
    reduced(bands, bands.samples.data_type(), |values| {
        values.iter().copied().reduce(f64::max)
    })
}

/// The middle value, or the mean of the middle two.
pub(super) fn median(_: &Algorithm, bands: &Raster, _: &Surroundings) -> Raster {
    reduced(bands, DataType::F64, |values| {
        values.sort_by(f64::total_cmp);
        let upper = values.get(values.len() / 2)?;
        let lower = values.get((values.len() - 1) / 2)?;
        Some(f64::midpoint(*lower, *upper))
    })
}

fn mean_of(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

pub(super) fn mean(_: &Algorithm, bands: &Raster, _: &Surroundings) -> Raster {
    reduced(bands, DataType::F64, |values| Some(mean_of(values)))
}

/// The variance of a sample: over one less than the count, so of two values at least.
fn variance_of(values: &[f64]) -> Option<f64> {
    let mean = mean_of(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| squares / (values.len() - 1) as f64)
}

pub(super) fn var(_: &Algorithm, bands: &Raster, _: &Surroundings) -> Raster {
    reduced(bands, DataType::F64, |values| variance_of(values))
}

pub(super) fn std(_: &Algorithm, bands: &Raster, _: &Surroundings) -> Raster {
    reduced(bands, DataType::F64, |values| variance_of(values).map(f64::sqrt))
}

/// Whole numbers in 64 bits, so that they do not overflow.
pub(super) fn sum(_: &Algorithm, bands: &Raster, _: &Surroundings) -> Raster {
    let data_type = match bands.samples.data_type() {
        float if is_float(float) => float,
        DataType::I8 | DataType::I16 | DataType::I32 | DataType::I64 => DataType::I64,
        _ => DataType::U64,
    };
    reduced(bands, data_type, |values| Some(values.iter().sum()))
}

/// (b2 - b1) / (b2 + b1), where both hold data and it is finite.
pub(super) fn normalized_index(_: &Algorithm, bands: &Raster, _: &Surroundings) -> Raster {
    let (first, second) = (plane(bands, 0), plane(bands, 1));
    let masks = [mask_of(bands, 0), mask_of(bands, 1)];
    let mut mask = vec![255; first.len()];
    for other in masks.iter().flatten() {
        mask.iter_mut()
            .zip(other)
            .for_each(|(mask, other)| *mask = (*mask).min(*other));
    }
    let mut values = Vec::with_capacity(first.len());
    for ((first, second), mask) in first.iter().zip(&second).zip(&mut mask) {
        let ratio = (second - first) / (second + first);
        let holds = *mask > 0 && ratio.is_finite();
        values.push(if holds { ratio as f32 } else { 0.0 });
        *mask = if holds { *mask } else { 0 };
    }
    let mask = mask.iter().any(|value| *value < 255).then_some(mask);
    Raster {
        bands: 1,
        samples: Samples::F32(values),
        mask: shared(mask),
        ..*bands
    }
}
