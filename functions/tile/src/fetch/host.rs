//! What is known of one host: how many reads it has to bear at once, and how fast it has been.
//!
//! The last reads are remembered as they went, not as an average: a percentile of them says when a read is late. A read
//! that is late is hedged: sent a second time, and the first good answer counts. Hedges are paid from a credit that
//! every read adds to, so that they stay a small share of all reads even of a store that has become slow as a whole.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

use super::merge::Model;

/// Reads that are remembered: enough for a 95th percentile, few enough to follow a store through the day.
const REMEMBERED: usize = 128;

/// Reads that a host must have answered before its own pace says when one is late.
const ACQUAINTED: usize = 24;

/// When the first byte is late of a host that is not known yet: longer than slow stores take, and far less than people wait.
const STRANGER: Duration = Duration::from_secs(1);

/// A read is late when it takes this much longer than the 95th percentile: scheduling alone delays one by so much. Of a store
/// whose reads vary more than that, more are late than may be sent twice; [`CREDIT`] says how many are.
const LATE_BY: Duration = Duration::from_millis(3);

/// What each read adds to the credit for hedges: at most so many reads in one are sent twice.
const CREDIT: f64 = 0.025;

/// Hedges that may be saved up.
const MOST_CREDIT: f64 = 4.0;

/// Bodies from this size on tell how fast a connection is; smaller ones come with the first packets.
const TELLING: u64 = 128 << 10;

/// One host of stores.
#[derive(Debug)]
pub struct Host {
    gate: Semaphore,
    base: Model,
    pace: Mutex<Pace>,
}

/// How the last reads went.
#[derive(Debug)]
struct Pace {
    first_byte_s: Ring,
    bytes_per_s: Ring,
    credit: f64,
}

impl Host {
    /// A host of which nothing is known; `reads` may be in flight to it.
    pub fn store(reads: usize) -> Self {
        Self::new(reads, Model::STORE)
    }

    /// The disk of this machine.
    pub fn disk() -> Self {
        Self::new(32, Model::FILE)
    }

    fn new(reads: usize, base: Model) -> Self {
        Self {
            gate: Semaphore::new(reads),
            base,
            pace: Mutex::new(Pace {
                first_byte_s: Ring::default(),
                bytes_per_s: Ring::default(),
                credit: 1.0,
            }),
        }
    }

    /// The places for reads in flight.
    pub(super) fn gate(&self) -> &Semaphore {
        &self.gate
    }

    /// What a read takes, as the last ones have shown.
    pub fn model(&self) -> Model {
        let pace = self.pace();
        Model {
            round_trip: pace
                .first_byte_s
                .quantile(0.5)
                .map_or(self.base.round_trip, |seconds| {
                    Duration::from_secs_f64(seconds.into())
                }),
            bytes_per_s: pace
                .bytes_per_s
                .quantile(0.5)
                .map_or(self.base.bytes_per_s, f64::from),
        }
    }

    /// How long a read of `bytes` may take before it is late.
    pub(super) fn patience(&self, bytes: u64) -> Duration {
        let pace = self.pace();
        let slow = pace
            .bytes_per_s
            .quantile(0.1)
            .map_or(self.base.bytes_per_s / 4.0, f64::from);
        let body = Duration::from_secs_f64(bytes as f64 / slow);
        match pace.first_byte_s.quantile(0.95) {
            Some(seconds) if pace.first_byte_s.len >= ACQUAINTED => {
                Duration::from_secs_f32(seconds) + body + LATE_BY
            }
            _ => STRANGER + body,
        }
    }

    /// A read begins: it adds to the credit.
    pub(super) fn begin(&self) {
        let mut pace = self.pace();
        pace.credit = (pace.credit + CREDIT).min(MOST_CREDIT);
    }

    /// Whether a read may be sent a second time; it is paid with that.
    pub(super) fn may_hedge(&self) -> bool {
        let mut pace = self.pace();
        let enough = pace.credit >= 1.0;
        if enough {
            pace.credit -= 1.0;
        }
        enough
    }

    /// The head of an answer came after so long, or has not come after it.
    pub(super) fn saw_first_byte(&self, took: Duration) {
        self.pace().first_byte_s.push(took.as_secs_f32());
    }

    /// A body came, so long after its head.
    pub(super) fn saw_body(&self, bytes: u64, took: Duration) {
        if bytes >= TELLING {
            let rate = bytes as f32 / took.as_secs_f32().max(1e-5);
            self.pace().bytes_per_s.push(rate);
        }
    }

    fn pace(&self) -> MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The last values of something.
#[derive(Debug)]
struct Ring {
    values: [f32; REMEMBERED],
    len: usize,
    next: usize,
}

impl Default for Ring {
    fn default() -> Self {
        Self {
            values: [0.0; REMEMBERED],
            len: 0,
            next: 0,
        }
    }
}

impl Ring {
    fn push(&mut self, value: f32) {
        self.values[self.next] = value;
        self.next = (self.next + 1) % REMEMBERED;
        self.len = (self.len + 1).min(REMEMBERED);
    }

    /// The value below which the share `q` of the last ones lies.
    fn quantile(&self, q: f64) -> Option<f32> {
        let mut values = self.values;
        let values = &mut values[..self.len];
        let at = ((self.len as f64 - 1.0) * q).round().max(0.0) as usize;
        (!values.is_empty()).then(|| *values.select_nth_unstable_by(at, f32::total_cmp).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn host_after(reads: usize, took: impl Fn(usize) -> Duration) -> Host {
        let host = Host::store(32);
        for at in 0..reads {
            host.begin();
            host.saw_first_byte(took(at));
        }
        host
    }

    #[test]
    fn the_model_is_what_the_last_reads_have_shown() {
        let host = host_after(1000, |at| if at < 800 { 20 * MS } else { 50 * MS });
        host.saw_body(1 << 20, 10 * MS);
        host.saw_body(100, MS);
        let model = host.model();
        assert_eq!(model.round_trip.as_millis(), 50);
        assert!(
            (model.bytes_per_s / 104_857_600.0 - 1.0).abs() < 0.01,
            "{model:?}"
        );
        assert_eq!(Host::store(1).model(), Model::STORE);
    }

    #[test]
    fn a_read_is_late_past_a_high_percentile_and_only_once_the_host_is_known() {
        assert_eq!(host_after(ACQUAINTED - 1, |_| 20 * MS).patience(0), STRANGER);
        // One stall in a hundred does not change what is usual.
        let host = host_after(128, |at| if at % 100 == 0 { 5000 * MS } else { 20 * MS });
        let patience = host.patience(0);
        assert!(patience >= 22 * MS && patience <= 25 * MS, "{patience:?}");
        host.saw_body(1 << 20, 100 * MS);
        assert!(host.patience(1 << 20) > 120 * MS);
    }

    #[test]
    fn hedges_are_a_small_share_of_reads() {
        let host = Host::store(1);
        let mut hedged = 0;
        for _ in 0..10_000 {
            host.begin();
            hedged += usize::from(host.may_hedge());
        }
        assert!((200..=254).contains(&hedged), "{hedged}");
        // Nothing is saved up without end.
        let quiet = host_after(10_000, |_| MS);
        assert_eq!((0..100).filter(|_| quiet.may_hedge()).count(), 4);
    }
}
