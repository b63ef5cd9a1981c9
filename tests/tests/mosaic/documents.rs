//! What documents may say beside quadkeys of the web's grid: another grid, items; and percentiles of all their files.

use super::*;

/// The value below which a share of all values lies, as `statistics` tells percentiles.
fn percentile(values: &[u16], percent: usize) -> u16 {
    let mut values = values.to_vec();
    values.sort_unstable();
    values[(values.len() * percent).div_ceil(100) - 1]
}

#[tokio::test]
async fn percentiles_of_a_mosaic_are_those_of_its_files_together_in_every_tile() {
    let (store, server) = serving().await;
    store.put("mosaics/four.json", four().to_string());
    let mut values = Vec::new();
    for (at, (x, y)) in TILES.iter().enumerate() {
        values.extend(
            of_file(&server, &store, &format!("{at}.tif"), &format!("14/{x}/{y}"))
                .await
                .0,
        );
    }
    let (low, high) = (percentile(&values, 2), percentile(&values, 98));
    assert!(low < high);
    let (x, y) = TILES[0];
    for path in [
        format!("/tiles/WebMercatorQuad/14/{x}/{y}.png"),
        format!("/tiles/WebMercatorQuad/{ABOVE}.png"),
        "/bbox/11.52,48.14,11.55,48.16/64x64.png".to_owned(),
    ] {
        let by_name = get(&server, &store, "four.json", &path, "&rescale=p2,p98").await;
        assert_eq!(by_name.status(), 200, "{:?}", by_name.body());
        let by_value = get(
            &server,
            &store,
            "four.json",
            &path,
            &format!("&rescale={low},{high}"),
        )
        .await;
        assert!(by_name.body() == by_value.body(), "{path}");
        let other = get(
            &server,
            &store,
            "four.json",
            &path,
            &format!("&rescale={low},{}", high + 200),
        )
        .await;
        assert!(by_name.body() != other.body(), "{path}");
    }
    let legend = get(&server, &store, "four.json", "/legend.json", "&rescale=p2,p98").await;
    let legend: Value = serde_json::from_slice(legend.body()).expect("JSON");
    assert_eq!(
        legend["range"],
        json!([f64::from(low), f64::from(high)]),
        "{legend}"
    );
    // They are read once; a file of the sample that changes makes other pictures of all tiles.
    store.log.take();
    let (x, y) = TILES[3];
    let path = format!("/tiles/WebMercatorQuad/14/{x}/{y}.png");
    let before = get(&server, &store, "four.json", &path, "&rescale=p2,p98").await;
    assert!(paths(&store).is_empty(), "the sample was read anew");
    let count = get(
        &server,
        &store,
        "four.json",
        &path,
        "&rescale=p2,p98&pixel_selection=count",
    )
    .await;
    assert_eq!(count.status(), 400);
    store.put(
        "scenes/0.tif",
        red_file(&server, &store.url("scenes/red.tif")).await,
    );
    let fresh = Server::start(&["--allow-urls", &store.url("*")], &[]);
    let after = get(&fresh, &store, "four.json", &path, "&rescale=p2,p98").await;
    assert_ne!(header(&before, "etag"), header(&after, "etag"));
    let plain = get(&fresh, &store, "four.json", &path, "&rescale=0,3000").await;
    let plain_before = get(&server, &store, "four.json", &path, "&rescale=0,3000").await;
    assert_eq!(header(&plain, "etag"), header(&plain_before, "etag"));
}

#[tokio::test]
async fn quadkeys_of_another_grid_name_the_files_of_its_tiles() {
    let (store, server) = serving().await;
    // The square of Web Mercator that zoom 13 has above the four, as a set of its own.
    let tile_m = 40_075_016.685_578_49 / 8192.0;
    let (west, north) = (
        4358.0 * tile_m - 20_037_508.342_789_244,
        20_037_508.342_789_244 - 2842.0 * tile_m,
    );
    let matrix = |zoom: u32| {
        let count = 1 << zoom;
        json!({"id": zoom.to_string(), "cellSize": tile_m / 256.0 / f64::from(count), "pointOfOrigin": [west, north],
               "tileWidth": 256, "tileHeight": 256, "matrixWidth": count, "matrixHeight": count})
    };
    let set = json!({"id": "Square", "crs": "http://www.opengis.net/def/crs/EPSG/0/3857",
                     "tileMatrices": (0..6).map(matrix).collect::<Vec<_>>()});
    let tiles: serde_json::Map<String, Value> = (0..4)
        .map(|at| (at.to_string(), json!([format!("../scenes/{at}.tif")])))
        .collect();
    let document = json!({"mosaicjson": "0.0.3", "minzoom": 1, "maxzoom": 4, "tilematrixset": set, "tiles": tiles,
                          "bounds": [11.5, 48.1, 11.56, 48.17]});
    store.put("mosaics/square.json", document.to_string());
    let path = format!("/tiles/WebMercatorQuad/{ABOVE}.npy");
    let shown = pixels(&get(&server, &store, "square.json", &path, "").await);
    store.put("mosaics/four.json", four().to_string());
    assert!(shown == pixels(&get(&server, &store, "four.json", &path, "").await));
    let (lon, lat) = (11.53, 48.15);
    let assets = json(
        &server,
        &store,
        "square.json",
        &format!("/point/{lon},{lat}/assets"),
    )
    .await;
    let of_web = json(
        &server,
        &store,
        "four.json",
        &format!("/point/{lon},{lat}/assets"),
    )
    .await;
    assert_eq!(assets, of_web);
    assert_eq!(assets.as_array().map(Vec::len), Some(1));
    let info = json(&server, &store, "square.json", "/info").await;
    assert_eq!(info["mosaic_tilematrixset"], "Square");
    // Its zoom 1 is the web's 14.
    let tilejson = json(&server, &store, "square.json", "/WebMercatorQuad/tilejson.json").await;
    assert_eq!(
        (&tilejson["minzoom"], &tilejson["maxzoom"]),
        (&json!(14), &json!(17))
    );
}

/// The bounds of a tile of the web's grid, in degrees.
fn bounds_of(z: u32, x: u32, y: u32) -> [f64; 4] {
    let side = f64::from(1 << z);
    let lon = |x: u32| f64::from(x) / side * 360.0 - 180.0;
    let lat = |y: u32| {
        let turns = std::f64::consts::PI * (1.0 - 2.0 * f64::from(y) / side);
        turns.sinh().atan().to_degrees()
    };
    [lon(x), lat(y + 1), lon(x + 1), lat(y)]
}

#[tokio::test]
async fn a_collection_of_items_is_a_mosaic_of_their_assets() {
    let (store, server) = serving().await;
    let item = |at: usize, (x, y): (u32, u32)| {
        let [west, south, east, north] = bounds_of(14, x, y);
        let ring = [
            [west, south],
            [east, south],
            [east, north],
            [west, north],
            [west, south],
        ];
        json!({"type": "Feature", "id": format!("scene-{at}"), "bbox": [west, south, east, north],
               "geometry": {"type": "Polygon", "coordinates": [ring]},
               "assets": {"B04": {"href": format!("../scenes/{at}.tif"), "type": "image/tiff", "bands": [{"eo:common_name": "red"}]}}})
    };
    let features: Vec<Value> = (0..4).map(|at| item(at, TILES[at])).collect();
    let search =
        json!({"type": "FeatureCollection", "features": features, "links": [{"rel": "next", "href": "x"}]});
    store.put("mosaics/search.json", search.to_string());
    store.put("mosaics/four.json", four().to_string());
    let style = "&assets=red&rescale=0,3000";
    // Inside one item nothing is read of the others.
    let (x, y) = TILES[2];
    store.log.take();
    let inner = format!("/tiles/WebMercatorQuad/16/{}/{}.png", 4 * x + 1, 4 * y + 1);
    let own = get(&server, &store, "search.json", &inner, style).await;
    assert_eq!(own.status(), 200, "{:?}", own.body());
    assert_eq!(
        paths(&store),
        ["mosaics/search.json", "scenes/2.tif"].map(str::to_owned).into()
    );
    for path in [inner, format!("/tiles/WebMercatorQuad/{ABOVE}.png")] {
        let shown = get(&server, &store, "search.json", &path, style).await;
        let of_files = get(&server, &store, "four.json", &path, "&rescale=0,3000").await;
        assert!(shown.body() == of_files.body(), "{path}");
    }
    let (x, y) = TILES[1];
    let place = bounds_of(16, 4 * x + 1, 4 * y + 1);
    let place = format!("{},{}", place[0], place[1]);
    let assets = json(&server, &store, "search.json", &format!("/point/{place}/assets")).await;
    assert_eq!(assets, json!(["scene-1"]));
    let point = get(
        &server,
        &store,
        "search.json",
        &format!("/point/{place}"),
        "&assets=red",
    )
    .await;
    let point: Value = serde_json::from_slice(point.body()).expect("JSON");
    assert_eq!(point["assets"][0]["name"], "scene-1");
    let tilejson = get(
        &server,
        &store,
        "search.json",
        "/WebMercatorQuad/tilejson.json",
        style,
    )
    .await;
    let tilejson: Value = serde_json::from_slice(tilejson.body()).expect("JSON");
    let all = bounds_of(13, 4358, 2842);
    for (told, own) in tilejson["bounds"].as_array().expect("bounds").iter().zip(all) {
        assert!(
            (told.as_f64().expect("a number") - own).abs() < 1e-9,
            "{tilejson}"
        );
    }
    assert_eq!(tilejson["maxzoom"], 14);
    let stretched = get(
        &server,
        &store,
        "search.json",
        &format!("/tiles/WebMercatorQuad/{ABOVE}.png"),
        "&assets=red&rescale=p2,p98",
    )
    .await;
    assert_eq!(stretched.status(), 200, "{:?}", stretched.body());
    let beside = get(
        &server,
        &store,
        "search.json",
        "/tiles/WebMercatorQuad/14/8714/5684.png",
        style,
    )
    .await;
    assert_eq!(beside.status(), 204);
    let none = get(
        &server,
        &store,
        "search.json",
        &format!("/tiles/WebMercatorQuad/{ABOVE}.png"),
        "",
    )
    .await;
    assert_eq!(none.status(), 400);
    assert!(String::from_utf8_lossy(none.body()).contains("assets"));
}
