//! Tile matrix sets: which rectangle of which coordinate reference system a tile covers.
//!
//! OGC Two Dimensional Tile Matrix Set 2.0 (17-083r4): a matrix per zoom, its origin in the north-west, tiles counted
//! to the east and to the south. Sets with rows of merged tiles (`CDB1GlobalGrid`, `GNOSISGlobalGrid`) are left out: no
//! map client asks for them.

mod registered;

use crate::crs::Crs;
pub use registered::{Published, find, published, registered};

/// A rectangle in a coordinate reference system, x to the east and y to the north.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least x.
    pub west: f64,
    /// Least y.
    pub south: f64,
    /// Greatest x.
    pub east: f64,
    /// Greatest y.
    pub north: f64,
}

/// One zoom of a set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TileMatrix {
    /// The number that requests name it by.
    pub zoom: u8,
    /// Side of a pixel in units of the coordinate reference system.
    pub cell_size: f64,
    /// Tiles to the east.
    pub width: u32,
    /// Tiles to the south.
    pub height: u32,
}

/// A set of matrices with one origin and one size of tile.
#[derive(Clone, Debug)]
pub struct TileMatrixSet {
    /// The name in requests.
    pub id: String,
    /// The name for people.
    pub title: String,
    /// The system of its bounds.
    pub crs: Crs,
    /// x and y of the north-west corner of tile 0/0 of every matrix.
    pub origin: (f64, f64),
    /// Pixels along the side of a tile.
    pub tile_size: u32,
    /// The matrices from the coarsest on.
    pub matrices: Vec<TileMatrix>,
}

/// Deeper than any imagery: 2 mm at the equator in Web Mercator, and tile numbers still fit 32 bits.
const MAX_MATRICES: usize = 31;
const fn bounds(west: f64, south: f64, east: f64, north: f64) -> Bounds {
    Bounds {
        west,
        south,
        east,
        north,
    }
}

impl TileMatrixSet {
    /// A set of one's own: the square around `extent`'s north-west corner that holds it, halved `matrices` − 1 times.
    ///
    /// None where the extent is empty or not finite, there are more than 31 matrices, or the tile has no pixel.
    pub fn quad(id: &str, crs: Crs, extent: Bounds, matrices: usize, tile_size: u32) -> Option<Self> {
        let side = (extent.east - extent.west).max(extent.north - extent.south);
        let sound = side.is_finite() && extent.east > extent.west && extent.north > extent.south;
        if !sound || !(1..=MAX_MATRICES).contains(&matrices) || tile_size == 0 {
            return None;
        }
        let matrix = |zoom: u8| {
            let count = 1_u32 << zoom;
            let cell_size = side / f64::from(tile_size) / f64::from(count);
            TileMatrix {
                zoom,
                cell_size,
                width: count,
                height: count,
            }
        };
        Some(Self {
            id: id.to_owned(),
            title: id.to_owned(),
            crs,
            origin: (extent.west, extent.north),
            tile_size,
            matrices: (0..matrices as u8).map(matrix).collect(),
        })
    }

    /// The matrix of a zoom.
    pub fn matrix(&self, zoom: u8) -> Option<&TileMatrix> {
        self.matrices.iter().find(|matrix| matrix.zoom == zoom)
    }

    /// What a tile covers, x counted to the east and y to the south; None off the grid.
    pub fn tile_bounds(&self, zoom: u8, x: u32, y: u32) -> Option<Bounds> {
        let matrix = self
            .matrix(zoom)
            .filter(|matrix| x < matrix.width && y < matrix.height)?;
        let side = matrix.cell_size * f64::from(self.tile_size);
        let edge_x = |column: u32| self.origin.0 + f64::from(column) * side;
        let edge_y = |row: u32| self.origin.1 - f64::from(row) * side;
        Some(bounds(edge_x(x), edge_y(y + 1), edge_x(x + 1), edge_y(y)))
    }

    /// What all tiles of the coarsest matrix cover.
    pub fn extent(&self) -> Option<Bounds> {
        let first = self.matrices.first()?;
        let side = first.cell_size * f64::from(self.tile_size);
        let (west, north) = self.origin;
        Some(bounds(
            west,
            north - f64::from(first.height) * side,
            west + f64::from(first.width) * side,
            north,
        ))
    }

    /// The scale denominator of a matrix at the standard's 0.28 mm per pixel (17-083r4, clause 6.2).
    pub fn scale_denominator(&self, matrix: &TileMatrix) -> f64 {
        matrix.cell_size * self.crs.unit_to_metre() / 0.000_28
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_mercator_tiles_are_where_everyone_has_them() {
        let web = find("WebMercatorQuad").unwrap();
        assert_eq!(web.crs.epsg(), Some(3857));
        let half = std::f64::consts::PI * 6_378_137.0;
        assert_eq!(web.tile_bounds(0, 0, 0), Some(bounds(-half, -half, half, half)));
        // morecantile 7.1.0, xy_bounds(486, 332, 10).
        let tile = web.tile_bounds(10, 486, 332).unwrap();
        let known = bounds(
            -1_017_529.720_532_264_6,
            7_005_300.768_279_834,
            -978_393.962_050_255_4,
            7_044_436.526_761_843,
        );
        let pairs = [
            (tile.west, known.west),
            (tile.south, known.south),
            (tile.east, known.east),
            (tile.north, known.north),
        ];
        assert!(
            pairs.iter().all(|(found, known)| (found - known).abs() < 1e-6),
            "{tile:?}"
        );
        assert_eq!(web.tile_bounds(10, 1024, 0), None);
        assert_eq!(web.tile_bounds(25, 0, 0), None);
        assert!((web.scale_denominator(&web.matrices[0]) - 559_082_264.028_717_8).abs() < 1e-3);
    }

    #[test]
    fn neighbours_share_their_edge_to_the_last_bit() {
        for id in registered() {
            let set = find(id).unwrap();
            for matrix in set
                .matrices
                .iter()
                .filter(|matrix| matrix.width > 1 && matrix.height > 1)
            {
                let (x, y) = (matrix.width / 3, matrix.height / 3);
                let tile = set.tile_bounds(matrix.zoom, x, y).unwrap();
                assert_eq!(
                    tile.east,
                    set.tile_bounds(matrix.zoom, x + 1, y).unwrap().west,
                    "{id}"
                );
                assert_eq!(
                    tile.south,
                    set.tile_bounds(matrix.zoom, x, y + 1).unwrap().north,
                    "{id}"
                );
            }
        }
    }

    #[test]
    fn matrices_are_those_of_morecantile() {
        // morecantile 7.1.0: id, zoom, cell size, width, height of the deepest matrix.
        let deepest = [
            (
                "WebMercatorQuad",
                24,
                0.009_330_691_929_342_8,
                16_777_216,
                16_777_216,
            ),
            (
                "WorldCRS84Quad",
                23,
                8.381_903_171_539_307e-8,
                16_777_216,
                8_388_608,
            ),
            ("WGS1984Quad", 23, 8.381_903_171_539_307e-8, 16_777_216, 8_388_608),
            (
                "WorldMercatorWGS84Quad",
                24,
                0.009_330_691_929_342_8,
                16_777_216,
                16_777_216,
            ),
            ("UTM31WGS84Quad", 24, 0.009_315_056_474_239, 8_388_608, 16_777_216),
            (
                "EuropeanETRS89_LAEAQuad",
                15,
                0.536_441_802_978_515_6,
                32_768,
                32_768,
            ),
            ("UPSArcticWGS84Quad", 24, 0.007_655_825, 16_777_216, 16_777_216),
            ("UPSAntarcticWGS84Quad", 24, 0.007_655_825, 16_777_216, 16_777_216),
            ("LINZAntarticaMapTilegrid", 13, 14.0, 3303, 3303),
            ("NZTM2000Quad", 21, 0.018_661_383_858_685_5, 2_097_152, 2_097_152),
            (
                "CanadianNAD83_LCC",
                25,
                0.066_145_965_625_264_5,
                2_468_768,
                2_625_811,
            ),
        ];
        assert_eq!(deepest.len(), registered().count());
        for (id, zoom, cell, width, height) in deepest {
            let set = find(id).unwrap();
            let last = set.matrices.last().unwrap();
            assert_eq!(
                (last.zoom, last.width, last.height),
                (zoom, width, height),
                "{id}"
            );
            assert!(
                (last.cell_size / cell - 1.0).abs() < 1e-6,
                "{id}: {}",
                last.cell_size
            );
        }
    }

    #[test]
    fn a_set_of_ones_own_is_refused_when_it_makes_no_sense() {
        let crs = Crs::from_epsg(3035).unwrap();
        let set = TileMatrixSet::quad("mine", crs.clone(), bounds(0.0, 0.0, 1024.0, 512.0), 3, 512).unwrap();
        assert_eq!(set.tile_bounds(1, 1, 0), Some(bounds(512.0, 0.0, 1024.0, 512.0)));
        assert!(TileMatrixSet::quad("empty", crs.clone(), bounds(0.0, 0.0, 0.0, 1.0), 3, 256).is_none());
        assert!(TileMatrixSet::quad("deep", crs, bounds(0.0, 0.0, 1.0, 1.0), 32, 256).is_none());
    }
}
