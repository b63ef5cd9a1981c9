//! A picture of a mosaic: which of its files meet it, read some at a time until nothing more can change.
//!
//! Files are read in the order of the document, [`FEW`] or [`SOME`] at once. Which ones are read does not depend on time, so
//! that one request has one answer. The ETag names those that were read; it is known only afterwards.

use std::sync::Arc;

use bytes::Bytes;
use edgetile_raster::mosaic::{Mosaic, Selection};
use edgetile_raster::plan::Limits;
use edgetile_raster::samples::Raster;
use edgetile_raster::warp::Target;
use futures_util::FutureExt;
use futures_util::future::{try_join, try_join_all};

use crate::bind::{Binding, File};
use crate::compute::{compute, reach, unknown};
use crate::document;
use crate::document::blocks::blocks;
use crate::draw::draw;
use crate::gather::Gathered;
use crate::layers::{ItemFiles, Task};
use crate::request::{Address, Format, Frame, Refused, Sidecars, is_document};
use crate::response::{About, Cost, ETag, Outcome, Problem};
use crate::source::Source;
use crate::source::document::{Document, DocumentError};
use crate::target::target;
use crate::tile::{
    Call, Clock, RENDERING_VERSION, Reading, about, busy, documents, outcome, sources, within,
};

/// Files that are read at once where the first that holds data counts: most pictures are full after one or two.
const FEW: usize = 4;
/// Files that are read at once where all of them count.
const SOME: usize = 16;
/// The most files that one answer is made of.
const MOST: usize = 64;

/// What was made of the files of a picture so far.
struct Made {
    mosaic: Mosaic,
    /// The binding of the first file: what the bands of the answer are.
    binding: Option<Binding>,
    files: Vec<File>,
    level: usize,
    blocks: usize,
}

impl Reading {
    /// Draws a picture of a mosaic.
    pub(crate) async fn try_mosaic(
        &self,
        of: &ItemFiles,
        task: &Task,
        call: &Call<'_>,
    ) -> Result<Outcome, Problem> {
        if task.style.stretch.is_some() {
            let reason = "takes percentiles of files, not of a mosaic: give min,max";
            return Err(Refused::parameter("rescale", reason).into());
        }
        let mut clock = Clock::start();
        let document = self.document(&of.origin.location, call).await?;
        let made = self.made(of, &document, task, (call, &mut clock)).await;
        if made.as_ref().err().is_some_and(Problem::is_of_files) {
            self.confirm_one(&document, call).await?;
        }
        let Some((made, target)) = made? else {
            return Ok(Outcome::Empty(clock.stamp(About::default(), call)));
        };
        let etag = etag(&document, &made.files, task);
        let is_held = etag.is_held_by(call.headers);
        let cost = Cost {
            level: made.level as u32,
            blocks: made.blocks as u32,
            ..Cost::default()
        };
        let about = About {
            cost: Some(cost),
            ..about(task, &target, etag)
        };
        if is_held {
            return Ok(Outcome::NotModified(clock.stamp(about, call)));
        }
        let _turn = self.processors.acquire().await;
        let reached = reach(&task.style, &target);
        let body = busy(|| {
            let there = made.mosaic.finish();
            match (there.or_else(|| unknown(&task.style, &reached)), &made.binding) {
                (Some(bands), Some(binding)) => paint(bands, binding, task, (&target, &mut clock)),
                _ => Ok(None),
            }
        })?;
        Ok(outcome(body, clock.stamp(about, call)))
    }

    /// Reads the files that meet a picture, until it is full; meanwhile the document is confirmed. Nothing where a window
    /// has no file.
    async fn made(
        &self,
        of: &ItemFiles,
        document: &Arc<Document>,
        task: &Task,
        (call, clock): (&Call<'_>, &mut Clock),
    ) -> Result<Option<(Made, Target)>, Problem> {
        let mosaic = document.content.mosaic().map_err(DocumentError::from)?;
        let names = of_frame(mosaic, &task.frame)?;
        let target = match (&task.frame, names.first()) {
            (Frame::Tile(..), _) => target(&task.frame, &task.style, &[])?,
            (Frame::Window(_), Some(first)) => {
                let sidecars = task.style.sidecars.unwrap_or_default();
                let files = self.open_member(of, first, sidecars, call).await?;
                target(&task.frame, &task.style, &files)?
            }
            (Frame::Window(_), None) => {
                self.confirm_one(document, call).await?;
                return Ok(None);
            }
        };
        clock.lap("source");
        let selection = task.style.pixel_selection.unwrap_or_default();
        let mut made = Made {
            mosaic: Mosaic::new(selection),
            binding: None,
            files: Vec::new(),
            level: 0,
            blocks: 0,
        };
        let at_once = if selection == Selection::First { FEW } else { SOME };
        let read = async {
            for names in names.chunks(at_once) {
                if made.files.len() >= MOST {
                    return Err(too_many(names.len()));
                }
                self.add(names, of, task, &mut made, (&target, call)).await?;
                if made.mosaic.is_full() {
                    break;
                }
            }
            Ok(())
        };
        try_join(read, self.confirm_one(document, call)).await?;
        clock.lap("pixels");
        Ok(Some((made, target)))
    }

    /// Reads some files, all at once, and adds them in their order.
    async fn add(
        &self,
        names: &[&str],
        of: &ItemFiles,
        task: &Task,
        made: &mut Made,
        (target, call): (&Target, &Call<'_>),
    ) -> Result<(), Problem> {
        let reached = reach(&task.style, target);
        let read = names
            .iter()
            .map(|name| self.read_member(of, name, task, (&reached, call)).boxed());
        for (files, binding, gathered) in try_join_all(read).await? {
            made.files.extend(files);
            let Gathered {
                rasters,
                level,
                blocks,
            } = gathered;
            made.level = made.level.max(level);
            made.blocks += blocks;
            let _turn = self.processors.acquire().await;
            busy(|| {
                let Some(raster) = binding.combine(rasters) else {
                    return Ok(());
                };
                let (held, more) = made.mosaic.weight();
                if (held + more) as u64 > Limits::default().memory {
                    return Err(too_many(0));
                }
                let fed = made.mosaic.feed(raster);
                fed.map_err(|unlike| Problem::Broken(unlike.to_string()))
            })?;
            made.binding.get_or_insert(binding);
        }
        Ok(())
    }

    async fn read_member(
        &self,
        of: &ItemFiles,
        name: &str,
        task: &Task,
        (target, call): (&Target, &Call<'_>),
    ) -> Result<(Vec<File>, Binding, Gathered), Problem> {
        let sidecars = task.style.sidecars.unwrap_or_default();
        let files = self.open_member(of, name, sidecars, call).await?;
        let gathered = self.gathered(&files, task, (target, call)).await;
        let (binding, gathered) = self.current(&files, gathered, call).await?;
        Ok((files, binding, gathered))
    }

    async fn gathered(
        &self,
        files: &[File],
        task: &Task,
        (target, call): (&Target, &Call<'_>),
    ) -> Result<(Binding, Gathered), Problem> {
        let binding = Binding::new(files, &task.style)?;
        within(&binding, target)?;
        let gathered = self.job_of(&task.style, target, call).run(&binding.parts).await?;
        Ok((binding, gathered))
    }

    /// Opens a file of a mosaic, or the assets of an item of it.
    pub(crate) async fn open_member(
        &self,
        of: &ItemFiles,
        name: &str,
        sidecars: Sidecars,
        call: &Call<'_>,
    ) -> Result<Vec<File>, Problem> {
        if is_document(name) {
            let item = ItemFiles {
                origin: self.access.follow_on(&of.origin, name)?,
                assets: of.assets.clone(),
            };
            return self.open_item(&item, sidecars, call).boxed().await;
        }
        let location = self.follow_to(&of.origin, name, sidecars)?;
        Ok(vec![self.open_one(None, &location, sidecars, call).await?])
    }

    /// Makes sure that a document is the current version.
    pub(crate) async fn confirm_one(&self, document: &Document, call: &Call<'_>) -> Result<(), Problem> {
        let confirmed = document.confirm(&self.fetcher, call.deadline, &call.meter).await;
        Ok(confirmed.map_err(DocumentError::from)?)
    }
}

/// The files of a mosaic in a frame.
fn of_frame<'a>(mosaic: &'a document::Mosaic, frame: &Frame) -> Result<Vec<&'a str>, Problem> {
    match frame {
        Frame::Tile(address, _) => of_address(mosaic, address),
        Frame::Window(window) => match &window.area {
            Some(area) => Ok(mosaic.of_blocks(&blocks(area.crs.crs(), area.bounds, mosaic.quadkey_zoom))),
            None => {
                Err(Refused::parameter("url", "is a mosaic, which has no preview: ask for a bbox").into())
            }
        },
    }
}

/// The files of a mosaic in a tile.
pub(crate) fn of_address<'a>(
    mosaic: &'a document::Mosaic,
    address: &Address,
) -> Result<Vec<&'a str>, Problem> {
    if address.grid().name() == "WebMercatorQuad" {
        return Ok(mosaic.of_tile(address.z(), address.x(), address.y()));
    }
    let set = address.grid().set();
    let bounds = set
        .tile_bounds(address.z(), address.x(), address.y())
        .ok_or(Problem::Internal)?;
    let bounds = [bounds.west, bounds.south, bounds.east, bounds.north];
    Ok(mosaic.of_blocks(&blocks(&set.crs, bounds, mosaic.quadkey_zoom)))
}

/// Bands → the bytes of the answer; none where nothing holds data.
fn paint(
    bands: Raster,
    binding: &Binding,
    task: &Task,
    (target, clock): (&Target, &mut Clock),
) -> Result<Option<(Bytes, Format)>, Problem> {
    let bands = compute(&task.style, bands, target)?;
    clock.lap("math");
    let body = draw(&bands, binding, task, target)?;
    clock.lap("encode");
    Ok(body)
}

fn etag(document: &Document, files: &[File], task: &Task) -> ETag {
    let canonical = task.canonical();
    let own = [RENDERING_VERSION, canonical.as_str(), document.version()];
    let items = documents(files).map(Document::version);
    ETag::of(
        own.into_iter()
            .chain(items)
            .chain(sources(files).map(Source::version)),
    )
}

fn too_many(more: usize) -> Problem {
    let more = if more > 0 { " and is not full" } else { "" };
    Problem::TooLarge {
        what: format!(
            "the picture needs more than {MOST} files of the mosaic, or more memory than it may have{more}"
        ),
        remedy: "zoom in, or choose pixel_selection=first".to_owned(),
    }
}
