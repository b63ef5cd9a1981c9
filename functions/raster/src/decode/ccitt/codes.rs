//! The codes of ITU-T T.4 (tables 2, 3a, 3b and 4) and T.6, read bit by bit.

use std::sync::LazyLock;

/// Of the run that is coded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Colour {
    White,
    Black,
}

impl Colour {
    pub(super) fn other(self) -> Self {
        if self == Self::White {
            Self::Black
        } else {
            Self::White
        }
    }
}

/// How a change lies to those of the row above (T.4, table 4).
pub(super) enum Mode {
    Pass,
    Horizontal,
    Vertical(i32),
}

/// Runs of 0 to 63, then of 64, 128, … 1728.
const WHITE: &str = "\
    00110101 000111 0111 1000 1011 1100 1110 1111 10011 10100 00111 01000 001000 000011 110100 110101 \
    101010 101011 0100111 0001100 0001000 0010111 0000011 0000100 0101000 0101011 0010011 0100100 0011000 \
    00000010 00000011 00011010 00011011 00010010 00010011 00010100 00010101 00010110 00010111 00101000 \
    00101001 00101010 00101011 00101100 00101101 00000100 00000101 00001010 00001011 01010010 01010011 \
    01010100 01010101 00100100 00100101 01011000 01011001 01011010 01011011 01001010 01001011 00110010 \
    00110011 00110100 \
    11011 10010 010111 0110111 00110110 00110111 01100100 01100101 01101000 01100111 011001100 011001101 \
    011010010 011010011 011010100 011010101 011010110 011010111 011011000 011011001 011011010 011011011 \
    010011000 010011001 010011010 011000 010011011";

/// Runs of 0 to 63, then of 64, 128, … 1728.
const BLACK: &str = "\
    0000110111 010 11 10 011 0011 0010 00011 000101 000100 0000100 0000101 0000111 00000100 00000111 000011000 \
    0000010111 0000011000 0000001000 00001100111 00001101000 00001101100 00000110111 00000101000 00000010111 \
    00000011000 000011001010 000011001011 000011001100 000011001101 000001101000 000001101001 000001101010 \
    000001101011 000011010010 000011010011 000011010100 000011010101 000011010110 000011010111 000001101100 \
    000001101101 000011011010 000011011011 000001010100 000001010101 000001010110 000001010111 000001100100 \
    000001100101 000001010010 000001010011 000000100100 000000110111 000000111000 000000100111 000000101000 \
    000001011000 000001011001 000000101011 000000101100 000001011010 000001100110 000001100111 \
    0000001111 000011001000 000011001001 000001011011 000000110011 000000110100 000000110101 0000001101100 \
    0000001101101 0000001001010 0000001001011 0000001001100 0000001001101 0000001110010 0000001110011 \
    0000001110100 0000001110101 0000001110110 0000001110111 0000001010010 0000001010011 0000001010100 \
    0000001010101 0000001011010 0000001011011 0000001100100 0000001100101";

/// Runs of 1792, 1856, … 2560, of either colour.
const LONG: &str = "\
    00000001000 00000001100 00000001101 000000010010 000000010011 000000010100 000000010101 000000010110 \
    000000010111 000000011100 000000011101 000000011110 000000011111";

/// Bits of the longest code.
const LONGEST: u32 = 13;

/// For each value of the next 13 bits, the run that they begin with and the bits of its code; 0 bits: none.
type Table = Vec<(u16, u8)>;

static TABLES: LazyLock<[Table; 2]> = LazyLock::new(|| [table(WHITE), table(BLACK)]);

fn table(of_colour: &str) -> Table {
    let mut table = vec![(0, 0); 1 << LONGEST];
    let runs = (0..64).chain((64..=2560).step_by(64));
    for (run, code) in runs.zip(of_colour.split_whitespace().chain(LONG.split_whitespace())) {
        let free = LONGEST as usize - code.len();
        let first = code
            .bytes()
            .fold(0, |value, bit| value << 1 | usize::from(bit == b'1'))
            << free;
        table[first..first + (1 << free)].fill((run, code.len() as u8));
    }
    table
}

/// The bits of a block, highest first. Behind the end there are zeros, which no code begins with 13 of.
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    /// In bits.
    at: usize,
}

impl<'a> Bits<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next `count` (at most 24) bits, which stay.
    fn peek(&self, count: u32) -> u32 {
        let mut word = [0; 4];
        for (to, from) in word.iter_mut().zip(self.bytes.iter().skip(self.at / 8)) {
            *to = *from;
        }
        u32::from_be_bytes(word) << (self.at % 8) >> (32 - count)
    }

    pub(super) fn take(&mut self, count: u32) -> u32 {
        let bits = self.peek(count);
        self.at += count as usize;
        bits
    }

    /// Goes on to the next whole byte.
    pub(super) fn align(&mut self) {
        self.at = self.at.next_multiple_of(8);
    }

    /// A run length: any number of long parts, then one below 64.
    pub(super) fn run(&mut self, colour: Colour) -> Option<u32> {
        let mut sum = 0u32;
        loop {
            let (run, bits) = TABLES[usize::from(colour == Colour::Black)][self.peek(LONGEST) as usize];
            if bits == 0 {
                return None;
            }
            self.at += bits as usize;
            sum = sum.checked_add(run.into())?;
            if run < 64 {
                return Some(sum);
            }
        }
    }

    /// The next mode, or `None` where there is none: the end of the block, or the extension that no writer uses.
    pub(super) fn mode(&mut self) -> Option<Mode> {
        let next = self.peek(7);
        let (mode, bits) = match next {
            0b100_0000.. => (Mode::Vertical(0), 1),
            0b011_0000.. => (Mode::Vertical(1), 3),
            0b010_0000.. => (Mode::Vertical(-1), 3),
            0b001_0000.. => (Mode::Horizontal, 3),
            0b000_1000.. => (Mode::Pass, 4),
            0b000_0110 | 0b000_0111 => (Mode::Vertical(2), 6),
            0b000_0100 | 0b000_0101 => (Mode::Vertical(-2), 6),
            0b000_0011 => (Mode::Vertical(3), 7),
            0b000_0010 => (Mode::Vertical(-3), 7),
            _ => return None,
        };
        self.at += bits;
        Some(mode)
    }

    /// Skips an end of line (eleven zeros or more, then a one) if one stands here, and says whether one did.
    pub(super) fn skip_end_of_line(&mut self) -> bool {
        if self.peek(11) != 0 {
            return false;
        }
        let end = self.bytes.len() * 8;
        while self.at < end && self.peek(1) == 0 {
            self.at += 1;
        }
        self.at += 1;
        true
    }
}
