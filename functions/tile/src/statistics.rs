//! What the values of files come to, band by band, as JSON.

use edgetile_raster::cutline::{Budget, Placed};
use edgetile_raster::samples::{DataType, Raster};
use edgetile_raster::statistics::{Options, Statistics, statistics};
use edgetile_raster::warp::Target;
use futures_util::future::try_join_all;
use serde_json::{Map, Value, json};

use crate::amend::amend;
use crate::bind::{Binding, File, nothing};
use crate::clock::Clock;
use crate::cut::outline;
use crate::layers::Task;
use crate::request::{Frame, LARGEST_EDGE_PX, Refused, Window};
use crate::response::{About, Cost, Freshness, Outcome, Problem};
use crate::target::target;
use crate::tile::{Call, Reading, busy, etag, freshness};

/// Features whose pixels are read at once, where they have no more of them together than one picture may.
const AT_ONCE: usize = 4;
/// Pixels of the largest picture.
const LARGEST_PX: usize = (LARGEST_EDGE_PX * LARGEST_EDGE_PX) as usize;
/// Samples that the features of one answer may have together: a band of sixteen such pictures, two to four seconds of one processor.
const MOST_SAMPLES: usize = 16 * LARGEST_PX;

/// What is asked of the values.
#[derive(Clone, Copy, Debug)]
struct Question<'a> {
    options: &'a Options,
    /// Parts of a pixel's side, where values count by the share that an outline covers.
    cover_scale: u32,
}

/// Whose values are asked for.
struct Wanted<'a> {
    task: &'a Task,
    target: Target,
    /// What of the target counts; all of it where there is none.
    outline: Option<Placed>,
}

impl Wanted<'_> {
    fn pixels(&self) -> usize {
        self.target.size.0 * self.target.size.1
    }
}

impl Reading {
    /// TiTiler's `statistics` of what a task shows.
    pub async fn statistics(
        &self,
        task: &Task,
        options: &Options,
        call: &Call<'_>,
    ) -> Result<Outcome, Problem> {
        self.patient(&task.files, || self.try_statistics(task, options, call))
            .await
    }

    async fn try_statistics(
        &self,
        task: &Task,
        options: &Options,
        call: &Call<'_>,
    ) -> Result<Outcome, Problem> {
        let mut clock = Clock::start();
        let files = self.open(&task.files, task.style.sidecars, call).await?;
        let target = target(&task.frame, &task.style, &files)?;
        let etag = etag(&files, &format!("{} {options:?}", task.canonical()));
        let unchanged = etag.is_held_by(call.headers);
        let mut about = About {
            freshness: freshness(task),
            etag: Some(etag),
            ..About::default()
        };
        clock.lap("source");
        if unchanged {
            self.confirm(&files, call).await?;
            return Ok(Outcome::NotModified(clock.stamp(about, call)));
        }
        let question = Question {
            options,
            cover_scale: 1,
        };
        let wanted = Wanted {
            task,
            target,
            outline: None,
        };
        let numbers = Box::pin(self.numbers(&files, &wanted, question, (call, &mut clock))).await;
        let (numbers, cost) = self.current(&files, numbers, call).await?;
        about.cost = Some(cost);
        clock.lap("statistics");
        let numbers = numbers.ok_or_else(|| Problem::not_found("data there"))?;
        Ok(Outcome::Content {
            body: numbers.to_string().into(),
            media_type: "application/json",
            about: clock.stamp(about, call),
        })
    }

    /// TiTiler's `statistics` of what outlines cover: the features of `document`, one for each of `tasks`, which differ in their
    /// frames alone, each with its numbers among its properties.
    pub async fn statistics_of_features(
        &self,
        tasks: &[Task],
        document: &str,
        (options, cover_scale): (&Options, u32),
        call: &Call<'_>,
    ) -> Result<Outcome, Problem> {
        let first = tasks.first().ok_or(Problem::Internal)?;
        let question = Question { options, cover_scale };
        let told = || self.try_features(tasks, question, call);
        let (numbers, about) = self.patient(&first.files, told).await?;
        let body = amend(document, &numbers).ok_or(Problem::Internal)?;
        Ok(Outcome::Content {
            body: body.into(),
            media_type: "application/geo+json",
            about,
        })
    }

    async fn try_features(
        &self,
        tasks: &[Task],
        question: Question<'_>,
        call: &Call<'_>,
    ) -> Result<(Vec<Value>, About), Problem> {
        let mut clock = Clock::start();
        let first = tasks.first().ok_or(Problem::Internal)?;
        let files = self.open(&first.files, first.style.sidecars, call).await?;
        clock.lap("source");
        let wanted = match self.wanted(tasks, &files, question).await {
            Err(problem) => return self.current(&files, Err(problem), call).await,
            Ok(wanted) => wanted,
        };
        let mut all = Vec::with_capacity(tasks.len());
        let mut cost = Cost::default();
        let mut left = wanted.as_slice();
        while !left.is_empty() {
            let (some, rest) = left.split_at(at_once(left));
            left = rest;
            let told = some
                .iter()
                .map(|wanted| Box::pin(self.of_feature(&files, wanted, question, call)));
            for (numbers, of_one) in self.current(&files, try_join_all(told).await, call).await? {
                all.push(numbers);
                cost.level = cost.level.max(of_one.level);
                cost.blocks += of_one.blocks;
            }
        }
        clock.lap("statistics");
        let about = About {
            freshness: Freshness::Never,
            cost: Some(cost),
            ..About::default()
        };
        Ok((all, clock.stamp(about, call)))
    }

    /// What is asked of each feature, once it is known that all of it is not too much.
    async fn wanted<'a>(
        &self,
        tasks: &'a [Task],
        files: &[File],
        question: Question<'_>,
    ) -> Result<Vec<Wanted<'a>>, Problem> {
        let first = tasks.first().ok_or(Problem::Internal)?;
        let kernel = first.style.resampling.unwrap_or_default();
        let effort = Binding::new(files, &first.style)?.effort(kernel);
        let turn = self.processors.acquire().await;
        let wanted = busy(|| {
            let mut budget = Budget::default();
            let mut samples = MOST_SAMPLES;
            let one = |task: &'a Task| {
                let target =
                    target(&task.frame, &task.style, files).map_err(|problem| named(problem, task))?;
                samples = (target.size.0 * target.size.1)
                    .checked_mul(effort)
                    .and_then(|taken| samples.checked_sub(taken))
                    .ok_or_else(too_many_samples)?;
                let outline = outline(&task.frame, &target, question.cover_scale, &mut budget)?;
                Ok(Wanted {
                    task,
                    target,
                    outline,
                })
            };
            tasks.iter().map(one).collect()
        });
        drop(turn);
        wanted
    }

    /// The numbers of one feature; beside the files they are those of no pixel.
    async fn of_feature(
        &self,
        files: &[File],
        wanted: &Wanted<'_>,
        question: Question<'_>,
        call: &Call<'_>,
    ) -> Result<(Value, Cost), Problem> {
        let mut clock = Clock::start();
        let numbers = self.numbers(files, wanted, question, (call, &mut clock));
        match numbers.await? {
            (Some(numbers), cost) => Ok((numbers, cost)),
            (None, cost) => {
                let binding = Binding::new(files, &wanted.task.style)?;
                let nothing = nothing(DataType::U8, binding.outputs(), wanted.target.size);
                Ok((tell(files, wanted, question, (&binding, &nothing)), cost))
            }
        }
    }

    /// The bands by their numbers; nothing where no file meets the target.
    async fn numbers(
        &self,
        files: &[File],
        wanted: &Wanted<'_>,
        question: Question<'_>,
        (call, clock): (&Call<'_>, &mut Clock),
    ) -> Result<(Option<Value>, Cost), Problem> {
        let tell = |binding: &Binding, bands: &Raster| Ok(tell(files, wanted, question, (binding, bands)));
        let style = &wanted.task.style;
        self.with_bands(files, style, &wanted.target, (call, clock), tell)
            .await
    }
}

/// How many of the next features are read at once.
fn at_once(left: &[Wanted<'_>]) -> usize {
    let sums = left.iter().take(AT_ONCE).scan(0_usize, |sum, wanted| {
        *sum += wanted.pixels();
        Some(*sum)
    });
    sums.take_while(|sum| *sum <= LARGEST_PX).count().max(1)
}

fn too_many_samples() -> Problem {
    Problem::TooLarge {
        what: format!(
            "the features come to more than {MOST_SAMPLES} samples, pixels times bands, in the boxes around them (under wide kernels a \
             sample counts up to five times, and two operations of an expression count as one)"
        ),
        remedy: "send fewer of them, or ask for a smaller max_size, fewer bands or resampling=nearest"
            .to_owned(),
    }
}

/// What is wrong with the pixels of one feature, by its name.
fn named(problem: Problem, task: &Task) -> Problem {
    match (problem, &task.frame) {
        (
            Problem::Refused(Refused::LargeWindow { edge_px }),
            Frame::Window(Window {
                outline: Some(outline),
                ..
            }),
        ) => Problem::TooLarge {
            what: format!(
                "{} has an edge of {edge_px} pixels, and at most {LARGEST_EDGE_PX} are read",
                outline.member
            ),
            remedy: "ask for less by max_size, width and height".to_owned(),
        },
        (problem, _) => problem,
    }
}

/// The numbers of bands, by the bands' names.
fn tell(
    files: &[File],
    wanted: &Wanted<'_>,
    question: Question<'_>,
    (binding, bands): (&Binding, &Raster),
) -> Value {
    let shares = wanted.outline.as_ref().map(Placed::shares);
    let names = binding.names(files).into_iter().map(Some);
    let titles = binding
        .descriptions(files, &wanted.task.style)
        .into_iter()
        .map(Some);
    let mut all = Map::new();
    // An algorithm makes other bands than those that were bound.
    let named = names.chain(std::iter::repeat(None));
    let named = named.zip(titles.chain(std::iter::repeat(None))).take(bands.bands);
    for (band, (name, title)) in named.enumerate() {
        let name = name.unwrap_or_else(|| format!("b{}", band + 1));
        let title = title.unwrap_or_else(|| name.clone());
        let found = statistics(bands, band, shares.as_deref(), question.options);
        all.insert(name, document(&found, &title, question.options));
    }
    Value::Object(all)
}

/// The numbers of a band in TiTiler's words; what is not a number is null.
fn document(found: &Statistics, title: &str, options: &Options) -> Value {
    let mut told = json!({
        "min": found.min,
        "max": found.max,
        "mean": found.mean,
        "count": found.count,
        "sum": found.sum,
        "std": found.std,
        "median": found.median,
        "majority": found.majority,
        "minority": found.minority,
        "unique": found.unique as f64,
        "histogram": [found.histogram.0, found.histogram.1],
        "valid_percent": found.valid_percent,
        "masked_pixels": found.masked_pixels as f64,
        "valid_pixels": found.valid_pixels as f64,
        "description": title,
    });
    for (percent, value) in options.percentiles.iter().zip(&found.percentiles) {
        told[format!("percentile_{percent}")] = json!(value);
    }
    told
}
