//! Values → colours: rescale, then the colour formula, then the colormap; and the mask becomes transparency.
//!
//! The order and meaning are TiTiler's, with one difference: a value becomes the nearest level where TiTiler
//! truncates (at most one level apart). A pixel is transparent where all its bands are masked, and then 0; where only some
//! are, their samples are 0 if they are stretched and else stay as they are. Partial alpha stays.

mod colormap;
mod error;
mod formula;
mod json;
mod named;
mod paint;
mod picture;
mod rescale;
mod saturation;

pub use colormap::{Colormap, Lut, Rgba};
pub use error::ColourError;
pub use formula::Formula;
pub use picture::{Picture, Pixels};
pub use rescale::Rescale;

use crate::samples::{DataType, Mask, Raster, Samples};

/// How values become colours.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style<'a> {
    /// Ranges that become 0..=255.
    pub rescale: Option<&'a Rescale>,
    /// Curves and saturation of the levels, before the colormap.
    pub formula: Option<&'a Formula>,
    /// Colours for the values of one band.
    pub colormap: Option<&'a Colormap>,
    /// The ranges to take where no `rescale` is given and the type is no picture's: the file's statistics, say.
    pub default_range: Option<&'a Rescale>,
    /// Leaves the mask out: masked pixels are 0 and opaque.
    pub opaque: bool,
}

/// Makes a picture of 1 or 3 bands, or of one band with a colormap.
///
/// Without `rescale`, `uint8` is shown as it is and `uint16` as 16-bit samples; other types take `default_range`,
/// else, if they are integers, the range of the type. A colormap of values (exact, intervals, ramp) without `rescale`
/// is matched against the values themselves.
pub fn render(raster: &Raster, style: &Style) -> Result<Picture, ColourError> {
    let alpha = raster
        .any_band()
        .filter(|alpha| !style.opaque && alpha.iter().any(|&value| value < 255));
    match (style.colormap, raster.bands) {
        (Some(colormap), 1) => coloured(raster, style, colormap, alpha.as_deref()),
        (Some(_), bands) => Err(ColourError::ColormapBands(bands)),
        (None, 1 | 3) => natural(raster, style, alpha),
        (None, bands) => Err(ColourError::Bands(bands)),
    }
}

/// The bands as bytes, however many they are, stretched over ranges; masked samples are 0.
pub fn stretched(raster: &Raster, rescale: &Rescale) -> Result<Raster, ColourError> {
    let levels = levels(raster, &Style::default(), Some(rescale))?;
    Ok(Raster {
        samples: Samples::U8(levels.concat()),
        mask: raster.mask.clone(),
        ..*raster
    })
}

/// The mask of one band.
fn band_mask(raster: &Raster, band: usize) -> Option<&[u8]> {
    let len = raster.height * raster.width;
    match &raster.mask {
        Mask::All => None,
        Mask::Shared(plane) => Some(plane),
        Mask::PerBand(planes) => Some(&planes[band * len..][..len]),
    }
}

/// The range to stretch a raster by, if it is to be stretched.
fn stretch_range(raster: &Raster, style: &Style, keep: &[DataType]) -> Result<Option<Rescale>, ColourError> {
    let data_type = raster.samples.data_type();
    if let Some(rescale) = style.rescale {
        return Ok(Some(rescale.clone()));
    }
    if keep.contains(&data_type) {
        return Ok(None);
    }
    let range = style
        .default_range
        .cloned()
        .or_else(|| type_range(data_type).map(|range| Rescale(vec![range])));
    range
        .map(Some)
        .ok_or(ColourError::RescaleMissing(data_type.name()))
}

/// The range of an integer type; floating point has none.
pub fn type_range(data_type: DataType) -> Option<(f64, f64)> {
    match data_type {
        DataType::U8 => Some((0.0, u8::MAX as f64)),
        DataType::I8 => Some((i8::MIN as f64, i8::MAX as f64)),
        DataType::U16 => Some((0.0, u16::MAX as f64)),
        DataType::I16 => Some((i16::MIN as f64, i16::MAX as f64)),
        DataType::U32 => Some((0.0, u32::MAX as f64)),
        DataType::I32 => Some((i32::MIN as f64, i32::MAX as f64)),
        DataType::U64 => Some((0.0, u64::MAX as f64)),
        DataType::I64 => Some((i64::MIN as f64, i64::MAX as f64)),
        DataType::F32 | DataType::F64 => None,
    }
}

/// A picture of the values: gray or red, green and blue.
fn natural(raster: &Raster, style: &Style, alpha: Option<Vec<u8>>) -> Result<Picture, ColourError> {
    // A formula's picture has 8 bits.
    let keep = if style.formula.is_some() {
        &[DataType::U8][..]
    } else {
        &[DataType::U8, DataType::U16]
    };
    let range = stretch_range(raster, style, keep)?;
    let pixels = match (&raster.samples, range) {
        (Samples::U16(values), None) => Pixels::from_planes16(&planes(raster, values)),
        (_, range) => Pixels::from_planes(&levels(raster, style, range.as_ref())?),
    };
    Ok(Picture {
        width: raster.width,
        height: raster.height,
        pixels,
        alpha,
    })
}

/// The bands as bytes, stretched if there is a range, after the formula.
fn levels(raster: &Raster, style: &Style, range: Option<&Rescale>) -> Result<Vec<Vec<u8>>, ColourError> {
    let len = raster.height * raster.width;
    let mut levels = match (&raster.samples, range) {
        (Samples::U8(values), None) => planes(raster, values),
        (samples, range) => {
            let whole = Rescale(vec![(0.0, 255.0)]);
            let range = range.unwrap_or(&whole);
            let band = |band| {
                let mut plane = rescale::stretch(samples, band, len, range.range(band, raster.bands)?);
                clear(&mut plane, band_mask(raster, band));
                Ok(plane)
            };
            (0..raster.bands).map(band).collect::<Result<_, _>>()?
        }
    };
    if let Some(formula) = style.formula {
        // Black stays black under every operation, so masked samples stay 0.
        formula.apply(&mut levels)?;
    }
    Ok(levels)
}

/// The bands as they are, 0 where all of them are masked.
fn planes<T: Copy + Default>(raster: &Raster, values: &[T]) -> Vec<Vec<T>> {
    let shown = raster.any_band();
    let band = |plane: &[T]| {
        let mut plane = plane.to_vec();
        clear(&mut plane, shown.as_deref());
        plane
    };
    let len = raster.height * raster.width;
    values.chunks_exact(len.max(1)).map(band).collect()
}

fn clear<T: Copy + Default>(plane: &mut [T], mask: Option<&[u8]>) {
    let masked = plane
        .iter_mut()
        .zip(mask.unwrap_or_default())
        .filter(|(_, mask)| **mask == 0);
    masked.for_each(|(value, _)| *value = T::default());
}

/// A picture of one band's values in the colours of a colormap.
fn coloured(
    raster: &Raster,
    style: &Style,
    colormap: &Colormap,
    mask: Option<&[u8]>,
) -> Result<Picture, ColourError> {
    let by_level = matches!(colormap, Colormap::Lut(_)) || style.rescale.is_some() || style.formula.is_some();
    let range = if by_level {
        stretch_range(raster, style, &[DataType::U8])?
    } else {
        None
    };
    let (width, height) = (raster.width, raster.height);
    if range.is_some() || matches!(raster.samples, Samples::U8(_)) {
        let index = levels(raster, style, range.as_ref())?.swap_remove(0);
        return Ok(paint::indexed(
            width,
            height,
            index,
            colormap.lut().to_vec(),
            mask,
        ));
    }
    Ok(paint::picture(
        width,
        height,
        paint::colours(&raster.samples, colormap),
        mask,
    ))
}

#[cfg(test)]
mod tests;
