//! Addresses that stand in a document, such as the assets of a STAC item: relative ones start at the document, and the
//! access rules hold for each.

use super::absolute::{Absolute, has_scheme};
use super::{Access, Denied, Location};

/// A document whose addresses are followed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// Where it is.
    pub location: Location,
    /// As a caller wrote its address; `None` where the operator did.
    written: Option<String>,
}

impl Origin {
    /// A document that the operator named. What others wrote into it may lead to its own store; beyond that the rules
    /// for callers hold.
    pub fn of_operator(location: Location) -> Self {
        Self {
            location,
            written: None,
        }
    }
}

impl Access {
    /// Resolves the address of a document that came with a request.
    pub fn origin(&self, url: &str) -> Result<Origin, Denied> {
        Ok(Origin {
            location: self.resolve(url)?,
            written: Some(url.to_owned()),
        })
    }

    /// Resolves the address of a document that stands in another.
    pub fn follow_on(&self, origin: &Origin, href: &str) -> Result<Origin, Denied> {
        Ok(Origin {
            location: self.follow(origin, href)?,
            written: origin.written.as_deref().and_then(|written| join(written, href)),
        })
    }

    /// Resolves an address that stands in a document.
    pub fn follow(&self, origin: &Origin, href: &str) -> Result<Location, Denied> {
        if href.chars().any(char::is_control) {
            return Err(Denied);
        }
        if let Some(written) = &origin.written {
            return self.resolve(&join(written, href).ok_or(Denied)?);
        }
        if has_scheme(href) {
            return match stored(href) {
                Ok(location) if location.store() == origin.location.store() => Ok(location),
                _ => self.resolve(href),
            };
        }
        match &origin.location {
            Location::Local(path) => {
                let base = path.to_str().filter(|_| !href.starts_with('/')).ok_or(Denied)?;
                let joined = join(base, href).ok_or(Denied)?;
                Ok(Location::Local(joined.into()))
            }
            Location::Embedded(name) => join(name, href).map(Location::Embedded).ok_or(Denied),
            store => stored(&join(&store.identity(), href).ok_or(Denied)?),
        }
    }
}

/// An address of a store, plain enough to be told from others.
fn stored(url: &str) -> Result<Location, Denied> {
    let url = Absolute::parse(url).map_err(|_| Denied)?;
    if url.climbs() {
        return Err(Denied);
    }
    Ok(url.into_location())
}

impl Location {
    /// What one set of credentials and one host stand for: the bucket, or scheme, host and port. `None` for this
    /// machine.
    fn store(&self) -> Option<(&'static str, &str)> {
        Some(match self {
            Self::Embedded(_) | Self::Local(_) => return None,
            Self::S3(object) => ("s3", &object.bucket),
            Self::Gs(object) => ("gs", &object.bucket),
            Self::Az(object) => ("az", &object.bucket),
            Self::Http(url) => {
                let end = url.match_indices('/').nth(2).map_or(url.len(), |(at, _)| at);
                ("http", url.get(..end)?)
            }
        })
    }
}

/// The address that `href` has in a document at `base` (RFC 3986, section 5.2); none where it would climb above the
/// document's store or root.
fn join(base: &str, href: &str) -> Option<String> {
    if has_scheme(href) {
        return Some(href.to_owned());
    }
    let (start, path) = parted(base);
    let has_no_path = !start.is_empty() && !start.ends_with('/');
    if href.is_empty() || href.starts_with("//") || has_no_path {
        return None;
    }
    let is_web = start.starts_with("http");
    let until = |text: &str, ends: &[char]| text.find(ends).filter(|_| is_web).unwrap_or(text.len());
    let path = path.get(..until(path, &['?', '#']))?;
    let href = href.get(..until(href, &['#']))?;
    let (href, query) = href.split_at(until(href, &['?']));
    let mut names: Vec<&str> = match href.strip_prefix('/') {
        // The root of relative addresses is not theirs to name.
        Some(_) if start.is_empty() => return None,
        Some(_) => Vec::new(),
        None => path.split('/').filter(|name| *name != ".").collect(),
    };
    if !href.starts_with('/') {
        names.pop();
    }
    for name in href.strip_prefix('/').unwrap_or(href).split('/') {
        match name {
            "." => {}
            ".." => {
                names.pop().filter(|name| *name != "..")?;
            }
            name => names.push(name),
        }
    }
    Some(format!("{start}{}{query}", names.join("/")))
}

/// The part of an address that stays whatever is joined to it, slash included, and its path.
fn parted(base: &str) -> (&str, &str) {
    let authority = base.find("://").filter(|_| has_scheme(base)).map(|at| at + 3);
    let from = authority.unwrap_or(0);
    let rest = base.get(from..).unwrap_or_default();
    match (authority, rest.find('/')) {
        (Some(_), Some(slash)) => base.split_at(from + slash + 1),
        (Some(_), None) => (base, ""),
        (None, Some(0)) => base.split_at(1),
        (None, _) => ("", base),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Pattern, Root};
    use super::*;

    fn joined(base: &str, href: &str) -> String {
        join(base, href).unwrap_or_else(|| "nowhere".to_owned())
    }

    #[test]
    fn relative_addresses_start_at_the_document() {
        for (base, href, address) in [
            ("https://h/a/b/item.json", "B04.tif", "https://h/a/b/B04.tif"),
            (
                "https://h/a/b/item.json?sig=x/y",
                "./B04.tif",
                "https://h/a/b/B04.tif",
            ),
            (
                "https://h/a/b/item.json",
                "../c/B04.tif?t=1#x",
                "https://h/a/c/B04.tif?t=1",
            ),
            ("https://h/a/item", "/B04.tif", "https://h/B04.tif"),
            ("https://h", "B04.tif", "nowhere"),
            ("https://h/item.json", "../B04.tif", "nowhere"),
            ("https://h/a/item.json", "//other/B04.tif", "nowhere"),
            ("s3://bucket/a/item.json", "B#1?.tif", "s3://bucket/a/B#1?.tif"),
            ("s3://bucket/a/item.json", "../../B04.tif", "nowhere"),
            ("s3://bucket/a/item.json", "/B04.tif", "s3://bucket/B04.tif"),
            ("items/item.json", "../scenes/B04.tif", "scenes/B04.tif"),
            ("item.json", "../B04.tif", "nowhere"),
            ("../item.json", "../B04.tif", "nowhere"),
            ("items/item.json", "/etc/passwd", "nowhere"),
            ("/data/items/item.json", "../B04.tif", "/data/B04.tif"),
            ("./item.json", "B04.tif", "B04.tif"),
            ("items/item.json", "s3://other/B04.tif", "s3://other/B04.tif"),
            ("items/item.json", "", "nowhere"),
        ] {
            assert_eq!(joined(base, href), address, "{href} in {base}");
        }
    }

    #[test]
    fn a_callers_document_leads_only_where_the_caller_may_go() {
        let patterns = ["https://h/items/*", "https://h/scenes/*"].map(|text| Pattern::parse(text).unwrap());
        let access = Access::new(Some(Root::Folder("/data".into())), patterns.to_vec());
        let of = |url: &str, href: &str| {
            let origin = access.origin(url).unwrap();
            access
                .follow(&origin, href)
                .map(|location| location.identity().into_owned())
        };
        let item = "https://h/items/item.json";
        assert_eq!(of(item, "../scenes/a.tif").unwrap(), "https://h/scenes/a.tif");
        assert_eq!(of("items/item.json", "../a.tif").unwrap(), "file:/data/a.tif");
        for href in [
            "../secret/a.tif",
            "/a.tif",
            "%2e%2e/a.tif",
            "..%2fsecret/a.tif",
            "http://169.254.169.254/latest/meta-data",
            "https://h:8443/items/a.tif",
            "file:///etc/passwd",
            "s3://mine/a.tif",
            "a\n.tif",
            "..\\a.tif",
        ] {
            assert_eq!(of(item, href), Err(Denied), "{href}");
        }
        for href in [
            "../../a.tif",
            "/data/a.tif",
            "file:///data/a.tif",
            "https://i/a.tif",
        ] {
            assert_eq!(of("items/item.json", href), Err(Denied), "{href}");
        }
    }

    #[test]
    fn an_operators_document_leads_to_its_own_store_and_where_callers_may_go() {
        let allowed = Pattern::parse("s3://open/*").unwrap();
        let access = Access::new(None, vec![allowed]);
        let of = |location: Location, href: &str| {
            let followed = access.follow(&Origin::of_operator(location), href);
            followed.map(|location| location.identity().into_owned())
        };
        let web = || Location::Http("https://h/a/item.json".to_owned());
        assert_eq!(of(web(), "b.tif").unwrap(), "https://h/a/b.tif");
        assert_eq!(of(web(), "https://h/c/b.tif").unwrap(), "https://h/c/b.tif");
        assert_eq!(of(web(), "s3://open/b.tif").unwrap(), "s3://open/b.tif");
        let local = || Location::Local("/data/items/item.json".into());
        assert_eq!(of(local(), "../b.tif").unwrap(), "file:/data/b.tif");
        for (location, href) in [
            (web(), "http://h/a/b.tif"),
            (web(), "https://h:444/b.tif"),
            (web(), "s3://closed/b.tif"),
            (web(), "file:///etc/passwd"),
            (local(), "/etc/passwd"),
            (local(), "file:///etc/passwd"),
            (local(), "https://h/b.tif"),
        ] {
            assert_eq!(of(location, href), Err(Denied), "{href}");
        }
    }
}
