//! PROJ parameters: the common tongue in which the registry, GeoKeys, WKT and people describe a system here.
//!
//! They are PROJ's, plus three of our own: `proj=webmerc` is EPSG:3857, `angle=` gives the unit of a geographic system in
//! radians, and `method=` names a projection that PROJ strings cannot spell.

use super::CrsError;
use super::ellipsoid::{self, Ellipsoid};
use super::units::{self, DEGREE, Length, METRE};

/// The tokens of a PROJ string, with or without `+`.
pub(super) struct Parameters<'a>(Vec<(&'a str, &'a str)>);

/// What is said of datum, units and axes, so that `proj4rs` must not see it.
const OURS: [&str; 24] = [
    "datum",
    "ellps",
    "a",
    "b",
    "rf",
    "f",
    "R",
    "pm",
    "towgs84",
    "nadgrids",
    "units",
    "to_meter",
    "vunits",
    "vto_meter",
    "axis",
    "no_defs",
    "wktext",
    "type",
    "geoidgrids",
    "angle",
    "epsg",
    "over",
    "lon_wrap",
    "init",
];

impl<'a> Parameters<'a> {
    /// Splits a text.
    pub(super) fn parse(text: &'a str) -> Self {
        let tokens = text.split_whitespace().map(|token| {
            let token = token.trim_start_matches('+');
            token.split_once('=').unwrap_or((token, ""))
        });
        Self(tokens.collect())
    }

    /// The value of a key; empty for a flag.
    pub(super) fn get(&self, key: &str) -> Option<&'a str> {
        self.0
            .iter()
            .find(|(name, _)| *name == key)
            .map(|(_, value)| *value)
    }

    /// The number that a key gives.
    pub(super) fn number(&self, key: &str) -> Result<Option<f64>, CrsError> {
        let Some(text) = self.get(key) else {
            return Ok(None);
        };
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Some(value)),
            _ => Err(CrsError::Malformed(format!("{key}={text} is no number"))),
        }
    }

    /// The number that a key gives, or what holds without it.
    pub(super) fn number_or(&self, key: &str, default: f64) -> Result<f64, CrsError> {
        Ok(self.number(key)?.unwrap_or(default))
    }

    /// The scale at the origin, under each of its names.
    pub(super) fn scale(&self) -> Result<f64, CrsError> {
        Ok(self.number("k_0")?.or(self.number("k")?).unwrap_or(1.0))
    }

    /// Radians of a key in degrees, 0 without it.
    pub(super) fn radians(&self, key: &str) -> Result<f64, CrsError> {
        Ok(self.number_or(key, 0.0)?.to_radians())
    }

    /// Longitude and latitude of the origin, radians.
    pub(super) fn origin(&self) -> Result<(f64, f64), CrsError> {
        Ok((self.radians("lon_0")?, self.radians("lat_0")?))
    }

    /// False easting and northing, metres.
    pub(super) fn false_origin(&self) -> Result<(f64, f64), CrsError> {
        Ok((self.number_or("x_0", 0.0)?, self.number_or("y_0", 0.0)?))
    }

    /// The parameters of the projection alone, as a PROJ string.
    pub(super) fn projection(&self) -> String {
        self.spelt(|key| !OURS.contains(&key))
    }

    /// Units and order of axes as a PROJ string, for people.
    pub(super) fn presentation(&self) -> String {
        self.spelt(|key| matches!(key, "units" | "to_meter" | "axis"))
    }

    fn spelt(&self, wanted: impl Fn(&str) -> bool) -> String {
        let kept = self.0.iter().filter(|(key, _)| wanted(key));
        let tokens = kept.map(|(key, value)| {
            if value.is_empty() {
                format!("+{key}")
            } else {
                format!("+{key}={value}")
            }
        });
        tokens.collect::<Vec<_>>().join(" ")
    }

    /// The ellipsoid, where one is said; refused where it is not the Earth's.
    pub(super) fn ellipsoid(&self) -> Result<Option<Ellipsoid>, CrsError> {
        let found = if let Some(radius) = self.number("R")? {
            Some(Ellipsoid::from_axes(radius, radius)?)
        } else if let Some(name) = self.get("ellps") {
            let known = ellipsoid::named(name);
            Some(known.ok_or_else(|| CrsError::Malformed(format!("ellipsoid {name:?} is not known")))?)
        } else if let Some(a) = self.number("a")? {
            Some(match (self.number("b")?, self.number("rf")?, self.number("f")?) {
                (Some(b), _, _) => Ellipsoid::from_axes(a, b)?,
                (None, Some(rf), _) => Ellipsoid::from_rf(a, rf)?,
                (None, None, Some(f)) => Ellipsoid::from_axes(a, a * (1.0 - f))?,
                (None, None, None) => Ellipsoid::from_axes(a, a)?,
            })
        } else {
            None
        };
        match found {
            Some(figure) if !figure.on_earth() => Err(CrsError::OtherPlanet(format!(
                "a body with the radii {} m and {} m",
                figure.a, figure.b
            ))),
            found => Ok(found),
        }
    }

    /// Degrees of the prime meridian east of Greenwich: a number, or one of PROJ's names.
    pub(super) fn meridian(&self) -> Result<Option<f64>, CrsError> {
        let Some(text) = self.get("pm") else {
            return Ok(None);
        };
        let found = units::meridian_by_name(text).or_else(|| text.parse().ok());
        let found = found.filter(|degrees: &f64| degrees.abs() <= 180.0);
        found
            .map(Some)
            .ok_or_else(|| CrsError::Malformed(format!("prime meridian {text:?} is not known")))
    }

    /// The unit of length, where said twice as the number has it: a file's word stands before the registry's.
    pub(super) fn unit(&self) -> Result<Length, CrsError> {
        let unit = match (self.number("to_meter")?, self.get("units")) {
            (Some(metres), _) => units::length_of(metres),
            (None, Some(name)) => units::length_by_proj_name(name),
            (None, None) => Some(METRE),
        };
        unit.ok_or_else(|| CrsError::Malformed("the unit of length is not known".to_owned()))
    }

    /// Radians in the unit of a geographic system.
    pub(super) fn angle(&self) -> Result<f64, CrsError> {
        let angle = units::angle_of(self.number_or("angle", DEGREE)?);
        let sane = (1e-9..=10.0).contains(&angle);
        if sane {
            Ok(angle)
        } else {
            Err(CrsError::Malformed(format!(
                "no angular unit has {angle} radians"
            )))
        }
    }

    /// The geographic system of the registry behind one of PROJ's short words for a datum.
    pub(super) fn datum(&self) -> Result<Option<u32>, CrsError> {
        let Some(name) = self.get("datum") else {
            return Ok(None);
        };
        Ok(Some(match name.to_ascii_uppercase().as_str() {
            "WGS84" => 4326,
            "NAD83" => 4269,
            "NAD27" => 4267,
            "GGRS87" => 4121,
            "POTSDAM" => 4314,
            "CARTHAGE" => 4223,
            "HERMANNSKOGEL" => 4312,
            "IRE65" => 4299,
            "NZGD49" => 4272,
            "OSGB36" => 4277,
            _ => return Err(CrsError::Malformed(format!("datum {name:?} is not known"))),
        }))
    }
}
