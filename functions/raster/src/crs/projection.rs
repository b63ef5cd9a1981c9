//! The projections, each from longitude and latitude on its own ellipsoid to metres and back.
//!
//! Web Mercator, transverse Mercator and what `proj4rs` lacks are our own; the rest is `proj4rs`, which is given nothing but ellipsoid and
//! projection: units, meridian, axes and datum are dealt with before and after it.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
use std::fmt;

use proj4rs::Proj;
use proj4rs::transform::{Transform, TransformClosure, transform};

use super::CrsError;
use super::colombia::ColombiaUrban;
use super::ellipsoid::{Ellipsoid, WGS84};
use super::new_zealand::MapGrid;
use super::parameters::Parameters;
use super::transverse_mercator::TransverseMercator;
use super::van_der_grinten::VanDerGrinten;

/// Longitude and latitude in radians ↔ metres.
#[derive(Clone)]
pub(super) enum Projection {
    /// EPSG method 1024: the spherical formulae, fed with latitudes on the ellipsoid.
    WebMercator,
    /// EPSG method 9807, and UTM.
    TransverseMercator(Box<TransverseMercator>),
    /// EPSG method 9811.
    NewZealand(MapGrid),
    /// Van der Grinten I.
    VanDerGrinten(VanDerGrinten),
    /// EPSG method 1052.
    ColombiaUrban(ColombiaUrban),
    /// What `proj4rs` projects.
    Other(Box<Pair>),
}

impl fmt::Debug for Projection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WebMercator => "WebMercator",
            Self::TransverseMercator(_) => "TransverseMercator",
            Self::NewZealand(_) => "NewZealand",
            Self::VanDerGrinten(_) => "VanDerGrinten",
            Self::ColombiaUrban(_) => "ColombiaUrban",
            Self::Other(pair) => pair.projected.projname(),
        })
    }
}

/// A system and the longitudes and latitudes that it projects.
#[derive(Clone)]
pub(super) struct Pair {
    geographic: Proj,
    projected: Proj,
}

/// A point that `proj4rs` transforms in place.
struct Point(f64, f64);

impl Transform for Point {
    fn transform_coordinates<F: TransformClosure>(&mut self, f: &mut F) -> proj4rs::errors::Result<()> {
        (self.0, self.1, _) = f(self.0, self.1, 0.0)?;
        Ok(())
    }
}

impl Pair {
    /// `parameters` as in a PROJ string, without ellipsoid, datum, units, axes and prime meridian.
    fn new(parameters: &str, ellipsoid: &Ellipsoid) -> Result<Self, CrsError> {
        let figure = format!("+a={} +b={}", ellipsoid.a, ellipsoid.b);
        let build = |text: &str| {
            Proj::from_proj_string(text).map_err(|error| match error {
                proj4rs::errors::Error::ProjectionNotFound => {
                    CrsError::UnsupportedMethod(method_of(parameters))
                }
                other => CrsError::Malformed(format!("{parameters}: {other}")),
            })
        };
        Ok(Self {
            geographic: build(&format!("+proj=longlat {figure}"))?,
            projected: build(&format!("{parameters} {figure}"))?,
        })
    }

    fn run(from: &Proj, to: &Proj, x: f64, y: f64) -> Option<(f64, f64)> {
        let mut point = Point(x, y);
        transform(from, to, &mut point).ok()?;
        (point.0.is_finite() && point.1.is_finite()).then_some((point.0, point.1))
    }
}

/// The value of `proj=` in a PROJ string.
fn method_of(parameters: &str) -> String {
    let value = parameters
        .split_whitespace()
        .find_map(|token| token.trim_start_matches('+').strip_prefix("proj="));
    value.unwrap_or("none").to_owned()
}

impl Projection {
    /// The projection that PROJ parameters describe, on an ellipsoid.
    pub(super) fn parse(own: &Parameters, ellipsoid: &Ellipsoid) -> Result<Self, CrsError> {
        let ((lon_0, lat_0), (east, north)) = (own.origin()?, own.false_origin()?);
        let transverse = |lon_0, lat_0, scale, east, north| {
            let found = TransverseMercator::new(ellipsoid, lon_0, lat_0, scale, east, north);
            Self::TransverseMercator(Box::new(found))
        };
        Ok(match own.get("proj").unwrap_or_default() {
            "webmerc" => Self::WebMercator,
            "merc" if is_web_mercator(own, ellipsoid)? => Self::WebMercator,
            "tmerc" | "etmerc" => transverse(lon_0, lat_0, own.scale()?, east, north),
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
                transverse((zone * 6.0 - 183.0).to_radians(), 0.0, 0.9996, 500_000.0, north)
            }
            "nzmg" => Self::NewZealand(MapGrid::new(ellipsoid, (lon_0, lat_0), (east, north))),
            "vandg" => Self::VanDerGrinten(VanDerGrinten::new(ellipsoid, lon_0, (east, north))),
            "col_urban" => {
                let height = own.number_or("h_0", 0.0)?;
                Self::ColombiaUrban(ColombiaUrban::new(
                    ellipsoid,
                    (lon_0, lat_0),
                    (east, north),
                    height,
                ))
            }
            "geocent" | "cart" => return Err(CrsError::Geocentric("geocentric".to_owned())),
            _ => Self::Other(Box::new(Pair::new(&own.projection(), ellipsoid)?)),
        })
    }

    /// Longitude and latitude in radians on the ellipsoid → easting and northing in metres.
    pub(super) fn forward(&self, lon: f64, lat: f64) -> Option<(f64, f64)> {
        match self {
            Self::WebMercator => {
                let y = (FRAC_PI_4 + lat / 2.0).tan().ln();
                (lat.abs() < FRAC_PI_2 && y.is_finite()).then_some((WGS84.a * lon, WGS84.a * y))
            }
            Self::TransverseMercator(projection) => projection.forward(lon, lat),
            Self::NewZealand(projection) => projection.forward(lon, lat),
            Self::VanDerGrinten(projection) => Some(projection.forward(lon, lat)),
            Self::ColombiaUrban(projection) => Some(projection.forward(lon, lat)),
            Self::Other(pair) => Pair::run(&pair.geographic, &pair.projected, lon, lat),
        }
    }

    /// Easting and northing in metres → longitude and latitude in radians on the ellipsoid.
    pub(super) fn inverse(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        match self {
            Self::WebMercator => {
                // sinh by one exponential: 1e-16 of the latitude in radians is nothing, and it halves the cost.
                let up = (y / WGS84.a).exp();
                let found = (x / WGS84.a, f64::midpoint(up, -1.0 / up).atan());
                (found.0.abs() <= 4.0 * PI && found.1.is_finite()).then_some(found)
            }
            Self::TransverseMercator(projection) => projection.inverse(x, y),
            Self::NewZealand(projection) => projection.inverse(x, y),
            Self::VanDerGrinten(projection) => projection.inverse(x, y),
            Self::ColombiaUrban(projection) => projection.inverse(x, y),
            Self::Other(pair) => Pair::run(&pair.projected, &pair.geographic, x, y),
        }
    }
}

/// PROJ 4's spelling of EPSG:3857: a sphere of WGS 84's radius, with its longitudes and latitudes unshifted.
fn is_web_mercator(own: &Parameters, ellipsoid: &Ellipsoid) -> Result<bool, CrsError> {
    let plain = own.origin()? == (0.0, 0.0) && own.false_origin()? == (0.0, 0.0) && own.scale()? == 1.0;
    Ok(plain && own.number_or("lat_ts", 0.0)? == 0.0 && (ellipsoid.a, ellipsoid.b) == (WGS84.a, WGS84.a))
}
