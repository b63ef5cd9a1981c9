//! The figure of the Earth, and the way between latitude on it and the axes through its centre.

use super::CrsError;

/// An ellipsoid of revolution, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ellipsoid {
    /// Equatorial radius.
    pub(super) a: f64,
    /// Polar radius; equal to `a` for a sphere.
    pub(super) b: f64,
}

/// World Geodetic System 1984 (EPSG:7030).
pub(super) const WGS84: Ellipsoid = Ellipsoid {
    a: 6_378_137.0,
    b: 6_356_752.314_245_179,
};

impl Ellipsoid {
    /// From the equatorial radius and the inverse flattening; 0 means a sphere.
    pub(super) fn from_rf(a: f64, rf: f64) -> Result<Self, CrsError> {
        Self::from_axes(a, if rf == 0.0 { a } else { a - a / rf })
    }

    /// From both radii, refusing what is no figure at all. Whether it is the Earth's is [`Self::on_earth`].
    pub(super) fn from_axes(a: f64, b: f64) -> Result<Self, CrsError> {
        if a.is_finite() && a > 0.0 && b > 0.5 * a && b <= 1.01 * a {
            Ok(Self { a, b })
        } else {
            Err(CrsError::Malformed(format!(
                "no ellipsoid has the radii {a} m and {b} m"
            )))
        }
    }

    /// Whether the radii can be meant for the Earth: every ellipsoid of the registry lies within 0.5 %.
    pub(super) fn on_earth(&self) -> bool {
        (6.34e6..6.40e6).contains(&self.a) && (6.33e6..6.40e6).contains(&self.b)
    }

    /// Flattening.
    pub(super) fn f(&self) -> f64 {
        (self.a - self.b) / self.a
    }

    /// Square of the first eccentricity.
    pub(super) fn e2(&self) -> f64 {
        let f = self.f();
        f * (2.0 - f)
    }

    /// Radius of the sphere of the same surface, by PROJ's series (Snyder 1987, equation 3-12): within 0.2 mm.
    pub(super) fn authalic_radius(&self) -> f64 {
        let e2 = self.e2();
        self.a * (1.0 - e2 * (1.0 / 6.0 + e2 * (17.0 / 360.0 + e2 * 67.0 / 3024.0)))
    }

    /// Whether the two agree within 0.1 mm, as WGS 84 and GRS 1980 nearly do (0.105 mm at the pole).
    pub(super) fn is_close_to(&self, other: &Self) -> bool {
        (self.a - other.a).abs() < 2e-4 && (self.b - other.b).abs() < 2e-4
    }

    /// Longitude and latitude in radians on the surface → X, Y, Z in metres (EPSG guidance note 7-2, 4.1.1).
    pub(super) fn to_geocentric(self, lon: f64, lat: f64) -> [f64; 3] {
        let (sin_lat, cos_lat) = lat.sin_cos();
        let (sin_lon, cos_lon) = lon.sin_cos();
        let e2 = self.e2();
        let normal = self.a / (1.0 - e2 * sin_lat * sin_lat).sqrt();
        [
            normal * cos_lat * cos_lon,
            normal * cos_lat * sin_lon,
            normal * (1.0 - e2) * sin_lat,
        ]
    }

    /// X, Y, Z in metres → longitude and latitude in radians, by Bowring's closed form (EPSG guidance note 7-2,
    /// 4.1.1): within a micrometre for the heights that a datum shift brings about.
    pub(super) fn to_geodetic(self, [x, y, z]: [f64; 3]) -> (f64, f64) {
        let p = x.hypot(y);
        let e2 = self.e2();
        let second_e2 = e2 / (1.0 - e2);
        let (along, across) = (z * self.a, p * self.b);
        let length = along.hypot(across);
        let (sin, cos) = (along / length, across / length);
        let lat = (z + second_e2 * self.b * sin.powi(3)).atan2(p - e2 * self.a * cos.powi(3));
        (y.atan2(x), lat)
    }
}

/// Ellipsoids that PROJ strings name: name, a, then b (when below the radius itself) or inverse flattening.
#[rustfmt::skip]
const NAMED: [(&str, f64, f64); 46] = [
    ("MERIT", 6_378_137.0, 298.257), ("SGS85", 6_378_136.0, 298.257), ("GRS80", 6_378_137.0, 298.257_222_101),
    ("IAU76", 6_378_140.0, 298.257), ("airy", 6_377_563.396, 299.324_964_6), ("APL4.9", 6_378_137.0, 298.25),
    ("NWL9D", 6_378_145.0, 298.25), ("mod_airy", 6_377_340.189, 6_356_034.446), ("andrae", 6_377_104.43, 300.0),
    ("danish", 6_377_019.256_3, 300.0), ("aust_SA", 6_378_160.0, 298.25), ("GRS67", 6_378_160.0, 298.247_167_427),
    ("GSK2011", 6_378_136.5, 298.256_415_1), ("bessel", 6_377_397.155, 299.152_812_8),
    ("bess_nam", 6_377_483.865, 299.152_812_8), ("clrk66", 6_378_206.4, 6_356_583.8),
    ("clrk80", 6_378_249.145, 293.466_3), ("clrk80ign", 6_378_249.2, 293.466_021_293_626_9),
    ("CPM", 6_375_738.7, 334.29), ("delmbr", 6_376_428.0, 311.5), ("engelis", 6_378_136.05, 298.256_6),
    ("evrst30", 6_377_276.345, 300.801_7), ("evrst48", 6_377_304.063, 300.801_7),
    ("evrst56", 6_377_301.243, 300.801_7), ("evrst69", 6_377_295.664, 300.801_7),
    ("evrstSS", 6_377_298.556, 300.801_7), ("fschr60", 6_378_166.0, 298.3), ("fschr60m", 6_378_155.0, 298.3),
    ("fschr68", 6_378_150.0, 298.3), ("helmert", 6_378_200.0, 298.3), ("hough", 6_378_270.0, 297.0),
    ("intl", 6_378_388.0, 297.0), ("krass", 6_378_245.0, 298.3), ("kaula", 6_378_163.0, 298.24),
    ("lerch", 6_378_139.0, 298.257), ("mprts", 6_397_300.0, 191.0), ("new_intl", 6_378_157.5, 6_356_772.2),
    ("plessis", 6_376_523.0, 6_355_863.0), ("PZ90", 6_378_136.0, 298.257_84),
    ("SEasia", 6_378_155.0, 6_356_773.320_5), ("walbeck", 6_376_896.0, 6_355_834.846_7),
    ("WGS60", 6_378_165.0, 298.3), ("WGS66", 6_378_145.0, 298.25), ("WGS72", 6_378_135.0, 298.26),
    ("WGS84", 6_378_137.0, 298.257_223_563), ("sphere", 6_370_997.0, 6_370_997.0),
];

/// The ellipsoid that `+ellps=` names.
pub(super) fn named(name: &str) -> Option<Ellipsoid> {
    let (_, a, shape) = NAMED
        .iter()
        .find(|(known, ..)| known.eq_ignore_ascii_case(name))?;
    if *shape > 1000.0 {
        Ellipsoid::from_axes(*a, *shape)
    } else {
        Ellipsoid::from_rf(*a, *shape)
    }
    .ok()
}

/// Ellipsoids of the EPSG registry that differ from the named ones or have a code of their own: code, a in metres,
/// then b in metres (when above 1000) or inverse flattening (EPSG Dataset v11.022).
#[rustfmt::skip]
const CODED: [(u16, f64, f64); 55] = [
    (1024, 6_378_137.0, 298.257_222_101), (1025, 6_378_136.5, 298.256_415_1), (1026, 6_376_045.0, 310.0),
    (7001, 6_377_563.396, 299.324_964_6), (7002, 6_377_340.189, 299.324_964_6), (7003, 6_378_160.0, 298.25),
    (7004, 6_377_397.155, 299.152_812_8), (7005, 6_377_492.018, 299.152_812_8), (7006, 6_377_483.865, 299.152_812_8),
    (7007, 6_378_293.645_208_759, 6_356_617.987_679_838), (7008, 6_378_206.4, 6_356_583.8),
    (7009, 6_378_450.047_548_896, 6_356_826.621_488_444), (7010, 6_378_300.789, 6_356_566.435),
    (7011, 6_378_249.2, 6_356_515.0), (7012, 6_378_249.145, 293.465), (7013, 6_378_249.145, 293.466_307_7),
    (7014, 6_378_249.2, 293.465_98), (7015, 6_377_276.345, 300.801_7), (7016, 6_377_298.556, 300.801_7),
    (7018, 6_377_304.063, 300.801_7), (7019, 6_378_137.0, 298.257_222_101), (7020, 6_378_200.0, 298.3),
    (7021, 6_378_160.0, 298.247), (7022, 6_378_388.0, 297.0), (7024, 6_378_245.0, 298.3), (7025, 6_378_145.0, 298.25),
    (7027, 6_376_523.0, 308.64), (7028, 6_378_298.3, 294.73), (7029, 6_378_300.0, 296.0),
    (7030, 6_378_137.0, 298.257_223_563), (7031, 6_378_137.0, 298.257_223_563), (7032, 6_378_136.2, 298.257_223_563),
    (7033, 6_378_136.3, 298.257_223_563), (7034, 6_378_249.144_808_011, 6_356_514.966_204_134),
    (7035, 6_371_000.0, 0.0), (7036, 6_378_160.0, 298.247_167_427), (7041, 6_378_135.0, 298.257),
    (7042, 6_377_299.365_595_38, 6_356_098.359_005_156), (7043, 6_378_135.0, 298.26),
    (7044, 6_377_301.243, 300.801_725_5), (7045, 6_377_299.151, 300.801_725_5),
    (7046, 6_377_483.865_280_419, 299.152_812_8), (7047, 6_370_997.0, 0.0), (7048, 6_371_007.0, 0.0),
    (7049, 6_378_140.0, 298.257), (7050, 6_378_160.0, 298.25), (7051, 6_377_019.27, 300.0),
    (7052, 6_370_997.0, 0.0), (7053, 6_378_270.0, 297.0), (7054, 6_378_136.0, 298.257_839_303),
    (7055, 6_378_306.369_6, 6_356_571.996), (7056, 6_377_295.664, 300.801_7), (7057, 6_371_228.0, 0.0),
    (7058, 6_378_273.0, 6_356_889.449), (7059, 6_378_137.0, 0.0),
];

/// The ellipsoid that a GeoKey's EPSG code names.
pub(super) fn coded(code: u16) -> Option<Ellipsoid> {
    let (_, a, shape) = CODED.iter().find(|(known, ..)| *known == code)?;
    if *shape > 1000.0 {
        Ellipsoid::from_axes(*a, *shape)
    } else {
        Ellipsoid::from_rf(*a, *shape)
    }
    .ok()
}
