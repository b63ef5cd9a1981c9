//! Samples of a level → samples on the tile's pixels. Knows no codec and no meaning of bands.
//!
//! [`Placement`] says for every output pixel where its centre lies in the level; [`resample`] fetches
//! values from there with a [`Kernel`] that widens when the level is finer than the output.

pub mod kernel;
pub mod resolution;
mod locator;
pub mod placement;
pub mod resample;
pub mod window;

pub use kernel::Kernel;
pub use placement::{Placement, Target};
pub use resample::resample;
pub use resolution::{Extent, extent, pixel_size, resolution};
pub use window::{Assembly, Rect, Window};

#[cfg(test)]
mod gdal;
#[cfg(test)]
mod globe;
#[cfg(test)]
mod seams;
#[cfg(test)]
mod tests;
