//! Why a picture could not be encoded.

use thiserror::Error;

/// A picture that a format cannot hold.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// PNG refuses it: it has no pixel, or more than 2^31 columns or rows.
    #[error("png cannot hold this picture")]
    Png(#[from] png::EncodingError),
}
