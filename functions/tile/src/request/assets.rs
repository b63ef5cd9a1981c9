//! Which assets of a STAC item: `assets=red&assets=nir`, with TiTiler's options behind `|`.

use std::fmt;

use super::style::Bands;
use super::{Formula, Query, Refused, Style};

/// The most assets that one request may list.
const MOST_ASSETS: usize = 16;
/// The most bands of one asset that a request may list.
const MOST_BANDS: usize = 64;
/// The longest key of an asset that is read, in bytes.
const LONGEST_KEY: usize = 256;

/// Which assets of an item are wanted, and as what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Assets {
    /// Those that were listed, in order.
    pub listed: Vec<AssetChoice>,
    /// Where none is listed: what an expression calls its bands.
    pub named: Vec<String>,
    /// Whether each is one band, called like the asset.
    pub as_band: bool,
}

/// One asset.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AssetChoice {
    /// Its key in the item, or what its band is commonly called.
    pub key: String,
    /// Which of its bands.
    pub part: AssetPart,
}

/// What of an asset is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum AssetPart {
    /// All its bands that hold data.
    #[default]
    All,
    /// Bands by number, from 1.
    Numbers(Vec<u16>),
    /// Bands by what the item calls them.
    Names(Vec<String>),
    /// What an expression makes of its bands; it was parsed.
    Expression(String),
}

impl Assets {
    /// Every asset that is a raster.
    pub const ALL: &str = ":all:";

    /// Reads `assets` and `asset_as_band`, and TiTiler 1's way to say what of an asset is wanted: `asset_bidx=KEY|1,2`,
    /// `asset_expression=KEY|b1*2`.
    pub fn read(query: &Query, style: &Style) -> Result<Self, Refused> {
        let mut listed = Vec::new();
        for text in query
            .many("assets")
            .map(str::trim)
            .filter(|text| !text.is_empty())
        {
            if text.contains('|') {
                listed.push(AssetChoice::parse(text)?);
            } else {
                let keys = text.split(',').map(AssetChoice::parse);
                listed.extend(keys.collect::<Result<Vec<_>, _>>()?);
            }
        }
        for (parameter, option) in [("asset_bidx", "bidx"), ("asset_expression", "expression")] {
            for text in query.many(parameter) {
                add_part(&mut listed, (parameter, option), text)?;
            }
        }
        if listed.len() > MOST_ASSETS {
            return Err(wrong(format!("lists more than {MOST_ASSETS} assets")));
        }
        let as_band = match query.one("asset_as_band")? {
            Some(text) => super::style::read_bool(text.trim())
                .ok_or_else(|| Refused::parameter("asset_as_band", "is not true or false"))?,
            None => false,
        };
        Ok(Self {
            named: if listed.is_empty() {
                names(style)
            } else {
                Vec::new()
            },
            listed,
            as_band,
        })
    }

    /// Those that a style's expression names.
    pub fn of_style(style: &Style) -> Self {
        Self {
            named: names(style),
            ..Self::default()
        }
    }

    /// The same for another style.
    #[must_use]
    pub fn for_style(self, style: &Style) -> Self {
        let named = if self.listed.is_empty() {
            names(style)
        } else {
            Vec::new()
        };
        // A style without names may be of a route that draws nothing: what was wanted before stays.
        if named.is_empty() {
            self
        } else {
            Self { named, ..self }
        }
    }

    /// Whether nothing says which.
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty() && self.named.is_empty()
    }

    /// The canonical pairs. What an expression names stands in the expression.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let as_band = self
            .as_band
            .then(|| ("asset_as_band".to_owned(), "true".to_owned()));
        let listed = self
            .listed
            .iter()
            .map(|asset| ("assets".to_owned(), asset.to_string()));
        as_band.into_iter().chain(listed).collect()
    }
}

/// What a style's expression calls its bands.
fn names(style: &Style) -> Vec<String> {
    match &style.bands {
        Some(Bands::Expression(formula)) => {
            let bands = formula.expression().bands().iter();
            bands.map(|band| band.text.clone()).collect()
        }
        _ => Vec::new(),
    }
}

fn wrong(reason: impl Into<String>) -> Refused {
    Refused::parameter("assets", reason)
}

impl AssetChoice {
    /// Reads `key`, `key|bidx=1,2`, `key|bands=red,nir` or `key|expression=b1*2`.
    pub fn parse(text: &str) -> Result<Self, Refused> {
        let mut parts = text.split('|');
        let key = parts.next().unwrap_or_default().trim();
        if key.is_empty() || key.len() > LONGEST_KEY || key.chars().any(char::is_control) {
            return Err(wrong(
                "is not the key of an asset, or several with commas between them",
            ));
        }
        let mut part = AssetPart::All;
        for option in parts {
            if part != AssetPart::All {
                return Err(wrong(
                    "has several options for one asset: give one of bidx, bands and expression",
                ));
            }
            part = read_part(option)?;
        }
        Ok(Self {
            key: key.to_owned(),
            part,
        })
    }
}

/// Says of a listed asset what of it is wanted.
fn add_part(
    listed: &mut [AssetChoice],
    (parameter, option): (&str, &str),
    text: &str,
) -> Result<(), Refused> {
    let refused = |reason: &str| Err(Refused::parameter(parameter, reason));
    let Some((key, value)) = text.split_once('|') else {
        return refused("is not the key of an asset and what of it is wanted, KEY|1,2 or KEY|b1*2");
    };
    let mut named = listed
        .iter_mut()
        .filter(|asset| asset.key == key.trim())
        .peekable();
    if named.peek().is_none() {
        return refused("is of an asset that assets does not list");
    }
    let part = read_part(&format!("{option}={value}"))?;
    for asset in named {
        if asset.part != AssetPart::All {
            return refused(
                "is of an asset that has an option already: give one of bidx, bands and expression",
            );
        }
        asset.part = part.clone();
    }
    Ok(())
}

fn read_part(option: &str) -> Result<AssetPart, Refused> {
    let unknown = || wrong("has an option that is none of |bidx=1,2, |bands=red,nir and |expression=b1*2");
    let (name, value) = option.split_once('=').ok_or_else(unknown)?;
    let values = || value.split(',').map(str::trim).take(MOST_BANDS + 1);
    if name.trim() != "expression" && values().count() > MOST_BANDS {
        return Err(wrong(format!("lists more than {MOST_BANDS} bands of one asset")));
    }
    match name.trim() {
        "bidx" => {
            let number = |text: &str| text.parse().ok().filter(|number| *number > 0);
            let numbers = values().map(number).collect::<Option<Vec<u16>>>();
            let numbers = numbers
                .ok_or_else(|| wrong("has a bidx that is no band numbers from 1, such as |bidx=1,2"))?;
            Ok(AssetPart::Numbers(numbers))
        }
        "bands" => Ok(AssetPart::Names(values().map(str::to_owned).collect())),
        "expression" => {
            let formula = Formula::parse(value).map_err(|refused| match refused {
                Refused::Parameter { reason, .. } => wrong(format!("has an expression that {reason}")),
                other => other,
            })?;
            Ok(AssetPart::Expression(formula.text().to_owned()))
        }
        _ => Err(unknown()),
    }
}

/// The one spelling, which [`AssetChoice::parse`] reads.
impl fmt::Display for AssetChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key)?;
        match &self.part {
            AssetPart::All => Ok(()),
            AssetPart::Numbers(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                write!(f, "|bidx={}", numbers.join(","))
            }
            AssetPart::Names(names) => write!(f, "|bands={}", names.join(",")),
            AssetPart::Expression(text) => write!(f, "|expression={text}"),
        }
    }
}

/// Whether an address is one of a JSON document, not of an image: by its extension, or as STAC APIs write the address
/// of an item.
pub fn is_document(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let mut names = path.rsplit('/');
    let (name, above) = (names.next().unwrap_or_default(), names.next());
    let extension = name
        .rsplit_once('.')
        .map(|(_, extension)| extension.to_ascii_lowercase());
    match extension.as_deref() {
        Some("json" | "geojson") => true,
        Some("tif" | "tiff" | "vrt") => false,
        _ => above == Some("items") && !name.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assets(raw: &str) -> Result<Assets, Refused> {
        let query = Query::parse(raw).unwrap();
        Assets::read(&query, &Style::parse(&query)?)
    }

    #[test]
    fn assets_are_listed_with_commas_or_by_repeating_and_have_one_spelling() {
        let spelt = |raw: &str| assets(raw).unwrap().pairs();
        assert_eq!(spelt("assets=red,nir"), spelt("assets=red&assets=nir"));
        let options =
            "assets=visual|bidx=3, 1&assets=data|expression=b1 * 2&assets=data|bands=red,nir&asset_as_band=1";
        let values: Vec<String> = spelt(options).into_iter().map(|(_, value)| value).collect();
        assert_eq!(
            values,
            [
                "true",
                "visual|bidx=3,1",
                "data|expression=b1*2",
                "data|bands=red,nir"
            ]
        );
        for value in values.iter().skip(1) {
            assert_eq!(AssetChoice::parse(value).unwrap().to_string(), *value);
        }
    }

    #[test]
    fn titilers_older_way_says_the_same() {
        let spelt = |raw: &str| assets(raw).unwrap().pairs();
        assert_eq!(
            spelt("assets=a&assets=b&asset_bidx=a|3,1&asset_expression=b|b1*2"),
            spelt("assets=a|bidx=3,1&assets=b|expression=b1*2")
        );
        for (raw, told) in [
            (
                "assets=a&asset_bidx=b|1",
                "asset_bidx is of an asset that assets does not list",
            ),
            (
                "assets=a&asset_bidx=1",
                "asset_bidx is not the key of an asset and what of it is wanted, KEY|1,2 or KEY|b1*2",
            ),
            (
                "assets=a|bidx=1&asset_expression=a|b1",
                "asset_expression is of an asset that has an option already: give one of bidx, bands and expression",
            ),
        ] {
            assert_eq!(assets(raw).unwrap_err().to_string(), told, "{raw}");
        }
    }

    #[test]
    fn without_assets_the_expression_names_them() {
        let named = assets("expression=(nir-red_b1)/(nir%2Bred_b1)").unwrap().named;
        assert_eq!(named, ["nir", "red_b1"]);
        assert!(assets("assets=a&expression=b1*2").unwrap().named.is_empty());
        assert!(assets("").unwrap().is_empty());
    }

    #[test]
    fn what_cannot_be_meant_says_what_can() {
        for (raw, told) in [
            (
                "assets=,",
                "assets is not the key of an asset, or several with commas between them",
            ),
            (
                "assets=a|bidx=0",
                "assets has a bidx that is no band numbers from 1, such as |bidx=1,2",
            ),
            (
                "assets=a|b",
                "assets has an option that is none of |bidx=1,2, |bands=red,nir and |expression=b1*2",
            ),
            (
                "assets=a|bidx=1|bands=red",
                "assets has several options for one asset: give one of bidx, bands and expression",
            ),
            ("asset_as_band=maybe", "asset_as_band is not true or false"),
        ] {
            assert_eq!(assets(raw).unwrap_err().to_string(), told, "{raw}");
        }
        assert!(assets("assets=a|expression=b1*").is_err());
        let many = (0..17).map(|i| format!("a{i}")).collect::<Vec<_>>().join(",");
        assert!(assets(&format!("assets={many}")).is_err());
    }

    #[test]
    fn documents_are_known_by_their_address() {
        for url in [
            "item.json",
            "s3://b/a.JSON",
            "https://h/collections/c/items/S2B_33UUP",
            "https://h/item.geojson?sig=x.tif",
            "https://h/collections/c/items/LC08.v2",
        ] {
            assert!(is_document(url), "{url}");
        }
        for url in [
            "a.tif",
            "https://h/items/a.tif",
            "https://h/a?f=item.json",
            "items",
            "h/items/",
        ] {
            assert!(!is_document(url), "{url}");
        }
    }
}
