//! What went wrong with a WMTS request in keys and values, as its clients read it: an exception report (OWS Common, 06-121r3,
//! clause 8; codes of 07-057r7, tables 20 and 27).

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use http::uri::PathAndQuery;
use http::{Request, Response, Uri};

use super::wmts::Escaped;
use crate::request::kvp::{self, Fault};
use crate::request::{Grids, Refused};
use crate::response::Problem;

/// Brings a request in keys and values to the path that asks for the same. Nothing where it is none.
pub(super) fn restful(request: &mut Request<Bytes>) -> Option<Result<(), Refused>> {
    let uri = request.uri().clone();
    let found = kvp::restful(uri.path(), uri.query().unwrap_or_default())?;
    Some(found.and_then(move |(path, query)| {
        let whole = if query.is_empty() {
            path
        } else {
            format!("{path}?{query}")
        };
        let mut parts = uri.into_parts();
        parts.path_and_query = PathAndQuery::try_from(whole).ok();
        *request.uri_mut() = Uri::from_parts(parts).map_err(|_| Refused::NoSuchPath)?;
        Ok(())
    }))
}

/// The problem in the words of its clients: what is off its grid, or not known, is their mistake, and has a key.
pub(super) fn in_keys(problem: Problem, grids: &Grids) -> Problem {
    let told = |fault, key, reason| Problem::Refused(Refused::Kvp { fault, key, reason });
    let invalid = |key, reason| told(Fault::InvalidParameterValue, key, reason);
    match problem {
        Problem::Refused(Refused::OffGrid { grid, z, y, .. }) => {
            let grid = grids.parse(&grid).ok();
            let matrix = grid
                .as_ref()
                .and_then(|grid| grid.set().matrix(z.try_into().ok()?));
            match matrix {
                None => invalid("tilematrix", "is not one of this tilematrixset"),
                Some(matrix) if y >= u64::from(matrix.height) => {
                    told(Fault::TileOutOfRange, "tilerow", "is not on this matrix")
                }
                Some(_) => told(Fault::TileOutOfRange, "tilecol", "is not on this matrix"),
            }
        }
        Problem::Refused(Refused::Unknown { kind: "layer" }) => {
            invalid("layer", "is not a name that is known here")
        }
        // Of a request that was brought to a path only the name of the grid can lead nowhere.
        Problem::Refused(Refused::Unknown { .. } | Refused::NoSuchPath) => {
            invalid("tilematrixset", "is not a name that is known here")
        }
        other => other,
    }
}

/// Puts the report in place of an answer's body.
pub(super) fn report(problem: &Problem, response: &mut Response<Bytes>) {
    let (code, locator) = match problem {
        Problem::Refused(Refused::Kvp { fault, key, .. }) => (format!("{fault:?}"), Some(key.to_string())),
        Problem::Refused(Refused::Parameter { name, .. }) => {
            ("InvalidParameterValue".to_owned(), Some(name.clone()))
        }
        _ => ("NoApplicableCode".to_owned(), None),
    };
    let locator = locator.map(|key| format!(" locator=\"{}\"", Escaped(&key)));
    let xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ExceptionReport xmlns=\"http://www.opengis.net/ows/1.1\" version=\"1.1.0\" \
         xml:lang=\"en\">\n<Exception exceptionCode=\"{code}\"{}>\n<ExceptionText>{}</ExceptionText>\n</Exception>\n</ExceptionReport>\n",
        locator.unwrap_or_default(),
        Escaped(&problem.to_string())
    );
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/xml"));
    headers.insert(CONTENT_LENGTH, xml.len().into());
    *response.body_mut() = xml.into();
}
