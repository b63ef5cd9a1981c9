//! Coordinate reference systems: what a file says, and the way between it and WGS 84.
//!
//! Every source of a system (an EPSG code, GeoKeys, WKT, a PROJ string) becomes one [`Definition`]: a projection of an
//! ellipsoid, a prime meridian, units, the order and sense of the axes, and the ways from its datum to WGS 84. A
//! [`Crs`] runs that definition in both directions. Shifts that need a grid file are not among the ways; where
//! PROJ has its grids, it differs from us by the difference between grid and formula, a few metres at most.

mod registry;
mod definition;
mod parameters;
mod ellipsoid;
mod units;
mod datum;
mod projection;
mod transverse_mercator;
mod new_zealand;
mod van_der_grinten;
mod colombia;
mod method;
mod wkt;
mod user_defined;
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
    /// How a file spells it out, where it has no code.
    keys: Option<GeoKeys>,
}

/// A system as a file describes it, before it is made of numbers.
struct Described {
    name: String,
    /// The geographic system of the registry on whose datum it stands.
    base: Option<u32>,
    /// PROJ parameters; of a registered system, those in which the file overrules the registry.
    parameters: String,
    /// Its code, where the registry has it.
    epsg: Option<u32>,
}

impl Described {
    fn registered(code: u32) -> Self {
        Self {
            name: String::new(),
            base: None,
            parameters: String::new(),
            epsg: Some(code),
        }
    }

    fn build(self) -> Result<Crs, CrsError> {
        match self.epsg {
            None => Ok(Crs::new(
                None,
                &self.name,
                Definition::parse(&self.parameters, None, self.base)?,
            )),
            Some(code) if self.parameters.is_empty() => Crs::from_epsg(code),
            Some(code) => {
                let known = Crs::from_epsg(code)?;
                let entry = registry::find(code)?;
                let text = format!("{} {}", self.parameters, entry.parameters);
                let definition = Definition::parse(&text, Some(entry.code), entry.base)?;
                let same = definition.unit_to_metre() == known.unit_to_metre();
                Ok(if same {
                    known
                } else {
                    Crs::new(None, &entry.name, definition)
                })
            }
        }
    }
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
        let definition = Definition::parse(&entry.parameters, Some(entry.code), entry.base)?;
        Ok(Self::new(Some(entry.code), &entry.name, definition))
    }

    /// The system that a file's GeoKeys describe: a code, every part by itself, or WKT in a citation. Vertical keys
    /// are ignored.
    pub fn from_geokeys(keys: &GeoKeys) -> Result<Self, CrsError> {
        let mut crs = user_defined::read(keys)?.build()?;
        if let (None, Some(inner)) = (crs.0.epsg, Arc::get_mut(&mut crs.0)) {
            inner.keys = Some(keys.clone());
        }
        Ok(crs)
    }

    /// How a file spells it out, where it is of a file and has no code.
    pub fn geo_keys(&self) -> Option<&GeoKeys> {
        self.0.keys.as_ref()
    }

    /// The system that well-known text of any dialect describes.
    pub fn from_wkt(text: &str) -> Result<Self, CrsError> {
        wkt::read(text)?.build()
    }

    /// The system that a PROJ string describes: `+proj=utm +zone=33 +datum=WGS84`.
    pub fn from_proj_string(text: &str) -> Result<Self, CrsError> {
        Ok(Self::new(None, "unnamed", Definition::parse(text, None, None)?))
    }

    /// The system that a person names: `EPSG:3857`, `3857`, `OGC:CRS84`, `urn:ogc:def:crs:EPSG::3857`,
    /// `http://www.opengis.net/def/crs/EPSG/0/3857`, any of these in brackets, a PROJ string, or WKT.
    pub fn from_user_input(text: &str) -> Result<Self, CrsError> {
        let text = text.trim();
        // A safe CURIE (OGC 20-058, clause 9): `[EPSG:3857]`.
        let curie = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        let text = curie.unwrap_or(text);
        let unknown = || {
            CrsError::Malformed(format!(
                "{:?} names no system",
                text.chars().take(80).collect::<String>()
            ))
        };
        if wkt::is_wkt(text) {
            return Self::from_wkt(text);
        }
        if text.contains("proj=") {
            return Self::from_proj_string(text);
        }
        let mut parts = text.rsplit([':', '/']);
        let last = parts.next().unwrap_or_default();
        if matches!(last.to_ascii_uppercase().as_str(), "CRS84" | "CRS84H") {
            return Self::from_epsg(4326);
        }
        // What stands before the code names the registry; between them may be a version.
        let registry = parts.find(|part| !part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
        match registry.map(str::to_ascii_uppercase).as_deref() {
            None | Some("EPSG" | "ESRI") => Self::from_epsg(last.parse().map_err(|_| unknown())?),
            _ => Err(unknown()),
        }
    }

    fn new(epsg: Option<u32>, name: &str, definition: Definition) -> Self {
        Self(Arc::new(Inner {
            epsg,
            name: name.to_owned(),
            definition,
            keys: None,
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

    /// The registry that has it and its code there: `EPSG`, or `ESRI` for codes beyond EPSG's, which end at 32767.
    pub fn authority(&self) -> Option<(&'static str, u32)> {
        let code = self.epsg()?;
        Some((if code <= 32_767 { "EPSG" } else { "ESRI" }, code))
    }

    /// Its address in the OGC's register.
    pub fn uri(&self) -> Option<String> {
        let (registry, code) = self.authority()?;
        Some(format!("http://www.opengis.net/def/crs/{registry}/0/{code}"))
    }

    /// Whether a fast path applies.
    pub fn kind(&self) -> Kind {
        self.0.definition.kind()
    }

    /// The code in the EPSG registry, where the file or the request named one.
    pub fn epsg(&self) -> Option<u32> {
        self.0.epsg
    }

    /// Whether coordinates of one are coordinates of the other: they have one code, or one definition.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self.epsg(), other.epsg()) {
            _ if Arc::ptr_eq(&self.0, &other.0) => true,
            (Some(own), Some(other)) => own == other,
            _ => self.proj_string() == other.proj_string(),
        }
    }

    /// Whether the EPSG registry gives its coordinates north (or latitude) first, as documents that name it by its URN do;
    /// here x, to the east, always comes first.
    pub fn is_north_first(&self) -> bool {
        self.0.epsg.is_some_and(registry::is_north_first)
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
mod golden;
#[cfg(test)]
mod tests;
