//! Bands → the bytes of the answer, in the form that was asked for.

use bytes::Bytes;
use edgetile_raster::colour::{self, Picture, Pixels};
use edgetile_raster::encode::{self, EncodeError, Place, System};
use edgetile_raster::samples::{Mask, Raster, Samples};
use edgetile_raster::warp::Target;

use crate::bind::Binding;
use crate::cut::cut;
use crate::layers::Task;
use crate::request::{Bands, Format, Refused, Style};
use crate::response::Problem;

/// TiTiler's quality of JPEG.
const JPEG_QUALITY: u8 = 85;

/// What was drawn, and as what.
pub type Drawn = (Bytes, Format);

/// The bytes of the answer; `None` for a picture of nothing. Data formats give data, also where there is none.
pub fn draw(
    bands: &Raster,
    binding: &Binding,
    task: &Task,
    target: &Target,
) -> Result<Option<Drawn>, Problem> {
    let with_mask = task.style.return_mask.unwrap_or(true);
    let bands = cut(bands, &task.frame, target)?;
    let bands = bands.as_ref();
    match task.format {
        Format::Npy | Format::Tif => {
            let shown;
            let data = if is_coloured(task) {
                shown = coloured(bands, binding, task)?;
                &shown
            } else {
                bands
            };
            if task.format == Format::Npy {
                return Ok(Some((encode::npy(data, with_mask), Format::Npy)));
            }
            let nodata = binding
                .nodata()
                .filter(|_| !is_coloured(task) && task.style.algorithm.is_none());
            let bytes = encoded(encode::geotiff(data, &place(target)?, nodata))?;
            Ok(Some((bytes, Format::Tif)))
        }
        _ if bands.is_empty() => Ok(None),
        _ => picture(&paint(bands, binding, task)?, task),
    }
}

/// The bytes of a picture of nothing, wholly transparent where its format can be; `None` for data formats.
pub fn nothing((width, height): (usize, usize), task: &Task) -> Result<Option<Drawn>, Problem> {
    let empty = Picture {
        width,
        height,
        pixels: Pixels::Gray(vec![0; width * height]),
        alpha: Some(vec![0; width * height]),
    };
    picture(&empty, task)
}

/// The bytes of a picture; `None` for data formats.
fn picture(picture: &Picture, task: &Task) -> Result<Option<Drawn>, Problem> {
    let quality = task.style.quality;
    let format = match task.format {
        // TiTiler's rule. JPEG has 8 bits, so beside it a tile of 16 shows the same levels.
        Format::Fitting if picture.is_opaque() => Format::Jpeg,
        Format::Fitting => Format::Png,
        named => named,
    };
    if format.is_data() {
        return Ok(None);
    }
    Ok(Some((in_format(picture, format, quality)?, format)))
}

/// A picture in a format of pictures, PNG where it is none.
pub fn in_format(picture: &Picture, format: Format, quality: Option<u8>) -> Result<Bytes, Problem> {
    encoded(match format {
        Format::Jpeg => encode::jpeg(picture, quality.unwrap_or(JPEG_QUALITY)),
        Format::Webp => encode::webp(picture, quality.filter(|quality| *quality < 100)),
        Format::Png | Format::Npy | Format::Tif | Format::Fitting => encode::png(picture),
    })
}

/// Whether a task for data asks for colours all the same.
fn is_coloured(task: &Task) -> bool {
    let style = &task.style;
    style.rescale.is_some() || style.colormap.is_some() || style.color_formula.is_some()
}

/// Data over the ranges that a task asks for, or in its colours. Of ranges alone there may be any number of bands.
fn coloured(bands: &Raster, binding: &Binding, task: &Task) -> Result<Raster, Problem> {
    match (
        &task.style.rescale,
        &task.style.colormap,
        &task.style.color_formula,
    ) {
        (Some(rescale), None, None) if !matches!(bands.bands, 1 | 3) => {
            colour::stretched(bands, rescale).map_err(|error| unfit(&error, &task.style))
        }
        _ => Ok(data_of(&paint(bands, binding, task)?)),
    }
}

fn paint(bands: &Raster, binding: &Binding, task: &Task) -> Result<Picture, Problem> {
    let style = &task.style;
    let palette = binding.palette().filter(|_| style.algorithm.is_none());
    let chosen = style.colormap.as_ref().map(|choice| choice.map().as_ref());
    let formula = style
        .color_formula
        .as_deref()
        .map(colour::Formula::parse)
        .transpose();
    let formula = formula.map_err(|error| unfit(&error, &task.style))?;
    let style = colour::Style {
        rescale: style.rescale.as_ref(),
        formula: formula.as_ref(),
        colormap: chosen.or(palette.as_ref()),
        default_range: None,
        opaque: style.return_mask == Some(false),
    };
    colour::render(bands, &style).map_err(|error| unfit(&error, &task.style))
}

/// What is wrong with a style; the message begins with the parameter's name, which is that of bands where it has none.
pub fn unfit(error: &colour::ColourError, style: &Style) -> Problem {
    let bands = match style.bands {
        Some(Bands::Expression(_)) => "expression",
        _ => "bidx",
    };
    let text = error.to_string();
    let named = text.split_once(": ");
    let (name, reason) = named
        .filter(|(name, _)| Style::PARAMETERS.contains(name))
        .unwrap_or((bands, &text));
    Refused::parameter(name, format!("does not fit: {reason}")).into()
}

/// A picture that its format cannot hold is for the caller to mend; that a codec fails is ours.
fn encoded(result: Result<Bytes, EncodeError>) -> Result<Bytes, Problem> {
    result.map_err(|error| {
        tracing::error!(%error, "encoding");
        Problem::Internal
    })
}

fn place(target: &Target) -> Result<Place<'_>, Problem> {
    let geographic = target.crs.is_geographic();
    let registered = match target.crs.authority() {
        Some(("EPSG", code)) => u16::try_from(code).ok(),
        _ => None,
    };
    let registered = registered.map(|epsg| System::Registered { epsg, geographic });
    let described = || target.crs.geo_keys().map(System::Described);
    let unnamed = || {
        let reason = "is of no EPSG code: a tif needs one, or the system of the file itself";
        Refused::parameter("dst_crs", reason)
    };
    Ok(Place {
        origin: [target.west, target.north],
        pixel_size: [target.resolution.0, target.resolution.1],
        system: registered.or_else(described).ok_or_else(unnamed)?,
    })
}

/// A picture as data: its colours as bands of 8 or 16 bits, its transparency as their mask.
fn data_of(picture: &Picture) -> Raster {
    let of = |interleaved: &[u8], bands: usize| -> Vec<u8> {
        (0..bands)
            .flat_map(|band| interleaved.iter().skip(band).step_by(bands).copied())
            .collect()
    };
    let mut mask = picture.alpha.clone();
    let (bands, samples) = match &picture.pixels {
        Pixels::Gray(values) => (1, Samples::U8(values.clone())),
        Pixels::Gray16(values) => (1, Samples::U16(values.clone())),
        Pixels::Rgb(values) => (3, Samples::U8(of(values, 3))),
        Pixels::Rgb16(values) => {
            let band = |band: usize| values.iter().skip(band).step_by(3).copied();
            (3, Samples::U16((0..3).flat_map(band).collect()))
        }
        Pixels::Palette { index, palette } => {
            let colours = index.iter().filter_map(|at| palette.get(usize::from(*at)));
            let planes = (0..3).flat_map(|band| colours.clone().filter_map(move |colour| colour.get(band)));
            mask = mask.or_else(|| Some(colours.clone().map(|colour| colour[3]).collect()));
            (3, Samples::U8(planes.copied().collect()))
        }
    };
    let mask = mask.map_or(Mask::All, Mask::Shared);
    Raster {
        bands,
        height: picture.height,
        width: picture.width,
        samples,
        mask,
    }
}
