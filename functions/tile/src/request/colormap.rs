//! Colormaps by name or by their own entries, looked up at the door.

use std::sync::Arc;

use edgetile_raster::colour::{Colormap, ColourError};

use super::Refused;

/// A colormap, and how it was named.
#[derive(Clone, Debug)]
pub struct ColormapChoice {
    spelling: Spelling,
    map: Arc<Colormap>,
}

#[derive(Clone, Debug, PartialEq)]
enum Spelling {
    /// A name in lower case, as `/colorMaps` lists them.
    Named(String),
    /// A JSON object or array, its keys sorted and its spaces gone.
    Custom(String),
}

impl ColormapChoice {
    /// The colormap of a name.
    pub fn named(name: &str) -> Result<Self, Refused> {
        let map = Colormap::named(name)
            .ok_or_else(|| Refused::parameter("colormap_name", "is unknown: /colorMaps lists them"))?;
        Ok(Self {
            spelling: Spelling::Named(name.to_ascii_lowercase()),
            map: Arc::new(map),
        })
    }

    /// A colormap of one's own.
    pub fn custom(json: &str) -> Result<Self, Refused> {
        let map = Colormap::parse_json(json).map_err(|error| of_colour("colormap", &error))?;
        // Through a value and back, so that spaces and the order of keys make no other style.
        let spelling = serde_json::from_str::<serde_json::Value>(json)
            .map_or_else(|_| json.to_owned(), |value| value.to_string());
        Ok(Self {
            spelling: Spelling::Custom(spelling),
            map: Arc::new(map),
        })
    }

    /// What it colours.
    pub fn map(&self) -> &Arc<Colormap> {
        &self.map
    }

    /// The parameter that names it.
    pub(super) fn pair(&self) -> (&'static str, String) {
        match &self.spelling {
            Spelling::Named(name) => ("colormap_name", name.clone()),
            Spelling::Custom(json) => ("colormap", json.clone()),
        }
    }
}

impl PartialEq for ColormapChoice {
    fn eq(&self, other: &Self) -> bool {
        self.spelling == other.spelling
    }
}

/// The parameter's name stands in front once.
pub(super) fn of_colour(name: &str, error: &ColourError) -> Refused {
    let text = error.to_string();
    let reason = text
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix(": "))
        .unwrap_or(&text);
    Refused::parameter(name, format!("cannot be read: {reason}"))
}
