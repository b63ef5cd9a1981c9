//! What is sent back: the one module that names status codes.
//!
//! Problems are sorted by who must act; [`Problem::status`] is the one match that turns them into a status. Bodies of
//! problems follow RFC 9457. Every answer carries the headers that let a page of any origin read it.

mod etag;
mod cost;

use std::time::Duration;

use bytes::Bytes;
use edgetile_raster::warp::Target;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ALLOW, CACHE_CONTROL, CONTENT_ENCODING,
    CONTENT_LENGTH, CONTENT_TYPE, ETAG, LOCATION, RETRY_AFTER, VARY, WWW_AUTHENTICATE,
};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use serde_json::json;

use crate::access::Denied;
use crate::guard::{Audience, Barred};
use crate::layers::Unresolved;
use crate::request::Refused;
use crate::request::kvp::Fault;
use crate::settings::EmptyTile;

pub use cost::{Cost, Timing};
pub use etag::{ETag, Fnv128};

/// Why there is no answer, sorted by who must act.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Problem {
    /// The caller: the request cannot be meant.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The caller, or the operator: this file is not open to requests.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The caller: a key or a signature is missing, or opens something else.
    #[error(transparent)]
    Barred(#[from] Barred),
    /// The caller: there is no such file, or no value at this place. `what` is a word, never an address.
    #[error("there is no {what}")]
    NotFound {
        /// What is missing.
        what: String,
    },
    /// The caller: the answer would be beyond a limit.
    #[error("{what}: {remedy}")]
    TooLarge {
        /// What is too large, with the limit.
        what: String,
        /// What to ask instead.
        remedy: String,
    },
    /// The owner of the file: it breaks its format.
    #[error("the file breaks its format: {0}")]
    Broken(String),
    /// The owner of the file, or we: it uses what is not read here.
    #[error("the file uses what is not read here: {0}")]
    Unsupported(String),
    /// The store, or its credentials: it answered with an error, or with bytes that cannot be true.
    #[error("the store of the file did not answer as it should")]
    StoreFailed,
    /// The store, or the caller: the file lies elsewhere.
    #[error(
        "the store of the file redirects to another address, and redirects are not followed: ask for the file where it is"
    )]
    Moved,
    /// The store: it asked for patience.
    #[error("the store of the file is busy")]
    StoreBusy,
    /// The publisher: the file is being replaced again and again while it is read.
    #[error("the file was replaced while it was read")]
    Replaced,
    /// Time: the store or the work took longer than there was.
    #[error("there was not enough time")]
    OutOfTime,
    /// We.
    #[error("something went wrong here")]
    Internal,
}

impl Problem {
    /// A name that leads to nothing, such as `file at this url`.
    pub fn not_found(what: impl Into<String>) -> Self {
        Self::NotFound { what: what.into() }
    }

    /// Whether it follows from what the files hold, so that other files would have another answer.
    pub fn is_of_files(&self) -> bool {
        matches!(
            self,
            Self::Refused(_)
                | Self::NotFound { .. }
                | Self::TooLarge { .. }
                | Self::Broken(_)
                | Self::Unsupported(_)
        )
    }

    /// The status that says who must act.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Refused(refused) => match refused {
                Refused::TooManyPixels { .. } | Refused::LargeWindow { .. } | Refused::LongBody => {
                    StatusCode::PAYLOAD_TOO_LARGE
                }
                Refused::OffGrid { .. } | Refused::NoSuchPath | Refused::Unknown { .. } => {
                    StatusCode::NOT_FOUND
                }
                Refused::Method(_) => StatusCode::METHOD_NOT_ALLOWED,
                Refused::Kvp {
                    fault: Fault::OperationNotSupported,
                    ..
                } => StatusCode::NOT_IMPLEMENTED,
                Refused::SlowBody => StatusCode::REQUEST_TIMEOUT,
                Refused::CodedBody => StatusCode::UNSUPPORTED_MEDIA_TYPE,
                Refused::Parameter { .. }
                | Refused::TooLong { .. }
                | Refused::BrokenBody
                | Refused::Kvp { .. } => StatusCode::BAD_REQUEST,
            },
            Self::Denied(Denied) | Self::Barred(Barred::WrongSignature | Barred::Expired) => {
                StatusCode::FORBIDDEN
            }
            Self::Barred(Barred::NoKey | Barred::WrongKey) => StatusCode::UNAUTHORIZED,
            Self::NotFound { .. } => StatusCode::NOT_FOUND,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Broken(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Unsupported(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::StoreFailed | Self::Moved => StatusCode::BAD_GATEWAY,
            Self::StoreBusy | Self::Replaced => StatusCode::SERVICE_UNAVAILABLE,
            Self::OutOfTime => StatusCode::GATEWAY_TIMEOUT,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// How long a cache may keep it: a mistake for minutes, a refusal that the operator may be mending for
    /// seconds, a fault not at all.
    fn cache_control(&self) -> &'static str {
        match self.status() {
            StatusCode::FORBIDDEN => "public, max-age=10",
            // The same address may be asked for with a key, or over a better line.
            StatusCode::UNAUTHORIZED | StatusCode::REQUEST_TIMEOUT => "no-store",
            status if status.is_client_error() => "public, max-age=300",
            _ => "no-store",
        }
    }

    fn respond(&self) -> Response<Bytes> {
        let status = self.status();
        let document = json!({
            "type": "about:blank",
            "title": status.canonical_reason().unwrap_or_default(),
            "status": status.as_u16(),
            "detail": self.to_string(),
        });
        let mut response = Response::new(Bytes::from(document.to_string()));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(self.cache_control()));
        if let Self::Refused(Refused::Method(methods)) = self {
            headers.insert(ALLOW, HeaderValue::from_static(methods.allow()));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if matches!(self, Self::StoreBusy | Self::Replaced) {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

impl From<Unresolved> for Problem {
    fn from(unresolved: Unresolved) -> Self {
        match unresolved {
            Unresolved::Refused(refused) => refused.into(),
            Unresolved::Denied(denied) => denied.into(),
        }
    }
}

/// What a request came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Bytes of a media type.
    Content {
        /// The bytes.
        body: Bytes,
        /// Their type.
        media_type: &'static str,
        /// What goes beside them.
        about: About,
    },
    /// It stands at another address (RFC 9110, section 15.4.8).
    Elsewhere {
        /// The address, relative or whole.
        address: String,
        /// What goes beside it.
        about: About,
    },
    /// A tile on the grid where there is no data.
    Empty(About),
    /// The caller's copy is still true.
    NotModified(About),
}

impl Outcome {
    /// What goes beside the body.
    pub fn about(&self) -> &About {
        match self {
            Self::Content { about, .. }
            | Self::Elsewhere { about, .. }
            | Self::Empty(about)
            | Self::NotModified(about) => about,
        }
    }

    fn about_mut(&mut self) -> &mut About {
        match self {
            Self::Content { about, .. }
            | Self::Elsewhere { about, .. }
            | Self::Empty(about)
            | Self::NotModified(about) => about,
        }
    }

    /// The same, for whom it is meant.
    #[must_use]
    pub fn meant_for(mut self, audience: Audience) -> Self {
        self.about_mut().audience = audience;
        self
    }

    /// The same, depending on a header of the request.
    #[must_use]
    pub fn varying_by(mut self, header: &'static str) -> Self {
        self.about_mut().vary = Some(header);
        self
    }
}

/// What goes beside a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// How long caches may keep it.
    pub freshness: Freshness,
    /// The version of what was asked.
    pub etag: Option<ETag>,
    /// What it cost.
    pub cost: Option<Cost>,
    /// How long its steps took.
    pub timing: Timing,
    /// The body is gzip already.
    pub gzip: bool,
    /// Who else may have it.
    pub audience: Audience,
    /// The header of the request that the body depends on.
    pub vary: Option<&'static str>,
    /// Where its pixels lie.
    pub place: Option<Place>,
}

/// Where the pixels of an answer lie.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// West, south, east, north, in the units of the CRS (metres for EPSG:3857).
    pub bbox: [f64; 4],
    /// The EPSG code of the CRS, where it has one.
    pub crs_uri: Option<String>,
    /// Columns and rows.
    pub size: (usize, usize),
}

impl Place {
    /// That of the pixels of a target.
    pub fn of(target: &Target) -> Self {
        let east = target.west + target.resolution.0 * target.size.0 as f64;
        let south = target.north - target.resolution.1 * target.size.1 as f64;
        Self {
            bbox: [target.west, south, east, target.north],
            crs_uri: target.crs.uri(),
            size: target.size,
        }
    }
}

/// How long caches may keep an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Freshness {
    /// As the operator set it for tiles.
    #[default]
    Tile,
    /// A minute: documents that follow the configuration.
    Document,
    /// For ever: the address names the version.
    Immutable,
    /// As long as they like, but they must ask whether it is still true.
    Revalidate,
    /// Not at all.
    Never,
}

/// What the operator decided about answers.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The answer where a tile holds no data.
    pub empty_tile: EmptyTile,
    /// `Cache-Control` of tiles.
    pub tile_cache_control: HeaderValue,
}

impl Policy {
    /// The answer to a request, complete with its headers.
    pub fn respond(&self, outcome: Result<Outcome, Problem>) -> Response<Bytes> {
        let mut response = match outcome {
            Ok(Outcome::Content {
                body,
                media_type,
                about,
            }) => {
                let mut response = self.about(StatusCode::OK, &about);
                response
                    .headers_mut()
                    .insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
                *response.body_mut() = body;
                response
            }
            Ok(Outcome::Elsewhere { address, about }) => {
                let mut response = self.about(StatusCode::TEMPORARY_REDIRECT, &about);
                insert(response.headers_mut(), LOCATION, Some(address));
                response
            }
            Ok(Outcome::NotModified(about)) => self.about(StatusCode::NOT_MODIFIED, &about),
            Ok(Outcome::Empty(about)) => {
                let status = match self.empty_tile {
                    EmptyTile::NotFound => StatusCode::NOT_FOUND,
                    EmptyTile::NoContent | EmptyTile::Transparent => StatusCode::NO_CONTENT,
                };
                self.about(status, &about)
            }
            Err(problem) => problem.respond(),
        };
        if !matches!(
            response.status(),
            StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED
        ) {
            let length = HeaderValue::from(response.body().len());
            response.headers_mut().insert(CONTENT_LENGTH, length);
        }
        open_to_all_origins(response.headers_mut());
        response
    }

    fn about(&self, status: StatusCode, about: &About) -> Response<Bytes> {
        let mut response = Response::new(Bytes::new());
        *response.status_mut() = status;
        let headers = response.headers_mut();
        let freshness = match about.freshness {
            Freshness::Tile => self.tile_cache_control.clone(),
            Freshness::Document => HeaderValue::from_static("public, max-age=60"),
            Freshness::Immutable => HeaderValue::from_static("public, max-age=31536000, immutable"),
            Freshness::Revalidate => HeaderValue::from_static("no-cache"),
            Freshness::Never => HeaderValue::from_static("no-store"),
        };
        headers.insert(CACHE_CONTROL, kept_by(about.audience, freshness));
        insert(headers, CONTENT_ENCODING, about.gzip.then_some("gzip"));
        insert(headers, VARY, about.vary);
        insert(headers, ETAG, about.etag.as_ref().map(ETag::as_str));
        insert(headers, COST, about.cost.map(|cost| cost.to_string()));
        insert(headers, SERVER_TIMING, about.timing.header());
        let place = about.place.as_ref();
        let bbox = place.map(|place| place.bbox.map(|edge| edge.to_string()).join(","));
        insert(headers, CONTENT_BBOX, bbox);
        let uri = place.and_then(|place| place.crs_uri.as_ref());
        let uri = uri.map(|uri| format!("<{uri}>"));
        insert(headers, CONTENT_CRS, uri);
        response
    }
}

/// Keeps an answer from those for whom it is not meant.
pub fn keep_for(audience: Audience, response: &mut Response<Bytes>) {
    if let Some(freshness) = response.headers().get(CACHE_CONTROL).cloned() {
        let kept = kept_by(audience, freshness);
        response.headers_mut().insert(CACHE_CONTROL, kept);
    }
}

/// Keeps an answer to a POST from caches: nobody can ask for it again by its address.
pub fn unkept(response: &mut Response<Bytes>) {
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.remove(ETAG);
}

/// How long those may keep an answer for whom it is meant. Where a signature opens it, not beyond its end: an address is all
/// that a cache asks for, and so it is the signature's address that it is kept under. Of what the operator set (RFC 9111,
/// clause 5.2: names in any case), what would let others have it is left out.
fn kept_by(audience: Audience, freshness: HeaderValue) -> HeaderValue {
    let text = freshness.to_str().unwrap_or_default();
    let parts = || text.split(',').map(str::trim);
    let says = |name: &str| parts().any(|part| part.eq_ignore_ascii_case(name));
    let seconds = |name: &str| -> Option<u64> {
        parts().find_map(|part| {
            let (other, value) = part.split_once('=')?;
            let value = other.trim().eq_ignore_ascii_case(name).then(|| value.trim())?;
            value.trim_matches('"').parse().ok()
        })
    };
    if audience == Audience::Everyone || says("no-store") {
        return freshness;
    }
    let age_s = seconds("max-age");
    let mut kept = vec![match audience {
        Audience::Until { .. } if !says("private") => "public".to_owned(),
        _ => "private".to_owned(),
    }];
    kept.extend(says("no-cache").then(|| "no-cache".to_owned()));
    match audience {
        Audience::Until { left_s, .. } => {
            // Without a lifetime a cache makes one up.
            kept.push(format!("max-age={}", age_s.unwrap_or(0).min(left_s)));
            kept.extend(seconds("s-maxage").map(|age_s| format!("s-maxage={}", age_s.min(left_s))));
        }
        _ => kept.extend(age_s.map(|age_s| format!("max-age={age_s}"))),
    }
    HeaderValue::from_str(&kept.join(", ")).unwrap_or(HeaderValue::from_static("no-store"))
}

const COST: HeaderName = HeaderName::from_static("edgetile-cost");
const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");
const CONTENT_BBOX: HeaderName = HeaderName::from_static("content-bbox");
const CONTENT_CRS: HeaderName = HeaderName::from_static("content-crs");

fn insert(headers: &mut HeaderMap, name: HeaderName, value: Option<impl AsRef<str>>) {
    if let Some(Ok(value)) = value.map(|value| HeaderValue::from_str(value.as_ref())) {
        headers.insert(name, value);
    }
}

/// The answer to `OPTIONS`: any page may ask, for a day (Fetch standard §3.2).
pub fn preflight() -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(
        ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("GET, HEAD, POST, OPTIONS"),
    );
    headers.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        // A star does not stand for this one (Fetch standard, 3.2.2).
        HeaderValue::from_static("*, Authorization"),
    );
    headers.insert(
        ACCESS_CONTROL_MAX_AGE,
        HeaderValue::from(Duration::from_hours(24).as_secs()),
    );
    headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD, POST, OPTIONS"));
    open_to_all_origins(headers);
    response
}

fn open_to_all_origins(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(
        ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static("ETag, Server-Timing, Edgetile-Cost, Content-Bbox, Content-Crs"),
    );
}

#[cfg(test)]
mod tests;
