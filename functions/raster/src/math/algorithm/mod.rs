//! Algorithms over the bands of a tile, by the names, parameters and formulae of TiTiler 2.4 (`titiler.core.algorithm`).
//!
//! Where a formula looks at neighbours the bands have [`Algorithm::margin_px`] pixels more on every side than the answer,
//! so that tiles meet without a seam. Whole numbers are rounded to the nearest, where TiTiler truncates.

mod relief;
mod height;
mod value;
mod across;

use thiserror::Error;

use crate::samples::{DataType, Mask, Raster, Samples};
use crate::with_samples;

/// One algorithm with its parameters.
#[derive(Clone, Debug)]
pub struct Algorithm {
    kind: &'static Kind,
    /// What was given and differs from the defaults, in the order of names.
    given: Vec<(&'static str, f64)>,
}

/// What is known of an algorithm before its parameters.
#[derive(Debug)]
pub struct Kind {
    /// Its name in requests.
    pub name: &'static str,
    /// What it does.
    pub title: &'static str,
    /// The bands that it needs at least.
    pub bands: usize,
    /// What it can be told.
    pub parameters: &'static [Parameter],
    /// Pixels around the answer that its formula looks at.
    margin_px: usize,
    apply: fn(&Algorithm, &Raster, &Surroundings) -> Raster,
}

/// A number that an algorithm can be told.
#[derive(Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its value where nothing is said, if it then has one.
    pub default: Option<f64>,
    /// The least value.
    pub least: f64,
    /// The greatest value.
    pub most: f64,
    /// Whether only whole numbers are meant.
    pub is_whole: bool,
}

/// What an algorithm cannot know of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Surroundings {
    /// The distance from column to column in the unit of heights, for each row of the answer.
    pub across: Vec<f64>,
    /// The distance from row to row.
    pub down: f64,
    /// The 256 colours of [`Algorithm::colormap`], if there is one: red, green, blue, opacity.
    pub colours: Vec<[u8; 4]>,
}

/// An algorithm that cannot be meant.
#[derive(Clone, Debug, Error, PartialEq)]
#[expect(missing_docs, reason = "the messages say it all")]
pub enum AlgorithmError {
    #[error("is none of {}", names())]
    Unknown,
    #[error("names {name}, which {algorithm} does not have: {known}")]
    NoParameter {
        name: String,
        algorithm: &'static str,
        known: String,
    },
    #[error("gives {name} a value that is no {} from {least} to {most}", if *.is_whole { "whole number" } else { "number" })]
    Value {
        name: &'static str,
        least: f64,
        most: f64,
        is_whole: bool,
    },
    #[error("has a minz that is not below maxz")]
    NoRange,
    #[error("{algorithm} needs {needs} bands and is given {given}")]
    Bands {
        algorithm: &'static str,
        needs: usize,
        given: usize,
    },
}

const fn number(name: &'static str, default: Option<f64>, least: f64, most: f64) -> Parameter {
    Parameter {
        name,
        default,
        least,
        most,
        is_whole: false,
    }
}

const fn whole(name: &'static str, default: f64, least: f64, most: f64) -> Parameter {
    Parameter {
        is_whole: true,
        ..number(name, Some(default), least, most)
    }
}

const BUFFER: Parameter = whole("buffer", 3.0, 0.0, 99.0);
const Z_EXAGGERATION: Parameter = number("z_exaggeration", Some(1.0), 1e-6, 1e6);
const NODATA_HEIGHT: Parameter = number("nodata_height", None, -99_999.0, 99_999.0);

/// An algorithm without parameters that looks at one pixel at a time.
const fn plain(
    name: &'static str,
    title: &'static str,
    bands: usize,
    apply: fn(&Algorithm, &Raster, &Surroundings) -> Raster,
) -> Kind {
    Kind {
        name,
        title,
        bands,
        parameters: &[],
        margin_px: 0,
        apply,
    }
}

/// All algorithms, in TiTiler's order.
pub static ALL: &[Kind] = &[
    Kind {
        parameters: &[
            whole("azimuth", 45.0, 0.0, 360.0),
            number("angle_altitude", Some(45.0), -90.0, 90.0),
            BUFFER,
            Z_EXAGGERATION,
        ],
        margin_px: 1,
        ..plain("hillshade", "Shade of heights under a sun", 1, relief::hillshade)
    },
    Kind {
        parameters: &[BUFFER, Z_EXAGGERATION],
        margin_px: 1,
        ..plain("slope", "Slope of heights, in degrees", 1, relief::slope)
    },
    Kind {
        parameters: &[
            whole("increment", 35.0, 0.0, 999.0),
            whole("thickness", 1.0, 0.0, 10.0),
            whole("minz", -12_000.0, -99_999.0, 99_999.0),
            whole("maxz", 8_000.0, -99_999.0, 99_999.0),
        ],
        ..plain(
            "contours",
            "Heights in colours with contour lines",
            1,
            height::contours,
        )
    },
    plain(
        "normalizedIndex",
        "Normalised difference of the second and the first band",
        2,
        across::normalized_index,
    ),
    Kind {
        parameters: &[NODATA_HEIGHT],
        ..plain(
            "terrarium",
            "Heights in Mapzen's Terrarium encoding",
            1,
            height::terrarium,
        )
    },
    Kind {
        parameters: &[
            number("interval", Some(0.1), 1e-6, 1.0),
            number("baseval", Some(-10_000.0), -99_999.0, 99_999.0),
            NODATA_HEIGHT,
        ],
        ..plain(
            "terrainrgb",
            "Heights in Mapbox's Terrain-RGB encoding",
            1,
            height::terrain_rgb,
        )
    },
    plain("cast", "Values as bytes", 1, value::cast),
    plain("ceil", "Values as bytes, rounded up", 1, value::ceil),
    plain("floor", "Values as bytes, rounded down", 1, value::floor),
    plain("min", "The least of the bands", 1, across::min),
    plain("max", "The greatest of the bands", 1, across::max),
    plain("median", "The median of the bands", 1, across::median),
    plain("mean", "The mean of the bands", 1, across::mean),
    plain(
        "std",
        "The standard deviation of the bands (of a sample)",
        1,
        across::std,
    ),
    plain("var", "The variance of the bands (of a sample)", 1, across::var),
    plain("sum", "The sum of the bands", 1, across::sum),
    plain(
        "grayscale",
        "Luma of red, green and blue, ITU-R BT.601",
        3,
        value::grayscale,
    ),
    plain(
        "bitonal",
        "White above 127, black below, of the luma or the one band",
        1,
        value::bitonal,
    ),
];

/// The names of all algorithms.
fn names() -> String {
    ALL.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ")
}

impl Algorithm {
    /// The algorithm of a name, told some parameters; the others have their defaults.
    pub fn new<'a>(
        name: &str,
        told: impl IntoIterator<Item = (&'a str, f64)>,
    ) -> Result<Self, AlgorithmError> {
        let kind = ALL.iter().find(|kind| kind.name == name);
        let kind = kind.ok_or(AlgorithmError::Unknown)?;
        let mut given = Vec::new();
        for (name, value) in told {
            let parameter = kind.parameters.iter().find(|parameter| parameter.name == name);
            let parameter = parameter.ok_or_else(|| kind.without(name))?;
            let &Parameter {
                name,
                least,
                most,
                is_whole,
                ..
            } = parameter;
            if !(least..=most).contains(&value) || is_whole && value.fract() != 0.0 {
                return Err(AlgorithmError::Value {
                    name,
                    least,
                    most,
                    is_whole,
                });
            }
            given.retain(|(known, _)| *known != name);
            if parameter.default != Some(value) {
                given.push((name, value));
            }
        }
        given.sort_by_key(|(name, _)| *name);
        let algorithm = Self { kind, given };
        let range = algorithm.value("minz").zip(algorithm.value("maxz"));
        if range.is_some_and(|(minz, maxz)| minz >= maxz) {
            return Err(AlgorithmError::NoRange);
        }
        Ok(algorithm)
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.kind.name
    }

    /// The parameters that are not at their defaults, in the order of names.
    pub fn given(&self) -> &[(&'static str, f64)] {
        &self.given
    }

    /// Pixels on every side that the bands must have more than the answer.
    pub fn margin_px(&self) -> usize {
        self.kind.margin_px
    }

    /// Whether it says what stands where there is no data, so that every answer is full.
    pub fn fills_holes(&self) -> bool {
        self.value("nodata_height").is_some()
    }

    /// The colormap whose colours it needs.
    pub fn colormap(&self) -> Option<&'static str> {
        (self.kind.name == "contours").then_some("terrain")
    }

    /// The heights of the first and the last colour of its own, where its answer is in colours.
    pub fn coloured_range(&self) -> Option<(f64, f64)> {
        self.colormap()?;
        self.value("minz").zip(self.value("maxz"))
    }

    /// Whether its answer's red, green and blue are digits of one number.
    pub fn is_encoding(&self) -> bool {
        matches!(self.kind.name, "terrainrgb" | "terrarium")
    }

    /// Pixels that TiTiler cuts off on every side: of a request's own buffer, so much is not for the answer.
    pub fn buffer_px(&self) -> u32 {
        self.value("buffer").unwrap_or(0.0) as u32
    }

    /// The answer, [`Self::margin_px`] smaller on every side than `bands`. `around` is told of the answer's pixels.
    pub fn run(&self, bands: &Raster, around: &Surroundings) -> Result<Raster, AlgorithmError> {
        if bands.bands < self.kind.bands {
            return Err(AlgorithmError::Bands {
                algorithm: self.kind.name,
                needs: self.kind.bands,
                given: bands.bands,
            });
        }
        Ok((self.kind.apply)(self, bands, around))
    }

    /// What a parameter is, given or by default.
    fn value(&self, name: &str) -> Option<f64> {
        let given = self.given.iter().find(|(known, _)| *known == name);
        let default = || {
            let parameters = &mut self.kind.parameters.iter();
            parameters.find(|parameter| parameter.name == name)?.default
        };
        given.map(|(_, value)| *value).or_else(default)
    }
}

impl PartialEq for Algorithm {
    fn eq(&self, other: &Self) -> bool {
        self.kind.name == other.kind.name && self.given == other.given
    }
}

impl Kind {
    fn without(&self, name: &str) -> AlgorithmError {
        let names: Vec<_> = self.parameters.iter().map(|parameter| parameter.name).collect();
        AlgorithmError::NoParameter {
            name: name.chars().filter(|c| !c.is_control()).take(32).collect(),
            algorithm: self.name,
            known: match names.as_slice() {
                [] => "it has none".to_owned(),
                names => format!("it has {}", names.join(", ")),
            },
        }
    }
}

/// The samples of a band `[height, width]`.
#[expect(clippy::unnecessary_cast, reason = "the macro writes an arm for each type")]
fn plane(raster: &Raster, band: usize) -> Vec<f64> {
    let area = raster.height * raster.width;
    with_samples!(&raster.samples, values => {
        values[band * area..][..area].iter().map(|value| *value as f64).collect()
    })
}

/// The mask of a band `[height, width]`; `None` where everything holds data.
fn mask_of(raster: &Raster, band: usize) -> Option<Vec<u8>> {
    let area = raster.height * raster.width;
    match &raster.mask {
        Mask::All => None,
        Mask::Shared(mask) => Some(mask.clone()),
        Mask::PerBand(masks) => Some(masks[band * area..][..area].to_vec()),
    }
}

/// One mask for all bands.
fn shared(mask: Option<Vec<u8>>) -> Mask {
    mask.map_or(Mask::All, Mask::Shared)
}

/// Numbers in a type; those beyond its range become its ends.
fn samples_of(values: &[f64], data_type: DataType) -> Samples {
    macro_rules! of {
        ($($variant:ident: $kind:ty),*) => {
            match data_type {
                $(DataType::$variant => Samples::$variant(values.iter().map(|value| *value as $kind).collect()),)*
            }
        };
    }
    of!(U8: u8, I8: i8, U16: u16, I16: i16, U32: u32, I32: i32, U64: u64, I64: i64, F32: f32, F64: f64)
}

/// Whether a type holds fractions.
fn is_float(data_type: DataType) -> bool {
    matches!(data_type, DataType::F32 | DataType::F64)
}

#[cfg(test)]
mod tests;
