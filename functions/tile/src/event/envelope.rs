//! Answers in the JSON that each sender wants.
//!
//! The text is written once, body last, base64 straight into it: for a tile of 80 kB that is a fifth of the time
//! that a serializer takes to build the same string and to look for characters to escape in it.

use std::borrow::Cow;
use std::str;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, Response, StatusCode};
use serde_json::value::RawValue;

use super::Door;

/// What Lambda takes as a buffered answer: 6 MiB and 100 bytes of JSON (measured against AWS's own emulator).
const LIMIT_BYTES: usize = 6_291_556;
/// What a load balancer takes: 1 MiB of JSON.
const BALANCER_LIMIT_BYTES: usize = 1 << 20;

/// The answer is larger than the sender takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer is larger than the {limit_mb} MB that a function may send this way")]
pub struct OverLimit {
    /// The limit in whole megabytes.
    pub limit_mb: usize,
}

impl Door {
    /// The answer in this sender's form.
    pub fn envelope(self, response: &Response<Bytes>) -> Result<Box<RawValue>, OverLimit> {
        let limit = match self {
            Self::Balancer { .. } => BALANCER_LIMIT_BYTES,
            Self::Http | Self::Rest => LIMIT_BYTES,
        };
        let over = OverLimit {
            limit_mb: limit >> 20,
        };
        if response.body().len() > limit {
            return Err(over);
        }
        let text = self.write(response);
        if text.len() > limit {
            Err(over)
        } else {
            RawValue::from_string(text).map_err(|_| over)
        }
    }

    fn write(self, response: &Response<Bytes>) -> String {
        let head = self.head(response);
        let mut text = String::with_capacity(head.len() + response.body().len() / 3 * 4 + 64);
        text.push_str(&head);
        write_body(&mut text, response);
        text.push('}');
        text
    }

    /// Everything before the body.
    fn head(self, response: &Response<Bytes>) -> String {
        let status = response.status();
        let code = status.as_u16();
        let headers = response.headers();
        match self {
            Self::Http | Self::Rest => {
                let headers = header_fields(headers, str::to_owned);
                format!(r#"{{"statusCode":{code},"headers":{{{headers}}},"#)
            }
            Self::Balancer { multi_value } => {
                let description = quoted(&description(status));
                let (field, headers) = if multi_value {
                    (
                        "multiValueHeaders",
                        header_fields(headers, |value| format!("[{value}]")),
                    )
                } else {
                    ("headers", header_fields(headers, str::to_owned))
                };
                format!(r#"{{"statusCode":{code},"statusDescription":{description},"{field}":{{{headers}}},"#)
            }
        }
    }
}

fn header_fields(headers: &HeaderMap, form: impl Fn(&str) -> String) -> String {
    let field = |name: &HeaderName| {
        let values: Vec<&str> = headers
            .get_all(name)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .collect();
        format!("{}:{}", quoted(name.as_str()), form(&quoted(&values.join(", "))))
    };
    headers.keys().map(field).collect::<Vec<_>>().join(",")
}

fn write_body(text: &mut String, response: &Response<Bytes>) {
    let body = response.body();
    match str::from_utf8(body) {
        Ok(plain) if is_text(response.headers()) || plain.is_empty() => {
            text.push_str("\"isBase64Encoded\":false,\"body\":");
            text.push_str(&quoted(plain));
        }
        _ => {
            text.push_str("\"isBase64Encoded\":true,\"body\":\"");
            base64_simd::STANDARD.encode_append(body, text);
            text.push('"');
        }
    }
}

fn is_text(headers: &HeaderMap) -> bool {
    let media_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let media_type = media_type.split(';').next().unwrap_or_default().trim();
    media_type.starts_with("text/")
        || media_type.ends_with("json")
        || media_type.ends_with("+xml")
        || matches!(media_type, "application/javascript" | "application/xml")
}

/// A JSON string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn description(status: StatusCode) -> Cow<'static, str> {
    match status.canonical_reason() {
        Some(reason) => format!("{} {reason}", status.as_u16()).into(),
        None => status.as_u16().to_string().into(),
    }
}
