//! The last step to a coloured picture: a palette where the colours fit one, with the mask laid over it.

use std::collections::HashMap;

use super::{Colormap, Picture, Pixels, Rgba};
use crate::samples::Samples;
use crate::with_samples;

const TRANSPARENT: Rgba = [0; 4];

/// The colour of each value. Neighbours are often equal, so the last answer is kept.
#[expect(clippy::unnecessary_cast, reason = "it is one for every type but `f64`")]
pub(super) fn colours(samples: &Samples, colormap: &Colormap) -> Vec<Rgba> {
    with_samples!(samples, values => {
        let mut last = (f64::NAN, TRANSPARENT);
        let colour = |&value: &_| {
            let value = value as f64;
            if value != last.0 {
                last = (value, colormap.colour(value));
            }
            last.1
        };
        values.iter().map(colour).collect()
    })
}

/// A picture of colours, each with its own alpha, under a mask.
pub(super) fn picture(width: usize, height: usize, mut colours: Vec<Rgba>, mask: Option<&[u8]>) -> Picture {
    for (colour, &mask) in colours.iter_mut().zip(mask.unwrap_or_default()) {
        colour[3] = ((u16::from(colour[3]) * u16::from(mask) + 127) / 255) as u8;
    }
    for colour in colours.iter_mut().filter(|colour| colour[3] == 0) {
        *colour = TRANSPARENT;
    }
    if let Some(pixels) = palette(&colours) {
        return Picture {
            width,
            height,
            pixels,
            alpha: None,
        };
    }
    let opaque = colours.iter().all(|colour| colour[3] == 255);
    let alpha = (!opaque).then(|| colours.iter().map(|colour| colour[3]).collect());
    let pixels = Pixels::Rgb(colours.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect());
    Picture {
        width,
        height,
        pixels,
        alpha,
    }
}

/// Pixels with a palette, if there are at most 256 colours. It runs from dark to light, so that neighbouring
/// colours of a ramp have neighbouring places, which compress well.
fn palette(colours: &[Rgba]) -> Option<Pixels> {
    let mut places: HashMap<Rgba, u8> = HashMap::new();
    let mut last = None;
    for &colour in colours {
        if last.replace(colour) != Some(colour) && places.insert(colour, 0).is_none() && places.len() > 256 {
            return None;
        }
    }
    let mut palette: Vec<Rgba> = places.keys().copied().collect();
    palette.sort_unstable_by_key(|&[r, g, b, a]| (a, u16::from(r) + u16::from(g) + u16::from(b), r, g));
    for (place, colour) in palette.iter().enumerate() {
        places.insert(*colour, place as u8);
    }
    let mut last = (TRANSPARENT, places.get(&TRANSPARENT).copied().unwrap_or(0));
    let place = |&colour: &Rgba| {
        if colour != last.0 {
            last = (colour, places[&colour]);
        }
        last.1
    };
    Some(Pixels::Palette {
        index: colours.iter().map(place).collect(),
        palette,
    })
}

/// A picture of places in a palette, under a mask.
pub(super) fn indexed(
    width: usize,
    height: usize,
    mut index: Vec<u8>,
    mut palette: Vec<Rgba>,
    mask: Option<&[u8]>,
) -> Picture {
    if let Some(mask) = mask {
        let slot = if mask.iter().all(|mask| matches!(mask, 0 | 255)) {
            free(&mut index, &palette, mask)
        } else {
            None
        };
        let Some(slot) = slot else {
            let colours = index.iter().map(|&place| palette[usize::from(place)]).collect();
            return picture(width, height, colours, Some(mask));
        };
        palette[usize::from(slot)] = TRANSPARENT;
        let masked = index.iter_mut().zip(mask).filter(|(_, mask)| **mask == 0);
        masked.for_each(|(place, _)| *place = slot);
    }
    Picture {
        width,
        height,
        pixels: Pixels::Palette { index, palette },
        alpha: None,
    }
}

/// A place of a 256-colour palette that no visible pixel uses, for the transparent colour. If all are used, two colours
/// that differ by at most one level in each channel share a place; if there are none, there is no free place.
fn free(index: &mut [u8], palette: &[Rgba], mask: &[u8]) -> Option<u8> {
    let mut used = [false; 256];
    for (&place, _) in index.iter().zip(mask).filter(|(_, mask)| **mask != 0) {
        used[usize::from(place)] = true;
    }
    if let Some(place) = used.iter().take(palette.len()).position(|used| !used) {
        return Some(place as u8);
    }
    let alike = |&[a, b]: &[Rgba; 2]| a.iter().zip(&b).all(|(a, b)| a.abs_diff(*b) <= 1);
    let kept = palette
        .windows(2)
        .position(|pair| pair.first_chunk().is_some_and(alike))? as u8;
    index
        .iter_mut()
        .filter(|place| **place == kept + 1)
        .for_each(|place| *place = kept);
    Some(kept + 1)
}
