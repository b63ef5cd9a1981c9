//! How fast a tile warps: 256 px of three 8-bit bands from UTM to Web Mercator, by kernel and by source pixels under an output pixel.
//!
//! `make bench-warp` prints the thread's time on a core, the least of all turns: the placement, and the resampling of a window that
//! is decoded already. With `--instructions` each is run once under valgrind instead, whose counts do not depend on what else the
//! machine does.

#[path = "../measure/mod.rs"]
mod measure;

use std::hint::black_box;

use edgetile_raster::crs::Crs;
use edgetile_raster::header::Affine;
use edgetile_raster::samples::{Mask, Raster, Samples};
use edgetile_raster::warp::{Kernel, Placement, Rect, Target, Window, resample};

/// Turns of each case: the least time of so many is steady on a machine with other work.
const TURNS: usize = 60;

/// Pixels along the side of the tile.
const SIDE: usize = 256;

/// Source pixels under an output pixel: a level is at most about twice as fine as the tile.
const SCALES: [f64; 3] = [0.7, 1.0, 1.7];

/// A tile to warp.
struct Case {
    target: Target,
    source: Crs,
    affine: Affine,
    size: (u32, u32),
    window: Window,
    kernel: Kernel,
}

impl Case {
    fn new(kernel: Kernel, scale: f64, is_masked: bool) -> Self {
        let source = Crs::from_epsg(32633).expect("a registered code");
        let (lon, lat) = (15.4_f64, 48.0_f64);
        let (x, y) = source.forward(lon, lat).expect("a place on Earth");
        let side = (SIDE as f64 * scale * 1.2) as u32 + 16;
        let half = f64::from(side) * 10.0 / 2.0;
        let affine = Affine {
            a: 10.0,
            b: 0.0,
            c: x - half,
            d: 0.0,
            e: -10.0,
            f: y + half,
        };
        let crs = Crs::from_epsg(3857).expect("a registered code");
        let (east, north) = crs.forward(lon, lat).expect("a place on the map");
        let resolution = 10.0 * scale / lat.to_radians().cos();
        let reach = SIDE as f64 / 2.0 * resolution;
        Self {
            target: Target {
                crs,
                west: east - reach,
                north: north + reach,
                resolution: (resolution, resolution),
                size: (SIDE, SIDE),
                origin_px: (5, 11),
            },
            source,
            affine,
            size: (side, side),
            window: window(side, is_masked),
            kernel,
        }
    }

    /// Where pixels lie, and their values. Valgrind counts what happens in here.
    #[inline(never)]
    fn measured_pass(&self) {
        let placement =
            Placement::new(&self.target, &self.source, &self.affine, self.size).expect("a placement");
        black_box(resample(&self.window, &placement, self.kernel));
    }
}

/// Three bands of grain, and if wanted a mask with holes.
fn window(side: u32, is_masked: bool) -> Window {
    let area = (side * side) as usize;
    let grain = |at: usize| ((at as u32).wrapping_mul(2_654_435_761) >> 24) as u8;
    let hole = |at: usize| if grain(at / 7) < 20 { 0 } else { 255 };
    Window {
        rect: Rect {
            x: 0,
            y: 0,
            width: side,
            height: side,
        },
        raster: Raster {
            bands: 3,
            height: side as usize,
            width: side as usize,
            samples: Samples::U8((0..3 * area).map(grain).collect()),
            mask: if is_masked {
                Mask::Shared((0..area).map(hole).collect())
            } else {
                Mask::All
            },
        },
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["one", name, scale, masked] => {
            let kernel = Kernel::named(name).expect("a kernel");
            Case::new(kernel, scale.parse().expect("a number"), *masked == "true").measured_pass();
        }
        ["--instructions"] => table("million instructions", instructions),
        [] => table("milliseconds on a core", least_time),
        other => panic!("usage: warp [--instructions], not {other:?}"),
    }
}

/// Prints a line for each kernel: every scale, and one scale with a mask.
fn table(what: &str, measure: impl Fn(Kernel, f64, bool) -> f64) {
    println!("{what}, {SIDE}x{SIDE} pixels, three bands of 8 bits, UTM to Web Mercator");
    println!(
        "kernel         x{:<5} x{:<5} x{:<5} x{}, holes",
        SCALES[0], SCALES[1], SCALES[2], SCALES[1]
    );
    for (name, kernel) in Kernel::ALL {
        let open = SCALES.map(|scale| format!("{:<7.2}", measure(kernel, scale, false)));
        println!(
            "{name:14} {}{:.2}",
            open.concat(),
            measure(kernel, SCALES[1], true)
        );
    }
}

fn least_time(kernel: Kernel, scale: f64, is_masked: bool) -> f64 {
    let case = Case::new(kernel, scale, is_masked);
    let turn = |_| {
        let start = measure::on_core();
        case.measured_pass();
        measure::on_core().saturating_sub(start).as_secs_f64() * 1e3
    };
    (0..TURNS).map(turn).fold(f64::INFINITY, f64::min)
}

fn instructions(kernel: Kernel, scale: f64, is_masked: bool) -> f64 {
    measure::instructions(&[kernel.name(), &scale.to_string(), &is_masked.to_string()]) / 1e6
}
