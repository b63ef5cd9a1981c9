//! Stores that misbehave: the right tile or the right status, never other pixels, never a word of the store.

use std::time::{Duration, Instant};

use bytes::Bytes;
use edgetile_tests::binary;
use edgetile_tests::client::header;
use edgetile_tests::http_store::{Fault, HttpStore};
use edgetile_tests::server::Server;
use edgetile_tests::store::Store;
use http::Response;

const FAULTS: [(Fault, u16); 6] = [
    (Fault::Unavailable, 503),
    (Fault::Broken, 502),
    (Fault::Reset, 502),
    (Fault::Truncated, 502),
    (Fault::WrongRange, 502),
    (Fault::IgnoredRange, 502),
];

fn sample() -> Vec<u8> {
    std::fs::read(binary::file("functions/tile/sample/sample.tif")).expect("the sample")
}

async fn serving() -> (HttpStore, Server) {
    let store = HttpStore::start(Duration::ZERO).await;
    store.put("a.tif", sample());
    let server = Server::start(&["--allow-urls", &store.url("*")], &[]);
    (store, server)
}

async fn tile(server: &Server, store: &HttpStore, name: &str) -> Response<Bytes> {
    let style = "bidx=1&rescale=0,3000";
    server
        .get(&format!(
            "/cog/tiles/WebMercatorQuad/12/2179/1421.png?url={}&{style}",
            store.url(name)
        ))
        .await
}

fn assert_silent(answer: &Response<Bytes>) {
    let body = String::from_utf8_lossy(answer.body());
    assert!(
        !body.contains("secret") && !body.contains("127.0.0.1") && !body.contains(".tif"),
        "{body}"
    );
}

#[tokio::test]
async fn a_fault_that_passes_costs_a_retry_and_nothing_else() {
    let (store, server) = serving().await;
    let wanted = tile(&server, &store, "a.tif").await;
    assert_eq!(wanted.status(), 200, "{:?}", wanted.body());
    for (fault, _) in FAULTS {
        // A new name is a cold file: the fault meets its first request.
        let name = format!("{fault:?}.tif");
        store.put(&name, sample());
        store.fail_next(&[fault]);
        let cold = tile(&server, &store, &name).await;
        assert!(
            cold.status() == 200 && cold.body() == wanted.body(),
            "cold {fault:?}: {}",
            cold.status()
        );
    }
}

#[tokio::test]
async fn a_fault_that_stays_is_an_error_that_no_cache_keeps() {
    for (fault, status) in FAULTS {
        let (store, server) = serving().await;
        store.fail_always(Some(fault));
        let answer = tile(&server, &store, "a.tif").await;
        assert_eq!(answer.status(), status, "{fault:?}: {:?}", answer.body());
        assert_eq!(header(&answer, "cache-control"), "no-store", "{fault:?}");
        assert_silent(&answer);
        assert!(store.log.take().count() <= 4, "{fault:?}: tried too often");
        store.fail_always(None);
        assert_eq!(
            tile(&server, &store, "a.tif").await.status(),
            200,
            "{fault:?}: the failure was kept"
        );
    }
}

#[tokio::test]
async fn a_file_that_is_not_there_or_not_open_is_the_callers_affair() {
    let (store, server) = serving().await;
    let missing = tile(&server, &store, "nosuch.tif").await;
    assert_eq!(
        (missing.status().as_u16(), header(&missing, "cache-control")),
        (404, "public, max-age=300")
    );
    assert_silent(&missing);
    store.fail_always(Some(Fault::Forbidden));
    let closed = tile(&server, &store, "a.tif").await;
    assert_eq!(closed.status(), 403);
    assert_silent(&closed);
}

#[tokio::test]
async fn a_store_that_leads_elsewhere_is_not_followed_and_says_so() {
    let (store, server) = serving().await;
    store.fail_always(Some(Fault::Moved));
    let moved = tile(&server, &store, "a.tif").await;
    assert_eq!(
        (moved.status().as_u16(), header(&moved, "cache-control")),
        (502, "no-store")
    );
    let body = String::from_utf8_lossy(moved.body());
    assert!(body.contains("redirects to another address"), "{body}");
    assert_silent(&moved);
    // It would say the same again.
    assert_eq!(store.log.take().count(), 1);
}

#[tokio::test]
async fn a_file_that_is_cut_short_or_no_tiff_is_its_owners_affair() {
    let (store, server) = serving().await;
    let whole = sample();
    store.put("cut.tif", whole[..whole.len() / 3].to_vec());
    store.put(
        "text.tif",
        "not a TIFF at all, but longer than its header would be".repeat(40),
    );
    store.put("empty.tif", Vec::new());
    store.put("short.tif", whole[..6].to_vec());
    for name in ["cut.tif", "text.tif", "empty.tif", "short.tif"] {
        let answer = tile(&server, &store, name).await;
        assert!(
            [415, 422].contains(&answer.status().as_u16()),
            "{name}: {} {:?}",
            answer.status(),
            answer.body()
        );
        assert_silent(&answer);
    }
    let s3 = Store::start(Duration::ZERO).await;
    s3.put("scenes", "empty.tif", Vec::new()).await;
    let of_store = s3.environment();
    let mut environment: Vec<(&str, &str)> = of_store
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    environment.push(("EDGETILE_DATA", "s3://scenes"));
    let answer = Server::start(&[], &environment)
        .get("/cog/info?url=empty.tif")
        .await;
    assert!(
        [415, 422].contains(&answer.status().as_u16()),
        "S3: {} {:?}",
        answer.status(),
        answer.body()
    );
    assert_eq!(
        tile(&server, &store, "a.tif").await.status(),
        200,
        "the process is unharmed"
    );
}

#[tokio::test]
async fn a_store_that_says_nothing_for_a_while_is_waited_for() {
    let (store, server) = serving().await;
    store.fail_next(&[Fault::Stall(Duration::from_millis(1500))]);
    let began = Instant::now();
    assert_eq!(tile(&server, &store, "a.tif").await.status(), 200);
    assert!(began.elapsed() < Duration::from_secs(10));
}
