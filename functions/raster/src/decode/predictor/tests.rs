//! Rows differenced here by the plainest loop must come back, whatever the type, the stride and the byte order.

use super::super::{SampleKind, decode};
use super::*;

/// Bytes that spell anything: sums of them wrap in every width.
fn noise(len: usize) -> Vec<u8> {
    (0..len as u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 21) as u8)
        .collect()
}

fn format(
    predictor: Predictor,
    kind: SampleKind,
    bits: u16,
    stride: u16,
    byte_order: ByteOrder,
) -> BlockFormat {
    BlockFormat {
        compression: Compression::Deflate,
        predictor,
        kind,
        bits,
        byte_order,
        samples_per_pixel: stride,
        width_px: 37,
        height_px: 3,
        ..BlockFormat::default()
    }
}

/// The samples of the same bytes stored without a predictor.
fn plain(format: &BlockFormat, bytes: &[u8]) -> Samples {
    let format = BlockFormat {
        compression: Compression::None,
        predictor: Predictor::None,
        ..format.clone()
    };
    decode(&format, bytes, 3, 3).unwrap().samples
}

fn deflated(format: &BlockFormat, bytes: &[u8]) -> Samples {
    let level = libdeflater::CompressionLvl::new(1).unwrap();
    let mut compressor = libdeflater::Compressor::new(level);
    let mut packed = vec![0; compressor.zlib_compress_bound(bytes.len())];
    let len = compressor.zlib_compress(bytes, &mut packed).unwrap();
    decode(format, &packed[..len], 3, 3).unwrap().samples
}

/// NaNs differ from themselves; their bits do not.
fn bits_of(samples: Samples) -> Vec<u64> {
    match samples {
        Samples::F32(values) => values.into_iter().map(|v| v.to_bits().into()).collect(),
        Samples::F64(values) => values.into_iter().map(f64::to_bits).collect(),
        Samples::U8(values) => values.into_iter().map(u64::from).collect(),
        Samples::U16(values) => values.into_iter().map(u64::from).collect(),
        Samples::U32(values) => values.into_iter().map(u64::from).collect(),
        Samples::U64(values) => values,
        Samples::I8(values) => values.into_iter().map(|v| v as u64).collect(),
        Samples::I16(values) => values.into_iter().map(|v| v as u64).collect(),
        Samples::I32(values) => values.into_iter().map(|v| v as u64).collect(),
        Samples::I64(values) => values.into_iter().map(|v| v as u64).collect(),
    }
}

fn number(bytes: &[u8], order: ByteOrder) -> u64 {
    let fold = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
    if order == ByteOrder::Big {
        bytes.iter().fold(0, fold)
    } else {
        bytes.iter().rev().fold(0, fold)
    }
}

#[test]
fn horizontal_differences() {
    let kinds = [
        (SampleKind::Uint, 8),
        (SampleKind::Int, 8),
        (SampleKind::Uint, 16),
        (SampleKind::Int, 16),
    ];
    let wide = [
        (SampleKind::Uint, 32),
        (SampleKind::Int, 32),
        (SampleKind::Uint, 64),
        (SampleKind::Int, 64),
    ];
    let floats = [
        (SampleKind::Float, 16),
        (SampleKind::Float, 32),
        (SampleKind::Float, 64),
    ];
    for (kind, bits) in kinds.into_iter().chain(wide).chain(floats) {
        for stride in 1..=6 {
            for order in [ByteOrder::Little, ByteOrder::Big] {
                let format = format(Predictor::Horizontal, kind, bits, stride, order);
                let (item, step) = (bits as usize / 8, bits as usize / 8 * stride as usize);
                let values = noise(format.row_bytes() * 3);
                let mut stored = values.clone();
                for (row, from) in stored
                    .chunks_mut(format.row_bytes())
                    .zip(values.chunks(format.row_bytes()))
                {
                    for at in (step..row.len()).step_by(item) {
                        let this = number(&from[at..at + item], order);
                        let difference = this.wrapping_sub(number(&from[at - step..at - step + item], order));
                        let bytes = difference.to_le_bytes();
                        let ordered: Vec<u8> = match order {
                            ByteOrder::Little => bytes[..item].to_vec(),
                            ByteOrder::Big => bytes[..item].iter().rev().copied().collect(),
                        };
                        row[at..at + item].copy_from_slice(&ordered);
                    }
                }
                let got = bits_of(deflated(&format, &stored));
                assert_eq!(
                    got,
                    bits_of(plain(&format, &values)),
                    "{kind:?} {bits}, stride {stride}, {order:?}"
                );
            }
        }
    }
}

#[test]
fn floating_point_differences() {
    for bits in [16, 24, 32, 64] {
        for stride in 1..=6 {
            for order in [ByteOrder::Little, ByteOrder::Big] {
                let format = format(Predictor::FloatingPoint, SampleKind::Float, bits, stride, order);
                let (item, row_bytes) = (bits as usize / 8, format.row_bytes());
                let values = noise(row_bytes * 3);
                let mut stored = Vec::new();
                for row in values.chunks(row_bytes) {
                    let mut planes = vec![0; row_bytes];
                    for (at, value) in row.chunks(item).enumerate() {
                        for (place, byte) in value.iter().enumerate() {
                            let plane = if order == ByteOrder::Big {
                                place
                            } else {
                                item - 1 - place
                            };
                            planes[plane * row_bytes / item + at] = *byte;
                        }
                    }
                    for at in (stride as usize..row_bytes).rev() {
                        planes[at] = planes[at].wrapping_sub(planes[at - stride as usize]);
                    }
                    stored.extend(planes);
                }
                let got = bits_of(deflated(&format, &stored));
                assert_eq!(
                    got,
                    bits_of(plain(&format, &values)),
                    "{bits} bits, stride {stride}, {order:?}"
                );
            }
        }
    }
}
