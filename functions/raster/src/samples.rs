//! Samples in the type that the file stores, and the mask that travels with them.

/// A vector of samples in one of the types that decoding produces.
///
/// Narrower stored types widen without loss: 1-, 2- and 4-bit to `U8`, 10- and 12-bit to `U16`, 24-bit to `U32`,
/// 16- and 24-bit floats to `F32`.
#[derive(Clone, Debug, PartialEq)]
pub enum Samples {
    /// Unsigned, up to 8 bits.
    U8(Vec<u8>),
    /// Signed, 8 bits.
    I8(Vec<i8>),
    /// Unsigned, 9 to 16 bits.
    U16(Vec<u16>),
    /// Signed, 16 bits.
    I16(Vec<i16>),
    /// Unsigned, 17 to 32 bits.
    U32(Vec<u32>),
    /// Signed, 32 bits.
    I32(Vec<i32>),
    /// Unsigned, 64 bits.
    U64(Vec<u64>),
    /// Signed, 64 bits.
    I64(Vec<i64>),
    /// Floating point, up to 32 bits.
    F32(Vec<f32>),
    /// Floating point, 64 bits.
    F64(Vec<f64>),
}

/// Runs `$body` with `$values` bound to the typed vector inside a [`Samples`].
#[macro_export]
macro_rules! with_samples {
    ($samples:expr, $values:ident => $body:expr) => {
        match $samples {
            $crate::samples::Samples::U8($values) => $body,
            $crate::samples::Samples::I8($values) => $body,
            $crate::samples::Samples::U16($values) => $body,
            $crate::samples::Samples::I16($values) => $body,
            $crate::samples::Samples::U32($values) => $body,
            $crate::samples::Samples::I32($values) => $body,
            $crate::samples::Samples::U64($values) => $body,
            $crate::samples::Samples::I64($values) => $body,
            $crate::samples::Samples::F32($values) => $body,
            $crate::samples::Samples::F64($values) => $body,
        }
    };
}

/// The type of a sample, without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum DataType {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

impl DataType {
    /// The narrowest type that holds the values of both, as numpy promotes types; of integers that no integer type holds,
    /// float64.
    #[must_use]
    pub fn common(self, other: Self) -> Self {
        let (wide, narrow) = if self.size() >= other.size() {
            (self, other)
        } else {
            (other, self)
        };
        let wide_holds =
            wide.is_signed() == narrow.is_signed() || (wide.is_signed() && wide.size() > narrow.size());
        match (self.is_float(), other.is_float()) {
            _ if self == other => self,
            (false, false) if wide_holds => wide,
            (false, false) => match wide.size() {
                1 => Self::I16,
                2 => Self::I32,
                4 => Self::I64,
                _ => Self::F64,
            },
            (true, false) if other.size() <= 2 => self,
            (false, true) if self.size() <= 2 => other,
            _ => Self::F64,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// Bytes that one sample takes.
    pub fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// The name that numpy and GDAL's users know: `uint8`, `float32`, …
    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "uint8",
            Self::I8 => "int8",
            Self::U16 => "uint16",
            Self::I16 => "int16",
            Self::U32 => "uint32",
            Self::I32 => "int32",
            Self::U64 => "uint64",
            Self::I64 => "int64",
            Self::F32 => "float32",
            Self::F64 => "float64",
        }
    }
}

impl Samples {
    /// The same values in another type: those that it does not hold saturate, fractions are cut off.
    #[must_use]
    pub fn cast(self, data_type: DataType) -> Self {
        if self.data_type() == data_type {
            return self;
        }
        macro_rules! cast {
            ($($kind:ident: $t:ty),*) => {
                match data_type {
                    $(DataType::$kind => with_samples!(self, values => {
                        Self::$kind(values.into_iter().map(|value| value as $t).collect())
                    }),)*
                }
            };
        }
        cast!(U8: u8, I8: i8, U16: u16, I16: i16, U32: u32, I32: i32, U64: u64, I64: i64, F32: f32, F64: f64)
    }

    /// The type of the samples.
    pub fn data_type(&self) -> DataType {
        match self {
            Self::U8(_) => DataType::U8,
            Self::I8(_) => DataType::I8,
            Self::U16(_) => DataType::U16,
            Self::I16(_) => DataType::I16,
            Self::U32(_) => DataType::U32,
            Self::I32(_) => DataType::I32,
            Self::U64(_) => DataType::U64,
            Self::I64(_) => DataType::I64,
            Self::F32(_) => DataType::F32,
            Self::F64(_) => DataType::F64,
        }
    }

    /// `len` zeros of a type.
    pub fn zeros(data_type: DataType, len: usize) -> Self {
        match data_type {
            DataType::U8 => Self::U8(vec![0; len]),
            DataType::I8 => Self::I8(vec![0; len]),
            DataType::U16 => Self::U16(vec![0; len]),
            DataType::I16 => Self::I16(vec![0; len]),
            DataType::U32 => Self::U32(vec![0; len]),
            DataType::I32 => Self::I32(vec![0; len]),
            DataType::U64 => Self::U64(vec![0; len]),
            DataType::I64 => Self::I64(vec![0; len]),
            DataType::F32 => Self::F32(vec![0.0; len]),
            DataType::F64 => Self::F64(vec![0.0; len]),
        }
    }

    /// How many samples.
    pub fn len(&self) -> usize {
        with_samples!(self, values => values.len())
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Which pixels hold data. 0 = nothing there, 255 = data; between them the partial transparency of an alpha band.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mask {
    /// Every pixel of every band holds data.
    All,
    /// One plane `[height, width]` for all bands: a mask IFD, an alpha band, the edge of the file.
    Shared(Vec<u8>),
    /// A plane for each band, `[bands, height, width]`: nodata values.
    PerBand(Vec<u8>),
}

/// A rectangle of pixels: samples `[bands, height, width]`, row by row from the north-west, and their mask.
#[derive(Clone, Debug, PartialEq)]
pub struct Raster {
    /// Bands, at least one.
    pub bands: usize,
    /// Rows.
    pub height: usize,
    /// Columns.
    pub width: usize,
    /// `bands * height * width` samples.
    pub samples: Samples,
    /// Where they hold data.
    pub mask: Mask,
}

impl Raster {
    /// One plane of the mask `[height, width]`: the greatest of the bands', so 0 where no band holds data.
    /// `None` where everything holds data.
    pub fn any_band(&self) -> Option<Vec<u8>> {
        self.fold_mask(u8::max)
    }

    /// One plane of the mask `[height, width]`: the least of the bands', so 0 where any band holds none.
    /// `None` where everything holds data.
    pub fn every_band(&self) -> Option<Vec<u8>> {
        self.fold_mask(u8::min)
    }

    fn fold_mask(&self, choose: impl Fn(u8, u8) -> u8) -> Option<Vec<u8>> {
        match &self.mask {
            Mask::All => None,
            Mask::Shared(plane) => Some(plane.clone()),
            Mask::PerBand(planes) => {
                let mut planes = planes.chunks_exact((self.height * self.width).max(1));
                let mut chosen = planes.next().unwrap_or_default().to_vec();
                for plane in planes {
                    chosen
                        .iter_mut()
                        .zip(plane)
                        .for_each(|(chosen, &value)| *chosen = choose(*chosen, value));
                }
                Some(chosen)
            }
        }
    }

    /// Whether no pixel of any band holds data.
    pub fn is_empty(&self) -> bool {
        match &self.mask {
            Mask::All => false,
            Mask::Shared(mask) | Mask::PerBand(mask) => mask.iter().all(|value| *value == 0),
        }
    }

    /// One band, counted from 0, as a raster of its own.
    ///
    /// # Panics
    /// If there is no such band.
    #[must_use]
    pub fn band(&self, band: usize) -> Self {
        let area = self.height * self.width;
        let plane = band * area..(band + 1) * area;
        macro_rules! cut {
            ($($kind:ident),*) => {
                match &self.samples {
                    $(Samples::$kind(values) => Samples::$kind(values[plane.clone()].to_vec()),)*
                }
            };
        }
        let samples = cut!(U8, I8, U16, I16, U32, I32, U64, I64, F32, F64);
        let mask = match &self.mask {
            Mask::PerBand(mask) => Mask::Shared(mask[plane].to_vec()),
            shared => shared.clone(),
        };
        Self {
            bands: 1,
            samples,
            mask,
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_meet_where_numpy_has_them_meet() {
        use DataType::*;
        for (a, b, common) in [
            (U8, U8, U8),
            (U8, U16, U16),
            (U8, I8, I16),
            (U8, I16, I16),
            (U16, I16, I32),
            (U32, I8, I64),
            (U64, I64, F64),
            (U16, F32, F32),
            (I16, F32, F32),
            (I32, F32, F64),
            (U8, F64, F64),
            (F32, F64, F64),
        ] {
            assert_eq!((a.common(b), b.common(a)), (common, common), "{a:?} {b:?}");
        }
        assert_eq!(
            Samples::U8(vec![1, 255]).cast(F32),
            Samples::F32(vec![1.0, 255.0])
        );
    }
}
