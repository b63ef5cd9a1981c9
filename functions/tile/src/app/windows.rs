//! Previews and boxes as a door sees them, over the files of `make_files.py` and the embedded sample.

use http::{Method, StatusCode};
use serde_json::Value;

use super::App;
use super::kinds::{base, over_files};
use super::tests::{app, ask, get, json};

/// The answer to a request as `npy`: its shape, and its bytes after the header, which are samples of one byte.
async fn array(app: &App, target: &str) -> (Vec<usize>, Vec<u8>) {
    let answer = get(app, target).await;
    assert_eq!(answer.status(), StatusCode::OK, "{target}: {:?}", answer.body());
    let body = answer.body();
    let start = 10 + usize::from(u16::from_le_bytes([body[8], body[9]]));
    let head = String::from_utf8_lossy(&body[10..start]).into_owned();
    let (_, shape) = head.split_once("'shape': (").unwrap();
    let (shape, _) = shape.split_once(')').unwrap();
    let sides = shape.split(',').filter_map(|side| side.trim().parse().ok());
    (sides.collect(), body[start..].to_vec())
}

#[tokio::test]
async fn a_preview_is_the_file_on_its_own_grid() {
    let app = over_files().await;
    let (shape, bytes) = array(&app, "/cog/preview.npy?url=overviews.tif").await;
    assert_eq!(shape, [4, 37, 45]);
    let pixels = |band: u32| (0..37 * 45).map(move |at| (band, at / 45, at % 45));
    for (band, row, column) in (0..3).flat_map(pixels) {
        let at = ((band * 37 + row) * 45 + column) as usize;
        assert_eq!(
            u32::from(bytes[at]),
            base(row, column, band, 0),
            "{band} {row} {column}"
        );
    }
    assert!(bytes[3 * 37 * 45..].iter().all(|mask| *mask == 255));
    let answer = get(&app, "/cog/preview.png?url=overviews.tif").await;
    assert_eq!(answer.headers()["content-bbox"], "500000,5199630,500450,5200000");
    assert_eq!(
        answer.headers()["content-crs"],
        "<http://www.opengis.net/def/crs/EPSG/0/32633>"
    );
}

#[tokio::test]
async fn a_small_preview_reads_an_overview() {
    let app = over_files().await;
    // The coarsest is of 12 x 10 pixels: each centre lies in one of its own.
    let (shape, bytes) = array(&app, "/cog/preview/12x10.npy?url=overviews.tif").await;
    assert_eq!(shape, [4, 10, 12]);
    for at in 0..120_u32 {
        assert_eq!(u32::from(bytes[at as usize]), base(at / 12, at % 12, 0, 2));
    }
    let answer = get(&app, "/cog/preview/12x10.npy?url=overviews.tif").await;
    let cost = answer.headers()["edgetile-cost"].to_str().unwrap();
    assert!(cost.contains("level=2;"), "{cost}");
    // Of the two directions the finer decides.
    let answer = get(&app, "/cog/preview/12x37.npy?url=overviews.tif").await;
    let cost = answer.headers()["edgetile-cost"].to_str().unwrap();
    assert!(cost.contains("level=0;"), "{cost}");
}

#[tokio::test]
async fn a_box_is_the_pixels_that_lie_in_it() {
    let app = over_files().await;
    let target = "/cog/bbox/500100,5199800,500300,5199900.npy?url=overviews.tif&coord_crs=EPSG:32633";
    let (shape, bytes) = array(&app, target).await;
    assert_eq!(shape, [4, 10, 20]);
    for at in 0..200_u32 {
        assert_eq!(
            u32::from(bytes[at as usize]),
            base(10 + at / 20, 10 + at % 20, 0, 0)
        );
    }
    // Beyond the file there is nothing: five columns of ten metres to its west.
    let target = "/cog/bbox/499950,5199800,500050,5199810.npy?url=overviews.tif&coord_crs=EPSG:32633";
    let (shape, bytes) = array(&app, target).await;
    assert_eq!(shape, [4, 1, 10]);
    assert_eq!(bytes[30..], [[0; 5], [255; 5]].concat());
    assert_eq!(u32::from(bytes[5]), base(19, 0, 0, 0));
}

#[tokio::test]
async fn a_box_is_drawn_in_its_own_crs_or_in_another() {
    let app = over_files().await;
    let place = "/cog/bbox/15.001,46.951,15.004,46.953.npy?url=overviews.tif";
    let answer = get(&app, place).await;
    assert_eq!(answer.headers()["content-bbox"], "15.001,46.951,15.004,46.953");
    for (crs, epsg) in [("EPSG:3857", 3857), ("32633", 32633)] {
        let answer = get(&app, &format!("{place}&dst-crs={crs}")).await;
        let found = answer.headers()["content-crs"].to_str().unwrap();
        assert!(found.ends_with(&format!("/{epsg}>")), "{found}");
    }
    let wrong = get(&app, &format!("{place}&dst_crs=EPSG:1")).await;
    assert_eq!(wrong.status(), StatusCode::BAD_REQUEST);
    let outside = get(&app, "/cog/bbox/1,2,3,4.png?url=overviews.tif&max_size=9").await;
    assert_eq!(outside.status(), StatusCode::NO_CONTENT);
    let large = get(&app, "/cog/bbox/1,2,3,4.png?url=overviews.tif").await;
    assert_eq!(large.status(), StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn what_has_no_hole_is_jpeg_where_nothing_is_said() {
    let app = over_files().await;
    for (target, media_type) in [
        ("/cog/preview?url=overviews.tif", "image/jpeg"),
        ("/cog/preview?url=beside.tif&sidecars=msk&bidx=1", "image/png"),
        (
            "/cog/preview?url=beside.tif&sidecars=msk&bidx=1&return_mask=false",
            "image/jpeg",
        ),
        ("/cog/preview.webp?url=overviews.tif", "image/webp"),
        (
            "/cog/preview/9x9.tif?url=overviews.tif",
            "image/tiff; application=geotiff",
        ),
    ] {
        let answer = get(&app, target).await;
        assert_eq!(answer.status(), StatusCode::OK, "{target}: {:?}", answer.body());
        assert_eq!(answer.headers()["content-type"], media_type, "{target}");
    }
}

#[tokio::test]
async fn layers_and_indices_have_windows_too() {
    let app = app(&[]).await;
    let mut versions = Vec::new();
    for target in [
        "/tiles/truecolour/preview.png?max_size=64",
        "/tiles/truecolour/preview.png?max_size=63",
        "/tiles/truecolour/preview/64x64.png",
        "/tiles/ndvi/preview.png?max_size=64&dst_crs=3857",
        "/ndvi/preview.png?max_size=64",
        "/index/NDWI/preview.png?max_size=64",
        "/ndvi/bbox/11.5,48.0,11.6,48.1/64x64.png",
        "/ndvi/bbox/11.5,48.0,11.6,48.1/64x64.png?dst_crs=EPSG:3857",
    ] {
        let answer = get(&app, target).await;
        assert!(answer.status().is_success(), "{target}: {:?}", answer.body());
        versions.push(answer.headers()["etag"].clone());
        let tag = answer.headers()["etag"].to_str().unwrap();
        let held = ask(&app, Method::GET, target, &[("if-none-match", tag)]).await;
        assert_eq!(held.status(), StatusCode::NOT_MODIFIED, "{target}");
    }
    let different: std::collections::HashSet<_> = versions.iter().collect();
    assert_eq!(different.len(), versions.len(), "{versions:?}");
}

#[tokio::test]
async fn statistics_are_of_the_whole_file() {
    let app = over_files().await;
    let told = json(&app, "/cog/statistics?url=overviews.tif&bidx=2&p=50").await;
    let values: Vec<f64> = (0..37 * 45)
        .map(|at| f64::from(base(at / 45, at % 45, 1, 0)))
        .collect();
    let band = &told["b2"];
    let sum: f64 = values.iter().sum();
    assert_eq!(band["sum"], sum);
    assert!((band["mean"].as_f64().unwrap() - sum / 1665.0).abs() < 1e-9);
    assert_eq!(band["count"], 1665.0);
    assert_eq!(band["valid_percent"], 100.0);
    let mut sorted = values;
    sorted.sort_by(f64::total_cmp);
    assert_eq!(band["min"], sorted[0]);
    assert_eq!(band["percentile_50"], sorted[832]);
    assert_eq!(band["median"], sorted[832]);
    assert_eq!(told.as_object().unwrap().len(), 1);
}

#[tokio::test]
async fn statistics_cost_what_they_read_and_are_known_by_their_inputs() {
    let app = over_files().await;
    let target = "/cog/statistics?url=overviews.tif&max_size=12";
    let answer = get(&app, target).await;
    let cost = answer.headers()["edgetile-cost"].to_str().unwrap();
    assert!(cost.contains("level=2;"), "{cost}");
    let tag = answer.headers()["etag"].to_str().unwrap();
    let held = ask(&app, Method::GET, target, &[("if-none-match", tag)]).await;
    assert_eq!(held.status(), StatusCode::NOT_MODIFIED);
    for other in ["&p=3", "&categorical=true", "&histogram_bins=3", "&bidx=1"] {
        let answer = get(&app, &format!("{target}{other}")).await;
        assert_ne!(answer.headers()["etag"], tag, "{other}");
    }
    let wrong = get(&app, &format!("{target}&p=-1")).await;
    assert_eq!(wrong.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_stretch_by_percentiles_is_that_of_the_whole_file_in_every_tile() {
    let app = over_files().await;
    let told = json(&app, "/cog/statistics?url=overviews.tif&p=5&p=90").await;
    let ranges: Vec<String> = ["b3", "b1"]
        .iter()
        .map(|band| {
            format!(
                "&rescale={},{}",
                told[band]["percentile_5"], told[band]["percentile_90"]
            )
        })
        .collect();
    // A part of the file, with other percentiles of its own.
    let place =
        "/cog/bbox/500100,5199800,500300,5199900.npy?url=overviews.tif&coord_crs=EPSG:32633&bidx=3&bidx=1";
    let by_name = array(&app, &format!("{place}&rescale=p5,p90")).await;
    assert_eq!(by_name, array(&app, &format!("{place}{}", ranges.concat())).await);
    assert_ne!(by_name, array(&app, &format!("{place}&rescale=p5,p91")).await);
    // One for each band, and values beside percentiles.
    let (low, _) = ranges[1].split_once(',').unwrap();
    let mixed = array(&app, &format!("{place}&rescale=p5,p90&rescale=p5,200")).await;
    assert_eq!(
        mixed,
        array(&app, &format!("{place}{}{low},200", ranges[0])).await
    );
    let wrong = get(&app, &format!("{place}&rescale=p5,p90&rescale=p5,p9&rescale=0,1")).await;
    assert_eq!(wrong.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn percentiles_are_read_once_for_a_version_of_a_file() {
    let app = app(&[]).await;
    let target = "/tiles/truecolour/bbox/11.5,48.1,11.52,48.11/64x64.png?rescale=p2,p98";
    let cost = async |target: &str| {
        let answer = get(&app, target).await;
        assert_eq!(answer.status(), StatusCode::OK, "{:?}", answer.body());
        let cost = answer.headers()["edgetile-cost"].to_str().unwrap().to_owned();
        let gets = cost.split(';').next().unwrap().strip_prefix("gets=").unwrap();
        gets.parse::<u32>().unwrap()
    };
    // The first request opens the file.
    cost(&target.replace("p2,p98", "100,2000")).await;
    let plain = cost(&target.replace("p2,p98", "100,2000")).await;
    let first = cost(target).await;
    let second = cost(target).await;
    assert!(first > plain && second == plain, "{plain} {first} {second}");
    // What else is drawn of the same bands takes the same ones.
    assert_eq!(cost(&format!("{target}&resampling=bilinear&v=2")).await, plain);
    let template = json(&app, "/tiles/truecolour/tilejson.json?rescale=p2,p98").await;
    let tiles = template["tiles"][0].as_str().unwrap();
    assert!(tiles.ends_with("?rescale=p2,p98"), "{tiles}");
}

#[tokio::test]
async fn a_file_is_validated_by_its_layout() {
    let app = over_files().await;
    let beside = json(&app, "/cog/validate?url=beside.tif").await;
    assert_eq!(beside["COG"], false);
    let errors = beside["COG_errors"].to_string();
    assert!(errors.contains("overviews lie beside the file"), "{errors}");
    // Who does not want it looked at is not told.
    let alone = json(&app, "/cog/validate?url=beside.tif&sidecars=none").await;
    assert!(!alone["COG_errors"].to_string().contains("beside"), "{alone}");
    let own = json(&super::tests::app(&[]).await, "/tiles/truecolour/validate").await;
    assert_eq!(
        (&own["COG"], &own["COG_errors"]),
        (&true.into(), &Value::Null),
        "{own}"
    );
    assert!(own["tiles"].as_array().is_some_and(|tiles| !tiles.is_empty()));
    let levels = own["IFD"].as_array().unwrap();
    assert_eq!(
        own["layout"]["ifd_offsets"].as_array().unwrap().len(),
        levels.len()
    );
    assert_eq!(levels[1]["Decimation"], 2);
    // GDAL's names.
    for (file, name) in [
        ("tiles_none_u8", Value::Null),
        ("tiles_lerc_zstd_i16", "LERC_ZSTD".into()),
        ("tiles_lerc_deflate_u16", "LERC_DEFLATE".into()),
        ("strips_ccittfax3_u1", "CCITTFAX3".into()),
        ("strips_ccittrle_u1", "CCITTRLE".into()),
        ("strips_packbits", "PACKBITS".into()),
        ("tiles_jpeg_ycbcr", "JPEG".into()),
    ] {
        let told = json(&app, &format!("/cog/validate?url={file}.tif")).await;
        assert_eq!(told["Compression"], name, "{file}");
    }
    let wrong = get(&app, "/cog/validate?url=beside.tif&strict=perhaps").await;
    assert_eq!(wrong.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn what_is_never_answered_of_a_mosaic_is_not_offered() {
    let folder = std::env::temp_dir().join(format!("edgetile-offered-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mosaic = r#"{"mosaicjson": "0.0.3", "minzoom": 8, "maxzoom": 8, "bounds": [11, 48, 12, 49], "tiles": {"12021322": ["sample.tif"]}}"#;
    std::fs::write(folder.join("m.json"), mosaic).unwrap();
    let app = app(&[("EDGETILE_DATA", folder.to_str().unwrap())]).await;
    let api = json(&app, "/api").await;
    for rest in ["statistics", "preview.png", "preview/9x9.png", "validate"] {
        let answer = get(&app, &format!("/mosaicjson/{rest}?url=m.json")).await;
        let text = String::from_utf8_lossy(answer.body()).into_owned();
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{rest}");
        assert!(text.contains("is a mosaic, which has no "), "{rest}: {text}");
        let path = rest
            .replace(".png", ".{format}")
            .replace("9x9", "{width}x{height}");
        assert_eq!(api["paths"][format!("/mosaicjson/{path}")], Value::Null, "{path}");
        assert!(api["paths"][format!("/cog/{path}")].is_object(), "{path}");
    }
    assert!(api["paths"]["/mosaicjson/info"].is_object());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn maps_tell_their_system_by_its_registry_and_a_tif_needs_one_that_it_can_say() {
    let app = over_files().await;
    let map = get(&app, "/cog/map?url=overviews.tif&crs=ESRI:54009&width=20").await;
    assert_eq!(map.status(), StatusCode::OK);
    assert_eq!(
        map.headers()["content-crs"],
        "<http://www.opengis.net/def/crs/ESRI/0/54009>"
    );
    let tif = get(&app, "/cog/map?url=overviews.tif&crs=ESRI:54009&width=20&f=tif").await;
    assert_eq!(tif.status(), StatusCode::BAD_REQUEST);
    let known = get(
        &app,
        "/cog/map?url=overviews.tif&crs=%5BEPSG:3857%5D&width=20&f=tif",
    )
    .await;
    assert_eq!(known.status(), StatusCode::OK);
}
