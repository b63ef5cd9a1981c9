//! Files of this machine, and those that the binary carries.

use std::fs::File;
use std::io::ErrorKind;
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;

use bytes::Bytes;

use super::{Arriving, Body, StoreError};

/// A range of what is compiled in.
pub(super) fn embedded(bytes: &'static [u8], range: Range<u64>) -> Arriving {
    let size = bytes.len() as u64;
    let (start, end) = (range.start.min(size) as usize, range.end.min(size) as usize);
    let bytes = bytes.get(start..end).unwrap_or_default();
    // The version of what is compiled in is that of the binary.
    Arriving {
        body: Body::Whole(Bytes::from_static(bytes)),
        expected: bytes.len() as u64,
        size,
        version: format!("\"{}-{size:x}\"", env!("CARGO_PKG_VERSION")),
    }
}

/// A range of a file; waits for the disk.
pub(super) fn read(path: &PathBuf, range: Range<u64>) -> Result<Arriving, StoreError> {
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
    Ok(Arriving {
        expected: bytes.len() as u64,
        body: Body::Whole(bytes.into()),
        size,
        version,
    })
}
