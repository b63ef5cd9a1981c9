//! Coordinate reference systems: what a file says, and the way between it and WGS 84.
//!
//! Every source of a system (an EPSG code, GeoKeys, WKT, a PROJ string) becomes one [`Definition`]: a projection of an
//! ellipsoid, a prime meridian, units, the order and sense of the axes, and the ways from its datum to WGS 84. A
//! [`Crs`] runs that definition in both directions. Shifts that need a grid file are not among the ways; where
//! PROJ has its grids, it differs from us by the difference between grid and formula, a few metres at most.

mod registry;
mod definition;
mod ellipsoid;
mod units;
mod datum;
mod projection;
mod transverse_mercator;
pub mod geokeys;

use std::fmt;
use std::sync::Arc;

use definition::Definition;
pub use geokeys::GeoKeys;

/// What is wrong with a file's coordinate reference system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CrsError {
    /// The file says nothing: its owner must.
    #[error(
        "the file names no coordinate reference system; add one with `gdal_edit.py -a_srs EPSG:code file`"
    )]
    None,
    /// A building site, an image, a body without a place on Earth.
    #[error(
        "{0:?} is a local coordinate system without a place on Earth; reference the file to one that has"
    )]
    Local(String),
    /// Axes through the centre of the Earth.
    #[error("{0:?} is geocentric; warp the file to a projected or geographic system")]
    Geocentric(String),
    /// The Moon, Mars and the rest.
    #[error("{0:?} lies on another celestial body than Earth")]
    OtherPlanet(String),
    /// A code that the registry does not hold.
    #[error("EPSG:{0} is not among the known coordinate reference systems; warp the file to one that is")]
    UnknownCode(u32),
    /// A projection without formulae here.
    #[error("projection method {0:?} is not supported; warp the file to another projection")]
    UnsupportedMethod(String),
    /// Text or keys that do not make a system.
    #[error("the coordinate reference system is broken: {0}")]
    Malformed(String),
}

/// The cases that have a fast path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// EPSG:3857 and its older numbers.
    WebMercator,
    /// Longitude and latitude in degrees from Greenwich, on a datum that needs no shift.
    Wgs84,
    /// Anything else.
    Other,
}

/// A coordinate reference system on Earth. Cheap to clone.
#[derive(Clone)]
pub struct Crs(Arc<Inner>);

struct Inner {
    epsg: Option<u32>,
    name: String,
    definition: Definition,
}

impl fmt::Debug for Crs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Crs({:?}, {})", self.0.name, self.proj_string())
    }
}

impl Crs {
    /// The system that a code of the EPSG registry stands for. A compound system gives its horizontal part. Esri's
    /// codes for world and continental maps (53001…, 102001…) and the old numbers of web maps (900913, …) are known too.
    pub fn from_epsg(code: u32) -> Result<Self, CrsError> {
        let entry = registry::find(code)?;
        let definition = Definition::parse(entry.parameters, entry.base)?;
        Ok(Self::new(Some(entry.code), entry.name, definition))
    }

    /// The system that a file's GeoKeys describe.
    pub fn from_geokeys(keys: &GeoKeys) -> Result<Self, CrsError> {
        let code = keys
            .short(3072)
            .or_else(|| keys.short(2048))
            .ok_or(CrsError::None)?;
        Self::from_epsg(code.into())
    }

    /// The system that a PROJ string describes: `+proj=utm +zone=33 +datum=WGS84`.
    pub fn from_proj_string(text: &str) -> Result<Self, CrsError> {
        Ok(Self::new(None, "unnamed", Definition::parse(text, None)?))
    }

    fn new(epsg: Option<u32>, name: &str, definition: Definition) -> Self {
        Self(Arc::new(Inner {
            epsg,
            name: name.to_owned(),
            definition,
        }))
    }

    /// Longitude and latitude in degrees on WGS 84 → x (east), y (north) in the system's own units.
    ///
    /// None where the point cannot be projected.
    pub fn forward(&self, lon_deg: f64, lat_deg: f64) -> Option<(f64, f64)> {
        self.0.definition.forward(lon_deg, lat_deg)
    }

    /// x (east), y (north) in the system's own units → longitude and latitude in degrees on WGS 84.
    ///
    /// None where no point of the Earth lies there.
    pub fn inverse(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        self.0.definition.inverse(x, y)
    }

    /// Whether a fast path applies.
    pub fn kind(&self) -> Kind {
        self.0.definition.kind()
    }

    /// The code in the EPSG registry, where the file or the request named one.
    pub fn epsg(&self) -> Option<u32> {
        self.0.epsg
    }

    /// The name for people: `WGS 84 / UTM zone 33N`.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Whether x and y are angles.
    pub fn is_geographic(&self) -> bool {
        self.0.definition.is_geographic()
    }

    /// Units of x that lead once around the globe to the same place, for geographic systems and Web Mercator.
    pub fn turn(&self) -> Option<f64> {
        self.0.definition.turn()
    }

    /// Metres in one unit of x and y; for angles, along the equator.
    pub fn unit_to_metre(&self) -> f64 {
        self.0.definition.unit_to_metre()
    }

    /// The name of the unit of x and y: `metre`, `US survey foot`, `degree`, …
    pub fn unit_name(&self) -> &'static str {
        self.0.definition.unit_name()
    }

    /// The definition as a PROJ string, for `info`.
    pub fn proj_string(&self) -> String {
        self.0.definition.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mainstream_codes_have_their_kind_and_place() {
        let web = Crs::from_epsg(900_913).unwrap();
        assert_eq!(
            (web.kind(), web.epsg(), web.unit_name()),
            (Kind::WebMercator, Some(3857), "metre")
        );
        let (x, y) = web.forward(180.0, 85.051_128_779_806_59).unwrap();
        assert!((x - 20_037_508.342_789_244).abs() < 1e-6 && (y - 20_037_508.342_789_244).abs() < 1e-6);
        let plain = Crs::from_epsg(4326).unwrap();
        assert_eq!(
            (plain.kind(), plain.forward(7.5, -3.0)),
            (Kind::Wgs84, Some((7.5, -3.0)))
        );
        // PROJ 9.5.1, EPSG:32633.
        let utm = Crs::from_epsg(32633).unwrap();
        assert_eq!((utm.kind(), utm.name()), (Kind::Other, "WGS 84 / UTM zone 33N"));
        let (x, y) = utm.forward(16.0, 48.0).unwrap();
        assert!(
            (x - 574_595.112_486_034).abs() < 1e-6 && (y - 5_316_784.009_235_404).abs() < 1e-6,
            "{x} {y}"
        );
    }

    #[test]
    fn an_unknown_code_is_named() {
        assert_eq!(Crs::from_epsg(65_000).unwrap_err(), CrsError::UnknownCode(65_000));
        assert_eq!(Crs::from_epsg(0).unwrap_err(), CrsError::UnknownCode(0));
        assert_eq!(
            Crs::from_epsg(u32::MAX).unwrap_err(),
            CrsError::UnknownCode(u32::MAX)
        );
    }
}
