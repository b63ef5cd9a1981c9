//! Connections to stores: few, kept, never more than a store allows, and no error when a store has closed them.

use std::time::{Duration, Instant};

use edgetile_tests::client::header;
use edgetile_tests::cog::{Cog, Scene, tile_at};
use edgetile_tests::http_store::{Conditions, HttpStore};
use edgetile_tests::server::Server;

async fn scenes(conditions: Conditions, settings: &[(&str, &str)]) -> (HttpStore, Server) {
    let store = HttpStore::under(conditions).await;
    store.put_cog("a.tif", Cog::new(Scene::SENTINEL, 1));
    let server = Server::start(&["--allow-urls", &store.url("*")], settings);
    (store, server)
}

/// A tile in another place for every `at`.
fn target(store: &HttpStore, at: usize) -> String {
    let spread = |step: f64| (at as f64 * step).fract();
    let (x, y) = tile_at(14, 10.5 + spread(0.618_034), 47.0 + 0.7 * spread(0.414_214));
    let url = store.url("a.tif");
    format!("/cog/tiles/WebMercatorQuad/14/{x}/{y}.png?url={url}&rescale=0,4000")
}

/// Asks for tiles, `at_once` at a time; all of them must be answered.
async fn ask(store: &HttpStore, server: &Server, tiles: std::ops::Range<usize>, at_once: usize) {
    let all: Vec<usize> = tiles.collect();
    for some in all.chunks(at_once) {
        let asked = some.iter().map(async |at| server.get(&target(store, *at)).await);
        for tile in futures_util::future::join_all(asked).await {
            assert_eq!(tile.status(), 200, "{:?}", tile.body());
        }
    }
}

#[tokio::test]
async fn in_steady_state_no_connection_is_opened() {
    let (store, server) = scenes(
        Conditions {
            round_trip: Duration::from_millis(5),
            ..Conditions::default()
        },
        &[("EDGETILE_CACHE_MB", "2")],
    )
    .await;
    ask(&store, &server, 0..64, 8).await;
    let opened = store.connections();
    assert!(opened <= 32, "{opened} connections");
    store.log.take();
    ask(&store, &server, 100..200, 6).await;
    let requests = store.log.take().count();
    assert!(requests > 100, "{requests}");
    let further = store.connections() - opened;
    // A late read that was sent twice closes its connection.
    assert!(
        further <= requests as u64 / 40 + 1,
        "{further} for {requests} requests"
    );
}

#[tokio::test]
async fn the_blocks_of_a_cold_file_wait_for_no_handshake() {
    let round_trip = Duration::from_millis(200);
    let conditions = Conditions {
        round_trip,
        ..Conditions::default()
    };
    let (store, server) = scenes(conditions, &[]).await;
    // A tile of blocks in two rows: two reads after the head.
    let tile = server.get(&target(&store, 1)).await;
    assert_eq!(tile.status(), 200, "{:?}", tile.body());
    let requests = store.log.take();
    assert_eq!(requests.count(), 3, "{requests:#?}");
    assert!(store.connections() <= 3, "{}", store.connections());
    // The handshake, the head, the blocks; a second handshake would be a fourth.
    assert!(requests.span() < round_trip * 7 / 2, "{requests:#?}");
}

#[tokio::test]
async fn beyond_what_a_store_allows_requests_wait() {
    let (store, server) = scenes(
        Conditions {
            round_trip: Duration::from_millis(10),
            connections: Some(4),
            ..Conditions::default()
        },
        &[("EDGETILE_READS", "4"), ("EDGETILE_CACHE_MB", "0")],
    )
    .await;
    ask(&store, &server, 0..96, 48).await;
    let requests = store.log.take();
    assert!(requests.in_flight() <= 4, "{}", requests.in_flight());
    assert!(store.connections() <= 8, "{} connections", store.connections());
}

#[tokio::test]
async fn a_store_that_closed_its_connections_costs_a_new_one_and_no_error() {
    let round_trip = Duration::from_millis(50);
    let (store, server) = scenes(
        Conditions {
            round_trip,
            ..Conditions::default()
        },
        &[("EDGETILE_CACHE_MB", "0")],
    )
    .await;
    ask(&store, &server, 0..8, 4).await;
    for at in 10..14 {
        let opened = store.connections();
        store.close_connections();
        store.log.take();
        let began = Instant::now();
        let tile = server.get(&target(&store, at)).await;
        assert_eq!(tile.status(), 200, "{:?}", tile.body());
        // Head and blocks, two round trips each as the connection is new.
        assert!(began.elapsed() < 8 * round_trip, "{:?}", began.elapsed());
        assert!(store.connections() > opened);
        // One that was sent into a connection just closed counts, though the store has not seen it.
        let seen = store.log.take().count();
        let told = header(&tile, "edgetile-cost");
        let fits = [seen, seen + 1]
            .iter()
            .any(|gets| told.starts_with(&format!("gets={gets};")));
        assert!(fits, "{told} for {seen} requests");
    }
}

#[tokio::test]
async fn layers_are_open_before_they_are_asked_for() {
    let store = HttpStore::start(Duration::from_millis(20)).await;
    store.put_cog("a.tif", Cog::new(Scene::SENTINEL, 1));
    let url = store.url("a.tif");
    let layers =
        format!(r#"{{"layers": [{{"name": "a", "url": "{url}"}}, {{"name": "gone", "url": "{url}x"}}]}}"#);
    let file = std::env::temp_dir().join(format!("edgetile-warm-{}.json", std::process::id()));
    std::fs::write(&file, layers).expect("a file");
    let server = Server::start(&["--layers", &file.to_string_lossy()], &[]);
    let until = Instant::now() + Duration::from_secs(5);
    let mut opened = 0;
    while opened < 2 && Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(10)).await;
        opened += store.log.take().count();
    }
    assert_eq!(opened, 2, "the heads of both files are asked for");
    tokio::time::sleep(Duration::from_millis(30)).await;
    let connections = store.connections();
    let (x, y) = tile_at(14, 10.8, 47.5);
    let tile = server
        .get(&format!("/tiles/a/14/{x}/{y}.png?rescale=0,4000"))
        .await;
    assert_eq!(tile.status(), 200, "{:?}", tile.body());
    let requests = store.log.take();
    assert_eq!(
        (requests.rounds(), requests.connections()),
        (1, requests.in_flight())
    );
    assert!(store.connections() < connections + requests.count() as u64);
    assert_eq!(
        server.get(&format!("/tiles/gone/14/{x}/{y}.png")).await.status(),
        404
    );
    std::fs::remove_file(file).expect("it is there");
}
