//! Projection methods as GeoTIFF and WKT name them, spelt as PROJ parameters.
//!
//! Both sources end in a [`Method`] and its [`Arguments`], in degrees and metres. Variants of a method that differ in
//! what their arguments mean, not in the formula, are told apart here.

/// A projection method. Each names the PROJ projection that it becomes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Method {
    /// `tmerc` (EPSG 9807).
    TransverseMercator,
    /// `tmerc` with westings and southings (EPSG 9808).
    TransverseMercatorSouth,
    /// `merc`, by scale at the equator or by standard parallel (EPSG 9804, 9805).
    Mercator,
    /// EPSG 1024.
    WebMercator,
    /// `lcc` with one standard parallel (EPSG 9801).
    LambertConic1,
    /// `lcc` with two (EPSG 9802).
    LambertConic2,
    /// `stere` over a pole, by scale there or by standard parallel (EPSG 9810, 9829).
    PolarStereographic,
    /// `eqc` (EPSG 1028, 1029).
    Equirectangular,
    /// `cea` (EPSG 9834, 9835).
    CylindricalEqualArea,
    /// `omerc` with false coordinates at the natural origin (EPSG 9812).
    HotineNaturalOrigin,
    /// `omerc` with false coordinates at the centre (EPSG 9815).
    HotineCenter,
    /// `somerc`.
    SwissOblique,
    /// `krovak` with southings and westings (EPSG 9819).
    Krovak,
    /// `krovak` with eastings and northings (EPSG 1041).
    KrovakNorth,
    /// `geos`, the view of a weather satellite, which sweeps along x (GOES) or y (Meteosat, Himawari).
    Geostationary {
        /// Whether it sweeps along x.
        sweeps_x: bool,
    },
    /// A PROJ projection with nothing but an origin and false coordinates.
    Centered(&'static str),
    /// A PROJ projection with an origin and a scale there.
    Scaled(&'static str),
    /// A PROJ projection with an origin and two standard parallels.
    Conic(&'static str),
}

/// What a method is given: degrees, metres, nothing where the source says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Arguments {
    pub(super) lat_0: Option<f64>,
    pub(super) lon_0: Option<f64>,
    pub(super) lat_1: Option<f64>,
    pub(super) lat_2: Option<f64>,
    pub(super) scale: Option<f64>,
    pub(super) azimuth: Option<f64>,
    /// Of a satellite above the ground.
    pub(super) height: Option<f64>,
    /// Angle from the rectified to the skew grid.
    pub(super) rectified: Option<f64>,
    pub(super) east: Option<f64>,
    pub(super) north: Option<f64>,
}

impl Method {
    /// The method of a `ProjMethodGeoKey` (OGC 19-008r4, 7.5.3.2 and annex C), or the name of one that we do not project.
    pub(super) fn from_geokey(code: u16) -> Result<Self, &'static str> {
        Ok(match code {
            1 => Self::TransverseMercator,
            2 => return Err("Transverse Mercator, modified for Alaska"),
            3 => Self::HotineNaturalOrigin,
            4 => return Err("Oblique Mercator, Laborde"),
            5 => Self::SwissOblique,
            6 => return Err("Oblique Mercator, spherical"),
            7 => Self::Mercator,
            8 => Self::LambertConic2,
            9 => Self::LambertConic1,
            10 => Self::Centered("laea"),
            11 => Self::Conic("aea"),
            12 => Self::Centered("aeqd"),
            13 => Self::Conic("eqdc"),
            14 => Self::Scaled("stere"),
            15 => Self::PolarStereographic,
            16 => Self::Scaled("sterea"),
            17 => Self::Equirectangular,
            18 => Self::Centered("cass"),
            19 => Self::Centered("gnom"),
            20 => Self::Centered("mill"),
            21 => Self::Centered("ortho"),
            22 => Self::Centered("poly"),
            23 => Self::Centered("robin"),
            24 => Self::Centered("sinu"),
            25 => Self::Centered("vandg"),
            26 => Self::Centered("nzmg"),
            27 => Self::TransverseMercatorSouth,
            28 => Self::CylindricalEqualArea,
            9815 => Self::HotineCenter,
            _ => return Err("unknown"),
        })
    }

    /// The method that WKT of any dialect names. `two_parallels`: a second standard parallel is given.
    pub(super) fn from_wkt(name: &str, two_parallels: bool) -> Option<Self> {
        Some(match fold(name).as_str() {
            "transversemercator" | "gausskruger" => Self::TransverseMercator,
            "transversemercatorsouthorientated" | "transversemercatorsouthoriented" => {
                Self::TransverseMercatorSouth
            }
            "mercator" | "mercator1sp" | "mercator2sp" | "mercatorvarianta" | "mercatorvariantb" => {
                Self::Mercator
            }
            "mercatorauxiliarysphere" | "popularvisualisationpseudomercator" => Self::WebMercator,
            "lambertconformalconic" if two_parallels => Self::LambertConic2,
            "lambertconformalconic" | "lambertconformalconic1sp" | "lambertconicconformal1sp" => {
                Self::LambertConic1
            }
            "lambertconformalconic2sp" | "lambertconicconformal2sp" => Self::LambertConic2,
            "albers" | "albersconicequalarea" | "albersequalarea" => Self::Conic("aea"),
            "equidistantconic" => Self::Conic("eqdc"),
            "lambertazimuthalequalarea" => Self::Centered("laea"),
            "azimuthalequidistant" | "modifiedazimuthalequidistant" => Self::Centered("aeqd"),
            "stereographic" => Self::Scaled("stere"),
            "polarstereographic"
            | "polarstereographicvarianta"
            | "polarstereographicvariantb"
            | "stereographicnorthpole"
            | "stereographicsouthpole" => Self::PolarStereographic,
            "obliquestereographic" | "doublestereographic" => Self::Scaled("sterea"),
            "equirectangular"
            | "equidistantcylindrical"
            | "equidistantcylindricalspherical"
            | "platecarree" => Self::Equirectangular,
            "behrmann"
            | "cylindricalequalarea"
            | "lambertcylindricalequalarea"
            | "lambertcylindricalequalareaspherical" => Self::CylindricalEqualArea,
            "hotineobliquemercator"
            | "hotineobliquemercatorvarianta"
            | "hotineobliquemercatorazimuthnaturalorigin"
            | "rectifiedskeworthomorphicnaturalorigin" => Self::HotineNaturalOrigin,
            "hotineobliquemercatorazimuthcenter"
            | "hotineobliquemercatorvariantb"
            | "obliquemercator"
            | "rectifiedskeworthomorphiccenter" => Self::HotineCenter,
            "swissobliquecylindrical" | "swissobliquemercator" => Self::SwissOblique,
            "krovak" => Self::Krovak,
            "krovaknorthorientated" => Self::KrovakNorth,
            "cassinisoldner" | "cassini" => Self::Centered("cass"),
            "gnomonic" => Self::Centered("gnom"),
            "millercylindrical" => Self::Centered("mill"),
            "orthographic" => Self::Centered("ortho"),
            "polyconic" | "americanpolyconic" => Self::Centered("poly"),
            "robinson" => Self::Centered("robin"),
            "sinusoidal" => Self::Centered("sinu"),
            "vandergrinten" | "vandergrinteni" => Self::Centered("vandg"),
            "newzealandmapgrid" => Self::Centered("nzmg"),
            "geostationarysatellite" | "geostationarysatellitesweepy" => {
                Self::Geostationary { sweeps_x: false }
            }
            "geostationarysatellitesweepx" => Self::Geostationary { sweeps_x: true },
            "mollweide" => Self::Centered("moll"),
            "equalearth" => Self::Centered("eqearth"),
            _ => return None,
        })
    }

    /// PROJ parameters, without those of datum, units and meridian.
    pub(super) fn spell(self, given: &Arguments) -> String {
        let mut words = Vec::new();
        let mut put = |key: &str, value: Option<f64>| {
            if let Some(value) = value {
                words.push(format!("{key}={value}"));
            }
        };
        put("lon_0", given.lon_0);
        put("x_0", given.east);
        put("y_0", given.north);
        let name = match self {
            Self::WebMercator => return "proj=webmerc".to_owned(),
            Self::TransverseMercator | Self::TransverseMercatorSouth => {
                put("lat_0", given.lat_0);
                put("k", given.scale);
                "tmerc"
            }
            Self::Mercator => {
                match given.lat_1.filter(|parallel| *parallel != 0.0) {
                    Some(parallel) => put("lat_ts", Some(parallel)),
                    None => put("k", given.scale),
                }
                "merc"
            }
            Self::LambertConic1 => {
                put("lat_1", given.lat_1.or(given.lat_0));
                put("lat_0", given.lat_0);
                put("k_0", given.scale);
                "lcc"
            }
            Self::LambertConic2 => {
                put("lat_1", given.lat_1);
                put("lat_2", given.lat_2);
                put("lat_0", given.lat_0);
                "lcc"
            }
            Self::Conic(name) => {
                put("lat_1", given.lat_1);
                put("lat_2", given.lat_2);
                put("lat_0", given.lat_0);
                name
            }
            Self::PolarStereographic => {
                let parallel = given.lat_1.or(given.lat_0).unwrap_or(90.0);
                put("lat_0", Some(90.0_f64.copysign(parallel)));
                if parallel.abs() == 90.0 {
                    put("k", given.scale);
                } else {
                    put("lat_ts", Some(parallel));
                }
                "stere"
            }
            Self::Equirectangular => {
                put("lat_ts", given.lat_1);
                put("lat_0", given.lat_0);
                "eqc"
            }
            Self::CylindricalEqualArea => {
                put("lat_ts", given.lat_1);
                "cea"
            }
            Self::Geostationary { sweeps_x } => {
                put("h", given.height);
                if sweeps_x { "geos sweep=x" } else { "geos" }
            }
            Self::HotineNaturalOrigin | Self::HotineCenter => return self.spell_hotine(given),
            Self::SwissOblique => {
                put("lat_0", given.lat_0);
                put("k_0", given.scale);
                "somerc"
            }
            Self::Krovak | Self::KrovakNorth => {
                put("lat_0", given.lat_0);
                put("alpha", given.azimuth);
                put("k", given.scale);
                "krovak"
            }
            Self::Centered(name) => {
                put("lat_0", given.lat_0);
                // The authalic sphere, where the ellipsoid is none.
                if name == "mill" { "mill R_A" } else { name }
            }
            Self::Scaled(name) => {
                put("lat_0", given.lat_0);
                put("k", given.scale);
                name
            }
        };
        let axis = match self {
            Self::TransverseMercatorSouth => " axis=wsu",
            Self::Krovak => " axis=swu",
            _ => "",
        };
        format!("proj={name}{axis} {}", words.join(" "))
    }

    fn spell_hotine(self, given: &Arguments) -> String {
        let or_zero = |value: Option<f64>| value.unwrap_or(0.0);
        let (lat, lon) = (or_zero(given.lat_0), or_zero(given.lon_0));
        let (east, north) = (or_zero(given.east), or_zero(given.north));
        let (azimuth, scale) = (or_zero(given.azimuth), given.scale.unwrap_or(1.0));
        let rectified = given.rectified.unwrap_or(azimuth);
        if (azimuth - 90.0).abs() < 1e-9 && (rectified - 90.0).abs() < 1e-9 {
            return format!("proj=somerc lat_0={lat} lon_0={lon} k_0={scale} x_0={east} y_0={north}");
        }
        let origin = if self == Self::HotineNaturalOrigin {
            " no_uoff"
        } else {
            ""
        };
        format!(
            "proj=omerc{origin} lat_0={lat} lonc={lon} alpha={azimuth} gamma={rectified} k={scale} x_0={east} y_0={north}"
        )
    }
}

/// A name without case, spaces and signs: writers differ in those.
pub(super) fn fold(name: &str) -> String {
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}
