//! PackBits (TIFF 6.0, section 9): runs of bytes, a signed count before each.

use super::DecodeError;

/// Unpacks until `out` is full.
pub(super) fn fill(bytes: &[u8], out: &mut [u8]) -> Result<(), DecodeError> {
    let (mut rest, mut at) = (bytes, 0);
    while at < out.len() {
        let short = || DecodeError::short("PackBits", at, out.len());
        let (&count, after) = rest.split_first().ok_or_else(short)?;
        // 0..=127: that many bytes and one follow; 129..=255: the next byte 257 - count times; 128: nothing.
        let run = match count {
            0..=127 => count as usize + 1,
            128 => 0,
            129..=255 => 257 - count as usize,
        };
        let run_out = run.min(out.len() - at);
        match count {
            0..=127 => {
                let literal = after.get(..run_out).ok_or_else(short)?;
                out[at..at + run_out].copy_from_slice(literal);
                rest = after.get(run..).unwrap_or_default();
            }
            128 => rest = after,
            129..=255 => {
                let (&value, after) = after.split_first().ok_or_else(short)?;
                out[at..at + run_out].fill(value);
                rest = after;
            }
        }
        at += run_out;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_specification() {
        // Apple Technical Note TN1023's example, which TIFF 6.0 takes over.
        let packed = [
            0xfe, 0xaa, 0x02, 0x80, 0x00, 0x2a, 0xfd, 0xaa, 0x03, 0x80, 0x00, 0x2a, 0x22, 0xf7, 0xaa,
        ];
        let raw = [
            0xaa, 0xaa, 0xaa, 0x80, 0x00, 0x2a, 0xaa, 0xaa, 0xaa, 0xaa, 0x80, 0x00, 0x2a, 0x22, 0xaa, 0xaa,
            0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa,
        ];
        for len in 0..=raw.len() {
            let mut out = vec![0; len];
            fill(&packed, &mut out).unwrap();
            assert_eq!(out, raw[..len]);
        }
        let mut out = [0; 25];
        assert_eq!(
            fill(&packed, &mut out),
            Err(DecodeError::short("PackBits", 24, 25))
        );
    }

    #[test]
    fn a_count_of_128_is_nothing() {
        let mut out = [0; 3];
        fill(&[128, 255, 7, 128, 0, 9], &mut out).unwrap();
        assert_eq!(out, [7, 7, 9]);
    }
}
