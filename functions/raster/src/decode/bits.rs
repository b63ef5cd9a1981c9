//! Bytes of samples → samples: byte order, odd bit depths, half floats.

use super::{BlockFormat, ByteOrder, SampleKind};
use crate::samples::{DataType, Samples};
use crate::with_samples;

/// Whether the stored samples have the layout of their type in memory, but for the order of their bytes.
pub(super) fn is_native(format: &BlockFormat) -> bool {
    match format.kind {
        SampleKind::Float => matches!(format.bits, 32 | 64),
        _ => matches!(format.bits, 8 | 16 | 32 | 64),
    }
}

/// The memory of the samples.
pub(super) fn bytes_mut(samples: &mut Samples) -> &mut [u8] {
    with_samples!(samples, values => bytemuck::cast_slice_mut(values))
}

/// Keeps the first `len` samples.
pub(super) fn truncate(samples: &mut Samples, len: usize) {
    with_samples!(samples, values => values.truncate(len));
}

/// Turns samples whose memory holds the file's byte order into this machine's.
pub(super) fn to_native_order(samples: &mut Samples, order: ByteOrder) {
    let file_is_native = (order == ByteOrder::Little) == cfg!(target_endian = "little");
    if file_is_native {
        return;
    }
    match samples {
        Samples::U8(_) | Samples::I8(_) => {}
        Samples::U16(values) => values.iter_mut().for_each(|v| *v = v.swap_bytes()),
        Samples::I16(values) => values.iter_mut().for_each(|v| *v = v.swap_bytes()),
        Samples::U32(values) => values.iter_mut().for_each(|v| *v = v.swap_bytes()),
        Samples::I32(values) => values.iter_mut().for_each(|v| *v = v.swap_bytes()),
        Samples::U64(values) => values.iter_mut().for_each(|v| *v = v.swap_bytes()),
        Samples::I64(values) => values.iter_mut().for_each(|v| *v = v.swap_bytes()),
        Samples::F32(values) => swap::<u32>(bytemuck::cast_slice_mut(values), u32::swap_bytes),
        Samples::F64(values) => swap::<u64>(bytemuck::cast_slice_mut(values), u64::swap_bytes),
    }
}

fn swap<T: Copy>(values: &mut [T], swapped: impl Fn(T) -> T) {
    for value in values {
        *value = swapped(*value);
    }
}

/// Stored rows of a width that is no type's own → samples of `data_type`.
///
/// Floats stand in the file's byte order. Integers are a stream of bits, highest first, and each row begins on a byte
/// (TIFF 6.0, section 4); that holds for 24 bits too, in files of either byte order, as GDAL writes them.
pub(super) fn widen(stored: &[u8], format: &BlockFormat, data_type: DataType) -> Samples {
    if format.kind == SampleKind::Float {
        return Samples::F32(small_floats(stored, format));
    }
    match data_type {
        DataType::U8 => Samples::U8(unpack(stored, format, |value| value as u8)),
        DataType::I8 => Samples::I8(unpack(stored, format, |value| value as i8)),
        DataType::U16 => Samples::U16(unpack(stored, format, |value| value as u16)),
        DataType::I16 => Samples::I16(unpack(stored, format, |value| value as i16)),
        DataType::I32 => Samples::I32(unpack(stored, format, |value| value as i32)),
        _ => Samples::U32(unpack(stored, format, |value| value as u32)),
    }
}

/// Bits highest first, `format.bits` (at most 32) a sample, each row from a new byte.
fn unpack<T>(stored: &[u8], format: &BlockFormat, narrow: impl Fn(i64) -> T) -> Vec<T> {
    let bits = u32::from(format.bits);
    let unused = 64 - bits;
    let is_signed = format.kind == SampleKind::Int;
    let row_len = format.row_len();
    let mut samples = Vec::with_capacity(stored.len() / format.row_bytes() * row_len + 7);
    if bits == 1 && !is_signed {
        // Masks, of every photograph with an edge: a bit at a time took nearly as long as the JPEG beside it.
        for row in stored.chunks_exact(format.row_bytes()) {
            let end = samples.len() + row_len;
            for &byte in row {
                samples.extend((0..8).map(|at| narrow(i64::from(byte >> (7 - at) & 1))));
            }
            samples.truncate(end);
        }
        return samples;
    }
    for row in stored.chunks_exact(format.row_bytes()) {
        let mut bytes = row.iter();
        let (mut held, mut held_bits) = (0u64, 0);
        for _ in 0..row_len {
            while held_bits < bits {
                // A row holds all its samples; past its end there is nothing to ask for.
                held = (held << 8) | u64::from(*bytes.next().unwrap_or(&0));
                held_bits += 8;
            }
            held_bits -= bits;
            let high = (held >> held_bits) << unused;
            let value = if is_signed {
                high.cast_signed() >> unused
            } else {
                (high >> unused).cast_signed()
            };
            samples.push(narrow(value));
        }
    }
    samples
}

fn small_floats(stored: &[u8], format: &BlockFormat) -> Vec<f32> {
    let is_big = format.byte_order == ByteOrder::Big;
    let order = |mut bytes: [u8; 4], len: usize| {
        if is_big {
            bytes[..len].reverse();
        }
        u32::from_le_bytes(bytes)
    };
    if format.bits == 16 {
        stored
            .as_chunks()
            .0
            .iter()
            .map(|&[a, b]| f32_of_half(order([a, b, 0, 0], 2)))
            .collect()
    } else {
        stored
            .as_chunks()
            .0
            .iter()
            .map(|&[a, b, c]| f32_of_triple(order([a, b, c, 0], 3)))
            .collect()
    }
}

/// IEEE 754-2008 binary16.
fn f32_of_half(half: u32) -> f32 {
    small_float::<10, 15>(half, 31, half >> 15 != 0)
}

/// The 24-bit float of TIFF Technical Note 3: 1 sign, 7 exponent (bias 63), 16 fraction bits.
fn f32_of_triple(triple: u32) -> f32 {
    small_float::<16, 63>(triple, 127, triple >> 23 != 0)
}

/// A float of `FRACTION` fraction bits, an exponent of bias `BIAS` whose largest value `special` means infinity or NaN.
fn small_float<const FRACTION: u32, const BIAS: i32>(bits: u32, special: u32, negative: bool) -> f32 {
    let fraction = bits & ((1 << FRACTION) - 1);
    let exponent = bits >> FRACTION & special;
    let sign = u32::from(negative) << 31;
    if exponent == special {
        return f32::from_bits(sign | 0xff << 23 | fraction << (23 - FRACTION));
    }
    if exponent == 0 {
        // Exact: at most 16 bits times a power of two that an f32 holds.
        let magnitude = fraction as f32 * f32::from_bits(((1 - BIAS - FRACTION as i32 + 127) as u32) << 23);
        return if negative { -magnitude } else { magnitude };
    }
    f32::from_bits(sign | (exponent + (127 - BIAS) as u32) << 23 | fraction << (23 - FRACTION))
}
