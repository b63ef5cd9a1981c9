//! Kinds of files that only a whole request meets, over the files of `make_files.py`.

use std::path::Path;

use edgetile_raster::crs::Crs;
use http::StatusCode;
use serde_json::Value;

use super::tests::{app, get, json};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../raster/testdata/files");

pub(super) async fn over_files() -> super::App {
    assert!(Path::new(FOLDER).join("beside.tif").is_file());
    app(&[("EDGETILE_DATA", FOLDER), ("EDGETILE_LAYERS", "")]).await
}

/// The formulas of `make_files.py`.
pub(super) fn base(row: u32, column: u32, band: u32, level: u32) -> u32 {
    (7 * row + 13 * column + 31 * band + 101 * level) % 251
}

fn is_hole(row: u32, column: u32) -> bool {
    (row + 2 * column).is_multiple_of(5)
}

/// A tile over the north-west corner of the files, as `npy`: bytes of the samples `[bands + mask, 256, 256]`.
async fn tile(zoom: u32, query: &str) -> (Vec<u8>, String) {
    let (x, y) = tile_at(zoom, (500_225.0, 5_199_815.0));
    let target = format!("/cog/tiles/WebMercatorQuad/{zoom}/{x}/{y}.npy?{query}");
    let answer = get(&over_files().await, &target).await;
    assert_eq!(answer.status(), StatusCode::OK, "{target}: {:?}", answer.body());
    let cost = answer.headers()["edgetile-cost"].to_str().unwrap().to_owned();
    let start = 10 + usize::from(u16::from_le_bytes([answer.body()[8], answer.body()[9]]));
    (answer.body()[start..].to_vec(), cost)
}

const HALF_WORLD_M: f64 = 20_037_508.342_789_244;

/// The tile that holds a place of UTM 33.
fn tile_at(zoom: u32, (x, y): (f64, f64)) -> (u32, u32) {
    let (lon, lat) = Crs::from_epsg(32633).unwrap().inverse(x, y).unwrap();
    let (east, north) = Crs::from_epsg(3857).unwrap().forward(lon, lat).unwrap();
    let side = 2.0 * HALF_WORLD_M / f64::from(1 << zoom);
    (
        ((east + HALF_WORLD_M) / side) as u32,
        ((HALF_WORLD_M - north) / side) as u32,
    )
}

/// Calls `check` with each pixel of a tile and the row and column of a level that its centre lies in, of those not near an
/// edge. The level has `size` pixels over 450 x 370 m. Gives how many there were.
fn each(zoom: u32, size: (u32, u32), mut check: impl FnMut(usize, u32, u32)) -> usize {
    let (tile_x, tile_y) = tile_at(zoom, (500_225.0, 5_199_815.0));
    let (utm, web) = (Crs::from_epsg(32633).unwrap(), Crs::from_epsg(3857).unwrap());
    let pixel = 2.0 * HALF_WORLD_M / f64::from(1 << zoom) / 256.0;
    let mut seen = 0;
    for at in 0..65_536_u32 {
        let east = (f64::from(tile_x * 256 + at % 256) + 0.5) * pixel - HALF_WORLD_M;
        let north = HALF_WORLD_M - (f64::from(tile_y * 256 + at / 256) + 0.5) * pixel;
        let (lon, lat) = web.inverse(east, north).unwrap();
        let (x, y) = utm.forward(lon, lat).unwrap();
        let column = (x - 500_000.0) / 450.0 * f64::from(size.0);
        let row = (5_200_000.0 - y) / 370.0 * f64::from(size.1);
        let inside = (0.0..f64::from(size.0)).contains(&column) && (0.0..f64::from(size.1)).contains(&row);
        let near_edge = |at: f64| (at - at.round()).abs() < 0.01;
        if inside && !near_edge(column) && !near_edge(row) {
            seen += 1;
            check(at as usize, row as u32, column as u32);
        }
    }
    seen
}

fn u16_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16::from_le_bytes([bytes[2 * at], bytes[2 * at + 1]]))
}

#[tokio::test]
async fn overviews_beside_a_file_are_read_where_sidecars_says_so() {
    let (with, cost) = tile(12, "url=beside.tif&sidecars=ovr").await;
    assert!(cost.contains("level=1;"), "{cost}");
    let seen = each(12, (23, 19), |at, row, column| {
        assert_eq!(u16_at(&with, at), base(row, column, 0, 1) * 257 + 1);
        // nodata is the file's own, 1.
        assert_eq!(u16_at(&with, 65_536 + at) > 0, base(row, column, 0, 1) != 0);
    });
    assert!(seen > 100, "{seen}");
    let (without, cost) = tile(12, "url=beside.tif").await;
    assert!(cost.contains("level=0;"), "{cost}");
    each(12, (45, 37), |at, row, column| {
        assert_eq!(u16_at(&without, at), base(row, column, 0, 0) * 257 + 1);
    });
}

#[tokio::test]
async fn a_mask_beside_a_file_holds_in_place_of_its_nodata() {
    for (zoom, sidecars, size, level) in [
        (14, "msk", (45, 37), 0),
        (14, "auto", (45, 37), 0),
        // The mask has overviews of its own: they are read where overviews are.
        (12, "ovr,msk", (23, 19), 1),
        // Without overviews of samples there is one level.
        (12, "msk", (45, 37), 0),
    ] {
        let (bytes, _) = tile(zoom, &format!("url=beside.tif&sidecars={sidecars}")).await;
        let seen = each(zoom, size, |at, row, column| {
            let shown = u16_at(&bytes, 65_536 + at) > 0;
            assert_eq!(shown, !is_hole(row, column), "{sidecars} {zoom} {row} {column}");
            if shown {
                assert_eq!(u16_at(&bytes, at), base(row, column, 0, level) * 257 + 1);
            }
        });
        assert!(seen > 100, "{seen}");
    }
}

#[tokio::test]
async fn a_sidecar_that_is_not_there_is_told_and_auto_does_without() {
    let app = over_files().await;
    let (x, y) = tile_at(14, (500_225.0, 5_199_815.0));
    let of = |query: &str| format!("/cog/tiles/WebMercatorQuad/14/{x}/{y}.npy?{query}");
    let answer = get(&app, &of("url=overviews.tif&sidecars=ovr,msk")).await;
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    let text = String::from_utf8_lossy(answer.body()).into_owned();
    assert!(text.contains(".ovr file beside this url"), "{text}");
    let plain = get(&app, &of("url=overviews.tif")).await;
    let auto = get(&app, &of("url=overviews.tif&sidecars=auto")).await;
    assert_eq!(auto.status(), StatusCode::OK);
    assert_eq!(auto.body(), plain.body());
    // What was looked for is part of the answer's identity.
    assert_ne!(auto.headers()["etag"], plain.headers()["etag"]);
}

#[tokio::test]
async fn a_mask_of_another_size_is_refused() {
    let folder = std::env::temp_dir().join(format!("edgetile-mask-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/sample/sample.tif");
    std::fs::copy(sample, folder.join("a.tif")).unwrap();
    std::fs::copy(Path::new(FOLDER).join("beside.tif.msk"), folder.join("a.tif.msk")).unwrap();
    let app = app(&[("EDGETILE_DATA", folder.to_str().unwrap())]).await;
    let answer = get(
        &app,
        "/cog/tiles/WebMercatorQuad/12/2179/1421.npy?url=a.tif&sidecars=msk",
    )
    .await;
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(answer.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let text = String::from_utf8_lossy(answer.body()).into_owned();
    assert!(
        text.contains("the mask beside the file is not of the file's size"),
        "{text}"
    );
}

#[tokio::test]
async fn a_band_tagged_as_alpha_is_data_where_the_request_says_so() {
    let query = "url=alpha_u8_unassalpha.tif";
    let (masked, _) = tile(14, query).await;
    let (data, _) = tile(14, &format!("{query}&alpha=false")).await;
    assert_eq!((masked.len(), data.len()), (4 * 65_536, 5 * 65_536));
    let seen = each(14, (45, 37), |at, row, column| {
        let nir = base(row, column, 3, 0) | 1;
        let nir = if is_hole(row, column) { 0 } else { nir };
        assert_eq!(u32::from(data[3 * 65_536 + at]), nir);
        assert_eq!(u32::from(masked[3 * 65_536 + at]), nir);
        assert_eq!(data[4 * 65_536 + at], 255);
        assert_eq!(u32::from(data[at]), base(row, column, 0, 0));
    });
    assert!(seen > 1000, "{seen}");
    // Its index is not transparent where near infrared is 0.
    let (index, _) = tile(14, &format!("{query}&alpha=false&expression=b4-b1")).await;
    let mask = 4 * 65_536;
    assert!(
        each(14, (45, 37), |at, _, _| assert_ne!(
            index[mask + 4 * at..mask + 4 * at + 4],
            [0; 4]
        )) > 1000
    );
}

#[tokio::test]
async fn info_says_what_is_beside_what_is_turned_and_what_tiles_cost() {
    let app = over_files().await;
    let info = json(&app, "/cog/info?url=beside.tif&sidecars=auto").await;
    assert_eq!(info["sidecars"], serde_json::json!([".ovr", ".msk", ".msk.ovr"]));
    assert_eq!(info["overviews"], serde_json::json!([2, 4]));
    assert_eq!(info["colorinterp"], serde_json::json!(["gray"]));
    assert_eq!(info["rotated"], false);
    let plain = json(&app, "/cog/info?url=beside.tif").await;
    assert_eq!(
        (plain.get("sidecars"), &plain["overviews"]),
        (None, &serde_json::json!([]))
    );
    let turned = json(&app, "/cog/info?url=place_rotated.tif").await;
    assert_eq!(turned["rotated"], true);
    assert_eq!(
        turned["transform"],
        serde_json::json!([8.0, 3.0, 500_000.0, 2.0, -9.0, 5_200_000.0])
    );
    let remarks = |info: &Value| info["remarks"].to_string();
    assert!(
        remarks(&turned).contains("rows run at 14.04°"),
        "{}",
        remarks(&turned)
    );
    let alpha = json(&app, "/cog/info?url=alpha_u8_unassalpha.tif").await;
    assert_eq!(
        alpha["colorinterp"],
        serde_json::json!(["red", "green", "blue", "alpha"])
    );
    assert!(remarks(&alpha).contains("alpha=false"), "{}", remarks(&alpha));
}

#[tokio::test]
async fn ndvi_of_bands_that_are_not_there_names_the_parameter() {
    let app = over_files().await;
    for (query, told) in [
        ("url=beside.tif", "nir names a band nir that is not there"),
        (
            "url=overviews.tif&red=1&nir=9",
            "nir names band 9: the source has bands 1 to 3",
        ),
        (
            "url=overviews.tif&red=8&nir=1",
            "red names band 8: the source has bands 1 to 3",
        ),
    ] {
        let answer = get(&app, &format!("/ndvi/14/8923/5730.png?{query}")).await;
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
        let text = String::from_utf8_lossy(answer.body()).into_owned();
        assert!(text.contains(told), "{query}: {text}");
    }
    let answer = get(&app, "/ndvi/tilejson.json?url=beside.tif&minzoom=9&maxzoom=3").await;
    assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
}
