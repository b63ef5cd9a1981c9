//! The bytes of a TIFF's directories → what the file holds: levels, bands, place, nodata.
//!
//! Low form first: [`directory`] lists the fields of a directory and where their values lie. High form: [`Header`],
//! in which every level's layout has been checked, so that a later step cannot ask for what is not there.
//! The offsets and byte counts of blocks are never read here: [`Blocks`] reads the entries that a tile needs.
//!
//! Sources: TIFF 6.0 (Adobe 1992), BigTIFF design (Aware Systems), OGC GeoTIFF 1.1 (19-008r4),
//! GDAL's GeoTIFF driver documentation for tags 42112, 42113 and the COG ghost area.
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

pub mod directory;
pub mod bands;
pub mod blocks;
pub mod georeference;
pub mod image;
pub mod layout;
pub mod nodata;

pub use bands::{Band, BandRole};
pub use blocks::{Block, Blocks};
pub use georeference::{Affine, Georeference};
pub use image::Image;
pub use layout::Layout;
pub use nodata::Nodata;

use crate::crs::{CrsError, GeoKeys};
use crate::decode::{DecodeError, Photometric};
use crate::span::{Known, Missing};
use directory::{Directory, Prologue, tag};

/// Why a header cannot be given: bytes are missing, or the file is at fault.
#[derive(Debug)]
pub enum Need {
    /// Fetch these ranges and call again.
    Bytes(Missing),
    /// No further byte will help.
    Refused(HeaderError),
}

impl From<Missing> for Need {
    fn from(missing: Missing) -> Self {
        Self::Bytes(missing)
    }
}

impl From<HeaderError> for Need {
    fn from(error: HeaderError) -> Self {
        Self::Refused(error)
    }
}

/// A file that breaks its format, or uses a part of it that we do not read. The publisher of the file must act.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum HeaderError {
    /// The first bytes are not those of a TIFF.
    #[error("not a TIFF: the file does not start with II or MM and 42 or 43")]
    NotTiff,
    /// A directory or a value lies beyond the end of the file.
    #[error("the file is truncated: {what} should lie at bytes {start}..{end} of {size}")]
    Truncated {
        /// What was to be read.
        what: &'static str,
        /// First byte wanted.
        start: u64,
        /// Byte past the last one wanted.
        end: u64,
        /// Size of the file in bytes.
        size: u64,
    },
    /// A required tag is not there.
    #[error("tag {0} ({1}) is missing")]
    TagMissing(u16, &'static str),
    /// A tag's value makes no sense.
    #[error("tag {0} ({1}) has a value that is not allowed: {2}")]
    TagValue(u16, &'static str, String),
    /// More of something than any real file has.
    #[error("too many {0}: {1}, the limit is {2}")]
    TooMany(&'static str, u64, u64),
    /// A block that the index promises is not there.
    #[error("block {block} of the {width_px} x {height_px} px image {fault}")]
    Block {
        /// Index of the block in its image.
        block: u64,
        /// Width of that image.
        width_px: u32,
        /// Height of that image.
        height_px: u32,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// The samples are stored in a way that is not read.
    #[error("{0}")]
    Format(DecodeError),
}

/// A level of the pyramid: the samples, and the mask of the same size if the file has one.
#[derive(Clone, Debug)]
pub struct Level {
    /// The samples.
    pub image: Image,
    /// An internal mask (NewSubfileType bit 2) of the same width and height.
    pub mask: Option<Image>,
}

/// What a file holds. Made once per version of a file and then shared.
#[derive(Clone, Debug)]
pub struct Header {
    /// Size of the file in bytes.
    pub size: u64,
    /// Full resolution first, then the overviews from the finest to the coarsest.
    pub levels: Vec<Level>,
    /// Sizes, columns and rows, of overviews that are not used because they are not smaller than the level before them.
    pub idle_overviews: Vec<(u64, u64)>,
    /// Every band, alpha among them.
    pub bands: Vec<Band>,
    /// Where pixels lie, in the file's own CRS.
    pub georeference: Option<Georeference>,
    /// Tags 34735 to 34737; the CRS is made from them where it is needed.
    pub geo_keys: Result<GeoKeys, CrsError>,
    /// The value that stands for "nothing there".
    pub nodata: Option<Nodata>,
    /// The colours of a palette image, by index.
    pub palette: Option<Vec<[u8; 3]>>,
    /// How the full resolution encodes colour.
    pub photometric: Photometric,
    /// Whether the ghost area of a COG driver is there (GDAL: `GDAL_STRUCTURAL_METADATA_SIZE`).
    pub cog: bool,
    /// Whether that area says that the file was changed since, so that its layout may be another.
    pub edited: bool,
    /// Whether offsets are 64 bits wide.
    pub big: bool,
    /// What is unusual in the file, in words, for `info`.
    pub remarks: Vec<String>,
}

/// Pages beyond this are not looked at: more than any pyramid needs, few enough to bound the work.
const MAX_DIRECTORIES: usize = 256;

impl Header {
    /// Reads the directories of a file of `size` bytes.
    ///
    /// # Errors
    /// [`Need::Bytes`] until all directories are known; [`Need::Refused`] for a file that cannot be read at all.
    pub fn read(known: &Known, size: u64) -> Result<Self, Need> {
        let prologue = Prologue::read(known, size)?;
        let directories = read_chain(known, size, &prologue)?;
        let pyramid = Pyramid::sort(directories)?;
        let first = &pyramid.first;
        let mut remarks = pyramid.remarks;
        let full = Image::new(first, &prologue)?;
        let mut levels = Vec::new();
        for (directory, mask) in pyramid.levels {
            let image = Image::new(&directory, &prologue)?;
            if !levels.is_empty() && !image.is_overview_of(&full) {
                remarks.push(format!(
                    "the overview of {} x {} px differs in type and is not used",
                    image.width_px, image.height_px
                ));
                continue;
            }
            let mask = mask.map(|mask| Image::new(&mask, &prologue)).transpose()?;
            levels.push(Level { image, mask });
        }
        let geo_keys = GeoKeys::parse(
            &first.shorts(tag::GEO_KEY_DIRECTORY),
            &first.doubles(tag::GEO_DOUBLE_PARAMS),
            &first.bytes(tag::GEO_ASCII_PARAMS),
        );
        let is_point = geo_keys.as_ref().is_ok_and(GeoKeys::is_pixel_point);
        let georeference = Georeference::new(first, is_point, &mut remarks);
        let bands = bands::bands(first, &full);
        let nodata = first.text(tag::GDAL_NODATA).and_then(|text| Nodata::parse(&text));
        Ok(Self {
            size,
            bands,
            georeference,
            geo_keys,
            nodata,
            palette: bands::palette(first),
            photometric: full.format.photometric,
            cog: prologue.ghost.is_some(),
            edited: prologue.ghost.is_some_and(|ghost| ghost.edited),
            big: prologue.big,
            idle_overviews: pyramid.idle_overviews,
            remarks,
            levels,
        })
    }

    /// The full resolution.
    pub fn full(&self) -> &Image {
        #[expect(
            clippy::indexing_slicing,
            reason = "a header is only made with at least one level"
        )]
        &self.levels[0].image
    }

    /// The same directories read as overviews of another file, whose bands, colours and nodata hold; those that do not fit it
    /// are left out. `None` where none fits.
    pub fn as_overviews_of(&self, file: &Self) -> Option<Self> {
        let full = file.full();
        let fits = |level: &&Level| {
            let image = &level.image;
            let smaller = image.width_px <= full.width_px && image.height_px <= full.height_px;
            let same_size = (image.width_px, image.height_px) == (full.width_px, full.height_px);
            smaller && !same_size && image.is_overview_of(full)
        };
        let levels: Vec<Level> = self.levels.iter().filter(fits).cloned().collect();
        (!levels.is_empty()).then(|| Self {
            size: self.size,
            big: self.big,
            cog: self.cog,
            levels,
            ..file.clone()
        })
    }

    /// Whether colours are multiplied by that alpha band already.
    pub fn alpha_is_associated(&self, band: usize) -> bool {
        self.bands
            .get(band)
            .is_some_and(|band| band.role == BandRole::Alpha { associated: true })
    }

    /// The index of the alpha band, if one is tagged.
    pub fn alpha_band(&self) -> Option<usize> {
        self.bands
            .iter()
            .position(|band| matches!(band.role, BandRole::Alpha { .. }))
    }
}

/// The directories of a file, sorted by what they are to each other.
struct Pyramid {
    first: Directory,
    levels: Vec<(Directory, Option<Directory>)>,
    idle_overviews: Vec<(u64, u64)>,
    remarks: Vec<String>,
}

impl Pyramid {
    fn sort(directories: Vec<Directory>) -> Result<Self, HeaderError> {
        let mut remarks = Vec::new();
        let first_at = directories
            .iter()
            .position(|d| !d.is_reduced() && !d.is_mask())
            .unwrap_or(0);
        let first = directories.get(first_at).cloned().ok_or(HeaderError::NotTiff)?;
        let (mut masks, mut overviews) = (Vec::new(), Vec::new());
        let mut pages = 0_usize;
        for (at, directory) in directories.into_iter().enumerate() {
            if directory.is_mask() {
                masks.push(directory);
            } else if at == first_at {
                // The full resolution itself.
            } else if directory.is_reduced() {
                overviews.push(directory);
            } else {
                pages = pages.saturating_add(1);
            }
        }
        if pages > 0 {
            remarks.push(format!(
                "{pages} further pages that are not overviews are not served"
            ));
        }
        let size = first.size();
        overviews.sort_by_key(|overview| std::cmp::Reverse(overview.size()));
        let mut before = size;
        let (overviews, idle): (Vec<_>, Vec<_>) = overviews.into_iter().partition(|overview| {
            let (width, height) = overview.size();
            let fits = width > 0 && height > 0 && width <= size.0 && height <= size.1;
            let is_new = fits && (width, height) != before;
            if is_new {
                before = (width, height);
            }
            is_new
        });
        let idle_overviews = idle.iter().map(Directory::size).collect();
        let mut levels = Vec::with_capacity(overviews.len().saturating_add(1));
        for directory in std::iter::once(first.clone()).chain(overviews) {
            let mask = masks.iter().find(|mask| mask.size() == directory.size()).cloned();
            levels.push((directory, mask));
        }
        Ok(Self {
            first,
            levels,
            idle_overviews,
            remarks,
        })
    }
}

fn read_chain(known: &Known, size: u64, prologue: &Prologue) -> Result<Vec<Directory>, Need> {
    let mut directories = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut next = prologue.first;
    let mut children = Vec::new();
    while next != 0 && directories.len() < MAX_DIRECTORIES && seen.insert(next) {
        let (directory, following) = Directory::read(known, size, prologue, next)?;
        if directories.is_empty() {
            children = directory.longs(tag::SUB_IFDS);
        }
        directories.push(directory);
        next = following;
    }
    for child in children {
        if child != 0 && directories.len() < MAX_DIRECTORIES && seen.insert(child) {
            directories.push(Directory::read(known, size, prologue, child)?.0);
        }
    }
    Ok(directories)
}

#[cfg(test)]
#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests may panic"
)]
mod tests;
