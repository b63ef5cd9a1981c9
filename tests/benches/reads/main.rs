//! What tiles cost to read, and how many a second there are, against a simulated store at several distances.
//!
//! `make bench-reads` prints the tables of docs/reads.md. The store (`http_store`) and the clients run in this process,
//! the real binary in its own. Files are `cog::Scene`: NDVI is of two Sentinel-2 bands of 10,980 px in blocks of 512 px.

mod load;

use std::time::Duration;

use edgetile_tests::binary;
use edgetile_tests::client::header;
use edgetile_tests::cog::{Cog, Scene, tile_at};
use edgetile_tests::http_store::{Conditions, Fault, HttpStore};
use edgetile_tests::server::Server;

use load::{Load, Run};

/// Memory for headers and blocks: so little that random tiles find few blocks in it, as in a collection of many files.
const CACHE_MB: &str = "8";

/// How long each line of the second table is measured.
const TIME: Duration = Duration::from_secs(4);

/// How many reads may be in flight where the store allows any number of connections.
const UNCAPPED: &str = "512";

#[tokio::main]
async fn main() {
    let only: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with("--"))
        .collect();
    let wanted = |name: &str| only.is_empty() || only.iter().any(|only| only == name);
    if wanted("cost") {
        cost().await;
    }
    if wanted("load") {
        load().await;
    }
    if wanted("stalls") {
        stalls().await;
    }
    if wanted("memory") {
        memory().await;
    }
}

async fn store(conditions: Conditions) -> HttpStore {
    let store = HttpStore::under(conditions).await;
    store.put_cog("red.tif", Cog::new(Scene::SENTINEL, 1));
    store.put_cog("nir.tif", Cog::new(Scene::SENTINEL, 2));
    store.put_cog("huge.tif", Cog::new(Scene::HUGE, 3));
    store
}

fn server(store: &HttpStore, settings: &[(&str, &str)]) -> Server {
    let mut all = vec![("EDGETILE_CACHE_MB", CACHE_MB)];
    all.extend(settings);
    Server::start(&["--allow-urls", &store.url("*")], &all)
}

/// A place in the scenes for every number, spread evenly.
fn place(at: usize) -> (f64, f64) {
    let spread = |step: f64| (at as f64 * step).fract();
    (10.5 + spread(0.618_034), 47.0 + 0.7 * spread(0.414_214))
}

fn ndvi(store: &HttpStore, at: usize) -> String {
    let (longitude, latitude) = place(at);
    let (x, y) = tile_at(14, longitude, latitude);
    let (red, nir) = (store.url("red.tif"), store.url("nir.tif"));
    format!("/ndvi/14/{x}/{y}.png?red={red}&nir={nir}")
}

fn single(store: &HttpStore, name: &str, zoom: u32, at: usize) -> String {
    let (longitude, latitude) = if name == "huge.tif" {
        (10.6 + 0.01 * at as f64, 47.6)
    } else {
        place(at)
    };
    let (x, y) = tile_at(zoom, longitude, latitude);
    let url = store.url(name);
    format!("/cog/tiles/WebMercatorQuad/{zoom}/{x}/{y}.png?url={url}&rescale=0,4000")
}

/// The first table: what one tile costs.
async fn cost() {
    println!("| tile | round trips | GETs | bytes | bytes of its blocks | ratio | connections opened |");
    println!("|---|---|---|---|---|---|---|");
    let far = Conditions {
        think: Duration::from_millis(50),
        ..Conditions::default()
    };
    let store = store(far).await;
    let targets = [
        ("one file, cold", single(&store, "red.tif", 14, 1), false),
        (
            "one file, warm: another tile",
            single(&store, "red.tif", 14, 2),
            true,
        ),
        (
            "one file, the same tile again",
            single(&store, "red.tif", 14, 2),
            true,
        ),
        ("one file, cold, zoom 8", single(&store, "red.tif", 8, 1), false),
        ("NDVI of two files, cold", ndvi(&store, 1), false),
        ("NDVI of two files, warm: another tile", ndvi(&store, 2), true),
        ("100,000 px, cold", single(&store, "huge.tif", 18, 1), false),
        (
            "100,000 px, warm: a tile beside",
            single(&store, "huge.tif", 18, 1).replace("png", "webp"),
            true,
        ),
        (
            "100,000 px, warm: a tile far off",
            single(&store, "huge.tif", 18, 30),
            true,
        ),
    ];
    let mut warm = server(&store, &[]);
    for (name, target, stay) in targets {
        if !stay {
            warm = server(&store, &[]);
        }
        line(name, &warm, &store, &[target]).await;
    }
    let index = index(&store);
    for (name, target) in [
        ("NDVI of two files, cold, with an index", ndvi(&store, 1)),
        (
            "100,000 px, cold, with an index",
            single(&store, "huge.tif", 18, 1),
        ),
    ] {
        let indexed = server(&store, &[("EDGETILE_INDEX", &index)]);
        line(name, &indexed, &store, &[target]).await;
    }
    let many: Vec<String> = (100..200).map(|at| ndvi(&store, at)).collect();
    line(
        "NDVI of two files, warm, mean of 100 random tiles",
        &warm,
        &store,
        &many,
    )
    .await;
}

/// Makes an index of the store's files; answers its path.
fn index(store: &HttpStore) -> String {
    let urls = ["red.tif", "nir.tif", "huge.tif"].map(|file| store.url(file));
    let made = tokio::task::block_in_place(|| binary::command().arg("index").args(urls).output());
    let path = std::env::temp_dir().join(format!("edgetile-bench-{}", std::process::id()));
    std::fs::write(&path, made.expect("the binary runs").stdout).expect("a file");
    path.to_string_lossy().into_owned()
}

async fn line(name: &str, server: &Server, store: &HttpStore, targets: &[String]) {
    let before = store.connections();
    store.log.take();
    let (mut blocks, mut rounds, mut gets, mut bytes) = (0, 0, 0, 0);
    for target in targets {
        let tile = server.get(target).await;
        assert_eq!(tile.status(), 200, "{:?}", tile.body());
        let cost = header(&tile, "edgetile-cost").to_owned();
        let told = |name: &str| -> u64 {
            let mut parts = cost.split(';');
            parts
                .find_map(|part| part.strip_prefix(name)?.parse().ok())
                .unwrap_or(0)
        };
        let requests = store.log.take();
        blocks += told("blocks=").min(told("misses=") + told("hits="));
        rounds += requests.rounds();
        gets += requests.count();
        bytes += requests.bytes();
    }
    let block = Cog::new(Scene::SENTINEL, 1).block_bytes();
    let each = |number: f64| number / targets.len() as f64;
    let needed = blocks * block;
    println!(
        "| {name} | {:.1} | {:.2} | {:.0} | {:.0} | {:.2} | {:.2} |",
        each(rounds as f64),
        each(gets as f64),
        each(bytes as f64),
        each(needed as f64),
        bytes as f64 / needed.max(1) as f64,
        each((store.connections() - before) as f64)
    );
}

/// The second table: tiles a second and how long they take.
async fn load() {
    println!(
        "\n| round trip | connections | arrival | tiles/s | p50 ms | p95 ms | p99 ms | n | failed | peak MB | opened |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for millis in [0, 20, 50, 180] {
        for cap in [Some(32), None] {
            let conditions = Conditions {
                round_trip: Duration::from_millis(millis),
                connections: cap,
                ..Conditions::default()
            };
            let store = store(conditions).await;
            let settings: &[_] = if cap.is_some() {
                &[]
            } else {
                &[("EDGETILE_READS", UNCAPPED)]
            };
            let server = server(&store, settings);
            let targets: Vec<String> = (0..4000).map(|at| ndvi(&store, at)).collect();
            let mut load = Load::new(&server, &targets);
            load.closed(8, Duration::from_secs(2)).await;
            let mut best: f64 = 0.0;
            let of = cap.map_or("any".to_owned(), |cap| cap.to_string());
            for at_once in [1, 4, 16, 64, 128] {
                let opened = store.connections();
                let run = load.closed(at_once, TIME).await;
                best = best.max(run.rate());
                row(
                    millis,
                    &of,
                    &format!("{at_once} at once"),
                    &run,
                    store.connections() - opened,
                );
            }
            for share in [0.5, 0.8] {
                let opened = store.connections();
                let run = load.open(best * share, TIME).await;
                let arrival = format!("{:.0} a second", best * share);
                row(millis, &of, &arrival, &run, store.connections() - opened);
            }
        }
    }
}

/// The fourth table: what `EDGETILE_CACHE_MB` does to the memory of the process.
async fn memory() {
    println!("\n| `EDGETILE_CACHE_MB` | peak MB, one at a time | peak MB, 16 at once | tiles |");
    println!("|---|---|---|---|");
    for cache_mb in ["0", "8", "16", "32", "64"] {
        let store = store(Conditions::default()).await;
        let server = server(&store, &[("EDGETILE_CACHE_MB", cache_mb)]);
        let targets: Vec<String> = (0..2000).map(|at| ndvi(&store, at)).collect();
        let mut load = Load::new(&server, &targets);
        let one = load.closed(1, TIME).await;
        let sixteen = load.closed(16, TIME).await;
        println!(
            "| {cache_mb} | {} | {} | {} |",
            one.peak_mb,
            sixteen.peak_mb,
            one.tiles() + sixteen.tiles()
        );
    }
}

fn row(millis: u64, of: &str, arrival: &str, run: &Run, opened: u64) {
    let [p50, p95, p99] = [0.5, 0.95, 0.99].map(|share| run.percentile(share));
    println!(
        "| {millis} | {of} | {arrival} | {:.1} | {p50:.0} | {p95:.0} | {p99:.0} | {} | {} | {} | {opened} |",
        run.rate(),
        run.tiles(),
        run.failed,
        run.peak_mb
    );
}

/// The third table: one read in a hundred says nothing for five seconds.
async fn stalls() {
    println!(
        "\n| round trip | reads that stall | p50 ms | p95 ms | p99 ms | 1.5 × p50 + a round trip | requests | sent twice |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for millis in [20, 50] {
        for every in [None, Some((100, Fault::Stall(Duration::from_secs(5))))] {
            let conditions = Conditions {
                round_trip: Duration::from_millis(millis),
                every,
                ..Conditions::default()
            };
            let store = store(conditions).await;
            let server = server(&store, &[]);
            let targets: Vec<String> = (0..2000).map(|at| ndvi(&store, at)).collect();
            let mut load = Load::new(&server, &targets);
            load.closed(2, Duration::from_secs(3)).await;
            store.log.take();
            let run = load.closed(2, Duration::from_secs(20)).await;
            let requests = store.log.take();
            let twice = requests.repeated();
            let [p50, p95, p99] = [0.5, 0.95, 0.99].map(|share| run.percentile(share));
            println!(
                "| {millis} | {} | {p50:.0} | {p95:.0} | {p99:.0} | {:.0} | {} | {:.1} % |",
                if every.is_some() { "1 %" } else { "none" },
                1.5 * p50 + millis as f64,
                requests.count(),
                100.0 * twice as f64 / requests.count() as f64
            );
        }
    }
}
