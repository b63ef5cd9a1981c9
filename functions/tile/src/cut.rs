//! What of an answer its outline leaves.

use std::borrow::Cow;

use edgetile_raster::cutline::{Budget, CutlineError, Placed};
use edgetile_raster::samples::{Mask, Raster};
use edgetile_raster::warp::Target;

use crate::request::{Area, Frame, Outline, Refused, Window};
use crate::response::Problem;

/// Bands without what lies outside the outline of their frame. A pixel stays where the outline meets it anywhere, as in rio-tiler, so
/// that coarse pictures show what fine ones do. It is left out after the math, so that an algorithm sees what is around.
pub fn cut<'a>(bands: &'a Raster, frame: &Frame, target: &Target) -> Result<Cow<'a, Raster>, Problem> {
    let Some(outline) = outline(frame, target, 1, &mut Budget::default())? else {
        return Ok(Cow::Borrowed(bands));
    };
    let shares = outline.shares();
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

/// The outline of a frame on the pixels of a target, of whose sides there are `scale` parts, paid from a budget; nothing where it has
/// none.
pub fn outline(
    frame: &Frame,
    target: &Target,
    scale: u32,
    budget: &mut Budget,
) -> Result<Option<Placed>, Problem> {
    let Frame::Window(Window {
        area: Some(Area { crs, .. }),
        outline: Some(Outline { cutline, member }),
        ..
    }) = frame
    else {
        return Ok(None);
    };
    let placed = cutline.on(crs.crs(), target, scale, budget);
    Ok(Some(placed.map_err(|error| match error {
        CutlineError::Nowhere(..) => Refused::parameter(member, error.to_string()).into(),
        CutlineError::TooFine => Problem::TooLarge {
            what: format!(
                "{member}, with those before it, has more than {} corners on its pixels, or edges that meet rows of pixels' parts more than {} times",
                Budget::CORNERS,
                Budget::STEPS
            ),
            remedy: "send fewer features or corners, or ask for a smaller max_size or cover_scale".to_owned(),
        },
    })?))
}
