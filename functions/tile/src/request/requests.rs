//! What each route was asked, in types that cannot be wrong.

use edgetile_raster::statistics::Options;

use super::{Address, Area, Asked, Format, Frame, Grid, Sidecars, Style};

/// A picture, or its data.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageRequest {
    /// Whose pixels.
    pub asked: Asked,
    /// Which pixels.
    pub frame: Frame,
    /// In which form.
    pub format: Format,
    /// How pixels become a picture, as far as the request says.
    pub style: Style,
    /// What the route itself draws where the request is silent: NDVI.
    pub preset: Option<Box<Style>>,
}

/// A tilejson document.
#[derive(Clone, Debug, PartialEq)]
pub struct TileJsonRequest {
    /// Whose pixels.
    pub asked: Asked,
    /// On which grid.
    pub grid: Grid,
    /// The address of the tiles below the server's own, with `{z}`, `{x}`, `{y}` and their query.
    pub template: String,
    /// What the route itself is called, where it has a name of its own.
    pub name: Option<&'static str>,
    /// The lowest zoom, when the request sets it.
    pub minzoom: Option<u8>,
    /// The deepest zoom, when the request sets it.
    pub maxzoom: Option<u8>,
}

/// What a source is.
#[derive(Clone, Debug, PartialEq)]
pub struct InfoRequest {
    /// Which source.
    pub asked: Asked,
    /// Which files beside it are looked at, too.
    pub sidecars: Option<Sidecars>,
    /// Whether it is told as GeoJSON.
    pub is_feature: bool,
}

/// Whether a source is a COG.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidateRequest {
    /// Which source.
    pub asked: Asked,
    /// Which files beside it are looked at; those that may be there, where it is silent.
    pub sidecars: Option<Sidecars>,
    /// Whether warnings are errors.
    pub is_strict: bool,
}

/// What the values come to.
#[derive(Clone, Debug, PartialEq)]
pub struct StatisticsRequest {
    /// Whose values, of which pixels.
    pub image: ImageRequest,
    /// What is asked of them.
    pub options: Options,
}

/// What the values within outlines come to.
#[derive(Clone, Debug, PartialEq)]
pub struct FeaturesRequest {
    /// Whose values.
    pub asked: Asked,
    /// Of which pixels: one for each feature.
    pub images: Vec<ImageRequest>,
    /// What is asked of them.
    pub options: Options,
    /// Into how many parts a side of a pixel is cut to find how much of it an outline covers.
    pub cover_scale: u32,
    /// The features as they came, as text: one for each image, alone or in a collection.
    pub document: String,
}

/// What a document names.
#[derive(Clone, Debug, PartialEq)]
pub struct AssetsRequest {
    /// Where the document is.
    pub url: String,
    /// Which of what it names.
    pub of: AssetsOf,
}

/// Which of the assets of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum AssetsOf {
    /// The keys of an item.
    Item,
    /// The files of a mosaic in a tile.
    Tile(Address),
    /// The files of a mosaic at a place, longitude and latitude in degrees.
    Place(f64, f64),
    /// The files of a mosaic in a box.
    Area(Area),
}

/// The values at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct PointRequest {
    /// Whose values.
    pub asked: Asked,
    /// The place as it was written, in the CRS that the request names.
    pub given: (f64, f64),
    /// Longitude in degrees east, WGS84, -180 to 360.
    pub lon_deg: f64,
    /// Latitude in degrees north, WGS84.
    pub lat_deg: f64,
    /// Which bands and what arithmetic.
    pub style: Style,
}

impl ImageRequest {
    /// The style that this request asks for on its own: its words, then its route's preset.
    pub fn wanted_style(&self) -> Style {
        match &self.preset {
            Some(preset) => self.style.clone().over(preset),
            None => self.style.clone(),
        }
    }
}
