//! The documents say what the code does: settings, routes, parameters, formats, statuses, limits, dependencies.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use edgetile_raster::grid;
use edgetile_raster::math::algorithm;
use edgetile_raster::plan::Limits;
use edgetile_raster::warp::Kernel;
use edgetile_tile::access::{Access, Denied, Root};
use edgetile_tile::guard::Barred;
use edgetile_tile::layers::Catalog;
use edgetile_tile::request::{Format, Grids, LARGEST_EDGE_PX, Methods, Refused, Route, Style, slip_of};
use edgetile_tile::response::{Policy, Problem};
use edgetile_tile::settings::{EmptyTile, TABLE};
use http::{HeaderValue, Method, Request};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests lie below the root")
        .to_owned()
}

/// The part of the README below a heading.
fn section(heading: &str) -> String {
    let text = fs::read_to_string(root().join("README.md")).expect("the README");
    let mut parts = text.split("\n## ");
    let part = parts.find_map(|part| part.strip_prefix(heading)?.strip_prefix('\n'));
    part.unwrap_or_else(|| panic!("the README has no section {heading}"))
        .to_owned()
}

/// The rows of the tables below a heading, without their heads: cells in order.
fn rows(heading: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| {
        let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
        inner
            .split('|')
            .map(|cell| cell.trim().to_owned())
            .collect::<Vec<_>>()
    };
    let section = section(heading);
    let lines: Vec<&str> = section.lines().collect();
    let is_ruler = |line: &str| line.starts_with("|---");
    let body = |at: usize| {
        let head = lines.get(at + 1).is_some_and(|next| is_ruler(next));
        lines[at].starts_with('|') && !is_ruler(lines[at]) && !head
    };
    (0..lines.len())
        .filter(|at| body(*at))
        .map(|at| cells(lines[at]))
        .collect()
}

/// The texts between backquotes.
fn spans(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[test]
fn settings_are_those_of_the_code() {
    let written: Vec<Vec<String>> = rows("Settings");
    let meant: Vec<Vec<String>> = TABLE
        .iter()
        .map(|setting| {
            let code = |text: &str| format!("`{text}`");
            vec![
                code(setting.name),
                setting.flag.map(code).unwrap_or_default(),
                setting.default.to_owned(),
                setting.meaning.to_owned(),
            ]
        })
        .collect();
    assert_eq!(written, meant, "README, Settings: write the rows of settings.rs");
}

/// Paths that a route of the README stands for.
fn paths(route: &str) -> Vec<String> {
    let filled = [
        ("{layer}", "ndvi"),
        ("{tms}", "WebMercatorQuad"),
        ("{z}/{x}/{y}", "0/0/0"),
        ("{s}", "2"),
        ("{format}", "png"),
        ("{lon},{lat}", "11.5,48.1"),
        ("{minx},{miny},{maxx},{maxy}", "11.5,48.1,11.6,48.2"),
        ("{width}x{height}", "40x30"),
        ("{name}", "viridis"),
        ("{index}", "ndvi"),
    ]
    .iter()
    .fold(route.to_owned(), |path, (name, value)| path.replace(name, value));
    let full = filled.replace(['[', ']'], "");
    let bare = filled.split('[').next().unwrap_or_default().to_owned();
    vec![full, bare]
}

fn query(path: &str) -> &'static str {
    match path {
        path if path.starts_with("/cog") => "url=a.tif",
        path if path.starts_with("/stac") || path.starts_with("/mosaicjson") => "url=a.json&assets=red",
        _ => "",
    }
}

/// Reads a path, or `POST ` and a path.
fn read(path: &str) -> Result<Route, Refused> {
    let (method, path) = match path.strip_prefix("POST ") {
        Some(path) => (Method::POST, path),
        None => (Method::GET, path),
    };
    let square = r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}"#;
    let feature = format!(r#"{{"type":"Feature","properties":{{}},"geometry":{square}}}"#);
    let mut request = Request::new(feature.into());
    *request.method_mut() = method;
    *request.uri_mut() = format!("{path}?{}", query(path)).parse().expect("an address");
    Route::read(&request, &Grids::default())
}

#[test]
fn every_route_in_the_table_is_answered() {
    for row in rows("Routes") {
        for route in spans(&row[0]) {
            for path in paths(route) {
                let read = read(&path);
                assert!(read.is_ok(), "README, Routes: {path} is refused: {read:?}");
                // A path of the viewer's that leads to no page would be read too.
                if let Ok(Route::Viewer(name)) = read {
                    assert!(
                        name.is_empty(),
                        "README, Routes: {path} is read as a file of the viewer"
                    );
                }
            }
        }
    }
}

#[test]
fn every_route_of_the_code_is_in_the_table() {
    let code = fs::read_to_string(root().join("functions/tile/src/request/route.rs")).expect("the routes");
    let table: String = rows("Routes").into_iter().map(|row| row[0].clone()).collect();
    let arms = code
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("[\"") && line.contains("=>"));
    let words: Vec<&str> = arms
        .flat_map(|arm| {
            arm.split("=>")
                .next()
                .unwrap_or_default()
                .split('"')
                .skip(1)
                .step_by(2)
        })
        .collect();
    assert!(
        words.len() > 12,
        "the routes are not found in route.rs: {words:?}"
    );
    for word in words {
        assert!(
            table.contains(&format!("/{word}")),
            "README, Routes: /{word} is missing"
        );
    }
}

#[test]
fn parameters_are_those_of_the_code() {
    let mut marked = BTreeSet::new();
    for row in rows("Parameters") {
        for name in spans(&row[0]) {
            assert_eq!(slip_of(name), None, "README, Parameters: no route reads {name}");
            if row[0].contains('●') {
                marked.insert(name.to_owned());
            }
        }
    }
    let style: BTreeSet<String> = Style::PARAMETERS.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(
        marked, style,
        "README, Parameters: ● marks the parameters of style"
    );
}

#[test]
fn algorithms_are_those_of_the_code() {
    let rows = rows("Algorithms");
    let of = |name: &str| rows.iter().find(|row| spans(&row[0]).contains(&name));
    for kind in algorithm::ALL {
        let row = of(kind.name).unwrap_or_else(|| panic!("README, Algorithms: {} is missing", kind.name));
        let names: Vec<&str> = kind.parameters.iter().map(|parameter| parameter.name).collect();
        assert_eq!(spans(&row[2]), names, "README, Algorithms: {}", kind.name);
        for parameter in kind.parameters {
            let default = parameter
                .default
                .map_or_else(|| "none".to_owned(), |default| default.to_string());
            let said = format!("`{}` {default}", parameter.name);
            assert!(row[2].contains(&said), "README, Algorithms: write {said}");
        }
    }
    let written: usize = rows.iter().map(|row| spans(&row[0]).len()).sum();
    assert_eq!(written, algorithm::ALL.len(), "README, Algorithms: one too many");
}

#[test]
fn kernels_grids_and_formats_are_those_of_the_code() {
    let parameters = rows("Parameters");
    let resampling = parameters.iter().find(|row| row[0].contains("`resampling`"));
    let kernels = Kernel::ALL.map(|(name, _)| name);
    assert_eq!(
        spans(&resampling.expect("a row on resampling")[2]),
        kernels,
        "README, Parameters"
    );

    let routes = section("Routes");
    let (_, grids) = routes
        .split_once("Tile matrix sets: ")
        .expect("the list of grids");
    let written: BTreeSet<&str> = spans(grids).into_iter().collect();
    assert_eq!(written, grid::registered().collect(), "README, Routes");

    let formats = rows("Formats");
    let written: Vec<(&str, &str)> = formats
        .iter()
        .map(|row| (spans(&row[0])[0], row[1].as_str()))
        .collect();
    let meant: Vec<(&str, &str)> = Format::ALL
        .iter()
        .map(|format| (format.extension(), format.media_type()))
        .collect();
    assert_eq!(written, meant, "README, Formats");
}

#[test]
fn differences_from_titiler_are_those_that_are_replayed() {
    let text =
        fs::read_to_string(root().join("tests/conformance/differences.json")).expect("the differences");
    let differences: Vec<serde_json::Value> = serde_json::from_str(&text).expect("JSON");
    let meant: Vec<Vec<String>> = differences
        .iter()
        .map(|difference| {
            let cell = |name: &str| difference[name].as_str().unwrap_or_default().to_owned();
            ["what", "here", "titiler", "why"].map(cell).to_vec()
        })
        .collect();
    for (written, meant) in rows("What differs from TiTiler").iter().zip(&meant) {
        assert_eq!(
            written, meant,
            "README, What differs from TiTiler: write the rows of differences.json"
        );
    }
    assert_eq!(rows("What differs from TiTiler").len(), meant.len());
}

/// One problem of each status that the code knows.
fn problems() -> Vec<Problem> {
    let text = String::new;
    vec![
        Problem::Refused(Refused::parameter("bidx", "is wrong")),
        Problem::Denied(Denied),
        Problem::Barred(Barred::NoKey),
        Problem::not_found("file"),
        Problem::Refused(Refused::Method(Methods::Read)),
        Problem::Refused(Refused::SlowBody),
        Problem::TooLarge {
            what: text(),
            remedy: text(),
        },
        Problem::Unsupported(text()),
        Problem::Broken(text()),
        Problem::Internal,
        Problem::StoreFailed,
        Problem::Moved,
        Problem::StoreBusy,
        Problem::Replaced,
        Problem::OutOfTime,
    ]
}

#[test]
fn statuses_are_kept_as_long_as_the_table_says() {
    let policy = Policy {
        empty_tile: EmptyTile::NoContent,
        tile_cache_control: HeaderValue::from_static("public"),
    };
    let rows = rows("Statuses and caching");
    let mut answered = BTreeSet::new();
    for problem in problems() {
        let response = policy.respond(Err(problem));
        let status = response.status().as_u16().to_string();
        let kept = response.headers()["cache-control"].to_str().expect("text");
        let row = rows.iter().find(|row| row[0] == status);
        let row = row.unwrap_or_else(|| panic!("README, Statuses: {status} is missing"));
        assert_eq!(row[2], format!("`{kept}`"), "README, Statuses: {status}");
        answered.insert(status);
    }
    for row in rows.iter().filter(|row| row[0].starts_with(['4', '5'])) {
        assert!(
            answered.contains(&row[0]),
            "README, Statuses: nothing answers {}",
            row[0]
        );
    }
}

#[test]
fn limits_are_those_of_the_code() {
    let limits = Limits::default();
    let said = format!(
        "may be {LARGEST_EDGE_PX} px wide. Of each file it may need {} MiB of samples, {} blocks, {} MiB",
        limits.memory >> 20,
        limits.blocks,
        limits.bytes >> 20
    );
    let section = section("Statuses and caching");
    let plain = section.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(plain.contains(&said), "README, Statuses: write \"{said}\"");
}

#[test]
fn the_layers_file_can_be_read() {
    let section = section("Layers");
    let (_, json) = section.split_once("```json\n").expect("an example");
    let (json, _) = json.split_once("```").expect("its end");
    let catalog = Catalog::parse(json, &Root::Folder("/data".into()), Access::default());
    assert_eq!(catalog.expect("README, Layers").layers().len(), 2);
}

#[test]
fn every_dependency_has_its_reason() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let (_, reasons) = text
        .split_once("\n## Dependencies\n")
        .expect("its section on dependencies");
    for package in ["raster", "tile"] {
        let manifest = root().join("functions").join(package).join("Cargo.toml");
        let manifest = fs::read_to_string(manifest).expect("a manifest");
        let (_, dependencies) = manifest.split_once("\n[dependencies]\n").expect("dependencies");
        let lines = dependencies.lines().take_while(|line| !line.starts_with('['));
        for name in lines.filter_map(|line| line.split(['.', ' ', '=']).next()) {
            let known =
                name.is_empty() || name.starts_with("edgetile") || reasons.contains(&format!("`{name}`"));
            assert!(
                known,
                "ARCHITECTURE.md, Dependencies: say what {name} is for, and why it was taken"
            );
        }
    }
}

#[test]
fn the_files_that_are_linked_are_there() {
    for document in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        let text =
            fs::read_to_string(root().join(document)).unwrap_or_else(|_| panic!("{document} is missing"));
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links.filter(|link| !link.contains("://") && !link.starts_with('#')) {
            let path = link.split('#').next().unwrap_or_default();
            assert!(root().join(path).exists(), "{document} links {link}");
        }
    }
}
