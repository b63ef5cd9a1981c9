//! Whether a file is a Cloud-Optimized GeoTIFF, and what a tile of it costs: rio-cogeo's members first, ours after them.

use std::borrow::Cow;

use edgetile_raster::coverage::Coverage;
use edgetile_raster::decode::Photometric;
use edgetile_raster::header::{Band, BandRole, Image, Layout, Need, Nodata};
use futures_util::future::try_join_all;
use serde_json::{Map, Value, json};

use crate::bind::File;
use crate::describe::{colour, data_type, items};
use crate::layers::Files;
use crate::request::{Grid, Sidecars};
use crate::response::Problem;
use crate::source::{Source, SourceError};
use crate::tile::{Call, Reading};

impl Reading {
    /// TiTiler's `validate`; where `strict`, warnings are errors. Of several files, by their names.
    pub async fn validate(
        &self,
        files: &Files,
        sidecars: Option<Sidecars>,
        strict: bool,
        call: &Call<'_>,
    ) -> Result<Value, Problem> {
        let files = self.open(files, sidecars, call).await?;
        let told = async |file: &File| {
            let layout = self.layout(&file.source, call).await?;
            let costs = self.costs(file, call).await;
            Ok::<_, Problem>(document(file, layout, strict, costs))
        };
        let all = try_join_all(files.iter().map(told)).await;
        let all = self.current(&files, all, call).await?;
        Ok(match files.as_slice() {
            [file] if file.title().is_none() => all.into_iter().next().unwrap_or_default(),
            several => {
                let titles = several.iter().map(|file| file.title().unwrap_or_default());
                Value::Object(titles.zip(all).collect())
            }
        })
    }

    async fn layout(&self, source: &Source, call: &Call<'_>) -> Result<Layout, Problem> {
        let mut known = Cow::Borrowed(source.known());
        loop {
            match Layout::of(&source.header, &known) {
                Ok(layout) => return Ok(layout),
                Err(Need::Bytes(missing)) => {
                    let known = known.to_mut();
                    let learnt = source.learn(&self.fetcher, known, missing, call.deadline, &call.meter);
                    learnt.await.map_err(SourceError::from)?;
                }
                Err(Need::Refused(error)) => return Err(SourceError::File(error).into()),
            }
        }
    }
}

fn document(file: &File, layout: Layout, strict: bool, costs: Value) -> Value {
    let header = &file.source.header;
    let mut errors = layout.errors;
    if file.beside.overviews.is_some() {
        errors.push("overviews lie beside the file (.ovr), not in it".to_owned());
    }
    let is_cog = errors.is_empty() && (layout.warnings.is_empty() || !strict);
    let mut told = json!({
        "Driver": "GTiff",
        "COG": is_cog,
        "Compression": header.full().format.gdal_name(),
        "ColorSpace": colour_space(header.photometric),
        "COG_errors": (!errors.is_empty()).then_some(errors),
        "COG_warnings": (!layout.warnings.is_empty()).then_some(layout.warnings),
        "Profile": profile(file),
        "GEO": place(&file.source),
        "Band Metadata": bands(file),
        "IFD": levels(file),
        "layout": {
            "bytes": header.size,
            "bigtiff": header.big,
            "ghost_area": header.cog,
            "edited": header.edited,
            "ifd_offsets": layout.directories,
            "data_offsets": layout.data,
        },
    });
    told["tiles"] = costs;
    told
}

fn profile(file: &File) -> Value {
    let header = &file.source.header;
    let full = header.full();
    let of_bands = |of: &dyn Fn(&Band) -> Value| header.bands.iter().map(of).collect::<Vec<_>>();
    json!({
        "Bands": header.bands.len(),
        "Width": full.width_px,
        "Height": full.height_px,
        "Tiled": full.tiled,
        "Dtype": data_type(header),
        "Interleave": if full.planar || full.samples_per_pixel == 1 { "BAND" } else { "PIXEL" },
        "AlphaBand": header.bands.iter().any(|band| matches!(band.role, BandRole::Alpha { .. })),
        "InternalMask": header.levels.first().is_some_and(|level| level.mask.is_some()),
        "Nodata": header.nodata.map(Nodata::value).filter(|value| value.is_finite()),
        "ColorInterp": (0..header.bands.len()).map(|band| colour(header, band)).collect::<Vec<_>>(),
        "ColorMap": header.palette.is_some(),
        "Scales": of_bands(&|band| json!(band.scale)),
        "Offsets": of_bands(&|band| json!(band.offset)),
    })
}

/// Where the file lies; null where it does not say so.
fn place(source: &Source) -> Value {
    let Ok((crs, place)) = source.place() else {
        return Value::Null;
    };
    let coverage = Coverage::new(&source.header, crs, &place.affine);
    let zooms = Grid::web().ok().and_then(|grid| coverage.zooms(grid.set()));
    let affine = place.affine;
    json!({
        "CRS": crs.epsg().map_or_else(|| crs.proj_string(), |code| format!("EPSG:{code}")),
        "BoundingBox": coverage.bounds(),
        "Origin": [affine.c, affine.f],
        "Resolution": [affine.a, affine.e],
        "MinZoom": zooms.map(|zooms| zooms.0),
        "MaxZoom": zooms.map(|zooms| zooms.1),
    })
}

fn bands(file: &File) -> Map<String, Value> {
    let header = &file.source.header;
    let bands = header.bands.iter().enumerate();
    let one = |(at, band): (usize, &Band)| {
        let told = json!({
            "Description": band.name,
            "ColorInterp": colour(header, at),
            "Offset": band.offset,
            "Scale": band.scale,
            "Metadata": items(band),
        });
        (format!("Band {}", at + 1), told)
    };
    bands.map(one).collect()
}

/// The levels in the file; blocks are rows, then columns.
fn levels(file: &File) -> Vec<Value> {
    let header = &file.source.header;
    let full = header.full();
    let factor = |image: &Image| (f64::from(full.width_px) / f64::from(image.width_px)).round() as u64;
    let images = header.levels.iter().map(|level| &level.image).enumerate();
    let one = |(level, image): (usize, &Image)| {
        json!({
            "Level": level,
            "Width": image.width_px,
            "Height": image.height_px,
            "Blocksize": [image.block_height_px, image.block_width_px],
            "Decimation": if level == 0 { 0 } else { factor(image) },
        })
    };
    images.map(one).collect()
}

/// How samples encode colour, where they do not hold it themselves, as GDAL names it.
fn colour_space(photometric: Photometric) -> Option<&'static str> {
    Some(match photometric {
        Photometric::YCbCr => "YCbCr",
        Photometric::Cmyk => "CMYK",
        _ => return None,
    })
}
