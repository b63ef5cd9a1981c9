//! What is asked, parsed once into types that cannot be wrong.
//!
//! [`Route::parse`] is the only way from a path and a query to a request; past it nothing is checked again.
//! It reads no environment, opens nothing and knows no status code: it refuses with [`Refused`].

mod query;
mod index;
mod formula;
mod colormap;
mod sidecars;
mod algorithm;
mod style;
mod address;
mod accept;
mod method;
mod feature;
mod frame;
mod statistics;
mod stretch;
mod source;
mod assets;
mod ndvi;
mod tilesets;
mod legend;
mod strip;
pub mod kvp;
mod route;
mod requests;
mod place;
mod subject;
pub mod table;
#[cfg(test)]
mod mangled;
#[cfg(test)]
mod tests;

use std::fmt;

pub use accept::{best, format_of};
pub use address::{Address, Format, Grid, Grids, LARGEST_EDGE_PX, Scale};
pub use assets::{AssetChoice, AssetPart, Assets, is_document};
pub use colormap::ColormapChoice;
pub use feature::{LONGEST_BODY_BYTES, Outline, without_mark};
pub use formula::Formula;
pub use frame::{Area, Frame, NamedCrs, Size, Window};
pub use index::IndexChoice;
pub use legend::LegendRequest;
pub use method::Methods;
pub use query::{Query, encode, slip_of};
pub use requests::{
    AssetsOf, AssetsRequest, FeaturesRequest, ImageRequest, InfoRequest, PointRequest, StatisticsRequest,
    TileJsonRequest, ValidateRequest,
};
pub use route::Route;
pub use sidecars::{MASK, MASK_OVERVIEWS, OVERVIEWS, Sidecars, Wish};
pub use source::{Asked, BandName, LayerName};
pub use stretch::{End, Stretch};
pub use strip::{ColorMapRequest, Strip};
pub use style::{Bands, Style};
pub use subject::Subject;
pub use tilesets::{GRID, TilesetsForm, TilesetsRequest};

/// Why a request cannot be answered as it stands. Every variant is for the caller to mend.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refused {
    /// A parameter that cannot be meant.
    #[error("{name} {reason}")]
    Parameter {
        /// The parameter, as the caller wrote it.
        name: String,
        /// What is wrong with it and what to write instead.
        reason: String,
    },
    /// A query beyond what any door carries.
    #[error("the query is longer than {limit_bytes} bytes")]
    TooLong {
        /// The limit.
        limit_bytes: usize,
    },
    /// A tile larger than one may be.
    #[error(
        "the answer would have an edge of {edge_px} pixels: at most {LARGEST_EDGE_PX} are drawn, ask for less by tilesize, scale and buffer"
    )]
    TooManyPixels {
        /// The edge that was asked.
        edge_px: u32,
    },
    /// A preview, a box or a feature larger than one may be.
    #[error(
        "the answer would have an edge of {edge_px} pixels: at most {LARGEST_EDGE_PX} are drawn, ask for less by max_size, width and height"
    )]
    LargeWindow {
        /// The edge that was asked.
        edge_px: u32,
    },
    /// Well formed, but outside the grid of its zoom.
    #[error("tile {z}/{x}/{y} is not on the grid {grid}: {remedy}")]
    OffGrid {
        /// The grid.
        grid: String,
        /// What the grid has instead.
        remedy: String,
        /// Zoom.
        z: u64,
        /// Column from the west.
        x: u64,
        /// Row from the north.
        y: u64,
    },
    /// A request of WMTS in keys and values that cannot be meant.
    #[error("{key} {reason}")]
    Kvp {
        /// What it is called in an exception report.
        fault: kvp::Fault,
        /// The key, in lower case.
        key: &'static str,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// No route has this path.
    #[error("there is nothing at this path")]
    NoSuchPath,
    /// A name in the path that is not in its list.
    #[error("there is no {kind} of this name")]
    Unknown {
        /// The list: layer, colormap, tile matrix set.
        kind: &'static str,
    },
    /// A body beyond what is read.
    #[error(
        "the body is longer than {LONGEST_BODY_BYTES} bytes: send fewer features, or fewer corners of them"
    )]
    LongBody,
    /// A body that ended, or went wrong, before its end.
    #[error(
        "the body did not arrive whole: it ended before its Content-Length, or its chunks say a wrong size"
    )]
    BrokenBody,
    /// A body that was not here in time.
    #[error("the body took too long to arrive: send it faster, or fewer corners")]
    SlowBody,
    /// A body in a coding.
    #[error("Content-Encoding is not read: send the body as it is, up to {LONGEST_BODY_BYTES} bytes")]
    CodedBody,
    /// A method that this path does not answer.
    #[error("only {0} answered here")]
    Method(Methods),
}

impl Refused {
    /// A parameter that cannot be meant.
    pub fn parameter(name: &str, reason: impl Into<String>) -> Self {
        Self::Parameter {
            name: shown(name),
            reason: reason.into(),
        }
    }
}

/// A caller's own text, short enough and plain enough to be sent back.
fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(64).collect()
}

/// Sorted `name=value` pairs as a query string that [`Query::parse`] reads back.
struct Pairs<'a>(&'a [(&'a str, String)]);

impl fmt::Display for Pairs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.0.iter().enumerate() {
            let joint = if index == 0 { "" } else { "&" };
            write!(f, "{joint}{name}={}", encode(value))?;
        }
        Ok(())
    }
}
