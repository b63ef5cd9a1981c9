//! Values for the output pixels out of a window of the level.
//!
//! A pixel holds data where the sample under its centre does, whatever the kernel; so neighbouring tiles and kernels agree on the
//! edge. Weights are renormalised over the samples that hold data: neither nodata nor the edge of the file darkens or rings.

mod blend;
mod pairs;
mod sample;
mod under;

use std::cell::OnceCell;

use super::placement::WHOLE;
use super::{Kernel, Placement, Rect, Window};
use crate::samples::{Mask, Raster};
use crate::with_samples;
use blend::{blend, blend_alpha};

/// The window's bands on the pixels of a placement: `[bands, height, width]` in the window's type, 0 where nothing is. A band that is
/// masked where others hold data has the value under the pixel's centre, as where kernels are one sample wide: nodata itself.
pub fn resample(window: &Window, placement: &Placement, kernel: Kernel) -> Raster {
    let centres = Centres::new(window, placement);
    let (width, height) = placement.size();
    let samples = match kernel {
        Kernel::Nearest => {
            with_samples!(&window.raster.samples, values => centres.gather(values, window.raster.bands).into())
        }
        _ => {
            with_samples!(&window.raster.samples, values => {
                let mut blended = blend(window, placement, kernel, &centres, values);
                if let Mask::PerBand(masks) = &window.raster.mask {
                    centres.put_masked(&mut blended, values, masks);
                }
                blended.into()
            })
        }
    };
    let mask = match &window.raster.mask {
        Mask::All if centres.all_inside() => Mask::All,
        Mask::All => Mask::Shared(
            centres
                .indices()
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

/// For each output pixel the index, within a plane of the window, of the sample under its centre; found when asked for.
struct Centres<'a> {
    rect: &'a Rect,
    placement: &'a Placement,
    indices: OnceCell<Vec<u32>>,
    all_inside: OnceCell<bool>,
}

/// A position so little west or north of a pixel's edge is on it, but for rounding: coordinates have some nine digits of a pixel.
/// Where an output pixel's centre is on an edge, as of every second one at half the size, the sample after it is the nearest, as
/// GDAL has it.
const ON_EDGE: f64 = 1.0 / (1_u64 << 20) as f64;

/// The whole number below a position within `length` samples from `start` on; NaN is outside.
fn inside(position: f64, start: u32, length: u32) -> Option<u32> {
    let at = position - f64::from(start) + ON_EDGE;
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
    let mut indices = vec![0; width * height];
    let (mut columns, mut rows) = (vec![0.0; width], vec![0.0; width]);
    let is_within = placement.lies_in(rect);
    for (row, indices) in indices.chunks_exact_mut(width.max(1)).enumerate() {
        placement.row_for_floor(row, &mut columns, &mut rows);
        if is_within {
            indices_of::<false>(rect, &columns, &rows, indices);
        } else {
            indices_of::<true>(rect, &columns, &rows, indices);
        }
    }
    indices
}

/// The indices of the samples under positions; `CHECKED` if some may lie outside.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "without a branch for each, several are compared at once"
)]
fn indices_of<const CHECKED: bool>(rect: &Rect, columns: &[f64], rows: &[f64], indices: &mut [u32]) {
    let (left, top) = (f64::from(rect.x), f64::from(rect.y));
    let stride = f64::from(rect.width);
    let end = (stride - ON_EDGE, f64::from(rect.height) - ON_EDGE);
    for (index, (column, row)) in indices.iter_mut().zip(columns.iter().zip(rows)) {
        let (x, y) = (column - left, row - top);
        let is_inside = (x >= -ON_EDGE) & (x < end.0) & (y >= -ON_EDGE) & (y < end.1);
        // Numbers of 64 bits all along, without a call or a branch: several pixels at once. Inside, the index is below 2^31:
        // limits on a window are spent before.
        let first_row = ((y - (0.5 - ON_EDGE)) + WHOLE) - WHOLE;
        let at = first_row * stride + ((x - (0.5 - ON_EDGE)) + WHOLE);
        *index = if !CHECKED || is_inside {
            at.to_bits() as u32
        } else {
            OUTSIDE
        };
    }
}

impl<'a> Centres<'a> {
    fn new(window: &'a Window, placement: &'a Placement) -> Self {
        Self {
            rect: &window.rect,
            placement,
            indices: OnceCell::new(),
            all_inside: OnceCell::new(),
        }
    }

    /// Row by row.
    fn indices(&self) -> &[u32] {
        self.indices.get_or_init(|| match self.placement.axes() {
            Some((columns, rows)) => along_axes(self.rect, columns, rows),
            None => pixel_by_pixel(self.rect, self.placement),
        })
    }

    /// Whether the window holds the sample under every centre.
    fn all_inside(&self) -> bool {
        *self
            .all_inside
            .get_or_init(|| self.placement.lies_in(self.rect) || !self.indices().contains(&OUTSIDE))
    }

    /// Puts the samples under the centres where the mask of a band is 0, into bands that were blended.
    fn put_masked<T: Copy>(&self, blended: &mut [T], planes: &[T], masks: &[u8]) {
        let (indices, area) = (self.indices(), self.rect.area());
        let lines = blended.chunks_exact_mut(indices.len().max(1));
        let bands = planes.chunks_exact(area).zip(masks.chunks_exact(area));
        for (out, (plane, mask)) in lines.zip(bands) {
            for (out, index) in out.iter_mut().zip(indices) {
                let at = *index as usize;
                if let (Some(value), Some(0)) = (plane.get(at), mask.get(at)) {
                    *out = *value;
                }
            }
        }
    }

    fn gather<T: Copy + Default>(&self, planes: &[T], bands: usize) -> Vec<T> {
        let indices = self.indices();
        let mut out = vec![T::default(); bands * indices.len()];
        let lines = out.chunks_exact_mut(indices.len().max(1));
        for (plane, out) in planes.chunks_exact(self.rect.area()).zip(lines) {
            let fetch = |out: &mut T, index: &u32| {
                if let Some(value) = plane.get(*index as usize) {
                    *out = *value;
                }
            };
            // Eight at a time: the compiler does not unroll a loop whose length it does not know.
            let ((eights, rest), (eight_indices, rest_indices)) =
                (out.as_chunks_mut::<8>(), indices.as_chunks::<8>());
            for (out, indices) in eights.iter_mut().zip(eight_indices) {
                out.iter_mut()
                    .zip(indices)
                    .for_each(|(out, index)| fetch(out, index));
            }
            rest.iter_mut()
                .zip(rest_indices)
                .for_each(|(out, index)| fetch(out, index));
        }
        out
    }
}
