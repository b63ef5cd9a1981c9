//! The layers file: JSON, written by the operator, refused with the place of its first mistake.
//!
//! ```json
//! {"layers": [{"name": "ndvi", "sources": {"red": "B04.tif", "nir": "B08.tif"},
//!              "style": {"expression": "(nir-red)/(nir+red)", "rescale": "-1,1", "colormap_name": "rdylgn"}}]}
//! ```

use std::collections::HashSet;

use serde_json::Value;

use super::written::{LayersError, Members, Written};
use super::{Bands, Files, ItemFiles, Layer, sets};
use crate::access::{Location, Origin, Root};
use crate::request::{AssetChoice, Assets, BandName, Grids, LayerName, Query, Refused, Style, slip_of};

/// The deepest zoom that a layer may name.
pub(super) const LARGEST_ZOOM: u32 = 30;

/// The members of the file. Editors look for the first one.
pub(super) const MEMBERS: &[&str] = &["$schema", "layers", "tileMatrixSets"];

/// The members of a layer.
pub(super) const OF_LAYER: &[&str] = &[
    "name",
    "title",
    "attribution",
    "description",
    "bounds",
    "minzoom",
    "maxzoom",
    "url",
    "sources",
    "item",
    "mosaic",
    "assets",
    "style",
    "access",
];

/// Which of them say whose pixels.
const SOURCES: [&str; 4] = ["url", "sources", "item", "mosaic"];

const ONE: &str = "give one of url, sources, item and mosaic";

/// Reads the layers and the tile matrix sets; relative urls resolve against `base`.
pub(super) fn parse(text: &str, base: &Root) -> Result<(Vec<Layer>, Grids), LayersError> {
    let file = Written::of(text)?.members()?.only(MEMBERS)?;
    file.text("$schema")?;
    let layers = read_layers(&file.items("layers")?, base)?;
    Ok((layers, read_sets(&file.items("tileMatrixSets")?)?))
}

fn read_sets(written: &[Written]) -> Result<Grids, LayersError> {
    let mut names = HashSet::new();
    let read = written.iter().map(|written| {
        let set = sets::read(written, sets::Others::Refused)?;
        if names.insert(set.id.clone()) {
            Ok(set)
        } else {
            Err(written.members()?.required("id")?.fault("stands twice"))
        }
    });
    read.collect::<Result<_, _>>().map(Grids::with)
}

fn read_layers(written: &[Written], base: &Root) -> Result<Vec<Layer>, LayersError> {
    let mut names = HashSet::new();
    let read = written.iter().map(|written| {
        let members = written.members()?.only(OF_LAYER)?;
        let layer = read(&members, base)?;
        if names.insert(layer.name.to_string()) {
            Ok(layer)
        } else {
            Err(members.required("name")?.fault("stands twice"))
        }
    });
    read.collect()
}

fn read(written: &Members, base: &Root) -> Result<Layer, LayersError> {
    let name = written.required("name")?;
    let name = LayerName::new(&name.text()?).ok_or_else(|| {
        let shown = name.shown();
        name.fault(format!("is {shown}, not up to 64 letters, digits, _, - and ."))
    })?;
    let style = match written.get("style") {
        Some(style) => read_style(style)?,
        None => Style::default(),
    };
    let zoom = |name| match written.get(name) {
        Some(zoom) => Ok(Some(zoom.whole(0, LARGEST_ZOOM)? as u8)),
        None => Ok(None),
    };
    let (minzoom, maxzoom) = (zoom("minzoom")?, zoom("maxzoom")?);
    if maxzoom.is_some_and(|maxzoom| minzoom > Some(maxzoom)) {
        return Err(written.required("maxzoom")?.fault("is below minzoom"));
    }
    let access = written.get("access").map(|access| match access.text()?.as_str() {
        "public" => Ok(false),
        "key" => Ok(true),
        _ => Err(access.fault(format!("is {}, not \"public\" or \"key\"", access.shown()))),
    });
    Ok(Layer {
        title: written.text("title")?.unwrap_or_else(|| name.to_string()),
        attribution: written.text("attribution")?,
        description: written.text("description")?,
        bounds: written.get("bounds").map(read_bounds).transpose()?,
        needs_key: access.transpose()?,
        name,
        minzoom,
        maxzoom,
        files: read_files(written, &style, base)?,
        style,
    })
}

/// East may lie west of west: such bounds cross the antimeridian.
fn read_bounds(written: &Written) -> Result<[f64; 4], LayersError> {
    let wanted = "west, south, east, north in degrees";
    let bounds @ [west, south, east, north] = written.numbers(wanted)?;
    let on_earth = |lon: f64| (-180.0..=360.0).contains(&lon);
    let are_bounds = on_earth(west) && on_earth(east) && west != east;
    if are_bounds && -90.0 <= south && south < north && north <= 90.0 {
        Ok(bounds)
    } else {
        Err(written.fault(format!("is {}, not {wanted}", written.shown())))
    }
}

fn read_files(written: &Members, style: &Style, base: &Root) -> Result<Files, LayersError> {
    let mut given = SOURCES
        .iter()
        .filter_map(|name| Some((*name, written.get(name)?)));
    let (Some((kind, source)), None) = (given.next(), given.next()) else {
        return Err(written.of().fault(ONE));
    };
    let assets = read_assets(&written.items("assets")?, style)?;
    match (kind, written.get("assets")) {
        ("url" | "sources", Some(listed)) if !listed.items()?.is_empty() => {
            return Err(listed.fault("stands beside no item and no mosaic"));
        }
        ("item", _) if assets.is_empty() => {
            let remedy = "has no assets: list some, or name them in the style's expression";
            return Err(source.fault(remedy));
        }
        _ => {}
    }
    Ok(match kind {
        "url" => Files::One(trusted(source, base)?),
        "sources" => Files::Named(read_sources(source, written, style, base)?),
        kind => {
            let files = ItemFiles {
                origin: Origin::of_operator(trusted(source, base)?),
                assets,
            };
            if kind == "item" {
                Files::Item(files)
            } else {
                Files::Mosaic(files)
            }
        }
    })
}

fn trusted(url: &Written, base: &Root) -> Result<Location, LayersError> {
    base.trusted(&url.text()?)
        .map_err(|error| url.fault(error.to_string()))
}

fn read_sources(
    sources: &Written,
    layer: &Members,
    style: &Style,
    base: &Root,
) -> Result<Vec<(BandName, Location)>, LayersError> {
    let members = sources.members()?;
    let mut named = Vec::new();
    for (name, url) in members.all() {
        let band = BandName::new(name).ok_or_else(|| url.fault("is no name of letters, digits and _"))?;
        named.push((band, trusted(url, base)?));
    }
    named.sort_by(|(a, _), (b, _)| a.as_str().cmp(b.as_str()));
    if named.is_empty() {
        return Err(sources.fault("names no file"));
    }
    if !matches!(style.bands, Some(Bands::Expression(_))) {
        let at = layer.get("style").unwrap_or(sources);
        return Err(at.fault("several sources need an expression, such as red;green;blue"));
    }
    Ok(named)
}

/// Assets that are listed, or else those that the style's expression names.
fn read_assets(listed: &[Written], style: &Style) -> Result<Assets, LayersError> {
    let of_asset = |written: &Written| {
        AssetChoice::parse(&written.text()?).map_err(|refused| written.fault(reason(written, &refused)))
    };
    Ok(match listed {
        [] => Assets::of_style(style),
        listed => Assets {
            listed: listed.iter().map(of_asset).collect::<Result<_, _>>()?,
            ..Assets::default()
        },
    })
}

/// A style in JSON is the query's, with numbers, booleans and arrays where they read better.
fn read_style(written: &Written) -> Result<Style, LayersError> {
    let members = written.members()?;
    let mut pairs = Vec::new();
    for (name, value) in members.all() {
        if !Style::PARAMETERS.contains(&name.as_str()) {
            let hint = slip_of(name).map_or_else(|| Style::PARAMETERS.join(", "), str::to_owned);
            return Err(value.fault(format!("is unknown: do you mean {hint}?")));
        }
        let unread = || value.fault(format!("is {}, not what this parameter takes", value.shown()));
        let values = as_texts(name, &value.value()?).ok_or_else(unread)?;
        pairs.extend(values.into_iter().map(|value| (name.clone(), value)));
    }
    Style::parse(&Query::of(pairs)).map_err(|refused| {
        let name = match &refused {
            Refused::Parameter { name, .. } => name,
            _ => "tilesize",
        };
        let at = members.get(name).unwrap_or(written);
        at.fault(reason(at, &refused))
    })
}

/// What a request would be told, of the value that stands here.
fn reason(at: &Written, refused: &Refused) -> String {
    match refused {
        Refused::Parameter { reason, .. } => format!("{} {reason}", at.shown()),
        other => other.to_string(),
    }
}

fn as_texts(name: &str, value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Object(_) | Value::Array(_) if matches!(name, "colormap" | "algorithm_params") => {
            Some(vec![value.to_string()])
        }
        Value::Array(items) if name == "rescale" && items.iter().all(Value::is_number) => {
            Some(vec![joined(items)?])
        }
        Value::Array(items) if matches!(name, "rescale" | "bidx") => items.iter().map(as_text).collect(),
        Value::Array(_) => None,
        value => Some(vec![as_text(value)?]),
    }
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        // 1.0 is a whole number to JSON Schema, and so to editors.
        Value::Number(number) => Some(match number.as_f64() {
            Some(whole) if number.is_f64() => whole.to_string(),
            _ => number.to_string(),
        }),
        Value::Bool(_) => Some(value.to_string()),
        Value::Array(items) => joined(items),
        Value::Null | Value::Object(_) => None,
    }
}

fn joined(items: &[Value]) -> Option<String> {
    let texts: Option<Vec<String>> = items
        .iter()
        .map(|item| item.as_number().and_then(|_| as_text(item)))
        .collect();
    texts.map(|texts| texts.join(","))
}
