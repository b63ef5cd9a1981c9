//! Routes with a body: a picture of a feature, statistics of features.

use bytes::Bytes;
use http::Request;
use http::header::CONTENT_ENCODING;

use super::super::{FeaturesRequest, Format, Frame, NamedCrs, Query, Refused, Window, feature};
use super::{Line, Route, segments, statistics};

/// Reads a POST: the path and the query as of any request, the body as GeoJSON.
pub(super) fn read(path: &str, raw_query: &str, request: &Request<Bytes>) -> Result<Route, Refused> {
    let (headers, body) = (request.headers(), request.body());
    let segments = segments(path)?;
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    if headers
        .get(CONTENT_ENCODING)
        .is_some_and(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity"))
    {
        return Err(Refused::CodedBody);
    }
    let query = Query::parse(raw_query)?;
    let (line, rest) = Line::behind(&segments, &query)?;
    let crs = NamedCrs::read(&query, ["coord_crs", "coord-crs"])?;
    let crs = crs.map_or_else(NamedCrs::wgs84, Ok)?;
    match rest {
        ["statistics"] => line.read_features(&query, body, &crs),
        [first, rest @ ..] => {
            let extension = first.strip_prefix("feature").ok_or(Refused::NoSuchPath)?;
            let outline = feature::of_feature(&feature::document(body)?, &crs)?;
            let rest = [&[extension], rest].concat();
            line.read_window(Window::feature(&rest, outline, crs, &query)?, &query)
        }
        [] => Err(Refused::NoSuchPath),
    }
}

impl Line {
    fn read_features(self, query: &Query, body: &[u8], crs: &NamedCrs) -> Result<Route, Refused> {
        let outlines = feature::of_features(&feature::document(body)?, crs)?;
        let asked = self.asked.clone();
        // As all are of one style, the first tells what the others differ in.
        let first = Window::feature(&[""], outlines[0].clone(), crs.clone(), query)?.0;
        let mut image = self.image(Frame::Window(first), Some(Format::Npy), query)?;
        image.style = image.style.without_colours();
        let mut images = Vec::with_capacity(outlines.len());
        for outline in outlines {
            let (window, _) = Window::feature(&[""], outline, crs.clone(), query)?;
            image.frame = Frame::Window(Window {
                is_aligned: true,
                ..window
            });
            images.push(image.clone());
        }
        Ok(Route::Features(Box::new(FeaturesRequest {
            asked,
            images,
            options: statistics::read(query)?,
            cover_scale: statistics::read_cover_scale(query)?,
            document: feature::text(body)?.to_owned(),
        })))
    }
}
