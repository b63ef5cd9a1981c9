//! Tile matrix sets of one's own in the layers file: as OGC 17-083r4 clause 7.2 writes them, or by their extent alone.
//!
//! ```json
//! {"tileMatrixSets": [{"id": "Alps", "crs": "EPSG:3035", "extent": [3900000, 2300000, 4900000, 2900000], "matrices": 12}]}
//! ```

use std::sync::Arc;

use edgetile_raster::crs::Crs;
use edgetile_raster::grid::{self, Bounds, TileMatrix, TileMatrixSet};
use serde::Deserialize;

/// Matrices of a set that is given by its extent, unless it says how many.
const MATRICES: usize = 20;

/// The deepest zoom that a matrix may name.
const LARGEST_ZOOM: u8 = 30;

/// A set as it is written; other members that the standard knows are ignored.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Written {
    pub(crate) id: String,
    title: Option<String>,
    crs: WrittenCrs,
    ordered_axes: Option<Vec<String>>,
    tile_matrices: Option<Vec<WrittenMatrix>>,
    extent: Option<[f64; 4]>,
    matrices: Option<usize>,
    tile_size: Option<u32>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenCrs {
    Code(u32),
    Text(String),
    Uri { uri: String },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenMatrix {
    id: String,
    cell_size: f64,
    corner_of_origin: Option<String>,
    point_of_origin: [f64; 2],
    tile_width: u32,
    tile_height: u32,
    matrix_width: u32,
    matrix_height: u32,
    variable_matrix_widths: Option<Vec<serde_json::Value>>,
}

/// The set, or which member of it is wrong, and how.
pub(crate) fn read(written: Written) -> Result<Arc<TileMatrixSet>, String> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    if !(1..=64).contains(&written.id.len()) || !written.id.bytes().all(is_name) {
        return Err("id: up to 64 letters, digits, _, - and .".to_owned());
    }
    if grid::find(&written.id).is_some() {
        return Err("id: a registered set has this name".to_owned());
    }
    let crs = match &written.crs {
        WrittenCrs::Code(code) => Crs::from_epsg(*code),
        WrittenCrs::Text(text) | WrittenCrs::Uri { uri: text } => Crs::from_user_input(text),
    };
    let crs = crs.map_err(|error| format!("crs: {error}"))?;
    let mut set = match (&written.tile_matrices, written.extent) {
        (Some(matrices), None) => of_matrices(&written, crs, matrices)?,
        (None, Some(extent)) => of_extent(&written, crs, extent)?,
        _ => return Err("give one of tileMatrices and extent".to_owned()),
    };
    set.title = written.title.unwrap_or(written.id);
    Ok(Arc::new(set))
}

fn of_extent(written: &Written, crs: Crs, extent: [f64; 4]) -> Result<TileMatrixSet, String> {
    let tile_size = tile_size(written.tile_size.unwrap_or(256), "tileSize")?;
    let [west, south, east, north] = extent;
    let extent = Bounds {
        west,
        south,
        east,
        north,
    };
    let matrices = written.matrices.unwrap_or(MATRICES);
    if !(1..=usize::from(LARGEST_ZOOM) + 1).contains(&matrices) {
        return Err(format!("matrices: 1 to {}", LARGEST_ZOOM + 1));
    }
    TileMatrixSet::quad(&written.id, crs, extent, matrices, tile_size)
        .ok_or_else(|| "extent: west, south, east, north in units of the crs".to_owned())
}

fn of_matrices(written: &Written, crs: Crs, matrices: &[WrittenMatrix]) -> Result<TileMatrixSet, String> {
    let first = matrices.first().ok_or("tileMatrices: at least one")?;
    let tile_size = tile_size(first.tile_width, "tileMatrices.0.tileWidth")?;
    let [x, y] = first.point_of_origin;
    let starts = |axis: &str| {
        ["lat", "n", "y"]
            .iter()
            .any(|start| axis.to_lowercase().starts_with(start))
    };
    let axes = written.ordered_axes.as_deref().unwrap_or_default();
    let is_north_first = axes.first().is_some_and(|axis| starts(axis));
    let read = matrices.iter().enumerate().map(|(at, matrix)| {
        let fault = |member: &str, reason: &str| format!("tileMatrices.{at}.{member}: {reason}");
        if matrix.tile_width != tile_size || matrix.tile_height != tile_size {
            return Err(fault(
                "tileWidth, tileHeight",
                "all tiles of a set are squares of one size here",
            ));
        }
        if matrix.point_of_origin != first.point_of_origin || !x.is_finite() || !y.is_finite() {
            return Err(fault(
                "pointOfOrigin",
                "all matrices of a set have one origin here",
            ));
        }
        if matrix
            .corner_of_origin
            .as_deref()
            .is_some_and(|corner| corner != "topLeft")
        {
            return Err(fault("cornerOfOrigin", "only topLeft is served"));
        }
        if matrix
            .variable_matrix_widths
            .as_ref()
            .is_some_and(|widths| !widths.is_empty())
        {
            return Err(fault("variableMatrixWidths", "merged tiles are not served"));
        }
        if !(matrix.cell_size.is_finite() && matrix.cell_size > 0.0) {
            return Err(fault("cellSize", "a positive number of units of the crs"));
        }
        if matrix.matrix_width == 0 || matrix.matrix_height == 0 {
            return Err(fault("matrixWidth, matrixHeight", "at least one tile"));
        }
        let zoom = matrix.id.parse().ok().filter(|zoom| *zoom <= LARGEST_ZOOM);
        Ok(TileMatrix {
            zoom: zoom.ok_or_else(|| fault("id", "a zoom from 0 to 30"))?,
            cell_size: matrix.cell_size,
            width: matrix.matrix_width,
            height: matrix.matrix_height,
        })
    });
    let matrices = read.collect::<Result<Vec<_>, String>>()?;
    let falls = |pair: &[TileMatrix]| pair[0].zoom < pair[1].zoom && pair[0].cell_size > pair[1].cell_size;
    if !matrices.windows(2).all(falls) {
        return Err("tileMatrices: from the coarsest on, ids growing and cellSize falling".to_owned());
    }
    Ok(TileMatrixSet {
        id: written.id.clone(),
        title: String::new(),
        crs,
        origin: if is_north_first { (y, x) } else { (x, y) },
        tile_size,
        matrices,
    })
}

fn tile_size(size: u32, member: &str) -> Result<u32, String> {
    let is_size = (16..=2048).contains(&size);
    is_size
        .then_some(size)
        .ok_or_else(|| format!("{member}: 16 to 2048 pixels"))
}
