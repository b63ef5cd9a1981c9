//! Expressions, parsed at the door so that a mistake is refused before anything is read.

use std::sync::Arc;

use edgetile_raster::math::Expression;

use super::{IndexChoice, Refused};

/// An expression that was parsed, and its text without spaces.
#[derive(Clone, Debug)]
pub struct Formula {
    text: String,
    parsed: Arc<Expression>,
    origin: Origin,
}

/// Which parameter an expression comes from.
#[derive(Clone, Debug)]
enum Origin {
    /// `expression`.
    Written,
    /// Two bands, each with the parameter that named it.
    Ndvi(Box<[(String, &'static str); 2]>),
    /// `index`.
    Index(Box<IndexChoice>),
}

impl Formula {
    /// The normalised difference vegetation index of two bands, which the parameters `red` and `nir` named.
    pub(super) fn ndvi(red: &str, nir: &str) -> Result<Self, Refused> {
        let formula = Self::parse(&format!("({nir}-{red})/({nir}+{red})"))?;
        Ok(Self {
            origin: Origin::Ndvi(Box::new([(red.to_owned(), "red"), (nir.to_owned(), "nir")])),
            ..formula
        })
    }

    /// A spectral index.
    pub(super) fn of_index(choice: IndexChoice) -> Result<Self, Refused> {
        let formula = Self::parse(&choice.formula())?;
        Ok(Self {
            origin: Origin::Index(Box::new(choice)),
            ..formula
        })
    }

    /// The index that it is, if it was named as one.
    pub fn index(&self) -> Option<&IndexChoice> {
        match &self.origin {
            Origin::Index(choice) => Some(choice),
            _ => None,
        }
    }

    /// The parameter that gives it, in its one spelling.
    pub(super) fn pair(&self) -> (&'static str, String) {
        match self.index() {
            Some(choice) => ("index", choice.to_string()),
            None => ("expression", self.text.clone()),
        }
    }

    /// The parameter that named a band.
    pub fn parameter_of(&self, band: &str) -> &'static str {
        match &self.origin {
            Origin::Written => "expression",
            Origin::Index(_) => "index",
            Origin::Ndvi(named) => {
                let named = named.iter().find(|(name, _)| name == band);
                named.map_or("expression", |(_, parameter)| parameter)
            }
        }
    }

    /// Parses `text`. Spaces only part tokens, and no two tokens need one between them; those of a name in quotes stay.
    pub fn parse(text: &str) -> Result<Self, Refused> {
        let parsed = Expression::parse(text).map_err(|error| {
            Refused::parameter(
                "expression",
                format!("is wrong at character {}: {}", error.position, error.problem),
            )
        })?;
        let mut is_quoted = false;
        let is_kept = |c: &char| {
            is_quoted ^= *c == '"';
            is_quoted || !c.is_whitespace()
        };
        let text = text.chars().filter(is_kept).collect();
        Ok(Self {
            text,
            parsed: Arc::new(parsed),
            origin: Origin::Written,
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
        self.text == other.text && self.index() == other.index()
    }
}
