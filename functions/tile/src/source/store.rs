//! Objects in stores: a location becomes something whose ranges can be read, each answer checked.

use std::collections::HashMap;
use std::fs::File;
use std::io::ErrorKind;
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore, RetryConfig};

use super::transport::{Beyond, Throttled, Transport, is_behind};
use crate::access::{self, Location};
use crate::settings::StoreVariables;

/// Why a store gave no bytes. Nothing here repeats what the store said: that may hold paths and credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// There is no such object.
    #[error("the source does not exist")]
    NotFound,
    /// The store does not let us read it.
    #[error("the source may not be read by this server: its operator must grant access")]
    Forbidden,
    /// The object is no longer the version that was asked for.
    #[error("the source was replaced while it was read")]
    Replaced,
    /// The store asks for patience.
    #[error("the store is throttling requests")]
    Throttled,
    /// The connection failed, broke, or the store had a fault of its own.
    #[error("the store could not be read")]
    Unavailable,
    /// The store answered something else than what was asked.
    #[error("the store's answer is not the range that was asked for")]
    WrongAnswer,
    /// The deadline passed.
    #[error("the store did not answer in time")]
    TimedOut,
    /// The location cannot be one of an object.
    #[error("the source's address is not one of an object")]
    BadAddress,
}

impl StoreError {
    /// Whether the same request may succeed a moment later.
    pub fn is_passing(self) -> bool {
        matches!(self, Self::Throttled | Self::Unavailable | Self::WrongAnswer)
    }
}

/// Bytes of one version of an object.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The bytes: as many as were asked for, or up to the object's end.
    pub bytes: Bytes,
    /// Size of the whole object.
    pub size: u64,
    /// What names this version: the ETag, or else what the store tells of the object's age and size.
    pub version: String,
}

impl Answer {
    /// What an empty object holds: no range of it can be sent, so the store says only that.
    fn of_nothing() -> Self {
        Self {
            bytes: Bytes::new(),
            size: 0,
            version: String::new(),
        }
    }
}

/// Something whose ranges can be read.
#[derive(Clone, Debug)]
pub struct Object {
    reader: Reader,
}

#[derive(Clone, Debug)]
enum Reader {
    Embedded(&'static [u8]),
    File(Arc<PathBuf>),
    Remote(Arc<dyn ObjectStore>, Path),
    Http(Box<Transport>, http::Uri),
}

impl Object {
    /// Reads a range that starts within the object. With `version`, only that version is read.
    pub async fn read(&self, range: Range<u64>, version: Option<&str>) -> Result<Answer, StoreError> {
        let wanted = range.clone();
        let answer = match &self.reader {
            Reader::Embedded(bytes) => Ok(read_embedded(bytes, range)),
            Reader::File(path) => {
                let path = path.clone();
                let read = tokio::task::spawn_blocking(move || read_file(&path, range));
                read.await.unwrap_or(Err(StoreError::Unavailable))
            }
            Reader::Remote(store, path) => read_remote(store.as_ref(), path, range, version).await,
            Reader::Http(transport, uri) => read_http(transport, uri, range, version).await,
        }?;
        if version.is_some_and(|version| version != answer.version) {
            return Err(StoreError::Replaced);
        }
        let expected = wanted.end.min(answer.size).saturating_sub(wanted.start);
        if answer.bytes.len() as u64 != expected {
            return Err(StoreError::WrongAnswer);
        }
        Ok(answer)
    }

    /// Whether reads cross a network.
    pub fn is_remote(&self) -> bool {
        matches!(self.reader, Reader::Remote(..) | Reader::Http(..))
    }
}

fn read_embedded(bytes: &'static [u8], range: Range<u64>) -> Answer {
    let size = bytes.len() as u64;
    let (start, end) = (range.start.min(size) as usize, range.end.min(size) as usize);
    let bytes = bytes.get(start..end).unwrap_or_default();
    // The version of what is compiled in is that of the binary.
    Answer {
        bytes: Bytes::from_static(bytes),
        size,
        version: format!("\"{}-{size:x}\"", env!("CARGO_PKG_VERSION")),
    }
}

fn read_file(path: &PathBuf, range: Range<u64>) -> Result<Answer, StoreError> {
    let fault = |error: std::io::Error| match error.kind() {
        // A name that cannot be one of a file is one of no file.
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename => StoreError::NotFound,
        ErrorKind::PermissionDenied => StoreError::Forbidden,
        _ => {
            tracing::warn!(%error, "file");
            StoreError::Unavailable
        }
    };
    // Looked at before it is opened: opening a pipe would wait for its other end.
    if !std::fs::metadata(path).map_err(fault)?.is_file() {
        return Err(StoreError::NotFound);
    }
    let file = File::open(path).map_err(fault)?;
    let metadata = file.metadata().map_err(fault)?;
    let size = metadata.len();
    let mut bytes = vec![0; (range.end.min(size)).saturating_sub(range.start) as usize];
    file.read_exact_at(&mut bytes, range.start).map_err(fault)?;
    let version = format!(
        "\"{:x}-{:x}-{:x}\"",
        metadata.ino(),
        size,
        i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec())
    );
    Ok(Answer {
        bytes: bytes.into(),
        size,
        version,
    })
}

async fn read_remote(
    store: &dyn ObjectStore,
    path: &Path,
    range: Range<u64>,
    version: Option<&str>,
) -> Result<Answer, StoreError> {
    let options = GetOptions {
        range: Some(GetRange::Bounded(range.clone())),
        if_match: version.filter(|version| is_etag(version)).map(str::to_owned),
        ..GetOptions::default()
    };
    let result = match store.get_opts(path, options).await {
        Err(error) if range.start == 0 && is_behind::<Beyond>(&error) => return Ok(Answer::of_nothing()),
        result => result.map_err(|error| sort(&error))?,
    };
    if result.range.start != range.start {
        return Err(StoreError::WrongAnswer);
    }
    let size = result.meta.size;
    let version = match &result.meta.e_tag {
        Some(etag) => etag.clone(),
        None => format!("{}-{size}", result.meta.last_modified.timestamp_millis()),
    };
    let bytes = result.bytes().await.map_err(|error| sort(&error))?;
    Ok(Answer { bytes, size, version })
}

fn is_etag(version: &str) -> bool {
    version.starts_with('"')
}

fn sort(error: &object_store::Error) -> StoreError {
    use object_store::Error as E;
    match error {
        E::NotFound { .. } => StoreError::NotFound,
        E::PermissionDenied { .. } | E::Unauthenticated { .. } => StoreError::Forbidden,
        E::Precondition { .. } | E::NotModified { .. } => StoreError::Replaced,
        E::InvalidPath { .. } => StoreError::BadAddress,
        other if is_behind::<Throttled>(other) => StoreError::Throttled,
        other => {
            tracing::warn!(error = %other, "store");
            StoreError::Unavailable
        }
    }
}

/// A plain GET: object_store's HTTP client cannot keep the query of a presigned URL.
async fn read_http(
    transport: &Transport,
    uri: &http::Uri,
    range: Range<u64>,
    version: Option<&str>,
) -> Result<Answer, StoreError> {
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
        Err(error) if range.start == 0 && is_behind::<Beyond>(&error) => return Ok(Answer::of_nothing()),
        Err(error) if is_behind::<Throttled>(&error) => return Err(StoreError::Throttled),
        Err(_) => return Err(StoreError::Unavailable),
    };
    match response.status() {
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
    let body = http_body_util::Limited::new(response.into_body(), (end - start) as usize);
    let bytes = body
        .collect()
        .await
        .map_err(|_| StoreError::Unavailable)?
        .to_bytes();
    Ok(Answer {
        bytes,
        size,
        version: version_of(&headers, size),
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

/// Finds a file that the binary carries by its name.
pub type Embedded = fn(&str) -> Option<&'static [u8]>;

/// Makes objects of locations; a store is built once and shares the pool.
#[derive(Debug)]
pub struct Stores {
    transport: Transport,
    variables: StoreVariables,
    embedded: Embedded,
    built: Mutex<HashMap<String, Arc<dyn ObjectStore>>>,
}

impl Stores {
    /// Stores with the settings that the environment gave.
    pub fn new(variables: StoreVariables, embedded: Embedded) -> Self {
        Self {
            transport: Transport::default(),
            variables,
            embedded,
            built: Mutex::default(),
        }
    }

    /// The object at a location.
    pub fn object(&self, location: &Location) -> Result<Object, StoreError> {
        let reader = match location {
            Location::Embedded(name) => Reader::Embedded((self.embedded)(name).ok_or(StoreError::NotFound)?),
            Location::Local(path) => Reader::File(Arc::new(path.clone())),
            Location::Http(url) => Reader::Http(
                Box::new(self.transport.clone()),
                url.parse().map_err(|_| StoreError::BadAddress)?,
            ),
            Location::S3(at) => self.remote("s3", at, Self::s3)?,
            Location::Gs(at) => self.remote("gs", at, Self::gs)?,
            Location::Az(at) => self.remote("az", at, Self::az)?,
        };
        Ok(Object { reader })
    }

    fn remote(
        &self,
        scheme: &str,
        at: &access::Object,
        build: impl FnOnce(&Self, &str) -> object_store::Result<Arc<dyn ObjectStore>>,
    ) -> Result<Reader, StoreError> {
        let bucket = &at.bucket;
        // `parse` keeps the key as it is; `from` would encode it into another one.
        let path = Path::parse(&at.key).map_err(|_| StoreError::BadAddress)?;
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        let name = format!("{scheme}://{bucket}");
        if let Some(store) = built.get(&name) {
            return Ok(Reader::Remote(store.clone(), path));
        }
        let store = build(self, bucket).map_err(|error| {
            tracing::error!(%error, "the store's settings are not usable");
            StoreError::Unavailable
        })?;
        built.insert(name, store.clone());
        Ok(Reader::Remote(store, path))
    }

    fn s3(&self, bucket: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
        let mut builder = AmazonS3Builder::new().with_bucket_name(bucket);
        let mut has_credentials = false;
        for (name, value) in self.variables.starting_with("AWS_") {
            let name = name.to_ascii_lowercase();
            has_credentials |= [
                "aws_access_key_id",
                "aws_web_identity_token_file",
                "aws_container_credentials_relative_uri",
                "aws_container_credentials_full_uri",
                "aws_skip_signature",
            ]
            .contains(&name.as_str());
            if let Ok(key) = name.parse() {
                builder = builder.with_config(key, value);
            }
        }
        if !has_credentials {
            // Without this the instance metadata service would be asked, which hangs where there is none.
            builder = builder.with_skip_signature(true);
        }
        Ok(Arc::new(
            builder
                .with_http_connector(self.transport.clone())
                .with_retry(no_retry())
                .build()?,
        ))
    }

    fn gs(&self, bucket: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
        let mut builder = GoogleCloudStorageBuilder::new().with_bucket_name(bucket);
        let mut has_credentials = false;
        for (name, value) in self.variables.starting_with("GOOGLE_") {
            if let Ok(key) = name.to_ascii_lowercase().parse() {
                has_credentials = true;
                builder = builder.with_config(key, value);
            }
        }
        if !has_credentials {
            builder = builder.with_skip_signature(true);
        }
        Ok(Arc::new(
            builder
                .with_http_connector(self.transport.clone())
                .with_retry(no_retry())
                .build()?,
        ))
    }

    fn az(&self, container: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
        let mut builder = MicrosoftAzureBuilder::new().with_container_name(container);
        for (name, value) in self.variables.starting_with("AZURE_") {
            if let Ok(key) = name.to_ascii_lowercase().parse() {
                builder = builder.with_config(key, value);
            }
        }
        Ok(Arc::new(
            builder
                .with_http_connector(self.transport.clone())
                .with_retry(no_retry())
                .build()?,
        ))
    }
}

/// Retries are ours: they know the deadline.
fn no_retry() -> RetryConfig {
    RetryConfig {
        max_retries: 0,
        ..RetryConfig::default()
    }
}
