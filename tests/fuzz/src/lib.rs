//! What the fuzz targets feed to the library: one function for each target, from bytes to a call that must hold what it
//! promises. It may answer an error; it may not panic, loop or grow. `functions/raster/tests/corpus.rs` feeds the kept
//! inputs to the same functions in every test run.

mod block;
mod file;
mod text;

pub use block::{
    decode_ccitt, decode_deflate, decode_jpeg, decode_lerc, decode_lzma, decode_lzw, decode_none,
    decode_packbits, decode_webp, decode_zstd,
};
pub use file::header;
pub use text::{colour, crs, expression};

/// A target and its name.
pub type Target = (&'static str, fn(&[u8]));

/// Every target: the decoders' of this project first, then those that stand before a library.
pub const TARGETS: [Target; 14] = [
    ("header", header),
    ("crs", crs),
    ("expression", expression),
    ("colour", colour),
    ("decode_none", decode_none),
    ("decode_lzw", decode_lzw),
    ("decode_packbits", decode_packbits),
    ("decode_ccitt", decode_ccitt),
    ("decode_deflate", decode_deflate),
    ("decode_zstd", decode_zstd),
    ("decode_lzma", decode_lzma),
    ("decode_jpeg", decode_jpeg),
    ("decode_lerc", decode_lerc),
    ("decode_webp", decode_webp),
];
