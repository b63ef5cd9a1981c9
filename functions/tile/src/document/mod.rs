//! Documents that name files, such as STAC items: text → what it says, without reading any of the files.
//!
//! They come from strangers: their size is bounded before they get here, members that are not read are skipped, and
//! those of the wrong type count as absent unless nothing works without them.

pub mod item;
mod choice;
pub mod mosaic;
mod footprint;
pub mod items;
pub mod blocks;
mod several;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::request::without_mark;

pub use choice::Chosen;
pub use item::{Asset, Item};
pub use items::Items;
pub use mosaic::Mosaic;
pub use several::{Member, Several};

/// What a document is.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A STAC item.
    Item(Item),
    /// A MosaicJSON document.
    Mosaic(Mosaic),
    /// A collection of STAC items.
    Items(Items),
}

/// Why a document is not what it should be. Nothing of its text is repeated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It is not JSON, or a member that is needed has another type.
    #[error("the document is not the JSON that it should be, at line {line}, column {column}")]
    Json {
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
    },
    /// It is JSON, but none of the documents that are read.
    #[error(
        "the document is no STAC item, which is a GeoJSON Feature with assets, no collection of items, and no MosaicJSON"
    )]
    Kind,
    /// It uses what is not read here.
    #[error("the document uses what is not read: {0}")]
    Unread(&'static str),
    /// It is another document than the request needs.
    #[error("the document is no {0}")]
    Other(&'static str),
}

/// The members by which documents are told apart.
#[derive(Deserialize)]
struct Marks {
    #[serde(default, rename = "type")]
    of: Tolerated<String>,
    assets: Option<IgnoredAny>,
    mosaicjson: Option<IgnoredAny>,
    features: Option<IgnoredAny>,
}

impl Content {
    /// Reads a document.
    pub fn parse(text: &[u8]) -> Result<Self, Unreadable> {
        let text = without_mark(text);
        let marks: Marks = read(text)?;
        if marks.mosaicjson.is_some() {
            return Mosaic::parse(text).map(Self::Mosaic);
        }
        match marks.of.0.as_deref() {
            Some("Feature") if marks.assets.is_some() => Ok(Self::Item(Item::parse(text)?)),
            Some("FeatureCollection") if marks.features.is_some() => Items::parse(text).map(Self::Items),
            _ => Err(Unreadable::Kind),
        }
    }

    /// The item that it is.
    pub fn item(&self) -> Result<&Item, Unreadable> {
        match self {
            Self::Item(item) => Ok(item),
            Self::Mosaic(_) | Self::Items(_) => Err(Unreadable::Other("STAC item")),
        }
    }

    /// The many files that it names.
    pub fn several(&self) -> Result<Several<'_>, Unreadable> {
        match self {
            Self::Mosaic(mosaic) => Ok(Several::Mosaic(mosaic)),
            Self::Items(items) => Ok(Several::Items(items)),
            Self::Item(_) => Err(Unreadable::Other("MosaicJSON, nor a collection of STAC items")),
        }
    }

    /// Bytes that it takes in memory, about.
    pub fn weight(&self) -> usize {
        match self {
            Self::Item(item) => item.weight(),
            Self::Mosaic(mosaic) => mosaic.weight(),
            Self::Items(items) => items.weight(),
        }
    }
}

fn read<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Result<T, Unreadable> {
    serde_json::from_slice(text).map_err(|error| Unreadable::Json {
        line: error.line(),
        column: error.column(),
    })
}

/// A member that counts as absent where it has another type.
#[derive(Clone, Debug)]
struct Tolerated<T>(Option<T>);

impl<T> Default for Tolerated<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Tolerated<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either<T> {
            Meant(T),
            Other(IgnoredAny),
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::Meant(value) => Self(Some(value)),
            Either::Other(_) => Self(None),
        })
    }
}

#[cfg(test)]
mod tests;
