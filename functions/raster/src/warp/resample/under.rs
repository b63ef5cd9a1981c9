//! One value out of the samples under one output pixel, some of which may hold no data.

use super::sample::{Accumulator, Sample};
use crate::warp::Kernel;
use crate::warp::kernel::Taps;

/// Weights that sum to less say nothing of a value.
pub(super) const LEAST_WEIGHT: f32 = 1e-6;

/// The samples under one output pixel.
pub(super) struct Under<'a, T> {
    pub(super) plane: &'a [T],
    pub(super) mask: Option<&'a [u8]>,
    pub(super) stride: usize,
    pub(super) x: usize,
    pub(super) y: usize,
    pub(super) across: &'a [f32],
    pub(super) down: &'a [f32],
}

impl<T: Sample> Under<'_, T> {
    /// Whether no sample is missing, be it beyond the window or masked.
    pub(super) fn is_whole(&self, taps: &(Taps, Taps)) -> bool {
        let is_inside = self.across.len() == taps.0.weights.len() && self.down.len() == taps.1.weights.len();
        let holds = |mask: &[u8]| {
            (0..self.down.len()).all(|j| {
                let start = (self.y + j) * self.stride + self.x;
                mask[start..start + self.across.len()]
                    .iter()
                    .all(|mask| *mask != 0)
            })
        };
        is_inside && self.mask.is_none_or(holds)
    }

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

    pub(super) fn mean(&self, kernel: Kernel) -> Option<T> {
        if matches!(kernel, Kernel::Sum | Kernel::Rms) {
            return self.area(kernel);
        }
        let (mut sum, mut weights, mut skipped) = (T::Sum::default(), 0.0_f32, false);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        // Columns first, as `Square` has it: both give the same bits.
        for (i, across) in self.across.iter().enumerate() {
            let (mut inner, mut inner_weights) = (T::Sum::default(), 0.0_f32);
            for (j, down) in self.down.iter().enumerate() {
                let at = (self.y + j) * self.stride + self.x + i;
                let share = self.mask.map_or(1.0, |mask| f32::from(mask[at]) / 255.0);
                if share == 0.0 {
                    skipped = true;
                    continue;
                }
                let value = self.plane[at];
                low = low.min(value.to_f64());
                high = high.max(value.to_f64());
                inner += value.to_sum() * T::Sum::of(down * share);
                inner_weights += down * share;
            }
            sum += inner * T::Sum::of(*across);
            weights += inner_weights * across;
        }
        if weights.abs() < LEAST_WEIGHT {
            return None;
        }
        let mean = T::from_sum(sum * T::Sum::of(1.0 / weights));
        // With samples missing, negative lobes no longer cancel: keep to what is there.
        Some(if skipped {
            T::from_f64(mean.to_f64().clamp(low, high))
        } else {
            mean
        })
    }

    fn area(&self, kernel: Kernel) -> Option<T> {
        let (mut sum, mut weights) = (0.0_f64, 0.0_f64);
        self.for_each(|value, weight, valid| {
            if valid {
                let (value, weight) = (value.to_f64(), f64::from(weight));
                sum += weight
                    * if kernel == Kernel::Rms {
                        value * value
                    } else {
                        value
                    };
                weights += weight;
            }
        });
        let total = if kernel == Kernel::Rms {
            (sum / weights).sqrt()
        } else {
            sum
        };
        (weights > 0.0).then(|| T::from_f64(total))
    }

    pub(super) fn ranked(&self, kernel: Kernel, pick: &mut Vec<T>) -> Option<T> {
        pick.clear();
        self.for_each(|value, weight, valid| {
            // A sliver left by rounding is no sample under the pixel.
            if valid && weight > 1e-6 && value.partial_cmp(&value).is_some() {
                pick.push(value);
            }
        });
        match kernel {
            Kernel::Mode => return commonest(pick),
            Kernel::Min => return pick.iter().copied().reduce(|a, b| if b < a { b } else { a }),
            Kernel::Max => return pick.iter().copied().reduce(|a, b| if b > a { b } else { a }),
            _ => {}
        }
        pick.sort_unstable_by(ascending);
        let at = |share: f64| ((pick.len() as f64 * share) as usize).min(pick.len().saturating_sub(1));
        let index = match kernel {
            Kernel::Q1 => at(0.25),
            Kernel::Q3 => at(0.75),
            _ => at(0.5),
        };
        pick.get(index).copied()
    }
}

/// As many values are compared each with each; more are sorted.
const FEW: usize = 48;

/// The value that occurs most often; of equals the one met first.
fn commonest<T: Sample>(values: &[T]) -> Option<T> {
    if values.len() <= FEW {
        let mut most = (0, None);
        for (at, value) in values.iter().enumerate() {
            // Of a value met before, fewer are left.
            let count = values[at..]
                .iter()
                .fold(0, |count, other| count + u32::from(other == value));
            if count > most.0 {
                most = (count, Some(*value));
            }
        }
        return most.1;
    }
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| ascending(&values[*a], &values[*b]));
    let runs = order.chunk_by(|a, b| values[*a] == values[*b]);
    // Sorting is stable, so the first of a run is the one that was met first.
    runs.max_by_key(|run| (run.len(), std::cmp::Reverse(run[0])))
        .map(|run| values[run[0]])
}

fn ascending<T: Sample>(a: &T, b: &T) -> std::cmp::Ordering {
    a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commonest_of_few_is_that_of_many() {
        let mut state = 1_u32;
        for count in 1..=FEW {
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 29) as u8
            };
            let few: Vec<u8> = (0..count).map(|_| next()).collect();
            let many = few.repeat(FEW);
            assert!(many.len() > FEW || count == 1);
            assert_eq!(commonest(&few), commonest(&many), "{few:?}");
        }
        assert_eq!(commonest(&[3_u8, 5, 5, 3]), Some(3));
        assert_eq!(commonest::<u8>(&[]), None);
    }
}
