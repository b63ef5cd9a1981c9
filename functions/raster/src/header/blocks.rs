//! Where the blocks of one image lie: arrays of offsets and byte counts that are read only at the entries needed.
//!
//! Where GDAL's ghost area promises it, blocks lie in the order of the index, each between its size (4 bytes before it)
//! and its last 4 bytes once more: its size follows from the offset of the next one, and the counts, half of the index
//! of a very large file, are not read. (GDAL, COG driver, "Header ghost area".)

use std::ops::Range;

use super::directory::{Cursor, Field, FieldType, Prologue};
use super::{HeaderError, Need};
use crate::decode::ByteOrder;
use crate::span::{Known, Missing};

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
    /// Missing in some old files.
    counts: Option<Array>,
    order: ByteOrder,
    /// Bytes of a block without compression.
    plain_size: u64,
    /// Whether leader and trailer stand around each block.
    leaders: bool,
    /// Whether a codec, and not the layout alone, says how long a block is.
    is_compressed: bool,
}

/// Bytes between the end of a block and the beginning of the next: the trailer of one, the leader of the other.
const BETWEEN: u64 = 8;

#[derive(Clone, Copy, Debug)]
struct Array {
    kind: FieldType,
    count: u64,
    at: u64,
}

impl Blocks {
    /// The arrays of an image whose `plain_size` is what a block takes without compression.
    pub(super) fn new(
        offsets: &Field,
        counts: Option<&Field>,
        prologue: &Prologue,
        plain_size: u64,
        is_compressed: bool,
    ) -> Self {
        let array = |field: &Field| Array {
            kind: field.kind,
            count: field.count,
            at: field.at,
        };
        Self {
            offsets: array(offsets),
            counts: counts.map(array),
            order: prologue.order,
            plain_size,
            leaders: prologue.ghost.is_some_and(|ghost| ghost.leaders),
            is_compressed,
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

    /// Where the arrays lie whose entries [`Self::get`] asks for: of offsets, and of counts unless leaders stand for them.
    pub fn arrays(&self) -> impl Iterator<Item = Range<u64>> + use<> {
        let counts = self.counts.filter(|_| !self.leaders);
        let span = |array: Array| {
            let length = array.count.saturating_mul(array.kind.size());
            array.at..array.at.saturating_add(length)
        };
        std::iter::once(self.offsets).chain(counts).map(span)
    }

    /// Where block `index` lies in a file of `size` bytes. `None` where the arrays end before it.
    ///
    /// # Errors
    /// [`Need::Bytes`] names the entries of both arrays that are not known yet; [`Need::Refused`] if the arrays or the
    /// block lie beyond the end of the file.
    pub fn get(&self, known: &Known, size: u64, index: u64) -> Result<Option<Block>, Need> {
        match self.listed(known, size, index) {
            Err(Need::Bytes(missing)) if self.leaders => {
                let block = self.up_to_next(known, size, index)?;
                block.map_or(Err(Need::Bytes(missing)), |block| Ok(Some(block)))
            }
            block => block,
        }
    }

    /// The block from its own offset to that of the next one. `None` where they do not say where it ends: at the end of
    /// the index, and beside a block that was never written.
    fn up_to_next(&self, known: &Known, size: u64, index: u64) -> Result<Option<Block>, Need> {
        let entry = |index| self.offsets.entry(known, size, self.order, index);
        let (own, next) = match (entry(index), entry(index.saturating_add(1))) {
            (Ok(Some(0)), _) => return Ok(Some(Block::Sparse)),
            (_, Ok(None)) => return Ok(None),
            (Ok(Some(own)), Ok(Some(next))) => (own, next),
            (first, second) => return Err(both(first, second)),
        };
        // A file that breaks its promise is read by its counts.
        let most = self.plain_size.saturating_mul(2).saturating_add(4096);
        let length = next
            .checked_sub(own)
            .and_then(|length| length.checked_sub(BETWEEN));
        let length = length.filter(|length| (1..=most).contains(length));
        let end = length
            .map(|length| own.saturating_add(length))
            .filter(|end| *end <= size);
        Ok(end.map(|end| Block::At(own..end)))
    }

    /// The block as offset and count say.
    fn listed(&self, known: &Known, size: u64, index: u64) -> Result<Option<Block>, Need> {
        let offset = self.offsets.entry(known, size, self.order, index);
        let count = match &self.counts {
            Some(counts) => counts.entry(known, size, self.order, index),
            None => Ok(Some(self.guess())),
        };
        let (offset, count) = match (offset, count) {
            (Ok(Some(offset)), Ok(Some(count))) => (offset, count),
            (Ok(_), Ok(_)) => return Ok(None),
            (first, second) => return Err(both(first, second)),
        };
        // The one block of a file cannot be sparse where it has a place: old writers leave its count at 0.
        let forgotten = count == 0 && self.len() == 1;
        if offset == 0 || (count == 0 && !forgotten) {
            return Ok(Some(Block::Sparse));
        }
        let guessed = forgotten || self.counts.is_none();
        let mut end = offset.saturating_add(if forgotten { self.guess() } else { count });
        if end > size && guessed {
            end = size;
        } else if end > size && !self.is_compressed {
            // A count that is too large harms nobody where the block's true size is known.
            end = offset.saturating_add(count.min(self.plain_size));
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

/// What two entries need that cannot both be read.
fn both(first: Result<Option<u64>, Need>, second: Result<Option<u64>, Need>) -> Need {
    let mut missing = Vec::new();
    for need in [first, second].into_iter().filter_map(Result::err) {
        match need {
            Need::Bytes(more) => missing.extend(more.0),
            refused @ Need::Refused(_) => return refused,
        }
    }
    missing.sort_by_key(|range: &Range<u64>| range.start);
    Need::Bytes(Missing(missing))
}

impl Blocks {
    /// Bytes to read of a block whose count the file does not give. What is not compressed has its size; LZW, the worst of
    /// the codecs that old writers used, grows noise to 1.5 times, and every codec knows its own end.
    fn guess(&self) -> u64 {
        if self.is_compressed {
            self.plain_size.saturating_mul(2).saturating_add(4096)
        } else {
            self.plain_size
        }
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

#[cfg(test)]
#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests may panic"
)]
mod tests {
    use super::super::directory::tag;
    use super::super::tests::{Values, Writer};
    use super::super::{Header, Image};
    use super::*;

    const GHOST: &str = "LAYOUT=IFDS_BEFORE_DATA\nBLOCK_ORDER=ROW_MAJOR\nBLOCK_LEADER=SIZE_AS_UINT4\n\
        BLOCK_TRAILER=LAST_4_BYTES_REPEATED\nKNOWN_INCOMPATIBLE_EDITION=NO\n ";
    const SIZE: u64 = 1 << 20;

    /// A file of 2 x 40 blocks, block i at 10,000 + 100 i; block 7 was never written, block 20 stands elsewhere.
    fn image(ghost: &str) -> (Known, Image) {
        let offset = |i: u32| match i {
            7 => 0,
            20 => 900_000,
            _ => 10_000 + 100 * i,
        };
        let count = |i: u32| if i == 7 { 0 } else { 92 };
        let announced = format!("GDAL_STRUCTURAL_METADATA_SIZE={:06} bytes\n{ghost}", ghost.len());
        let long = |tag: u16, value: u32| (tag, Values::Longs(vec![value]));
        let bytes = Writer::new(ByteOrder::Little, true)
            .text(&announced)
            .directory(&[
                long(tag::IMAGE_WIDTH, 32),
                long(tag::IMAGE_LENGTH, 640),
                long(tag::BITS_PER_SAMPLE, 8),
                long(tag::COMPRESSION, 8),
                long(tag::PHOTOMETRIC, 1),
                long(tag::TILE_WIDTH, 16),
                long(tag::TILE_LENGTH, 16),
                (tag::TILE_OFFSETS, Values::Longs((0..80).map(offset).collect())),
                (tag::TILE_BYTE_COUNTS, Values::Longs((0..80).map(count).collect())),
            ])
            .finish();
        let mut known = Known::new();
        known.insert(0, bytes);
        let image = Header::read(&known, SIZE).unwrap().full().clone();
        (known, image)
    }

    /// What is asked for until a block is found, one list of ranges for each time, and the block.
    fn find(ghost: &str, index: u64) -> (Vec<Vec<Range<u64>>>, Option<Block>) {
        let (file, image) = image(ghost);
        let (mut known, mut asked) = (Known::new(), Vec::new());
        loop {
            match image.blocks.get(&known, SIZE, index) {
                Ok(block) => return (asked, block),
                Err(Need::Bytes(missing)) => {
                    for range in &missing.0 {
                        known.insert(range.start, file.get(range.clone()).unwrap());
                    }
                    asked.push(missing.0);
                }
                Err(Need::Refused(error)) => panic!("{error}"),
            }
        }
    }

    #[test]
    fn where_leaders_are_promised_the_counts_are_not_read() {
        let (asked, block) = find(GHOST, 3);
        assert_eq!(block, Some(Block::At(10_300..10_392)));
        // Two entries of the offsets, side by side.
        assert_eq!((asked.len(), asked[0].len()), (1, 2));
        assert_eq!(asked[0][1], asked[0][0].end..asked[0][0].end + 4);
        let (asked, block) = find("LAYOUT=IFDS_BEFORE_DATA\n ", 3);
        assert_eq!(block, Some(Block::At(10_300..10_392)));
        assert_eq!(asked[0][1].start - asked[0][0].start, 80 * 4, "offset and count");
    }

    #[test]
    fn promises_that_are_void_or_do_not_help_cost_the_counts() {
        let edited = GHOST.replace("EDITION=NO", "EDITION=YES");
        let masked = format!("{GHOST}MASK_INTERLEAVED_WITH_IMAGERY=YES\n");
        for (ghost, index, rounds) in [
            (edited.as_str(), 3, 1),
            (masked.as_str(), 3, 1),
            // The next block was never written, stands elsewhere, or is not there.
            (GHOST, 6, 2),
            (GHOST, 19, 2),
            (GHOST, 20, 2),
            (GHOST, 79, 1),
        ] {
            let (asked, block) = find(ghost, index);
            let start = if index == 20 {
                900_000
            } else {
                10_000 + 100 * index
            };
            assert_eq!(block, Some(Block::At(start..start + 92)), "{index}");
            assert_eq!(asked.len(), rounds, "{index}");
        }
        assert_eq!(find(GHOST, 7).1, Some(Block::Sparse));
        assert_eq!(find(GHOST, 80), (vec![], None));
    }
}
