//! `edgetile_fuzz::decode_ccitt` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| edgetile_fuzz::decode_ccitt(data));
