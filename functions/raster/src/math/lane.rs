//! The two number types in which expressions are evaluated, with the meaning of each operation.

use super::operation::{Binary, Unary};

/// A number of a lane: `f32` where it is exact enough, else `f64`.
pub(super) trait Lane: Copy + Default + PartialOrd {
    /// The nearest number of this type.
    fn of(value: f64) -> Self;
    /// Whether it is neither infinite nor NaN.
    fn finite(self) -> bool;
    /// What an operation on one value does.
    fn unary(operation: Unary) -> fn(Self) -> Self;
    /// What an operation on two values does.
    fn binary(operation: Binary) -> fn(Self, Self) -> Self;
    /// Applies an operation to each lane. The cheap ones are loops of their own, so that they become vector code.
    fn map(operation: Unary, a: &[Self], into: &mut [Self]);
    /// Applies an operation to each pair of lanes.
    fn zip(operation: Binary, a: &[Self], b: &[Self], into: &mut [Self]);
}

macro_rules! lane {
    ($t:ident) => {
        impl Lane for $t {
            #[inline]
            fn of(value: f64) -> Self {
                value as Self
            }

            #[inline]
            fn finite(self) -> bool {
                self.is_finite()
            }

            fn unary(operation: Unary) -> fn(Self) -> Self {
                match operation {
                    Unary::Negate => |a| -a,
                    Unary::Not => |a| truth(a == 0.0),
                    // Bits are those of the whole part in two's complement; NaN has none and stays NaN.
                    Unary::Invert => |a| -1.0 - a.trunc(),
                    Unary::Abs => Self::abs,
                    Unary::Sqrt => Self::sqrt,
                    Unary::Log => Self::ln,
                    Unary::Log10 => Self::log10,
                    Unary::Log1p => Self::ln_1p,
                    Unary::Log2 => Self::log2,
                    Unary::Exp => Self::exp,
                    Unary::Expm1 => Self::exp_m1,
                    Unary::Floor => Self::floor,
                    Unary::Ceil => Self::ceil,
                    Unary::Round => Self::round_ties_even,
                    Unary::Trunc => Self::trunc,
                    Unary::Sign => |a| {
                        if a == 0.0 || a.is_nan() {
                            a
                        } else {
                            a.signum()
                        }
                    },
                    Unary::IsNan => |a| truth(a.is_nan()),
                    Unary::IsInf => |a| truth(a.is_infinite()),
                    Unary::IsFinite => |a| truth(a.is_finite()),
                    Unary::SignBit => |a| truth(a.is_sign_negative()),
                    Unary::Sin => Self::sin,
                    Unary::Cos => Self::cos,
                    Unary::Tan => Self::tan,
                    Unary::Arcsin => Self::asin,
                    Unary::Arccos => Self::acos,
                    Unary::Arctan => Self::atan,
                    Unary::Sinh => Self::sinh,
                    Unary::Cosh => Self::cosh,
                    Unary::Tanh => Self::tanh,
                    Unary::Arcsinh => Self::asinh,
                    Unary::Arccosh => Self::acosh,
                    Unary::Arctanh => Self::atanh,
                }
            }

            fn binary(operation: Binary) -> fn(Self, Self) -> Self {
                match operation {
                    Binary::Add => |a, b| a + b,
                    Binary::Sub => |a, b| a - b,
                    Binary::Mul => |a, b| a * b,
                    Binary::Div => |a, b| a / b,
                    Binary::FloorDiv => |a, b| (a / b).floor(),
                    Binary::Mod => |a, b| {
                        // The sign of the divisor, as in Python.
                        let rest = a % b;
                        if rest != 0.0 && (rest < 0.0) != (b < 0.0) {
                            rest + b
                        } else {
                            rest
                        }
                    },
                    Binary::Pow => Self::powf,
                    Binary::And => |a, b| bits(a, b, |a, b| a & b),
                    Binary::Or => |a, b| bits(a, b, |a, b| a | b),
                    Binary::Xor => |a, b| bits(a, b, |a, b| a ^ b),
                    Binary::ShiftLeft => |a, b| Self::shift_left(a, b),
                    Binary::ShiftRight => |a, b| bits(a, b, |a, b| a >> shift(b).min(63)),
                    Binary::Less => |a, b| truth(a < b),
                    Binary::LessEqual => |a, b| truth(a <= b),
                    Binary::Greater => |a, b| truth(a > b),
                    Binary::GreaterEqual => |a, b| truth(a >= b),
                    Binary::Equal => |a, b| truth(a == b),
                    Binary::NotEqual => |a, b| truth(a != b),
                    // NaN wins on either side.
                    Binary::Minimum => |a, b| if a < b || a.is_nan() { a } else { b },
                    Binary::Maximum => |a, b| if a > b || a.is_nan() { a } else { b },
                    Binary::Arctan2 => Self::atan2,
                    Binary::Copysign => Self::copysign,
                    Binary::Fmod => |a, b| a % b,
                    Binary::Hypot => Self::hypot,
                    Binary::NormalizedDifference => |a, b| (a - b) / (a + b),
                }
            }

            fn map(operation: Unary, a: &[Self], into: &mut [Self]) {
                match operation {
                    Unary::Negate => map(a, into, |a| -a),
                    Unary::Abs => map(a, into, Self::abs),
                    Unary::Sqrt => map(a, into, Self::sqrt),
                    other => map(a, into, Self::unary(other)),
                }
            }

            fn zip(operation: Binary, a: &[Self], b: &[Self], into: &mut [Self]) {
                match operation {
                    Binary::Add => zip(a, b, into, |a, b| a + b),
                    Binary::Sub => zip(a, b, into, |a, b| a - b),
                    Binary::Mul => zip(a, b, into, |a, b| a * b),
                    Binary::Div => zip(a, b, into, |a, b| a / b),
                    Binary::Less => zip(a, b, into, |a, b| truth(a < b)),
                    Binary::LessEqual => zip(a, b, into, |a, b| truth(a <= b)),
                    Binary::Greater => zip(a, b, into, |a, b| truth(a > b)),
                    Binary::GreaterEqual => zip(a, b, into, |a, b| truth(a >= b)),
                    Binary::Equal => zip(a, b, into, |a, b| truth(a == b)),
                    Binary::NotEqual => zip(a, b, into, |a, b| truth(a != b)),
                    Binary::NormalizedDifference => zip(a, b, into, |a, b| (a - b) / (a + b)),
                    other => zip(a, b, into, Self::binary(other)),
                }
            }
        }

        impl Truth for $t {
            #[inline]
            fn truth(value: bool) -> Self {
                if value { 1.0 } else { 0.0 }
            }

            #[inline]
            fn bits(a: Self, b: Self, operation: fn(i64, i64) -> i64) -> Self {
                if a.is_nan() || b.is_nan() {
                    Self::NAN
                } else {
                    operation(a as i64, b as i64) as Self
                }
            }

            #[inline]
            fn shift_left(a: Self, width: Self) -> Self {
                // No float has an exponent beyond 1100.
                let doubled = |a: i64, width: u32| a as Self * (2.0 as Self).powi(width.min(1100) as i32);
                match u32::try_from(width as i64) {
                    _ if a.is_nan() || width.is_nan() => Self::NAN,
                    Ok(width) => doubled(a as i64, width),
                    Err(_) => 0.0,
                }
            }
        }
    };
}

lane!(f32);
lane!(f64);

/// Numbers as truth values and as bits.
trait Truth: Sized {
    fn truth(value: bool) -> Self;
    fn bits(a: Self, b: Self, operation: fn(i64, i64) -> i64) -> Self;
    /// The whole part of `a`, doubled `width` times: it grows as a number does, and loses no high bits.
    fn shift_left(a: Self, width: Self) -> Self;
}

#[inline]
fn truth<T: Truth>(value: bool) -> T {
    T::truth(value)
}

fn bits<T: Truth>(a: T, b: T, operation: fn(i64, i64) -> i64) -> T {
    T::bits(a, b, operation)
}

/// A shift's width; a negative one shifts everything out.
fn shift(width: i64) -> u32 {
    u32::try_from(width).unwrap_or(u32::MAX)
}

#[inline]
fn map<T: Copy>(a: &[T], into: &mut [T], operation: impl Fn(T) -> T) {
    into.iter_mut().zip(a).for_each(|(into, &a)| *into = operation(a));
}

#[inline]
fn zip<T: Copy>(a: &[T], b: &[T], into: &mut [T], operation: impl Fn(T, T) -> T) {
    into.iter_mut()
        .zip(a)
        .zip(b)
        .for_each(|((into, &a), &b)| *into = operation(a, b));
}
