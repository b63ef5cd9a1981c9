//! Ranges → bytes: merged over small gaps, all at once under one limit, each pinned to a version, retried within the deadline.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::Semaphore;

use crate::source::store::{Answer, Object, StoreError};

/// Gaps up to this are read through. Neighbouring blocks of a COG lie 8 bytes apart, rows of blocks far apart; 16 KiB is
/// what a connection of 100 MB/s carries in a hundredth of a usual round trip, so it never costs time and hardly bytes.
const MERGE_GAP: u64 = 16 << 10;

/// Merged ranges longer than this are read in parts side by side: one connection to S3 gives some 50 to 90 MB/s.
const SPLIT_AT: u64 = 4 << 20;

/// Requests in flight for the whole process. Servers that allow 32 connections to a client must not be hurt.
const IN_FLIGHT: usize = 32;

/// How often a read is tried in all.
const TRIES: u32 = 3;

/// The wait before the second try; it doubles, and varies by half so that many clients do not come back together.
const FIRST_BACKOFF: Duration = Duration::from_millis(40);

/// Counts what an answer costs while it is made, reads of every kind of store alike.
#[derive(Debug, Default)]
pub struct Meter {
    gets: AtomicU64,
    bytes: AtomicU64,
    rounds: AtomicU64,
}

impl Meter {
    /// Reads that were sent, retries among them.
    pub fn gets(&self) -> u64 {
        self.gets.load(Ordering::Relaxed)
    }

    /// Bytes that were read.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Times that reads had to wait for earlier reads.
    pub fn rounds(&self) -> u64 {
        self.rounds.load(Ordering::Relaxed)
    }

    /// Notes that a round of reads begins.
    pub fn begin_round(&self) {
        self.rounds.fetch_add(1, Ordering::Relaxed);
    }

    fn count_get(&self) {
        self.gets.fetch_add(1, Ordering::Relaxed);
    }

    fn count_bytes(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

/// Reads under the process's limit on requests in flight.
#[derive(Debug)]
pub struct Fetcher {
    permits: Semaphore,
}

impl Default for Fetcher {
    fn default() -> Self {
        Self {
            permits: Semaphore::new(IN_FLIGHT),
        }
    }
}

impl Fetcher {
    /// One range, with retries until the deadline.
    pub async fn read(
        &self,
        object: &Object,
        range: Range<u64>,
        version: Option<&str>,
        deadline: Instant,
        meter: &Meter,
    ) -> Result<Answer, StoreError> {
        let mut backoff = FIRST_BACKOFF;
        let mut tried = 0;
        loop {
            tried += 1;
            let error = match self
                .try_read(object, range.clone(), version, deadline, meter)
                .await
            {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let wait = backoff.mul_f64(0.75 + 0.5 * jitter());
            if !error.is_passing() || tried == TRIES || Instant::now() + wait >= deadline {
                return Err(error);
            }
            tokio::time::sleep(wait).await;
            backoff *= 2;
        }
    }

    async fn try_read(
        &self,
        object: &Object,
        range: Range<u64>,
        version: Option<&str>,
        deadline: Instant,
        meter: &Meter,
    ) -> Result<Answer, StoreError> {
        let deadline = tokio::time::Instant::from_std(deadline);
        let read = async {
            let _permit = self
                .permits
                .acquire()
                .await
                .map_err(|_| StoreError::Unavailable)?;
            meter.count_get();
            object.read(range, version).await
        };
        let answer = tokio::time::timeout_at(deadline, read)
            .await
            .map_err(|_| StoreError::TimedOut)??;
        meter.count_bytes(answer.bytes.len());
        Ok(answer)
    }
}

/// A number in 0..1 that differs between calls; no more is asked of it.
fn jitter() -> f64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(0) as f64 / u64::MAX as f64
}

/// Few reads that cover all the ranges: sorted, gaps up to [`MERGE_GAP`] read through, parts of at most [`SPLIT_AT`].
pub fn merge(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last)
                if range.start <= last.end.saturating_add(MERGE_GAP)
                    && (range.end <= last.end || range.end - last.start <= SPLIT_AT) =>
            {
                last.end = last.end.max(range.end);
            }
            _ => merged.push(range),
        }
    }
    merged
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

    #[test]
    fn neighbours_merge_and_far_ranges_do_not() {
        assert_eq!(
            merge(vec![500..600, 0..100, 108..400, 90_000..90_001]),
            vec![0..600, 90_000..90_001]
        );
        assert_eq!(merge(vec![0..100, 50..80]), vec![0..100]);
    }

    #[test]
    fn a_long_run_is_read_in_parts() {
        let block = 1_500_000;
        let blocks = (0..6).map(|i| i * block..(i + 1) * block).collect();
        let reads = merge(blocks);
        assert_eq!(
            reads,
            vec![0..3_000_000, 3_000_000..6_000_000, 6_000_000..9_000_000]
        );
    }

    #[test]
    fn a_part_is_cut_from_the_read_that_covers_it() {
        let bytes = Bytes::from_static(b"0123456789");
        assert_eq!(part(&(100..110), &bytes, &(103..105)).unwrap(), "34");
        assert_eq!(part(&(100..110), &bytes, &(99..105)), None);
        assert_eq!(part(&(100..110), &bytes, &(108..111)), None);
    }
}
