//! Ranges of `rescale` that begin or end at a percentile of the whole file: `p2,p98`, `0,p99.5`.

use std::fmt;

use super::{Query, Refused};

/// The ranges that become 0 to 255, one for all bands or one for each, at least one of them with a percentile. One for all is
/// each band's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch(pub Vec<(End, End)>);

/// The end of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// A value.
    Value(f64),
    /// A percentile, 0 to 100.
    Percentile(f64),
}

impl Stretch {
    /// The ranges of `rescale`, if one of them has a percentile.
    pub(super) fn read(query: &Query) -> Result<Option<Self>, Refused> {
        if !query.many("rescale").any(|text| text.contains(['p', 'P'])) {
            return Ok(None);
        }
        let wrong = "is not min,max: a number or a percentile each, such as 0,3000 or p2,p98";
        let range = |text: &str| {
            let (from, to) = text.trim().trim_matches(['[', ']']).split_once(',')?;
            let (from, to) = (End::parse(from)?, End::parse(to)?);
            (from != to).then_some((from, to))
        };
        let ranges: Option<Vec<_>> = query.many("rescale").map(range).collect();
        let ranges = ranges.ok_or_else(|| Refused::parameter("rescale", wrong))?;
        Ok(Some(Self(ranges)))
    }

    /// The values of `rescale` that say the same.
    pub(super) fn texts(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(from, to)| format!("{from},{to}"))
    }

    /// Every percentile that is wanted, each once, rising.
    pub fn percentiles(&self) -> Vec<f64> {
        let ends = self.0.iter().flat_map(|(from, to)| [*from, *to]);
        let mut all: Vec<f64> = ends
            .filter_map(|end| match end {
                End::Percentile(percent) => Some(percent),
                End::Value(_) => None,
            })
            .collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    }
}

impl End {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        match text.strip_prefix(['p', 'P']) {
            Some(percent) => {
                let percent = percent.parse().ok()?;
                (0.0..=100.0)
                    .contains(&percent)
                    .then_some(Self::Percentile(percent))
            }
            None => text
                .parse()
                .ok()
                .filter(|value: &f64| value.is_finite())
                .map(Self::Value),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => write!(f, "{value}"),
            Self::Percentile(percent) => write!(f, "p{percent}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(raw: &str) -> Result<Option<Vec<String>>, Refused> {
        let stretch = Stretch::read(&Query::parse(raw).unwrap())?;
        Ok(stretch.map(|stretch| stretch.texts().collect()))
    }

    #[test]
    fn ends_are_values_or_percentiles() {
        assert_eq!(read("rescale=0,1"), Ok(None));
        assert_eq!(
            read("rescale=P2.0,+p98&rescale=0,p99.5&rescale=1,2"),
            Ok(Some(vec!["p2,p98".into(), "0,p99.5".into(), "1,2".into()]))
        );
        for wrong in [
            "p2", "p2,p101", "p-1,5", "p,1", "p2,p2", "p2,x", "pnan,1", "p2,inf",
        ] {
            let message = read(&format!("rescale={wrong}")).unwrap_err().to_string();
            assert!(
                message.starts_with("rescale is not min,max"),
                "{wrong}: {message}"
            );
        }
        let all = Stretch(vec![
            (End::Percentile(98.0), End::Percentile(2.0)),
            (End::Value(7.0), End::Percentile(98.0)),
        ]);
        assert_eq!(all.percentiles(), [2.0, 98.0]);
    }
}
