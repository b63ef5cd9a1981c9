//! Connections that are kept: one is taken where one is idle, and opened only where none is.
//!
//! hyper-util's own client opens a connection beside waiting for one, so that a store which allows 32 of them sees
//! more. Here a connection is opened only by a request that found none idle; since requests in flight are limited,
//! connections are too. The one used last is taken first, so that those not needed grow old and are dropped.
//!
//! A read that takes the last one, or finds none, opens a spare one as long as there are few: after the head of a file come
//! several blocks, and a read that was sent twice closes a connection. Whoever comes next waits for no handshake.

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::uri::{Authority, Scheme};
use http::{HeaderValue, Request, Response, Uri, header};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector as TcpConnector;
use object_store::client::HttpRequestBody;
use tokio::time::timeout;
use tower_service::Service as _;

use super::names::Names;

/// A connection that is not there after this long is tried anew.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// Connections that were idle for longer are not used: S3 closes them after about 20 s, and while a function is frozen
/// nobody notices.
const IDLE_TIMEOUT: Duration = Duration::from_secs(15);

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Fault {
    /// A connection that had been kept was closed.
    Stale,
    /// No connection could be opened.
    Connect(Box<dyn std::error::Error + Send + Sync>),
    /// It broke.
    Interrupted(hyper::Error),
}

/// A host with so many connections gets no spare ones, however many reads may be in flight to it.
const MOST_SPARED: usize = 16;

/// Connections to all hosts, cheap to clone.
#[derive(Clone)]
pub(super) struct Pool(Arc<Inner>);

struct Inner {
    connector: HttpsConnector<TcpConnector<Names>>,
    /// A host with so many connections gets no spare ones.
    enough: usize,
    peers: Mutex<HashMap<Peer, Connections>>,
}

type Peer = (Scheme, Authority);

/// The connections to a host.
#[derive(Default)]
struct Connections {
    idle: Vec<Idle>,
    /// Those in use too, and those that are being opened.
    open: Arc<AtomicUsize>,
}

impl Connections {
    /// Forgets those that are closed or were idle for too long.
    fn tidy(&mut self) {
        let stands = |idle: &Idle| !idle.sender.request.is_closed() && idle.since.elapsed() < IDLE_TIMEOUT;
        self.idle.retain(stands);
    }
}

struct Idle {
    sender: Sender,
    since: Instant,
}

/// The end of a connection that takes requests.
struct Sender {
    request: SendRequest<HttpRequestBody>,
    /// It has carried a request before.
    used: bool,
    _open: Open,
}

/// A connection that counts as open.
struct Open(Arc<AtomicUsize>);

impl Open {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count.clone())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Pool {
    /// No connection yet. So many reads may be in flight to a host: a server that allows no more connections must not hold
    /// a spare one where a read could have it, so that half of them may be.
    pub(super) fn new(reads: usize) -> Self {
        let mut tcp = TcpConnector::new_with_resolver(Names::default());
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        tcp.set_keepalive(Some(Duration::from_secs(30)));
        let connector = HttpsConnectorBuilder::new()
            .with_webpki_roots()
            .https_or_http()
            .enable_http1()
            .wrap_connector(tcp);
        Self(Arc::new(Inner {
            connector,
            enough: (reads / 2).min(MOST_SPARED),
            peers: Mutex::default(),
        }))
    }

    /// Sends a request whose address is absolute; answers once the head of the answer is there.
    pub(super) async fn send(&self, request: Request<HttpRequestBody>) -> Result<Response<Kept>, Fault> {
        let (peer, address, request) = addressed(request)?;
        let is_read = request.headers().contains_key(header::RANGE);
        let taken = self.take(&peer).await;
        if is_read {
            self.open_spare(&peer, &address);
        }
        let mut sender = match taken {
            Some(sender) => sender,
            None => self.connect(address, self.count(&peer)).await?,
        };
        let kept = std::mem::replace(&mut sender.used, true);
        match sender.request.send_request(request).await {
            Ok(response) => Ok(response.map(|body| Kept {
                body,
                back: Some((sender, peer, self.clone())),
            })),
            Err(_) if kept => {
                // Its fellows are as old as it was.
                if let Some(connections) = self.peers().get_mut(&peer) {
                    connections.idle.clear();
                }
                Err(Fault::Stale)
            }
            Err(error) => Err(Fault::Interrupted(error)),
        }
    }

    /// An idle connection that still stands, as far as can be seen.
    async fn take(&self, peer: &Peer) -> Option<Sender> {
        loop {
            let mut sender = self.pop(peer)?;
            if sender.request.ready().await.is_ok() {
                return Some(sender);
            }
        }
    }

    fn pop(&self, peer: &Peer) -> Option<Sender> {
        let mut peers = self.peers();
        let connections = peers.get_mut(peer)?;
        connections.tidy();
        connections.idle.pop().map(|idle| idle.sender)
    }

    fn put(&self, peer: Peer, sender: Sender) {
        if !sender.request.is_closed() {
            let since = Instant::now();
            let mut peers = self.peers();
            peers.entry(peer).or_default().idle.push(Idle { sender, since });
        }
    }

    /// Opens a connection for whoever comes next, where none is idle and there are few.
    fn open_spare(&self, peer: &Peer, address: &Uri) {
        let is_none_idle = |connections: &Connections| connections.idle.is_empty();
        if !self.peers().get(peer).is_none_or(is_none_idle) {
            return;
        }
        let open = self.count(peer);
        if open.0.load(Ordering::Relaxed) > self.0.enough {
            return;
        }
        let (pool, peer, address) = (self.clone(), peer.clone(), address.clone());
        tokio::spawn(async move {
            // Whoever needs one and finds none learns why.
            if let Ok(sender) = pool.connect(address, open).await {
                pool.put(peer, sender);
            }
        });
    }

    /// Counts one more connection to a peer. What is not in use any more of others is forgotten.
    fn count(&self, peer: &Peer) -> Open {
        let mut peers = self.peers();
        peers.retain(|_, connections| {
            connections.tidy();
            connections.open.load(Ordering::Relaxed) > 0
        });
        Open::new(&peers.entry(peer.clone()).or_default().open)
    }

    async fn connect(&self, address: Uri, open: Open) -> Result<Sender, Fault> {
        let mut connector = self.0.connector.clone();
        let opened = async {
            std::future::poll_fn(|context| connector.poll_ready(context)).await?;
            connector.call(address).await
        };
        let stream = match timeout(CONNECT_TIMEOUT, opened).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return Err(Fault::Connect(error)),
            Err(late) => return Err(Fault::Connect(late.into())),
        };
        let (request, connection) = Builder::new()
            .handshake(stream)
            .await
            .map_err(Fault::Interrupted)?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection to a store ended");
            }
        });
        Ok(Sender {
            request,
            used: false,
            _open: open,
        })
    }

    fn peers(&self) -> MutexGuard<'_, HashMap<Peer, Connections>> {
        self.0.peers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The peer of a request, its address, and the request as HTTP/1.1 wants it: a path, and a `Host`.
fn addressed(mut request: Request<HttpRequestBody>) -> Result<(Peer, Uri, Request<HttpRequestBody>), Fault> {
    let address = request.uri().clone();
    let (Some(scheme), Some(authority)) = (address.scheme(), address.authority()) else {
        return Err(Fault::Connect("the address names no host".into()));
    };
    let peer = (scheme.clone(), authority.clone());
    let path = address.path_and_query().map_or("/", |path| path.as_str());
    *request.uri_mut() = path
        .parse()
        .map_err(|error: http::uri::InvalidUri| Fault::Connect(error.into()))?;
    let named = authority.as_str().rsplit('@').next().unwrap_or_default();
    if let Ok(host) = HeaderValue::from_str(named) {
        request.headers_mut().entry(header::HOST).or_insert(host);
    }
    Ok((peer, address, request))
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").finish_non_exhaustive()
    }
}

/// The body of an answer. Read to its end it gives its connection back; dropped before, it closes it.
pub(super) struct Kept {
    body: Incoming,
    back: Option<(Sender, Peer, Pool)>,
}

impl Body for Kept {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        let ended = match &polled {
            Poll::Ready(None) => true,
            Poll::Ready(Some(Ok(_))) => self.body.is_end_stream(),
            _ => false,
        };
        if ended && let Some((sender, peer, pool)) = self.back.take() {
            pool.put(peer, sender);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // An answer without a body is never polled.
        if self.body.is_end_stream()
            && let Some((sender, peer, pool)) = self.back.take()
        {
            pool.put(peer, sender);
        }
    }
}
