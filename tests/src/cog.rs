//! COGs as GDAL writes them, made as they are read: a header field by field, and blocks that are all alike.
//!
//! So a file of many gigabytes takes the memory of its header and one block. Sources: TIFF 6.0, BigTIFF, OGC GeoTIFF
//! 1.1, GDAL's COG driver (ghost area, order of directories, arrays and blocks).

use std::ops::Range;

use bytes::Bytes;

/// What GDAL 3 promises of a COG.
const GHOST: &str = "LAYOUT=IFDS_BEFORE_DATA\nBLOCK_ORDER=ROW_MAJOR\nBLOCK_LEADER=SIZE_AS_UINT4\n\
    BLOCK_TRAILER=LAST_4_BYTES_REPEATED\nKNOWN_INCOMPATIBLE_EDITION=NO\n ";

/// Pixels of a block's side.
const BLOCK_PX: u32 = 512;

/// What a file shows: one band of 16 bits in DEFLATE, in UTM zone 32 north.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    /// Pixels of a side.
    pub side_px: u32,
    /// Metres of a pixel.
    pub pixel_m: f64,
    /// Easting and northing of the north-west corner.
    pub corner_m: (f64, f64),
}

impl Scene {
    /// A Sentinel-2 band of 10 m in southern Bavaria.
    pub const SENTINEL: Self = Self {
        side_px: 10_980,
        pixel_m: 10.0,
        corner_m: (600_000.0, 5_300_040.0),
    };

    /// 100,000 px of half a metre, in the same place.
    pub const HUGE: Self = Self {
        side_px: 100_000,
        pixel_m: 0.5,
        corner_m: (600_000.0, 5_300_000.0),
    };
}

/// A file.
#[derive(Debug)]
pub struct Cog {
    head: Bytes,
    /// Leader, data, trailer.
    block: Bytes,
    blocks: u64,
}

/// A level and where its arrays lie.
struct Level {
    side_px: u32,
    blocks: u64,
    offsets_at: u64,
    first_block: u64,
}

impl Cog {
    /// A file with overviews down to one block; `seed` makes its pixels its own.
    pub fn new(scene: Scene, seed: u32) -> Self {
        let data = block(seed);
        let mut sides = vec![scene.side_px];
        while let Some(side) = sides.last().filter(|side| **side > BLOCK_PX) {
            sides.push(side.div_ceil(2));
        }
        let directory = |at: usize| {
            if at == 0 {
                8 + 16 * 20 + 8 + GEO
            } else {
                8 + 13 * 20 + 8
            }
        };
        let arrays_at: u64 = FIRST + (0..sides.len()).map(directory).sum::<u64>();
        let mut levels = Vec::new();
        let mut at = arrays_at;
        for side in &sides {
            let blocks = u64::from(side.div_ceil(BLOCK_PX)).pow(2);
            levels.push(Level {
                side_px: *side,
                blocks,
                offsets_at: at,
                first_block: 0,
            });
            at += blocks * 12;
        }
        // The coarsest overview comes first.
        let mut first_block = 0;
        for level in levels.iter_mut().rev() {
            level.first_block = first_block;
            first_block += level.blocks;
        }
        let mut wrapped = (data.len() as u32).to_le_bytes().to_vec();
        wrapped.extend(&data);
        wrapped.extend(&data[data.len() - 4..]);
        let head = Head {
            bytes: Vec::new(),
            data_at: at,
            block: wrapped.len() as u64,
        };
        Self {
            head: head.write(&scene, &levels).into(),
            block: wrapped.into(),
            blocks: first_block,
        }
    }

    /// Bytes of the file.
    pub fn size(&self) -> u64 {
        self.head.len() as u64 + self.blocks * self.block.len() as u64
    }

    /// Bytes of one compressed block.
    pub fn block_bytes(&self) -> u64 {
        self.block.len() as u64 - 8
    }

    /// Bytes of what lies before the first block.
    pub fn head_bytes(&self) -> u64 {
        self.head.len() as u64
    }

    /// A range of it.
    pub fn slice(&self, range: Range<u64>) -> Bytes {
        let mut bytes = Vec::with_capacity((range.end - range.start) as usize);
        let head = self.head.len() as u64;
        if range.start < head {
            bytes.extend_from_slice(&self.head[range.start as usize..range.end.min(head) as usize]);
        }
        let mut at = range.start.max(head);
        while at < range.end {
            let within = ((at - head) % self.block.len() as u64) as usize;
            let length = (self.block.len() - within).min((range.end - at) as usize);
            bytes.extend_from_slice(&self.block[within..within + length]);
            at += length as u64;
        }
        bytes.into()
    }
}

/// Where the first directory lies: behind the prologue and the ghost area, at an even offset.
const FIRST: u64 = (16 + 43 + GHOST.len() as u64).next_multiple_of(2);

/// Bytes of pixel scale, tie point and geo keys.
const GEO: u64 = 24 + 48 + 32;

struct Head {
    bytes: Vec<u8>,
    data_at: u64,
    /// Bytes of a block with leader and trailer.
    block: u64,
}

impl Head {
    fn write(mut self, scene: &Scene, levels: &[Level]) -> Vec<u8> {
        self.bytes.extend(b"II\x2b\0\x08\0\0\0");
        self.bytes.extend(FIRST.to_le_bytes());
        let announced = format!("GDAL_STRUCTURAL_METADATA_SIZE={:06} bytes\n{GHOST}", GHOST.len());
        self.bytes.extend(announced.as_bytes());
        self.bytes.resize(FIRST as usize, 0);
        for (at, level) in levels.iter().enumerate() {
            self.directory(scene, level, at == 0, at + 1 == levels.len());
        }
        for level in levels {
            for block in 0..level.blocks {
                let at = self.data_at + (level.first_block + block) * self.block + 4;
                self.bytes.extend(at.to_le_bytes());
            }
            for _ in 0..level.blocks {
                self.bytes.extend(((self.block - 8) as u32).to_le_bytes());
            }
        }
        self.bytes
    }

    fn directory(&mut self, scene: &Scene, level: &Level, full: bool, last: bool) {
        let fields: u64 = if full { 16 } else { 13 };
        let start = self.bytes.len() as u64;
        let geo_at = start + 8 + fields * 20 + 8;
        let (short, long, double, long8) = (3, 4, 12, 16);
        self.bytes.extend(fields.to_le_bytes());
        self.field(254, long, 1, u64::from(!full));
        self.field(256, long, 1, level.side_px.into());
        self.field(257, long, 1, level.side_px.into());
        self.field(258, short, 1, 16);
        self.field(259, short, 1, 8);
        self.field(262, short, 1, 1);
        self.field(277, short, 1, 1);
        self.field(317, short, 1, 2);
        self.field(322, short, 1, BLOCK_PX.into());
        self.field(323, short, 1, BLOCK_PX.into());
        let one = level.blocks == 1;
        let offset = self.data_at + level.first_block * self.block + 4;
        let counts_at = level.offsets_at + level.blocks * 8;
        self.field(
            324,
            long8,
            level.blocks,
            if one { offset } else { level.offsets_at },
        );
        self.field(
            325,
            long,
            level.blocks,
            if one { self.block - 8 } else { counts_at },
        );
        self.field(339, short, 1, 1);
        if full {
            self.field(33550, double, 3, geo_at);
            self.field(33922, double, 6, geo_at + 24);
            self.field(34735, short, 16, geo_at + 72);
        }
        let next = geo_at + if full { GEO } else { 0 };
        self.bytes.extend(if last { 0 } else { next }.to_le_bytes());
        if full {
            let (x, y) = scene.corner_m;
            for value in [scene.pixel_m, scene.pixel_m, 0.0, 0.0, 0.0, 0.0, x, y, 0.0] {
                self.bytes.extend(value.to_le_bytes());
            }
            for value in [1_u16, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32632] {
                self.bytes.extend(value.to_le_bytes());
            }
        }
    }

    fn field(&mut self, tag: u16, kind: u16, count: u64, value: u64) {
        self.bytes.extend(tag.to_le_bytes());
        self.bytes.extend(kind.to_le_bytes());
        self.bytes.extend(count.to_le_bytes());
        self.bytes.extend(value.to_le_bytes());
    }
}

/// A block of reflectances between 200 and 4,000, smooth with noise: differenced and deflated it takes some 330 kB.
fn block(seed: u32) -> Vec<u8> {
    let side = BLOCK_PX as usize;
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let mut bytes = Vec::with_capacity(side * side * 2);
    for y in 0..side {
        let mut before = 0_u16;
        for x in 0..side {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            let wave = ((x as f64 / 40.0).sin() + (y as f64 / 55.0).cos()) * 700.0 + 1700.0;
            let value = wave as u16 + (state % 256) as u16;
            bytes.extend(value.wrapping_sub(before).to_le_bytes());
            before = value;
        }
    }
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let mut deflated = vec![0; compressor.zlib_compress_bound(bytes.len())];
    let length = compressor
        .zlib_compress(&bytes, &mut deflated)
        .expect("room for it");
    deflated.truncate(length);
    deflated
}

/// Column and row of the web map's tile that holds a place, in degrees.
pub fn tile_at(zoom: u32, longitude: f64, latitude: f64) -> (u32, u32) {
    let across = f64::from(1_u32 << zoom);
    let north = (1.0 - latitude.to_radians().tan().asinh() / std::f64::consts::PI) / 2.0;
    (
        ((longitude + 180.0) / 360.0 * across) as u32,
        (north * across) as u32,
    )
}
