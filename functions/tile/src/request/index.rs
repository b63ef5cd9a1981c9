//! A spectral index by its name, and which bands stand for those that its formula names.
//!
//! `NDVI` means bands that are called `nir` and `red`; `NDVI(nir=8,red=B04)` says which they are, by number or name.

use std::fmt;

use edgetile_raster::math::indices::Index;

use super::{BandName, Refused};

/// An index, and the bands that the caller gave for its formula's.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexChoice {
    index: &'static Index,
    /// Ordered by the formula's band; none stands for itself.
    given: Vec<(&'static str, BandName)>,
}

impl IndexChoice {
    /// Reads `NAME` or `NAME(band=number or name,…)`.
    pub fn parse(text: &str) -> Result<Self, Refused> {
        let (name, rest) = match text.split_once('(') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        let index = Index::named(name.trim())
            .ok_or_else(|| Refused::parameter("index", "is unknown: /indices lists them"))?;
        let mut given = Vec::new();
        if let Some(rest) = rest {
            let inner = rest
                .trim_end()
                .strip_suffix(')')
                .ok_or_else(|| Refused::parameter("index", "lacks its )"))?;
            given = inner
                .split(',')
                .map(|pair| read_pair(index, pair))
                .collect::<Result<Vec<_>, _>>()?;
        }
        given.sort();
        if given.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(Refused::parameter("index", "gives one band twice"));
        }
        given.retain(|(band, called)| called.as_str() != *band);
        Ok(Self { index, given })
    }

    /// The index.
    pub fn index(&self) -> &'static Index {
        self.index
    }

    /// The expression that it stands for.
    pub fn formula(&self) -> String {
        self.index.formula(|band| self.called(band))
    }

    /// What the sources call a band of the formula.
    fn called<'a>(&'a self, band: &'a str) -> &'a str {
        let given = self.given.iter().find(|(name, _)| *name == band);
        given.map_or(band, |(_, called)| called.as_str())
    }

    /// How to give the band that the sources were expected to call `called`.
    pub fn remedy(&self, called: &str) -> String {
        let bands = self.index.bands();
        let band = bands.into_iter().find(|band| self.called(band) == called);
        let (name, band) = (self.index.name, band.unwrap_or(called));
        format!("give its number or name, index={name}({band}=1), or its file, url.{band}=")
    }
}

fn read_pair(index: &Index, pair: &str) -> Result<(&'static str, BandName), Refused> {
    let bands = index.bands();
    let wrong = || {
        let example = bands.iter().map(|band| format!("{band}=1"));
        let example = example.collect::<Vec<_>>().join(",");
        Refused::parameter("index", format!("is not of the form {}({example})", index.name))
    };
    let (band, called) = pair.split_once('=').ok_or_else(wrong)?;
    let band = bands.iter().copied().find(|name| *name == band.trim());
    let called = match called.trim().parse::<u16>() {
        Ok(number) => (number > 0).then(|| BandName::numbered(number)),
        Err(_) => BandName::new(called.trim()),
    };
    Ok((band.ok_or_else(wrong)?, called.ok_or_else(wrong)?))
}

/// The one spelling, which [`IndexChoice::parse`] reads.
impl fmt::Display for IndexChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.index.name)?;
        for (at, (band, called)) in self.given.iter().enumerate() {
            write!(f, "{}{band}={called}", if at == 0 { '(' } else { ',' })?;
        }
        f.write_str(if self.given.is_empty() { "" } else { ")" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(text: &str) -> IndexChoice {
        IndexChoice::parse(text).unwrap()
    }

    #[test]
    fn one_choice_has_one_spelling() {
        assert_eq!(
            choice("ndvi( red = B04, nir=8 )").to_string(),
            "NDVI(nir=b8,red=B04)"
        );
        assert_eq!(choice("NDVI(nir=b8,red=B04)"), choice("ndvi(red=B04,nir=8)"));
        assert_eq!(choice("ndvi(nir=nir)").to_string(), "NDVI");
        assert_eq!(choice("ndvi(red=B04,nir=8)").formula(), "(b8-B04)/(b8+B04)");
        assert_eq!(choice("ndwi").formula(), "(green-nir)/(green+nir)");
    }

    #[test]
    fn what_cannot_be_meant_says_what_can() {
        let refused = |text: &str| IndexChoice::parse(text).unwrap_err().to_string();
        assert_eq!(refused("ndiv"), "index is unknown: /indices lists them");
        assert_eq!(refused("ndvi(red=1"), "index lacks its )");
        assert_eq!(refused("ndvi(red=1,red=2)"), "index gives one band twice");
        for text in [
            "ndvi()",
            "ndvi(blue=1)",
            "ndvi(red)",
            "ndvi(red=0)",
            "ndvi(red=a/b)",
        ] {
            assert_eq!(
                refused(text),
                "index is not of the form NDVI(nir=1,red=1)",
                "{text}"
            );
        }
    }

    #[test]
    fn a_missing_band_is_told_by_the_name_that_the_formula_has() {
        let told = "give its number or name, index=NDVI(red=1), or its file, url.red=";
        assert_eq!(choice("ndvi").remedy("red"), told);
        assert_eq!(choice("ndvi(red=B04)").remedy("B04"), told);
    }
}
