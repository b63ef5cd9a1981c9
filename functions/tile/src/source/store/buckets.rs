//! How single buckets are read, where it differs from the rest: a table by address, of which the longest that fits counts.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::access::Object;

/// What the variables of the stores do not say of one bucket, or of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Special {
    /// Where it lies.
    pub region: Option<String>,
    /// Who serves it.
    pub endpoint: Option<String>,
    /// Whether requests are left unsigned.
    pub anonymous: bool,
    /// Whether we pay for reads of others' buckets.
    pub requester_pays: bool,
    /// Whether the bucket is part of the host's name.
    pub virtual_hosted: bool,
    /// The profile whose keys sign requests.
    pub profile: Option<String>,
    /// The role to assume, by its ARN.
    pub role: Option<String>,
    /// What the role's owner asks for beside.
    pub external_id: Option<String>,
}

/// Why a table cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// It is not the JSON that it should be.
    #[error("it is not JSON of {{\"s3://bucket/prefix\": {{…}}}}: {0}")]
    Json(#[from] serde_json::Error),
    /// An address is not one of a bucket.
    #[error("{0} does not begin with s3:// and a bucket")]
    Address(String),
}

/// The table.
#[derive(Clone, Debug, Default)]
pub struct Buckets(Vec<(Object, Special)>);

impl Buckets {
    /// Reads the JSON of the table.
    pub fn parse(text: &str) -> Result<Self, Unfit> {
        let table: BTreeMap<String, Special> = serde_json::from_str(text)?;
        let mut rows = Vec::with_capacity(table.len());
        for (address, special) in table {
            let rest = address
                .strip_prefix("s3://")
                .map(|rest| rest.trim_end_matches('/'));
            let Some(rest) = rest.filter(|rest| !rest.is_empty()) else {
                return Err(Unfit::Address(address));
            };
            let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
            let (bucket, key) = (bucket.to_owned(), key.to_owned());
            rows.push((Object { bucket, key }, special));
        }
        rows.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.key.len()));
        Ok(Self(rows))
    }

    /// What holds for an object, and the place of that row in the table.
    pub(super) fn find(&self, object: &Object) -> Option<(usize, &Special)> {
        let fits = |prefix: &Object| {
            let below = object.key.strip_prefix(&prefix.key);
            let below =
                below.is_some_and(|rest| prefix.key.is_empty() || rest.is_empty() || rest.starts_with('/'));
            prefix.bucket == object.bucket && below
        };
        let at = self.0.iter().position(|(prefix, _)| fits(prefix))?;
        self.0.get(at).map(|(_, special)| (at, special))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_address_that_fits_counts() {
        let table = Buckets::parse(
            r#"{"s3://a": {"anonymous": true}, "s3://a/b/": {"region": "x"}, "s3://a/b/c": {"requester_pays": true}}"#,
        )
        .unwrap();
        let find = |bucket: &str, key: &str| {
            let (bucket, key) = (bucket.to_owned(), key.to_owned());
            table
                .find(&Object { bucket, key })
                .map(|(_, special)| special.clone())
        };
        let region = |special: Option<Special>| special.and_then(|special| special.region);
        assert!(find("a", "bb/c.tif").unwrap().anonymous);
        assert_eq!(region(find("a", "b/x.tif")).as_deref(), Some("x"));
        assert!(find("a", "b/c/d.tif").unwrap().requester_pays);
        assert_eq!(find("b", "a"), None);
    }

    #[test]
    fn a_table_that_cannot_be_meant_is_refused() {
        for (text, said) in [
            (r#"{"s3://a": {"annonymous": true}}"#, "annonymous"),
            (r#"{"a": {}}"#, "a does not begin with s3://"),
            ("[]", "not JSON of"),
        ] {
            let error = Buckets::parse(text).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
