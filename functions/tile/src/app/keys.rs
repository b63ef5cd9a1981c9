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
