//! Memory goes back to the system once requests have ceased.
//!
//! What a tile needed is free after it, but glibc keeps it: each thread has an arena, of which only the top shrinks by
//! itself. A server that drew 16 tiles at once held on to 38 MB for good. Asked for after every request it would cost
//! each tile its page faults again; asked for when nothing has been wanted for a while it costs nobody.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// How long nothing must have been asked.
pub(super) const QUIET: Duration = Duration::from_secs(1);

/// Requests that are being answered.
#[derive(Debug, Default)]
pub(super) struct Busy {
    requests: AtomicUsize,
    ceased: Notify,
}

/// A request that is being answered.
#[derive(Debug)]
pub(super) struct Request<'a>(&'a Busy);

impl Busy {
    /// One begins.
    pub(super) fn begin(&self) -> Request<'_> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        Request(self)
    }

    /// Calls `settle` whenever the last request has been answered for so long and none has come since.
    pub(super) async fn watch(&self, quiet: Duration, settle: impl Fn()) {
        loop {
            self.ceased.notified().await;
            loop {
                let again = self.ceased.notified();
                tokio::select! {
                    () = sleep_until(Instant::now() + quiet) => break,
                    () = again => {}
                }
            }
            if self.requests.load(Ordering::Relaxed) == 0 {
                settle();
            }
        }
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        if self.0.requests.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.ceased.notify_one();
        }
    }
}

/// Gives free memory back to the system, where its allocator keeps it.
#[cfg(target_env = "gnu")]
#[expect(unsafe_code, reason = "only C has a name for it")]
pub(super) fn give_back() {
    // SAFETY: it takes the allocator's own locks, and moves nothing that is in use.
    unsafe { libc::malloc_trim(0) };
}

/// Other allocators give memory back by themselves.
#[cfg(not(target_env = "gnu"))]
pub(super) fn give_back() {}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test]
    async fn memory_settles_once_after_the_last_request() {
        const QUIET: Duration = Duration::from_millis(50);
        let (busy, settled) = (Arc::new(Busy::default()), Arc::new(AtomicUsize::new(0)));
        let (watched, counted) = (busy.clone(), settled.clone());
        tokio::spawn(async move {
            let settle = || _ = counted.fetch_add(1, Ordering::Relaxed);
            watched.watch(QUIET, settle).await;
        });
        let times = || settled.load(Ordering::Relaxed);
        let long = busy.begin();
        for _ in 0..5 {
            drop(busy.begin());
            tokio::time::sleep(QUIET).await;
        }
        tokio::time::sleep(6 * QUIET).await;
        assert_eq!(times(), 0, "a request is under way");
        drop(long);
        while times() == 0 {
            tokio::time::sleep(QUIET).await;
        }
        tokio::time::sleep(6 * QUIET).await;
        assert_eq!(times(), 1);
    }
}
