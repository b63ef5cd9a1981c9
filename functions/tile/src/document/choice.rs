//! Which assets of an item a request means, and which bands of them.

use crate::request::{AssetChoice, AssetPart, Assets, Formula, Refused};

use super::item::{Asset, Item, Words, is_called};

/// The most assets that one answer is made of, those of `:all:` included.
const MOST_ASSETS: usize = 64;
/// The most names that a message lists.
const MOST_TOLD: usize = 24;

/// One asset, as a request wants it.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// Its key in the item.
    pub key: String,
    /// What its bands are called, in the order of the file; empty where the item does not say.
    pub words: Vec<Words>,
    /// Which bands of the file, 0-based; absent means all that hold data.
    pub bands: Option<Vec<usize>>,
    /// What its bands are made into, before they meet those of other assets.
    pub derived: Option<Formula>,
    /// Whether it is one band, called like the asset.
    pub is_band: bool,
}

impl Item {
    /// The assets that are wanted, in order.
    pub fn choose<'a>(&'a self, wanted: &Assets) -> Result<Vec<(Chosen, &'a Asset)>, Refused> {
        let chosen = if wanted.listed.is_empty() {
            let mut meant: Vec<&Asset> = Vec::new();
            for asset in wanted.named.iter().filter_map(|name| self.meant(name)) {
                if !meant.iter().any(|known| known.key == asset.key) {
                    meant.push(asset);
                }
            }
            let of = |asset: &'a Asset| (asset.chosen(), asset);
            meant.into_iter().map(of).collect()
        } else {
            let each = wanted.listed.iter().map(|choice| self.listed(choice));
            each.collect::<Result<Vec<_>, _>>()?.concat()
        };
        if chosen.is_empty() {
            return Err(self.refuse("is missing, and no expression names one", wanted.named.first()));
        }
        if chosen.len() > MOST_ASSETS {
            return Err(Refused::parameter(
                "assets",
                format!("means more than {MOST_ASSETS} assets"),
            ));
        }
        let as_band = |(chosen, asset): (Chosen, &'a Asset)| {
            let is_band = wanted.as_band;
            (Chosen { is_band, ..chosen }, asset)
        };
        Ok(chosen.into_iter().map(as_band).collect())
    }

    fn listed<'a>(&'a self, choice: &AssetChoice) -> Result<Vec<(Chosen, &'a Asset)>, Refused> {
        if choice.key == Assets::ALL {
            return Ok(self.assets.iter().map(|asset| (asset.chosen(), asset)).collect());
        }
        let asset = self.asset(&choice.key).or_else(|| self.meant(&choice.key));
        let asset =
            asset.ok_or_else(|| self.refuse("names an asset that is not there", Some(&choice.key)))?;
        let mut chosen = asset.chosen();
        match &choice.part {
            // What one band of several is called means that band.
            AssetPart::All if !asset.is_called(&choice.key) => {
                chosen.bands = asset.band(&choice.key).map(|band| vec![band]);
            }
            AssetPart::All => {}
            AssetPart::Numbers(numbers) => {
                let index = |number: &u16| usize::from(*number).saturating_sub(1);
                chosen.bands = Some(numbers.iter().map(index).collect());
            }
            AssetPart::Names(names) => {
                let index = |name: &String| asset.band(name).ok_or_else(|| asset.refuse_band(name));
                chosen.bands = Some(names.iter().map(index).collect::<Result<_, _>>()?);
            }
            AssetPart::Expression(text) => chosen.derived = Some(Formula::parse(text)?),
        }
        Ok(vec![(chosen, asset)])
    }

    fn refuse(&self, reason: &str, name: Option<&String>) -> Refused {
        let name = name.map_or_else(String::new, |name| format!(" ({name})"));
        let there = listed(self.assets.iter().map(|asset| asset.key.as_str()));
        let there = if there.is_empty() {
            "the item has none that is a GeoTIFF".to_owned()
        } else {
            format!("there are {there}")
        };
        Refused::parameter("assets", format!("{reason}{name}: {there}"))
    }
}

impl Asset {
    fn chosen(&self) -> Chosen {
        Chosen {
            key: self.key.clone(),
            words: self.bands.clone(),
            bands: None,
            derived: None,
            is_band: false,
        }
    }

    /// The band that is called `text`.
    fn band(&self, text: &str) -> Option<usize> {
        self.bands.iter().position(|band| band.are(text))
    }

    fn refuse_band(&self, name: &str) -> Refused {
        let called = |band: &Words| band.common.clone().or_else(|| band.name.clone());
        let names: Vec<String> = self.bands.iter().filter_map(called).collect();
        let there = if names.is_empty() {
            "the item does not say what its bands are called: use |bidx=1".to_owned()
        } else {
            format!("there are {}", listed(names.iter().map(String::as_str)))
        };
        Refused::parameter(
            "assets",
            format!("names a band {name} of {} that is not there: {there}", self.key),
        )
    }
}

impl Chosen {
    /// Whether `text` means this asset.
    pub fn is_called(&self, text: &str) -> bool {
        is_called(&self.key, text)
    }
}

/// Some names, short and plain enough for a message.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let plain = |name: &str| {
        name.chars()
            .filter(|c| !c.is_control())
            .take(48)
            .collect::<String>()
    };
    let mut names: Vec<String> = names.take(MOST_TOLD + 1).map(plain).collect();
    if names.len() > MOST_TOLD {
        names.truncate(MOST_TOLD);
        names.push("…".to_owned());
    }
    names.join(", ")
}
