//! The Lambda door: events in, envelopes out, one environment for many invocations.
//!
//! Answers are buffered, not streamed: a streamed empty answer (204, 304, HEAD) hangs behind CloudFront, and a streamed
//! small one waits for a delayed acknowledgement. On Managed Instances invocations come side by side; the same loop
//! serves both.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use http::Response;
use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};
use serde_json::value::RawValue;
use tokio::runtime::Builder;
use tracing::Level;

use crate::app::App;
use crate::event::{Deadline, Door, Event, OverLimit, Trace};
use crate::response::Problem;
use crate::settings::Settings;

/// What is left of an invocation's time for sending the answer.
const MARGIN: Duration = Duration::from_millis(300);

/// The function: builds the app, then answers invocations until the environment ends.
///
/// One thread: a fraction of a processor is all that most functions have.
pub fn main(environment: BTreeMap<String, String>) -> Result<(), String> {
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_max_level(Level::INFO)
        .with_target(false)
        .init();
    let settings = Settings::read(&BTreeMap::new(), environment).map_err(|error| error.to_string())?;
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let app = App::start(settings).await.map_err(|error| error.to_string())?;
        // Init runs at full speed, and nothing runs between it and the first invocation.
        app.warm().await;
        run(app).await.map_err(|error| error.to_string())
    })
}

async fn run(app: App) -> Result<(), Error> {
    let app = Arc::new(app);
    let handler = service_fn(move |event| {
        let app = app.clone();
        async move { answer(&app, event).await }
    });
    Runtime::new(handler).run_concurrent().await
}

async fn answer(app: &App, event: LambdaEvent<Event>) -> Result<Box<RawValue>, Error> {
    let (Event { mut request, door }, context) = event.into_parts();
    let extensions = request.extensions_mut();
    extensions.insert(Deadline(deadline(context.deadline())));
    extensions.insert(Trace(context.xray_trace_id.unwrap_or(context.request_id)));
    let pack = |response: &Response<Bytes>| door.envelope(response).map_err(|over| too_large(door, over));
    let (_, packed) = app.packed(request, pack).await;
    Ok(packed?)
}

/// The platform's deadline on this process's clock, less the margin.
fn deadline(until: SystemTime) -> Instant {
    let left = until.duration_since(SystemTime::now()).unwrap_or_default();
    Instant::now() + left.saturating_sub(MARGIN)
}

fn too_large(door: Door, over: OverLimit) -> Problem {
    let remedy = match door {
        Door::Balancer { .. } => "ask for a smaller tilesize or scale, or use a function URL",
        Door::Http | Door::Rest => {
            "ask for a smaller tilesize or scale, fewer bands, or png in place of npy or tif"
        }
    };
    Problem::TooLarge {
        what: over.to_string(),
        remedy: remedy.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deadline_leaves_time_to_send() {
        let left = deadline(SystemTime::now() + Duration::from_secs(10)) - Instant::now();
        assert!(
            left > Duration::from_millis(9500) && left <= Duration::from_millis(9700),
            "{left:?}"
        );
        let past = deadline(SystemTime::now() - Duration::from_secs(10));
        assert!(past <= Instant::now());
    }

    #[test]
    fn an_answer_over_the_limit_names_the_remedy() {
        let problem = too_large(Door::Http, OverLimit { limit_mb: 6 });
        assert!(problem.to_string().contains("6 MB"), "{problem}");
        assert!(problem.to_string().contains("smaller tilesize"), "{problem}");
    }
}
