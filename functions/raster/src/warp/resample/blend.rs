//! Weighted values for every output pixel: a square of samples where the kernel fits one, else however many there are.

use super::pairs::Pairs;
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
    /// Weights across and down.
    taps: (Taps, Taps),
    /// Those of the bilinear kernel, for cubic pixels where a sample is missing: what is left of the narrow cubic kernel there
    /// would be most of one lobe or another. GDAL has the same rule.
    narrow: (Taps, Taps),
    has_narrow: bool,
}

impl<'a> Footprint<'a> {
    fn new(placement: &'a Placement, kernel: Kernel) -> Self {
        let width = placement.size().0;
        Self {
            placement,
            kernel,
            columns: vec![0.0; width],
            rows: vec![0.0; width],
            taps: Default::default(),
            narrow: Default::default(),
            has_narrow: false,
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
            Kernel::Lanczos => {
                self.squares_of(row, rect, squares, |stand, i| Kernel::Lanczos.weight_at(stand, i));
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
        let (x, y) = (self.columns[column], self.rows[column]);
        let fill = |kernel: Kernel, taps: &mut (Taps, Taps)| {
            kernel.taps(x, scale.0, &mut taps.0);
            kernel.taps(y, scale.1, &mut taps.1);
        };
        fill(self.kernel, &mut self.taps);
        let widens = self.kernel.widens(scale.0) || self.kernel.widens(scale.1);
        self.has_narrow = self.kernel == Kernel::Cubic && !widens;
        if self.has_narrow {
            fill(Kernel::Bilinear, &mut self.narrow);
        }
    }
}

fn cut(taps: &Taps, start: u32, length: u32) -> (usize, &[f32]) {
    let first = taps.start - i64::from(start);
    let skip = (-first).clamp(0, taps.weights.len() as i64);
    let keep = (i64::from(length) - first).clamp(skip, taps.weights.len() as i64);
    (first.max(0) as usize, &taps.weights[skip as usize..keep as usize])
}

/// The samples of a plane on which weights fall.
fn under<'a, T>(rect: &Rect, plane: &'a [T], mask: Option<&'a [u8]>, taps: &'a (Taps, Taps)) -> Under<'a, T> {
    let (x, across) = cut(&taps.0, rect.x, rect.width);
    let (y, down) = cut(&taps.1, rect.y, rect.height);
    Under {
        plane,
        mask,
        stride: rect.width as usize,
        x,
        y,
        across,
        down,
    }
}

pub(super) fn blend<T: Sample>(
    window: &Window,
    placement: &Placement,
    kernel: Kernel,
    centres: &Centres<'_>,
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
    match kernel.reach(placement.scales().1) {
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
    centres: &'a Centres<'a>,
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
        let mut fast = Fast::<N>::new(self.placement, self.kernel, T::COMMON);
        let (mut pick, mut left) = (Vec::new(), Vec::new());
        for row in 0..height {
            footprint.start_row(row);
            left.clear();
            if fast.is_none() {
                let all = (0..width).flat_map(|column| (0..bands).map(move |band| (column, band)));
                left.extend(all.filter(|(column, band)| self.holds(row * width + column, *band)));
            }
            if let Some(fast) = &mut fast {
                self.fast_row(row, &footprint, fast, &mut out, &mut left);
                // Column by column, so that weights are computed once for all bands.
                left.sort_unstable();
            }
            let mut prepared = usize::MAX;
            for (column, band) in left.iter().copied() {
                if prepared != column {
                    footprint.prepare(column, row);
                    prepared = column;
                }
                let value = self.one(&footprint, band, &mut pick);
                // Nothing but samples of no weight: the sample itself.
                let centre =
                    || self.values[band * area + self.centres.indices()[row * width + column] as usize];
                out[(band * height + row) * width + column] = value.unwrap_or_else(centre);
            }
        }
        out
    }

    /// The pixels of a row whose samples all hold data; names the others that hold data, by column and band.
    fn fast_row<const N: usize>(
        &self,
        row: usize,
        footprint: &Footprint<'_>,
        fast: &mut Fast<N>,
        out: &mut [T],
        left: &mut Vec<(usize, usize)>,
    ) {
        let (width, height) = self.placement.size();
        let rect = &self.window.rect;
        if N > 0 && (fast.is_widened || fast.pairs.is_none()) {
            footprint.squares::<N>(row, rect, &mut fast.squares);
        }
        if let Some(pairs) = &mut fast.pairs {
            pairs.start_row(&footprint.columns, &footprint.rows, rect);
            if fast.is_widened {
                pairs.leave_widened(self.placement, row, self.kernel);
            }
        }
        for band in 0..self.window.raster.bands {
            let plane = &self.values[band * rect.area()..][..rect.area()];
            let mask = mask_plane(&self.window.raster.mask, band, rect.area());
            let stride = rect.width as usize;
            let mut by_square = |at: usize, line: &mut [T]| {
                if !self.holds(row * width + at, band) {
                    return;
                }
                let square = fast.squares.get(at);
                match square.and_then(|square| square.mean(plane, mask, stride)) {
                    Some(value) => line[at] = value,
                    None => left.push((at, band)),
                }
            };
            let line = &mut out[(band * height + row) * width..][..width];
            let Some(pairs) = &mut fast.pairs else {
                (0..width).for_each(|at| by_square(at, line));
                continue;
            };
            if band == 0 || matches!(self.window.raster.mask, Mask::PerBand(_)) {
                pairs.show(mask, stride);
            }
            pairs.weigh(plane, rect.width, line, &mut by_square);
        }
    }

    /// Whether the sample under a pixel's centre holds data.
    fn holds(&self, pixel: usize, band: usize) -> bool {
        let mask = mask_plane(&self.window.raster.mask, band, self.window.rect.area());
        if mask.is_none() && self.centres.all_inside() {
            return true;
        }
        let centre = self.centres.indices()[pixel];
        centre != OUTSIDE && mask.is_none_or(|mask| mask[centre as usize] != 0)
    }

    /// The value of a band under the pixel whose weights are prepared.
    fn one(&self, footprint: &Footprint<'_>, band: usize, pick: &mut Vec<T>) -> Option<T> {
        let rect = &self.window.rect;
        let plane = &self.values[band * rect.area()..][..rect.area()];
        let mask = mask_plane(&self.window.raster.mask, band, rect.area());
        let mut under = under(rect, plane, mask, &footprint.taps);
        if footprint.has_narrow && !under.is_whole(&footprint.taps) {
            under = self::under(rect, plane, mask, &footprint.narrow);
        }
        if self.kernel.is_linear() || self.kernel == Kernel::Rms {
            under.mean(self.kernel)
        } else {
            under.ranked(self.kernel, pick)
        }
    }
}

/// What serves pixels whose samples all hold data. Which of the two, and whether any, hangs on the pixel alone.
struct Fast<const N: usize> {
    pairs: Option<Pairs>,
    /// For the pixels that pairs do not serve.
    squares: Vec<Square<N>>,
    is_widened: bool,
}

impl<const N: usize> Fast<N> {
    fn new(placement: &Placement, kernel: Kernel, is_common: bool) -> Option<Self> {
        let pairs = Pairs::new(placement, kernel).filter(|_| is_common);
        (N > 0 || pairs.is_some()).then(|| Self {
            pairs,
            squares: Vec::new(),
            is_widened: kernel.widens(placement.scales().1),
        })
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
    centres: &Centres<'_>,
    alpha: &[u8],
) -> Vec<u8> {
    let (width, height) = placement.size();
    let mut out = vec![0; width * height];
    let mut footprint = Footprint::new(placement, kernel);
    for row in 0..height {
        footprint.start_row(row);
        for column in 0..width {
            let centre = centres.indices()[row * width + column];
            if centre == OUTSIDE || alpha[centre as usize] == 0 {
                continue;
            }
            footprint.prepare(column, row);
            let taps = under(&window.rect, alpha, None, &footprint.taps);
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
