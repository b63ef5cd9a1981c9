//! Heights as colours: contour lines, and the two encodings that map clients read terrain from.

use super::{Algorithm, Surroundings, mask_of, plane, shared};
use crate::samples::{Mask, Raster, Samples};

/// Three bands from a colour for each height.
fn coloured(bands: &Raster, heights: &[f64], mask: Mask, colour: impl Fn(f64) -> [u8; 3]) -> Raster {
    let area = heights.len();
    let mut samples = vec![0; 3 * area];
    for (at, height) in heights.iter().enumerate() {
        for (band, level) in colour(*height).into_iter().enumerate() {
            samples[band * area + at] = level;
        }
    }
    Raster {
        bands: 3,
        height: bands.height,
        width: bands.width,
        samples: Samples::U8(samples),
        mask,
    }
}

/// The heights, and their mask; where they hold no data but `nodata_height` is given, that.
fn filled(algorithm: &Algorithm, bands: &Raster) -> (Vec<f64>, Mask) {
    let (mut heights, mask) = (plane(bands, 0), mask_of(bands, 0));
    match (algorithm.value("nodata_height"), mask) {
        (Some(fill), Some(mask)) => {
            let missing = heights.iter_mut().zip(mask).filter(|(_, mask)| *mask == 0);
            missing.for_each(|(height, _)| *height = fill);
            (heights, Mask::All)
        }
        (_, mask) => (heights, shared(mask)),
    }
}

/// `minz` to `maxz` over the entries 1 to 255 of a colormap; black where the height modulo `increment` is below
/// `thickness`.
pub(super) fn contours(algorithm: &Algorithm, bands: &Raster, around: &Surroundings) -> Raster {
    let value = |name| algorithm.value(name).unwrap_or(0.0);
    let (increment, thickness) = (value("increment"), value("thickness"));
    let (minz, maxz) = (value("minz"), value("maxz"));
    let colour = |height: f64| {
        // Without an increment the remainder is NaN, and there is no line.
        if height.rem_euclid(increment) < thickness {
            return [0; 3];
        }
        let share = (height.clamp(minz, maxz) - minz) / (maxz - minz);
        let entry = (1.0 + share * 254.0) as usize;
        let colour = around.colours.get(entry);
        colour.map_or([0; 3], |[red, green, blue, _]| [*red, *green, *blue])
    };
    coloured(bands, &plane(bands, 0), shared(mask_of(bands, 0)), colour)
}

/// Metres = red · 256 + green + blue / 256 - 32768.
pub(super) fn terrarium(algorithm: &Algorithm, bands: &Raster, _: &Surroundings) -> Raster {
    let (heights, mask) = filled(algorithm, bands);
    coloured(bands, &heights, mask, |height| {
        let value = (height + 32_768.0).clamp(0.0, 65_535.0);
        [value / 256.0, value % 256.0, value * 256.0 % 256.0].map(|level| level as u8)
    })
}

/// Metres = `baseval` + (red · 65536 + green · 256 + blue) · `interval`.
pub(super) fn terrain_rgb(algorithm: &Algorithm, bands: &Raster, _: &Surroundings) -> Raster {
    let (heights, mask) = filled(algorithm, bands);
    let interval = algorithm.value("interval").unwrap_or(0.1);
    let base = algorithm.value("baseval").unwrap_or(0.0);
    coloured(bands, &heights, mask, |height| {
        let steps = ((height - base) / interval).round_ties_even();
        let [_, red, green, blue] = (steps.clamp(0.0, 16_777_215.0) as u32).to_be_bytes();
        [red, green, blue]
    })
}
