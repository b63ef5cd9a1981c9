//! Blocks as files have them: noise of several octaves, so that codecs work as they do on imagery, in the types and with
//! the predictors that writers choose.

use edgetile_raster::decode::{BlockFormat, Compression, Photometric, Predictor, SampleKind};

use crate::libraries;

/// Columns and rows of a block, what GDAL's COG driver writes.
pub(crate) const SIDE: usize = 512;

/// A packed block.
pub(crate) struct Block {
    pub(crate) name: &'static str,
    pub(crate) format: BlockFormat,
    pub(crate) packed: Vec<u8>,
    pub(crate) raw_len: usize,
}

/// Every block, in the order of the table.
pub(crate) fn all() -> Vec<Block> {
    let land = terrain(64);
    let elevation: Vec<f32> = terrain(1).iter().map(|value| f32::from(*value) / 7.3).collect();
    let words: Vec<u8> = land.iter().flat_map(|value| value.to_le_bytes()).collect();
    let colours: Vec<u8> = land
        .iter()
        .flat_map(|value| [5, 6, 4].map(|shift| (value >> shift) as u8))
        .collect();
    let floats: Vec<u8> = elevation.iter().flat_map(|value| value.to_le_bytes()).collect();
    let gray = format(SampleKind::Uint, 16, 1, Photometric::MinIsBlack);
    let rgb = format(SampleKind::Uint, 8, 3, Photometric::Rgb);
    let float = format(SampleKind::Float, 32, 1, Photometric::MinIsBlack);
    let mut blocks = Vec::new();
    let mut add = |name, compression, predictor, format: &BlockFormat, raw: &[u8]| {
        let format = BlockFormat {
            compression,
            predictor,
            ..format.clone()
        };
        let mut stored = raw.to_vec();
        apply(&format, &mut stored);
        blocks.push(Block {
            name,
            packed: libraries::encode(&format, &stored),
            raw_len: raw.len(),
            format,
        });
    };
    add("none u16", Compression::None, Predictor::None, &gray, &words);
    for (compression, names) in [
        (
            Compression::Deflate,
            [
                "deflate u16",
                "deflate u16 p2",
                "deflate u8x3 p2",
                "deflate f32 p3",
            ],
        ),
        (
            Compression::Zstd,
            ["zstd u16", "zstd u16 p2", "zstd u8x3 p2", "zstd f32 p3"],
        ),
        (
            Compression::Lzw,
            ["lzw u16", "lzw u16 p2", "lzw u8x3 p2", "lzw f32 p3"],
        ),
        (
            Compression::Lzma,
            ["lzma u16", "lzma u16 p2", "lzma u8x3 p2", "lzma f32 p3"],
        ),
    ] {
        add(names[0], compression, Predictor::None, &gray, &words);
        add(names[1], compression, Predictor::Horizontal, &gray, &words);
        add(names[2], compression, Predictor::Horizontal, &rgb, &colours);
        add(names[3], compression, Predictor::FloatingPoint, &float, &floats);
    }
    add(
        "packbits u8x3",
        Compression::PackBits,
        Predictor::None,
        &rgb,
        &colours,
    );
    let ycbcr = BlockFormat {
        photometric: Photometric::YCbCr,
        ..rgb.clone()
    };
    add(
        "jpeg 4:2:0 q85",
        Compression::Jpeg,
        Predictor::None,
        &ycbcr,
        &colours,
    );
    add(
        "webp lossy q80",
        Compression::Webp,
        Predictor::None,
        &rgb,
        &colours,
    );
    let lerc = BlockFormat {
        compression: Compression::Lerc,
        ..float
    };
    blocks.push(Block {
        name: "lerc f32",
        packed: include_bytes!("lerc_f32.bin").to_vec(),
        raw_len: floats.len(),
        format: lerc,
    });
    blocks
}

fn format(kind: SampleKind, bits: u16, samples_per_pixel: u16, photometric: Photometric) -> BlockFormat {
    BlockFormat {
        kind,
        bits,
        samples_per_pixel,
        photometric,
        width_px: SIDE as u32,
        height_px: SIDE as u32,
        ..BlockFormat::default()
    }
}

/// Six octaves of value noise, each 0.6 of the one before, and white noise below `grain`; up to about 6000.
fn terrain(grain: u32) -> Vec<u16> {
    let mut state = 1u32;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    let mut heights = vec![0f32; SIDE * SIDE];
    for octave in 0..6 {
        let step = 128 >> octave;
        let across = SIDE / step + 2;
        let nodes: Vec<f32> = (0..across * across)
            .map(|_| (random() % 1000) as f32 / 1000.0)
            .collect();
        for (at, height) in heights.iter_mut().enumerate() {
            let (column, row) = (at % SIDE, at / SIDE);
            let (x, y) = (
                (column % step) as f32 / step as f32,
                (row % step) as f32 / step as f32,
            );
            let node = |dx: usize, dy: usize| nodes[(row / step + dy) * across + column / step + dx];
            let (top, bottom) = (mix(node(0, 0), node(1, 0), x), mix(node(0, 1), node(1, 1), x));
            *height += mix(top, bottom, y) * 0.6f32.powi(octave);
        }
    }
    heights
        .into_iter()
        .map(|height| (height * 2500.0) as u16 + (random() % grain) as u16)
        .collect()
}

fn mix(a: f32, b: f32, share: f32) -> f32 {
    a + (b - a) * share
}

/// The predictor as a writer applies it, in little-endian bytes.
fn apply(format: &BlockFormat, raw: &mut [u8]) {
    let samples = usize::from(format.samples_per_pixel);
    let item = usize::from(format.bits / 8);
    for row in raw.chunks_exact_mut(SIDE * samples * item) {
        match (format.predictor, item) {
            (Predictor::None, _) => {}
            (Predictor::Horizontal, 2) => {
                let row = row.as_chunks_mut::<2>().0;
                for at in (samples..row.len()).rev() {
                    let difference =
                        u16::from_le_bytes(row[at]).wrapping_sub(u16::from_le_bytes(row[at - samples]));
                    row[at] = difference.to_le_bytes();
                }
            }
            (Predictor::Horizontal, _) => difference(row, samples),
            (Predictor::FloatingPoint, _) => {
                let values = row.to_vec();
                let len = values.len() / item;
                for (at, value) in values.chunks_exact(item).enumerate() {
                    for (place, byte) in value.iter().enumerate() {
                        row[(item - 1 - place) * len + at] = *byte;
                    }
                }
                difference(row, samples);
            }
        }
    }
}

fn difference(row: &mut [u8], stride: usize) {
    for at in (stride..row.len()).rev() {
        row[at] = row[at].wrapping_sub(row[at - stride]);
    }
}
