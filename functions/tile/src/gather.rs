//! Sources + target → the wanted bands on the target's pixels: plan, fetch, decode and warp, for all sources at once.

use std::borrow::Cow;
use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use edgetile_raster::decode::{Decoded, decode};
use edgetile_raster::header::{Affine, Header, HeaderError, Image, Nodata};
use edgetile_raster::plan::{self, Limits, Plan, PlanError, Read, TooMuch, Wanted};
use edgetile_raster::samples::Raster;
use edgetile_raster::warp::{Assembly, Kernel, Placement, Target, Window, resample, resolution};
use futures_util::TryStreamExt;
use futures_util::future::try_join_all;

use crate::fetch::{Fetcher, Meter};
use crate::response::Problem;
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

/// A part with all that can be known before its pixels are read.
struct Planned<'a> {
    source: &'a Source,
    placement: Placement,
    plan: Plan,
}

impl Job<'_> {
    /// Reads every part, all at once.
    pub async fn run(&self, parts: &[Part]) -> Result<Gathered, Problem> {
        let planned = try_join_all(parts.iter().map(|part| self.plan(part))).await?;
        let level = planned
            .iter()
            .flatten()
            .map(|planned| planned.plan.level)
            .max()
            .unwrap_or(0);
        let blocks = planned
            .iter()
            .flatten()
            .map(|planned| planned.plan.reads.len())
            .sum();
        let rasters = try_join_all(planned.into_iter().map(|planned| self.render(planned))).await?;
        Ok(Gathered {
            rasters,
            level,
            blocks,
        })
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
        let native = resolution(&georeference.affine, size, crs, &self.target.crs);
        let decimation = native.map_or(1.0, |native| self.target.resolution.0 / native);
        let level = plan::level(header, decimation, self.kernel);
        let image = level_image(header, level);
        let affine = level_affine(&georeference.affine, full, image);
        let size = (image.width_px, image.height_px);
        let Some(placement) = Placement::new(self.target, crs, &affine, size) else {
            return Ok(None);
        };
        let Some(rect) = placement.needs(self.kernel, size) else {
            return Ok(None);
        };
        let wanted = Wanted {
            level,
            rect,
            turn_px: placement.turn_px(),
            bands: part.bands.clone(),
            nodata: part.nodata,
        };
        let plan = self.locate(source, wanted).await?;
        Ok(Some(Planned {
            source,
            placement,
            plan,
        }))
    }

    /// The plan; reads the index of blocks where the head of the file did not hold it.
    async fn locate(&self, source: &Source, wanted: Wanted) -> Result<Plan, Problem> {
        let mut known = Cow::Borrowed(source.known());
        loop {
            match Plan::new(&source.header, &known, wanted.clone(), &self.limits) {
                Ok(plan) => return Ok(plan),
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
        let window = self.fill(&planned).await?;
        Ok(Some(resample(&window, &planned.placement, self.kernel)))
    }

    /// Reads and decodes the blocks of a plan; each block is decoded as soon as its bytes are there.
    async fn fill(&self, planned: &Planned<'_>) -> Result<Window, Problem> {
        let Planned { source, plan, .. } = planned;
        let header = &source.header;
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
        while let Some(arrived) = arriving.try_next().await.map_err(SourceError::from)? {
            for (range, bytes) in arrived {
                let of_range = awaited.iter().filter(|(_, at)| *at == range);
                for (read, _) in of_range {
                    let placed = place(&mut assembly, header, plan, read, &bytes);
                    placed.inspect_err(|_| source.discard(self.fetcher, &range))?;
                }
            }
        }
        Ok(assembly.finish())
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
const REMEDY: &str = "zoom in, or give the file overviews: gdal_translate -of COG in.tif out.tif";

/// A band that is asked for and not there.
pub fn no_band(parameter: &str, band: usize, bands: usize) -> Problem {
    let reason = format!("names band {band}: the source has bands 1 to {bands}");
    Problem::Refused(crate::request::Refused::parameter(parameter, reason))
}
