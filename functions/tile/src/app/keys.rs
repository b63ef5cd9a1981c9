//! Layers and files that need a key or a signature, over the embedded sample.

use http::{Method, StatusCode};

use super::tests::{app, ask, get, json};

const KEY: &str = "a-key-of-many-letters";
const SECRET: &str = "a-secret-that-signs-addresses";
const TILE: &str = "/tiles/truecolour/8/136/88.png";

fn settings() -> Vec<(&'static str, &'static str)> {
    vec![("EDGETILE_API_KEYS", KEY), ("EDGETILE_SIGNING_KEYS", SECRET)]
}

#[tokio::test]
async fn nothing_with_pixels_is_answered_without_a_key() {
    let app = app(&settings()).await;
    for target in [
        TILE,
        "/tiles/truecolour",
        "/tiles/truecolour/tilejson.json",
        "/tiles/truecolour/info",
        "/tiles/truecolour/legend.png",
        "/tiles/truecolour/point/11.5,48.1",
        "/tiles/truecolour/WMTSCapabilities.xml",
        "/ndvi/8/136/88.png",
        "/index/NDWI/8/136/88",
        "/cog/info?url=sample.tif",
        "/cog/preview.png?url=sample.tif&bidx=1&rescale=0,1",
        "/stac/assets?url=item.json",
    ] {
        let bare = get(&app, target).await;
        assert_eq!(bare.status(), StatusCode::UNAUTHORIZED, "{target}");
        assert_eq!(bare.headers()["cache-control"], "no-store");
        assert_eq!(bare.headers()["www-authenticate"], "Bearer");
        let held = ask(&app, Method::GET, target, &[("x-api-key", KEY)]).await;
        assert_ne!(held.status(), StatusCode::UNAUTHORIZED, "{target}");
        let wrong = ask(&app, Method::GET, target, &[("authorization", "Bearer wrong")]).await;
        assert_eq!(wrong.status(), StatusCode::UNAUTHORIZED, "{target}");
    }
    for open in ["/healthz", "/", "/colorMaps", "/tileMatrixSets", "/ogc"] {
        assert_eq!(get(&app, open).await.status(), StatusCode::OK, "{open}");
    }
    // Lists name only what the caller may see.
    assert_eq!(json(&app, "/tiles").await["tilesets"], serde_json::json!([]));
    assert_eq!(
        json(&app, "/viewer/config.json").await["layers"],
        serde_json::json!([])
    );
    assert_eq!(json(&app, "/viewer/config.json").await["wants_key"], true);
    let api = json(&app, "/api").await;
    assert_eq!(
        api["paths"]["/cog/info"]["get"]["security"][0],
        serde_json::json!({"bearer": []})
    );
    assert_eq!(
        api["paths"]["/colorMaps"]["get"]["security"],
        serde_json::json!([])
    );
    let config = ask(&app, Method::GET, "/viewer/config.json", &[("x-api-key", KEY)]).await;
    let config: serde_json::Value = serde_json::from_slice(config.body()).unwrap();
    assert_eq!(
        (
            &config["wants_key"],
            config["layers"].as_array().unwrap().is_empty()
        ),
        (&false.into(), false)
    );
    let all = ask(&app, Method::GET, "/tiles", &[("x-api-key", KEY)]).await;
    assert!(String::from_utf8_lossy(all.body()).contains("/tiles/truecolour"));
    assert_eq!(all.headers()["cache-control"], "private, max-age=60");
    assert_eq!(all.headers()["vary"], "Authorization, X-Api-Key");
}

#[tokio::test]
async fn a_refusal_that_tells_of_what_is_protected_is_kept_from_others_too() {
    let app = app(&settings()).await;
    let target = "/tiles/truecolour/8/136/88.png?expression=zz";
    let held = ask(&app, Method::GET, target, &[("x-api-key", KEY)]).await;
    assert_eq!(held.status(), StatusCode::BAD_REQUEST);
    assert!(String::from_utf8_lossy(held.body()).contains("nir"));
    assert_eq!(held.headers()["cache-control"], "private, max-age=300");
    let open = get(&app, "/nosuch").await;
    assert_eq!(open.headers()["cache-control"], "public, max-age=300");
}

#[tokio::test]
async fn tilejson_hands_on_addresses_that_open_as_long_as_its_own_did() {
    let app = app(&settings()).await;
    let target = format!("/tiles/truecolour/tilejson.json?access_token={KEY}&rescale=0,2000");
    let tiles = json(&app, &target).await["tiles"][0].as_str().unwrap().to_owned();
    assert!(!tiles.contains(KEY) && tiles.contains("signature="), "{tiles}");
    let tile = tiles
        .trim_start_matches("http://localhost")
        .replace("{z}/{x}/{y}", "8/136/88");
    let answer = get(&app, &tile).await;
    assert_eq!(answer.status(), StatusCode::OK, "{tile}");
    let kept = answer.headers()["cache-control"].to_str().unwrap();
    assert_eq!(kept, "public, max-age=3600", "no stale answers after its end");
    let other = get(&app, &tile.replace("rescale=0,2000", "rescale=0,3000")).await;
    assert_eq!(other.status(), StatusCode::FORBIDDEN);
    let held = ask(
        &app,
        Method::GET,
        TILE,
        &[("authorization", &format!("Bearer {KEY}"))],
    )
    .await;
    assert_eq!(held.headers()["cache-control"], "private, max-age=3600");
    // The held version of what is protected tells nothing without a key.
    let etag = held.headers()["etag"].to_str().unwrap().to_owned();
    let bare = ask(&app, Method::GET, TILE, &[("if-none-match", &etag)]).await;
    assert_eq!(bare.status(), StatusCode::UNAUTHORIZED);
}

/// Every address of a document: in quotes, from here on, without what XML escapes.
fn addresses(text: &str) -> Vec<String> {
    let quoted = text
        .split('"')
        .filter(|part| part.starts_with("http://localhost/"));
    let plain = |part: &str| part.trim_start_matches("http://localhost").replace("&amp;", "&");
    quoted.map(plain).collect()
}

#[tokio::test]
async fn every_address_of_a_document_opens_as_it_was_opened() {
    let app = app(&settings()).await;
    let tiles = |address: &str| {
        address
            .replace("{TileMatrixSet}", "WebMercatorQuad")
            .replace("{TileMatrix}/{TileCol}/{TileRow}", "8/136/88")
            .replace("{tileMatrix}/{tileCol}/{tileRow}", "8/136/88")
    };
    let mut seen = 0;
    for document in [
        "/tiles/truecolour",
        "/tiles/truecolour/WMTSCapabilities.xml?rescale=0,3000",
        "/tiles/truecolour/WGS1984Quad",
        "/cog/WMTSCapabilities.xml?url=sample.tif&bidx=1&rescale=0,3000",
        "/cog/tiles?url=sample.tif",
        "/cog/tiles/WebMercatorQuad?url=sample.tif&bidx=1&rescale=0,3000",
        "/ndvi/WMTSCapabilities.xml",
    ] {
        let by_key = ask(&app, Method::GET, document, &[("x-api-key", KEY)]).await;
        let text = String::from_utf8_lossy(by_key.body()).into_owned();
        for address in addresses(&text) {
            let is_open = address.starts_with("/tileMatrixSets/") || address == "/";
            assert!(is_open || address.contains("signature="), "{document}: {address}");
            assert!(!address.contains(KEY), "{address}");
            let address = tiles(&address);
            if address.contains("WGS1984Quad/8/") || address.ends_with('&') {
                continue;
            }
            let opened = get(&app, &address).await;
            assert!(
                opened.status().is_success(),
                "{document}: {address}: {}",
                opened.status()
            );
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
    // In keys and values, on any grid.
    let document = "/cog/WMTSCapabilities.xml?url=sample.tif&bidx=1&rescale=0,3000";
    let by_key = ask(&app, Method::GET, document, &[("x-api-key", KEY)]).await;
    let text = String::from_utf8_lossy(by_key.body()).into_owned();
    let all: Vec<String> = addresses(&text)
        .into_iter()
        .filter(|address| address.ends_with('&'))
        .collect();
    let [capabilities, tile] = all.as_slice() else {
        panic!("{all:?}")
    };
    let capabilities = get(&app, &format!("{capabilities}REQUEST=GetCapabilities")).await;
    assert_eq!(capabilities.status(), StatusCode::OK);
    let keys =
        "REQUEST=GetTile&LAYER=sample&TILEMATRIXSET=WebMercatorQuad&TILEMATRIX=8&TILEROW=88&TILECOL=136";
    assert_eq!(get(&app, &format!("{tile}{keys}")).await.status(), StatusCode::OK);
    let other = format!("{}{keys}", tile.replace("rescale=0,3000", "rescale=0,4000"));
    let refused = get(&app, &other).await;
    assert_eq!(refused.status(), StatusCode::FORBIDDEN);
    assert!(String::from_utf8_lossy(refused.body()).contains("ExceptionReport"));
    // What opens all grids of one source opens no other.
    let signature = tile.split_once("expires=").unwrap().1.trim_end_matches('&');
    let other = format!("/tiles/truecolour/WebMercatorQuad/8/136/88.png?expires={signature}");
    assert_eq!(get(&app, &other).await.status(), StatusCode::FORBIDDEN);
    assert_eq!(get(&app, TILE).await.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn files_alone_may_be_protected() {
    let app = app(&[("EDGETILE_API_KEYS", KEY), ("EDGETILE_PROTECT", "urls")]).await;
    assert_eq!(get(&app, TILE).await.status(), StatusCode::OK);
    assert_eq!(get(&app, "/ndvi/8/136/88.png").await.status(), StatusCode::OK);
    let file = "/ndvi/8/136/88.png?url=sample.tif";
    assert_eq!(get(&app, file).await.status(), StatusCode::UNAUTHORIZED);
    let with_key = format!("{file}&access_token={KEY}");
    assert_eq!(get(&app, &with_key).await.status(), StatusCode::OK);
    // Without a key to sign with, the one that was given stands in the addresses.
    let tiles = json(
        &app,
        &format!("/cog/WebMercatorQuad/tilejson.json?url=sample.tif&access_token={KEY}"),
    )
    .await;
    assert!(
        tiles["tiles"][0]
            .as_str()
            .unwrap()
            .ends_with(&format!("&access_token={KEY}"))
    );
}
