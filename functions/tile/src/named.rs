//! What documents name, and what a mosaic is: the assets of an item, the files of a mosaic at a place with their values,
//! `info` and the extent of a mosaic.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::try_join_all;
use serde_json::{Map, Value, json};

use crate::about::Extent;
use crate::access::Location;
use crate::bind::File;
use crate::describe::boxes;
use crate::document::Mosaic;
use crate::document::blocks::{blocks, blocks_deg};
use crate::layers::{Files, ItemFiles};
use crate::mosaic::of_address;
use crate::request::{AssetsOf, AssetsRequest, Sidecars, Style};
use crate::response::Problem;
use crate::source::document::{Document, DocumentError};
use crate::tile::{Call, Reading};

/// The most files whose values are told at one place.
const MOST_VALUES: usize = 64;

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
            AssetsOf::Tile(address) => {
                let mosaic = content.mosaic().map_err(DocumentError::from)?;
                json!(of_address(mosaic, address)?)
            }
            AssetsOf::Place(lon, lat) => {
                let mosaic = content.mosaic().map_err(DocumentError::from)?;
                json!(at(mosaic, (*lon, *lat)))
            }
            AssetsOf::Area(area) => {
                let mosaic = content.mosaic().map_err(DocumentError::from)?;
                json!(mosaic.of_blocks(&blocks(area.crs.crs(), area.bounds, mosaic.quadkey_zoom)))
            }
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
        let mosaic = document.content.mosaic().map_err(DocumentError::from)?;
        let first = mosaic
            .first()
            .ok_or_else(|| Problem::not_found("file in this mosaic"))?;
        let opened = self.open_member(of, first, sidecars.unwrap_or_default(), call);
        opened.boxed().await
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
        let mosaic = document.content.mosaic().map_err(DocumentError::from)?;
        let mut info = Map::new();
        let mut put = |name: &str, value: Value| info.insert(name.to_owned(), value);
        put("bounds", json!(mosaic.bounds));
        put("crs", json!("http://www.opengis.net/def/crs/OGC/1.3/CRS84"));
        put("name", json!(mosaic.name.as_deref().unwrap_or("mosaic")));
        put("quadkeys", json!([]));
        put("mosaic_tilematrixset", json!("WebMercatorQuad"));
        put("mosaic_minzoom", json!(mosaic.minzoom));
        put("mosaic_maxzoom", json!(mosaic.maxzoom));
        put("quadkey_zoom", json!(mosaic.quadkey_zoom));
        put("attribution", json!(mosaic.attribution));
        put("files", json!(mosaic.files()));
        put("geographic_bounds", json!(mosaic.bounds));
        put("geographic_boxes", json!(boxes(mosaic.bounds)));
        Ok(Value::Object(info))
    }

    /// Bounds and zooms of a mosaic, as its document has them.
    pub(crate) async fn extent_of_mosaic(&self, of: &ItemFiles, call: &Call<'_>) -> Result<Extent, Problem> {
        let document = self.confirmed(&of.origin.location, call).await?;
        let mosaic = document.content.mosaic().map_err(DocumentError::from)?;
        Ok(Extent {
            bounds: mosaic.bounds,
            minzoom: mosaic.minzoom,
            maxzoom: mosaic.maxzoom,
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
        let mosaic = document.content.mosaic().map_err(DocumentError::from)?;
        let names = at(mosaic, place);
        if names.len() > MOST_VALUES {
            return Err(Problem::TooLarge {
                what: format!("more than {MOST_VALUES} files of the mosaic lie at this place"),
                remedy: "make a mosaic with a deeper quadkey_zoom".to_owned(),
            });
        }
        let values = names
            .iter()
            .map(|name| self.values_of_member(of, name, (style, place), call).boxed());
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
        name: &str,
        (style, place): (&Style, (f64, f64)),
        call: &Call<'_>,
    ) -> Result<Option<Value>, Problem> {
        let files = self
            .open_member(of, name, style.sidecars.unwrap_or_default(), call)
            .await?;
        let values = self.values(&files, style, place, call).await;
        match self.current(&files, values, call).await {
            Ok(mut values) => {
                values["name"] = json!(name);
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

/// The files of a mosaic at a place in degrees.
fn at(mosaic: &Mosaic, (lon, lat): (f64, f64)) -> Vec<&str> {
    mosaic.of_blocks(&blocks_deg([lon, lat, lon, lat], mosaic.quadkey_zoom))
}
