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
use crate::clock::Clock;
use crate::compute::{compute, reach, unknown};
use crate::document::{Member, Several};
use crate::draw::draw;
use crate::gather::Gathered;
use crate::layers::{ItemFiles, Task};
use crate::request::{Format, Frame, Refused, Sidecars, is_document};
use crate::response::{About, Cost, ETag, Outcome, Problem};
use crate::source::Source;
use crate::source::document::{Document, DocumentError};
use crate::target::target;
use crate::tile::{Call, RENDERING_VERSION, Reading, about, busy, documents, outcome, sources, within};

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
        let mut clock = Clock::start();
        let document = self.document(&of.origin.location, call).await?;
        let made = async {
            let (style, sampled) = self.resolved_of_mosaic(of, &document, &task.style, call).await?;
            let made = self.made(of, &document, task, (call, &mut clock)).await?;
            Ok((made, style, sampled))
        };
        let made = made.await;
        if made.as_ref().err().is_some_and(Problem::is_of_files) {
            self.confirm_one(&document, call).await?;
        }
        let (Some((made, target)), style, sampled) = made? else {
            return Ok(Outcome::Empty(clock.stamp(About::default(), call)));
        };
        let etag = etag(&document, [&made.files, &sampled], task);
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
        let resolved = Task {
            style: style.into_owned(),
            ..task.clone()
        };
        let _turn = self.processors.acquire().await;
        let reached = reach(&task.style, &target);
        let body = busy(|| {
            let there = made.mosaic.finish();
            match (there.or_else(|| unknown(&task.style, &reached)), &made.binding) {
                (Some(bands), Some(binding)) => paint(bands, binding, &resolved, (&target, &mut clock)),
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
        let several = document.content.several().map_err(DocumentError::from)?;
        let members = of_frame(several, &task.frame)?;
        let target = match (&task.frame, members.first()) {
            (Frame::Tile(..), _) => target(&task.frame, &task.style, &[])?,
            (Frame::Window(_), Some(first)) => {
                let sidecars = task.style.sidecars.unwrap_or_default();
                let files = self.open_member(of, (document, *first), sidecars, call).await?;
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
            for members in members.chunks(at_once) {
                if made.files.len() >= MOST {
                    return Err(too_many(members.len()));
                }
                self.add((document, members), of, task, &mut made, (&target, call))
                    .await?;
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
        (document, members): (&Arc<Document>, &[Member<'_>]),
        of: &ItemFiles,
        task: &Task,
        made: &mut Made,
        (target, call): (&Target, &Call<'_>),
    ) -> Result<(), Problem> {
        let reached = reach(&task.style, target);
        let read = members.iter().map(|member| {
            self.read_member(of, (document, *member), task, (&reached, call))
                .boxed()
        });
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
        member: (&Arc<Document>, Member<'_>),
        task: &Task,
        (target, call): (&Target, &Call<'_>),
    ) -> Result<(Vec<File>, Binding, Gathered), Problem> {
        let sidecars = task.style.sidecars.unwrap_or_default();
        let files = self.open_member(of, member, sidecars, call).await?;
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
        (document, member): (&Arc<Document>, Member<'_>),
        sidecars: Sidecars,
        call: &Call<'_>,
    ) -> Result<Vec<File>, Problem> {
        match member {
            Member::Item(located) => {
                let assets = self.open_assets(of, (document, &located.item), sidecars, call);
                assets.boxed().await
            }
            Member::Address(name) if is_document(name) => {
                let item = ItemFiles {
                    origin: self.access.follow_on(&of.origin, name)?,
                    assets: of.assets.clone(),
                };
                self.open_item(&item, sidecars, call).boxed().await
            }
            Member::Address(name) => {
                let location = self.follow_to(&of.origin, name, sidecars)?;
                Ok(vec![self.open_one(None, &location, sidecars, call).await?])
            }
        }
    }

    /// Makes sure that a document is the current version.
    pub(crate) async fn confirm_one(&self, document: &Document, call: &Call<'_>) -> Result<(), Problem> {
        let confirmed = document.confirm(&self.fetcher, call.deadline, &call.meter).await;
        Ok(confirmed.map_err(DocumentError::from)?)
    }
}

/// The files of a mosaic in a frame.
fn of_frame<'a>(several: Several<'a>, frame: &Frame) -> Result<Vec<Member<'a>>, Problem> {
    match frame {
        Frame::Tile(address, _) => Ok(several.of_tile(address)),
        Frame::Window(window) => match &window.area {
            Some(area) => Ok(several.of_area(area.crs.crs(), area.bounds)),
            None => {
                Err(Refused::parameter("url", "is a mosaic, which has no preview: ask for a bbox").into())
            }
        },
    }
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

/// The version of a picture: of the files in it, and of those whose percentiles it takes.
fn etag(document: &Document, files: [&[File]; 2], task: &Task) -> ETag {
    let canonical = task.canonical();
    let own = [RENDERING_VERSION, canonical.as_str(), document.version()];
    let items = files.into_iter().flat_map(documents).map(Document::version);
    let sources = files.into_iter().flat_map(sources).map(Source::version);
    ETag::of(own.into_iter().chain(items).chain(sources))
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
