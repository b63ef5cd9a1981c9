//! Which files may be read: a relative `url` below the data root, an absolute one that the operator allowed.
//!
//! Everything here is a pure function of text. A caller's url is refused when it is anything but plain: it is
//! easier to refuse a backslash than to know how every server behind it reads one. Refusals say nothing of why, so
//! that nothing can be learnt about what exists.

mod absolute;
mod pattern;
mod relative;
mod origin;

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

pub use absolute::Malformed;
pub use origin::Origin;
pub use pattern::{Pattern, PatternError};

use absolute::Absolute;

/// Where the bytes of one file are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// A file that the binary carries, by its name.
    Embedded(String),
    /// A file of this machine.
    Local(PathBuf),
    /// An object of an S3-compatible store.
    S3(Object),
    /// An object of Google Cloud Storage.
    Gs(Object),
    /// A blob of Azure; the account comes from the settings.
    Az(Object),
    /// An `http` or `https` address, ready to be sent: no fragment, no user, no dot segments.
    Http(String),
}

impl Location {
    /// The address as one text: two locations have the same one only if they are the same. It may hold a
    /// signature, so it belongs into no log and no answer.
    pub fn identity(&self) -> Cow<'_, str> {
        match self {
            Self::Embedded(name) => format!("embedded:{name}").into(),
            Self::Local(path) => format!("file:{}", path.display()).into(),
            Self::S3(object) => format!("s3://{}/{}", object.bucket, object.key).into(),
            Self::Gs(object) => format!("gs://{}/{}", object.bucket, object.key).into(),
            Self::Az(object) => format!("az://{}/{}", object.bucket, object.key).into(),
            Self::Http(url) => url.into(),
        }
    }
}

/// The name of a file beside another: the suffix is added, before the query where an address has one.
pub fn beside(url: &str, suffix: &str) -> String {
    let is_web = ["http://", "https://"].iter().any(|scheme| {
        url.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    let end = url.find(['?', '#']).filter(|_| is_web).unwrap_or(url.len());
    let (name, rest) = url.split_at(end);
    format!("{name}{suffix}{rest}")
}

impl Location {
    /// The file beside this one whose name is longer by `suffix`.
    #[must_use]
    pub fn beside(&self, suffix: &str) -> Self {
        let object = |object: &Object| Object {
            bucket: object.bucket.clone(),
            key: format!("{}{suffix}", object.key),
        };
        match self {
            Self::Embedded(name) => Self::Embedded(format!("{name}{suffix}")),
            Self::Local(path) => {
                let mut path = path.clone().into_os_string();
                path.push(suffix);
                Self::Local(path.into())
            }
            Self::S3(of) => Self::S3(object(of)),
            Self::Gs(of) => Self::Gs(object(of)),
            Self::Az(of) => Self::Az(object(of)),
            Self::Http(url) => Self::Http(beside(url, suffix)),
        }
    }
}

/// For logs: the address without its query, which may be a signature.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let identity = self.identity();
        match (self, identity.split_once('?')) {
            (Self::Http(_), Some((plain, _))) => write!(f, "{plain}?…"),
            _ => f.write_str(&identity),
        }
    }
}

/// A bucket (or container) and a raw key: not percent-encoded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Object {
    /// The bucket.
    pub bucket: String,
    /// The key, as the store knows it.
    pub key: String,
}

/// Against what a relative url resolves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Root {
    /// The files that the binary carries.
    Embedded,
    /// A folder of this machine.
    Folder(PathBuf),
    /// A prefix within a store; its key has no slash at the end.
    S3(Object),
    /// A prefix within Google Cloud Storage.
    Gs(Object),
    /// A prefix within an Azure container.
    Az(Object),
    /// An `http` or `https` address without a slash at the end.
    Http(String),
}

/// The url is not for this caller. It says no more than that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the url is not allowed here")]
pub struct Denied;

/// What callers may read.
#[derive(Clone, Debug)]
pub struct Access(Rules);

#[derive(Clone, Debug)]
enum Rules {
    /// For callers.
    Callers {
        root: Option<Root>,
        allowed: Vec<Pattern>,
    },
    /// For whoever runs the binary: what the process can read, they can read.
    Operator,
}

impl Default for Access {
    /// Nothing at all.
    fn default() -> Self {
        Self::new(None, Vec::new())
    }
}

impl Access {
    /// Relative urls below `root`, absolute ones that match one of `allowed`.
    pub fn new(root: Option<Root>, allowed: Vec<Pattern>) -> Self {
        Self(Rules::Callers { root, allowed })
    }

    /// Any url that the operator writes on the command line; relative ones are paths from here.
    pub fn of_operator() -> Self {
        Self(Rules::Operator)
    }

    /// Resolves a url that came with a request.
    pub fn resolve(&self, url: &str) -> Result<Location, Denied> {
        let (root, allowed) = match &self.0 {
            Rules::Operator => return Root::Folder(PathBuf::new()).trusted(url).map_err(|_| Denied),
            Rules::Callers { root, allowed } => (root, allowed),
        };
        if absolute::has_scheme(url) {
            let url = Absolute::parse(url).map_err(|_| Denied)?;
            let allowed = !url.climbs() && allowed.iter().any(|pattern| pattern.matches(&url));
            return if allowed {
                Ok(url.into_location())
            } else {
                Err(Denied)
            };
        }
        root.as_ref().ok_or(Denied)?.below(url)
    }
}

impl Root {
    /// Reads a root that the operator wrote: a folder, or the address of a prefix.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let text = text.trim_end_matches('/');
        if !absolute::has_scheme(text) {
            return Ok(Self::Folder(if text.is_empty() {
                "/".into()
            } else {
                text.into()
            }));
        }
        Absolute::parse_root(text)
    }

    /// What stands around a file: its folder or prefix.
    pub fn parent_of(location: &Location) -> Self {
        let prefix = |object: &Object| {
            let key = object.key.rsplit_once('/').map_or("", |(prefix, _)| prefix);
            Object {
                bucket: object.bucket.clone(),
                key: key.to_owned(),
            }
        };
        match location {
            Location::Embedded(_) => Self::Embedded,
            Location::Local(path) => Self::Folder(path.parent().map(PathBuf::from).unwrap_or_default()),
            Location::S3(object) => Self::S3(prefix(object)),
            Location::Gs(object) => Self::Gs(prefix(object)),
            Location::Az(object) => Self::Az(prefix(object)),
            Location::Http(url) => {
                let path = url.split('?').next().unwrap_or_default();
                Self::Http(
                    path.rsplit_once('/')
                        .map_or(path, |(prefix, _)| prefix)
                        .to_owned(),
                )
            }
        }
    }

    /// The file at `relative` below this root. A caller's text cannot leave the root.
    pub fn below(&self, relative: &str) -> Result<Location, Denied> {
        if !relative::is_plain(relative) {
            return Err(Denied);
        }
        let object = |prefix: &Object| Object {
            bucket: prefix.bucket.clone(),
            key: join(&prefix.key, relative),
        };
        Ok(match self {
            Self::Embedded => Location::Embedded(relative.to_owned()),
            Self::Folder(folder) => Location::Local(folder.join(relative)),
            Self::S3(prefix) => Location::S3(object(prefix)),
            Self::Gs(prefix) => Location::Gs(object(prefix)),
            Self::Az(prefix) => Location::Az(object(prefix)),
            Self::Http(base) => Location::Http(join(base, &absolute::sendable(relative))),
        })
    }

    /// Resolves a url that the operator wrote, on the command line or in a layers file: no allow-list, and a
    /// folder may be left.
    pub fn trusted(&self, url: &str) -> Result<Location, Malformed> {
        if let Some(path) = url.strip_prefix("file://") {
            return absolute::file_path(path).map(Location::Local);
        }
        if absolute::has_scheme(url) {
            return Absolute::parse(url).map(Absolute::into_location);
        }
        match self {
            Self::Folder(folder) => Ok(Location::Local(folder.join(url))),
            _ if url.starts_with('/') => Ok(Location::Local(url.into())),
            root => root.below(url).map_err(|Denied| Malformed::Relative),
        }
    }
}

fn join(prefix: &str, relative: &str) -> String {
    if prefix.is_empty() {
        relative.to_owned()
    } else {
        format!("{prefix}/{relative}")
    }
}

#[cfg(test)]
mod tests;
