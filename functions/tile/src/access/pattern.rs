//! Patterns of allowed urls.
//!
//! `*` stands for any text within the part where it is written. In a host it stays within one label, so that
//! `https://data*` is not `https://data.evil.com`; `*.example.com` is every host below `example.com`, and a host
//! of `*` alone is every host. A pattern without a path allows every path.

use super::absolute::{Absolute, Scheme};

/// One entry of the allow-list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Everything,
    Url {
        scheme: Scheme,
        host: String,
        port: Option<String>,
        rest: Option<String>,
    },
}

/// A pattern that cannot match anything it might mean.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pattern}: a pattern is a url with *, such as s3://bucket/* or https://*.example.com/data/*")]
pub struct PatternError {
    pattern: String,
}

impl Pattern {
    /// Reads one pattern.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let text = text.trim();
        if text == "*" {
            return Ok(Self(Kind::Everything));
        }
        let kind = read(text).ok_or_else(|| PatternError {
            pattern: text.chars().take(80).collect(),
        })?;
        Ok(Self(kind))
    }

    /// Reads patterns with commas between them.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, PatternError> {
        text.split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(Self::parse)
            .collect()
    }

    pub(super) fn matches(&self, url: &Absolute) -> bool {
        match &self.0 {
            Kind::Everything => true,
            Kind::Url {
                scheme,
                host,
                port,
                rest,
            } => {
                *scheme == url.scheme
                    && host_matches(host, &url.host)
                    && port_matches(host, port.as_deref(), url.port.as_deref())
                    && rest.as_ref().is_none_or(|rest| glob(rest, &url.rest, |_| true))
            }
        }
    }
}

fn read(text: &str) -> Option<Kind> {
    let (scheme, rest) = text.split_once("://")?;
    let scheme = Scheme::parse(scheme)?;
    let (authority, path) = match rest.split_once('/') {
        Some((authority, path)) => (authority, Some(path)),
        None => (rest, None),
    };
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'*');
    let numbered = port.is_none_or(|port| port == "*" || port.parse::<u16>().is_ok());
    if host.is_empty() || !host.bytes().all(plain) || !numbered {
        return None;
    }
    let host = if scheme.is_web() {
        host.to_ascii_lowercase()
    } else {
        host.to_owned()
    };
    let default = if scheme == Scheme::Http { "80" } else { "443" };
    let port = port.filter(|port| *port != default).map(str::to_owned);
    let rest = path.map(|path| {
        if scheme.is_web() {
            format!("/{path}")
        } else {
            path.to_owned()
        }
    });
    Some(Kind::Url {
        scheme,
        host,
        port,
        rest,
    })
}

fn host_matches(pattern: &str, host: &str) -> bool {
    if pattern == "*" {
        return true;
    }
    let within_label = |c| c != '.';
    match pattern.strip_prefix("*.") {
        // One label or more stand before the dot; what follows it is matched label by label.
        Some(parent) => host
            .match_indices('.')
            .any(|(dot, _)| dot > 0 && glob(parent, &host[dot + 1..], within_label)),
        None => glob(pattern, host, within_label),
    }
}

fn port_matches(host: &str, pattern: Option<&str>, port: Option<&str>) -> bool {
    pattern == Some("*") || (host == "*" && pattern.is_none()) || pattern == port
}

/// Whether `pattern` matches all of `text`, where `*` takes any run of characters that `eats`.
fn glob(pattern: &str, text: &str, eats: impl Fn(char) -> bool) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    // Where the last star stands, and how far it has eaten.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&'*') {
            star = Some((p, t));
            p += 1;
        } else if pattern.get(p) == Some(&text[t]) {
            p += 1;
            t += 1;
        } else {
            match star {
                Some((at, eaten)) if eats(text[eaten]) => {
                    star = Some((at, eaten + 1));
                    p = at + 1;
                    t = eaten + 1;
                }
                _ => return false,
            }
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}
