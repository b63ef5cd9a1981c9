//! Why a file cannot be opened or put on a map, sorted by who must act.

use edgetile_raster::crs::CrsError;
use edgetile_raster::decode::DecodeError;
use edgetile_raster::header::HeaderError;

use super::store::StoreError;
use crate::access::Denied;
use crate::fetch::Failure;
use crate::response::Problem;

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

impl Failure for SourceError {
    const OUT_OF_TIME: Self = Self::Store(StoreError::TimedOut);

    fn is_out_of_time(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_out_of_time())
    }
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
                StoreError::Moved => Self::Moved,
                StoreError::Unavailable | StoreError::Again | StoreError::WrongAnswer => Self::StoreFailed,
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
