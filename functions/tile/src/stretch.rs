//! Percentiles of whole files, for pictures whose `rescale` asks for them: every tile gets the same ones.
//!
//! They are those of the bands that are drawn, made of the coarsest overview, or of as many pixels of a file that has none; so they
//! cost one small read for a version of the files, and are kept.

use std::borrow::Cow;
use std::sync::Arc;

use edgetile_raster::colour::Rescale;
use edgetile_raster::samples::Raster;
use edgetile_raster::statistics::percentiles;
use tokio::time::timeout_at;

use crate::bind::{Binding, File};
use crate::fetch::{Cache, Found};
use crate::request::{End, Frame, Size, Stretch, Style, Window, encode};
use crate::response::Problem;
use crate::source::beside::levels;
use crate::target::target;
use crate::tile::{Call, Clock, Reading, etag};

/// Memory for percentiles, in bytes.
const MEMORY: u64 = 1 << 18;
/// The larger side of what they are taken from, in pixels: fewer say too little, more say no more.
const SIDE_PX: (u32, u32) = (256, 1024);

/// For each band its percentiles, as many as were asked for; `None` of a band without data.
type Percentiles = Arc<Vec<Option<Vec<f64>>>>;

/// Percentiles by the files' versions and what is made of them.
pub type Kept = Cache<String, Percentiles, Problem>;

/// An empty cache of percentiles.
pub fn kept() -> Kept {
    Cache::new(MEMORY, 64)
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
        let found = Box::pin(self.percentiles(files, style, stretch, call)).await?;
        Ok(Cow::Owned(Style {
            rescale: Some(ranges(stretch, &found)),
            stretch: None,
            ..style.clone()
        }))
    }

    async fn percentiles(
        &self,
        files: &[File],
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
        let key = etag(files, &format!("{}{percents:?}", spelt.collect::<String>()));
        loop {
            match self.percentiles.find(key.as_str().to_owned()) {
                Found::Kept(found) => return Ok(found),
                Found::Lead(lead) => {
                    let made = self.take_percentiles(files, &plain, &percents, call).await;
                    match &made {
                        Ok(found) => {
                            let numbers = found.len() * (percents.len() + 4);
                            lead.keep(found.clone(), 8 * numbers as u64);
                        }
                        // That another had no time says nothing about this request's.
                        Err(Problem::OutOfTime) => drop(lead),
                        Err(problem) => lead.fail(problem.clone()),
                    }
                    return made;
                }
                Found::Follow(follow) => {
                    let told = timeout_at(call.deadline.into(), follow.wait()).await;
                    if let Some(found) = told.map_err(|_| Problem::OutOfTime)? {
                        return found;
                    }
                }
            }
        }
    }

    async fn take_percentiles(
        &self,
        files: &[File],
        style: &Style,
        percents: &[f64],
        call: &Call<'_>,
    ) -> Result<Percentiles, Problem> {
        let window = Window {
            area: None,
            crs: None,
            size: Size::AtMost(coarsest_px(files).clamp(SIDE_PX.0, SIDE_PX.1)),
        };
        let target = target(&Frame::Window(window), style, files)?;
        let take = |_: &Binding, bands: &Raster| {
            Ok((0..bands.bands)
                .map(|band| percentiles(bands, band, percents))
                .collect())
        };
        let mut clock = Clock::start();
        let (found, _) = self
            .with_bands(files, style, &target, (call, &mut clock), take)
            .await?;
        Ok(Arc::new(found.unwrap_or_default()))
    }
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
