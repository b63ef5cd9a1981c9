//! One pool of HTTP/1.1 connections to every store.
//!
//! TLS is rustls on ring: the first handshake costs a quarter of a millisecond where aws-lc's costs thirty.
//! All stores share the pool, so that a bucket more is not a connection more.

mod names;
mod pool;

use http::StatusCode;
use http_body_util::BodyExt;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse,
    HttpResponseBody, HttpService,
};

use pool::{Fault, Pool};

/// The store asked for patience: status 429 or 503.
#[derive(Debug, thiserror::Error)]
#[error("the store is throttling")]
pub struct Throttled;

/// The object ends before the range that was asked for: status 416.
#[derive(Debug, thiserror::Error)]
#[error("the object ends before the range")]
pub struct Beyond;

/// A connection that had been kept was closed by the store: the request may be sent again at once.
#[derive(Debug, thiserror::Error)]
#[error("the store had closed the connection")]
pub struct Stale;

/// The bucket lies in another region, which S3 names.
#[derive(Debug, thiserror::Error)]
#[error("the bucket lies in the region {0}")]
pub struct Elsewhere(pub String);

/// The `Cause` that lies behind an error, if it does.
pub fn behind<'a, Cause: std::error::Error + 'static>(
    error: &'a (dyn std::error::Error + 'static),
) -> Option<&'a Cause> {
    std::iter::successors(Some(error), |error| error.source()).find_map(|error| error.downcast_ref())
}

/// Whether a `Cause` is what lies behind an error.
pub fn is_behind<Cause: std::error::Error + 'static>(error: &(dyn std::error::Error + 'static)) -> bool {
    behind::<Cause>(error).is_some()
}

/// The region in which S3 says that a bucket lies, where it does not answer for another.
fn elsewhere(response: &http::Response<pool::Kept>) -> Option<Elsewhere> {
    let moved = [
        StatusCode::MOVED_PERMANENTLY,
        StatusCode::TEMPORARY_REDIRECT,
        StatusCode::BAD_REQUEST,
    ];
    let region = response.headers().get("x-amz-bucket-region")?.to_str().ok()?;
    let plain = !region.is_empty()
        && region
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (plain && moved.contains(&response.status())).then(|| Elsewhere(region.to_owned()))
}

/// The pool, cheap to clone.
#[derive(Clone, Debug)]
pub struct Transport {
    pool: Pool,
}

impl Transport {
    /// Without connections yet; so many reads may be in flight to a host.
    pub fn new(reads: usize) -> Self {
        Self {
            pool: Pool::new(reads),
        }
    }

    /// Sends a request without a body; the answer's body has not been read yet.
    pub async fn get(&self, request: http::Request<()>) -> Result<HttpResponse, HttpError> {
        self.call(request.map(|()| HttpRequestBody::empty())).await
    }
}

#[async_trait::async_trait]
impl HttpService for Transport {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let response = self.pool.send(request).await.map_err(|fault| match fault {
            Fault::Stale => HttpError::new(HttpErrorKind::Interrupted, Stale),
            Fault::Connect(error) => HttpError::new(HttpErrorKind::Connect, std::io::Error::other(error)),
            Fault::Interrupted(error) => HttpError::new(HttpErrorKind::Interrupted, error),
        })?;
        if let Some(elsewhere) = elsewhere(&response) {
            return Err(HttpError::new(HttpErrorKind::Request, elsewhere));
        }
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
