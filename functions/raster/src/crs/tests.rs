//! Coordinate reference systems against each other and against nonsense.

use super::*;

/// GeoKeys from short values, doubles and texts.
fn keys(shorts: &[(u16, u16)], doubles: &[(u16, &[f64])], texts: &[(u16, &str)]) -> GeoKeys {
    let mut directory = vec![1, 1, 0, (shorts.len() + doubles.len() + texts.len()) as u16];
    let (mut numbers, mut ascii) = (Vec::new(), Vec::new());
    for (key, value) in shorts {
        directory.extend([*key, 0, 1, *value]);
    }
    for (key, values) in doubles {
        directory.extend([*key, 34_736, values.len() as u16, numbers.len() as u16]);
        numbers.extend(*values);
    }
    for (key, text) in texts {
        directory.extend([*key, 34_737, text.len() as u16 + 1, ascii.len() as u16]);
        ascii.extend(text.bytes().chain([b'|']));
    }
    GeoKeys::parse(&directory, &numbers, &ascii).unwrap()
}

/// How far apart two systems place a point, in metres.
fn apart(one: &Crs, other: &Crs, lon: f64, lat: f64) -> f64 {
    let (x, y) = one.forward(lon, lat).unwrap();
    let (other_x, other_y) = other.forward(lon, lat).unwrap();
    (x - other_x).hypot(y - other_y) * one.unit_to_metre()
}

#[test]
fn every_entry_of_the_registry_can_be_read() {
    let mut refused = std::collections::BTreeSet::new();
    for line in include_str!("registry/crs.txt").lines() {
        let code = line.split(' ').next().unwrap().parse().unwrap();
        match Crs::from_epsg(code) {
            Ok(crs) => assert!(!crs.name().is_empty() && crs.unit_to_metre() > 0.0, "{line}"),
            Err(CrsError::UnsupportedMethod(name)) => drop(refused.insert(name)),
            Err(error) => panic!("{line}: {error}"),
        }
    }
    assert!(refused.contains("labrd") && refused.len() < 60, "{refused:?}");
}
#[test]
fn the_mainstream_codes_have_their_kind_and_place() {
    let web = Crs::from_epsg(900_913).unwrap();
    assert_eq!(
        (web.kind(), web.epsg(), web.unit_name()),
        (Kind::WebMercator, Some(3857), "metre")
    );
    let (x, y) = web.forward(180.0, 85.051_128_779_806_59).unwrap();
    assert!((x - 20_037_508.342_789_244).abs() < 1e-6 && (y - 20_037_508.342_789_244).abs() < 1e-6);
    let plain = Crs::from_epsg(4326).unwrap();
    assert_eq!(
        (plain.kind(), plain.forward(7.5, -3.0)),
        (Kind::Wgs84, Some((7.5, -3.0)))
    );
    // PROJ 9.5.1, EPSG:32633.
    let utm = Crs::from_epsg(32633).unwrap();
    assert_eq!((utm.kind(), utm.name()), (Kind::Other, "WGS 84 / UTM zone 33N"));
    let (x, y) = utm.forward(16.0, 48.0).unwrap();
    assert!(
        (x - 574_595.112_486_034).abs() < 1e-6 && (y - 5_316_784.009_235_404).abs() < 1e-6,
        "{x} {y}"
    );
}

#[test]
fn web_mercator_is_known_in_every_spelling() {
    for text in [
        "+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +x_0=0 +y_0=0 +k=1 +units=m +nadgrids=@null +wktext +no_defs",
        "EPSG:102100",
        "PROJCS[\"WGS_1984_Web_Mercator_Auxiliary_Sphere\",GEOGCS[\"GCS_WGS_1984\",DATUM[\"D_WGS_1984\",\
         SPHEROID[\"WGS_1984\",6378137.0,298.257223563]],PRIMEM[\"Greenwich\",0.0],UNIT[\"Degree\",0.017453292519943295]],\
         PROJECTION[\"Mercator_Auxiliary_Sphere\"],PARAMETER[\"Central_Meridian\",0.0],UNIT[\"Meter\",1.0]]",
    ] {
        assert_eq!(
            Crs::from_user_input(text).unwrap().kind(),
            Kind::WebMercator,
            "{text}"
        );
    }
}

#[test]
fn an_unknown_code_is_named() {
    assert_eq!(Crs::from_epsg(65_000).unwrap_err(), CrsError::UnknownCode(65_000));
    assert_eq!(Crs::from_epsg(0).unwrap_err(), CrsError::UnknownCode(0));
    assert_eq!(
        Crs::from_epsg(u32::MAX).unwrap_err(),
        CrsError::UnknownCode(u32::MAX)
    );
}

#[test]
fn every_part_by_itself_makes_the_registered_system() {
    // NAD83 / California zone 1 (ftUS), spelt out.
    let spelt = keys(
        &[
            (1024, 1),
            (3072, 32_767),
            (2048, 4269),
            (3074, 32_767),
            (3075, 8),
            (3076, 9003),
        ],
        &[
            (3078, &[41.666_666_666_666_67]),
            (3079, &[40.0]),
            (3085, &[39.333_333_333_333_34]),
            (3084, &[-122.0]),
            (3086, &[6_561_666.667]),
            (3087, &[1_640_416.667]),
        ],
        &[],
    );
    let spelt = Crs::from_geokeys(&spelt).unwrap();
    assert_eq!((spelt.unit_name(), spelt.epsg()), ("US survey foot", None));
    assert!(apart(&spelt, &Crs::from_epsg(2225).unwrap(), -123.0, 40.5) < 1e-3);

    // ED50 / UTM zone 31N: datum by code, ellipsoid by code, transverse Mercator.
    let spelt = keys(
        &[
            (1024, 1),
            (3072, 32_767),
            (2048, 32_767),
            (2050, 6230),
            (2056, 7022),
            (3075, 1),
            (3076, 9001),
        ],
        &[
            (3080, &[3.0]),
            (3081, &[0.0]),
            (3092, &[0.9996]),
            (3082, &[500_000.0]),
            (3083, &[0.0]),
        ],
        &[],
    );
    let spelt = Crs::from_geokeys(&spelt).unwrap();
    assert!(
        apart(
            &spelt,
            &Crs::from_proj_string("+proj=utm +zone=31 +ellps=intl").unwrap(),
            2.0,
            41.0
        ) > 100.0
    );
    assert!(apart(&spelt, &Crs::from_epsg(23031).unwrap(), 2.0, 45.0) < 10.0);

    // The sphere of MODIS: longitudes and latitudes carry over.
    let spelt = keys(
        &[
            (1024, 1),
            (3072, 32_767),
            (2048, 32_767),
            (2050, 32_767),
            (2056, 32_767),
            (3075, 24),
            (3076, 9001),
        ],
        &[
            (2057, &[6_371_007.181]),
            (2058, &[6_371_007.181]),
            (3088, &[0.0]),
            (3082, &[0.0]),
            (3083, &[0.0]),
        ],
        &[],
    );
    let (x, y) = Crs::from_geokeys(&spelt).unwrap().forward(60.0, 60.0).unwrap();
    let sixty = 6_371_007.181 * std::f64::consts::FRAC_PI_3;
    assert!(
        (x - sixty / 2.0).abs() < 1e-6 && (y - sixty).abs() < 1e-6,
        "{x} {y}"
    );

    // Gauss on the meridian of Paris, in grads: the longitude counts from there.
    let spelt = keys(
        &[
            (1024, 2),
            (2048, 32_767),
            (2050, 32_767),
            (2056, 7011),
            (2051, 8903),
            (2054, 9105),
        ],
        &[(2062, &[-168.0, -60.0, 320.0])],
        &[],
    );
    let spelt = Crs::from_geokeys(&spelt).unwrap();
    assert_eq!(spelt.unit_name(), "grad");
    assert!(apart(&spelt, &Crs::from_epsg(4807).unwrap(), 2.0, 48.0) < 1e-3);
}

#[test]
fn axes_to_the_west_and_south_are_kept() {
    let spelt = keys(
        &[(1024, 1), (3072, 32_767), (2048, 4148), (3075, 27), (3076, 9001)],
        &[
            (3080, &[29.0]),
            (3081, &[0.0]),
            (3092, &[1.0]),
            (3082, &[0.0]),
            (3083, &[0.0]),
        ],
        &[],
    );
    let spelt = Crs::from_geokeys(&spelt).unwrap();
    let (west, south) = spelt.forward(28.0, -30.0).unwrap();
    assert!(west > 90_000.0 && south > 3_300_000.0, "{west} {south}");
    assert!(apart(&spelt, &Crs::from_epsg(2053).unwrap(), 28.0, -30.0) < 1e-6);
}

#[test]
fn a_unit_that_the_file_says_overrules_the_code() {
    let metres = Crs::from_epsg(2853).unwrap();
    let feet = keys(&[(1024, 1), (3072, 2853), (3076, 9003)], &[], &[]);
    let feet = Crs::from_geokeys(&feet).unwrap();
    assert_eq!((feet.unit_name(), feet.epsg()), ("US survey foot", None));
    let ((x, _), (x_m, _)) = (
        feet.forward(-78.0, 38.5).unwrap(),
        metres.forward(-78.0, 38.5).unwrap(),
    );
    assert!((x * 12.0 / 39.37 - x_m).abs() < 1e-6);
    let same = keys(&[(1024, 1), (3072, 2853), (3076, 9001)], &[], &[]);
    assert_eq!(Crs::from_geokeys(&same).unwrap().epsg(), Some(2853));
}

#[test]
fn words_in_citations_are_read() {
    let albers = "PROJCS[\"NAD_1983_Albers\",GEOGCS[\"GCS_North_American_1983\",DATUM[\"D_North_American_1983\",\
        SPHEROID[\"GRS_1980\",6378137.0,298.257222101]],PRIMEM[\"Greenwich\",0.0],UNIT[\"Degree\",0.0174532925199433]],\
        PROJECTION[\"Albers\"],PARAMETER[\"False_Easting\",0.0],PARAMETER[\"False_Northing\",0.0],\
        PARAMETER[\"Central_Meridian\",-96.0],PARAMETER[\"Standard_Parallel_1\",29.5],\
        PARAMETER[\"Standard_Parallel_2\",45.5],PARAMETER[\"Latitude_Of_Origin\",23.0],UNIT[\"Meter\",1.0]]";
    let known = Crs::from_epsg(5070).unwrap();
    let user = [(1024, 1), (3072, 32_767)];
    let esri = keys(&user, &[], &[(3073, &format!("ESRI PE String = {albers}"))]);
    assert!(apart(&Crs::from_geokeys(&esri).unwrap(), &known, -90.0, 40.0) < 1e-6);
    let named = keys(&user, &[], &[(3073, "PCS Name = NAD83 / Conus Albers")]);
    assert_eq!(Crs::from_geokeys(&named).unwrap().epsg(), Some(5070));
    let wkt2 = "PROJCRS[\"x\",BASEGEOGCRS[\"WGS 84\",DATUM[\"World Geodetic System 1984\",ELLIPSOID[\"WGS 84\",6378137,\
        298.257223563,LENGTHUNIT[\"metre\",1]]],PRIMEM[\"Greenwich\",0,ANGLEUNIT[\"degree\",0.0174532925199433]]],\
        CONVERSION[\"UTM zone 33N\",METHOD[\"Transverse Mercator\",ID[\"EPSG\",9807]],\
        PARAMETER[\"Latitude of natural origin\",0,ANGLEUNIT[\"degree\",0.0174532925199433]],\
        PARAMETER[\"Longitude of natural origin\",15,ANGLEUNIT[\"degree\",0.0174532925199433]],\
        PARAMETER[\"Scale factor at natural origin\",0.9996,SCALEUNIT[\"unity\",1]],\
        PARAMETER[\"False easting\",500,LENGTHUNIT[\"kilometre\",1000]],\
        PARAMETER[\"False northing\",0,LENGTHUNIT[\"metre\",1]]],CS[Cartesian,2],AXIS[\"(E)\",east],AXIS[\"(N)\",north],\
        LENGTHUNIT[\"metre\",1]]";
    assert!(
        apart(
            &Crs::from_wkt(wkt2).unwrap(),
            &Crs::from_epsg(32633).unwrap(),
            14.0,
            50.0
        ) < 1e-6
    );
}

#[test]
fn people_may_name_a_system_in_many_ways() {
    for (text, code) in [
        ("EPSG:3857", 3857),
        ("epsg:32633", 32_633),
        ("4326", 4326),
        ("OGC:CRS84", 4326),
        ("urn:ogc:def:crs:EPSG::3035", 3035),
        ("urn:ogc:def:crs:OGC:1.3:CRS84", 4326),
        ("http://www.opengis.net/def/crs/EPSG/0/2056", 2056),
        ("ESRI:54009", 54_009),
    ] {
        assert_eq!(Crs::from_user_input(text).unwrap().epsg(), Some(code), "{text}");
    }
    for text in [
        "",
        "EPSG:",
        "EPSG:x",
        "IAU:30110",
        "hello",
        "+proj=",
        "+proj=utm",
        "PROJCS[",
    ] {
        assert!(Crs::from_user_input(text).is_err(), "{text}");
    }
}

#[test]
fn what_is_no_place_on_earth_is_refused_by_name() {
    let refused = |keys: &GeoKeys| Crs::from_geokeys(keys).unwrap_err();
    assert_eq!(refused(&GeoKeys::default()), CrsError::None);
    let local = keys(&[(1024, 32_767)], &[], &[(1026, "Site grid")]);
    assert_eq!(refused(&local), CrsError::Local("Site grid".to_owned()));
    assert!(matches!(
        refused(&keys(&[(1024, 3)], &[], &[])),
        CrsError::Geocentric(_)
    ));
    let moon = keys(
        &[(1024, 2), (2048, 32_767)],
        &[(2057, &[1_737_400.0]), (2058, &[1_737_400.0])],
        &[],
    );
    assert!(matches!(refused(&moon), CrsError::OtherPlanet(_)));
    let laborde = keys(&[(1024, 1), (3072, 32_767), (2048, 4326), (3075, 4)], &[], &[]);
    assert_eq!(
        refused(&laborde),
        CrsError::UnsupportedMethod("Oblique Mercator, Laborde".to_owned())
    );
    assert_eq!(
        refused(&keys(&[(1024, 1), (3072, 64_999)], &[], &[])),
        CrsError::UnknownCode(64_999)
    );
    let engineering = Crs::from_wkt("LOCAL_CS[\"Hall\",UNIT[\"metre\",1]]").unwrap_err();
    assert_eq!(engineering, CrsError::Local("Hall".to_owned()));
}

/// A small generator of numbers without order (xorshift, Marsaglia 2003).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[(self.next() % from.len() as u64) as usize]
    }
}

fn poke(crs: &Crs) {
    for (x, y) in [
        (0.0, 0.0),
        (1e6, 5e6),
        (-180.0, 90.0),
        (1e300, -1e300),
        (f64::NAN, 1.0),
        (f64::INFINITY, 0.0),
        (179.9, -90.0),
    ] {
        let places = [crs.forward(x, y), crs.inverse(x, y)];
        assert!(
            places.iter().flatten().all(|(x, y)| !x.is_nan() && !y.is_nan()),
            "{crs:?}"
        );
    }
}

#[test]
fn random_keys_never_panic() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let codes: Vec<u16> = (1024..1027).chain(2048..2063).chain(3072..3097).collect();
    let numbers = [
        0.0,
        1.0,
        -1.0,
        45.0,
        -90.0,
        90.0,
        180.0,
        1e-300,
        1e300,
        f64::NAN,
        f64::INFINITY,
        6_378_137.0,
        298.25,
        500_000.0,
    ];
    let shorts = [
        0, 1, 2, 3, 8, 11, 14, 15, 17, 4326, 4267, 6326, 7030, 9001, 9102, 9105, 32_767, 65_535,
    ];
    for _ in 0..20_000 {
        let count = random.next() % 24;
        let mut directory = vec![1, 1, 0, count as u16];
        for _ in 0..count {
            let place = random.pick(&[0, 0, 34_736, 34_736, 34_737, 7]);
            let value = if place == 0 && !random.next().is_multiple_of(4) {
                random.pick(&shorts)
            } else {
                (random.next() % 40) as u16
            };
            directory.extend([random.pick(&codes), place, (random.next() % 4) as u16, value]);
        }
        if random.next().is_multiple_of(2) {
            directory.extend([1024, 0, 1, 1, 3075, 0, 1, (random.next() % 30) as u16]);
            directory[3] += 2;
        }
        let doubles: Vec<f64> = (0..40).map(|_| random.pick(&numbers)).collect();
        if let Ok(crs) =
            GeoKeys::parse(&directory, &doubles, b"WGS 84|x|").and_then(|keys| Crs::from_geokeys(&keys))
        {
            poke(&crs);
        }
    }
}

#[test]
fn random_text_never_panics() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let seeds = [
        "PROJCS[\"x\",GEOGCS[\"y\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,298.257223563]],PRIMEM[\"Greenwich\",0],\
         UNIT[\"degree\",0.0174532925199433]],PROJECTION[\"Lambert_Conformal_Conic_2SP\"],PARAMETER[\"standard_parallel_1\",\
         33],PARAMETER[\"standard_parallel_2\",45],PARAMETER[\"latitude_of_origin\",40],UNIT[\"metre\",1]]",
        "+proj=lcc +lat_1=33 +lat_2=45 +lat_0=40 +lon_0=-96 +x_0=0 +y_0=0 +datum=NAD83 +units=us-ft",
        "+proj=omerc +lat_0=4 +lonc=115 +alpha=53 +gamma=53 +k=0.99 +x_0=590476 +y_0=442857 +ellps=bessel +towgs84=1,2,3",
        "+proj=stere +lat_0=90 +lat_ts=70 +lon_0=-45 +pm=paris +a=6378137 +rf=298 +axis=wsu +to_meter=0.3",
    ];
    let letters = b"0129.-+=,[]\"() eanpstrojlc\0";
    for round in 0..20_000 {
        let mut text = seeds[round % seeds.len()].as_bytes().to_vec();
        for _ in 0..=random.next() % 6 {
            let at = (random.next() % text.len() as u64) as usize;
            match random.next() % 3 {
                0 => text[at] = random.pick(letters),
                1 => drop(text.remove(at)),
                _ => text.truncate(at.max(8)),
            }
        }
        if let Ok(crs) = Crs::from_user_input(&String::from_utf8_lossy(&text)) {
            poke(&crs);
        }
    }
}

/// As GDAL writes it into a GeoTIFF; the numbers are PROJ 9.5's.
#[test]
fn the_view_of_a_weather_satellite_is_projected() {
    let wkt = "PROJCS[\"unknown\",GEOGCS[\"GCS_unknown\",DATUM[\"D_WGS_1984\",SPHEROID[\"WGS_1984\",6378137.0,298.257223563]],\
        PRIMEM[\"Greenwich\",0.0],UNIT[\"Degree\",0.0174532925199433]],PROJECTION[\"Geostationary_Satellite\"],\
        PARAMETER[\"False_Easting\",0.0],PARAMETER[\"False_Northing\",0.0],PARAMETER[\"Longitude_Of_Center\",9.5],\
        PARAMETER[\"Height\",35785831.0],PARAMETER[\"Option\",0.0],UNIT[\"Meter\",1.0]]";
    let sweeping_x = wkt.replace("Geostationary_Satellite", "Geostationary Satellite (Sweep X)");
    for (text, x, y) in [
        (wkt, 780_885.062_433, 4_236_111.058_266),
        (&sweeping_x, 775_419.553_441, 4_237_110.389_536),
    ] {
        let crs = Crs::from_wkt(text).unwrap();
        let (east, north) = crs.forward(20.0, 45.0).unwrap();
        assert!(
            (east - x).abs() < 1e-3 && (north - y).abs() < 1e-3,
            "{east} {north}"
        );
        let (lon, lat) = crs.inverse(x, y).unwrap();
        assert!(
            (lon - 20.0).abs() < 1e-8 && (lat - 45.0).abs() < 1e-8,
            "{lon} {lat}"
        );
    }
    // Beyond the edge of the earth there is nothing.
    assert_eq!(Crs::from_wkt(wkt).unwrap().inverse(6e6, 0.0), None);
    let without_height = wkt.replace("PARAMETER[\"Height\",35785831.0],", "");
    assert!(Crs::from_wkt(&without_height).is_err());
}

#[test]
fn a_system_is_told_by_its_registry() {
    let uri = |text: &str| Crs::from_user_input(text).unwrap().uri();
    let of = |path: &str| Some(format!("http://www.opengis.net/def/crs/{path}"));
    assert_eq!(uri("EPSG:3857"), of("EPSG/0/3857"));
    assert_eq!(uri("ESRI:54009"), of("ESRI/0/54009"));
    assert_eq!(uri("[EPSG:32634]"), of("EPSG/0/32634"));
    assert_eq!(uri("+proj=moll"), None);
}
