//! CCITT bilevel codes: RLE (TIFF 6.0, section 10), group 3 one- and two-dimensional (ITU-T T.4), group 4 (T.6).
//!
//! A row is held as the columns where its colour changes, from white at its left edge; black is written as 1. The
//! two-dimensional codes place each change relative to those of the row above.

use super::{BlockFormat, Compression, DecodeError};

mod codes;

use codes::{Bits, Colour, Mode};

/// Decodes rows until `out`, rows of whole bytes, is full.
pub(super) fn fill(format: &BlockFormat, bytes: &[u8], out: &mut [u8]) -> Result<(), DecodeError> {
    let mut decoder = Rows {
        bits: Bits::new(bytes),
        width: format.width_px,
        above: Vec::new(),
        row: Vec::new(),
    };
    for (at, line) in out.chunks_exact_mut(format.row_bytes()).enumerate() {
        decoder
            .next(format)
            .map_err(|why| DecodeError::broken(format.compression.name(), format!("{why} in row {at}")))?;
        paint(line, &decoder.row, format.width_px);
    }
    Ok(())
}

struct Rows<'a> {
    bits: Bits<'a>,
    width: u32,
    /// Changes of the row before: columns below `width`, rising.
    above: Vec<u32>,
    row: Vec<u32>,
}

impl Rows<'_> {
    fn next(&mut self, format: &BlockFormat) -> Result<(), &'static str> {
        std::mem::swap(&mut self.above, &mut self.row);
        self.row.clear();
        match format.compression {
            Compression::CcittG4 => self.two_dimensional(),
            Compression::CcittG3 => {
                // Some writers leave the ends of lines out; then there is no tag bit either.
                let has_end = self.bits.skip_end_of_line();
                let one_dimensional = format.t4_options & 1 == 0 || !has_end || self.bits.take(1) == 1;
                if one_dimensional {
                    self.one_dimensional()
                } else {
                    self.two_dimensional()
                }
            }
            _ => {
                self.one_dimensional()?;
                self.bits.align();
                Ok(())
            }
        }
    }

    /// Runs of white and black in turn.
    fn one_dimensional(&mut self) -> Result<(), &'static str> {
        let (mut at, mut colour) = (0, Colour::White);
        while at < self.width {
            at = self.run(at, colour)?;
            self.change(at);
            colour = colour.other();
        }
        Ok(())
    }

    fn two_dimensional(&mut self) -> Result<(), &'static str> {
        let (mut at, mut colour, mut first) = (0, Colour::White, 0);
        // T.6, 2.2.5: at the start of a row, a change of the row above in column 0 counts as to the right.
        let mut is_start = true;
        while at < self.width {
            // The first change above to the right of here that is to the other colour, and the one behind it.
            while self
                .above
                .get(first)
                .is_some_and(|b| *b < at || (*b == at && !is_start))
            {
                first += 1;
            }
            let opposite = first + usize::from(first % 2 != usize::from(colour == Colour::Black));
            let change = |index: usize| self.above.get(index).copied().unwrap_or(self.width);
            let (b1, b2) = (change(opposite), change(opposite + 1));
            match self.bits.mode().ok_or("no mode")? {
                Mode::Pass => at = b2,
                Mode::Horizontal => {
                    at = self.run(at, colour)?;
                    self.change(at);
                    at = self.run(at, colour.other())?;
                    self.change(at);
                }
                Mode::Vertical(offset) => {
                    let to = b1
                        .checked_add_signed(offset)
                        .filter(|to| (at..=self.width).contains(to));
                    let to = to.ok_or("a change out of place")?;
                    at = to;
                    self.change(at);
                    colour = colour.other();
                    // To the left of b1, changes already passed may be to the right again.
                    first = first.saturating_sub(2);
                }
            }
            is_start = false;
        }
        Ok(())
    }

    /// The column where a run from `at` ends.
    fn run(&mut self, at: u32, colour: Colour) -> Result<u32, &'static str> {
        let run = self.bits.run(colour).ok_or("no run length")?;
        Some(at + run)
            .filter(|end| *end <= self.width)
            .ok_or("a run beyond its end")
    }

    /// Notes a change of colour; two in one column are none.
    fn change(&mut self, at: u32) {
        if self.row.last() == Some(&at) {
            self.row.pop();
        } else if at < self.width {
            self.row.push(at);
        }
    }
}

/// Writes the black runs of a row as ones, highest bit first, into zeros.
fn paint(line: &mut [u8], changes: &[u32], width: u32) {
    for run in changes.chunks(2) {
        let (from, to) = (run[0] as usize, run.get(1).map_or(width, |to| *to) as usize);
        for at in from..to {
            line[at / 8] |= 0x80 >> (at % 8);
        }
    }
}

#[cfg(test)]
mod tests;
