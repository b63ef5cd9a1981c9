use bytes::Bytes;
use http::{Method, Request};

use super::super::query::every_name;
use super::super::{Grids, Route};
use super::*;

fn filled(path: &str) -> String {
    [
        ("{layer}", "a"),
        ("{tms}", "WebMercatorQuad"),
        ("{z}/{x}/{y}", "0/0/0"),
        ("{scale}", "2"),
        ("{format}", "png"),
        ("{lon},{lat}", "11.5,48.1"),
        ("{minx},{miny},{maxx},{maxy}", "11,48,12,49"),
        ("{width}x{height}", "40x30"),
        ("{name}", "viridis"),
        ("{index}", "ndvi"),
    ]
    .iter()
    .fold(path.to_owned(), |path, (name, value)| path.replace(name, value))
}

fn all() -> Vec<(String, bool)> {
    let behind = PREFIXES
        .iter()
        .flat_map(|prefix| prefix.rows().map(|row| (prefix.path_of(row), row.is_posted)));
    behind
        .chain(ALONE.iter().map(|row| (row.path.to_owned(), row.is_posted)))
        .collect()
}

fn read(path: &str, query: &str, is_posted: bool) -> Result<Route, super::super::Refused> {
    let square = r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}"#;
    let feature = format!(r#"{{"type":"Feature","properties":{{}},"geometry":{square}}}"#);
    let mut request = Request::new(Bytes::from(feature));
    *request.uri_mut() = format!("{path}?{query}").parse().unwrap();
    if is_posted {
        *request.method_mut() = Method::POST;
    }
    Route::read(&request, &Grids::default())
}

#[test]
fn every_route_of_the_table_is_read() {
    for (path, is_posted) in all() {
        let query = match path.as_str() {
            path if path.starts_with("/cog") => "url=a.tif",
            path if path.starts_with("/mosaicjson") => "url=a.json",
            path if path.starts_with("/stac") => "url=a.json&assets=red",
            _ => "",
        };
        let read = read(&filled(&path), query, is_posted);
        assert!(read.is_ok(), "{path}: {read:?}");
    }
}

#[test]
fn every_route_that_is_read_is_in_the_table() {
    let code = include_str!("../route.rs");
    let arms = code
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("[\"") && line.contains("=>"));
    let words = arms.flat_map(|arm| {
        arm.split("=>")
            .next()
            .unwrap_or_default()
            .split('"')
            .skip(1)
            .step_by(2)
    });
    let table: Vec<String> = all().into_iter().map(|(path, _)| path).collect();
    let table = table.join(" ");
    let missing: Vec<&str> = words
        .filter(|word| !table.contains(&format!("/{word}")))
        .collect();
    assert!(missing.is_empty(), "request/table.rs lacks {missing:?}");
}

#[test]
fn every_parameter_is_in_the_table_and_no_other() {
    let mut known: Vec<&str> = every_name().collect();
    known.sort_unstable();
    let told: Vec<&str> = PARAMETERS.iter().map(|(name, ..)| *name).collect();
    assert_eq!(told, known);
    let used = BEHIND.iter().chain(ALONE).flat_map(|row| row.parameters);
    for name in used
        .chain(PREFIXES.iter().flat_map(|prefix| prefix.sources))
        .chain(Style::PARAMETERS)
    {
        assert!(told.contains(name), "{name}");
    }
}
