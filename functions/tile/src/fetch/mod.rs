//! Ranges → bytes: merged over small gaps, all at once under limits, each pinned to a version, late ones hedged, failed
//! ones retried, within the deadline. Blocks are kept in memory as they are stored, and many requests for one read it once.

mod cache;
mod host;
mod merge;
mod meter;

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::future::{Either, select};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::yield_now;
use tokio::time::timeout_at;

use crate::source::store::{Answer, Object, Progress, StoreError};

pub use cache::{Cache, Claim, Failure, Found, Lead};
pub use host::Host;
pub use merge::{Model, part};
pub use meter::Meter;

/// Requests in flight for the whole process, to all hosts together: each holds a file handle, and may hold a part of a
/// run in memory.
const IN_FLIGHT: usize = 256;

/// How often a read is tried in all.
const TRIES: u32 = 3;

/// The wait before the second try; it doubles, and varies by half so that many clients do not come back together.
const FIRST_BACKOFF: Duration = Duration::from_millis(40);

/// How often a read may be sent again at once, before that counts as a try. The first that meets a closed connection
/// drops all that were idle, so that a second one is rare.
const MOST_AGAIN: u32 = 3;

/// A block, to guess how many of them a cache will hold.
const TYPICAL_BLOCK: u64 = 100 << 10;

/// One version of one file.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Edition {
    /// Which file, by an address that no other file has.
    pub identity: String,
    /// Which version: an ETag or what stands for it.
    pub version: String,
}

/// Bytes of one version of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// The file.
    pub edition: Arc<Edition>,
    /// Offset of the first byte.
    pub start: u64,
    /// Offset past the last byte.
    pub end: u64,
}

/// Blocks and pieces of indexes, compressed as they are stored.
pub type Pieces = Cache<Piece, Bytes, StoreError>;

/// Reads under the process's limits on requests in flight, and keeps what may be wanted again.
#[derive(Debug)]
pub struct Fetcher {
    places: Semaphore,
    /// What was read of files in stores.
    pub pieces: Pieces,
}

impl Fetcher {
    /// Keeps up to `cache_bytes` of what is read.
    pub fn new(cache_bytes: u64) -> Self {
        Self {
            places: Semaphore::new(IN_FLIGHT),
            pieces: Cache::new(cache_bytes, TYPICAL_BLOCK),
        }
    }

    /// One range, with retries until the deadline. `progress` hears of what has come of it.
    pub async fn read(
        &self,
        object: &Object,
        range: Range<u64>,
        version: Option<&str>,
        deadline: Instant,
        meter: &Meter,
        progress: &Progress<'_>,
    ) -> Result<Answer, StoreError> {
        let ask = Ask {
            object,
            range,
            version,
            meter,
            progress,
        };
        let mut backoff = FIRST_BACKOFF;
        let (mut tried, mut again) = (0, 0);
        loop {
            tried += 1;
            let answer = timeout_at(deadline.into(), self.hedged(&ask)).await;
            let error = match answer.unwrap_or(Err(StoreError::TimedOut)) {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            if error == StoreError::Again && again < MOST_AGAIN {
                (tried, again) = (tried - 1, again + 1);
                continue;
            }
            let wait = backoff.mul_f64(0.75 + 0.5 * jitter());
            if !error.is_passing() || tried == TRIES || Instant::now() + wait >= deadline {
                return Err(error);
            }
            tokio::time::sleep(wait).await;
            backoff *= 2;
        }
    }

    /// One range; a second read is sent after the first where that is late, and the first good answer counts.
    async fn hedged(&self, ask: &Ask<'_>) -> Result<Answer, StoreError> {
        let host = ask.object.host();
        let _places = (wait_for(host.gate()).await?, wait_for(&self.places).await?);
        host.begin();
        let began = Instant::now();
        let mut first = Box::pin(ask.send());
        let _second_places = loop {
            let patience = tokio::time::sleep(host.patience(ask.range.end - ask.range.start));
            first = match select(first, Box::pin(patience)).await {
                Either::Left((answer, _)) => return answer,
                Either::Right(((), first)) => first,
            };
            // The answer may be here and wait only for this thread, which was drawing.
            first = match select(first, Box::pin(yield_now())).await {
                Either::Left((answer, _)) => return answer,
                Either::Right(((), first)) => first,
            };
            // Where all places are taken the host has enough to do; later it may have less.
            let places = (host.gate().try_acquire(), self.places.try_acquire());
            if let (Ok(at_host), Ok(here)) = places
                && host.may_hedge()
            {
                break (at_host, here);
            }
        };
        match select(first, Box::pin(ask.send())).await {
            Either::Left((Err(error), second)) if error.is_passing() => second.await,
            Either::Right((Err(error), first)) if error.is_passing() => first.await,
            Either::Left((answer, _)) => answer,
            Either::Right((answer, _)) => {
                host.saw_first_byte(began.elapsed());
                answer
            }
        }
    }
}

async fn wait_for(places: &Semaphore) -> Result<SemaphorePermit<'_>, StoreError> {
    places.acquire().await.map_err(|_| StoreError::Unavailable)
}

/// A read to be sent, once or twice.
struct Ask<'a> {
    object: &'a Object,
    range: Range<u64>,
    version: Option<&'a str>,
    meter: &'a Meter,
    progress: &'a Progress<'a>,
}

impl Ask<'_> {
    async fn send(&self) -> Result<Answer, StoreError> {
        let host = self.object.host();
        let began = Instant::now();
        self.meter.count_get();
        let arriving = self.object.read(self.range.clone(), self.version).await?;
        let opened = Instant::now();
        host.saw_first_byte(opened - began);
        let answer = arriving.collect(self.meter, self.progress).await?;
        host.saw_body(answer.bytes.len() as u64, opened.elapsed());
        Ok(answer)
    }
}

/// A number in 0..1 that differs between calls; no more is asked of it.
fn jitter() -> f64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(0) as f64 / u64::MAX as f64
}
