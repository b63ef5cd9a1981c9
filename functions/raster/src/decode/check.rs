//! What can be refused of a block's format before a byte of it is read.

use super::{BlockFormat, Compression, DecodeError, Photometric, Predictor, SampleKind, predictor};
use crate::samples::DataType;

/// The most bytes that the rows taken from one block may have, as stored and as samples: 512 MiB.
///
/// GDAL's own tiles are below 4 MiB; strips of a whole image are what comes near, and of those only rows are taken.
pub const MAX_BLOCK_BYTES: u64 = 512 << 20;

impl BlockFormat {
    /// Whether a block of this format can be decoded; everything that can be refused before a byte of it is read.
    /// Gives the type of its samples.
    ///
    /// # Errors
    /// [`DecodeError::Unsupported`], [`DecodeError::Malformed`] or [`DecodeError::TooLarge`], naming the tag.
    pub fn check(&self) -> Result<DataType, DecodeError> {
        let data_type = self.data_type()?;
        self.check_size(data_type)?;
        self.check_photometric()?;
        self.check_compression()?;
        self.check_predictor()?;
        Ok(data_type)
    }

    fn check_size(&self, data_type: DataType) -> Result<(), DecodeError> {
        for (what, value, tag) in [
            ("a block width of 0", self.width_px, 322),
            ("a block height of 0", self.height_px, 323),
            ("0 samples per pixel", self.samples_per_pixel.into(), 277),
        ] {
            if value == 0 {
                return Err(DecodeError::malformed(what, tag));
            }
        }
        self.check_rows(data_type, 1)
    }

    /// Whether so many rows may be taken into memory.
    pub(super) fn check_rows(&self, data_type: DataType, rows: u32) -> Result<(), DecodeError> {
        // Stored or widened, whichever is larger: factors of at most 32, 16, 16 and 32 bits.
        let item_bits = (data_type.size() * 8).max(self.bits.into()) as u128;
        let row_len = u128::from(self.width_px) * u128::from(self.samples_per_pixel);
        let bytes = (row_len * item_bits).div_ceil(8) * u128::from(rows);
        if bytes > u128::from(MAX_BLOCK_BYTES) {
            let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
            return Err(DecodeError::TooLarge {
                bytes,
                limit: MAX_BLOCK_BYTES,
            });
        }
        Ok(())
    }

    fn check_photometric(&self) -> Result<(), DecodeError> {
        match self.photometric {
            Photometric::CieLab => Err(DecodeError::unsupported("a CIE L*a*b* file", 262)),
            Photometric::Other(32844 | 32845) => Err(DecodeError::unsupported("a LogLuv file", 262)),
            Photometric::YCbCr if !matches!(self.compression, Compression::Jpeg | Compression::Webp) => {
                if self.samples_per_pixel != 3 || self.bits != 8 || self.kind != SampleKind::Uint {
                    let what = "YCbCr that is not three 8-bit samples pixel by pixel";
                    return Err(DecodeError::unsupported(what, 262));
                }
                match self.ycbcr_subsampling {
                    (1 | 2 | 4, 1 | 2 | 4) => Ok(()),
                    (x, y) => Err(DecodeError::malformed(format!("YCbCr subsampling {x}x{y}"), 530)),
                }
            }
            _ => Ok(()),
        }
    }

    fn check_compression(&self) -> Result<(), DecodeError> {
        let samples = self.samples_per_pixel;
        let is_u8 = self.bits == 8 && self.kind == SampleKind::Uint;
        let name = self.compression.name();
        let refuse = |what: String| Err(DecodeError::unsupported(what, 259));
        match self.compression {
            Compression::Jpeg if !matches!(self.bits, 8 | 12) || self.kind != SampleKind::Uint => {
                refuse(format!("JPEG of {} bits a sample", self.bits))
            }
            Compression::Jpeg if !matches!(samples, 1 | 3 | 4) => {
                refuse(format!("JPEG of {samples} samples a pixel"))
            }
            Compression::Webp if !is_u8 || !matches!(samples, 3 | 4) => {
                refuse(format!("WebP of {samples} samples of {} bits a pixel", self.bits))
            }
            Compression::Lerc if !matches!(self.bits, 8 | 16 | 32 | 64) || self.kind_is_wide_or_half() => {
                refuse(format!("LERC of {} bits a sample", self.bits))
            }
            Compression::Lerc if self.lerc_additional > 2 => {
                let what = format!("LERC packed by method {}", self.lerc_additional);
                Err(DecodeError::unsupported(what, 50674))
            }
            Compression::CcittRle | Compression::CcittG3 | Compression::CcittG4
                if self.bits != 1 || samples != 1 =>
            {
                Err(DecodeError::malformed(
                    format!("{name} of more than one bit a pixel"),
                    258,
                ))
            }
            Compression::CcittG3 if self.t4_options & 2 != 0 => Err(DecodeError::unsupported(
                "CCITT group 3 in uncompressed mode",
                292,
            )),
            Compression::CcittG4 if self.t6_options & 2 != 0 => Err(DecodeError::unsupported(
                "CCITT group 4 in uncompressed mode",
                293,
            )),
            Compression::OldJpeg | Compression::JpegXl | Compression::Jpeg2000 => {
                refuse(format!("{name} compression"))
            }
            Compression::Other(value) => refuse(format!("compression {value}")),
            _ => Ok(()),
        }
    }

    /// 64-bit integers and 16-bit floats: LERC has no such types.
    fn kind_is_wide_or_half(&self) -> bool {
        match self.kind {
            SampleKind::Float => self.bits == 16,
            _ => self.bits == 64,
        }
    }

    fn check_predictor(&self) -> Result<(), DecodeError> {
        let known = match predictor::of(self) {
            Predictor::None => true,
            Predictor::Horizontal => matches!(self.bits, 8 | 16 | 32 | 64) && !self.is_subsampled_ycbcr(),
            Predictor::FloatingPoint => self.kind == SampleKind::Float,
        };
        if known {
            return Ok(());
        }
        let number = if self.predictor == Predictor::Horizontal {
            2
        } else {
            3
        };
        let what = format!(
            "predictor {number} on {} bits of {:?} samples",
            self.bits, self.kind
        );
        Err(DecodeError::unsupported(what, 317))
    }
}
