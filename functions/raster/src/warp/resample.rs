//! Values for the output pixels out of a window of the level.
//!
//! A pixel holds data where the sample under its centre does, whatever the kernel; so neighbouring tiles and kernels agree on the
//! edge. Weights are renormalised over the samples that hold data: neither nodata nor the edge of the file darkens or rings.

use super::kernel::Taps;
use super::{Kernel, Placement, Window};
use crate::samples::{Mask, Raster, Samples};
use crate::with_samples;

/// A type that kernels can average.
pub trait Sample: Copy + PartialOrd + Default {
    /// As a number to weigh.
    fn to_f64(self) -> f64;
    /// The nearest value of the type.
    fn from_f64(value: f64) -> Self;
}

macro_rules! whole {
    ($($kind:ty),*) => {$(
        impl Sample for $kind {
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn from_f64(value: f64) -> Self {
                // Halves go away from zero, as GDAL's do; `as` saturates.
                value.round() as $kind
            }
        }
    )*};
}
whole!(u8, i8, u16, i16, u32, i32, u64, i64);

macro_rules! real {
    ($($kind:ty),*) => {$(
        impl Sample for $kind {
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn from_f64(value: f64) -> Self {
                value as $kind
            }
        }
    )*};
}
real!(f32, f64);

/// The window's bands on the pixels of a placement: `[bands, height, width]` in the window's type, 0 where nothing is.
pub fn resample(window: &Window, placement: &Placement, kernel: Kernel) -> Raster {
    let centres = Centres::new(window, placement);
    let (width, height) = placement.size();
    let samples = match kernel {
        Kernel::Nearest => {
            with_samples!(&window.raster.samples, values => centres.gather(values, window.raster.bands).into())
        }
        _ => {
            with_samples!(&window.raster.samples, values => blend(window, placement, kernel, &centres, values).into())
        }
    };
    let mask = match &window.raster.mask {
        Mask::All if centres.all_inside => Mask::All,
        Mask::All => Mask::Shared(
            centres
                .indices
                .iter()
                .map(|i| if *i == OUTSIDE { 0 } else { 255 })
                .collect(),
        ),
        Mask::Shared(alpha) if kernel.is_linear() && alpha.iter().any(|alpha| !matches!(alpha, 0 | 255)) => {
            Mask::Shared(blend_alpha(window, placement, kernel, &centres, alpha))
        }
        Mask::Shared(plane) => Mask::Shared(centres.gather(plane, 1)),
        Mask::PerBand(planes) => Mask::PerBand(centres.gather(planes, window.raster.bands)),
    };
    Raster {
        bands: window.raster.bands,
        height,
        width,
        samples,
        mask,
    }
}

macro_rules! into_samples {
    ($($kind:ty => $variant:ident),*) => {$(
        impl From<Vec<$kind>> for Samples {
            fn from(values: Vec<$kind>) -> Self {
                Self::$variant(values)
            }
        }
    )*};
}
into_samples!(u8 => U8, i8 => I8, u16 => U16, i16 => I16, u32 => U32, i32 => I32, u64 => U64, i64 => I64, f32 => F32, f64 => F64);

/// Marks a pixel whose centre lies outside the window.
const OUTSIDE: u32 = u32::MAX;

/// For each output pixel the index, within a plane of the window, of the sample under its centre.
struct Centres {
    indices: Vec<u32>,
    all_inside: bool,
    plane: usize,
}

impl Centres {
    fn new(window: &Window, placement: &Placement) -> Self {
        let (width, height) = placement.size();
        let rect = &window.rect;
        let mut indices = Vec::with_capacity(width * height);
        let (mut columns, mut rows) = (vec![0.0; width], vec![0.0; width]);
        for row in 0..height {
            placement.row_for_floor(row, &mut columns, &mut rows);
            indices.extend(columns.iter().zip(&rows).map(|(column, row)| {
                let x = column - f64::from(rect.x);
                let y = row - f64::from(rect.y);
                // NaN compares false and is outside.
                if x >= 0.0 && y >= 0.0 && x < f64::from(rect.width) && y < f64::from(rect.height) {
                    y as u32 * rect.width + x as u32
                } else {
                    OUTSIDE
                }
            }));
        }
        let all_inside = indices.iter().all(|index| *index != OUTSIDE);
        Self {
            indices,
            all_inside,
            plane: rect.area(),
        }
    }

    fn gather<T: Copy + Default>(&self, planes: &[T], bands: usize) -> Vec<T> {
        let mut out = Vec::with_capacity(bands * self.indices.len());
        for plane in planes.chunks_exact(self.plane).take(bands) {
            if self.all_inside {
                out.extend(self.indices.iter().map(|index| plane[*index as usize]));
            } else {
                let value = |index: &u32| plane.get(*index as usize).copied().unwrap_or_default();
                out.extend(self.indices.iter().map(value));
            }
        }
        out
    }
}

/// Which samples count for a band: all, or those with weight in a plane.
fn mask_plane(mask: &Mask, band: usize, area: usize) -> Option<&[u8]> {
    match mask {
        Mask::All => None,
        Mask::Shared(plane) => Some(plane),
        Mask::PerBand(planes) => Some(&planes[band * area..(band + 1) * area]),
    }
}

/// Weights for every pixel, computed once for all bands of a row.
struct Footprint<'a> {
    placement: &'a Placement,
    kernel: Kernel,
    columns: Vec<f64>,
    rows: Vec<f64>,
    across: Taps,
    down: Taps,
}

impl<'a> Footprint<'a> {
    fn new(placement: &'a Placement, kernel: Kernel) -> Self {
        let width = placement.size().0;
        Self {
            placement,
            kernel,
            columns: vec![0.0; width],
            rows: vec![0.0; width],
            across: Taps::default(),
            down: Taps::default(),
        }
    }

    fn start_row(&mut self, row: usize) {
        self.placement.row(row, &mut self.columns, &mut self.rows);
    }

    /// The taps of a pixel, moved into the window and cut to it: first column, first row, weights across and down.
    fn pixel(&mut self, column: usize, row: usize, window: &Window) -> (usize, usize, &[f32], &[f32]) {
        let scale = self.placement.scale(column, row);
        self.kernel.taps(self.columns[column], scale.0, &mut self.across);
        self.kernel.taps(self.rows[column], scale.1, &mut self.down);
        let rect = &window.rect;
        let (x, across) = cut(&self.across, rect.x, rect.width);
        let (y, down) = cut(&self.down, rect.y, rect.height);
        (x, y, across, down)
    }
}

fn cut(taps: &Taps, start: u32, length: u32) -> (usize, &[f32]) {
    let first = taps.start - i64::from(start);
    let skip = (-first).clamp(0, taps.weights.len() as i64);
    let keep = (i64::from(length) - first).clamp(skip, taps.weights.len() as i64);
    (first.max(0) as usize, &taps.weights[skip as usize..keep as usize])
}

fn blend<T: Sample>(
    window: &Window,
    placement: &Placement,
    kernel: Kernel,
    centres: &Centres,
    values: &[T],
) -> Vec<T> {
    let (width, height) = placement.size();
    let (bands, area, stride) = (
        window.raster.bands,
        window.rect.area(),
        window.rect.width as usize,
    );
    let mut out = vec![T::default(); bands * width * height];
    let mut footprint = Footprint::new(placement, kernel);
    let mut pick = Vec::new();
    for row in 0..height {
        footprint.start_row(row);
        for column in 0..width {
            let centre = centres.indices[row * width + column];
            if centre == OUTSIDE {
                continue;
            }
            let (x, y, across, down) = footprint.pixel(column, row, window);
            for band in 0..bands {
                let plane = &values[band * area..(band + 1) * area];
                let mask = mask_plane(&window.raster.mask, band, area);
                if mask.is_some_and(|mask| mask[centre as usize] == 0) {
                    continue;
                }
                let taps = Under {
                    plane,
                    mask,
                    stride,
                    x,
                    y,
                    across,
                    down,
                };
                let value = if kernel.is_linear() || kernel == Kernel::Rms {
                    taps.mean(kernel)
                } else {
                    taps.ranked(kernel, &mut pick)
                };
                // Nothing but samples of no weight: the sample itself.
                out[band * width * height + row * width + column] = value.unwrap_or(plane[centre as usize]);
            }
        }
    }
    out
}

/// The samples under one output pixel.
struct Under<'a, T> {
    plane: &'a [T],
    mask: Option<&'a [u8]>,
    stride: usize,
    x: usize,
    y: usize,
    across: &'a [f32],
    down: &'a [f32],
}

impl<T: Sample> Under<'_, T> {
    fn for_each(&self, mut act: impl FnMut(T, f32, bool)) {
        for (j, weight) in self.down.iter().enumerate() {
            let start = (self.y + j) * self.stride + self.x;
            let line = &self.plane[start..start + self.across.len()];
            match self.mask {
                None => line
                    .iter()
                    .zip(self.across)
                    .for_each(|(value, across)| act(*value, weight * across, true)),
                Some(mask) => {
                    let mask = &mask[start..start + self.across.len()];
                    for ((value, across), mask) in line.iter().zip(self.across).zip(mask) {
                        act(*value, weight * across * (f32::from(*mask) / 255.0), *mask != 0);
                    }
                }
            }
        }
    }

    fn mean(&self, kernel: Kernel) -> Option<T> {
        let (mut sum, mut weights, mut skipped) = (0.0_f64, 0.0_f64, false);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        self.for_each(|value, weight, valid| {
            if !valid {
                skipped = true;
                return;
            }
            let (value, weight) = (value.to_f64(), f64::from(weight));
            low = low.min(value);
            high = high.max(value);
            sum += weight
                * if kernel == Kernel::Rms {
                    value * value
                } else {
                    value
                };
            weights += weight;
        });
        match kernel {
            Kernel::Sum if weights > 0.0 => return Some(T::from_f64(sum)),
            Kernel::Rms if weights > 0.0 => return Some(T::from_f64((sum / weights).sqrt())),
            _ if weights.abs() < 1e-6 => return None,
            _ => {}
        }
        let mean = sum / weights;
        // With samples missing, negative lobes no longer cancel: keep to what is there.
        Some(T::from_f64(if skipped { mean.clamp(low, high) } else { mean }))
    }

    fn ranked(&self, kernel: Kernel, pick: &mut Vec<T>) -> Option<T> {
        pick.clear();
        self.for_each(|value, weight, valid| {
            // A sliver left by rounding is no sample under the pixel.
            if valid && weight > 1e-6 && value.partial_cmp(&value).is_some() {
                pick.push(value);
            }
        });
        let order = |a: &T, b: &T| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal);
        if kernel == Kernel::Mode {
            return commonest(pick);
        }
        pick.sort_unstable_by(order);
        let at = |share: f64| ((pick.len() as f64 * share) as usize).min(pick.len().saturating_sub(1));
        let index = match kernel {
            Kernel::Min => 0,
            Kernel::Max => pick.len().saturating_sub(1),
            Kernel::Q1 => at(0.25),
            Kernel::Q3 => at(0.75),
            _ => at(0.5),
        };
        pick.get(index).copied()
    }
}

/// The value that occurs most often; of equals the one met first.
fn commonest<T: Sample>(values: &[T]) -> Option<T> {
    let count = |value: &T| values.iter().filter(|other| *other == value).count();
    let mut best: Option<(usize, T)> = None;
    for value in values {
        let count = count(value);
        if best.is_none_or(|(most, _)| count > most) {
            best = Some((count, *value));
        }
    }
    best.map(|(_, value)| value)
}

fn blend_alpha(
    window: &Window,
    placement: &Placement,
    kernel: Kernel,
    centres: &Centres,
    alpha: &[u8],
) -> Vec<u8> {
    let (width, height) = placement.size();
    let stride = window.rect.width as usize;
    let mut out = vec![0; width * height];
    let mut footprint = Footprint::new(placement, kernel);
    for row in 0..height {
        footprint.start_row(row);
        for column in 0..width {
            let centre = centres.indices[row * width + column];
            if centre == OUTSIDE || alpha[centre as usize] == 0 {
                continue;
            }
            let (x, y, across, down) = footprint.pixel(column, row, window);
            let taps = Under {
                plane: alpha,
                mask: None,
                stride,
                x,
                y,
                across,
                down,
            };
            let kernel = if kernel == Kernel::Sum {
                Kernel::Average
            } else {
                kernel
            };
            // A pixel that holds data never vanishes.
            out[row * width + column] = taps.mean(kernel).unwrap_or(0).max(1);
        }
    }
    out
}
