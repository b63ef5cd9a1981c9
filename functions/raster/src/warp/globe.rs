//! Files that go round the globe: the meridian where they end is no edge to any kernel.

use super::{Kernel, Placement, Rect, Target, Window, resample};
use crate::crs::Crs;
use crate::header::Affine;
use crate::samples::{Mask, Raster, Samples};

/// Half a degree a pixel.
const TURN: u32 = 720;
const ROWS: u32 = 360;

/// A world file: where it begins, which way it runs, and whether its last column repeats the first.
#[derive(Clone, Copy, Debug)]
struct World {
    west: f64,
    step: f64,
    columns: u32,
}

const GREENWICH_IN_THE_MIDDLE: World = World {
    west: -180.0,
    step: 0.5,
    columns: TURN,
};

const WORLDS: [World; 4] = [
    World {
        west: 0.0,
        ..GREENWICH_IN_THE_MIDDLE
    },
    World {
        columns: TURN + 1,
        ..GREENWICH_IN_THE_MIDDLE
    },
    World {
        west: 180.0,
        step: -0.5,
        ..GREENWICH_IN_THE_MIDDLE
    },
    World {
        west: -180.0 + 1e-7,
        ..GREENWICH_IN_THE_MIDDLE
    },
];

/// What lies at half degrees east of the antimeridian, and from the north pole down.
fn value(east: u32, row: u32) -> u8 {
    let mixed = (east * 1000 + row).wrapping_mul(2_654_435_761);
    (mixed >> 24) as u8
}

impl World {
    fn affine(&self) -> Affine {
        Affine {
            a: self.step,
            b: 0.0,
            c: self.west,
            d: 0.0,
            e: -0.5,
            f: 90.0,
        }
    }

    /// The window that a placement needs, put together as the plan says.
    fn window(&self, rect: Rect, turn: u32) -> Window {
        let east = |column: u32| {
            let lon = self.west + (f64::from(column % turn) + 0.5) * self.step;
            ((lon + 180.0).rem_euclid(360.0) * 2.0) as u32
        };
        let row = |row: u32| (rect.x..rect.x + rect.width).map(move |column| value(east(column), row));
        let samples = (rect.y..rect.y + rect.height).flat_map(row).collect();
        Window {
            rect,
            raster: Raster {
                bands: 1,
                height: rect.height as usize,
                width: rect.width as usize,
                samples: Samples::U8(samples),
                mask: Mask::All,
            },
        }
    }

    fn render(&self, target: &Target, kernel: Kernel) -> Vec<u8> {
        let size = (self.columns, ROWS);
        let crs = Crs::from_epsg(4326).unwrap();
        let placement = Placement::new(target, &crs, &self.affine(), size).unwrap();
        let turn = placement.turn_px().expect("a level that goes all round");
        assert_eq!(turn, TURN, "{self:?}");
        let rect = placement.needs(kernel, size).unwrap();
        let cost = rect.width as usize * 256 / target.size.0;
        assert!(target.resolution.0 > 100_000.0 || cost < 400, "{rect:?}");
        let out = resample(&self.window(rect, turn), &placement, kernel);
        assert_eq!(out.mask, Mask::All, "{self:?} with {}", kernel.name());
        match out.samples {
            Samples::U8(values) => values,
            other => panic!("{other:?}"),
        }
    }
}

/// Columns of a zoom of Web Mercator from `first` on, which may lie west of the map, around the equator.
fn target(zoom: u8, first: i64, width: usize) -> Target {
    let half = 20_037_508.342_789_244;
    let side = 256_i64 << zoom;
    let resolution = 2.0 * half / side as f64;
    Target {
        crs: Crs::from_epsg(3857).unwrap(),
        west: -half + first as f64 * resolution,
        north: 20.0 * resolution,
        resolution: (resolution, resolution),
        size: (width, 40),
        origin_px: (first, side / 2 - 20),
    }
}

#[test]
fn world_files_of_every_cut_give_the_same_tiles() {
    for zoom in [0, 1, 2, 4] {
        let side = 256_i64 << zoom;
        for first in [0, side / 2 - 32, side - 64] {
            let target = target(zoom, first, 64);
            for (name, kernel) in Kernel::ALL {
                let expected = GREENWICH_IN_THE_MIDDLE.render(&target, kernel);
                for world in WORLDS {
                    // The first met of equally common values is another where columns run to the west.
                    if kernel == Kernel::Mode && world.step < 0.0 {
                        continue;
                    }
                    let found = world.render(&target, kernel);
                    let off = |(a, b): (&u8, &u8)| a.abs_diff(*b) > 1;
                    let off = found.iter().zip(&expected).filter(|pair| off(*pair)).count();
                    assert_eq!(off, 0, "{name} at zoom {zoom} from {first} of {world:?}");
                }
            }
        }
    }
}

#[test]
fn tiles_on_both_sides_of_the_antimeridian_are_crops_of_one_picture() {
    for zoom in [0, 2, 5] {
        let side = 256_i64 << zoom;
        for world in WORLDS {
            for (name, kernel) in Kernel::ALL {
                let across = world.render(&target(zoom, -32, 64), kernel);
                let west = world.render(&target(zoom, side - 64, 64), kernel);
                let east = world.render(&target(zoom, 0, 64), kernel);
                for row in 0..40 {
                    let line = &across[row * 64..][..64];
                    let halves = (&west[row * 64 + 32..][..32], &east[row * 64..][..32]);
                    let off = |a: &[u8], b: &[u8]| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 1);
                    let where_ = format!("{name} at zoom {zoom}, row {row} of {world:?}");
                    assert!(
                        !off(&line[..32], halves.0) && !off(&line[32..], halves.1),
                        "{where_}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_file_that_does_not_go_all_round_keeps_its_edges() {
    let crs = Crs::from_epsg(4326).unwrap();
    let affine = GREENWICH_IN_THE_MIDDLE.affine();
    let target = target(2, 0, 64);
    for (columns, closed) in [(718, false), (719, false), (720, true), (721, true), (722, false)] {
        let placement = Placement::new(&target, &crs, &affine, (columns, ROWS)).unwrap();
        assert_eq!(placement.turn_px().is_some(), closed, "{columns}");
    }
    let turned = Affine { b: 0.01, ..affine };
    let placement = Placement::new(&target, &crs, &turned, (TURN, ROWS)).unwrap();
    assert_eq!(placement.turn_px(), None);
}
