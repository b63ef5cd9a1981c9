//! Expressions, parsed at the door so that a mistake is refused before anything is read.

use std::sync::Arc;

use edgetile_raster::math::Expression;

use super::Refused;

/// An expression that was parsed, and its text without spaces.
#[derive(Clone, Debug)]
pub struct Formula {
    text: String,
    parsed: Arc<Expression>,
}

impl Formula {
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
