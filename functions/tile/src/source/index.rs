//! An index of headers: what opening the files of a collection has read, in one file. Loaded at the start, it spares a
//! cold tile the read of the head: the blocks are asked for at once, under the version that the index names. A file
//! that was replaced since is noticed by that, and opened as if the index did not know it.
//!
//! The form, all numbers little-endian: [`MAGIC`]; then for every file its address and its version, each as a length
//! (u32) and text; its size (u64); how many chunks of it follow (u32), each as an offset (u64), a length (u32) and bytes.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use bytes::{Buf, Bytes};
use edgetile_raster::header::{Header, Need};
use edgetile_raster::span::Known;

use super::store::{Object, StoreError};
use super::{Source, SourceError};
use crate::access::Location;
use crate::fetch::{Edition, Fetcher, Meter};

const MAGIC: &[u8] = b"edgetile headers 1\n";

/// Bytes at the beginning in which the ghost area of GDAL's COG driver lies: what it promises is of use, but nothing asks
/// for it.
const GHOST: u64 = 512;

/// Gaps between the parts of a header that are kept for being simpler.
const GAP: u64 = 256;

/// Bytes of arrays of offsets and counts that are kept of one file: a scene of 100,000 px in blocks of 512 px has
/// 0.6 MB of them. Of larger ones the entries are read as they are needed.
const ARRAYS: u64 = 1 << 20;

/// An index that cannot be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct IndexError(&'static str);

/// The headers of a collection.
#[derive(Debug, Default)]
pub struct Index {
    entries: HashMap<String, Entry>,
}

#[derive(Debug)]
struct Entry {
    version: String,
    size: u64,
    known: Known,
    /// Whether the file was found to be another one by now.
    stale: AtomicBool,
}

impl Index {
    /// Reads an index.
    pub fn parse(mut bytes: Bytes) -> Result<Self, IndexError> {
        if !bytes.starts_with(MAGIC) {
            return Err(IndexError(
                "it is not an index of headers: edgetile index URL… > FILE makes one",
            ));
        }
        bytes.advance(MAGIC.len());
        let mut entries = HashMap::new();
        while !bytes.is_empty() {
            let (identity, entry) = entry(&mut bytes).ok_or(IndexError("it ends within an entry"))?;
            entries.insert(identity, entry);
        }
        Ok(Self { entries })
    }

    /// The beginning of an index, before its first entry.
    pub fn begin() -> Vec<u8> {
        MAGIC.to_vec()
    }

    /// The source at a location, if the index knows it.
    pub(super) fn open(&self, location: &Location, object: &Object) -> Option<Source> {
        let identity = location.identity();
        let entry = self.entries.get(identity.as_ref())?;
        if entry.stale.load(Ordering::Relaxed) {
            return None;
        }
        let header = Header::read(&entry.known, entry.size).ok()?;
        let edition = Edition {
            identity: identity.into_owned(),
            version: entry.version.clone(),
        };
        Some(Source::new(
            object.clone(),
            edition,
            header,
            entry.known.clone(),
            None,
        ))
    }

    /// Another version stands in the place of this one.
    pub(super) fn forget(&self, edition: &Edition) {
        let entry = self.entries.get(&edition.identity);
        if let Some(entry) = entry.filter(|entry| entry.version == edition.version) {
            entry.stale.store(true, Ordering::Relaxed);
        }
    }
}

fn entry(bytes: &mut Bytes) -> Option<(String, Entry)> {
    let (identity, version) = (text(bytes)?, text(bytes)?);
    let size = bytes.try_get_u64_le().ok()?;
    let mut known = Known::new();
    for _ in 0..bytes.try_get_u32_le().ok()? {
        let at = bytes.try_get_u64_le().ok()?;
        known.insert(at, counted(bytes)?);
    }
    let entry = Entry {
        version,
        size,
        known,
        stale: AtomicBool::new(false),
    };
    Some((identity, entry))
}

fn counted(bytes: &mut Bytes) -> Option<Bytes> {
    let length = bytes.try_get_u32_le().ok()? as usize;
    (length <= bytes.len()).then(|| bytes.split_to(length))
}

fn text(bytes: &mut Bytes) -> Option<String> {
    String::from_utf8(counted(bytes)?.to_vec()).ok()
}

impl Source {
    /// Its entry in an index: what its header was read from, and the whole arrays of offsets and counts if they are not
    /// very long.
    pub async fn packed(
        &self,
        fetcher: &Fetcher,
        deadline: Instant,
        meter: &Meter,
    ) -> Result<Vec<u8>, SourceError> {
        let mut ranges = self.parts_read()?;
        let mut known = self.known.clone();
        let images = self
            .header
            .levels
            .iter()
            .flat_map(|level| std::iter::once(&level.image).chain(&level.mask));
        let mut arrays: Vec<Range<u64>> = images.flat_map(|image| image.blocks.arrays()).collect();
        arrays.sort_by_key(|array| array.end.saturating_sub(array.start));
        let mut room = ARRAYS;
        for array in arrays {
            let length = array.end.saturating_sub(array.start);
            if length <= room && array.end <= self.header.size {
                room -= length;
                ranges.push(array);
            }
        }
        loop {
            match pieces(&known, ranges.clone(), self.header.size) {
                Ok(chunks) => return Ok(self.entry(&chunks)),
                Err(missing) => self.learn(fetcher, &mut known, missing, deadline, meter).await?,
            }
        }
    }

    /// The ranges that reading the header asks for.
    fn parts_read(&self) -> Result<Vec<Range<u64>>, SourceError> {
        let mut ranges = vec![0..GHOST.min(self.header.size); 1];
        let mut known = Known::new();
        loop {
            match Header::read(&known, self.header.size) {
                Ok(_) => return Ok(ranges),
                Err(Need::Refused(error)) => return Err(SourceError::File(error)),
                Err(Need::Bytes(missing)) => {
                    for range in missing.0 {
                        let bytes = self
                            .known
                            .get(range.clone())
                            .map_err(|_| StoreError::WrongAnswer)?;
                        known.insert(range.start, bytes);
                        ranges.push(range);
                    }
                }
            }
        }
    }

    fn entry(&self, chunks: &[(u64, Bytes)]) -> Vec<u8> {
        let mut entry = Vec::new();
        let counted = |entry: &mut Vec<u8>, bytes: &[u8]| {
            entry.extend((bytes.len() as u32).to_le_bytes());
            entry.extend(bytes);
        };
        counted(&mut entry, self.edition.identity.as_bytes());
        counted(&mut entry, self.edition.version.as_bytes());
        entry.extend(self.header.size.to_le_bytes());
        entry.extend((chunks.len() as u32).to_le_bytes());
        for (at, bytes) in chunks {
            entry.extend(at.to_le_bytes());
            counted(&mut entry, bytes);
        }
        entry
    }
}

/// The bytes of ranges, those close together as one.
fn pieces(
    known: &Known,
    mut ranges: Vec<Range<u64>>,
    size: u64,
) -> Result<Vec<(u64, Bytes)>, edgetile_raster::span::Missing> {
    ranges.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(GAP) => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    let of = |range: Range<u64>| Ok((range.start, known.get(range.start..range.end.min(size))?));
    joined.into_iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_index_or_ends_early_is_refused() {
        let parse = |bytes: &[u8]| Index::parse(Bytes::copy_from_slice(bytes));
        assert!(parse(MAGIC).is_ok_and(|index| index.entries.is_empty()));
        assert!(parse(b"II*\0").unwrap_err().to_string().contains("not an index"));
        let mut whole = MAGIC.to_vec();
        for text in ["s3://b/a.tif", "\"v1\""] {
            whole.extend((text.len() as u32).to_le_bytes());
            whole.extend(text.as_bytes());
        }
        whole.extend(1000_u64.to_le_bytes());
        whole.extend(1_u32.to_le_bytes());
        whole.extend(8_u64.to_le_bytes());
        whole.extend(4_u32.to_le_bytes());
        whole.extend(b"abcd");
        let index = parse(&whole).unwrap();
        let entry = &index.entries["s3://b/a.tif"];
        assert_eq!((entry.version.as_str(), entry.size), ("\"v1\"", 1000));
        assert_eq!(entry.known.get(8..12).unwrap(), "abcd");
        for end in MAGIC.len() + 1..whole.len() {
            assert!(parse(&whole[..end]).is_err(), "{end}");
        }
        // A count that is larger than the file takes no memory.
        let at = whole.len() - 20;
        whole[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(parse(&whole).is_err());
    }
}
