//! Ours against GDAL's one-step warp, from the arrays that `testdata/make_warps.py` wrote. What differs, and why, stands in
//! `docs/resampling.md`.

use std::path::Path;

use super::{Kernel, Placement, Rect, Target, Window, resample};
use crate::crs::Crs;
use crate::header::Affine;
use crate::samples::{DataType, Mask, Raster, Samples};
use crate::with_samples;

/// What one warp came to.
struct Outcome {
    source: String,
    kernel: Kernel,
    /// Source pixels under an output pixel.
    scale: f64,
    /// Pixels that hold data in both.
    common: usize,
    /// Pixels that hold data in ours alone, in GDAL's alone.
    alone: (usize, usize),
    /// Pixels of `common` that differ by more than a level of 255 or 0.4 % of the range.
    off: usize,
    /// The largest difference, as a share of the range.
    worst: f64,
}

struct Source {
    name: String,
    crs: Crs,
    affine: Affine,
    nodata: f64,
    window: Window,
    range: f64,
}

/// A line of the list, and the bytes of its array.
fn arrays(folder: &Path) -> Vec<(Vec<String>, Vec<u8>)> {
    let list = std::fs::read_to_string(folder.join("warps.txt")).expect("warps.txt");
    let mut item = 1;
    let lines: Vec<(Vec<String>, usize)> = list
        .lines()
        .map(|line| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let (width, height) = if words[0] == "source" {
                item = data_type(&words[3]).size();
                (&words[4], &words[5])
            } else {
                (&words[8], &words[9])
            };
            let count = width.parse::<usize>().unwrap() * height.parse::<usize>().unwrap();
            (words, count * item)
        })
        .collect();
    let packed = std::fs::read(folder.join("warps.bin")).expect("warps.bin");
    let mut bytes = vec![0; lines.iter().map(|(_, length)| length).sum()];
    libdeflater::Decompressor::new()
        .deflate_decompress(&packed, &mut bytes)
        .expect("arrays");
    let mut rest = bytes.as_slice();
    let mut cut = |length: usize| {
        let (array, after) = rest.split_at(length);
        rest = after;
        array.to_vec()
    };
    lines
        .into_iter()
        .map(|(words, length)| (words, cut(length)))
        .collect()
}

fn data_type(name: &str) -> DataType {
    match name {
        "uint8" => DataType::U8,
        "uint16" => DataType::U16,
        "float32" => DataType::F32,
        other => panic!("{other} is no type of these arrays"),
    }
}

fn samples(kind: DataType, bytes: &[u8]) -> Samples {
    match kind {
        DataType::U8 => Samples::U8(bytes.to_vec()),
        DataType::U16 => Samples::U16(
            bytes
                .as_chunks()
                .0
                .iter()
                .map(|pair| u16::from_le_bytes(*pair))
                .collect(),
        ),
        _ => Samples::F32(
            bytes
                .as_chunks()
                .0
                .iter()
                .map(|four| f32::from_le_bytes(*four))
                .collect(),
        ),
    }
}

#[expect(clippy::unnecessary_cast, reason = "the macro also meets f64")]
fn as_f64(samples: &Samples) -> Vec<f64> {
    with_samples!(samples, values => values.iter().map(|value| *value as f64).collect())
}

fn numbers(words: &[String]) -> Vec<f64> {
    words.iter().map(|word| word.parse().unwrap()).collect()
}

fn read_source(words: &[String], bytes: &[u8]) -> Source {
    let &[width, height, a, b, c, d, e, f, nodata] = numbers(&words[4..]).as_slice() else {
        panic!("{words:?}")
    };
    let samples = samples(data_type(&words[3]), bytes);
    let values = as_f64(&samples);
    let valid = || values.iter().copied().filter(|value| *value != nodata);
    let rect = Rect {
        x: 0,
        y: 0,
        width: width as u32,
        height: height as u32,
    };
    let mask = values.iter().map(|value| if *value == nodata { 0 } else { 255 });
    Source {
        name: words[1].clone(),
        crs: Crs::from_epsg(words[2].parse().unwrap()).unwrap(),
        affine: Affine { a, b, c, d, e, f },
        nodata,
        range: valid().fold(f64::MIN, f64::max) - valid().fold(f64::MAX, f64::min),
        window: Window {
            rect,
            raster: Raster {
                bands: 1,
                height: rect.height as usize,
                width: rect.width as usize,
                mask: Mask::PerBand(mask.collect()),
                samples,
            },
        },
    }
}

fn compare(source: &Source, words: &[String], bytes: &[u8]) -> Outcome {
    let &[west, north, across, down, width, height] = numbers(&words[4..]).as_slice() else {
        panic!("{words:?}")
    };
    let kernel = Kernel::named(&words[2]).unwrap();
    let target = Target {
        crs: Crs::from_epsg(words[3].parse().unwrap()).unwrap(),
        west,
        north,
        resolution: (across, down),
        size: (width as usize, height as usize),
        origin_px: (0, 0),
    };
    let rect = &source.window.rect;
    let placement = Placement::new(&target, &source.crs, &source.affine, (rect.width, rect.height)).unwrap();
    let ours = resample(&source.window, &placement, kernel);
    let theirs = as_f64(&samples(source.window.raster.samples.data_type(), bytes));
    let mask = ours.every_band().unwrap_or_else(|| vec![255; theirs.len()]);
    let middle = placement.scale(target.size.0 / 2, target.size.1 / 2);
    let mut outcome = Outcome {
        source: source.name.clone(),
        kernel,
        scale: (middle.0 * middle.1).sqrt(),
        common: 0,
        alone: (0, 0),
        off: 0,
        worst: 0.0,
    };
    for ((ours, mask), theirs) in as_f64(&ours.samples).iter().zip(mask).zip(theirs) {
        match (mask != 0, theirs != source.nodata) {
            (true, true) => {
                let share = (ours - theirs).abs() / source.range;
                outcome.common += 1;
                outcome.worst = outcome.worst.max(share);
                // A level of 255 is 0.39 %.
                outcome.off += usize::from(share > 0.004);
            }
            (true, false) => outcome.alone.0 += 1,
            (false, true) => outcome.alone.1 += 1,
            (false, false) => {}
        }
    }
    outcome
}

fn outcomes(folder: &Path) -> Vec<Outcome> {
    let mut source = None;
    let mut outcomes = Vec::new();
    for (words, bytes) in arrays(folder) {
        if words[0] == "source" {
            source = Some(read_source(&words, &bytes));
        } else if let Some(source) = &source {
            outcomes.push(compare(source, &words, &bytes));
        }
    }
    outcomes
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            source,
            kernel,
            scale,
            common,
            alone,
            off,
            worst,
        } = self;
        let percent = 100.0 * *off as f64 / (*common).max(1) as f64;
        write!(
            f,
            "{source:16} x{scale:.2} {:9} {common:6} px, {off:5} off ({percent:.3} %), worst {:.2} %, ours alone {}, GDAL's alone {}",
            kernel.name(),
            worst * 100.0,
            alone.0,
            alone.1
        )
    }
}

impl Outcome {
    fn share_off(&self) -> f64 {
        self.off as f64 / self.common.max(1) as f64
    }

    /// The largest share of pixels that may be off, and the largest difference: one in a thousand, but where the rules differ.
    fn allowance(&self) -> (f64, f64) {
        match self.kernel {
            // GDAL averages the box between two corners of the output pixel, which is narrow where pixels are turned.
            Kernel::Average if self.source == "turned" => (0.25, 0.025),
            _ => (0.001, 0.02),
        }
    }
}

#[test]
fn warps_equal_those_of_gdal_on_999_pixels_of_a_thousand() {
    let outcomes = outcomes(&Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata"));
    assert_eq!(outcomes.len(), 116);
    for outcome in outcomes {
        let (share, worst) = outcome.allowance();
        assert!(
            outcome.share_off() <= share && outcome.worst <= worst,
            "{outcome}"
        );
        // Where a centre lies on no sample we have nothing; GDAL averages what else lies under the pixel.
        let theirs = if outcome.kernel == Kernel::Average { 50 } else { 0 };
        assert!(outcome.alone.0 == 0 && outcome.alone.1 <= theirs, "{outcome}");
        assert!(outcome.common > 500, "{outcome}");
    }
}

#[test]
#[ignore = "prints a table of whole tiles: make_warps.py target/warps, then cargo test --lib warp::gdal -- --ignored --nocapture"]
fn whole_tiles_at_random_beside_those_of_gdal() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/warps");
    for outcome in outcomes(&folder) {
        println!("{outcome}");
    }
}
