//! Hillshade and slope, from the heights of a pixel's neighbours.
//!
//! The gradient is numpy's: half the difference of the two neighbours, and where one of them holds no data the
//! difference to the other. Hillshade counts distances in pixels, as TiTiler does, so that relief is seen at every zoom;
//! slope counts them on the ground.

use super::{Algorithm, Surroundings, mask_of, plane, shared};
use crate::samples::{Raster, Samples};

/// One band, a pixel more on every side than the answer.
struct Heights {
    values: Vec<f64>,
    mask: Option<Vec<u8>>,
    /// Columns and rows of the answer.
    size: (usize, usize),
}

impl Heights {
    fn of(bands: &Raster) -> Self {
        Self {
            values: plane(bands, 0),
            mask: mask_of(bands, 0),
            size: (bands.width.saturating_sub(2), bands.height.saturating_sub(2)),
        }
    }

    /// Calls `value` with the row of each pixel of the answer, and the rise from row to row and from column to column.
    fn each(&self, mut value: impl FnMut(usize, f64, f64)) {
        let (width, height) = self.size;
        let stride = width + 2;
        for row in 0..height {
            for column in 0..width {
                let at = (row + 1) * stride + column + 1;
                value(row, self.rise(at, stride), self.rise(at, 1));
            }
        }
    }

    /// The rise over one step of `step` samples at a sample.
    fn rise(&self, at: usize, step: usize) -> f64 {
        let height = |at: usize| {
            let holds = self.mask.as_ref().is_none_or(|mask| mask[at] > 0);
            holds.then(|| self.values[at])
        };
        match (height(at - step), height(at), height(at + step)) {
            (Some(before), _, Some(after)) => (after - before) / 2.0,
            (Some(before), Some(here), None) => here - before,
            (None, Some(here), Some(after)) => after - here,
            _ => 0.0,
        }
    }

    /// The answer: samples under the heights' own mask.
    fn answer(&self, samples: Samples) -> Raster {
        let (width, height) = self.size;
        let inner = |mask: &Vec<u8>| {
            let rows = mask.chunks_exact(width + 2).skip(1).take(height);
            rows.flat_map(|row| row[1..=width].iter().copied()).collect()
        };
        Raster {
            bands: 1,
            height,
            width,
            samples,
            mask: shared(self.mask.as_ref().map(inner)),
        }
    }
}

/// Light from 0 to 255 under a sun at `azimuth`, clockwise, and `angle_altitude` above the horizon, in degrees.
///
/// With the rise x down and y across a pixel, the surface is tilted by atan(√(x²+y²)) towards atan2(-x, y), and the light is
/// sin(altitude) cos(tilt) + cos(altitude) sin(tilt) cos(360° - azimuth - direction), from -1 to 1. Its sines and cosines
/// come down to one root.
pub(super) fn hillshade(algorithm: &Algorithm, bands: &Raster, _: &Surroundings) -> Raster {
    let heights = Heights::of(bands);
    let degrees = |name| algorithm.value(name).unwrap_or(45.0).to_radians();
    let (sin_azimuth, cos_azimuth) = (std::f64::consts::TAU - degrees("azimuth")).sin_cos();
    let (sin_altitude, cos_altitude) = degrees("angle_altitude").sin_cos();
    let z = algorithm.value("z_exaggeration").unwrap_or(1.0);
    let mut levels = Vec::with_capacity(heights.size.0 * heights.size.1);
    heights.each(|_, down, across| {
        let (x, y) = (down * z, across * z);
        let towards = cos_azimuth * y - sin_azimuth * x;
        let light = (sin_altitude + cos_altitude * towards) / (1.0 + x * x + y * y).sqrt();
        levels.push((255.0 * (light + 1.0) / 2.0).round() as u8);
    });
    heights.answer(Samples::U8(levels))
}

/// The slope in degrees from 0 to 90.
pub(super) fn slope(algorithm: &Algorithm, bands: &Raster, around: &Surroundings) -> Raster {
    let heights = Heights::of(bands);
    let z = algorithm.value("z_exaggeration").unwrap_or(1.0);
    let mut degrees = Vec::with_capacity(heights.size.0 * heights.size.1);
    heights.each(|row, down, across| {
        let wide = around.across.get(row).copied().unwrap_or(around.down);
        let (x, y) = (across * z / wide, down * z / around.down);
        degrees.push(x.hypot(y).atan().to_degrees() as f32);
    });
    heights.answer(Samples::F32(degrees))
}
