//! All tiles of a source as map clients find them: WMTS capabilities, the tilesets of OGC API - Tiles.

use super::{Asked, Format, Grid, LayerName, Refused};

/// What stands for the name of the grid in [`TilesetsRequest::tiles`].
pub const GRID: &str = "{TileMatrixSet}";

/// The tiles of one source.
#[derive(Clone, Debug, PartialEq)]
pub struct TilesetsRequest {
    /// Whose pixels.
    pub asked: Asked,
    /// What the route itself is called, where it has a name of its own.
    pub name: Option<&'static str>,
    /// On which grids.
    pub grids: Vec<Grid>,
    /// In which form.
    pub format: Format,
    /// The path below which documents about the source lie, below the server's own address.
    pub home: String,
    /// Where the tiles are, without `/{z}/{x}/{y}`; may hold [`GRID`].
    pub tiles: String,
    /// What stands behind a tile's row: scale, extension, query.
    pub tail: String,
    /// As what it is told.
    pub form: TilesetsForm,
}

/// As what tilesets are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TilesetsForm {
    /// The capabilities document of OGC WMTS 1.0.0 (07-057r7).
    Wmts,
    /// The list of OGC API - Tiles (20-057), clause 8.
    List,
    /// The metadata of the first grid's: 17-083r4, clause 7.3.
    One,
}

impl TilesetsRequest {
    /// The tiles of a configured layer.
    pub fn of_layer(layer: &LayerName, form: TilesetsForm) -> Result<Self, Refused> {
        let tiles = format!("/tiles/{layer}");
        Ok(Self {
            asked: Asked::Layer(layer.clone()),
            name: None,
            grids: vec![Grid::web()?],
            format: Format::Png,
            home: tiles.clone(),
            tiles,
            tail: ".png".to_owned(),
            form,
        })
    }

    /// The address of the tiles with `place` for zoom, column and row.
    pub fn template(&self, place: &str) -> String {
        format!("{}/{place}{}", self.tiles, self.tail)
    }

    /// The same on one grid.
    pub fn template_on(&self, grid: &Grid, place: &str) -> String {
        let tiles = self.tiles.replace(GRID, grid.name());
        format!("{tiles}/{place}{}", self.tail)
    }

    /// A document about the tiles on a grid, whose path names that where the tiles' does.
    pub fn document_on(&self, grid: &Grid, name: &str) -> String {
        let (home, query) = (&self.home, self.query());
        let tiles = self.tiles.replace(GRID, grid.name());
        if tiles != *home && tiles.ends_with(&format!("/{}", grid.name())) {
            format!("{home}/{}/{name}{query}", grid.name())
        } else {
            format!("{home}/{name}{query}")
        }
    }

    /// A document about the source.
    pub fn document(&self, name: &str) -> String {
        format!("{}/{name}{}", self.home, self.query())
    }

    /// The query with its mark, or nothing.
    pub fn query(&self) -> &str {
        self.tail.find('?').map_or("", |at| &self.tail[at..])
    }
}
