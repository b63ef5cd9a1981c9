//! Why a picture could not be encoded.

use thiserror::Error;

/// A picture that a format cannot hold.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// PNG refuses it: it has no pixel, or more than 2^31 columns or rows.
    #[error("png cannot hold this picture")]
    Png(#[from] png::EncodingError),
    /// A classic TIFF has 32-bit offsets, and at least one pixel.
    #[error("a tif can hold from one pixel to 2 GB: ask for fewer pixels or bands")]
    TiffSize,
    /// JPEG refuses it: it has no pixel, or more than 65,535 columns or rows.
    #[error("jpg cannot hold this picture")]
    Jpeg(#[from] turbojpeg::Error),
    /// A side is longer than WebP allows.
    #[error("webp can hold from 1 to 16,383 columns and rows: ask for fewer, or for png")]
    WebpSize,
    /// The lossless encoder refused.
    #[error("webp cannot hold this picture")]
    WebpLossless(#[from] image_webp::EncodingError),
    /// libwebp had no memory.
    #[error("libwebp gave up")]
    Webp,
}
