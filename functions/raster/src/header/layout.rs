//! Whether a file is laid out as a Cloud-Optimized GeoTIFF: directories first, then the blocks of the coarsest overview, those of the
//! full resolution last, and everything in tiles.
//!
//! The rules are those of GDAL's `validate_cloud_optimized_geotiff.py`, where that and rio-cogeo differ (how far into the file the first
//! directory may lie, how wide strips may be) rio-cogeo's. Overviews beside the file are for the caller to find.

use super::{Block, Header, Image, Need};
use crate::span::Known;

/// Larger images must be tiled and should have overviews.
const LARGE_PX: u32 = 512;
/// Where the first directory lies at most: behind the file's header and a ghost area of GDAL's.
const FIRST_AT: u64 = 300;
/// Entries of the index of blocks that are looked at for one that was written.
const MOST_ENTRIES: u64 = 4096;

/// How a file is laid out, and what is wrong with that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Where the directory of each level begins, the full resolution first.
    pub directories: Vec<u64>,
    /// Where the first block of each level lies; `None` where none was written.
    pub data: Vec<Option<u64>>,
    /// What makes it no COG.
    pub errors: Vec<String>,
    /// What makes it a poor one.
    pub warnings: Vec<String>,
}

impl Layout {
    /// That of a file.
    ///
    /// # Errors
    /// [`Need::Bytes`] until the first entries of each level's index are known; [`Need::Refused`] where they make no sense.
    pub fn of(header: &Header, known: &Known) -> Result<Self, Need> {
        let images = || header.levels.iter().map(|level| &level.image);
        let data = images().map(|image| first_block(image, known, header.size));
        let data = data.collect::<Result<Vec<_>, _>>()?;
        let directories: Vec<u64> = images().map(|image| image.directory_at).collect();
        let mut errors = Vec::new();
        if let Some(first) = directories.first().filter(|first| **first > FIRST_AT) {
            errors.push(format!(
                "the first directory begins at byte {first}, not within the first {FIRST_AT}"
            ));
        }
        if header.edited {
            errors.push("the file was changed since it was laid out, which made the layout void".to_owned());
        }
        for (level, image) in images().enumerate() {
            if !image.tiled && is_large(image) {
                let (width, height) = (image.width_px, image.height_px);
                errors.push(format!(
                    "{} is larger than {LARGE_PX} pixels, {width} x {height}, and not tiled",
                    name(level)
                ));
            }
        }
        errors.extend(header.idle_overviews.iter().map(|(width, height)| {
            format!("an overview of {width} x {height} pixels is not smaller than the level before it")
        }));
        errors.extend(idle_levels(header));
        errors.extend(disorder_of_directories(&directories));
        errors.extend(disorder_of_data(&directories, &data));
        let mut warnings = Vec::new();
        if header.levels.len() == 1 && is_large(header.full()) {
            warnings.push(format!(
                "the file is larger than {LARGE_PX} pixels and has no overviews of its own"
            ));
        }
        Ok(Self {
            directories,
            data,
            errors,
            warnings,
        })
    }
}

fn is_large(image: &Image) -> bool {
    image.width_px.max(image.height_px) > LARGE_PX
}

/// What to call a level: overviews are counted from 0.
fn name(level: usize) -> String {
    match level.checked_sub(1) {
        None => "the full resolution".to_owned(),
        Some(overview) => format!("overview {overview}"),
    }
}

/// Overviews that do not halve: by rio-cogeo's rule the rounded decimation is above one.
fn idle_levels(header: &Header) -> impl Iterator<Item = String> {
    let full_px = f64::from(header.full().width_px);
    let overviews = header.levels.iter().enumerate().skip(1);
    let idle = overviews.filter(move |(_, level)| (full_px / f64::from(level.image.width_px)).round() <= 1.0);
    idle.map(|(level, _)| {
        format!(
            "{} is hardly smaller than the full resolution: its decimation is 1",
            name(level)
        )
    })
}

fn disorder_of_directories(directories: &[u64]) -> Vec<String> {
    let pairs = directories.iter().zip(directories.iter().skip(1)).enumerate();
    let wrong = pairs.filter(|(_, (before, at))| at < before);
    wrong
        .map(|(level, (before, at))| {
            let (finer, own) = (name(level), name(level.saturating_add(1)));
            format!("the directory of {own} begins at byte {at}, before that of {finer} at {before}")
        })
        .collect()
}

/// Blocks of coarse levels come first, so that what is asked for most stands together.
fn disorder_of_data(directories: &[u64], data: &[Option<u64>]) -> Vec<String> {
    let written: Vec<(usize, u64)> = data
        .iter()
        .enumerate()
        .filter_map(|(level, at)| Some((level, (*at)?)))
        .collect();
    let mut errors = Vec::new();
    if let (Some((level, at)), Some(directory)) = (written.last(), directories.last())
        && at < directory
    {
        errors.push(format!(
            "the first block of {} lies at byte {at}, before the last directory at {directory}",
            name(*level)
        ));
    }
    for ((level, at), (coarser, after)) in written.iter().zip(written.iter().skip(1)) {
        if at < after {
            let (own, coarser) = (name(*level), name(*coarser));
            errors.push(format!(
                "the first block of {own} lies at byte {at}, before that of {coarser} at {after}"
            ));
        }
    }
    errors
}

/// Where the first block lies that was written.
fn first_block(image: &Image, known: &Known, size: u64) -> Result<Option<u64>, Need> {
    for index in 0..image.blocks.len().min(MOST_ENTRIES) {
        if let Some(Block::At(range)) = image.blocks.get(known, size, index)? {
            return Ok(Some(range.start));
        }
    }
    Ok(None)
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "tests may panic")]
mod tests {
    use super::super::directory::tag;
    use super::super::tests::{Values, Writer};
    use super::*;
    use crate::decode::ByteOrder;

    const GHOST: &str = "LAYOUT=IFDS_BEFORE_DATA\nKNOWN_INCOMPATIBLE_EDITION=NO\n ";

    /// A file whose levels are given by their side and the place of their only block's bytes, strips where `is_tiled` is false.
    fn layout(ghost: &str, levels: &[(u32, u32)], is_tiled: bool) -> Layout {
        let long = |tag: u16, value: u32| (tag, Values::Longs(vec![value]));
        let announced = format!("GDAL_STRUCTURAL_METADATA_SIZE={:06} bytes\n{ghost}", ghost.len());
        let mut writer = Writer::new(ByteOrder::Little, false);
        writer.text(&announced);
        for (level, (side, at)) in levels.iter().enumerate() {
            let mut fields = vec![
                long(tag::NEW_SUBFILE_TYPE, u32::from(level > 0)),
                long(tag::IMAGE_WIDTH, *side),
                long(tag::IMAGE_LENGTH, *side),
                long(tag::BITS_PER_SAMPLE, 8),
                long(tag::COMPRESSION, 8),
                long(tag::PHOTOMETRIC, 1),
            ];
            if is_tiled {
                fields.extend([
                    long(tag::TILE_WIDTH, 1024),
                    long(tag::TILE_LENGTH, 1024),
                    // The first was never written.
                    (tag::TILE_OFFSETS, Values::Longs(vec![0, *at])),
                    (tag::TILE_BYTE_COUNTS, Values::Longs(vec![0, 10])),
                ]);
            } else {
                fields.extend([
                    (tag::STRIP_OFFSETS, Values::Longs(vec![*at])),
                    long(tag::ROWS_PER_STRIP, *side),
                    (tag::STRIP_BYTE_COUNTS, Values::Longs(vec![10])),
                ]);
            }
            writer.directory(&fields);
        }
        let mut known = Known::new();
        known.insert(0, writer.finish());
        let header = Header::read(&known, 1 << 20).unwrap();
        Layout::of(&header, &known).unwrap()
    }

    #[test]
    fn a_file_in_order_has_no_errors() {
        let found = layout(GHOST, &[(2048, 60_000), (1024, 50_000), (512, 40_000)], true);
        assert_eq!(found.errors, Vec::<String>::new());
        assert_eq!(found.warnings, Vec::<String>::new());
        assert_eq!(found.data, [Some(60_000), Some(50_000), Some(40_000)]);
        assert!(found.directories.is_sorted() && found.directories[0] < 300);
    }

    #[test]
    fn what_is_out_of_order_is_named() {
        let says = |found: Layout, part: &str| {
            assert!(
                found.errors.iter().any(|error| error.contains(part)),
                "{part}: {:?}",
                found.errors
            );
        };
        let by_value = [(2048, 40_000), (1024, 50_000), (512, 60_000)];
        says(
            layout(GHOST, &by_value, true),
            "the first block of the full resolution lies at byte 40000, before that of overview 0",
        );
        says(
            layout(GHOST, &by_value, true),
            "the first block of overview 0 lies at byte 50000, before that of overview 1 at 60000",
        );
        let unsorted = [(2048, 60_000), (512, 40_000), (1024, 50_000)];
        says(
            layout(GHOST, &unsorted, true),
            "the directory of overview 1 begins at byte",
        );
        says(
            layout(GHOST, &[(2048, 60_000), (1024, 100)], true),
            "before the last directory",
        );
        says(
            layout(&GHOST.replace("=NO", "=YES"), &by_value, true),
            "was changed since",
        );
        let again = [(2048, 60_000), (2048, 55_000), (1024, 50_000), (1024, 40_000)];
        let found = layout(GHOST, &again, true);
        assert_eq!(found.directories.len(), 2);
        for side in ["2048 x 2048", "1024 x 1024"] {
            let part = format!("an overview of {side} pixels is not smaller than the level before it");
            says(found.clone(), &part);
        }
        says(
            layout(GHOST, &[(2048, 60_000), (3000, 50_000)], true),
            "an overview of 3000 x 3000",
        );
        says(
            layout(GHOST, &[(2048, 60_000), (1900, 50_000)], true),
            "overview 0 is hardly smaller than the full resolution",
        );
        let long = format!("{GHOST}{}", "#".repeat(300));
        says(
            layout(&long, &by_value, true),
            "the first directory begins at byte 4",
        );
        says(
            layout(GHOST, &[(600, 60_000)], false),
            "the full resolution is larger than 512 pixels, 600 x 600, and not tiled",
        );
    }

    #[test]
    fn a_small_file_may_be_plain() {
        let found = layout(GHOST, &[(512, 60_000)], false);
        assert_eq!((found.errors.len(), found.warnings.len()), (0, 0));
        let found = layout(GHOST, &[(2048, 60_000)], true);
        assert_eq!((found.errors.len(), found.warnings.len()), (0, 1));
    }
}
