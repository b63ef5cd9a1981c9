//! A map tile function: one request in, one tile out, from Cloud-Optimized GeoTIFF files read by ranges.
//!
//! Modules stand in the order of the line.

/// The command line.
pub mod cli;
/// The Lambda door.
pub mod lambda;
/// The local server.
pub mod serve;
/// The app behind every door.
pub mod app;
/// What invoked the function, as plain HTTP.
pub mod event;
/// What is asked, parsed once.
pub mod request;
/// Which files may be read.
pub mod access;
/// Who may come in.
pub mod guard;
/// What the names in a request stand for.
pub mod layers;
/// Documents that name files.
pub mod document;
/// The files, open.
pub mod source;
/// Ranges to bytes.
pub mod fetch;
/// Frames to the pixels of an answer.
pub mod target;
/// Files to bands on the pixels of a tile.
pub mod gather;
/// What files offer as bands.
pub mod channels;
/// Which bands a style means.
pub mod bind;
/// The algorithm of a style, over bands.
pub mod compute;
/// What of an answer its outline leaves.
pub mod cut;
/// Bands to the bytes of the answer.
pub mod draw;
/// How long the steps of an answer took.
mod clock;
/// One picture, the whole story.
pub mod tile;
/// A picture of a mosaic.
pub mod mosaic;
/// What documents name.
pub mod named;
/// Percentiles of whole files.
pub mod stretch;
/// GeoJSON with numbers added to it.
pub mod amend;
/// What the values of files come to.
pub mod statistics;
/// What a file is, the values at a place, where the tiles are.
pub mod about;
/// What a file is, member by member.
pub mod describe;
/// Whether a file is a COG.
pub mod validate;
/// What is sent back.
pub mod response;
/// What the operator set.
pub mod settings;
/// The page at `/`.
pub mod viewer;
