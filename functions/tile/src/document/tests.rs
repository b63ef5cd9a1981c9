//! Items as publishers write them, and as nobody should.

use super::*;
use crate::request::{AssetChoice, Assets};

/// An item in the manner of Sentinel-2 before STAC 1.1: keys of the sensor, common names in `eo:bands`.
const OLD: &str = r#"{
  "type": "Feature", "stac_version": "1.0.0", "id": "S2", "geometry": null, "properties": {}, "links": [],
  "assets": {
    "thumbnail": {"href": "t.jpg", "type": "image/jpeg", "roles": ["thumbnail"]},
    "visual": {"href": "TCI.tif", "type": "image/tiff; application=geotiff; profile=cloud-optimized", "roles": ["visual"],
               "eo:bands": [{"name": "B04", "common_name": "red"}, {"name": "B03", "common_name": "green"}]},
    "B04": {"href": "B04.tif", "type": "image/tiff; application=geotiff", "eo:bands": [{"name": "B04", "common_name": "red"}],
            "alternate": {"s3": {"href": "s3://bucket/B04.tif"}, "odd": 7}},
    "B08": {"href": "B08.tif", "type": "image/tiff", "eo:bands": [{"name": "B08", "common_name": "nir"}]},
    "B8A-jp2": {"href": "B8A.jp2", "type": "image/jp2", "eo:bands": [{"name": "B8A", "common_name": "nir08"}]},
    "metadata": {"href": "m.xml"},
    "untyped-data": {"href": "u.TIF?sig=1"}
  }
}"#;

/// An item of STAC 1.1 with one file of many bands, in the manner of Landsat.
const NEW: &str = r#"{
  "assets": {
    "data": {"href": "data.tif", "type": "image/tiff", "bands": [
      {"name": "B1", "eo:common_name": "blue"}, {"name": "B2", "eo:common_name": "red"}, {"name": "B3", "eo:common_name": "nir08"}]},
    "swir": {"href": "swir.tif", "type": "image/tiff", "eo:common_name": "swir22"}
  },
  "type": "Feature"
}"#;

fn item(text: &str) -> Item {
    let Content::Item(item) = Content::parse(text.as_bytes()).unwrap() else {
        panic!("no item")
    };
    item
}

fn keys(item: &Item) -> Vec<&str> {
    item.assets.iter().map(|asset| asset.key.as_str()).collect()
}

fn listed(texts: &[&str]) -> Assets {
    Assets {
        listed: texts
            .iter()
            .map(|text| AssetChoice::parse(text).unwrap())
            .collect(),
        ..Assets::default()
    }
}

#[test]
fn assets_are_those_that_are_geotiffs_in_the_order_of_the_document() {
    let old = item(OLD);
    assert_eq!(keys(&old), ["visual", "B04", "B08", "untyped-data"]);
    let hrefs = &old.asset("B04").unwrap().hrefs;
    let own = (String::new(), "B04.tif".to_owned());
    assert_eq!(*hrefs, [own, ("s3".to_owned(), "s3://bucket/B04.tif".to_owned())]);
    assert_eq!(keys(&item(NEW)), ["data", "swir"]);
}

#[test]
fn names_mean_keys_then_common_names_of_single_bands_then_those_of_pictures() {
    let (old, new) = (item(OLD), item(NEW));
    let meant = |item: &Item, text: &str| item.meant(text).map(|asset| asset.key.clone());
    for (text, key) in [
        ("visual", Some("visual")),
        ("visual_b2", Some("visual")),
        ("red", Some("B04")),
        ("B04_b1", Some("B04")),
        ("b08", Some("B08")),
        ("NIR", Some("B08")),
        ("green", Some("visual")),
        ("untyped_data", Some("untyped-data")),
        ("nir08", None),
        ("b1", None),
    ] {
        assert_eq!(meant(&old, text).as_deref(), key, "{text}");
    }
    for (text, key) in [
        ("red", "data"),
        ("nir", "data"),
        ("nir08", "data"),
        ("swir22", "swir"),
        ("B3", "data"),
    ] {
        assert_eq!(meant(&new, text).as_deref(), Some(key), "{text}");
    }
}

#[test]
fn listed_assets_come_in_the_order_of_the_request_with_their_bands() {
    let item = item(NEW);
    let chosen = |texts: &[&str]| {
        let chosen = item.choose(&listed(texts)).unwrap();
        chosen
            .into_iter()
            .map(|(chosen, _)| (chosen.key, chosen.bands))
            .collect::<Vec<_>>()
    };
    let of = |key: &str, bands: Option<&[usize]>| (key.to_owned(), bands.map(<[usize]>::to_vec));
    assert_eq!(chosen(&["swir", "data"]), [of("swir", None), of("data", None)]);
    assert_eq!(chosen(&["data|bidx=3,1"]), [of("data", Some(&[2, 0]))]);
    assert_eq!(chosen(&["data|bands=nir08,B1"]), [of("data", Some(&[2, 0]))]);
    // A common name of one band of several means that band.
    assert_eq!(chosen(&["red"]), [of("data", Some(&[1]))]);
    assert_eq!(chosen(&[":all:"]), [of("data", None), of("swir", None)]);
    let told = |texts: &[&str]| item.choose(&listed(texts)).unwrap_err().to_string();
    assert_eq!(
        told(&["blu"]),
        "assets names an asset that is not there (blu): there are data, swir"
    );
    assert_eq!(
        told(&["data|bands=green"]),
        "assets names a band green of data that is not there: there are blue, red, nir08"
    );
    let unsaid = item.choose(&Assets::default()).unwrap_err().to_string();
    assert_eq!(
        unsaid,
        "assets is missing, and no expression names one: there are data, swir"
    );
}

#[test]
fn what_an_expression_names_is_opened_once() {
    let wanted = Assets {
        named: ["nir08", "red", "swir22", "nosuch"].map(str::to_owned).to_vec(),
        ..Assets::default()
    };
    let item = item(NEW);
    let chosen = item.choose(&wanted).unwrap();
    assert_eq!(
        chosen
            .iter()
            .map(|(chosen, _)| chosen.key.as_str())
            .collect::<Vec<_>>(),
        ["data", "swir"]
    );
}

#[test]
fn members_of_the_wrong_type_count_as_absent_where_they_may() {
    let odd = item(
        r#"{"type": "Feature", "assets": {
            "a": {"href": "a.tif", "type": 7, "roles": "data", "bands": {"x": 1}, "eo:bands": [{"name": 1}], "alternate": []},
            "b": {"href": 5}, "c": "c.tif", "d": null, "e": []}}"#,
    );
    assert_eq!(keys(&odd), ["a"]);
    for (text, told) in [
        (
            "",
            "the document is not the JSON that it should be, at line 1, column 0",
        ),
        (
            "[1]",
            "the document is not the JSON that it should be, at line 1, column 3",
        ),
        (
            "{\"type\": \"Feature\",\n\"assets\": 1}",
            "the document is not the JSON that it should be, at line 2, column 11",
        ),
        (
            "{\"type\": \"Feature\"}",
            "the document is no STAC item, which is a GeoJSON Feature with assets, no collection of items, and no MosaicJSON",
        ),
        (
            "{\"type\": \"Catalog\", \"assets\": {}}",
            "the document is no STAC item, which is a GeoJSON Feature with assets, no collection of items, and no MosaicJSON",
        ),
    ] {
        assert_eq!(
            Content::parse(text.as_bytes()).unwrap_err().to_string(),
            told,
            "{text}"
        );
    }
    let deep = format!("{{\"type\": \"Feature\", \"assets\": {}", "[".repeat(100_000));
    assert!(Content::parse(deep.as_bytes()).is_err());
    assert!(Content::parse(b"\xff\xfe{").is_err());
}

#[test]
fn no_document_makes_more_of_itself_than_is_kept() {
    let assets: Vec<String> = (0..2000)
        .map(|at| format!("\"a{at}\": {{\"href\": \"a.tif\"}}"))
        .collect();
    let many = item(&format!(
        "{{\"type\": \"Feature\", \"assets\": {{{}}}}}",
        assets.join(",")
    ));
    assert_eq!(many.assets.len(), 512);
    assert!(many.choose(&listed(&[":all:"])).is_err());
}
