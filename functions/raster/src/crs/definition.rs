//! A coordinate reference system as numbers: read from PROJ parameters, run in both directions.

use std::f64::consts::TAU;
use std::fmt;

use super::datum::Datum;
use super::ellipsoid::{Ellipsoid, WGS84};
use super::parameters::Parameters;
use super::projection::Projection;
use super::units::{self, DEGREE, Length, METRE};
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

impl Definition {
    /// Reads PROJ parameters, with or without `+`. `base` is the geographic system of the registry on whose datum
    /// the system stands, `code` its own number there.
    pub(super) fn parse(text: &str, code: Option<u32>, base: Option<u32>) -> Result<Self, CrsError> {
        let own = Parameters::parse(text);
        if let Some(method) = own.get("method") {
            return Err(CrsError::UnsupportedMethod(method.replace('_', " ")));
        }
        let entry = base.map(registry::find).transpose()?;
        let ground = Parameters::parse(entry.as_ref().map_or("", |entry| &entry.parameters));
        let datum = read_datum(&own, &ground, code, base)?;
        let system = match own.get("proj") {
            None | Some("longlat" | "latlong" | "latlon" | "lonlat") => System::Geographic(own.angle()?),
            Some(_) => System::Projected(Projection::parse(&own, datum.ellipsoid())?, own.unit()?),
        };
        let longlat = if own.get("proj").is_none() {
            "+proj=longlat "
        } else {
            ""
        };
        Ok(Self {
            meridian: own.meridian()?.or(ground.meridian()?).unwrap_or(0.0),
            axes: Axes::parse(own.get("axis").unwrap_or("enu"))?,
            text: format!("{longlat}{} {}", own.projection(), own.presentation())
                .trim_end()
                .to_owned(),
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
        let plain = self.meridian == 0.0 && self.datum.is_unshifted() && self.axes == Axes::EAST_NORTH;
        match &self.system {
            System::Projected(Projection::WebMercator, unit) if plain && unit.metres == METRE.metres => {
                Kind::WebMercator
            }
            System::Geographic(unit) if plain && *unit == DEGREE => Kind::Wgs84,
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

/// The ellipsoid and the ways to WGS 84: said by the system itself, or by its base.
fn read_datum(
    own: &Parameters,
    ground: &Parameters,
    code: Option<u32>,
    base: Option<u32>,
) -> Result<Datum, CrsError> {
    let named = own.datum()?;
    let base = named.or(base);
    let ellipsoid = match (own.ellipsoid()?, named) {
        (Some(ellipsoid), _) => Some(ellipsoid),
        (None, Some(code)) => Parameters::parse(&registry::find(code)?.parameters).ellipsoid()?,
        (None, None) => ground.ellipsoid()?,
    };
    let ellipsoid = ellipsoid.unwrap_or(WGS84);
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
