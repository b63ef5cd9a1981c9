//! How fast blocks decode: ours beside the codec's own library, in turns in one run, of blocks as files have them.
//!
//! `make bench-decode` prints the thread's time on a core, the least of all turns. With `--instructions` each is run once
//! under valgrind instead, whose counts do not depend on what else the machine does. What ours does beyond the library, and is
//! timed with: it checks the format, undoes the predictor and gives typed samples. Where a predictor is in play the
//! library is timed alone and with the plainest loop that undoes it.

use std::hint::black_box;

use edgetile_raster::decode::{BlockFormat, Compression, Predictor, decode};

mod blocks;
mod libraries;
#[path = "../measure/mod.rs"]
mod measure;

use blocks::{Block, SIDE};
use libraries::Raw;

/// Turns of each side: the least time of so many is steady on a machine with other work.
const TURNS: usize = 40;

/// One side of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    Ours,
    Library,
    LibraryAndLoop,
}

const SIDES: [(Side, &str); 3] = [
    (Side::Ours, "ours"),
    (Side::Library, "library"),
    (Side::LibraryAndLoop, "library-and-loop"),
];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["one", name, side] => one(name, side),
        ["--instructions"] => table("instructions, thousands", |block| {
            SIDES.map(|(side, name)| instructions(block, side, name))
        }),
        [] => table("time on a core, microseconds", least_times),
        other => panic!("usage: decode [--instructions], not {other:?}"),
    }
}

/// Prints a line for each block: ours, the library, and their ratio, without and with the loop.
fn table(what: &str, measure: impl Fn(&Block) -> [Option<f64>; 3]) {
    println!("{what}, blocks of {SIDE}x{SIDE} pixels");
    println!("block            packed     ours  library  ratio  library+loop  ratio");
    for name in blocks::names() {
        let block = blocks::block(name);
        let packed = block.raw_len as f64 / block.packed.len() as f64;
        let [Some(ours), library, with_loop] = measure(&block) else {
            continue;
        };
        let mut line = format!("{name:15} {packed:>7.2} {ours:>8.0}");
        for (library, width) in [(library, 8), (with_loop, 13)] {
            line += &library.map_or_else(String::new, |library| {
                format!(" {library:>width$.0} {:>6.2}", ours / library)
            });
        }
        println!("{line}");
    }
}

/// The least microseconds of each side, taken in turns.
fn least_times(block: &Block) -> [Option<f64>; 3] {
    let mut least: [Option<f64>; 3] = [None; 3];
    for _ in 0..TURNS {
        for ((side, _), least) in SIDES.iter().zip(&mut least) {
            let start = measure::on_core();
            if measured_pass(block, *side) {
                let time = measure::on_core().saturating_sub(start).as_secs_f64() * 1e6;
                *least = Some(least.map_or(time, |before| before.min(time)));
            }
        }
    }
    least
}

/// Decodes once; `false` where that side has nothing to measure. Valgrind counts what happens in here.
#[inline(never)]
fn measured_pass(block: &Block, side: Side) -> bool {
    if side == Side::Ours {
        let decoded = decode(
            &block.format,
            &block.packed,
            block.format.height_px,
            block.format.height_px,
        );
        black_box(decoded.expect("a block that decodes"));
        return true;
    }
    let has_loop = block.format.predictor != Predictor::None;
    if side == Side::LibraryAndLoop && !has_loop {
        return false;
    }
    match libraries::decode(&block.format, &block.packed, block.raw_len) {
        Some(Raw::Bytes(mut raw)) => {
            if side == Side::LibraryAndLoop {
                undo(&block.format, &mut raw);
            }
            black_box(raw);
            true
        }
        Some(Raw::Floats(samples)) => {
            black_box(samples);
            true
        }
        None => false,
    }
}

/// The plainest loops that undo predictors 2 and 3 in little-endian bytes.
fn undo(format: &BlockFormat, raw: &mut [u8]) {
    let samples = usize::from(format.samples_per_pixel);
    let item = usize::from(format.bits / 8);
    let row_bytes = format.width_px as usize * samples * item;
    for row in raw.chunks_exact_mut(row_bytes) {
        match (format.predictor, item) {
            (Predictor::Horizontal, 2) => {
                let row = row.as_chunks_mut::<2>().0;
                for at in samples..row.len() {
                    let sum = u16::from_le_bytes(row[at]).wrapping_add(u16::from_le_bytes(row[at - samples]));
                    row[at] = sum.to_le_bytes();
                }
            }
            _ => {
                for at in samples..row.len() {
                    row[at] = row[at].wrapping_add(row[at - samples]);
                }
            }
        }
        if format.predictor == Predictor::FloatingPoint {
            let planes = row.to_vec();
            let len = row_bytes / item;
            for (at, value) in row.chunks_exact_mut(item).enumerate() {
                for (place, byte) in value.iter_mut().enumerate() {
                    *byte = planes[(item - 1 - place) * len + at];
                }
            }
        }
    }
}

/// One pass of one side, for valgrind. The pass before it makes contexts and touches memory.
fn one(name: &str, side: &str) {
    let block = blocks::block(name);
    let (side, _) = SIDES
        .iter()
        .find(|(_, text)| *text == side)
        .expect("a side of that name");
    warm(&block, *side);
    measured_pass(&block, *side);
}

/// Not inlined, and not `measured_pass` itself, so that valgrind does not count it.
#[inline(never)]
fn warm(block: &Block, side: Side) {
    if side == Side::Ours {
        let rows = block.format.height_px;
        black_box(decode(&block.format, &block.packed, rows, rows).expect("a block that decodes"));
    } else {
        drop(libraries::decode(&block.format, &block.packed, block.raw_len));
    }
}

/// Thousands of instructions of one pass; `None` where that side has nothing to measure.
fn instructions(block: &Block, side: Side, name: &str) -> Option<f64> {
    let has_library = !matches!(
        block.format.compression,
        Compression::PackBits | Compression::CcittG4
    );
    let has_loop = block.format.predictor != Predictor::None;
    match side {
        Side::Library if !has_library => return None,
        Side::LibraryAndLoop if !has_loop => return None,
        _ => {}
    }
    Some(measure::instructions(&[block.name, name]) / 1e3)
}
