//! A second opinion on decoded blocks: async-tiff, which shares no code with ours but zstd's, must give the same samples of
//! every tile. Only cases in which it is exact: tiles, bands pixel by pixel, no mask; the codecs none, DEFLATE, LZW and
//! ZSTD; predictors 2 and 3; either byte order; BigTIFF.

use std::ops::Range;
use std::path::Path;

use async_tiff::decoder::DecoderRegistry;
use async_tiff::error::AsyncTiffResult;
use async_tiff::metadata::TiffMetadataReader;
use async_tiff::reader::AsyncFileReader;
use async_tiff::{ImageFileDirectory, TypedArray};
use bytes::Bytes;
use edgetile_raster::decode::{Decoded, decode};
use edgetile_raster::header::{Block, Header, Image};
use edgetile_raster::samples::Samples;
use edgetile_raster::span::Known;
use futures_util::FutureExt;

const FILES: [&str; 22] = [
    "tiles_none_u8",
    "tiles_none_u16",
    "tiles_none_f32",
    "tiles_lzw_u8",
    "tiles_lzw_u16",
    "tiles_lzw_f32",
    "tiles_zstd_u8",
    "tiles_zstd_u16",
    "tiles_zstd_f32",
    "overviews",
    "bigtiff",
    "big_endian_bigtiff",
    "big_endian_u16_predictor2",
    "big_endian_u32_predictor2",
    "big_endian_i16_predictor1",
    "big_endian_f32_predictor3",
    "big_endian_f64_predictor3",
    "bits_i8",
    "bits_u32",
    "bits_u64",
    "bits_i64",
    "bits_f64",
];

/// A file in memory: its reads are answered at once.
#[derive(Debug)]
struct Memory(Bytes);

#[async_trait::async_trait]
impl AsyncFileReader for Memory {
    async fn get_bytes(&self, range: Range<u64>) -> AsyncTiffResult<Bytes> {
        let end = range.end.min(self.0.len() as u64);
        Ok(self.0.slice(range.start as usize..end as usize))
    }
}

#[test]
fn every_tile_of_every_level_has_the_same_samples() {
    for name in FILES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("testdata/files/{name}.tif"));
        let memory = Memory(std::fs::read(path).unwrap().into());
        let size = memory.0.len() as u64;
        let mut known = Known::new();
        known.insert(0, memory.0.clone());
        let header = Header::read(&known, size).unwrap();
        let theirs = directories(&memory);
        assert_eq!(header.levels.len(), theirs.len(), "{name}");
        for (level, directory) in header.levels.iter().zip(&theirs) {
            let image = &level.image;
            for y in 0..image.blocks_down() {
                for x in 0..image.blocks_across() {
                    let ours = block(image, &known, size, (x, y));
                    let theirs = tile(directory, &memory, (x, y));
                    assert_eq!(
                        bits(&ours.samples),
                        theirs,
                        "{name}, {} px, tile {x}, {y}",
                        image.width_px
                    );
                }
            }
        }
    }
}

fn directories(memory: &Memory) -> Vec<ImageFileDirectory> {
    let read = async {
        let mut reader = TiffMetadataReader::try_open(memory).await?;
        reader.read_all_ifds(memory).await
    };
    read.now_or_never().expect("memory does not wait").unwrap()
}

fn block(image: &Image, known: &Known, size: u64, (x, y): (u32, u32)) -> Decoded {
    let found = image.blocks.get(known, size, image.block_index(0, x, y)).unwrap();
    let Some(Block::At(at)) = found else {
        panic!("a block that is there")
    };
    let rows = image.block_height_px;
    decode(&image.format, &known.get(at).unwrap(), rows, rows).unwrap()
}

fn tile(directory: &ImageFileDirectory, memory: &Memory, (x, y): (u32, u32)) -> Vec<u64> {
    let fetch = directory.fetch_tile(x as usize, y as usize, memory);
    let tile = fetch.now_or_never().expect("memory does not wait").unwrap();
    let array = tile.decode(&DecoderRegistry::default()).unwrap();
    match array.into_inner().0 {
        TypedArray::UInt8(values) => bits(&Samples::U8(values)),
        TypedArray::Int8(values) => bits(&Samples::I8(values)),
        TypedArray::UInt16(values) => bits(&Samples::U16(values)),
        TypedArray::Int16(values) => bits(&Samples::I16(values)),
        TypedArray::UInt32(values) => bits(&Samples::U32(values)),
        TypedArray::Int32(values) => bits(&Samples::I32(values)),
        TypedArray::UInt64(values) => bits(&Samples::U64(values)),
        TypedArray::Int64(values) => bits(&Samples::I64(values)),
        TypedArray::Float32(values) => bits(&Samples::F32(values)),
        TypedArray::Float64(values) => bits(&Samples::F64(values)),
        TypedArray::Bool(_) => panic!("no file here has one bit a sample"),
    }
}

/// The type, then the bits of each sample.
fn bits(samples: &Samples) -> Vec<u64> {
    let mut bits = vec![samples.data_type() as u64];
    match samples {
        Samples::U8(values) => bits.extend(values.iter().map(|value| u64::from(*value))),
        Samples::I8(values) => bits.extend(values.iter().map(|value| *value as u64)),
        Samples::U16(values) => bits.extend(values.iter().map(|value| u64::from(*value))),
        Samples::I16(values) => bits.extend(values.iter().map(|value| *value as u64)),
        Samples::U32(values) => bits.extend(values.iter().map(|value| u64::from(*value))),
        Samples::I32(values) => bits.extend(values.iter().map(|value| *value as u64)),
        Samples::U64(values) => bits.extend(values),
        Samples::I64(values) => bits.extend(values.iter().map(|value| *value as u64)),
        Samples::F32(values) => bits.extend(values.iter().map(|value| u64::from(value.to_bits()))),
        Samples::F64(values) => bits.extend(values.iter().map(|value| value.to_bits())),
    }
    bits
}
