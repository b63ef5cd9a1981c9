//! Objects of plain HTTP servers: object_store's HTTP client cannot keep the query of a presigned URL.

use std::ops::Range;

use futures_util::StreamExt;
use http::{HeaderMap, StatusCode, header};
use http_body_util::BodyDataStream;

use super::{Arriving, Body, StoreError, is_etag};
use crate::source::transport::{Beyond, Stale, Throttled, Transport, is_behind};

/// A plain GET of a range.
pub(super) async fn read(
    transport: &Transport,
    uri: &http::Uri,
    range: Range<u64>,
    version: Option<&str>,
) -> Result<Arriving, StoreError> {
    // For the log: the rest of the address may hold a signature.
    let host = uri.host().unwrap_or_default();
    let mut request = http::Request::get(uri.clone())
        .header(
            header::RANGE,
            format!("bytes={}-{}", range.start, range.end.saturating_sub(1)),
        )
        .header(
            header::USER_AGENT,
            concat!("edgetile/", env!("CARGO_PKG_VERSION")),
        );
    if let Some(version) = version.filter(|version| is_etag(version)) {
        request = request.header(header::IF_MATCH, version);
    }
    let request = request.body(()).map_err(|_| StoreError::BadAddress)?;
    let response = match transport.get(request).await {
        Ok(response) => response,
        Err(error) if range.start == 0 && is_behind::<Beyond>(&error) => return Ok(Arriving::of_nothing()),
        Err(error) if is_behind::<Throttled>(&error) => return Err(StoreError::Throttled),
        Err(error) if is_behind::<Stale>(&error) => return Err(StoreError::Again),
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, host, "store");
            return Err(StoreError::Unavailable);
        }
    };
    let status = response.status();
    if !status.is_success() && status != StatusCode::PRECONDITION_FAILED {
        tracing::warn!(status = status.as_u16(), host, "store");
    }
    match status {
        StatusCode::PARTIAL_CONTENT => {}
        StatusCode::NOT_FOUND | StatusCode::GONE => return Err(StoreError::NotFound),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => return Err(StoreError::Forbidden),
        StatusCode::PRECONDITION_FAILED => return Err(StoreError::Replaced),
        // A server that ignores ranges would send the whole object.
        StatusCode::OK => return Err(StoreError::WrongAnswer),
        _ => return Err(StoreError::Unavailable),
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
