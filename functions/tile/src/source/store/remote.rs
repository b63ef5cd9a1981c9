//! Objects of S3, Google and Azure, through object_store.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::StreamExt;
use object_store::aws::AmazonS3;
use object_store::azure::MicrosoftAzure;
use object_store::gcp::GoogleCloudStorage;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, GetResult, ObjectStore};

use super::{Arriving, Body, StoreError, is_etag};
use crate::source::transport::{Beyond, Elsewhere, Stale, Throttled, behind, is_behind};

/// A bucket or container. Each kind by itself, not `dyn ObjectStore`: its table of methods would keep all that writes and
/// lists in the binary, near a megabyte.
#[derive(Clone, Debug)]
pub(super) enum Bucket {
    S3(Arc<AmazonS3>),
    Gs(Arc<GoogleCloudStorage>),
    Az(Arc<MicrosoftAzure>),
}

impl Bucket {
    async fn get(&self, path: &Path, options: GetOptions) -> object_store::Result<GetResult> {
        match self {
            Self::S3(store) => store.get_opts(path, options).await,
            Self::Gs(store) => store.get_opts(path, options).await,
            Self::Az(store) => store.get_opts(path, options).await,
        }
    }
}

/// A bucket, in the region in which it was last found.
pub(super) struct Home {
    now: Mutex<Found>,
    build: Box<Build>,
}

/// Makes the store of a bucket, in the region of the settings or in another.
pub(super) type Build = dyn Fn(Option<&str>) -> object_store::Result<Bucket> + Send + Sync;

#[derive(Clone)]
struct Found {
    bucket: Bucket,
    /// `None`: that of the settings.
    region: Option<String>,
}

impl Home {
    /// The bucket in the region of the settings.
    pub(super) fn new(build: Box<Build>) -> object_store::Result<Self> {
        let found = Found {
            bucket: build(None)?,
            region: None,
        };
        Ok(Self {
            now: Mutex::new(found),
            build,
        })
    }

    fn now(&self) -> MutexGuard<'_, Found> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The store sent a read that went to `asked` to another region: that is remembered.
    fn found_in(&self, region: &str, asked: &Found) -> StoreError {
        if asked.region.as_deref() == Some(region) {
            return StoreError::Unavailable;
        }
        let mut now = self.now();
        if now.region.as_deref() != Some(region) {
            let Ok(bucket) = (self.build)(Some(region)) else {
                return StoreError::Unavailable;
            };
            tracing::info!(region, "a bucket lies in another region than AWS_REGION says");
            *now = Found {
                bucket,
                region: Some(region.to_owned()),
            };
        }
        StoreError::Again
    }
}

impl fmt::Debug for Home {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Home").finish_non_exhaustive()
    }
}

/// One object of a store.
#[derive(Clone, Debug)]
pub(super) struct Remote {
    /// Where it is.
    pub(super) home: Arc<Home>,
    /// The key, as the store knows it.
    pub(super) path: Path,
}

impl Remote {
    /// Asks for a range.
    pub(super) async fn read(
        &self,
        range: Range<u64>,
        version: Option<&str>,
    ) -> Result<Arriving, StoreError> {
        let options = GetOptions {
            range: Some(GetRange::Bounded(range.clone())),
            if_match: version.filter(|version| is_etag(version)).map(str::to_owned),
            ..GetOptions::default()
        };
        let found = self.home.now().clone();
        let result = match found.bucket.get(&self.path, options).await {
            Ok(result) => result,
            Err(error) if range.start == 0 && is_behind::<Beyond>(&error) => {
                return Ok(Arriving::of_nothing());
            }
            Err(error) => {
                let elsewhere = behind(&error).map(|Elsewhere(region)| self.home.found_in(region, &found));
                return Err(elsewhere.unwrap_or_else(|| sort(&error)));
            }
        };
        if result.range.start != range.start {
            return Err(StoreError::WrongAnswer);
        }
        let size = result.meta.size;
        let version = match &result.meta.e_tag {
            Some(etag) => etag.clone(),
            None => format!("{}-{size}", result.meta.last_modified.timestamp_millis()),
        };
        let expected = result.range.end.saturating_sub(result.range.start);
        let stream = result
            .into_stream()
            .map(|chunk| chunk.map_err(|error| sort(&error)));
        Ok(Arriving {
            body: Body::Stream(stream.boxed()),
            expected,
            size,
            version,
        })
    }
}

fn sort(error: &object_store::Error) -> StoreError {
    use object_store::Error as E;
    match error {
        E::NotFound { .. } => StoreError::NotFound,
        E::PermissionDenied { .. } | E::Unauthenticated { .. } => {
            tracing::warn!(%error, "store");
            StoreError::Forbidden
        }
        E::Precondition { .. } | E::NotModified { .. } => StoreError::Replaced,
        E::InvalidPath { .. } => StoreError::BadAddress,
        other if is_behind::<Throttled>(other) => StoreError::Throttled,
        other if is_behind::<Stale>(other) => StoreError::Again,
        other => {
            tracing::warn!(error = %other, "store");
            StoreError::Unavailable
        }
    }
}
