//! The New Zealand Map Grid (EPSG method 9811): a conformal map that no formula but its own polynomials describes.
//!
//! W. I. Reilly, "A conformal mapping projection with minimum scale error", Survey Review 22 (1973); coefficients from
//! Land Information New Zealand, <https://www.linz.govt.nz> (New Zealand Map Grid). Defined for International 1924.

use super::ellipsoid::Ellipsoid;

/// The grid. Metres from its false origin.
#[derive(Clone, Debug)]
pub(super) struct MapGrid {
    a: f64,
    lon_0: f64,
    lat_0: f64,
    false_east: f64,
    false_north: f64,
}

/// Hundred thousands of arc seconds in a radian: the unit of latitude differences.
const LATITUDE_UNIT: f64 = 180.0 * 3600.0 / std::f64::consts::PI * 1e-5;

/// Latitude difference → isometric latitude difference.
const TO_ISOMETRIC: [f64; 10] = [
    0.639_917_507_3,
    -0.135_879_761_3,
    0.063_294_409,
    -0.025_268_53,
    0.011_787_9,
    -0.005_516_1,
    0.002_690_6,
    -0.001_333,
    0.000_67,
    -0.000_34,
];
/// Isometric latitude difference → latitude difference.
const TO_LATITUDE: [f64; 9] = [
    1.562_701_424_3,
    0.518_540_639_8,
    -0.033_330_98,
    -0.105_290_6,
    -0.036_859_4,
    0.007_317,
    0.012_20,
    0.003_94,
    -0.001_3,
];
/// Isometric latitude and longitude differences → northing and easting, real and imaginary parts.
const TO_GRID: [(f64, f64); 6] = [
    (0.755_785_322_8, 0.0),
    (0.249_204_646, 0.003_371_507),
    (-0.001_541_739, 0.041_058_560),
    (-0.101_629_07, 0.017_276_09),
    (-0.266_234_89, -0.362_492_18),
    (-0.687_098_3, -1.165_196_7),
];

impl MapGrid {
    /// Longitude and latitude of the origin in radians, false easting and northing in metres.
    pub(super) fn new(ellipsoid: &Ellipsoid, (lon_0, lat_0): (f64, f64), (east, north): (f64, f64)) -> Self {
        Self {
            a: ellipsoid.a,
            lon_0,
            lat_0,
            false_east: east,
            false_north: north,
        }
    }

    /// Longitude and latitude in radians → easting and northing in metres; None far from New Zealand, where the
    /// polynomials mean nothing.
    pub(super) fn forward(&self, lon: f64, lat: f64) -> Option<(f64, f64)> {
        let difference = (lat - self.lat_0) * LATITUDE_UNIT;
        let zeta = (horner(&TO_ISOMETRIC, difference), lon - self.lon_0);
        let (grid, _) = grid(zeta);
        (zeta.0.hypot(zeta.1) < 1.0).then_some((
            self.false_east + self.a * grid.1,
            self.false_north + self.a * grid.0,
        ))
    }

    /// Easting and northing in metres → longitude and latitude in radians, by Newton's method on the polynomial.
    pub(super) fn inverse(&self, east: f64, north: f64) -> Option<(f64, f64)> {
        let wanted = (
            (north - self.false_north) / self.a,
            (east - self.false_east) / self.a,
        );
        let mut zeta = (wanted.0 / TO_GRID[0].0, wanted.1 / TO_GRID[0].0);
        for _ in 0..20 {
            let (found, slope) = grid(zeta);
            let step = divide((wanted.0 - found.0, wanted.1 - found.1), slope);
            zeta = (zeta.0 + step.0, zeta.1 + step.1);
            if step.0.abs() + step.1.abs() < 1e-14 {
                let lat = self.lat_0 + horner(&TO_LATITUDE, zeta.0) / LATITUDE_UNIT;
                return (zeta.0.hypot(zeta.1) < 1.0).then_some((self.lon_0 + zeta.1, lat));
            }
        }
        None
    }
}

/// Σ cₙ xⁿ from n = 1.
fn horner(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| (sum + c) * x)
}

/// Σ Bₙ ζⁿ from n = 1, and its derivative.
fn grid(zeta: (f64, f64)) -> ((f64, f64), (f64, f64)) {
    let mut value = (0.0, 0.0);
    let mut slope = (0.0, 0.0);
    for c in TO_GRID.iter().rev() {
        slope = add(multiply(slope, zeta), value);
        value = add(multiply(value, zeta), *c);
    }
    (multiply(value, zeta), add(multiply(slope, zeta), value))
}

fn add(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 + b.0, a.1 + b.1)
}

fn multiply(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn divide(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    let norm = b.0 * b.0 + b.1 * b.1;
    ((a.0 * b.0 + a.1 * b.1) / norm, (a.1 * b.0 - a.0 * b.1) / norm)
}
