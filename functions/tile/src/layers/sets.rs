//! Tile matrix sets of one's own in the layers file: as OGC 17-083r4 clause 7.2 writes them, or by their extent alone.
//!
//! ```json
//! {"tileMatrixSets": [{"id": "Alps", "crs": "EPSG:3035", "extent": [3900000, 2300000, 4900000, 2900000], "matrices": 12}]}
//! ```

use std::sync::Arc;

use edgetile_raster::crs::{Crs, CrsError};
use edgetile_raster::grid::{self, Bounds, TileMatrix, TileMatrixSet};

use super::written::{LayersError, Members, Written};

/// Matrices of a set that is given by its extent, unless it says how many.
const MATRICES: u32 = 20;

/// The deepest zoom that a matrix may name.
pub(super) const LARGEST_ZOOM: u32 = 30;

/// The edge of a tile in pixels.
pub(super) const EDGES_PX: (u32, u32) = (16, 2048);

/// The members of a set; those of the standard that say nothing about where tiles lie are not read.
pub(super) const OF_SET: &[&str] = &[
    "id",
    "title",
    "description",
    "keywords",
    "uri",
    "crs",
    "orderedAxes",
    "wellKnownScaleSet",
    "boundingBox",
    "tileMatrices",
    "extent",
    "matrices",
    "tileSize",
];

/// The members of a matrix.
pub(super) const OF_MATRIX: &[&str] = &[
    "id",
    "title",
    "description",
    "keywords",
    "scaleDenominator",
    "cellSize",
    "cornerOfOrigin",
    "pointOfOrigin",
    "tileWidth",
    "tileHeight",
    "matrixWidth",
    "matrixHeight",
    "variableMatrixWidths",
];

/// What becomes of members that no set has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    /// They are slips: whoever wrote the set wants to know.
    Refused,
    /// They are another program's.
    Ignored,
}

impl Others {
    fn members<'a>(self, written: &Written<'a>, known: &[&str]) -> Result<Members<'a>, LayersError> {
        let members = written.members()?;
        match self {
            Self::Refused => members.only(known),
            Self::Ignored => Ok(members),
        }
    }
}

/// The set, or which member of it is wrong, and how.
pub(crate) fn read(written: &Written, others: Others) -> Result<Arc<TileMatrixSet>, LayersError> {
    let members = others.members(written, OF_SET)?;
    let written_id = members.required("id")?;
    let id = written_id.text()?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    if !(1..=64).contains(&id.len()) || !id.bytes().all(is_name) {
        let shown = written_id.shown();
        return Err(written_id.fault(format!("is {shown}, not up to 64 letters, digits, _, - and .")));
    }
    if grid::find(&id).is_some() {
        return Err(written_id.fault("is the name of a registered set"));
    }
    let title = members.text("title")?.unwrap_or_else(|| id.clone());
    let crs = read_crs(members.required("crs")?, others)?;
    let set = match (members.get("tileMatrices"), members.get("extent")) {
        (Some(matrices), None) => of_matrices(&members, id, crs, matrices, others)?,
        (None, Some(extent)) => of_extent(&members, &id, crs, extent)?,
        _ => return Err(written.fault("give one of tileMatrices and extent")),
    };
    Ok(Arc::new(TileMatrixSet { title, ..set }))
}

/// A code, a text, or an object with a `uri`.
fn read_crs(written: &Written, others: Others) -> Result<Crs, LayersError> {
    let crs = match written.value()? {
        serde_json::Value::Number(_) => Crs::from_epsg(written.whole(0, u32::MAX)?),
        serde_json::Value::String(text) => Crs::from_user_input(&text),
        serde_json::Value::Object(_) => {
            let members = others.members(written, &["uri"])?;
            Crs::from_user_input(&members.required("uri")?.text()?)
        }
        _ => return Err(written.fault("is no code, URI, PROJ string or WKT")),
    };
    crs.map_err(|error| {
        written.fault(match error {
            CrsError::UnknownCode(code) => format!("EPSG:{code} is not among the known systems"),
            CrsError::Geocentric(name) => format!("{name:?} is geocentric: no tiles lie in it"),
            CrsError::UnsupportedMethod(name) => format!("projection method {name:?} is not supported"),
            other => other.to_string(),
        })
    })
}

fn of_extent(members: &Members, id: &str, crs: Crs, written: &Written) -> Result<TileMatrixSet, LayersError> {
    let whole = |name: &str, (least, most), unsaid| match members.get(name) {
        Some(number) => number.whole(least, most),
        None => Ok(unsaid),
    };
    let tile_size = whole("tileSize", EDGES_PX, 256)?;
    let matrices = whole("matrices", (1, LARGEST_ZOOM + 1), MATRICES)?;
    let wanted = "west, south, east, north in units of the crs";
    let [west, south, east, north] = written.numbers(wanted)?;
    let extent = Bounds {
        west,
        south,
        east,
        north,
    };
    TileMatrixSet::quad(id, crs, extent, matrices as usize, tile_size)
        .ok_or_else(|| written.fault(format!("is {}, not {wanted}", written.shown())))
}

/// A matrix, its corner, and the edge of its tiles.
fn read_matrix(written: &Written, others: Others) -> Result<(TileMatrix, [f64; 2], u32), LayersError> {
    let members = others.members(written, OF_MATRIX)?;
    let whole = |name, least, most| members.required(name)?.whole(least, most);
    if let Some(corner) = members.get("cornerOfOrigin")
        && corner.text()? != "topLeft"
    {
        return Err(corner.fault("only topLeft is served"));
    }
    if let Some(widths) = members.get("variableMatrixWidths")
        && !widths.items()?.is_empty()
    {
        return Err(widths.fault("merged tiles are not served"));
    }
    let edge = whole("tileWidth", EDGES_PX.0, EDGES_PX.1)?;
    let height = members.required("tileHeight")?;
    if height.whole(EDGES_PX.0, EDGES_PX.1)? != edge {
        return Err(height.fault("is not the tileWidth: tiles are squares here"));
    }
    let written_size = members.required("cellSize")?;
    let cell_size = written_size.number()?;
    if cell_size <= 0.0 {
        return Err(written_size.fault("is not a positive number of units of the crs"));
    }
    let id = members.required("id")?;
    let zoom = id.text()?.parse().ok();
    let zoom = zoom.filter(|zoom| u32::from(*zoom) <= LARGEST_ZOOM);
    let matrix = TileMatrix {
        zoom: zoom.ok_or_else(|| id.fault(format!("is {}, not a zoom from 0 to 30", id.shown())))?,
        cell_size,
        width: whole("matrixWidth", 1, u32::MAX)?,
        height: whole("matrixHeight", 1, u32::MAX)?,
    };
    let origin = members.required("pointOfOrigin")?.numbers("two coordinates")?;
    Ok((matrix, origin, edge))
}

fn of_matrices(
    members: &Members,
    id: String,
    crs: Crs,
    written: &Written,
    others: Others,
) -> Result<TileMatrixSet, LayersError> {
    let mut matrices: Vec<TileMatrix> = Vec::new();
    let mut all = None;
    for item in written.items()? {
        let (matrix, origin, edge) = read_matrix(&item, others)?;
        let (of_all, edge_of_all) = *all.get_or_insert((origin, edge));
        if origin != of_all {
            return Err(item.fault("has another pointOfOrigin: all matrices of a set have one here"));
        }
        if edge != edge_of_all {
            return Err(item.fault("has another tileWidth: all tiles of a set have one size here"));
        }
        if matrices
            .last()
            .is_some_and(|above| above.zoom >= matrix.zoom || above.cell_size <= matrix.cell_size)
        {
            return Err(item.fault("does not follow: from the coarsest on, ids grow and cellSize falls"));
        }
        matrices.push(matrix);
    }
    let ([x, y], tile_size) = all.ok_or_else(|| written.fault("has no matrix"))?;
    let axes = members.items("orderedAxes")?;
    let axes = axes.iter().map(Written::text).collect::<Result<Vec<_>, _>>()?;
    let is_north = |axis: &String| {
        let axis = axis.to_lowercase();
        ["lat", "n", "y"].iter().any(|start| axis.starts_with(start))
    };
    Ok(TileMatrixSet {
        id,
        title: String::new(),
        crs,
        origin: if axes.first().is_some_and(is_north) {
            (y, x)
        } else {
            (x, y)
        },
        tile_size,
        matrices,
    })
}
