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

/// What the samples are.
#[derive(Clone, Copy)]
enum Samples {
    /// One band of 16 bits, with some grain.
    Gray,
    /// Three bands of 8 bits.
    Rgb,
    /// The same, stored as luma and chroma.
    YCbCr,
    /// One band of 32-bit floats, smooth.
    Float,
    /// One bit: a mask, or a drawing.
    Bits,
    /// One value throughout.
    FlatGray,
    FlatRgb,
    FlatFloat,
}

/// Every block, in the order of the table.
const BLOCKS: [(&str, Compression, Predictor, Samples); 26] = {
    use Compression::{CcittG4, Deflate, Jpeg, Lerc, Lzma, Lzw, PackBits, Webp, Zstd};
    use Predictor::{FloatingPoint, Horizontal, None};
    use Samples::{Bits, FlatFloat, FlatGray, FlatRgb, Float, Gray, Rgb, YCbCr};
    [
        ("none u16", Compression::None, None, Gray),
        ("deflate u16", Deflate, None, Gray),
        ("deflate u16 p2", Deflate, Horizontal, Gray),
        ("deflate u8x3 p2", Deflate, Horizontal, Rgb),
        ("deflate f32 p3", Deflate, FloatingPoint, Float),
        ("deflate u1", Deflate, None, Bits),
        ("zstd u16", Zstd, None, Gray),
        ("zstd u16 p2", Zstd, Horizontal, Gray),
        ("zstd u8x3 p2", Zstd, Horizontal, Rgb),
        ("zstd f32 p3", Zstd, FloatingPoint, Float),
        // Next to nothing to unpack: what undoing a predictor takes by itself.
        ("flat u16 p2", Zstd, Horizontal, FlatGray),
        ("flat u8x3 p2", Zstd, Horizontal, FlatRgb),
        ("flat f32 p3", Zstd, FloatingPoint, FlatFloat),
        ("lzw u16", Lzw, None, Gray),
        ("lzw u16 p2", Lzw, Horizontal, Gray),
        ("lzw u8x3 p2", Lzw, Horizontal, Rgb),
        ("lzw f32 p3", Lzw, FloatingPoint, Float),
        ("lzma u16", Lzma, None, Gray),
        ("lzma u16 p2", Lzma, Horizontal, Gray),
        ("lzma u8x3 p2", Lzma, Horizontal, Rgb),
        ("lzma f32 p3", Lzma, FloatingPoint, Float),
        ("packbits u8x3", PackBits, None, Rgb),
        ("jpeg 4:2:0 q85", Jpeg, None, YCbCr),
        ("webp lossy q80", Webp, None, Rgb),
        ("ccitt g4 u1", CcittG4, None, Bits),
        ("lerc f32", Lerc, None, Float),
    ]
};

/// The names of the blocks.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    BLOCKS.iter().map(|(name, ..)| *name)
}

/// Makes the block of that name.
pub(crate) fn block(name: &str) -> Block {
    let found = BLOCKS.iter().find(|(other, ..)| *other == name);
    let (name, compression, predictor, samples) = *found.expect("a block of that name");
    let (kind, bits, samples_per_pixel, photometric) = match samples {
        Samples::Bits => (SampleKind::Uint, 1, 1, Photometric::MinIsBlack),
        Samples::Gray | Samples::FlatGray => (SampleKind::Uint, 16, 1, Photometric::MinIsBlack),
        Samples::Rgb | Samples::FlatRgb => (SampleKind::Uint, 8, 3, Photometric::Rgb),
        Samples::YCbCr => (SampleKind::Uint, 8, 3, Photometric::YCbCr),
        Samples::Float | Samples::FlatFloat => (SampleKind::Float, 32, 1, Photometric::MinIsBlack),
    };
    let format = BlockFormat {
        compression,
        predictor,
        kind,
        bits,
        samples_per_pixel,
        photometric,
        width_px: SIDE as u32,
        height_px: SIDE as u32,
        ..BlockFormat::default()
    };
    let mut stored = raw(samples);
    apply(&format, &mut stored);
    let packed = match compression {
        Compression::Lerc => include_bytes!("lerc_f32.bin").to_vec(),
        Compression::CcittG4 => include_bytes!("ccitt_g4.bin").to_vec(),
        _ => libraries::encode(&format, &stored),
    };
    Block {
        name,
        packed,
        raw_len: stored.len(),
        format,
    }
}

/// The samples in little-endian bytes.
fn raw(samples: Samples) -> Vec<u8> {
    let gray = || terrain(64).into_iter();
    let pixels = SIDE * SIDE;
    match samples {
        Samples::Gray => gray().flat_map(u16::to_le_bytes).collect(),
        Samples::Rgb | Samples::YCbCr => gray()
            .flat_map(|value| [5, 6, 4].map(|shift| (value >> shift) as u8))
            .collect(),
        Samples::Float => {
            let smooth = terrain(1).into_iter();
            smooth
                .flat_map(|value| (f32::from(value) / 7.3).to_le_bytes())
                .collect()
        }
        Samples::Bits => {
            let is_high: Vec<u8> = gray().map(|value| u8::from(value > 2500)).collect();
            let packed = |bits: &[u8]| bits.iter().fold(0, |byte, bit| byte << 1 | bit);
            is_high.chunks_exact(8).map(packed).collect()
        }
        Samples::FlatGray => 1234u16.to_le_bytes().repeat(pixels),
        Samples::FlatRgb => [12, 34, 56].repeat(pixels),
        Samples::FlatFloat => 1234.5f32.to_le_bytes().repeat(pixels),
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
    if format.predictor == Predictor::None {
        return;
    }
    let samples = usize::from(format.samples_per_pixel);
    let item = usize::from(format.bits / 8);
    for row in raw.chunks_exact_mut(SIDE * samples * item) {
        match (format.predictor, item) {
            (Predictor::Horizontal, 2) => {
                let row = row.as_chunks_mut::<2>().0;
                for at in (samples..row.len()).rev() {
                    let difference =
                        u16::from_le_bytes(row[at]).wrapping_sub(u16::from_le_bytes(row[at - samples]));
                    row[at] = difference.to_le_bytes();
                }
            }
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
            (Predictor::None | Predictor::Horizontal, _) => difference(row, samples),
        }
    }
}

fn difference(row: &mut [u8], stride: usize) {
    for at in (stride..row.len()).rev() {
        row[at] = row[at].wrapping_sub(row[at - stride]);
    }
}
