//! The types of samples, and what weighted samples are added up in.

use crate::samples::Samples;

/// What weighted samples are added up in.
pub(super) trait Accumulator:
    Copy + Default + std::ops::AddAssign + std::ops::Mul<Output = Self>
{
    /// A weight in this type.
    fn of(weight: f32) -> Self;
}

impl Accumulator for f32 {
    fn of(weight: f32) -> Self {
        weight
    }
}

impl Accumulator for f64 {
    fn of(weight: f32) -> Self {
        weight.into()
    }
}

/// A type that kernels can average.
pub(super) trait Sample: Copy + PartialOrd + Default {
    /// Whether pictures come in this type, so that unrolled code is worth its bytes.
    const COMMON: bool;
    /// `f32` where it holds every sample and sum to half a unit, else `f64`.
    type Sum: Accumulator;
    /// As a number to weigh.
    fn to_sum(self) -> Self::Sum;
    /// The nearest value of the type.
    fn from_sum(sum: Self::Sum) -> Self;
    /// As a number to compare and square.
    fn to_f64(self) -> f64;
    /// The nearest value of the type.
    fn from_f64(value: f64) -> Self;
}

macro_rules! sample {
    ($($kind:ty, $sum:ty, $half:expr, $common:expr);* $(;)?) => {$(
        impl Sample for $kind {
            const COMMON: bool = $common;
            type Sum = $sum;
            fn to_sum(self) -> $sum {
                self as $sum
            }
            fn from_sum(sum: $sum) -> Self {
                let half: fn($sum) -> $sum = $half;
                (sum + half(sum)) as Self
            }
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn from_f64(value: f64) -> Self {
                let half: fn($sum) -> $sum = $half;
                (value + f64::from(half(value as $sum))) as Self
            }
        }
    )*};
}
// What makes cutting off round. Halves go away from zero, as GDAL's do; `as` cuts off and saturates.
sample! {
    u8, f32, |_| 0.5, true; i8, f32, |sum| 0.5_f32.copysign(sum), false;
    u16, f32, |_| 0.5, true; i16, f32, |sum| 0.5_f32.copysign(sum), true;
    u32, f64, |_| 0.5, false; i32, f64, |sum| 0.5_f64.copysign(sum), false;
    u64, f64, |_| 0.5, false; i64, f64, |sum| 0.5_f64.copysign(sum), false;
    f32, f64, |_| 0.0, true; f64, f64, |_| 0.0, false;
}

macro_rules! into_samples {
    ($($kind:ty => $variant:ident),*) => {$(
        impl From<Vec<$kind>> for Samples {
            fn from(values: Vec<$kind>) -> Self {
                Self::$variant(values)
            }
        }
    )*};
}
into_samples!(u8 => U8, i8 => I8, u16 => U16, i16 => I16, u32 => U32, i32 => I32, u64 => U64, i64 => I64, f32 => F32, f64 => F64);
