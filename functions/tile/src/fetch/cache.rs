//! Values in memory, bounded by bytes; each is made once, however many ask for it at the same time.
//!
//! What is kept is decided by `quick_cache` (a Clock-Pro relative): a value that was asked for once does not push out
//! those that are asked for again and again, so a scan over many files leaves the others' blocks where they are. Its
//! own way of waiting is not used: there every follower of a failed read repeats it, one after the other.
//!
//! [`Cache::find`] gives the first who asks the [`Lead`] and everyone after it a [`Follow`]. A lead that is dropped,
//! because its request was cancelled or ran out of time, wakes the followers, and one of them takes over. Who has nothing
//! else to do meanwhile says [`Cache::claim`].

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use quick_cache::OptionsBuilder;
use quick_cache::sync::DefaultLifecycle;
use tokio::sync::watch;
use tokio::time::timeout_at;

/// What an entry takes beside its value: key, hash, links.
const ENTRY: u64 = 256;

/// Why a value could not be made.
pub trait Failure: Clone {
    /// The request ran out of time: that says nothing to others, who have their own.
    const OUT_OF_TIME: Self;

    /// Whether it is that.
    fn is_out_of_time(&self) -> bool;
}

/// The state of a value that is being made: `None` until it is there.
type Coming<V, E> = watch::Receiver<Option<Result<V, E>>>;

/// A cache of values `V`; making one may fail with `E`, which is told to all who wait and not kept.
pub struct Cache<K, V, E> {
    kept: quick_cache::sync::Cache<K, Weighed<V>, ByWeight>,
    coming: Mutex<HashMap<K, Coming<V, E>>>,
}

/// A value with the weight that it had when it was kept: `quick_cache` must be told the same weight ever after.
#[derive(Clone)]
struct Weighed<V> {
    value: V,
    bytes: u64,
}

#[derive(Clone)]
struct ByWeight;

impl<K, V> quick_cache::Weighter<K, Weighed<V>> for ByWeight {
    fn weight(&self, _: &K, weighed: &Weighed<V>) -> u64 {
        weighed.bytes
    }
}

/// What the cache says to a key.
pub enum Found<'a, K: Eq + Hash, V, E> {
    /// It is in memory.
    Kept(V),
    /// Nobody is making it: the caller must.
    Lead(Lead<'a, K, V, E>),
    /// Another is making it.
    Follow(Follow<V, E>),
}

/// What a key that was waited for came to.
pub enum Claim<'a, K: Eq + Hash, V, E> {
    /// It is there.
    Had(V),
    /// The caller must make it.
    Lead(Lead<'a, K, V, E>),
}

/// The duty to make a value. Dropped, it passes to one who waits.
pub struct Lead<'a, K: Eq + Hash, V, E> {
    cache: &'a Cache<K, V, E>,
    key: K,
    tell: watch::Sender<Option<Result<V, E>>>,
}

/// The right to a value that another makes.
pub struct Follow<V, E>(Coming<V, E>);

impl<K, V, E> Cache<K, V, E>
where
    K: Clone + Eq + Hash,
    V: Clone,
    E: Failure,
{
    /// An empty cache for `bytes` in all, of values that are about `typical_bytes` large.
    pub fn new(bytes: u64, typical_bytes: u64) -> Self {
        let options = OptionsBuilder::new()
            // One shard: what is kept must fit into one, and a look-up holds its lock for a fraction of a microsecond.
            .shards(1)
            .weight_capacity(bytes)
            .estimated_items_capacity((bytes / typical_bytes.max(1)).max(16) as usize)
            .build()
            .unwrap_or_else(|error| unreachable!("capacities were given: {error}"));
        let hasher = quick_cache::DefaultHashBuilder::default();
        Self {
            kept: quick_cache::sync::Cache::with_options(
                options,
                ByWeight,
                hasher,
                DefaultLifecycle::default(),
            ),
            coming: Mutex::default(),
        }
    }

    /// The value of a key, or who makes it.
    pub fn find(&self, key: K) -> Found<'_, K, V, E> {
        if let Some(weighed) = self.kept.get(&key) {
            return Found::Kept(weighed.value);
        }
        let mut coming = self.coming();
        if let Some(coming) = coming.get(&key) {
            return Found::Follow(Follow(coming.clone()));
        }
        // It may have come between the two looks: it is kept before it ceases to be coming.
        if let Some(weighed) = self.kept.get(&key) {
            return Found::Kept(weighed.value);
        }
        let (tell, told) = watch::channel(None);
        coming.insert(key.clone(), told);
        drop(coming);
        Found::Lead(Lead {
            cache: self,
            key,
            tell,
        })
    }

    /// The value of a key, which another may have to make first, or the duty to make it.
    ///
    /// # Errors
    /// Why the other could not make it; that there is no more time.
    pub async fn claim(&self, key: &K, deadline: Instant) -> Result<Claim<'_, K, V, E>, E> {
        loop {
            match self.find(key.clone()) {
                Found::Kept(value) => return Ok(Claim::Had(value)),
                Found::Lead(lead) => return Ok(Claim::Lead(lead)),
                Found::Follow(follow) => {
                    let told = timeout_at(deadline.into(), follow.wait()).await;
                    if let Some(made) = told.map_err(|_| E::OUT_OF_TIME)? {
                        return made.map(Claim::Had);
                    }
                }
            }
        }
    }

    /// Forgets a value if `which` says so.
    pub fn forget(&self, key: &K, which: impl Fn(&V) -> bool) {
        self.kept.remove_if(key, |weighed| which(&weighed.value));
    }

    /// Forgets the values of all keys but those that `which` names.
    pub fn retain(&self, which: impl Fn(&K) -> bool) {
        self.kept.retain(|key, _| which(key));
    }
}

impl<K: Eq + Hash, V, E> Cache<K, V, E> {
    fn coming(&self) -> MutexGuard<'_, HashMap<K, Coming<V, E>>> {
        self.coming.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K, V, E> Lead<'_, K, V, E>
where
    K: Clone + Eq + Hash,
    V: Clone,
    E: Failure,
{
    /// What came of it, and how many bytes that takes: see [`Self::keep`] and [`Self::fail`].
    pub fn end(self, made: &Result<V, E>, bytes: impl FnOnce(&V) -> u64) {
        match made {
            Ok(value) => self.keep(value.clone(), bytes(value)),
            Err(error) => self.fail(error.clone()),
        }
    }

    /// The value is there: it is kept as one of `bytes`, and all who wait get it.
    pub fn keep(self, value: V, bytes: u64) {
        let weighed = Weighed {
            value: value.clone(),
            bytes: bytes.saturating_add(ENTRY),
        };
        self.cache.kept.insert(self.key.clone(), weighed);
        let _ = self.tell.send(Some(Ok(value)));
    }

    /// It cannot be made: all who wait are told why; but where there was only no time, the next of them makes it.
    pub fn fail(self, error: E) {
        if !error.is_out_of_time() {
            let _ = self.tell.send(Some(Err(error)));
        }
    }
}

impl<K: Eq + Hash, V, E> Drop for Lead<'_, K, V, E> {
    fn drop(&mut self) {
        self.cache.coming().remove(&self.key);
    }
}

impl<V: Clone, E: Clone> Follow<V, E> {
    /// Waits for the value; `None` if whoever made it gave up, so that the key must be looked up again.
    pub async fn wait(mut self) -> Option<Result<V, E>> {
        self.0.wait_for(Option::is_some).await.ok()?.clone()
    }
}

impl<K, V, E> fmt::Debug for Cache<K, V, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    type Numbers = Cache<u32, u32, &'static str>;

    impl Failure for &'static str {
        const OUT_OF_TIME: Self = "no time";

        fn is_out_of_time(&self) -> bool {
            *self == Self::OUT_OF_TIME
        }
    }

    /// Gets a value as callers do, counting how often it is made.
    async fn get(cache: &Numbers, key: u32, made: &AtomicUsize) -> Result<u32, &'static str> {
        match cache.claim(&key, Instant::now() + Duration::from_mins(1)).await? {
            Claim::Had(value) => Ok(value),
            Claim::Lead(lead) => {
                made.fetch_add(1, Ordering::Relaxed);
                tokio::task::yield_now().await;
                lead.end(&Ok(key * 10), |_| 100);
                Ok(key * 10)
            }
        }
    }

    fn is_kept(cache: &Numbers, key: u32) -> bool {
        matches!(cache.find(key), Found::Kept(_))
    }

    fn put(cache: &Numbers, key: u32, bytes: u64) {
        if let Found::Lead(lead) = cache.find(key) {
            lead.keep(key, bytes);
        }
    }

    #[tokio::test]
    async fn thirty_at_once_make_a_value_once() {
        let (cache, made) = (Numbers::new(10_000, 100), AtomicUsize::new(0));
        let all = (0..30).map(|_| get(&cache, 7, &made));
        let all = futures_util::future::join_all(all).await;
        assert!(all.iter().all(|value| *value == Ok(70)), "{all:?}");
        assert_eq!(made.load(Ordering::Relaxed), 1);
        assert_eq!(get(&cache, 7, &made).await, Ok(70));
        assert_eq!(made.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn a_cancelled_lead_passes_to_a_follower() {
        let (cache, made) = (Numbers::new(10_000, 100), AtomicUsize::new(0));
        let Found::Lead(lead) = cache.find(7) else {
            panic!()
        };
        let followers = futures_util::future::join_all((0..5).map(|_| get(&cache, 7, &made)));
        let cancel = async {
            tokio::task::yield_now().await;
            drop(lead);
        };
        let (all, ()) = tokio::join!(followers, cancel);
        assert!(all.iter().all(|value| *value == Ok(70)), "{all:?}");
        assert_eq!(made.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn a_failure_is_told_to_all_and_kept_by_none() {
        let (cache, made) = (Numbers::new(10_000, 100), AtomicUsize::new(0));
        let Found::Lead(lead) = cache.find(7) else {
            panic!()
        };
        let followers = futures_util::future::join_all((0..5).map(|_| get(&cache, 7, &made)));
        let fail = async {
            tokio::task::yield_now().await;
            lead.fail("no");
        };
        let (all, ()) = tokio::join!(followers, fail);
        assert!(all.iter().all(|value| *value == Err("no")), "{all:?}");
        assert_eq!((made.load(Ordering::Relaxed), is_kept(&cache, 7)), (0, false));
    }

    #[tokio::test]
    async fn that_one_had_no_time_is_told_to_none() {
        let (cache, made) = (Numbers::new(10_000, 100), AtomicUsize::new(0));
        let Found::Lead(lead) = cache.find(7) else {
            panic!()
        };
        assert!(matches!(cache.claim(&7, Instant::now()).await, Err("no time")));
        let followers = futures_util::future::join_all((0..5).map(|_| get(&cache, 7, &made)));
        let end = async {
            tokio::task::yield_now().await;
            lead.fail("no time");
        };
        let (all, ()) = tokio::join!(followers, end);
        assert!(all.iter().all(|value| *value == Ok(70)), "{all:?}");
        assert_eq!(made.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn what_is_asked_for_again_survives_a_scan() {
        let cache = Numbers::new(100 * (1000 + ENTRY), 1000);
        for key in 0..50 {
            put(&cache, key, 1000);
        }
        for _ in 0..3 {
            assert!((0..50).all(|key| is_kept(&cache, key)));
        }
        for key in 1000..11_000 {
            put(&cache, key, 1000);
        }
        let left = (0..50).filter(|key| is_kept(&cache, *key)).count();
        assert!(left >= 45, "{left} of 50");
        assert!(cache.kept.weight() <= cache.kept.capacity());
    }

    #[test]
    fn the_weight_of_an_entry_is_that_with_which_it_came() {
        // A weight that changed made quick_cache panic once an entry left: every request after it met the panic.
        let cache: Cache<u32, std::sync::Arc<AtomicUsize>, &'static str> = Cache::new(10_000, 1000);
        for key in 0..1000 {
            let Found::Lead(lead) = cache.find(key) else {
                panic!()
            };
            let value = std::sync::Arc::new(AtomicUsize::new(0));
            lead.keep(value.clone(), 1000);
            value.store(1 << 20, Ordering::Relaxed);
        }
        assert!(cache.kept.weight() <= 10_000 && cache.kept.len() > 2);
    }

    #[test]
    fn what_does_not_fit_is_not_kept_and_nothing_else_is_lost() {
        let cache = Numbers::new(10_000, 100);
        put(&cache, 1, 100);
        put(&cache, 2, 1 << 40);
        assert_eq!((is_kept(&cache, 1), is_kept(&cache, 2)), (true, false));
        let nothing = Numbers::new(0, 100);
        put(&nothing, 1, 1);
        assert!(!is_kept(&nothing, 1));
    }

    #[test]
    fn values_are_forgotten_by_name() {
        let cache = Numbers::new(10_000, 100);
        for key in 0..10 {
            put(&cache, key, 100);
        }
        cache.forget(&3, |value| *value != 3);
        assert!(is_kept(&cache, 3));
        cache.forget(&3, |value| *value == 3);
        cache.retain(|key| *key > 5);
        let left: Vec<u32> = (0..10).filter(|key| is_kept(&cache, *key)).collect();
        assert_eq!(left, [6, 7, 8, 9]);
    }
}
