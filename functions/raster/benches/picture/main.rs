//! What follows the warp, on a tile of 256 px: expressions, algorithms, colours, and each format of the answer.
//!
//! `one NAME` passes one case once; `make bench-instructions` runs each under valgrind and holds the counts to the stored
//! ones. Without arguments the cases are listed.

use std::hint::black_box;

use edgetile_raster::colour::{Colormap, Formula, Picture, Rescale, Style, render};
use edgetile_raster::encode::{self, Place, System};
use edgetile_raster::math::Expression;
use edgetile_raster::math::algorithm::{Algorithm, Surroundings};
use edgetile_raster::samples::{Mask, Raster, Samples};

/// Pixels along the side of the tile.
const SIDE: usize = 256;

type Pass = Box<dyn Fn()>;

/// A case: its name, and what makes its input and gives the pass.
type Case = (&'static str, fn() -> Pass);

const CASES: [Case; 25] = [
    ("expression ndvi u16", || expression("(b2-b1)/(b2+b1)", 2)),
    ("expression evi u16", || {
        expression("2.5*(b2-b1)/(b2+6*b1-7.5*b3+1)", 3)
    }),
    ("expression where u16", || {
        expression("where(b1>b2,sqrt(b1),b2**2)", 2)
    }),
    ("algorithm hillshade f32", || algorithm("hillshade")),
    ("algorithm contours f32", || algorithm("contours")),
    ("algorithm terrainrgb f32", || algorithm("terrainrgb")),
    ("colour gray u16", || colour(gray, Some("0,4000"), "", "")),
    ("colour rgb u16", || colour(colours, Some("0,4000"), "", "")),
    ("colour rgb u8", || colour(photograph, None, "", "")),
    ("colour rgb u8 formula", || {
        colour(photograph, None, "gamma RGB 1.2, saturation 1.1", "")
    }),
    ("colour ndvi rdylgn", || colour(index, Some("-1,1"), "", "rdylgn")),
    ("colour classes u8", || {
        classes(r##"{"0":"#000000","1":"#1b7837","2":"#d9f0d3","3":"#d73027"}"##)
    }),
    ("png palette", || encoded(coloured(), encode::png)),
    ("png gray", || encoded(painted(&gray(), "0,4000"), encode::png)),
    ("png gray 16", || encoded(deep(), encode::png)),
    ("png rgb", || {
        encoded(painted(&photograph(), "0,255"), encode::png)
    }),
    ("png rgb masked", || {
        let mask = (0..SIDE * SIDE)
            .map(|at| if at % SIDE < 40 { 0 } else { 255 })
            .collect();
        let raster = Raster {
            mask: Mask::Shared(mask),
            ..photograph()
        };
        encoded(painted(&raster, "0,255"), encode::png)
    }),
    ("jpeg rgb", || {
        encoded(painted(&photograph(), "0,255"), |picture| {
            encode::jpeg(picture, 85)
        })
    }),
    ("jpeg gray", || {
        encoded(painted(&gray(), "0,4000"), |picture| encode::jpeg(picture, 85))
    }),
    ("webp palette", || {
        encoded(coloured(), |picture| encode::webp(picture, None))
    }),
    ("webp rgb", || {
        encoded(painted(&photograph(), "0,255"), |picture| {
            encode::webp(picture, None)
        })
    }),
    ("webp rgb q80", || {
        encoded(painted(&photograph(), "0,255"), |picture| {
            encode::webp(picture, Some(80))
        })
    }),
    ("npy u16", || {
        let raster = gray();
        Box::new(move || {
            black_box(encode::npy(&raster, true));
        })
    }),
    ("geotiff u16", || written(gray())),
    ("geotiff f32", || written(index())),
];

/// Several octaves of value noise, -1 to 1, with a little grain.
fn noise(seed: u32, x: usize, y: usize) -> f64 {
    let corner = |x: usize, y: usize| {
        let mixed = (x as u32).wrapping_mul(0x9E37_79B1) ^ (y as u32).wrapping_mul(0x85EB_CA77) ^ seed;
        let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x2C1B_3C6D);
        f64::from((mixed ^ (mixed >> 12)).wrapping_mul(0x297A_2D39) >> 8) / f64::from(1 << 23) - 1.0
    };
    let octave = |cell: usize| {
        let (column, row) = (x / cell, y / cell);
        let (across, down) = ((x % cell) as f64 / cell as f64, (y % cell) as f64 / cell as f64);
        let line = |row| corner(column, row) * (1.0 - across) + corner(column + 1, row) * across;
        line(row) * (1.0 - down) + line(row + 1) * down
    };
    [(64, 0.5), (16, 0.25), (4, 0.15), (1, 0.04)]
        .iter()
        .map(|&(cell, weight)| weight * octave(cell))
        .sum()
}

/// Bands of `value(noise)` for each seed.
fn bands<T>(seeds: &[u32], value: impl Fn(f64) -> T) -> Vec<T> {
    let mut samples = Vec::with_capacity(seeds.len() * SIDE * SIDE);
    for &seed in seeds {
        for y in 0..SIDE {
            samples.extend((0..SIDE).map(|x| value(noise(seed, x, y))));
        }
    }
    samples
}

fn raster(bands: usize, samples: Samples) -> Raster {
    Raster {
        bands,
        height: SIDE,
        width: SIDE,
        samples,
        mask: Mask::All,
    }
}

fn reflectances(count: usize) -> Raster {
    let seeds: Vec<u32> = (1..=count as u32).collect();
    raster(
        count,
        Samples::U16(bands(&seeds, |noise| (2000.0 + 1900.0 * noise) as u16)),
    )
}

fn gray() -> Raster {
    reflectances(1)
}

fn photograph() -> Raster {
    raster(
        3,
        Samples::U8(bands(&[7, 7, 8], |noise| (128.0 + 120.0 * noise) as u8)),
    )
}

fn colours() -> Raster {
    reflectances(3)
}

fn index() -> Raster {
    raster(1, Samples::F32(bands(&[9], |noise| noise as f32)))
}

fn expression(text: &'static str, count: usize) -> Pass {
    let expression = Expression::parse(text).expect("an expression");
    let input = reflectances(count);
    Box::new(move || {
        black_box(expression.evaluate(&input));
    })
}

/// Of heights 30 m apart, up to 1000 m.
fn algorithm(name: &str) -> Pass {
    let algorithm = Algorithm::new(name, []).expect("an algorithm");
    let heights = raster(1, Samples::F32(bands(&[9], |noise| 500.0 + 500.0 * noise as f32)));
    let colours = algorithm.colormap().and_then(Colormap::named);
    let around = Surroundings {
        across: vec![30.0; SIDE - 2 * algorithm.margin_px()],
        down: 30.0,
        colours: colours
            .map(|map| (0..=255).map(|at| map.colour(f64::from(at))).collect())
            .unwrap_or_default(),
    };
    Box::new(move || {
        black_box(algorithm.run(&heights, &around).expect("an answer"));
    })
}

/// Four classes and what lies between them, in the colours of a table.
fn classes(table: &str) -> Pass {
    let colormap = Colormap::parse_json(table).expect("a table of colours");
    let input = raster(1, Samples::U8(bands(&[5], |noise| (2.0 + 2.0 * noise) as u8)));
    Box::new(move || {
        let style = Style {
            colormap: Some(&colormap),
            ..Style::default()
        };
        black_box(render(&input, &style).expect("a picture"));
    })
}

fn colour(input: fn() -> Raster, rescale: Option<&str>, formula: &str, colormap: &str) -> Pass {
    let input = input();
    let rescale = rescale.map(|text| Rescale::parse([text]).expect("a range"));
    let formula = (!formula.is_empty()).then(|| Formula::parse(formula).expect("a formula"));
    let colormap = Colormap::named(colormap);
    Box::new(move || {
        let style = Style {
            rescale: rescale.as_ref(),
            formula: formula.as_ref(),
            colormap: colormap.as_ref(),
            ..Style::default()
        };
        black_box(render(&input, &style).expect("a picture"));
    })
}

fn painted(raster: &Raster, rescale: &str) -> Picture {
    let rescale = Rescale::parse([rescale]).expect("a range");
    let style = Style {
        rescale: Some(&rescale),
        ..Style::default()
    };
    render(raster, &style).expect("a picture")
}

fn coloured() -> Picture {
    let rescale = Rescale::parse(["-1,1"]).expect("a range");
    let colormap = Colormap::named("rdylgn");
    let style = Style {
        rescale: Some(&rescale),
        colormap: colormap.as_ref(),
        ..Style::default()
    };
    render(&index(), &style).expect("a picture")
}

/// 16-bit gray.
fn deep() -> Picture {
    render(&gray(), &Style::default()).expect("a picture")
}

fn encoded<T: 'static>(picture: Picture, encode: fn(&Picture) -> T) -> Pass {
    Box::new(move || {
        black_box(encode(&picture));
    })
}

fn written(raster: Raster) -> Pass {
    let place = Place {
        origin: [0.0, 0.0],
        pixel_size: [10.0, 10.0],
        system: System::Registered {
            epsg: 3857,
            geographic: false,
        },
    };
    Box::new(move || {
        black_box(encode::geotiff(&raster, &place, None).expect("a GeoTIFF"));
    })
}

/// Valgrind counts what happens in here.
#[inline(never)]
fn measured_pass(pass: &Pass) {
    pass();
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["one", name] => {
            let (_, make) = CASES
                .iter()
                .find(|(known, _)| known == name)
                .expect("a case of that name");
            let pass = make();
            // The pass before it makes contexts and touches memory.
            pass();
            measured_pass(&pass);
        }
        [] => CASES.iter().for_each(|(name, _)| println!("{name}")),
        other => panic!("usage: picture [one NAME], not {other:?}"),
    }
}
