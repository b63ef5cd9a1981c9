//! The viewer's files, gzipped when the page was built and embedded in the binary.
//!
//! `/` and `/viewer` answer [`INDEX`]; `/viewer/{name}` answers the file of that name. The page asks for its script and
//! style sheet with a version in the query, so those may be cached for good; the page itself must be revalidated.

use libdeflater::Decompressor;

/// The name of the page itself.
pub const INDEX: &str = "index.html";

/// One file of the viewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asset {
    /// Its media type, for `Content-Type`.
    pub content_type: &'static str,
    /// Its bytes, for a body with `Content-Encoding: gzip`.
    pub gzip: &'static [u8],
    /// A strong entity tag of those bytes, quotes included.
    pub etag: &'static str,
}

/// Name, media type, gzip bytes and entity tag of every file, written by `build.rs`.
static FILES: &[(&str, &str, &[u8], &str)] = include!(concat!(env!("OUT_DIR"), "/viewer.rs"));

/// The file of that name, as it stands after `/viewer/`. [`INDEX`] is always there: in a binary built without the viewer
/// it says how to build it.
pub fn asset(name: &str) -> Option<Asset> {
    let &(_, content_type, gzip, etag) = FILES.iter().find(|file| file.0 == name)?;
    Some(Asset {
        content_type,
        gzip,
        etag,
    })
}

impl Asset {
    /// Its bytes for a caller that does not read gzip.
    pub fn inflated(&self) -> Vec<u8> {
        // The last four bytes are the length (RFC 1952, 2.3.1).
        let length = self
            .gzip
            .last_chunk()
            .map_or(0, |length| u32::from_le_bytes(*length));
        let mut bytes = vec![0; length as usize];
        Decompressor::new()
            .gzip_decompress(self.gzip, &mut bytes)
            .unwrap_or_else(|error| unreachable!("the viewer's build made it: {error}"));
        bytes
    }
}

/// Whether one value of `Accept-Encoding` admits gzip (RFC 9110 section 12.5.3).
pub fn accepts_gzip(value: &str) -> bool {
    value.split(',').any(|part| {
        let (coding, weight) = part.split_once(';').unwrap_or((part, ""));
        let refused = weight.trim().strip_prefix("q=").and_then(|q| q.parse().ok()) == Some(0.0);
        matches!(coding.trim(), "gzip" | "x-gzip" | "*") && !refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_always_there_as_gzip_html() {
        let page = asset(INDEX).expect("the page");
        assert_eq!(page.content_type, "text/html; charset=utf-8");
        assert_eq!(
            page.gzip[..3],
            [0x1f, 0x8b, 8],
            "gzip magic and deflate (RFC 1952, 2.3.1)"
        );
        assert_eq!(
            (page.etag.len(), &page.etag[..1], &page.etag[17..]),
            (18, "\"", "\"")
        );
    }

    #[test]
    fn the_page_unpacks_to_a_document_of_its_stated_length() {
        let html = asset(INDEX).expect("the page").inflated();
        assert!(html.starts_with(b"<!doctype html>"));
        assert!(html.ends_with(b"\n"));
    }

    #[test]
    fn gzip_is_sent_to_those_who_read_it() {
        for value in ["gzip", "gzip, deflate, br", "br;q=1.0, gzip;q=0.5", "*", "x-gzip"] {
            assert!(accepts_gzip(value), "{value}");
        }
        for value in ["", "identity", "br", "gzip;q=0", "gzip; q=0.0", "*;q=0"] {
            assert!(!accepts_gzip(value), "{value}");
        }
    }

    #[test]
    fn the_whole_viewer_stays_small() {
        let total: usize = FILES.iter().map(|file| file.2.len()).sum();
        assert!(total <= 350_000, "{total} bytes of gzip in the binary");
    }

    #[test]
    fn only_exact_names_are_files() {
        for name in ["", "/", "index", "../build.rs", "viewer.js.gz", "INDEX.HTML"] {
            assert_eq!(asset(name), None, "{name:?}");
        }
    }
}
