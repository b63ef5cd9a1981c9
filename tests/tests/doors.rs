//! The command line and the server, as a shell and a supervisor see them.

use std::process::Output;
use std::time::Duration;

use edgetile_tests::binary;
use edgetile_tests::client::header;
use edgetile_tests::server::Server;
use http::Method;

fn run(arguments: &[&str]) -> Output {
    binary::command()
        .args(arguments)
        .current_dir(std::env::temp_dir())
        .output()
        .expect("the binary runs")
}

fn sample() -> String {
    binary::file("functions/tile/sample/sample.tif")
        .to_string_lossy()
        .into_owned()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_tile_is_drawn_into_a_file_and_its_cost_is_told() {
    let path = std::env::temp_dir().join(format!("edgetile-doors-{}.png", std::process::id()));
    let output = path.to_string_lossy();
    let style = [
        "--expression",
        "(nir-red)/(nir+red)",
        "--rescale",
        "-1,1",
        "--colormap-name",
        "rdylgn",
    ];
    let done = run(&[
        &["tile", &sample(), "12", "2179", "1421", "-o", &output],
        &style[..],
    ]
    .concat());
    assert_eq!(done.status.code(), Some(0), "{}", errors(&done));
    assert!(errors(&done).contains("gets="), "{}", errors(&done));
    let written = std::fs::read(&path).expect("a file");
    std::fs::remove_file(&path).expect("a file");
    assert_eq!(&written[..8], b"\x89PNG\r\n\x1a\n");
    let streamed = run(&[&["tile", &sample(), "12", "2179", "1421", "-o", "-"], &style[..]].concat());
    assert_eq!(streamed.stdout, written, "standard output carries the same bytes");
}

#[test]
fn exit_codes_tell_usage_from_failure() {
    for (arguments, code) in [
        (&["--help"][..], 0),
        (&["--version"], 0),
        (&["serve", "--help"], 0),
        (&[], 2),
        (&["nosuch"], 2),
        (&["serve", "--port", "x"], 2),
        (&["serve", "--empty-tile", "200"], 2),
        (&["tile", "a.tif", "1", "2"], 2),
        (&["tile", &sample(), "1", "9", "0"], 2),
        (&["tile", &sample(), "12", "2179", "1421", "--bidx", "9"], 2),
        (&["tile", "nosuch.tif", "1", "0", "0"], 1),
        (&["info", "nosuch.tif"], 1),
        (&["info", "ftp://h/a.tif"], 2),
        (&["serve", "--layers", "/nonexistent/layers.json"], 1),
    ] {
        let done = run(arguments);
        assert_eq!(done.status.code(), Some(code), "{arguments:?}: {}", errors(&done));
        assert_eq!(
            done.stderr.is_empty(),
            code == 0,
            "{arguments:?}: {}",
            errors(&done)
        );
    }
}

#[test]
fn info_is_json_on_standard_output() {
    let done = run(&["info", &sample()]);
    let info: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
    assert_eq!((&info["count"], &info["dtype"]), (&4.into(), &"uint16".into()));
}

#[test]
fn validate_fails_where_a_file_is_no_cog_and_says_why() {
    let told = |arguments: &[&str], code: i32| -> serde_json::Value {
        let done = run(arguments);
        assert_eq!(done.status.code(), Some(code), "{arguments:?}: {}", errors(&done));
        serde_json::from_slice(&done.stdout).expect("JSON")
    };
    assert_eq!(told(&["validate", &sample(), "--strict"], 0)["COG"], true);
    let beside = binary::file("functions/raster/testdata/files/beside.tif");
    let beside = told(&["validate", &beside.to_string_lossy()], 1);
    assert_eq!(beside["COG"], false);
    let reasons = beside["COG_errors"].to_string();
    assert!(reasons.contains("beside the file"), "{reasons}");
    let none = binary::file("Cargo.toml");
    for unread in ["nosuch.tif", &*none.to_string_lossy()] {
        let done = run(&["validate", unread]);
        assert_eq!(
            (done.status.code(), done.stdout.as_slice()),
            (Some(2), &[][..]),
            "{unread}"
        );
    }
}

#[tokio::test]
async fn a_data_root_is_served_and_never_left() {
    let folder = binary::file("functions/tile/sample");
    let server = Server::start(&["--data", &folder.to_string_lossy()], &[]);
    let info = |url: &str| format!("/cog/info?url={url}");
    assert_eq!(server.get(&info("sample.tif")).await.status(), 200);
    assert_eq!(server.get(&info("nosuch.tif")).await.status(), 404);
    for way in [
        "../Cargo.toml",
        "%252e%252e/Cargo.toml",
        "/etc/passwd",
        "file:///etc/passwd",
        "..%5CCargo.toml",
    ] {
        let answer = server.get(&info(way)).await;
        assert_eq!(answer.status(), 403, "{way}");
    }
    // A text file is no GeoTIFF, and what is said of it holds nothing of it.
    let text = server.get(&info("layers.json")).await;
    assert_eq!(text.status(), 415, "{:?}", text.body());
    assert!(!String::from_utf8_lossy(text.body()).contains("truecolour"));
}

#[tokio::test]
async fn tiles_come_in_sets_of_the_layers_file() {
    // The whole map under a name of its own, and the middle of its tile 12/2179/1421 as the only tile of a set.
    let half = 20_037_508.342_789_244;
    let side = 2.0 * half / 4096.0;
    let (west, south) = (2179.25 * side - half, half - 1421.75 * side);
    let sets = format!(
        r#"{{"tileMatrixSets": [
            {{"id": "Same", "crs": "EPSG:3857", "extent": [-{half}, -{half}, {half}, {half}], "matrices": 20}},
            {{"id": "Middle", "crs": "EPSG:3857", "extent": [{west}, {south}, {}, {}], "matrices": 1}}]}}"#,
        west + side / 2.0,
        south + side / 2.0,
    );
    let file = std::env::temp_dir().join(format!("edgetile-sets-{}.json", std::process::id()));
    std::fs::write(&file, sets).expect("a file");
    let folder = binary::file("functions/tile/sample");
    let arguments = [
        "--data",
        &folder.to_string_lossy(),
        "--layers",
        &file.to_string_lossy(),
    ];
    let server = Server::start(&arguments, &[]);
    let list = server.get("/tileMatrixSets").await;
    std::fs::remove_file(&file).expect("a file");
    let list = String::from_utf8_lossy(list.body()).into_owned();
    assert!(list.contains("\"Same\"") && list.contains("\"Middle\""), "{list}");

    let tile = async |path: &str| {
        let target = format!("/cog/tiles/{path}&url=sample.tif&bidx=1&rescale=0,3000&resampling=bilinear");
        let answer = server.get(&target).await;
        assert_eq!(answer.status(), 200, "{target}: {:?}", answer.body());
        answer.into_body()
    };
    assert_eq!(
        tile("Same/12/2179/1421.png?").await,
        tile("WebMercatorQuad/12/2179/1421.png?").await,
        "the same pixels"
    );
    let middle = tile("Middle/0/0/0.png?").await;
    assert_ne!(middle, tile("Same/12/2179/1421.png?").await);
    // Half a tile of zoom 12 has the pixels of zoom 13.
    let quarter = async |x: u32, y: u32| tile(&format!("WebMercatorQuad/13/{x}/{y}.png?")).await;
    assert_ne!(middle, quarter(4358, 2842).await);
    for outside in ["Middle/1/0/0.png", "Middle/0/1/0.png", "Other/0/0/0.png"] {
        let answer = server.get(&format!("/cog/tiles/{outside}?url=sample.tif")).await;
        assert!(
            answer.status().is_client_error(),
            "{outside}: {}",
            answer.status()
        );
    }
}

#[tokio::test]
async fn told_to_stop_it_ends_well() {
    let mut server = Server::start(&[], &[]);
    assert_eq!(server.get("/healthz").await.status(), 200);
    server.terminate();
    let status = server.wait(Duration::from_secs(5)).expect("it ends");
    assert_eq!(status.code(), Some(0));
}

#[tokio::test]
async fn every_answer_may_be_read_by_every_page() {
    let server = Server::start(&[], &[]);
    for (method, target, status) in [
        (Method::GET, "/tiles/truecolour/12/2179/1421.png", 200),
        (Method::HEAD, "/tiles/truecolour/12/2179/1421.png", 200),
        (Method::GET, "/tiles/truecolour/12/0/0.png", 204),
        (Method::GET, "/nosuch", 404),
        (Method::POST, "/healthz", 405),
        (Method::OPTIONS, "/ndvi/0/0/0", 204),
    ] {
        let answer = server
            .ask(method.clone(), target, &[("origin", "https://a.example")])
            .await;
        assert_eq!(answer.status(), status, "{method} {target}");
        assert_eq!(
            header(&answer, "access-control-allow-origin"),
            "*",
            "{method} {target}"
        );
    }
}
