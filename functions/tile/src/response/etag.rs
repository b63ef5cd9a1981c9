//! The version of an answer, known before any pixel is read.

use std::fmt;

use http::HeaderMap;
use http::header::IF_NONE_MATCH;

/// A strong entity tag (RFC 9110 §8.8.3), quotes included.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ETag(String);

impl ETag {
    /// The tag of everything that the answer depends on: the versions of the sources, the canonical request, the
    /// version of the rendering. Each part counts with its length, so that no two lists of parts run together.
    pub fn of(parts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Self {
        let mut hash = Fnv128::default();
        for part in parts {
            let part = part.as_ref();
            hash.write(&(part.len() as u64).to_le_bytes());
            hash.write(part);
        }
        Self(format!("\"{hash}\""))
    }

    /// The tag as it stands in a header.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the caller already has this version: `If-None-Match` by the weak comparison (RFC 9110 §13.1.2),
    /// because a CDN that compresses weakens our tags. `*` is [another question](Self::any_is_held).
    pub fn is_held_by(&self, headers: &HeaderMap) -> bool {
        let fields = headers
            .get_all(IF_NONE_MATCH)
            .iter()
            .filter_map(|value| value.to_str().ok());
        fields
            .flat_map(|field| field.split(','))
            .map(str::trim)
            .any(|tag| {
                let tag = tag.strip_prefix("W/").unwrap_or(tag);
                tag == self.0
            })
    }

    /// Whether the caller wants an answer only where there is none at all: `If-None-Match: *`.
    pub fn any_is_held(headers: &HeaderMap) -> bool {
        headers
            .get(IF_NONE_MATCH)
            .is_some_and(|field| field.as_bytes().trim_ascii() == b"*")
    }
}

/// FNV-1a in 128 bits (draft-eastlake-fnv §5): short, and the same on every machine and in every version.
pub struct Fnv128(u128);

/// 32 digits.
impl fmt::Display for Fnv128 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl Default for Fnv128 {
    fn default() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Fnv128 {
    /// Adds bytes.
    pub fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn held(header: &str, tag: &ETag) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, HeaderValue::from_str(header).unwrap());
        tag.is_held_by(&headers)
    }

    #[test]
    fn the_hash_is_the_published_one() {
        // The test vector of the draft's appendix: FNV-1a 128 of "a".
        let mut hash = Fnv128::default();
        hash.write(b"a");
        assert_eq!(hash.0, 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(ETag::of(["ab", "c"]), ETag::of(["a", "bc"]));
        assert_ne!(ETag::of(["a", ""]), ETag::of(["a"]));
        assert_eq!(ETag::of(["a", "b"]), ETag::of(["a", "b"]));
    }

    #[test]
    fn a_held_tag_is_found_however_it_is_written() {
        let tag = ETag::of(["x"]);
        let text = tag.as_str();
        for header in [
            text.to_owned(),
            format!("W/{text}"),
            format!("\"a\", {text} ,\"b\""),
        ] {
            assert!(held(&header, &tag), "{header}");
        }
        for header in ["\"a\"", "", "W/", "*", text.trim_matches('"')] {
            assert!(!held(header, &tag), "{header}");
        }
        let mut two = HeaderMap::new();
        two.append(IF_NONE_MATCH, HeaderValue::from_static("\"a\""));
        two.append(IF_NONE_MATCH, HeaderValue::from_str(text).unwrap());
        assert!(tag.is_held_by(&two));
    }
}
