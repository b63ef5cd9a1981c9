//! The system that GeoKeys describe: a code, or every part by itself (32767, "user-defined"), or words in a citation.
//!
//! OGC GeoTIFF 1.1 (19-008r4), clause 7.5 and annexes B and C. Where files and specification part ways, we read as
//! libgeotiff does, for its files are the ones that exist: any of the origin keys serves any method, and angles of the
//! projection are degrees whatever unit the coordinates have.

use super::geokeys::{GeoKeys, MODEL_TYPE};
use super::method::{Arguments, Method};
use super::units::{self, DEGREE};
use super::{CrsError, Described, ellipsoid, registry, wkt};

/// "Defined by the other keys".
const USER_DEFINED: u16 = 32_767;

const CITATION: u16 = 1026;
const GEOGRAPHIC: u16 = 2048;
const GEOGRAPHIC_CITATION: u16 = 2049;
const DATUM: u16 = 2050;
const PRIME_MERIDIAN: u16 = 2051;
const GEOGRAPHIC_LENGTH: u16 = 2052;
const GEOGRAPHIC_LENGTH_SIZE: u16 = 2053;
const ANGLE: u16 = 2054;
const ANGLE_SIZE: u16 = 2055;
const ELLIPSOID: u16 = 2056;
const SEMI_MAJOR: u16 = 2057;
const SEMI_MINOR: u16 = 2058;
const INVERSE_FLATTENING: u16 = 2059;
const PRIME_MERIDIAN_LONGITUDE: u16 = 2061;
const TOWGS84: u16 = 2062;
const PROJECTED: u16 = 3072;
const PROJECTED_CITATION: u16 = 3073;
const PROJECTION: u16 = 3074;
const METHOD: u16 = 3075;
const LENGTH: u16 = 3076;
const LENGTH_SIZE: u16 = 3077;

/// Reads the keys.
pub(super) fn read(keys: &GeoKeys) -> Result<Described, CrsError> {
    if keys.is_empty() {
        return Err(CrsError::None);
    }
    match keys.short(MODEL_TYPE) {
        Some(3) => Err(CrsError::Geocentric(citation(keys))),
        Some(2) => geographic(keys, true),
        Some(1) => projected(keys),
        // No model, yet a system: it is what it is.
        _ if keys.short(PROJECTED).is_some() => projected(keys),
        _ if keys.short(GEOGRAPHIC).is_some() => geographic(keys, true),
        _ => in_words(keys).unwrap_or_else(|| Err(CrsError::Local(citation(keys)))),
    }
}

/// What the file calls its system.
fn citation(keys: &GeoKeys) -> String {
    let texts = [PROJECTED_CITATION, CITATION, GEOGRAPHIC_CITATION].map(|key| keys.text(key));
    texts
        .into_iter()
        .flatten()
        .find(|text| !text.is_empty())
        .unwrap_or("unnamed")
        .to_owned()
}

/// A code that names something.
fn code(keys: &GeoKeys, key: u16) -> Option<u32> {
    keys.short(key)
        .filter(|code| !matches!(*code, 0 | USER_DEFINED))
        .map(u32::from)
}

fn projected(keys: &GeoKeys) -> Result<Described, CrsError> {
    let unknown = match code(keys, PROJECTED).map(|code| (code, registry::find(code))) {
        Some((_, Ok(entry))) => return with_unit(Described::registered(entry.code), keys),
        Some((_, Err(error))) => Some(error),
        None => None,
    };
    if let Some(found) = in_words(keys) {
        return found;
    }
    let spelt = match (code(keys, METHOD), code(keys, PROJECTION)) {
        (Some(method), _) => {
            let unsupported = |name: &str| match name {
                "unknown" => CrsError::UnsupportedMethod(format!("GeoTIFF's number {method}")),
                name => CrsError::UnsupportedMethod(name.to_owned()),
            };
            let method = Method::from_geokey(method as u16).map_err(unsupported)?;
            method.spell(&arguments(keys, method)?)
        }
        // The registry's conversions UTM zone 1N to 60N and 1S to 60S.
        (None, Some(zone @ 16_001..=16_060)) => format!("proj=utm zone={}", zone - 16_000),
        (None, Some(zone @ 16_101..=16_160)) => format!("proj=utm zone={} south", zone - 16_100),
        (None, Some(conversion)) => {
            return Err(CrsError::UnsupportedMethod(format!(
                "the conversion EPSG:{conversion}"
            )));
        }
        (None, None) => return Err(unknown.unwrap_or_else(|| CrsError::Local(citation(keys)))),
    };
    let ground = geographic(keys, false)?;
    let metres = length(keys, LENGTH, LENGTH_SIZE)?.unwrap_or(1.0);
    let unit = if metres == 1.0 {
        String::new()
    } else {
        format!(" to_meter={metres}")
    };
    let parameters = format!("{spelt} {}{unit}", ground.parameters);
    Ok(Described {
        name: citation(keys),
        base: ground.base,
        parameters,
        epsg: None,
    })
}

/// A registered system, in the unit that the file says where that is another than the registry's: false coordinates
/// keep their place on the ground.
fn with_unit(described: Described, keys: &GeoKeys) -> Result<Described, CrsError> {
    let Some(metres) = length(keys, LENGTH, LENGTH_SIZE)? else {
        return Ok(described);
    };
    Ok(Described {
        parameters: format!("to_meter={metres}"),
        ..described
    })
}

/// Metres in the unit that a key names by code or by size.
fn length(keys: &GeoKeys, key: u16, size: u16) -> Result<Option<f64>, CrsError> {
    match keys.short(key) {
        None | Some(0) => Ok(None),
        Some(USER_DEFINED) => Ok(keys.double(size).filter(|metres| *metres > 0.0)),
        Some(code) => match units::length_by_code(code) {
            Some(unit) => Ok(Some(unit.metres)),
            None => Err(CrsError::Malformed(format!("unit of length {code} is not known"))),
        },
    }
}

/// Radians in the unit of angles.
fn angle(keys: &GeoKeys) -> Result<f64, CrsError> {
    match keys.short(ANGLE) {
        None | Some(0) => Ok(DEGREE),
        Some(USER_DEFINED) => Ok(keys
            .double(ANGLE_SIZE)
            .filter(|radians| *radians > 0.0)
            .unwrap_or(DEGREE)),
        Some(code) => units::angle_by_code(code)
            .ok_or_else(|| CrsError::Malformed(format!("unit of angle {code} is not known"))),
    }
}

/// The datum and, where the angles are coordinates, their unit.
fn geographic(keys: &GeoKeys, with_angle: bool) -> Result<Described, CrsError> {
    if with_angle
        && code(keys, GEOGRAPHIC).is_none()
        && let Some(found) = in_words(keys)
    {
        return found;
    }
    let unknown = match code(keys, GEOGRAPHIC).map(registry::find) {
        Some(Ok(entry)) if with_angle => return Ok(Described::registered(entry.code)),
        Some(Ok(entry)) => {
            return Ok(Described {
                name: entry.name,
                base: Some(entry.code),
                parameters: String::new(),
                epsg: None,
            });
        }
        Some(Err(error)) => Some(error),
        None => None,
    };
    let angle = angle(keys)?;
    let name = keys.text(GEOGRAPHIC_CITATION).unwrap_or_default();
    let base = registry::base_of_datum(code(keys, DATUM), &field(name, "Datum").unwrap_or_default())
        .or_else(|| registry::base_of_datum(None, name));
    let figure = match (figure(keys)?, base, unknown) {
        (Some(figure), ..) => figure,
        (None, Some(_), _) => String::new(),
        (None, None, Some(error)) => return Err(error),
        // Nothing said: WGS 84, as every reader has it.
        (None, None, None) => "ellps=WGS84".to_owned(),
    };
    let mut parameters = vec![figure];
    if let Some(longitude) = meridian(keys, angle)? {
        parameters.push(format!("pm={longitude}"));
    }
    if let Some(values) = keys.doubles(TOWGS84) {
        let values: Vec<String> = values.iter().map(f64::to_string).collect();
        parameters.push(format!("towgs84={}", values.join(",")));
    }
    if with_angle {
        parameters.push(format!("angle={angle}"));
    }
    Ok(Described {
        name: citation(keys),
        base,
        parameters: parameters.join(" "),
        epsg: None,
    })
}

/// The ellipsoid that the keys give by size or by code.
fn figure(keys: &GeoKeys) -> Result<Option<String>, CrsError> {
    let metres = length(keys, GEOGRAPHIC_LENGTH, GEOGRAPHIC_LENGTH_SIZE)?.unwrap_or(1.0);
    if let Some(a) = keys.double(SEMI_MAJOR).map(|a| a * metres) {
        return Ok(Some(
            match (keys.double(SEMI_MINOR), keys.double(INVERSE_FLATTENING)) {
                (_, Some(rf)) if rf > 1.0 => format!("a={a} rf={rf}"),
                (Some(b), _) if b > 0.0 => format!("a={a} b={}", b * metres),
                _ => format!("R={a}"),
            },
        ));
    }
    match code(keys, ELLIPSOID) {
        None => Ok(None),
        Some(code) => match ellipsoid::coded(code as u16) {
            Some(figure) => Ok(Some(format!("a={} b={}", figure.a, figure.b))),
            None => Err(CrsError::Malformed(format!("ellipsoid {code} is not known"))),
        },
    }
}

/// Degrees of the prime meridian east of Greenwich, where it is another.
fn meridian(keys: &GeoKeys, angle: f64) -> Result<Option<f64>, CrsError> {
    if let Some(longitude) = keys.double(PRIME_MERIDIAN_LONGITUDE) {
        return Ok(Some(longitude * angle / DEGREE).filter(|longitude| *longitude != 0.0));
    }
    match code(keys, PRIME_MERIDIAN) {
        None | Some(8901) => Ok(None),
        Some(code) => match units::meridian_by_code(code as u16) {
            Some(longitude) => Ok(Some(longitude)),
            None => Err(CrsError::Malformed(format!("prime meridian {code} is not known"))),
        },
    }
}

/// The arguments of a projection, from whichever keys hold them.
fn arguments(keys: &GeoKeys, method: Method) -> Result<Arguments, CrsError> {
    let metres = length(keys, LENGTH, LENGTH_SIZE)?.unwrap_or(1.0);
    let first = |names: &[u16]| names.iter().find_map(|key| keys.double(*key));
    let polar = method == Method::PolarStereographic;
    Ok(Arguments {
        height: None,
        lat_0: first(&[3081, 3085, 3089]),
        lon_0: if polar {
            first(&[3095, 3080, 3084, 3088])
        } else {
            first(&[3080, 3084, 3088, 3095])
        },
        lat_1: first(&[3078]),
        lat_2: first(&[3079]),
        scale: first(&[3092, 3093]),
        azimuth: first(&[3094]),
        rectified: first(&[3096]).or(Some(90.0)),
        east: first(&[3082, 3090, 3086]).map(|value| value * metres),
        north: first(&[3083, 3091, 3087]).map(|value| value * metres),
    })
}

/// A system that a citation spells out: WKT, Esri's after `ESRI PE String = `, a code, or a name of the registry.
fn in_words(keys: &GeoKeys) -> Option<Result<Described, CrsError>> {
    let texts = [PROJECTED_CITATION, CITATION, GEOGRAPHIC_CITATION].map(|key| keys.text(key));
    let texts = || texts.iter().flatten().map(|text| text.trim());
    for text in texts() {
        let text = text.strip_prefix("ESRI PE String = ").unwrap_or(text).trim();
        if wkt::is_wkt(text) {
            return Some(wkt::read(text));
        }
    }
    if code(keys, METHOD).is_some() || code(keys, PROJECTION).is_some() {
        return None;
    }
    for text in texts() {
        let name = field(text, "PCS Name")
            .or_else(|| field(text, "GCS Name"))
            .unwrap_or_else(|| text.to_owned());
        let by_code = || {
            name.strip_prefix("EPSG:")
                .and_then(|code| code.trim().parse().ok())
        };
        if let Some(found) = by_code().or_else(|| registry::find_by_name(&name)) {
            return Some(Ok(Described::registered(found)));
        }
    }
    None
}

/// The value of `name = value` in a citation of parts between bars.
fn field(text: &str, name: &str) -> Option<String> {
    let part = text
        .split('|')
        .find_map(|part| part.trim().strip_prefix(name)?.trim_start().strip_prefix('='));
    part.map(|value| value.trim().to_owned())
}
