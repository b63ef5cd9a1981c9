//! A web server of files that can misbehave: a faulty store is a store, and so is one that is far away.

mod conditions;

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{ACCEPT_RANGES, CONTENT_LENGTH, CONTENT_RANGE, ETAG, IF_MATCH, LOCATION, RANGE};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Incoming;

use crate::cog::Cog;
use crate::listen::{Connection, Connections, listen};
use crate::log::{Entry, Log};
pub use conditions::{Conditions, Fault};
use conditions::{Wire, paced};

/// A running server.
#[derive(Debug)]
pub struct HttpStore {
    /// Where it listens.
    pub address: SocketAddr,
    /// What it was asked.
    pub log: Arc<Log>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    conditions: Conditions,
    link: Arc<Wire>,
    connections: Arc<Connections>,
}

#[derive(Debug, Default)]
struct State {
    files: HashMap<String, (Content, u32)>,
    faults: VecDeque<Fault>,
    always: Option<Fault>,
    /// Requests so far.
    asked: u64,
    /// The wire of each connection.
    wires: HashMap<u64, Arc<Wire>>,
}

/// What a file holds: bytes, or a file far larger than memory whose blocks are all alike.
#[derive(Clone, Debug)]
enum Content {
    Whole(Bytes),
    Cog(Arc<Cog>),
}

impl Content {
    fn len(&self) -> u64 {
        match self {
            Self::Whole(bytes) => bytes.len() as u64,
            Self::Cog(cog) => cog.size(),
        }
    }

    fn slice(&self, range: Range<u64>) -> Bytes {
        match self {
            Self::Whole(bytes) => bytes.slice(range.start as usize..range.end as usize),
            Self::Cog(cog) => cog.slice(range),
        }
    }
}

type AnyBody = UnsyncBoxBody<Bytes, io::Error>;

impl HttpStore {
    /// Starts a server without files that waits `latency` before each answer.
    pub async fn start(latency: Duration) -> Self {
        Self::under(Conditions {
            think: latency,
            ..Conditions::default()
        })
        .await
    }

    /// Starts a server without files that is reached under these conditions.
    pub async fn under(conditions: Conditions) -> Self {
        let connections = Arc::new(Connections::capped(conditions.connections));
        let (log, shared) = (
            Arc::new(Log::default()),
            Arc::new(Shared {
                state: Mutex::default(),
                conditions,
                link: Arc::new(Wire::new(conditions.link_bytes_per_s)),
                connections: connections.clone(),
            }),
        );
        let own = (log.clone(), shared.clone());
        let address = listen(connections, move |request, connection| {
            let (log, shared) = own.clone();
            async move { answer(&log, &shared, &request, connection).await }
        })
        .await;
        Self { address, log, shared }
    }

    /// Connections that were opened so far.
    pub fn connections(&self) -> u64 {
        self.shared.connections.opened()
    }

    /// Closes every connection, as stores do with those that are idle.
    pub fn close_connections(&self) {
        self.shared.connections.close();
    }

    /// The address of a file.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// Puts a file, or replaces it by another version.
    pub fn put(&self, path: &str, bytes: impl Into<Bytes>) {
        self.put_content(path, Content::Whole(bytes.into()));
    }

    /// Puts a file that is made as it is read.
    pub fn put_cog(&self, path: &str, cog: Cog) {
        self.put_content(path, Content::Cog(Arc::new(cog)));
    }

    fn put_content(&self, path: &str, content: Content) {
        let mut state = self.state();
        let version = state.files.get(path).map_or(1, |(_, version)| version + 1);
        state.files.insert(path.to_owned(), (content, version));
    }

    /// Takes a file away.
    pub fn remove(&self, path: &str) {
        self.state().files.remove(path);
    }

    /// The next requests meet these faults, one each.
    pub fn fail_next(&self, faults: &[Fault]) {
        self.state().faults.extend(faults);
    }

    /// Every request meets this fault, or none again.
    pub fn fail_always(&self, fault: Option<Fault>) {
        self.state().always = fault;
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.shared.state.lock().expect("no panic holds it")
    }
}

/// What a request finds: the file, the fault that it meets, and the wire.
type Met = (Option<(Content, u32)>, Option<Fault>, Arc<Wire>);

fn meet(shared: &Shared, path: &str, connection: u64) -> Met {
    let mut state = shared.state.lock().expect("no panic holds it");
    state.asked += 1;
    let regular = shared
        .conditions
        .every
        .filter(|(every, _)| state.asked.is_multiple_of(*every));
    let fault = state
        .faults
        .pop_front()
        .or(state.always)
        .or(regular.map(|(_, fault)| fault));
    let rate = shared.conditions.connection_bytes_per_s;
    let wire = state
        .wires
        .entry(connection)
        .or_insert_with(|| Arc::new(Wire::new(rate)));
    let wire = wire.clone();
    (state.files.get(path).cloned(), fault, wire)
}

/// A request that is logged when it has been answered, or when whoever sent it has gone.
struct Asked<'a> {
    log: &'a Log,
    entry: Entry,
}

impl<'a> Asked<'a> {
    fn new(log: &'a Log, request: &Request<Incoming>, connection: u64) -> Self {
        let header = |name| {
            let value = request.headers().get(name);
            value
                .and_then(|value| value.to_str().ok())
                .unwrap_or_default()
                .to_owned()
        };
        let came = Instant::now();
        let entry = Entry {
            method: request.method().to_string(),
            path: request.uri().path().trim_start_matches('/').to_owned(),
            query: request.uri().query().unwrap_or_default().to_owned(),
            range: header(RANGE),
            if_match: header(IF_MATCH),
            status: 0,
            bytes: 0,
            connection,
            came,
            went: came,
        };
        Self { log, entry }
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        self.entry.went = Instant::now();
        self.log.add(self.entry.clone());
    }
}

async fn answer(
    log: &Log,
    shared: &Shared,
    request: &Request<Incoming>,
    connection: Connection,
) -> Result<Response<AnyBody>, io::Error> {
    let mut asked = Asked::new(log, request, connection.number);
    let entry = &mut asked.entry;
    let (file, fault, wire) = meet(shared, &entry.path, connection.number);
    let Conditions {
        round_trip, think, ..
    } = shared.conditions;
    let connected = connection.opened + round_trip;
    let until = entry.came.max(connected) + round_trip + think;
    tokio::time::sleep_until(until.into()).await;
    if let Some(Fault::Stall(stall)) = fault {
        tokio::time::sleep(stall).await;
    }
    let wires = [wire, shared.link.clone()];
    let response = respond(file, fault, &entry.range, &entry.if_match, wires)?;
    entry.status = response.status().as_u16();
    let length = response.headers().get(CONTENT_LENGTH);
    entry.bytes = length
        .and_then(|length| length.to_str().ok()?.parse().ok())
        .unwrap_or_default();
    Ok(response)
}

fn respond(
    file: Option<(Content, u32)>,
    fault: Option<Fault>,
    range: &str,
    if_match: &str,
    wires: [Arc<Wire>; 2],
) -> Result<Response<AnyBody>, io::Error> {
    match fault {
        Some(Fault::Reset) => return Err(io::Error::other("reset")),
        Some(Fault::Unavailable) => return Ok(refusal(StatusCode::SERVICE_UNAVAILABLE)),
        Some(Fault::Broken) => return Ok(refusal(StatusCode::INTERNAL_SERVER_ERROR)),
        Some(Fault::Forbidden) => return Ok(refusal(StatusCode::FORBIDDEN)),
        Some(Fault::Moved) => {
            let mut moved = refusal(StatusCode::FOUND);
            let secret = HeaderValue::from_static("http://127.0.0.1/secret.tif");
            moved.headers_mut().insert(LOCATION, secret);
            return Ok(moved);
        }
        _ => {}
    }
    let Some((content, version)) = file else {
        return Ok(refusal(StatusCode::NOT_FOUND));
    };
    let etag = format!("\"v{version}\"");
    if !if_match.is_empty() && if_match != etag {
        return Ok(refusal(StatusCode::PRECONDITION_FAILED));
    }
    let size = content.len();
    let builder = Response::builder()
        .header(ACCEPT_RANGES, "bytes")
        .header(ETAG, etag);
    let wanted = match parse_range(range) {
        Some(wanted) if wanted.start >= size => return Ok(refusal(StatusCode::RANGE_NOT_SATISFIABLE)),
        wanted => wanted.filter(|_| fault != Some(Fault::IgnoredRange)),
    };
    let wanted = wanted.map(|wanted| wanted.start..wanted.end.min(size));
    let (status, part) = match wanted {
        Some(wanted) if fault == Some(Fault::WrongRange) => {
            let start = wanted.start.saturating_add(7).min(size);
            (
                StatusCode::PARTIAL_CONTENT,
                start..wanted.end.saturating_add(7).min(size),
            )
        }
        Some(wanted) => (StatusCode::PARTIAL_CONTENT, wanted),
        None => (StatusCode::OK, 0..size),
    };
    let builder = builder
        .status(status)
        .header(CONTENT_LENGTH, part.end - part.start);
    let builder = if status == StatusCode::PARTIAL_CONTENT {
        builder.header(
            CONTENT_RANGE,
            format!("bytes {}-{}/{size}", part.start, part.end.saturating_sub(1)),
        )
    } else {
        builder
    };
    let body = StreamBody::new(paced(&content.slice(part), wires, fault)).boxed_unsync();
    Ok(builder.body(body).expect("headers of text"))
}

/// `bytes=a-b`.
fn parse_range(text: &str) -> Option<Range<u64>> {
    let (first, last) = text.strip_prefix("bytes=")?.split_once('-')?;
    let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last).then(|| first..last + 1)
}

fn refusal(status: StatusCode) -> Response<AnyBody> {
    let body = Full::new(Bytes::from_static(b"secret words of the store"));
    let mut response = Response::new(body.map_err(|never: Infallible| match never {}).boxed_unsync());
    *response.status_mut() = status;
    response
}
