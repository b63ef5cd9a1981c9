//! Blocks of `Compression::CcittG4`.
#![no_main]

use edgetile_raster::decode::Compression;

libfuzzer_sys::fuzz_target!(|data: &[u8]| edgetile_fuzz::run(Compression::CcittG4, data));
