//! Lambda events, as plain HTTP: whatever invoked the function, the line sees one kind of request.
//!
//! [`Event`] reads what Function URLs and API Gateway HTTP APIs (payload 2.0), API Gateway REST APIs (1.0) and
//! load balancers send. [`Door::envelope`] writes the answer in the form that the same sender wants. The low form
//! holds no event types: an `http` request, its [`Deadline`] and [`Trace`] beside it.

mod envelope;

use std::collections::BTreeMap;
use std::time::Instant;

use bytes::Bytes;
use http::header::{HeaderName, HeaderValue};
use http::{HeaderMap, Method, Request, Uri};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde::Deserialize;

use crate::request::encode;

pub use envelope::OverLimit;

/// When the answer must be ready: an extension of each request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline(pub Instant);

/// The sender's name for this request, for the log: an extension of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace(pub String);

/// What stands before every path outside, such as `/prod`: an extension of requests through a named stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicPrefix(pub String);

/// One invocation.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Written")]
pub struct Event {
    /// What is asked.
    pub request: Request<Bytes>,
    /// Who asked, and so how to answer.
    pub door: Door,
}

/// Who invoked the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// A Function URL or an HTTP API: payload format 2.0.
    Http,
    /// A REST API: payload format 1.0.
    Rest,
    /// A load balancer.
    Balancer {
        /// The target group has multi-value headers switched on.
        multi_value: bool,
    },
}

/// An event that is no HTTP request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotHttp {
    /// It has neither `rawPath` nor `path`.
    #[error("the event is not of a function URL, an API gateway or a load balancer")]
    Shape,
    /// It has no method, or one that is none.
    #[error("the event has no HTTP method")]
    Method,
    /// Its path and query make no address.
    #[error("the event's path is no path")]
    Path,
    /// Its body is not what its flag says.
    #[error("the event's body is not base64")]
    Body,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    raw_path: Option<String>,
    raw_query_string: Option<String>,
    path: Option<String>,
    http_method: Option<String>,
    query_string_parameters: Option<BTreeMap<String, Option<String>>>,
    multi_value_query_string_parameters: Option<BTreeMap<String, Vec<String>>>,
    headers: Option<BTreeMap<String, Option<String>>>,
    multi_value_headers: Option<BTreeMap<String, Vec<String>>>,
    #[serde(default)]
    request_context: Context,
    body: Option<String>,
    #[serde(default)]
    is_base64_encoded: bool,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Context {
    stage: Option<String>,
    path: Option<String>,
    http: Option<ContextHttp>,
    elb: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct ContextHttp {
    method: Option<String>,
}

impl TryFrom<Written> for Event {
    type Error = NotHttp;

    fn try_from(written: Written) -> Result<Self, NotHttp> {
        let door = written.door();
        let (path, prefix) = written.paths()?;
        let target = match written.query(door) {
            query if query.is_empty() => visible(&path, PATH),
            query => format!("{}?{}", visible(&path, PATH), visible(&query, QUERY)),
        };
        let mut request = Request::new(written.decoded_body()?);
        *request.uri_mut() = target.parse::<Uri>().map_err(|_| NotHttp::Path)?;
        *request.method_mut() = written.method()?;
        *request.headers_mut() = written.header_map();
        if let Some(prefix) = prefix {
            request.extensions_mut().insert(PublicPrefix(prefix));
        }
        Ok(Self { request, door })
    }
}

impl Written {
    fn door(&self) -> Door {
        if self.raw_path.is_some() {
            Door::Http
        } else if self.request_context.elb.is_some() {
            Door::Balancer {
                multi_value: self.multi_value_headers.is_some(),
            }
        } else {
            Door::Rest
        }
    }

    fn method(&self) -> Result<Method, NotHttp> {
        let of_context = self
            .request_context
            .http
            .as_ref()
            .and_then(|http| http.method.as_deref());
        let method = of_context
            .or(self.http_method.as_deref())
            .ok_or(NotHttp::Method)?;
        Method::from_bytes(method.as_bytes()).map_err(|_| NotHttp::Method)
    }

    /// The path as the function knows it, and what callers write before it.
    ///
    /// An HTTP API puts a named stage into `rawPath`; a REST API leaves it out of `path` but has it in the
    /// context's, so that a first folder of the stage's name is not taken for the stage.
    fn paths(&self) -> Result<(String, Option<String>), NotHttp> {
        let path = self
            .raw_path
            .as_deref()
            .or(self.path.as_deref())
            .ok_or(NotHttp::Shape)?;
        let stage = self
            .request_context
            .stage
            .as_deref()
            .filter(|stage| !stage.is_empty() && *stage != "$default");
        let Some(prefix) = stage.map(|stage| format!("/{stage}")) else {
            return Ok((path.to_owned(), None));
        };
        let outside = self.request_context.path.as_deref();
        if self.raw_path.is_none() && outside == Some(&format!("{prefix}{path}")) {
            return Ok((path.to_owned(), Some(prefix)));
        }
        match path.strip_prefix(&prefix) {
            Some("") => Ok(("/".to_owned(), Some(prefix))),
            Some(rest) if rest.starts_with('/') => Ok((rest.to_owned(), Some(prefix))),
            _ => Ok((path.to_owned(), None)),
        }
    }

    /// The query as it was sent, or one that decodes to the same.
    fn query(&self, door: Door) -> String {
        if let Some(raw) = &self.raw_query_string {
            return raw.clone();
        }
        // A REST API hands over decoded values, a load balancer raw ones.
        let field = |name: &str, value: &str| match door {
            Door::Balancer { .. } => format!("{name}={value}"),
            _ => format!("{}={}", encode(name), encode(value)),
        };
        let fields: Vec<String> = match (
            &self.multi_value_query_string_parameters,
            &self.query_string_parameters,
        ) {
            (Some(many), _) => many
                .iter()
                .flat_map(|(name, values)| values.iter().map(move |value| field(name, value)))
                .collect(),
            (None, Some(one)) => one
                .iter()
                .map(|(name, value)| field(name, value.as_deref().unwrap_or_default()))
                .collect(),
            (None, None) => Vec::new(),
        };
        fields.join("&")
    }

    fn header_map(&self) -> HeaderMap {
        let many = self.multi_value_headers.iter().flatten();
        let many = many.flat_map(|(name, values)| values.iter().map(move |value| (name, value)));
        let one = self
            .headers
            .iter()
            .filter(|_| self.multi_value_headers.is_none())
            .flatten();
        let one = one.filter_map(|(name, value)| Some((name, value.as_ref()?)));
        let mut headers = HeaderMap::new();
        for (name, value) in many.chain(one) {
            if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(value)) {
                headers.append(name, value);
            }
        }
        headers
    }

    fn decoded_body(&self) -> Result<Bytes, NotHttp> {
        match &self.body {
            Some(text) if self.is_base64_encoded => {
                let bytes = base64_simd::STANDARD
                    .decode_to_vec(text)
                    .map_err(|_| NotHttp::Body)?;
                Ok(bytes.into())
            }
            Some(text) => Ok(text.clone().into()),
            None => Ok(Bytes::new()),
        }
    }
}

/// What cannot stand in a request target; senders that decode leave it behind.
const QUERY: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');
const PATH: &AsciiSet = &QUERY.add(b'?');

fn visible(text: &str, set: &'static AsciiSet) -> String {
    utf8_percent_encode(text, set).to_string()
}

#[cfg(test)]
mod tests;
