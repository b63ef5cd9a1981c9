//! `edgetile_fuzz::colour` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| edgetile_fuzz::colour(data));
