//! Colombia Urban (EPSG method 1052): plane coordinates at the height of a city.
//!
//! EPSG guidance note 7-2, "Colombia Urban".

use super::ellipsoid::Ellipsoid;

/// The projection. Metres from its false origin.
#[derive(Clone, Debug)]
pub(super) struct ColombiaUrban {
    ellipsoid: Ellipsoid,
    lon_0: f64,
    lat_0: f64,
    height: f64,
    false_east: f64,
    false_north: f64,
}

impl ColombiaUrban {
    /// Longitude and latitude of the origin in radians, then false easting, false northing and the plane's height in
    /// metres.
    pub(super) fn new(
        ellipsoid: &Ellipsoid,
        (lon_0, lat_0): (f64, f64),
        (false_east, false_north): (f64, f64),
        height: f64,
    ) -> Self {
        Self {
            ellipsoid: *ellipsoid,
            lon_0,
            lat_0,
            height,
            false_east,
            false_north,
        }
    }

    /// Radii of curvature in the meridian and in the prime vertical.
    fn radii(&self, lat: f64) -> (f64, f64) {
        let e2 = self.ellipsoid.e2();
        let w2 = 1.0 - e2 * lat.sin().powi(2);
        (
            self.ellipsoid.a * (1.0 - e2) / (w2 * w2.sqrt()),
            self.ellipsoid.a / w2.sqrt(),
        )
    }

    /// The curvature term B.
    fn bend(&self) -> f64 {
        let (meridian, vertical) = self.radii(self.lat_0);
        self.lat_0.tan() / (2.0 * meridian * vertical)
    }

    /// Longitude and latitude in radians → easting and northing in metres.
    pub(super) fn forward(&self, lon: f64, lat: f64) -> (f64, f64) {
        let (meridian_0, vertical_0) = self.radii(self.lat_0);
        let (middle, _) = self.radii(f64::midpoint(lat, self.lat_0));
        let (_, vertical) = self.radii(lat);
        let across = vertical * lat.cos() * (lon - self.lon_0);
        let east = (1.0 + self.height / vertical_0) * across;
        let north =
            (1.0 + self.height / middle) * meridian_0 * ((lat - self.lat_0) + self.bend() * across * across);
        (self.false_east + east, self.false_north + north)
    }

    /// Easting and northing in metres → longitude and latitude in radians.
    pub(super) fn inverse(&self, east: f64, north: f64) -> Option<(f64, f64)> {
        let (meridian_0, _) = self.radii(self.lat_0);
        let Ellipsoid { a, .. } = self.ellipsoid;
        let across = (east - self.false_east) / (1.0 + self.height / a);
        let along = meridian_0 * (1.0 + self.height / (a * (1.0 - self.ellipsoid.e2())));
        let lat = self.lat_0 + (north - self.false_north) / along - self.bend() * across * across;
        let (_, vertical) = self.radii(lat);
        let found = (self.lon_0 + across / (vertical * lat.cos()), lat);
        (found.0.is_finite() && lat.abs() < std::f64::consts::FRAC_PI_2).then_some(found)
    }
}
