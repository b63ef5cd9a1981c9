//! High form of one directory: an image whose size, blocks and sample layout have been checked against each other.

use super::directory::{Directory, Prologue, tag};
use super::{Blocks, HeaderError};
use crate::decode::{BlockFormat, Compression, Photometric, Predictor, SampleKind};

/// One level or one mask. Block coordinates count from the north-west; a strip is a block as wide as the image.
#[derive(Clone, Debug)]
pub struct Image {
    /// Columns.
    pub width_px: u32,
    /// Rows.
    pub height_px: u32,
    /// Columns of a block.
    pub block_width_px: u32,
    /// Rows of a block.
    pub block_height_px: u32,
    /// Samples of each pixel in the whole file.
    pub samples_per_pixel: u16,
    /// Whether each band has its own blocks (PlanarConfiguration 2).
    pub planar: bool,
    /// Whether blocks are tiles; otherwise strips.
    pub tiled: bool,
    /// How the bytes of a block become samples.
    pub format: BlockFormat,
    /// Where the blocks lie.
    pub blocks: Blocks,
    /// Where its directory begins in the file.
    pub directory_at: u64,
}

/// Largest side of an image or block: what signed pixel arithmetic in 32 bits can hold.
const MAX_SIDE: u64 = i32::MAX as u64;

impl Image {
    /// Checks a directory and gives it its high form.
    pub(super) fn new(directory: &Directory, prologue: &Prologue) -> Result<Self, HeaderError> {
        let width_px = side(directory, tag::IMAGE_WIDTH, "ImageWidth")?;
        let height_px = side(directory, tag::IMAGE_LENGTH, "ImageLength")?;
        let samples_per_pixel = directory.long(tag::SAMPLES_PER_PIXEL).unwrap_or(1);
        if samples_per_pixel == 0 || samples_per_pixel > u64::from(u16::MAX) {
            let value = samples_per_pixel.to_string();
            return Err(HeaderError::TagValue(
                tag::SAMPLES_PER_PIXEL,
                "SamplesPerPixel",
                value,
            ));
        }
        let samples_per_pixel = samples_per_pixel as u16;
        let planar = directory.long(tag::PLANAR_CONFIGURATION) == Some(2) && samples_per_pixel > 1;
        let tiled = directory.field(tag::TILE_WIDTH).is_some();
        let (block_width_px, block_height_px) = if tiled {
            (
                side(directory, tag::TILE_WIDTH, "TileWidth")?,
                side(directory, tag::TILE_LENGTH, "TileLength")?,
            )
        } else {
            // A missing RowsPerStrip means one strip (TIFF 6.0 section 3); some writers say 0 or 2^32 - 1.
            let rows = directory.long(tag::ROWS_PER_STRIP).filter(|rows| *rows > 0);
            (
                width_px,
                rows.unwrap_or(u64::MAX).min(u64::from(height_px)) as u32,
            )
        };
        let in_block = if planar { 1 } else { samples_per_pixel };
        let format = format(directory, prologue, in_block, block_width_px, block_height_px)?;
        let (offsets, counts) = if tiled {
            (tag::TILE_OFFSETS, tag::TILE_BYTE_COUNTS)
        } else {
            (tag::STRIP_OFFSETS, tag::STRIP_BYTE_COUNTS)
        };
        // libtiff writes tiles under the strip tags in a few old files, and reads them so.
        let field = |tag, other| directory.field(tag).or_else(|| directory.field(other));
        let offsets = field(offsets, tag::STRIP_OFFSETS).ok_or(HeaderError::TagMissing(
            offsets,
            if tiled { "TileOffsets" } else { "StripOffsets" },
        ))?;
        let counts = field(counts, tag::STRIP_BYTE_COUNTS);
        let bits = u64::from(block_width_px)
            .saturating_mul(u64::from(in_block))
            .saturating_mul(u64::from(format.bits));
        let plain_size = bits.div_ceil(8).saturating_mul(u64::from(block_height_px));
        let is_compressed = format.compression != Compression::None;
        let blocks = Blocks::new(offsets, counts, prologue, plain_size, is_compressed);
        Ok(Self {
            width_px,
            height_px,
            block_width_px,
            block_height_px,
            samples_per_pixel,
            planar,
            tiled,
            format,
            blocks,
            directory_at: directory.at,
        })
    }

    /// How many blocks lie beside each other.
    pub fn blocks_across(&self) -> u32 {
        self.width_px.div_ceil(self.block_width_px)
    }

    /// How many blocks lie above each other.
    pub fn blocks_down(&self) -> u32 {
        self.height_px.div_ceil(self.block_height_px)
    }

    /// The index of a block in the arrays; `plane` is the band where the layout is planar, else 0
    /// (TIFF 6.0 section 15, TileOffsets).
    pub fn block_index(&self, plane: u32, x_block: u32, y_block: u32) -> u64 {
        let (across, down) = (u64::from(self.blocks_across()), u64::from(self.blocks_down()));
        u64::from(plane)
            .saturating_mul(down)
            .saturating_add(u64::from(y_block))
            .saturating_mul(across)
            .saturating_add(u64::from(x_block))
    }

    /// Rows that a block in row `y_block` really holds: a last strip ends with the image, a tile is always whole.
    pub fn rows_stored(&self, y_block: u32) -> u32 {
        let start = y_block.saturating_mul(self.block_height_px);
        if self.tiled {
            self.block_height_px
        } else {
            self.height_px.saturating_sub(start).min(self.block_height_px)
        }
    }

    /// Whether the samples mean the same as another image's.
    pub(super) fn is_overview_of(&self, full: &Self) -> bool {
        self.samples_per_pixel == full.samples_per_pixel
            && self.format.bits == full.format.bits
            && self.format.kind == full.format.kind
    }
}

fn side(directory: &Directory, tag: u16, name: &'static str) -> Result<u32, HeaderError> {
    let value = directory.long(tag).ok_or(HeaderError::TagMissing(tag, name))?;
    if value == 0 || value > MAX_SIDE {
        return Err(HeaderError::TagValue(tag, name, value.to_string()));
    }
    Ok(value as u32)
}

fn format(
    directory: &Directory,
    prologue: &Prologue,
    samples_per_pixel: u16,
    width_px: u32,
    height_px: u32,
) -> Result<BlockFormat, HeaderError> {
    let bits = directory.shorts(tag::BITS_PER_SAMPLE);
    let first = bits.first().copied().unwrap_or(1);
    if bits.iter().any(|bits| *bits != first) {
        let value = format!("{bits:?}: bands of different widths are not read");
        return Err(HeaderError::TagValue(
            tag::BITS_PER_SAMPLE,
            "BitsPerSample",
            value,
        ));
    }
    let formats = directory.shorts(tag::SAMPLE_FORMAT);
    let kind = match formats.first().copied().unwrap_or(1) {
        2 => SampleKind::Int,
        3 => SampleKind::Float,
        5 => SampleKind::ComplexInt,
        6 => SampleKind::ComplexFloat,
        // 4 is "undefined": GDAL and libtiff treat it as unsigned.
        _ => SampleKind::Uint,
    };
    let predictor = match directory.long(tag::PREDICTOR).unwrap_or(1) {
        1 => Predictor::None,
        2 => Predictor::Horizontal,
        3 => Predictor::FloatingPoint,
        other => {
            let value = format!("{other}: only 1, 2 and 3 exist");
            return Err(HeaderError::TagValue(tag::PREDICTOR, "Predictor", value));
        }
    };
    let subsampling = directory.shorts(tag::YCBCR_SUBSAMPLING);
    let tables = directory.bytes(tag::JPEG_TABLES);
    Ok(BlockFormat {
        compression: Compression::from_tag(directory.long(tag::COMPRESSION).unwrap_or(1).min(65535) as u16),
        predictor,
        byte_order: prologue.order,
        fill_order_lsb_first: directory.long(tag::FILL_ORDER) == Some(2),
        photometric: Photometric::from_tag(directory.long(tag::PHOTOMETRIC).unwrap_or(1).min(65535) as u16),
        kind,
        bits: first,
        samples_per_pixel,
        width_px,
        height_px,
        jpeg_tables: (!tables.is_empty()).then_some(tables),
        ycbcr_subsampling: match subsampling.as_slice() {
            [x, y, ..] => (*x, *y),
            _ => (2, 2),
        },
        lerc_additional: directory
            .longs(tag::LERC_PARAMETERS)
            .get(1)
            .copied()
            .unwrap_or(0)
            .min(255) as u32,
        t4_options: directory.long(tag::T4_OPTIONS).unwrap_or(0) as u32,
        t6_options: directory.long(tag::T6_OPTIONS).unwrap_or(0) as u32,
    })
}
