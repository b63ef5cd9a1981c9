//! How long the steps of an answer took.

use std::time::Instant;

use crate::response::{About, Cost, Timing};
use crate::tile::Call;

/// Measures the steps of an answer.
pub(crate) struct Clock {
    last: Instant,
    laps: Timing,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self {
            last: Instant::now(),
            laps: Timing::default(),
        }
    }

    pub(crate) fn lap(&mut self, step: &'static str) {
        let now = Instant::now();
        self.laps.add(step, now - self.last);
        self.last = now;
    }

    /// Adds to an answer what it cost.
    pub(crate) fn stamp(self, about: About, call: &Call<'_>) -> About {
        let counted = about.cost.unwrap_or_default();
        let cost = Cost {
            gets: call.meter.gets() as u32,
            bytes: call.meter.bytes(),
            hits: call.meter.hits() as u32,
            misses: call.meter.misses() as u32,
            ..counted
        };
        About {
            cost: Some(cost),
            timing: self.laps,
            ..about
        }
    }
}
