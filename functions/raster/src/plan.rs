//! Header + tile → level, blocks and byte ranges: a value that can be tested without a store.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use std::ops::Range;

use crate::decode::{Compression, Photometric};
use crate::header::{Block, Header, HeaderError, Image, Need, Nodata};
use crate::span::{Known, Missing};
use crate::warp::{Kernel, Rect};

/// What a request may cost. Spent before anything is allocated or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes that the samples of one source may take in memory, all bands together.
    pub memory: u64,
    /// Most blocks of one source.
    pub blocks: u64,
    /// Most bytes of one source.
    pub bytes: u64,
}

impl Default for Limits {
    /// A 256 px tile of a COG needs some 0.3 MB of samples a band and 1 to 9 blocks of some 100 kB. These limits leave room for
    /// 2048 px tiles, for large blocks and for strips of one row, and keep a request within the smallest functions and about a second.
    fn default() -> Self {
        Self {
            memory: 128 << 20,
            blocks: 8192,
            bytes: 64 << 20,
        }
    }
}

/// Why there is no plan.
#[derive(Debug)]
pub enum PlanError {
    /// These entries of the file's index must be known first.
    Missing(Missing),
    /// The file is at fault.
    File(HeaderError),
    /// The answer would cost more than the limits.
    TooMuch(TooMuch),
    /// The source has no such band.
    NoBand {
        /// 1-based.
        band: usize,
        /// How many there are.
        bands: usize,
    },
}

/// A request that would cost more than is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the answer would need {needed} {what} of one file and read some {bytes} bytes of it; the limit is {limit} {what}"
)]
pub struct TooMuch {
    /// What there would be too much of.
    pub what: &'static str,
    /// How much it would be.
    pub needed: u64,
    /// How much is allowed.
    pub limit: u64,
    /// Bytes that would be read of the file: of its blocks, or where their index was not read yet, their share of the file.
    pub bytes: u64,
}

impl From<Need> for PlanError {
    fn from(need: Need) -> Self {
        match need {
            Need::Bytes(missing) => Self::Missing(missing),
            Need::Refused(error) => Self::File(error),
        }
    }
}

impl From<TooMuch> for PlanError {
    fn from(error: TooMuch) -> Self {
        Self::TooMuch(error)
    }
}

/// One block to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read {
    /// A block of samples.
    Data {
        /// The band where the layout is planar, else 0.
        plane: u32,
        /// Column and row of the block's first pixel in the level.
        origin: (u32, u32),
        /// Rows that the block really holds, and how many of them, from the first, are needed.
        rows: (u32, u32),
        /// Its bytes; `None` if it was never written.
        at: Option<Range<u64>>,
    },
    /// A block of the mask.
    Mask {
        /// Column and row of the block's first pixel in the level.
        origin: (u32, u32),
        /// Rows that the block really holds, and how many of them are needed.
        rows: (u32, u32),
        /// Its bytes; `None` if it was never written.
        at: Option<Range<u64>>,
    },
}

impl Read {
    /// Column and row of the block's first pixel.
    pub fn origin(&self) -> (u32, u32) {
        match self {
            Self::Data { origin, .. } | Self::Mask { origin, .. } => *origin,
        }
    }

    /// Rows stored, rows needed.
    pub fn rows(&self) -> (u32, u32) {
        match self {
            Self::Data { rows, .. } | Self::Mask { rows, .. } => *rows,
        }
    }

    /// Its bytes in the file.
    pub fn at(&self) -> Option<&Range<u64>> {
        match self {
            Self::Data { at, .. } | Self::Mask { at, .. } => at.as_ref(),
        }
    }
}

/// All reads that a rectangle of a level needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Index of the level in the header.
    pub level: usize,
    /// The pixels of the level; with `turn_px` counted as in [`Wanted`].
    pub rect: Rect,
    /// Columns in a turn of the globe, where the level goes all round it.
    pub turn_px: Option<u32>,
    /// The bands wanted, 0-based, in the order wanted.
    pub bands: Vec<usize>,
    /// The band that masks them.
    pub alpha: Option<usize>,
    /// The value that masks them.
    pub nodata: Option<Nodata>,
    /// Samples of a pixel in one block.
    pub samples_in_block: usize,
    /// The blocks.
    pub reads: Vec<Read>,
}

/// What says which samples hold data. Blocks that were never written hold none in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Masking {
    /// The file: nodata, else an alpha band, else an internal mask.
    #[default]
    Own,
    /// The file, but its band tagged as alpha is data.
    AlphaIsData,
    /// A mask that lies elsewhere.
    Elsewhere,
}

/// What of a source is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Index of the level in the header.
    pub level: usize,
    /// The pixels of the level.
    pub rect: Rect,
    /// Columns in a turn of the globe, where the level goes all round it: then columns of `rect` begin one turn west of the level and
    /// go on for three, so that a rectangle may lie across the level's edge.
    pub turn_px: Option<u32>,
    /// 0-based.
    pub bands: Vec<usize>,
    /// Instead of the file's own nodata.
    pub nodata: Option<Nodata>,
    /// What says which samples hold data, beside a nodata value that is given.
    pub masking: Masking,
}

impl Plan {
    /// Which blocks are needed, and where they lie.
    ///
    /// # Errors
    /// [`PlanError::Missing`] names all the entries of the file's index that are not known yet, at once.
    pub fn new(header: &Header, known: &Known, wanted: Wanted, limits: &Limits) -> Result<Self, PlanError> {
        let Wanted {
            level: level_index,
            rect,
            turn_px,
            bands,
            nodata,
            masking,
        } = wanted;
        let Some(level) = header.levels.get(level_index) else {
            return Err(Need::Refused(HeaderError::TooMany(
                "levels asked for",
                level_index as u64,
                header.levels.len() as u64,
            ))
            .into());
        };
        let count = header.bands.len();
        if let Some(band) = bands.iter().find(|band| **band >= count) {
            return Err(PlanError::NoBand {
                band: band.saturating_add(1),
                bands: count,
            });
        }
        let data_type = level
            .image
            .format
            .data_type()
            .map_err(|error| Need::Refused(HeaderError::Format(error)))?;
        let samples = (rect.area() as u64).saturating_mul(bands.len() as u64);
        let memory = samples.saturating_mul(data_type.size() as u64);
        let own = header.nodata.filter(|_| masking != Masking::Elsewhere);
        let nodata = nodata.or(own).filter(|nodata| nodata.fits(data_type));
        // Masks by priority, as rio-tiler has it: nodata, alpha band, mask IFD.
        let alpha = header
            .alpha_band()
            .filter(|_| nodata.is_none() && masking == Masking::Own);
        let mask = level
            .mask
            .as_ref()
            .filter(|_| nodata.is_none() && alpha.is_none() && masking != Masking::Elsewhere);
        let planes = planes(&level.image, &bands, alpha);
        let mut index = Index {
            known,
            size: header.size,
            missing: Vec::new(),
        };
        let mut reads = Vec::new();
        let cover = Cover::new(&level.image, &rect, turn_px);
        let mask_cover = mask.map(|mask| (mask, Cover::new(mask, &rect, turn_px)));
        let blocks = cover.count().saturating_mul(planes.len() as u64);
        let share = share_of(header.size, blocks, level.image.blocks.len());
        check("bytes of samples", memory, limits.memory, share)?;
        let all_blocks = blocks.saturating_add(mask_cover.as_ref().map_or(0, |(_, cover)| cover.count()));
        check("blocks", all_blocks, limits.blocks, share)?;
        for plane in planes {
            for (origin, rows, at) in index.blocks(&level.image, plane, &cover)? {
                reads.push(Read::Data {
                    plane,
                    origin,
                    rows,
                    at,
                });
            }
        }
        if let Some((mask, cover)) = mask_cover {
            for (origin, rows, at) in index.blocks(mask, 0, &cover)? {
                reads.push(Read::Mask { origin, rows, at });
            }
        }
        if !index.missing.is_empty() {
            index.missing.sort_by_key(|range| range.start);
            return Err(Need::Bytes(Missing(index.missing)).into());
        }
        let bytes = reads
            .iter()
            .filter_map(Read::at)
            .map(|at| at.end.saturating_sub(at.start))
            .fold(0, u64::saturating_add);
        check("bytes of blocks", bytes, limits.bytes, bytes)?;
        let samples_in_block = usize::from(level.image.format.samples_per_pixel);
        Ok(Self {
            level: level_index,
            rect,
            turn_px,
            bands,
            alpha,
            nodata,
            samples_in_block,
            reads,
        })
    }

    /// Where a band's sample stands in a pixel of a block of `plane`; `None` if the block has no sample of it.
    pub fn sample_of(&self, band: usize, plane: u32) -> Option<usize> {
        if self.samples_in_block > 1 {
            Some(band)
        } else if band == plane as usize {
            Some(0)
        } else {
            None
        }
    }
}

/// The planes that hold these bands, each once.
fn planes(image: &Image, bands: &[usize], alpha: Option<usize>) -> Vec<u32> {
    if !image.planar {
        return vec![0];
    }
    let bands = bands.iter().copied().chain(alpha);
    let mut planes: Vec<u32> = bands.map(|band| band as u32).collect();
    planes.sort_unstable();
    planes.dedup();
    planes
}

/// The bytes of a file of `size` bytes that some of its blocks take, if all are alike.
fn share_of(size: u64, blocks: u64, of_all: u64) -> u64 {
    let share = u128::from(size)
        .saturating_mul(u128::from(blocks))
        .checked_div(u128::from(of_all));
    share.map_or(size, |share| share.min(u128::from(size)) as u64)
}

fn check(what: &'static str, needed: u64, limit: u64, bytes: u64) -> Result<(), TooMuch> {
    if needed > limit {
        Err(TooMuch {
            what,
            needed,
            limit,
            bytes,
        })
    } else {
        Ok(())
    }
}

/// The blocks of an image that a rectangle meets.
struct Cover {
    /// Runs of blocks, in order and apart.
    columns: Vec<Range<u32>>,
    rows: Range<u32>,
    /// The rows of the image that are needed.
    rows_px: Range<u32>,
}

impl Cover {
    fn new(image: &Image, rect: &Rect, turn_px: Option<u32>) -> Self {
        let range = |pixels: Range<u32>, block: u32, count: u32| {
            let end = pixels.end.div_ceil(block).min(count);
            pixels.start.checked_div(block).unwrap_or(0)..end
        };
        let mut columns: Vec<Range<u32>> = rect
            .columns_of_level(turn_px)
            .into_iter()
            .map(|pixels| range(pixels, image.block_width_px, image.blocks_across()))
            .collect();
        columns.sort_by_key(|run| run.start);
        columns.dedup_by(|next, run| {
            let meets = next.start <= run.end;
            if meets {
                run.end = run.end.max(next.end);
            }
            meets
        });
        let rows_px = rect.y..rect.y.saturating_add(rect.height);
        Self {
            columns,
            rows: range(rows_px.clone(), image.block_height_px, image.blocks_down()),
            rows_px,
        }
    }

    fn count(&self) -> u64 {
        let across = self.columns.iter().map(|run| run.len() as u64);
        across
            .fold(0, u64::saturating_add)
            .saturating_mul(self.rows.len() as u64)
    }
}

/// Looks blocks up and gathers what is missing for that.
struct Index<'a> {
    known: &'a Known,
    size: u64,
    missing: Vec<Range<u64>>,
}

/// Origin, rows stored and needed, bytes.
type Located = ((u32, u32), (u32, u32), Option<Range<u64>>);

impl Index<'_> {
    fn blocks(&mut self, image: &Image, plane: u32, cover: &Cover) -> Result<Vec<Located>, Need> {
        let mut located = Vec::new();
        for y_block in cover.rows.clone() {
            for x_block in cover.columns.iter().cloned().flatten() {
                let origin = (
                    x_block.saturating_mul(image.block_width_px),
                    y_block.saturating_mul(image.block_height_px),
                );
                let stored = image.rows_stored(y_block);
                let needed = cover.rows_px.end.saturating_sub(origin.1).min(stored);
                let index = image.block_index(plane, x_block, y_block);
                match image.blocks.get(self.known, self.size, index) {
                    Ok(Some(Block::At(at))) => {
                        let from = cover.rows_px.start.saturating_sub(origin.1);
                        let whole = (origin, (stored, needed), Some(at));
                        located.push(some_rows(image, from, &whole).unwrap_or(whole));
                    }
                    Ok(Some(Block::Sparse)) => located.push((origin, (stored, needed), None)),
                    Ok(None) => {
                        return Err(HeaderError::Block {
                            block: index,
                            width_px: image.width_px,
                            height_px: image.height_px,
                            fault: "is missing from the file's index",
                        }
                        .into());
                    }
                    Err(Need::Bytes(missing)) => self.missing.extend(missing.0),
                    Err(refused) => return Err(refused),
                }
            }
        }
        Ok(located)
    }
}

/// The rows from `from` on of a strip that is not compressed: they lie where they are expected, so that a strip of the whole
/// image is read only as far as it is needed. `None` where rows cannot be found without decoding.
fn some_rows(image: &Image, from: u32, (origin, (_, needed), at): &Located) -> Option<Located> {
    let format = &image.format;
    let plain = format.compression == Compression::None && format.photometric != Photometric::YCbCr;
    if image.tiled || !plain {
        return None;
    }
    let bits = u64::from(image.block_width_px)
        .checked_mul(u64::from(format.samples_per_pixel))?
        .checked_mul(u64::from(format.bits))?;
    let (row_bytes, at) = (bits.div_ceil(8), at.as_ref()?);
    let start = at.start.checked_add(row_bytes.checked_mul(u64::from(from))?)?;
    let end = at.start.checked_add(row_bytes.checked_mul(u64::from(*needed))?)?;
    let rows = needed.checked_sub(from)?;
    // A strip shorter than its rows is left whole, for the decoder to say so.
    (end <= at.end && start < end).then(|| {
        (
            (origin.0, origin.1.saturating_add(from)),
            (rows, rows),
            Some(start..end),
        )
    })
}

/// Which level to read, of levels that are `widths_px` wide from the full resolution on, where one output pixel covers `decimation` full-resolution pixels: the coarsest whose factor f
/// satisfies f < decimation · t + 0.1, with t = 1.2 for nearest and 1 for every other kernel. Measured on GDAL 3.10's
/// warped reads as rio-tiler asks for them; a level is never visibly coarser than the output.
pub fn level(widths_px: &[u32], decimation: f64, kernel: Kernel) -> usize {
    let tolerance = if kernel == Kernel::Nearest { 1.2 } else { 1.0 };
    let full = widths_px.first().copied().map_or(1.0, f64::from);
    let fits = |width: &u32| full / f64::from(*width) < decimation * tolerance + 0.1;
    widths_px.iter().rposition(fits).unwrap_or(0)
}
