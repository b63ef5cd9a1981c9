//! The bytes of a file that are known so far, and the ranges that are still missing.
//!
//! A function that reads a file takes [`Known`] and answers `Err(Missing)` when it needs a byte that
//! nobody has fetched yet. The caller fetches the ranges, inserts them and calls again. So every reader in this library
//! is a plain function that can be tested without a store.

use std::ops::Range;

use bytes::Bytes;

/// Byte ranges that a reader needs before it can go on: sorted, disjoint, none empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing(pub Vec<Range<u64>>);

/// Parts of one version of one file, by offset. Chunks are sorted and disjoint.
#[derive(Clone, Debug, Default)]
pub struct Known {
    chunks: Vec<(u64, Bytes)>,
}

impl Known {
    /// Nothing known yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the bytes at `offset`; bytes already known stay as they are.
    pub fn insert(&mut self, offset: u64, bytes: Bytes) {
        let mut rest = (offset, bytes);
        let mut fresh = Vec::new();
        for (at, chunk) in &self.chunks {
            let end = at.saturating_add(chunk.len() as u64);
            if end <= rest.0 {
                continue;
            }
            let rest_end = rest.0.saturating_add(rest.1.len() as u64);
            if *at >= rest_end {
                break;
            }
            if *at > rest.0 {
                fresh.push((rest.0, rest.1.slice(..(at - rest.0) as usize)));
            }
            let skip = end.min(rest_end) - rest.0;
            rest = (rest.0 + skip, rest.1.slice(skip as usize..));
        }
        fresh.push(rest);
        self.chunks
            .extend(fresh.into_iter().filter(|(_, bytes)| !bytes.is_empty()));
        self.chunks.sort_unstable_by_key(|(at, _)| *at);
    }

    /// The bytes of `range`, without a copy where one chunk holds them all.
    ///
    /// # Errors
    /// [`Missing`] names the parts of `range` that are not known.
    pub fn get(&self, range: Range<u64>) -> Result<Bytes, Missing> {
        let missing = self.missing(range.clone());
        if !missing.is_empty() {
            return Err(Missing(missing));
        }
        let mut parts = Vec::new();
        for (at, chunk) in self.overlapping(&range) {
            let from = range.start.saturating_sub(at) as usize;
            let to = (range.end - at).min(chunk.len() as u64) as usize;
            parts.push(chunk.slice(from..to));
        }
        Ok(match parts.len() {
            0 => Bytes::new(),
            1 => parts.swap_remove(0),
            _ => parts.concat().into(),
        })
    }

    /// The parts of `range` that are not known: sorted, disjoint.
    pub fn missing(&self, range: Range<u64>) -> Vec<Range<u64>> {
        let mut gaps = Vec::new();
        let mut at = range.start;
        for (start, chunk) in self.overlapping(&range) {
            if start > at {
                gaps.push(at..start);
            }
            at = start.saturating_add(chunk.len() as u64);
        }
        if at < range.end {
            gaps.push(at..range.end);
        }
        gaps
    }

    /// How many bytes are held.
    pub fn len(&self) -> usize {
        self.chunks.iter().map(|(_, chunk)| chunk.len()).sum()
    }

    /// Whether nothing is known yet.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    fn overlapping(&self, range: &Range<u64>) -> impl Iterator<Item = (u64, &Bytes)> {
        let Range { start, end } = *range;
        let first = self
            .chunks
            .partition_point(|(at, chunk)| at.saturating_add(chunk.len() as u64) <= start);
        self.chunks[first..]
            .iter()
            .take_while(move |(at, _)| *at < end)
            .map(|(at, chunk)| (*at, chunk))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_join_and_gaps_are_named() {
        let mut known = Known::new();
        known.insert(10, Bytes::from_static(b"abcd"));
        known.insert(16, Bytes::from_static(b"gh"));
        assert_eq!(known.get(8..18), Err(Missing(vec![8..10, 14..16])));
        known.insert(8, Bytes::from_static(b"..XXXXef!!"));
        assert_eq!(known.get(8..18).unwrap(), "..abcdefgh");
        assert_eq!(known.get(11..13).unwrap(), "bc");
        assert_eq!(known.get(12..12).unwrap(), "");
        assert_eq!(known.len(), 10);
    }
}
