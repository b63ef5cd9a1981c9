//! Names and addresses → headers of COGs, kept across requests.
//!
//! A source is opened with one read of its head; further ones only where directories lie beyond it. What is cached is
//! one version of the file: every later read is pinned to it, so that two versions never mix.

pub mod store;
pub mod transport;

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use edgetile_raster::crs::{Crs, CrsError};
use edgetile_raster::header::{Georeference, Header, HeaderError, Need};
use edgetile_raster::span::{Known, Missing};
use futures_util::future::try_join_all;

use edgetile_raster::decode::DecodeError;

use crate::access::{Denied, Location};
use crate::fetch::{Fetcher, Meter, merge};
use crate::response::Problem;
use store::{Object, StoreError, Stores};

/// Bytes of the first read. It holds all directories and the block index of ordinary scenes (a Sentinel-2 band of
/// 10,980 px needs about 7 KB), and the coarse overviews beside.
const HEAD: u64 = 64 << 10;

/// Bytes that a further read of the header takes at least: directories lie close together.
const STRIDE: u64 = 32 << 10;

/// Reads after the head before a file counts as broken: a chain of directories strewn over the file costs one each.
const MAX_ROUNDS: usize = 64;

/// Bytes of header that a file may need before it is open.
const MAX_KNOWN: usize = 8 << 20;

/// Bytes of its index that a source keeps beyond what opened it. They count from the start, whether learnt or not: the
/// cache wants weights that never change.
const MAX_LEARNT: usize = 128 << 10;

/// How long a version counts as current without asking. Reads of pixels check it for free; an answer that
/// needs none asks again after this.
const FRESH: Duration = Duration::from_secs(30);

/// Why a source cannot be opened.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SourceError {
    /// The store did not give it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file is at fault.
    #[error("{0}")]
    File(HeaderError),
}

impl From<SourceError> for Problem {
    /// Sorts faults by who must act. What the store or the file said word for word stays here.
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Store(store) => match store {
                StoreError::NotFound | StoreError::BadAddress => Self::not_found("file at this url"),
                StoreError::Forbidden => Self::Denied(Denied),
                StoreError::Replaced => Self::Replaced,
                StoreError::Throttled => Self::StoreBusy,
                StoreError::Unavailable | StoreError::WrongAnswer => Self::StoreFailed,
                StoreError::TimedOut => Self::OutOfTime,
            },
            SourceError::File(error) => match &error {
                HeaderError::NotTiff | HeaderError::Format(DecodeError::Unsupported { .. }) => {
                    Self::Unsupported(error.to_string())
                }
                _ => Self::Broken(error.to_string()),
            },
        }
    }
}

/// Why a file's pixels cannot be put on a map. Its publisher must act.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PlaceError {
    /// The CRS is missing or not one that is read.
    #[error(transparent)]
    Crs(#[from] CrsError),
    /// Tags 33550, 33922 and 34264 give no usable transform.
    #[error(
        "the file does not say where its pixels lie: it needs ModelPixelScale and ModelTiepoint, or ModelTransformation"
    )]
    Nowhere,
    /// Ground control points that no affine transform meets.
    #[error(
        "its ground control points lie up to {0} pixels off any affine transform: warp the file first, gdalwarp -tps in.tif out.tif"
    )]
    PoorFit(u64),
}

/// A fit to ground control points that is off by more than this share of the image's diagonal would put pixels in visibly
/// wrong places. GCPs of a satellite's level-1 scene on flat ground stay below 1 %.
const POOR_FIT: f64 = 0.05;

/// One version of one file, open.
#[derive(Debug)]
pub struct Source {
    object: Object,
    /// Names the version: an ETag or what stands for it.
    pub version: String,
    /// What the file holds.
    pub header: Header,
    /// The CRS, or why there is none.
    pub crs: Result<Crs, CrsError>,
    /// The bytes that opened it; the chunks are shared with `known`.
    opened: Known,
    known: Mutex<Known>,
    checked: Mutex<Instant>,
}

impl Source {
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

    /// The bytes of the file known so far: its head, and what of its index was needed.
    pub fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads ranges of this version of the file, all at once, and calls `arrived` with each as it comes.
    pub async fn read(
        &self,
        fetcher: &Fetcher,
        range: Range<u64>,
        deadline: Instant,
        meter: &Meter,
    ) -> Result<bytes::Bytes, StoreError> {
        let answer = fetcher
            .read(&self.object, range, Some(&self.version), deadline, meter)
            .await?;
        *self.checked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        Ok(answer.bytes)
    }

    /// Reads parts of the index that are missing and keeps them.
    pub async fn learn(
        &self,
        fetcher: &Fetcher,
        missing: Missing,
        deadline: Instant,
        meter: &Meter,
    ) -> Result<(), StoreError> {
        meter.begin_round();
        let reads = merge(missing.0);
        let read = async |range: Range<u64>| {
            let bytes = self.read(fetcher, range.clone(), deadline, meter).await?;
            Ok::<_, StoreError>((range.start, bytes))
        };
        let learnt = try_join_all(reads.into_iter().map(read)).await?;
        let mut known = self.known();
        let more: usize = learnt.iter().map(|(_, bytes)| bytes.len()).sum();
        if known.len() + more > self.opened.len() + MAX_LEARNT {
            // What was learnt of other parts of the index is read again when it is needed.
            *known = self.opened.clone();
        }
        for (at, bytes) in learnt {
            known.insert(at, bytes);
        }
        Ok(())
    }

    /// Makes sure that this is still the current version, with one small read if it was not checked lately.
    pub async fn confirm(
        &self,
        fetcher: &Fetcher,
        deadline: Instant,
        meter: &Meter,
    ) -> Result<(), StoreError> {
        let checked = *self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        if checked.elapsed() > FRESH {
            meter.begin_round();
            self.read(fetcher, 0..1, deadline, meter).await?;
        }
        Ok(())
    }

    fn weight(&self) -> u64 {
        let parsed = 4096 * self.header.levels.len() + 256 * self.header.bands.len();
        (self.opened.len() + MAX_LEARNT + parsed) as u64
    }
}

/// Opens sources, and keeps them in a cache that is bounded by bytes. Many requests for one source open it once.
#[derive(Debug)]
pub struct Sources {
    stores: Stores,
    cache: quick_cache::sync::Cache<Location, Arc<Source>, BySize>,
}

#[derive(Clone, Debug)]
struct BySize;

impl quick_cache::Weighter<Location, Arc<Source>> for BySize {
    fn weight(&self, _: &Location, source: &Arc<Source>) -> u64 {
        source.weight()
    }
}

impl Sources {
    /// Nothing open yet. The cache holds up to `cache_bytes`.
    pub fn new(stores: Stores, cache_bytes: u64) -> Self {
        let entries = (cache_bytes / HEAD).max(16) as usize;
        Self {
            stores,
            cache: quick_cache::sync::Cache::with_weighter(entries, cache_bytes, BySize),
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
        if let Some(source) = self.cache.get(location) {
            return Ok(source);
        }
        let open = async {
            let object = self.stores.object(location)?;
            Ok(Arc::new(open(object, fetcher, deadline, meter).await?))
        };
        // A failure is not cached: only what was read is.
        self.cache.get_or_insert_async(location, open).await
    }

    /// Forgets a source whose file was replaced.
    pub fn forget(&self, location: &Location) {
        self.cache.remove(location);
    }
}

async fn open(
    object: Object,
    fetcher: &Fetcher,
    deadline: Instant,
    meter: &Meter,
) -> Result<Source, SourceError> {
    meter.begin_round();
    let head = fetcher.read(&object, 0..HEAD, None, deadline, meter).await?;
    let (size, version) = (head.size, head.version);
    let mut known = Known::new();
    known.insert(0, head.bytes);
    for _ in 0..MAX_ROUNDS {
        match Header::read(&known, size) {
            Ok(header) => {
                let crs = header
                    .geo_keys
                    .as_ref()
                    .map_err(Clone::clone)
                    .and_then(Crs::from_geokeys);
                return Ok(Source {
                    object,
                    version,
                    header,
                    crs,
                    opened: known.clone(),
                    known: Mutex::new(known),
                    checked: Mutex::new(Instant::now()),
                });
            }
            Err(Need::Refused(error)) => return Err(SourceError::File(error)),
            Err(Need::Bytes(missing)) => {
                meter.begin_round();
                let reads = merge(missing.0.into_iter().map(|range| ahead(range, size)).collect());
                if known.len() as u64 + reads.iter().map(|read| read.end - read.start).sum::<u64>()
                    > MAX_KNOWN as u64
                {
                    let error = HeaderError::TooMany("bytes of header", size, MAX_KNOWN as u64);
                    return Err(SourceError::File(error));
                }
                let read = async |range: Range<u64>| {
                    let answer = fetcher
                        .read(&object, range.clone(), Some(&version), deadline, meter)
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
