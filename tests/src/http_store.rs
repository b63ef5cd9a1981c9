//! A web server of files that can misbehave: a faulty store is a store.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::stream;
use http::header::{ACCEPT_RANGES, CONTENT_LENGTH, CONTENT_RANGE, ETAG, IF_MATCH, RANGE};
use http::{Request, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};

use crate::listen::listen;
use crate::log::{Entry, Log};

/// What a server can do instead of answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Answers 503 with a text that is nobody's business.
    Unavailable,
    /// Answers 500.
    Broken,
    /// Answers 403 with a text that is nobody's business.
    Forbidden,
    /// Closes the connection without an answer.
    Reset,
    /// Promises the whole body, sends half and breaks off.
    Truncated,
    /// Sends as many bytes as asked, from another place, and says so.
    WrongRange,
    /// Sends the whole file with 200.
    IgnoredRange,
    /// Says nothing for so long.
    Stall(Duration),
}

/// A running server.
#[derive(Debug)]
pub struct HttpStore {
    /// Where it listens.
    pub address: SocketAddr,
    /// What it was asked.
    pub log: Arc<Log>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    files: HashMap<String, (Bytes, u32)>,
    faults: VecDeque<Fault>,
    always: Option<Fault>,
}

type AnyBody = UnsyncBoxBody<Bytes, io::Error>;

impl HttpStore {
    /// Starts a server without files that waits `latency` before each answer.
    pub async fn start(latency: Duration) -> Self {
        let (log, state) = (Arc::new(Log::default()), Arc::new(Mutex::new(State::default())));
        let shared = (log.clone(), state.clone());
        let address = listen(move |request, connection| {
            let (log, state) = shared.clone();
            async move { answer(&log, &state, latency, &request, connection).await }
        })
        .await;
        Self { address, log, state }
    }

    /// The address of a file.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// Puts a file, or replaces it by another version.
    pub fn put(&self, path: &str, bytes: impl Into<Bytes>) {
        let mut state = self.state();
        let version = state.files.get(path).map_or(1, |(_, version)| version + 1);
        state.files.insert(path.to_owned(), (bytes.into(), version));
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
        self.state.lock().expect("no panic holds it")
    }
}

async fn answer(
    log: &Log,
    state: &Mutex<State>,
    latency: Duration,
    request: &Request<Incoming>,
    connection: u64,
) -> Result<Response<AnyBody>, io::Error> {
    let came = Instant::now();
    let path = request.uri().path().trim_start_matches('/').to_owned();
    let (file, fault) = {
        let mut state = state.lock().expect("no panic holds it");
        let fault = state.faults.pop_front().or(state.always);
        (state.files.get(&path).cloned(), fault)
    };
    tokio::time::sleep(latency).await;
    if let Some(Fault::Stall(stall)) = fault {
        tokio::time::sleep(stall).await;
    }
    let header = |name| {
        request
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .to_owned()
    };
    let (range, if_match) = (header(RANGE), header(IF_MATCH));
    let response = respond(file, fault, &range, &if_match);
    let status = response.as_ref().map_or(0, |response| response.status().as_u16());
    let length = response
        .as_ref()
        .ok()
        .and_then(|response| response.headers().get(CONTENT_LENGTH));
    let bytes = length
        .and_then(|length| length.to_str().ok()?.parse().ok())
        .unwrap_or_default();
    let method = request.method().to_string();
    log.add(Entry {
        method,
        path,
        range,
        if_match,
        status,
        bytes,
        connection,
        came,
        went: Instant::now(),
    });
    response
}

fn respond(
    file: Option<(Bytes, u32)>,
    fault: Option<Fault>,
    range: &str,
    if_match: &str,
) -> Result<Response<AnyBody>, io::Error> {
    match fault {
        Some(Fault::Reset) => return Err(io::Error::other("reset")),
        Some(Fault::Unavailable) => return Ok(refusal(StatusCode::SERVICE_UNAVAILABLE)),
        Some(Fault::Broken) => return Ok(refusal(StatusCode::INTERNAL_SERVER_ERROR)),
        Some(Fault::Forbidden) => return Ok(refusal(StatusCode::FORBIDDEN)),
        Some(Fault::Truncated | Fault::WrongRange | Fault::IgnoredRange | Fault::Stall(_)) | None => {}
    }
    let Some((bytes, version)) = file else {
        return Ok(refusal(StatusCode::NOT_FOUND));
    };
    let etag = format!("\"v{version}\"");
    if !if_match.is_empty() && if_match != etag {
        return Ok(refusal(StatusCode::PRECONDITION_FAILED));
    }
    let size = bytes.len();
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
    let builder = builder.status(status).header(CONTENT_LENGTH, part.len());
    let builder = if status == StatusCode::PARTIAL_CONTENT {
        builder.header(
            CONTENT_RANGE,
            format!("bytes {}-{}/{size}", part.start, part.end.saturating_sub(1)),
        )
    } else {
        builder
    };
    let part = bytes.slice(part);
    let body = if fault == Some(Fault::Truncated) {
        cut(&part)
    } else {
        whole(part)
    };
    Ok(builder.body(body).expect("headers of text"))
}

/// `bytes=a-b`.
fn parse_range(text: &str) -> Option<Range<usize>> {
    let (first, last) = text.strip_prefix("bytes=")?.split_once('-')?;
    let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last).then(|| first..last + 1)
}

fn refusal(status: StatusCode) -> Response<AnyBody> {
    let mut response = Response::new(whole(Bytes::from_static(b"secret words of the store")));
    *response.status_mut() = status;
    response
}

fn whole(bytes: Bytes) -> AnyBody {
    Full::new(bytes)
        .map_err(|never: Infallible| match never {})
        .boxed_unsync()
}

fn cut(bytes: &Bytes) -> AnyBody {
    let half = Ok(Frame::data(bytes.slice(..bytes.len() / 2)));
    let broken = Err(io::Error::other("broken off"));
    StreamBody::new(stream::iter([half, broken])).boxed_unsync()
}
