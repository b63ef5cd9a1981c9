//! Pixels → the bytes of a file: pictures as PNG, data as npy or GeoTIFF.

mod error;
mod huffman;
mod deflate;
mod filter;
mod lean;
mod npy;
mod directory;
mod geotiff;
mod png;

pub use self::error::EncodeError;
pub use self::geotiff::{Place, geotiff};
pub use self::npy::npy;
pub use self::png::png;
