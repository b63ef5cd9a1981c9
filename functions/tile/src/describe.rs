//! What a file is, for people: the members of `info`, and remarks on what is unusual or makes its tiles dear.

use edgetile_raster::coverage::Coverage;
use edgetile_raster::decode::Photometric;
use edgetile_raster::header::{Affine, Band, BandRole, Header, Nodata};
use serde_json::{Map, Value, json};

use crate::bind::{File, name};
use crate::request::{Grid, MASK, MASK_OVERVIEWS, OVERVIEWS, Sidecars};
use crate::source::Source;
use crate::source::beside::levels;

/// The type of a file's samples, as numpy calls it.
pub fn data_type(header: &Header) -> &'static str {
    header
        .full()
        .format
        .data_type()
        .map_or("unreadable", |data_type| data_type.name())
}

/// `info`: TiTiler's members first, ours after them.
pub fn describe(file: &File, sidecars: Option<Sidecars>) -> Map<String, Value> {
    let source = file.source.as_ref();
    let header = &source.header;
    let full = header.full();
    let mut info = Map::new();
    let mut put = |name: &str, value: Value| info.insert(name.to_owned(), value);
    let of_bands = |of: &dyn Fn(&Band) -> Value| header.bands.iter().map(of).collect::<Vec<_>>();
    if let Ok((crs, place)) = source.place() {
        let coverage = Coverage::new(header, crs, &place.affine);
        put("bounds", json!(coverage.bounds()));
        put("crs", json!(crs.uri().unwrap_or_else(|| crs.proj_string())));
        put("crs_name", json!(crs.name()));
        let geographic = coverage.geographic_bounds();
        put("geographic_bounds", json!(geographic));
        put("geographic_boxes", json!(geographic.map_or_else(Vec::new, boxes)));
        let zooms = Grid::web().ok().and_then(|grid| coverage.zooms(grid.set()));
        let Affine { a, b, c, d, e, f } = place.affine;
        put("transform", json!([a, b, c, d, e, f]));
        put("rotated", json!(!place.affine.is_upright()));
        put("minzoom", json!(zooms.map(|zooms| zooms.0)));
        put("maxzoom", json!(zooms.map(|zooms| zooms.1)));
    }
    let of_each = |of: &dyn Fn(&Band, String) -> Value| -> Value {
        let bands = header.bands.iter().zip(1..);
        bands
            .map(|(band, at)| json!([name(at), of(band, name(at))]))
            .collect()
    };
    put("band_metadata", of_each(&|band, _| json!(items(band))));
    put(
        "band_descriptions",
        of_each(&|band, name| json!(band.name.clone().unwrap_or(name))),
    );
    put("dtype", json!(data_type(header)));
    put("nodata_type", json!(nodata_type(header)));
    put(
        "nodata_value",
        json!(header.nodata.map(Nodata::value).filter(|value| value.is_finite())),
    );
    put("scales", json!(of_bands(&|band| json!(band.scale))));
    put("offsets", json!(of_bands(&|band| json!(band.offset))));
    put("units", json!(of_bands(&|band| json!(band.unit))));
    put(
        "colorinterp",
        (0..header.bands.len())
            .map(|band| json!(colour(header, band)))
            .collect(),
    );
    if let Some(palette) = &header.palette {
        put("colormap", Value::Object(colours(palette, header.nodata)));
    }
    put("driver", json!("GTiff"));
    put("count", json!(header.bands.len()));
    put("width", json!(full.width_px));
    put("height", json!(full.height_px));
    let factor = |width_px: u32| (f64::from(full.width_px) / f64::from(width_px)).round() as u64;
    let levels = levels(source, &file.beside);
    let overviews = levels.iter().skip(1);
    put(
        "overviews",
        overviews
            .map(|level| json!(factor(level.image().width_px)))
            .collect(),
    );
    put("blocksize", json!([full.block_width_px, full.block_height_px]));
    put("layout", json!(if full.tiled { "tiles" } else { "strips" }));
    put("interleave", json!(if full.planar { "band" } else { "pixel" }));
    put("compression", json!(full.format.compression.name()));
    put("photometric", json!(format!("{:?}", header.photometric)));
    put("bytes", json!(header.size));
    put("bigtiff", json!(header.big));
    if sidecars.is_some() {
        put("sidecars", json!(beside(file)));
    }
    put("remarks", json!(remarks(source)));
    info
}

/// What else the file says of a band, by name.
pub fn items(band: &Band) -> Map<String, Value> {
    let items = band.items.iter();
    items.map(|(name, value)| (name.clone(), json!(value))).collect()
}

/// A palette by value; nodata is transparent.
fn colours(palette: &[[u8; 3]], nodata: Option<Nodata>) -> Map<String, Value> {
    let nothing = nodata.map(Nodata::value);
    let entry = |(value, [r, g, b]): (usize, &[u8; 3])| {
        let alpha = if nothing == Some(value as f64) { 0 } else { 255 };
        (value.to_string(), json!([r, g, b, alpha]))
    };
    palette.iter().enumerate().map(entry).collect()
}

/// What a band is in the picture, by GDAL's words.
pub fn colour(header: &Header, band: usize) -> &'static str {
    let names: &[&'static str] = match header.photometric {
        Photometric::Rgb | Photometric::YCbCr => &["red", "green", "blue"],
        Photometric::Cmyk if header.full().format.bits == 8 => &["red", "green", "blue"],
        Photometric::Cmyk => &["cyan", "magenta", "yellow", "black"],
        Photometric::Palette => &["palette"],
        _ => &["gray"],
    };
    match header.bands.get(band).map(|band| band.role) {
        Some(BandRole::Alpha { .. }) => "alpha",
        _ => names.get(band).copied().unwrap_or("undefined"),
    }
}

/// The files that were found beside a file, by what they add to its name.
fn beside(file: &File) -> Vec<&'static str> {
    let found = [
        (OVERVIEWS, file.beside.overviews.is_some()),
        (MASK, file.beside.mask.is_some()),
        (MASK_OVERVIEWS, file.beside.mask_overviews.is_some()),
    ];
    let there = found.into_iter().filter(|(_, there)| *there);
    there.map(|(suffix, _)| suffix).collect()
}

/// What masks pixels, by the words of rio-tiler.
fn nodata_type(header: &Header) -> &'static str {
    let fits = |nodata: &Nodata| {
        header
            .full()
            .format
            .data_type()
            .is_ok_and(|data_type| nodata.fits(data_type))
    };
    if header.nodata.as_ref().is_some_and(fits) {
        "Nodata"
    } else if header.alpha_band().is_some() {
        "Alpha"
    } else if header.levels.iter().any(|level| level.mask.is_some()) {
        "Mask"
    } else {
        "None"
    }
}

/// What is unusual in a file, or costs more than it must.
fn remarks(source: &Source) -> Vec<String> {
    let header = &source.header;
    let full = header.full();
    let mut remarks = header.remarks.clone();
    let mut add = |text: String| remarks.push(text);
    match source.place() {
        Err(error) => add(error.to_string()),
        Ok((_, place)) if !place.affine.is_upright() => {
            let turn_deg = place.affine.d.atan2(place.affine.a).to_degrees();
            add(format!(
                "it is rotated or sheared: its rows run at {turn_deg:.2}° to the x axis"
            ));
        }
        Ok((_, place)) if place.affine.e > 0.0 => {
            add("it is south-up: its first row is the southernmost".to_owned());
        }
        Ok(_) => {}
    }
    if let Err(error) = full.format.check() {
        add(error.to_string());
    }
    if !full.tiled {
        add("it is in strips, not tiles: a tile of the map reads whole rows; gdal_translate -of COG makes tiles".to_owned());
    }
    if let Some(alpha) = header.alpha_band() {
        add(format!(
            "band {} is tagged as transparency and masks the others: alpha=false reads it as data, such as near infrared",
            alpha + 1
        ));
    }
    let largest = full.width_px.max(full.height_px);
    if header.levels.len() == 1 && largest > 1024 {
        add("it has no overviews: low zooms read the full resolution or are refused; gdal_translate -of COG adds them".to_owned());
    }
    let block = u64::from(full.block_width_px) * u64::from(full.block_height_px);
    if full.tiled && block > 1 << 20 {
        add(format!(
            "its blocks of {} x {} px are large: 512 x 512 read less for a tile",
            full.block_width_px, full.block_height_px
        ));
    }
    remarks
}

/// Boxes whose west is never east of their east: two where the bounds cross the antimeridian.
pub fn boxes([west, south, east, north]: [f64; 4]) -> Vec<[f64; 4]> {
    if west > east {
        vec![[west, south, 180.0, north], [-180.0, south, east, north]]
    } else {
        vec![[west, south, east, north]]
    }
}

#[cfg(test)]
mod tests {
    use super::boxes;

    #[test]
    fn bounds_across_the_antimeridian_are_two_boxes() {
        let (west, east) = ([177.9, 14.4, 180.0, 17.2], [-180.0, 14.4, -178.3, 17.2]);
        assert_eq!(boxes([177.9, 14.4, -178.3, 17.2]), [west, east]);
        assert_eq!(boxes([11.0, 48.0, 12.0, 49.0]), [[11.0, 48.0, 12.0, 49.0]]);
    }
}
