//! The routes as OpenAPI 3.0, from the table that is held to the parser; and a page to try them.

use edgetile_raster::colour::Colormap;
use edgetile_raster::math::{algorithm, indices};
use edgetile_raster::mosaic::Selection;
use edgetile_raster::warp::Kernel;
use serde_json::{Map, Value, json};

use crate::guard::Guard;
use crate::request::table::{ALONE, PARAMETERS, PREFIXES, Row};
use crate::request::{Format, Grids, Scale};

/// The media type of the document, as TiTiler names it.
pub(super) const MEDIA_TYPE: &str = "application/vnd.oai.openapi+json;version=3.0";
/// The page: it asks nobody but this server.
pub(super) const PAGE: &str = include_str!("api.html");

/// Parameters whose values are among a few: what they are stands once, under `components`.
const CHOSEN: [&str; 12] = [
    "algorithm",
    "colormap_name",
    "f",
    "format",
    "index",
    "orientation",
    "pixel_selection",
    "reproject",
    "resampling",
    "sidecars",
    "tile_format",
    "tms",
];

/// The document; `base` is the server's own address.
pub(super) fn document(base: &str, grids: &Grids, guard: &Guard) -> Value {
    let mut paths = Map::new();
    for prefix in PREFIXES {
        for row in prefix.rows() {
            let required = prefix
                .sources
                .iter()
                .copied()
                .take(usize::from(prefix.needs_first))
                .collect::<Vec<_>>();
            let parameters: Vec<&str> = prefix.parameters_of(row).collect();
            let path = prefix.path_of(row);
            let summary = format!("{}: {}", prefix.title, row.title);
            let mut operation = operation(&path, &summary, row, &parameters, &required);
            operation["security"] = security(&path, guard);
            // A path may be asked in two ways.
            let methods = paths.entry(path).or_insert_with(|| json!({}));
            methods[if row.is_posted { "post" } else { "get" }] = operation;
        }
    }
    for row in ALONE {
        let required: Vec<&str> = row
            .parameters
            .iter()
            .copied()
            .filter(|name| *name == "url")
            .collect();
        let mut operation = operation(row.path, row.title, row, row.parameters, &required);
        operation["security"] = security(row.path, guard);
        paths.insert(row.path.to_owned(), json!({"get": operation}));
    }
    let schemas = CHOSEN.map(|name| (name.to_owned(), choices(name, grids)));
    let parameters = PARAMETERS
        .iter()
        .map(|(name, ..)| ((*name).to_owned(), in_query(name, false)));
    json!({
        "openapi": "3.0.3",
        "info": {
            "title": "edgetile",
            "description": "Map tiles from Cloud-Optimized GeoTIFFs",
            "version": env!("CARGO_PKG_VERSION"),
        },
        "servers": [{"url": base}],
        "paths": paths,
        "components": {
            "schemas": Map::from_iter(schemas),
            "parameters": parameters.collect::<Map<_, _>>(),
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
                "token": {"type": "apiKey", "in": "query", "name": "access_token"},
                "signature": {"type": "apiKey", "in": "query", "name": "signature"},
            },
        },
    })
}

/// What the values of a parameter are among.
fn choices(name: &str, grids: &Grids) -> Value {
    let of = |names: Vec<String>| json!({"type": "string", "enum": names});
    let texts = |names: &[&str]| of(names.iter().map(ToString::to_string).collect());
    let formats = |is_meant: fn(&Format) -> bool| {
        let all = Format::ALL.iter().filter(|format| is_meant(format));
        all.map(|format| format.extension()).collect::<Vec<_>>()
    };
    match name {
        "algorithm" => of(algorithm::ALL.iter().map(|kind| kind.name.to_owned()).collect()),
        "colormap_name" => of(Colormap::names().collect()),
        "f" => texts(&[&["json"], formats(|format| !format.is_data()).as_slice()].concat()),
        // Behind the name may stand which bands are meant.
        "index" => {
            let names = indices::ALL.iter().map(|index| index.name.to_owned());
            json!({"anyOf": [of(names.collect()), {"type": "string"}]})
        }
        "orientation" => texts(&["horizontal", "vertical"]),
        "pixel_selection" => texts(&Selection::ALL.map(|(name, _)| name)),
        "reproject" | "resampling" => texts(&Kernel::ALL.map(|(name, _)| name)),
        "sidecars" => texts(&["auto", "none", "ovr", "msk", "ovr,msk"]),
        "tms" => of(grids.all().map(|set| set.id.clone()).collect()),
        _ => texts(&formats(|_| true)),
    }
}

/// A parameter of a query.
fn in_query(name: &str, is_required: bool) -> Value {
    let known = PARAMETERS.iter().find(|(known, ..)| *known == name);
    let (kind, about) = known.map_or(("string", ""), |(_, kind, about)| (kind, about));
    let schema = match kind.strip_suffix("[]") {
        _ if CHOSEN.contains(&name) => chosen(name),
        Some(items) => json!({"type": "array", "items": {"type": items}}),
        None => json!({"type": kind}),
    };
    json!({"name": name, "in": "query", "required": is_required, "description": about, "schema": schema})
}

fn chosen(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// A parameter of a path.
fn in_path(path: &str, name: &str) -> Value {
    let schema = match name {
        "x" | "y" | "z" => json!({"type": "integer", "minimum": 0}),
        "scale" => json!({"type": "integer", "minimum": 1, "maximum": Scale::LARGEST}),
        "width" | "height" => json!({"type": "integer", "minimum": 1}),
        "lon" | "lat" | "minx" | "miny" | "maxx" | "maxy" => json!({"type": "number"}),
        "name" if path.starts_with("/colorMaps") => chosen("colormap_name"),
        "name" => chosen("algorithm"),
        name if CHOSEN.contains(&name) => chosen(name),
        _ => json!({"type": "string"}),
    };
    json!({"name": name, "in": "path", "required": true, "schema": schema})
}

/// What opens a path. Where it may be open to everyone, or a layer may say otherwise, no key is a way in, too.
fn security(path: &str, guard: &Guard) -> Value {
    let names_layers = [
        "/tiles",
        "/ndvi",
        "/index/",
        "/WMTSCapabilities.xml",
        "/viewer/config.json",
    ];
    let names_files = ["/cog/", "/stac/", "/mosaicjson/"];
    let is_of = |starts: &[&str]| starts.iter().any(|start| path.starts_with(start));
    let ways = [
        json!({"bearer": []}),
        json!({"key": []}),
        json!({"token": []}),
        json!({"signature": []}),
    ];
    if path.ends_with("map.html") || path.ends_with("/viewer") {
        json!([])
    } else if is_of(&names_files) && guard.protects_urls() {
        json!(ways)
    } else if is_of(&names_files) || is_of(&names_layers) {
        json!([&[json!({})], &ways[..]].concat())
    } else {
        json!([])
    }
}

fn operation(path: &str, summary: &str, row: &Row, parameters: &[&str], required: &[&str]) -> Value {
    let of_path = path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let of_path = of_path.map(|name| in_path(path, name));
    let mut seen: Vec<&str> = Vec::new();
    let of_query = parameters.iter().copied().filter(|name| {
        let is_new = !seen.contains(name) && !path.contains(&format!("{{{name}}}"));
        if is_new {
            seen.push(name);
        }
        is_new
    });
    let of_query = of_query.map(|name| {
        if required.contains(&name) {
            in_query(name, true)
        } else {
            json!({"$ref": format!("#/components/parameters/{name}")})
        }
    });
    let problem = json!({"description": "a problem (RFC 9457)", "content": {"application/problem+json": {}}});
    let (status, answer) = if row.is_elsewhere {
        let location = json!({"Location": {"description": row.title, "schema": {"type": "string"}}});
        (
            "307",
            json!({"description": "it is at another address", "headers": location}),
        )
    } else {
        let types = row.media_types.iter().map(|name| ((*name).to_owned(), json!({})));
        let content: Map<String, Value> = types.collect();
        ("200", json!({"description": row.title, "content": content}))
    };
    let mut operation = json!({
        "summary": summary,
        "parameters": of_path.chain(of_query).collect::<Vec<_>>(),
        "responses": {status: answer, "default": problem},
    });
    if row.is_posted {
        operation["requestBody"] = json!({
            "required": true,
            "description": "a GeoJSON Feature (RFC 7946)",
            "content": {"application/geo+json": {"schema": {"type": "object"}}},
        });
    }
    operation
}
