//! What is asked of the values of bands: percentiles, histogram, categories.

use edgetile_raster::statistics::{Bins, Options};

use super::style::{read_bool, read_with};
use super::{Query, Refused};

/// The most bins of a histogram.
const MOST_BINS: usize = 4096;
/// The most percentiles, and the most categories.
const MOST_ASKED: usize = 256;

/// Reads TiTiler's parameters of statistics.
pub(super) fn read(query: &Query) -> Result<Options, Refused> {
    let percentiles = numbers(query, "p")?;
    if percentiles.iter().any(|percent| !(0.0..=100.0).contains(percent)) {
        return Err(Refused::parameter("p", "is not a percentile from 0 to 100"));
    }
    Ok(Options {
        percentiles: if percentiles.is_empty() {
            Options::default().percentiles
        } else {
            percentiles
        },
        bins: read_bins(query)?,
    })
}

/// Into how many parts a side of a pixel is cut to find how much of it an outline covers.
pub(super) fn read_cover_scale(query: &Query) -> Result<u32, Refused> {
    let scale = read_with(query, "cover_scale", "a whole number from 1 to 1000", |text| {
        text.parse().ok().filter(|scale| (1..=1000).contains(scale))
    })?;
    Ok(scale.unwrap_or(10))
}

fn read_bins(query: &Query) -> Result<Bins, Refused> {
    let categories = numbers(query, "c")?;
    if read_with(query, "categorical", "true or false", read_bool)? == Some(true) {
        return Ok(Bins::Values((!categories.is_empty()).then_some(categories)));
    }
    let wanted = "a number of bins from 1 to 4096, or their edges, rising, such as 0,10,50";
    let range = read_with(query, "histogram_range", "low,high", |text| {
        let (low, high) = text.split_once(',')?;
        let (low, high): (f64, f64) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
        ((high - low).is_finite() && low <= high).then_some((low, high))
    })?;
    let bins = read_with(query, "histogram_bins", wanted, |text| {
        if let Ok(count) = text.parse::<usize>() {
            return (1..=MOST_BINS)
                .contains(&count)
                .then_some(Bins::Even(count, range));
        }
        let edges = text.split(',').map(|edge| edge.trim().parse::<f64>());
        let edges: Vec<f64> = edges.collect::<Result<_, _>>().ok()?;
        let rise = edges
            .windows(2)
            .all(|pair| pair[0] < pair[1] && (pair[1] - pair[0]).is_finite());
        (rise && (2..=MOST_BINS + 1).contains(&edges.len())).then_some(Bins::Edges(edges))
    })?;
    Ok(bins.unwrap_or(Bins::Even(10, range)))
}

/// The finite numbers of a parameter that may be repeated.
fn numbers(query: &Query, name: &str) -> Result<Vec<f64>, Refused> {
    let number = |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    let numbers: Option<Vec<f64>> = query.many(name).map(number).collect();
    numbers
        .filter(|numbers| numbers.len() <= MOST_ASKED)
        .ok_or_else(|| Refused::parameter(name, "is not a number: for several repeat it, up to 256 times"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(raw: &str) -> Result<Options, String> {
        read(&Query::parse(raw).unwrap()).map_err(|refused| refused.to_string())
    }

    #[test]
    fn parameters_are_titilers() {
        assert_eq!(options(""), Ok(Options::default()));
        assert_eq!(options("p=5&p=99.5").unwrap().percentiles, [5.0, 99.5]);
        for (raw, bins) in [
            ("histogram_bins=4", Bins::Even(4, None)),
            ("histogram_range=-1,1", Bins::Even(10, Some((-1.0, 1.0)))),
            ("histogram_bins=0,1,5.5", Bins::Edges(vec![0.0, 1.0, 5.5])),
            ("categorical=true", Bins::Values(None)),
            ("categorical=1&c=3&c=1", Bins::Values(Some(vec![3.0, 1.0]))),
        ] {
            assert_eq!(options(raw).unwrap().bins, bins, "{raw}");
        }
    }

    #[test]
    fn what_cannot_be_meant_names_the_parameter() {
        for (raw, start) in [
            ("p=101", "p is not a percentile"),
            ("p=x", "p is not a number"),
            ("c=nan", "c is not a number"),
            ("histogram_bins=0", "histogram_bins is not a number of bins"),
            ("histogram_bins=5000", "histogram_bins is not"),
            ("histogram_bins=3,1", "histogram_bins is not"),
            ("histogram_bins=nan,1", "histogram_bins is not"),
            ("histogram_range=2,1", "histogram_range is not low,high"),
            ("categorical=maybe", "categorical is not true or false"),
        ] {
            let message = options(raw).unwrap_err();
            assert!(message.starts_with(start), "{raw}: {message}");
        }
    }
}
