//! Objects of plain HTTP servers: object_store's HTTP client cannot keep the query of a presigned URL.

use std::ops::Range;

use bytes::BytesMut;
use futures_util::StreamExt;
use http::{HeaderMap, StatusCode, header};
use http_body_util::BodyDataStream;
use object_store::client::HttpResponse;

use super::{Arriving, Body, StoreError, is_etag};
use crate::response::Fnv128;
use crate::source::transport::{Beyond, Stale, Throttled, Transport, is_behind};

/// A plain GET of a range.
pub(super) async fn read(
    transport: &Transport,
    uri: &http::Uri,
    range: Range<u64>,
    version: Option<&str>,
) -> Result<Arriving, StoreError> {
    let range_text = format!("bytes={}-{}", range.start, range.end.saturating_sub(1));
    let mut request = get(uri).header(header::RANGE, range_text);
    if let Some(version) = version.filter(|version| is_etag(version)) {
        request = request.header(header::IF_MATCH, version);
    }
    let response = match send(transport, uri, request).await? {
        Some(response) => response,
        None if range.start == 0 => return Ok(Arriving::of_nothing()),
        None => return Err(StoreError::Unavailable),
    };
    match response.status() {
        StatusCode::PARTIAL_CONTENT => {}
        // A server that ignores ranges would send the whole object.
        StatusCode::OK => return Err(StoreError::WrongAnswer),
        status => return Err(refusal(status, uri)),
    }
    let headers = response.headers().clone();
    let (start, end, size) = content_range(&headers).ok_or(StoreError::WrongAnswer)?;
    if start != range.start || end != range.end.min(size) {
        return Err(StoreError::WrongAnswer);
    }
    let version = version_of(&headers, size);
    let stream =
        BodyDataStream::new(response.into_body()).map(|chunk| chunk.map_err(|_| StoreError::Unavailable));
    Ok(Arriving {
        body: Body::Stream(stream.boxed()),
        expected: end - start,
        size,
        version,
    })
}

/// A plain GET of a whole document, up to `limit` bytes of it. What is known in `version` is not sent again by servers
/// that have entity tags; of others the bytes are the version.
pub(super) async fn page(
    transport: &Transport,
    uri: &http::Uri,
    limit: u64,
    version: Option<&str>,
) -> Result<Arriving, StoreError> {
    let mut request = get(uri).header(header::ACCEPT, "application/geo+json, application/json, */*");
    if let Some(version) = version.filter(|version| is_tag(version)) {
        request = request.header(header::IF_NONE_MATCH, version);
    }
    let response = send(transport, uri, request)
        .await?
        .ok_or(StoreError::WrongAnswer)?;
    match (response.status(), version) {
        (StatusCode::OK, _) => {}
        (StatusCode::NOT_MODIFIED, Some(version)) => {
            return Ok(Arriving {
                version: version.to_owned(),
                ..Arriving::of_nothing()
            });
        }
        (status, _) => return Err(refusal(status, uri)),
    }
    let tag = response
        .headers()
        .get(header::ETAG)
        .and_then(|value| value.to_str().ok());
    let tag = tag.filter(|tag| is_tag(tag)).map(str::to_owned);
    let mut stream = BodyDataStream::new(response.into_body());
    let mut bytes = BytesMut::new();
    while (bytes.len() as u64) < limit {
        let Some(chunk) = stream.next().await else { break };
        let chunk = chunk.map_err(|_| StoreError::Unavailable)?;
        let rest = limit - bytes.len() as u64;
        bytes.extend_from_slice(
            chunk
                .get(..rest.min(chunk.len() as u64) as usize)
                .unwrap_or_default(),
        );
    }
    let bytes = bytes.freeze();
    Ok(Arriving {
        expected: bytes.len() as u64,
        size: bytes.len() as u64,
        version: tag.unwrap_or_else(|| digest(&bytes)),
        body: Body::Whole(bytes),
    })
}

fn get(uri: &http::Uri) -> http::request::Builder {
    let own = concat!("edgetile/", env!("CARGO_PKG_VERSION"));
    http::Request::get(uri.clone()).header(header::USER_AGENT, own)
}

/// The head of an answer; nothing where a range starts beyond the object's end.
async fn send(
    transport: &Transport,
    uri: &http::Uri,
    request: http::request::Builder,
) -> Result<Option<HttpResponse>, StoreError> {
    let request = request.body(()).map_err(|_| StoreError::BadAddress)?;
    match transport.get(request).await {
        Ok(response) => Ok(Some(response)),
        Err(error) if is_behind::<Beyond>(&error) => Ok(None),
        Err(error) if is_behind::<Throttled>(&error) => Err(StoreError::Throttled),
        Err(error) if is_behind::<Stale>(&error) => Err(StoreError::Again),
        Err(error) => {
            // Of the address the host alone: the rest may hold a signature.
            let host = uri.host().unwrap_or_default();
            tracing::warn!(error = &error as &dyn std::error::Error, host, "store");
            Err(StoreError::Unavailable)
        }
    }
}

/// What a status that brings no bytes means.
fn refusal(status: StatusCode, uri: &http::Uri) -> StoreError {
    if !status.is_success() && status != StatusCode::PRECONDITION_FAILED {
        tracing::warn!(
            status = status.as_u16(),
            host = uri.host().unwrap_or_default(),
            "store"
        );
    }
    match status {
        StatusCode::NOT_FOUND | StatusCode::GONE => StoreError::NotFound,
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => StoreError::Forbidden,
        StatusCode::PRECONDITION_FAILED => StoreError::Replaced,
        status if status.is_redirection() && status != StatusCode::NOT_MODIFIED => StoreError::Moved,
        _ => StoreError::Unavailable,
    }
}

/// A version made of bytes.
fn digest(bytes: &[u8]) -> String {
    let mut hash = Fnv128::default();
    hash.write(bytes);
    format!("{hash}-{}", bytes.len())
}

/// A strong entity tag, or a weak one.
fn is_tag(version: &str) -> bool {
    is_etag(version.strip_prefix("W/").unwrap_or(version))
}

/// First byte, byte past the last, size of the object (RFC 9110 section 14.4).
fn content_range(headers: &HeaderMap) -> Option<(u64, u64, u64)> {
    let text = headers
        .get(header::CONTENT_RANGE)?
        .to_str()
        .ok()?
        .strip_prefix("bytes ")?;
    let (range, size) = text.split_once('/')?;
    let (first, last) = range.split_once('-')?;
    let (first, last): (u64, u64) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    let end = last.checked_add(1)?;
    (first < end).then_some((first, end, size.trim().parse().ok()?))
}

fn version_of(headers: &HeaderMap, size: u64) -> String {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    match text(header::ETAG) {
        Some(etag) if is_etag(etag) => etag.to_owned(),
        // A weak tag cannot be matched for a range (RFC 9110 section 13.1.1); it still tells versions apart.
        Some(weak) => format!("{weak}-{size}"),
        None => format!("{}-{size}", text(header::LAST_MODIFIED).unwrap_or_default()),
    }
}
