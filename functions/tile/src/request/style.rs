//! How pixels become a picture: which bands, what arithmetic, what colours.
//!
//! The same parameters stand in a query and in a layers file, and are read by the same code. Names, defaults
//! and meanings are those of `TiTiler` 2; numbers are kept as numbers, so that `0,3000` and `0.0,3e3` are one style.

use std::num::IntErrorKind;

use edgetile_raster::colour::{self, Rescale};
use edgetile_raster::math::algorithm::Algorithm;
use edgetile_raster::mosaic::Selection;
use edgetile_raster::warp::Kernel;

use super::address::LARGEST_EDGE_PX;
use super::colormap::{ColormapChoice, of_colour};
use super::formula::Formula;
use super::{Grid, IndexChoice, Query, Refused, Scale, Sidecars, Stretch, algorithm};

/// The most bands that one picture may ask for.
const MOST_BANDS: usize = 64;

/// The parameters of style, each absent unless it was given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Style {
    /// Which bands; absent means all of the file's.
    pub bands: Option<Bands>,
    /// How pixels of several files of a mosaic become one.
    pub pixel_selection: Option<Selection>,
    /// What is made of the bands before they are coloured.
    pub algorithm: Option<Algorithm>,
    /// One range for all output bands, or one for each.
    pub rescale: Option<Rescale>,
    /// In place of `rescale`, where an end of a range is a percentile.
    pub stretch: Option<Stretch>,
    /// rio-color operations, as text.
    pub color_formula: Option<String>,
    /// Colours for the values of a single band.
    pub colormap: Option<ColormapChoice>,
    /// The value that means "nothing here", in place of the file's own.
    pub nodata: Option<f64>,
    /// Whether a band tagged as transparency is that; it is by default. Otherwise it is data, as near infrared that a writer
    /// tagged so.
    pub alpha: Option<bool>,
    /// Which files beside the source are read with it.
    pub sidecars: Option<Sidecars>,
    /// Apply the file's scale and offset.
    pub unscale: Option<bool>,
    /// The kernel of the one warp: `resampling`, or else `reproject`.
    pub resampling: Option<Kernel>,
    /// How much a format with loss keeps, 1 to 100. WebP has no loss at 100, and where nothing is said.
    pub quality: Option<u8>,
    /// Whether the answer carries the mask; it does by default.
    pub return_mask: Option<bool>,
    /// Extra pixels on every side, in half pixels.
    pub buffer_half_px: Option<u32>,
    /// Edge of the tile before scale and buffer, in pixels.
    pub tilesize_px: Option<u32>,
    /// A version tag: it changes no pixel, but it is part of the request's identity.
    pub version: Option<String>,
}

/// Which bands of the sources make the picture.
#[derive(Clone, Debug, PartialEq)]
pub enum Bands {
    /// Band numbers, from 1, in the order of output.
    Indexes(Vec<u16>),
    /// Arithmetic over `b1`, `b2`, … or band names; blocks separated by `;` give one band each.
    Expression(Formula),
}

impl Style {
    /// Every parameter that [`Self::parse`] reads.
    pub const PARAMETERS: &[&str] = &[
        "algorithm",
        "algorithm_params",
        "alpha",
        "bidx",
        "buffer",
        "color_formula",
        "colormap",
        "colormap_name",
        "expression",
        "index",
        "nodata",
        "padding",
        "pixel_selection",
        "quality",
        "reproject",
        "resampling",
        "rescale",
        "return_mask",
        "sidecars",
        "tilesize",
        "unscale",
        "v",
    ];

    /// Reads the style of a query. Parameters of other kinds are left alone.
    pub fn parse(query: &Query) -> Result<Self, Refused> {
        read_padding(query)?;
        let stretch = Stretch::read(query)?;
        let rescale = match stretch {
            None => read_rescale(query)?,
            Some(_) => None,
        };
        Ok(Self {
            bands: read_bands(query)?,
            pixel_selection: read_selection(query)?,
            algorithm: algorithm::read(query)?,
            rescale,
            stretch,
            color_formula: read_formula(query)?,
            colormap: read_colormap(query)?,
            nodata: read_with(query, "nodata", "a number, nan, inf or -inf", |text| {
                text.parse().ok()
            })?,
            alpha: read_with(query, "alpha", "true or false", read_bool)?,
            sidecars: Sidecars::read(query)?,
            unscale: read_with(query, "unscale", "true or false", read_bool)?,
            resampling: read_kernel(query)?,
            quality: read_with(query, "quality", "a whole number from 1 to 100", |text| {
                text.parse().ok().filter(|quality| (1..=100).contains(quality))
            })?,
            return_mask: read_with(query, "return_mask", "true or false", read_bool)?,
            buffer_half_px: read_buffer(query)?,
            tilesize_px: read_tilesize(query)?,
            version: non_empty(query, "v")?,
        })
    }

    /// The same bands and places, as they are rather than as they are shown.
    #[must_use]
    pub fn without_colours(self) -> Self {
        Self {
            rescale: None,
            stretch: None,
            color_formula: None,
            colormap: None,
            ..self
        }
    }

    /// This style where it speaks, `base` where it is silent.
    ///
    /// Naming other bands, or an algorithm, drops the base's algorithm, rescale and colours: they were made for other
    /// values.
    #[must_use]
    pub fn over(self, base: &Self) -> Self {
        let mut base = base.clone();
        if self.bands.is_some() || self.algorithm.is_some() {
            base.algorithm = None;
            base = base.without_colours();
        }
        if self.stretch.is_some() || self.rescale.is_some() {
            (base.stretch, base.rescale) = (None, None);
        }
        Self {
            bands: self.bands.or(base.bands),
            pixel_selection: self.pixel_selection.or(base.pixel_selection),
            algorithm: self.algorithm.or(base.algorithm),
            rescale: self.rescale.or(base.rescale),
            stretch: self.stretch.or(base.stretch),
            color_formula: self.color_formula.or(base.color_formula),
            colormap: self.colormap.or(base.colormap),
            nodata: self.nodata.or(base.nodata),
            alpha: self.alpha.or(base.alpha),
            sidecars: self.sidecars.or(base.sidecars),
            unscale: self.unscale.or(base.unscale),
            resampling: self.resampling.or(base.resampling),
            quality: self.quality.or(base.quality),
            return_mask: self.return_mask.or(base.return_mask),
            buffer_half_px: self.buffer_half_px.or(base.buffer_half_px),
            tilesize_px: self.tilesize_px.or(base.tilesize_px),
            version: self.version.or(base.version),
        }
    }

    /// The same, over the range and in the colours of its index where it is silent.
    #[must_use]
    pub fn coloured_by_index(self) -> Self {
        let index = match &self.bands {
            _ if self.algorithm.is_some() => None,
            Some(Bands::Expression(formula)) => formula.index().map(IndexChoice::index),
            _ => None,
        };
        let Some(index) = index else { return self };
        Self {
            rescale: self
                .rescale
                .or_else(|| self.stretch.is_none().then(|| Rescale(vec![index.range]))),
            colormap: self
                .colormap
                .or_else(|| ColormapChoice::named(index.colormap).ok()),
            ..self
        }
    }

    /// The edge of a tile of `grid` at `scale` in pixels, buffer included; refused beyond [`LARGEST_EDGE_PX`].
    pub fn edge_px(&self, grid: &Grid, scale: Scale) -> Result<u32, Refused> {
        let tile = self
            .tilesize_px
            .unwrap_or(grid.set().tile_size)
            .saturating_mul(scale.factor());
        match tile.saturating_add(self.buffer_of_answer_half_px()) {
            edge_px if edge_px > LARGEST_EDGE_PX => Err(Refused::TooManyPixels { edge_px }),
            edge_px => Ok(edge_px),
        }
    }

    /// The buffer around the answer, in half pixels. Of what a request gives, an algorithm's own buffer is not for the
    /// answer: TiTiler cuts it off.
    pub fn buffer_of_answer_half_px(&self) -> u32 {
        let cut_px = self.algorithm.as_ref().map_or(0, Algorithm::buffer_px);
        self.buffer_half_px.unwrap_or(0).saturating_sub(2 * cut_px)
    }

    /// The style as sorted pairs in their one spelling, defaults left out.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        match &self.bands {
            Some(Bands::Indexes(indexes)) => pairs.extend(indexes.iter().map(|i| ("bidx", i.to_string()))),
            Some(Bands::Expression(formula)) => pairs.push(formula.pair()),
            None => {}
        }
        let selection = self
            .pixel_selection
            .filter(|selection| *selection != Selection::First);
        pairs.extend(selection.map(|selection| ("pixel_selection", selection.name().to_owned())));
        pairs.extend(self.algorithm.iter().flat_map(algorithm::pairs));
        pairs.extend(self.colormap.as_ref().map(ColormapChoice::pair));
        let ranges = self.rescale.iter().flat_map(|rescale| &rescale.0);
        pairs.extend(ranges.map(|(min, max)| ("rescale", format!("{min},{max}"))));
        let stretches = self.stretch.iter().flat_map(Stretch::texts);
        pairs.extend(stretches.map(|text| ("rescale", text)));
        pairs.extend(self.color_formula.clone().map(|text| ("color_formula", text)));
        pairs.extend(self.nodata.map(|value| ("nodata", value.to_string())));
        pairs.extend(self.alpha.filter(|on| !on).map(|_| ("alpha", "false".to_owned())));
        let sidecars = self.sidecars.filter(|sidecars| *sidecars != Sidecars::default());
        pairs.extend(sidecars.map(|sidecars| ("sidecars", sidecars.to_string())));
        pairs.extend(
            self.unscale
                .filter(|on| *on)
                .map(|_| ("unscale", "true".to_owned())),
        );
        pairs.extend(
            self.return_mask
                .filter(|on| !on)
                .map(|_| ("return_mask", "false".to_owned())),
        );
        pairs.extend(
            self.buffer_half_px
                .filter(|b| *b > 0)
                .map(|b| ("buffer", (f64::from(b) / 2.0).to_string())),
        );
        pairs.extend(self.tilesize_px.map(|edge| ("tilesize", edge.to_string())));
        pairs.extend(self.quality.map(|quality| ("quality", quality.to_string())));
        pairs.extend(self.version.clone().map(|tag| ("v", tag)));
        let kernel = self.resampling.unwrap_or_default();
        if kernel != Kernel::Nearest {
            pairs.push(("resampling", kernel.name().to_owned()));
        }
        // Stable: repeated names keep their order, which means something.
        pairs.sort_by_key(|(name, _)| *name);
        pairs
    }
}

fn read_bands(query: &Query) -> Result<Option<Bands>, Refused> {
    match (non_empty(query, "expression")?, non_empty(query, "index")?) {
        (Some(_), Some(_)) => {
            return Err(Refused::parameter(
                "index",
                "stands beside expression: give one or the other",
            ));
        }
        (Some(text), None) => return Ok(Some(Bands::Expression(Formula::parse(&text)?))),
        (None, Some(text)) => {
            let formula = Formula::of_index(IndexChoice::parse(&text)?)?;
            return Ok(Some(Bands::Expression(formula)));
        }
        (None, None) => {}
    }
    let indexes: Vec<u16> = query.many("bidx").map(read_index).collect::<Result<_, _>>()?;
    if indexes.len() > MOST_BANDS {
        return Err(Refused::parameter(
            "bidx",
            format!("stands more than {MOST_BANDS} times"),
        ));
    }
    Ok(if indexes.is_empty() {
        None
    } else {
        Some(Bands::Indexes(indexes))
    })
}

fn read_index(text: &str) -> Result<u16, Refused> {
    text.trim()
        .parse()
        .ok()
        .filter(|index| *index > 0)
        .ok_or_else(|| {
            Refused::parameter(
                "bidx",
                "is not a band number from 1: for several bands repeat it, bidx=1&bidx=2",
            )
        })
}

fn read_rescale(query: &Query) -> Result<Option<Rescale>, Refused> {
    let rescale = Rescale::parse(query.many("rescale")).map_err(|error| of_colour("rescale", &error))?;
    Ok((!rescale.0.is_empty()).then_some(rescale))
}

fn read_formula(query: &Query) -> Result<Option<String>, Refused> {
    let Some(text) = non_empty(query, "color_formula")? else {
        return Ok(None);
    };
    match colour::Formula::parse(&text) {
        Ok(_) => Ok(Some(text)),
        Err(error) => Err(of_colour("color_formula", &error)),
    }
}

fn read_colormap(query: &Query) -> Result<Option<ColormapChoice>, Refused> {
    match (non_empty(query, "colormap_name")?, non_empty(query, "colormap")?) {
        (Some(_), Some(_)) => Err(Refused::parameter(
            "colormap",
            "stands beside colormap_name: give one or the other",
        )),
        (Some(name), None) => ColormapChoice::named(&name).map(Some),
        (None, Some(json)) => ColormapChoice::custom(&json).map(Some),
        (None, None) => Ok(None),
    }
}

fn read_selection(query: &Query) -> Result<Option<Selection>, Refused> {
    let Some(name) = non_empty(query, "pixel_selection")? else {
        return Ok(None);
    };
    Selection::named(&name).map(Some).ok_or_else(|| {
        let names = Selection::ALL.map(|(name, _)| name);
        Refused::parameter("pixel_selection", format!("is none of {}", names.join(", ")))
    })
}

fn read_kernel(query: &Query) -> Result<Option<Kernel>, Refused> {
    let reproject = non_empty(query, "reproject")?
        .map(|name| kernel("reproject", &name))
        .transpose()?;
    let resampling = non_empty(query, "resampling")?
        .map(|name| kernel("resampling", &name))
        .transpose()?;
    Ok(resampling.or(reproject))
}

fn kernel(parameter: &str, name: &str) -> Result<Kernel, Refused> {
    Kernel::named(name).ok_or_else(|| {
        let names = Kernel::ALL.map(|(name, _)| name);
        Refused::parameter(parameter, format!("is none of {}", names.join(", ")))
    })
}

fn read_buffer(query: &Query) -> Result<Option<u32>, Refused> {
    read_with(
        query,
        "buffer",
        "a number of pixels from 0 in steps of 0.5",
        |text| {
            let halves = text.parse::<f64>().ok()? * 2.0;
            let whole = halves.fract() == 0.0 && (0.0..=f64::from(LARGEST_EDGE_PX)).contains(&halves);
            whole.then_some(halves as u32)
        },
    )
}

/// `padding` needs no work: exactly the pixels that the kernel reaches are read around every tile.
fn read_padding(query: &Query) -> Result<(), Refused> {
    read_with(query, "padding", "a whole number from 0", |text| {
        text.parse::<u32>().ok()
    })
    .map(|_| ())
}

fn read_tilesize(query: &Query) -> Result<Option<u32>, Refused> {
    let edge = read_with(query, "tilesize", "a whole number from 1", |text| {
        match text.parse::<u32>() {
            Err(error) if *error.kind() == IntErrorKind::PosOverflow => Some(u32::MAX),
            edge => edge.ok().filter(|edge| *edge > 0),
        }
    })?;
    match edge {
        Some(edge) if edge > LARGEST_EDGE_PX => Err(Refused::TooManyPixels { edge_px: edge }),
        edge => Ok(edge),
    }
}

pub(super) fn read_with<T>(
    query: &Query,
    name: &str,
    wanted: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, Refused> {
    match query.one(name)?.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => match read(text) {
            Some(value) => Ok(Some(value)),
            None => Err(Refused::parameter(name, format!("is not {wanted}"))),
        },
        None => Ok(None),
    }
}

fn non_empty(query: &Query, name: &str) -> Result<Option<String>, Refused> {
    Ok(query
        .one(name)?
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(str::to_owned))
}

/// The spellings that pydantic, and so `TiTiler`, takes.
pub(super) fn read_bool(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "y" | "on" | "t" => Some(true),
        "false" | "0" | "no" | "n" | "off" | "f" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
