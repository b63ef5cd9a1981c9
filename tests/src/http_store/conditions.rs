//! The way between a client and a store: how far, how broad, how reliable.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt};
use hyper::body::Frame;
use tokio::time::{Instant, sleep_until};

/// What a server can do instead of answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Answers 503 with a text that is nobody's business.
    Unavailable,
    /// Answers 500.
    Broken,
    /// Answers 403 with a text that is nobody's business.
    Forbidden,
    /// Answers 302 to another address, which is nobody's business.
    Moved,
    /// Closes the connection without an answer.
    Reset,
    /// Promises the whole body, sends half and breaks off.
    Truncated,
    /// Sends as many bytes as asked, from another place, and says so.
    WrongRange,
    /// Sends the whole file with 200.
    IgnoredRange,
    /// Says nothing for so long, then answers.
    Stall(Duration),
    /// Sends half of the body, and the rest after so long.
    StallWithin(Duration),
}

/// How a store is reached. The default is as near as can be, without limits and faults.
#[derive(Clone, Copy, Debug, Default)]
pub struct Conditions {
    /// From a request to the first byte of its answer, beside `think`; a new connection costs as much once more.
    pub round_trip: Duration,
    /// The time that the store itself takes.
    pub think: Duration,
    /// What one connection carries, bytes a second.
    pub connection_bytes_per_s: Option<u64>,
    /// What all connections together carry.
    pub link_bytes_per_s: Option<u64>,
    /// Connections that may be open at once; further ones wait until one is closed.
    pub connections: Option<usize>,
    /// Every so manieth request meets this fault.
    pub every: Option<(u64, Fault)>,
}

/// Bytes that go out in one piece.
const CHUNK: usize = 32 << 10;

/// A wire that carries one chunk after the other.
#[derive(Debug)]
pub(super) struct Wire {
    bytes_per_s: Option<u64>,
    free_at: Mutex<Instant>,
}

impl Wire {
    pub(super) fn new(bytes_per_s: Option<u64>) -> Self {
        Self {
            bytes_per_s,
            free_at: Mutex::new(Instant::now()),
        }
    }

    /// When that many bytes are through, if they are sent now.
    fn send(&self, bytes: usize) -> Option<Instant> {
        let seconds = bytes as f64 / self.bytes_per_s? as f64;
        let mut free_at = self.free_at.lock().expect("no panic holds it");
        *free_at = (*free_at).max(Instant::now()) + Duration::from_secs_f64(seconds);
        Some(*free_at)
    }
}

enum Step {
    Send(Bytes),
    Wait(Duration),
    Break,
}

/// A body as it comes over these wires, with a fault of its own.
pub(super) fn paced(
    bytes: &Bytes,
    wires: [Arc<Wire>; 2],
    fault: Option<Fault>,
) -> impl Stream<Item = io::Result<Frame<Bytes>>> + Send + use<> {
    let half = bytes.len() / 2;
    let sent = |bytes: Bytes| {
        let starts = (0..bytes.len()).step_by(CHUNK);
        starts
            .map(move |start| Step::Send(bytes.slice(start..(start + CHUNK).min(bytes.len()))))
            .collect::<Vec<_>>()
    };
    let mut steps = sent(bytes.slice(..half));
    match fault {
        Some(Fault::Truncated) => steps.push(Step::Break),
        Some(Fault::StallWithin(time)) => {
            steps.push(Step::Wait(time));
            steps.extend(sent(bytes.slice(half..)));
        }
        _ => steps = sent(bytes.clone()),
    }
    stream::iter(steps).then(move |step| {
        let wires = wires.clone();
        async move {
            match step {
                Step::Send(chunk) => {
                    let through = wires.iter().filter_map(|wire| wire.send(chunk.len())).max();
                    if let Some(through) = through {
                        sleep_until(through).await;
                    }
                    Ok(Frame::data(chunk))
                }
                Step::Wait(time) => {
                    tokio::time::sleep(time).await;
                    Ok(Frame::data(Bytes::new()))
                }
                Step::Break => Err(io::Error::other("broken off")),
            }
        }
    })
}
