//! A sorted text in deflated blocks, as `build.rs` packs it.

use libdeflater::Decompressor;

/// Lines of `code rest`, sorted by code.
pub(super) struct Packed {
    /// Each block's first code, its characters and its deflated bytes.
    pub(super) blocks: &'static [(u32, usize, usize)],
    /// The blocks, one after the other.
    pub(super) bytes: &'static [u8],
}

impl Packed {
    /// What follows `code ` on each line that starts with it.
    pub(super) fn lines_of(&self, code: u32) -> Vec<String> {
        let Some(block) = self
            .blocks
            .partition_point(|(first, ..)| *first <= code)
            .checked_sub(1)
        else {
            return Vec::new();
        };
        let of_code = |line: &str| {
            let (number, rest) = line.split_once(' ')?;
            (number.parse() == Ok(code)).then(|| rest.to_owned())
        };
        self.block(block).lines().filter_map(of_code).collect()
    }

    /// The first line, in the order of codes, of which `look` makes something.
    pub(super) fn find<T>(&self, look: impl Fn(&str) -> Option<T>) -> Option<T> {
        (0..self.blocks.len()).find_map(|block| self.block(block).lines().find_map(&look))
    }

    fn block(&self, index: usize) -> String {
        let start = self.blocks[..index]
            .iter()
            .map(|(.., bytes)| bytes)
            .sum::<usize>();
        let (_, characters, bytes) = self.blocks[index];
        let mut text = vec![0; characters];
        Decompressor::new()
            .deflate_decompress(&self.bytes[start..start + bytes], &mut text)
            .expect("build.rs deflated it");
        String::from_utf8(text).expect("build.rs deflated text")
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DATUMS, SHIFTS, SYSTEMS};

    #[test]
    fn every_line_comes_back_in_order() {
        for (packed, text) in [
            (&SYSTEMS, include_str!("crs.txt")),
            (&SHIFTS, include_str!("shifts.txt")),
            (&DATUMS, include_str!("datums.txt")),
        ] {
            let blocks = (0..packed.blocks.len()).map(|block| packed.block(block));
            assert!(blocks.collect::<String>() == text);
            for line in text.lines().step_by(97) {
                let (code, rest) = line.split_once(' ').unwrap();
                assert!(
                    packed
                        .lines_of(code.parse().unwrap())
                        .iter()
                        .any(|found| found == rest),
                    "{line}"
                );
            }
            assert_eq!(packed.lines_of(0), Vec::<String>::new());
            assert_eq!(packed.lines_of(u32::MAX), Vec::<String>::new());
        }
    }

    #[test]
    fn the_lines_of_one_code_lie_in_one_block() {
        for packed in [&SYSTEMS, &SHIFTS, &DATUMS] {
            assert!(packed.blocks.windows(2).all(|pair| pair[0].0 < pair[1].0));
        }
    }
}
