//! STAC items as the real binary reads them: the pixels of the files that they name, what that costs, and where they may
//! not lead.

use std::time::Duration;

use bytes::Bytes;
use edgetile_tests::binary;
use edgetile_tests::client::header;
use edgetile_tests::http_store::{Fault, HttpStore};
use edgetile_tests::server::Server;
use http::Response;
use serde_json::{Value, json};

const TILE: &str = "12/2179/1421";

/// A store with an item of two files of one band and one of four, and a server that may read it.
async fn serving() -> (HttpStore, Server) {
    let store = HttpStore::start(Duration::ZERO).await;
    let painter = Server::start(&[], &[]);
    for (name, band) in [("B04.tif", 3), ("B08.tif", 4)] {
        let target = format!("/cog/tiles/WebMercatorQuad/{TILE}.tif?url=sample.tif&bidx={band}");
        let file = painter.get(&target).await;
        assert_eq!(file.status(), 200);
        store.put(&format!("scenes/{name}"), file.body().clone());
    }
    let sample = std::fs::read(binary::file("functions/tile/sample/sample.tif")).expect("the sample");
    store.put("scenes/all.tif", sample);
    store.put("items/item.json", item("../scenes/").to_string());
    let server = Server::start(&["--allow-urls", &store.url("*")], &[]);
    (store, server)
}

/// An item of STAC 1.1 whose files stand below `folder`.
fn item(folder: &str) -> Value {
    let file = |name: &str, bands: Value| json!({"href": format!("{folder}{name}"), "type": "image/tiff; application=geotiff", "bands": bands});
    let band = |name: &str, common: &str| json!({"name": name, "eo:common_name": common});
    let all = [
        ("blue", "blue"),
        ("green", "green"),
        ("red", "red"),
        ("nir", "nir"),
    ];
    let all: Vec<Value> = all.iter().map(|(name, common)| band(name, common)).collect();
    json!({
        "type": "Feature", "stac_version": "1.1.0", "id": "one", "geometry": null, "properties": {}, "links": [],
        "assets": {
            "B08": file("B08.tif", json!([band("B08", "nir")])),
            "B04": file("B04.tif", json!([band("B04", "red")])),
            "all": file("all.tif", json!(all)),
            "preview": {"href": "preview.jpg", "type": "image/jpeg"}
        }
    })
}

async fn ask(server: &Server, store: &HttpStore, path: &str, query: &str) -> Response<Bytes> {
    let url = store.url("items/item.json");
    server.get(&format!("{path}?url={url}{query}")).await
}

async fn json(server: &Server, store: &HttpStore, path: &str, query: &str) -> Value {
    let answer = ask(server, store, path, query).await;
    assert_eq!(answer.status(), 200, "{path}: {:?}", answer.body());
    serde_json::from_slice(answer.body()).expect("JSON")
}

fn detail(answer: &Response<Bytes>) -> String {
    let body: Value = serde_json::from_slice(answer.body()).expect("JSON");
    body["detail"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn every_way_to_name_assets_gives_the_pixels_of_their_files() {
    let (store, server) = serving().await;
    let (red, nir) = (store.url("scenes/B04.tif"), store.url("scenes/B08.tif"));
    let two = format!("/cog/tiles/WebMercatorQuad/{TILE}.npy?url.red={red}&url.nir={nir}");
    let wanted = server
        .get(&format!("{two}&expression=(nir-red)/(nir%2Bred)"))
        .await;
    assert_eq!(wanted.status(), 200, "{:?}", wanted.body());
    let tile = format!("/stac/tiles/WebMercatorQuad/{TILE}.npy");
    for query in [
        "&expression=(nir-red)/(nir%2Bred)",
        "&expression=(B08-B04)/(B08%2BB04)",
        "&expression=(B08_b1-B04_b1)/(B08_b1%2BB04_b1)",
        "&assets=B04&assets=B08&expression=(b2-b1)/(b2%2Bb1)",
        "&assets=B08,B04&expression=(b1-b2)/(b1%2Bb2)",
        "&assets=B04&assets=B08&asset_as_band=true&expression=(B08-B04)/(B08%2BB04)",
        "&assets=B04%7Cbidx=1&assets=nir&expression=(nir-red)/(nir%2Bred)",
        "&assets=all%7Cbidx=3,4&expression=(b2-b1)/(b2%2Bb1)",
        "&assets=all%7Cbands=red,nir&expression=(nir-red)/(nir%2Bred)",
        "&assets=all%7Cexpression=(nir-red)/(nir%2Bred)",
        "&assets=all%7Cexpression=(b4-b3)/(b4%2Bb3)&expression=all_b1",
    ] {
        let got = ask(&server, &store, &tile, query).await;
        assert_eq!(got.status(), 200, "{query}: {:?}", got.body());
        assert!(got.body() == wanted.body(), "{query} gives other pixels");
    }
    let stacked = ask(&server, &store, &tile, "&assets=B04&assets=all%7Cbidx=3").await;
    let doubled = format!(
        "/cog/tiles/WebMercatorQuad/{TILE}.npy?url={}&bidx=3&bidx=3",
        store.url("scenes/all.tif")
    );
    assert!(
        stacked.body() == server.get(&doubled).await.body(),
        "stacked bands are others"
    );
}

#[tokio::test]
async fn ndvi_and_indices_find_an_items_bands_by_common_name() {
    let (store, server) = serving().await;
    let (red, nir) = (store.url("scenes/B04.tif"), store.url("scenes/B08.tif"));
    let wanted = server.get(&format!("/ndvi/{TILE}.png?red={red}&nir={nir}")).await;
    assert_eq!(wanted.status(), 200);
    for (path, query) in [
        (format!("/ndvi/{TILE}.png"), ""),
        (format!("/ndvi/{TILE}.png"), "&red=B04&nir=B08"),
        (format!("/index/NDVI/{TILE}.png"), ""),
        (format!("/stac/tiles/WebMercatorQuad/{TILE}.png"), "&index=NDVI"),
    ] {
        let got = ask(&server, &store, &path, query).await;
        assert_eq!(got.status(), 200, "{path}{query}: {:?}", got.body());
        if path.starts_with("/ndvi") {
            assert!(got.body() == wanted.body(), "{path}{query} is another picture");
        }
    }
    let missing = ask(&server, &store, &format!("/index/NBR/{TILE}.png"), "").await;
    assert_eq!(missing.status(), 400);
    assert!(detail(&missing).contains("swir22"), "{}", detail(&missing));
}

#[tokio::test]
async fn documents_about_an_item_tell_of_its_assets() {
    let (store, server) = serving().await;
    assert_eq!(
        json(&server, &store, "/stac/assets", "").await,
        json!(["B04", "B08", "all"])
    );
    let info = json(&server, &store, "/stac/info", "&assets=all&assets=B04").await;
    assert_eq!(
        (&info["all"]["count"], &info["B04"]["count"]),
        (&json!(4), &json!(1))
    );
    let all = json(&server, &store, "/stac/info.geojson", "&assets=:all:").await;
    assert_eq!(all["features"].as_array().map(Vec::len), Some(3));
    let point = json(
        &server,
        &store,
        "/stac/point/11.58,48.14",
        "&assets=B04&assets=all",
    )
    .await;
    let names = json!(["B04_b1", "all_blue", "all_green", "all_red", "all_nir"]);
    assert_eq!(point["band_descriptions"], names);
    assert_eq!(point["band_names"], json!(["b1", "b2", "b3", "b4", "b5"]));
    let point = json(
        &server,
        &store,
        "/stac/point/11.58,48.14",
        "&assets=B04&asset_as_band=true",
    )
    .await;
    assert_eq!(point["band_descriptions"], json!(["B04"]));
    let tilejson = json(
        &server,
        &store,
        "/stac/WebMercatorQuad/tilejson.json",
        "&assets=B04&tilesize=256&rescale=0,3000",
    )
    .await;
    let tiles = tilejson["tiles"][0].as_str().expect("an address");
    let path = tiles.split_once("/stac").expect("a path below the root").1;
    let path = format!("/stac{path}").replace("{z}/{x}/{y}", TILE);
    assert_eq!(server.get(&path).await.status(), 200, "{path}");
    for (path, query, status, told) in [
        (
            format!("/stac/tiles/WebMercatorQuad/{TILE}.png"),
            "",
            400,
            "assets is missing",
        ),
        (
            format!("/stac/tiles/WebMercatorQuad/{TILE}.png"),
            "&assets=B09",
            400,
            "there are B04, B08, all",
        ),
        (
            format!("/stac/tiles/WebMercatorQuad/{TILE}.png"),
            "&assets=B04%7Cbidx=2",
            400,
            "names band 2",
        ),
        (
            format!("/stac/tiles/WebMercatorQuad/{TILE}.png"),
            "&assets=all&asset_as_band=true",
            400,
            "all has 4",
        ),
    ] {
        let answer = ask(&server, &store, &path, query).await;
        assert_eq!(answer.status(), status, "{query}");
        assert!(detail(&answer).contains(told), "{query}: {}", detail(&answer));
    }
}

#[tokio::test]
async fn an_item_costs_one_round_trip_cold_and_none_warm() {
    let (store, server) = serving().await;
    let path = format!("/ndvi/{TILE}.png");
    assert_eq!(ask(&server, &store, &path, "").await.status(), 200);
    let cold = store.log.take();
    let of_item = |requests: &edgetile_tests::log::Requests| {
        let item = requests
            .0
            .iter()
            .filter(|request| request.path.ends_with("item.json"));
        item.count()
    };
    assert_eq!(
        (of_item(&cold), cold.0[0].path.as_str()),
        (1, "items/item.json"),
        "{cold:#?}"
    );
    // The sample's other zoom: blocks of the files, and nothing of the item.
    assert_eq!(
        ask(&server, &store, "/ndvi/13/4358/2843.png", "").await.status(),
        200
    );
    let warm = store.log.take();
    assert_eq!(of_item(&warm), 0, "{warm:#?}");
}

#[tokio::test]
async fn an_item_does_not_lead_to_where_requests_may_not_go() {
    let (store, server) = serving().await;
    let other = HttpStore::start(Duration::ZERO).await;
    let sample = std::fs::read(binary::file("functions/tile/sample/sample.tif")).expect("the sample");
    other.put("all.tif", sample);
    let local = format!(
        "file://{}",
        binary::file("functions/tile/sample/sample.tif").display()
    );
    let path = format!("/stac/tiles/WebMercatorQuad/{TILE}.png");
    for href in [
        other.url("all.tif"),
        local,
        "/etc/passwd".to_owned(),
        "../../../all.tif".to_owned(),
        format!("//{}/all.tif", other.address),
        "s3://bucket/all.tif".to_owned(),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
    ] {
        let mut evil = item("../scenes/");
        evil["assets"]["all"]["href"] = json!(href);
        store.put("items/evil.json", evil.to_string());
        let url = store.url("items/evil.json");
        // A new name each time: the item is kept for ten seconds.
        let fresh = Server::start(&["--allow-urls", &store.url("*")], &[]);
        let answer = fresh
            .get(&format!("{path}?url={url}&assets=all&rescale=0,3000&bidx=1"))
            .await;
        let is_absent = href == "/etc/passwd";
        assert_eq!(
            answer.status(),
            if is_absent { 404 } else { 403 },
            "{href}: {:?}",
            answer.body()
        );
        let body = String::from_utf8_lossy(answer.body()).into_owned();
        assert!(!body.contains("all.tif") && !body.contains("passwd"), "{body}");
    }
    assert_eq!(other.log.take().count(), 0, "the other store was asked");
    drop(server);
}

#[tokio::test]
async fn of_alternate_addresses_the_first_that_may_be_read_is_taken() {
    let (store, server) = serving().await;
    let mut two = item("../scenes/");
    two["assets"]["all"]["href"] = json!("https://nowhere.example.com/all.tif");
    two["assets"]["all"]["alternate"] = json!({
        "s3": {"href": "s3://nowhere/all.tif"},
        "web": {"href": store.url("scenes/all.tif")},
        "x": {"href": store.url("scenes/nosuch.tif")},
    });
    store.put("items/item.json", two.to_string());
    let (path, query) = (
        format!("/stac/tiles/WebMercatorQuad/{TILE}.png"),
        "&assets=all%7Cbidx=1&rescale=0,3000",
    );
    assert_eq!(ask(&server, &store, &path, query).await.status(), 200);
    let allowed = store.url("*");
    let chosen = Server::start(&["--allow-urls", &allowed, "--stac-alternate", "x"], &[]);
    assert_eq!(ask(&chosen, &store, &path, query).await.status(), 404);
}

#[tokio::test]
async fn an_item_that_cannot_be_read_is_an_error_that_nobody_keeps() {
    let (store, server) = serving().await;
    let path = format!("/ndvi/{TILE}.png");
    for (fault, status) in [
        (Fault::Unavailable, 503),
        (Fault::Broken, 502),
        (Fault::Reset, 502),
        (Fault::Truncated, 502),
    ] {
        store.fail_always(Some(fault));
        let answer = ask(&server, &store, &path, "").await;
        assert_eq!(
            (answer.status().as_u16(), header(&answer, "cache-control")),
            (status, "no-store"),
            "{fault:?}"
        );
        let body = String::from_utf8_lossy(answer.body()).into_owned();
        assert!(!body.contains("secret") && !body.contains("item"), "{body}");
    }
    store.fail_always(None);
    assert_eq!(ask(&server, &store, &path, "").await.status(), 200);
    for (text, status) in [
        ("{", 422),
        ("{}", 415),
        ("[]", 422),
        ("{\"type\":\"Feature\",\"assets\":{}}", 400),
    ] {
        store.put("items/odd.json", text);
        let url = store.url("items/odd.json");
        let answer = server.get(&format!("{path}?url={url}")).await;
        assert_eq!(answer.status(), status, "{text}: {:?}", answer.body());
        tokio::time::sleep(Duration::from_millis(1)).await;
        store.remove("items/odd.json");
    }
    let gone = server
        .get(&format!("{path}?url={}", store.url("items/nosuch.json")))
        .await;
    assert_eq!(gone.status(), 404);
}

#[tokio::test]
async fn an_item_that_was_replaced_is_noticed_after_ten_seconds() {
    let (store, server) = serving().await;
    let path = format!("/stac/tiles/WebMercatorQuad/{TILE}.png");
    let query = "&expression=B04&rescale=0,3000";
    let first = ask(&server, &store, &path, query).await;
    assert_eq!(first.status(), 200);
    let mut other = item("../scenes/");
    other["assets"]["B04"]["href"] = json!("../scenes/B08.tif");
    store.put("items/item.json", other.to_string());
    tokio::time::sleep(Duration::from_millis(10_200)).await;
    let second = ask(&server, &store, &path, query).await;
    let nir = ask(&server, &store, &path, "&expression=B08&rescale=0,3000").await;
    assert!(
        second.body() == nir.body() && second.body() != first.body(),
        "the old item still holds"
    );
    assert_ne!(header(&first, "etag"), header(&second, "etag"));
}

#[tokio::test]
async fn a_layer_may_be_an_item() {
    let (store, _) = serving().await;
    let folder = std::env::temp_dir().join(format!("edgetile-stac-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let layers = json!({"layers": [
        {"name": "vigour", "item": store.url("items/item.json"),
         "style": {"expression": "(nir-red)/(nir+red)", "rescale": "-1,1", "colormap_name": "rdylgn"}},
        {"name": "picture", "item": store.url("items/item.json"), "assets": ["all|bidx=3,2,1"], "style": {"rescale": "0,3000"}},
    ]});
    std::fs::write(folder.join("layers.json"), layers.to_string()).expect("written");
    let path = folder.join("layers.json");
    let server = Server::start(&["--layers", path.to_str().expect("text")], &[]);
    let wanted = Server::start(&[], &[]);
    let ndvi = wanted.get(&format!("/ndvi/{TILE}.png")).await;
    let vigour = server.get(&format!("/tiles/vigour/{TILE}.png")).await;
    assert_eq!(vigour.status(), 200, "{:?}", vigour.body());
    assert!(vigour.body() == ndvi.body(), "not the NDVI of the sample");
    let picture = server.get(&format!("/tiles/picture/{TILE}.png")).await;
    let same = wanted
        .get(&format!(
            "/cog/tiles/WebMercatorQuad/{TILE}.png?url=sample.tif&bidx=3&bidx=2&bidx=1&rescale=0,3000"
        ))
        .await;
    assert!(picture.body() == same.body(), "not the picture of the sample");
    assert_eq!(server.get("/tiles/vigour/tilejson.json").await.status(), 200);
    // Another index of the same layer opens other assets.
    let other = server
        .get(&format!(
            "/tiles/vigour/{TILE}.png?expression=green&rescale=0,3000"
        ))
        .await;
    assert_eq!(other.status(), 200, "{:?}", other.body());
    std::fs::remove_dir_all(&folder).expect("removed");
}
