//! Units of length and angle, under the names that PROJ strings, GeoKeys and WKT give them.

/// A unit of length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Length {
    /// EPSG code, 0 where it has none.
    pub(super) code: u16,
    /// Name in PROJ strings, empty where it has none.
    pub(super) proj: &'static str,
    /// Name for people.
    pub(super) name: &'static str,
    /// Metres in one.
    pub(super) metres: f64,
}

/// The unit that needs no word.
pub(super) const METRE: Length = length(9001, "m", "metre", 1.0);

const fn length(code: u16, proj: &'static str, name: &'static str, metres: f64) -> Length {
    Length {
        code,
        proj,
        name,
        metres,
    }
}

/// EPSG Dataset v11.022, table of units, type length.
const LENGTHS: [Length; 44] = [
    METRE,
    length(9002, "ft", "foot", 0.3048),
    length(9003, "us-ft", "US survey foot", 12.0 / 39.37),
    length(9005, "", "Clarke's foot", 0.304_797_265_4),
    length(9014, "fath", "fathom", 1.8288),
    length(9030, "kmi", "nautical mile", 1852.0),
    length(9031, "", "German legal metre", 1.000_013_596_5),
    length(9033, "us-ch", "US survey chain", 792.0 / 39.37),
    length(9034, "", "US survey link", 7.92 / 39.37),
    length(9035, "us-mi", "US survey mile", 63_360.0 / 39.37),
    length(9036, "km", "kilometre", 1000.0),
    length(9037, "", "Clarke's yard", 0.914_391_796_2),
    length(9038, "", "Clarke's chain", 20.116_619_516_4),
    length(9039, "", "Clarke's link", 0.201_166_195_164),
    length(9040, "", "British yard (Sears 1922)", 36.0 / 39.370_147),
    length(9041, "", "British foot (Sears 1922)", 12.0 / 39.370_147),
    length(9042, "", "British chain (Sears 1922)", 792.0 / 39.370_147),
    length(9043, "", "British link (Sears 1922)", 7.92 / 39.370_147),
    length(9050, "", "British yard (Benoit 1895 A)", 0.914_399_2),
    length(9051, "", "British foot (Benoit 1895 A)", 0.914_399_2 / 3.0),
    length(9052, "", "British chain (Benoit 1895 A)", 20.116_782_4),
    length(9053, "", "British link (Benoit 1895 A)", 0.201_167_824),
    length(9060, "", "British yard (Benoit 1895 B)", 36.0 / 39.370_113),
    length(9061, "", "British foot (Benoit 1895 B)", 12.0 / 39.370_113),
    length(9062, "", "British chain (Benoit 1895 B)", 792.0 / 39.370_113),
    length(9063, "", "British link (Benoit 1895 B)", 7.92 / 39.370_113),
    length(9070, "", "British foot (1865)", 0.914_402_5 / 3.0),
    length(9080, "", "Indian foot", 12.0 / 39.370_142),
    length(9081, "ind-ft", "Indian foot (1937)", 0.304_798_41),
    length(9082, "", "Indian foot (1962)", 0.304_799_6),
    length(9083, "", "Indian foot (1975)", 0.304_799_5),
    length(9084, "", "Indian yard", 36.0 / 39.370_142),
    length(9085, "ind-yd", "Indian yard (1937)", 0.914_395_23),
    length(9086, "", "Indian yard (1962)", 0.914_398_8),
    length(9087, "", "Indian yard (1975)", 0.914_398_5),
    length(9093, "mi", "mile", 1609.344),
    length(9094, "", "Gold Coast foot", 6_378_300.0 / 20_926_201.0),
    length(9095, "", "British foot (1936)", 0.304_800_749_1),
    length(9096, "yd", "yard", 0.9144),
    length(9097, "ch", "chain", 20.1168),
    length(9098, "link", "link", 0.201_168),
    length(9099, "", "British yard (Sears 1922 truncated)", 0.914_398),
    length(1025, "mm", "millimetre", 0.001),
    length(1033, "cm", "centimetre", 0.01),
];

/// The unit of length with a name of PROJ strings.
pub(super) fn length_by_proj_name(name: &str) -> Option<Length> {
    LENGTHS.into_iter().find(|unit| unit.proj == name)
}

/// The unit of length with an EPSG code.
pub(super) fn length_by_code(code: u16) -> Option<Length> {
    LENGTHS.into_iter().find(|unit| unit.code == code)
}

/// A unit of so many metres: the known one, where a size says which.
pub(super) fn length_of(metres: f64) -> Option<Length> {
    if !(metres.is_finite() && (1e-6..=1e9).contains(&metres)) {
        return None;
    }
    // Writers round to 10 digits at worst; the feet differ from the 7th on.
    let same = |unit: &Length| ((unit.metres - metres) / metres).abs() < 1e-10;
    Some(match LENGTHS.into_iter().find(same) {
        Some(unit) => Length { metres, ..unit },
        None => length(0, "", "unit", metres),
    })
}

/// Radians in a degree.
pub(super) const DEGREE: f64 = std::f64::consts::PI / 180.0;

/// The size of a unit of angle in radians: a degree is a degree, however few digits a writer gave it.
pub(super) fn angle_of(radians: f64) -> f64 {
    if ((radians - DEGREE) / DEGREE).abs() < 1e-9 {
        DEGREE
    } else {
        radians
    }
}

/// The name for people of a unit of so many radians.
pub(super) fn angle_name(radians: f64) -> &'static str {
    const NAMES: [(f64, &str); 5] = [
        (DEGREE, "degree"),
        (std::f64::consts::PI / 200.0, "grad"),
        (1.0, "radian"),
        (DEGREE / 3600.0, "arc second"),
        (DEGREE / 60.0, "arc minute"),
    ];
    let same = |(size, _): &&(f64, &str)| ((size - radians) / size).abs() < 1e-9;
    NAMES.iter().find(same).map_or("angular unit", |(_, name)| name)
}

/// Radians in the unit of angle with an EPSG code. Sexagesimal ways of writing degrees count as degrees.
pub(super) fn angle_by_code(code: u16) -> Option<f64> {
    const GRAD: f64 = std::f64::consts::PI / 200.0;
    Some(match code {
        9101 => 1.0,
        9102 | 9107 | 9108 | 9110 | 9111 | 9115..=9122 => DEGREE,
        9103 => DEGREE / 60.0,
        9104 => DEGREE / 3600.0,
        9105 | 9106 => GRAD,
        9109 => 1e-6,
        9112 => GRAD / 100.0,
        9113 => GRAD / 10_000.0,
        9114 => std::f64::consts::PI / 3200.0,
        _ => return None,
    })
}

/// Prime meridians: EPSG code, PROJ's name, degrees east of Greenwich (EPSG Dataset v11.022).
const MERIDIANS: [(u16, &str, f64); 15] = [
    (8901, "greenwich", 0.0),
    (8902, "lisbon", -9.131_906_111_111_11),
    (8903, "paris", 2.337_229_17),
    (8904, "bogota", -74.080_916_666_666_7),
    (8905, "madrid", -3.687_375),
    (8906, "rome", 12.452_333_333_333_3),
    (8907, "bern", 7.439_583_333_333_33),
    (8908, "jakarta", 106.807_719_444_444),
    (8909, "ferro", -17.666_666_666_666_7),
    (8910, "brussels", 4.367_975),
    (8911, "stockholm", 18.058_277_777_777_8),
    (8912, "athens", 23.716_337_5),
    (8913, "oslo", 10.722_916_666_666_7),
    (8914, "paris_rgs", 2.337_208_333_333_33),
    (1026, "copenhagen", 12.577_75),
];

/// The prime meridian with an EPSG code.
pub(super) fn meridian_by_code(code: u16) -> Option<f64> {
    MERIDIANS
        .iter()
        .find(|(known, ..)| *known == code)
        .map(|(.., degrees)| *degrees)
}

/// The prime meridian that PROJ strings name.
pub(super) fn meridian_by_name(name: &str) -> Option<f64> {
    MERIDIANS
        .iter()
        .find(|(_, known, _)| known.eq_ignore_ascii_case(name))
        .map(|(.., degrees)| *degrees)
}
