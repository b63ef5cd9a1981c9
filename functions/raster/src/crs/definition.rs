//! A coordinate reference system as numbers: read from PROJ parameters, run in both directions.
//!
//! The parameters are PROJ's, plus three of our own: `proj=webmerc` is EPSG:3857, `angle=` gives the unit of a
//! geographic system in radians, and `method=` names a projection that PROJ strings cannot spell.

use std::f64::consts::TAU;
use std::fmt;

use super::colombia::ColombiaUrban;
use super::datum::Datum;
use super::ellipsoid::{self, Ellipsoid, WGS84};
use super::new_zealand::MapGrid;
use super::projection::{Pair, Projection};
use super::transverse_mercator::TransverseMercator;
use super::units::{self, DEGREE, Length, METRE};
use super::van_der_grinten::VanDerGrinten;
use super::{CrsError, Kind, registry};

/// Everything between WGS 84 and a system's x and y.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    datum: Datum,
    /// Degrees east of Greenwich.
    meridian: f64,
    system: System,
    axes: Axes,
    /// The parameters of the projection, for people.
    text: String,
}

#[derive(Clone, Debug)]
enum System {
    /// Longitude and latitude, in a unit of so many radians.
    Geographic(f64),
    /// Easting and northing, in a unit of length.
    Projected(Projection, Length),
}

/// What the system's first and second coordinates are, in terms of east and north.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Axes {
    /// The first is north or south, the second east or west.
    swapped: bool,
    /// Sign of the first and of the second.
    signs: [f64; 2],
}

/// The tokens of a PROJ string.
struct Parameters<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Parameters<'a> {
    fn parse(text: &'a str) -> Self {
        let tokens = text.split_whitespace().map(|token| {
            let token = token.trim_start_matches('+');
            token.split_once('=').unwrap_or((token, ""))
        });
        Self(tokens.collect())
    }

    fn get(&self, key: &str) -> Option<&'a str> {
        self.0
            .iter()
            .find(|(name, _)| *name == key)
            .map(|(_, value)| *value)
    }

    fn number(&self, key: &str) -> Result<Option<f64>, CrsError> {
        let Some(text) = self.get(key) else {
            return Ok(None);
        };
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Some(value)),
            _ => Err(CrsError::Malformed(format!("{key}={text} is no number"))),
        }
    }

    fn number_or(&self, key: &str, default: f64) -> Result<f64, CrsError> {
        Ok(self.number(key)?.unwrap_or(default))
    }

    /// The scale at the origin, under each of its names.
    fn scale(&self) -> Result<f64, CrsError> {
        Ok(self.number("k_0")?.or(self.number("k")?).unwrap_or(1.0))
    }
}

/// What [`Definition`] reads itself, so that `proj4rs` must not see it.
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

impl Definition {
    /// Reads PROJ parameters, with or without `+`. `base` is the geographic system of the registry on whose datum
    /// the system stands, `code` its own number there.
    pub(super) fn parse(text: &str, code: Option<u32>, base: Option<u32>) -> Result<Self, CrsError> {
        let own = Parameters::parse(text);
        if let Some(method) = own.get("method") {
            return Err(CrsError::UnsupportedMethod(method.replace('_', " ")));
        }
        let entry = base.map(registry::find).transpose()?;
        let ground = Parameters::parse(entry.as_ref().map_or("", |entry| entry.parameters));
        let datum = read_datum(&own, &ground, code, base)?;
        let pm = own.get("pm").or(ground.get("pm"));
        let system = read_system(&own, datum.ellipsoid())?;
        Ok(Self {
            meridian: pm.map_or(Ok(0.0), read_meridian)?,
            axes: Axes::parse(own.get("axis").unwrap_or("enu"))?,
            text: projection_text(&own),
            datum,
            system,
        })
    }

    /// Degrees on WGS 84 → the system's x and y.
    pub(super) fn forward(&self, lon_deg: f64, lat_deg: f64) -> Option<(f64, f64)> {
        if !(lat_deg.abs() <= 90.0 && lon_deg.abs() <= 720.0) {
            return None;
        }
        let (lon, lat) = self.datum.wgs84_to_datum(lon_deg, lat_deg);
        let lon = lon - self.meridian;
        let (east, north) = match &self.system {
            System::Geographic(unit) => (lon * (DEGREE / unit), lat * (DEGREE / unit)),
            System::Projected(projection, unit) => {
                let (x, y) = projection.forward(lon.to_radians(), lat.to_radians())?;
                (x / unit.metres, y / unit.metres)
            }
        };
        Some(self.axes.east_north_to_xy(east, north))
    }

    /// The system's x and y → degrees on WGS 84.
    pub(super) fn inverse(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        let (east, north) = self.axes.xy_to_east_north(x, y);
        let (lon, lat) = match &self.system {
            System::Geographic(unit) => (east * (unit / DEGREE), north * (unit / DEGREE)),
            System::Projected(projection, unit) => {
                let (lon, lat) = projection.inverse(east * unit.metres, north * unit.metres)?;
                (lon.to_degrees(), lat.to_degrees())
            }
        };
        let lon = lon + self.meridian;
        // Grids of pixel centres reach half a pixel beyond the poles.
        (lat.abs() <= 95.0 && lon.abs() <= 720.0)
            .then(|| self.datum.datum_to_wgs84(lon, lat.clamp(-90.0, 90.0)))
    }

    pub(super) fn kind(&self) -> Kind {
        match &self.system {
            System::Projected(Projection::WebMercator, _) => Kind::WebMercator,
            System::Geographic(unit)
                if *unit == DEGREE
                    && self.meridian == 0.0
                    && self.datum.is_unshifted()
                    && self.axes == Axes::EAST_NORTH =>
            {
                Kind::Wgs84
            }
            _ => Kind::Other,
        }
    }

    pub(super) fn is_geographic(&self) -> bool {
        matches!(self.system, System::Geographic(_))
    }

    /// Units of x that lead once around the globe to the same place, where x is proportional to longitude.
    pub(super) fn turn(&self) -> Option<f64> {
        match (self.kind(), &self.system) {
            (Kind::WebMercator, _) => Some(TAU * WGS84.a),
            (_, System::Geographic(unit)) => Some(TAU / unit),
            _ => None,
        }
    }

    pub(super) fn unit_to_metre(&self) -> f64 {
        match &self.system {
            System::Geographic(unit) => unit * self.datum.ellipsoid().a,
            System::Projected(_, unit) => unit.metres,
        }
    }

    pub(super) fn unit_name(&self) -> &'static str {
        match &self.system {
            System::Geographic(unit) => units::angle_name(*unit),
            System::Projected(_, unit) => unit.name,
        }
    }
}

impl fmt::Display for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ellipsoid { a, b } = self.datum.ellipsoid();
        write!(f, "{} +a={a} +b={b}", self.text)?;
        if let Some(values) = self.datum.towgs84() {
            write!(
                f,
                " +towgs84={}",
                values.map(|value| format!("{value:.6}")).join(",")
            )?;
        }
        if self.meridian != 0.0 {
            write!(f, " +pm={}", self.meridian)?;
        }
        Ok(())
    }
}

/// The projection's own parameters with their `+`.
fn projection_text(own: &Parameters) -> String {
    let token = |(key, value): &(&str, &str)| match *value {
        "" => format!("+{key}"),
        _ => format!("+{key}={value}"),
    };
    let mut shown: Vec<String> = own
        .0
        .iter()
        .filter(|(key, _)| !OURS.contains(key))
        .map(token)
        .collect();
    if own.get("proj").is_none() {
        shown.insert(0, "+proj=longlat".to_owned());
    }
    shown.extend(
        own.0
            .iter()
            .filter(|(key, _)| matches!(*key, "units" | "to_meter" | "axis"))
            .map(token),
    );
    shown.join(" ")
}

/// The ellipsoid and the ways to WGS 84: said by the system itself, or by its base.
fn read_datum(
    own: &Parameters,
    ground: &Parameters,
    code: Option<u32>,
    base: Option<u32>,
) -> Result<Datum, CrsError> {
    // PROJ's own short words for a datum, as the registry's geographic system on it.
    let named = match own.get("datum") {
        None => None,
        Some(name) => Some(match name.to_ascii_uppercase().as_str() {
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
        }),
    };
    let base = named.or(base);
    let ellipsoid = match (read_ellipsoid(own)?, named) {
        (Some(ellipsoid), _) => ellipsoid,
        (None, Some(code)) => {
            read_ellipsoid(&Parameters::parse(registry::find(code)?.parameters))?.unwrap_or(WGS84)
        }
        (None, None) => read_ellipsoid(ground)?.unwrap_or(WGS84),
    };
    if let Some(text) = own.get("towgs84") {
        let values: Result<Vec<f64>, _> = text.split(',').map(|value| value.trim().parse()).collect();
        let values = values.map_err(|_| CrsError::Malformed(format!("towgs84={text} holds no numbers")))?;
        return Datum::with_towgs84(ellipsoid, &values);
    }
    Ok(match base {
        Some(base) => Datum::registered(ellipsoid, code, base),
        None => Datum::unshifted(ellipsoid),
    })
}

fn read_ellipsoid(parameters: &Parameters) -> Result<Option<Ellipsoid>, CrsError> {
    let found = if let Some(radius) = parameters.number("R")? {
        Some(Ellipsoid::from_axes(radius, radius)?)
    } else if let Some(name) = parameters.get("ellps") {
        let known = ellipsoid::named(name);
        Some(known.ok_or_else(|| CrsError::Malformed(format!("ellipsoid {name:?} is not known")))?)
    } else if let Some(a) = parameters.number("a")? {
        Some(
            match (
                parameters.number("b")?,
                parameters.number("rf")?,
                parameters.number("f")?,
            ) {
                (Some(b), _, _) => Ellipsoid::from_axes(a, b)?,
                (None, Some(rf), _) => Ellipsoid::from_rf(a, rf)?,
                (None, None, Some(f)) => Ellipsoid::from_axes(a, a * (1.0 - f))?,
                (None, None, None) => Ellipsoid::from_axes(a, a)?,
            },
        )
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

/// Degrees east of Greenwich: a number, or one of PROJ's names.
fn read_meridian(text: &str) -> Result<f64, CrsError> {
    let found = units::meridian_by_name(text).or_else(|| text.parse().ok());
    found
        .filter(|degrees: &f64| degrees.abs() <= 180.0)
        .ok_or_else(|| CrsError::Malformed(format!("prime meridian {text:?} is not known")))
}

fn read_system(own: &Parameters, ellipsoid: &Ellipsoid) -> Result<System, CrsError> {
    let method = own.get("proj").unwrap_or("longlat");
    let unit = read_unit(own)?;
    let radians = |key| Ok(own.number_or(key, 0.0)?.to_radians());
    let projection = match method {
        "longlat" | "latlong" | "latlon" | "lonlat" => {
            let angle = units::angle_of(own.number_or("angle", DEGREE)?);
            return if angle.is_finite() && (1e-9..=10.0).contains(&angle) {
                Ok(System::Geographic(angle))
            } else {
                Err(CrsError::Malformed(format!(
                    "no angular unit has {angle} radians"
                )))
            };
        }
        "geocent" | "cart" => return Err(CrsError::Geocentric("geocentric".to_owned())),
        "webmerc" => Projection::WebMercator,
        "merc" if is_web_mercator(own)? => Projection::WebMercator,
        "utm" => {
            let zone = own.number_or("zone", 0.0)?;
            if !(1.0..=60.0).contains(&zone) {
                return Err(CrsError::Malformed(format!("there is no UTM zone {zone}")));
            }
            let north = if own.get("south").is_some() {
                10_000_000.0
            } else {
                0.0
            };
            let lon_0 = (zone * 6.0 - 183.0).to_radians();
            Projection::TransverseMercator(Box::new(TransverseMercator::new(
                ellipsoid, lon_0, 0.0, 0.9996, 500_000.0, north,
            )))
        }
        "tmerc" | "etmerc" => Projection::TransverseMercator(Box::new(TransverseMercator::new(
            ellipsoid,
            radians("lon_0")?,
            radians("lat_0")?,
            own.scale()?,
            own.number_or("x_0", 0.0)?,
            own.number_or("y_0", 0.0)?,
        ))),
        "nzmg" => Projection::NewZealand(MapGrid::new(
            ellipsoid,
            radians("lon_0")?,
            radians("lat_0")?,
            own.number_or("x_0", 0.0)?,
            own.number_or("y_0", 0.0)?,
        )),
        "vandg" => Projection::VanDerGrinten(VanDerGrinten::new(
            ellipsoid,
            radians("lon_0")?,
            own.number_or("x_0", 0.0)?,
            own.number_or("y_0", 0.0)?,
        )),
        "col_urban" => Projection::ColombiaUrban(ColombiaUrban::new(
            ellipsoid,
            (radians("lon_0")?, radians("lat_0")?),
            (own.number_or("x_0", 0.0)?, own.number_or("y_0", 0.0)?),
            own.number_or("h_0", 0.0)?,
        )),
        _ => Projection::Other(Box::new(Pair::new(&pair_text(own), ellipsoid)?)),
    };
    Ok(System::Projected(projection, unit))
}

/// The parameters that `proj4rs` is given.
fn pair_text(own: &Parameters) -> String {
    let kept = own.0.iter().filter(|(key, _)| !OURS.contains(key));
    let tokens = kept.map(|(key, value)| {
        if value.is_empty() {
            format!("+{key}")
        } else {
            format!("+{key}={value}")
        }
    });
    tokens.collect::<Vec<_>>().join(" ")
}

/// The PROJ 4 spelling of EPSG:3857: a sphere of WGS 84's radius, with its longitudes and latitudes unshifted.
fn is_web_mercator(own: &Parameters) -> Result<bool, CrsError> {
    let zero = |key| Ok::<bool, CrsError>(own.number_or(key, 0.0)? == 0.0);
    Ok(own.number("a")? == Some(WGS84.a)
        && own.number("b")? == Some(WGS84.a)
        && (zero("lat_ts")? && zero("lon_0")? && zero("x_0")? && zero("y_0")? && own.scale()? == 1.0)
        && own.get("units").is_none_or(|unit| unit == "m"))
}

fn read_unit(own: &Parameters) -> Result<Length, CrsError> {
    let unit = match (own.number("to_meter")?, own.get("units")) {
        (Some(metres), _) => units::length_of(metres),
        (None, Some(name)) => units::length_by_proj_name(name),
        (None, None) => Some(METRE),
    };
    unit.ok_or_else(|| CrsError::Malformed("the unit of length is not known".to_owned()))
}

impl Axes {
    const EAST_NORTH: Self = Self {
        swapped: false,
        signs: [1.0, 1.0],
    };

    /// PROJ's three letters, of which the third is the height.
    fn parse(text: &str) -> Result<Self, CrsError> {
        let broken = || CrsError::Malformed(format!("axis={text} is no order of axes"));
        let mut letters = text.chars();
        let (Some(first), Some(second)) = (letters.next(), letters.next()) else {
            return Err(broken());
        };
        let sign = |letter| if matches!(letter, 'e' | 'n') { 1.0 } else { -1.0 };
        let swapped = match (first, second) {
            ('e' | 'w', 'n' | 's') => false,
            ('n' | 's', 'e' | 'w') => true,
            _ => return Err(broken()),
        };
        Ok(Self {
            swapped,
            signs: [sign(first), sign(second)],
        })
    }

    fn east_north_to_xy(self, east: f64, north: f64) -> (f64, f64) {
        let (first, second) = if self.swapped {
            (north, east)
        } else {
            (east, north)
        };
        (first * self.signs[0], second * self.signs[1])
    }

    fn xy_to_east_north(self, x: f64, y: f64) -> (f64, f64) {
        let (first, second) = (x * self.signs[0], y * self.signs[1]);
        if self.swapped {
            (second, first)
        } else {
            (first, second)
        }
    }
}
