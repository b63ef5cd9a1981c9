//! What a file is, for people and for map clients: `info`, tilejson, and the values at one place.

use edgetile_raster::coverage::Coverage;
use edgetile_raster::crs::Crs;
use edgetile_raster::grid;
use edgetile_raster::header::{Band, BandRole, Header};
use edgetile_raster::plan::Limits;
use edgetile_raster::samples::{Mask, Raster};
use edgetile_raster::warp::{Kernel, Target};
use edgetile_raster::with_samples;
use serde_json::{Map, Value, json};

use crate::bind::{Binding, File};
use crate::gather::Job;
use crate::layers::Files;
use crate::request::{Grid, Style};
use crate::response::Problem;
use crate::source::Source;
use crate::tile::{Call, Reading};

impl Reading {
    /// TiTiler's `info` of a file, and beside it what a tile of it costs and what is unusual in it.
    pub async fn info(&self, files: &Files, call: &Call<'_>) -> Result<Value, Problem> {
        let files = self.open(files, call).await?;
        match files.as_slice() {
            [file] if file.name.is_none() => Ok(describe(&file.source)),
            several => {
                let named = several.iter().map(|file| (name(file), describe(&file.source)));
                Ok(Value::Object(named.collect()))
            }
        }
    }

    /// Bounds in longitude and latitude and the zooms of files together, in a grid.
    pub async fn extent(&self, files: &Files, grid: Grid, call: &Call<'_>) -> Result<Extent, Problem> {
        let files = self.open(files, call).await?;
        let set = grid::find(grid.name()).ok_or(Problem::Internal)?;
        let mut extent: Option<Extent> = None;
        for file in &files {
            let (crs, place) = file
                .source
                .place()
                .map_err(|error| Problem::Unsupported(error.to_string()))?;
            let coverage = Coverage::new(&file.source.header, crs, &place.affine);
            let (Some(bounds), Some(zooms)) = (coverage.geographic_bounds(), coverage.zooms(&set)) else {
                continue;
            };
            let own = Extent {
                bounds,
                minzoom: zooms.0,
                maxzoom: zooms.1,
            };
            extent = Some(extent.map_or(own, |extent| extent.with(own)));
        }
        extent.ok_or_else(|| Problem::Unsupported("its outline cannot be placed on this grid".to_owned()))
    }

    /// The names of the bands that files offer to an expression, in order.
    pub async fn bands(&self, files: &Files, call: &Call<'_>) -> Result<Vec<Offered>, Problem> {
        let files = self.open(files, call).await?;
        Ok(files.iter().flat_map(offered).collect())
    }

    /// The values at a place in longitude and latitude, of the pixel that holds it.
    pub async fn point(
        &self,
        files: &Files,
        style: &Style,
        place: (f64, f64),
        call: &Call<'_>,
    ) -> Result<Value, Problem> {
        let files = self.open(files, call).await?;
        let binding = Binding::new(&files, style)?;
        let target = Target {
            crs: Crs::from_epsg(4326).map_err(|_| Problem::Internal)?,
            west: place.0 - SIDE_DEG / 2.0,
            north: place.1 + SIDE_DEG / 2.0,
            resolution: (SIDE_DEG, SIDE_DEG),
            size: (1, 1),
            origin_px: (0, 0),
        };
        let job = Job {
            target: &target,
            kernel: Kernel::Nearest,
            limits: Limits::default(),
            deadline: call.deadline,
            fetcher: &self.fetcher,
            meter: &call.meter,
        };
        let gathered = job.run(&binding.parts).await?;
        let values = binding.combine(gathered.rasters);
        let Some(values) = values else {
            return Err(Problem::not_found("data at this place"));
        };
        Ok(json!({
            "coordinates": [place.0, place.1],
            "values": numbers(&values),
            "band_names": binding.names(&files),
        }))
    }
}

/// The side of the one pixel that is asked for at a point, in degrees: so small that no overview is as fine.
const SIDE_DEG: f64 = 1e-9;

/// Where files lie, and at which zooms they are worth looking at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// West, south, east, north in degrees; east below west across the antimeridian.
    pub bounds: [f64; 4],
    /// The lowest zoom.
    pub minzoom: u8,
    /// The deepest zoom.
    pub maxzoom: u8,
}

impl Extent {
    fn with(self, other: Self) -> Self {
        let ([w, s, e, n], [ow, os, oe, on]) = (self.bounds, other.bounds);
        Self {
            bounds: [w.min(ow), s.min(os), e.max(oe), n.max(on)],
            minzoom: self.minzoom.min(other.minzoom),
            maxzoom: self.maxzoom.max(other.maxzoom),
        }
    }

    /// Longitude, latitude and zoom to begin at.
    pub fn center(&self) -> (f64, f64, u8) {
        let [west, south, east, north] = self.bounds;
        let east = if east < west { east + 360.0 } else { east };
        let middle = f64::midpoint(west, east);
        (
            if middle > 180.0 { middle - 360.0 } else { middle },
            f64::midpoint(south, north),
            self.minzoom,
        )
    }
}

/// A band as an expression may call it.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered {
    /// Its name.
    pub name: String,
    /// The type of its samples, as numpy calls it.
    pub data_type: &'static str,
}

fn offered(file: &File) -> Vec<Offered> {
    let header = &file.source.header;
    let data_type = data_type(header);
    match &file.name {
        Some(name) => vec![Offered {
            name: name.to_string(),
            data_type,
        }],
        None => data_bands(header)
            .map(|(at, band)| Offered {
                name: band.name.clone().unwrap_or_else(|| format!("b{}", at + 1)),
                data_type,
            })
            .collect(),
    }
}

fn data_bands(header: &Header) -> impl Iterator<Item = (usize, &Band)> {
    header
        .bands
        .iter()
        .enumerate()
        .filter(|(_, band)| band.role == BandRole::Data)
}

fn name(file: &File) -> String {
    file.name.as_ref().map(ToString::to_string).unwrap_or_default()
}

fn data_type(header: &Header) -> &'static str {
    header
        .full()
        .format
        .data_type()
        .map_or("unreadable", |data_type| data_type.name())
}

fn numbers(values: &Raster) -> Vec<Value> {
    let valid = |band: usize| match &values.mask {
        Mask::All => true,
        Mask::Shared(mask) => mask.first().is_some_and(|mask| *mask > 0),
        Mask::PerBand(mask) => mask.get(band).is_some_and(|mask| *mask > 0),
    };
    let all: Vec<Value> =
        with_samples!(&values.samples, values => values.iter().map(|value| json!(value)).collect());
    all.into_iter()
        .enumerate()
        .map(|(band, value)| if valid(band) { value } else { Value::Null })
        .collect()
}

/// `info`: TiTiler's members first, ours after them.
fn describe(source: &Source) -> Value {
    let header = &source.header;
    let full = header.full();
    let band_name = |at: usize| format!("b{}", at + 1);
    let mut info = Map::new();
    let mut put = |name: &str, value: Value| info.insert(name.to_owned(), value);
    let of_bands = |of: &dyn Fn(&Band) -> Value| header.bands.iter().map(of).collect::<Vec<_>>();
    if let Ok((crs, place)) = source.place() {
        let coverage = Coverage::new(header, crs, &place.affine);
        put("bounds", json!(coverage.bounds()));
        put(
            "crs",
            json!(crs.epsg().map_or_else(
                || crs.proj_string(),
                |code| format!("http://www.opengis.net/def/crs/EPSG/0/{code}")
            )),
        );
        put("crs_name", json!(crs.name()));
        put("geographic_bounds", json!(coverage.geographic_bounds()));
        let zooms = Grid::web().ok().and_then(|grid| coverage.zooms(grid.set()));
        put("minzoom", json!(zooms.map(|zooms| zooms.0)));
        put("maxzoom", json!(zooms.map(|zooms| zooms.1)));
    }
    let described = header.bands.iter().enumerate();
    put(
        "band_descriptions",
        described
            .map(|(at, band)| json!([band_name(at), band.name.clone().unwrap_or_default()]))
            .collect(),
    );
    put("dtype", json!(data_type(header)));
    put("nodata_type", json!(nodata_type(header)));
    put(
        "nodata_value",
        json!(
            header
                .nodata
                .map(edgetile_raster::header::Nodata::value)
                .filter(|value| value.is_finite())
        ),
    );
    put("scales", json!(of_bands(&|band| json!(band.scale))));
    put("offsets", json!(of_bands(&|band| json!(band.offset))));
    put("units", json!(of_bands(&|band| json!(band.unit))));
    put("driver", json!("GTiff"));
    put("count", json!(header.bands.len()));
    put("width", json!(full.width_px));
    put("height", json!(full.height_px));
    let factor = |level: &edgetile_raster::header::Level| {
        (f64::from(full.width_px) / f64::from(level.image.width_px)).round() as u64
    };
    put(
        "overviews",
        header
            .levels
            .iter()
            .skip(1)
            .map(|level| json!(factor(level)))
            .collect(),
    );
    put("blocksize", json!([full.block_width_px, full.block_height_px]));
    put("layout", json!(if full.tiled { "tiles" } else { "strips" }));
    put("interleave", json!(if full.planar { "band" } else { "pixel" }));
    put("compression", json!(full.format.compression.name()));
    put("photometric", json!(format!("{:?}", header.photometric)));
    put("bytes", json!(header.size));
    put("bigtiff", json!(header.big));
    put("remarks", json!(remarks(source)));
    Value::Object(info)
}

/// What masks pixels, by the words of rio-tiler.
fn nodata_type(header: &Header) -> &'static str {
    let fits = |nodata: &edgetile_raster::header::Nodata| {
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
    if let Err(error) = source.place() {
        add(error.to_string());
    }
    if let Err(error) = full.format.check() {
        add(error.to_string());
    }
    if !full.tiled {
        add("it is in strips, not tiles: a tile of the map reads whole rows; gdal_translate -of COG makes tiles".to_owned());
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
