//! Absolute urls: scheme, authority and the rest, taken apart strictly.
//!
//! RFC 3986 §3 names the parts. What it allows and no store needs is refused: user information, percent escapes
//! or non-ASCII in the authority, backslashes and control characters anywhere.

use std::path::PathBuf;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use super::{Location, Object, Root, relative};

/// What an `http` target may not hold as it is; `%` stays, because a presigned url is encoded already.
const NOT_SENDABLE: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Why an operator's url is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// A scheme that no store has.
    #[error("the scheme is none of s3, gs, az, http, https, file")]
    Scheme,
    /// A host or bucket that cannot be one.
    #[error("the host or bucket is missing or holds a character that is not allowed there")]
    Authority,
    /// No key, or no path.
    #[error("the name of the file is missing")]
    Key,
    /// A character that no address holds.
    #[error("it holds a backslash or a control character")]
    Character,
    /// A root that no file can stand below.
    #[error("a root cannot have a query")]
    Query,
    /// A relative url that does not stay below the root.
    #[error("a relative url must stay below the data root")]
    Relative,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    S3,
    Gs,
    Az,
    Http,
    Https,
}

impl Scheme {
    pub(super) fn parse(text: &str) -> Option<Self> {
        Some(match text.to_ascii_lowercase().as_str() {
            "s3" | "s3a" => Self::S3,
            "gs" | "gcs" => Self::Gs,
            "az" | "azure" => Self::Az,
            "http" => Self::Http,
            "https" => Self::Https,
            _ => return None,
        })
    }

    pub(super) fn is_web(self) -> bool {
        matches!(self, Self::Http | Self::Https)
    }

    fn default_port(self) -> &'static str {
        match self {
            Self::Http => "80",
            _ => "443",
        }
    }
}

/// An absolute url in its one spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Absolute {
    pub(super) scheme: Scheme,
    /// Bucket, or host in lower case.
    pub(super) host: String,
    /// Absent where it is the scheme's own.
    pub(super) port: Option<String>,
    /// Of a store: the key. Of the web: path and query from the slash, as they are sent.
    pub(super) rest: String,
}

/// Whether the text starts as an absolute url does (RFC 3986 §3.1), or as a drive letter.
pub(super) fn has_scheme(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else {
        return false;
    };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

impl Absolute {
    pub(super) fn parse(text: &str) -> Result<Self, Malformed> {
        let url = Self::split(text)?;
        if !url.scheme.is_web() && url.rest.is_empty() {
            Err(Malformed::Key)
        } else {
            Ok(url)
        }
    }

    /// Reads an address that files stand below.
    pub(super) fn parse_root(text: &str) -> Result<Root, Malformed> {
        if let Some(path) = text.strip_prefix("file://") {
            return file_path(path).map(Root::Folder);
        }
        let url = Self::split(text)?;
        if url.scheme.is_web() && url.rest.contains('?') {
            return Err(Malformed::Query);
        }
        Ok(match url.into_location() {
            Location::S3(prefix) => Root::S3(prefix),
            Location::Gs(prefix) => Root::Gs(prefix),
            Location::Az(prefix) => Root::Az(prefix),
            Location::Http(base) => Root::Http(base.trim_end_matches('/').to_owned()),
            Location::Embedded(_) | Location::Local(_) => return Err(Malformed::Scheme),
        })
    }

    fn split(text: &str) -> Result<Self, Malformed> {
        if text.chars().any(|c| c.is_control() || c == '\\') {
            return Err(Malformed::Character);
        }
        let (scheme, rest) = text.split_once("://").ok_or(Malformed::Scheme)?;
        let scheme = Scheme::parse(scheme).ok_or(Malformed::Scheme)?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(end);
        let (host, port) = split_authority(authority).ok_or(Malformed::Authority)?;
        if !scheme.is_web() {
            // A key is raw text: its `?` and `#` are its own, but it starts after the slash.
            let key = rest.strip_prefix('/').unwrap_or(rest);
            let misplaced = rest.starts_with(['?', '#']) || port.is_some();
            return if misplaced {
                Err(Malformed::Authority)
            } else {
                Ok(Self {
                    scheme,
                    host: host.to_owned(),
                    port: None,
                    rest: key.to_owned(),
                })
            };
        }
        let slash = if rest.starts_with('/') { "" } else { "/" };
        Ok(Self {
            scheme,
            host: host.to_ascii_lowercase(),
            port: port
                .filter(|port| *port != scheme.default_port())
                .map(str::to_owned),
            rest: format!("{slash}{}", sendable(rest)),
        })
    }

    /// Whether a server or a client might read another place out of this address than it shows.
    pub(super) fn climbs(&self) -> bool {
        let path = match self.rest.split_once('?') {
            Some((path, _)) if self.scheme.is_web() => path,
            _ => &self.rest,
        };
        relative::climbs(path)
    }

    pub(super) fn into_location(self) -> Location {
        let Self {
            scheme,
            host,
            port,
            rest,
        } = self;
        let port = port.map(|port| format!(":{port}")).unwrap_or_default();
        match scheme {
            Scheme::S3 => Location::S3(Object {
                bucket: host,
                key: rest,
            }),
            Scheme::Gs => Location::Gs(Object {
                bucket: host,
                key: rest,
            }),
            Scheme::Az => Location::Az(Object {
                bucket: host,
                key: rest,
            }),
            Scheme::Http => Location::Http(format!("http://{host}{port}{rest}")),
            Scheme::Https => Location::Http(format!("https://{host}{port}{rest}")),
        }
    }
}

/// Host and port, if the authority is made of nothing else.
pub(super) fn split_authority(authority: &str) -> Option<(&str, Option<&str>)> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(v6) => {
            let (inner, after) = v6.split_once(']')?;
            let plain = !inner.is_empty()
                && inner
                    .bytes()
                    .all(|b| b.is_ascii_hexdigit() || matches!(b, b':' | b'.'));
            let host = plain.then(|| authority.get(..inner.len() + 2))??;
            (
                host,
                if after.is_empty() {
                    None
                } else {
                    Some(after.strip_prefix(':')?)
                },
            )
        }
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    let named = host.starts_with('[')
        || (!host.is_empty()
            && host
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_')));
    let numbered = port.is_none_or(|port| !port.is_empty() && port.parse::<u16>().is_ok());
    (named && numbered).then_some((host, port))
}

/// The text with everything encoded that cannot stand in a request line.
pub(super) fn sendable(text: &str) -> String {
    utf8_percent_encode(text, NOT_SENDABLE).to_string()
}

/// The path of `file:///path`, decoded.
pub(super) fn file_path(path: &str) -> Result<PathBuf, Malformed> {
    if !path.starts_with('/') {
        return Err(Malformed::Authority);
    }
    let decoded = percent_decode_str(path)
        .decode_utf8()
        .map_err(|_| Malformed::Character)?;
    Ok(PathBuf::from(decoded.into_owned()))
}
