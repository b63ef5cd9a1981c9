//! Files of `make_files.py` read as the function reads them, and the formulas that made their values.

use std::path::Path;

use bytes::Bytes;
use edgetile_raster::decode::decode;
use edgetile_raster::header::{BandRole, Header};
use edgetile_raster::plan::{Limits, Masking, Plan, Read, Wanted};
use edgetile_raster::samples::{Mask, Raster, Samples};
use edgetile_raster::span::Known;
use edgetile_raster::warp::{Assembly, Rect};

pub(crate) const SIZES: [(u32, u32); 3] = [(45, 37), (23, 19), (12, 10)];

// ---------------------------------------------------------------- the formulas of make_files.py

pub(crate) fn base(row: u32, column: u32, band: usize, level: usize) -> u32 {
    (7 * row + 13 * column + 31 * band as u32 + 101 * level as u32) % 251
}

pub(crate) fn is_hole(row: u32, column: u32) -> bool {
    (row + 2 * column).is_multiple_of(5)
}

/// The sample of a base value: a whole number, or a quarter.
pub(crate) fn sample(kind: &str, base: u32) -> f64 {
    whole(kind, base).map_or_else(|| f64::from(base) * 0.25 - 20.0, |value| value as f64)
}

pub(crate) fn whole(kind: &str, base: u32) -> Option<i128> {
    let v = i128::from(base);
    Some(match kind {
        "u1" => v & 1,
        "u2" => v & 3,
        "u4" => v & 15,
        "u8" => v,
        "u10" => v * 4 + 3,
        "u12" => v * 16 + 5,
        "u16" => v * 257 + 1,
        "u24" => v * 65_793 + 77,
        "u32" => v * 16_843_009 + 5,
        "u64" => v * 72_340_172_838_076_673 + 3,
        "i8" => v - 125,
        "i16" => v * 200 - 25_000,
        "i32" => v * 16_000_000 - 2_000_000_000,
        "i64" => v * 70_000_000_000_000_000 - 9_000_000_000_000_000_000,
        _ => return None,
    })
}

// ---------------------------------------------------------------- reading

pub(crate) struct File {
    pub(crate) name: &'static str,
    pub(crate) known: Known,
    pub(crate) header: Header,
}

pub(crate) fn open(name: &'static str) -> File {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("testdata/files/{name}.tif"));
    let bytes = Bytes::from(std::fs::read(path).unwrap());
    let size = bytes.len() as u64;
    let mut known = Known::new();
    known.insert(0, bytes);
    let header = Header::read(&known, size).unwrap_or_else(|need| panic!("{name}: {need:?}"));
    File { name, known, header }
}

impl File {
    pub(crate) fn bands(&self) -> Vec<usize> {
        let is_data = |band: &usize| self.header.bands[*band].role == BandRole::Data;
        (0..self.header.bands.len()).filter(is_data).collect()
    }

    pub(crate) fn raster(&self, level: usize, rect: Rect) -> Raster {
        self.window(level, rect).raster
    }

    pub(crate) fn window(&self, level: usize, rect: Rect) -> edgetile_raster::warp::Window {
        self.window_round(level, rect, None)
    }

    pub(crate) fn window_round(
        &self,
        level: usize,
        rect: Rect,
        turn_px: Option<u32>,
    ) -> edgetile_raster::warp::Window {
        let name = self.name;
        let wanted = Wanted {
            level,
            rect,
            turn_px,
            bands: self.bands(),
            nodata: None,
            masking: Masking::Own,
        };
        let plan = Plan::new(&self.header, &self.known, wanted, &Limits::default())
            .unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let level = &self.header.levels[level];
        let data_type = level.image.format.data_type().unwrap();
        let mut assembly = Assembly::new(&self.header, &plan, data_type);
        for read in &plan.reads {
            let image = match read {
                Read::Data { .. } => &level.image,
                Read::Mask { .. } => level.mask.as_ref().unwrap(),
            };
            let (stored, needed) = read.rows();
            let Some(at) = read.at() else {
                assembly.leave_empty(&plan, read, (image.block_width_px, stored));
                continue;
            };
            let bytes = self.known.get(at.clone()).unwrap();
            let decoded = decode(&image.format, &bytes, stored, needed)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            assembly.place(&plan, read, &decoded, image.block_width_px);
        }
        assembly.finish()
    }

    /// The whole of a level, and a window that begins and ends within blocks.
    pub(crate) fn rects(level: usize) -> [Rect; 2] {
        let (width, height) = SIZES[level];
        let whole = Rect {
            x: 0,
            y: 0,
            width,
            height,
        };
        let part = Rect {
            x: width / 3,
            y: height / 4,
            width: width / 2,
            height: height / 2,
        };
        [whole, part]
    }

    /// Compares every sample that the mask shows, and the mask.
    pub(crate) fn check(
        &self,
        level: usize,
        value: impl Fn(u32, u32, usize) -> f64,
        mask: impl Fn(u32, u32, usize) -> u8,
    ) {
        let image = &self.header.levels[level].image;
        assert_eq!((image.width_px, image.height_px), SIZES[level], "{}", self.name);
        for rect in Self::rects(level) {
            let raster = self.raster(level, rect);
            assert_eq!(raster.bands, self.bands().len());
            for band in 0..raster.bands {
                for y in 0..rect.height {
                    for x in 0..rect.width {
                        let (row, column) = (rect.y + y, rect.x + x);
                        let at = (band * raster.height + y as usize) * raster.width + x as usize;
                        let place = format!(
                            "{} level {level} band {band} row {row} column {column}",
                            self.name
                        );
                        let expected = mask(row, column, band);
                        assert_eq!(mask_at(&raster, at), expected, "mask, {place}");
                        if expected > 0 {
                            assert_eq!(value_at(&raster.samples, at), value(row, column, band), "{place}");
                        }
                    }
                }
            }
        }
    }

    /// A level of the formula, all of which holds data.
    pub(crate) fn check_plain(&self, level: usize, kind: &str) {
        self.check_plain_as(level, level, kind);
    }

    pub(crate) fn check_plain_as(&self, level: usize, made_as: usize, kind: &str) {
        self.check(
            level,
            |row, column, band| sample(kind, base(row, column, band, made_as)),
            |_, _, _| 255,
        );
    }
}

pub(crate) fn mask_at(raster: &Raster, at: usize) -> u8 {
    match &raster.mask {
        Mask::All => 255,
        Mask::Shared(plane) => plane[at % plane.len()],
        Mask::PerBand(planes) => planes[at],
    }
}

#[expect(
    clippy::unnecessary_cast,
    reason = "the macro's arms hold every type, f64 among them"
)]
pub(crate) fn value_at(samples: &Samples, at: usize) -> f64 {
    edgetile_raster::with_samples!(samples, values => values[at] as f64)
}
