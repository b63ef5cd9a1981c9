//! The best library for each codec as it is used best: contexts kept, output of the right size.

use std::cell::RefCell;

use edgetile_raster::decode::{BlockFormat, Compression};
use liblzma::stream::{Action, Check, Stream};
use libwebp_sys as webp;

use crate::blocks::SIDE;

thread_local! {
    static INFLATE: RefCell<libdeflater::Decompressor> = RefCell::new(libdeflater::Decompressor::new());
    static ZSTD: RefCell<zstd::bulk::Decompressor<'static>> =
        RefCell::new(zstd::bulk::Decompressor::new().expect("libzstd starts"));
    static JPEG: RefCell<turbojpeg::Decompressor> =
        RefCell::new(turbojpeg::Decompressor::new().expect("libjpeg starts"));
}

/// What a library gives.
pub(crate) enum Raw {
    /// The bytes as stored.
    Bytes(Vec<u8>),
    /// The samples.
    Floats(Vec<f32>),
}

/// Unpacks a block; `None` where there is no library.
pub(crate) fn decode(format: &BlockFormat, packed: &[u8], raw_len: usize) -> Option<Raw> {
    let mut raw = vec![0; raw_len];
    match format.compression {
        Compression::None => raw.copy_from_slice(packed),
        Compression::Deflate => {
            let len = INFLATE.with_borrow_mut(|inflate| inflate.zlib_decompress(packed, &mut raw));
            assert_eq!(len.ok(), Some(raw_len));
        }
        Compression::Zstd => {
            let len = ZSTD.with_borrow_mut(|zstd| zstd.decompress_to_buffer(packed, &mut raw[..]));
            assert_eq!(len.ok(), Some(raw_len));
        }
        Compression::Lzw => {
            let mut lzw = weezl::decode::Decoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8);
            // It stops wherever its buffers end.
            let (mut read, mut written) = (0, 0);
            while written < raw_len {
                let done = lzw.decode_bytes(&packed[read..], &mut raw[written..]);
                done.status.expect("a stream that decodes");
                read += done.consumed_in;
                written += done.consumed_out;
            }
        }
        Compression::Lzma => {
            let mut lzma = Stream::new_stream_decoder(128 << 20, 0).expect("liblzma starts");
            lzma.process(packed, &mut raw, Action::Run)
                .expect("a stream that decodes");
            assert_eq!(lzma.total_out(), raw_len as u64);
        }
        Compression::Jpeg => JPEG.with_borrow_mut(|jpeg| {
            let output = turbojpeg::Image {
                pixels: raw.as_mut_slice(),
                width: SIDE,
                pitch: SIDE * 3,
                height: SIDE,
                format: turbojpeg::PixelFormat::RGB,
            };
            jpeg.decompress(packed, output).expect("a picture that decodes");
        }),
        Compression::Webp => from_webp(packed, &mut raw),
        Compression::Lerc => return Some(Raw::Floats(lerc(packed))),
        _ => return None,
    }
    Some(Raw::Bytes(raw))
}

fn lerc(packed: &[u8]) -> Vec<f32> {
    match lerc_reader::decode_first(packed)
        .expect("a blob that decodes")
        .pixels
    {
        lerc_core::PixelData::F32(values) => values,
        other => panic!("{other:?}"),
    }
}

#[expect(unsafe_code, reason = "libwebp is a C library")]
fn from_webp(packed: &[u8], raw: &mut [u8]) {
    // SAFETY: both pointers go with the lengths of what they point to.
    let written = unsafe {
        webp::WebPDecodeRGBInto(
            packed.as_ptr(),
            packed.len(),
            raw.as_mut_ptr(),
            raw.len(),
            SIDE as i32 * 3,
        )
    };
    assert!(!written.is_null());
}

/// Packs raw bytes, predictor applied, as GDAL does by default.
pub(crate) fn encode(format: &BlockFormat, raw: &[u8]) -> Vec<u8> {
    match format.compression {
        Compression::None => raw.to_vec(),
        Compression::Deflate => {
            let mut deflate = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
            let mut packed = vec![0; deflate.zlib_compress_bound(raw.len())];
            let len = deflate.zlib_compress(raw, &mut packed).expect("room enough");
            packed.truncate(len);
            packed
        }
        Compression::Zstd => zstd::bulk::compress(raw, 9).expect("a stream"),
        Compression::Lzw => weezl::encode::Encoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
            .encode(raw)
            .expect("a stream"),
        Compression::Lzma => {
            let mut lzma = Stream::new_easy_encoder(6, Check::Crc32).expect("liblzma starts");
            let mut packed = Vec::with_capacity(raw.len() * 2);
            lzma.process_vec(raw, &mut packed, Action::Finish)
                .expect("a stream");
            packed
        }
        Compression::PackBits => raw
            .chunks(128)
            .flat_map(|run| [&[run.len() as u8 - 1], run].concat())
            .collect(),
        Compression::Jpeg => {
            let image = turbojpeg::Image {
                pixels: raw,
                width: SIDE,
                pitch: SIDE * 3,
                height: SIDE,
                format: turbojpeg::PixelFormat::RGB,
            };
            turbojpeg::compress(image, 85, turbojpeg::Subsamp::Sub2x2)
                .expect("a picture")
                .to_vec()
        }
        _ => to_webp(raw),
    }
}

#[expect(unsafe_code, reason = "libwebp is a C library")]
fn to_webp(raw: &[u8]) -> Vec<u8> {
    let mut packed = std::ptr::null_mut();
    let side = SIDE as i32;
    // SAFETY: `raw` holds `side` rows of `side` pixels; what libwebp allocates is copied by its length and freed.
    unsafe {
        let len = webp::WebPEncodeRGB(raw.as_ptr(), side, side, side * 3, 80.0, &raw mut packed);
        let copy = std::slice::from_raw_parts(packed, len).to_vec();
        webp::WebPFree(packed.cast());
        copy
    }
}
