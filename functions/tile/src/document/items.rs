//! A collection of STAC items, as a search answers it: each with its assets and where it lies.
//!
//! That is a GeoJSON `FeatureCollection` of items (STAC 1.0, ItemCollection). Features without assets, and those that do
//! not say where they lie, are left out. Further pages that `links` name are not read.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};

use super::footprint::{Footprint, Geometry};
use super::item::{Item, WrittenAssets};
use super::{Tolerated, Unreadable, read};

/// The most items of a collection; a document of the largest size has fewer, unless they are bare.
const MOST_ITEMS: usize = 20_000;

/// Items in the order of the document.
#[derive(Clone, Debug, PartialEq)]
pub struct Items {
    items: Vec<Located>,
}

/// An item and where it lies.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// Its name in the collection.
    pub id: String,
    /// What it names.
    pub item: Item,
    footprint: Footprint,
}

#[derive(Deserialize)]
struct Written {
    features: Features,
}

struct Features(Vec<Located>);

#[derive(Deserialize)]
struct Feature {
    #[serde(default)]
    id: Tolerated<String>,
    #[serde(default)]
    bbox: Tolerated<Vec<f64>>,
    #[serde(default)]
    geometry: Tolerated<Geometry>,
    assets: Option<WrittenAssets>,
}

impl Feature {
    fn read(self) -> Option<Located> {
        Some(Located {
            id: self.id.0.unwrap_or_default(),
            footprint: Footprint::read(self.bbox.0.as_deref(), self.geometry)?,
            item: Item::of(self.assets?),
        })
    }
}

impl<'de> Deserialize<'de> for Features {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Features;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of items")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut features: A) -> Result<Features, A::Error> {
                let mut items = Vec::new();
                while let Some(feature) = features.next_element::<Feature>()? {
                    if items.len() == MOST_ITEMS {
                        return Err(serde::de::Error::custom("too many items"));
                    }
                    items.extend(feature.read());
                }
                Ok(Features(items))
            }
        }
        deserializer.deserialize_seq(InOrder)
    }
}

impl Items {
    pub(super) fn parse(text: &[u8]) -> Result<Self, Unreadable> {
        let written: Written = read(text)?;
        let Features(items) = written.features;
        if items.is_empty() {
            return Err(Unreadable::Unread(
                "features of which none has assets and a place",
            ));
        }
        Ok(Self { items })
    }

    pub(super) fn weight(&self) -> usize {
        let of_item = |located: &Located| {
            let (item, footprint) = (located.item.weight(), located.footprint.weight());
            located.id.len() + item + footprint + 64
        };
        self.items.iter().map(of_item).sum::<usize>() + 64
    }

    /// All of them.
    pub fn all(&self) -> &[Located] {
        &self.items
    }

    /// Those that meet a box in degrees, west, south, east, north; east may lie beyond half a turn.
    pub fn of_area(&self, area: [f64; 4]) -> impl Iterator<Item = &Located> {
        self.items
            .iter()
            .filter(move |located| located.footprint.meets(area))
    }

    /// The box around all of them, in degrees; west of it is east of 180° where one of them crosses the antimeridian.
    pub fn bounds(&self) -> [f64; 4] {
        let each = || self.items.iter().map(|located| located.footprint.bounds);
        let both =
            |a: [f64; 4], b: [f64; 4]| [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])];
        let Some([west, south, east, north]) = each().reduce(both) else {
            return [-180.0, -90.0, 180.0, 90.0];
        };
        if east <= 180.0 {
            return [west, south, east, north];
        }
        let (west, east) = around(each().map(|[west, _, east, _]| (west, east)).collect());
        [west, south, east, north]
    }
}

/// The shortest arc that holds all of these, each from west to east in degrees: it begins behind the widest gap between them.
fn around(mut arcs: Vec<(f64, f64)>) -> (f64, f64) {
    let turned = |degrees: f64| (degrees + 180.0).rem_euclid(360.0) - 180.0;
    for (west, east) in &mut arcs {
        let width = *east - *west;
        *west = turned(*west);
        *east = *west + width;
    }
    arcs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let first = arcs.first().map_or(-180.0, |arc| arc.0);
    let last = arcs.iter().map(|arc| arc.1).fold(first, f64::max);
    // Those that begin before the antimeridian may reach beyond the first.
    let (mut reached, mut widest) = (last - 360.0, (0.0, (-180.0, 180.0)));
    for (west, east) in arcs {
        if west - reached > widest.0 {
            widest = (west - reached, (west, turned(reached)));
        }
        reached = reached.max(east);
    }
    widest.1
}

#[cfg(test)]
mod tests {
    use super::super::Content;
    use super::*;

    fn items(features: &str) -> Result<Items, Unreadable> {
        let text = format!(
            r#"{{"type": "FeatureCollection", "context": {{"matched": 3}}, "features": [{features}]}}"#
        );
        match Content::parse(text.as_bytes())? {
            Content::Items(items) => Ok(items),
            other => panic!("{other:?}"),
        }
    }

    fn feature(id: &str, bbox: [f64; 4]) -> String {
        format!(
            r#"{{"type": "Feature", "id": "{id}", "bbox": {bbox:?}, "geometry": null,
                "assets": {{"red": {{"href": "{id}/red.tif"}}, "meta": {{"href": "{id}.xml"}}}}}}"#
        )
    }

    #[test]
    fn items_that_meet_a_box_are_told_in_order() {
        let all = items(
            &[
                feature("b", [1.0, 1.0, 3.0, 3.0]),
                feature("a", [2.0, 2.0, 4.0, 4.0]),
            ]
            .join(","),
        )
        .unwrap();
        let of = |area| {
            let ids = all.of_area(area).map(|located| located.id.as_str());
            ids.collect::<Vec<_>>()
        };
        assert_eq!(of([2.5, 2.5, 2.6, 2.6]), ["b", "a"]);
        assert_eq!(of([3.5, 3.5, 3.6, 3.6]), ["a"]);
        assert_eq!(of([9.0, 9.0, 10.0, 10.0]), [""; 0]);
        assert_eq!(all.bounds(), [1.0, 1.0, 4.0, 4.0]);
        let bounds = |boxes: &[[f64; 4]]| {
            let features: Vec<String> = boxes.iter().map(|bbox| feature("a", *bbox)).collect();
            items(&features.join(",")).unwrap().bounds()
        };
        let across = [170.0, -10.0, -170.0, 10.0];
        assert_eq!(bounds(&[across]), across);
        assert_eq!(
            bounds(&[[-175.0, 0.0, -160.0, 5.0], across, [150.0, 0.0, 160.0, 20.0]]),
            [150.0, -10.0, -160.0, 20.0]
        );
        assert_eq!(
            bounds(&[across, [-180.0, -1.0, 180.0, 1.0]]),
            [-180.0, -10.0, 180.0, 10.0]
        );
        let assets = &all.all()[0].item.assets;
        assert_eq!((assets.len(), assets[0].key.as_str()), (1, "red"));
    }

    #[test]
    fn what_has_no_assets_or_no_place_is_left_out() {
        let bare = r#"{"type": "Feature", "bbox": [1, 1, 2, 2]}, {"type": "Feature", "assets": {"a": {"href": "a.tif"}}}"#;
        assert_eq!(
            items(bare).unwrap_err().to_string(),
            "the document uses what is not read: features of which none has assets and a place"
        );
        let one = format!("{bare}, {}", feature("a", [0.0, 0.0, 1.0, 1.0]));
        assert_eq!(items(&one).unwrap().all().len(), 1);
        assert!(items("7").is_err());
        assert!(Content::parse(br#"{"type": "FeatureCollection"}"#).is_err());
    }
}
