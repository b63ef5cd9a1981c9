//! Weighted values for every output pixel: a square of samples where the kernel fits one, else however many there are.

use super::sample::{Accumulator, Sample};
use super::under::{LEAST_WEIGHT, Under};
use super::{Centres, OUTSIDE};
use crate::samples::Mask;
use crate::warp::kernel::{Stand, Taps};
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

    /// The squares under the pixels of a row.
    fn squares<const N: usize>(&self, row: usize, rect: &Rect, squares: &mut Vec<Square<N>>) {
        // A kernel that is known when the loop is compiled costs a third.
        match self.kernel {
            Kernel::Bilinear => self.squares_of(row, rect, squares, |stand, i| {
                Kernel::Bilinear.weight_at(stand, i)
            }),
            Kernel::Cubic => {
                self.squares_of(row, rect, squares, |stand, i| Kernel::Cubic.weight_at(stand, i));
            }
            Kernel::Average => {
                self.squares_of(row, rect, squares, |stand, i| Kernel::Average.weight_at(stand, i));
            }
            other => self.squares_of(row, rect, squares, |stand, i| other.weight_at(stand, i)),
        }
    }

    fn squares_of<const N: usize>(
        &self,
        row: usize,
        rect: &Rect,
        squares: &mut Vec<Square<N>>,
        weigh: impl Fn(&Stand, usize) -> f32,
    ) {
        let line = |position: f64, scale: f64, origin: u32| {
            let stand = self.kernel.stand(position, scale);
            let weights: [f32; N] = std::array::from_fn(|i| weigh(&stand, i));
            (stand.first - i64::from(origin), weights)
        };
        let end = |length: u32| i64::from(length) - N as i64;
        let end = (end(rect.width), end(rect.height));
        squares.clear();
        for (column, (x, y)) in self.columns.iter().zip(&self.rows).enumerate() {
            let scale = self.placement.scale(column, row);
            let (x, across) = line(*x, scale.0, rect.x);
            let (y, down) = line(*y, scale.1, rect.y);
            let is_inside = x >= 0 && x <= end.0 && y >= 0 && y <= end.1;
            let sum = down.iter().fold(0.0, |sum, weight| sum + weight);
            let weights = across.iter().fold(0.0, |total, weight| total + sum * weight);
            squares.push(Square {
                start: if is_inside && weights.abs() >= LEAST_WEIGHT {
                    y as usize * rect.width as usize + x as usize
                } else {
                    usize::MAX
                },
                across,
                down,
                share: 1.0 / weights,
            });
        }
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

impl<T: Sample> Blend<'_, T> {
    /// With `N` > 0 the samples under a pixel fit a square of that side; both ways of adding up give the same bits, so that it
    /// does not matter to a pixel how far the window around it goes.
    fn run<const N: usize>(&self) -> Vec<T> {
        let (width, height) = self.placement.size();
        let rect = &self.window.rect;
        let (bands, area) = (self.window.raster.bands, rect.area());
        let mut out = vec![T::default(); bands * width * height];
        let mut footprint = Footprint::new(self.placement, self.kernel);
        let (mut pick, mut squares, mut left) = (Vec::new(), Vec::with_capacity(width), Vec::new());
        for row in 0..height {
            footprint.start_row(row);
            let centres = &self.centres.indices[row * width..][..width];
            if N > 0 {
                footprint.squares::<N>(row, rect, &mut squares);
            }
            left.clear();
            for band in 0..bands {
                let plane = &self.values[band * area..][..area];
                let mask = mask_plane(&self.window.raster.mask, band, area);
                let line = &mut out[(band * height + row) * width..][..width];
                let holds =
                    |centre: u32| centre != OUTSIDE && mask.is_none_or(|mask| mask[centre as usize] != 0);
                if N == 0 {
                    left.extend((0..width).filter(|at| holds(centres[*at])).map(|at| (at, band)));
                    continue;
                }
                for (at, (square, out)) in squares.iter().zip(line).enumerate() {
                    if !holds(centres[at]) {
                        continue;
                    }
                    match square.mean(plane, mask, rect.width as usize) {
                        Some(value) => *out = value,
                        None => left.push((at, band)),
                    }
                }
            }
            // Column by column, so that weights are computed once for all bands.
            left.sort_unstable();
            let mut prepared = usize::MAX;
            for (column, band) in left.iter().copied() {
                if prepared != column {
                    footprint.prepare(column, row);
                    prepared = column;
                }
                let value = self.one(&footprint, band, &mut pick);
                // Nothing but samples of no weight: the sample itself.
                let centre = || self.values[band * area + centres[column] as usize];
                out[(band * height + row) * width + column] = value.unwrap_or_else(centre);
            }
        }
        out
    }

    /// The value of a band under the pixel whose weights are prepared.
    fn one(&self, footprint: &Footprint<'_>, band: usize, pick: &mut Vec<T>) -> Option<T> {
        let rect = &self.window.rect;
        let (x, y, across, down) = footprint.cut_to(rect);
        let under = Under {
            plane: &self.values[band * rect.area()..][..rect.area()],
            mask: mask_plane(&self.window.raster.mask, band, rect.area()),
            stride: rect.width as usize,
            x,
            y,
            across,
            down,
        };
        if self.kernel.is_linear() || self.kernel == Kernel::Rms {
            under.mean(self.kernel)
        } else {
            under.ranked(self.kernel, pick)
        }
    }
}

/// `N` by `N` samples of the window under one output pixel.
struct Square<const N: usize> {
    /// The first sample's index in a plane; the greatest number where some lie outside the window, or weights cancel.
    start: usize,
    across: [f32; N],
    down: [f32; N],
    /// One by the sum of all weights.
    share: f32,
}

impl<const N: usize> Square<N> {
    /// The weighted mean; `None` where a sample is missing.
    #[inline]
    fn mean<T: Sample>(&self, plane: &[T], mask: Option<&[u8]>, stride: usize) -> Option<T> {
        if self.start == usize::MAX {
            return None;
        }
        if let Some(mask) = mask {
            for j in 0..N {
                let line = mask.get(self.start + j * stride..)?.first_chunk::<N>()?;
                if line.iter().any(|mask| *mask != 255) {
                    return None;
                }
            }
        }
        // Sums of columns side by side, which the compiler makes lanes of a register.
        let mut columns = [T::Sum::default(); N];
        for (j, down) in self.down.iter().enumerate() {
            let line = plane.get(self.start + j * stride..)?.first_chunk::<N>()?;
            let down = T::Sum::of(*down);
            for (column, value) in columns.iter_mut().zip(line) {
                *column += value.to_sum() * down;
            }
        }
        let mut sum = T::Sum::default();
        for (column, across) in columns.iter().zip(&self.across) {
            sum += *column * T::Sum::of(*across);
        }
        Some(T::from_sum(sum * T::Sum::of(self.share)))
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
