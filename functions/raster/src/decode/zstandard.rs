//! ZSTD (RFC 8878), by libzstd.

use std::cell::RefCell;

use zstd::zstd_safe::{DCtx, InBuffer, OutBuffer, ResetDirective, get_error_name, get_frame_content_size};

use super::DecodeError;

const CODEC: &str = "ZSTD";

thread_local! {
    /// A context holds 150 kB of tables; reusing it saves their allocation for each block.
    static CONTEXT: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

/// How much longer than needed the output of [`fill`] should be, for a block of `whole` bytes.
///
/// Decompressing the start of a frame goes through a window that is copied out; the whole goes straight into place, at
/// 0.7 of the time for each byte (measured: 512x512 16-bit, 0.75 ms for all, 0.54 ms for half).
pub(super) fn slack(needed: usize, whole: usize) -> usize {
    if needed < whole && needed as f64 > whole as f64 * 0.7 {
        whole - needed
    } else {
        0
    }
}

/// Decompresses at least the first `needed` bytes into `out`, the whole frame if it fits.
pub(super) fn fill(bytes: &[u8], out: &mut [u8], needed: usize) -> Result<(), DecodeError> {
    let size = get_frame_content_size(bytes).ok().flatten();
    let fits = size.is_some_and(|size| (needed as u64..=out.len() as u64).contains(&size));
    let got = CONTEXT
        .with_borrow_mut(|context| {
            if fits {
                context.decompress(out, bytes)
            } else {
                prefix(context, bytes, &mut out[..needed])
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
        for needed in [1, 1000, 131_072, 131_073, 250_000, 299_999, 300_000] {
            let mut out = vec![0; needed];
            fill(&packed, &mut out, needed).unwrap();
            assert!(out == raw[..needed], "{needed} bytes");
            let mut longer = vec![0; needed + slack(needed, raw.len())];
            fill(&packed, &mut longer, needed).unwrap();
            assert!(longer[..needed] == raw[..needed], "{needed} bytes with slack");
        }
        let mut out = vec![0; 300_001];
        assert_eq!(
            fill(&packed, &mut out, 300_001),
            Err(DecodeError::short(CODEC, 300_000, 300_001))
        );
        assert!(fill(&packed[..packed.len() / 2], &mut out[..300_000], 300_000).is_err());
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
        fill(&packed, &mut out, raw.len()).unwrap();
        assert_eq!(out, raw);
    }
}
