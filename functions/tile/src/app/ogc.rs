//! The JSON documents of OGC API - Common (19-072) and OGC API - Tiles (20-057).

use serde_json::{Value, json};

use super::documents::{crs_of, unwrapped};
use super::tilesets::{Tileset, limits};
use crate::about::Extent;
use crate::request::Grid;

const CRS84: &str = "http://www.opengis.net/def/crs/OGC/1.3/CRS84";
const RELATION: &str = "http://www.opengis.net/def/rel/ogc/1.0";

/// The landing page; `base` is the server's own address.
pub(super) fn landing(base: &str) -> Value {
    let link = |path: &str, rel: &str, media_type: &str, title: &str| json!({"href": format!("{base}{path}"), "rel": rel, "type": media_type, "title": title});
    json!({
        "title": "edgetile",
        "description": "Map tiles from Cloud-Optimized GeoTIFFs",
        "links": [
            link("/ogc", "self", "application/json", "this document"),
            link("/", "alternate", "text/html", "the map"),
            link("/api", "service-desc", "application/vnd.oai.openapi+json;version=3.0", "the routes"),
            link("/api.html", "service-doc", "text/html", "a page to try them"),
            link(
                "/conformance",
                "conformance", "application/json", "what is kept of OGC API"),
            link("/conformance", &format!("{RELATION}/conformance"), "application/json", "what is kept of OGC API"),
            link("/tiles", &format!("{RELATION}/tilesets-map"), "application/json", "the tiles of all layers"),
            link("/tileMatrixSets", &format!("{RELATION}/tiling-schemes"), "application/json", "the tile matrix sets"),
            link("/WMTSCapabilities.xml", "alternate", "application/xml", "the same as WMTS"),
        ],
    })
}

/// The classes of requirements that are met.
pub(super) fn conformance() -> Value {
    let common = ["core", "landing-page", "json"]
        .map(|class| format!("http://www.opengis.net/spec/ogcapi-common-1/1.0/conf/{class}"));
    let tiles = [
        "core",
        "tileset",
        "tilesets-list",
        "dataset-tilesets",
        "png",
        "jpeg",
    ]
    .map(|class| format!("http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/{class}"));
    let sets = [
        "tilematrixset",
        "tilematrixsetlimits",
        "json-tilematrixset",
        "json-tilesetmetadata",
    ]
    .map(|class| format!("http://www.opengis.net/spec/tms/2.0/conf/{class}"));
    let all: Vec<String> = [common.to_vec(), tiles.to_vec(), sets.to_vec()].concat();
    json!({"conformsTo": all})
}

/// The list of tilesets, one for each source and grid.
pub(super) fn tilesets(base: &str, tilesets: &[Tileset]) -> Value {
    let all = tilesets.iter().flat_map(|tileset| {
        tileset.on.iter().map(move |(grid, _)| {
            json!({
                "title": titled(tileset, grid),
                "dataType": "map",
                "crs": crs_of(grid.set()),
                "tileMatrixSetId": grid.name(),
                "tileMatrixSetURI": uri(grid),
                "links": [
                    {"href": own(base, tileset, grid), "rel": "self", "type": "application/json"},
                    scheme(base, grid),
                ],
            })
        })
    });
    json!({"tilesets": all.collect::<Vec<_>>()})
}

/// The metadata of a tileset on its first grid.
pub(super) fn tileset(base: &str, tileset: &Tileset) -> Value {
    let Some((grid, extent)) = tileset.on.first() else {
        return json!({});
    };
    let request = &tileset.request;
    let [west, south, east, north] = unwrapped(extent.bounds);
    let (lon, lat, zoom) = extent.center();
    let grant = tileset.opener.behind(&request.template_on(grid, "{z}/{x}/{y}"));
    let template = request.template_on(grid, "{tileMatrix}/{tileCol}/{tileRow}") + &grant;
    let open = |address: &str| format!("{base}{}", tileset.opener.opened(address));
    let (tilejson, legend) = (
        open(&request.document_on(grid, "tilejson.json")),
        open(&request.document("legend.png")),
    );
    let mut told = json!({
        "title": titled(tileset, grid),
        "dataType": "map",
        "crs": crs_of(grid.set()),
        "tileMatrixSetId": grid.name(),
        "tileMatrixSetURI": uri(grid),
        "mediaTypes": [request.format.media_type()],
        "boundingBox": {"lowerLeft": [west, south], "upperRight": [east, north], "crs": CRS84},
        "centerPoint": {"coordinates": [lon, lat], "crs": CRS84, "tileMatrix": zoom.to_string()},
        "tileMatrixSetLimits": limits_of(grid, extent),
        "links": [
            {"href": own(base, tileset, grid), "rel": "self", "type": "application/json"},
            {"href": format!("{base}{template}"), "rel": "item", "type": request.format.media_type(), "templated": true},
            scheme(base, grid),
            {"href": tilejson, "rel": "describedby", "type": "application/json"},
            {"href": legend, "rel": format!("{RELATION}/legend"), "type": "image/png"},
        ],
    });
    if let Some(layer) = tileset.layer {
        for (name, text) in [
            ("description", &layer.description),
            ("attribution", &layer.attribution),
        ] {
            if let Some(text) = text {
                told[name] = text.as_str().into();
            }
        }
    }
    told
}

fn limits_of(grid: &Grid, extent: &Extent) -> Vec<Value> {
    let set = grid.set();
    let zooms = extent.minzoom..=extent.maxzoom;
    let shown = set.matrices.iter().filter(|matrix| zooms.contains(&matrix.zoom));
    shown
        .map(|matrix| {
            let limits = limits(set, matrix, extent.bounds);
            json!({
                "tileMatrix": matrix.zoom.to_string(),
                "minTileRow": limits.rows.0, "maxTileRow": limits.rows.1,
                "minTileCol": limits.columns.0, "maxTileCol": limits.columns.1,
            })
        })
        .collect()
}

fn titled(tileset: &Tileset, grid: &Grid) -> String {
    if tileset.on.len() == 1 {
        tileset.title.clone()
    } else {
        format!("{} on {}", tileset.title, grid.name())
    }
}

/// The address of a tileset's metadata.
fn own(base: &str, tileset: &Tileset, grid: &Grid) -> String {
    let request = &tileset.request;
    let tiles = request.tiles.replace(crate::request::GRID, grid.name());
    let address = format!("{tiles}{}", request.query());
    format!("{base}{}", tileset.opener.opened(&address))
}

/// The registered name of a grid; the operator's own have none.
fn uri(grid: &Grid) -> Option<String> {
    let name = edgetile_raster::grid::find(grid.name())?.id.clone();
    Some(format!("http://www.opengis.net/def/tilematrixset/OGC/1.0/{name}"))
}

fn scheme(base: &str, grid: &Grid) -> Value {
    json!({
        "href": format!("{base}/tileMatrixSets/{}", grid.name()),
        "rel": format!("{RELATION}/tiling-scheme"),
        "type": "application/json",
    })
}
