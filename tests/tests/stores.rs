//! The same tile from every kind of store, and what it costs there.

use std::time::Duration;

use edgetile_tests::binary;
use edgetile_tests::client::header;
use edgetile_tests::http_store::HttpStore;
use edgetile_tests::server::Server;
use edgetile_tests::store::Store;

const TILE: &str = "12/2179/1421.png";
const NDVI: &str = "expression=(b4-b3)/(b4%2Bb3)&rescale=-1,1&colormap_name=rdylgn";

fn sample() -> Vec<u8> {
    std::fs::read(binary::file("functions/tile/sample/sample.tif")).expect("the sample")
}

fn target(url: &str) -> String {
    format!("/cog/tiles/WebMercatorQuad/{TILE}?url={url}&{NDVI}")
}

async fn s3(environment: &[(&str, &str)], store: &Store) -> Server {
    store.put("scenes", "2024/a b.tif", sample()).await;
    let of_store = store.environment();
    let mut all: Vec<(&str, &str)> = of_store
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    all.retain(|(name, _)| environment.iter().all(|(other, _)| other != name));
    all.extend(environment);
    Server::start(&[], &all)
}

#[tokio::test]
async fn s3_with_signatures_gives_the_tile_of_the_local_file() {
    let store = Store::start(Duration::ZERO).await;
    let local = Server::start(&[], &[]);
    let wanted = local.get(&target("sample.tif")).await;
    let by_root = s3(&[("EDGETILE_DATA", "s3://scenes/2024")], &store).await;
    let by_pattern = s3(&[("EDGETILE_ALLOW_URLS", "s3://scenes/*")], &store).await;
    for (server, url) in [
        (&by_root, "a%20b.tif"),
        (&by_pattern, "s3%3A%2F%2Fscenes%2F2024%2Fa+b.tif"),
    ] {
        let tile = server.get(&target(url)).await;
        assert_eq!(tile.status(), 200, "{:?}", tile.body());
        assert!(tile.body() == wanted.body(), "{url} is another picture");
    }
    assert_eq!(by_root.get(&target("nosuch.tif")).await.status(), 404);
    assert_eq!(by_pattern.get(&target("s3://other/a.tif")).await.status(), 403);
}

#[tokio::test]
async fn a_wrong_secret_is_refused_without_a_word_of_the_store() {
    let store = Store::start(Duration::ZERO).await;
    let server = s3(
        &[
            ("EDGETILE_DATA", "s3://scenes/2024"),
            ("AWS_SECRET_ACCESS_KEY", "wrong"),
        ],
        &store,
    )
    .await;
    let tile = server.get(&target("a%20b.tif")).await;
    let body = String::from_utf8_lossy(tile.body()).into_owned();
    assert_eq!(tile.status(), 403, "{body}");
    for word in ["Signature", "AKIA", "wrong", "scenes"] {
        assert!(!body.contains(word), "{body}");
    }
}

#[tokio::test]
async fn a_cold_tile_is_two_rounds_and_a_warm_one_is_one() {
    let store = Store::start(Duration::from_millis(40)).await;
    let server = s3(&[("EDGETILE_DATA", "s3://scenes/2024")], &store).await;
    let cold = server.get(&target("a%20b.tif")).await;
    let requests = store.log.take();
    assert_eq!(cold.status(), 200);
    assert!(
        requests.count() <= 2 && requests.rounds() <= 2,
        "cold: {requests:#?}"
    );
    assert!(
        requests
            .0
            .iter()
            .all(|request| request.method == "GET" && !request.range.is_empty()),
        "{requests:#?}"
    );
    // Half of its blocks are those of the first tile.
    let warm = server
        .get("/cog/tiles/WebMercatorQuad/13/4358/2844.png?url=a%20b.tif&bidx=1&rescale=0,3000")
        .await;
    let requests = store.log.take();
    assert_eq!(warm.status(), 200);
    assert_eq!(requests.rounds(), 1, "warm: {requests:#?}");
    assert!(
        requests
            .0
            .iter()
            .all(|request| request.if_match == "\"version-1\""),
        "pinned: {requests:#?}"
    );
    let told = format!("gets={};bytes={};", requests.count(), requests.bytes());
    assert!(
        header(&warm, "edgetile-cost").starts_with(&told),
        "{} is not {told}",
        header(&warm, "edgetile-cost")
    );
}

#[tokio::test]
async fn two_files_are_read_side_by_side() {
    let store = Store::start(Duration::from_millis(40)).await;
    store.put("scenes", "2024/b.tif", sample()).await;
    let server = s3(&[("EDGETILE_DATA", "s3://scenes/2024")], &store).await;
    let target = format!("/ndvi/{TILE}?red=a%20b.tif&nir=b.tif");
    let tile = server.get(&target).await;
    let requests = store.log.take();
    assert_eq!(tile.status(), 200, "{:?}", tile.body());
    assert!(requests.count() <= 4 && requests.rounds() <= 2, "{requests:#?}");
    assert!(requests.in_flight() >= 2, "{requests:#?}");
}

#[tokio::test]
async fn a_held_tile_costs_no_pixels() {
    let store = Store::start(Duration::ZERO).await;
    let server = s3(&[("EDGETILE_DATA", "s3://scenes/2024")], &store).await;
    let first = server.get(&target("a%20b.tif")).await;
    store.log.take();
    let held = [("if-none-match", header(&first, "etag"))];
    let again = server.ask(http::Method::GET, &target("a%20b.tif"), &held).await;
    assert_eq!((again.status().as_u16(), again.body().len()), (304, 0));
    let requests = store.log.take();
    assert!(
        requests.bytes() <= 1,
        "at most a look whether the file is still the same: {requests:#?}"
    );
}

#[tokio::test]
async fn a_replaced_object_is_a_new_tile_and_never_a_mixture() {
    let store = HttpStore::start(Duration::ZERO).await;
    store.put("a.tif", sample());
    // What is wholly in memory is not asked for again at once.
    let server = Server::start(&["--allow-urls", &store.url("*"), "--cache-mb", "0"], &[]);
    let target = target(&store.url("a.tif"));
    let first = server.get(&target).await;
    store.put("a.tif", sample());
    let second = server.get(&target).await;
    assert_eq!((first.status().as_u16(), second.status().as_u16()), (200, 200));
    assert!(first.body() == second.body());
    assert_ne!(
        header(&first, "etag"),
        header(&second, "etag"),
        "another version has another tag"
    );
}

#[tokio::test]
async fn connections_are_kept() {
    let store = Store::start(Duration::ZERO).await;
    let server = s3(&[("EDGETILE_DATA", "s3://scenes/2024")], &store).await;
    for x in 4356..4362 {
        let tile = format!("/cog/tiles/WebMercatorQuad/13/{x}/2843.png?url=a%20b.tif&bidx=1&rescale=0,3000");
        server.get(&tile).await;
    }
    let requests = store.log.take();
    assert!(
        requests.count() >= 6 && requests.connections() <= 4,
        "{} connections",
        requests.connections()
    );
}

#[tokio::test]
async fn a_bucket_in_another_region_is_found_once_and_remembered() {
    let store = Store::start_in(Some("eu-north-1"), Duration::from_millis(20)).await;
    let settings = [("EDGETILE_DATA", "s3://scenes/2024"), ("AWS_REGION", "us-west-2")];
    let server = s3(&settings, &store).await;
    let cold = server.get(&target("a%20b.tif")).await;
    assert_eq!(cold.status(), 200, "{:?}", cold.body());
    let statuses: Vec<u16> = store.log.take().0.iter().map(|request| request.status).collect();
    assert_eq!(statuses[..2], [301, 206]);
    assert!(statuses[2..].iter().all(|status| *status == 206), "{statuses:?}");
    let gets = format!("gets={};", statuses.len());
    assert!(header(&cold, "edgetile-cost").starts_with(&gets));
    // A region that the store does not stay with is no loop.
    let nowhere = Store::start_in(Some("eu-north-1 or so"), Duration::ZERO).await;
    let server = s3(&settings, &nowhere).await;
    assert_eq!(server.get(&target("a%20b.tif")).await.status(), 502);
    assert!(nowhere.log.take().count() <= 6);
}

#[tokio::test]
async fn keys_with_any_characters_are_found() {
    let store = Store::start(Duration::ZERO).await;
    let server = s3(&[("EDGETILE_DATA", "s3://scenes")], &store).await;
    for key in [
        "x/a b.tif",
        "x/a#b.tif",
        "x/a%20b.tif",
        "x/a+b.tif",
        "x/größe 日本.tif",
        "x/a&b=c;d.tif",
    ] {
        store.put("scenes", key, sample()).await;
        let encoded = key.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>();
        let encoded = encoded.concat();
        let tile = server.get(&target(&encoded)).await;
        assert_eq!(tile.status(), 200, "{key}: {:?}", tile.body());
    }
}

#[tokio::test]
async fn the_query_of_a_presigned_url_is_sent_as_it_was_written() {
    let store = HttpStore::start(Duration::ZERO).await;
    store.put("a.tif", sample());
    let server = Server::start(&["--allow-urls", &store.url("*")], &[]);
    let query = "X-Amz-Signature=a%2Bb%2F&X-Amz-Date=20260101T000000Z";
    let escaped = store
        .url(&format!("a.tif?{query}"))
        .replace('%', "%25")
        .replace('&', "%26");
    let tile = server.get(&target(&escaped)).await;
    assert_eq!(tile.status(), 200, "{:?}", tile.body());
    let requests = store.log.take();
    assert!(
        requests.0.iter().all(|request| request.query == query),
        "{requests:#?}"
    );
}

#[tokio::test]
async fn a_table_says_how_single_buckets_are_read() {
    let (s3, open) = (
        Store::start(Duration::ZERO).await,
        HttpStore::start(Duration::ZERO).await,
    );
    s3.put("partner", "in/a.tif", sample()).await;
    s3.put("partner", "out/a.tif", sample()).await;
    open.put("public/a.tif", sample());
    // STS gives the keys that the store knows; those of the process are others.
    let of_store = s3.environment();
    let key = |name: &str| {
        of_store
            .iter()
            .find(|(other, _)| *other == name)
            .map(|(_, value)| value.clone())
    };
    let answer = format!(
        "<AssumeRoleResponse><Credentials><AccessKeyId>{}</AccessKeyId><SecretAccessKey>{}</SecretAccessKey>\
         <SessionToken>t</SessionToken></Credentials></AssumeRoleResponse>",
        key("AWS_ACCESS_KEY_ID").expect("a key"),
        key("AWS_SECRET_ACCESS_KEY").expect("a secret")
    );
    let sts = HttpStore::start(Duration::ZERO).await;
    sts.put("", answer);
    let table = format!(
        r#"{{"s3://partner/in": {{"role": "arn:aws:iam::1:role/r", "external_id": "e f"}}, "s3://public": {{"endpoint": "http://{}", "anonymous": true}}}}"#,
        open.address
    );
    let (of_s3, of_sts) = (
        format!("http://{}", s3.address),
        format!("http://{}", sts.address),
    );
    let settings = [
        ("EDGETILE_BUCKETS", table.as_str()),
        ("EDGETILE_ALLOW_URLS", "s3://*"),
        ("AWS_ACCESS_KEY_ID", "AKIAOTHER"),
        ("AWS_SECRET_ACCESS_KEY", "other"),
        ("AWS_REGION", "eu-central-1"),
        ("AWS_ENDPOINT_URL", of_s3.as_str()),
        ("AWS_ENDPOINT_URL_STS", of_sts.as_str()),
        ("AWS_ALLOW_HTTP", "true"),
    ];
    let server = Server::start(&[], &settings);
    let mut statuses = Vec::new();
    for url in [
        "s3://partner/in/a.tif",
        "s3://partner/out/a.tif",
        "s3://public/a.tif",
    ] {
        statuses.push(server.get(&target(url)).await.status().as_u16());
    }
    assert_eq!(statuses, [200, 403, 200]);
    let asked = sts.log.take();
    assert_eq!(asked.count(), 1, "the role is assumed once: {asked:#?}");
    let query = &asked.0[0].query;
    for part in [
        "Action=AssumeRole",
        "RoleArn=arn:aws:iam::1:role/r&",
        "ExternalId=e%20f",
    ] {
        assert!(query.contains(part), "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_profile_signs_for_the_buckets_of_its_row_and_follows_its_file() {
    let s3 = Store::start(Duration::ZERO).await;
    for key in ["a.tif", "b.tif", "c.tif"] {
        s3.put("survey", key, sample()).await;
    }
    let of_store = s3.environment();
    let variable = |name: &str| {
        let found = of_store.iter().find(|(other, _)| *other == name);
        found.map(|(_, value)| value.as_str()).expect("it is set")
    };
    let section = |name: &str, secret: &str| {
        format!(
            "[{name}]\naws_access_key_id = {}\naws_secret_access_key = {secret}\n",
            variable("AWS_ACCESS_KEY_ID")
        )
    };
    let file = std::env::temp_dir().join(format!("edgetile-keys-{}", std::process::id()));
    let write = |secret: &str| {
        let text = section("other", "wrong") + &section("survey", secret);
        std::fs::write(&file, text).expect("written");
    };
    write(variable("AWS_SECRET_ACCESS_KEY"));
    let settings = [
        (
            "EDGETILE_BUCKETS",
            r#"{"s3://survey": {"profile": "survey"}, "s3://survey/b.tif": {"profile": "nobody"}}"#,
        ),
        ("EDGETILE_ALLOW_URLS", "s3://*"),
        ("AWS_PROFILE", "other"),
        ("AWS_SHARED_CREDENTIALS_FILE", file.to_str().expect("a name")),
        ("AWS_REGION", variable("AWS_REGION")),
        ("AWS_ENDPOINT_URL", variable("AWS_ENDPOINT_URL")),
        ("AWS_ALLOW_HTTP", "true"),
    ];
    let server = Server::start(&[], &settings);
    let status = async |url: &str| server.get(&target(url)).await.status().as_u16();
    assert_eq!(status("s3://survey/a.tif").await, 200);
    assert_eq!(
        status("s3://survey/b.tif").await,
        502,
        "a profile that is not there signs nothing"
    );
    assert_eq!(
        status("s3://elsewhere/a.tif").await,
        403,
        "keys of another profile are not taken"
    );
    write("wrong now");
    assert_eq!(status("s3://survey/c.tif").await, 403, "the file is read again");
    std::fs::remove_file(&file).expect("removed");
}
