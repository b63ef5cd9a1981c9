//! Embeds the built viewer: writes the table that `src/viewer.rs` includes. It runs no tool: `make viewer` builds the
//! page, and without it the binary compiles all the same and serves a page that says so.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// What the viewer's build leaves in `viewer/dist`, with the media type each is served as.
const FILES: [(&str, &str); 3] = [
    ("index.html", "text/html; charset=utf-8"),
    ("viewer.js", "text/javascript; charset=utf-8"),
    ("viewer.css", "text/css; charset=utf-8"),
];

/// Served at `/` by a binary that was built without the viewer.
const MISSING: &str = "<!doctype html><meta charset=utf-8><title>edgetile</title>\
<body style=\"font:16px system-ui;margin:4rem auto;max-width:36rem\"><h1>edgetile is running</h1>\
<p>This binary was built without its viewer. Run <code>make viewer</code>, then build again.\
<p>Tiles work without it: <a href=viewer/config.json>viewer/config.json</a> names the layers.\n";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=viewer/dist");
    let dist = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("viewer/dist");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("viewer.rs");
    let missing = out.with_extension("missing.gz");
    fs::write(&missing, gzip_stored(MISSING.as_bytes()))?;
    fs::write(out, table(&dist, &missing)?)
}

/// The table's source text: `&[(name, media type, gzip bytes, entity tag)]`; `missing` alone unless every file is built.
fn table(dist: &Path, missing: &Path) -> io::Result<String> {
    let mut built = FILES
        .map(|(name, media_type)| (name, media_type, dist.join(format!("{name}.gz"))))
        .to_vec();
    if !built.iter().all(|(.., path)| path.exists()) {
        built = vec![(FILES[0].0, FILES[0].1, missing.to_owned())];
    }
    let mut text = String::from("&[\n");
    for (name, media_type, path) in built {
        let tag = format!("\"{:016x}\"", fnv1a(&fs::read(&path)?));
        let path = path.to_string_lossy();
        let _ = writeln!(
            text,
            "    ({name:?}, {media_type:?}, include_bytes!({path:?}), {tag:?}),"
        );
    }
    text.push_str("]\n");
    Ok(text)
}

/// FNV-1a, 64 bits: an entity tag needs no secret, only another value for other bytes.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// A gzip file (RFC 1952) of one stored block (RFC 1951, 3.2.4): `bytes` must be shorter than 64 KiB.
fn gzip_stored(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    out.extend(length.to_le_bytes());
    out.extend((!length).to_le_bytes());
    out.extend(bytes);
    out.extend(crc32(bytes).to_le_bytes());
    out.extend(u32::from(length).to_le_bytes());
    out
}

/// CRC-32 as gzip wants it (RFC 1952, 8), bit by bit: it runs once, over a few hundred bytes.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg())
        })
    })
}
