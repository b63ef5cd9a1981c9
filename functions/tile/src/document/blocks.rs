//! A box of the world → the tiles of a grid that it meets, at one zoom.

use std::ops::RangeInclusive;

use edgetile_raster::crs::Crs;
use edgetile_raster::grid::TileMatrixSet;
use edgetile_raster::header::Affine;
use edgetile_raster::warp::extent;

/// Columns and rows of tiles.
pub type Block = (RangeInclusive<u32>, RangeInclusive<u32>);

/// The web's grid, whose columns go round the globe.
pub(super) const WEB: &str = "WebMercatorQuad";
/// Where the web's grid ends, in degrees north and south: the square's edge (EPSG:3857 has its origin in the middle).
const EDGE_DEG: f64 = 85.051_128_779_806_59;
/// All tiles of any grid.
const ALL: Block = (0..=u32::MAX, 0..=u32::MAX);

/// The tiles of a grid that a box meets, west, south, east, north in `crs`: one block, two where it crosses the antimeridian.
/// Everything, where the box has no place on the globe.
pub fn blocks(set: &TileMatrixSet, zoom: u8, crs: &Crs, bounds: [f64; 4]) -> Vec<Block> {
    let is_web = set.id == WEB;
    if !is_web && set.crs.is_same(crs) {
        return block(set, zoom, bounds).into_iter().collect();
    }
    let Some(in_degrees) = degrees(crs, bounds) else {
        return vec![ALL];
    };
    if is_web {
        return blocks_deg(in_degrees, zoom);
    }
    let Ok(wgs84) = Crs::from_epsg(4326) else {
        return vec![ALL];
    };
    let on_grid = |part| match extent(&affine(part), (1.0, 1.0), &wgs84, &set.crs) {
        Some(bounds) => block(set, zoom, bounds),
        None => Some(ALL),
    };
    on_globe(in_degrees).into_iter().filter_map(on_grid).collect()
}

/// A box in degrees: west, south, east, north; east may lie beyond half a turn. `None` where it has no place on the globe.
pub fn degrees(crs: &Crs, bounds: [f64; 4]) -> Option<[f64; 4]> {
    let wgs84 = Crs::from_epsg(4326).ok()?;
    let mut found = extent(&affine(bounds), (1.0, 1.0), crs, &wgs84)?;
    // A box's outline goes round a pole that lies within, which is all longitudes up to it.
    for pole in [-90.0, 90.0] {
        let holds = |(x, y)| bounds[0] < x && x < bounds[2] && bounds[1] < y && y < bounds[3];
        if !crs.is_geographic() && crs.forward(0.0, pole).is_some_and(holds) {
            let [_, south, _, north] = found;
            found = [-180.0, south.min(pole), 180.0, north.max(pole)];
        }
    }
    Some(found)
}

/// The same box without its part beyond half a turn, and that part where it lies on the globe.
pub fn on_globe([west, south, east, north]: [f64; 4]) -> Vec<[f64; 4]> {
    let east = if east < west { east + 360.0 } else { east };
    if east - west >= 360.0 {
        return vec![[-180.0, south, 180.0, north]];
    }
    let turns = ((west + 180.0) / 360.0).floor() * 360.0;
    let (west, east) = (west - turns, east - turns);
    if east <= 180.0 {
        return vec![[west, south, east, north]];
    }
    vec![[west, south, 180.0, north], [-180.0, south, east - 360.0, north]]
}

fn affine([west, south, east, north]: [f64; 4]) -> Affine {
    Affine {
        a: east - west,
        b: 0.0,
        c: west,
        d: 0.0,
        e: south - north,
        f: north,
    }
}

/// The tiles of a box in the grid's own system; none beyond the grid.
fn block(set: &TileMatrixSet, zoom: u8, [west, south, east, north]: [f64; 4]) -> Option<Block> {
    let matrix = set.matrix(zoom)?;
    let side = matrix.cell_size * f64::from(set.tile_size);
    let range = |from: f64, to: f64, count: u32| {
        let (from, to) = ((from / side).floor(), (to / side).floor());
        let last = f64::from(count) - 1.0;
        (from <= last && to >= 0.0).then(|| from.max(0.0) as u32..=to.min(last) as u32)
    };
    Some((
        range(west - set.origin.0, east - set.origin.0, matrix.width)?,
        range(set.origin.1 - north, set.origin.1 - south, matrix.height)?,
    ))
}

/// The tiles of the web's grid that a box in degrees meets; east may lie west of west, or beyond half a turn.
fn blocks_deg([west, south, east, north]: [f64; 4], zoom: u8) -> Vec<Block> {
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
    use edgetile_raster::grid::find;

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
        let parts = [[170.0, 1.0, 180.0, 2.0], [-180.0, 1.0, -170.0, 2.0]];
        assert_eq!(on_globe([170.0, 1.0, -170.0, 2.0]), parts);
        assert_eq!(on_globe([-190.0, 1.0, -170.0, 2.0]), parts);
        assert_eq!(on_globe([100.0, 1.0, 500.0, 2.0]), [[-180.0, 1.0, 180.0, 2.0]]);
    }

    #[test]
    fn a_box_in_metres_is_placed_on_the_globe() {
        let (web, set) = (Crs::from_epsg(3857).unwrap(), find(WEB).unwrap());
        let half = 20_037_508.342_789_244;
        assert_eq!(
            blocks(&set, 1, &web, [1.0, 1.0, half - 1.0, half - 1.0]),
            [(1..=1, 0..=0)]
        );
    }

    #[test]
    fn other_grids_have_their_own_tiles() {
        let (wgs84, set) = (
            Crs::from_epsg(4326).unwrap(),
            find("EuropeanETRS89_LAEAQuad").unwrap(),
        );
        // morecantile 7.1: the corners lie in 276/308, 278/308, 276/311 and 278/310.
        assert_eq!(
            blocks(&set, 9, &wgs84, [11.5, 48.0, 11.7, 48.2]),
            [(276..=278, 308..=311)]
        );
        assert_eq!(blocks(&set, 9, &wgs84, [-120.0, -48.0, -119.0, -47.0]), []);
        let own = set.tile_bounds(9, 276, 308).unwrap();
        let inner = [own.west + 1.0, own.south + 1.0, own.east - 1.0, own.north - 1.0];
        assert_eq!(blocks(&set, 9, &set.crs, inner), [(276..=276, 308..=308)]);
    }

    #[test]
    fn a_box_that_holds_a_pole_reaches_it() {
        let polar = Crs::from_epsg(5041).unwrap();
        let (x, y) = polar.forward(0.0, 90.0).unwrap();
        let around = degrees(&polar, [x - 1e5, y - 1e5, x + 1e5, y + 1e5]).unwrap();
        assert_eq!((around[0], around[2], around[3]), (-180.0, 180.0, 90.0));
        assert!((88.0..90.0).contains(&around[1]), "{around:?}");
    }
}
