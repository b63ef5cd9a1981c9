//! Tiles of the sample as text digests of their pixels. `make bless` accepts them as they are drawn now.
//!
//! A digest that differs leaves the picture, and its difference from the last accepted one where that was kept, in
//! `target/golden`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use edgetile_tests::binary::file;
use edgetile_tests::server::Server;

/// Name and request: every kernel, format and way of colouring; edges, overviews and oversampling.
const TILES: &[(&str, &str)] = &[
    ("truecolour", "/tiles/truecolour/13/4358/2842.png"),
    (
        "truecolour at its nodata edge",
        "/tiles/truecolour/13/4360/2842.png",
    ),
    ("truecolour from an overview", "/tiles/truecolour/11/1089/710.png"),
    (
        "truecolour oversampled",
        "/tiles/truecolour/16/34868/22738.png?resampling=bilinear",
    ),
    (
        "truecolour twice as fine",
        "/tiles/truecolour/12/2179/1421@2x.png?resampling=cubic",
    ),
    (
        "truecolour averaged",
        "/tiles/truecolour/11/1089/710.png?resampling=average",
    ),
    (
        "truecolour lanczos",
        "/tiles/truecolour/12/2179/1421.png?resampling=lanczos",
    ),
    (
        "truecolour spline",
        "/tiles/truecolour/12/2179/1421.png?resampling=cubic_spline",
    ),
    ("false colour", "/tiles/falsecolour/13/4358/2842.png"),
    ("ndvi", "/ndvi/13/4358/2842.png"),
    ("ndvi as a layer", "/tiles/ndvi/13/4358/2842.png"),
    ("ndvi as data", "/ndvi/13/4358/2842.npy"),
    ("bands as data", "/tiles/truecolour/13/4360/2842.npy"),
    ("one band, 16 bits", "/tiles/truecolour/13/4358/2842.png?bidx=4"),
    (
        "one band, stretched",
        "/tiles/truecolour/13/4358/2842.png?bidx=4&rescale=0,6000",
    ),
    (
        "one band, coloured by intervals",
        "/tiles/truecolour/13/4358/2842.png?bidx=4&colormap=[[[1,1500],%22%23003060%22],[[1500,9000],%22%2360c040%22]]",
    ),
    (
        "an expression of three outputs",
        "/tiles/truecolour/13/4358/2842.png?expression=red;(red%2Bgreen)/2;blue&rescale=100,2000",
    ),
    ("with a buffer", "/tiles/truecolour/13/4358/2842.png?buffer=2"),
    (
        "with a colour formula",
        "/tiles/truecolour/13/4358/2842.png?color_formula=gamma%20RGB%201.3,%20saturation%201.2",
    ),
    ("mode", "/tiles/truecolour/11/1089/710.png?resampling=mode"),
    ("median", "/tiles/truecolour/11/1089/710.png?resampling=med"),
];

#[tokio::test(flavor = "multi_thread")]
async fn tiles_look_as_they_were_accepted() {
    let server = Server::start(&["--port", "0"], &[]);
    let bless = std::env::var_os("EDGETILE_BLESS").is_some();
    let list = file("tests/golden.txt");
    let accepted = read(&std::fs::read_to_string(&list).unwrap_or_default());
    let (mut text, mut wrong) = (String::new(), Vec::new());
    for (name, target) in TILES {
        let response = server.get(target).await;
        assert_eq!(
            response.status(),
            200,
            "{name}: {}",
            String::from_utf8_lossy(response.body())
        );
        let digest = format!("{:016x}", digest(name, target, response.body()));
        writeln!(text, "{name}: {digest}").expect("a String takes all");
        if bless {
            keep(name, "accepted", target, response.body());
        } else if accepted.get(*name) != Some(&digest) {
            keep(name, "now", target, response.body());
            wrong.push(*name);
        }
    }
    if bless {
        std::fs::write(&list, text).expect("the list can be written");
    }
    assert!(
        wrong.is_empty(),
        "these tiles are drawn otherwise than accepted: {wrong:?}; look at them in target/golden, then `make bless`"
    );
}

fn read(text: &str) -> BTreeMap<String, String> {
    let line = |line: &str| {
        line.split_once(": ")
            .map(|(name, digest)| (name.to_owned(), digest.to_owned()))
    };
    text.lines().filter_map(line).collect()
}

/// Of the pixels, not of the bytes: a better compressor changes no tile.
fn digest(name: &str, target: &str, body: &[u8]) -> u64 {
    let pixels = if target.contains(".png") {
        let picture = image::load_from_memory(body).unwrap_or_else(|error| panic!("{name}: {error}"));
        let size = format!("{}x{} ", picture.width(), picture.height());
        [
            size.as_bytes(),
            picture
                .into_rgba16()
                .as_raw()
                .iter()
                .flat_map(|v| v.to_le_bytes())
                .collect::<Vec<_>>()
                .as_slice(),
        ]
        .concat()
    } else {
        body.to_vec()
    };
    // FNV-1a in 64 bits.
    pixels.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Keeps an answer for whoever wants to look, and what changed in it since it was accepted.
fn keep(name: &str, which: &str, target: &str, body: &[u8]) {
    let folder = file("target/golden");
    std::fs::create_dir_all(&folder).expect("a folder below target");
    let extension = if target.contains(".png") { "png" } else { "npy" };
    let path = |which: &str| -> PathBuf {
        folder.join(format!("{}.{which}.{extension}", name.replace([' ', ','], "-")))
    };
    std::fs::write(path(which), body).expect("a file below target");
    if which == "now"
        && let (Ok(before), Ok(now)) = (image::open(path("accepted")), image::load_from_memory(body))
    {
        let (before, mut now) = (before.into_rgba8(), now.into_rgba8());
        if before.dimensions() == now.dimensions() {
            for (now, before) in now.pixels_mut().zip(before.pixels()) {
                let difference = now
                    .0
                    .iter()
                    .zip(before.0)
                    .map(|(a, b)| a.abs_diff(b))
                    .max()
                    .unwrap_or(0);
                now.0 = [difference.saturating_mul(16), 0, 0, 255];
            }
            now.save(path("difference")).expect("a file below target");
        }
    }
}
