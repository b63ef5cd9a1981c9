//! Huffman codes of limited length, and bits in DEFLATE's order (RFC 1951, 3.1.1 and 3.2.2).

/// A code of up to 16 bits, first bit lowest, and its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Code {
    pub(super) bits: u16,
    pub(super) length: u8,
}

/// Code lengths for symbols of the given counts, none longer than `limit`; 0 for those that do not occur.
/// At least two symbols must occur.
pub(super) fn lengths(counts: &[u32], limit: u8) -> Vec<u8> {
    let mut order: Vec<(u32, usize)> = counts
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(symbol, &count)| (count, symbol))
        .collect();
    order.sort_unstable();
    let depths = depths(&order.iter().map(|(count, _)| *count).collect::<Vec<_>>());
    let mut by_length = [0usize; 64];
    for depth in depths {
        by_length[usize::from(depth.min(limit))] += 1;
    }
    shorten(&mut by_length, limit);
    let mut lengths = vec![0; counts.len()];
    // The rarest symbols take the longest codes.
    let longest_first = (1..=limit)
        .rev()
        .flat_map(|length| std::iter::repeat_n(length, by_length[usize::from(length)]));
    for ((_, symbol), length) in order.into_iter().zip(longest_first) {
        lengths[symbol] = length;
    }
    lengths
}

/// The depth of each leaf of a Huffman tree over ascending counts.
///
/// Two queues, both ascending: the leaves, and the inner nodes in the order of their making.
fn depths(counts: &[u32]) -> Vec<u8> {
    let leaves = counts.len();
    let mut weights: Vec<u32> = counts.to_vec();
    let mut parents = vec![0; (2 * leaves).saturating_sub(1)];
    let (mut leaf, mut inner) = (0, leaves);
    for node in leaves..parents.len() {
        let mut weight = 0;
        for _ in 0..2 {
            let lightest = if leaf < leaves && (inner >= node || weights[leaf] <= weights[inner]) {
                leaf += 1;
                leaf - 1
            } else {
                inner += 1;
                inner - 1
            };
            weight += weights[lightest];
            parents[lightest] = node;
        }
        weights.push(weight);
    }
    let mut depths = vec![0u8; parents.len()];
    for node in (0..parents.len().saturating_sub(1)).rev() {
        depths[node] = depths[parents[node]] + 1;
    }
    depths.truncate(leaves);
    depths
}

/// Makes lengths that were cut to `limit` a whole code again (Kraft's sum 1): each step lengthens the longest code that
/// is below the limit to make room for one that is too many.
fn shorten(by_length: &mut [usize; 64], limit: u8) {
    let limit = usize::from(limit);
    let mut sum: usize = (1..=limit)
        .map(|length| by_length[length] << (limit - length))
        .sum();
    while sum > 1 << limit {
        let Some(length) = (1..limit).rev().find(|&length| by_length[length] > 0) else {
            return;
        };
        by_length[limit] -= 1;
        by_length[length] -= 1;
        by_length[length + 1] += 2;
        sum -= 1;
    }
}

/// The canonical codes of some lengths.
pub(super) fn codes(lengths: &[u8]) -> Vec<Code> {
    let mut counts = [0u16; 16];
    for &length in lengths.iter().filter(|length| **length > 0) {
        counts[usize::from(length)] += 1;
    }
    let mut next = [0u16; 16];
    for length in 1..15 {
        next[length + 1] = (next[length] + counts[length]) << 1;
    }
    let code = |&length: &u8| {
        if length == 0 {
            return Code::default();
        }
        let bits = next[usize::from(length)].reverse_bits() >> (16 - length);
        next[usize::from(length)] += 1;
        Code { bits, length }
    };
    lengths.iter().map(code).collect()
}

/// Bits as they are written.
pub(super) struct Bits {
    bytes: Vec<u8>,
    pending: u64,
    count: u32,
}

impl Bits {
    /// Bits that follow some bytes.
    pub(super) fn after(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            pending: 0,
            count: 0,
        }
    }

    /// Appends the low `count` bits, at most 56; those above must be 0.
    #[inline]
    pub(super) fn put(&mut self, bits: u64, count: u32) {
        self.pending |= bits << self.count;
        self.count += count;
        // Whole bytes go out; up to 7 bits stay. One write of fixed length is quicker than one of the length due.
        let whole = self.bytes.len() + (self.count / 8) as usize;
        self.bytes.extend_from_slice(&self.pending.to_le_bytes());
        self.bytes.truncate(whole);
        self.pending >>= 8 * (self.count / 8);
        self.count %= 8;
    }

    /// Appends a code.
    #[inline]
    pub(super) fn code(&mut self, code: Code) {
        self.put(u64::from(code.bits), u32::from(code.length));
    }

    /// The bytes, the last one filled up with zeros.
    pub(super) fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.bytes.push(self.pending as u8);
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kraft's sum, in units of 2^-15: a whole code has 2^15.
    fn kraft(lengths: &[u8]) -> u32 {
        lengths
            .iter()
            .filter(|length| **length > 0)
            .map(|length| 1 << (15 - length))
            .sum()
    }

    #[test]
    fn lengths_are_those_of_the_textbook() {
        // Huffman's tree over 1, 1, 2, 4, 8 is a comb.
        assert_eq!(lengths(&[4, 0, 1, 8, 1, 2], 15), [2, 0, 4, 1, 4, 3]);
        assert_eq!(lengths(&[5, 5], 15), [1, 1]);
        assert_eq!(lengths(&[1; 8], 15), [3; 8]);
    }

    #[test]
    fn no_length_is_over_the_limit_and_the_code_stays_whole() {
        let mut fibonacci = vec![1u32, 1];
        for at in 2..40 {
            fibonacci.push(fibonacci[at - 1] + fibonacci[at - 2]);
        }
        for limit in [6, 7, 14, 15] {
            let lengths = lengths(&fibonacci, limit);
            assert_eq!(lengths.iter().max(), Some(&limit));
            assert_eq!(kraft(&lengths), 1 << 15);
            // Rarer symbols never have shorter codes.
            assert!(lengths[1..].is_sorted_by(|a, b| a >= b), "{lengths:?}");
        }
    }

    #[test]
    fn codes_are_the_specifications_example() {
        // RFC 1951, 3.2.2: lengths 3, 3, 3, 3, 3, 2, 4, 4 have the codes 010, 011, 100, 101, 110, 00, 1110, 1111.
        let codes = codes(&[3, 3, 3, 3, 3, 2, 4, 4]);
        let bits: Vec<u16> = codes.iter().map(|code| code.bits).collect();
        assert_eq!(bits, [0b010, 0b110, 0b001, 0b101, 0b011, 0b00, 0b0111, 0b1111]);
    }

    #[test]
    fn bits_fill_bytes_from_below() {
        let mut bits = Bits::after(vec![9]);
        bits.put(1, 1);
        bits.put(0b10, 2);
        bits.put((1 << 56) - 1, 56);
        assert_eq!(
            bits.finish(),
            [9, 0b1111_1101, 255, 255, 255, 255, 255, 255, 0b111]
        );
    }
}
