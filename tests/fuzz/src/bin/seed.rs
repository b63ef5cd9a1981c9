//! Writes the first inputs of each decoder's target into `corpus/`: whole blocks of every codec, from the same files that
//! the unit tests read and from the codecs' own encoders.

use std::error::Error;
use std::fs;
use std::path::Path;

/// Kind, bits, samples - 1, width / 256, width % 256 - 1, height - 1, rows - 1, flags, photometric.
type Format = [u8; 9];

const UINT: u8 = 0;
const FLOAT: u8 = 2;

fn main() -> Result<(), Box<dyn Error>> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR"));
    let blocks = fuzz.join("../../functions/raster/testdata/blocks");
    let tile = |kind, bits, samples: u8, flags, photometric| -> Format {
        [kind, bits, samples - 1, 0, 63, 47, 47, flags, photometric]
    };
    let stripes: Format = [UINT, 1, 0, 23, 111, 39, 39, 0, 1];
    let from_files = [
        ("webp", "webp_lossless_rgb", tile(UINT, 8, 3, 0, 2)),
        ("webp", "webp_lossless_rgba", tile(UINT, 8, 4, 0, 2)),
        ("webp", "webp_lossy_rgb", tile(UINT, 8, 3, 0, 2)),
        ("lerc", "lerc_u8", tile(UINT, 8, 1, 0, 1)),
        ("lerc", "lerc_rgba", tile(UINT, 8, 4, 0, 2)),
        ("lerc", "lerc_f32", tile(FLOAT, 32, 1, 0, 1)),
        ("lerc", "lerc_deflate_f32_3", tile(FLOAT, 32, 3, 1 << 4, 1)),
        (
            "lerc",
            "lerc_zstd_f32_3_holes_differ",
            tile(FLOAT, 32, 3, 2 << 4, 1),
        ),
        ("ccitt_rle", "ccitt_rle", stripes),
        ("ccitt_g3", "ccitt_g3", stripes),
        ("ccitt_g4", "ccitt_g4", stripes),
        ("jpeg", "jpeg_gray", tile(UINT, 8, 1, 0, 1)),
        ("jpeg", "jpeg_rgb", tile(UINT, 8, 3, 0, 2)),
        ("jpeg", "jpeg_ycbcr", tile(UINT, 8, 3, 0, 6)),
        ("jpeg", "jpeg_cmyk", tile(UINT, 8, 4, 0, 5)),
        ("jpeg", "jpeg_12bit", tile(UINT, 12, 1, 0, 1)),
    ];
    for (target, name, format) in from_files {
        let tables = fs::read(blocks.join(format!("{name}.tables.bin"))).unwrap_or_default();
        write(
            fuzz,
            target,
            name,
            format,
            &tables,
            &fs::read(blocks.join(format!("{name}.bin")))?,
        )?;
    }
    let raw: Vec<u8> = (0..64 * 48 * 4u32)
        .map(|i| ((i * i) >> 10) as u8 ^ (i % 3) as u8)
        .collect();
    let literals: Vec<u8> = raw
        .chunks(100)
        .flat_map(|run| [&[run.len() as u8 - 1], run].concat())
        .collect();
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let mut deflated = vec![0; compressor.zlib_compress_bound(raw.len())];
    let len = compressor.zlib_compress(&raw, &mut deflated)?;
    // A clear code, three bytes, a string made of them, the end.
    let lzw = (256u64 << 55 | 1 << 46 | 2 << 37 | 3 << 28 | 258 << 19 | 257 << 10).to_be_bytes();
    for (name, flags) in [("plain", 0), ("horizontal", 1), ("big", 1 | 4), ("lsb", 8)] {
        let format = tile(UINT, 16, 2, flags, 1);
        write(fuzz, "none", name, format, &[], &raw)?;
        write(fuzz, "packbits", name, format, &[], &literals)?;
        write(fuzz, "deflate", name, format, &[], &deflated[..len])?;
        write(fuzz, "zstd", name, format, &[], &zstd::bulk::compress(&raw, 3)?)?;
        write(fuzz, "lzw", name, format, &[], &lzw)?;
    }
    let floats = tile(FLOAT, 32, 1, 2, 1);
    write(fuzz, "deflate", "floats", floats, &[], &deflated[..len])?;
    write(fuzz, "none", "bits", tile(UINT, 12, 1, 0, 1), &[], &raw)?;
    Ok(())
}

fn write(
    fuzz: &Path,
    target: &str,
    name: &str,
    format: Format,
    tables: &[u8],
    bytes: &[u8],
) -> std::io::Result<()> {
    let folder = fuzz.join("corpus").join(format!("decode_{target}"));
    fs::create_dir_all(&folder)?;
    let input = [format.as_slice(), &[tables.len() as u8], tables, bytes].concat();
    fs::write(folder.join(name), input)
}
