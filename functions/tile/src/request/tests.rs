//! The request language as a whole: targets in, requests or refusals out.

use edgetile_raster::colour::Rescale;
use edgetile_raster::warp::Kernel;
use http::Method;

use super::*;

fn get(target: &str) -> Result<Route, Refused> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    Route::parse(&Method::GET, path, query, &Grids::default())
}

fn tile(target: &str) -> ImageRequest {
    match get(target).unwrap() {
        Route::Image(request) => request,
        other => panic!("{target} is no tile: {other:?}"),
    }
}

fn message(target: &str) -> String {
    get(target).unwrap_err().to_string()
}

#[test]
fn a_tile_of_a_file_is_read_as_titiler_reads_it() {
    let request = tile(
        "/cog/tiles/WebMercatorQuad/12/2143/1478@2x.webp?url=https%3A%2F%2Fh%2Fa.tif&bidx=4&reproject=cubic",
    );
    assert_eq!(request.asked, Asked::Url("https://h/a.tif".into()));
    let address = Address::new(Grid::web().unwrap(), 12, 2143, 1478).unwrap();
    let scale = Scale::new(2).unwrap();
    assert_eq!(request.frame, Frame::Tile(address, scale));
    assert_eq!(request.format, Format::Webp);
    assert_eq!(request.style.bands, Some(Bands::Indexes(vec![4])));
    assert_eq!(request.style.resampling, Some(Kernel::Cubic));
    assert_eq!(request.style.edge_px(&Grid::web().unwrap(), scale), Ok(512));
}

#[test]
fn ndvi_names_its_bands_in_each_of_its_forms() {
    let expression = |target: &str| match tile(target).wanted_style().bands {
        Some(Bands::Expression(formula)) => formula.text().to_owned(),
        other => panic!("{other:?}"),
    };
    assert_eq!(expression("/ndvi/1/0/0.png"), "(nir-red)/(nir+red)");
    assert_eq!(tile("/ndvi/1/0/0.png").asked, Asked::FirstLayer);
    assert_eq!(expression("/ndvi/1/0/0?url=a.tif&red=3&nir=4"), "(b4-b3)/(b4+b3)");
    assert_eq!(
        expression("/ndvi/1/0/0?url=a.tif&red=B04&nir=B08"),
        "(B08-B04)/(B08+B04)"
    );
    assert_eq!(expression("/ndvi/1/0/0?url=a.tif"), "(nir-red)/(nir+red)");
    let two = tile("/ndvi/1/0/0?red=r.tif&nir=n.tif");
    assert_eq!(
        two.asked.pairs(),
        [
            ("url.nir".into(), "n.tif".into()),
            ("url.red".into(), "r.tif".into())
        ]
    );
    let style = two.wanted_style();
    assert_eq!(style.colormap, Some(ColormapChoice::named("rdylgn").unwrap()));
    assert_eq!(style.rescale, Some(Rescale(vec![(-1.0, 1.0)])));
}

#[test]
fn ndvi_refuses_what_names_half_a_pair() {
    assert_eq!(message("/ndvi/1/0/0?red=a.tif"), "nir is missing beside red");
    assert_eq!(message("/ndvi/1/0/0?nir=a.tif"), "red is missing beside nir");
    assert_eq!(
        message("/ndvi/1/0/0?red=3&nir=4"),
        "red is a band number: add the url of its file"
    );
    let wrong = "nir is neither a band number from 1 nor a band name";
    assert_eq!(message("/ndvi/1/0/0?url=a&red=1&nir=0"), wrong);
    assert_eq!(message("/ndvi/1/0/0?url=a&red=1&nir=b1-b2"), wrong);
}

#[test]
fn a_query_speaks_over_the_preset() {
    let style = tile("/ndvi/1/0/0?rescale=0,1&colormap_name=viridis").wanted_style();
    assert_eq!(style.rescale, Some(Rescale(vec![(0.0, 1.0)])));
    assert_eq!(style.colormap, Some(ColormapChoice::named("viridis").unwrap()));
}

#[test]
fn paths_that_are_wrong_say_what_is() {
    for (target, wanted) in [
        ("/tiles/x/a/0/0", "z is not a whole number from 0"),
        ("/tiles/x/1/-1/0.png", "x is not a whole number from 0"),
        ("/tiles/x/1/0/0.gif", "format is none of png, jpg, webp, npy, tif"),
        ("/tiles/..%2f..%2fetc/1/0/0", "there is no layer of this name"),
        (
            "/cog/tiles/Mars/1/0/0?url=a",
            "there is no tile matrix set of this name",
        ),
        (
            "/cog/tiles/WebMercatorQuad/1/0/0",
            "url is missing: give the address of a GeoTIFF",
        ),
        (
            "/cog/tiles/1/0/0?url=a",
            "there is no tile matrix set of this name",
        ),
        ("/nowhere", "there is nothing at this path"),
        ("/cog", "there is nothing at this path"),
        ("/tiles/x/tilejson", "there is nothing at this path"),
        ("/%ff", "there is nothing at this path"),
    ] {
        assert_eq!(message(target), wanted, "{target}");
    }
    assert!(matches!(
        get("/tiles/x/1/2/0"),
        Err(Refused::OffGrid { z: 1, x: 2, y: 0, .. })
    ));
    assert_eq!(
        Route::parse(&Method::POST, "/healthz", "", &Grids::default()),
        Err(Refused::Method(Methods::Read))
    );
}

#[test]
fn pixels_are_limited_before_anything_is_read() {
    assert_eq!(
        get("/tiles/x/1/0/0@4x?tilesize=1024"),
        Err(Refused::TooManyPixels { edge_px: 4096 })
    );
    assert_eq!(
        get("/tiles/x/1/0/0?tilesize=2048&buffer=0.5"),
        Err(Refused::TooManyPixels { edge_px: 2049 })
    );
    let buffered = tile("/tiles/x/1/0/0@2x?buffer=2.5");
    let scale = Scale::new(2).unwrap();
    assert_eq!(buffered.style.edge_px(&Grid::web().unwrap(), scale), Ok(517));
}

#[test]
fn several_files_need_an_expression() {
    let base = "/cog/tiles/WebMercatorQuad/1/0/0?url.red=a&url.nir=b";
    assert!(message(base).starts_with("expression is missing"));
    assert!(get(&format!("{base}&expression=nir-red")).is_ok());
}

#[test]
fn a_point_is_two_numbers_on_the_earth() {
    let Ok(Route::Point(point)) = get("/cog/point/11.5,-48.25?url=a.tif&bidx=2") else {
        panic!()
    };
    assert_eq!((point.lon_deg, point.lat_deg), (11.5, -48.25));
    for wrong in ["11", "11,91", "-181,0", "361,0", "nan,0", "0,inf", "a,b", "1,2,3"] {
        assert!(
            message(&format!("/tiles/x/point/{wrong}")).starts_with("point is not lon,lat"),
            "{wrong}"
        );
    }
    assert!(message("/tiles/x/point/1,2?coord_crs=EPSG:1").starts_with("coord_crs is no CRS"));
    let Ok(Route::Point(point)) = get("/tiles/x/point/1280000,6130000?coord_crs=EPSG:3857") else {
        panic!("a point in metres is not read");
    };
    assert_eq!(point.given, (1_280_000.0, 6_130_000.0));
    // By the inverse of the sphere's Mercator.
    assert!(
        (point.lon_deg - 11.498_436).abs() < 1e-6 && (point.lat_deg - 48.138_936).abs() < 1e-6,
        "{point:?}"
    );
}

#[test]
fn a_tilejson_carries_the_query_of_its_tiles() {
    let template = |target: &str| match get(target).unwrap() {
        Route::TileJson(request) => request.template,
        other => panic!("{other:?}"),
    };
    assert_eq!(template("/tiles/x/tilejson.json"), "/tiles/x/{z}/{x}/{y}@2x.png");
    assert_eq!(
        template(
            "/cog/WebMercatorQuad/tilejson.json?url=s3%3A%2F%2Fb%2Fa%26b.tif&tilesize=256&tile_format=webp"
        ),
        "/cog/tiles/WebMercatorQuad/{z}/{x}/{y}.webp?url=s3://b/a%26b.tif"
    );
    assert_eq!(
        template("/ndvi/tilejson.json?url=a&red=3&nir=4&minzoom=3"),
        "/ndvi/{z}/{x}/{y}@2x.png?nir=4&red=3&url=a"
    );
    assert_eq!(
        template("/tiles/x/tilejson.json?tilesize=300&bidx=1"),
        "/tiles/x/{z}/{x}/{y}.png?bidx=1&tilesize=300"
    );
    assert_eq!(
        message("/tiles/x/tilejson.json?maxzoom=31"),
        "maxzoom is not a zoom of the grid"
    );
}

#[test]
fn a_template_reads_back_as_the_request_it_stands_for() {
    let Ok(Route::TileJson(json)) =
        get("/cog/WebMercatorQuad/tilejson.json?url=a%2Bb%25.tif&expression=b1%2Bb2")
    else {
        panic!()
    };
    let target = json
        .template
        .replace("{z}", "1")
        .replace("{x}", "0")
        .replace("{y}", "1");
    let request = tile(&target);
    assert_eq!(request.asked, Asked::Url("a+b%.tif".into()));
    assert_eq!(
        request.style.bands,
        Some(Bands::Expression(Formula::parse("b1+b2").unwrap()))
    );
}

#[test]
fn pages_with_a_map_lead_to_the_one_at_the_root() {
    for (path, way) in [
        (
            "/cog/WebMercatorQuad/map.html?url=a%20b.tif&rescale=0,9",
            "../../#of=cog?url%3Da%2520b.tif%26rescale%3D0,9",
        ),
        ("/cog/map.html?url=a.tif", "../#of=cog?url%3Da.tif"),
        ("/tiles/a/map.html", "../../#of=tiles/a"),
        ("/ndvi/map.html", "../#of=ndvi"),
        ("/index/NDWI/map.html?url=a", "../../#of=index/NDWI?url%3Da"),
        ("/stac/viewer?url=a&assets=b", "../#of=stac?url%3Da%26assets%3Db"),
        ("/cog/viewer", "../"),
    ] {
        assert_eq!(get(path), Ok(Route::Elsewhere(way.to_owned())), "{path}");
    }
    for path in ["/map.html", "/a/map.html", "/cog/map.html/?url=a", "/cog/viewer/"] {
        assert_eq!(get(path), Err(Refused::NoSuchPath), "{path}");
    }
    for path in [
        "/cog/WGS1984Quad/map.html?url=a",
        "/cog/map.html",
        "/cog/map.html?url=a&bidx=x",
    ] {
        assert!(matches!(get(path), Err(Refused::Parameter { .. })), "{path}");
    }
}

#[test]
fn fixed_routes_ignore_their_query() {
    assert_eq!(get("/"), Ok(Route::Viewer(String::new())));
    assert_eq!(get("/?rescael=1"), Ok(Route::Viewer(String::new())));
    assert_eq!(get("/healthz/"), Ok(Route::Health));
    assert_eq!(get("/viewer/config.json"), Ok(Route::ViewerConfig));
    assert_eq!(get("/viewer/a.js"), Ok(Route::Viewer("a.js".into())));
    assert_eq!(
        get("/tileMatrixSets/WebMercatorQuad"),
        Ok(Route::TileMatrixSet(Grid::web().unwrap()))
    );
}

/// TiTiler's: 256 colours, 20 pixels across.
#[test]
fn a_colormap_is_json_or_a_strip() {
    let strip = |query: &str| match get(&format!("/colorMaps/viridis?{query}")) {
        Ok(Route::ColorMap(asked)) => Ok(asked
            .strip
            .map(|s| (s.format, s.is_vertical, s.width_px, s.height_px))),
        Ok(other) => panic!("{other:?}"),
        Err(refused) => Err(refused.to_string()),
    };
    assert_eq!(strip(""), Ok(None));
    assert_eq!(strip("f=json&width=9"), Ok(None));
    assert_eq!(strip("f=png"), Ok(Some((Format::Png, false, 256, 20))));
    assert_eq!(
        strip("f=jpeg&orientation=vertical"),
        Ok(Some((Format::Jpeg, true, 20, 256)))
    );
    assert_eq!(
        strip("f=webp&width=5&height=2048"),
        Ok(Some((Format::Webp, false, 5, 2048)))
    );
    for wrong in [
        "f=npy",
        "f=html",
        "orientation=left",
        "f=png&width=0",
        "f=png&height=4096",
        "orientatoin=vertical",
    ] {
        assert!(strip(wrong).is_err(), "{wrong}");
    }
}
