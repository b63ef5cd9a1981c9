//! `docs/layers.schema.json`, made of the tables that the layers file is read by. `make bless` writes it anew.
//!
//! It refuses a little more than the reader does (odd spellings such as `"Yes"`), and cannot tell what concerns two values
//! at once: names that stand twice, a `maxzoom` below the `minzoom`, an expression that cannot be parsed.

use edgetile_raster::colour::Colormap;
use edgetile_raster::math::{algorithm, indices};
use edgetile_raster::mosaic::Selection;
use edgetile_raster::warp::Kernel;
use serde_json::{Map, Value, json};

use super::file::{LARGEST_ZOOM, MEMBERS, OF_LAYER};
use super::sets::{self, EDGES_PX, OF_MATRIX, OF_SET};
use crate::request::{LARGEST_EDGE_PX, Style};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/layers.schema.json");

/// A finite number as text.
const NUMBER: &str = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?";

/// An object of these members, no others, which `schema` tells of.
fn object(members: &[&str], required: &[&str], schema: impl Fn(&str) -> Value) -> Value {
    let properties: Map<String, Value> = members
        .iter()
        .map(|name| ((*name).to_owned(), schema(name)))
        .collect();
    json!({"type": "object", "additionalProperties": false, "required": required, "properties": properties})
}

/// The same or null, which says as little as silence.
fn or_null(mut schema: Value) -> Value {
    match schema["type"].as_str().map(str::to_owned) {
        Some(kind) => schema["type"] = json!([kind, "null"]),
        None => schema = json!({"anyOf": [schema, {"type": "null"}]}),
    }
    schema
}

fn whole(least: u32, most: u32) -> Value {
    json!({"type": "integer", "minimum": least, "maximum": most})
}

/// A whole number, as number or text.
fn whole_or_text(least: u32, most: u32) -> Value {
    let pattern = if least == 0 {
        r"^\s*\+?[0-9]+\s*$"
    } else {
        r"^\s*\+?0*[1-9][0-9]*\s*$"
    };
    json!({"anyOf": [whole(least, most), {"type": "string", "pattern": pattern}]})
}

fn numbers(count: usize) -> Value {
    json!({"type": "array", "items": {"type": "number"}, "minItems": count, "maxItems": count})
}

fn text(about: &str) -> Value {
    json!({"type": "string", "description": about})
}

/// Where a file is.
fn address(about: &str) -> Value {
    let pattern = "^(?!(?!(s3|gs|az|https?|file):)[A-Za-z][A-Za-z0-9+.-]*:)";
    json!({"type": "string", "pattern": pattern, "description": about})
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    names.collect()
}

fn in_any_case(name: &str) -> String {
    let either = |letter: char| {
        let (upper, lower) = (letter.to_ascii_uppercase(), letter.to_ascii_lowercase());
        if upper == lower {
            letter.to_string()
        } else {
            format!("[{upper}{lower}]")
        }
    };
    name.chars().map(either).collect()
}

fn boolean() -> Value {
    json!({"enum": [true, false, "true", "false", 0, 1, "0", "1", "yes", "no", "on", "off"]})
}

fn range() -> Value {
    let end = format!("([pP]?{NUMBER})");
    json!({"type": "string", "pattern": format!(r"^\s*[\[(]?\s*{end}\s*,\s*{end}\s*[\])]?\s*$")})
}

fn index() -> Value {
    let all = names(indices::ALL.iter().map(|index| index.name));
    let any: Vec<String> = all.iter().map(|name| in_any_case(name)).collect();
    json!({"anyOf": [
        {"enum": all},
        {"type": "string", "pattern": format!(r"^\s*({})\s*(\(.*\)\s*)?$", any.join("|"))},
    ]})
}

fn parameter_of(parameter: &algorithm::Parameter) -> Value {
    json!({
        "type": if parameter.is_whole { "integer" } else { "number" },
        "minimum": parameter.least,
        "maximum": parameter.most,
    })
}

/// What each algorithm can be told.
fn told() -> Vec<Value> {
    let of = |kind: &algorithm::Kind| {
        let members = names(kind.parameters.iter().map(|parameter| parameter.name));
        let known = |name: &str| kind.parameters.iter().find(|parameter| parameter.name == name);
        let parameters = object(&members, &[], |name| or_null(parameter_of(known(name).unwrap())));
        json!({
            "if": {"required": ["algorithm"], "properties": {"algorithm": {"const": kind.name}}},
            "then": {"properties": {"algorithm_params": {"anyOf": [{"type": "string"}, parameters]}}},
        })
    };
    algorithm::ALL.iter().map(of).collect()
}

fn style() -> Value {
    let kernels = json!({"enum": Kernel::ALL.map(|(name, _)| name)});
    let mut style = object(Style::PARAMETERS, &[], |name| match name {
        "algorithm" => json!({"enum": names(algorithm::ALL.iter().map(|kind| kind.name))}),
        "algorithm_params" => json!({"type": ["object", "string"]}),
        "alpha" | "return_mask" | "unscale" => boolean(),
        "bidx" => {
            let band = whole_or_text(1, u16::MAX.into());
            json!({"anyOf": [band, {"type": "array", "minItems": 1, "maxItems": 64, "items": band}]})
        }
        "buffer" => json!({"anyOf": [
            {"type": "number", "minimum": 0, "maximum": LARGEST_EDGE_PX / 2, "multipleOf": 0.5},
            {"type": "string", "pattern": format!(r"^\s*{NUMBER}\s*$")},
        ]}),
        "color_formula" | "expression" => json!({"type": "string"}),
        "colormap" => json!({"anyOf": [
            {"type": "object", "minProperties": 1},
            {"type": "array", "minItems": 1},
            {"type": "string"},
        ]}),
        // Names may be in any case; those of the list are offered as they are written.
        "colormap_name" => json!({"anyOf": [
            {"enum": Colormap::names().collect::<Vec<_>>()},
            {"type": "string", "pattern": "[A-Z]"},
        ]}),
        "index" => index(),
        "nodata" => json!({"anyOf": [
            {"type": "number"},
            {"type": "string", "pattern": format!(r"^\s*({NUMBER}|[+-]?([nN][aA][nN]|[iI][nN][fF]))\s*$")},
        ]}),
        "padding" => whole_or_text(0, u32::MAX),
        "pixel_selection" => json!({"enum": Selection::ALL.map(|(name, _)| name)}),
        "quality" => whole_or_text(1, 100),
        "reproject" | "resampling" => kernels.clone(),
        "rescale" => json!({"anyOf": [
            range(),
            numbers(2),
            {"type": "array", "minItems": 1, "items": {"anyOf": [range(), numbers(2)]}},
        ]}),
        "sidecars" => json!({"enum": ["auto", "none", "ovr", "msk", "ovr,msk", "msk,ovr"]}),
        "tilesize" => whole_or_text(1, LARGEST_EDGE_PX),
        "v" => json!({"type": ["string", "number", "boolean"]}),
        other => panic!("the schema lacks {other}"),
    });
    style["description"] = "parameters of requests, where they are silent".into();
    style["dependentRequired"] = json!({"algorithm_params": ["algorithm"]});
    style["allOf"] = json!([
        {"not": {"required": ["colormap", "colormap_name"]}},
        {"not": {"required": ["expression", "index"]}},
    ]);
    style["allOf"].as_array_mut().unwrap().extend(told());
    style
}

fn layer() -> Value {
    let band = "^[A-Za-z][A-Za-z0-9_]{0,63}$";
    let mut layer = object(OF_LAYER, &["name"], |name| match name {
        "name" => {
            json!({"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$", "description": "its name in paths"})
        }
        "title" | "description" => or_null(json!({"type": "string"})),
        "attribution" => or_null(text("whom to thank, text or HTML")),
        "bounds" => {
            let degrees =
                |least: f64, most: f64| json!({"type": "number", "minimum": least, "maximum": most});
            let (lon, lat) = (degrees(-180.0, 360.0), degrees(-90.0, 90.0));
            let mut bounds = numbers(4);
            bounds["prefixItems"] = json!([lon, lat, lon, lat]);
            bounds["description"] =
                "west, south, east, north in degrees: told to maps, not the edge of what is drawn".into();
            or_null(bounds)
        }
        "minzoom" | "maxzoom" => {
            let mut zoom = or_null(whole(0, LARGEST_ZOOM));
            zoom["description"] = "told to maps; other zooms are drawn, too".into();
            zoom
        }
        "url" => or_null(address("one file")),
        "item" => or_null(address("a STAC item")),
        "mosaic" => or_null(address("a MosaicJSON document, or a collection of STAC items")),
        "sources" => or_null(json!({
            "type": "object",
            "minProperties": 1,
            "propertyNames": {"pattern": band},
            "additionalProperties": address("a file"),
            "description": "several files, by what an expression calls them",
        })),
        "assets" => or_null(json!({
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "description": "of an item or a mosaic: keys of assets",
        })),
        "style" => or_null(json!({"$ref": "#/$defs/style"})),
        "access" => json!({"enum": ["public", "key", null], "description": "who may see it"}),
        other => panic!("the schema lacks {other}"),
    });
    let given = |name: &str| json!({"required": [name], "properties": {name: {"not": {"type": "null"}}}});
    let has_formula = json!({"required": ["style"], "properties": {"style": {
        "type": "object",
        "anyOf": [{"required": ["expression"]}, {"required": ["index"]}],
    }}});
    let lists = json!({"required": ["assets"], "properties": {"assets": {"type": "array", "minItems": 1}}});
    layer["oneOf"] = ["url", "sources", "item", "mosaic"].map(given).to_vec().into();
    layer["allOf"] = json!([
        {"if": given("sources"), "then": has_formula},
        {"if": given("item"), "then": {"anyOf": [lists, has_formula]}},
        {"if": lists, "then": {"anyOf": [given("item"), given("mosaic")]}},
    ]);
    layer
}

fn matrix() -> Value {
    let required = [
        "id",
        "cellSize",
        "pointOfOrigin",
        "tileWidth",
        "tileHeight",
        "matrixWidth",
        "matrixHeight",
    ];
    object(OF_MATRIX, &required, |name| match name {
        "id" => json!({"type": "string", "pattern": "^([0-9]|[12][0-9]|30)$"}),
        "cellSize" => json!({"type": "number", "exclusiveMinimum": 0}),
        "cornerOfOrigin" => json!({"enum": ["topLeft", null]}),
        "pointOfOrigin" => numbers(2),
        "tileWidth" | "tileHeight" => whole(EDGES_PX.0, EDGES_PX.1),
        "matrixWidth" | "matrixHeight" => whole(1, u32::MAX),
        "variableMatrixWidths" => or_null(json!({"type": "array", "maxItems": 0})),
        "title" | "description" | "keywords" | "scaleDenominator" => json!({}),
        other => panic!("the schema lacks {other}"),
    })
}

fn set() -> Value {
    let mut set = object(OF_SET, &["id", "crs"], |name| match name {
        "id" => json!({"type": "string", "pattern": "^[A-Za-z0-9_.-]{1,64}$"}),
        "title" => or_null(json!({"type": "string"})),
        "crs" => json!({"anyOf": [
            whole(0, u32::MAX),
            {"type": "string"},
            object(&["uri"], &["uri"], |_| json!({"type": "string"})),
        ]}),
        "orderedAxes" => or_null(json!({"type": "array", "items": {"type": "string"}})),
        "extent" => or_null(numbers(4)),
        "matrices" => or_null(whole(1, sets::LARGEST_ZOOM + 1)),
        "tileSize" => or_null(whole(EDGES_PX.0, EDGES_PX.1)),
        "tileMatrices" => or_null(json!({"type": "array", "minItems": 1, "items": matrix()})),
        "description" | "keywords" | "uri" | "wellKnownScaleSet" | "boundingBox" => json!({}),
        other => panic!("the schema lacks {other}"),
    });
    let given = |name: &str| json!({"required": [name], "properties": {name: {"type": "array"}}});
    set["oneOf"] = ["extent", "tileMatrices"].map(given).to_vec().into();
    set
}

fn schema() -> Value {
    let mut schema = object(MEMBERS, &[], |name| match name {
        "$schema" => or_null(text("where this schema is, for editors")),
        "layers" => or_null(json!({"type": "array", "items": layer()})),
        "tileMatrixSets" => or_null(json!({"type": "array", "items": set()})),
        other => panic!("the schema lacks {other}"),
    });
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "The layers file of edgetile".into();
    schema["$defs"] = json!({"style": style()});
    schema
}

#[test]
fn the_schema_is_that_of_the_reader() {
    let made = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("EDGETILE_BLESS").is_some() {
        std::fs::write(FILE, &made).unwrap();
    }
    let kept = std::fs::read_to_string(FILE).unwrap();
    assert!(
        kept == made,
        "docs/layers.schema.json is not what the reader takes: `make bless` writes it anew"
    );
}
