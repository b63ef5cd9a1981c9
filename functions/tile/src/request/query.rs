//! The query string, decoded once: names and values in the order they were written.
//!
//! `application/x-www-form-urlencoded` as the WHATWG URL standard decodes it (§5.1), so `+` is a space; a
//! presigned `url` therefore arrives whole when its `&` were percent-encoded.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode, utf8_percent_encode};

use super::Refused;

/// The longest query that is read, in bytes: CloudFront and Function URLs stop at 8 to 10 kB of URL, local
/// servers may carry a custom colormap of 256 colours.
const LONGEST_BYTES: usize = 64 * 1024;

/// What must be encoded so that a value reads back as itself inside a query.
const IN_VALUE: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'&')
    .add(b'+')
    .add(b'<')
    .add(b'=')
    .add(b'>');

/// Every parameter that some route reads or that clients of `TiTiler` send without harm.
const KNOWN: &[&str] = &[
    "access_token",
    "algorithm",
    "algorithm_params",
    "alpha",
    "asset_as_band",
    "asset_bidx",
    "asset_expression",
    "assets",
    "bbox",
    "bbox-crs",
    "bbox_crs",
    "bidx",
    "buffer",
    "categorical",
    "color_formula",
    "colormap",
    "colormap_name",
    "coord-crs",
    "coord_crs",
    "cover_scale",
    "dst-crs",
    "dst_crs",
    "expires",
    "expression",
    "height",
    "histogram_bins",
    "histogram_range",
    "index",
    "max_size",
    "maxzoom",
    "minzoom",
    "nodata",
    "orientation",
    "padding",
    "pixel_selection",
    "quality",
    "reproject",
    "resampling",
    "rescale",
    "return_mask",
    "sidecars",
    "signature",
    "strict",
    "tile_format",
    "tilesize",
    "unscale",
    "use_epsg",
    "width",
];

/// What other servers and older versions of TiTiler call something, and what it is called here.
const ALIASES: &[(&str, &str)] = &[
    ("indexes", "bidx"),
    ("nodata_value", "nodata"),
    ("resampling_method", "resampling"),
    ("scale", "tilesize"),
];

/// Values that say what silence says, too, where no layer has a style of its own; `infra/edge/normalize.js` has the same.
const DEFAULTS: &[(&str, &str)] = &[
    ("alpha", "true"),
    ("asset_as_band", "false"),
    ("buffer", "0"),
    ("padding", "0"),
    ("reproject", "nearest"),
    ("resampling", "nearest"),
    ("return_mask", "true"),
    ("unscale", "false"),
];

/// Parameters that carry credentials.
const CREDENTIALS: [&str; 3] = ["access_token", "expires", "signature"];

/// Names too short for an edit distance: only their case may be wrong.
const SHORT: &[&str] = &["url", "red", "nir", "crs", "c", "f", "p", "v"];

/// Every name that is known.
#[cfg(test)]
pub(super) fn every_name() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().chain(SHORT).copied()
}

/// The decoded query. Holds no percent escapes and no invalid UTF-8.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    pairs: Vec<(String, String)>,
}

impl Query {
    /// Decodes `raw`, the text after `?`, and refuses a name that is a slip of one we know.
    pub fn parse(raw: &str) -> Result<Self, Refused> {
        if raw.len() > LONGEST_BYTES {
            return Err(Refused::TooLong {
                limit_bytes: LONGEST_BYTES,
            });
        }
        let mut pairs = Vec::new();
        for field in raw.split('&').filter(|field| !field.is_empty()) {
            let (name, value) = field.split_once('=').unwrap_or((field, ""));
            let name = decode(name).ok_or_else(|| Refused::parameter("query", "is not UTF-8"))?;
            let value = decode(value).ok_or_else(|| Refused::parameter(&name, "is not UTF-8"))?;
            pairs.push((name, value));
        }
        let query = Self { pairs };
        query.refuse_slips()?;
        Ok(query)
    }

    /// A query of pairs that are decoded already, as a layers file holds them.
    pub fn of(pairs: Vec<(String, String)>) -> Self {
        Self { pairs }
    }

    /// The value of a parameter that may stand once.
    pub fn one(&self, name: &str) -> Result<Option<&str>, Refused> {
        let mut values = self
            .pairs
            .iter()
            .filter(|(n, _)| n == name)
            .map(|(_, value)| value.as_str());
        let first = values.next();
        if values.next().is_some() {
            return Err(Refused::parameter(name, "stands more than once: give one value"));
        }
        Ok(first)
    }

    /// The values of a parameter that may be repeated, in order.
    pub fn many<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.pairs
            .iter()
            .filter(move |(n, _)| n == name)
            .map(|(_, value)| value.as_str())
    }

    /// The parameters whose name starts with `prefix`, as (rest of the name, value).
    pub fn prefixed<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.pairs
            .iter()
            .filter_map(move |(name, value)| Some((name.strip_prefix(prefix)?, value.as_str())))
    }

    /// The names that stand in the query, in order, repeated where they repeat.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.pairs.iter().map(|(name, _)| name.as_str())
    }

    /// The query as a signature covers it: what routes read, sorted by name, each value in one encoding. Credentials are left
    /// out, and of requests that name their files what says the default: the CDN leaves that out.
    pub fn signed(&self) -> String {
        let names_files = |name: &str| matches!(name, "url" | "red" | "nir") || name.starts_with("url.");
        let has_files = self.names().any(names_files);
        let is_covered = |name: &str| {
            let is_known = KNOWN.contains(&name) || SHORT.contains(&name) || name.starts_with("url.");
            is_known && !CREDENTIALS.contains(&name)
        };
        let mut pairs: Vec<&(String, String)> =
            self.pairs.iter().filter(|(name, _)| is_covered(name)).collect();
        if has_files {
            pairs.retain(|(name, _)| !self.is_default(name));
        }
        // Stable: repeated names keep their order, which means something.
        pairs.sort_by(|a, b| a.0.cmp(&b.0));
        let written = pairs
            .iter()
            .map(|(name, value)| format!("{}={}", encode(name), encode(value)));
        written.collect::<Vec<_>>().join("&")
    }

    /// Whether a parameter says what silence says, too.
    fn is_default(&self, name: &str) -> bool {
        let default = DEFAULTS.iter().find(|(known, _)| *known == name);
        let values: Vec<&str> = self.many(name).collect();
        let ([value], Some((_, default))) = (values.as_slice(), default) else {
            return false;
        };
        // A reproject speaks where resampling is silent, so beside another kernel "nearest" says something.
        let is_silent = |other: &str| self.many(other).next().is_none() || self.is_default(other);
        value.eq_ignore_ascii_case(default) && (name != "resampling" || is_silent("reproject"))
    }

    fn refuse_slips(&self) -> Result<(), Refused> {
        for name in self.names() {
            if let Some(near) = slip_of(name) {
                return Err(Refused::parameter(
                    name,
                    format!("is unknown: do you mean {near}?"),
                ));
            }
        }
        Ok(())
    }
}

/// Writes `value` so that [`Query::parse`] reads it back.
pub fn encode(value: &str) -> Cow<'_, str> {
    utf8_percent_encode(value, IN_VALUE).into()
}

fn decode(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    percent_decode(spaced.as_bytes())
        .decode_utf8()
        .ok()
        .map(Cow::into_owned)
}

/// The known name that `name` misses by a typing slip or has elsewhere, or nothing when it is known or far from all.
pub fn slip_of(name: &str) -> Option<&'static str> {
    if KNOWN.contains(&name) || SHORT.contains(&name) || name.len() > 32 {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    if let Some((_, known)) = ALIASES.iter().find(|(other, _)| *other == lower) {
        return Some(known);
    }
    if let Some(short) = SHORT.iter().find(|short| **short == lower) {
        return Some(short);
    }
    KNOWN
        .iter()
        .copied()
        .find(|known| edits(&lower, known) <= allowed_edits(known))
}

/// How many edits still count as a slip: one in a short name, two in a long one.
fn allowed_edits(known: &str) -> usize {
    if known.len() < 7 { 1 } else { 2 }
}

/// Optimal string alignment distance: insertions, deletions, substitutions, swaps of neighbours.
fn edits(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(raw: &str) -> Vec<(String, String)> {
        Query::parse(raw).unwrap().pairs
    }

    #[test]
    fn a_presigned_url_arrives_whole() {
        let query = Query::parse("url=https%3A%2F%2Fh%2Fa.tif%3FX%3D1%26Sig%3Dab%252F%252B&bidx=1").unwrap();
        assert_eq!(
            query.one("url").unwrap(),
            Some("https://h/a.tif?X=1&Sig=ab%2F%2B")
        );
        assert_eq!(query.one("bidx").unwrap(), Some("1"));
    }

    #[test]
    fn plus_is_a_space_and_an_escaped_plus_is_a_plus() {
        assert_eq!(
            pairs("expression=b1+b2%2Bb3"),
            [("expression".into(), "b1 b2+b3".into())]
        );
    }

    #[test]
    fn odd_fields_are_read_as_browsers_read_them() {
        assert_eq!(
            pairs("&&q&w=&=x"),
            [("q", ""), ("w", ""), ("", "x")].map(|(a, b)| (a.into(), b.into()))
        );
        assert_eq!(pairs("q=100%25&r=5%&s=%zz")[1].1, "5%");
    }

    #[test]
    fn a_second_value_of_a_single_parameter_names_it() {
        let refused = Query::parse("nodata=0&nodata=1")
            .unwrap()
            .one("nodata")
            .unwrap_err();
        assert_eq!(
            refused.to_string(),
            "nodata stands more than once: give one value"
        );
    }

    #[test]
    fn slips_name_the_near_parameter() {
        for (written, meant) in [
            ("rescael", "rescale"),
            ("recale", "rescale"),
            ("Rescale", "rescale"),
            ("colourmap_name", "colormap_name"),
            ("colormap-name", "colormap_name"),
            ("color_map", "colormap"),
            ("expresion", "expression"),
            ("bdix", "bidx"),
            ("no_data", "nodata"),
            ("tile_size", "tilesize"),
            ("scale", "tilesize"),
            ("resampling_method", "resampling"),
            ("URL", "url"),
        ] {
            let refused = Query::parse(&format!("{written}=1")).unwrap_err().to_string();
            assert_eq!(refused, format!("{written} is unknown: do you mean {meant}?"));
        }
    }

    #[test]
    fn foreign_parameters_pass() {
        for name in [
            "token",
            "access_token",
            "_",
            "t",
            "cachebust",
            "api_key",
            "X-Amz-Signature",
            "f",
            "c",
            "p",
            "bands",
        ] {
            assert!(Query::parse(&format!("{name}=1")).is_ok(), "{name}");
        }
    }

    #[test]
    fn what_is_not_utf8_or_too_long_is_refused() {
        assert_eq!(
            Query::parse("url=%ff").unwrap_err(),
            Refused::parameter("url", "is not UTF-8")
        );
        let long = format!("url={}", "a".repeat(LONGEST_BYTES));
        assert_eq!(
            Query::parse(&long).unwrap_err(),
            Refused::TooLong {
                limit_bytes: LONGEST_BYTES
            }
        );
    }

    #[test]
    fn a_signature_covers_what_routes_read_in_one_spelling() {
        let signed = |raw: &str| Query::parse(raw).unwrap().signed();
        let one = "bidx=3&bidx=1&url=a%20b.tif";
        let odd = "url=a+b.tif&bidx=3&utm_source=x&bidx=1&signature=s&expires=1&access_token=t";
        assert_eq!(signed(odd), one);
        assert_eq!(
            signed("bidx=3&bidx=1&url=a%20b.tif&buffer=0&return_mask=True"),
            one
        );
        let two = "reproject=cubic&resampling=nearest&url=a";
        assert_eq!(signed("resampling=nearest&reproject=cubic&url=a"), two);
        assert_eq!(
            signed("resampling=nearest"),
            "resampling=nearest",
            "a layer may have another"
        );
    }

    /// What is read but not known could be changed behind a signature's back.
    #[test]
    fn every_parameter_that_is_read_is_covered() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/request");
        let mut found = 0;
        for file in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap_or_default();
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            for call in [
                ".one(\"",
                ".many(\"",
                "read_with(query, \"",
                "non_empty(query, \"",
                "numbers(query, \"",
            ] {
                for name in text.split(call).skip(1).filter_map(|rest| rest.split('"').next()) {
                    found += 1;
                    assert!(
                        KNOWN.contains(&name) || SHORT.contains(&name),
                        "{name}: add it to KNOWN"
                    );
                }
            }
        }
        assert!(found > 20, "{found}");
    }

    #[test]
    fn encoded_values_read_back() {
        let value = "a&b=c+d %41#\u{e9}\"<>?/:";
        let query = Query::parse(&format!("url={}", encode(value))).unwrap();
        assert_eq!(query.one("url").unwrap(), Some(value));
    }
}
