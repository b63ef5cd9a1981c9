//! Whose pixels a route is about: what its guard asks.

use super::{Asked, Route};

/// Whose pixels a route is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Subject<'a> {
    /// Nobody's, or every layer's.
    None,
    /// A layer's, or of a file that the request names.
    Asked(&'a Asked),
    /// A document's that the request names.
    Document,
}

impl Route {
    /// Whose pixels it is about.
    pub fn subject(&self) -> Subject<'_> {
        match self {
            Self::Image(request) => Subject::Asked(&request.asked),
            Self::TileJson(request) => Subject::Asked(&request.asked),
            Self::Info(request) => Subject::Asked(&request.asked),
            Self::Validate(request) => Subject::Asked(&request.asked),
            Self::Point(request) => Subject::Asked(&request.asked),
            Self::Statistics(request) => Subject::Asked(&request.image.asked),
            Self::Features(request) => Subject::Asked(&request.asked),
            Self::Legend(request) => Subject::Asked(&request.asked),
            Self::Tilesets(request) => Subject::Asked(&request.asked),
            Self::Assets(_) => Subject::Document,
            Self::AllTilesets(_)
            | Self::Viewer(_)
            | Self::Elsewhere(_)
            | Self::ViewerConfig
            | Self::ColorMaps
            | Self::ColorMap(_)
            | Self::Algorithms(_)
            | Self::Indices
            | Self::TileMatrixSets
            | Self::TileMatrixSet(_)
            | Self::Landing
            | Self::Conformance
            | Self::Api
            | Self::ApiPage
            | Self::Health => Subject::None,
        }
    }
}
