//! What of the world a file covers, and at which zooms it is worth looking at: for documents about it, not for pixels.

use crate::crs::Crs;
use crate::grid::TileMatrixSet;
use crate::header::{Affine, Header};
use crate::warp::{Extent, extent, resolution};

/// Matrices whose cells differ by less than this share are alike (morecantile's own tolerance).
const ALIKE: f64 = 1e-8;

/// Where a file lies.
#[derive(Clone, Copy, Debug)]
pub struct Coverage<'a> {
    header: &'a Header,
    crs: &'a Crs,
    affine: &'a Affine,
}

impl<'a> Coverage<'a> {
    /// Of a file whose pixels lie in `crs` by `affine`.
    pub fn new(header: &'a Header, crs: &'a Crs, affine: &'a Affine) -> Self {
        Self { header, crs, affine }
    }

    /// The box around the file in its own CRS: west, south, east, north.
    pub fn bounds(&self) -> Extent {
        let (width, height) = self.size();
        let corners = [(0.0, 0.0), (width, 0.0), (0.0, height), (width, height)];
        let [first, rest @ ..] = corners.map(|(column, row)| self.affine.apply(column, row));
        rest.iter().fold(
            [first.0, first.1, first.0, first.1],
            |[west, south, east, north], (x, y)| [west.min(*x), south.min(*y), east.max(*x), north.max(*y)],
        )
    }

    /// The box around the file in longitude and latitude. Across the antimeridian east is less than west (RFC 7946, section 5.2).
    /// `None` where the outline cannot be placed on the globe.
    pub fn geographic_bounds(&self) -> Option<Extent> {
        let wgs84 = Crs::from_epsg(4326).ok()?;
        let [west, south, east, north] = extent(self.affine, self.size(), self.crs, &wgs84)?;
        if east - west >= 360.0 - 1e-9 {
            return Some([-180.0, south.max(-90.0), 180.0, north.min(90.0)]);
        }
        let turned = |lon: f64| {
            let within = (lon + 180.0).rem_euclid(360.0) - 180.0;
            // The east edge of a file that ends at the antimeridian is 180, not -180.
            if within == -180.0 && lon > 0.0 {
                180.0
            } else {
                within
            }
        };
        Some([turned(west), south.max(-90.0), turned(east), north.min(90.0)])
    }

    /// The lowest and the deepest zoom: where the file fits into about one tile, and where its pixels are about as fine as the tile's
    /// (rio-tiler 9, `Reader.minzoom` and `maxzoom`). `None` where it cannot be placed in the set's CRS.
    pub fn zooms(&self, set: &TileMatrixSet) -> Option<(u8, u8)> {
        let full = self.header.full();
        let resolution = resolution(self.affine, (full.width_px, full.height_px), self.crs, &set.crs)?;
        let [west, south, east, north] = extent(self.affine, self.size(), self.crs, &set.crs)?;
        let shorter = ((east - west) / resolution)
            .min((north - south) / resolution)
            .round();
        let tile = f64::from(set.tile_size);
        let mut reduction = 1.0;
        while (shorter / reduction).floor() > tile {
            reduction *= 2.0;
        }
        Some((zoom_for(set, resolution * reduction), zoom_for(set, resolution)))
    }

    fn size(&self) -> (f64, f64) {
        let full = self.header.full();
        (f64::from(full.width_px), f64::from(full.height_px))
    }
}

/// The zoom whose cells are nearest to `resolution` (morecantile, `zoom_for_res` with its strategy "auto").
fn zoom_for(set: &TileMatrixSet, resolution: f64) -> u8 {
    let is_finer = |cell: f64| resolution > cell || (resolution - cell).abs() / cell <= ALIKE;
    let matrices = &set.matrices;
    let at = matrices
        .iter()
        .position(|matrix| is_finer(matrix.cell_size))
        .unwrap_or(matrices.len() - 1);
    let (here, above) = (&matrices[at], &matrices[at.saturating_sub(1)]);
    let differs = (resolution - here.cell_size).abs() / here.cell_size > ALIKE;
    if differs && above.cell_size / resolution < resolution / here.cell_size {
        above.zoom
    } else {
        here.zoom
    }
}
