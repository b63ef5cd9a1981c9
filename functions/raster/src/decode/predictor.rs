//! Differences → values.
//!
//! Predictor 2 (TIFF 6.0, section 14) stores each sample as the difference from the same sample of the pixel to its
//! left, in integers of the sample's width that wrap. Predictor 3 (TIFF Technical Note 3, 2005) splits the samples
//! of a row into planes of bytes, highest first whatever the file's byte order, and stores byte differences.

use super::{BlockFormat, ByteOrder, Compression, Predictor};
use crate::samples::Samples;
use bytemuck::Pod;

mod lanes;
mod planes;

/// The predictor that counts: libtiff heeds the tag for these codecs only, and writers leave it beside others.
pub(super) fn of(format: &BlockFormat) -> Predictor {
    match format.compression {
        Compression::Lzw | Compression::Deflate | Compression::Zstd | Compression::Lzma => format.predictor,
        _ => Predictor::None,
    }
}

/// Undoes predictor 2 in samples of native byte order, rows of `row_len` samples, `stride` of them a pixel.
pub(super) fn horizontal(samples: &mut Samples, row_len: usize, stride: usize) {
    match samples {
        Samples::U8(values) => each_row(values, row_len, |row| lanes::sum_u8(row, stride)),
        Samples::I8(values) => each_row(values, row_len, |row| lanes::sum_u8(row, stride)),
        Samples::U16(values) => each_row(values, row_len, |row| lanes::sum_u16(row, stride)),
        Samples::I16(values) => each_row(values, row_len, |row| lanes::sum_u16(row, stride)),
        Samples::U32(values) => each_row(values, row_len, |row| lanes::sum(row, stride, u32::wrapping_add)),
        Samples::I32(values) => each_row(values, row_len, |row| lanes::sum(row, stride, u32::wrapping_add)),
        Samples::F32(values) => each_row(values, row_len, |row| lanes::sum(row, stride, u32::wrapping_add)),
        Samples::U64(values) => each_row(values, row_len, |row| lanes::sum(row, stride, u64::wrapping_add)),
        Samples::I64(values) => each_row(values, row_len, |row| lanes::sum(row, stride, u64::wrapping_add)),
        Samples::F64(values) => each_row(values, row_len, |row| lanes::sum(row, stride, u64::wrapping_add)),
    }
}

/// Signs and fractions do not matter to sums that wrap: `values` are summed as the unsigned integers of their width.
fn each_row<T: Pod, U: Pod>(values: &mut [T], row_len: usize, sum: impl Fn(&mut [U])) {
    bytemuck::cast_slice_mut(values)
        .chunks_exact_mut(row_len)
        .for_each(sum);
}

/// Undoes predictor 3 in samples whose memory still holds the stored bytes.
pub(super) fn float_in_place(samples: &mut Samples, row_len: usize, format: &BlockFormat) {
    let stride = format.samples_per_pixel as usize;
    match samples {
        Samples::F32(values) => {
            let mut stored = vec![0; row_len * 4];
            for row in values.chunks_exact_mut(row_len) {
                stored.copy_from_slice(bytemuck::cast_slice(row));
                lanes::sum_u8(&mut stored, stride);
                planes::zip(split(&stored, row_len), row);
            }
        }
        Samples::F64(values) => {
            let mut stored = vec![0; row_len * 8];
            for row in values.chunks_exact_mut(row_len) {
                stored.copy_from_slice(bytemuck::cast_slice(row));
                lanes::sum_u8(&mut stored, stride);
                let planes: [&[u8]; 8] = split(&stored, row_len);
                for (at, value) in row.iter_mut().enumerate() {
                    *value = f64::from_be_bytes(planes.map(|plane| plane[at]));
                }
            }
        }
        // `BlockFormat::check` refuses predictor 3 on other kinds.
        _ => {}
    }
}

/// The `N` planes of a row, each `row_len` bytes.
fn split<const N: usize>(planes: &[u8], row_len: usize) -> [&[u8]; N] {
    std::array::from_fn(|plane| &planes[plane * row_len..(plane + 1) * row_len])
}

/// Undoes the predictor of samples that have no type of their own (16- and 24-bit floats), in their stored bytes.
/// Afterwards the bytes stand in the file's byte order.
pub(super) fn undo_in_bytes(stored: &mut [u8], row_bytes: usize, format: &BlockFormat) {
    match of(format) {
        Predictor::None => {}
        Predictor::Horizontal => {
            // `BlockFormat::check` lets only 16 bits come here.
            let (read, write) = match format.byte_order {
                ByteOrder::Big => (
                    u16::from_be_bytes as fn([u8; 2]) -> u16,
                    u16::to_be_bytes as fn(u16) -> [u8; 2],
                ),
                ByteOrder::Little => (u16::from_le_bytes as _, u16::to_le_bytes as _),
            };
            let add = |a, b| write(read(a).wrapping_add(read(b)));
            for row in stored.chunks_exact_mut(row_bytes) {
                lanes::sum(row.as_chunks_mut::<2>().0, format.samples_per_pixel as usize, add);
            }
        }
        Predictor::FloatingPoint => join_planes(stored, row_bytes, format),
    }
}

/// Predictor 3 on rows of 2- or 3-byte floats.
fn join_planes(stored: &mut [u8], row_bytes: usize, format: &BlockFormat) {
    let item = (format.bits / 8) as usize;
    let row_len = row_bytes / item;
    let mut planes = vec![0; row_bytes];
    for row in stored.chunks_exact_mut(row_bytes) {
        planes.copy_from_slice(row);
        lanes::sum_u8(&mut planes, format.samples_per_pixel as usize);
        for (at, value) in row.chunks_exact_mut(item).enumerate() {
            for (place, byte) in value.iter_mut().enumerate() {
                let plane = match format.byte_order {
                    ByteOrder::Big => place,
                    ByteOrder::Little => item - 1 - place,
                };
                *byte = planes[plane * row_len + at];
            }
        }
    }
}

#[cfg(test)]
mod tests;
