//! A small HTTP/1.1 server, the ground of every store: it counts connections and sets `TCP_NODELAY`.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use bytes::Bytes;
use http::{Request, Response};
use hyper::body::{Body, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::{Notify, Semaphore};

/// The connections of a server.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    opened: AtomicU64,
    close: Notify,
    /// How many may be open; further ones are left waiting. `None`: any number.
    cap: Option<usize>,
}

impl Connections {
    /// At most `cap` at once.
    pub(crate) fn capped(cap: Option<usize>) -> Self {
        Self {
            cap,
            ..Self::default()
        }
    }

    /// How many were opened so far.
    pub(crate) fn opened(&self) -> u64 {
        self.opened.load(Ordering::Relaxed)
    }

    /// Closes all that are open, also in the middle of an answer.
    pub(crate) fn close(&self) {
        self.close.notify_waiters();
    }
}

/// A connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Connection {
    /// Counted from 0.
    pub(crate) number: u64,
    /// When it was accepted.
    pub(crate) opened: Instant,
}

/// Serves `answer` on a free port until the test's runtime ends. It is told the number of the connection, from 0, and when that was opened;
/// an error breaks the connection off.
pub(crate) async fn listen<A, F, B, E>(connections: Arc<Connections>, answer: A) -> SocketAddr
where
    A: Fn(Request<Incoming>, Connection) -> F + Send + Sync + 'static,
    F: Future<Output = Result<Response<B>, E>> + Send,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
    E: Into<Box<dyn Error + Send + Sync>> + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let answer = Arc::new(answer);
    let places = Arc::new(Semaphore::new(connections.cap.unwrap_or(Semaphore::MAX_PERMITS)));
    tokio::spawn(async move {
        while let (Ok(place), Ok((stream, _))) =
            (places.clone().acquire_owned().await, listener.accept().await)
        {
            let _ = stream.set_nodelay(true);
            let connection = Connection {
                number: connections.opened.fetch_add(1, Ordering::Relaxed),
                opened: Instant::now(),
            };
            let (answer, connections) = (answer.clone(), connections.clone());
            let service = service_fn(move |request| {
                let answer = answer.clone();
                async move { answer(request, connection).await }
            });
            tokio::spawn(async move {
                let served = hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), service);
                tokio::select! {
                    _ = served => {}
                    () = connections.close.notified() => {}
                }
                drop(place);
            });
        }
    });
    address
}
