//! All tiles of a source, or of every layer, gathered for the documents of WMTS and OGC API - Tiles.

use bytes::Bytes;
use edgetile_raster::grid::{TileMatrix, TileMatrixSet};
use futures_util::future::join_all;
use http::Request;

use super::documents::{self, Shown};
use super::doors::Opener;
use super::{App, ogc, public, wmts};
use crate::about::Extent;
use crate::guard::Audience;
use crate::layers::Layer;
use crate::request::{Asked, Grid, TilesetsForm, TilesetsRequest};
use crate::response::{Freshness, Outcome, Problem};
use crate::tile::Call;

/// Points along each side of an outline that is brought into another system.
const SIDE_POINTS: u32 = 21;

/// The tiles of one source: where they are and how far they reach.
pub(super) struct Tileset<'a> {
    /// As it was asked.
    pub(super) request: TilesetsRequest,
    /// Its name in documents: letters, digits and `_-.`.
    pub(super) id: String,
    /// What to call it.
    pub(super) title: String,
    /// The layer, if it is one.
    pub(super) layer: Option<&'a Layer>,
    /// What opens addresses of it.
    pub(super) opener: Opener<'a>,
    /// Each grid with what can be seen on it.
    pub(super) on: Vec<(Grid, Extent)>,
}

impl App {
    /// The tilesets of one source.
    pub(super) async fn tilesets(
        &self,
        request: &Request<Bytes>,
        asked: &TilesetsRequest,
        call: &Call<'_>,
        audience: Audience,
    ) -> Result<Outcome, Problem> {
        let opener = self.opener(request, audience);
        let tileset = self.tileset(asked.clone(), opener, call).await?;
        Ok(self.told(request, &[tileset], asked.form))
    }

    /// The tilesets of all layers; of those whose files cannot be read, what the layers file says.
    pub(super) async fn all_tilesets(
        &self,
        request: &Request<Bytes>,
        form: TilesetsForm,
        call: &Call<'_>,
    ) -> Result<Outcome, Problem> {
        let audience = self.audience_of_lists(request);
        let all = self.visible(request).map(async |layer| {
            let asked = TilesetsRequest::of_layer(&layer.name, form)?;
            let audience = if self.needs_key(layer) {
                audience
            } else {
                Audience::Everyone
            };
            let opener = self.opener(request, audience);
            self.tileset(asked, opener, call).await
        });
        let all: Vec<Tileset> = join_all(all).await.into_iter().flatten().collect();
        Ok(self.told(request, &all, form))
    }

    fn told(&self, request: &Request<Bytes>, tilesets: &[Tileset], form: TilesetsForm) -> Outcome {
        let base = public::base(&self.settings, request);
        let json = match (form, tilesets) {
            (TilesetsForm::Wmts, _) => {
                let xml = wmts::capabilities(&base, tilesets, self.catalog.grids());
                return documents::text(xml, "application/xml", Freshness::Document, request);
            }
            (TilesetsForm::One, [one]) => ogc::tileset(&base, one),
            _ => ogc::tilesets(&base, tilesets),
        };
        documents::document(&json, Freshness::Document, request)
    }

    async fn tileset<'a>(
        &'a self,
        request: TilesetsRequest,
        opener: Opener<'a>,
        call: &Call<'_>,
    ) -> Result<Tileset<'a>, Problem> {
        let (files, _) = self.catalog.find(&request.asked)?;
        let layer = self.catalog.layer(&request.asked)?;
        let mut on = Vec::new();
        let mut fault = None;
        for grid in &request.grids {
            let extent = || self.reading.extent(&files, grid.clone(), call);
            match self.reading.patient(&files, extent).await {
                Ok(extent) => on.push((grid.clone(), Shown::of(extent, layer, grid).extent())),
                // What no grid can be laid over is told; one of several grids may be too far away.
                Err(problem) => fault = Some(problem),
            }
        }
        match (fault, layer.and_then(|layer| layer.bounds)) {
            (Some(_), Some(bounds)) if on.is_empty() => {
                let whole = |grid: &Grid| Extent {
                    bounds,
                    minzoom: 0,
                    maxzoom: grid.deepest_zoom(),
                };
                let grids = request.grids.iter();
                on.extend(grids.map(|grid| (grid.clone(), Shown::of(whole(grid), layer, grid).extent())));
            }
            (Some(problem), _) if on.is_empty() => return Err(problem),
            _ => {}
        }
        let own = request.name.map(str::to_owned);
        let title = own.clone().or_else(|| layer.map(|layer| layer.title.clone()));
        let id = own.or_else(|| layer.map(|layer| layer.name.to_string()));
        Ok(Tileset {
            id: id.unwrap_or_else(|| name_of(&request.asked)),
            title: title.unwrap_or_else(|| name_of(&request.asked)),
            layer,
            opener,
            on,
            request,
        })
    }
}

impl Tileset<'_> {
    /// What stands behind an address of its tiles, so that it opens; on several grids, of all of them.
    pub(super) fn grant(&self) -> String {
        self.opener.behind(&self.request.template("{z}/{x}/{y}"))
    }
}

/// The name of a file without folders and extension, as far as it is plain.
fn name_of(asked: &Asked) -> String {
    let url = match asked {
        Asked::Url(url) | Asked::Item { url, .. } | Asked::Mosaic { url, .. } => url.as_str(),
        _ => "",
    };
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let file = path.rsplit('/').next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    let plain: String = stem
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || "_-".contains(*c))
        .take(64)
        .collect();
    if plain.is_empty() {
        "file".to_owned()
    } else {
        plain
    }
}

/// Tiles of one zoom that a source may touch: first and last column, first and last row.
pub(super) struct Limits {
    pub(super) columns: (u32, u32),
    pub(super) rows: (u32, u32),
}

/// The tiles of a matrix that bounds in degrees touch; all where those reach beyond what the grid's system can place.
pub(super) fn limits(set: &TileMatrixSet, matrix: &TileMatrix, bounds: [f64; 4]) -> Limits {
    let all = Limits {
        columns: (0, matrix.width - 1),
        rows: (0, matrix.height - 1),
    };
    let [west, south, east, north] = documents::unwrapped(bounds);
    // The poles lie outside Web Mercator, and its edge at 85.06 degrees.
    let (south, north) = if set.crs.epsg() == Some(3857) {
        (south.max(-85.06), north.min(85.06))
    } else {
        (south, north)
    };
    let side = matrix.cell_size * f64::from(set.tile_size);
    let (mut columns, mut rows) = ((f64::MAX, f64::MIN), (f64::MAX, f64::MIN));
    let at =
        |from: f64, to: f64, step: u32| from + (to - from) * f64::from(step) / f64::from(SIDE_POINTS - 1);
    for step in 0..SIDE_POINTS {
        let (lon, lat) = (at(west, east, step), at(south, north, step));
        for (lon, lat) in [(lon, south), (lon, north), (west, lat), (east, lat)] {
            let Some((x, y)) = set
                .crs
                .forward(lon, lat)
                .filter(|(x, y)| x.is_finite() && y.is_finite())
            else {
                return all;
            };
            let (column, row) = ((x - set.origin.0) / side, (set.origin.1 - y) / side);
            columns = (columns.0.min(column), columns.1.max(column));
            rows = (rows.0.min(row), rows.1.max(row));
        }
    }
    let tiles = |(first, last): (f64, f64), count: u32| {
        let last_of_all = f64::from(count - 1);
        // An edge on a tile's edge touches no tile beyond; rounding must not add one.
        let first = (first + 1e-9).floor().clamp(0.0, last_of_all);
        let last = ((last - 1e-9).ceil() - 1.0).clamp(first, last_of_all);
        (first as u32, last as u32)
    };
    Limits {
        columns: tiles(columns, matrix.width),
        rows: tiles(rows, matrix.height),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_the_tiles_that_bounds_touch() {
        let web = Grid::web().unwrap();
        let of = |zoom: u8, bounds| {
            let limits = limits(web.set(), web.set().matrix(zoom).unwrap(), bounds);
            (limits.columns, limits.rows)
        };
        assert_eq!(of(1, [0.0, 0.0, 10.0, 10.0]), ((1, 1), (0, 0)));
        assert_eq!(of(1, [-10.0, -10.0, 10.0, 10.0]), ((0, 1), (0, 1)));
        assert_eq!(of(3, [-180.0, -90.0, 180.0, 90.0]), ((0, 7), (0, 7)));
        // Across the antimeridian both ends of a row are touched, so all of it is.
        assert_eq!(of(2, [170.0, 1.0, -170.0, 2.0]), ((0, 3), (1, 1)));
        // Vienna, by the formula of slippy maps.
        assert_eq!(of(12, [16.37, 48.2, 16.38, 48.21]), ((2234, 2234), (1420, 1420)));
    }

    #[test]
    fn a_files_name_is_plain() {
        let of = |url: &str| name_of(&Asked::Url(url.to_owned()));
        assert_eq!(of("s3://bucket/a/B04_10m.tif"), "B04_10m");
        assert_eq!(of("https://h/x%20y.tif?sig=hush"), "x20y");
        assert_eq!(of("<>.tif"), "file");
    }
}
