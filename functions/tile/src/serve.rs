//! The local server: HTTP/1.1 over the app, until it is told to stop.
//!
//! `TCP_NODELAY` is set, because an answer in two writes would otherwise wait for a delayed acknowledgement. When told
//! to stop it takes no new connection, finishes what is in flight, and gives up on what takes longer than [`GRACE`].

mod settle;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONNECTION;
use http::{HeaderValue, Request, Response};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tracing::debug;

use self::settle::{Busy, QUIET, give_back};
use crate::app::App;
use crate::request::{LONGEST_BODY_BYTES, Refused, Route};

/// Connections at once; each may hold [`HEAD_BYTES`] of buffers.
const CONNECTIONS: usize = 1024;
/// The longest request head, in bytes: a query of 64 kB, and headers.
const HEAD_BYTES: usize = 96 << 10;
/// How long a client may take to send a request head, or keep a connection idle.
const HEAD_PATIENCE: Duration = Duration::from_mins(1);
/// How long a client may take to send a body.
const BODY_PATIENCE: Duration = Duration::from_secs(20);
/// How long requests in flight may take when the server is told to stop.
const GRACE: Duration = Duration::from_secs(10);

/// A server that listens but does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
}

impl Server {
    /// Listens at an address; port 0 takes a free one.
    pub async fn bind(host: &str, port: u16) -> std::io::Result<Self> {
        Ok(Self {
            listener: TcpListener::bind((host, port)).await?,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until `stop` is ready, then finishes what is in flight.
    pub async fn run(self, app: Arc<App>, stop: impl Future<Output = ()>) {
        let graceful = GracefulShutdown::new();
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        let busy = Arc::new(Busy::default());
        let watched = busy.clone();
        let watch = tokio::spawn(async move { watched.watch(QUIET, give_back).await });
        tokio::pin!(stop);
        loop {
            let accept = async {
                // The place is taken before the connection is, so that more callers wait outside.
                let place = places.clone().acquire_owned().await;
                (self.listener.accept().await, place)
            };
            let (accepted, place) = tokio::select! {
                accepted = accept => accepted,
                () = &mut stop => break,
            };
            match accepted {
                Ok((stream, _)) => {
                    let connection = graceful.watch(connection(stream, app.clone(), busy.clone()));
                    tokio::spawn(async move {
                        if let Err(error) = connection.await {
                            debug!(%error, "a connection ended early");
                        }
                        drop(place);
                    });
                }
                // Out of file handles, most likely: others will be closed.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
        drop(self.listener);
        watch.abort();
        let _ = tokio::time::timeout(GRACE, graceful.shutdown()).await;
    }
}

fn connection(
    stream: TcpStream,
    app: Arc<App>,
    busy: Arc<Busy>,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> + Send {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let (app, busy) = (app.clone(), busy.clone());
        async move {
            let _request = busy.begin();
            Ok::<_, Infallible>(answer(&app, request).await)
        }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_PATIENCE)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service)
}

async fn answer(app: &App, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let (head, body) = request.into_parts();
    // No body is waited for that says nothing.
    let (body, is_over) = if Route::has_body(&head.method, head.uri.path()) {
        let body = read(body, BODY_PATIENCE).await;
        let is_over = body.is_ok();
        (body, is_over)
    } else {
        (Ok(Bytes::new()), body.is_end_stream())
    };
    let mut response = match body {
        Ok(body) => app.answer(Request::from_parts(head, body)).await,
        Err(refused) => app.refuse(&Request::from_parts(head, Bytes::new()), refused.into()),
    };
    if !is_over {
        // The rest of the body would be taken for the next request.
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    response.map(Full::new)
}

/// A body, if it comes whole, in time, and is not too long: what says so of itself is not read at all.
async fn read<B>(body: B, patience: Duration) -> Result<Bytes, Refused>
where
    B: Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    if body.size_hint().lower() > LONGEST_BODY_BYTES as u64 {
        return Err(Refused::LongBody);
    }
    let whole = Limited::new(body, LONGEST_BODY_BYTES).collect();
    match tokio::time::timeout(patience, whole).await {
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refused::LongBody),
        Ok(Err(_)) => Err(Refused::BrokenBody),
        Err(_) => Err(Refused::SlowBody),
    }
}

/// Ready when the process is asked to end: ctrl-c, or SIGTERM from a supervisor.
pub async fn told_to_stop() {
    let ctrl_c = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminate) = signal(SignalKind::terminate()) else {
            return ctrl_c.await;
        };
        tokio::select! {
            () = ctrl_c => {}
            _ = terminate.recv() => {}
        }
    }
    #[cfg(not(unix))]
    ctrl_c.await;
}

#[cfg(test)]
mod tests;
