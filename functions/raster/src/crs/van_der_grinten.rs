//! The Van der Grinten projection: the world in a circle, on the sphere of the ellipsoid's surface.
//!
//! J. P. Snyder, "Map Projections: A Working Manual", USGS Professional Paper 1395 (1987), pages 239–242.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_3, PI};

use super::ellipsoid::Ellipsoid;

/// Below this a coordinate is on an axis, where the formulae divide by it.
const ON_AXIS: f64 = 1e-10;

/// The projection. Metres from its false origin.
#[derive(Clone, Debug)]
pub(super) struct VanDerGrinten {
    radius: f64,
    lon_0: f64,
    false_east: f64,
    false_north: f64,
}

impl VanDerGrinten {
    /// Central meridian in radians, false easting and northing in metres.
    pub(super) fn new(ellipsoid: &Ellipsoid, lon_0: f64, (east, north): (f64, f64)) -> Self {
        Self {
            radius: ellipsoid.authalic_radius(),
            lon_0,
            false_east: east,
            false_north: north,
        }
    }

    /// Longitude and latitude in radians → easting and northing in metres (equations 29-1 to 29-6).
    pub(super) fn forward(&self, lon: f64, lat: f64) -> (f64, f64) {
        let lon = wrapped(lon - self.lon_0);
        let sine = (2.0 * lat / PI).abs().min(1.0);
        let theta = sine.asin();
        let (x, y) = if sine < ON_AXIS {
            (lon / PI, 0.0)
        } else if lon.abs() < ON_AXIS || sine > 1.0 - ON_AXIS {
            (0.0, (theta / 2.0).tan())
        } else {
            let a = (PI / lon - lon / PI).abs() / 2.0;
            let g = theta.cos() / (sine + theta.cos() - 1.0);
            let p = g * (2.0 / sine - 1.0);
            let q = a * a + g;
            let (a2, p2) = (a * a, p * p);
            let east = a * (g - p2) + (a2 * (g - p2).powi(2) - (p2 + a2) * (g * g - p2)).max(0.0).sqrt();
            let north = p * q - a * ((a2 + 1.0) * (p2 + a2) - q * q).max(0.0).sqrt();
            (east / (p2 + a2), north / (p2 + a2))
        };
        let (x, y) = (x.abs().copysign(lon), y.abs().copysign(lat));
        let scale = PI * self.radius;
        (self.false_east + scale * x, self.false_north + scale * y)
    }

    /// Easting and northing in metres → longitude and latitude in radians (equations 29-7 to 29-19).
    pub(super) fn inverse(&self, east: f64, north: f64) -> Option<(f64, f64)> {
        let scale = PI * self.radius;
        let (x, y) = (
            (east - self.false_east) / scale,
            (north - self.false_north) / scale,
        );
        let (x2, y2) = (x * x, y * y);
        let square = x2 + y2;
        if square.is_nan() || square > 1.0 + ON_AXIS {
            return None;
        }
        let lon = if x.abs() < ON_AXIS {
            0.0
        } else {
            PI * (square - 1.0 + (1.0 + 2.0 * (x2 - y2) + square * square).max(0.0).sqrt()) / (2.0 * x)
        };
        let lat = if y.abs() < ON_AXIS {
            0.0
        } else {
            let c1 = -y.abs() * (1.0 + square);
            let c2 = c1 - 2.0 * y2 + x2;
            let c3 = -2.0 * c1 + 1.0 + 2.0 * y2 + square * square;
            let d = y2 / c3 + (2.0 * c2.powi(3) / c3.powi(3) - 9.0 * c1 * c2 / (c3 * c3)) / 27.0;
            let a1 = (c1 - c2 * c2 / (3.0 * c3)) / c3;
            let m1 = 2.0 * (-a1 / 3.0).max(0.0).sqrt();
            let third = (3.0 * d / (a1 * m1)).clamp(-1.0, 1.0).acos() / 3.0;
            PI * (-m1 * (third + FRAC_PI_3).cos() - c2 / (3.0 * c3))
        };
        Some((self.lon_0 + lon, lat.clamp(-FRAC_PI_2, FRAC_PI_2).copysign(y)))
    }
}

/// A difference of longitudes within half a turn.
fn wrapped(lon: f64) -> f64 {
    lon - 2.0 * PI * (lon / (2.0 * PI)).round()
}
