//! The JSON documents, in the shapes that clients of `TiTiler` and `TileJSON` know.

use bytes::Bytes;
use edgetile_raster::colour::{Colormap, Picture, Pixels, Rgba};
use edgetile_raster::grid::{self, TileMatrixSet};
use edgetile_raster::math::algorithm::{self, Kind, Parameter};
use edgetile_raster::math::indices::{self, Index};
use http::Request;
use serde_json::{Map, Value, json};

use crate::about::{Extent, Offered};
use crate::bind;
use crate::layers::Layer;
use crate::request::{Grid, Grids, Strip};
use crate::response::{About, ETag, Freshness, Outcome};

/// A document as an answer: its version is its text.
pub(super) fn document(json: &Value, freshness: Freshness, request: &Request<Bytes>) -> Outcome {
    typed(json, "application/json", freshness, request)
}

/// The same, where it is JSON of a kind that has its own media type.
pub(super) fn typed(
    json: &Value,
    media_type: &'static str,
    freshness: Freshness,
    request: &Request<Bytes>,
) -> Outcome {
    text(json.to_string(), media_type, freshness, request)
}

/// A document in whatever language, or a picture.
pub(super) fn text(
    body: impl Into<Bytes>,
    media_type: &'static str,
    freshness: Freshness,
    request: &Request<Bytes>,
) -> Outcome {
    let body = body.into();
    let etag = ETag::of([body.as_ref()]);
    let held = etag.is_held_by(request.headers());
    let about = About {
        freshness,
        etag: Some(etag),
        ..About::default()
    };
    if held {
        return Outcome::NotModified(about);
    }
    Outcome::Content {
        body,
        media_type,
        about,
    }
}

/// Where a source is shown: its own extent, and over it what its layer and the request say.
pub(super) struct Shown(Extent);

impl Shown {
    /// The zooms of a layer are those of the web's grid.
    pub(super) fn of(own: Extent, layer: Option<&Layer>, grid: &Grid) -> Self {
        let Some(layer) = layer else { return Self(own) };
        let shown = Self(Extent {
            bounds: layer.bounds.unwrap_or(own.bounds),
            ..own
        });
        if grid.is_web() {
            shown.with_zooms(layer.minzoom, layer.maxzoom)
        } else {
            shown
        }
    }

    pub(super) fn extent(&self) -> Extent {
        self.0
    }

    pub(super) fn with_zooms(self, minzoom: Option<u8>, maxzoom: Option<u8>) -> Self {
        let minzoom = minzoom.unwrap_or(self.0.minzoom);
        Self(Extent {
            minzoom,
            maxzoom: maxzoom.unwrap_or(self.0.maxzoom).max(minzoom),
            ..self.0
        })
    }
}

/// A `TileJSON` 3.0.0 document.
pub(super) fn tilejson(
    name: Option<&str>,
    layer: Option<&Layer>,
    shown: &Shown,
    bands: &[Offered],
    tiles: &str,
) -> Value {
    let Shown(extent) = shown;
    let (lon, lat, zoom) = extent.center();
    let mut json = json!({
        "tilejson": "3.0.0",
        "version": "1.0.0",
        "scheme": "xyz",
        "name": name.or(layer.map(|layer| layer.title.as_str())).unwrap_or("edgetile"),
        "tiles": [tiles],
        "minzoom": extent.minzoom,
        "maxzoom": extent.maxzoom,
        "bounds": unwrapped(extent.bounds),
        "center": [lon, lat, zoom],
        "band_descriptions": bands.iter().zip(1..).map(|(band, at)| json!([bind::name(at), band.name])).collect::<Vec<_>>(),
        "data_type": bands.first().map(|band| band.data_type),
    });
    if let Some(layer) = layer {
        for (name, text) in [
            ("attribution", &layer.attribution),
            ("description", &layer.description),
        ] {
            if let Some(text) = text {
                json[name] = text.as_str().into();
            }
        }
    }
    json
}

/// Bounds that do not wrap, as TileJSON 3.0.0 section 3.5 demands: across the antimeridian the whole turn.
pub(super) fn unwrapped([west, south, east, north]: [f64; 4]) -> [f64; 4] {
    if west > east {
        [-180.0, south, 180.0, north]
    } else {
        [west, south, east, north]
    }
}

/// One layer for the viewer; what cannot be read of its files is null.
pub(super) fn viewer_layer(layer: &Layer, found: Option<(Grid, Extent)>, bands: &[Offered]) -> Value {
    let shown = found.map(|(grid, extent)| Shown::of(extent, Some(layer), &grid).0);
    let band = |(at, band): (usize, &Offered)| json!({"index": at + 1, "name": band.name});
    json!({
        "name": layer.name.as_str(),
        "title": layer.title,
        "attribution": layer.attribution,
        "description": layer.description,
        "bounds": shown.map(|shown| shown.bounds).or(layer.bounds),
        "minzoom": shown.map(|shown| shown.minzoom).or(layer.minzoom),
        "maxzoom": shown.map(|shown| shown.maxzoom).or(layer.maxzoom),
        "bands": bands.iter().enumerate().map(band).collect::<Vec<_>>(),
        "data_type": bands.first().map(|band| band.data_type),
        "style": style(layer),
    })
}

/// The layer's style as the parameters that ask for it: a text each, or several where a parameter is repeated.
fn style(layer: &Layer) -> Value {
    let mut written: Map<String, Value> = Map::new();
    for (name, value) in layer.style.pairs() {
        match written.entry(name).or_insert_with(|| json!([])) {
            Value::Array(values) => values.push(value.into()),
            _ => unreachable!("only arrays are put in"),
        }
    }
    Value::Object(written)
}

/// What the viewer shows, and whether a key would show more.
pub(super) fn viewer_config(layers: &[Value], wants_key: bool) -> Value {
    json!({"version": env!("CARGO_PKG_VERSION"), "layers": layers, "wants_key": wants_key})
}

pub(super) fn health() -> Value {
    json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")})
}

/// The colormaps, in TiTiler's shape.
pub(super) fn colormaps(base: &str) -> Value {
    let one = |name: String| json!({"id": name, "links": [link(base, "colorMaps", &name, "item")]});
    json!({"colormaps": Colormap::names().map(one).collect::<Vec<_>>()})
}

/// Where one thing of a list is defined.
fn link(base: &str, list: &str, id: &str, relation: &str) -> Value {
    json!({"href": format!("{base}/{list}/{id}"), "rel": relation, "type": "application/json"})
}

/// The 256 colours of a colormap, by value.
pub(super) fn colormap(colours: &[Rgba]) -> Value {
    let colours = colours.iter().enumerate();
    let colours = colours.map(|(value, colour)| (value.to_string(), json!(colour)));
    Value::Object(colours.collect())
}

/// The same as a strip: every pixel has the colour whose share of the strip its centre lies in.
pub(super) fn strip(colours: &[Rgba], wanted: &Strip) -> Picture {
    let (width, height) = (wanted.width_px as usize, wanted.height_px as usize);
    let along = if wanted.is_vertical { height } else { width };
    let at = |step: usize| ((2 * step + 1) * colours.len() / (2 * along)) as u8;
    let index = (0..width * height).map(|pixel| {
        at(if wanted.is_vertical {
            pixel / width
        } else {
            pixel % width
        })
    });
    Picture {
        width,
        height,
        pixels: Pixels::Palette {
            index: index.collect(),
            palette: colours.to_vec(),
        },
        alpha: None,
    }
}

/// All algorithms, or the one of a name, with their parameters.
pub(super) fn algorithms(name: Option<&str>, base: &str) -> Option<Value> {
    let parameter = |parameter: &Parameter| {
        let about = json!({
            "type": if parameter.is_whole { "integer" } else { "number" },
            "default": parameter.default,
            "minimum": parameter.least,
            "maximum": parameter.most,
        });
        (parameter.name.to_owned(), about)
    };
    let one = |kind: &Kind| {
        json!({
            "id": kind.name,
            "title": kind.title,
            "inputs": {"nbands": kind.bands},
            "parameters": kind.parameters.iter().map(parameter).collect::<Map<_, _>>(),
        })
    };
    if let Some(name) = name {
        return algorithm::ALL.iter().find(|kind| kind.name == name).map(one);
    }
    let linked = |kind: &Kind| {
        let mut about = one(kind);
        about["links"] = json!([link(base, "algorithms", kind.name, "item")]);
        about
    };
    Some(json!({"algorithms": algorithm::ALL.iter().map(linked).collect::<Vec<_>>()}))
}

/// The spectral indices, with all that is known of them.
pub(super) fn indices() -> Value {
    let one = |index: &Index| {
        json!({
            "id": index.name,
            "title": index.title,
            "formula": index.formula(|band| band),
            "bands": index.bands(),
            "wants_reflectance": index.wants_reflectance,
            "range": [index.range.0, index.range.1],
            "colormap_name": index.colormap,
            "source": index.source,
        })
    };
    json!({"indices": indices::ALL.iter().map(one).collect::<Vec<_>>()})
}

/// How a list of tile matrix sets links to one (OGC 20-057 clause 8.3).
const TILING_SCHEME: &str = "http://www.opengis.net/def/rel/ogc/1.0/tiling-scheme";

/// The tile matrix sets.
pub(super) fn grids(grids: &Grids, base: &str) -> Value {
    let link = |set: &TileMatrixSet| link(base, "tileMatrixSets", &set.id, TILING_SCHEME);
    let sets = grids.all();
    let sets = sets.map(|set| json!({"id": set.id, "title": set.title, "links": [link(&set)]}));
    json!({"tileMatrixSets": sets.collect::<Vec<_>>()})
}

/// Whether the publisher of a set writes its corners north first. The operator's own are told x first.
fn is_north_first(set: &TileMatrixSet) -> bool {
    grid::published(&set.id).is_some_and(|published| published.is_north_first())
}

/// The system of a set.
pub(super) fn crs_of(set: &TileMatrixSet) -> String {
    match set.crs.epsg() {
        Some(4326) if !is_north_first(set) => "http://www.opengis.net/def/crs/OGC/1.3/CRS84".to_owned(),
        _ => set.crs.uri().unwrap_or_else(|| set.crs.proj_string()),
    }
}

/// One tile matrix set, as OGC 17-083r4 clause 7.2 encodes it. Corners are in the order of the axes.
pub(super) fn grid(set: &TileMatrixSet) -> Value {
    let published = grid::published(&set.id);
    let origin = if is_north_first(set) {
        [set.origin.1, set.origin.0]
    } else {
        [set.origin.0, set.origin.1]
    };
    let crs = crs_of(set);
    let matrix = |matrix: &grid::TileMatrix| {
        json!({
            "id": matrix.zoom.to_string(),
            "scaleDenominator": set.scale_denominator(matrix),
            "cellSize": matrix.cell_size,
            "cornerOfOrigin": "topLeft",
            "pointOfOrigin": origin,
            "tileWidth": set.tile_size,
            "tileHeight": set.tile_size,
            "matrixWidth": matrix.width,
            "matrixHeight": matrix.height,
        })
    };
    let mut json = json!({
        "id": set.id,
        "title": set.title,
        "crs": crs,
        "orderedAxes": published.map_or(["X", "Y"], |published| published.axes),
        "tileMatrices": set.matrices.iter().map(matrix).collect::<Vec<_>>(),
    });
    let registered =
        |kind: &str, name: &str| format!("http://www.opengis.net/def/{kind}/OGC/1.0/{name}").into();
    if let Some(name) = published.and_then(|published| published.name) {
        json["uri"] = registered("tilematrixset", name);
    }
    if let Some(name) = published.and_then(|published| published.scale_set) {
        json["wellKnownScaleSet"] = registered("wkss", name);
    }
    json
}

#[cfg(test)]
mod tests {
    use super::unwrapped;

    #[test]
    fn tilejson_bounds_never_wrap() {
        assert_eq!(
            unwrapped([177.9, 14.4, -178.3, 17.2]),
            [-180.0, 14.4, 180.0, 17.2]
        );
        assert_eq!(unwrapped([11.0, 48.0, 12.0, 49.0]), [11.0, 48.0, 12.0, 49.0]);
    }
}
