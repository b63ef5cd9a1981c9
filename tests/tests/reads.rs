//! What reads cost: how many, how many bytes, and what is never read twice.

use std::time::Duration;

use bytes::Bytes;
use edgetile_raster::header::Header;
use edgetile_raster::span::Known;
use edgetile_tests::binary;
use edgetile_tests::client::header;
use edgetile_tests::cog::{Cog, Scene, tile_at};
use edgetile_tests::http_store::{Conditions, Fault, HttpStore};
use edgetile_tests::server::Server;
use http::Response;

fn sample() -> Vec<u8> {
    std::fs::read(binary::file("functions/tile/sample/sample.tif")).expect("the sample")
}

async fn serving(latency: Duration, settings: &[(&str, &str)]) -> (HttpStore, Server) {
    let store = HttpStore::start(latency).await;
    store.put("a.tif", sample());
    let server = Server::start(&["--allow-urls", &store.url("*")], settings);
    (store, server)
}

/// A tile of zoom 13, whose blocks lie beyond the head of the file.
async fn tile(server: &Server, store: &HttpStore, style: &str) -> Response<Bytes> {
    let url = store.url("a.tif");
    server
        .get(&format!(
            "/cog/tiles/WebMercatorQuad/13/4358/2843.png?url={url}&{style}"
        ))
        .await
}

/// A number of `Edgetile-Cost`.
fn cost(answer: &Response<Bytes>, name: &str) -> u64 {
    let cost = header(answer, "edgetile-cost");
    let found = cost
        .split(';')
        .find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
    found
        .and_then(|number| number.parse().ok())
        .unwrap_or_else(|| panic!("no {name} in {cost:?}"))
}

#[tokio::test]
async fn thirty_requests_for_the_same_blocks_read_them_once() {
    let (store, server) = serving(Duration::from_millis(100), &[]).await;
    let styles: Vec<String> = (0..30)
        .map(|at| format!("bidx=1&rescale=0,{}", 3000 + at))
        .collect();
    let all = styles.iter().map(|style| tile(&server, &store, style));
    let all = futures_util::future::join_all(all).await;
    assert!(all.iter().all(|answer| answer.status() == 200));
    let requests = store.log.take();
    let mut ranges: Vec<&str> = requests.0.iter().map(|entry| entry.range.as_str()).collect();
    let count = ranges.len();
    ranges.sort_unstable();
    ranges.dedup();
    assert_eq!(count, ranges.len(), "something was read twice: {requests:#?}");
    // What is read is counted where it was asked for first, and nowhere else.
    let told: u64 = all.iter().map(|answer| cost(answer, "gets")).sum();
    assert_eq!(told, count as u64);
    let told: u64 = all.iter().map(|answer| cost(answer, "bytes")).sum();
    assert_eq!(told, requests.bytes());
    let paid = all.iter().filter(|answer| cost(answer, "misses") > 0).count();
    assert!(paid <= 2, "{paid} of 30 say that they read");
}

#[tokio::test]
async fn a_block_is_read_once_and_served_from_memory_after() {
    let (store, server) = serving(Duration::ZERO, &[]).await;
    let first = tile(&server, &store, "bidx=1&rescale=0,3000").await;
    assert!(cost(&first, "misses") > 1 && cost(&first, "hits") == 0);
    store.log.take();
    let second = tile(&server, &store, "bidx=1&rescale=0,2000").await;
    assert_eq!(second.status(), 200);
    assert_eq!(store.log.take().count(), 0);
    let hits = cost(&first, "misses");
    assert_eq!((cost(&second, "gets"), cost(&second, "hits")), (0, hits));
    // Without memory everything is read again.
    let (store, server) = serving(Duration::ZERO, &[("EDGETILE_CACHE_MB", "0")]).await;
    for _ in 0..2 {
        tile(&server, &store, "bidx=1&rescale=0,3000").await;
        assert!(store.log.take().count() >= 2);
    }
}

#[tokio::test]
async fn a_request_that_goes_away_takes_no_other_with_it() {
    let (store, server) = serving(Duration::from_millis(150), &[]).await;
    // Cut off while it opens the file, and while it reads blocks.
    for (name, patience) in [("b.tif", 75), ("c.tif", 225)] {
        store.put(name, sample());
        let target = format!(
            "/cog/tiles/WebMercatorQuad/13/4358/2843.png?url={}&bidx=1&rescale=0,3000",
            store.url(name)
        );
        let leader = tokio::time::timeout(Duration::from_millis(patience), server.get(&target));
        let follower = async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            server.get(&target).await
        };
        let (leader, follower) = tokio::join!(leader, follower);
        assert!(leader.is_err(), "{patience} ms");
        assert_eq!(follower.status(), 200, "{patience} ms");
    }
}

#[tokio::test]
async fn what_was_wrong_is_not_kept() {
    for fault in [
        Fault::Truncated,
        Fault::WrongRange,
        Fault::IgnoredRange,
        Fault::Unavailable,
        Fault::Reset,
    ] {
        let (store, server) = serving(Duration::ZERO, &[]).await;
        // The header is known, the blocks are not.
        let info = server.get(&format!("/cog/info?url={}", store.url("a.tif"))).await;
        assert_eq!(info.status(), 200);
        store.fail_always(Some(fault));
        let failed = tile(&server, &store, "bidx=1&rescale=0,3000").await;
        assert!(
            failed.status().is_server_error(),
            "{fault:?}: {}",
            failed.status()
        );
        store.fail_always(None);
        let right = tile(&server, &store, "bidx=1&rescale=0,3000").await;
        let (whole, other) = serving(Duration::ZERO, &[]).await;
        let wanted = tile(&other, &whole, "bidx=1&rescale=0,3000").await;
        assert!(
            right.status() == 200 && right.body() == wanted.body(),
            "{fault:?}"
        );
    }
}

#[tokio::test]
async fn blocks_of_a_replaced_file_are_not_served() {
    let (store, server) = serving(Duration::ZERO, &[]).await;
    let old = tile(&server, &store, "bidx=1&rescale=0,3000").await;
    // Another tile notices: of this one every block is in memory.
    store.put("a.tif", sample());
    let url = store.url("a.tif");
    let noticing = server
        .get(&format!(
            "/cog/tiles/WebMercatorQuad/13/4357/2844.png?url={url}&bidx=1&rescale=0,3000"
        ))
        .await;
    assert_eq!(noticing.status(), 200, "{:?}", noticing.body());
    let new = tile(&server, &store, "bidx=1&rescale=0,3000").await;
    assert!(cost(&new, "misses") > 0, "{}", header(&new, "edgetile-cost"));
    assert_ne!(header(&new, "etag"), header(&old, "etag"));
}

/// NDVI of two Sentinel-2 bands somewhere in southern Bavaria, another place for every `at`.
fn ndvi(store: &HttpStore, at: u32) -> String {
    let spread = |step: f64| (f64::from(at) * step).fract();
    let (x, y) = tile_at(14, 10.5 + spread(0.618_034), 47.0 + 0.7 * spread(0.414_214));
    let (red, nir) = (store.url("red.tif"), store.url("nir.tif"));
    format!("/ndvi/14/{x}/{y}.png?red={red}&nir={nir}")
}

async fn scenes(conditions: Conditions, settings: &[(&str, &str)]) -> (HttpStore, Server, u64) {
    let store = HttpStore::under(conditions).await;
    let red = Cog::new(Scene::SENTINEL, 1);
    let block = red.block_bytes().max(Cog::new(Scene::SENTINEL, 2).block_bytes());
    store.put_cog("red.tif", red);
    store.put_cog("nir.tif", Cog::new(Scene::SENTINEL, 2));
    let server = Server::start(&["--allow-urls", &store.url("*")], settings);
    (store, server, block)
}

#[tokio::test]
async fn ordinary_cogs_are_read_in_few_requests_and_hardly_a_byte_too_many() {
    let (store, server, block) = scenes(Conditions::default(), &[("EDGETILE_CACHE_MB", "0")]).await;
    let (store, server) = (store, server);
    // Without memory headers are read every time: they are taken off.
    let (tiles, mut gets, mut bytes, mut needed) = (60, 0, 0, 0);
    for at in 0..tiles {
        let tile = server.get(&ndvi(&store, at)).await;
        assert_eq!(tile.status(), 200, "{:?}", tile.body());
        let blocks = cost(&tile, "blocks");
        gets += cost(&tile, "gets") - 2;
        bytes += cost(&tile, "bytes") - 2 * (64 << 10);
        needed += blocks * block;
    }
    let each = gets as f64 / f64::from(tiles);
    assert!(each <= 3.5, "{each} requests a tile");
    assert!(bytes as f64 <= 1.1 * needed as f64, "{bytes} bytes for {needed}");
}

#[tokio::test]
async fn a_huge_cog_opens_in_two_round_trips_and_its_blocks() {
    let conditions = Conditions {
        think: Duration::from_millis(30),
        ..Conditions::default()
    };
    let store = HttpStore::under(conditions).await;
    let cog = Cog::new(Scene::HUGE, 3);
    assert!(
        cog.size() > 10_000_000_000 && cog.head_bytes() > 500_000,
        "{}",
        cog.head_bytes()
    );
    let block = cog.block_bytes();
    store.put_cog("huge.tif", cog);
    let server = Server::start(&["--allow-urls", &store.url("*")], &[]);
    let (x, y) = tile_at(18, 10.8, 47.6);
    let target = format!(
        "/cog/tiles/WebMercatorQuad/18/{x}/{y}.png?url={}&rescale=0,4000",
        store.url("huge.tif")
    );
    let tile = server.get(&target).await;
    let requests = store.log.take();
    assert_eq!(tile.status(), 200, "{:?}", tile.body());
    assert_eq!(requests.rounds(), 3, "{requests:#?}");
    let index = requests.bytes() - (64 << 10) - cost(&tile, "blocks") * block;
    assert!(index <= 2 * (16 << 10) + 64, "{index} bytes of index");
    // Beside it the index is in memory.
    let target = target.replace(&format!("/{x}/"), &format!("/{}/", x + 3));
    let beside = server.get(&target).await;
    assert_eq!((beside.status().as_u16(), store.log.take().rounds()), (200, 1));
}

#[test]
fn the_header_of_a_huge_cog_takes_no_time() {
    let cog = Cog::new(Scene::HUGE, 3);
    let mut known = Known::new();
    known.insert(0, cog.slice(0..64 << 10));
    let began = std::time::Instant::now();
    for _ in 0..100 {
        let header = Header::read(&known, cog.size()).expect("the head suffices");
        assert_eq!((header.levels.len(), header.full().blocks.len()), (9, 38_416));
    }
    let each = began.elapsed() / 100;
    assert!(each < Duration::from_millis(1), "{each:?}");
}

#[tokio::test]
async fn stalls_are_hedged() {
    let conditions = Conditions {
        round_trip: Duration::from_millis(40),
        every: Some((100, Fault::Stall(Duration::from_secs(3)))),
        ..Conditions::default()
    };
    let (store, server, _) = scenes(conditions, &[("EDGETILE_CACHE_MB", "4")]).await;
    // Until the store is known, and once more than is measured.
    for at in 0..30 {
        server.get(&ndvi(&store, at)).await;
    }
    let (mut took, mut told) = (Vec::new(), 0);
    store.log.take();
    for at in 100..250 {
        let began = std::time::Instant::now();
        let tile = server.get(&ndvi(&store, at)).await;
        assert_eq!(tile.status(), 200);
        took.push(began.elapsed());
        told += cost(&tile, "gets");
    }
    took.sort_unstable();
    let (p50, p97) = (took[took.len() / 2], took[took.len() * 97 / 100]);
    assert!(p97 < Duration::from_secs(1), "p50 {p50:?}, p97 {p97:?}");
    assert!(
        told >= store.log.take().count() as u64,
        "every second read is counted"
    );
}

/// A scene of which the place where two blocks meet is known, its header being in memory.
async fn two_blocks() -> (HttpStore, Server, impl Fn(f64) -> String) {
    let store = HttpStore::start(Duration::ZERO).await;
    store.put_cog("scene.tif", Cog::new(Scene::SENTINEL, 1));
    let server = Server::start(&["--allow-urls", &store.url("*")], &[]);
    let url = store.url("scene.tif");
    let target = move |longitude: f64| {
        let (x, y) = tile_at(14, longitude, 47.6814);
        format!("/cog/tiles/WebMercatorQuad/14/{x}/{y}.png?url={url}&rescale=0,4000")
    };
    server.get(&target(10.8)).await;
    store.log.take();
    (store, server, target)
}

/// Easting 620,480 m in UTM zone 32, the edge between the fourth block of a row and the fifth, and the middle of the fourth.
const EDGE_AND_MIDDLE: (f64, f64) = (10.605_266, 10.571_171);

#[tokio::test]
async fn a_block_counts_from_its_last_byte_not_from_that_of_its_read() {
    let (store, server, target) = two_blocks().await;
    let (edge, middle) = EDGE_AND_MIDDLE;
    store.fail_next(&[Fault::StallWithin(Duration::from_mins(10))]);
    // The first block of a read of two has come, the second does not.
    let (of_both, of_first) = (target(edge), target(middle));
    let both = server.get(&of_both);
    let first = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        server.get(&of_first).await
    };
    let first = tokio::select! {
        first = first => first,
        both = both => panic!("{} before its second block", both.status()),
    };
    assert_eq!(first.status(), 200);
    // The header and the block.
    assert_eq!((cost(&first, "gets"), cost(&first, "hits")), (0, 2));
    assert_eq!(store.log.take().count(), 1);
}

#[tokio::test]
async fn a_body_that_falls_silent_is_asked_for_again() {
    let (store, server, target) = two_blocks().await;
    let (edge, _) = EDGE_AND_MIDDLE;
    store.fail_next(&[Fault::StallWithin(Duration::from_mins(10))]);
    let late = server.get(&target(edge)).await;
    assert_eq!((late.status().as_u16(), cost(&late, "gets")), (200, 2));
    let (store, server, target) = two_blocks().await;
    let wanted = server.get(&target(edge)).await;
    assert_eq!(late.body(), wanted.body());
    assert_eq!(store.log.take().count(), 1);
}

/// 1,600 px of 8 bits in one strip without compression (TIFF 6.0, section 2; OGC GeoTIFF 1.1): 1/1,600° each, from 10° E
/// 48° N; every row differs from those around it.
fn one_strip() -> Vec<u8> {
    const SIDE_PX: u32 = 1600;
    let (long, short, double) = (4_u16, 3_u16, 12_u16);
    let step = 1.0 / f64::from(SIDE_PX);
    let doubles: Vec<f64> = [step, step, 0.0]
        .into_iter()
        .chain([0.0, 0.0, 0.0, 10.0, 48.0, 0.0])
        .collect();
    let keys: [u16; 12] = [1, 1, 1, 2, 1024, 0, 1, 2, 2048, 0, 1, 4326];
    let entries = 12_u32;
    let (scale_at, keys_at) = (8 + 2 + 12 * entries + 4, 8 + 2 + 12 * entries + 4 + 72);
    let pixels_at = keys_at + 24;
    let fields: [(u16, u16, u32, u32); 12] = [
        (256, long, 1, SIDE_PX),
        (257, long, 1, SIDE_PX),
        (258, short, 1, 8),
        (259, short, 1, 1),
        (262, short, 1, 1),
        (273, long, 1, pixels_at),
        (277, short, 1, 1),
        (278, long, 1, SIDE_PX),
        (279, long, 1, SIDE_PX * SIDE_PX),
        (33550, double, 3, scale_at),
        (33922, double, 6, scale_at + 24),
        (34735, short, 12, keys_at),
    ];
    let mut file = b"II\x2a\0\x08\0\0\0".to_vec();
    file.extend((entries as u16).to_le_bytes());
    for (tag, kind, count, value) in fields {
        file.extend(tag.to_le_bytes());
        file.extend(kind.to_le_bytes());
        file.extend(count.to_le_bytes());
        file.extend(value.to_le_bytes());
    }
    file.extend([0; 4]);
    file.extend(doubles.iter().flat_map(|number| number.to_le_bytes()));
    file.extend(keys.iter().flat_map(|number| number.to_le_bytes()));
    file.extend((0..SIDE_PX * SIDE_PX).map(|at| (at / SIDE_PX % 251) as u8));
    file
}

#[tokio::test]
async fn a_block_that_takes_long_to_carry_is_read_in_parts_at_once() {
    let folder = std::env::temp_dir().join(format!("edgetile-one-strip-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("strip.tif"), one_strip()).expect("a file");
    let store = HttpStore::start(Duration::from_millis(10)).await;
    store.put("strip.tif", one_strip());
    let arguments = [
        "--data",
        &folder.to_string_lossy(),
        "--allow-urls",
        &store.url("*"),
    ];
    let server = Server::start(&arguments, &[]);
    let tile = |url: &str| format!("/cog/tiles/WebMercatorQuad/8/135/89.png?url={url}&rescale=0,255");
    let url = store.url("strip.tif");
    let (far, near) = (
        server.get(&tile(&url)).await,
        server.get(&tile("strip.tif")).await,
    );
    std::fs::remove_dir_all(&folder).expect("the folder");
    assert_eq!(
        (far.status().as_u16(), near.status().as_u16()),
        (200, 200),
        "{:?}",
        near.body()
    );
    assert_eq!(far.body(), near.body());
    // The head, and at least two parts of what the tile needs of the strip, rows 0 to 1,515.
    let requests = store.log.take();
    assert!(requests.count() >= 3, "{requests:#?}");
    assert_eq!(
        (requests.rounds(), requests.bytes()),
        (2, (64 << 10) + 1516 * 1600)
    );
}
