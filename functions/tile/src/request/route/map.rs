//! TiTiler's pages with a map: they are the page at the root, told what to show.
//!
//! `…/map.html` shows what tiles of the same prefix and query show. The page reads that behind `#of=`, which no server sees.

use super::super::{Grid, Grids, Query, Refused, Style, encode};
use super::{Line, Route};

/// `map.html` behind a prefix that may name a grid.
pub(super) fn read(prefix: &[&str], query: (&Query, &str), grids: &Grids) -> Result<Route, Refused> {
    let line = match prefix {
        ["tiles", layer] => Line::layer(layer)?,
        ["tiles", layer, grid] => Line {
            grid: grids.parse(grid)?,
            ..Line::layer(layer)?
        },
        ["ndvi"] => Line::ndvi(query.0)?,
        ["index", index] => Line::index(index, query.0)?,
        [kind] => of(kind, query.0, Grid::web()?)?,
        [kind, grid] => of(kind, query.0, grids.parse(grid)?)?,
        _ => return Err(Refused::NoSuchPath),
    };
    line.read_map(prefix.len() + 1, query)
}

/// TiTiler's page that asks for an address: with one it shows what that names.
pub(super) fn viewer(kind: &str, query: (&Query, &str)) -> Result<Route, Refused> {
    match query.0.one("url")? {
        Some(_) => of(kind, query.0, Grid::web()?)?.read_map(2, query),
        None => Ok(page(2, "")),
    }
}

fn of(kind: &str, query: &Query, grid: Grid) -> Result<Line, Refused> {
    match kind {
        "cog" => Line::file(query, grid),
        "stac" => Line::item(query, grid),
        "mosaicjson" => Line::mosaic(query, grid),
        _ => Err(Refused::NoSuchPath),
    }
}

impl Line {
    /// The way from a path of so many `segments` to the page at the root.
    fn read_map(&self, segments: usize, (query, raw_query): (&Query, &str)) -> Result<Route, Refused> {
        if !self.grid.is_web() {
            return Err(Refused::parameter(
                "map.html",
                "is drawn on WebMercatorQuad alone",
            ));
        }
        Style::parse(query)?;
        let mark = if raw_query.is_empty() { "" } else { "?" };
        let of = format!("{}{mark}{raw_query}", self.home.trim_start_matches('/'));
        Ok(page(segments, &format!("#of={}", encode(&of))))
    }
}

/// The page at the root, from a path of so many segments. Relative, so that whatever stands before our paths stays.
fn page(segments: usize, hash: &str) -> Route {
    let up = "../".repeat(segments.saturating_sub(1));
    Route::Elsewhere(format!("{}{hash}", if up.is_empty() { "./" } else { &up }))
}
