//! The index of headers: a cold tile in one round trip, and never a wrong one where a file has changed since.

use std::path::PathBuf;
use std::time::Duration;

use edgetile_tests::binary;
use edgetile_tests::client::header;
use edgetile_tests::cog::{Cog, Scene, tile_at};
use edgetile_tests::http_store::{Conditions, HttpStore};
use edgetile_tests::server::Server;

const FILES: [&str; 3] = ["red.tif", "nir.tif", "huge.tif"];

async fn store() -> HttpStore {
    let store = HttpStore::under(Conditions {
        think: Duration::from_millis(30),
        ..Conditions::default()
    })
    .await;
    store.put_cog("red.tif", Cog::new(Scene::SENTINEL, 1));
    store.put_cog("nir.tif", Cog::new(Scene::SENTINEL, 2));
    store.put_cog("huge.tif", Cog::new(Scene::HUGE, 3));
    store
}

/// Makes an index of the files of a store, as an operator would.
async fn index(store: &HttpStore, name: &str) -> PathBuf {
    let urls = FILES.map(|file| store.url(file));
    let made = tokio::task::spawn_blocking(move || {
        let mut command = binary::command();
        command.arg("index").args(urls).output().expect("the binary runs")
    });
    let made = made.await.expect("it ends");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let path = std::env::temp_dir().join(format!("edgetile-{name}-{}", std::process::id()));
    std::fs::write(&path, made.stdout).expect("a file");
    path
}

fn serve(store: &HttpStore, settings: &[(&str, &str)]) -> Server {
    Server::start(&["--allow-urls", &store.url("*")], settings)
}

fn ndvi(store: &HttpStore) -> String {
    let (x, y) = tile_at(14, 10.9, 47.4);
    let (red, nir) = (store.url("red.tif"), store.url("nir.tif"));
    format!("/ndvi/14/{x}/{y}.png?red={red}&nir={nir}")
}

#[tokio::test]
async fn with_an_index_a_cold_tile_is_one_round_trip() {
    let store = store().await;
    let path = index(&store, "cold").await;
    let bytes = std::fs::metadata(&path).expect("it was written").len();
    // Two scenes of some 8 kB, and the offsets of 51,000 blocks.
    assert!(bytes < 2 * 10_000 + 51_500 * 8, "{bytes}");
    let path = path.to_string_lossy().into_owned();
    let (x, y) = tile_at(18, 10.8, 47.6);
    let huge = format!(
        "/cog/tiles/WebMercatorQuad/18/{x}/{y}.png?url={}&rescale=0,4000",
        store.url("huge.tif")
    );
    for target in [ndvi(&store), huge] {
        let (with, without) = (serve(&store, &[("EDGETILE_INDEX", &path)]), serve(&store, &[]));
        store.log.take();
        let tile = with.get(&target).await;
        let requests = store.log.take();
        assert_eq!(tile.status(), 200, "{:?}", tile.body());
        assert_eq!(requests.rounds(), 1, "{requests:#?}");
        assert!(requests.0.iter().all(|request| request.if_match == "\"v1\""));
        let wanted = without.get(&target).await;
        assert!(tile.body() == wanted.body() && header(&tile, "etag") == header(&wanted, "etag"));
    }
}

#[tokio::test]
async fn a_file_that_was_replaced_since_is_read_as_it_is() {
    let store = store().await;
    let path = index(&store, "replaced").await.to_string_lossy().into_owned();
    store.put_cog("nir.tif", Cog::new(Scene::SENTINEL, 7));
    let (with, without) = (serve(&store, &[("EDGETILE_INDEX", &path)]), serve(&store, &[]));
    let target = ndvi(&store);
    for _ in 0..2 {
        let (tile, wanted) = (with.get(&target).await, without.get(&target).await);
        assert_eq!(tile.status(), 200, "{:?}", tile.body());
        assert!(tile.body() == wanted.body() && header(&tile, "etag") == header(&wanted, "etag"));
    }
    // An answer that needs no pixel asks whether the index is right.
    store.put_cog("red.tif", Cog::new(Scene::SENTINEL, 8));
    let fresh = serve(&store, &[("EDGETILE_INDEX", &path)]);
    let (_, files) = target.split_once('?').expect("a query");
    let outside = fresh.get(&format!("/ndvi/5/0/0.png?{files}")).await;
    let etag = serve(&store, &[]).get(&format!("/ndvi/5/0/0.png?{files}")).await;
    assert_eq!(
        (outside.status().as_u16(), header(&outside, "etag")),
        (204, header(&etag, "etag"))
    );
}

#[tokio::test]
async fn an_index_that_is_none_stops_the_server_and_a_file_that_is_none_is_left_out() {
    let path = binary::file("functions/tile/sample/sample.tif");
    let mut command = binary::command();
    command.args(["serve", "--port", "0", "--index"]).arg(path);
    let refused = command.output().expect("the binary runs");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && said.contains("edgetile index"),
        "{said}"
    );
    let store = store().await;
    let (there, none) = (store.url("red.tif"), store.url("nosuch.tif"));
    let run = async |urls: Vec<String>| {
        let run = tokio::task::spawn_blocking(move || {
            let mut command = binary::command();
            command.arg("index").args(urls).output().expect("the binary runs")
        });
        run.await.expect("it ends")
    };
    let whole = run(vec![there.clone()]).await;
    let part = run(vec![none, there]).await;
    let said = String::from_utf8_lossy(&part.stderr).into_owned();
    assert!(
        !part.status.success() && said.contains("nosuch.tif") && said.contains("1 of 2 files"),
        "{said}"
    );
    assert!(whole.status.success() && part.stdout == whole.stdout);
}
