//! Documents of stores, read whole and kept as what they say; like headers they are one version of a file each.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use libdeflater::Decompressor;

use super::store::{Object, StoreError};
use super::{FRESH, SourceError, Sources};
use crate::access::Location;
use crate::document::{Content, Unreadable};
use crate::fetch::{Claim, Failure, Fetcher, Meter};
use crate::response::Problem;

/// The largest document that is read, in bytes as it is stored.
pub const LARGEST: u64 = 16 << 20;

/// The largest document that one unpacks to, in bytes.
const LARGEST_UNPACKED: usize = 32 << 20;

/// What an item takes in memory, to guess how many of them a cache will hold.
pub(super) const TYPICAL: u64 = 8 << 10;

/// Why a document cannot be had.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DocumentError {
    /// The store did not give it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It is not what it should be.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// It is larger than what is read.
    #[error("the document is larger than {} MiB", LARGEST >> 20)]
    TooLarge,
}

impl Failure for DocumentError {
    const OUT_OF_TIME: Self = Self::Store(StoreError::TimedOut);

    fn is_out_of_time(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_out_of_time())
    }
}

impl From<DocumentError> for Problem {
    fn from(error: DocumentError) -> Self {
        match error {
            DocumentError::Store(StoreError::NotFound | StoreError::BadAddress) => {
                Self::not_found("document at this url")
            }
            DocumentError::Store(error) => SourceError::from(error).into(),
            DocumentError::Unreadable(error @ Unreadable::Json { .. }) => Self::Broken(error.to_string()),
            DocumentError::Unreadable(error) => Self::Unsupported(error.to_string()),
            DocumentError::TooLarge => Self::TooLarge {
                what: error.to_string(),
                remedy: "name fewer files in it".to_owned(),
            },
        }
    }
}

/// One version of a document.
#[derive(Debug)]
pub struct Document {
    object: Object,
    version: String,
    /// What it says.
    pub content: Content,
    /// When a read last found this version in its place.
    checked: Mutex<Instant>,
    /// Whether a read has found another version in its place.
    replaced: AtomicBool,
}

impl Document {
    /// Names the version: an ETag or what stands for it.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Makes sure that this is still the current version, with one read if it was not checked lately.
    pub async fn confirm(
        &self,
        fetcher: &Fetcher,
        deadline: Instant,
        meter: &Meter,
    ) -> Result<(), StoreError> {
        let checked = *self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        if checked.elapsed() <= FRESH {
            return Ok(());
        }
        let (range, version) = (self.object.probe(LARGEST + 1), Some(self.version()));
        match fetcher
            .read(&self.object, range, version, deadline, meter, &|_| ())
            .await
        {
            Ok(_) => {
                *self.checked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
                Ok(())
            }
            Err(error) => {
                // One that is gone is not this version either.
                if matches!(
                    error,
                    StoreError::Replaced | StoreError::NotFound | StoreError::Forbidden
                ) {
                    self.replaced.store(true, Ordering::Relaxed);
                }
                Err(error)
            }
        }
    }
}

impl Sources {
    /// The document at a location. Many requests for one read it once.
    pub async fn document(
        &self,
        location: &Location,
        fetcher: &Fetcher,
        deadline: Instant,
        meter: &Meter,
    ) -> Result<Arc<Document>, DocumentError> {
        loop {
            match self.documents.claim(location, deadline).await? {
                Claim::Had(document) if document.replaced.load(Ordering::Relaxed) => {
                    let is_replaced = |kept: &Arc<Document>| kept.replaced.load(Ordering::Relaxed);
                    self.documents.forget(location, is_replaced);
                }
                Claim::Had(document) => {
                    meter.count_hit();
                    return Ok(document);
                }
                Claim::Lead(lead) => {
                    meter.count_miss();
                    let document =
                        async { read(self.stores.object(location)?.whole(), fetcher, deadline, meter).await };
                    let document = document.await.map(Arc::new);
                    lead.end(&document, |document| document.content.weight() as u64 + 512);
                    return document;
                }
            }
        }
    }
}

async fn read(
    object: Object,
    fetcher: &Fetcher,
    deadline: Instant,
    meter: &Meter,
) -> Result<Document, DocumentError> {
    let answer = fetcher
        .read(&object, 0..LARGEST + 1, None, deadline, meter, &|_| ())
        .await?;
    if answer.size > LARGEST || answer.bytes.len() as u64 > LARGEST {
        return Err(DocumentError::TooLarge);
    }
    Ok(Document {
        content: Content::parse(&unpacked(&answer.bytes)?)?,
        object,
        version: answer.version,
        checked: Mutex::new(Instant::now()),
        replaced: AtomicBool::new(false),
    })
}

/// A document without its gzip, which its first bytes tell (RFC 1952, section 2.3.1).
fn unpacked(bytes: &[u8]) -> Result<Cow<'_, [u8]>, DocumentError> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(Cow::Borrowed(bytes));
    }
    // The last four bytes are the length.
    let length = bytes.last_chunk().map_or(0, |length| u32::from_le_bytes(*length)) as usize;
    if length > LARGEST_UNPACKED {
        return Err(DocumentError::TooLarge);
    }
    let mut text = vec![0; length];
    let packed = Unreadable::Unread("its gzip is damaged, or has several members");
    let unpacked = Decompressor::new()
        .gzip_decompress(bytes, &mut text)
        .map_err(|_| packed)?;
    text.truncate(unpacked);
    Ok(Cow::Owned(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `gzip.compress(b"{}", mtime=0)` of Python 3.11.
    const PACKED: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\x02\x03\xab\xae\x05\0\x43\xbf\xa6\xa3\x02\0\0\0";

    #[test]
    fn gzip_is_known_by_its_first_bytes_and_bounded() {
        assert_eq!(unpacked(PACKED).unwrap().as_ref(), b"{}");
        assert_eq!(unpacked(b"{ }").unwrap().as_ref(), b"{ }");
        let mut huge = PACKED.to_vec();
        huge.splice(PACKED.len() - 4.., [0xff; 4]);
        assert!(matches!(unpacked(&huge), Err(DocumentError::TooLarge)));
        for cut in 2..PACKED.len() {
            assert!(unpacked(&PACKED[..cut]).is_err(), "{cut}");
        }
    }
}
