//! What a file is, for people and for map clients: `info`, tilejson, and the values at one place.

use edgetile_raster::coverage::Coverage;
use edgetile_raster::crs::Crs;
use edgetile_raster::header::{Band, BandRole, Header};
use edgetile_raster::plan::Limits;
use edgetile_raster::samples::{Mask, Raster};
use edgetile_raster::warp::{Kernel, Target};
use edgetile_raster::with_samples;
use futures_util::FutureExt;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::bind::{Binding, File};
use crate::describe::{data_type, describe};
use crate::gather::Job;
use crate::layers::Files;
use crate::request::{Address, Grid, Sidecars, Style};
use crate::response::Problem;
use crate::target;
use crate::tile::{Call, Reading};

impl Reading {
    /// TiTiler's `info` of a file, and beside it what a tile of it costs and what is unusual in it.
    pub async fn info(
        &self,
        files: &Files,
        sidecars: Option<Sidecars>,
        call: &Call<'_>,
    ) -> Result<Value, Problem> {
        if let Files::Mosaic(of) = files {
            return self.info_of_mosaic(of, call).await;
        }
        let files = self.open(files, sidecars, call).await?;
        self.confirm(&files, call).await?;
        let info = async |file: &File| {
            let mut info = describe(file, sidecars);
            info.insert("tiles".to_owned(), self.costs(file, call).await);
            Value::Object(info)
        };
        match files.as_slice() {
            [file] if file.title().is_none() => Ok(info(file).await),
            several => {
                let infos = join_all(several.iter().map(info)).await;
                let titles = several.iter().map(|file| file.title().unwrap_or_default());
                Ok(Value::Object(titles.zip(infos).collect()))
            }
        }
    }

    /// What the tile in the middle of a file costs at each of its zooms, its header being known.
    pub(crate) async fn costs(&self, file: &File, call: &Call<'_>) -> Value {
        let middle = || {
            let (crs, place) = file.source.place().ok()?;
            let coverage = Coverage::new(&file.source.header, crs, &place.affine);
            let grid = Grid::web().ok()?;
            let (minzoom, maxzoom) = coverage.zooms(grid.set())?;
            let bounds = coverage.geographic_bounds()?;
            let extent = Extent {
                bounds,
                minzoom,
                maxzoom,
            };
            Some((grid, extent))
        };
        let Some((grid, extent)) = middle() else {
            return json!([]);
        };
        let zooms = extent.minzoom..=extent.maxzoom;
        let costs = zooms.filter_map(|zoom| {
            let address = address_of(&grid, zoom, extent.center())?;
            Some(self.cost(file, address, call))
        });
        Value::Array(join_all(costs).await)
    }

    async fn cost(&self, file: &File, address: Address, call: &Call<'_>) -> Value {
        let estimate = async {
            let binding = Binding::new(std::slice::from_ref(file), &Style::default())?;
            let target = target::tile(&address, TILE_PX, 0)?;
            let job = self.job(&target, call);
            match binding.parts.first() {
                Some(part) => job.estimate(part).await,
                None => Ok(None),
            }
        };
        let (zoom, x, y) = (address.z(), address.x(), address.y());
        match estimate.await {
            Ok(Some(cost)) => json!({
                "zoom": zoom, "x": x, "y": y,
                "level": cost.level, "gets": cost.gets, "bytes": cost.bytes, "blocks": cost.blocks,
            }),
            Ok(None) => json!({ "zoom": zoom, "x": x, "y": y, "gets": 0, "bytes": 0, "blocks": 0 }),
            Err(problem) => json!({ "zoom": zoom, "x": x, "y": y, "refused": problem.to_string() }),
        }
    }

    /// Reads pixels as they are.
    fn job<'a>(&'a self, target: &'a Target, call: &'a Call<'_>) -> Job<'a> {
        Job {
            target,
            kernel: Kernel::Nearest,
            limits: Limits::default(),
            deadline: call.deadline,
            fetcher: &self.fetcher,
            meter: &call.meter,
        }
    }

    /// Bounds in longitude and latitude and the zooms of files together, in a grid.
    pub async fn extent(&self, files: &Files, grid: Grid, call: &Call<'_>) -> Result<Extent, Problem> {
        if let Files::Mosaic(of) = files {
            return self.extent_of_mosaic(of, grid, call).await;
        }
        let files = self.open(files, None, call).await?;
        self.confirm(&files, call).await?;
        extent_of(&files, &grid)
    }

    /// The names of the bands that files offer to an expression, in order. Of a mosaic the first file tells them, if it
    /// can be read: what the document itself says needs none.
    pub async fn bands(&self, files: &Files, call: &Call<'_>) -> Result<Vec<Offered>, Problem> {
        let files = match (files, self.open_typical(files, None, call).await) {
            (Files::Mosaic(_), Err(_)) => Vec::new(),
            (_, open) => open?,
        };
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
        if let Files::Mosaic(of) = files {
            return self.point_of_mosaic(of, style, place, call).boxed().await;
        }
        let files = self.open(files, style.sidecars, call).await?;
        let values = self.values(&files, style, place, call).await;
        self.current(&files, values, call).await
    }

    pub(crate) async fn values(
        &self,
        files: &[File],
        style: &Style,
        place: (f64, f64),
        call: &Call<'_>,
    ) -> Result<Value, Problem> {
        let binding = Binding::new(files, style)?;
        let target = Target {
            crs: Crs::from_epsg(4326).map_err(|_| Problem::Internal)?,
            west: place.0 - SIDE_DEG / 2.0,
            north: place.1 + SIDE_DEG / 2.0,
            resolution: (SIDE_DEG, SIDE_DEG),
            size: (1, 1),
            origin_px: (0, 0),
        };
        let job = self.job(&target, call);
        let gathered = job.run(&binding.parts).await?;
        let values = binding.combine(gathered.rasters);
        let Some(values) = values else {
            return Err(Problem::not_found("data at this place"));
        };
        Ok(json!({
            "values": numbers(&values),
            "band_names": binding.names(files),
            "band_descriptions": binding.descriptions(files, style),
        }))
    }
}

/// Bounds and zooms of open files together, in a grid.
pub(crate) fn extent_of(files: &[File], grid: &Grid) -> Result<Extent, Problem> {
    let set = grid.set();
    let mut extent: Option<Extent> = None;
    for file in files {
        let (crs, place) = file
            .source
            .place()
            .map_err(|error| Problem::Unsupported(error.to_string()))?;
        let coverage = Coverage::new(&file.source.header, crs, &place.affine);
        let (Some(bounds), Some(zooms)) = (coverage.geographic_bounds(), coverage.zooms(set)) else {
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

/// The tile that holds a place, on the web's grid.
fn address_of(grid: &Grid, zoom: u8, (lon, lat, _): (f64, f64, u8)) -> Option<Address> {
    let set = grid.set();
    let (east, north) = set.crs.forward(lon, lat)?;
    let whole = set.tile_bounds(0, 0, 0)?;
    let tiles = f64::from(1u32.checked_shl(zoom.into())?);
    let column = (east - whole.west) / (whole.east - whole.west) * tiles;
    let row = (whole.north - north) / (whole.north - whole.south) * tiles;
    let index = |at: f64| at.floor().clamp(0.0, tiles - 1.0) as u32;
    Address::new(grid.clone(), zoom, index(column), index(row))
}

/// The edge of a tile whose cost is told.
const TILE_PX: u32 = 256;

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
        // East counted on from west; the other is turned to where it lies next to this one.
        let end = |west: f64, east: f64| if east < west { east + 360.0 } else { east };
        let (mut ow, mut oe, e) = (ow, end(ow, oe), end(w, e));
        let is_across = e > 180.0 || oe > 180.0;
        if is_across {
            let turns = ((f64::midpoint(w, e) - f64::midpoint(ow, oe)) / 360.0).round() * 360.0;
            (ow, oe) = (ow + turns, oe + turns);
        }
        let (west, east) = (w.min(ow), e.max(oe));
        let lon = |lon: f64| if lon > 180.0 { lon - 360.0 } else { lon };
        let (west, east) = if east - west >= 360.0 {
            (-180.0, 180.0)
        } else if is_across {
            (if west < -180.0 { west + 360.0 } else { lon(west) }, lon(east))
        } else {
            (west, east)
        };
        Self {
            bounds: [west, s.min(os), east, n.max(on)],
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
    match file.title() {
        Some(name) => vec![Offered { name, data_type }],
        None => data_bands(header)
            .map(|(at, band)| Offered {
                name: band.name.clone().unwrap_or_else(|| crate::bind::name(at + 1)),
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

#[cfg(test)]
mod tests {
    use super::Extent;

    #[test]
    fn files_on_both_sides_of_the_antimeridian_lie_together() {
        let extent = |bounds| Extent {
            bounds,
            minzoom: 3,
            maxzoom: 9,
        };
        let across = extent([177.0, 10.0, -179.0, 20.0]);
        for other in [
            extent([178.0, 5.0, 180.0, 15.0]),
            extent([-180.0, 5.0, -179.5, 15.0]),
        ] {
            assert_eq!(across.with(other).bounds, [177.0, 5.0, -179.0, 20.0]);
            assert_eq!(other.with(across).bounds, [177.0, 5.0, -179.0, 20.0]);
        }
        assert_eq!(
            extent([1.0, 1.0, 2.0, 2.0])
                .with(extent([5.0, 0.0, 6.0, 1.0]))
                .bounds,
            [1.0, 0.0, 6.0, 2.0]
        );
    }
}
