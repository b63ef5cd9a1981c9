//! Names into files and styles, spellings into one identity.

use http::Method;

use super::*;
use crate::access::Pattern;
use crate::request::{Grids, Query, Route};

fn catalog(text: &str) -> Result<Catalog, LayersError> {
    let access = Access::new(
        Some(Root::Folder("/data".into())),
        Pattern::parse_list("https://h/*").unwrap(),
    );
    Catalog::parse(text, &Root::Folder("/layers".into()), access)
}

fn demo() -> Catalog {
    catalog(
        r#"{"layers": [
            {"name": "a", "url": "a.tif", "style": {"bidx": [3, 2, 1], "rescale": [0, 3000], "resampling": "bilinear"}},
            {"name": "b", "url": "s3://b/b.tif", "title": "B", "bounds": [170, -10, -170, 10], "minzoom": 3},
            {"name": "n", "sources": {"red": "r.tif", "nir": "https://u/n.tif"}, "style": {"expression": "nir-red"}}
        ]}"#,
    )
    .unwrap()
}

fn task(target: &str) -> Result<Task, Unresolved> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    match Route::parse(&Method::GET, path, query, &Grids::default())? {
        Route::Image(request) => demo().task(&request),
        other => panic!("{target} is no tile: {other:?}"),
    }
}

fn canonical(target: &str) -> String {
    task(target).unwrap().canonical()
}

fn style(raw: &str) -> Style {
    Style::parse(&Query::parse(raw).unwrap()).unwrap()
}

#[test]
fn a_layer_is_its_file_and_its_style() {
    let plain = task("/tiles/a/1/0/0").unwrap();
    assert_eq!(plain.files, Files::One(Location::Local("/layers/a.tif".into())));
    assert_eq!(
        plain.style,
        style("bidx=3&bidx=2&bidx=1&rescale=0,3000&resampling=bilinear")
    );
    let catalog = demo();
    assert_eq!(catalog.layers()[1].title, "B");
    assert_eq!(catalog.layers()[1].bounds, Some([170.0, -10.0, -170.0, 10.0]));
    assert_eq!(
        task("/tiles/c/1/0/0").unwrap_err(),
        Refused::Unknown { kind: "layer" }.into()
    );
}

#[test]
fn named_sources_stand_in_the_order_of_their_names() {
    let Files::Named(named) = task("/tiles/n/1/0/0").unwrap().files else {
        panic!("not several")
    };
    let texts: Vec<_> = named
        .iter()
        .map(|(name, location)| format!("{name} {location}"))
        .collect();
    assert_eq!(texts, ["nir https://u/n.tif", "red file:/layers/r.tif"]);
}

#[test]
fn ndvi_without_a_file_is_the_first_layers() {
    let ndvi = task("/ndvi/1/0/0").unwrap();
    assert_eq!(ndvi.files, Files::One(Location::Local("/layers/a.tif".into())));
    let wanted = "expression=(nir-red)/(nir%2Bred)&rescale=-1,1&colormap_name=rdylgn&resampling=bilinear";
    assert_eq!(ndvi.style, style(wanted));
    let empty = Catalog::of_files(Access::default());
    assert!(
        empty
            .find(&Asked::FirstLayer)
            .unwrap_err()
            .to_string()
            .starts_with("url is missing")
    );
}

#[test]
fn files_of_requests_pass_the_rules_and_files_of_layers_need_not() {
    let tile = "/cog/tiles/WebMercatorQuad/1/0/0";
    assert_eq!(
        task(&format!("{tile}?url=s3://b/b.tif")).unwrap_err(),
        Denied.into()
    );
    assert_eq!(task(&format!("{tile}?url=../a.tif")).unwrap_err(), Denied.into());
    let mixed = format!("{tile}?url.a=x.tif&url.b=https://evil/b.tif&expression=a%2Bb");
    assert_eq!(task(&mixed).unwrap_err(), Denied.into());
    assert!(task("/tiles/b/1/0/0").is_ok());
}

#[test]
fn one_tile_has_one_canonical_text() {
    let base = "/cog/tiles/WebMercatorQuad/3/4/2";
    let spellings = [
        ".png?url=a%20b.tif&rescale=0,3000&bidx=1",
        ".png?bidx=01&url=a+b.tif&rescale=0.0,3e3",
        "@1x.png?rescale=[0,3000]&resampling=nearest&bidx=1&url=a%20b%2Etif&token=secret&unscale=0",
    ];
    let texts: Vec<_> = spellings
        .iter()
        .map(|rest| canonical(&format!("{base}{rest}")))
        .collect();
    assert_eq!(
        texts[0],
        "WebMercatorQuad/3/4/2.png bidx=1 rescale=0,3000 url=file:/data/a%20b.tif"
    );
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:#?}");
    assert_eq!(
        canonical("/%74iles/a/03/4/2%402x.png"),
        canonical("/tiles/a/3/4/2@2x.png")
    );
    let ndvi = canonical("/ndvi/3/4/2.png?red=r.tif&nir=n.tif");
    assert_eq!(
        ndvi,
        canonical("/ndvi/3/4/2.png?nir=n.tif&red=r.tif&rescale=-1,1")
    );
    let by_hand =
        "url.nir=n.tif&url.red=r.tif&expression=(nir-red)/(nir+%2B+red)&rescale=-1,1&colormap_name=RdYlGn";
    assert_eq!(ndvi, canonical(&format!("{base}.png?{by_hand}")));
    let parent = canonical("/tiles/a/1/0/0?resampling=bilinear");
    assert_eq!(parent, canonical("/tiles/a/1/0/0"));
}

#[test]
fn tiles_that_differ_have_texts_that_differ() {
    let mut texts: Vec<_> = [
        "/tiles/a/1/0/0",
        "/tiles/a/1/0/0?resampling=nearest",
        "/tiles/a/1/0/1",
        "/tiles/a/1/0/0.jpg",
        "/tiles/a/1/0/0@2x",
        "/tiles/a/1/0/0?tilesize=512",
        "/tiles/a/1/0/0?v=2",
        "/tiles/b/1/0/0",
        "/ndvi/1/0/0",
        "/ndvi/1/0/0?url=a",
        "/cog/tiles/WebMercatorQuad/1/0/0?url=a",
        "/cog/tiles/WebMercatorQuad/1/0/0?url=a%26bidx%3D1",
        "/cog/tiles/WebMercatorQuad/1/0/0?url=a&bidx=1",
        "/cog/tiles/WebMercatorQuad/1/0/0?url=https://h/a?sig%3D1",
        "/cog/tiles/WebMercatorQuad/1/0/0?url=https://h/a?sig%3D2",
    ]
    .map(canonical)
    .into();
    let all = texts.len();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), all, "{texts:#?}");
}

#[test]
fn what_is_shown_of_a_task_holds_no_signature() {
    let task = task("/cog/tiles/WebMercatorQuad/1/0/0.png?url=https://h/a?sig%3Dhush&bidx=2").unwrap();
    assert_eq!(task.to_string(), "WebMercatorQuad/1/0/0.png bidx=2");
    assert!(task.canonical().contains("hush"));
}

#[test]
fn a_layers_size_counts_against_the_limit_too() {
    let catalog =
        catalog(r#"{"layers": [{"name": "a", "url": "a.tif", "style": {"tilesize": 1024}}]}"#).unwrap();
    let Ok(Route::Image(request)) = Route::parse(&Method::GET, "/tiles/a/0/0/0@4x", "", &Grids::default())
    else {
        panic!()
    };
    assert_eq!(
        catalog.task(&request).unwrap_err(),
        Refused::TooManyPixels { edge_px: 4096 }.into()
    );
}

#[test]
fn a_style_in_json_is_the_style_of_a_query() {
    let read = |json: &str| {
        let text = format!(r#"{{"layers": [{{"name": "a", "url": "a.tif", "style": {json}}}]}}"#);
        catalog(&text).unwrap().layers()[0].style.clone()
    };
    assert_eq!(
        read(r#"{"rescale": ["0,1", [2, 3]], "bidx": 2}"#),
        style("rescale=0,1&rescale=2,3&bidx=2")
    );
    assert_eq!(
        read(r#"{"rescale": "0,1", "nodata": -9999, "unscale": true}"#),
        style("rescale=0,1&nodata=-9999&unscale=1")
    );
    let colours = r##"{"colormap": [[[0, 1], "#ff0000"]]}"##;
    assert_eq!(read(colours), style(r#"colormap=[[[0,1],"%23ff0000"]]"#));
}

/// Where the value stands, in lines and columns of characters, and which members lead to it.
fn assert_told(mistakes: &[(&str, &str)]) {
    for (text, wanted) in mistakes {
        let message = catalog(text).unwrap_err().to_string();
        assert!(message.contains(wanted), "{text}\n  {message}");
        assert!(
            message.starts_with(|first: char| first.is_ascii_digit()),
            "{message}"
        );
    }
}

#[test]
fn mistakes_are_named_where_they_stand() {
    assert_told(&[
        ("[]", "1:1: is [], not an object"),
        (r#"{"layers": {}}"#, "1:12: layers: is {}, not a list"),
        (r#"{"layers": [[]]}"#, "1:13: layers[0]: is [], not an object"),
        (
            "{\n \"layers\": [\n  {\"name\": \"a\",, \"url\": \"a\"}]}",
            "3:16: layers[0]: key must be a string",
        ),
        (
            "{\n \"layers\": [\n  {\"name\": \"ä\", \"urll\": \"a\"}]}",
            "3:25: layers[0].urll: is unknown here: give name, title, ",
        ),
        (
            r#"{"layer": []}"#,
            "1:11: layer: is unknown here: give $schema, layers, ",
        ),
        (r#"{"layers": [{"url": "a"}]}"#, "1:13: layers[0]: lacks name"),
        (
            r#"{"layers": [{"name": "a/b", "url": "a"}]}"#,
            "1:22: layers[0].name: is \"a/b\", not up to 64",
        ),
        (
            r#"{"layers": [{"name": "a"}]}"#,
            "1:13: layers[0]: give one of url, sources, item and mosaic",
        ),
        (
            r#"{"layers": [{"name": "a", "url": "x", "sources": {"r": "x"}}]}"#,
            "layers[0]: give one of url, sources, item and mosaic",
        ),
        (
            "{\"layers\": [{\"name\": \"a\", \"url\": \"x\"},\n{\"name\": \"a\", \"url\": \"x\"}]}",
            "2:10: layers[1].name: stands twice",
        ),
        (
            r#"{"layers": [{"name": "a", "url": 5}]}"#,
            "1:34: layers[0].url: is 5, not text",
        ),
        (
            r#"{"layers": [{"name": "a", "url": "x", "url": "y"}]}"#,
            "1:46: layers[0].url: stands twice",
        ),
        (
            r#"{"layers": [{"name": "a", "url": "ftp://x"}]}"#,
            "1:34: layers[0].url: the scheme is none of",
        ),
        (
            r#"{"layers": [{"name": "a", "sources": {"r-d": "x"}}]}"#,
            "1:46: layers[0].sources.r-d: is no name",
        ),
        (
            r#"{"layers": [{"name": "a", "sources": {"r": "x"}}]}"#,
            "1:38: layers[0].sources: several sources need an expression",
        ),
        (
            r#"{"layers": [{"name": "a", "item": "x"}]}"#,
            "1:35: layers[0].item: has no assets: list some",
        ),
        (
            r#"{"layers": [{"name": "a", "url": "x", "assets": ["a"]}]}"#,
            "1:49: layers[0].assets: stands beside no item and no mosaic",
        ),
        (
            r#"{"layers": [{"name": "a", "item": "x", "assets": ["a", "b|c"]}]}"#,
            "1:56: layers[0].assets[1]: \"b|c\" has an option that is none of",
        ),
    ]);
}

#[test]
fn mistakes_in_styles_and_places_are_named_where_they_stand() {
    assert_told(&[
        (
            r#"{"layers": [{"name": "a", "url": "x", "style": {"rescael": 1}}]}"#,
            "1:60: layers[0].style.rescael: is unknown: do you mean rescale?",
        ),
        (
            r#"{"layers": [{"name": "a", "url": "x", "style": {"url": "y"}}]}"#,
            "layers[0].style.url: is unknown: do you mean algorithm, algorithm_params, alpha, bidx, ",
        ),
        (
            "{\"layers\": [{\"name\": \"a\", \"url\": \"x\",\n\"style\": {\n \"rescale\": \"x\"}}]}",
            "3:13: layers[0].style.rescale: \"x\" cannot be read: ",
        ),
        (
            r#"{"layers": [{"name": "a", "url": "x", "style": {"bidx": [0]}}]}"#,
            "1:57: layers[0].style.bidx: [0] is not a band number",
        ),
        (
            r#"{"layers": [{"name": "a", "url": "x", "style": {"tilesize": 4096}}]}"#,
            "1:61: layers[0].style.tilesize: the answer would have an edge of 4096",
        ),
        (
            r#"{"layers": [{"name": "a", "url": "x", "style": {"nodata": null}}]}"#,
            "1:59: layers[0].style.nodata: is null, not what",
        ),
        (
            r#"{"layers": [{"name": "a", "url": "x", "style": {"nodata": [1]}}]}"#,
            "1:59: layers[0].style.nodata: is [1], not what",
        ),
        (
            r#"{"layers": [{"name": "a", "url": "x", "bounds": [0, 10, 1, 5]}]}"#,
            "1:49: layers[0].bounds: is [0, 10, 1, 5], not west, south",
        ),
        (
            r#"{"layers": [{"name": "a", "url": "x", "bounds": [0, 10, 1, "x"]}]}"#,
            "1:60: layers[0].bounds[3]: is \"x\", not a number",
        ),
        (
            r#"{"layers": [{"name": "a", "url": "x", "minzoom": 300}]}"#,
            "1:50: layers[0].minzoom: is 300, not a whole number from 0 to 30",
        ),
        (
            r#"{"layers": [{"name": "a", "url": "x", "minzoom": 9, "maxzoom": 3}]}"#,
            "1:64: layers[0].maxzoom: is below minzoom",
        ),
    ]);
}

/// Editors write null where nothing is, 1.0 for 1, and a `$schema` for themselves.
#[test]
fn what_editors_write_is_read() {
    let catalog = catalog(
        r#"{"$schema": "layers.schema.json", "tileMatrixSets": null, "layers": [
            {"name": "a", "url": "a.tif", "item": null, "title": null, "style": {"v": 1, "quality": 80.0, "bidx": [1.0]}, "maxzoom": 9.0}
        ]}"#,
    );
    let catalog = catalog.unwrap();
    let layer = &catalog.layers()[0];
    assert_eq!((layer.title.as_str(), layer.maxzoom), ("a", Some(9)));
    assert_eq!(layer.style, style("v=1&quality=80&bidx=1"));
}

#[test]
fn the_sample_layers_are_layers() {
    let text = include_str!("../../sample/layers.json");
    let catalog = Catalog::parse(text, &Root::Embedded, Access::default()).unwrap();
    assert_eq!(
        catalog.layers()[0].files,
        Files::One(Location::Embedded("sample.tif".into()))
    );
}

#[test]
fn a_file_beside_an_allowed_one_must_be_allowed_too() {
    let narrow = Access::new(None, Pattern::parse_list("https://h/*.tif").unwrap());
    let catalog = Catalog::of_files(narrow);
    let ask = |sidecars: &str| {
        let query = format!("url=https://h/a.tif&sidecars={sidecars}");
        let route = Route::parse(
            &Method::GET,
            "/cog/tiles/WebMercatorQuad/1/0/0",
            &query,
            &Grids::default(),
        )
        .unwrap();
        let Route::Image(request) = route else { panic!() };
        catalog.task(&request).map(|task| task.style.sidecars)
    };
    assert!(ask("none").is_ok());
    for sidecars in ["auto", "ovr", "msk"] {
        assert_eq!(ask(sidecars).unwrap_err(), Denied.into(), "{sidecars}");
    }
    // Both spellings of both are one request.
    let both = |order: &str| {
        canonical(&format!(
            "/cog/tiles/WebMercatorQuad/1/0/0?url=a.tif&sidecars={order}"
        ))
    };
    assert_eq!(both("msk,ovr"), both("ovr,msk"));
    assert_ne!(both("ovr"), both("ovr,msk"));
}

/// A set by its extent, one as the standard writes it with latitude first, and one by an address of its system.
const SETS: &str = r#"{"tileMatrixSets": [
    {"id": "Alps", "title": "The Alps", "crs": "EPSG:3035", "extent": [3900000, 2300000, 4900000, 2900000], "matrices": 12, "tileSize": 512},
    {"id": "Degrees", "crs": "http://www.opengis.net/def/crs/EPSG/0/4326", "orderedAxes": ["Lat", "Lon"], "tileMatrices": [
        {"id": "3", "scaleDenominator": 1, "cellSize": 0.5, "cornerOfOrigin": "topLeft", "pointOfOrigin": [90, -180],
         "tileWidth": 256, "tileHeight": 256, "matrixWidth": 3, "matrixHeight": 2},
        {"id": "4", "cellSize": 0.25, "pointOfOrigin": [90, -180], "tileWidth": 256, "tileHeight": 256, "matrixWidth": 6, "matrixHeight": 3}]},
    {"id": "Coded", "crs": {"uri": "urn:ogc:def:crs:EPSG::32633"}, "extent": [0, 0, 1000000, 1000000]}
]}"#;

#[test]
fn sets_of_ones_own_are_served_beside_the_registered_ones() {
    let catalog = catalog(SETS).unwrap();
    let grids = catalog.grids();
    let alps = grids.parse("Alps").unwrap();
    assert_eq!(
        (
            alps.set().title.as_str(),
            alps.deepest_zoom(),
            alps.set().tile_size
        ),
        ("The Alps", 11, 512)
    );
    let corner = alps.set().tile_bounds(1, 1, 0).unwrap();
    assert_eq!(
        (corner.west, corner.north, corner.east),
        (4_400_000.0, 2_900_000.0, 4_900_000.0)
    );
    let degrees = grids.parse("Degrees").unwrap();
    let tile = degrees.set().tile_bounds(4, 1, 1).unwrap();
    assert_eq!(
        (tile.west, tile.south, tile.east, tile.north),
        (-116.0, -38.0, -52.0, 26.0)
    );
    assert_eq!(grids.parse("Coded").unwrap().set().crs.epsg(), Some(32633));
    assert!(grids.parse("WebMercatorQuad").is_ok() && grids.parse("alps").is_err());
    let names: Vec<_> = grids.all().map(|set| set.id.clone()).collect();
    assert_eq!(
        (names.len(), names[0].as_str(), names[11].as_str()),
        (14, "WebMercatorQuad", "Alps")
    );
}

#[test]
fn a_set_that_changes_changes_what_its_tiles_are() {
    let canonical = |text: &str| {
        let catalog = catalog(text).unwrap();
        let target = ("/cog/tiles/Alps/1/0/0", "url=a.tif");
        match Route::parse(&Method::GET, target.0, target.1, catalog.grids()) {
            Ok(Route::Image(request)) => catalog.task(&request).unwrap().canonical(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(canonical(SETS), canonical(SETS));
    assert_ne!(canonical(SETS), canonical(&SETS.replace("3900000", "3900001")));
    assert_ne!(
        canonical(SETS),
        canonical(&SETS.replace("EPSG:3035", "EPSG:2154"))
    );
}

#[test]
fn mistakes_in_sets_name_the_member() {
    for (from, to, message) in [
        (
            "Alps\"",
            "A/B\"",
            "tileMatrixSets[0].id: is \"A/B\", not up to 64",
        ),
        (
            "Alps\"",
            "NZTM2000Quad\"",
            "tileMatrixSets[0].id: is the name of a registered set",
        ),
        ("Alps\"", "Coded\"", "tileMatrixSets[2].id: stands twice"),
        (
            "EPSG:3035",
            "EPSG:1",
            "tileMatrixSets[0].crs: EPSG:1 is not among the known systems",
        ),
        ("3900000, 2300000", "3900000, 9300000", ", not west, south"),
        (
            "\"matrices\": 12",
            "\"matrices\": 99",
            "matrices: is 99, not a whole number from 1 to 31",
        ),
        (
            "\"tileSize\": 512",
            "\"tileSize\": 1",
            "tileSize: is 1, not a whole number from 16 to 2048",
        ),
        (
            "\"tileSize\": 512",
            "\"tilesize\": 512",
            "tilesize: is unknown here: give id, ",
        ),
        (
            "\"id\": \"4\"",
            "\"id\": \"z4\"",
            "tileMatrixSets[1].tileMatrices[1].id: is \"z4\", not a zoom",
        ),
        (
            "0.25",
            "0.5",
            "tileMatrices[1]: does not follow: from the coarsest on",
        ),
        ("0.25", "-1", "tileMatrices[1].cellSize: is not a positive"),
        (
            "topLeft",
            "bottomLeft",
            "tileMatrices[0].cornerOfOrigin: only topLeft",
        ),
        (
            "\"tileHeight\": 256, \"matrixWidth\": 6",
            "\"tileHeight\": 128, \"matrixWidth\": 6",
            "tileHeight: is not the tileWidth: tiles are squares",
        ),
        (
            "[90, -180], \"tileWidth\"",
            "[80, -180], \"tileWidth\"",
            "tileMatrices[1]: has another pointOfOrigin",
        ),
        ("\"crs\": \"EPSG:3035\", ", "", "tileMatrixSets[0]: lacks crs"),
    ] {
        let text = SETS.replace(from, to);
        assert_ne!(text, SETS, "{from}");
        let found = catalog(&text).unwrap_err().to_string();
        assert!(found.contains(message), "{found}");
    }
}

#[test]
fn a_layer_may_say_who_sees_it() {
    let parse = |access: &str| {
        let text = format!(r#"{{"layers": [{{"name": "a", "url": "a.tif"{access}}}]}}"#);
        let catalog = Catalog::parse(&text, &Root::Folder("/d".into()), Access::default());
        catalog
            .map(|catalog| catalog.layers()[0].needs_key)
            .map_err(|error| error.to_string())
    };
    assert_eq!(parse(""), Ok(None));
    assert_eq!(parse(r#", "access": "public""#), Ok(Some(false)));
    assert_eq!(parse(r#", "access": "key""#), Ok(Some(true)));
    assert!(
        parse(r#", "access": "secret""#)
            .unwrap_err()
            .ends_with(r#"layers[0].access: is "secret", not "public" or "key""#)
    );
}
