//! How the bytes of a block become samples: all that decoding may know of a file.
//!
//! Tags and values after TIFF 6.0 (1992), its technical notes, and libtiff's registry of private compressions.

use bytes::Bytes;

use super::DecodeError;
use crate::samples::DataType;

/// The order of the bytes of a number in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// `II`: lowest byte first.
    Little,
    /// `MM`: highest byte first.
    Big,
}

/// Tag 259.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum Compression {
    None,
    CcittRle,
    CcittG3,
    CcittG4,
    Lzw,
    OldJpeg,
    Jpeg,
    Deflate,
    PackBits,
    Lzma,
    Zstd,
    Webp,
    Lerc,
    JpegXl,
    Jpeg2000,
    Other(u16),
}

impl Compression {
    /// The codec of a value of tag 259.
    pub fn from_tag(value: u16) -> Self {
        match value {
            1 => Self::None,
            2 => Self::CcittRle,
            3 => Self::CcittG3,
            4 => Self::CcittG4,
            5 => Self::Lzw,
            6 => Self::OldJpeg,
            7 => Self::Jpeg,
            8 | 32946 => Self::Deflate,
            32773 => Self::PackBits,
            33003 | 33004 | 33005 | 34712 => Self::Jpeg2000,
            34887 => Self::Lerc,
            34925 => Self::Lzma,
            50000 => Self::Zstd,
            50001 => Self::Webp,
            50002 | 52546 => Self::JpegXl,
            other => Self::Other(other),
        }
    }

    /// The name of the codec, as messages say it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "uncompressed",
            Self::CcittRle => "CCITT RLE",
            Self::CcittG3 => "CCITT group 3",
            Self::CcittG4 => "CCITT group 4",
            Self::Lzw => "LZW",
            Self::OldJpeg => "old-style JPEG",
            Self::Jpeg => "JPEG",
            Self::Deflate => "DEFLATE",
            Self::PackBits => "PackBits",
            Self::Lzma => "LZMA",
            Self::Zstd => "ZSTD",
            Self::Webp => "WebP",
            Self::Lerc => "LERC",
            Self::JpegXl => "JPEG XL",
            Self::Jpeg2000 => "JPEG 2000",
            Self::Other(_) => "an unknown compression",
        }
    }
}

/// Tag 262.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum Photometric {
    MinIsWhite,
    MinIsBlack,
    Rgb,
    Palette,
    Mask,
    Cmyk,
    YCbCr,
    CieLab,
    Other(u16),
}

impl Photometric {
    /// The meaning of a value of tag 262.
    pub fn from_tag(value: u16) -> Self {
        match value {
            0 => Self::MinIsWhite,
            1 => Self::MinIsBlack,
            2 => Self::Rgb,
            3 => Self::Palette,
            4 => Self::Mask,
            5 => Self::Cmyk,
            6 => Self::YCbCr,
            8 => Self::CieLab,
            other => Self::Other(other),
        }
    }
}

/// Tag 339.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum SampleKind {
    Uint,
    Int,
    Float,
    ComplexInt,
    ComplexFloat,
}

/// Tag 317.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum Predictor {
    None,
    Horizontal,
    FloatingPoint,
}

impl Predictor {
    /// The predictor of a value of tag 317.
    ///
    /// # Errors
    /// [`DecodeError::Unsupported`] for every value but 1, 2 and 3.
    pub fn from_tag(value: u16) -> Result<Self, DecodeError> {
        match value {
            0 | 1 => Ok(Self::None),
            2 => Ok(Self::Horizontal),
            3 => Ok(Self::FloatingPoint),
            other => Err(DecodeError::unsupported(format!("predictor {other}"), 317)),
        }
    }
}

/// How the bytes of a block become samples. [`BlockFormat::default`] is what TIFF says of a file without the tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockFormat {
    /// Tag 259.
    pub compression: Compression,
    /// Tag 317; libtiff and we heed it for LZW, DEFLATE, ZSTD and LZMA only.
    pub predictor: Predictor,
    /// Of the file.
    pub byte_order: ByteOrder,
    /// Tag 266 = 2: the first bit of a byte is its lowest.
    pub fill_order_lsb_first: bool,
    /// Tag 262.
    pub photometric: Photometric,
    /// Tag 339, the same for all bands.
    pub kind: SampleKind,
    /// Tag 258, bits of a sample, the same for all bands.
    pub bits: u16,
    /// Samples of a pixel in one block: tag 277, but 1 when the planes are separate.
    pub samples_per_pixel: u16,
    /// Pixels across a full block: the tile's width, or the image's when it is in strips.
    pub width_px: u32,
    /// Rows of a full block: the tile's height, or `RowsPerStrip` (at most the image's height).
    pub height_px: u32,
    /// Tag 347: tables that all JPEG blocks share.
    pub jpeg_tables: Option<Bytes>,
    /// Tag 530: pixels across and down that share a pair of Cb and Cr, when not in JPEG.
    pub ycbcr_subsampling: (u16, u16),
    /// Tag 50674, second value: what a LERC block is further packed in. 0 nothing, 1 DEFLATE, 2 ZSTD.
    pub lerc_additional: u32,
    /// Tag 292: bit 0 two-dimensional coding, bit 1 uncompressed mode, bit 2 fill bits before ends of lines.
    pub t4_options: u32,
    /// Tag 293: bit 1 uncompressed mode.
    pub t6_options: u32,
}

impl Default for BlockFormat {
    fn default() -> Self {
        Self {
            compression: Compression::None,
            predictor: Predictor::None,
            byte_order: ByteOrder::Little,
            fill_order_lsb_first: false,
            photometric: Photometric::MinIsBlack,
            kind: SampleKind::Uint,
            bits: 1,
            samples_per_pixel: 1,
            width_px: 0,
            height_px: 0,
            jpeg_tables: None,
            ycbcr_subsampling: (2, 2),
            lerc_additional: 0,
            t4_options: 0,
            t6_options: 0,
        }
    }
}

impl BlockFormat {
    /// The name of the compression as GDAL's metadata has it (`COMPRESSION` of `IMAGE_STRUCTURE`, `GTiffDataset`); without the colour
    /// space of JPEG. `None` where there is none, or none with a name.
    pub fn gdal_name(&self) -> Option<&'static str> {
        Some(match self.compression {
            Compression::None | Compression::Other(_) => return None,
            Compression::CcittRle => "CCITTRLE",
            Compression::CcittG3 => "CCITTFAX3",
            Compression::CcittG4 => "CCITTFAX4",
            Compression::Lzw => "LZW",
            Compression::OldJpeg => "OJPEG",
            Compression::Jpeg => "JPEG",
            Compression::Deflate => "DEFLATE",
            Compression::PackBits => "PACKBITS",
            Compression::Lzma => "LZMA",
            Compression::Zstd => "ZSTD",
            Compression::Webp => "WEBP",
            Compression::Lerc => match self.lerc_additional {
                1 => "LERC_DEFLATE",
                2 => "LERC_ZSTD",
                _ => "LERC",
            },
            Compression::JpegXl => "JXL",
            Compression::Jpeg2000 => "JP2000",
        })
    }

    /// The type that the samples of a block become: the narrowest that holds every stored value.
    ///
    /// # Errors
    /// [`DecodeError::Unsupported`] for complex samples and widths that have no type here.
    pub fn data_type(&self) -> Result<DataType, DecodeError> {
        let bits = self.bits;
        match (self.kind, bits) {
            (SampleKind::Uint, 1..=8) => Ok(DataType::U8),
            (SampleKind::Uint, 9..=16) => Ok(DataType::U16),
            (SampleKind::Uint, 17..=32) => Ok(DataType::U32),
            (SampleKind::Uint, 64) => Ok(DataType::U64),
            (SampleKind::Int, 1..=8) => Ok(DataType::I8),
            (SampleKind::Int, 9..=16) => Ok(DataType::I16),
            (SampleKind::Int, 17..=32) => Ok(DataType::I32),
            (SampleKind::Int, 64) => Ok(DataType::I64),
            (SampleKind::Float, 16 | 24 | 32) => Ok(DataType::F32),
            (SampleKind::Float, 64) => Ok(DataType::F64),
            (SampleKind::Uint, _) => Err(unsupported_bits("unsigned", bits)),
            (SampleKind::Int, _) => Err(unsupported_bits("signed", bits)),
            (SampleKind::Float, _) => Err(unsupported_bits("floating-point", bits)),
            (SampleKind::ComplexInt | SampleKind::ComplexFloat, _) => {
                Err(DecodeError::unsupported("a file of complex samples", 339))
            }
        }
    }

    /// Whether the bytes are YCbCr data units that no codec turns into RGB.
    pub(super) fn is_subsampled_ycbcr(&self) -> bool {
        self.photometric == Photometric::YCbCr
    }

    /// Whether the pixels are ink of which RGB and an opaque alpha are made.
    pub(super) fn is_cmyk(&self) -> bool {
        self.photometric == Photometric::Cmyk && self.samples_per_pixel == 4 && self.bits == 8
    }

    /// Samples of a row.
    pub(super) fn row_len(&self) -> usize {
        self.width_px as usize * self.samples_per_pixel as usize
    }

    /// Bytes of a row as stored: rows begin on a byte (TIFF 6.0, section 4).
    pub(super) fn row_bytes(&self) -> usize {
        (self.row_len() * self.bits as usize).div_ceil(8)
    }
}

fn unsupported_bits(kind: &str, bits: u16) -> DecodeError {
    DecodeError::unsupported(format!("{kind} samples of {bits} bits"), 258)
}
