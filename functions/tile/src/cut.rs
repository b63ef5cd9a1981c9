//! What of an answer its outline leaves.

use std::borrow::Cow;

use edgetile_raster::cutline::Placed;
use edgetile_raster::samples::{Mask, Raster};
use edgetile_raster::warp::Target;

use crate::request::{Area, Frame, Outline, Refused, Window};
use crate::response::Problem;

/// Bands without what lies outside the outline of their frame. A pixel stays where the outline meets it anywhere, as in rio-tiler, so
/// that coarse pictures show what fine ones do. It is left out after the math, so that an algorithm sees what is around.
pub fn cut<'a>(bands: &'a Raster, frame: &Frame, target: &Target) -> Result<Cow<'a, Raster>, Problem> {
    let Some(shares) = shares(frame, target, 1)? else {
        return Ok(Cow::Borrowed(bands));
    };
    let is_in = |at: usize| shares[at % shares.len()] > 0.0;
    let within = |holds: &[u8]| {
        let pixels = holds.iter().enumerate();
        pixels
            .map(|(at, holds)| if is_in(at) { *holds } else { 0 })
            .collect()
    };
    let mask = match &bands.mask {
        Mask::All => Mask::Shared(within(&vec![255; shares.len()])),
        Mask::Shared(mask) => Mask::Shared(within(mask)),
        Mask::PerBand(masks) => Mask::PerBand(within(masks)),
    };
    Ok(Cow::Owned(Raster {
        mask,
        ..bands.clone()
    }))
}

/// How much of each pixel of a target the outline of a frame covers, of so many parts of a side; nothing where it has none.
pub fn shares(frame: &Frame, target: &Target, scale: u32) -> Result<Option<Vec<f32>>, Problem> {
    let Frame::Window(Window {
        area: Some(Area { crs, .. }),
        outline: Some(Outline { cutline, member }),
        ..
    }) = frame
    else {
        return Ok(None);
    };
    let placed = cutline.on(crs.crs(), target);
    let shares = placed.and_then(|placed: Placed| placed.shares(scale));
    let refused =
        |error: edgetile_raster::cutline::CutlineError| Refused::parameter(member, error.to_string());
    Ok(Some(shares.map_err(refused)?))
}
