//! The `colormap` parameter's JSON.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::colormap::Rgba;
use super::{Colormap, ColourError};

/// Entries that a colormap may have: the values of an unsigned 16-bit band.
pub(super) const MAX_ENTRIES: usize = 65_536;

/// Parses a dictionary, intervals, or a ramp.
pub(super) fn parse(text: &str) -> Result<Colormap, ColourError> {
    let json = |error: serde_json::Error| ColourError::ColormapJson(error.to_string());
    if text.trim_start().starts_with('{') {
        let Entries(entries) = serde_json::from_str(text).map_err(json)?;
        return match entries.len() {
            0 => Err(ColourError::ColormapEmpty),
            size if size > MAX_ENTRIES => Err(ColourError::ColormapSize(size)),
            _ => dictionary(entries.iter().map(|(key, value)| (key.as_str(), value))),
        };
    }
    let value: Value = serde_json::from_str(text).map_err(json)?;
    let size = match &value {
        Value::Array(entries) => entries.len(),
        other => return Err(ColourError::ColormapForm(quoted(other))),
    };
    match (size, value) {
        (0, _) => Err(ColourError::ColormapEmpty),
        (MAX_ENTRIES.., _) if size > MAX_ENTRIES => Err(ColourError::ColormapSize(size)),
        (_, Value::Array(entries))
            if entries
                .iter()
                .all(|entry| entry.get(0).is_some_and(Value::is_array)) =>
        {
            entries
                .iter()
                .map(interval)
                .collect::<Result<_, _>>()
                .map(Colormap::Intervals)
        }
        (_, Value::Array(entries)) => ramp(&entries),
        (_, other) => Err(ColourError::ColormapForm(quoted(&other))),
    }
}

/// The members of an object as they are written: a key that stands twice is there twice.
struct Entries(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// A dictionary of whole values. One of exactly the bytes is a table.
fn dictionary<'a>(entries: impl Iterator<Item = (&'a str, &'a Value)>) -> Result<Colormap, ColourError> {
    let entry = |(key, value): (&str, &Value)| {
        let key = key
            .trim()
            .parse::<i64>()
            .map_err(|_| ColourError::ColormapForm(format!("the key {key:?}")))?;
        Ok((key, colour(value)?))
    };
    let mut entries = entries.map(entry).collect::<Result<Vec<(i64, Rgba)>, _>>()?;
    entries.sort_by_key(|entry| entry.0);
    if let Some([(twice, _), _]) = entries.array_windows().find(|[a, b]| a.0 == b.0) {
        return Err(ColourError::ColormapTwice(twice.to_string()));
    }
    if entries.iter().map(|entry| entry.0).eq(0..256) {
        let mut lut = Box::new([[0; 4]; 256]);
        lut.iter_mut()
            .zip(&entries)
            .for_each(|(colour, entry)| *colour = entry.1);
        return Ok(Colormap::Lut(lut));
    }
    Ok(Colormap::Discrete(entries))
}

fn interval(entry: &Value) -> Result<([f64; 2], Rgba), ColourError> {
    let form = || ColourError::ColormapForm(quoted(entry));
    let [bounds, value] = entry.as_array().map(Vec::as_slice).ok_or_else(form)? else {
        return Err(form());
    };
    let bounds = bounds.as_array().map(Vec::as_slice).ok_or_else(form)?;
    let [min, max] = bounds else { return Err(form()) };
    let (min, max) = min.as_f64().zip(max.as_f64()).ok_or_else(form)?;
    if max < min {
        return Err(ColourError::ColormapReversed(quoted(entry)));
    }
    Ok(([min, max], colour(value)?))
}

fn ramp(entries: &[Value]) -> Result<Colormap, ColourError> {
    let stop = |entry: &Value| {
        let form = || ColourError::ColormapForm(quoted(entry));
        let [at, value] = entry.as_array().map(Vec::as_slice).ok_or_else(form)? else {
            return Err(form());
        };
        Ok((at.as_f64().ok_or_else(form)?, colour(value)?))
    };
    let mut stops = entries
        .iter()
        .map(stop)
        .collect::<Result<Vec<(f64, Rgba)>, _>>()?;
    stops.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(Colormap::Ramp(stops))
}

/// `"#rgb"`, `"#rgba"`, `"#rrggbb"`, `"#rrggbbaa"`, `[r, g, b]` or `[r, g, b, a]`.
fn colour(value: &Value) -> Result<Rgba, ColourError> {
    let channels: Option<Vec<u8>> = match value {
        Value::String(text) => hexadecimal(text.trim()),
        Value::Array(channels) => channels
            .iter()
            .map(|channel| channel.as_u64()?.try_into().ok())
            .collect(),
        _ => None,
    };
    match channels.as_deref() {
        Some(&[r, g, b]) => Ok([r, g, b, 255]),
        Some(&[r, g, b, a]) => Ok([r, g, b, a]),
        _ => Err(ColourError::Colour(quoted(value))),
    }
}

fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text
        .strip_prefix('#')?
        .chars()
        .map(|digit| digit.to_digit(16).map(|digit| digit as u8))
        .collect();
    let digits = digits?;
    match digits.len() {
        3 | 4 => Some(digits.iter().map(|digit| digit * 17).collect()),
        6 | 8 => Some(
            digits
                .chunks_exact(2)
                .map(|pair| pair[0] * 16 + pair[1])
                .collect(),
        ),
        _ => None,
    }
}

/// The start of a value, to quote.
fn quoted(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 64 {
        text
    } else {
        text.chars().take(63).chain(['…']).collect()
    }
}
