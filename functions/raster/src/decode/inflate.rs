//! DEFLATE in a zlib wrapper (RFC 1950, RFC 1951), by libdeflate.
//!
//! libdeflate has no official early stop, but given a short buffer it fills what fits and answers
//! `InsufficientSpace`, in time proportional to the output (measured: half a tile in half the time). It then stops
//! before the first match (at most 258 bytes) or stored run (at most 65,535) that does not fit whole, without
//! saying where. So the output is [`SLACK`] longer than needed, and a byte written far enough behind those needed
//! proves them all; where the data itself is zero there, the slack grows to cover the longest run.

use std::cell::RefCell;

use libdeflater::{DecompressionError, Decompressor};

use super::DecodeError;

const CODEC: &str = "DEFLATE";

/// How much longer than needed the output of [`fill`] must be.
pub(super) const SLACK: usize = 1024;

/// libdeflate may write this far beyond what it has decoded (its `FASTLOOP_MAX_BYTES_WRITTEN` is 299).
const OVERRUN: usize = 512;

/// The longest run that is written whole or not at all: a stored block, RFC 1951 section 3.2.4.
const LONGEST_RUN: usize = 65_535;

thread_local! {
    /// Allocating one costs 11 kB and tables that are zeroed.
    static DECOMPRESSOR: RefCell<Decompressor> = RefCell::new(Decompressor::new());
}

/// Inflates at least `needed` bytes into `out`, which is `needed +` [`SLACK`] long and zero.
pub(super) fn fill(bytes: &[u8], out: &mut [u8], needed: usize) -> Result<(), DecodeError> {
    match inflate(bytes, out)? {
        Some(len) if len >= needed => return Ok(()),
        Some(len) => return Err(DecodeError::short(CODEC, len, needed)),
        None => {}
    }
    if out.iter().skip(needed + OVERRUN).any(|byte| *byte != 0) {
        return Ok(());
    }
    let mut longer = vec![0; needed + LONGEST_RUN];
    match inflate(bytes, &mut longer)? {
        Some(len) if len < needed => Err(DecodeError::short(CODEC, len, needed)),
        _ => {
            out[..needed].copy_from_slice(&longer[..needed]);
            Ok(())
        }
    }
}

/// Inflates a whole stream of unknown length, at most `limit` bytes of it.
pub(super) fn inflate_all(bytes: &[u8], limit: usize) -> Result<Vec<u8>, DecodeError> {
    let mut out = vec![0; limit];
    let len = inflate(bytes, &mut out)?
        .ok_or_else(|| DecodeError::broken(CODEC, format!("it holds more than {limit} bytes")))?;
    out.truncate(len);
    Ok(out)
}

/// How many bytes the whole stream is, or `None` when `out` is too short for it.
fn inflate(bytes: &[u8], out: &mut [u8]) -> Result<Option<usize>, DecodeError> {
    match DECOMPRESSOR.with_borrow_mut(|decompressor| decompressor.zlib_decompress(bytes, out)) {
        Ok(len) => Ok(Some(len)),
        Err(DecompressionError::InsufficientSpace) => Ok(None),
        Err(DecompressionError::BadData) => Err(DecodeError::broken(
            CODEC,
            "the stream is corrupt, cut short or fails its checksum",
        )),
    }
}

#[cfg(test)]
mod tests {
    use libdeflater::{CompressionLvl, Compressor};

    use super::*;

    fn compress(level: i32, raw: &[u8]) -> Vec<u8> {
        let mut compressor = Compressor::new(CompressionLvl::new(level).unwrap());
        let mut out = vec![0; compressor.zlib_compress_bound(raw.len())];
        let len = compressor.zlib_compress(raw, &mut out).unwrap();
        out.truncate(len);
        out
    }

    /// Level 0 writes stored blocks, the longest runs there are; zeros are matches of 258 bytes.
    fn kinds() -> Vec<Vec<u8>> {
        let noise: Vec<u8> = (0..200_000u32)
            .map(|i| (i.wrapping_mul(2_654_435_761) >> 23) as u8)
            .collect();
        let zeros_within: Vec<u8> = noise
            .iter()
            .enumerate()
            .map(|(i, v)| if i / 3000 % 3 == 1 { *v } else { 0 })
            .collect();
        vec![noise, vec![0; 200_000], zeros_within]
    }

    #[test]
    fn a_short_output_holds_a_valid_prefix() {
        for raw in kinds() {
            for level in [0, 1, 6] {
                let packed = compress(level, &raw);
                for needed in [1, 257, 4096, 65_535, 65_536, 100_001, 199_000, 200_000] {
                    let mut out = vec![0; needed + SLACK];
                    fill(&packed, &mut out, needed).unwrap();
                    assert!(out[..needed] == raw[..needed], "level {level}, {needed} bytes");
                }
            }
        }
    }

    #[test]
    fn a_stream_that_ends_early_is_an_error() {
        let packed = compress(6, &[7; 1000]);
        let mut out = vec![0; 1001 + SLACK];
        assert_eq!(
            fill(&packed, &mut out, 1001),
            Err(DecodeError::short(CODEC, 1000, 1001))
        );
        let raw = &kinds()[0];
        let packed = compress(6, raw);
        let cut = &packed[..packed.len() / 2];
        let mut out = vec![0; raw.len() + SLACK];
        assert!(matches!(
            fill(cut, &mut out, raw.len()),
            Err(DecodeError::Broken { codec: CODEC, .. })
        ));
    }
}
