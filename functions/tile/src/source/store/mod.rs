//! Objects in stores: a location becomes something whose ranges can be read, each answer checked.

mod file;
mod remote;
mod web;
mod buckets;
mod role;
mod profile;
mod stores;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;

use super::transport::Transport;
use crate::fetch::{Failure, Host, Meter};

pub use buckets::{Buckets, Special, Unfit};
pub use stores::{Embedded, Stores};

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
    /// A connection that had been kept was closed, or the bucket lies in another region that is known now: the same
    /// read may be sent at once.
    #[error("the store had closed the connection")]
    Again,
    /// The connection failed, broke, or the store had a fault of its own.
    #[error("the store could not be read")]
    Unavailable,
    /// The store names another address: whether that may be read is not known, and credentials are not passed on.
    #[error("the store redirects to another address, and redirects are not followed")]
    Moved,
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
        matches!(
            self,
            Self::Throttled | Self::Again | Self::Unavailable | Self::WrongAnswer
        )
    }
}

impl Failure for StoreError {
    const OUT_OF_TIME: Self = Self::TimedOut;

    fn is_out_of_time(&self) -> bool {
        *self == Self::TimedOut
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

/// Hears of a read while its body comes: all bytes so far, from the first one on. A read that is sent again, or twice,
/// begins anew.
pub type Progress<'a> = dyn Fn(&[u8]) + Sync + 'a;

/// An answer whose head has come and been checked.
pub struct Arriving {
    body: Body,
    /// Bytes that the body must have.
    expected: u64,
    size: u64,
    version: String,
}

enum Body {
    Whole(Bytes),
    Stream(BoxStream<'static, Result<Bytes, StoreError>>),
}

impl Arriving {
    /// What an empty object holds: no range of it can be sent, so the store says only that.
    fn of_nothing() -> Self {
        Self {
            body: Body::Whole(Bytes::new()),
            expected: 0,
            size: 0,
            version: String::new(),
        }
    }

    /// Waits for the whole body.
    pub async fn collect(self, meter: &Meter, progress: &Progress<'_>) -> Result<Answer, StoreError> {
        let bytes = match self.body {
            Body::Whole(bytes) => {
                meter.count_bytes(bytes.len());
                bytes
            }
            Body::Stream(mut stream) => {
                let mut bytes = BytesMut::with_capacity(self.expected as usize);
                while let Some(chunk) = stream.next().await {
                    let chunk = chunk?;
                    meter.count_bytes(chunk.len());
                    if (bytes.len() + chunk.len()) as u64 > self.expected {
                        return Err(StoreError::WrongAnswer);
                    }
                    bytes.extend_from_slice(&chunk);
                    progress(&bytes);
                }
                bytes.freeze()
            }
        };
        if bytes.len() as u64 != self.expected {
            return Err(StoreError::WrongAnswer);
        }
        Ok(Answer {
            bytes,
            size: self.size,
            version: self.version,
        })
    }
}

/// Something whose ranges can be read.
#[derive(Clone, Debug)]
pub struct Object {
    reader: Reader,
    host: Arc<Host>,
}

#[derive(Clone, Debug)]
enum Reader {
    Embedded(&'static [u8]),
    File(Arc<PathBuf>),
    Remote(remote::Remote),
    Http(Box<Transport>, http::Uri),
    /// A document of a web server, which need not know ranges.
    Page(Box<Transport>, http::Uri),
}

impl Object {
    /// Asks for a range that starts within the object. With `version`, only that version is read.
    pub async fn read(&self, range: Range<u64>, version: Option<&str>) -> Result<Arriving, StoreError> {
        let wanted = range.clone();
        let arriving = match &self.reader {
            Reader::Embedded(bytes) => Ok(file::embedded(bytes, range)),
            Reader::File(path) => {
                let path = path.clone();
                let read = tokio::task::spawn_blocking(move || file::read(&path, range));
                read.await.unwrap_or(Err(StoreError::Unavailable))
            }
            Reader::Remote(remote) => remote.read(range, version).await,
            Reader::Http(transport, uri) => web::read(transport, uri, range, version).await,
            Reader::Page(transport, uri) => web::page(transport, uri, range.end, version).await,
        }?;
        if version.is_some_and(|version| version != arriving.version) {
            return Err(StoreError::Replaced);
        }
        let expected = wanted.end.min(arriving.size).saturating_sub(wanted.start);
        if arriving.expected != expected {
            return Err(StoreError::WrongAnswer);
        }
        Ok(arriving)
    }

    /// Whether reads cross a network.
    pub fn is_remote(&self) -> bool {
        !matches!(self.reader, Reader::Embedded(..) | Reader::File(..))
    }

    /// The same object as a document, to be read from its start: web servers that do not know ranges send it whole.
    #[must_use]
    pub fn whole(self) -> Self {
        let reader = match self.reader {
            Reader::Http(transport, uri) => Reader::Page(transport, uri),
            other => other,
        };
        Self { reader, ..self }
    }

    /// The range whose read tells whether a document that was read up to `limit` is still the same.
    pub fn probe(&self, limit: u64) -> Range<u64> {
        match self.reader {
            // Without an entity tag its bytes are its version.
            Reader::Page(..) => 0..limit,
            _ => 0..1,
        }
    }

    /// Who answers.
    pub fn host(&self) -> &Host {
        &self.host
    }
}

/// Whether a version is a strong ETag, which a store can be asked to match.
fn is_etag(version: &str) -> bool {
    version.starts_with('"')
}
