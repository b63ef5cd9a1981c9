//! LZW as TIFF writes it (TIFF 6.0, section 13): codes of 9 to 12 bits, highest bit first, widened one code early.
//!
//! Every string of the table is a piece of what has been written, so an entry is only where it starts and how long it
//! is: no suffix chains, one copy for each code (measured: 1.5 times the speed of a table of suffixes).

use super::DecodeError;

const CODEC: &str = "LZW";
const CLEAR: usize = 256;
const END: usize = 257;
const FIRST: usize = 258;
/// Codes have at most 12 bits.
const TABLE: usize = 4096;
/// Short strings are copied as this many bytes at once; what is too much is written over afterwards.
const CHUNK: usize = 16;

/// A string of the table: `len` bytes from `start` in the output.
#[derive(Clone, Copy, Default)]
struct Entry {
    start: u32,
    len: u32,
}

/// Decodes until `out` is full.
pub(super) fn fill(bytes: &[u8], out: &mut [u8]) -> Result<(), DecodeError> {
    if let [0, second, ..] = bytes
        && second & 1 == 1
    {
        // A clear code with its lowest bit first: what libtiff before 3.0 (1991) wrote.
        return Err(DecodeError::unsupported(
            "LZW of the old bit order, lowest bit first",
            259,
        ));
    }
    let mut table = vec![Entry::default(); TABLE];
    let mut codes = Codes {
        rest: bytes,
        held: 0,
        held_bits: 0,
    };
    let (mut next, mut width) = (FIRST, 9);
    let mut last: Option<Entry> = None;
    let mut at = 0;
    while at < out.len() {
        let code = codes
            .take(width)
            .ok_or_else(|| DecodeError::short(CODEC, at, out.len()))?;
        if code == CLEAR {
            (next, width, last) = (FIRST, 9, None);
            continue;
        }
        if code == END {
            return Err(DecodeError::short(CODEC, at, out.len()));
        }
        // The string before and the first byte of this one: the byte that is about to be written.
        if let Some(before) = last
            && next < TABLE
        {
            table[next] = Entry {
                start: before.start,
                len: before.len + 1,
            };
            next += 1;
            width += u32::from(next + 1 == 1 << width && width < 12);
        }
        let len = if code < CLEAR {
            out[at] = code as u8;
            1
        } else if code < next {
            copy_string(out, table[code], at)
        } else {
            return Err(DecodeError::broken(
                CODEC,
                format!("code {code} is not in the table"),
            ));
        };
        last = Some(Entry {
            start: at as u32,
            len: len as u32,
        });
        at += len;
    }
    Ok(())
}

/// Writes a string at `at` and says how long it is, cut where `out` ends. The last byte of the newest string may be
/// the first that this writes.
fn copy_string(out: &mut [u8], string: Entry, at: usize) -> usize {
    let (start, len) = (string.start as usize, (string.len as usize).min(out.len() - at));
    if len <= CHUNK && at + CHUNK <= out.len() {
        out.copy_within(start..start + CHUNK, at);
    } else {
        out.copy_within(start..start + len, at);
    }
    if start + len > at {
        out[at + len - 1] = out[start];
    }
    len
}

/// Takes codes off a stream of bytes, highest bit first.
struct Codes<'a> {
    rest: &'a [u8],
    held: u64,
    held_bits: u32,
}

impl Codes<'_> {
    fn take(&mut self, width: u32) -> Option<usize> {
        if self.held_bits < width {
            self.refill();
            if self.held_bits < width {
                return None;
            }
        }
        self.held_bits -= width;
        Some((self.held >> self.held_bits) as usize & ((1 << width) - 1))
    }

    fn refill(&mut self) {
        if let Some((word, rest)) = self.rest.split_first_chunk::<4>() {
            // At most 11 bits are held here, so 32 more fit.
            self.held = self.held << 32 | u64::from(u32::from_be_bytes(*word));
            self.held_bits += 32;
            self.rest = rest;
            return;
        }
        for byte in std::mem::take(&mut self.rest) {
            self.held = self.held << 8 | u64::from(*byte);
            self.held_bits += 8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compress(raw: &[u8]) -> Vec<u8> {
        weezl::encode::Encoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
            .encode(raw)
            .unwrap()
    }

    /// Noise of so many values: from long strings to a table that fills and clears.
    fn noise(values: u32, len: u32) -> Vec<u8> {
        (0..len)
            .map(|i| ((i.wrapping_mul(2_654_435_761) >> 16) % values) as u8)
            .collect()
    }

    #[test]
    fn what_weezl_encodes_comes_back() {
        for values in [1, 2, 3, 17, 256] {
            for len in [1, 2, 3, 15, 16, 17, 300, 5000, 70_000] {
                let raw = noise(values, len);
                let packed = compress(&raw);
                let mut out = vec![0; raw.len()];
                fill(&packed, &mut out).unwrap();
                assert!(out == raw, "{values} values, {len} bytes");
                let mut prefix = vec![0; raw.len().div_ceil(2)];
                fill(&packed, &mut prefix).unwrap();
                assert!(
                    prefix == raw[..prefix.len()],
                    "{values} values, half of {len} bytes"
                );
            }
        }
    }

    #[test]
    fn a_stream_that_ends_early_is_an_error() {
        let packed = compress(&noise(256, 500));
        let mut out = vec![0; 501];
        assert_eq!(fill(&packed, &mut out), Err(DecodeError::short(CODEC, 500, 501)));
        assert!(fill(&packed[..100], &mut out[..500]).is_err());
    }

    #[test]
    fn a_code_beyond_the_table_is_an_error() {
        // Clear, then 259 where 258 would be the next to be made.
        let bits = 256u32 << 23 | 65 << 14 | 259 << 5;
        let why = DecodeError::broken(CODEC, "code 259 is not in the table");
        assert_eq!(fill(&bits.to_be_bytes(), &mut [0; 9]), Err(why));
    }

    #[test]
    fn the_old_bit_order_is_refused_by_name() {
        let refused = fill(&[0x00, 0x01, 0x02], &mut [0; 4]).unwrap_err().to_string();
        assert_eq!(
            refused,
            "LZW of the old bit order, lowest bit first (tag 259) is not read"
        );
    }
}
