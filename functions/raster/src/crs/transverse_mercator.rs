//! The transverse Mercator projection by Krüger's series to the sixth order of the third flattening.
//!
//! C. F. F. Karney, "Transverse Mercator with an accuracy of a few nanometers", J. Geodesy 85 (2011): equations 7–21, 35
//! (α) and 36 (β); the error stays below 5 nm within 35° of the central meridian. Between the latitude and the conformal
//! latitude stand series as well, C. F. F. Karney, "On auxiliary latitudes", Survey Review 56 (2024), appendix A: they need
//! no iteration, and the multiples of angles come from products, so that a point costs four transcendental functions
//! forward and six back.

use super::ellipsoid::Ellipsoid;

/// Where PROJ's `tmerc` stops, 150° in terms of η: the series diverges beyond.
const ETA_LIMIT: f64 = 2.623_395_162_778;

/// A transverse Mercator projection: metres from the false origin.
#[derive(Clone, Debug)]
pub(super) struct TransverseMercator {
    /// Scale on the central meridian times the rectifying radius, metres per radian.
    radius: f64,
    /// Latitude → conformal latitude, and back.
    to_conformal: [f64; 6],
    to_geodetic: [f64; 6],
    alpha: [f64; 6],
    beta: [f64; 6],
    lon_0: f64,
    false_east: f64,
    /// False northing less the northing of the latitude of origin.
    north_0: f64,
}

impl TransverseMercator {
    /// Longitude and latitude of the natural origin in radians, the scale there, false easting and northing in metres.
    pub(super) fn new(
        ellipsoid: &Ellipsoid,
        lon_0: f64,
        lat_0: f64,
        scale: f64,
        east: f64,
        north: f64,
    ) -> Self {
        let f = ellipsoid.f();
        let n = f / (2.0 - f);
        let n2 = n * n;
        let rectifying = ellipsoid.a / (1.0 + n) * (1.0 + n2 * (1.0 / 4.0 + n2 * (1.0 / 64.0 + n2 / 256.0)));
        let mut projection = Self {
            radius: scale * rectifying,
            to_conformal: to_conformal(n),
            to_geodetic: to_geodetic(n),
            alpha: alpha(n),
            beta: beta(n),
            lon_0,
            false_east: east,
            north_0: 0.0,
        };
        let origin = projection.forward(lon_0, lat_0).map_or(0.0, |(_, y)| y);
        projection.north_0 = north - origin;
        projection
    }

    /// Longitude and latitude in radians on the ellipsoid → easting and northing in metres.
    pub(super) fn forward(&self, lon: f64, lat: f64) -> Option<(f64, f64)> {
        let (sin_lat, cos_lat) = lat.sin_cos();
        let (sin_lon, cos_lon) = (lon - self.lon_0).sin_cos();
        let (sin, cos) = turned(sin_lat, cos_lat, &self.to_conformal);
        // On the sphere of conformal latitudes: sin ξ′, cos ξ′ and sinh η′ with the common divisor 1/cosh η′.
        let across = cos * sin_lon;
        let along = cos * cos_lon;
        let square = sin * sin + along * along;
        let xi = sin.atan2(along);
        let eta = (across / square.sqrt()).asinh();
        let double_xi = (2.0 * sin * along / square, (along * along - sin * sin) / square);
        let sinh2 = across * across / square;
        let double_eta = (
            2.0 * (sinh2 * (1.0 + sinh2)).sqrt().copysign(across),
            1.0 + 2.0 * sinh2,
        );
        let (d_xi, d_eta) = series(&self.alpha, double_xi, double_eta);
        let (xi, eta) = (xi + d_xi, eta + d_eta);
        (eta.abs() <= ETA_LIMIT).then(|| {
            (
                self.radius.mul_add(eta, self.false_east),
                self.radius.mul_add(xi, self.north_0),
            )
        })
    }

    /// Easting and northing in metres → longitude and latitude in radians on the ellipsoid.
    pub(super) fn inverse(&self, east: f64, north: f64) -> Option<(f64, f64)> {
        let xi = (north - self.north_0) / self.radius;
        let eta = (east - self.false_east) / self.radius;
        if eta.is_nan() || eta.abs() > ETA_LIMIT || !xi.is_finite() {
            return None;
        }
        let (d_xi, d_eta) = series(&self.beta, (2.0 * xi).sin_cos(), sinh_cosh(2.0 * eta));
        let (sin_xi, cos_xi) = (xi + d_xi).sin_cos();
        let (sinh_eta, cosh_eta) = sinh_cosh(eta + d_eta);
        let cos = sinh_eta.hypot(cos_xi);
        let conformal = sin_xi.atan2(cos);
        let double = (
            2.0 * sin_xi * cos / (cosh_eta * cosh_eta),
            1.0 - 2.0 * (sin_xi / cosh_eta).powi(2),
        );
        Some((
            self.lon_0 + sinh_eta.atan2(cos_xi),
            conformal + clenshaw(&self.to_geodetic, double),
        ))
    }
}

/// Hyperbolic sine and cosine from one exponential: absolute errors of a few 1e-16 suffice here.
fn sinh_cosh(x: f64) -> (f64, f64) {
    let up = x.exp();
    let down = 1.0 / up;
    (f64::midpoint(up, -down), f64::midpoint(up, down))
}

/// Sine and cosine of φ + Σ cⱼ sin 2jφ, whose sum is below 0.004 on any ellipsoid of the Earth.
fn turned(sin: f64, cos: f64, coefficients: &[f64; 6]) -> (f64, f64) {
    let by = clenshaw(coefficients, (2.0 * sin * cos, 1.0 - 2.0 * sin * sin));
    let square = by * by;
    let sin_by = by * (1.0 - square * (1.0 / 6.0 - square / 120.0));
    let cos_by = 1.0 - square * (1.0 / 2.0 - square * (1.0 / 24.0 - square / 720.0));
    (sin * cos_by + cos * sin_by, cos * cos_by - sin * sin_by)
}

/// Σ cⱼ sin 2jφ from sin 2φ and cos 2φ.
fn clenshaw(coefficients: &[f64; 6], (sin, cos): (f64, f64)) -> f64 {
    let (mut last, mut now) = (0.0, 0.0);
    for c in coefficients.iter().rev() {
        (last, now) = (now, 2.0 * cos * now - last + c);
    }
    sin * now
}

/// Σ cⱼ sin 2jζ of the complex ζ = ξ + iη by Clenshaw's recurrence, from sin 2ξ, cos 2ξ, sinh 2η and cosh 2η (Karney
/// 2011, equation 11; with −β, equation 15).
fn series(coefficients: &[f64; 6], (sin, cos): (f64, f64), (sinh, cosh): (f64, f64)) -> (f64, f64) {
    // 2 cos 2ζ.
    let (re, im) = (2.0 * cos * cosh, -2.0 * sin * sinh);
    let mut last = (0.0, 0.0);
    let mut now = (0.0, 0.0);
    for c in coefficients.iter().rev() {
        let next = (
            re * now.0 - im * now.1 - last.0 + c,
            im * now.0 + re * now.1 - last.1,
        );
        last = now;
        now = next;
    }
    let (sin_re, sin_im) = (sin * cosh, cos * sinh);
    (sin_re * now.0 - sin_im * now.1, sin_im * now.0 + sin_re * now.1)
}

/// Horner's rule: the coefficients of n, n², …, from the lowest.
fn polynomial(n: f64, coefficients: &[f64]) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| (sum + c) * n)
}

/// Latitude → conformal latitude (Karney 2024, appendix A, χ from φ).
#[rustfmt::skip]
fn to_conformal(n: f64) -> [f64; 6] {
    [
        polynomial(n, &[-2.0, 2.0 / 3.0, 4.0 / 3.0, -82.0 / 45.0, 32.0 / 45.0, 4642.0 / 4725.0]),
        polynomial(n, &[0.0, 5.0 / 3.0, -16.0 / 15.0, -13.0 / 9.0, 904.0 / 315.0, -1522.0 / 945.0]),
        polynomial(n, &[0.0, 0.0, -26.0 / 15.0, 34.0 / 21.0, 8.0 / 5.0, -12_686.0 / 2835.0]),
        polynomial(n, &[0.0, 0.0, 0.0, 1237.0 / 630.0, -12.0 / 5.0, -24_832.0 / 14_175.0]),
        polynomial(n, &[0.0, 0.0, 0.0, 0.0, -734.0 / 315.0, 109_598.0 / 31_185.0]),
        polynomial(n, &[0.0, 0.0, 0.0, 0.0, 0.0, 444_337.0 / 155_925.0]),
    ]
}

/// Conformal latitude → latitude (Karney 2024, appendix A, φ from χ).
#[rustfmt::skip]
fn to_geodetic(n: f64) -> [f64; 6] {
    [
        polynomial(n, &[2.0, -2.0 / 3.0, -2.0, 116.0 / 45.0, 26.0 / 45.0, -2854.0 / 675.0]),
        polynomial(n, &[0.0, 7.0 / 3.0, -8.0 / 5.0, -227.0 / 45.0, 2704.0 / 315.0, 2323.0 / 945.0]),
        polynomial(n, &[0.0, 0.0, 56.0 / 15.0, -136.0 / 35.0, -1262.0 / 105.0, 73_814.0 / 2835.0]),
        polynomial(n, &[0.0, 0.0, 0.0, 4279.0 / 630.0, -332.0 / 35.0, -399_572.0 / 14_175.0]),
        polynomial(n, &[0.0, 0.0, 0.0, 0.0, 4174.0 / 315.0, -144_838.0 / 6237.0]),
        polynomial(n, &[0.0, 0.0, 0.0, 0.0, 0.0, 601_676.0 / 22_275.0]),
    ]
}

/// Karney 2011, equation 35.
#[rustfmt::skip]
fn alpha(n: f64) -> [f64; 6] {
    [
        polynomial(n, &[1.0 / 2.0, -2.0 / 3.0, 5.0 / 16.0, 41.0 / 180.0, -127.0 / 288.0, 7891.0 / 37_800.0]),
        polynomial(n, &[0.0, 13.0 / 48.0, -3.0 / 5.0, 557.0 / 1440.0, 281.0 / 630.0, -1_983_433.0 / 1_935_360.0]),
        polynomial(n, &[0.0, 0.0, 61.0 / 240.0, -103.0 / 140.0, 15_061.0 / 26_880.0, 167_603.0 / 181_440.0]),
        polynomial(n, &[0.0, 0.0, 0.0, 49_561.0 / 161_280.0, -179.0 / 168.0, 6_601_661.0 / 7_257_600.0]),
        polynomial(n, &[0.0, 0.0, 0.0, 0.0, 34_729.0 / 80_640.0, -3_418_889.0 / 1_995_840.0]),
        polynomial(n, &[0.0, 0.0, 0.0, 0.0, 0.0, 212_378_941.0 / 319_334_400.0]),
    ]
}

/// Karney 2011, equation 36, with the sign of its use in equation 15.
#[rustfmt::skip]
fn beta(n: f64) -> [f64; 6] {
    [
        -polynomial(n, &[1.0 / 2.0, -2.0 / 3.0, 37.0 / 96.0, -1.0 / 360.0, -81.0 / 512.0, 96_199.0 / 604_800.0]),
        -polynomial(n, &[0.0, 1.0 / 48.0, 1.0 / 15.0, -437.0 / 1440.0, 46.0 / 105.0, -1_118_711.0 / 3_870_720.0]),
        -polynomial(n, &[0.0, 0.0, 17.0 / 480.0, -37.0 / 840.0, -209.0 / 4480.0, 5569.0 / 90_720.0]),
        -polynomial(n, &[0.0, 0.0, 0.0, 4397.0 / 161_280.0, -11.0 / 504.0, -830_251.0 / 7_257_600.0]),
        -polynomial(n, &[0.0, 0.0, 0.0, 0.0, 4583.0 / 161_280.0, -108_847.0 / 3_991_680.0]),
        -polynomial(n, &[0.0, 0.0, 0.0, 0.0, 0.0, 20_648_693.0 / 638_668_800.0]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crs::ellipsoid::named;

    #[test]
    fn the_worked_example_of_the_registry_comes_out() {
        // EPSG guidance note 7-2, 3.5.3.1: OSGB 1936 / British National Grid, to the centimetre.
        let airy = named("airy").unwrap();
        let grid = TransverseMercator::new(
            &airy,
            (-2.0_f64).to_radians(),
            49.0_f64.to_radians(),
            0.999_601_27,
            400_000.0,
            -100_000.0,
        );
        let (lon, lat) = (0.5_f64.to_radians(), 50.5_f64.to_radians());
        let (east, north) = grid.forward(lon, lat).unwrap();
        assert!(
            (east - 577_274.99).abs() < 0.01 && (north - 69_740.50).abs() < 0.01,
            "{east} {north}"
        );
        let (back_lon, back_lat) = grid.inverse(east, north).unwrap();
        assert!((back_lon - lon).abs() < 1e-15 && (back_lat - lat).abs() < 1e-15);
    }

    #[test]
    fn both_ways_agree_from_pole_to_pole_and_70_degrees_aside() {
        let grid = TransverseMercator::new(&crate::crs::ellipsoid::WGS84, 0.0, 0.0, 0.9996, 500_000.0, 0.0);
        for lat in -90..=90 {
            for lon in (-70..=70).step_by(5) {
                let (lon, lat) = (f64::from(lon).to_radians(), f64::from(lat).to_radians());
                let (east, north) = grid.forward(lon, lat).unwrap();
                let (back_lon, back_lat) = grid.inverse(east, north).unwrap();
                let east_error = (back_lon - lon) * lat.cos() * 6.4e6;
                let north_error = (back_lat - lat) * 6.4e6;
                let tolerance = if lon.abs() < 0.61 { 1e-7 } else { 1e-2 };
                assert!(
                    east_error.hypot(north_error) < tolerance,
                    "{lon} {lat}: {east_error} {north_error}"
                );
            }
        }
    }

    #[test]
    fn beyond_the_series_there_is_no_point() {
        let grid = TransverseMercator::new(&crate::crs::ellipsoid::WGS84, 0.0, 0.0, 1.0, 0.0, 0.0);
        assert_eq!(grid.forward(90.0_f64.to_radians(), 0.0), None);
        assert_eq!(grid.inverse(2e7, 0.0), None);
        assert_eq!(grid.inverse(f64::NAN, 0.0), None);
    }
}
