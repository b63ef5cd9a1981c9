//! The layers file: JSON, written by the operator, refused with the place of its first mistake.
//!
//! ```json
//! {"layers": [{"name": "ndvi", "sources": {"red": "B04.tif", "nir": "B08.tif"},
//!              "style": {"expression": "(nir-red)/(nir+red)", "rescale": "-1,1", "colormap_name": "rdylgn"}}]}
//! ```

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;
use serde_json::Value;

use super::{Bands, Files, ItemFiles, Layer, sets};
use crate::access::{Malformed, Origin, Root};
use crate::request::{AssetChoice, Assets, BandName, Grids, LayerName, Query, Refused, Style, slip_of};

/// The deepest zoom that a layer may name.
const LARGEST_ZOOM: u8 = 30;

const ONE: &str = "give one of url, sources, item and mosaic";

/// What is wrong with a layers file.
#[derive(Debug, thiserror::Error)]
pub enum LayersError {
    /// It is not the JSON that it should be; the message names line and column.
    #[error("{0}")]
    Json(serde_json::Error),
    /// A tile matrix set does not hold together.
    #[error("tile matrix set {set}: {reason}")]
    Set {
        /// Its id, as written.
        set: String,
        /// Which member is wrong, and how.
        reason: String,
    },
    /// A layer does not hold together.
    #[error("layer {layer}: {reason}")]
    Layer {
        /// Its name, as written.
        layer: String,
        /// Which field is wrong, and how.
        reason: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    layers: Vec<WrittenLayer>,
    #[serde(default, rename = "tileMatrixSets")]
    sets: Vec<sets::Written>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenLayer {
    name: String,
    title: Option<String>,
    attribution: Option<String>,
    description: Option<String>,
    bounds: Option<[f64; 4]>,
    minzoom: Option<u8>,
    maxzoom: Option<u8>,
    url: Option<String>,
    sources: Option<BTreeMap<String, String>>,
    item: Option<String>,
    mosaic: Option<String>,
    #[serde(default)]
    assets: Vec<String>,
    #[serde(default)]
    style: serde_json::Map<String, Value>,
    access: Option<WrittenAccess>,
}

/// Who may see a layer.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum WrittenAccess {
    Public,
    Key,
}

/// Reads the layers and the tile matrix sets; relative urls resolve against `base`.
pub(super) fn parse(text: &str, base: &Root) -> Result<(Vec<Layer>, Grids), LayersError> {
    let written: Written = serde_json::from_str(text).map_err(LayersError::Json)?;
    Ok((read_layers(written.layers, base)?, read_sets(written.sets)?))
}

fn read_sets(written: Vec<sets::Written>) -> Result<Grids, LayersError> {
    let mut names = HashSet::new();
    let read = written.into_iter().map(|written| {
        let set = written.id.clone();
        if !names.insert(set.clone()) {
            let reason = "the id stands twice".to_owned();
            return Err(LayersError::Set { set, reason });
        }
        sets::read(written).map_err(|reason| LayersError::Set { set, reason })
    });
    read.collect::<Result<_, _>>().map(Grids::with)
}

fn read_layers(written: Vec<WrittenLayer>, base: &Root) -> Result<Vec<Layer>, LayersError> {
    let mut names = HashSet::new();
    written
        .into_iter()
        .map(|layer| {
            let name = layer.name.clone();
            let fault = |reason| LayersError::Layer {
                layer: name.clone(),
                reason,
            };
            if !names.insert(name.clone()) {
                return Err(fault("the name stands twice".to_owned()));
            }
            read(layer, base).map_err(fault)
        })
        .collect()
}

fn read(written: WrittenLayer, base: &Root) -> Result<Layer, String> {
    let name = LayerName::new(&written.name).ok_or("name: up to 64 letters, digits, _, - and .")?;
    let style = read_style(&written.style)?;
    let assets = read_assets(&written.assets, &style)?;
    let files = match (written.item, written.mosaic) {
        (None, None) if !written.assets.is_empty() => {
            return Err("assets: there is no item beside them".to_owned());
        }
        (None, None) => read_files(written.url, written.sources, base)?,
        _ if written.url.is_some() || written.sources.is_some() => return Err(ONE.to_owned()),
        (Some(_), None) if assets.is_empty() => {
            return Err("assets: list some, or name them in the style's expression".to_owned());
        }
        (Some(item), None) => Files::Item(read_document("item", &item, assets, base)?),
        (None, Some(mosaic)) => Files::Mosaic(read_document("mosaic", &mosaic, assets, base)?),
        (Some(_), Some(_)) => return Err(ONE.to_owned()),
    };
    if matches!(files, Files::Named(_)) && !matches!(style.bands, Some(Bands::Expression(_))) {
        return Err("style: several sources need an expression, such as red;green;blue".to_owned());
    }
    let (minzoom, maxzoom) = (written.minzoom, written.maxzoom);
    if maxzoom.unwrap_or(LARGEST_ZOOM) > LARGEST_ZOOM
        || minzoom.unwrap_or(0) > maxzoom.unwrap_or(LARGEST_ZOOM)
    {
        return Err(format!("minzoom, maxzoom: 0 to {LARGEST_ZOOM}, the lower first"));
    }
    if written.bounds.is_some_and(|bounds| !are_bounds(bounds)) {
        return Err("bounds: west, south, east, north in degrees".to_owned());
    }
    Ok(Layer {
        title: written.title.unwrap_or(written.name),
        attribution: written.attribution,
        description: written.description,
        bounds: written.bounds,
        needs_key: written.access.map(|access| matches!(access, WrittenAccess::Key)),
        name,
        minzoom,
        maxzoom,
        files,
        style,
    })
}

/// East may lie west of west: such bounds cross the antimeridian.
fn are_bounds([west, south, east, north]: [f64; 4]) -> bool {
    let on_earth = |lon: f64| (-180.0..=360.0).contains(&lon);
    on_earth(west) && on_earth(east) && west != east && -90.0 <= south && south < north && north <= 90.0
}

fn read_files(
    url: Option<String>,
    sources: Option<BTreeMap<String, String>>,
    base: &Root,
) -> Result<Files, String> {
    let resolve = |field: &str, url: &str| {
        base.trusted(url)
            .map_err(|error: Malformed| format!("{field}: {error}"))
    };
    match (url, sources) {
        (Some(url), None) => Ok(Files::One(resolve("url", &url)?)),
        (None, Some(sources)) if !sources.is_empty() => {
            let named = sources.iter().map(|(name, url)| {
                let band = BandName::new(name)
                    .ok_or_else(|| format!("sources: {name} is no name of letters, digits and _"))?;
                Ok((band, resolve(&format!("sources.{name}"), url)?))
            });
            named.collect::<Result<_, String>>().map(Files::Named)
        }
        _ => Err(ONE.to_owned()),
    }
}

/// Assets that are listed, or else those that the style's expression names.
fn read_assets(listed: &[String], style: &Style) -> Result<Assets, String> {
    let of_asset = |text: &String| AssetChoice::parse(text).map_err(|refused| refused.to_string());
    Ok(match listed {
        [] => Assets::of_style(style),
        listed => Assets {
            listed: listed.iter().map(of_asset).collect::<Result<_, _>>()?,
            ..Assets::default()
        },
    })
}

fn read_document(field: &str, url: &str, assets: Assets, base: &Root) -> Result<ItemFiles, String> {
    let location = base.trusted(url).map_err(|error| format!("{field}: {error}"))?;
    Ok(ItemFiles {
        origin: Origin::of_operator(location),
        assets,
    })
}

/// A style in JSON is the query's, with numbers, booleans and arrays where they read better.
fn read_style(written: &serde_json::Map<String, Value>) -> Result<Style, String> {
    let mut pairs = Vec::new();
    for (name, value) in written {
        if !Style::PARAMETERS.contains(&name.as_str()) {
            let hint = slip_of(name).map_or_else(|| Style::PARAMETERS.join(", "), str::to_owned);
            return Err(format!("style: {name} is unknown: do you mean {hint}?"));
        }
        let values =
            as_texts(name, value).ok_or_else(|| format!("style: {name} has a value that is no text"))?;
        pairs.extend(values.into_iter().map(|value| (name.clone(), value)));
    }
    Style::parse(&Query::of(pairs)).map_err(|refused: Refused| format!("style: {refused}"))
}

fn as_texts(name: &str, value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Object(_) | Value::Array(_) if matches!(name, "colormap" | "algorithm_params") => {
            Some(vec![value.to_string()])
        }
        Value::Array(items) if name == "rescale" && items.iter().all(Value::is_number) => {
            Some(vec![joined(items)?])
        }
        Value::Array(items) => items.iter().map(as_text).collect(),
        value => Some(vec![as_text(value)?]),
    }
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Array(items) => joined(items),
        Value::Null | Value::Object(_) => None,
    }
}

fn joined(items: &[Value]) -> Option<String> {
    let texts: Option<Vec<String>> = items
        .iter()
        .map(|item| item.is_number().then(|| item.to_string()))
        .collect();
    texts.map(|texts| texts.join(","))
}
