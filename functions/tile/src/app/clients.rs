//! What map clients find: WMTS, OGC API - Tiles, legends, over the embedded sample.

use http::{Method, StatusCode};
use serde_json::{Value, json as value};

use super::tests::{app, ask, get, json};

async fn xml(target: &str) -> String {
    let app = app(&[]).await;
    let answer = get(&app, target).await;
    assert_eq!(answer.status(), StatusCode::OK, "{target}: {:?}", answer.body());
    assert_eq!(answer.headers()["content-type"], "application/xml");
    String::from_utf8(answer.body().to_vec()).unwrap()
}

/// The texts of every element of a local name.
fn texts(xml: &str, name: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(xml).unwrap();
    let of = document
        .descendants()
        .filter(|node| node.tag_name().name() == name);
    of.map(|node| node.text().unwrap_or_default().to_owned())
        .collect()
}

fn attribute(xml: &str, name: &str, attribute: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(xml).unwrap();
    let of = document
        .descendants()
        .filter(|node| node.tag_name().name() == name);
    of.filter_map(|node| Some(node.attribute(attribute)?.to_owned()))
        .collect()
}

#[tokio::test]
async fn every_layer_is_in_the_capabilities_with_tiles_that_are_there() {
    let all = xml("/WMTSCapabilities.xml").await;
    let app = app(&[]).await;
    let config = json(&app, "/viewer/config.json").await;
    let layers = config["layers"].as_array().unwrap().len();
    let templates = attribute(&all, "ResourceURL", "template");
    assert_eq!(templates.len(), layers);
    assert_eq!(texts(&all, "SupportedCRS"), ["urn:ogc:def:crs:EPSG::3857"]);
    assert_eq!(texts(&all, "TileMatrixSetLink").len(), layers);
    let template = &templates[0];
    assert_eq!(
        template,
        "http://localhost/tiles/truecolour/{TileMatrix}/{TileCol}/{TileRow}.png"
    );
    let one = xml("/tiles/truecolour/WMTSCapabilities.xml").await;
    assert!(one.contains("xlink:href=\"http://localhost/tiles/truecolour/legend.png\""));
    // The lowest zoom has the whole sample in one tile.
    let first = |name: &str| texts(&one, name).first().unwrap().clone();
    let limits = one.split("<TileMatrixLimits><TileMatrix>").nth(1).unwrap();
    let target = template
        .trim_start_matches("http://localhost")
        .replace("{TileMatrix}", limits.split('<').next().unwrap())
        .replace("{TileCol}", &first("MinTileCol"))
        .replace("{TileRow}", &first("MaxTileRow"));
    assert_eq!(get(&app, &target).await.status(), StatusCode::OK, "{target}");
}

#[tokio::test]
async fn a_file_is_offered_on_every_grid_with_its_query() {
    let query = "url=sample.tif&expression=(b4-b3)/(b4%2Bb3)&rescale=-1,1&colormap_name=rdylgn";
    let all = xml(&format!(
        "/cog/WMTSCapabilities.xml?{query}&SERVICE=WMTS&REQUEST=GetCapabilities"
    ))
    .await;
    let grids = texts(&all, "SupportedCRS").len();
    assert!(grids > 5, "{grids}");
    let template = attribute(&all, "ResourceURL", "template").remove(0);
    let start =
        "http://localhost/cog/tiles/{TileMatrixSet}/{TileMatrix}/{TileCol}/{TileRow}.png?url=sample.tif&";
    assert!(template.starts_with(start), "{template}");
    assert!(template.contains("expression=(b4-b3)/(b4%2Bb3)"), "{template}");
    let one =
        xml("/cog/WebMercatorQuad/WMTSCapabilities.xml?url=sample.tif&tile_format=webp&tilesize=512").await;
    assert_eq!(texts(&one, "Format"), ["image/webp"]);
    let template = attribute(&one, "ResourceURL", "template").remove(0);
    assert!(template.ends_with("{TileRow}.webp?url=sample.tif"), "{template}");
    let missing = get(&app(&[]).await, "/cog/WMTSCapabilities.xml?url=none.tif").await;
    assert_eq!(missing.status(), StatusCode::NOT_FOUND);
}

/// The address for keys and values of an operation.
fn in_keys(xml: &str, operation: &str) -> String {
    let document = roxmltree::Document::parse(xml).unwrap();
    let of = |node: &roxmltree::Node| node.attribute("name") == Some(operation);
    let operation = document.descendants().find(of).unwrap();
    let get = |node: &roxmltree::Node| node.tag_name().name() == "Get";
    let is_kvp = |node: &roxmltree::Node| node.descendants().any(|value| value.text() == Some("KVP"));
    let found = operation.descendants().filter(get).find(is_kvp).unwrap();
    let href = found
        .attributes()
        .find(|attribute| attribute.name() == "href")
        .unwrap();
    href.value().trim_start_matches("http://localhost").to_owned()
}

#[tokio::test]
async fn wmts_is_answered_in_keys_and_values_too() {
    let app = app(&[]).await;
    for (capabilities, restful) in [
        ("/WMTSCapabilities.xml", "/tiles/truecolour/8/136/88.png"),
        (
            "/tiles/truecolour/WMTSCapabilities.xml",
            "/tiles/truecolour/8/136/88.png",
        ),
        ("/ndvi/WMTSCapabilities.xml", "/ndvi/8/136/88.png"),
        (
            "/cog/WMTSCapabilities.xml?url=sample.tif&bidx=1&rescale=0,3000&tilesize=512",
            "/cog/tiles/WebMercatorQuad/8/136/88.png?url=sample.tif&bidx=1&rescale=0,3000",
        ),
    ] {
        let document = get(&app, capabilities).await;
        let xml = std::str::from_utf8(document.body()).unwrap();
        let asked = format!(
            "{}Service=WMTS&REQUEST=GetTile&version=1.0.0&Layer=truecolour&style=default&format=image/png&TileMatrixSet=WebMercatorQuad\
             &TileMatrix=8&TileRow=88&TileCol=136",
            in_keys(xml, "GetTile")
        );
        let tile = get(&app, &asked).await;
        assert_eq!(tile.status(), StatusCode::OK, "{asked}: {:?}", tile.body());
        let wanted = get(&app, restful).await;
        assert!(tile.body() == wanted.body(), "{asked}");
        assert_eq!(tile.headers()["etag"], wanted.headers()["etag"]);
        let address = format!(
            "{}SERVICE=WMTS&request=GetCapabilities",
            in_keys(xml, "GetCapabilities")
        );
        assert_eq!(get(&app, &address).await.body(), document.body(), "{address}");
    }
    let tile = "/WMTSCapabilities.xml?request=GetTile&layer=truecolour&tilematrixset=WebMercatorQuad&tilematrix=8&tilerow=88&tilecol=136";
    for (from, to, status, told) in [
        (
            "tilerow=88",
            "",
            400,
            "code=\"MissingParameterValue\" locator=\"tilerow\"",
        ),
        (
            "tilerow=88",
            "tilerow=256",
            400,
            "code=\"TileOutOfRange\" locator=\"tilerow\"",
        ),
        (
            "tilecol=136",
            "tilecol=256",
            400,
            "code=\"TileOutOfRange\" locator=\"tilecol\"",
        ),
        (
            "tilematrix=8",
            "tilematrix=99",
            400,
            "code=\"InvalidParameterValue\" locator=\"tilematrix\"",
        ),
        (
            "WebMercatorQuad",
            "webmercatorquad",
            400,
            "code=\"InvalidParameterValue\" locator=\"tilematrixset\"",
        ),
        (
            "layer=truecolour",
            "layer=nope",
            400,
            "code=\"InvalidParameterValue\" locator=\"layer\"",
        ),
        (
            "GetTile",
            "GetMap",
            501,
            "code=\"OperationNotSupported\" locator=\"request\"",
        ),
        (
            "request",
            "expression=b9&request",
            400,
            "code=\"InvalidParameterValue\" locator=\"expression\"",
        ),
    ] {
        let answer = get(&app, &tile.replacen(from, to, 1)).await;
        assert_eq!(answer.status().as_u16(), status, "{to}");
        assert_eq!(answer.headers()["content-type"], "application/xml");
        assert_eq!(answer.headers()["access-control-allow-origin"], "*");
        let text = std::str::from_utf8(answer.body()).unwrap();
        let code = told.replace("code=", "exceptionCode=");
        assert!(text.contains(&code), "{to}: {text}");
        let root = roxmltree::Document::parse(text).unwrap();
        assert_eq!(root.root_element().tag_name().name(), "ExceptionReport");
    }
    let file = get(
        &app,
        "/cog/WMTSCapabilities.xml?url=none.tif&request=GetCapabilities",
    )
    .await;
    assert_eq!(file.status(), StatusCode::NOT_FOUND);
    assert!(String::from_utf8_lossy(file.body()).contains("NoApplicableCode"));
}

#[tokio::test]
async fn layers_are_served_on_every_grid() {
    let app = app(&[]).await;
    let style = "url=sample.tif&bidx=3&bidx=2&bidx=1&rescale=100,2000";
    for grid in ["WGS1984Quad", "EuropeanETRS89_LAEAQuad", "WebMercatorQuad"] {
        let tilejson = json(&app, &format!("/tiles/truecolour/{grid}/tilejson.json")).await;
        let tiles = tilejson["tiles"][0].as_str().unwrap().to_owned();
        assert_eq!(
            tiles,
            format!("http://localhost/tiles/truecolour/{grid}/{{z}}/{{x}}/{{y}}@2x.png")
        );
        let of_file = json(&app, &format!("/cog/{grid}/tilejson.json?{style}")).await;
        assert_eq!(tilejson["bounds"], of_file["bounds"]);
        let xml = xml(&format!("/tiles/truecolour/{grid}/WMTSCapabilities.xml")).await;
        assert!(xml.contains(&format!(
            "href=\"http://localhost/tiles/truecolour/{grid}/WMTSCapabilities.xml\""
        )));
        assert!(xml.contains("http://localhost/tiles/truecolour/legend.png"));
        let first = |name: &str| texts(&xml, name).first().unwrap().clone();
        let limits = xml.split("<TileMatrixLimits><TileMatrix>").nth(1).unwrap();
        let zoom = limits.split('<').next().unwrap();
        let (row, column) = (first("MinTileRow"), first("MinTileCol"));
        let template = attribute(&xml, "ResourceURL", "template").remove(0);
        let target = template
            .trim_start_matches("http://localhost")
            .replace("{TileMatrix}", zoom)
            .replace("{TileCol}", &column)
            .replace("{TileRow}", &row);
        assert!(
            target.starts_with(&format!("/tiles/truecolour/{grid}/")),
            "{target}"
        );
        let tile = get(&app, &target).await;
        let of_file = get(
            &app,
            &format!("/cog/tiles/{grid}/{zoom}/{column}/{row}.png?{style}"),
        )
        .await;
        assert_eq!(
            (tile.status(), of_file.status()),
            (StatusCode::OK, StatusCode::OK)
        );
        assert!(tile.body() == of_file.body(), "{target}");
        let tileset = json(&app, &format!("/tiles/truecolour/{grid}")).await;
        assert_eq!(tileset["tileMatrixSetId"], grid);
        for link in tileset["links"].as_array().unwrap() {
            let href = link["href"]
                .as_str()
                .unwrap()
                .trim_start_matches("http://localhost");
            if !href.contains('{') {
                assert_eq!(get(&app, href).await.status(), StatusCode::OK, "{href}");
            }
        }
        let in_keys = format!(
            "/WMTSCapabilities.xml?request=GetTile&layer=truecolour&tilematrixset={grid}&tilematrix={zoom}&tilerow={row}&tilecol={column}"
        );
        assert!(get(&app, &in_keys).await.body() == tile.body(), "{in_keys}");
    }
    for nowhere in [
        "/tiles/truecolour/NopeQuad/1/0/0.png",
        "/tiles/truecolour/WGS1984Quad/info",
        "/tiles/nope/WGS1984Quad/1/0/0.png",
        "/tiles/truecolour/EuropeanETRS89_LAEAQuad/0/5/0.png",
    ] {
        assert_eq!(
            get(&app, nowhere).await.status(),
            StatusCode::NOT_FOUND,
            "{nowhere}"
        );
    }
}

#[tokio::test]
async fn tilesets_lead_from_the_landing_page_to_tiles() {
    let app = app(&[]).await;
    let link = |document: &Value, rel: &str| {
        let mut of = document["links"].as_array().unwrap().iter();
        let found = of
            .find(|link| link["rel"].as_str().unwrap().ends_with(rel))
            .unwrap();
        found["href"]
            .as_str()
            .unwrap()
            .trim_start_matches("http://localhost")
            .to_owned()
    };
    let page = ask(&app, Method::GET, "/", &[("accept", "application/json")]).await;
    assert_eq!(page.headers()["content-type"], "application/json");
    assert_eq!(page.headers()["vary"], "Accept, Accept-Encoding");
    let landing = json(&app, "/ogc").await;
    assert_eq!(serde_json::from_slice::<Value>(page.body()).unwrap(), landing);
    let conformance = json(&app, &link(&landing, "conformance")).await;
    assert!(conformance["conformsTo"].as_array().unwrap().len() > 5);
    let tilesets = json(&app, &link(&landing, "tilesets-map")).await;
    let first = &tilesets["tilesets"][0];
    assert_eq!(
        (&first["dataType"], &first["tileMatrixSetId"]),
        (&value!("map"), &value!("WebMercatorQuad"))
    );
    let tileset = json(&app, &link(first, "self")).await;
    let limits = &tileset["tileMatrixSetLimits"][0];
    let tile = link(&tileset, "item")
        .replace("{tileMatrix}", limits["tileMatrix"].as_str().unwrap())
        .replace("{tileCol}", &limits["minTileCol"].to_string())
        .replace("{tileRow}", &limits["maxTileRow"].to_string());
    assert_eq!(get(&app, &tile).await.status(), StatusCode::OK, "{tile}");
    for rel in ["tiling-scheme", "describedby", "legend"] {
        let target = link(&tileset, rel);
        assert_eq!(get(&app, &target).await.status(), StatusCode::OK, "{target}");
    }
    let of_file = json(&app, "/cog/tiles?url=sample.tif").await;
    assert!(of_file["tilesets"].as_array().unwrap().len() > 5);
    let on_one = json(&app, "/cog/tiles/WorldCRS84Quad?url=sample.tif").await;
    assert!(link(&on_one, "item").starts_with("/cog/tiles/WorldCRS84Quad/{tileMatrix}/"));
}

#[tokio::test]
async fn the_api_tells_every_route_with_its_parameters() {
    let app = app(&[]).await;
    let answer = get(&app, "/api").await;
    assert_eq!(
        answer.headers()["content-type"],
        "application/vnd.oai.openapi+json;version=3.0"
    );
    let api: Value = serde_json::from_slice(answer.body()).unwrap();
    let tile = &api["paths"]["/cog/tiles/{tms}/{z}/{x}/{y}.{format}"]["get"];
    let names: Vec<_> = tile["parameters"]
        .as_array()
        .unwrap()
        .iter()
        .map_while(|one| one["name"].as_str())
        .collect();
    assert_eq!(names[..6], ["tms", "z", "x", "y", "format", "url"]);
    assert_eq!(tile["parameters"][5]["required"], true);
    let others = tile["parameters"].as_array().unwrap();
    assert!(others.contains(&value!({"$ref": "#/components/parameters/rescale"})));
    let parameters = &api["components"]["parameters"];
    assert_eq!(
        parameters["rescale"]["schema"],
        value!({"type": "array", "items": {"type": "string"}})
    );
    assert_eq!(
        parameters["resampling"]["schema"]["$ref"],
        "#/components/schemas/resampling"
    );
    let choices = |name: &str| api["components"]["schemas"][name]["enum"].as_array().unwrap();
    assert_eq!(
        choices("format"),
        value!(["png", "jpg", "webp", "npy", "tif"]).as_array().unwrap()
    );
    assert!(choices("resampling").contains(&"cubic_spline".into()));
    assert!(choices("tms").contains(&"WorldCRS84Quad".into()));
    assert_eq!(tile["parameters"][1]["schema"]["type"], "integer");
    let content = tile["responses"]["200"]["content"].as_object().unwrap();
    let types: Vec<&String> = content.keys().collect();
    assert_eq!(
        types,
        [
            "application/x-binary",
            "image/jpeg",
            "image/png",
            "image/tiff; application=geotiff",
            "image/webp"
        ]
    );
    // Nobody needs a key here, and where somebody does it is told.
    assert_eq!(tile["security"][0], value!({}));
    assert_eq!(tile["security"].as_array().unwrap().len(), 5);
    let page = get(&app, "/api.html").await;
    assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
    assert!(
        !String::from_utf8_lossy(page.body()).contains("://"),
        "it asks nobody else"
    );
}

#[tokio::test]
async fn legends_tell_what_the_colours_of_tiles_mean() {
    let app = app(&[]).await;
    let ndvi = json(&app, "/ndvi/legend.json").await;
    assert_eq!(
        (&ndvi["type"], &ndvi["title"]),
        (&value!("ramp"), &value!("NDVI"))
    );
    assert_eq!(ndvi["range"], value!([-1.0, 1.0]));
    let ends = (&ndvi["stops"][0]["color"], &ndvi["stops"][32]["color"]);
    assert_eq!(ends, (&value!("#a50026"), &value!("#006837")));
    let target = "/cog/legend.json?url=sample.tif&bidx=1&colormap=%7B%221%22:%22%23ff0000%22%7D";
    let classes = json(&app, target).await;
    assert_eq!(
        classes,
        value!({"type": "classes", "classes": [{"value": 1.0, "color": "#ff0000"}]})
    );
    let bands = json(&app, "/tiles/truecolour/legend.json").await;
    let named: Vec<_> = bands["classes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|class| &class["band"])
        .collect();
    assert_eq!(named, ["red", "green", "blue"]);
    let shade = json(&app, "/cog/legend.json?url=sample.tif&bidx=1&algorithm=hillshade").await;
    assert_eq!(shade["range"], value!([0.0, 255.0]));
    let contours = "algorithm=contours&algorithm_params=%7B%22minz%22:0,%22maxz%22:2600%7D";
    let heights = json(
        &app,
        &format!("/cog/legend.json?url=sample.tif&bidx=1&{contours}"),
    )
    .await;
    assert_eq!(heights["range"], value!([0.0, 2600.0]));
    assert_eq!(
        heights["stops"][0]["color"], "#31359b",
        "terrain begins with water"
    );
    for (target, status) in [
        ("/index/NDWI/legend.png?width=300&height=40", StatusCode::OK),
        ("/ndvi/legend.png?width=9", StatusCode::BAD_REQUEST),
        (
            "/cog/legend.png?url=sample.tif&expression=b1/b2",
            StatusCode::BAD_REQUEST,
        ),
        ("/cog/legend.png?url=sample.tif", StatusCode::BAD_REQUEST),
        (
            "/cog/legend.png?url=sample.tif&bidx=1&algorithm=terrainrgb",
            StatusCode::BAD_REQUEST,
        ),
    ] {
        let answer = get(&app, target).await;
        assert_eq!(answer.status(), status, "{target}: {:?}", answer.body());
    }
}
