//! Bytes of a GeoTIFF in, pixels of a map tile out.
//!
//! This library knows no socket, no clock and no environment. It never waits: where bytes are missing it
//! says which ([`span::Missing`]) and is called again with them. Modules stand in the order of the line.

pub mod span;
pub mod samples;
pub mod crs;
pub mod grid;
pub mod header;
pub mod coverage;
pub mod plan;
pub mod decode;
pub mod warp;
pub mod mosaic;
pub mod cutline;
pub mod math;
pub mod statistics;
pub mod colour;
pub mod legend;
pub mod encode;
