//! Values → 0..=255 by a linear range.

use super::ColourError;
use crate::samples::Samples;
use crate::with_samples;

/// The ranges that become 0..=255: one for all bands, or one for each. A range may run downwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Rescale(pub Vec<(f64, f64)>);

impl Rescale {
    /// Parses the values of `rescale`, each `min,max` (brackets around it are TiTiler's clients' and are dropped).
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, ColourError> {
        texts
            .into_iter()
            .map(range)
            .collect::<Result<Vec<_>, _>>()
            .map(Self)
    }

    /// The range of a band.
    pub(crate) fn range(&self, band: usize, bands: usize) -> Result<(f64, f64), ColourError> {
        let range = if self.0.len() == 1 {
            self.0.first()
        } else {
            self.0.get(band)
        };
        match range {
            Some(range) if self.0.len() == 1 || self.0.len() == bands => Ok(*range),
            _ => Err(ColourError::RescaleCount {
                given: self.0.len(),
                bands,
            }),
        }
    }
}

fn range(text: &str) -> Result<(f64, f64), ColourError> {
    let syntax = || ColourError::RescaleSyntax(text.chars().take(64).collect());
    let inner = text.trim().trim_matches(['[', ']', '(', ')']);
    let (min, max) = inner.split_once(',').ok_or_else(syntax)?;
    let number = |text: &str| text.trim().parse().ok().filter(|value: &f64| value.is_finite());
    let (min, max) = number(min).zip(number(max)).ok_or_else(syntax)?;
    if min == max {
        Err(ColourError::RescaleEmpty(min))
    } else if !(max - min).is_finite() {
        Err(ColourError::RescaleWide(min, max))
    } else {
        Ok((min, max))
    }
}

/// Stretches a band of `len` samples to bytes: the nearest of 0..=255, clipped.
#[expect(clippy::unnecessary_cast, reason = "it is one for every type but `f64`")]
pub(super) fn stretch(samples: &Samples, band: usize, len: usize, range: (f64, f64)) -> Vec<u8> {
    with_samples!(samples, values => {
        values[band * len..][..len].iter().map(|&value| level(value as f64, range)).collect()
    })
}

/// The level of a value. NaN becomes 0.
///
/// Adding 2^52 rounds to the nearest whole number and leaves it in the low bits: unlike `round() as u8`
/// it needs no call and becomes vector code.
#[inline]
fn level(value: f64, (min, max): (f64, f64)) -> u8 {
    const ROUND: f64 = 4_503_599_627_370_496.0;
    let share = (value - min) * (255.0 / (max - min));
    // Comparisons written so that NaN falls to 0.
    let above = if share > 0.0 { share } else { 0.0 };
    let within = if above < 255.0 { above } else { 255.0 };
    (within + ROUND).to_bits() as u8
}
