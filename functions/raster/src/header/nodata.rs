//! The value that stands for "nothing there", compared in the file's own type before any scaling.

use crate::samples::DataType;

/// A nodata value as tag 42113 or a request states it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Nodata {
    /// A whole number, exact also beyond 2^53.
    Integer(i128),
    /// Any other number, NaN and infinities among them.
    Float(f64),
}

impl Nodata {
    /// Reads the texts that people write: `0`, `-9999.0`, `nan`, `-inf`, `-3.4028235e+38`, `1.#QNAN`, with spaces.
    /// `None` for an empty text or one that is no number.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(integer) = text.parse() {
            return Some(Self::Integer(integer));
        }
        let lower = text.to_ascii_lowercase();
        let value = match lower.trim_start_matches(['+', '-']) {
            "nan" | "1.#qnan" | "1.#ind" | "nan(ind)" => f64::NAN,
            "inf" | "infinity" | "1.#inf" if lower.starts_with('-') => f64::NEG_INFINITY,
            "inf" | "infinity" | "1.#inf" => f64::INFINITY,
            _ => lower.replace(',', ".").parse::<f64>().ok()?,
        };
        let whole = value.fract() == 0.0 && value.abs() < 1e15;
        Some(if whole {
            Self::Integer(value as i128)
        } else {
            Self::Float(value)
        })
    }

    /// Whether a sample of the type can equal it. One that cannot masks nothing.
    pub fn fits(self, data_type: DataType) -> bool {
        match data_type {
            DataType::U8 => u8::nodata(self).is_some(),
            DataType::I8 => i8::nodata(self).is_some(),
            DataType::U16 => u16::nodata(self).is_some(),
            DataType::I16 => i16::nodata(self).is_some(),
            DataType::U32 => u32::nodata(self).is_some(),
            DataType::I32 => i32::nodata(self).is_some(),
            DataType::U64 => u64::nodata(self).is_some(),
            DataType::I64 => i64::nodata(self).is_some(),
            DataType::F32 | DataType::F64 => true,
        }
    }

    /// The nearest floating point number, for showing.
    pub fn value(self) -> f64 {
        match self {
            Self::Integer(integer) => integer as f64,
            Self::Float(value) => value,
        }
    }
}

impl From<f64> for Nodata {
    fn from(value: f64) -> Self {
        let whole = value.fract() == 0.0 && value.abs() < 1e15;
        if whole {
            Self::Integer(value as i128)
        } else {
            Self::Float(value)
        }
    }
}

/// A type of sample that can be compared with a nodata value.
pub trait NodataType: Copy {
    /// The value in this type; `None` where the type cannot hold it, so that nothing equals it.
    fn nodata(nodata: Nodata) -> Option<Self>;
    /// Whether a sample is that value; NaN is NaN.
    fn is(self, nodata: Self) -> bool;
}

macro_rules! integers {
    ($($kind:ty),*) => {$(
        impl NodataType for $kind {
            fn nodata(nodata: Nodata) -> Option<Self> {
                match nodata {
                    Nodata::Integer(integer) => integer.try_into().ok(),
                    Nodata::Float(_) => None,
                }
            }
            fn is(self, nodata: Self) -> bool {
                self == nodata
            }
        }
    )*};
}
integers!(u8, i8, u16, i16, u32, i32, u64, i64);

impl NodataType for f32 {
    fn nodata(nodata: Nodata) -> Option<Self> {
        let value = nodata.value();
        // A text such as -3.4028235e+38 or -1.7976931348623157e+308 means the type's own lowest value.
        let nearest = value as f32;
        Some(if nearest.is_infinite() && value.is_finite() {
            f32::MAX.copysign(nearest)
        } else {
            nearest
        })
    }
    /// Beyond 1.7e38 the text is often rounded (`-3.4e+38` for the lowest value), and no measurement lies there: as with
    /// GDAL, two values whose sum overflows are one.
    fn is(self, nodata: Self) -> bool {
        self == nodata
            || (self.is_nan() && nodata.is_nan())
            || ((self + nodata).is_infinite() && self.is_finite() && nodata.is_finite())
    }
}

impl NodataType for f64 {
    fn nodata(nodata: Nodata) -> Option<Self> {
        Some(nodata.value())
    }
    fn is(self, nodata: Self) -> bool {
        self == nodata || (self.is_nan() && nodata.is_nan())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_people_write() {
        assert_eq!(Nodata::parse(" 0 "), Some(Nodata::Integer(0)));
        assert_eq!(Nodata::parse("-9999.0"), Some(Nodata::Integer(-9999)));
        assert_eq!(Nodata::parse("255.0000"), Some(Nodata::Integer(255)));
        assert_eq!(
            Nodata::parse("18446744073709551615"),
            Some(Nodata::Integer(u64::MAX.into()))
        );
        assert_eq!(Nodata::parse("-inf"), Some(Nodata::Float(f64::NEG_INFINITY)));
        assert_eq!(Nodata::parse("0,5"), Some(Nodata::Float(0.5)));
        assert!(matches!(Nodata::parse("NaN"), Some(Nodata::Float(value)) if value.is_nan()));
        assert_eq!(Nodata::parse(""), None);
        assert_eq!(Nodata::parse("none"), None);
    }

    #[test]
    fn a_value_outside_the_type_matches_nothing() {
        assert_eq!(u16::nodata(Nodata::Integer(-9999)), None);
        assert_eq!(u8::nodata(Nodata::Float(f64::NAN)), None);
        assert_eq!(u8::nodata(Nodata::Float(0.5)), None);
        assert_eq!(i8::nodata(Nodata::Integer(-128)), Some(-128));
        assert_eq!(f32::nodata(Nodata::Float(-3.402_823_5e38)), Some(f32::MIN));
        assert_eq!(f32::nodata(Nodata::Float(f64::MIN)), Some(f32::MIN));
        assert!(f32::NAN.is(f32::nodata(Nodata::Float(f64::NAN)).unwrap()));
        let rounded = f32::nodata(Nodata::parse("-3.4e+38").unwrap()).unwrap();
        assert!(f32::MIN.is(rounded) && !f32::MAX.is(rounded) && !1e38_f32.is(rounded));
        assert!(!f32::NEG_INFINITY.is(rounded) && !f32::NEG_INFINITY.is(-1.0));
    }
}
