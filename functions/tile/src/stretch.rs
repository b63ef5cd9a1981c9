//! Percentiles of whole files, for pictures whose `rescale` asks for them: every tile gets the same ones.
//!
//! They are those of the bands that are drawn, made of the coarsest overview, or of as many pixels of a file that has none; so they
//! cost one small read for a version of the files, and are kept. Those of a mosaic are of a sample of its files, all their
//! pixels together: the same files for every picture of it.

use std::borrow::Cow;
use std::sync::Arc;

use edgetile_raster::colour::Rescale;
use edgetile_raster::mosaic::Selection;
use edgetile_raster::samples::Raster;
use edgetile_raster::statistics::percentiles;
use futures_util::FutureExt;
use futures_util::future::try_join_all;

use crate::bind::{Binding, File};
use crate::clock::Clock;
use crate::fetch::{Cache, Claim, Failure};
use crate::layers::{Files, ItemFiles};
use crate::request::{End, Frame, Refused, Size, Stretch, Style, Window, encode};
use crate::response::Problem;
use crate::source::beside::levels;
use crate::source::document::{Document, DocumentError};
use crate::target::target;
use crate::tile::{Call, Reading, etag};

/// Memory for percentiles, in bytes.
const MEMORY: u64 = 1 << 18;
/// The larger side of what they are taken from, in pixels: fewer say too little, more say no more.
const SIDE_PX: (u32, u32) = (256, 1024);

/// The most files of a mosaic that its percentiles are taken from.
const SAMPLED: usize = 16;
/// The larger side of what is taken from one of several files, in pixels.
const SIDE_OF_SEVERAL_PX: u32 = 256;

/// For each band its percentiles, as many as were asked for; `None` of a band without data.
type Percentiles = Arc<Vec<Option<Vec<f64>>>>;

/// Percentiles by the files' versions and what is made of them.
pub type Kept = Cache<String, Percentiles, Problem>;

/// An empty cache of percentiles.
pub fn kept() -> Kept {
    Cache::new(MEMORY, 64)
}

impl Failure for Problem {
    const OUT_OF_TIME: Self = Self::OutOfTime;

    fn is_out_of_time(&self) -> bool {
        matches!(self, Self::OutOfTime)
    }
}

impl Reading {
    /// A style whose ranges are values: its percentiles are those of the files.
    pub async fn resolved<'a>(
        &self,
        files: &[File],
        style: &'a Style,
        call: &Call<'_>,
    ) -> Result<Cow<'a, Style>, Problem> {
        let Some(stretch) = &style.stretch else {
            return Ok(Cow::Borrowed(style));
        };
        let found = Box::pin(self.percentiles(&[files], style, stretch, call)).await?;
        Ok(Cow::Owned(with_ranges(style, ranges(stretch, &found))))
    }

    /// The same for a picture of any files, those of a mosaic among them, of which `typical` are open.
    pub async fn resolved_of<'a>(
        &self,
        files: &Files,
        typical: &[File],
        style: &'a Style,
        call: &Call<'_>,
    ) -> Result<Cow<'a, Style>, Problem> {
        match files {
            Files::Mosaic(of) if style.stretch.is_some() => {
                let document = self.document(&of.origin.location, call).await?;
                let (style, _) = self.resolved_of_mosaic(of, &document, style, call).await?;
                Ok(style)
            }
            _ => self.resolved(typical, style, call).await,
        }
    }

    /// The same of a mosaic; beside it the files that were asked.
    pub(crate) async fn resolved_of_mosaic<'a>(
        &self,
        of: &ItemFiles,
        document: &Arc<Document>,
        style: &'a Style,
        call: &Call<'_>,
    ) -> Result<(Cow<'a, Style>, Vec<File>), Problem> {
        let Some(stretch) = &style.stretch else {
            return Ok((Cow::Borrowed(style), Vec::new()));
        };
        let is_last_dropped = drops_last(style)?;
        let sidecars = style.sidecars.unwrap_or_default();
        let several = document.content.several().map_err(DocumentError::from)?;
        let sample = several.sample(SAMPLED).into_iter();
        let open = |member| self.open_member(of, (document, member), sidecars, call).boxed();
        let sampled = try_join_all(sample.map(open)).await?;
        let groups: Vec<&[File]> = sampled.iter().map(Vec::as_slice).collect();
        let found = Box::pin(self.percentiles(&groups, style, stretch, call)).await;
        let sampled = groups.concat();
        let found = self.current(&sampled, found, call).boxed().await?;
        let found = match found.split_last() {
            Some((_, others)) if is_last_dropped => others,
            _ => &found,
        };
        Ok((Cow::Owned(with_ranges(style, ranges(stretch, found))), sampled))
    }

    async fn percentiles(
        &self,
        groups: &[&[File]],
        style: &Style,
        stretch: &Stretch,
        call: &Call<'_>,
    ) -> Result<Percentiles, Problem> {
        let plain = Style {
            resampling: None,
            quality: None,
            return_mask: None,
            buffer_half_px: None,
            tilesize_px: None,
            version: None,
            ..style.clone().without_colours()
        };
        let percents = stretch.percentiles();
        let spelt = plain
            .pairs()
            .into_iter()
            .map(|(name, value)| format!("{name}={} ", encode(&value)));
        let key = etag(
            &groups.concat(),
            &format!("{}{percents:?}", spelt.collect::<String>()),
        );
        let key = key.as_str().to_owned();
        match self.percentiles.claim(&key, call.deadline).await? {
            Claim::Had(found) => Ok(found),
            Claim::Lead(lead) => {
                let made = self.take_percentiles(groups, &plain, &percents, call).await;
                lead.end(&made, |found| (8 * found.len() * (percents.len() + 4)) as u64);
                made
            }
        }
    }

    async fn take_percentiles(
        &self,
        groups: &[&[File]],
        style: &Style,
        percents: &[f64],
        call: &Call<'_>,
    ) -> Result<Percentiles, Problem> {
        let largest_px = if groups.len() > 1 {
            SIDE_OF_SEVERAL_PX
        } else {
            SIDE_PX.1
        };
        let taken = groups
            .iter()
            .map(|files| self.coarsest(files, style, largest_px, call).boxed());
        let rasters = try_join_all(taken).await?;
        let rasters: Vec<Raster> = rasters.into_iter().flatten().collect();
        let bands = rasters
            .iter()
            .map(|raster| raster.bands)
            .min()
            .unwrap_or_default();
        let found = (0..bands).map(|band| percentiles(&rasters, band, percents));
        Ok(Arc::new(found.collect()))
    }

    /// What a style makes of all that some files cover, from their coarsest overviews.
    async fn coarsest(
        &self,
        files: &[File],
        style: &Style,
        largest_px: u32,
        call: &Call<'_>,
    ) -> Result<Option<Raster>, Problem> {
        let window = Window {
            area: None,
            crs: None,
            size: Size::AtMost(coarsest_px(files).clamp(SIDE_PX.0, largest_px)),
            outline: None,
            is_aligned: false,
        };
        let target = target(&Frame::Window(window), style, files)?;
        let take = |_: &Binding, bands: &Raster| Ok(bands.clone());
        let mut clock = Clock::start();
        let (found, _) = self
            .with_bands(files, style, &target, (call, &mut clock), take)
            .await?;
        Ok(found)
    }
}

fn with_ranges(style: &Style, ranges: Rescale) -> Style {
    Style {
        rescale: Some(ranges),
        stretch: None,
        ..style.clone()
    }
}

/// Whether a mosaic's picture lacks the last band of its files. Refused where it is not made of their values.
fn drops_last(style: &Style) -> Result<bool, Refused> {
    let selection = style.pixel_selection.unwrap_or_default();
    let drops = matches!(selection, Selection::LastBandLow | Selection::LastBandHigh);
    let is_other = matches!(selection, Selection::Stdev | Selection::Sum | Selection::Count);
    if is_other || drops && style.algorithm.is_some() {
        let reason =
            "takes percentiles of files, and this picture of a mosaic has other values: give min,max";
        return Err(Refused::parameter("rescale", reason));
    }
    Ok(drops)
}

/// The larger side of the coarsest level of any file.
fn coarsest_px(files: &[File]) -> u32 {
    let side = |file: &File| {
        let levels = levels(&file.source, &file.beside);
        let image = levels.last()?.image();
        Some(image.width_px.max(image.height_px))
    };
    files.iter().filter_map(side).max().unwrap_or_default()
}

/// The ranges of all bands, in values. A band without data has any; one of a single value has that in its middle.
fn ranges(stretch: &Stretch, found: &[Option<Vec<f64>>]) -> Rescale {
    let percents = stretch.percentiles();
    let range = |band: usize| {
        let (from, to) = stretch.0.get(band).or(stretch.0.first())?;
        let of_band = found.get(band).and_then(Option::as_ref);
        let end = |end: &End| match end {
            End::Value(value) => Some(*value),
            End::Percentile(percent) => {
                let at = percents.iter().position(|known| known == percent)?;
                of_band?.get(at).copied()
            }
        };
        let (from, to) = (end(from)?, end(to)?);
        Some(if from == to {
            (from - 0.5, to + 0.5)
        } else {
            (from, to)
        })
    };
    // As many as were asked for, unless one is for all: a wrong number is told where they are used.
    let count = if stretch.0.len() == 1 {
        found.len().max(1)
    } else {
        stretch.0.len()
    };
    Rescale((0..count).map(|band| range(band).unwrap_or((0.0, 1.0))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_band_has_its_own_percentiles() {
        let stretch = Stretch(vec![(End::Percentile(2.0), End::Percentile(98.0))]);
        let found = [Some(vec![1.0, 9.0]), None, Some(vec![5.0, 5.0])];
        assert_eq!(
            ranges(&stretch, &found),
            Rescale(vec![(1.0, 9.0), (0.0, 1.0), (4.5, 5.5)])
        );
        let mixed = Stretch(vec![
            (End::Value(0.0), End::Percentile(98.0)),
            (End::Percentile(98.0), End::Percentile(2.0)),
        ]);
        let found = [Some(vec![1.0, 9.0]), Some(vec![2.0, 8.0])];
        assert_eq!(ranges(&mixed, &found), Rescale(vec![(0.0, 9.0), (8.0, 2.0)]));
    }
}
