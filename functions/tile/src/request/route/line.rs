//! What a prefix of paths has in common.

use super::super::{
    Asked, Bands, Formula, Grid, IndexChoice, LayerName, Query, Refused, Style, ndvi, source,
};
use super::read_members;

/// What a prefix of paths has in common: its sources, its preset, where its tiles are.
pub(super) struct Line {
    /// Whose pixels.
    pub(super) asked: Asked,
    /// On which grid.
    pub(super) grid: Grid,
    /// What is drawn where the request is silent.
    pub(super) preset: Option<Box<Style>>,
    /// Below what path documents about the sources are.
    pub(super) home: String,
    /// Where the tiles are, without `/{z}/{x}/{y}`.
    pub(super) tiles: String,
    /// What it is called, where it has a name of its own.
    pub(super) name: Option<&'static str>,
    /// The parameters that name its sources, where they are its own.
    pub(super) spelt: &'static [&'static str],
}

impl Line {
    /// What the beginning of a path names, on the web's grid, and the rest of the path.
    pub(super) fn behind<'a, 'b>(
        segments: &'a [&'b str],
        query: &Query,
    ) -> Result<(Self, &'a [&'b str]), Refused> {
        Ok(match segments {
            ["tiles", layer, rest @ ..] => (Self::layer(layer)?, rest),
            ["ndvi", rest @ ..] => (Self::ndvi(query)?, rest),
            ["index", index, rest @ ..] => (Self::index(index, query)?, rest),
            ["cog", rest @ ..] => (Self::file(query, Grid::web()?)?, rest),
            ["stac", rest @ ..] => (Self::item(query, Grid::web()?)?, rest),
            ["mosaicjson", rest @ ..] => (Self::mosaic(query, Grid::web()?)?, rest),
            _ => return Err(Refused::NoSuchPath),
        })
    }

    /// A configured layer.
    pub(super) fn layer(name: &str) -> Result<Self, Refused> {
        let name = LayerName::new(name).ok_or(Refused::Unknown { kind: "layer" })?;
        let tiles = format!("/tiles/{name}");
        Ok(Self::on(Grid::web()?, tiles, Asked::Layer(name)))
    }

    /// A file, or several.
    pub(super) fn file(query: &Query, grid: Grid) -> Result<Self, Refused> {
        let tiles = format!("/cog/tiles/{}", grid.name());
        Ok(Self::on(grid, tiles, source::read(query)?))
    }

    /// NDVI of what is named, or of the first layer.
    pub(super) fn ndvi(query: &Query) -> Result<Self, Refused> {
        let (asked, style) = ndvi::read(query)?;
        Ok(Self {
            asked,
            grid: Grid::web()?,
            preset: Some(Box::new(style)),
            home: "/ndvi".to_owned(),
            tiles: "/ndvi".to_owned(),
            name: Some("NDVI"),
            spelt: &["nir", "red", "url"],
        })
    }

    /// Assets of an item.
    pub(super) fn item(query: &Query, grid: Grid) -> Result<Self, Refused> {
        let (url, assets) = read_members(query)?;
        let tiles = format!("/stac/tiles/{}", grid.name());
        Ok(Self::on(grid, tiles, Asked::Item { url, assets }))
    }

    /// A mosaic.
    pub(super) fn mosaic(query: &Query, grid: Grid) -> Result<Self, Refused> {
        let (url, assets) = read_members(query)?;
        let tiles = format!("/mosaicjson/tiles/{}", grid.name());
        Ok(Self::on(grid, tiles, Asked::Mosaic { url, assets }))
    }

    /// Sources without a name or a preset of their route's own.
    fn on(grid: Grid, tiles: String, asked: Asked) -> Self {
        let home = match tiles.split_once("/tiles/") {
            Some((prefix, _)) if !prefix.is_empty() => prefix.to_owned(),
            _ => tiles.clone(),
        };
        Self {
            asked,
            grid,
            preset: None,
            home,
            tiles,
            name: None,
            spelt: &[],
        }
    }

    /// A spectral index of what `url` names, or of the first layer.
    pub(super) fn index(text: &str, query: &Query) -> Result<Self, Refused> {
        let choice = IndexChoice::parse(text)?;
        let is_named = query
            .names()
            .any(|name| name == "url" || name.starts_with("url."));
        let (tiles, name) = (format!("/index/{choice}"), choice.index().name);
        let preset = Style {
            bands: Some(Bands::Expression(Formula::of_index(choice)?)),
            ..Style::default()
        };
        let asked = if is_named {
            match source::read(query)? {
                Asked::Url(url) => source::of_url(url, &preset),
                asked => asked,
            }
        } else {
            Asked::FirstLayer
        };
        Ok(Self {
            asked,
            grid: Grid::web()?,
            home: tiles.clone(),
            tiles,
            name: Some(name),
            preset: Some(Box::new(preset)),
            spelt: &[],
        })
    }
}
