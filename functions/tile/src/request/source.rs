//! Whose pixels: a layer, a file, or several files under names.

use std::collections::BTreeMap;
use std::fmt;

use super::{Assets, Query, Refused, Style, assets};

/// The most files that one request may name.
const MOST_SOURCES: usize = 16;
/// The longest `url` that is read, in bytes; presigned ones stay below 2 kB.
const LONGEST_URL: usize = 8192;

/// The sources as the caller named them: nothing is resolved, allowed or opened yet.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// A configured layer.
    Layer(LayerName),
    /// The first configured layer.
    FirstLayer,
    /// One file.
    Url(String),
    /// Several files; an expression calls their bands by these names. Ordered by name, because a CDN that
    /// sorts queries must not change the picture.
    Urls(BTreeMap<BandName, String>),
    /// Assets of a STAC item.
    Item {
        /// Where the item is.
        url: String,
        /// Which of its assets.
        assets: Assets,
    },
    /// The files of a mosaic.
    Mosaic {
        /// Where the mosaic is.
        url: String,
        /// Where its files are STAC items: which of their assets.
        assets: Assets,
    },
}

impl Asked {
    /// The canonical pairs of the sources.
    pub(super) fn pairs(&self) -> Vec<(String, String)> {
        match self {
            Self::Layer(_) | Self::FirstLayer => Vec::new(),
            Self::Url(url) => vec![("url".to_owned(), url.clone())],
            Self::Urls(urls) => urls
                .iter()
                .map(|(name, url)| (format!("url.{name}"), url.clone()))
                .collect(),
            Self::Item { url, assets } | Self::Mosaic { url, assets } => {
                let mut pairs = assets.pairs();
                pairs.push(("url".to_owned(), url.clone()));
                pairs
            }
        }
    }
}

/// Reads `url=` or `url.{name}=`.
pub(super) fn read(query: &Query) -> Result<Asked, Refused> {
    let one = query.one("url")?;
    let several = read_several(query)?;
    match (one, several.is_empty()) {
        (Some(url), true) => Ok(Asked::Url(checked("url", url)?)),
        (None, false) => Ok(Asked::Urls(several)),
        (Some(_), false) => Err(Refused::parameter(
            "url",
            "stands beside url.name: give one or the other",
        )),
        (None, true) => Err(Refused::parameter(
            "url",
            "is missing: give the address of a GeoTIFF",
        )),
    }
}

/// Reads the `url` of a document.
pub(super) fn read_document(query: &Query) -> Result<String, Refused> {
    match query.one("url")? {
        Some(url) => checked("url", url),
        None => Err(Refused::parameter(
            "url",
            "is missing: give the address of the document",
        )),
    }
}

/// One file, or the assets of an item that an expression means.
pub(super) fn of_url(url: String, style: &Style) -> Asked {
    if assets::is_document(&url) {
        let assets = Assets::of_style(style);
        Asked::Item { url, assets }
    } else {
        Asked::Url(url)
    }
}

fn read_several(query: &Query) -> Result<BTreeMap<BandName, String>, Refused> {
    let mut urls = BTreeMap::new();
    for (name, url) in query.prefixed("url.") {
        let parameter = format!("url.{name}");
        let band = BandName::new(name).ok_or_else(|| {
            Refused::parameter(
                &parameter,
                "needs a name of letters, digits and _ that starts with a letter",
            )
        })?;
        if urls.insert(band, checked(&parameter, url)?).is_some() {
            return Err(Refused::parameter(
                &parameter,
                "stands more than once: give one value",
            ));
        }
    }
    if urls.len() > MOST_SOURCES {
        return Err(Refused::parameter(
            "url",
            format!("names more than {MOST_SOURCES} files"),
        ));
    }
    Ok(urls)
}

/// A url that could be one: not empty, not endless, without control characters.
pub(super) fn checked(parameter: &str, url: &str) -> Result<String, Refused> {
    let url = url.trim();
    if url.is_empty() {
        return Err(Refused::parameter(
            parameter,
            "is empty: give the address of a GeoTIFF",
        ));
    }
    if url.len() > LONGEST_URL {
        return Err(Refused::parameter(
            parameter,
            format!("is longer than {LONGEST_URL} bytes"),
        ));
    }
    if url.chars().any(char::is_control) {
        return Err(Refused::parameter(parameter, "holds a control character"));
    }
    Ok(url.to_owned())
}

/// The name of a layer: 1 to 64 letters, digits, `_`, `-`, `.`, starting with a letter or digit.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LayerName(String);

impl LayerName {
    /// The name, if it is one.
    pub fn new(text: &str) -> Option<Self> {
        let head = text.bytes().next()?.is_ascii_alphanumeric();
        let rest = text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
        (head && rest && text.len() <= 64).then(|| Self(text.to_owned()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What an expression calls a band: 1 to 64 letters, digits and `_`, starting with a letter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BandName(String);

impl BandName {
    /// The name, if it is one.
    pub fn new(text: &str) -> Option<Self> {
        let head = text.bytes().next()?.is_ascii_alphabetic();
        let rest = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        (head && rest && text.len() <= 64).then(|| Self(text.to_owned()))
    }

    /// The name of band number `index`, counted from 1.
    pub fn numbered(index: u16) -> Self {
        Self(format!("b{index}"))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

macro_rules! shown_as_text {
    ($($name:ty),*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

shown_as_text!(LayerName, BandName);

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(raw: &str) -> Result<Asked, Refused> {
        read(&Query::parse(raw).unwrap())
    }

    #[test]
    fn several_files_come_in_the_order_of_their_names() {
        let Ok(Asked::Urls(urls)) = asked("url.red=a.tif&url.nir=b.tif") else {
            panic!("not several")
        };
        assert_eq!(
            urls.keys().map(BandName::as_str).collect::<Vec<_>>(),
            ["nir", "red"]
        );
        assert_eq!(
            asked("url.nir=b.tif&url.red=a.tif"),
            asked("url.red=a.tif&url.nir=b.tif")
        );
    }

    #[test]
    fn a_url_that_cannot_be_one_is_refused() {
        for (raw, message) in [
            ("", "url is missing: give the address of a GeoTIFF"),
            ("url=", "url is empty: give the address of a GeoTIFF"),
            ("url=a%00b", "url holds a control character"),
            ("url=a&url=b", "url stands more than once: give one value"),
            (
                "url=a&url.red=b",
                "url stands beside url.name: give one or the other",
            ),
            (
                "url.red=a&url.red=b",
                "url.red stands more than once: give one value",
            ),
            (
                "url.1=a",
                "url.1 needs a name of letters, digits and _ that starts with a letter",
            ),
        ] {
            assert_eq!(asked(raw).unwrap_err().to_string(), message);
        }
        assert!(asked(&format!("url={}", "a".repeat(8193))).is_err());
        let many: Vec<_> = (0..17).map(|i| format!("url.n{i}=a")).collect();
        assert_eq!(
            asked(&many.join("&")).unwrap_err().to_string(),
            "url names more than 16 files"
        );
    }

    #[test]
    fn names_hold_nothing_that_could_be_a_path_or_arithmetic() {
        assert!(LayerName::new("true-color.2024_v1").is_some());
        for wrong in ["", ".", "..", "a/b", "-a", "a b", "é", &"a".repeat(65)] {
            assert!(LayerName::new(wrong).is_none(), "{wrong}");
        }
        assert!(BandName::new("B8A").is_some());
        for wrong in ["", "8A", "_x", "a-b", "a b", "a.b"] {
            assert!(BandName::new(wrong).is_none(), "{wrong}");
        }
    }
}
