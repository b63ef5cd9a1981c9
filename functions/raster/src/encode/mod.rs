//! Pixels → the bytes of a file: pictures as PNG, JPEG or WebP, data as npy or GeoTIFF.

mod error;
mod huffman;
mod deflate;
mod filter;
mod lean;
mod npy;
mod directory;
mod geotiff;
mod png;
mod jpeg;
mod webp;

pub use self::error::EncodeError;
pub use self::geotiff::{Place, System, geotiff};
pub use self::jpeg::jpeg;
pub use self::npy::npy;
pub use self::png::png;
pub use self::webp::webp;
