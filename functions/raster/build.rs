//! Packs the registry's texts into deflated blocks for `src/crs/registry/packed.rs`: the package is what a cold start
//! loads, and a lookup inflates the one block that it needs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use libdeflater::{CompressionLvl, Compressor};

/// The sorted texts of `src/crs/registry`.
const TEXTS: [&str; 3] = ["crs", "shifts", "datums"];
/// Characters of a block, about: half of them are read for nothing, so small, but a code book has to pay.
const BLOCK: usize = 16 * 1024;

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    for name in TEXTS {
        let path = here.join("src/crs/registry").join(name).with_extension("txt");
        println!("cargo:rerun-if-changed={}", path.display());
        pack(&fs::read_to_string(path)?, &out.join(name))?;
    }
    Ok(())
}

/// Writes `NAME.deflate`, the blocks one after the other, and `NAME.rs`, `&[(first code, characters, bytes)]`.
fn pack(text: &str, out: &Path) -> io::Result<()> {
    let level = CompressionLvl::best();
    let (mut packed, mut table) = (Vec::new(), String::from("&["));
    for block in blocks(text) {
        let mut compressor = Compressor::new(level);
        let mut deflated = vec![0; compressor.deflate_compress_bound(block.len())];
        let length = compressor
            .deflate_compress(block.as_bytes(), &mut deflated)
            .map_err(|error| io::Error::other(format!("{error:?}")))?;
        packed.extend_from_slice(&deflated[..length]);
        let _ = write!(table, "({}, {}, {length}), ", code(block), block.len());
    }
    table.push(']');
    fs::write(out.with_extension("deflate"), packed)?;
    fs::write(out.with_extension("rs"), table)
}

/// The text in blocks of whole lines; lines of one code stay together.
fn blocks(text: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    let (mut start, mut at, mut last) = (0, 0, "");
    for line in text.split_inclusive('\n') {
        if at - start > BLOCK && code(line) != last {
            blocks.push(&text[start..at]);
            start = at;
        }
        at += line.len();
        last = code(line);
    }
    blocks.push(&text[start..]);
    blocks
}

fn code(line: &str) -> &str {
    line.split(' ').next().unwrap_or_default()
}
