//! What the values of a band come to: the numbers of rio-tiler's statistics, by its rules.
//!
//! A pixel counts where it holds data and is finite; where shares are given, by its share, which makes means, sums, deviations and
//! percentiles weighted ones. A percentile is a value that is there: the first, in order, at which the shares so far reach it.

use crate::samples::{Mask, Raster};
use crate::with_samples;

/// What is asked of the values beside what is always told.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Which percentiles, 0 to 100.
    pub percentiles: Vec<f64>,
    /// How the histogram counts.
    pub bins: Bins,
}

/// How a histogram counts.
#[derive(Clone, Debug, PartialEq)]
pub enum Bins {
    /// So many of one width over a range; of all values unless it is given.
    Even(usize, Option<(f64, f64)>),
    /// Between these edges, which rise. A bin holds its lower edge, the last also its upper.
    Edges(Vec<f64>),
    /// Each value by itself; these, or all that there are.
    Values(Option<Vec<f64>>),
}

impl Default for Options {
    /// TiTiler's.
    fn default() -> Self {
        Self {
            percentiles: vec![2.0, 98.0],
            bins: Bins::Even(10, None),
        }
    }
}

/// The numbers of one band. Where no pixel counts, those that follow from values are NaN.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names say it all")]
pub struct Statistics {
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    /// Shares of all pixels that count together.
    pub count: f64,
    pub sum: f64,
    /// The population's standard deviation.
    pub std: f64,
    pub median: f64,
    /// The value of the most pixels; of several the least.
    pub majority: f64,
    /// The value of the fewest pixels; of several the least.
    pub minority: f64,
    /// How many values there are.
    pub unique: usize,
    /// As they were asked for.
    pub percentiles: Vec<f64>,
    /// Pixels of each bin, and its edges or values.
    pub histogram: (Vec<u64>, Vec<f64>),
    /// Pixels that count.
    pub valid_pixels: usize,
    /// Pixels that do not.
    pub masked_pixels: usize,
    /// Of the pixels with a share, those that count, in percent.
    pub valid_percent: f64,
}

/// The statistics of a band, counted from 0. `shares` are of every pixel, `[height, width]`, 0 to 1.
///
/// # Panics
/// If there is no such band, or not a share for each pixel.
pub fn statistics(raster: &Raster, band: usize, shares: Option<&[f32]>, options: &Options) -> Statistics {
    let area = raster.height * raster.width;
    let counted = Counted::new(raster, band, shares);
    let covered = shares.map_or(area, |shares| shares.iter().filter(|share| **share > 0.0).count());
    let valid = counted.pixels.len();
    let share = valid as f64 / covered.max(1) as f64;
    let (count, sum) = counted
        .pixels
        .iter()
        .fold((0.0, 0.0), |(count, sum), (value, share)| {
            (count + share, sum + value * share)
        });
    let mean = sum / count;
    let square = |(value, share): &(f64, f64)| (value - mean).powi(2) * share;
    let variance = counted.pixels.iter().map(square).sum::<f64>() / count;
    let runs = counted.runs();
    let end = |pixel: Option<&(f64, f64)>| pixel.map_or(f64::NAN, |pixel| pixel.0);
    let most = runs
        .iter()
        .copied()
        .reduce(|most, run| if run.1 > most.1 { run } else { most });
    let fewest = runs
        .iter()
        .copied()
        .reduce(|few, run| if run.1 < few.1 { run } else { few });
    Statistics {
        min: end(counted.pixels.first()),
        max: end(counted.pixels.last()),
        mean,
        count,
        sum,
        std: variance.sqrt(),
        median: counted.percentile(50.0),
        majority: most.map_or(f64::NAN, |run| run.0),
        minority: fewest.map_or(f64::NAN, |run| run.0),
        unique: runs.len(),
        percentiles: options
            .percentiles
            .iter()
            .map(|percent| counted.percentile(*percent))
            .collect(),
        histogram: counted.histogram(&options.bins, &runs),
        valid_pixels: valid,
        masked_pixels: area - valid,
        valid_percent: (share.min(1.0) * 1e4).round() / 100.0,
    }
}

/// Percentiles of a band, counted from 0, of all rasters together; `None` where no pixel holds data.
///
/// # Panics
/// If one of them has no such band.
pub fn percentiles(rasters: &[Raster], band: usize, percents: &[f64]) -> Option<Vec<f64>> {
    let counted = Counted::sorted(
        rasters
            .iter()
            .flat_map(|raster| held(raster, band, None))
            .collect(),
    );
    let all = percents.iter().map(|percent| counted.percentile(*percent));
    (!counted.pixels.is_empty()).then(|| all.collect())
}

/// The pixels of a band that count, each with its share.
#[expect(clippy::unnecessary_cast, reason = "it is one for every type but `f64`")]
fn held(raster: &Raster, band: usize, shares: Option<&[f32]>) -> Vec<(f64, f64)> {
    let area = raster.height * raster.width;
    let mask = match &raster.mask {
        Mask::All => None,
        Mask::Shared(mask) => Some(mask.as_slice()),
        Mask::PerBand(masks) => Some(&masks[band * area..][..area]),
    };
    with_samples!(&raster.samples, values => {
        let values = values[band * area..][..area].iter().map(|value| *value as f64);
        let counts = |(at, value): (usize, f64)| {
            let share = shares.map_or(1.0, |shares| f64::from(shares[at]));
            let holds = mask.is_none_or(|mask| mask[at] > 0);
            (holds && share > 0.0 && value.is_finite()).then_some((value, share))
        };
        values.enumerate().filter_map(counts).collect()
    })
}

/// The pixels that count, from the least value to the greatest, each with its share.
struct Counted {
    pixels: Vec<(f64, f64)>,
    total: f64,
}

impl Counted {
    fn new(raster: &Raster, band: usize, shares: Option<&[f32]>) -> Self {
        Self::sorted(held(raster, band, shares))
    }

    fn sorted(mut pixels: Vec<(f64, f64)>) -> Self {
        pixels.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let total = pixels.iter().map(|pixel| pixel.1).sum();
        Self { pixels, total }
    }

    fn percentile(&self, percent: f64) -> f64 {
        let wanted = percent / 100.0 * self.total;
        let mut so_far = 0.0;
        let found = self.pixels.iter().find(|(_, share)| {
            so_far += share;
            so_far >= wanted
        });
        found.or(self.pixels.last()).map_or(f64::NAN, |pixel| pixel.0)
    }

    /// Each value, and how many pixels have it.
    fn runs(&self) -> Vec<(f64, u64)> {
        let equal = self.pixels.chunk_by(|a, b| a.0 == b.0);
        equal.map(|run| (run[0].0, run.len() as u64)).collect()
    }

    fn histogram(&self, bins: &Bins, runs: &[(f64, u64)]) -> (Vec<u64>, Vec<f64>) {
        match bins {
            Bins::Even(count, range) => {
                let edges = even_edges(*count, range.unwrap_or_else(|| self.range()));
                (between(&edges, runs), edges)
            }
            Bins::Edges(edges) => (between(edges, runs), edges.clone()),
            Bins::Values(None) => (
                runs.iter().map(|run| run.1).collect(),
                runs.iter().map(|run| run.0).collect(),
            ),
            Bins::Values(Some(values)) => {
                let of = |value: &f64| runs.iter().find(|run| run.0 == *value).map_or(0, |run| run.1);
                (values.iter().map(of).collect(), values.clone())
            }
        }
    }

    /// Of all values; from 0 to 1 where there is none.
    fn range(&self) -> (f64, f64) {
        match (self.pixels.first(), self.pixels.last()) {
            (Some(first), Some(last)) => (first.0, last.0),
            _ => (0.0, 1.0),
        }
    }
}

/// The edges of bins of one width, as numpy's `histogram` lays them: a range of one value is widened by a half on both sides.
fn even_edges(count: usize, (mut low, mut high): (f64, f64)) -> Vec<f64> {
    if low == high {
        (low, high) = (low - 0.5, high + 0.5);
    }
    let step = (high - low) / count as f64;
    let edge = |at: usize| if at == count { high } else { low + at as f64 * step };
    (0..=count).map(edge).collect()
}

/// How many pixels lie between edges; what lies beyond them is left out.
fn between(edges: &[f64], runs: &[(f64, u64)]) -> Vec<u64> {
    let mut counts = vec![0; edges.len().saturating_sub(1)];
    for (value, pixels) in runs {
        let above = edges.partition_point(|edge| edge <= value);
        let at = if Some(value) == edges.last() {
            above.saturating_sub(2)
        } else {
            above.wrapping_sub(1)
        };
        if let Some(count) = counts.get_mut(at) {
            *count += pixels;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Samples;

    fn raster(samples: Samples, mask: Mask) -> Raster {
        Raster {
            bands: 1,
            height: 1,
            width: samples.len(),
            samples,
            mask,
        }
    }

    #[test]
    fn numbers_are_those_of_rio_tiler() {
        // rio_tiler.utils.get_array_statistics of 9.4.12, of [[5, 1, 1, 9, 7, 7, 200]] with the last masked.
        let mask = Mask::Shared(vec![255, 255, 255, 255, 255, 255, 0]);
        let found = statistics(
            &raster(Samples::U8(vec![5, 1, 1, 9, 7, 7, 200]), mask),
            0,
            None,
            &Options::default(),
        );
        assert_eq!((found.min, found.max, found.mean), (1.0, 9.0, 5.0));
        assert_eq!((found.count, found.sum), (6.0, 30.0));
        assert!(
            (found.std - 3.055_050_463_303_893_5).abs() < 1e-14,
            "{}",
            found.std
        );
        assert_eq!((found.median, found.majority, found.minority), (5.0, 1.0, 5.0));
        assert_eq!(found.unique, 4);
        assert_eq!(found.percentiles, [1.0, 9.0]);
        assert_eq!(found.histogram.0, [2, 0, 0, 0, 0, 1, 0, 2, 0, 1]);
        assert_eq!(found.histogram.1[..2], [1.0, 1.8]);
        assert_eq!((found.valid_pixels, found.masked_pixels), (6, 1));
        assert_eq!(found.valid_percent, 85.71);
    }

    #[test]
    fn shares_weigh_values() {
        // The same with coverage=[[1, .5, 0, .25]] over [[1, 2, 3, 4]].
        let values = raster(Samples::F32(vec![1.0, 2.0, 3.0, 4.0]), Mask::All);
        let found = statistics(&values, 0, Some(&[1.0, 0.5, 0.0, 0.25]), &Options::default());
        assert_eq!((found.count, found.sum), (1.75, 3.0));
        assert!((found.mean - 3.0 / 1.75).abs() < 1e-15);
        assert_eq!((found.median, found.max), (1.0, 4.0));
        assert_eq!((found.valid_pixels, found.masked_pixels), (3, 1));
        assert_eq!(found.valid_percent, 100.0);
    }

    #[test]
    fn what_is_not_finite_does_not_count() {
        let values = raster(Samples::F64(vec![f64::NAN, f64::INFINITY, 2.0]), Mask::All);
        let found = statistics(&values, 0, None, &Options::default());
        assert_eq!((found.min, found.max, found.valid_pixels), (2.0, 2.0, 1));
        // One value makes a bin of its own in the middle.
        assert_eq!(found.histogram.0, [0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
        assert_eq!((found.histogram.1[0], found.histogram.1[10]), (1.5, 2.5));
        let nothing = raster(Samples::F64(vec![f64::NAN]), Mask::All);
        let found = statistics(&nothing, 0, None, &Options::default());
        assert!(found.mean.is_nan() && found.min.is_nan() && found.majority.is_nan());
        assert_eq!((found.count, found.valid_percent, found.unique), (0.0, 0.0, 0));
        assert_eq!(percentiles(&[nothing], 0, &[2.0]), None);
    }

    #[test]
    fn histograms_count_as_they_are_told() {
        let values = raster(Samples::U16(vec![0, 1, 1, 2, 5, 10, 11]), Mask::All);
        let of = |bins: Bins| {
            let options = Options {
                bins,
                ..Options::default()
            };
            statistics(&values, 0, None, &options).histogram
        };
        assert_eq!(
            of(Bins::Even(2, Some((0.0, 10.0)))),
            (vec![4, 2], vec![0.0, 5.0, 10.0])
        );
        assert_eq!(of(Bins::Edges(vec![1.0, 2.0, 11.0])).0, [2, 4]);
        assert_eq!(of(Bins::Values(None)).0, [1, 2, 1, 1, 1, 1]);
        assert_eq!(
            of(Bins::Values(Some(vec![1.0, 3.0]))),
            (vec![2, 0], vec![1.0, 3.0])
        );
    }

    #[test]
    fn a_percentile_is_a_value_that_is_there() {
        let values = raster(Samples::I16((-50..50).collect()), Mask::All);
        let found = percentiles(&[values], 0, &[0.0, 2.0, 50.0, 98.0, 100.0]);
        assert_eq!(found, Some(vec![-50.0, -49.0, -1.0, 47.0, 49.0]));
        // Of several rasters together, whatever their sizes and types.
        let parts = [
            raster(Samples::I16((0..50).collect()), Mask::All),
            raster(Samples::F32(vec![f32::NAN]), Mask::All),
            raster(Samples::I16((-50..0).collect()), Mask::All),
        ];
        assert_eq!(
            percentiles(&parts, 0, &[0.0, 2.0, 50.0, 98.0, 100.0]),
            Some(vec![-50.0, -49.0, -1.0, 47.0, 49.0])
        );
    }
}
