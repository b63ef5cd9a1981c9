//! A compressor for filtered pixels: runs of one byte, and a Huffman code for each block.
//!
//! After filtering, imagery is noise around zero. Searching it for repeated strings finds hardly any, and costs several
//! times what the Huffman code costs.

use super::huffman::{Bits, Code, codes, lengths};

/// Bytes that share a Huffman code: a code's description takes about 80 bytes.
const BLOCK: usize = 1 << 16;

/// The shortest and the longest run that DEFLATE counts.
const RUN: std::ops::RangeInclusive<usize> = 3..=258;

/// Symbols of the literal/length alphabet (RFC 1951, 3.2.5).
const SYMBOLS: usize = 286;
const END: usize = 256;

/// The longest code. DEFLATE allows 15; with 14, four literals fit one write.
const LONGEST: u8 = 14;

/// The order in which lengths of the code length code stand (RFC 1951, 3.2.7).
const LENGTH_ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Literal bytes, and then so many more of the last one.
struct Piece<'a> {
    literals: &'a [u8],
    run: usize,
}

/// Compresses at least one byte to the zlib format (RFC 1950).
pub(super) fn zlib(data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(data.len() / 2 + 1024);
    // Deflate with a window of 32 KiB, the fastest effort.
    bytes.extend_from_slice(&[0x78, 0x01]);
    let mut bits = Bits::after(bytes);
    let mut blocks = data.chunks(BLOCK).peekable();
    while let Some(block) = blocks.next() {
        write_block(&mut bits, &pieces(block), blocks.peek().is_none());
    }
    let mut bytes = bits.finish();
    bytes.extend_from_slice(&libdeflater::adler32(data).to_be_bytes());
    bytes
}

/// Splits a block at its runs of four bytes or more.
fn pieces(block: &[u8]) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(&four) = block[at..].first_chunk() {
        let byte = four[0];
        at += 1;
        if u32::from_le_bytes(four) == u32::from(byte) * 0x0101_0101 {
            let run = block[at..]
                .iter()
                .take(*RUN.end())
                .take_while(|next| **next == byte)
                .count();
            pieces.push(Piece {
                literals: &block[start..at],
                run,
            });
            at += run;
            start = at;
        }
    }
    pieces.push(Piece {
        literals: &block[start..],
        run: 0,
    });
    pieces
}

/// Writes a block with its own code (RFC 1951, 3.2.7).
fn write_block(bits: &mut Bits, pieces: &[Piece<'_>], last: bool) {
    let lengths = lengths(&counts(pieces), LONGEST);
    bits.put(u64::from(last), 1);
    bits.put(2, 2);
    write_lengths(bits, &lengths);
    let codes = codes(&lengths);
    for piece in pieces {
        write_literals(bits, piece.literals, &codes);
        if piece.run > 0 {
            let (symbol, extra, extra_bits) = run_symbol(piece.run);
            bits.code(codes[symbol]);
            // The distance, 1, is the only one and has the code 0.
            bits.put(extra, extra_bits + 1);
        }
    }
    bits.code(codes[END]);
}

/// How often each symbol occurs.
fn counts(pieces: &[Piece<'_>]) -> [u32; SYMBOLS] {
    let mut counts = [0; SYMBOLS];
    counts[END] = 1;
    // Four counters a byte, as equal neighbours would wait for each other's count.
    let mut bytes = [[0u32; 4]; 256];
    for piece in pieces {
        let mut fours = piece.literals.chunks_exact(4);
        for four in &mut fours {
            for (lane, &byte) in four.iter().enumerate() {
                bytes[usize::from(byte)][lane] += 1;
            }
        }
        for &byte in fours.remainder() {
            bytes[usize::from(byte)][0] += 1;
        }
        if piece.run > 0 {
            counts[run_symbol(piece.run).0] += 1;
        }
    }
    for (count, lanes) in counts.iter_mut().zip(bytes) {
        *count += lanes.iter().sum::<u32>();
    }
    counts
}

/// Writes literals, four at a time: 56 bits at most, and 7 may be pending.
fn write_literals(bits: &mut Bits, literals: &[u8], codes: &[Code]) {
    let Some(codes) = codes.first_chunk::<256>() else {
        return;
    };
    let pair = |a: u8, b: u8| {
        let (a, b) = (codes[usize::from(a)], codes[usize::from(b)]);
        (
            u64::from(a.bits) | u64::from(b.bits) << a.length,
            u32::from(a.length + b.length),
        )
    };
    let mut fours = literals.chunks_exact(4);
    for four in &mut fours {
        let ((first, length), (second, more)) = (pair(four[0], four[1]), pair(four[2], four[3]));
        bits.put(first | second << length, length + more);
    }
    for &byte in fours.remainder() {
        bits.code(codes[usize::from(byte)]);
    }
}

/// The symbol of a run's length, and its extra bits' value and count (RFC 1951, 3.2.5).
fn run_symbol(length: usize) -> (usize, u64, u32) {
    match length {
        258 => (285, 0, 0),
        3..=10 => (254 + length, 0, 0),
        _ => {
            let offset = (length - 3) as u32;
            let extra = offset.ilog2() - 2;
            let symbol = 257 + 4 * extra + (offset >> extra);
            (symbol as usize, u64::from(offset & ((1 << extra) - 1)), extra)
        }
    }
}

/// Writes the code lengths of literals and runs, and of the one distance.
fn write_lengths(bits: &mut Bits, lengths: &[u8]) {
    let used = lengths
        .iter()
        .rposition(|&length| length > 0)
        .map_or(0, |last| last + 1)
        .max(257);
    let mut all = lengths[..used].to_vec();
    all.push(1);
    let runs = length_runs(&all);
    let mut counts = [0; 19];
    for (symbol, ..) in &runs {
        counts[*symbol] += 1;
    }
    let code_lengths = self::lengths(&counts, 7);
    let stored = LENGTH_ORDER
        .iter()
        .rposition(|&symbol| code_lengths[symbol] > 0)
        .map_or(0, |last| last + 1)
        .max(4);
    bits.put((used - 257) as u64, 5);
    bits.put(0, 5);
    bits.put((stored - 4) as u64, 4);
    for &symbol in &LENGTH_ORDER[..stored] {
        bits.put(u64::from(code_lengths[symbol]), 3);
    }
    let codes = codes(&code_lengths);
    for (symbol, extra, extra_bits) in runs {
        bits.code(codes[symbol]);
        bits.put(extra, extra_bits);
    }
}

/// Code lengths as symbols of the code length alphabet: a length, or 16 to 18 for repetitions, with extra bits.
fn length_runs(lengths: &[u8]) -> Vec<(usize, u64, u32)> {
    let mut runs = Vec::new();
    for same in lengths.chunk_by(|a, b| a == b) {
        let (length, mut left) = (same[0], same.len());
        if length > 0 {
            runs.push((usize::from(length), 0, 0));
            left -= 1;
        }
        while left > 0 {
            let (symbol, taken, extra_bits) = match (length, left) {
                (0, 11..) => (18, left.min(138), 7),
                (0, 3..) => (17, left, 3),
                (1.., 3..) => (16, left.min(6), 2),
                _ => (usize::from(length), 1, 0),
            };
            let least = if symbol == 18 { 11 } else { 3 };
            runs.push((
                symbol,
                if extra_bits > 0 { (taken - least) as u64 } else { 0 },
                extra_bits,
            ));
            left -= taken;
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(data: &[u8]) -> usize {
        let compressed = zlib(data);
        let mut inflated = vec![0; data.len()];
        let length = libdeflater::Decompressor::new().zlib_decompress(&compressed, &mut inflated);
        assert_eq!(length, Ok(data.len()));
        assert!(inflated == data);
        compressed.len()
    }

    /// Bytes without order, the same every time; the higher `skew`, the more of them are small.
    fn noise(len: usize, skew: u32) -> Vec<u8> {
        let mut state = 1u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        (0..len)
            .map(|_| (0..skew).fold(255, |least, _| next().min(least)))
            .collect()
    }

    #[test]
    fn everything_comes_back() {
        for len in [1, 2, 3, 4, 5, 300, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7] {
            for skew in [1, 3, 20] {
                check(&noise(len, skew));
            }
            check(&vec![7; len]);
            check(&(0..len).map(|at| at as u8).collect::<Vec<_>>());
            check(&(0..len).map(|at| (at / 5) as u8).collect::<Vec<_>>());
        }
    }

    #[test]
    fn runs_of_every_length_come_back() {
        let runs = (1..600).flat_map(|length| std::iter::repeat_n(length as u8, length));
        check(&runs.collect::<Vec<_>>());
    }

    #[test]
    fn counts_that_would_make_long_codes_come_back() {
        // Each byte half as often as the one before: Huffman's code would be 16 bits long.
        let halves =
            (0..17u32).flat_map(|byte| std::iter::repeat_n([byte as u8, 200], 1 << (16 - byte)).flatten());
        check(&halves.take(BLOCK).collect::<Vec<_>>());
        let single: Vec<u8> = (0..=255)
            .flat_map(|byte| std::iter::repeat_n([byte, 0], (1 << (byte / 18)) as usize))
            .flatten()
            .collect();
        check(&single);
    }

    #[test]
    fn noise_does_not_grow_and_emptiness_vanishes() {
        assert!(check(&noise(BLOCK, 1)) < BLOCK + 200);
        assert!(check(&vec![0; BLOCK]) < 200);
    }

    #[test]
    fn lengths_have_the_specifications_symbols() {
        // RFC 1951, 3.2.5, the table of lengths.
        for (length, expected) in [
            (3, (257, 0, 0)),
            (10, (264, 0, 0)),
            (11, (265, 0, 1)),
            (12, (265, 1, 1)),
            (13, (266, 0, 1)),
            (18, (268, 1, 1)),
            (19, (269, 0, 2)),
            (35, (273, 0, 3)),
            (66, (276, 7, 3)),
            (131, (281, 0, 5)),
            (257, (284, 30, 5)),
            (258, (285, 0, 0)),
        ] {
            assert_eq!(run_symbol(length), expected, "{length}");
        }
    }
}
