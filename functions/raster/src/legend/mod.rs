//! What colours mean: the key of a styled band as values, and as a picture.
//!
//! Colours of a ramp are those that tiles have: 256 levels go through the same rescale, formula and colormap. Where a
//! colormap of values stands behind a rescale, its keys are levels, and are told as the values that become them.

mod font;
mod picture;

pub use picture::{Size, draw};

use crate::colour::{self, Colormap, ColourError, Picture, Rgba, Style};
use crate::samples::{DataType, Mask, Raster, Samples};

/// Levels of a ramp.
const LEVELS: usize = 256;

/// The key of a picture.
#[derive(Clone, Debug, PartialEq)]
pub enum Legend {
    /// Colours from the first value to the last, evenly spaced.
    Ramp {
        /// The values at both ends; the first may be the greater.
        range: (f64, f64),
        /// 256 colours, or those that an algorithm has.
        colours: Vec<Rgba>,
    },
    /// Colours with what each stands for.
    Classes(Vec<Class>),
}

/// One colour and what it stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// What it stands for.
    pub meaning: Meaning,
    /// The colour.
    pub colour: Rgba,
}

/// What a colour stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Meaning {
    /// One value.
    Value(f64),
    /// Values from the first on and below the second.
    Range(f64, f64),
    /// A band of the picture.
    Band(String),
}

impl Legend {
    /// The key of a style over one band of a type.
    pub fn of(style: &Style, data_type: DataType) -> Result<Self, ColourError> {
        let by_level = style.rescale.is_some() || style.formula.is_some();
        let classes = |entries: Vec<(Meaning, Rgba)>| {
            let of = |(meaning, colour)| Class { meaning, colour };
            Self::Classes(entries.into_iter().map(of).collect())
        };
        // Where levels stand for no other values, they are the values.
        let range = if by_level {
            levels_range(style, data_type)?
        } else {
            (0.0, 255.0)
        };
        let value = |level: f64| range.0 + (range.1 - range.0) * level / 255.0;
        Ok(match style.colormap {
            Some(Colormap::Discrete(entries)) => {
                let entry = |(key, colour): &(i64, Rgba)| (Meaning::Value(value(*key as f64)), *colour);
                classes(entries.iter().map(entry).collect())
            }
            Some(Colormap::Intervals(entries)) => {
                let entry = |([min, max], colour): &([f64; 2], Rgba)| {
                    (Meaning::Range(value(*min), value(*max)), *colour)
                };
                classes(entries.iter().map(entry).collect())
            }
            Some(ramp @ Colormap::Ramp(stops)) if !by_level => {
                let ends = stops.first().zip(stops.last());
                let (first, last) = ends.map_or((0.0, 1.0), |(first, last)| (first.0, last.0));
                let at = |level: usize| first + (last - first) * level as f64 / (LEVELS - 1) as f64;
                Self::Ramp {
                    range: (first, last),
                    colours: (0..LEVELS).map(|level| ramp.colour(at(level))).collect(),
                }
            }
            _ => Self::Ramp {
                range: levels_range(style, data_type)?,
                colours: rendered(style)?,
            },
        })
    }
}

/// The values that levels 0 and 255 stand for.
fn levels_range(style: &Style, data_type: DataType) -> Result<(f64, f64), ColourError> {
    if let Some(rescale) = style.rescale {
        return rescale.range(0, 1);
    }
    let range = style.default_range.map_or_else(
        || Ok(colour::type_range(data_type)),
        |range| range.range(0, 1).map(Some),
    )?;
    range.ok_or(ColourError::RescaleMissing(data_type.name()))
}

/// Every level in its colour.
fn rendered(style: &Style) -> Result<Vec<Rgba>, ColourError> {
    let levels = Raster {
        bands: 1,
        height: 1,
        width: LEVELS,
        samples: Samples::U8((0..=u8::MAX).collect()),
        mask: Mask::All,
    };
    let style = Style {
        rescale: None,
        default_range: None,
        ..*style
    };
    let picture: Picture = colour::render(&levels, &style)?;
    let rgba = picture.rgba().unwrap_or_else(|| {
        let rgb = picture.rgb();
        let opaque = |[r, g, b]: [u8; 3]| [r, g, b, 255];
        rgb.as_chunks::<3>().0.iter().copied().flat_map(opaque).collect()
    });
    Ok(rgba.as_chunks::<4>().0.to_vec())
}

/// Values between two others, in steps of 1, 2 or 5 times a power of ten, at most `most` steps; and decimals to write.
pub fn ticks((first, last): (f64, f64), most: usize) -> (Vec<f64>, usize) {
    let span = (last - first).abs();
    if !span.is_finite() || span <= 0.0 {
        return (Vec::new(), 0);
    }
    let rough = span / most.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|times| times * power)
        .find(|step| *step >= rough * (1.0 - 1e-9))
        .unwrap_or(10.0 * power);
    let (low, high) = (first.min(last), first.max(last));
    let slack = step * 1e-6;
    let from = ((low - slack) / step).ceil();
    let count = ((high + slack) / step).floor() - from;
    let values = (0..=count.clamp(0.0, most as f64 + 1.0) as usize).map(|at| (from + at as f64) * step);
    let values = values
        .filter(|value| (low - slack..=high + slack).contains(value))
        .collect();
    let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
    (values, decimals)
}

/// A number for people: as short as tells it from its neighbours `decimals` behind the point.
pub fn written(value: f64, decimals: usize) -> String {
    if value != 0.0 && !(1e-4..1e7).contains(&value.abs()) {
        return format!("{value:.3e}");
    }
    let text = format!("{value:.decimals$}");
    // No minus before what is rounded to zero.
    let is_zero = text
        .trim_start_matches('-')
        .bytes()
        .all(|b| matches!(b, b'0' | b'.'));
    if is_zero {
        text.trim_start_matches('-').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::Rescale;

    fn legend(style: &Style) -> Legend {
        Legend::of(style, DataType::U8).unwrap()
    }

    #[test]
    fn a_named_colormap_runs_over_the_rescale_in_the_colours_of_tiles() {
        let (map, range) = (Colormap::named("rdylgn").unwrap(), Rescale(vec![(-1.0, 1.0)]));
        let style = Style {
            colormap: Some(&map),
            rescale: Some(&range),
            ..Style::default()
        };
        let Legend::Ramp { range, colours } = legend(&style) else {
            panic!("no ramp")
        };
        assert_eq!((range, colours.len()), ((-1.0, 1.0), 256));
        assert_eq!(
            (colours[0], colours[127], colours[255]),
            ([165, 0, 38, 255], [254, 254, 189, 255], [0, 104, 55, 255])
        );
    }

    #[test]
    fn keys_behind_a_rescale_are_told_as_values() {
        let map = Colormap::parse_json(r##"[[[0, 51], "#ff0000"], [[51, 255], "#00ff00"]]"##).unwrap();
        let range = Rescale(vec![(0.0, 1000.0)]);
        let plain = legend(&Style {
            colormap: Some(&map),
            ..Style::default()
        });
        let behind = legend(&Style {
            colormap: Some(&map),
            rescale: Some(&range),
            ..Style::default()
        });
        let first = |legend: Legend| match legend {
            Legend::Classes(classes) => classes[0].clone(),
            Legend::Ramp { .. } => panic!("no classes"),
        };
        assert_eq!(first(plain).meaning, Meaning::Range(0.0, 51.0));
        assert_eq!(
            first(behind),
            Class {
                meaning: Meaning::Range(0.0, 200.0),
                colour: [255, 0, 0, 255]
            }
        );
    }

    #[test]
    fn a_ramp_of_values_ends_where_its_stops_do() {
        let map = Colormap::parse_json(r##"[[100, "#000000"], [300, "#ffffff"]]"##).unwrap();
        let Legend::Ramp { range, colours } = legend(&Style {
            colormap: Some(&map),
            ..Style::default()
        }) else {
            panic!("no ramp")
        };
        assert_eq!(
            (range, colours[0], colours[255]),
            ((100.0, 300.0), [0, 0, 0, 255], [255; 4])
        );
    }

    #[test]
    fn without_a_range_floats_have_no_key() {
        let of = |data_type| Legend::of(&Style::default(), data_type);
        assert!(of(DataType::F32).is_err());
        assert!(matches!(
            of(DataType::U16),
            Ok(Legend::Ramp {
                range: (0.0, 65_535.0),
                ..
            })
        ));
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks((-1.0, 1.0), 4), (vec![-1.0, -0.5, 0.0, 0.5, 1.0], 1));
        assert_eq!(ticks((0.0, 3000.0), 5), (vec![0.0, 1000.0, 2000.0, 3000.0], 0));
        assert_eq!(ticks((255.0, 0.0), 3).0, [0.0, 100.0, 200.0]);
        assert_eq!(ticks((5.0, 5.0), 3).0, [0.0; 0]);
        assert_eq!(
            (written(-0.04, 1), written(1e9, 0)),
            ("0.0".to_owned(), "1.000e9".to_owned())
        );
    }
}
