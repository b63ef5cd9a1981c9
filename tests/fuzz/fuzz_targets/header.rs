//! `edgetile_fuzz::header` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| edgetile_fuzz::header(data));
