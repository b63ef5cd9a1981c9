//! The bilinear kernel where it is not widened: two by two samples under every pixel, a row at a time, many pixels at once.

use super::OUTSIDE;
use super::sample::{Accumulator, Sample};
use crate::warp::placement::WHOLE;
use crate::warp::{Kernel, Placement, Rect};

/// Pixels that are weighed together: so many bytes fill a register of every x86-64 processor.
const LANES: usize = 16;

/// As [`WHOLE`], for multiples of 2^-18 px. Positions are rounded to them, a 260th of what placement may be off: then both weights along
/// an axis are exact, and sum to exactly one.
const FINE: f64 = (1_u64 << 34) as f64 * 1.5;

/// Takes 0.5 off a multiple of 2^-18 and lifts it off the tie: rounded, it is the floor.
const TO_FLOOR: f64 = 0.5 - 1.0 / (1 << 19) as f64;

/// The squares under the pixels of one row.
pub(super) struct Pairs {
    /// Index of each square's north-west sample in a plane; [`OUTSIDE`] where not all four are in the window.
    starts: Vec<u32>,
    /// The same, but [`OUTSIDE`] too where not all four hold data.
    shown: Vec<u32>,
    /// Weights of the eastern and of the southern samples.
    across: Vec<f32>,
    down: Vec<f32>,
}

impl Pairs {
    /// Room for a row of a placement; `None` if every pixel needs more than the square.
    pub(super) fn new(placement: &Placement, kernel: Kernel) -> Option<Self> {
        let (least, _) = placement.scales();
        let width = placement.size().0;
        (kernel == Kernel::Bilinear && !kernel.widens(least)).then(|| Self {
            starts: vec![OUTSIDE; width],
            shown: vec![OUTSIDE; width],
            across: vec![0.0; width],
            down: vec![0.0; width],
        })
    }

    /// Finds the squares under positions in level pixels.
    #[expect(
        clippy::needless_bitwise_bool,
        reason = "without a branch for each, several are compared at once"
    )]
    pub(super) fn start_row(&mut self, columns: &[f64], rows: &[f64], rect: &Rect) {
        let (left, top) = (f64::from(rect.x) + 0.5, f64::from(rect.y) + 0.5);
        let end = (f64::from(rect.width) - 1.0, f64::from(rect.height) - 1.0);
        let stride = f64::from(rect.width);
        let positions = columns.iter().zip(rows);
        let squares = self.starts.iter_mut().zip(&mut self.across).zip(&mut self.down);
        for ((column, row), ((start, across), down)) in positions.zip(squares) {
            let x = ((column - left) + FINE) - FINE;
            let y = ((row - top) + FINE) - FINE;
            let (first_x, first_y) = (((x - TO_FLOOR) + WHOLE) - WHOLE, ((y - TO_FLOOR) + WHOLE) - WHOLE);
            let is_inside = (x >= 0.0) & (x < end.0) & (y >= 0.0) & (y < end.1);
            // Inside, the index is below 2^31: limits on a window are spent before.
            let index = (first_y * stride + first_x + WHOLE).to_bits() as u32;
            *start = if is_inside { index } else { OUTSIDE };
            *across = (x - first_x) as f32;
            *down = (y - first_y) as f32;
        }
    }

    /// Leaves out the pixels where the kernel is widened.
    pub(super) fn leave_widened(&mut self, placement: &Placement, row: usize, kernel: Kernel) {
        for (column, start) in self.starts.iter_mut().enumerate() {
            let scale = placement.scale(column, row);
            if kernel.widens(scale.0) || kernel.widens(scale.1) {
                *start = OUTSIDE;
            }
        }
    }

    /// Takes a band's mask: none where all samples hold data.
    pub(super) fn show(&mut self, mask: Option<&[u8]>, stride: usize) {
        let Some(mask) = mask else {
            self.shown.copy_from_slice(&self.starts);
            return;
        };
        let below = mask.get(stride..).unwrap_or_default();
        for (shown, start) in self.shown.iter_mut().zip(&self.starts) {
            let four = (two(mask, *start), two(below, *start));
            let holds = four == (Some([255; 2]), Some([255; 2]));
            *shown = if holds { *start } else { OUTSIDE };
        }
    }

    /// Weighs the shown squares into `out`, and names the pixels without one.
    #[inline(never)]
    pub(super) fn weigh<T: Sample>(
        &self,
        plane: &[T],
        stride: u32,
        out: &mut [T],
        leave: &mut impl FnMut(usize, &mut [T]),
    ) {
        let span = stride.saturating_add(2);
        let weights = self.across.chunks(LANES).zip(self.down.chunks(LANES));
        for (chunk, (starts, (across, down))) in self.shown.chunks(LANES).zip(weights).enumerate() {
            let first = chunk * LANES;
            let full = (
                starts.first_chunk::<LANES>(),
                across.first_chunk::<LANES>(),
                down.first_chunk::<LANES>(),
            );
            if let (Some(starts), Some(across), Some(down)) = full
                && let Some((north, south)) = gather(plane, span, starts)
                && let Some(out) = out[first..].first_chunk_mut::<LANES>()
            {
                for at in 0..LANES {
                    out[at] = mean(north[at], south[at], across[at], down[at]);
                }
                continue;
            }
            for (at, start) in starts.iter().enumerate() {
                match square(plane, span, *start) {
                    Some((north, south)) => out[first + at] = mean(north, south, across[at], down[at]),
                    None => leave(first + at, out),
                }
            }
        }
    }
}

/// Two neighbours in a row.
#[inline]
fn two<T: Copy>(plane: &[T], start: u32) -> Option<[T; 2]> {
    let start = start as usize;
    plane.get(start..start + 2)?.try_into().ok()
}

/// The northern and the southern neighbours of a square: first and last of `span` samples, a row and two.
#[inline]
fn square<T: Copy>(plane: &[T], span: u32, start: u32) -> Option<([T; 2], [T; 2])> {
    let start = start as usize;
    // Of two numbers of 32 bits, so that the compiler knows that the sum does not overflow, and one comparison is left.
    let lines = plane.get(start..start + span as usize)?;
    Some((*lines.first_chunk()?, *lines.last_chunk()?))
}

type Lines<T> = [[T; 2]; LANES];

/// The northern and southern lines of all squares; `None` if one is outside.
#[inline]
fn gather<T: Sample>(plane: &[T], span: u32, starts: &[u32; LANES]) -> Option<(Lines<T>, Lines<T>)> {
    let (mut north, mut south) = ([[T::default(); 2]; LANES], [[T::default(); 2]; LANES]);
    for at in 0..LANES {
        (north[at], south[at]) = square(plane, span, starts[at])?;
    }
    Some((north, south))
}

#[inline]
fn mean<T: Sample>(north: [T; 2], south: [T; 2], across: f32, down: f32) -> T {
    let (west, east) = (T::Sum::of(1.0 - across), T::Sum::of(across));
    let line = |[a, b]: [T; 2]| {
        let mut sum = a.to_sum() * west;
        sum += b.to_sum() * east;
        sum
    };
    let mut sum = line(north) * T::Sum::of(1.0 - down);
    sum += line(south) * T::Sum::of(down);
    T::from_sum(sum)
}
