//! Names and addresses → headers of COGs, kept across requests.
//!
//! A source is opened with one read of its head; further ones only where directories lie beyond it. What is cached is
//! one version of the file: every later read is pinned to it, so that two versions never mix.

pub mod store;
pub mod transport;
pub mod beside;
pub mod document;
pub mod index;
mod pieces;
mod cut;
mod error;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;

use edgetile_raster::crs::{Crs, CrsError};
use edgetile_raster::header::{Georeference, Header, HeaderError, Need};
use edgetile_raster::span::Known;
use futures_util::future::try_join_all;

use crate::access::Location;
use crate::fetch::{Cache, Claim, Edition, Fetcher, Meter};
use document::{Document, DocumentError};
use index::Index;
use store::{Object, Progress, StoreError, Stores};

pub use error::{PlaceError, SourceError};

/// Bytes of the first read. It holds all directories and the block index of ordinary scenes (a Sentinel-2 band of
/// 10,980 px needs about 7 KB), and the coarse overviews beside.
const HEAD: u64 = 64 << 10;

/// Bytes that a further read of the header takes at least: directories lie close together.
const STRIDE: u64 = 32 << 10;

/// Reads after the head before a file counts as broken: a chain of directories strewn over the file costs one each.
const MAX_ROUNDS: usize = 64;

/// Bytes of header that a file may need before it is open.
const MAX_KNOWN: usize = 8 << 20;

/// How long a version counts as current without asking. Reads of pixels check it for free; an answer that
/// needs none asks again after this.
const FRESH: Duration = Duration::from_secs(10);

/// A fit to ground control points that is off by more than this share of the image's diagonal would put pixels in visibly
/// wrong places. GCPs of a satellite's level-1 scene on flat ground stay below 1 %.
const POOR_FIT: f64 = 0.05;

/// One version of one file, open.
#[derive(Debug)]
pub struct Source {
    object: Object,
    edition: Arc<Edition>,
    /// What the file holds.
    pub header: Header,
    /// The CRS, or why there is none.
    pub crs: Result<Crs, CrsError>,
    known: Known,
    /// When a read last found this version in its place.
    checked: Mutex<Option<Instant>>,
    /// Whether a read has found another version in its place.
    replaced: AtomicBool,
}

impl Source {
    /// A file whose header was read from `known`.
    fn new(object: Object, edition: Edition, header: Header, known: Known, checked: Option<Instant>) -> Self {
        let keys = header.geo_keys.as_ref().map_err(Clone::clone);
        let crs = keys.and_then(Crs::from_geokeys);
        Self {
            object,
            edition: Arc::new(edition),
            header,
            crs,
            known,
            checked: Mutex::new(checked),
            replaced: AtomicBool::new(false),
        }
    }

    /// Names the version: an ETag or what stands for it.
    pub fn version(&self) -> &str {
        &self.edition.version
    }

    /// Where the pixels lie; an error says what the file lacks.
    pub fn place(&self) -> Result<(&Crs, &Georeference), PlaceError> {
        let crs = self.crs.as_ref().map_err(Clone::clone)?;
        let georeference = self.header.georeference.as_ref().ok_or(PlaceError::Nowhere)?;
        let full = self.header.full();
        let diagonal_px = f64::from(full.width_px).hypot(f64::from(full.height_px));
        if georeference.fit_error_px > (POOR_FIT * diagonal_px).max(1.0) {
            return Err(PlaceError::PoorFit(georeference.fit_error_px.round() as u64));
        }
        Ok((crs, georeference))
    }

    /// The bytes with which the file was opened: its head, often with the coarse overviews.
    pub fn known(&self) -> &Known {
        &self.known
    }

    /// Reads one range of this version of the file.
    async fn read(
        &self,
        fetcher: &Fetcher,
        range: Range<u64>,
        deadline: Instant,
        meter: &Meter,
        progress: &Progress<'_>,
    ) -> Result<Bytes, StoreError> {
        let version = Some(self.version());
        let answer = fetcher
            .read(&self.object, range, version, deadline, meter, progress)
            .await;
        match answer {
            Ok(answer) => {
                *self.checked.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
                Ok(answer.bytes)
            }
            Err(error) => {
                if error == StoreError::Replaced {
                    self.replaced.store(true, Ordering::Relaxed);
                }
                Err(error)
            }
        }
    }

    /// Makes sure that this is still the current version, with one small read if it was not checked lately.
    pub async fn confirm(
        &self,
        fetcher: &Fetcher,
        deadline: Instant,
        meter: &Meter,
    ) -> Result<(), StoreError> {
        let checked = *self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        if checked.is_none_or(|checked| checked.elapsed() > FRESH) {
            self.read(fetcher, 0..1, deadline, meter, &|_| ()).await?;
        }
        Ok(())
    }

    /// What it takes in memory: the bytes that opened it, and about what was made of them.
    fn weight(&self) -> u64 {
        let parsed = 4096 + 1024 * self.header.levels.len() + 256 * self.header.bands.len();
        (self.known.len() + parsed) as u64
    }
}

/// Opens sources, and keeps them in a cache that is bounded by bytes. Many requests for one source open it once.
#[derive(Debug)]
pub struct Sources {
    stores: Stores,
    index: Index,
    cache: Cache<Location, Arc<Source>, SourceError>,
    documents: Cache<Location, Arc<Document>, DocumentError>,
}

impl Sources {
    /// Nothing open yet. The caches hold up to `cache_bytes` of headers and `document_bytes` of documents, beside the
    /// index.
    pub fn new(stores: Stores, index: Index, cache_bytes: u64, document_bytes: u64) -> Self {
        Self {
            stores,
            index,
            cache: Cache::new(cache_bytes, HEAD),
            documents: Cache::new(document_bytes, document::TYPICAL),
        }
    }

    /// The source at a location.
    pub async fn open(
        &self,
        location: &Location,
        fetcher: &Fetcher,
        deadline: Instant,
        meter: &Meter,
    ) -> Result<Arc<Source>, SourceError> {
        loop {
            match self.cache.claim(location, deadline).await? {
                Claim::Had(source) if source.replaced.load(Ordering::Relaxed) => {
                    self.cache
                        .forget(location, |kept| kept.replaced.load(Ordering::Relaxed));
                    fetcher.pieces.retain(|piece| piece.edition != source.edition);
                    self.index.forget(&source.edition);
                }
                Claim::Had(source) => {
                    meter.count_hit();
                    return Ok(source);
                }
                Claim::Lead(lead) => {
                    let source = self.first(location, fetcher, deadline, meter).await.map(Arc::new);
                    lead.end(&source, |source| source.weight());
                    return source;
                }
            }
        }
    }

    /// The source at a location, if there is one that may be read.
    pub async fn open_if_there(
        &self,
        location: &Location,
        fetcher: &Fetcher,
        deadline: Instant,
        meter: &Meter,
    ) -> Result<Option<Arc<Source>>, SourceError> {
        match self.open(location, fetcher, deadline, meter).await {
            Ok(source) => Ok(Some(source)),
            // S3 says 403 for what is not there to those who may not list the bucket.
            Err(SourceError::Store(StoreError::NotFound | StoreError::Forbidden)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens a source that is not in memory.
    async fn first(
        &self,
        location: &Location,
        fetcher: &Fetcher,
        deadline: Instant,
        meter: &Meter,
    ) -> Result<Source, SourceError> {
        let object = self.stores.object(location)?;
        if let Some(source) = self.index.open(location, &object) {
            meter.count_hit();
            return Ok(source);
        }
        meter.count_miss();
        open(location, object, fetcher, deadline, meter).await
    }
}

async fn open(
    location: &Location,
    object: Object,
    fetcher: &Fetcher,
    deadline: Instant,
    meter: &Meter,
) -> Result<Source, SourceError> {
    let head = fetcher
        .read(&object, 0..HEAD, None, deadline, meter, &|_| ())
        .await?;
    let (size, version) = (head.size, head.version);
    let mut known = Known::new();
    known.insert(0, head.bytes);
    for _ in 0..MAX_ROUNDS {
        match Header::read(&known, size) {
            Ok(header) => {
                let identity = location.identity().into_owned();
                let edition = Edition { identity, version };
                return Ok(Source::new(object, edition, header, known, Some(Instant::now())));
            }
            Err(Need::Refused(error)) => return Err(SourceError::File(error)),
            Err(Need::Bytes(missing)) => {
                let further = missing.0.into_iter().map(|range| ahead(range, size));
                let reads = object.host().model().merge(further.collect());
                if known.len() as u64 + reads.iter().map(|read| read.end - read.start).sum::<u64>()
                    > MAX_KNOWN as u64
                {
                    let error = HeaderError::TooMany("bytes of header", size, MAX_KNOWN as u64);
                    return Err(SourceError::File(error));
                }
                let read = async |range: Range<u64>| {
                    let answer = fetcher
                        .read(&object, range.clone(), Some(&version), deadline, meter, &|_| ())
                        .await?;
                    Ok::<_, StoreError>((range.start, answer.bytes))
                };
                for (at, bytes) in try_join_all(reads.into_iter().map(read)).await? {
                    known.insert(at, bytes);
                }
            }
        }
    }
    Err(SourceError::File(HeaderError::TooMany(
        "reads to find all directories",
        MAX_ROUNDS as u64,
        MAX_ROUNDS as u64,
    )))
}

/// A read that goes on a little beyond what is missing.
fn ahead(range: Range<u64>, size: u64) -> Range<u64> {
    range.start
        ..range
            .end
            .max(range.start.saturating_add(STRIDE))
            .min(size.max(range.end))
}
