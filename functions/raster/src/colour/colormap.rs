//! Values → colours, by table, exact value, interval or ramp.

use super::{ColourError, json, named};

/// Red, green, blue, alpha.
pub type Rgba = [u8; 4];

/// A colour for each byte.
pub type Lut = Box<[Rgba; 256]>;

/// How the values of one band become colours.
#[derive(Clone, Debug, PartialEq)]
pub enum Colormap {
    /// A colour for each of 0..=255.
    Lut(Lut),
    /// Colours of exact whole values, sorted; any other value is transparent.
    Discrete(Vec<(i64, Rgba)>),
    /// Colours of half-open intervals `[min, max)`; of several that hold a value the last wins; outside all is transparent.
    Intervals(Vec<([f64; 2], Rgba)>),
    /// Colours at values, sorted; linear between, the end colours beyond.
    Ramp(Vec<(f64, Rgba)>),
}

impl Colormap {
    /// A named colormap (matplotlib's, cmocean's and rio-tiler's); with `_r` reversed.
    pub fn named(name: &str) -> Option<Self> {
        named::find(name)
    }

    /// Every name that [`Self::named`] knows in TiTiler's spelling.
    pub fn names() -> impl Iterator<Item = String> {
        named::names()
    }

    /// Parses the `colormap` parameter: `{"0": "#ff0000", "1": [0, 255, 0, 128]}`, intervals
    /// `[[[0, 1], "#ff0000"], …]` or a ramp `[[0, "#ff0000"], [10, "#0000ff"], …]`.
    pub fn parse_json(text: &str) -> Result<Self, ColourError> {
        json::parse(text)
    }

    /// The colour of a value; transparent where it has none.
    pub fn colour(&self, value: f64) -> Rgba {
        const NONE: Rgba = [0; 4];
        match self {
            Self::Lut(lut) => lut[value.clamp(0.0, 255.0) as usize],
            Self::Discrete(entries) => {
                let key = value as i64;
                let found = entries.binary_search_by_key(&key, |entry| entry.0);
                found
                    .ok()
                    .filter(|_| key as f64 == value)
                    .map_or(NONE, |at| entries[at].1)
            }
            Self::Intervals(entries) => {
                let holds = |([min, max], _): &&([f64; 2], Rgba)| value >= *min && value < *max;
                entries.iter().rev().find(holds).map_or(NONE, |entry| entry.1)
            }
            Self::Ramp(stops) => ramp(stops, value),
        }
    }

    /// The colours of all bytes.
    pub fn lut(&self) -> Lut {
        match self {
            Self::Lut(lut) => lut.clone(),
            other => {
                let mut lut = Box::new([[0; 4]; 256]);
                for (value, colour) in lut.iter_mut().enumerate() {
                    *colour = other.colour(value as f64);
                }
                lut
            }
        }
    }
}

fn ramp(stops: &[(f64, Rgba)], value: f64) -> Rgba {
    let above = stops.partition_point(|stop| stop.0 <= value);
    let (Some(&(low, from)), Some(&(high, to))) = (stops.get(above.wrapping_sub(1)), stops.get(above)) else {
        let end = if above == 0 { stops.first() } else { stops.last() };
        return end.filter(|_| !value.is_nan()).map_or([0; 4], |stop| stop.1);
    };
    let share = (value - low) / (high - low);
    std::array::from_fn(|channel| {
        let (from, to) = (f64::from(from[channel]), f64::from(to[channel]));
        (from + (to - from) * share).round() as u8
    })
}
