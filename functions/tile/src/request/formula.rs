//! Expressions, parsed at the door so that a mistake is refused before anything is read.

use std::sync::Arc;

use edgetile_raster::math::Expression;

use super::Refused;

/// An expression that was parsed, and its text without spaces.
#[derive(Clone, Debug)]
pub struct Formula {
    text: String,
    parsed: Arc<Expression>,
    /// Bands that another parameter than `expression` named, and that parameter.
    named_by: Option<Box<[(String, &'static str); 2]>>,
}

impl Formula {
    /// The normalised difference vegetation index of two bands, which the parameters `red` and `nir` named.
    pub(super) fn ndvi(red: &str, nir: &str) -> Result<Self, Refused> {
        let formula = Self::parse(&format!("({nir}-{red})/({nir}+{red})"))?;
        Ok(Self {
            named_by: Some(Box::new([(red.to_owned(), "red"), (nir.to_owned(), "nir")])),
            ..formula
        })
    }

    /// The parameter that named a band.
    pub fn parameter_of(&self, band: &str) -> &'static str {
        let named = self
            .named_by
            .iter()
            .flat_map(|named| named.iter())
            .find(|(name, _)| name == band);
        named.map_or("expression", |(_, parameter)| parameter)
    }

    /// Parses `text`. Spaces only part tokens, and no two tokens need one between them.
    pub fn parse(text: &str) -> Result<Self, Refused> {
        let parsed = Expression::parse(text).map_err(|error| {
            Refused::parameter(
                "expression",
                format!("is wrong at character {}: {}", error.position, error.problem),
            )
        })?;
        let text = text.split_whitespace().collect();
        Ok(Self {
            text,
            parsed: Arc::new(parsed),
            named_by: None,
        })
    }

    /// The text in its one spelling.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What it computes.
    pub fn expression(&self) -> &Arc<Expression> {
        &self.parsed
    }
}

impl PartialEq for Formula {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}
