//! Bytes → texts that people write in files and requests: coordinate systems, expressions, colours.

use edgetile_raster::colour::{Colormap, Formula, Rescale, Style};
use edgetile_raster::crs::{Crs, GeoKeys};
use edgetile_raster::math::Expression;
use edgetile_raster::samples::{Mask, Raster, Samples};

/// The first byte says what the rest is: GeoKeys, well-known text, a PROJ string, or anything that names a system.
/// A system that is understood projects points, there and back.
pub fn crs(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else {
        return;
    };
    let crs = if kind % 4 == 0 {
        geo_keys(rest).and_then(|keys| Crs::from_geokeys(&keys).ok())
    } else {
        let Ok(text) = str::from_utf8(rest) else { return };
        match kind % 4 {
            1 => Crs::from_wkt(text).ok(),
            2 => Crs::from_proj_string(text).ok(),
            _ => Crs::from_user_input(text).ok(),
        }
    };
    let Some(crs) = crs else { return };
    assert!(!crs.proj_string().is_empty());
    for (lon, lat) in [
        (0.0, 0.0),
        (9.5, 47.25),
        (-180.0, 90.0),
        (179.999, -89.999),
        (f64::NAN, 1e300),
    ] {
        if let Some((x, y)) = crs.forward(lon, lat) {
            let _ = crs.inverse(x, y);
        }
    }
    for (x, y) in [
        (0.0, 0.0),
        (5e5, 5.2e6),
        (-2e7, 2e7),
        (f64::INFINITY, f64::MIN_POSITIVE),
    ] {
        let _ = crs.inverse(x, y);
    }
}

/// Three tags: how many SHORTs and how many DOUBLEs, those, and text to the end.
fn geo_keys(data: &[u8]) -> Option<GeoKeys> {
    let (&[shorts, doubles], rest) = data.split_first_chunk::<2>()?;
    let (directory, rest) = rest.split_at(rest.len().min(usize::from(shorts) * 2));
    let (numbers, text) = rest.split_at(rest.len().min(usize::from(doubles) * 8));
    let directory: Vec<u16> = directory
        .as_chunks()
        .0
        .iter()
        .map(|bytes| u16::from_le_bytes(*bytes))
        .collect();
    let numbers: Vec<f64> = numbers
        .as_chunks()
        .0
        .iter()
        .map(|bytes| f64::from_le_bytes(*bytes))
        .collect();
    GeoKeys::parse(&directory, &numbers, text).ok()
}

/// An expression; one that parses is evaluated over pixels of three types.
pub fn expression(data: &[u8]) {
    const PIXELS: usize = 7;
    let Ok(text) = str::from_utf8(data) else { return };
    let Ok(expression) = Expression::parse(text) else {
        return;
    };
    let bands = expression.bands().len();
    let count = bands * PIXELS;
    let wave = |i: usize| (i * 37 % 251) as f32 - 125.0;
    let floats = |i: usize| [wave(i), 0.0, f32::NAN, f32::MAX, -0.0][i % 5];
    for samples in [
        Samples::U8((0..count).map(|i| i as u8).collect()),
        Samples::I64(
            (0..count)
                .map(|i| [i64::MIN, -1, 0, 1, 63, i64::MAX][i % 6])
                .collect(),
        ),
        Samples::F32((0..count).map(floats).collect()),
    ] {
        let input = Raster {
            bands,
            height: 1,
            width: PIXELS,
            samples,
            mask: Mask::All,
        };
        let output = expression.evaluate(&input);
        assert_eq!(output.samples.len(), expression.outputs() * PIXELS);
    }
}

/// The first byte says what the rest is: a colormap, a colour formula or ranges.
pub fn colour(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else {
        return;
    };
    let Ok(text) = str::from_utf8(rest) else { return };
    match kind % 3 {
        0 => {
            if let Ok(colormap) = Colormap::parse_json(text) {
                for value in [-1e300, -1.0, 0.0, 0.5, 1.0, 254.9, 256.0, f64::NAN, f64::INFINITY] {
                    let _ = colormap.colour(value);
                }
                let _ = colormap.lut();
            }
        }
        1 => {
            if let Ok(formula) = Formula::parse(text) {
                render(&formula);
            }
        }
        _ => drop(Rescale::parse(text.split('&'))),
    }
}

/// Applies a formula to every level in three bands, which only its number of bands may forbid.
fn render(formula: &Formula) {
    let band = |band: u8| (0..=255).map(move |level: u8| level.wrapping_mul(band));
    let raster = Raster {
        bands: 3,
        height: 16,
        width: 16,
        samples: Samples::U8((1..4).flat_map(band).collect()),
        mask: Mask::All,
    };
    let style = Style {
        formula: Some(formula),
        ..Style::default()
    };
    if let Ok(picture) = edgetile_raster::colour::render(&raster, &style) {
        assert_eq!((picture.width, picture.height), (16, 16));
    }
}
