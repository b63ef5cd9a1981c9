//! WebP, by libwebp: lossy and lossless, with and without alpha.

use libwebp_sys as ffi;

use super::{BlockFormat, DecodeError, Decoded};
use crate::samples::{DataType, Samples};

const CODEC: &str = "WebP";

/// Decodes the first `rows` rows of a block of 3 or 4 samples a pixel. A missing alpha is opaque; one that the file does
/// not count among its samples is left out.
#[expect(
    unsafe_code,
    reason = "libwebp is a C library, and no crate offers its crop, which is its early stop"
)]
pub(super) fn decode(format: &BlockFormat, bytes: &[u8], rows: u32) -> Result<Decoded, DecodeError> {
    let mut config = ffi::WebPDecoderConfig::new()
        .map_err(|()| DecodeError::broken(CODEC, "libwebp is of another version"))?;
    // SAFETY: the pointer and the length are those of `bytes`; `input` is written only.
    let status = unsafe { ffi::WebPGetFeatures(bytes.as_ptr(), bytes.len(), &raw mut config.input) };
    accept(status)?;
    let (width, height) = (i64::from(config.input.width), i64::from(config.input.height));
    if width != i64::from(format.width_px)
        || !(i64::from(rows)..=i64::from(format.height_px)).contains(&height)
    {
        let expected = format!("{}x{rows}", format.width_px);
        return Err(DecodeError::broken(
            CODEC,
            format!("it is {width}x{height} pixels, not {expected}"),
        ));
    }
    // A lossless picture is held whole in libwebp.
    format.check_rows(DataType::U8, height as u32)?;
    if config.input.has_animation != 0 {
        return Err(DecodeError::broken(CODEC, "it is an animation"));
    }
    let pitch = format.row_bytes();
    // Colour is smoothed with the row below, so a crop changes its last row; two more keep those needed as they are.
    let crop = i64::from(rows).saturating_add(2).min(height) as usize;
    let mut pixels = vec![0u8; pitch * crop];
    config.options.use_cropping = 1;
    config.options.crop_width = config.input.width;
    config.options.crop_height = crop as i32;
    config.output.colorspace = if format.samples_per_pixel == 3 {
        ffi::WEBP_CSP_MODE::MODE_RGB
    } else {
        ffi::WEBP_CSP_MODE::MODE_RGBA
    };
    config.output.is_external_memory = 1;
    config.output.u.RGBA = ffi::WebPRGBABuffer {
        rgba: pixels.as_mut_ptr(),
        stride: pitch as i32,
        size: pixels.len(),
    };
    // SAFETY: the output is `pixels`, of the stride and size given, which libwebp checks against the crop, and it
    // outlives the call; `bytes` is as above. External memory leaves nothing to free.
    let status = unsafe { ffi::WebPDecode(bytes.as_ptr(), bytes.len(), &raw mut config) };
    accept(status)?;
    pixels.truncate(pitch * rows as usize);
    Ok(Decoded {
        samples: Samples::U8(pixels),
        rows,
        mask: None,
    })
}

fn accept(status: ffi::VP8StatusCode) -> Result<(), DecodeError> {
    let why = match status {
        ffi::VP8StatusCode::VP8_STATUS_OK => return Ok(()),
        ffi::VP8StatusCode::VP8_STATUS_NOT_ENOUGH_DATA => "it is cut short",
        ffi::VP8StatusCode::VP8_STATUS_OUT_OF_MEMORY => "it asks for too much memory",
        ffi::VP8StatusCode::VP8_STATUS_UNSUPPORTED_FEATURE => "it uses a feature that libwebp does not read",
        _ => "the bitstream is corrupt",
    };
    Err(DecodeError::broken(CODEC, why))
}
