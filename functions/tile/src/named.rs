//! What documents name, and what a mosaic is: the assets of an item, the files of a mosaic at a place with their values,
//! `info` and the extent of a mosaic.

use std::sync::Arc;

use edgetile_raster::crs::Crs;
use futures_util::FutureExt;
use futures_util::future::try_join_all;
use serde_json::{Map, Value, json};

use crate::about::{Extent, extent_of};
use crate::access::Location;
use crate::bind::File;
use crate::describe::boxes;
use crate::document::{Member, Several};
use crate::layers::{Files, ItemFiles};
use crate::request::{AssetsOf, AssetsRequest, Grid, Sidecars, Style};
use crate::response::Problem;
use crate::source::document::{Document, DocumentError};
use crate::tile::{Call, Reading};

/// The most files whose values are told at one place.
const MOST_VALUES: usize = 64;
/// The radius of a sphere of the earth's size (IUGG's mean).
const EARTH_M: f64 = 6_371_008.8;

impl Reading {
    /// The assets of an item, by key, or the files of a mosaic, by address as the document writes it.
    pub async fn assets(&self, asked: &AssetsRequest, call: &Call<'_>) -> Result<Value, Problem> {
        let location = self.access.resolve(&asked.url)?;
        let document = self.confirmed(&location, call).await?;
        let content = &document.content;
        Ok(match &asked.of {
            AssetsOf::Item => {
                let item = content.item().map_err(DocumentError::from)?;
                item.assets.iter().map(|asset| asset.key.as_str()).collect()
            }
            AssetsOf::Tile(address) => names(&several(&document)?.of_tile(address)),
            AssetsOf::Place(lon, lat) => names(&at(several(&document)?, (*lon, *lat))?),
            AssetsOf::Area(area) => names(&several(&document)?.of_area(area.crs.crs(), area.bounds)),
        })
    }

    /// Opens the files of a request; of a mosaic the first, which stands for all where only types and colours count.
    pub(crate) async fn open_typical(
        &self,
        files: &Files,
        sidecars: Option<Sidecars>,
        call: &Call<'_>,
    ) -> Result<Vec<File>, Problem> {
        let Files::Mosaic(of) = files else {
            return self.open(files, sidecars, call).await;
        };
        let document = self.confirmed(&of.origin.location, call).await?;
        self.open_first(of, &document, sidecars.unwrap_or_default(), call)
            .await
    }

    async fn open_first(
        &self,
        of: &ItemFiles,
        document: &Arc<Document>,
        sidecars: Sidecars,
        call: &Call<'_>,
    ) -> Result<Vec<File>, Problem> {
        let first = several(document)?
            .member(0)
            .ok_or_else(|| Problem::not_found("file in this mosaic"))?;
        self.open_member(of, (document, first), sidecars, call)
            .boxed()
            .await
    }

    /// A document that is sure to be the current version: one that was replaced is read anew.
    async fn confirmed(&self, location: &Location, call: &Call<'_>) -> Result<Arc<Document>, Problem> {
        let document = self.document(location, call).await?;
        match self.confirm_one(&document, call).await {
            Err(Problem::Replaced) => Ok(self.document(location, call).await?),
            confirmed => confirmed.map(|()| document),
        }
    }

    /// What a mosaic is: TiTiler's members first, then ours.
    pub(crate) async fn info_of_mosaic(&self, of: &ItemFiles, call: &Call<'_>) -> Result<Value, Problem> {
        let document = self.confirmed(&of.origin.location, call).await?;
        let several = several(&document)?;
        let bounds = several.bounds();
        let mut info = Map::new();
        let mut put = |name: &str, value: Value| info.insert(name.to_owned(), value);
        put("bounds", json!(bounds));
        put("crs", json!("http://www.opengis.net/def/crs/OGC/1.3/CRS84"));
        if let Several::Mosaic(mosaic) = several {
            put("name", json!(mosaic.name.as_deref().unwrap_or("mosaic")));
            put("quadkeys", json!([]));
            put("mosaic_tilematrixset", json!(mosaic.grid.name()));
            put("mosaic_minzoom", json!(mosaic.minzoom));
            put("mosaic_maxzoom", json!(mosaic.maxzoom));
            put("quadkey_zoom", json!(mosaic.quadkey_zoom));
            put("attribution", json!(mosaic.attribution));
        }
        put("files", json!(several.count()));
        put("geographic_bounds", json!(bounds));
        put("geographic_boxes", json!(boxes(bounds)));
        Ok(Value::Object(info))
    }

    /// Bounds of a mosaic, as its document has them, and its zooms: the document's, brought to another grid by the size of pixels
    /// on the ground. A collection of items has those of its first.
    pub(crate) async fn extent_of_mosaic(
        &self,
        of: &ItemFiles,
        grid: Grid,
        call: &Call<'_>,
    ) -> Result<Extent, Problem> {
        let document = self.confirmed(&of.origin.location, call).await?;
        let several = several(&document)?;
        let bounds = several.bounds();
        let (minzoom, maxzoom) = match several {
            Several::Mosaic(mosaic) if grid.is_same(&mosaic.grid) => (mosaic.minzoom, mosaic.maxzoom),
            Several::Mosaic(mosaic) => {
                let like = |zoom| like(&mosaic.grid, zoom, &grid, bounds);
                (like(mosaic.minzoom), like(mosaic.maxzoom))
            }
            Several::Items(_) => {
                let files = self.open_first(of, &document, Sidecars::default(), call).await?;
                let extent = extent_of(&files, &grid)?;
                (extent.minzoom, extent.maxzoom)
            }
        };
        Ok(Extent {
            bounds,
            minzoom,
            maxzoom,
        })
    }

    /// The values of every file of a mosaic at a place in longitude and latitude.
    pub(crate) async fn point_of_mosaic(
        &self,
        of: &ItemFiles,
        style: &Style,
        place: (f64, f64),
        call: &Call<'_>,
    ) -> Result<Value, Problem> {
        let document = self.confirmed(&of.origin.location, call).await?;
        let members = at(several(&document)?, place)?;
        if members.len() > MOST_VALUES {
            return Err(Problem::TooLarge {
                what: format!("more than {MOST_VALUES} files of the mosaic lie at this place"),
                remedy: "make a mosaic with a deeper quadkey_zoom".to_owned(),
            });
        }
        let values = members.iter().map(|member| {
            self.values_of_member(of, (&document, *member), (style, place), call)
                .boxed()
        });
        let assets: Vec<Value> = try_join_all(values).await?.into_iter().flatten().collect();
        if assets.is_empty() {
            return Err(Problem::not_found("data at this place"));
        }
        Ok(json!({ "coordinates": [place.0, place.1], "assets": assets }))
    }
}

impl Reading {
    /// The values of one file; nothing where it does not reach the place.
    async fn values_of_member(
        &self,
        of: &ItemFiles,
        member: (&Arc<Document>, Member<'_>),
        (style, place): (&Style, (f64, f64)),
        call: &Call<'_>,
    ) -> Result<Option<Value>, Problem> {
        let files = self
            .open_member(of, member, style.sidecars.unwrap_or_default(), call)
            .await?;
        let values = self.values(&files, style, place, call).await;
        match self.current(&files, values, call).await {
            Ok(mut values) => {
                values["name"] = json!(member.1.name());
                if let Some(values) = values.as_object_mut() {
                    values.remove("coordinates");
                }
                Ok(Some(values))
            }
            Err(Problem::NotFound { .. }) => Ok(None),
            Err(problem) => Err(problem),
        }
    }
}

/// The files that a document names.
fn several(document: &Document) -> Result<Several<'_>, Problem> {
    Ok(document.content.several().map_err(DocumentError::from)?)
}

/// The files of a mosaic at a place in degrees.
fn at(several: Several<'_>, (lon, lat): (f64, f64)) -> Result<Vec<Member<'_>>, Problem> {
    let wgs84 = Crs::from_epsg(4326).map_err(|_| Problem::Internal)?;
    Ok(several.of_area(&wgs84, [lon, lat, lon, lat]))
}

fn names(members: &[Member<'_>]) -> Value {
    members.iter().map(|member| member.name()).collect()
}

/// The zoom of a grid whose pixels are most like those of another's zoom on the ground, in the middle of bounds in degrees.
fn like(from: &Grid, zoom: u8, to: &Grid, [west, south, east, north]: [f64; 4]) -> u8 {
    let east = if east < west { east + 360.0 } else { east };
    let place = (f64::midpoint(west, east), f64::midpoint(south, north));
    let zoom = zoom.min(from.deepest_zoom());
    let Some(wanted) = ground_m2(from, zoom, place) else {
        return zoom.min(to.deepest_zoom());
    };
    let zooms = to.set().matrices.iter().map(|matrix| matrix.zoom);
    let far =
        |zoom: &u8| ground_m2(to, *zoom, place).map_or(f64::INFINITY, |size| (size / wanted).ln().abs());
    zooms.min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or_default()
}

/// The area of a grid's pixel at a place in degrees, in square metres of a sphere.
fn ground_m2(grid: &Grid, zoom: u8, (lon, lat): (f64, f64)) -> Option<f64> {
    let set = grid.set();
    let side = set.matrix(zoom)?.cell_size;
    let (x, y) = set.crs.forward(lon, lat)?;
    let at = |x: f64, y: f64| {
        let (lon_there, lat_there) = set.crs.inverse(x, y)?;
        let turned = lon_there - lon;
        let turned = turned - (turned / 360.0).round() * 360.0;
        let across = turned.to_radians() * lat.to_radians().cos();
        let (across, up) = (across * EARTH_M, (lat_there - lat).to_radians() * EARTH_M);
        (across.is_finite() && up.is_finite()).then_some((across, up))
    };
    // A hundredth of a pixel: the coarsest zooms have pixels of half the globe.
    let step = side / 100.0;
    let ((ax, ay), (bx, by)) = (at(x + step, y)?, at(x, y + step)?);
    let area = (ax * by - ay * bx).abs() * 1e4;
    (area > 0.0).then_some(area)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Grids;

    #[test]
    fn zooms_of_other_grids_are_those_with_like_pixels() {
        let (web, grids) = (Grid::web().unwrap(), Grids::default());
        let of = |name: &str, zoom, bounds| like(&web, zoom, &grids.parse(name).unwrap(), bounds);
        // One degree of the equator is 2^8 pixels of zoom 8 in 1.4 degrees in both.
        assert_eq!(of("WorldCRS84Quad", 8, [0.0, -1.0, 1.0, 1.0]), 7);
        // 38 m at the equator are 19 m at 60 degrees; 17.2 m is zoom 10 of Europe's grid.
        assert_eq!(of("EuropeanETRS89_LAEAQuad", 12, [9.0, 59.0, 11.0, 61.0]), 10);
        assert_eq!(of("EuropeanETRS89_LAEAQuad", 30, [9.0, 59.0, 11.0, 61.0]), 15);
        assert_eq!(of("WorldMercatorWGS84Quad", 5, [179.0, 10.0, -179.0, 20.0]), 5);
    }
}
