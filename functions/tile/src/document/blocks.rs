//! A box of the world → the tiles of the web's grid that it meets, at one zoom.

use std::ops::RangeInclusive;

use edgetile_raster::crs::Crs;
use edgetile_raster::header::Affine;
use edgetile_raster::warp::extent;

/// Columns and rows of tiles.
pub type Block = (RangeInclusive<u32>, RangeInclusive<u32>);

/// Where the web's grid ends, in degrees north and south: the square's edge (EPSG:3857 has its origin in the middle).
const EDGE_DEG: f64 = 85.051_128_779_806_59;

/// The tiles that a box meets, west, south, east, north in `crs`: one block, two where it crosses the antimeridian.
/// Everything, where the box has no place on the globe.
pub fn blocks(crs: &Crs, [west, south, east, north]: [f64; 4], zoom: u8) -> Vec<Block> {
    let affine = Affine {
        a: east - west,
        b: 0.0,
        c: west,
        d: 0.0,
        e: south - north,
        f: north,
    };
    let wgs84 = Crs::from_epsg(4326).ok();
    let in_degrees = wgs84.and_then(|wgs84| extent(&affine, (1.0, 1.0), crs, &wgs84));
    in_degrees.map_or_else(
        || vec![(0..=u32::MAX, 0..=u32::MAX)],
        |bounds| blocks_deg(bounds, zoom),
    )
}

/// The same of a box in degrees; east may lie west of west, or beyond half a turn.
pub fn blocks_deg([west, south, east, north]: [f64; 4], zoom: u8) -> Vec<Block> {
    let tiles = 2_f64.powi(i32::from(zoom));
    let east = if east < west { east + 360.0 } else { east };
    let column = |lon: f64| ((lon + 180.0) / 360.0 * tiles).floor();
    let row = |lat: f64| {
        let lat = lat.clamp(-EDGE_DEG, EDGE_DEG).to_radians();
        let down = (1.0 - lat.tan().asinh() / std::f64::consts::PI) / 2.0 * tiles;
        down.floor().clamp(0.0, tiles - 1.0) as u32
    };
    let rows = row(north)..=row(south);
    let (first, last) = (column(west), column(east));
    if last - first + 1.0 >= tiles {
        return vec![(0..=(tiles - 1.0) as u32, rows)];
    }
    let (first, last) = (first.rem_euclid(tiles), last.rem_euclid(tiles));
    if first <= last {
        return vec![(first as u32..=last as u32, rows)];
    }
    vec![
        (first as u32..=(tiles - 1.0) as u32, rows.clone()),
        (0..=last as u32, rows),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_meet_the_tiles_that_hold_their_corners() {
        // morecantile 7: tile(11.5, 48.2, 12) is 2178/1420, tile(11.7, 48.0, 12) is 2181/1423.
        assert_eq!(
            blocks_deg([11.5, 48.0, 11.7, 48.2], 12),
            [(2178..=2181, 1420..=1423)]
        );
        assert_eq!(blocks_deg([11.5, 48.1, 11.5, 48.1], 0), [(0..=0, 0..=0)]);
        assert_eq!(blocks_deg([-180.0, -90.0, 180.0, 90.0], 3), [(0..=7, 0..=7)]);
    }

    #[test]
    fn a_box_across_the_antimeridian_is_two_blocks() {
        let both = [(7..=7, 3..=3), (0..=0, 3..=3)];
        assert_eq!(blocks_deg([170.0, 1.0, -170.0, 2.0], 3), both);
        assert_eq!(blocks_deg([170.0, 1.0, 190.0, 2.0], 3), both);
    }

    #[test]
    fn a_box_in_metres_is_placed_on_the_globe() {
        let web = Crs::from_epsg(3857).unwrap();
        let half = 20_037_508.342_789_244;
        assert_eq!(
            blocks(&web, [1.0, 1.0, half - 1.0, half - 1.0], 1),
            [(1..=1, 0..=0)]
        );
    }
}
