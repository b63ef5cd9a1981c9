//! Few reads for many ranges, by a model of what a read costs.
//!
//! A read holds a place among those in flight for a round trip and for the transfer of its bytes. Reading through a gap
//! of `g` bytes spares a place for a round trip and holds another for `g / rate` longer: it pays while `g` is less than
//! what a connection carries in a round trip. Bytes that nobody wants cost memory and the link, so that they may never
//! be more than a tenth of those that are wanted. What takes longer to carry than a round trip, be it a run of blocks or
//! one, is read in parts side by side, each of about a round trip's length: twice a round trip is then the longest that
//! a part takes.

use std::ops::Range;
use std::time::Duration;

use bytes::Bytes;

/// Of the bytes of a read, at most one in so many may be of gaps.
const GAP_SHARE: u64 = 10;

/// Gaps up to this are read through whatever their share: GDAL puts 8 bytes between the blocks of a COG.
const SMALL_GAP: u64 = 64;

/// Parts of long runs are not smaller than the first, whatever the model says, and not larger than the second: a request
/// costs some 60 µs of CPU beside its round trip, and a part must be in memory whole.
const PARTS: (u64, u64) = (1 << 20, 8 << 20);

/// How long a read of a store takes: a round trip, and a time for each byte.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// From the request to the first byte of the answer.
    pub round_trip: Duration,
    /// What one connection carries.
    pub bytes_per_s: f64,
}

impl Model {
    /// What is taken for true of a store that has not shown anything yet: S3 within its region.
    pub const STORE: Self = Self {
        round_trip: Duration::from_millis(20),
        bytes_per_s: 70e6,
    };

    /// Files of this machine.
    pub const FILE: Self = Self {
        round_trip: Duration::from_micros(50),
        bytes_per_s: 2e9,
    };

    /// What a connection carries in a round trip.
    fn in_flight(&self) -> u64 {
        (self.round_trip.as_secs_f64() * self.bytes_per_s) as u64
    }

    /// The longest gap that is worth reading through.
    fn gap(&self) -> u64 {
        self.in_flight().max(SMALL_GAP)
    }

    /// The length beyond which a run is read in parts.
    fn part(&self) -> u64 {
        self.in_flight().clamp(PARTS.0, PARTS.1)
    }

    /// A read in the parts in which it is fetched: equal ones, or the read itself.
    pub fn parts(&self, read: &Range<u64>) -> Vec<Range<u64>> {
        let length = read.end - read.start;
        let count = length.div_ceil(self.part()).max(1);
        let at = |part: u64| read.start + length / count * part + (length % count).min(part);
        (0..count).map(|part| at(part)..at(part + 1)).collect()
    }

    /// Few reads that cover all the ranges: sorted, each ending where a range ends.
    pub fn merge(&self, mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
        ranges.sort_by_key(|range| (range.start, range.end));
        let mut merged: Vec<Run> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match merged.last_mut() {
                Some(run) if run.takes(&range, self) => run.add(&range),
                _ => merged.push(Run::of(range)),
            }
        }
        merged.into_iter().map(|run| run.range).collect()
    }
}

/// A read as it grows.
struct Run {
    range: Range<u64>,
    /// Bytes of gaps within.
    gaps: u64,
}

impl Run {
    fn of(range: Range<u64>) -> Self {
        Self { range, gaps: 0 }
    }

    fn takes(&self, next: &Range<u64>, model: &Model) -> bool {
        if next.end <= self.range.end {
            return true;
        }
        let gap = next.start.saturating_sub(self.range.end);
        let length = next.end - self.range.start;
        let small = gap <= SMALL_GAP || (self.gaps + gap) * GAP_SHARE <= length - self.gaps - gap;
        gap <= model.gap() && small && length <= model.part()
    }

    fn add(&mut self, next: &Range<u64>) {
        self.gaps += next.start.saturating_sub(self.range.end);
        self.range.end = self.range.end.max(next.end);
    }
}

/// The bytes of `range` within a read that covers it.
pub fn part(read: &Range<u64>, bytes: &Bytes, range: &Range<u64>) -> Option<Bytes> {
    let from = range.start.checked_sub(read.start)? as usize;
    let to = range.end.checked_sub(read.start)? as usize;
    (from <= to && to <= bytes.len()).then(|| bytes.slice(from..to))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 MB in a round trip.
    const MODEL: Model = Model {
        round_trip: Duration::from_millis(10),
        bytes_per_s: 100e6,
    };

    fn blocks(starts: &[u64], length: u64) -> Vec<Range<u64>> {
        starts.iter().map(|start| *start..start + length).collect()
    }

    #[test]
    fn neighbours_merge_and_far_ranges_do_not() {
        assert_eq!(
            MODEL.merge(vec![500..600, 0..100, 108..500, 90_000..90_001]),
            [0..600, 90_000..90_001]
        );
        assert_eq!(MODEL.merge(vec![0..100, 50..80, 0..100]), vec![0..100; 1]);
        assert!(MODEL.merge(Vec::new()).is_empty());
    }

    #[test]
    fn a_gap_is_read_through_where_it_is_a_tenth_of_what_is_wanted() {
        let gap = |gap: u64| MODEL.merge(blocks(&[0, 100_000 + gap], 100_000)).len();
        assert_eq!((gap(8), gap(20_000), gap(20_001)), (1, 1, 2));
        // Gaps add up.
        assert_eq!(MODEL.merge(blocks(&[0, 115_000, 230_000], 100_000)).len(), 1);
        assert_eq!(MODEL.merge(blocks(&[0, 119_000, 240_000], 100_000)).len(), 2);
    }

    #[test]
    fn a_gap_that_takes_longer_than_a_round_trip_is_not_read_through() {
        let near = Model {
            round_trip: Duration::from_micros(100),
            ..MODEL
        };
        let ranges = || blocks(&[0, 511_000], 500_000);
        assert_eq!((MODEL.merge(ranges()).len(), near.merge(ranges()).len()), (1, 2));
    }

    #[test]
    fn a_long_run_is_read_in_parts_of_a_round_trip() {
        let run = || (0..30).map(|i| i * 200_000..(i + 1) * 200_000).collect();
        let far = Model {
            round_trip: Duration::from_millis(30),
            ..MODEL
        };
        assert_eq!(MODEL.merge(run()).len(), 6);
        assert_eq!(far.merge(run()), [0..3_000_000, 3_000_000..6_000_000]);
        // Blocks stay whole, and a read that is one is fetched in parts.
        assert_eq!(MODEL.merge(vec![0..50_000_000; 1]), vec![0..50_000_000; 1]);
        let parts = MODEL.parts(&(7..50_000_007));
        assert_eq!((parts.len(), parts[0].start, parts[47].end), (48, 7, 50_000_007));
        assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert!(
            parts.iter().all(|part| part.end - part.start <= 1 << 20),
            "{parts:?}"
        );
        assert_eq!(MODEL.parts(&(5..1 << 20)), vec![5..1 << 20; 1]);
        assert_eq!(MODEL.parts(&(5..5)), vec![5..5; 1]);
    }

    #[test]
    fn a_part_is_cut_from_the_read_that_covers_it() {
        let bytes = Bytes::from_static(b"0123456789");
        assert_eq!(part(&(100..110), &bytes, &(103..105)).unwrap(), "34");
        assert_eq!(part(&(100..110), &bytes, &(99..105)), None);
        assert_eq!(part(&(100..110), &bytes, &(108..111)), None);
    }
}
