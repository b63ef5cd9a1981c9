//! What the values of files come to, band by band, as JSON.

use edgetile_raster::samples::{Mask, Raster, Samples};
use edgetile_raster::statistics::{Options, Statistics, statistics};
use edgetile_raster::warp::Target;
use futures_util::future::try_join_all;
use serde_json::{Map, Value, json};

use crate::bind::{Binding, File};
use crate::cut::shares;
use crate::layers::Task;
use crate::response::{About, Cost, Freshness, Outcome, Problem};
use crate::target::target;
use crate::tile::{Call, Clock, Reading, etag, freshness};

/// Features whose pixels are read at once.
const AT_ONCE: usize = 4;

/// What is asked of the values.
#[derive(Clone, Copy, Debug)]
struct Question<'a> {
    options: &'a Options,
    /// Parts of a pixel's side, where values count by the share that an outline covers.
    cover_scale: u32,
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
        let numbers = Box::pin(self.numbers(&files, task, &target, question, (call, &mut clock))).await;
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
        document: &Value,
        (options, cover_scale): (&Options, u32),
        call: &Call<'_>,
    ) -> Result<Outcome, Problem> {
        let first = tasks.first().ok_or(Problem::Internal)?;
        let question = Question { options, cover_scale };
        let told = || self.try_features(tasks, question, call);
        let (numbers, about) = self.patient(&first.files, told).await?;
        let mut document = document.clone();
        if let Some(features) = document.get_mut("features").and_then(Value::as_array_mut) {
            for (feature, numbers) in features.iter_mut().zip(numbers) {
                add(feature, numbers);
            }
        } else {
            for numbers in numbers {
                add(&mut document, numbers);
            }
        }
        Ok(Outcome::Content {
            body: document.to_string().into(),
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
        let mut all = Vec::with_capacity(tasks.len());
        let mut cost = Cost::default();
        for some in tasks.chunks(AT_ONCE) {
            let told = some
                .iter()
                .map(|task| Box::pin(self.of_feature(&files, task, question, call)));
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

    /// The numbers of one feature; beside the files they are those of no pixel.
    async fn of_feature(
        &self,
        files: &[File],
        task: &Task,
        question: Question<'_>,
        call: &Call<'_>,
    ) -> Result<(Value, Cost), Problem> {
        let target = target(&task.frame, &task.style, files)?;
        let mut clock = Clock::start();
        let numbers = self.numbers(files, task, &target, question, (call, &mut clock));
        match numbers.await? {
            (Some(numbers), cost) => Ok((numbers, cost)),
            (None, cost) => {
                let binding = Binding::new(files, &task.style)?;
                let nothing = nothing(binding.outputs(), target.size);
                Ok((tell(files, task, &target, question, (&binding, &nothing))?, cost))
            }
        }
    }

    /// The bands by their numbers; nothing where no file meets the target.
    async fn numbers(
        &self,
        files: &[File],
        task: &Task,
        target: &Target,
        question: Question<'_>,
        (call, clock): (&Call<'_>, &mut Clock),
    ) -> Result<(Option<Value>, Cost), Problem> {
        let tell = |binding: &Binding, bands: &Raster| tell(files, task, target, question, (binding, bands));
        self.with_bands(files, &task.style, target, (call, clock), tell)
            .await
    }
}

/// The numbers of bands, by the bands' names.
fn tell(
    files: &[File],
    task: &Task,
    target: &Target,
    question: Question<'_>,
    (binding, bands): (&Binding, &Raster),
) -> Result<Value, Problem> {
    let shares = shares(&task.frame, target, question.cover_scale)?;
    let names = binding.names(files).into_iter().map(Some);
    let titles = binding.descriptions(files, &task.style).into_iter().map(Some);
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
    Ok(Value::Object(all))
}

/// Bands without data.
fn nothing(bands: usize, (width, height): (usize, usize)) -> Raster {
    Raster {
        bands,
        height,
        width,
        samples: Samples::U8(vec![0; bands * height * width]),
        mask: Mask::Shared(vec![0; height * width]),
    }
}

/// Puts numbers among the properties of a feature.
fn add(feature: &mut Value, numbers: Value) {
    if !feature["properties"].is_object() {
        feature["properties"] = json!({});
    }
    feature["properties"]["statistics"] = numbers;
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
