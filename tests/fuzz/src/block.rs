//! Bytes → the format of a block and its bytes → a decode.

use edgetile_raster::decode::{
    BlockFormat, ByteOrder, Compression, Photometric, Predictor, SampleKind, decode,
};

/// Bytes that the format takes of an input.
const HEAD: usize = 10;

/// Most samples of a block here, so that the time goes into codecs and not into clearing memory.
const MAX_SAMPLES: u64 = 1 << 20;

macro_rules! targets {
    ($($name:ident: $($compression:ident)|+;)*) => {$(
        #[doc = concat!("Blocks of ", $("`Compression::", stringify!($compression), "` "),+)]
        pub fn $name(data: &[u8]) {
            run(&[$(Compression::$compression),+], data);
        }
    )*};
}

targets! {
    decode_none: None;
    decode_lzw: Lzw;
    decode_packbits: PackBits;
    decode_ccitt: CcittRle | CcittG3 | CcittG4;
    decode_deflate: Deflate;
    decode_zstd: Zstd;
    decode_lzma: Lzma;
    decode_jpeg: Jpeg;
    decode_lerc: Lerc;
    decode_webp: Webp;
}

/// Decodes a block whose format the first [`HEAD`] bytes choose. What comes out has exactly the samples of its rows.
fn run(compressions: &[Compression], data: &[u8]) {
    let Some((head, rest)) = data.split_first_chunk::<HEAD>() else {
        return;
    };
    let (format, rows, bytes) = format(compressions, head, rest);
    let per_row = u64::from(format.width_px) * u64::from(format.samples_per_pixel);
    if per_row * u64::from(format.height_px) > MAX_SAMPLES {
        return;
    }
    let Ok(decoded) = decode(&format, bytes, format.height_px, rows) else {
        return;
    };
    assert!((rows..=format.height_px).contains(&decoded.rows));
    let pixels = decoded.rows as usize * format.width_px as usize;
    assert_eq!(decoded.samples.len(), pixels * format.samples_per_pixel as usize);
    assert!(decoded.mask.is_none_or(|mask| mask.len() == pixels));
    assert_eq!(Ok(decoded.samples.data_type()), format.data_type());
}

/// The format that the head chooses, the rows to decode, and the bytes of the block.
fn format<'a>(
    compressions: &[Compression],
    head: &[u8; HEAD],
    rest: &'a [u8],
) -> (BlockFormat, u32, &'a [u8]) {
    let [
        kind,
        bits,
        samples,
        wide,
        width,
        height,
        rows,
        flags,
        photometric,
        tables,
    ] = *head;
    let tables_len = (tables as usize).min(rest.len());
    let (tables, bytes) = rest.split_at(tables_len);
    let height_px = u32::from(height) + 1;
    let kinds = [SampleKind::Uint, SampleKind::Int, SampleKind::Float];
    let predictors = [
        Predictor::None,
        Predictor::Horizontal,
        Predictor::FloatingPoint,
        Predictor::None,
    ];
    let format = BlockFormat {
        compression: compressions[usize::from(wide >> 5) % compressions.len()],
        predictor: predictors[usize::from(flags & 3)],
        byte_order: if flags & 4 == 0 {
            ByteOrder::Little
        } else {
            ByteOrder::Big
        },
        fill_order_lsb_first: flags & 8 != 0,
        photometric: Photometric::from_tag(u16::from(photometric & 7)),
        kind: kinds[usize::from(kind) % 3],
        bits: u16::from(bits) % 65,
        samples_per_pixel: u16::from(samples) % 6 + 1,
        width_px: u32::from(wide) % 32 * 256 + u32::from(width) + 1,
        height_px,
        jpeg_tables: (tables_len > 0).then(|| tables.to_vec().into()),
        ycbcr_subsampling: (1 << (flags >> 4 & 1), 1 << (flags >> 5 & 1)),
        lerc_additional: u32::from(flags >> 4 & 3),
        t4_options: u32::from(flags >> 4 & 1),
        t6_options: 0,
    };
    (format, u32::from(rows) % height_px + 1, bytes)
}
