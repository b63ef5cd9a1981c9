//! Values for the output pixels out of a window of the level.
//!
//! A pixel holds data where the sample under its centre does, whatever the kernel; so neighbouring tiles and kernels agree on the
//! edge. Weights are renormalised over the samples that hold data: neither nodata nor the edge of the file darkens or rings.

mod blend;
mod sample;
mod under;

use super::{Kernel, Placement, Rect, Window};
use crate::samples::{Mask, Raster};
use crate::with_samples;
use blend::{blend, blend_alpha};

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

/// Marks a pixel whose centre lies outside the window.
const OUTSIDE: u32 = u32::MAX;

/// For each output pixel the index, within a plane of the window, of the sample under its centre.
struct Centres {
    indices: Vec<u32>,
    all_inside: bool,
    plane: usize,
}

/// The whole number below a position within `length` samples from `start` on; NaN is outside.
fn inside(position: f64, start: u32, length: u32) -> Option<u32> {
    let at = position - f64::from(start);
    (at >= 0.0 && at < f64::from(length)).then_some(at as u32)
}

fn along_axes(rect: &Rect, columns: &[f64], rows: &[f64]) -> Vec<u32> {
    let column = |x: &f64| inside(*x, rect.x, rect.width).unwrap_or(OUTSIDE);
    let columns: Vec<u32> = columns.iter().map(column).collect();
    let mut indices = Vec::with_capacity(columns.len() * rows.len());
    for row in rows {
        let start = inside(*row, rect.y, rect.height).map(|y| y * rect.width);
        let index = |x: &u32| match start {
            Some(start) if *x != OUTSIDE => start + x,
            _ => OUTSIDE,
        };
        indices.extend(columns.iter().map(index));
    }
    indices
}

fn pixel_by_pixel(rect: &Rect, placement: &Placement) -> Vec<u32> {
    let (width, height) = placement.size();
    let mut indices = Vec::with_capacity(width * height);
    let (mut columns, mut rows) = (vec![0.0; width], vec![0.0; width]);
    let (left, top) = (f64::from(rect.x), f64::from(rect.y));
    let (across, down) = (f64::from(rect.width), f64::from(rect.height));
    for row in 0..height {
        placement.row_for_floor(row, &mut columns, &mut rows);
        let index = |(column, row): (&f64, &f64)| {
            let (x, y) = (column - left, row - top);
            let is_inside = (x >= 0.0 && x < across) && (y >= 0.0 && y < down);
            // Within the window, whose size fits 31 bits: limits are spent before.
            let index = (y as i32 as u32)
                .wrapping_mul(rect.width)
                .wrapping_add(x as i32 as u32);
            if is_inside { index } else { OUTSIDE }
        };
        indices.extend(columns.iter().zip(&rows).map(index));
    }
    indices
}

impl Centres {
    fn new(window: &Window, placement: &Placement) -> Self {
        let rect = &window.rect;
        let indices = match placement.axes() {
            Some((columns, rows)) => along_axes(rect, columns, rows),
            None => pixel_by_pixel(rect, placement),
        };
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
