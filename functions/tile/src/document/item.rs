//! A STAC item: its assets that are rasters, and what they and their bands are called.
//!
//! Members are those of STAC 1.0 and 1.1: `assets`, with `href`, `type`, `roles`, `bands` (1.1) or `eo:bands` (1.0) and
//! `eo:common_name`, and `alternate` of the extension of alternate assets.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use super::{Tolerated, Unreadable, read};

/// The largest item that is read, in bytes; those of many assets with their statistics have some 100 kB.
const LARGEST: usize = 4 << 20;
/// The most assets of an item that are kept.
const MOST_ASSETS: usize = 512;
/// The most bands of an asset whose names are kept.
const MOST_BANDS: usize = 1024;
/// The most addresses of one asset.
const MOST_HREFS: usize = 8;
/// Roles of pictures that were made of others' data.
const PICTURES: &[&str] = &["visual", "overview", "thumbnail"];
/// The common name that stands in where an item has no band of another: sensors with one narrow near infrared call it so.
const STANDS_IN: (&str, &str) = ("nir", "nir08");

/// An item, as far as pictures are made of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Assets in the order of the document, those that are GeoTIFFs.
    pub assets: Vec<Asset>,
}

/// A file of an item.
#[derive(Clone, Debug, PartialEq)]
pub struct Asset {
    /// Its key in the item.
    pub key: String,
    /// Its address and the alternate ones, each with its key, which is empty for its own.
    pub hrefs: Vec<(String, String)>,
    /// What its bands are called, in order; empty where the item does not say.
    pub bands: Vec<Words>,
    /// Whether it is a picture that was made of others' data.
    pub is_picture: bool,
}

/// What a band is called.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Words {
    /// By the item, such as `B04`.
    pub name: Option<String>,
    /// By everyone (`eo:common_name`), such as `red`.
    pub common: Option<String>,
}

#[derive(Deserialize)]
struct WrittenItem {
    assets: WrittenAssets,
}

/// In the order of the document.
pub(super) struct WrittenAssets(Vec<(String, WrittenAsset)>);

#[derive(Deserialize)]
struct WrittenAsset {
    #[serde(default)]
    href: Tolerated<String>,
    #[serde(default, rename = "type")]
    media_type: Tolerated<String>,
    #[serde(default)]
    roles: Tolerated<Vec<String>>,
    #[serde(default)]
    bands: Tolerated<Vec<WrittenBand>>,
    #[serde(default, rename = "eo:bands")]
    eo_bands: Tolerated<Vec<WrittenBand>>,
    #[serde(default, rename = "eo:common_name")]
    common: Tolerated<String>,
    #[serde(default)]
    alternate: Tolerated<BTreeMap<String, Tolerated<Alternate>>>,
}

#[derive(Deserialize)]
struct Alternate {
    #[serde(default)]
    href: Tolerated<String>,
}

#[derive(Deserialize)]
struct WrittenBand {
    #[serde(default)]
    name: Tolerated<String>,
    #[serde(default, rename = "eo:common_name")]
    common: Tolerated<String>,
    /// As `eo:bands` has it.
    #[serde(default, rename = "common_name")]
    old_common: Tolerated<String>,
}

impl<'de> Deserialize<'de> for WrittenAssets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = WrittenAssets;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("assets by their keys")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<WrittenAssets, A::Error> {
                let mut assets = Vec::new();
                while let Some((key, Tolerated(asset))) =
                    map.next_entry::<String, Tolerated<WrittenAsset>>()?
                {
                    if assets.len() < MOST_ASSETS {
                        assets.extend(asset.map(|asset| (key, asset)));
                    }
                }
                Ok(WrittenAssets(assets))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

impl Item {
    pub(super) fn parse(text: &[u8]) -> Result<Self, Unreadable> {
        if text.len() > LARGEST {
            return Err(Unreadable::Unread("an item of more than 4 MiB"));
        }
        let written: WrittenItem = read(text)?;
        Ok(Self::of(written.assets))
    }

    pub(super) fn of(WrittenAssets(assets): WrittenAssets) -> Self {
        Self {
            assets: assets
                .into_iter()
                .filter_map(|(key, asset)| asset.read(key))
                .collect(),
        }
    }

    pub(super) fn weight(&self) -> usize {
        let of_asset = |asset: &Asset| {
            let hrefs: usize = asset
                .hrefs
                .iter()
                .map(|(key, href)| key.len() + href.len() + 48)
                .sum();
            128 + asset.key.len() + hrefs + 96 * asset.bands.len()
        };
        self.assets.iter().map(of_asset).sum::<usize>() + 64
    }

    /// The asset with a key.
    pub fn asset(&self, key: &str) -> Option<&Asset> {
        self.assets.iter().find(|asset| asset.key == key)
    }

    /// The asset that an expression means: by its key, as `key_b1`, or by what one of its bands is called. Of several,
    /// one whose only band that is comes before pictures of many bands.
    pub fn meant(&self, text: &str) -> Option<&Asset> {
        let by_key = |text: &str| self.assets.iter().find(|asset| asset.is_called(text));
        by_key(text)
            .or_else(|| by_key(numbered(text)?.0))
            .or_else(|| self.with_band(text))
            .or_else(|| self.with_band(stand_in(text)?))
    }

    fn with_band(&self, text: &str) -> Option<&Asset> {
        let all = self
            .assets
            .iter()
            .filter(|asset| asset.bands.iter().any(|band| band.are(text)));
        all.min_by_key(|asset| (asset.is_picture, asset.bands.len()))
    }
}

impl WrittenAsset {
    /// The asset, if it is a raster that is read here.
    fn read(self, key: String) -> Option<Asset> {
        let href = self.href.0?;
        if !is_geotiff(self.media_type.0.as_deref(), &href) {
            return None;
        }
        let alternates = self.alternate.0.unwrap_or_default().into_iter();
        let alternates = alternates.filter_map(|(key, alternate)| Some((key, alternate.0?.href.0?)));
        let hrefs = std::iter::once((String::new(), href)).chain(alternates);
        let bands = self.bands.0.or(self.eo_bands.0).unwrap_or_default().into_iter();
        let mut bands: Vec<Words> = bands.take(MOST_BANDS).map(WrittenBand::read).collect();
        if let (true, Some(common)) = (bands.len() < 2, self.common.0) {
            let own = bands.pop().unwrap_or_default();
            bands.push(Words {
                common: own.common.or(Some(common)),
                ..own
            });
        }
        let roles = self.roles.0.unwrap_or_default();
        Some(Asset {
            key,
            hrefs: hrefs.take(MOST_HREFS).collect(),
            bands,
            is_picture: roles.iter().any(|role| PICTURES.contains(&role.as_str())),
        })
    }
}

impl WrittenBand {
    fn read(self) -> Words {
        Words {
            name: self.name.0,
            common: self.common.0.or(self.old_common.0),
        }
    }
}

impl Words {
    /// Whether this is the band that `text` means.
    pub fn are(&self, text: &str) -> bool {
        let is = |own: &Option<String>| own.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(text));
        is(&self.common) || is(&self.name)
    }
}

impl Asset {
    /// Whether `text` means it.
    pub fn is_called(&self, text: &str) -> bool {
        is_called(&self.key, text)
    }
}

/// Whether a key is `text`, or is written so in an expression, where names hold letters, digits and `_` alone.
pub fn is_called(key: &str, text: &str) -> bool {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    key == text || key.chars().map(plain).eq(text.chars())
}

/// An asset's key and a band's number from 1, of `key_b1`.
pub fn numbered(text: &str) -> Option<(&str, usize)> {
    let (key, number) = text.rsplit_once("_b")?;
    let number = number.parse().ok().filter(|number| *number > 0)?;
    Some((key, number))
}

/// The common name that is tried after another.
pub fn stand_in(text: &str) -> Option<&'static str> {
    (text == STANDS_IN.0).then_some(STANDS_IN.1)
}

/// By its media type; without one, by the name of the file.
fn is_geotiff(media_type: Option<&str>, href: &str) -> bool {
    let is_one_of = |text: &str, known: &[&str]| known.iter().any(|known| text.eq_ignore_ascii_case(known));
    if let Some(media_type) = media_type {
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        return is_one_of(
            essence,
            &["image/tiff", "image/vnd.stac.geotiff", "image/x.geotiff"],
        );
    }
    let path = href.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_none_or(|extension| is_one_of(extension, &["tif", "tiff"]))
}
