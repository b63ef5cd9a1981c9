//! Weighted values for every output pixel: a square of samples where the kernel fits one, else however many there are.

use super::sample::{Accumulator, Sample};
use super::under::{LEAST_WEIGHT, Under};
use super::{Centres, OUTSIDE};
use crate::samples::Mask;
use crate::warp::kernel::Taps;
use crate::warp::{Kernel, Placement, Rect, Window};

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

    /// The square under a pixel, if it lies in the window.
    fn square<const N: usize>(&self, column: usize, row: usize, window: &Window) -> Option<Square<N>> {
        let (rect, scale) = (&window.rect, self.placement.scale(column, row));
        let across = Line::<N>::new(self.kernel, self.columns[column], scale.0, rect.x);
        let down = Line::<N>::new(self.kernel, self.rows[column], scale.1, rect.y);
        Some(Square {
            x: across.inside(rect.width)?,
            y: down.inside(rect.height)?,
            across,
            down,
        })
    }

    /// Computes the weights of a pixel.
    fn prepare(&mut self, column: usize, row: usize) {
        let scale = self.placement.scale(column, row);
        self.kernel.taps(self.columns[column], scale.0, &mut self.across);
        self.kernel.taps(self.rows[column], scale.1, &mut self.down);
    }

    /// The prepared weights that fall on the window: first column, first row, weights across and down.
    fn cut_to(&self, rect: &Rect) -> (usize, usize, &[f32], &[f32]) {
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

pub(super) fn blend<T: Sample>(
    window: &Window,
    placement: &Placement,
    kernel: Kernel,
    centres: &Centres,
    values: &[T],
) -> Vec<T> {
    let job = Blend {
        window,
        placement,
        kernel,
        centres,
        values,
    };
    if !T::COMMON || !kernel.is_linear() || kernel == Kernel::Sum {
        return job.run::<0>();
    }
    // Arrays of a fixed length let the compiler unroll; the usual cases are 2 and 4 samples on a side.
    match placement.reach(kernel) {
        0..=2 => job.run::<2>(),
        3..=4 => job.run::<4>(),
        5..=8 => job.run::<8>(),
        _ => job.run::<0>(),
    }
}

/// Everything that one output needs.
struct Blend<'a, T> {
    window: &'a Window,
    placement: &'a Placement,
    kernel: Kernel,
    centres: &'a Centres,
    values: &'a [T],
}

/// The weights of `N` samples along one axis from `start` on, and their sum.
#[derive(Clone, Copy)]
struct Line<const N: usize> {
    start: i64,
    weights: [f32; N],
    sum: f32,
}

impl<const N: usize> Line<N> {
    fn new(kernel: Kernel, position: f64, scale: f64, origin: u32) -> Self {
        let first = kernel.first(position, scale);
        let weights: [f32; N] = std::array::from_fn(|i| kernel.weight_at(first + i as f64, position, scale));
        let sum = weights.iter().fold(0.0, |sum, weight| sum + weight);
        Self {
            start: first as i64 - i64::from(origin),
            weights,
            sum,
        }
    }

    /// The index in the window of the first sample, if all lie within `length`.
    fn inside(&self, length: u32) -> Option<usize> {
        (self.start >= 0 && self.start + N as i64 <= i64::from(length)).then_some(self.start as usize)
    }
}

impl<T: Sample> Blend<'_, T> {
    /// With `N` > 0 the samples under a pixel fit a square of that side; both ways of adding up give the same bits, so that it
    /// does not matter to a pixel how far the window around it goes.
    fn run<const N: usize>(&self) -> Vec<T> {
        let (width, height) = self.placement.size();
        let rect = &self.window.rect;
        let (bands, area) = (self.window.raster.bands, rect.area());
        let mut out = vec![T::default(); bands * width * height];
        let mut footprint = Footprint::new(self.placement, self.kernel);
        let mut pick = Vec::new();
        for row in 0..height {
            footprint.start_row(row);
            for column in 0..width {
                let centre = self.centres.indices[row * width + column];
                if centre == OUTSIDE {
                    continue;
                }
                let at = row * width + column;
                let square = if N > 0 {
                    footprint.square::<N>(column, row, self.window)
                } else {
                    None
                };
                let mut prepared = false;
                for band in 0..bands {
                    let plane = &self.values[band * area..(band + 1) * area];
                    let mask = mask_plane(&self.window.raster.mask, band, area);
                    if mask.is_some_and(|mask| mask[centre as usize] == 0) {
                        continue;
                    }
                    if let Some(square) = &square
                        && let Some(value) = square.mean(plane, mask, rect.width as usize)
                    {
                        out[band * width * height + at] = value;
                        continue;
                    }
                    if !prepared {
                        footprint.prepare(column, row);
                        prepared = true;
                    }
                    let (x, y, across, down) = footprint.cut_to(rect);
                    let under = Under {
                        plane,
                        mask,
                        stride: rect.width as usize,
                        x,
                        y,
                        across,
                        down,
                    };
                    let value = if self.kernel.is_linear() || self.kernel == Kernel::Rms {
                        under.mean(self.kernel)
                    } else {
                        under.ranked(self.kernel, &mut pick)
                    };
                    // Nothing but samples of no weight: the sample itself.
                    out[band * width * height + at] = value.unwrap_or(plane[centre as usize]);
                }
            }
        }
        out
    }
}

/// `N` by `N` samples of the window under one output pixel.
struct Square<const N: usize> {
    x: usize,
    y: usize,
    across: Line<N>,
    down: Line<N>,
}

impl<const N: usize> Square<N> {
    /// The weighted mean; `None` where a sample holds no data, or the weights cancel.
    fn mean<T: Sample>(&self, plane: &[T], mask: Option<&[u8]>, stride: usize) -> Option<T> {
        let start = self.y * stride + self.x;
        if let Some(mask) = mask {
            for j in 0..N {
                let line = &mask[start + j * stride..][..N];
                if line.iter().any(|mask| *mask != 255) {
                    return None;
                }
            }
        }
        let (mut sum, mut weights) = (T::Sum::default(), 0.0_f32);
        for j in 0..N {
            let line = &plane[start + j * stride..][..N];
            let mut inner = T::Sum::default();
            for (value, weight) in line.iter().zip(&self.across.weights) {
                inner += value.to_sum() * T::Sum::of(*weight);
            }
            sum += inner * T::Sum::of(self.down.weights[j]);
            weights += self.across.sum * self.down.weights[j];
        }
        (weights.abs() >= LEAST_WEIGHT).then(|| T::from_sum(sum * T::Sum::of(1.0 / weights)))
    }
}

pub(super) fn blend_alpha(
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
            footprint.prepare(column, row);
            let (x, y, across, down) = footprint.cut_to(&window.rect);
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
