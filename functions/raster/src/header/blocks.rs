//! Where the blocks of one image lie: arrays of offsets and byte counts that are read only at the entries needed.

use std::ops::Range;

use super::directory::{Cursor, Field, FieldType};
use super::{HeaderError, Need};
use crate::decode::ByteOrder;
use crate::span::Known;

/// Where one block lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// Its bytes in the file.
    At(Range<u64>),
    /// It was never written (offset and count 0): it holds no data.
    Sparse,
}

/// The arrays of offsets and byte counts of one image (TIFF 6.0 sections 3 and 15).
#[derive(Clone, Debug)]
pub struct Blocks {
    offsets: Array,
    /// Missing in some old uncompressed files.
    counts: Option<Array>,
    order: ByteOrder,
    /// Bytes of a block where the file gives no counts.
    plain_size: u64,
}

#[derive(Clone, Copy, Debug)]
struct Array {
    kind: FieldType,
    count: u64,
    at: u64,
}

impl Blocks {
    /// The arrays of an image whose `plain_size` is what an uncompressed block takes.
    pub(super) fn new(offsets: &Field, counts: Option<&Field>, order: ByteOrder, plain_size: u64) -> Self {
        let array = |field: &Field| Array {
            kind: field.kind,
            count: field.count,
            at: field.at,
        };
        Self {
            offsets: array(offsets),
            counts: counts.map(array),
            order,
            plain_size,
        }
    }

    /// How many blocks the file says there are.
    pub fn len(&self) -> u64 {
        self.offsets.count
    }

    /// Whether the file has no block at all.
    pub fn is_empty(&self) -> bool {
        self.offsets.count == 0
    }

    /// Where block `index` lies in a file of `size` bytes. `None` where the arrays end before it.
    ///
    /// # Errors
    /// [`Need::Bytes`] names the entries of both arrays that are not known yet; [`Need::Refused`] if the arrays or the
    /// block lie beyond the end of the file.
    pub fn get(&self, known: &Known, size: u64, index: u64) -> Result<Option<Block>, Need> {
        let offset = self.offsets.entry(known, size, self.order, index);
        let count = match &self.counts {
            Some(counts) => counts.entry(known, size, self.order, index),
            None => Ok(Some(self.plain_size)),
        };
        let (offset, count) = match (offset, count) {
            (Ok(Some(offset)), Ok(Some(count))) => (offset, count),
            (Ok(_), Ok(_)) => return Ok(None),
            (Err(Need::Bytes(mut first)), Err(Need::Bytes(second))) => {
                first.0.extend(second.0);
                first.0.sort_by_key(|range| range.start);
                return Err(Need::Bytes(first));
            }
            (Err(need), _) | (_, Err(need)) => return Err(need),
        };
        if offset == 0 || count == 0 {
            return Ok(Some(Block::Sparse));
        }
        let mut end = offset.saturating_add(count);
        if end > size && self.counts.is_none() {
            end = size;
        }
        if end > size || offset >= size {
            return Err(HeaderError::Truncated {
                what: "a block",
                start: offset,
                end,
                size,
            }
            .into());
        }
        Ok(Some(Block::At(offset..end)))
    }
}

impl Array {
    fn entry(&self, known: &Known, size: u64, order: ByteOrder, index: u64) -> Result<Option<u64>, Need> {
        if index >= self.count {
            return Ok(None);
        }
        let width = self.kind.size();
        let at = self.at.saturating_add(index.saturating_mul(width));
        let cursor = Cursor::take(known, size, "the index of blocks", at, width)?.with(order);
        Ok(Some(match width {
            1 => u64::from(cursor.u8(0)),
            2 => u64::from(cursor.u16(0)),
            4 => u64::from(cursor.u32(0)),
            _ => cursor.u64(0),
        }))
    }
}
