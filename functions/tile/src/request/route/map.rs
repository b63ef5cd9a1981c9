//! TiTiler's pages with a map: they are the page at the root, told what to show.
//!
//! `…/map.html` shows what tiles of the same prefix and query show. The page reads that behind `#of=`, which no server sees.

use super::super::{Grids, Query, Refused, Style, encode};
use super::{Line, Route};

/// `map.html` behind a prefix that may name a grid.
pub(super) fn read(prefix: &[&str], query: (&Query, &str), grids: &Grids) -> Result<Route, Refused> {
    let (line, rest) = Line::behind(prefix, query.0)?;
    let is_web = match (prefix, rest) {
        (_, []) => true,
        (["tiles" | "cog" | "stac" | "mosaicjson", ..], [grid]) => grids.parse(grid)?.is_web(),
        _ => return Err(Refused::NoSuchPath),
    };
    if !is_web {
        let reason = "is drawn on WebMercatorQuad alone";
        return Err(Refused::parameter("map.html", reason));
    }
    shown(&line, prefix.len() + 1, query)
}

/// TiTiler's page that asks for an address: with one it shows what that names.
pub(super) fn viewer(kind: &str, query: (&Query, &str)) -> Result<Route, Refused> {
    match query.0.one("url")? {
        Some(_) => shown(&Line::behind(&[kind], query.0)?.0, 2, query),
        None => Ok(page(2, "")),
    }
}

/// The way from a path of so many `segments` to the page at the root, which shows a line.
fn shown(line: &Line, segments: usize, (query, raw_query): (&Query, &str)) -> Result<Route, Refused> {
    Style::parse(query)?;
    let mark = if raw_query.is_empty() { "" } else { "?" };
    let of = format!("{}{mark}{raw_query}", line.home.trim_start_matches('/'));
    Ok(page(segments, &format!("#of={}", encode(&of))))
}

/// The page at the root, from a path of so many segments. Relative, so that whatever stands before our paths stays.
fn page(segments: usize, hash: &str) -> Route {
    let up = "../".repeat(segments.saturating_sub(1));
    Route::Elsewhere(format!("{}{hash}", if up.is_empty() { "./" } else { &up }))
}
