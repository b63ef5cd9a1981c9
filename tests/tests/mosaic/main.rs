//! Mosaics as the real binary draws them: the pixels of the files that meet a tile, which files are read, and what is
//! refused.

mod documents;

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use edgetile_tests::client::header;
use edgetile_tests::http_store::{Fault, HttpStore};
use edgetile_tests::server::Server;
use http::Response;
use serde_json::{Value, json};

/// The four tiles of zoom 14 below 13/4358/2842, in the order of their quadkeys; the sample holds data in all their pixels.
const TILES: [(u32, u32); 4] = [(8716, 5684), (8717, 5684), (8716, 5685), (8717, 5685)];
/// The tile above them.
const ABOVE: &str = "13/4358/2842";

fn quadkey(z: u32, x: u32, y: u32) -> String {
    let digit = |bit: u32| (x >> bit & 1) + 2 * (y >> bit & 1);
    (0..z).rev().map(|bit| digit(bit).to_string()).collect()
}

/// A store with a file of one band for each tile, and two of the tile above them.
async fn serving() -> (HttpStore, Server) {
    let store = HttpStore::start(Duration::ZERO).await;
    let painter = Server::start(&[], &[]);
    let paint = async |name: String, tile: String, query: &str| {
        let file = painter
            .get(&format!(
                "/cog/tiles/WebMercatorQuad/{tile}.tif?url=sample.tif&{query}"
            ))
            .await;
        assert_eq!(file.status(), 200, "{:?}", file.body());
        store.put(&name, file.body().clone());
    };
    for (at, (x, y)) in TILES.iter().enumerate() {
        paint(format!("scenes/{at}.tif"), format!("14/{x}/{y}"), "bidx=3").await;
    }
    paint("scenes/red.tif".to_owned(), ABOVE.to_owned(), "bidx=3").await;
    paint("scenes/nir.tif".to_owned(), ABOVE.to_owned(), "bidx=4").await;
    let server = Server::start(&["--allow-urls", &store.url("*")], &[]);
    (store, server)
}

/// A mosaic of the four files by their own tiles.
fn four() -> Value {
    let of =
        |(at, (x, y)): (usize, &(u32, u32))| (quadkey(14, *x, *y), json!([format!("../scenes/{at}.tif")]));
    let tiles: serde_json::Map<String, Value> = TILES.iter().enumerate().map(of).collect();
    json!({"mosaicjson": "0.0.2", "name": "four", "minzoom": 11, "maxzoom": 14, "quadkey_zoom": 14,
           "bounds": [11.4, 47.9, 11.7, 48.3], "tiles": tiles})
}

/// A mosaic of these files, all in the tile above the four.
fn stacked(names: &[&str]) -> Value {
    json!({"mosaicjson": "0.0.3", "minzoom": 13, "maxzoom": 14, "asset_prefix": "../scenes/", "tiles": {quadkey(13, 4358, 2842): names}})
}

async fn get(server: &Server, store: &HttpStore, name: &str, path: &str, query: &str) -> Response<Bytes> {
    let url = store.url(&format!("mosaics/{name}"));
    server.get(&format!("/mosaicjson{path}?url={url}{query}")).await
}

async fn json(server: &Server, store: &HttpStore, name: &str, path: &str) -> Value {
    let answer = get(server, store, name, path, "").await;
    assert_eq!(answer.status(), 200, "{path}: {:?}", answer.body());
    serde_json::from_slice(answer.body()).expect("JSON")
}

/// The values and the mask of a tile of one band, of an answer as npy.
fn pixels(answer: &Response<Bytes>) -> (Vec<u16>, Vec<bool>) {
    assert_eq!(answer.status(), 200, "{:?}", answer.body());
    let body = answer.body();
    let start = 10 + usize::from(u16::from_le_bytes([body[8], body[9]]));
    let words: Vec<u16> = body[start..]
        .chunks_exact(2)
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
        .collect();
    let (values, mask) = words.split_at(256 * 256);
    (values.to_vec(), mask.iter().map(|mask| *mask > 0).collect())
}

async fn of_file(server: &Server, store: &HttpStore, name: &str, tile: &str) -> (Vec<u16>, Vec<bool>) {
    let url = store.url(&format!("scenes/{name}"));
    pixels(
        &server
            .get(&format!("/cog/tiles/WebMercatorQuad/{tile}.npy?url={url}"))
            .await,
    )
}

fn paths(store: &HttpStore) -> BTreeSet<String> {
    store
        .log
        .take()
        .0
        .into_iter()
        .map(|request| request.path)
        .collect()
}

#[tokio::test]
async fn tiles_at_below_and_above_the_quadkeys_have_the_pixels_of_their_files() {
    let (store, server) = serving().await;
    store.put("mosaics/four.json", four().to_string());
    store.log.take();
    let (x, y) = TILES[2];
    let own = get(
        &server,
        &store,
        "four.json",
        &format!("/tiles/WebMercatorQuad/14/{x}/{y}.npy"),
        "",
    )
    .await;
    let read = paths(&store);
    assert_eq!(
        read,
        ["mosaics/four.json", "scenes/2.tif"].map(str::to_owned).into()
    );
    assert!(pixels(&own) == of_file(&server, &store, "2.tif", &format!("14/{x}/{y}")).await);
    let below = format!("15/{}/{}", 2 * x + 1, 2 * y);
    let deep = get(
        &server,
        &store,
        "four.json",
        &format!("/tiles/WebMercatorQuad/{below}.npy"),
        "",
    )
    .await;
    assert!(pixels(&deep) == of_file(&server, &store, "2.tif", &below).await);
    let above = pixels(
        &get(
            &server,
            &store,
            "four.json",
            &format!("/tiles/WebMercatorQuad/{ABOVE}.npy"),
            "",
        )
        .await,
    );
    assert!(above.1.iter().all(|holds| *holds), "the tile has holes");
    for at in 0..4 {
        let (values, mask) = of_file(&server, &store, &format!("{at}.tif"), ABOVE).await;
        let held = mask.iter().filter(|holds| **holds).count();
        assert_eq!(held, 128 * 128, "file {at}");
        let same = values
            .iter()
            .zip(&above.0)
            .zip(&mask)
            .all(|((own, shown), holds)| !holds || own == shown);
        assert!(same, "file {at}");
    }
    let beside = get(
        &server,
        &store,
        "four.json",
        "/tiles/WebMercatorQuad/14/8714/5684.png",
        "",
    )
    .await;
    assert_eq!(beside.status(), 204);
    // Another grid finds the same files by their place.
    let other = get(
        &server,
        &store,
        "four.json",
        "/tiles/WGS1984Quad/12/4358/952.npy",
        "",
    )
    .await;
    assert_eq!(other.status(), 200, "{:?}", other.body());
    let boxed = get(
        &server,
        &store,
        "four.json",
        "/bbox/11.52,48.14,11.55,48.16/64x64.npy",
        "",
    )
    .await;
    assert_eq!(boxed.status(), 200, "{:?}", boxed.body());
}

/// What a selection makes of the values that hold data.
type Pick = fn(&[u16]) -> u16;

fn sum(values: &[u16]) -> f64 {
    values.iter().map(|value| f64::from(*value)).sum()
}

fn median(values: &[u16]) -> u16 {
    let mut values = values.to_vec();
    values.sort_unstable();
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        return values[middle];
    }
    (sum(&values[middle - 1..=middle]) / 2.0).round() as u16
}

#[tokio::test]
async fn selections_give_what_they_say_of_files_on_top_of_each_other() {
    let (store, server) = serving().await;
    store.put(
        "mosaics/two.json",
        stacked(&["0.tif", "nir.tif", "red.tif"]).to_string(),
    );
    let mut files = Vec::new();
    for name in ["0.tif", "nir.tif", "red.tif"] {
        files.push(of_file(&server, &store, name, ABOVE).await);
    }
    let path = format!("/tiles/WebMercatorQuad/{ABOVE}.npy");
    let expected: [(&str, Pick); 6] = [
        ("first", |values| values[0]),
        ("highest", |values| *values.iter().max().expect("one")),
        ("lowest", |values| *values.iter().min().expect("one")),
        ("mean", |values| {
            (sum(values) / values.len() as f64).round() as u16
        }),
        ("median", median),
        ("sum", |values| sum(values) as u16),
    ];
    for (name, pick) in expected {
        let answer = get(
            &server,
            &store,
            "two.json",
            &path,
            &format!("&pixel_selection={name}"),
        )
        .await;
        let (values, mask) = pixels(&answer);
        for at in 0..values.len() {
            let held: Vec<u16> = files
                .iter()
                .filter(|(_, mask)| mask[at])
                .map(|(values, _)| values[at])
                .collect();
            assert_eq!(mask[at], !held.is_empty(), "{name} at {at}");
            assert!(
                held.is_empty() || values[at] == pick(&held),
                "{name} at {at}: {} of {held:?}",
                values[at]
            );
        }
    }
    let count = get(&server, &store, "two.json", &path, "&pixel_selection=count").await;
    let holding = files.iter().filter(|(_, mask)| mask[0]).count();
    let start = 10 + usize::from(u16::from_le_bytes([count.body()[8], count.body()[9]]));
    assert_eq!(usize::from(count.body()[start]), holding);
    let wrong = get(&server, &store, "two.json", &path, "&pixel_selection=best").await;
    assert_eq!(wrong.status(), 400);
    let tags: BTreeSet<String> = {
        let mut tags = BTreeSet::new();
        for query in ["", "&pixel_selection=first", "&pixel_selection=mean"] {
            tags.insert(header(&get(&server, &store, "two.json", &path, query).await, "etag").to_owned());
        }
        tags
    };
    assert_eq!(tags.len(), 2, "{tags:?}");
}

#[tokio::test]
async fn reading_stops_when_a_tile_is_full_and_never_goes_on_for_ever() {
    let (store, server) = serving().await;
    let red = store.url("scenes/red.tif");
    let file = red_file(&server, &red).await;
    let names: Vec<String> = (0..80).map(|at| format!("copy{at}.tif")).collect();
    for name in &names {
        store.put(&format!("scenes/{name}"), file.clone());
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    store.put("mosaics/many.json", stacked(&names).to_string());
    store.log.take();
    let path = format!("/tiles/WebMercatorQuad/{ABOVE}.png");
    let first = get(&server, &store, "many.json", &path, "&rescale=0,3000").await;
    assert_eq!(first.status(), 200);
    let read = paths(&store);
    assert!(read.contains("scenes/copy0.tif") && read.len() <= 5, "{read:?}");
    let held = [("if-none-match", header(&first, "etag"))];
    let url = store.url("mosaics/many.json");
    let again = server
        .ask(
            http::Method::GET,
            &format!("/mosaicjson{path}?url={url}&rescale=0,3000"),
            &held,
        )
        .await;
    assert_eq!(again.status(), 304);
    let all = get(
        &server,
        &store,
        "many.json",
        &path,
        "&rescale=0,3000&pixel_selection=mean",
    )
    .await;
    assert_eq!(all.status(), 413, "{:?}", all.body());
    assert!(String::from_utf8_lossy(all.body()).contains("64 files"));
}

/// The bytes of the red file: what the painter made, as data.
async fn red_file(server: &Server, url: &str) -> Bytes {
    let tile = server
        .get(&format!("/cog/tiles/WebMercatorQuad/{ABOVE}.tif?url={url}"))
        .await;
    assert_eq!(tile.status(), 200);
    tile.body().clone()
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_an_error_and_no_hole() {
    let (store, server) = serving().await;
    let other = HttpStore::start(Duration::ZERO).await;
    store.put(
        "mosaics/missing.json",
        stacked(&["nosuch.tif", "red.tif"]).to_string(),
    );
    let mut forbidden = stacked(&[]);
    forbidden["asset_prefix"] = json!("");
    forbidden["tiles"] = json!({quadkey(13, 4358, 2842): [other.url("red.tif")]});
    store.put("mosaics/forbidden.json", forbidden.to_string());
    store.put("mosaics/red.json", stacked(&["red.tif"]).to_string());
    store.put("mosaics/broken.json", "{\"mosaicjson\": 1, \"tiles\": [");
    store.put("mosaics/bands.json", stacked(&["0.tif", "two.tif"]).to_string());
    let path = format!("/tiles/WebMercatorQuad/{ABOVE}.png");
    for (name, status) in [
        ("missing.json", 404),
        ("forbidden.json", 403),
        ("broken.json", 422),
        ("nosuch.json", 404),
    ] {
        let answer = get(&server, &store, name, &path, "&rescale=0,3000").await;
        assert_eq!(answer.status(), status, "{name}: {:?}", answer.body());
        let body = String::from_utf8_lossy(answer.body()).into_owned();
        assert!(!body.contains("127.0.0.1") && !body.contains(".tif"), "{body}");
    }
    assert_eq!(other.log.take().count(), 0, "the other store was asked");
    assert_eq!(
        get(&server, &store, "red.json", &path, "&rescale=0,3000")
            .await
            .status(),
        200
    );
    let wide = server
        .get(&format!(
            "/cog/tiles/WebMercatorQuad/{ABOVE}.tif?url={}",
            store.url("scenes/red.tif")
        ))
        .await;
    assert_eq!(wide.status(), 200);
    for (fault, status) in [
        (Fault::Unavailable, 503),
        (Fault::Broken, 502),
        (Fault::Truncated, 502),
    ] {
        let fresh = Server::start(&["--allow-urls", &store.url("*")], &[]);
        store.fail_always(Some(fault));
        let answer = get(&fresh, &store, "red.json", &path, "&rescale=0,3000").await;
        assert_eq!(
            (answer.status().as_u16(), header(&answer, "cache-control")),
            (status, "no-store"),
            "{fault:?}"
        );
        store.fail_always(None);
        // The mosaic is in memory, and a file of it fails.
        assert_eq!(get(&fresh, &store, "red.json", "/info", "").await.status(), 200);
        store.fail_always(Some(fault));
        let answer = get(&fresh, &store, "red.json", &path, "&rescale=0,3000").await;
        assert_eq!(
            (answer.status().as_u16(), header(&answer, "cache-control")),
            (status, "no-store"),
            "{fault:?}"
        );
        store.fail_always(None);
    }
}

#[tokio::test]
async fn documents_tell_of_a_mosaic_and_of_its_files() {
    let (store, server) = serving().await;
    store.put("mosaics/four.json", four().to_string());
    let (x, y) = TILES[1];
    let assets = json(
        &server,
        &store,
        "four.json",
        &format!("/tiles/WebMercatorQuad/14/{x}/{y}/assets"),
    )
    .await;
    assert_eq!(assets, json!(["../scenes/1.tif"]));
    let all = json(&server, &store, "four.json", "/bbox/11.4,48.0,11.7,48.3/assets").await;
    assert_eq!(all.as_array().map(Vec::len), Some(4));
    let info = json(&server, &store, "four.json", "/info").await;
    assert_eq!(
        (&info["name"], &info["mosaic_minzoom"], &info["files"]),
        (&json!("four"), &json!(11), &json!(4))
    );
    let feature = json(&server, &store, "four.json", "/info.geojson").await;
    assert_eq!(feature["bbox"], json!([11.4, 47.9, 11.7, 48.3]));
    let tilejson = json(&server, &store, "four.json", "/WebMercatorQuad/tilejson.json").await;
    assert_eq!(
        (&tilejson["minzoom"], &tilejson["maxzoom"]),
        (&json!(11), &json!(14))
    );
    // The first of its files tells its bands.
    assert_eq!(tilejson["band_descriptions"][0][0], "b1");
    assert!(tilejson["data_type"].is_string(), "{tilejson}");
    assert!(
        tilejson["tiles"][0]
            .as_str()
            .expect("an address")
            .contains("/mosaicjson/tiles/WebMercatorQuad/{z}/{x}/{y}")
    );
    let (lon, lat) = (f64::from(x) + 0.5, f64::from(y) + 0.5);
    let turns = std::f64::consts::PI * (1.0 - 2.0 * lat / 16384.0);
    let (lon, lat) = (lon / 16384.0 * 360.0 - 180.0, turns.sinh().atan().to_degrees());
    let point = json(&server, &store, "four.json", &format!("/point/{lon},{lat}")).await;
    let url = store.url("scenes/1.tif");
    let own = server.get(&format!("/cog/point/{lon},{lat}?url={url}")).await;
    let own: Value = serde_json::from_slice(own.body()).expect("JSON");
    assert_eq!(
        (&point["assets"][0]["name"], &point["assets"][0]["values"]),
        (&json!("../scenes/1.tif"), &own["values"])
    );
    let named = json(
        &server,
        &store,
        "four.json",
        &format!("/point/{lon},{lat}/assets"),
    )
    .await;
    assert_eq!(named, json!(["../scenes/1.tif"]));
    assert_eq!(
        get(&server, &store, "four.json", "/point/0,0", "").await.status(),
        404
    );
    for (path, query) in [
        ("/legend.png", "&rescale=0,3000&colormap_name=viridis"),
        ("/WMTSCapabilities.xml", ""),
        ("/tiles", ""),
    ] {
        let answer = get(&server, &store, "four.json", path, query).await;
        assert_eq!(answer.status(), 200, "{path}: {:?}", answer.body());
    }
    assert_eq!(
        get(&server, &store, "four.json", "/preview.png", "")
            .await
            .status(),
        400
    );
}

#[tokio::test]
async fn layers_and_items_meet_in_mosaics() {
    let (store, server) = serving().await;
    let item = json!({"type": "Feature", "assets": {
        "B04": {"href": "../scenes/red.tif", "type": "image/tiff", "bands": [{"eo:common_name": "red"}]},
        "B08": {"href": "../scenes/nir.tif", "type": "image/tiff", "bands": [{"eo:common_name": "nir"}]}}});
    store.put("items/item.json", item.to_string());
    let mut of_items = stacked(&["item.json"]);
    of_items["asset_prefix"] = json!("../items/");
    store.put("mosaics/items.json", of_items.to_string());
    let (red, nir) = (store.url("scenes/red.tif"), store.url("scenes/nir.tif"));
    let wanted = server
        .get(&format!("/ndvi/{ABOVE}.png?red={red}&nir={nir}"))
        .await;
    let style = "&expression=(nir-red)/(nir%2Bred)&rescale=-1,1&colormap_name=rdylgn";
    let path = format!("/tiles/WebMercatorQuad/{ABOVE}.png");
    let shown = get(&server, &store, "items.json", &path, style).await;
    assert_eq!(shown.status(), 200, "{:?}", shown.body());
    assert!(shown.body() == wanted.body(), "not the NDVI of the files");
    let folder = std::env::temp_dir().join(format!("edgetile-mosaic-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let layers = json!({"layers": [
        {"name": "vigour", "mosaic": store.url("mosaics/items.json"),
         "style": {"expression": "(nir-red)/(nir+red)", "rescale": "-1,1", "colormap_name": "rdylgn", "pixel_selection": "highest"}}]});
    let path = folder.join("layers.json");
    std::fs::write(&path, layers.to_string()).expect("written");
    let of_layer = Server::start(&["--layers", path.to_str().expect("text")], &[]);
    let layer = of_layer.get(&format!("/tiles/vigour/{ABOVE}.png")).await;
    assert!(layer.body() == wanted.body(), "{:?}", layer.body());
    assert_eq!(of_layer.get("/tiles/vigour/tilejson.json").await.status(), 200);
    assert_eq!(of_layer.get("/viewer/config.json").await.status(), 200);
    std::fs::remove_dir_all(&folder).expect("removed");
}
