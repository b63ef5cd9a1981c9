//! Sources + target → the wanted bands on the target's pixels: plan, fetch, decode and warp, for all sources at once.

use std::borrow::Cow;
use std::ops::Range;
use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use edgetile_raster::decode::{Decoded, decode};
use edgetile_raster::header::{Affine, Header, HeaderError, Image, Nodata};
use edgetile_raster::plan::{self, Limits, Masking, Plan, PlanError, Read, TooMuch, Wanted};
use edgetile_raster::samples::Raster;
use edgetile_raster::warp::{Assembly, Kernel, Placement, Rect, Target, Window, pixel_size, resample};
use futures_util::TryStreamExt;
use futures_util::future::try_join_all;

use crate::fetch::{Fetcher, Meter, Model};
use crate::response::Problem;
use crate::source::beside::{Beside, Choice, levels};
use crate::source::{Source, SourceError};

/// What one source is asked for.
#[derive(Clone, Debug)]
pub struct Part {
    /// The file.
    pub source: Arc<Source>,
    /// Its bands, 0-based, in the order wanted.
    pub bands: Vec<usize>,
    /// Instead of the file's own nodata.
    pub nodata: Option<Nodata>,
    /// Whether a band tagged as alpha masks nothing.
    pub alpha_is_data: bool,
    /// Overviews and mask beside the file.
    pub beside: Beside,
}

/// Where, how and within what limits.
#[derive(Debug)]
pub struct Job<'a> {
    /// The output pixels.
    pub target: &'a Target,
    /// How values between samples are made.
    pub kernel: Kernel,
    /// What one source may cost.
    pub limits: Limits,
    /// When the answer must be there.
    pub deadline: Instant,
    /// Reads for everyone.
    pub fetcher: &'a Fetcher,
    /// Counts them.
    pub meter: &'a Meter,
}

/// What came of it.
#[derive(Debug)]
pub struct Gathered {
    /// One raster for each part, `[part.bands, height, width]`; `None` where the source does not meet the target.
    pub rasters: Vec<Option<Raster>>,
    /// The coarsest level that was read.
    pub level: usize,
    /// Blocks that were decoded.
    pub blocks: usize,
}

/// The blocks of one file that are to be read.
struct Reading<'a> {
    source: &'a Source,
    header: &'a Header,
    plan: Plan,
}

/// A part with all that can be known before its pixels are read.
struct Planned<'a> {
    /// Counts the levels of the file and of what lies beside it.
    level: usize,
    placement: Placement,
    samples: Reading<'a>,
    /// Where the mask lies beside the file.
    mask: Option<Reading<'a>>,
}

/// What reading a part will cost, its header being known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The level that is read.
    pub level: usize,
    /// Reads of the store.
    pub gets: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Blocks that are decoded.
    pub blocks: usize,
}

impl Job<'_> {
    /// Reads every part, all at once.
    pub async fn run(&self, parts: &[Part]) -> Result<Gathered, Problem> {
        let planned = try_join_all(parts.iter().map(|part| self.plan(part))).await?;
        let level = planned
            .iter()
            .flatten()
            .map(|planned| planned.level)
            .max()
            .unwrap_or(0);
        let blocks = planned.iter().flatten().map(Planned::blocks).sum();
        let rasters = try_join_all(planned.into_iter().map(|planned| self.render(planned))).await?;
        Ok(Gathered {
            rasters,
            level,
            blocks,
        })
    }

    /// What a part will cost; `None` where it does not meet the target.
    pub async fn estimate(&self, part: &Part) -> Result<Option<Estimate>, Problem> {
        let Some(planned) = self.plan(part).await? else {
            return Ok(None);
        };
        let reads: Vec<Range<u64>> = planned
            .readings()
            .flat_map(|reading| Model::STORE.merge(reading.unknown()))
            .collect();
        Ok(Some(Estimate {
            level: planned.level,
            gets: reads.len(),
            bytes: reads.iter().map(|read| read.end - read.start).sum(),
            blocks: planned.blocks(),
        }))
    }

    async fn plan<'a>(&self, part: &'a Part) -> Result<Option<Planned<'a>>, Problem> {
        let source = part.source.as_ref();
        if part.bands.is_empty() {
            return Ok(None);
        }
        let header = &source.header;
        let (crs, georeference) = source
            .place()
            .map_err(|error| Problem::Unsupported(error.to_string()))?;
        let full = header.full();
        let size = (full.width_px, full.height_px);
        let native = pixel_size(&georeference.affine, size, crs, &self.target.crs);
        // Of both directions the finer one decides, as in GDAL.
        let (across, down) = self.target.resolution;
        let decimation = native.map_or(1.0, |native| (across / native.0).min(down / native.1));
        let levels = levels(source, &part.beside);
        let widths: Vec<u32> = levels.iter().map(|choice| choice.image().width_px).collect();
        let level = plan::level(&widths, decimation, self.kernel);
        let Some(choice) = levels.get(level) else {
            let reason = "the mask beside the file is not of the file's size".to_owned();
            return Err(Problem::Unsupported(reason));
        };
        let image = choice.image();
        let affine = level_affine(&georeference.affine, full, image);
        let size = (image.width_px, image.height_px);
        let Some(placement) = Placement::new(self.target, crs, &affine, size) else {
            return Ok(None);
        };
        let Some(rect) = placement.needs(self.kernel, size) else {
            return Ok(None);
        };
        let turn_px = placement.turn_px();
        let wanted = Wanted {
            level: choice.level,
            rect,
            turn_px,
            bands: part.bands.clone(),
            nodata: part.nodata,
            masking: match part.beside.mask {
                Some(_) => Masking::Elsewhere,
                None if part.alpha_is_data => Masking::AlphaIsData,
                None => Masking::Own,
            },
        };
        let samples = async { self.locate(choice.source, choice.header, wanted).await };
        let (samples, mask) =
            futures_util::future::try_join(samples, Box::pin(self.plan_mask(choice, rect, turn_px))).await?;
        Ok(Some(Planned {
            level,
            placement,
            samples,
            mask,
        }))
    }

    /// The same pixels of the mask beside a file.
    async fn plan_mask<'a>(
        &self,
        choice: &Choice<'a>,
        rect: Rect,
        turn_px: Option<u32>,
    ) -> Result<Option<Reading<'a>>, Problem> {
        let Some((source, level)) = choice.mask else {
            return Ok(None);
        };
        let wanted = Wanted {
            level,
            rect,
            turn_px,
            bands: vec![0],
            nodata: None,
            masking: Masking::Elsewhere,
        };
        self.locate(source, &source.header, wanted).await.map(Some)
    }

    /// The plan; reads the index of blocks where the head of the file did not hold it.
    async fn locate<'a>(
        &self,
        source: &'a Source,
        header: &'a Header,
        wanted: Wanted,
    ) -> Result<Reading<'a>, Problem> {
        let mut known = Cow::Borrowed(source.known());
        loop {
            match Plan::new(header, &known, wanted.clone(), &self.limits) {
                Ok(plan) => return Ok(Reading { source, header, plan }),
                Err(PlanError::Missing(missing)) => {
                    let known = known.to_mut();
                    source
                        .learn(self.fetcher, known, missing, self.deadline, self.meter)
                        .await
                        .map_err(SourceError::from)?;
                }
                Err(PlanError::File(error)) => return Err(SourceError::File(error).into()),
                Err(PlanError::TooMuch(error)) => return Err(too_much(&error)),
                Err(PlanError::NoBand { band, bands }) => return Err(no_band("bidx", band, bands)),
            }
        }
    }

    async fn render(&self, planned: Option<Planned<'_>>) -> Result<Option<Raster>, Problem> {
        let Some(planned) = planned else { return Ok(None) };
        let samples = self.fill(&planned.samples);
        let window = match &planned.mask {
            Some(mask) => {
                let (samples, mask) =
                    Box::pin(futures_util::future::try_join(samples, self.fill(mask))).await?;
                samples.masked_by(&mask)
            }
            None => samples.await?,
        };
        Ok(Some(resample(&window, &planned.placement, self.kernel)))
    }

    /// Reads and decodes the blocks of a plan; each block is decoded as soon as its bytes are there.
    async fn fill(&self, reading: &Reading<'_>) -> Result<Window, Problem> {
        let Reading { source, header, plan } = reading;
        let image = level_image(header, plan.level);
        let data_type = image.format.data_type().map_err(|error| unreadable(&error))?;
        let mut assembly = Assembly::new(header, plan, data_type);
        let mut awaited = Vec::new();
        for read in &plan.reads {
            let Some(at) = read.at() else {
                assembly.leave_empty(plan, read, (image.block_width_px, read.rows().0));
                continue;
            };
            match source.known().get(at.clone()) {
                Ok(bytes) => place(&mut assembly, header, plan, read, &bytes)?,
                Err(_) => awaited.push((read, at.clone())),
            }
        }
        let ranges = awaited.iter().map(|(_, at)| at.clone()).collect();
        let mut arriving = pin!(source.pieces(self.fetcher, ranges, self.deadline, self.meter));
        while let Some((range, bytes)) = arriving.try_next().await.map_err(SourceError::from)? {
            let of_range = awaited.iter().filter(|(_, at)| *at == range);
            for (read, _) in of_range {
                let placed = place(&mut assembly, header, plan, read, &bytes);
                placed.inspect_err(|_| source.discard(self.fetcher, &range))?;
            }
        }
        Ok(assembly.finish())
    }
}

impl Planned<'_> {
    fn readings(&self) -> impl Iterator<Item = &Reading<'_>> {
        std::iter::once(&self.samples).chain(&self.mask)
    }

    fn blocks(&self) -> usize {
        self.readings().map(|reading| reading.plan.reads.len()).sum()
    }
}

impl Reading<'_> {
    /// The blocks that do not lie in what is known of the file.
    fn unknown(&self) -> Vec<Range<u64>> {
        let known = self.source.known();
        let at = self.plan.reads.iter().filter_map(Read::at);
        at.filter(|at| !known.missing((*at).clone()).is_empty())
            .cloned()
            .collect()
    }
}

fn level_image(header: &Header, level: usize) -> &Image {
    header
        .levels
        .get(level)
        .map_or(header.full(), |level| &level.image)
}

/// Every level has its own scale: sizes of overviews are rounded up.
fn level_affine(affine: &Affine, full: &Image, level: &Image) -> Affine {
    affine.scaled(
        f64::from(full.width_px) / f64::from(level.width_px),
        f64::from(full.height_px) / f64::from(level.height_px),
    )
}

fn place(
    assembly: &mut Assembly,
    header: &Header,
    plan: &Plan,
    read: &Read,
    bytes: &Bytes,
) -> Result<(), Problem> {
    let level = header.levels.get(plan.level);
    let image = match read {
        Read::Data { .. } => level.map(|level| &level.image),
        Read::Mask { .. } => level.and_then(|level| level.mask.as_ref()),
    };
    let Some(image) = image else {
        return Err(Problem::Internal);
    };
    let (stored, needed) = read.rows();
    let decoded: Decoded =
        decode(&image.format, bytes, stored, needed).map_err(|error| unreadable(&error))?;
    assembly.place(plan, read, &decoded, image.block_width_px);
    Ok(())
}

fn unreadable(error: &edgetile_raster::decode::DecodeError) -> Problem {
    SourceError::File(HeaderError::Format(error.clone())).into()
}

fn too_much(error: &TooMuch) -> Problem {
    Problem::TooLarge {
        what: error.to_string(),
        remedy: REMEDY.to_owned(),
    }
}

/// What the publisher of a file without overviews can do, and the caller meanwhile.
const REMEDY: &str = "zoom in, or make the file a COG, which has overviews and small blocks: gdal_translate -of COG in.tif out.tif";

/// A band that is asked for and not there.
pub fn no_band(parameter: &str, band: usize, bands: usize) -> Problem {
    let reason = format!("names band {band}: the source has bands 1 to {bands}");
    Problem::Refused(crate::request::Refused::parameter(parameter, reason))
}
