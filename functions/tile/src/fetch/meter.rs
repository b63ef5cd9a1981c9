//! Counts what an answer costs while it is made, reads of every kind of store alike.

use std::sync::atomic::{AtomicU64, Ordering};

/// The counters of one answer. What several answers share is counted where it was asked for first.
#[derive(Debug, Default)]
pub struct Meter {
    gets: AtomicU64,
    bytes: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
}

impl Meter {
    /// Reads that were sent, retries among them.
    pub fn gets(&self) -> u64 {
        self.gets.load(Ordering::Relaxed)
    }

    /// Bytes that came, also those of reads that failed.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Headers, blocks and pieces of indexes that were in memory, or on their way for another answer.
    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    /// Headers, blocks and pieces of indexes that had to be read.
    pub fn misses(&self) -> u64 {
        self.misses.load(Ordering::Relaxed)
    }

    pub(crate) fn count_get(&self) {
        self.gets.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_bytes(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn count_hit(&self) {
        self.hits.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_miss(&self) {
        self.misses.fetch_add(1, Ordering::Relaxed);
    }
}
