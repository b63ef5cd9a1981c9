//! What a store was asked: every request, in order, with what it was sent.

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The requests of a store since it started or since the last [`Log::take`].
#[derive(Debug, Default)]
pub struct Log(Mutex<Vec<Entry>>);

/// One request.
#[derive(Clone, Debug)]
pub struct Entry {
    /// GET, HEAD or PUT.
    pub method: String,
    /// The path, as it was sent.
    pub path: String,
    /// The query, as it was sent; empty without one.
    pub query: String,
    /// `Range`, as it was sent; empty without one.
    pub range: String,
    /// `If-Match`, as it was sent; empty without one.
    pub if_match: String,
    /// The status of the answer; 0 without one, because of a fault or because whoever asked has gone.
    pub status: u16,
    /// Bytes of its body.
    pub bytes: u64,
    /// Which connection it came over, counted from 0.
    pub connection: u64,
    /// When it came.
    pub came: Instant,
    /// When the answer began, or was given up.
    pub went: Instant,
}

impl Log {
    pub(crate) fn add(&self, entry: Entry) {
        self.0.lock().expect("no panic holds it").push(entry);
    }

    /// The requests so far, which are forgotten.
    pub fn take(&self) -> Requests {
        Requests(std::mem::take(&mut *self.0.lock().expect("no panic holds it")))
    }
}

/// Requests that were taken from a log.
#[derive(Clone, Debug)]
pub struct Requests(pub Vec<Entry>);

impl Requests {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The bytes of their answers.
    pub fn bytes(&self) -> u64 {
        self.0.iter().map(|entry| entry.bytes).sum()
    }

    /// How many connections they came over.
    pub fn connections(&self) -> usize {
        let mut connections: Vec<u64> = self.0.iter().map(|entry| entry.connection).collect();
        connections.sort_unstable();
        connections.dedup();
        connections.len()
    }

    /// The round trips: the most requests of which each came after the one before had been answered.
    pub fn rounds(&self) -> usize {
        let mut entries = self.0.clone();
        entries.sort_by_key(|entry| entry.went);
        let mut last: Option<Instant> = None;
        let mut rounds = 0;
        for entry in entries {
            if last.is_none_or(|last| entry.came >= last) {
                rounds += 1;
                last = Some(entry.went);
            }
        }
        rounds
    }

    /// The most requests that were in flight at once.
    pub fn in_flight(&self) -> usize {
        let during = |at: Instant| {
            self.0
                .iter()
                .filter(|entry| entry.came <= at && at < entry.went)
                .count()
        };
        self.0
            .iter()
            .map(|entry| during(entry.came))
            .max()
            .unwrap_or_default()
    }

    /// How many ask for a range of a file while one that asks for the same is not answered.
    pub fn repeated(&self) -> usize {
        let mut entries: Vec<&Entry> = self.0.iter().collect();
        entries.sort_by_key(|entry| entry.came);
        let mut answered = std::collections::HashMap::new();
        let mut repeated = 0;
        for entry in entries {
            let before = answered.insert((&entry.path, &entry.range), entry.went);
            repeated += usize::from(before.is_some_and(|went| entry.came < went));
        }
        repeated
    }

    /// The time from the first request to the beginning of the last answer.
    pub fn span(&self) -> Duration {
        let first = self.0.iter().map(|entry| entry.came).min();
        let last = self.0.iter().map(|entry| entry.went).max();
        first
            .zip(last)
            .map(|(first, last)| last - first)
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requests(times: &[(u64, u64)]) -> Requests {
        let start = Instant::now();
        let entry = |(came, went): &(u64, u64)| Entry {
            method: "GET".into(),
            path: "/a".into(),
            query: String::new(),
            range: String::new(),
            if_match: String::new(),
            status: 206,
            bytes: 10,
            connection: *came % 2,
            came: start + Duration::from_millis(*came),
            went: start + Duration::from_millis(*went),
        };
        Requests(times.iter().map(entry).collect())
    }

    #[test]
    fn rounds_are_what_had_to_wait() {
        assert_eq!(requests(&[]).rounds(), 0);
        assert_eq!(requests(&[(0, 10), (1, 11), (2, 12)]).rounds(), 1);
        assert_eq!(requests(&[(0, 10), (10, 20), (12, 22)]).rounds(), 2);
        assert_eq!(requests(&[(0, 100), (1, 11), (12, 22), (23, 33)]).rounds(), 3);
        assert_eq!(requests(&[(0, 10), (1, 11), (12, 13)]).in_flight(), 2);
        assert_eq!(requests(&[(12, 13), (0, 10), (1, 11)]).repeated(), 1);
        assert_eq!(requests(&[(0, 10), (10, 20)]).repeated(), 0);
        assert_eq!(
            (
                requests(&[(0, 10), (3, 30)]).span().as_millis(),
                requests(&[(0, 1)]).bytes()
            ),
            (30, 10)
        );
    }
}
