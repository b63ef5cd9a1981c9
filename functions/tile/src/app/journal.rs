//! One line for each request: what, how long, how much.
//!
//! Where metrics are wanted, the line is one of CloudWatch's embedded metric format: CloudWatch makes metrics of the
//! numbers that its member `_aws` names (Amazon CloudWatch User Guide, "Specification: Embedded metric format").

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tracing::{error, info};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;

use crate::response::Cost;
use crate::settings::Metrics;

/// The metrics of a line, with their units.
const METRICS: [(&str, &str); 8] = [
    ("Milliseconds", "Milliseconds"),
    ("Gets", "Count"),
    ("ReadBytes", "Bytes"),
    ("AnswerBytes", "Bytes"),
    ("CacheHits", "Count"),
    ("CacheMisses", "Count"),
    ("FirstRequests", "Count"),
    ("Faults", "Count"),
];

/// What a request came to. The query is left out, it may hold a signature.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) status: u16,
    pub(super) ms: f64,
    /// Bytes of the answer.
    pub(super) bytes: usize,
    pub(super) cost: Option<Cost>,
    /// The value of `Server-Timing`.
    pub(super) steps: &'a str,
    /// The platform's name for the request: X-Ray's, or the invocation's.
    pub(super) trace: &'a str,
    /// The caller's trace.
    pub(super) traceparent: &'a str,
    /// What went wrong, in the words of the answer.
    pub(super) detail: &'a str,
}

/// Where the lines go.
#[derive(Debug)]
pub(super) struct Journal {
    metrics: Option<Metrics>,
    /// Whether this process has answered yet.
    warm: AtomicBool,
}

impl Journal {
    pub(super) fn new(metrics: Option<Metrics>) -> Self {
        Self {
            metrics,
            warm: AtomicBool::new(false),
        }
    }

    pub(super) fn write(&self, entry: &Entry<'_>) {
        let first = !self.warm.swap(true, Ordering::Relaxed);
        if let Some(metrics) = &self.metrics {
            let line = line(entry, first, metrics, SystemTime::now());
            // A log that cannot be written is no reason to refuse tiles.
            let _ = writeln!(std::io::stdout(), "{line}");
            return;
        }
        let Entry {
            method,
            path,
            status,
            ms,
            bytes,
            cost,
            steps,
            trace,
            traceparent,
            detail,
        } = *entry;
        let cost = cost.map(|cost| cost.to_string()).unwrap_or_default();
        if status >= 500 {
            error!(
                method,
                path, status, ms, bytes, cost, steps, trace, traceparent, first, detail
            );
        } else {
            info!(
                method,
                path, status, ms, bytes, cost, steps, trace, traceparent, first, detail
            );
        }
    }
}

/// The line with metrics. `Faults` are requests on which this program went wrong, not the caller, a file or a store.
fn line(entry: &Entry<'_>, first: bool, metrics: &Metrics, now: SystemTime) -> Value {
    let cost = entry.cost.unwrap_or_default();
    let names = METRICS.map(|(name, unit)| json!({ "Name": name, "Unit": unit }));
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    json!({
        "timestamp": timestamp(),
        "level": if entry.status >= 500 { "ERROR" } else { "INFO" },
        "method": entry.method,
        "path": entry.path,
        "status": entry.status,
        "cost": entry.cost.map(|cost| cost.to_string()),
        "steps": entry.steps,
        "trace": entry.trace,
        "traceparent": entry.traceparent,
        "detail": entry.detail,
        "FunctionName": metrics.function,
        "Milliseconds": entry.ms,
        "Gets": cost.gets,
        "ReadBytes": cost.bytes,
        "AnswerBytes": entry.bytes,
        "CacheHits": cost.hits,
        "CacheMisses": cost.misses,
        "FirstRequests": u8::from(first),
        "Faults": u8::from(entry.status == 500),
        "_aws": {
            "Timestamp": since.as_millis() as u64,
            "CloudWatchMetrics": [{
                "Namespace": metrics.namespace,
                "Dimensions": [["FunctionName"]],
                "Metrics": names,
            }],
        },
    })
}

/// RFC 3339, in UTC.
fn timestamp() -> String {
    let mut text = String::new();
    let _ = tracing_subscriber::fmt::time::SystemTime.format_time(&mut Writer::new(&mut text));
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn entry(status: u16) -> Entry<'static> {
        Entry {
            method: "GET",
            path: "/ndvi/1/0/0.png",
            status,
            ms: 12.5,
            bytes: 99,
            cost: Some(Cost {
                gets: 3,
                bytes: 70_000,
                ..Cost::default()
            }),
            steps: "",
            trace: "Root=1",
            traceparent: "",
            detail: "",
        }
    }

    fn line_of(status: u16) -> Value {
        let metrics = Metrics {
            namespace: "tiles".into(),
            function: "f".into(),
        };
        line(
            &entry(status),
            true,
            &metrics,
            UNIX_EPOCH + Duration::from_millis(1_700_000_000_123),
        )
    }

    #[test]
    fn every_metric_and_dimension_that_the_line_declares_is_a_member_of_it() {
        let line = line_of(200);
        let declared = &line["_aws"]["CloudWatchMetrics"][0];
        assert_eq!(declared["Namespace"], "tiles");
        for metric in declared["Metrics"].as_array().unwrap() {
            assert!(line[metric["Name"].as_str().unwrap()].is_number(), "{metric}");
        }
        for name in declared["Dimensions"][0].as_array().unwrap() {
            assert!(line[name.as_str().unwrap()].is_string(), "{name}");
        }
        assert_eq!(line["_aws"]["Timestamp"], 1_700_000_000_123_u64);
        assert_eq!((&line["Gets"], &line["ReadBytes"]), (&json!(3), &json!(70_000)));
        assert!(!line.to_string().contains('\n'));
    }

    #[test]
    fn only_our_own_mistakes_are_faults() {
        assert_eq!(
            (&line_of(500)["Faults"], &line_of(500)["level"]),
            (&json!(1), &json!("ERROR"))
        );
        assert_eq!(
            (&line_of(502)["Faults"], &line_of(502)["level"]),
            (&json!(0), &json!("ERROR"))
        );
        assert_eq!(
            (&line_of(404)["Faults"], &line_of(404)["level"]),
            (&json!(0), &json!("INFO"))
        );
    }

    #[test]
    fn the_time_is_one_that_logs_understand() {
        let text = timestamp();
        assert!(
            text.starts_with("20") && text.ends_with('Z') && text.as_bytes()[10] == b'T',
            "{text}"
        );
    }
}
