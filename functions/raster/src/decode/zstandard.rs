//! ZSTD (RFC 8878), by libzstd.

use std::cell::RefCell;

use zstd::zstd_safe::{DCtx, InBuffer, OutBuffer, ResetDirective, get_error_name, get_frame_content_size};

use super::DecodeError;

const CODEC: &str = "ZSTD";

thread_local! {
    /// A context holds 150 kB of tables; reusing it saves their allocation for each block.
    static CONTEXT: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

/// Decompresses until `out` is full. A frame of just that size is taken in one go, of a longer one only the start.
pub(super) fn fill(bytes: &[u8], out: &mut [u8]) -> Result<(), DecodeError> {
    let needed = out.len();
    let is_whole = get_frame_content_size(bytes).is_ok_and(|size| size == Some(needed as u64));
    let got = CONTEXT
        .with_borrow_mut(|context| {
            if is_whole {
                context.decompress(out, bytes)
            } else {
                prefix(context, bytes, out)
            }
        })
        .map_err(|code| DecodeError::broken(CODEC, get_error_name(code).to_lowercase()))?;
    if got < needed {
        Err(DecodeError::short(CODEC, got, needed))
    } else {
        Ok(())
    }
}

fn prefix(context: &mut DCtx, bytes: &[u8], out: &mut [u8]) -> Result<usize, usize> {
    context.reset(ResetDirective::SessionOnly)?;
    let mut input = InBuffer::around(bytes);
    let mut output = OutBuffer::around(out);
    loop {
        let before = (input.pos(), output.pos());
        context.decompress_stream(&mut output, &mut input)?;
        if output.pos() == output.capacity() || before == (input.pos(), output.pos()) {
            return Ok(output.pos());
        }
    }
}

/// Decompresses a whole stream of unknown length, at most `limit` bytes of it.
pub(super) fn decompress_all(bytes: &[u8], limit: usize) -> Result<Vec<u8>, DecodeError> {
    let mut out = vec![0; limit + 1];
    let len = CONTEXT
        .with_borrow_mut(|context| prefix(context, bytes, &mut out))
        .map_err(|code| DecodeError::broken(CODEC, get_error_name(code).to_lowercase()))?;
    if len > limit {
        return Err(DecodeError::broken(
            CODEC,
            format!("it holds more than {limit} bytes"),
        ));
    }
    out.truncate(len);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn whole_and_partial() {
        let raw: Vec<u8> = (0..300_000u32).map(|i| (i.wrapping_mul(i) >> 9) as u8).collect();
        let packed = zstd::bulk::compress(&raw, 3).unwrap();
        for needed in [1, 1000, 131_072, 131_073, 299_999, 300_000] {
            let mut out = vec![0; needed];
            fill(&packed, &mut out).unwrap();
            assert!(out == raw[..needed], "{needed} bytes");
        }
        let mut out = vec![0; 300_001];
        assert_eq!(
            fill(&packed, &mut out),
            Err(DecodeError::short(CODEC, 300_000, 300_001))
        );
        assert!(fill(&packed[..packed.len() / 2], &mut out[..300_000]).is_err());
    }

    #[test]
    fn a_frame_without_its_size_is_read_all_the_same() {
        let raw = vec![5; 70_000];
        let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
        encoder.include_contentsize(false).unwrap();
        encoder.write_all(&raw).unwrap();
        let packed = encoder.finish().unwrap();
        assert_eq!(get_frame_content_size(&packed).unwrap(), None);
        let mut out = vec![0; raw.len()];
        fill(&packed, &mut out).unwrap();
        assert_eq!(out, raw);
    }
}
