//! The app as a door sees it, over the embedded sample.

use std::collections::BTreeMap;

use http::header::CONTENT_LENGTH;
use http::{HeaderValue, StatusCode};
use serde_json::Value;

use super::*;

pub(super) async fn app(environment: &[(&str, &str)]) -> App {
    let environment = environment
        .iter()
        .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
        .collect();
    App::start(Settings::read(&BTreeMap::new(), environment).unwrap())
        .await
        .unwrap()
}

pub(super) async fn ask(
    app: &App,
    method: Method,
    target: &str,
    headers: &[(&'static str, &str)],
) -> Response<Bytes> {
    let mut request = Request::new(Bytes::new());
    *request.method_mut() = method;
    *request.uri_mut() = target.parse().unwrap();
    for (name, value) in headers {
        request
            .headers_mut()
            .insert(*name, HeaderValue::from_str(value).unwrap());
    }
    app.answer(request).await
}

pub(super) async fn get(app: &App, target: &str) -> Response<Bytes> {
    let response = ask(app, Method::GET, target, &[]).await;
    if let Some(length) = response.headers().get(CONTENT_LENGTH) {
        assert_eq!(length, &response.body().len().to_string(), "{target}");
    }
    response
}

pub(super) async fn json(app: &App, target: &str) -> Value {
    let response = get(app, target).await;
    assert_eq!(
        response.status(),
        StatusCode::OK,
        "{target}: {:?}",
        response.body()
    );
    serde_json::from_slice(response.body()).unwrap()
}

/// The tile of zoom 12 at the middle of the sample, as a path.
async fn middle(app: &App) -> String {
    let json = json(app, "/tiles/truecolour/tilejson.json").await;
    let bounds: [f64; 4] = serde_json::from_value(json["bounds"].clone()).unwrap();
    let (lon, lat) = (
        f64::midpoint(bounds[0], bounds[2]),
        f64::midpoint(bounds[1], bounds[3]).to_radians(),
    );
    let x = (lon + 180.0) / 360.0 * 4096.0;
    let y = (1.0 - lat.tan().asinh() / std::f64::consts::PI) / 2.0 * 4096.0;
    format!("12/{}/{}", x as u32, y as u32)
}

#[tokio::test]
async fn the_sample_is_served_with_nothing_configured() {
    let app = app(&[]).await;
    let middle = middle(&app).await;
    for target in [
        format!("/tiles/truecolour/{middle}.png"),
        format!("/ndvi/{middle}.png"),
        format!("/ndvi/{middle}@2x.png?url=sample.tif&red=3&nir=4"),
        format!("/cog/tiles/WebMercatorQuad/{middle}.png?url=sample.tif&bidx=4&rescale=0,5000"),
    ] {
        let response = get(&app, &target).await;
        assert_eq!(
            response.status(),
            StatusCode::OK,
            "{target}: {:?}",
            response.body()
        );
        assert_eq!(response.headers()["content-type"], "image/png");
        assert_eq!(&response.body()[..4], b"\x89PNG");
        assert!(response.headers().contains_key("edgetile-cost"));
    }
}

#[tokio::test]
async fn an_index_finds_its_bands_by_name_and_says_how_to_give_them() {
    let app = app(&[]).await;
    let middle = middle(&app).await;
    let file = format!("/cog/tiles/WebMercatorQuad/{middle}.png?url=sample.tif");
    let by_name = get(&app, &format!("{file}&index=ndwi")).await;
    let meant = "expression=(green-nir)/(green%2Bnir)&rescale=-1,1&colormap_name=rdylbu";
    let written = get(&app, &format!("{file}&{meant}")).await;
    assert_eq!(by_name.status(), StatusCode::OK, "{:?}", by_name.body());
    assert_eq!(by_name.body(), written.body());
    for same in [
        format!("/index/NDWI/{middle}.png"),
        format!("/index/ndwi(nir=4)/{middle}.png?url=sample.tif"),
        format!("/tiles/truecolour/{middle}.png?index=NDWI(green=green,nir=b4)"),
        format!("/cog/tiles/WebMercatorQuad/{middle}.png?url.a=sample.tif&index=ndwi"),
    ] {
        assert_eq!(get(&app, &same).await.body(), by_name.body(), "{same}");
    }
    // Values, not colours.
    let values = get(&app, &format!("/index/NDWI/{middle}.npy")).await;
    assert!(String::from_utf8_lossy(&values.body()[..80]).contains("'<f4'"));
    let missing = get(&app, &format!("{file}&index=nbr")).await;
    assert_eq!(missing.status(), StatusCode::BAD_REQUEST);
    let told = "index names a band swir22 that is not there: there are blue, green, red, nir; \
                give its number or name, index=NBR(swir22=1), or its file, url.swir22=";
    let text = String::from_utf8_lossy(missing.body()).into_owned();
    assert!(text.contains(told), "{text}");
    let tilejson = json(&app, "/index/ndwi(nir=4)/tilejson.json?url=sample.tif").await;
    assert_eq!(tilejson["name"], "NDWI");
    let tiles = tilejson["tiles"][0].as_str().unwrap();
    assert!(
        tiles.ends_with("/index/NDWI(nir=b4)/{z}/{x}/{y}@2x.png?url=sample.tif"),
        "{tiles}"
    );
    let all = json(&app, "/indices").await;
    let of = all["indices"].as_array().unwrap().iter();
    let ndvi = of.clone().find(|index| index["id"] == "NDVI").unwrap();
    assert_eq!(ndvi["formula"], "(nir-red)/(nir+red)");
}

#[tokio::test]
async fn info_is_a_feature_or_several_as_geojson() {
    let app = app(&[]).await;
    let info = json(&app, "/cog/info?url=sample.tif").await;
    let [west, south, east, north] =
        serde_json::from_value::<[f64; 4]>(info["geographic_bounds"].clone()).unwrap();
    let answer = get(&app, "/cog/info.geojson?url=sample.tif").await;
    assert_eq!(answer.headers()["content-type"], "application/geo+json");
    let feature: Value = serde_json::from_slice(answer.body()).unwrap();
    let ring = [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
    ];
    let polygon = serde_json::json!({"type": "Polygon", "coordinates": [ring]});
    assert_eq!(feature["geometry"], polygon);
    assert_eq!(feature["properties"], info);
    assert_eq!(
        json(&app, "/tiles/truecolour/info.geojson").await["geometry"],
        polygon
    );
    let several = json(&app, "/cog/info.geojson?url.a=sample.tif&url.b=sample.tif").await;
    assert_eq!(several["type"], "FeatureCollection");
    assert_eq!(several["features"][1]["id"], "b");
    assert_eq!(several["features"][1]["geometry"], polygon);
}

#[tokio::test]
async fn quality_is_that_of_formats_with_loss() {
    let app = app(&[]).await;
    let tile = format!("/tiles/truecolour/{}", middle(&app).await);
    let body = async |rest: &str| {
        let answer = get(&app, &format!("{tile}{rest}")).await;
        assert_eq!(answer.status(), StatusCode::OK, "{rest}: {:?}", answer.body());
        answer.into_body()
    };
    let jpeg = body(".jpg").await;
    assert_eq!(jpeg, body(".jpg?quality=85").await);
    assert!(body(".jpg?quality=40").await.len() < jpeg.len());
    let webp = body(".webp").await;
    assert_eq!(&webp[8..16], b"WEBPVP8L");
    assert_eq!(webp, body(".webp?quality=100").await);
    let lossy = body(".webp?quality=75").await;
    assert_ne!(&lossy[8..16], b"WEBPVP8L");
    assert!(lossy.len() < webp.len());
    assert_eq!(body(".png").await, body(".png?quality=10").await);
}

/// The samples of an `npy` of one float32 band without a mask.
fn floats(response: &Response<Bytes>) -> Vec<f32> {
    let body = response.body();
    let start = 10 + usize::from(u16::from_le_bytes([body[8], body[9]]));
    let values = body[start..].chunks_exact(4);
    values
        .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()))
        .collect()
}

#[tokio::test]
async fn slopes_at_the_edge_of_a_tile_are_those_within_a_larger_one() {
    let app = app(&[]).await;
    let middle = middle(&app).await;
    let of = |query: &str| {
        format!(
            "/cog/tiles/WebMercatorQuad/{middle}.npy?url=sample.tif&bidx=4&algorithm=slope&return_mask=false{query}"
        )
    };
    let alone = floats(&get(&app, &of("")).await);
    assert_eq!(alone.len(), 256 * 256);
    assert!(alone.iter().any(|degrees| *degrees > 1.0));
    // TiTiler's way to have whole tiles: a buffer that the algorithm cuts off again.
    assert_eq!(floats(&get(&app, &of("&buffer=3")).await), alone);
    let larger = floats(&get(&app, &of("&buffer=5")).await);
    assert_eq!(larger.len(), 260 * 260);
    for (at, degrees) in alone.iter().enumerate() {
        assert_eq!(larger[(at / 256 + 2) * 260 + at % 256 + 2], *degrees, "{at}");
    }
}

#[tokio::test]
async fn algorithms_are_listed_drawn_and_refused_by_their_parameter() {
    let app = app(&[]).await;
    let middle = middle(&app).await;
    let all = json(&app, "/algorithms").await;
    let names = all["algorithms"].as_array().unwrap().iter();
    let names: Vec<_> = names.map(|one| one["id"].as_str().unwrap()).collect();
    let file = format!("/cog/tiles/WebMercatorQuad/{middle}.png?url=sample.tif");
    for name in &names {
        let one = json(&app, &format!("/algorithms/{name}")).await;
        assert_eq!(one["id"], *name);
        let drawn = get(
            &app,
            &format!("{file}&bidx=3&bidx=2&bidx=1&algorithm={name}&rescale=0,255"),
        )
        .await;
        assert_eq!(drawn.status(), StatusCode::OK, "{name}: {:?}", drawn.body());
    }
    assert_eq!(
        get(&app, "/algorithms/nosuch").await.status(),
        StatusCode::NOT_FOUND
    );
    let few = get(&app, &format!("{file}&bidx=1&algorithm=grayscale")).await;
    assert_eq!(few.status(), StatusCode::BAD_REQUEST);
    let told = "algorithm does not fit: grayscale needs 3 bands and is given 1";
    assert!(String::from_utf8_lossy(few.body()).contains(told));
    // A layer's colours were made for its bands, not for what an algorithm makes of them.
    let shaded = get(&app, &format!("/tiles/ndvi/{middle}.png?algorithm=hillshade")).await;
    let plain = get(
        &app,
        &format!("{file}&expression=(nir-red)/(nir%2Bred)&algorithm=hillshade"),
    )
    .await;
    assert_eq!(shaded.body(), plain.body());
}

#[tokio::test]
async fn a_held_tile_is_not_drawn_again_and_head_sends_no_body() {
    let app = app(&[]).await;
    let target = format!("/ndvi/{}.png", middle(&app).await);
    let first = get(&app, &target).await;
    let etag = first.headers()["etag"].to_str().unwrap();
    let again = ask(
        &app,
        Method::GET,
        &target,
        &[("if-none-match", &format!("W/{etag}"))],
    )
    .await;
    assert_eq!(
        (again.status(), again.body().len()),
        (StatusCode::NOT_MODIFIED, 0)
    );
    assert_eq!(again.headers()["etag"], etag);
    let head = ask(&app, Method::HEAD, &target, &[]).await;
    assert_eq!((head.status(), head.body().len()), (StatusCode::OK, 0));
    assert_eq!(head.headers()["content-length"], first.body().len().to_string());
}

#[tokio::test]
async fn mistakes_get_their_status_and_nothing_of_the_inside() {
    let app = app(&[]).await;
    let middle = middle(&app).await;
    let file = format!("/cog/tiles/WebMercatorQuad/{middle}.png");
    for (target, status) in [
        ("/tiles/nosuch/1/0/0".to_owned(), 404),
        ("/tiles/truecolour/1/2/0".to_owned(), 404),
        ("/tiles/truecolour/1/x/0".to_owned(), 400),
        ("/nosuch".to_owned(), 404),
        (format!("{file}?url=../sample.tif"), 403),
        (format!("{file}?url=https://example.com/a.tif"), 403),
        (format!("{file}?url=file:///etc/passwd"), 403),
        (format!("{file}?url=nosuch.tif"), 404),
        (format!("{file}?url=sample.tif&bidx=9"), 400),
        (format!("{file}?url=sample.tif&expression=b1%2Bb9"), 400),
        (format!("{file}?url=sample.tif&expression=b1+b2"), 400),
        (format!("{file}?url=sample.tif&colormap_name=nosuch&bidx=1"), 400),
        (format!("{file}?url=sample.tif&tilesize=4096"), 413),
        (
            format!("{file}?url=sample.tif&tilesize=2048{}", "&bidx=1".repeat(64)),
            413,
        ),
        ("/viewer/nosuch.js".to_owned(), 404),
        ("/colorMaps/nosuch".to_owned(), 404),
        ("/tileMatrixSets/nosuch".to_owned(), 404),
    ] {
        let response = get(&app, &target).await;
        let body = String::from_utf8_lossy(response.body()).into_owned();
        assert_eq!(response.status().as_u16(), status, "{target}: {body}");
        assert_eq!(
            response.headers()["content-type"],
            "application/problem+json",
            "{target}"
        );
        for inside in ["/work", "src/", "panicked", "passwd", "example.com"] {
            assert!(!body.contains(inside), "{target}: {body}");
        }
    }
    assert_eq!(
        ask(&app, Method::POST, "/healthz", &[]).await.status(),
        StatusCode::METHOD_NOT_ALLOWED
    );
    assert_eq!(
        ask(&app, Method::OPTIONS, "/tiles/a/b/c/d", &[]).await.status(),
        StatusCode::NO_CONTENT
    );
}

#[tokio::test]
async fn a_tile_beside_the_scene_is_as_the_operator_chose() {
    for (chosen, status) in [("204", 204), ("404", 404)] {
        let app = app(&[("EDGETILE_EMPTY_TILE", chosen)]).await;
        let response = get(&app, "/tiles/truecolour/12/0/0.png").await;
        assert_eq!((response.status().as_u16(), response.body().len()), (status, 0));
    }
    let app = app(&[("EDGETILE_EMPTY_TILE", "transparent")]).await;
    for (format, starts) in [("png", &b"\x89PNG"[..]), ("webp", b"RIFF"), ("jpg", b"\xff\xd8")] {
        let response = get(&app, &format!("/tiles/truecolour/12/0/0@2x.{format}")).await;
        assert_eq!(response.status(), StatusCode::OK, "{format}");
        assert!(response.body().starts_with(starts), "{format}");
    }
    let data = get(&app, "/tiles/truecolour/12/0/0.npy").await;
    assert_eq!(data.status(), StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn documents_have_the_shapes_that_clients_know() {
    let app = app(&[]).await;
    assert_eq!(json(&app, "/healthz").await["status"], "ok");
    let tilejson = json(&app, "/ndvi/tilejson.json?url=sample.tif&red=3&nir=4").await;
    assert_eq!(tilejson["tilejson"], "3.0.0");
    assert_eq!(
        tilejson["tiles"][0],
        "http://localhost/ndvi/{z}/{x}/{y}@2x.png?nir=4&red=3&url=sample.tif"
    );
    assert_eq!(json(&app, "/cog/info?url=sample.tif").await["count"], 4);
    let names = json(&app, "/colorMaps").await;
    let names = names["colormaps"].as_array().unwrap();
    let viridis = names.iter().find(|one| one["id"] == "viridis").unwrap();
    assert_eq!(viridis["links"][0]["href"], "http://localhost/colorMaps/viridis");
    let strip = get(
        &app,
        "/colorMaps/viridis?f=png&orientation=vertical&width=3&height=512",
    )
    .await;
    assert_eq!(strip.headers()["content-type"], "image/png");
    // The size stands in the header of a PNG (section 11.2.2).
    assert_eq!(strip.body()[16..24], [0, 0, 0, 3, 0, 0, 2, 0]);
    // rio-tiler's rdylgn, first entry.
    assert_eq!(
        json(&app, "/colorMaps/rdylgn").await["0"],
        serde_json::json!([165, 0, 38, 255])
    );
    let grid = json(&app, "/tileMatrixSets/WebMercatorQuad").await;
    assert_eq!(grid["crs"], "http://www.opengis.net/def/crs/EPSG/0/3857");
    assert_eq!(
        (
            &grid["tileMatrices"][1]["matrixWidth"],
            &grid["tileMatrices"][1]["id"]
        ),
        (&2.into(), &"1".into())
    );
    let config = json(&app, "/viewer/config.json").await;
    assert_eq!(config["layers"][0]["name"], "truecolour");
    assert_eq!(config["layers"][0]["bands"].as_array().unwrap().len(), 4);
    assert_eq!(
        config["layers"][0]["style"]["bidx"],
        serde_json::json!(["3", "2", "1"])
    );
}

#[tokio::test]
async fn the_page_is_gzip_and_revalidated() {
    let app = app(&[]).await;
    let gzip = ("accept-encoding", "br, gzip");
    let page = ask(&app, Method::GET, "/", &[gzip]).await;
    assert_eq!(page.headers()["content-encoding"], "gzip");
    assert_eq!(page.headers()["vary"], "Accept, Accept-Encoding");
    assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
    assert_eq!(page.headers()["cache-control"], "no-cache");
    let viewer = ask(&app, Method::GET, "/viewer", &[gzip]).await;
    assert_eq!(viewer.body(), page.body());
    let etag = page.headers()["etag"].to_str().unwrap();
    let again = ask(&app, Method::GET, "/", &[gzip, ("if-none-match", etag)]).await;
    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    assert!(!again.headers().contains_key("content-encoding"));
}

#[tokio::test]
async fn the_page_is_plain_for_those_who_read_no_gzip() {
    let app = app(&[]).await;
    let page = get(&app, "/").await;
    assert!(!page.headers().contains_key("content-encoding"));
    assert!(page.body().starts_with(b"<!doctype html>"));
    let gzip = ask(&app, Method::GET, "/", &[("accept-encoding", "gzip")]).await;
    assert_ne!(gzip.headers()["etag"], page.headers()["etag"]);
    assert_eq!(get(&app, "/viewer/").await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_folder_that_is_not_there_stops_the_start() {
    let environment = BTreeMap::from([("EDGETILE_DATA".to_owned(), "/nonexistent".to_owned())]);
    let settings = Settings::read(&BTreeMap::new(), environment).unwrap();
    let message = App::start(settings).await.unwrap_err().to_string();
    assert_eq!(
        message,
        "EDGETILE_DATA or --data names /nonexistent, which is no folder here"
    );
}

#[tokio::test]
async fn a_layers_file_that_is_not_there_stops_the_start() {
    let environment = BTreeMap::from([(
        "EDGETILE_LAYERS".to_owned(),
        "/nonexistent/layers.json".to_owned(),
    )]);
    let settings = Settings::read(&BTreeMap::new(), environment).unwrap();
    let message = App::start(settings).await.unwrap_err().to_string();
    assert!(
        message.starts_with("layers file /nonexistent/layers.json: "),
        "{message}"
    );
}

#[tokio::test]
async fn without_an_extension_accept_decides_or_else_whether_a_pixel_is_missing() {
    let app = app(&[]).await;
    let middle = middle(&app).await;
    let [z, x, y]: [u32; 3] = middle
        .split('/')
        .map(|number| number.parse().unwrap())
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();
    let whole = format!("/tiles/truecolour/{}/{}/{}", z + 2, 4 * x + 2, 4 * y + 2);
    for (accept, media_type) in [
        ("image/webp", "image/webp"),
        (
            "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
            "image/webp",
        ),
        ("application/x-binary", "application/x-binary"),
        ("image/jpeg;q=0.5,image/png", "image/png"),
        ("*/*", "image/jpeg"),
    ] {
        let answer = ask(&app, Method::GET, &whole, &[("accept", accept)]).await;
        assert_eq!(answer.headers()["content-type"], media_type, "{accept}");
        assert_eq!(answer.headers()["vary"], "Accept", "{accept}");
    }
    let jpeg = get(&app, &whole).await;
    assert_eq!(&jpeg.body()[..3], b"\xff\xd8\xff");
    // Four zooms out the sample is smaller than a tile.
    let part = get(
        &app,
        &format!("/tiles/truecolour/{}/{}/{}", z - 4, x >> 4, y >> 4),
    )
    .await;
    assert_eq!(part.headers()["content-type"], "image/png");
    let named = ask(
        &app,
        Method::GET,
        &format!("{whole}.png"),
        &[("accept", "image/webp")],
    )
    .await;
    assert_eq!(named.headers()["content-type"], "image/png");
    assert!(!named.headers().contains_key("vary"));
    let tags = [&jpeg, &named].map(|answer| answer.headers()["etag"].clone());
    assert_ne!(tags[0], tags[1]);
}

#[tokio::test]
async fn any_version_is_held_only_where_there_is_an_answer() {
    let app = app(&[]).await;
    let middle = middle(&app).await;
    let any = [("if-none-match", " * ")];
    for (query, status) in [
        ("", StatusCode::NOT_MODIFIED),
        ("?bidx=9", StatusCode::BAD_REQUEST),
        ("?index=NBR", StatusCode::BAD_REQUEST),
    ] {
        let target = format!("/tiles/truecolour/{middle}.png{query}");
        let answer = ask(&app, Method::GET, &target, &any).await;
        assert_eq!(answer.status(), status, "{target}");
    }
    let document = ask(&app, Method::GET, "/healthz", &any).await;
    assert_eq!(document.status(), StatusCode::NOT_MODIFIED);
}
