//! One picture, a tile or a window, the whole story: open the files, answer 304 if nothing changed, gather the bands, do the math, draw.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use edgetile_raster::plan::Limits;
use edgetile_raster::samples::Raster;
use edgetile_raster::warp::Target;
use futures_util::FutureExt;
use futures_util::future::try_join_all;
use http::HeaderMap;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;
use tokio::task::block_in_place;

use crate::access::{Access, Denied, Location, Origin, beside};
use crate::bind::{Binding, File, OfItem};
use crate::clock::Clock;
use crate::compute::{compute, reach, unknown};
use crate::document::{Asset, Chosen, Item};
use crate::draw::draw;
use crate::fetch::{Fetcher, Meter};
use crate::gather::{Gathered, Job};
use crate::layers::{Files, ItemFiles, Task};
use crate::request::{BandName, Format, MASK, MASK_OVERVIEWS, OVERVIEWS, Refused, Sidecars, Style, Wish};
use crate::response::{About, Cost, ETag, Freshness, Outcome, Place, Problem};
use crate::source::beside::{Beside, Overviews};
use crate::source::document::{Document, DocumentError};
use crate::source::{Source, SourceError, Sources};
use crate::stretch::Kept;
use crate::target::target;

/// Changes whenever the same files and task give other bytes than before.
pub(crate) const RENDERING_VERSION: &str = "6";
/// What a sample of an answer is taken to need.
const SAMPLE_BYTES: u64 = 4;

/// What reads for every request, for the life of the process.
#[derive(Debug)]
pub struct Reading {
    /// Open files.
    pub sources: Sources,
    /// The limit on requests in flight.
    pub fetcher: Fetcher,
    /// Where documents may lead.
    pub access: Access,
    /// Which of an asset's alternate addresses comes first.
    pub alternate: Option<String>,
    /// Percentiles of files that are asked for again.
    pub percentiles: Kept,
    /// A permit for each processor: who waits for one can still be told that time is up.
    pub processors: Semaphore,
}

/// One request on its way.
#[derive(Debug)]
pub struct Call<'a> {
    /// Its headers.
    pub headers: &'a HeaderMap,
    /// When its answer must be there.
    pub deadline: Instant,
    /// Counts its reads.
    pub meter: Meter,
}

impl Reading {
    /// Draws a picture.
    pub async fn tile(&self, task: &Task, call: &Call<'_>) -> Result<Outcome, Problem> {
        self.patient(&task.files, || self.try_tile(task, call)).await
    }

    /// Does work on files. Those that are replaced meanwhile are opened anew, each once: the first that is noticed ends
    /// a try.
    pub async fn patient<T, F>(&self, files: &Files, work: impl Fn() -> F) -> Result<T, Problem>
    where
        F: Future<Output = Result<T, Problem>>,
    {
        for _ in 0..files.patience() {
            match work().await {
                Err(Problem::Replaced) => {}
                outcome => return outcome,
            }
        }
        work().await
    }

    /// What work on open files came to, once it is sure that it is about their current version: a refusal too may be
    /// one of a header that is no longer true.
    pub async fn current<T>(
        &self,
        files: &[File],
        outcome: Result<T, Problem>,
        call: &Call<'_>,
    ) -> Result<T, Problem> {
        if outcome.as_ref().err().is_none_or(Problem::is_of_files) {
            self.confirm(files, call).await?;
        }
        outcome
    }

    async fn try_tile(&self, task: &Task, call: &Call<'_>) -> Result<Outcome, Problem> {
        if let Files::Mosaic(of) = &task.files {
            return self.try_mosaic(of, task, call).boxed().await;
        }
        let mut clock = Clock::start();
        let files = self.open(&task.files, task.style.sidecars, call).await?;
        let target = target(&task.frame, &task.style, &files)?;
        let etag = etag(&files, &task.canonical());
        let unchanged = etag.is_held_by(call.headers);
        let about = about(task, &target, etag);
        clock.lap("source");
        if unchanged {
            self.confirm(&files, call).await?;
            return Ok(Outcome::NotModified(clock.stamp(about, call)));
        }
        let drawn = self.drawn(&files, task, call, (&target, about, clock)).await;
        self.current(&files, drawn, call).await
    }

    async fn drawn(
        &self,
        files: &[File],
        task: &Task,
        call: &Call<'_>,
        (target, mut about, mut clock): (&Target, About, Clock),
    ) -> Result<Outcome, Problem> {
        let resolved;
        let task = match self.resolved(files, &task.style, call).await? {
            Cow::Borrowed(_) => task,
            Cow::Owned(style) => {
                resolved = Task {
                    style,
                    ..task.clone()
                };
                &resolved
            }
        };
        let draw = |binding: &Binding, bands: &Raster| draw(bands, binding, task, target);
        let (body, cost) = self
            .with_bands(files, &task.style, target, (call, &mut clock), draw)
            .await?;
        about.cost = Some(cost);
        clock.lap("encode");
        Ok(outcome(body.flatten(), clock.stamp(about, call)))
    }

    /// Does something with the bands that a style makes of files on a target's pixels; `None` where no file meets them. The files
    /// are those of the current version, unless reads of them have said otherwise.
    pub(crate) async fn with_bands<T>(
        &self,
        files: &[File],
        style: &Style,
        target: &Target,
        (call, clock): (&Call<'_>, &mut Clock),
        work: impl FnOnce(&Binding, &Raster) -> Result<T, Problem>,
    ) -> Result<(Option<T>, Cost), Problem> {
        let binding = Binding::new(files, style)?;
        within(&binding, target)?;
        let reached = reach(style, target);
        let job = self.job_of(style, &reached, call);
        let confirmed = self.confirm_documents(files, call);
        let (gathered, ()) = futures_util::future::try_join(job.run(&binding.parts), confirmed).await?;
        let Gathered {
            rasters,
            level,
            blocks,
        } = gathered;
        let cost = Cost {
            level: level as u32,
            blocks: blocks as u32,
            ..Cost::default()
        };
        // Reads of pixels have confirmed the version; a file that was wholly known has not been asked.
        self.confirm(files, call).await?;
        clock.lap("pixels");
        let turn = self.processors.acquire().await;
        // What is found in memory waits for nothing, and so nobody else would look at the time.
        if Instant::now() >= call.deadline {
            return Err(Problem::OutOfTime);
        }
        let done = busy(|| {
            let there = binding.combine(rasters);
            let Some(bands) = there.or_else(|| unknown(style, &reached)) else {
                return Ok(None);
            };
            let bands = compute(style, bands, target)?;
            clock.lap("math");
            work(&binding, &bands).map(Some)
        })?;
        drop(turn);
        Ok((done, cost))
    }

    /// Reads pixels as a style wants them.
    pub(crate) fn job_of<'a>(&'a self, style: &Style, target: &'a Target, call: &'a Call<'_>) -> Job<'a> {
        Job {
            target,
            kernel: style.resampling.unwrap_or_default(),
            limits: Limits::default(),
            deadline: call.deadline,
            fetcher: &self.fetcher,
            meter: &call.meter,
        }
    }

    /// Opens all files of a request, and those wanted beside them, at once.
    pub async fn open(
        &self,
        files: &Files,
        sidecars: Option<Sidecars>,
        call: &Call<'_>,
    ) -> Result<Vec<File>, Problem> {
        let sidecars = sidecars.unwrap_or_default();
        match files {
            Files::One(location) => Ok(vec![self.open_one(None, location, sidecars, call).await?]),
            Files::Named(named) => {
                let open = |(name, location): &(BandName, Location)| {
                    let (name, location) = (name.clone(), location.clone());
                    async move { self.open_one(Some(name), &location, sidecars, call).await }
                };
                try_join_all(named.iter().map(open)).await
            }
            Files::Item(item) => Box::pin(self.open_item(item, sidecars, call)).await,
            Files::Mosaic(_) => {
                Err(Refused::parameter("url", "is a mosaic, which has no single files").into())
            }
        }
    }

    pub(crate) async fn open_one(
        &self,
        name: Option<BandName>,
        location: &Location,
        sidecars: Sidecars,
        call: &Call<'_>,
    ) -> Result<File, Problem> {
        let source = self.source(location, call);
        let both = sidecars.overviews != Wish::No && sidecars.mask != Wish::No;
        let (source, overviews, mask, mask_overviews) = tokio::join!(
            source,
            self.beside(location, OVERVIEWS, sidecars.overviews, call),
            self.beside(location, MASK, sidecars.mask, call),
            self.beside(
                location,
                MASK_OVERVIEWS,
                if both { Wish::IfThere } else { Wish::No },
                call
            ),
        );
        // In this order, so that of several problems always the same is told.
        let (source, overviews, mask): (Arc<Source>, _, _) = (source?, overviews?, mask?);
        let beside = Beside {
            overviews: overviews.map(|overviews| Overviews::new(overviews, &source)),
            mask_overviews: mask_overviews?.filter(|_| mask.is_some()),
            mask,
        };
        Ok(File {
            name,
            source,
            beside,
            asset: None,
        })
    }

    /// Opens the assets of an item. What cannot be had of an item that was replaced meanwhile is no news of it.
    pub(crate) async fn open_item(
        &self,
        of: &ItemFiles,
        sidecars: Sidecars,
        call: &Call<'_>,
    ) -> Result<Vec<File>, Problem> {
        let document = self.document(&of.origin.location, call).await?;
        let item = document.content.item().map_err(DocumentError::from)?;
        match self.open_assets(of, (&document, item), sidecars, call).await {
            Ok(files) => Ok(files),
            Err(problem) => {
                let confirmed = document.confirm(&self.fetcher, call.deadline, &call.meter).await;
                confirmed.map_err(DocumentError::from)?;
                Err(problem)
            }
        }
    }

    /// Opens the assets of an item that a document is, or holds.
    pub(crate) async fn open_assets(
        &self,
        of: &ItemFiles,
        (document, item): (&Arc<Document>, &Item),
        sidecars: Sidecars,
        call: &Call<'_>,
    ) -> Result<Vec<File>, Problem> {
        let chosen = item.choose(&of.assets)?;
        let open = |(chosen, asset): (Chosen, &Asset)| {
            let followed = self.follow(of, asset, sidecars);
            let document = document.clone();
            async move {
                let mut file = self.open_one(None, &followed?, sidecars, call).await?;
                let chosen = Arc::new(chosen);
                file.asset = Some(OfItem { chosen, document });
                Ok::<_, Problem>(file)
            }
        };
        try_join_all(chosen.into_iter().map(open)).await
    }

    /// Where an asset is: at the first of its addresses where it may be read, with what is wanted beside it.
    fn follow(&self, of: &ItemFiles, asset: &Asset, sidecars: Sidecars) -> Result<Location, Denied> {
        let open = |href: &str| self.follow_to(&of.origin, href, sidecars);
        let mut hrefs: Vec<&(String, String)> = asset.hrefs.iter().collect();
        hrefs.sort_by_key(|(key, _)| self.alternate.as_ref() != Some(key));
        let mut found = hrefs.into_iter().map(|(_, href)| open(href));
        found.find(Result::is_ok).unwrap_or(Err(Denied))
    }

    /// Where an address leads that stands in a document, if what is wanted beside it may be read, too.
    pub(crate) fn follow_to(
        &self,
        origin: &Origin,
        href: &str,
        sidecars: Sidecars,
    ) -> Result<Location, Denied> {
        let location = self.access.follow(origin, href)?;
        for suffix in sidecars.suffixes() {
            self.access.follow(origin, &beside(href, suffix))?;
        }
        Ok(location)
    }

    /// The document at a location.
    pub(crate) async fn document(
        &self,
        location: &Location,
        call: &Call<'_>,
    ) -> Result<Arc<Document>, DocumentError> {
        self.sources
            .document(location, &self.fetcher, call.deadline, &call.meter)
            .await
    }

    async fn source(&self, location: &Location, call: &Call<'_>) -> Result<Arc<Source>, SourceError> {
        self.sources
            .open(location, &self.fetcher, call.deadline, &call.meter)
            .await
    }

    /// The file whose name is longer by `suffix`.
    async fn beside(
        &self,
        location: &Location,
        suffix: &str,
        wish: Wish,
        call: &Call<'_>,
    ) -> Result<Option<Arc<Source>>, Problem> {
        if wish == Wish::No {
            return Ok(None);
        }
        let (beside, fetcher) = (location.beside(suffix), &self.fetcher);
        // Boxed: it is rare, and would weigh on every request's future.
        let found = Box::pin(
            self.sources
                .open_if_there(&beside, fetcher, call.deadline, &call.meter),
        );
        match found.await? {
            None if wish == Wish::Yes => Err(Problem::not_found(format!(
                "{suffix} file beside this url, for which sidecars asks"
            ))),
            found => Ok(found),
        }
    }

    /// Makes sure that an answer made without reading pixels is about the current version of the files.
    pub(crate) async fn confirm(&self, files: &[File], call: &Call<'_>) -> Result<(), Problem> {
        let confirm = async |source: &Source| source.confirm(&self.fetcher, call.deadline, &call.meter).await;
        let sources = async {
            let confirmed = try_join_all(sources(files).map(confirm)).await;
            confirmed.map_err(|error| Problem::from(SourceError::from(error)))
        };
        futures_util::future::try_join(sources, self.confirm_documents(files, call)).await?;
        Ok(())
    }

    /// The same of the documents that named the files: reads of pixels do not tell.
    async fn confirm_documents(&self, files: &[File], call: &Call<'_>) -> Result<(), Problem> {
        for document in documents(files) {
            let confirmed = document.confirm(&self.fetcher, call.deadline, &call.meter).await;
            confirmed.map_err(DocumentError::from)?;
        }
        Ok(())
    }
}

/// What is known of a picture before its pixels.
pub(crate) fn about(task: &Task, target: &Target, etag: ETag) -> About {
    About {
        freshness: freshness(task),
        etag: Some(etag),
        place: Some(Place::of(target)),
        ..About::default()
    }
}

/// What a picture comes to.
pub(crate) fn outcome(body: Option<(Bytes, Format)>, about: About) -> Outcome {
    match body {
        Some((body, format)) => Outcome::Content {
            body,
            media_type: format.media_type(),
            about,
        },
        None => Outcome::Empty(about),
    }
}

/// Refuses an answer whose bands would not fit into memory.
pub(crate) fn within(binding: &Binding, target: &Target) -> Result<(), Problem> {
    let (bands, (width, height), limit) = (binding.outputs(), target.size, Limits::default().memory);
    let bytes = (bands as u64).saturating_mul((width * height) as u64 * SAMPLE_BYTES);
    if bytes <= limit {
        return Ok(());
    }
    Err(Problem::TooLarge {
        what: format!(
            "{bands} bands of {width} x {height} pixels take more than {} MiB",
            limit >> 20
        ),
        remedy: "ask for fewer bands or fewer pixels".to_owned(),
    })
}

/// Does work that keeps a processor busy, without keeping other requests of its thread waiting.
pub(crate) fn busy<T>(work: impl FnOnce() -> T) -> T {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::MultiThread => block_in_place(work),
        // A runtime of one thread, as under Lambda, has no other to hand its requests to.
        _ => work(),
    }
}

/// Every file that is read, those beside others among them.
pub(crate) fn sources(files: &[File]) -> impl Iterator<Item = &Source> {
    files
        .iter()
        .flat_map(|file| std::iter::once(file.source.as_ref()).chain(file.beside.sources()))
}

/// The documents that named the files, each once.
pub(crate) fn documents(files: &[File]) -> impl Iterator<Item = &Document> {
    let all = || {
        files
            .iter()
            .filter_map(|file| Some(&file.asset.as_ref()?.document))
    };
    let is_first = move |(at, document): &(usize, &Arc<Document>)| {
        !all().take(*at).any(|known| Arc::ptr_eq(known, document))
    };
    all()
        .enumerate()
        .filter(is_first)
        .map(|(_, document)| document.as_ref())
}

/// How long caches may keep it: for ever where its address names the version.
pub(crate) fn freshness(task: &Task) -> Freshness {
    if task.style.version.is_some() {
        Freshness::Immutable
    } else {
        Freshness::Tile
    }
}

/// The version of what a request in its one spelling makes of files.
pub(crate) fn etag(files: &[File], canonical: &str) -> ETag {
    let versions = sources(files).map(Source::version);
    let versions = versions.chain(documents(files).map(Document::version));
    ETag::of([RENDERING_VERSION, canonical].into_iter().chain(versions))
}
