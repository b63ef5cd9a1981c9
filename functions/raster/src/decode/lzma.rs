//! LZMA in the xz container, as libtiff writes it, by liblzma.

use liblzma::stream::{Action, Status, Stream};

use super::DecodeError;

const CODEC: &str = "LZMA";

/// The memory that a stream may ask for. The strongest preset, 9, takes 65 MiB.
const MEMORY_LIMIT: u64 = 128 << 20;

/// Decompresses until `out` is full.
pub(super) fn fill(bytes: &[u8], out: &mut [u8]) -> Result<(), DecodeError> {
    let broken = |error: liblzma::stream::Error| DecodeError::broken(CODEC, error.to_string());
    let mut stream = Stream::new_stream_decoder(MEMORY_LIMIT, 0).map_err(broken)?;
    loop {
        let (read, written) = (stream.total_in() as usize, stream.total_out() as usize);
        if written == out.len() {
            return Ok(());
        }
        let status = stream
            .process(&bytes[read..], &mut out[written..], Action::Run)
            .map_err(broken)?;
        let moved = (read, written) != (stream.total_in() as usize, stream.total_out() as usize);
        if (status == Status::StreamEnd || !moved) && (stream.total_out() as usize) < out.len() {
            return Err(DecodeError::short(CODEC, stream.total_out() as usize, out.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_partial_and_cut() {
        let raw: Vec<u8> = (0..50_000u32).map(|i| ((i * i) >> 9) as u8).collect();
        let packed = compress(&raw);
        for needed in [1, 4096, raw.len()] {
            let mut out = vec![0; needed];
            fill(&packed, &mut out).unwrap();
            assert!(out == raw[..needed], "{needed} bytes");
        }
        let mut out = vec![0; raw.len() + 1];
        assert_eq!(
            fill(&packed, &mut out),
            Err(DecodeError::short(CODEC, raw.len(), raw.len() + 1))
        );
        assert!(fill(&packed[..packed.len() / 2], &mut out[..raw.len()]).is_err());
    }

    fn compress(raw: &[u8]) -> Vec<u8> {
        let mut stream = Stream::new_easy_encoder(6, liblzma::stream::Check::Crc32).unwrap();
        let mut packed = Vec::with_capacity(raw.len() * 2);
        stream.process_vec(raw, &mut packed, Action::Finish).unwrap();
        packed
    }
}
