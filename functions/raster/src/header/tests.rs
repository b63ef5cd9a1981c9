//! Files made field by field, so that every expectation is known by construction.

use bytes::Bytes;

use super::directory::tag;
use super::{Affine, BandRole, Block, Header, HeaderError, Need};
use crate::decode::ByteOrder;
use crate::plan::{self, Limits, Masking, Plan, PlanError, Read, Wanted};
use crate::span::Known;
use crate::warp::{Kernel, Rect};

/// Values of a field, by their type.
#[derive(Clone)]
pub(crate) enum Values {
    Shorts(Vec<u16>),
    Longs(Vec<u32>),
    Doubles(Vec<f64>),
    Text(&'static str),
}

/// Writes directories one after the other, values that do not fit a field after each.
pub(crate) struct Writer {
    order: ByteOrder,
    big: bool,
    bytes: Vec<u8>,
    link_at: usize,
}

impl Writer {
    pub(crate) fn new(order: ByteOrder, big: bool) -> Self {
        let mut writer = Self {
            order,
            big,
            bytes: Vec::new(),
            link_at: if big { 8 } else { 4 },
        };
        writer
            .bytes
            .extend(if order == ByteOrder::Little { b"II" } else { b"MM" });
        writer.short(if big { 43 } else { 42 });
        if big {
            writer.short(8);
            writer.short(0);
            writer.long8(0);
        } else {
            writer.long(0);
        }
        writer
    }

    pub(crate) fn directory(&mut self, fields: &[(u16, Values)]) -> &mut Self {
        let at = self.bytes.len() as u64;
        self.patch(self.link_at, at);
        if self.big {
            self.long8(fields.len() as u64);
        } else {
            self.short(fields.len() as u16);
        }
        let mut later = Vec::new();
        for (tag, values) in fields {
            let (kind, count, packed) = self.pack(values);
            self.short(*tag);
            self.short(kind);
            if self.big {
                self.long8(count);
            } else {
                self.long(count as u32);
            }
            let inline = if self.big { 8 } else { 4 };
            if packed.len() <= inline {
                let mut packed = packed;
                packed.resize(inline, 0);
                self.bytes.extend(packed);
            } else {
                later.push((self.bytes.len(), packed));
                self.bytes.extend(vec![0; inline]);
            }
        }
        self.link_at = self.bytes.len();
        if self.big {
            self.long8(0);
        } else {
            self.long(0);
        }
        for (field_at, packed) in later {
            let at = self.bytes.len() as u64;
            self.patch(field_at, at);
            self.bytes.extend(packed);
        }
        self
    }

    /// Bytes between directories, such as a ghost area before the first.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.bytes.extend(text.as_bytes());
        self
    }

    pub(crate) fn finish(&self) -> Bytes {
        self.bytes.clone().into()
    }

    fn pack(&self, values: &Values) -> (u16, u64, Vec<u8>) {
        let mut packed = Self {
            order: self.order,
            big: self.big,
            bytes: Vec::new(),
            link_at: 0,
        };
        let (kind, count) = match values {
            Values::Shorts(values) => (3, values.iter().map(|value| packed.short(*value)).count()),
            Values::Longs(values) => (4, values.iter().map(|value| packed.long(*value)).count()),
            Values::Doubles(values) => (
                12,
                values.iter().map(|value| packed.long8(value.to_bits())).count(),
            ),
            Values::Text(text) => {
                packed.bytes.extend(text.as_bytes());
                packed.bytes.push(0);
                (2, packed.bytes.len())
            }
        };
        (kind, count as u64, packed.bytes)
    }

    fn patch(&mut self, at: usize, value: u64) {
        let mut packed = Self {
            order: self.order,
            big: self.big,
            bytes: Vec::new(),
            link_at: 0,
        };
        if self.big {
            packed.long8(value);
        } else {
            packed.long(value as u32);
        }
        self.bytes[at..at + packed.bytes.len()].copy_from_slice(&packed.bytes);
    }

    fn short(&mut self, value: u16) {
        let bytes = if self.order == ByteOrder::Little {
            value.to_le_bytes()
        } else {
            value.to_be_bytes()
        };
        self.bytes.extend(bytes);
    }

    fn long(&mut self, value: u32) {
        let bytes = if self.order == ByteOrder::Little {
            value.to_le_bytes()
        } else {
            value.to_be_bytes()
        };
        self.bytes.extend(bytes);
    }

    fn long8(&mut self, value: u64) {
        let bytes = if self.order == ByteOrder::Little {
            value.to_le_bytes()
        } else {
            value.to_be_bytes()
        };
        self.bytes.extend(bytes);
    }
}

/// The fields of a tiled image of `side` pixels in blocks of 256, one 16-bit band, UTM 33N at 10 m.
fn image(side: u32) -> Vec<(u16, Values)> {
    let blocks = side.div_ceil(256).pow(2);
    vec![
        (tag::IMAGE_WIDTH, Values::Longs(vec![side])),
        (tag::IMAGE_LENGTH, Values::Longs(vec![side])),
        (tag::BITS_PER_SAMPLE, Values::Shorts(vec![16])),
        (tag::COMPRESSION, Values::Shorts(vec![1])),
        (tag::PHOTOMETRIC, Values::Shorts(vec![1])),
        (tag::SAMPLES_PER_PIXEL, Values::Shorts(vec![1])),
        (tag::TILE_WIDTH, Values::Shorts(vec![256])),
        (tag::TILE_LENGTH, Values::Shorts(vec![256])),
        (
            tag::TILE_OFFSETS,
            Values::Longs((0..blocks).map(|i| 100_000 + 1000 * i).collect()),
        ),
        (
            tag::TILE_BYTE_COUNTS,
            Values::Shorts((0..blocks).map(|i| 900 + i as u16).collect()),
        ),
    ]
}

fn placed(side: u32) -> Vec<(u16, Values)> {
    let mut fields = image(side);
    fields.push((tag::MODEL_PIXEL_SCALE, Values::Doubles(vec![10.0, 10.0, 0.0])));
    fields.push((
        tag::MODEL_TIEPOINT,
        Values::Doubles(vec![0.0, 0.0, 0.0, 5e5, 6e6, 0.0]),
    ));
    fields.push((
        tag::GEO_KEY_DIRECTORY,
        Values::Shorts(vec![1, 1, 0, 1, 3072, 0, 1, 32633]),
    ));
    fields
}

const SIZE: u64 = 10_000_000;

fn read(bytes: Bytes) -> Header {
    let mut known = Known::new();
    known.insert(0, bytes);
    match Header::read(&known, SIZE) {
        Ok(header) => header,
        Err(need) => panic!("{need:?}"),
    }
}

#[test]
fn both_orders_and_both_widths_say_the_same() {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        for big in [false, true] {
            let mut overview = image(300);
            overview.push((tag::NEW_SUBFILE_TYPE, Values::Longs(vec![1])));
            let mut fields = placed(600);
            fields.push((tag::GDAL_NODATA, Values::Text("-9999 ")));
            let header = read(
                Writer::new(order, big)
                    .directory(&fields)
                    .directory(&overview)
                    .finish(),
            );
            let sizes: Vec<_> = header
                .levels
                .iter()
                .map(|level| (level.image.width_px, level.image.blocks_across()))
                .collect();
            assert_eq!(sizes, [(600, 3), (300, 2)]);
            assert_eq!(header.big, big);
            assert_eq!(header.nodata, Some(super::Nodata::Integer(-9999)));
            let affine = Affine {
                a: 10.0,
                b: 0.0,
                c: 5e5,
                d: 0.0,
                e: -10.0,
                f: 6e6,
            };
            assert_eq!(
                header.georeference.as_ref().map(|place| place.affine),
                Some(affine)
            );
        }
    }
}

#[test]
fn a_pixel_that_is_a_point_lies_half_a_pixel_off() {
    let mut fields = placed(256);
    fields.retain(|(tag, _)| *tag != tag::GEO_KEY_DIRECTORY);
    let keys = vec![1, 1, 0, 2, 1025, 0, 1, 2, 3072, 0, 1, 32633];
    fields.push((tag::GEO_KEY_DIRECTORY, Values::Shorts(keys)));
    let header = read(Writer::new(ByteOrder::Little, false).directory(&fields).finish());
    let affine = header.georeference.expect("a place").affine;
    assert_eq!((affine.c, affine.f), (5e5 - 5.0, 6e6 + 5.0));
}

#[test]
fn masks_pair_with_levels_of_their_size_and_pages_are_no_overviews() {
    let kind = |bits: u32| (tag::NEW_SUBFILE_TYPE, Values::Longs(vec![bits]));
    let with = |side: u32, bits: u32| {
        let mut fields = image(side);
        fields.push(kind(bits));
        fields
    };
    let header = read(
        Writer::new(ByteOrder::Little, false)
            .directory(&placed(512))
            .directory(&with(128, 5))
            .directory(&with(512, 4))
            .directory(&with(128, 1))
            .directory(&with(512, 0))
            .directory(&with(256, 1))
            .finish(),
    );
    let levels: Vec<_> = header
        .levels
        .iter()
        .map(|level| (level.image.width_px, level.mask.is_some()))
        .collect();
    assert_eq!(levels, [(512, true), (256, false), (128, true)]);
    assert_eq!(header.remarks.len(), 1, "{:?}", header.remarks);
}

#[test]
fn band_names_scales_and_alpha_come_from_their_tags() {
    let mut fields = placed(256);
    fields.retain(|(tag, _)| *tag != tag::SAMPLES_PER_PIXEL && *tag != tag::BITS_PER_SAMPLE);
    fields.push((tag::SAMPLES_PER_PIXEL, Values::Shorts(vec![2])));
    fields.push((tag::BITS_PER_SAMPLE, Values::Shorts(vec![16, 16])));
    fields.push((tag::EXTRA_SAMPLES, Values::Shorts(vec![2])));
    let metadata = "<GDALMetadata><Item name=\"DESCRIPTION\" sample=\"0\" role=\"description\">red</Item>\
        <Item name=\"SCALE\" sample=\"0\" role=\"scale\">0.0001</Item>\
        <Item name=\"OFFSET\" sample=\"0\" role=\"offset\">-0.1</Item>\
        <Item name=\"STATISTICS_MEAN\" sample=\"0\">7.5</Item><Item name=\"AREA\">of the file</Item>\
        <Item name=\"X\" sample=\"7\" role=\"description\">none</Item></GDALMetadata>";
    fields.push((tag::GDAL_METADATA, Values::Text(metadata)));
    let header = read(Writer::new(ByteOrder::Little, false).directory(&fields).finish());
    assert_eq!(header.bands[0].name.as_deref(), Some("red"));
    assert_eq!((header.bands[0].scale, header.bands[0].offset), (0.0001, -0.1));
    assert_eq!(header.bands[0].items, [("STATISTICS_MEAN".into(), "7.5".into())]);
    assert_eq!(header.bands[1].items, []);
    assert_eq!(header.bands[1].role, BandRole::Alpha { associated: false });
    assert_eq!(header.alpha_band(), Some(1));
}

#[test]
fn a_plan_is_a_value_and_names_all_it_lacks_at_once() {
    let bytes = Writer::new(ByteOrder::Little, false)
        .directory(&placed(1024))
        .finish();
    let mut known = Known::new();
    known.insert(0, bytes);
    let header = Header::read(&known, SIZE).expect("a header");
    let wanted = Wanted {
        level: 0,
        rect: Rect {
            x: 250,
            y: 300,
            width: 20,
            height: 100,
        },
        turn_px: None,
        bands: vec![0],
        nodata: None,
        masking: Masking::Own,
    };
    let plan = Plan::new(&header, &known, wanted.clone(), &Limits::default()).expect("a plan");
    let block = |column: u32, index: u64| Read::Data {
        plane: 0,
        origin: (column * 256, 256),
        rows: (256, 144),
        at: Some(100_000 + 1000 * index..100_900 + 1001 * index),
    };
    assert_eq!(plan.reads, [block(0, 4), block(1, 5)]);

    // The same file, but its index has not been read.
    let offsets_at = header.full().blocks.get(&known, SIZE, 0);
    assert!(matches!(offsets_at, Ok(Some(Block::At(_)))));
    let Err(PlanError::Missing(missing)) =
        Plan::new(&header, &Known::new(), wanted.clone(), &Limits::default())
    else {
        panic!("the index is not known")
    };
    // Two entries of four bytes, two of two.
    assert_eq!(
        missing.0.iter().map(|range| range.end - range.start).sum::<u64>(),
        12
    );

    let tight = Limits {
        blocks: 1,
        ..Limits::default()
    };
    let Err(PlanError::TooMuch(refused)) = Plan::new(&header, &known, wanted, &tight) else {
        panic!("two blocks are over the limit")
    };
    assert_eq!(
        (refused.needed, refused.limit, refused.bytes),
        (2, 1, SIZE * 2 / header.full().blocks.len())
    );
}

#[test]
fn a_giant_strip_is_read_only_as_far_as_it_is_needed() {
    let fields = [
        (tag::IMAGE_WIDTH, Values::Longs(vec![1000])),
        (tag::IMAGE_LENGTH, Values::Longs(vec![2000])),
        (tag::BITS_PER_SAMPLE, Values::Shorts(vec![16])),
        (tag::STRIP_OFFSETS, Values::Longs(vec![5000])),
        (tag::STRIP_BYTE_COUNTS, Values::Longs(vec![4_000_000])),
    ];
    let mut known = Known::new();
    known.insert(
        0,
        Writer::new(ByteOrder::Little, false).directory(&fields).finish(),
    );
    let header = Header::read(&known, SIZE).expect("a header");
    let wanted = Wanted {
        level: 0,
        rect: Rect {
            x: 10,
            y: 700,
            width: 5,
            height: 30,
        },
        turn_px: None,
        bands: vec![0],
        nodata: None,
        masking: Masking::Own,
    };
    let plan = Plan::new(&header, &known, wanted, &Limits::default()).expect("a plan");
    let rows = Read::Data {
        plane: 0,
        origin: (0, 700),
        rows: (30, 30),
        at: Some(5000 + 700 * 2000..5000 + 730 * 2000),
    };
    assert_eq!(plan.reads, [rows]);
}

#[test]
fn the_level_is_the_coarsest_that_is_not_visibly_coarser() {
    let mut writer = Writer::new(ByteOrder::Little, false);
    writer.directory(&placed(4096));
    for side in [2048, 1024, 512] {
        let mut overview = image(side);
        overview.push((tag::NEW_SUBFILE_TYPE, Values::Longs(vec![1])));
        writer.directory(&overview);
    }
    let header = read(writer.finish());
    let widths: Vec<u32> = header.levels.iter().map(|level| level.image.width_px).collect();
    // Measured on GDAL: nearest switches at 1.585 and 3.25, every other kernel at 1.9 and 3.9.
    for (decimation, nearest, bilinear) in [
        (0.3, 0, 0),
        (1.58, 0, 0),
        (1.6, 1, 0),
        (1.91, 1, 1),
        (3.3, 2, 1),
        (50.0, 3, 3),
    ] {
        assert_eq!(
            plan::level(&widths, decimation, Kernel::Nearest),
            nearest,
            "{decimation}"
        );
        assert_eq!(
            plan::level(&widths, decimation, Kernel::Bilinear),
            bilinear,
            "{decimation}"
        );
    }
}

#[test]
fn what_is_no_tiff_or_ends_early_is_refused_by_name() {
    let refused = |bytes: &'static [u8], size: u64| {
        let mut known = Known::new();
        known.insert(0, Bytes::from_static(bytes));
        match Header::read(&known, size) {
            Err(Need::Refused(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(refused(b"hello, I am a text file", 23), HeaderError::NotTiff);
    assert_eq!(refused(b"II", 2), HeaderError::NotTiff);
    assert!(matches!(
        refused(b"II*\0\xff\0\0\0", 8),
        HeaderError::Truncated { .. }
    ));
    assert!(matches!(refused(b"II*\0\0\0\0\0", 8), HeaderError::NotTiff));
}

#[test]
fn no_prefix_and_no_flipped_byte_makes_a_panic() {
    let bytes = Writer::new(ByteOrder::Big, true)
        .directory(&placed(600))
        .directory(&image(300))
        .finish();
    for end in 0..bytes.len() {
        let mut known = Known::new();
        known.insert(0, bytes.slice(..end));
        let _ = Header::read(&known, end as u64);
        let _ = Header::read(&known, SIZE);
    }
    for at in 0..bytes.len() {
        for value in [0, 1, 0x7f, 0xff] {
            let mut broken = bytes.to_vec();
            broken[at] = value;
            let mut known = Known::new();
            known.insert(0, broken.into());
            if let Ok(header) = Header::read(&known, SIZE) {
                let rect = Rect {
                    x: 0,
                    y: 0,
                    width: 1,
                    height: 1,
                };
                let wanted = Wanted {
                    level: 0,
                    rect,
                    turn_px: None,
                    bands: vec![0],
                    nodata: None,
                    masking: Masking::Own,
                };
                let _ = Plan::new(&header, &known, wanted, &Limits::default());
            }
        }
    }
}
