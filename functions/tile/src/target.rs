//! Frame + files → the pixels of the answer: where they lie, how large they are, how many there are.

use edgetile_raster::crs::Crs;
use edgetile_raster::header::Affine;
use edgetile_raster::warp::{Extent, Target, extent, pixel_size};

use crate::bind::File;
use crate::request::{Address, Area, Frame, NamedCrs, Style, Window};
use crate::response::Problem;

/// The pixels that a frame stands for; those of a window follow from the files.
pub fn target(frame: &Frame, style: &Style, files: &[File]) -> Result<Target, Problem> {
    match frame {
        Frame::Tile(address, scale) => {
            let edge_px = style.edge_px(address.grid(), *scale)?;
            tile(address, edge_px, style.buffer_of_answer_half_px())
        }
        Frame::Window(window) => of_window(window, files),
    }
}

/// The pixels of a tile, with the buffer around them.
pub fn tile(address: &Address, edge_px: u32, buffer_half_px: u32) -> Result<Target, Problem> {
    let (z, x, y) = (address.z(), address.x(), address.y());
    let set = address.grid().set();
    let bounds = set.tile_bounds(z, x, y).ok_or(Problem::Internal)?;
    let buffer_px = f64::from(buffer_half_px) / 2.0;
    let tile_px = f64::from(edge_px) - 2.0 * buffer_px;
    let resolution = (bounds.east - bounds.west) / tile_px;
    let origin = |index: u32| (f64::from(index) * tile_px - buffer_px).floor() as i64;
    Ok(Target {
        crs: set.crs.clone(),
        west: bounds.west - buffer_px * resolution,
        north: bounds.north + buffer_px * resolution,
        resolution: (resolution, resolution),
        size: (edge_px as usize, edge_px as usize),
        origin_px: (origin(x), origin(y)),
    })
}

fn of_window(window: &Window, files: &[File]) -> Result<Target, Problem> {
    let crs = crs_of(window, files)?;
    let covers = files
        .iter()
        .map(|file| Cover::new(file, &crs))
        .collect::<Result<Vec<_>, _>>()?;
    let bounds = match &window.area {
        Some(area) => bounds_in(area, &crs)?,
        None => around(&covers)?,
    };
    let finest_cover = || covers.iter().min_by(|a, b| a.across.total_cmp(&b.across));
    let cover = finest_cover().filter(|_| window.is_aligned);
    let [west, south, east, north] = cover.map_or(bounds, |cover| cover.aligned(bounds));
    let finest = |of: &dyn Fn(&Cover) -> f64| covers.iter().map(of).fold(f64::INFINITY, f64::min);
    let (across, down) = (finest(&|cover| cover.across), finest(&|cover| cover.down));
    let (width, height) = window
        .size
        .pixels(((east - west) / across, (north - south) / down))?;
    Ok(Target {
        crs,
        west,
        north,
        resolution: (
            (east - west) / f64::from(width),
            (north - south) / f64::from(height),
        ),
        size: (width as usize, height as usize),
        origin_px: (0, 0),
    })
}

/// The request's, else the first file's.
fn crs_of(window: &Window, files: &[File]) -> Result<Crs, Problem> {
    match (&window.crs, files.first()) {
        (Some(named), _) => Ok(named.crs().clone()),
        (None, Some(file)) => place(file).map(|(crs, _)| crs.clone()),
        (None, None) => Err(Problem::Internal),
    }
}

fn place(file: &File) -> Result<(&Crs, Affine), Problem> {
    let (crs, georeference) = file
        .source
        .place()
        .map_err(|error| Problem::Unsupported(error.to_string()))?;
    Ok((crs, georeference.affine))
}

/// A file in a CRS: the box around it, and the size of its pixels.
struct Cover {
    bounds: Extent,
    across: f64,
    down: f64,
}

impl Cover {
    /// In its own CRS an upright file has its own pixels; elsewhere they are square and whole, by GDAL's rule.
    fn new(file: &File, crs: &Crs) -> Result<Self, Problem> {
        let (own, affine) = place(file)?;
        let full = file.source.header.full();
        let size = (full.width_px, full.height_px);
        let nowhere = || Problem::Unsupported("its outline cannot be placed in this CRS".to_owned());
        let pixels = (f64::from(size.0), f64::from(size.1));
        let bounds = extent(&affine, pixels, own, crs).ok_or_else(nowhere)?;
        let (across, down) = pixel_size(&affine, size, own, crs).ok_or_else(nowhere)?;
        let [west, south, east, north] = bounds;
        let whole = |length: f64, side: f64| (length / side).round().max(1.0) * side;
        let (east, south) = (
            west + whole(east - west, across),
            north - whole(north - south, down),
        );
        Ok(Self {
            bounds: [west, south, east, north],
            across,
            down,
        })
    }
}

impl Cover {
    /// A box grown to edges of pixels of the file, and to one of them at least; what misses an edge by a millionth of a pixel is on it.
    fn aligned(&self, [west, south, east, north]: Extent) -> Extent {
        let ([left, _, _, top], (across, down)) = (self.bounds, (self.across, self.down));
        let grown = |from: f64, to: f64| {
            let first = (from + 1e-6).floor();
            (first, (to - 1e-6).ceil().max(first + 1.0))
        };
        let (first_column, end_column) = grown((west - left) / across, (east - left) / across);
        let (first_row, end_row) = grown((top - north) / down, (top - south) / down);
        [
            left + first_column * across,
            top - end_row * down,
            left + end_column * across,
            top - first_row * down,
        ]
    }
}

/// The box around all files.
fn around(covers: &[Cover]) -> Result<Extent, Problem> {
    let bounds = covers.iter().map(|cover| cover.bounds);
    let both = |a: Extent, b: Extent| [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])];
    bounds.reduce(both).ok_or(Problem::Internal)
}

/// The box around an area in another CRS, its edges looked at in 21 points as rio-tiler does.
fn bounds_in(area: &Area, crs: &Crs) -> Result<Extent, Problem> {
    if area.crs.crs().is_same(crs) {
        return Ok(area.bounds);
    }
    let [west, south, east, north] = area.bounds;
    let whole = Affine {
        a: east - west,
        b: 0.0,
        c: west,
        d: 0.0,
        e: south - north,
        f: north,
    };
    let bounds = extent(&whole, (1.0, 1.0), area.crs.crs(), crs);
    bounds
        .filter(|[west, south, east, north]| west < east && south < north)
        .ok_or_else(|| {
            let reason = format!("lies where {} has no coordinates", name(crs));
            crate::request::Refused::parameter("bbox", reason).into()
        })
}

fn name(crs: &Crs) -> String {
    NamedCrs::of(crs.clone()).to_string()
}
