//! Blocks that libtiff and the codecs' own libraries wrote (`testdata/make_blocks.py`), of samples known by formula;
//! and the same blocks mangled, which must neither panic nor grow.

use super::*;

const WIDTH: u32 = 64;
const HEIGHT: u32 = 48;

fn read(name: &str) -> Option<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/blocks");
    std::fs::read(format!("{folder}/{name}.bin")).ok()
}

/// The format and the bytes of a block.
fn block(name: &str) -> (BlockFormat, Vec<u8>) {
    let format = BlockFormat {
        bits: 8,
        width_px: WIDTH,
        height_px: HEIGHT,
        ..BlockFormat::default()
    };
    let bands = match name.rsplit_once('_').map_or("", |(_, last)| last) {
        "rgba" | "cmyk" => 4,
        "rgb" | "ycbcr" | "3" | "differ" => 3,
        _ => 1,
    };
    let format = BlockFormat {
        samples_per_pixel: bands,
        ..format
    };
    let format = match name.split('_').next() {
        Some("webp") => BlockFormat {
            compression: Compression::Webp,
            photometric: Photometric::Rgb,
            ..format
        },
        Some("jpeg") => {
            let bits = if name.ends_with("12bit") { 12 } else { 8 };
            let format = BlockFormat { bits, ..format };
            let photometric = match name {
                "jpeg_rgb" => Photometric::Rgb,
                "jpeg_ycbcr" => Photometric::YCbCr,
                "jpeg_cmyk" => Photometric::Cmyk,
                _ => Photometric::MinIsBlack,
            };
            let jpeg_tables = read(&format!("{name}.tables")).map(Into::into);
            BlockFormat {
                compression: Compression::Jpeg,
                photometric,
                jpeg_tables,
                ..format
            }
        }
        Some("lerc") => {
            let lerc_additional = if name.contains("deflate") {
                1
            } else {
                u32::from(name.contains("zstd")) * 2
            };
            let format = BlockFormat {
                compression: Compression::Lerc,
                lerc_additional,
                ..format
            };
            let is_float = name.contains("f32");
            let kind = if is_float {
                SampleKind::Float
            } else {
                SampleKind::Uint
            };
            BlockFormat {
                kind,
                bits: if is_float { 32 } else { 8 },
                ..format
            }
        }
        _ => {
            let compression = match name {
                "ccitt_rle" => Compression::CcittRle,
                "ccitt_g3" => Compression::CcittG3,
                _ => Compression::CcittG4,
            };
            BlockFormat {
                compression,
                bits: 1,
                width_px: 6000,
                height_px: 40,
                ..format
            }
        }
    };
    (format, read(name).unwrap())
}

/// `[rows, width, bands]` of a formula of x, y and band.
fn picture<T>(format: &BlockFormat, rows: u32, at: impl Fn(u32, u32, u32) -> T) -> Vec<T> {
    let mut values = Vec::new();
    for y in 0..rows {
        for x in 0..format.width_px {
            values.extend((0..u32::from(format.samples_per_pixel)).map(|band| at(x, y, band)));
        }
    }
    values
}

fn ramp(x: u32, y: u32, band: u32) -> u8 {
    (x + y + 40 * band) as u8
}

fn ramp_and_alpha(x: u32, y: u32, band: u32) -> u8 {
    let value = ramp(x, y, band);
    if band < 3 {
        value
    } else {
        u8::from(!value.is_multiple_of(3)) * 255
    }
}

fn decoded(name: &str, rows: u32) -> (BlockFormat, Decoded) {
    let (format, bytes) = block(name);
    let mut decoded = decode(&format, &bytes, format.height_px, rows).unwrap();
    assert!(decoded.rows >= rows, "{name}");
    let len = rows as usize * format.row_len();
    bits::truncate(&mut decoded.samples, len);
    (format, decoded)
}

#[test]
fn lossless_pictures_are_those_of_the_formula() {
    for rows in [HEIGHT, 17, 1] {
        for name in ["webp_lossless_rgb", "lerc_u8"] {
            let (format, decoded) = decoded(name, rows);
            assert_eq!(
                decoded.samples,
                Samples::U8(picture(&format, rows, ramp)),
                "{name}, {rows} rows"
            );
            assert_eq!(decoded.mask, None);
        }
        let (format, with_alpha) = decoded("lerc_rgba", rows);
        let Samples::U8(values) = with_alpha.samples else {
            panic!("8 bits")
        };
        for (got, expected) in values
            .as_chunks::<4>()
            .0
            .iter()
            .zip(picture(&format, rows, ramp_and_alpha).as_chunks::<4>().0)
        {
            assert_eq!(got[3], expected[3]);
            assert!(
                expected[3] == 0 || got == expected,
                "colour under no alpha is free, {rows} rows"
            );
        }
    }
    let (format, decoded) = decoded("webp_lossless_rgba", HEIGHT);
    assert_eq!(
        decoded.samples,
        Samples::U8(picture(&format, HEIGHT, ramp_and_alpha))
    );
}

#[test]
fn lerc_holes_are_nan_and_masked_where_all_bands_have_them() {
    let hole = |x: u32, y: u32, left: u32| (left..left + 8).contains(&x) && (4..12).contains(&y);
    let value = |x: u32, y: u32, band: u32| x as f32 * 0.25 + y as f32 * 1.5 + band as f32 * 100.0;
    for (name, differ) in [
        ("lerc_f32", 0),
        ("lerc_deflate_f32_3", 0),
        ("lerc_zstd_f32_3_holes_differ", 8),
    ] {
        let (format, decoded) = decoded(name, HEIGHT);
        let Samples::F32(values) = decoded.samples else {
            panic!("floats")
        };
        let is_hole = picture(&format, HEIGHT, |x, y, band| hole(x, y, 8 + differ * band));
        let expected = picture(&format, HEIGHT, value);
        for ((got, expected), is_hole) in values.iter().zip(expected).zip(is_hole) {
            assert!(
                if is_hole { got.is_nan() } else { *got == expected },
                "{name}: {got}, not {expected}"
            );
        }
        let one = BlockFormat {
            samples_per_pixel: 1,
            ..format
        };
        let valid = picture(&one, HEIGHT, |x, y, _| u8::from(!hole(x, y, 8)) * 255);
        assert_eq!(decoded.mask, (differ == 0).then_some(valid), "{name}");
    }
}

#[test]
fn bilevel_runs_of_every_length() {
    for name in ["ccitt_rle", "ccitt_g3", "ccitt_g4"] {
        let (format, decoded) = decoded(name, 40);
        let stripe = |x: u32, y: u32, _| (((x * (y + 1)) >> if y < 20 { 12 } else { 7 }) & 1) as u8;
        assert!(
            decoded.samples == Samples::U8(picture(&format, 40, stripe)),
            "{name}"
        );
    }
}

#[test]
fn lossy_pictures_come_near_the_formula_in_the_colours_that_the_tag_names() {
    let cmyk_as_rgb = |x: u32, y: u32, band: u32| match band {
        3 => 255,
        _ => ((255 - u32::from(ramp(x, y, band))) * (255 - u32::from(ramp(x, y, 3))) / 255) as u8,
    };
    for name in [
        "jpeg_gray",
        "jpeg_rgb",
        "jpeg_ycbcr",
        "jpeg_cmyk",
        "webp_lossy_rgb",
    ] {
        let (format, whole) = decoded(name, HEIGHT);
        let expected = match name {
            "jpeg_cmyk" => picture(&format, HEIGHT, cmyk_as_rgb),
            _ => picture(&format, HEIGHT, ramp),
        };
        let Samples::U8(values) = &whole.samples else {
            panic!("8 bits")
        };
        for (got, expected) in values.iter().zip(expected) {
            assert!(got.abs_diff(expected) <= 8, "{name}: {got}, not {expected}");
        }
        // A stop after a few rows, in and at the end of a group of rows that share their colour, changes none of them.
        for rows in [1, 15, 16, 17, 32, 47] {
            let Samples::U8(first) = decoded(name, rows).1.samples else {
                panic!("8 bits")
            };
            assert!(first == values[..first.len()], "{name}, {rows} rows");
        }
    }
}

#[test]
fn twelve_bits_of_jpeg_come_near_the_formula() {
    for rows in [HEIGHT, 9] {
        let (format, decoded) = decoded("jpeg_12bit", rows);
        let Samples::U16(values) = decoded.samples else {
            panic!("16 bits")
        };
        for (got, expected) in values.iter().zip(picture(&format, rows, |x, y, _| (x + y) * 30)) {
            assert!(u32::from(*got).abs_diff(expected) <= 40, "{got}, not {expected}");
        }
        assert_eq!(values.len(), (rows * WIDTH) as usize);
    }
}

#[test]
fn a_jpeg_block_without_its_tables_is_not_decoded_with_those_of_another() {
    let (format, bytes) = block("jpeg_ycbcr");
    decode(&format, &bytes, HEIGHT, HEIGHT).unwrap();
    let bare = BlockFormat {
        jpeg_tables: None,
        ..format
    };
    assert!(matches!(
        decode(&bare, &bytes, HEIGHT, HEIGHT),
        Err(DecodeError::Broken { codec: "JPEG", .. })
    ));
}

/// A cheap generator of numbers that look random (xorshift, Marsaglia 2003).
struct Noise(u64);

impl Noise {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

/// One to four changes: a bit, a byte, a piece cut out, the end cut off.
fn mangle(bytes: &mut Vec<u8>, noise: &mut Noise) {
    for _ in 0..=noise.below(4) {
        let at = noise.below(bytes.len().max(1));
        match noise.below(8) {
            _ if bytes.is_empty() => {}
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..(at + 1 + noise.below(8)).min(bytes.len()))),
            2..=4 => bytes[at] ^= 1 << noise.below(8),
            _ => bytes[at] = noise.below(256) as u8,
        }
    }
}

/// Every codec over the same picture of two 16-bit bands; and the blocks above.
fn all_blocks() -> Vec<(BlockFormat, Vec<u8>)> {
    let format = BlockFormat {
        bits: 16,
        samples_per_pixel: 2,
        width_px: 40,
        height_px: 30,
        ..BlockFormat::default()
    };
    let raw: Vec<u8> = (0..4800u32)
        .map(|i| ((i * i) >> 10) as u8 ^ (i % 3) as u8)
        .collect();
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::new(6).unwrap());
    let mut deflated = vec![0; 6000];
    let len = compressor.zlib_compress(&raw, &mut deflated).unwrap();
    deflated.truncate(len);
    let lzw = weezl::encode::Encoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
        .encode(&raw)
        .unwrap();
    let literals = raw
        .chunks(100)
        .flat_map(|run| [&[run.len() as u8 - 1], run].concat())
        .collect();
    let mut lzma = Vec::with_capacity(6000);
    liblzma::stream::Stream::new_easy_encoder(6, liblzma::stream::Check::Crc32)
        .unwrap()
        .process_vec(&raw, &mut lzma, liblzma::stream::Action::Finish)
        .unwrap();
    let packed = [
        (Compression::None, raw.clone()),
        (Compression::Deflate, deflated),
        (Compression::Lzw, lzw),
        (Compression::Zstd, zstd::bulk::compress(&raw, 3).unwrap()),
        (Compression::PackBits, literals),
        (Compression::Lzma, lzma),
    ];
    let packed = packed.map(|(compression, bytes)| {
        (
            BlockFormat {
                compression,
                ..format.clone()
            },
            bytes,
        )
    });
    let names = [
        "webp_lossless_rgb",
        "webp_lossless_rgba",
        "webp_lossy_rgb",
        "lerc_u8",
        "lerc_rgba",
        "lerc_f32",
        "lerc_deflate_f32_3",
        "lerc_zstd_f32_3_holes_differ",
        "ccitt_rle",
        "ccitt_g3",
        "ccitt_g4",
        "jpeg_gray",
        "jpeg_rgb",
        "jpeg_ycbcr",
        "jpeg_cmyk",
        "jpeg_12bit",
    ];
    packed.into_iter().chain(names.map(block)).collect()
}

#[test]
fn mangled_blocks_are_errors_or_pictures_of_the_right_size() {
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    for (format, bytes) in all_blocks() {
        decode(&format, &bytes, format.height_px, format.height_px).unwrap();
        for _ in 0..150 {
            let mut mangled = bytes.clone();
            mangle(&mut mangled, &mut noise);
            let rows = 1 + noise.below(format.height_px as usize) as u32;
            if let Ok(decoded) = decode(&format, &mangled, format.height_px, rows) {
                assert!((rows..=format.height_px).contains(&decoded.rows));
                assert_eq!(decoded.samples.len(), decoded.rows as usize * format.row_len());
                let pixels = decoded.rows as usize * format.width_px as usize;
                assert!(decoded.mask.is_none_or(|mask| mask.len() == pixels));
            }
        }
    }
}
