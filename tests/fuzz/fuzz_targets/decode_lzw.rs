//! Blocks of `Compression::Lzw`.
#![no_main]

use edgetile_raster::decode::Compression;

libfuzzer_sys::fuzz_target!(|data: &[u8]| edgetile_fuzz::run(Compression::Lzw, data));
