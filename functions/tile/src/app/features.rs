//! Pictures and statistics of features as a door sees them, over the files of `make_files.py`: pixels of 10 m in UTM 33 from
//! 500000, 5200000.

use bytes::Bytes;
use edgetile_raster::crs::Crs;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use serde_json::{Value, json};

use super::App;
use super::kinds::{base, over_files};
use super::tests::{app, ask, json as got};
use crate::response::Problem;

async fn post(app: &App, target: &str, body: &Value, headers: &[(&'static str, &str)]) -> Response<Bytes> {
    let mut request = Request::new(Bytes::from(body.to_string()));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = target.parse().unwrap();
    for (name, value) in headers {
        request
            .headers_mut()
            .insert(*name, HeaderValue::from_str(value).unwrap());
    }
    app.answer(request).await
}

async fn told(app: &App, target: &str, body: &Value) -> Value {
    let answer = post(app, target, body, &[]).await;
    assert_eq!(answer.status(), StatusCode::OK, "{target}: {:?}", answer.body());
    assert_eq!(answer.headers()["content-type"], "application/geo+json");
    serde_json::from_slice(answer.body()).unwrap()
}

/// A feature of rings of UTM 33, in columns and rows of the files.
fn feature(rings: &[&[[f64; 2]]]) -> Value {
    let place = |corner: &[f64; 2]| [500_000.0 + 10.0 * corner[0], 5_200_000.0 - 10.0 * corner[1]];
    let ring = |ring: &&[[f64; 2]]| ring.iter().map(place).collect::<Vec<_>>();
    let rings: Vec<Vec<[f64; 2]>> = rings.iter().map(ring).collect();
    json!({"type": "Feature", "id": "a", "properties": {"name": "field"}, "geometry": {"type": "Polygon", "coordinates": rings}})
}

fn square(west: f64, north: f64, side: f64) -> [[f64; 2]; 5] {
    let (east, south) = (west + side, north + side);
    [
        [west, north],
        [west, south],
        [east, south],
        [east, north],
        [west, north],
    ]
}

/// Samples of one byte and the mask behind them.
fn array(answer: &Response<Bytes>) -> (String, Vec<u8>) {
    let body = answer.body();
    assert_eq!(answer.status(), StatusCode::OK, "{body:?}");
    let start = 10 + usize::from(u16::from_le_bytes([body[8], body[9]]));
    (
        String::from_utf8_lossy(&body[10..start]).into_owned(),
        body[start..].to_vec(),
    )
}

const UTM: &str = "url=overviews.tif&coord_crs=EPSG:32633";

#[tokio::test]
async fn a_picture_is_cut_to_the_feature() {
    let app = over_files().await;
    // A square with a hole of 2 x 2 pixels.
    let body = feature(&[&square(10.0, 10.0, 6.0), &square(12.0, 12.0, 2.0)]);
    let answer = post(&app, &format!("/cog/feature.npy?{UTM}&bidx=1"), &body, &[]).await;
    assert_eq!(answer.headers()["cache-control"], "no-store");
    assert_eq!(answer.headers()["content-bbox"], "500100,5199840,500160,5199900");
    assert!(answer.headers().get("etag").is_none());
    let (head, bytes) = array(&answer);
    assert!(head.contains("(2, 6, 6)"), "{head}");
    for at in 0..36_u32 {
        let (row, column) = (at / 6, at % 6);
        assert_eq!(u32::from(bytes[at as usize]), base(10 + row, 10 + column, 0, 0));
        let is_hole = (2..4).contains(&row) && (2..4).contains(&column);
        assert_eq!(
            bytes[36 + at as usize],
            if is_hole { 0 } else { 255 },
            "{row} {column}"
        );
    }
    // A pixel that is met in a corner is shown.
    let slanted = feature(&[&[[10.0, 10.0], [10.0, 14.0], [14.1, 10.0], [10.0, 10.0]]]);
    let (_, bytes) = array(
        &post(
            &app,
            &format!("/cog/feature.npy?{UTM}&bidx=1&width=4&height=4"),
            &slanted,
            &[],
        )
        .await,
    );
    let shown: Vec<u8> = bytes[16..].iter().map(|mask| mask / 255).collect();
    assert_eq!(shown, [1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0]);
    for (path, media_type) in [
        (format!("/cog/feature?{UTM}"), "image/png"),
        (format!("/cog/feature/20x20.webp?{UTM}"), "image/webp"),
        (format!("/cog/feature.png?{UTM}&dst_crs=3857"), "image/png"),
    ] {
        let answer = post(&app, &path, &slanted, &[]).await;
        assert_eq!(answer.headers()["content-type"], media_type, "{path}");
    }
    // It would be a JPEG if nothing were cut away.
    let whole = post(
        &app,
        &format!("/cog/feature?{UTM}"),
        &feature(&[&square(10.0, 10.0, 6.0)]),
        &[],
    )
    .await;
    assert_eq!(whole.headers()["content-type"], "image/jpeg");
    let beside = post(
        &app,
        &format!("/cog/feature.png?{UTM}"),
        &feature(&[&square(500.0, 0.0, 6.0)]),
        &[],
    )
    .await;
    assert_eq!(beside.status(), StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn values_count_by_the_share_that_the_feature_covers() {
    let app = over_files().await;
    // Whole pixels, and half a column to their east.
    let ring = [
        [10.0, 10.0],
        [10.0, 13.0],
        [12.5, 13.0],
        [12.5, 10.0],
        [10.0, 10.0],
    ];
    let told = told(
        &app,
        &format!("/cog/statistics?{UTM}&bidx=2&p=50"),
        &feature(&[&ring]),
    )
    .await;
    assert_eq!(
        (&told["id"], &told["properties"]["name"]),
        (&json!("a"), &json!("field"))
    );
    assert_eq!(told.as_object().unwrap().len(), 4, "{told}");
    let band = &told["properties"]["statistics"]["b2"];
    let mut sum = 0.0;
    for row in 10..13 {
        for column in 10..13 {
            let share = if column == 12 { 0.5 } else { 1.0 };
            sum += share * f64::from(base(row, column, 1, 0));
        }
    }
    assert_eq!(
        (&band["count"], &band["valid_pixels"]),
        (&json!(7.5), &json!(9.0))
    );
    assert!((band["sum"].as_f64().unwrap() - sum).abs() < 1e-4, "{band} {sum}");
    assert!((band["mean"].as_f64().unwrap() - sum / 7.5).abs() < 1e-4);
    assert_eq!(
        (&band["masked_pixels"], &band["valid_percent"]),
        (&json!(0.0), &json!(100.0))
    );
}

#[tokio::test]
async fn every_feature_of_a_collection_has_its_numbers() {
    let app = over_files().await;
    let far = feature(&[&square(500.0, 0.0, 2.0)]);
    let half_in = feature(&[&square(43.0, 0.0, 4.0)]);
    let body =
        json!({"type": "FeatureCollection", "features": [feature(&[&square(1.0, 1.0, 2.0)]), far, half_in]});
    let told = told(&app, &format!("/cog/statistics?{UTM}&expression=b1%2B1"), &body).await;
    let of = |at: usize| &told["features"][at]["properties"]["statistics"]["b1"];
    let values = [(1, 1), (1, 2), (2, 1), (2, 2)].map(|(row, column)| base(row, column, 0, 0) + 1);
    assert_eq!(of(0)["sum"], f64::from(values.iter().sum::<u32>()));
    assert_eq!(
        (&of(1)["count"], &of(1)["mean"], &of(1)["valid_percent"]),
        (&json!(0.0), &Value::Null, &json!(0.0))
    );
    assert_eq!(
        (&of(2)["valid_pixels"], &of(2)["valid_percent"]),
        (&json!(8.0), &json!(50.0))
    );
    // The same from another prefix.
    let layers = super::tests::app(&[]).await;
    let near = json!({"type": "Feature", "properties": null, "geometry": {"type": "Polygon", "coordinates":
        [[[11.52, 48.10], [11.54, 48.10], [11.54, 48.11], [11.52, 48.10]]]}});
    for path in [
        "/ndvi/statistics",
        "/tiles/truecolour/statistics",
        "/index/NDWI/statistics",
    ] {
        let told = self::told(&layers, path, &near).await;
        let band = &told["properties"]["statistics"]["b1"];
        assert!(
            band["count"].as_f64().is_some_and(|count| count > 10.0),
            "{path}: {told}"
        );
    }
}

#[tokio::test]
async fn a_feature_of_degrees_covers_the_ground_that_it_names() {
    let app = over_files().await;
    let utm = Crs::from_epsg(32633).unwrap();
    let degrees = |x: f64, y: f64| utm.inverse(x, y).map(|(lon, lat)| [lon, lat]).unwrap();
    let corners = [
        (500_100.0, 5_199_900.0),
        (500_100.0, 5_199_800.0),
        (500_200.0, 5_199_800.0),
        (500_200.0, 5_199_900.0),
    ];
    let mut ring: Vec<[f64; 2]> = corners.iter().map(|(x, y)| degrees(*x, *y)).collect();
    ring.push(ring[0]);
    let body =
        json!({"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [ring]}});
    let told = told(
        &app,
        "/cog/statistics?url=overviews.tif&dst_crs=EPSG:32633&cover_scale=100&bidx=1",
        &body,
    )
    .await;
    let band = &told["properties"]["statistics"]["b1"];
    // Ten by ten pixels; parts along the edge count in full, so that there is somewhat more.
    let count = band["count"].as_f64().unwrap();
    assert!((100.0..100.9).contains(&count), "{count}");
    let wrong = post(
        &app,
        "/cog/statistics?url=overviews.tif&cover_scale=0",
        &body,
        &[],
    )
    .await;
    assert_eq!(wrong.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn what_is_not_posted_right_says_why() {
    let app = over_files().await;
    let body = feature(&[&square(1.0, 1.0, 2.0)]);
    let refused = post(&app, "/cog/feature.png?url=overviews.tif", &body, &[]).await;
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    let detail: Value = serde_json::from_slice(refused.body()).unwrap();
    let detail = detail["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("geometry.coordinates[0][0] is no longitude and latitude"),
        "{detail}"
    );
    for (method, target, allow) in [
        (Method::POST, "/cog/info?url=overviews.tif", "GET, HEAD, OPTIONS"),
        (Method::POST, "/healthz", "GET, HEAD, OPTIONS"),
        (Method::GET, "/cog/feature.png?url=overviews.tif", "POST, OPTIONS"),
        (Method::HEAD, "/ndvi/feature", "POST, OPTIONS"),
        (
            Method::PUT,
            "/cog/statistics?url=overviews.tif",
            "GET, HEAD, POST, OPTIONS",
        ),
    ] {
        let answer = ask(&app, method.clone(), target, &[]).await;
        assert_eq!(
            answer.status(),
            StatusCode::METHOD_NOT_ALLOWED,
            "{method} {target}"
        );
        assert_eq!(answer.headers()["allow"], allow, "{method} {target}");
    }
    for target in [
        "/nosuch",
        "/cog/nosuch?url=overviews.tif",
        "/cog/nosuch",
        "/tiles/truecolour/nosuch",
    ] {
        for method in [Method::POST, Method::PUT] {
            let answer = ask(&app, method, target, &[]).await;
            assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{target}");
        }
    }
    let long = json!({"type": "Feature", "name": "a".repeat(1 << 20)});
    let answer = post(&app, "/cog/feature.png?url=overviews.tif", &long, &[]).await;
    assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(answer.headers()["cache-control"], "no-store");
    for (coding, status) in [
        ("gzip", StatusCode::UNSUPPORTED_MEDIA_TYPE),
        ("Identity", StatusCode::OK),
    ] {
        let coded = [("content-encoding", coding)];
        let answer = post(&app, &format!("/cog/feature.png?{UTM}"), &body, &coded).await;
        assert_eq!(answer.status(), status, "{coding}");
    }
}

#[tokio::test]
async fn what_a_door_has_against_an_answer_is_the_answer() {
    let app = over_files().await;
    let body = feature(&[&square(1.0, 1.0, 2.0)]).to_string();
    let mut request = Request::new(Bytes::from(body));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = format!("/cog/feature.png?{UTM}").parse().unwrap();
    let pack = |response: &Response<Bytes>| match response.status() {
        StatusCode::OK => Err(Problem::TooLarge {
            what: "it".to_owned(),
            remedy: "ask for less".to_owned(),
        }),
        status => Ok(status),
    };
    let (answer, packed) = app.packed(request, pack).await;
    assert_eq!(packed, Ok(StatusCode::PAYLOAD_TOO_LARGE));
    assert_eq!(answer.headers()["cache-control"], "no-store");
}

#[tokio::test]
async fn keys_and_signatures_hold_for_features() {
    const SECRET: &str = "sixteen-letters-at-least";
    let app = app(&[("EDGETILE_API_KEYS", SECRET), ("EDGETILE_SIGNING_KEYS", SECRET)]).await;
    let near = json!({"type": "Feature", "properties": null, "geometry": {"type": "Polygon", "coordinates":
        [[[11.52, 48.10], [11.54, 48.10], [11.54, 48.11], [11.52, 48.10]]]}});
    let path = "/ndvi/statistics";
    assert_eq!(
        post(&app, path, &near, &[]).await.status(),
        StatusCode::UNAUTHORIZED
    );
    let opened = post(&app, path, &near, &[("x-api-key", SECRET)]).await;
    assert_eq!(
        (
            opened.status(),
            opened.headers()["cache-control"].to_str().unwrap()
        ),
        (StatusCode::OK, "no-store")
    );
    let ends = crate::guard::now_s() + 60;
    let signed = |method: &Method| format!("{path}?{}", app.guard.sign(method, path, ends).unwrap());
    assert_eq!(
        post(&app, &signed(&Method::POST), &near, &[]).await.status(),
        StatusCode::OK
    );
    // What opens the numbers of the whole file opens no part of it.
    assert_eq!(
        post(&app, &signed(&Method::GET), &near, &[]).await.status(),
        StatusCode::FORBIDDEN
    );
    assert!(got(&app, &signed(&Method::GET)).await.is_object());
}

#[tokio::test]
async fn work_is_counted_over_all_features_before_any_is_read() {
    let app = over_files().await;
    let target = |more: &str| format!("/cog/statistics?{UTM}{more}");
    let whole = feature(&[&square(0.0, 0.0, 37.0)]);
    let zigzag: Vec<[f64; 2]> = (0..400)
        .map(|at| [f64::from(at) / 12.0, f64::from(at % 2) * 37.0])
        .collect();
    let mut zigzag = zigzag;
    zigzag.push(zigzag[0]);
    let zigzag = feature(&[&zigzag]);
    let several =
        |one: &Value, count: usize| json!({"type": "FeatureCollection", "features": vec![one; count]});
    for (more, body, words) in [
        (
            "&width=2048&height=2048&bidx=1",
            several(&whole, 17),
            "the features come to more than 67108864 samples",
        ),
        (
            "&width=1024&height=1024&bidx=1&resampling=lanczos",
            several(&whole, 13),
            "the features come to more than 67108864 samples",
        ),
        (
            "&width=1024&height=1024&expression=sqrt(sin(b1)%2Bcos(b1)*b2-exp(b3)/b2)%2Bb1**b2",
            several(&whole, 13),
            "the features come to more than 67108864 samples",
        ),
        (
            "&width=2048&height=2048&bidx=1&bidx=2&bidx=3",
            several(&whole, 6),
            "the features come to more than 67108864 samples",
        ),
        (
            "&width=20&height=20&cover_scale=1000",
            several(&zigzag, 8),
            "features[2].geometry, with those before it, has more than",
        ),
    ] {
        let answer = post(&app, &target(more), &body, &[]).await;
        assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE, "{more}");
        let detail: Value = serde_json::from_slice(answer.body()).unwrap();
        let detail = detail["detail"].as_str().unwrap();
        assert!(
            detail.starts_with(words) && detail.contains("max_size"),
            "{detail}"
        );
    }
    let few = several(&whole, 256);
    assert!(told(&app, &target("&max_size=9&bidx=1"), &few).await["features"][255]["properties"].is_object());
    // A square of 3000 pixels of the file.
    let large = several(&feature(&[&square(0.0, 0.0, 3000.0)]), 2);
    let answer = post(&app, &target(""), &large, &[]).await;
    let text = String::from_utf8_lossy(answer.body()).into_owned();
    assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert!(
        text.contains("features[0].geometry has an edge of 3000 pixels") && !text.contains("tilesize"),
        "{text}"
    );
    let picture = post(
        &app,
        &format!("/cog/feature.png?{UTM}"),
        &large["features"][0],
        &[],
    )
    .await;
    let text = String::from_utf8_lossy(picture.body()).into_owned();
    assert!(
        text.contains("max_size, width and height") && !text.contains("tilesize"),
        "{text}"
    );
}

#[tokio::test]
async fn an_area_on_the_edge_of_a_pixel_is_of_one_pixel() {
    let app = over_files().await;
    let sliver = [
        [5.0, 4.2],
        [5.0, 4.8],
        [5.0 + 1e-7, 4.8],
        [5.0 + 1e-7, 4.2],
        [5.0, 4.2],
    ];
    let told = told(
        &app,
        &format!("/cog/statistics?{UTM}&bidx=1"),
        &feature(&[&sliver]),
    )
    .await;
    let band = &told["properties"]["statistics"]["b1"];
    assert!(
        band["valid_pixels"].as_f64().is_some_and(|count| count <= 1.0),
        "{band}"
    );
}

#[tokio::test]
async fn the_world_is_cut_where_the_system_of_the_pixels_ends() {
    let app = over_files().await;
    let ring = [[-180, -90], [180, -90], [180, 90], [-180, 90], [-180, -90]];
    let world =
        json!({"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [ring]}});
    let answer = post(
        &app,
        "/cog/feature.npy?url=overviews.tif&dst_crs=EPSG:3857&max_size=64&bidx=1",
        &world,
        &[],
    )
    .await;
    assert!(answer.status().is_success(), "{:?}", answer.body());
}

#[tokio::test]
async fn the_answer_is_what_was_sent_letter_for_letter() {
    let app = over_files().await;
    let sent = "\u{feff}{\"type\":\"Feature\", \"zeta\":1.10, \"properties\":{\"id\":12345678901234567890123},\n\"geometry\":{\"type\":\"Polygon\",\
        \"coordinates\":[[[500010.0,5199990],[500010,5199970],[500030,5199970],[500010.0,5199990]]]}, \"alpha\":1e2}";
    let mut request = Request::new(Bytes::from(sent));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = format!("/cog/statistics?{UTM}&bidx=1").parse().unwrap();
    let answer = app.answer(request).await;
    assert_eq!(answer.status(), StatusCode::OK, "{:?}", answer.body());
    let told = String::from_utf8_lossy(answer.body()).into_owned();
    let (before, after) = sent.trim_start_matches('\u{feff}').split_once("},\n").unwrap();
    assert!(
        told.starts_with(&format!("{before},\"statistics\":{{\"b1\":{{")),
        "{told}"
    );
    assert!(told.ends_with(&format!("}},\n{after}")), "{told}");
}
