//! What an answer cost, for whoever pays: requests and bytes of the stores, time of the steps.

use std::fmt;
use std::time::Duration;

/// What was read from the stores for one answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Requests that were sent, retries and hedges included.
    pub gets: u32,
    /// Bytes of their bodies, as far as they came.
    pub bytes: u64,
    /// The overview that was read: 0 is full resolution. Of several files the coarsest.
    pub level: u32,
    /// Blocks that were decoded.
    pub blocks: u32,
    /// Headers, blocks and pieces of indexes of files in stores that were in memory already.
    pub hits: u32,
    /// Those that were not.
    pub misses: u32,
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            gets,
            bytes,
            level,
            blocks,
            hits,
            misses,
        } = self;
        write!(
            f,
            "gets={gets};bytes={bytes};level={level};blocks={blocks};hits={hits};misses={misses}"
        )
    }
}

/// How long each step took, in the order in which they were entered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timing(Vec<(&'static str, Duration)>);

impl Timing {
    /// Adds a step; its name is a token of RFC 9110.
    pub fn add(&mut self, step: &'static str, took: Duration) {
        self.0.push((step, took));
    }

    /// The steps as (name, duration).
    pub fn steps(&self) -> impl Iterator<Item = (&'static str, Duration)> {
        self.0.iter().copied()
    }

    /// The value of `Server-Timing` in milliseconds (W3C Server Timing §3), nothing without steps.
    pub(super) fn header(&self) -> Option<String> {
        let step = |(name, took): &(&str, Duration)| format!("{name};dur={:.2}", took.as_secs_f64() * 1e3);
        let steps: Vec<String> = self.0.iter().map(step).collect();
        (!steps.is_empty()).then(|| steps.join(", "))
    }
}
