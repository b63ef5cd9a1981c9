//! A map tile function: one request in, one tile out, from Cloud-Optimized GeoTIFFs read by ranges.
//!
//! Modules stand in the order of the line.

/// What is asked, parsed once.
pub mod request;
