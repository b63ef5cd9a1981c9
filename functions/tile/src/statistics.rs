//! What the values of files come to, band by band, as JSON.

use edgetile_raster::samples::Raster;
use edgetile_raster::statistics::{Options, Statistics, statistics};
use edgetile_raster::warp::Target;
use serde_json::{Map, Value, json};

use crate::bind::{Binding, File};
use crate::layers::Task;
use crate::response::{About, Outcome, Problem};
use crate::target::target;
use crate::tile::{Call, Clock, Reading, etag, freshness};

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
        let numbers = self.numbers(&files, task, &target, options, (call, &mut clock, &mut about));
        let numbers = Box::pin(numbers).await;
        let numbers = self.current(&files, numbers, call).await?;
        Ok(Outcome::Content {
            body: numbers.to_string().into(),
            media_type: "application/json",
            about: clock.stamp(about, call),
        })
    }

    /// The bands by their numbers.
    async fn numbers(
        &self,
        files: &[File],
        task: &Task,
        target: &Target,
        options: &Options,
        (call, clock, about): (&Call<'_>, &mut Clock, &mut About),
    ) -> Result<Value, Problem> {
        let tell = |binding: &Binding, bands: &Raster| {
            let names = binding.names(files).into_iter().map(Some);
            let titles = binding.descriptions(files, &task.style).into_iter().map(Some);
            let mut all = Map::new();
            // An algorithm makes other bands than those that were bound.
            let named = names.chain(std::iter::repeat(None));
            let named = named.zip(titles.chain(std::iter::repeat(None))).take(bands.bands);
            for (band, (name, title)) in named.enumerate() {
                let name = name.unwrap_or_else(|| format!("b{}", band + 1));
                let title = title.unwrap_or_else(|| name.clone());
                let found = statistics(bands, band, None, options);
                all.insert(name, document(&found, &title, options));
            }
            Ok(Value::Object(all))
        };
        let (told, cost) = self
            .with_bands(files, &task.style, target, (call, clock), tell)
            .await?;
        about.cost = Some(cost);
        clock.lap("statistics");
        told.ok_or_else(|| Problem::not_found("data there"))
    }
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
