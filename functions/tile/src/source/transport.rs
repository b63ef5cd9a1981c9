//! One pool of HTTP/1.1 connections to every store.
//!
//! hyper with rustls on ring: the first handshake costs a quarter of a millisecond where aws-lc's costs thirty.
//! All stores share the pool, so that a bucket more is not a connection more.

use std::time::Duration;

use http::StatusCode;
use http_body_util::BodyExt;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector as TcpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse,
    HttpResponseBody, HttpService,
};

/// A connection that is not there after this long is tried anew.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// Idle connections are closed by us before a store closes them: S3 does so after about 20 s.
const IDLE_TIMEOUT: Duration = Duration::from_secs(15);

/// The store asked for patience: status 429 or 503.
#[derive(Debug, thiserror::Error)]
#[error("the store is throttling")]
pub struct Throttled;

/// The object ends before the range that was asked for: status 416.
#[derive(Debug, thiserror::Error)]
#[error("the object ends before the range")]
pub struct Beyond;

/// Whether a `Cause` is what lies behind an error.
pub fn is_behind<Cause: std::error::Error + 'static>(error: &(dyn std::error::Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| error.source()).any(<dyn std::error::Error>::is::<Cause>)
}

type Pool = Client<HttpsConnector<TcpConnector>, HttpRequestBody>;

/// The pool, cheap to clone.
#[derive(Clone, Debug)]
pub struct Transport {
    pool: Pool,
}

impl Default for Transport {
    /// An empty pool.
    fn default() -> Self {
        let mut tcp = TcpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        tcp.set_keepalive(Some(Duration::from_secs(30)));
        let https = HttpsConnectorBuilder::new()
            .with_webpki_roots()
            .https_or_http()
            .enable_http1()
            .wrap_connector(tcp);
        let pool = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_timer(TokioTimer::new())
            .timer(TokioTimer::new())
            .build(https);
        Self { pool }
    }
}

impl Transport {
    /// Sends a request without a body; the answer's body has not been read yet.
    pub async fn get(&self, request: http::Request<()>) -> Result<HttpResponse, HttpError> {
        self.call(request.map(|()| HttpRequestBody::empty())).await
    }
}

#[async_trait::async_trait]
impl HttpService for Transport {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let response = self.pool.request(request).await.map_err(|error| {
            let kind = if error.is_connect() {
                HttpErrorKind::Connect
            } else {
                HttpErrorKind::Interrupted
            };
            HttpError::new(kind, error)
        })?;
        // object_store would fold these into errors without a status.
        match response.status() {
            StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => {
                Err(HttpError::new(HttpErrorKind::Interrupted, Throttled))
            }
            StatusCode::RANGE_NOT_SATISFIABLE => Err(HttpError::new(HttpErrorKind::Request, Beyond)),
            _ => Ok(response.map(|body| {
                HttpResponseBody::new(body.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error)))
            })),
        }
    }
}

impl HttpConnector for Transport {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}
