//! Who may come in: keys for callers, and signatures for addresses that others pass on.
//!
//! A key stands in `Authorization: Bearer …`, `X-Api-Key` or `access_token=`. A signature stands in the query beside the
//! time at which it ends, `expires=…&signature=…`. It is the HMAC-SHA256 (RFC 2104) of four lines:
//!
//! ```text
//! edgetile-1
//! 1798761600
//! /tiles/ndvi/{z}/{x}/{y}.png
//! colormap_name=viridis&rescale=0,1
//! ```
//!
//! The time in seconds since 1970, the path (behind `POST ` where it is asked so), and the query in one spelling: every parameter that a route reads, sorted, each
//! value encoded once, what says the default left out, as the CDN leaves it out. A path of a tile counts as it stands, or
//! with `{z}/{x}/{y}` in place of its numbers and without `@2x`: who has that signature has all tiles of one style. Comparisons take
//! the same time wherever texts differ. Nothing here is ever shown or logged.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{Method, Request};
use ring::hmac;

use crate::request::{GRID, Query, encode};

/// The first line of what is signed.
const VERSION: &str = "edgetile-1";
/// What stands before a path that is asked by POST: who may read an address may not have other values by sending it a feature.
const POST: &str = "POST ";
/// What a key signs so that two of them can be compared.
const COMPARED: &[u8] = b"key";
/// How long a signature lasts that is given to who came with a key.
const GRANTED: Duration = Duration::from_hours(24);

/// Secrets as an operator lists them. The first signs, all are accepted, so that one can follow another.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secrets(Vec<String>);

impl Secrets {
    /// Reads a list: each of at least 16 characters, which need no encoding anywhere.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~');
        let secrets: Vec<String> = text
            .split(',')
            .map(str::trim)
            .filter(|secret| !secret.is_empty())
            .map(str::to_owned)
            .collect();
        if secrets.is_empty() && !text.is_empty() {
            // Nothing would be protected.
            return Err("lists no secret");
        }
        if secrets
            .iter()
            .all(|secret| secret.len() >= 16 && secret.bytes().all(plain))
        {
            Ok(Self(secrets))
        } else {
            Err("holds what is no secret of at least 16 letters, digits and - . _ ~")
        }
    }

    fn keys(&self) -> Vec<hmac::Key> {
        let key = |secret: &String| hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        self.0.iter().map(key).collect()
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} secrets", self.0.len())
    }
}

/// What is protected where a layer does not say so itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protects {
    /// Everything that has pixels.
    All,
    /// Files that requests name.
    Urls,
    /// Layers.
    Layers,
    /// Nothing.
    Nothing,
}

impl Protects {
    /// Reads the setting.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        match text {
            "all" => Ok(Self::All),
            "urls" => Ok(Self::Urls),
            "layers" => Ok(Self::Layers),
            "none" => Ok(Self::Nothing),
            _ => Err("is none of all, urls, layers and none"),
        }
    }
}

/// Why a caller may not come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Barred {
    /// Nothing was shown.
    #[error("a key is needed here: Authorization: Bearer KEY, X-Api-Key: KEY, or a signed address")]
    NoKey,
    /// A key that is none of ours.
    #[error("the key is not one that opens this")]
    WrongKey,
    /// A signature that covers something else.
    #[error(
        "the signature does not cover this request: change nothing in a signed address but z, x, y and the scale"
    )]
    WrongSignature,
    /// A signature that has ended.
    #[error("the signature has expired")]
    Expired,
}

/// By what right a caller came in, and so who else may have the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Audience {
    /// Everyone.
    #[default]
    Everyone,
    /// Who holds a key.
    KeyHolder,
    /// Who has the address, until then (seconds since 1970).
    Until {
        /// When the signature ends.
        expires_s: u64,
        /// How long that is from now.
        left_s: u64,
    },
}

/// Guards what is protected.
#[derive(Debug)]
pub struct Guard {
    keys: Vec<hmac::Key>,
    signing: Vec<hmac::Key>,
    protects: Protects,
}

impl Guard {
    /// Everything is protected once there is a key, unless the operator says otherwise.
    pub fn new(keys: &Secrets, signing: &Secrets, protects: Option<Protects>) -> Self {
        let any = !keys.0.is_empty() || !signing.0.is_empty();
        Self {
            keys: keys.keys(),
            signing: signing.keys(),
            protects: protects.unwrap_or(if any { Protects::All } else { Protects::Nothing }),
        }
    }

    /// Whether layers that do not say so themselves are protected.
    pub fn protects_layers(&self) -> bool {
        matches!(self.protects, Protects::All | Protects::Layers)
    }

    /// Whether files that requests name are protected.
    pub fn protects_urls(&self) -> bool {
        matches!(self.protects, Protects::All | Protects::Urls)
    }

    /// Whether anybody can come in where it is protected.
    pub fn has_keys(&self) -> bool {
        !self.keys.is_empty() || !self.signing.is_empty()
    }

    /// Whether the caller holds a key; `None` where none is shown.
    pub fn key(&self, request: &Request<Bytes>, query: &Query) -> Option<bool> {
        let header = |name: &str| request.headers().get(name).map(http::HeaderValue::as_bytes);
        let bearer = header(AUTHORIZATION.as_str()).and_then(|value| {
            let (scheme, key) = value.split_at_checked(7)?;
            scheme.eq_ignore_ascii_case(b"bearer ").then_some(key)
        });
        let parameter = query.many("access_token").next().map(str::as_bytes);
        let given = bearer.or_else(|| header("x-api-key")).or(parameter)?.trim_ascii();
        let given = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, given), COMPARED);
        // All are compared, so that the time tells nothing about which one it is.
        let opens = |key: &&hmac::Key| hmac::verify(key, COMPARED, given.as_ref()).is_ok();
        Some(self.keys.iter().filter(opens).count() > 0)
    }

    /// Lets a caller in where a key or a signature is needed.
    pub fn admit(&self, request: &Request<Bytes>, now_s: u64) -> Result<Audience, Barred> {
        let query = Query::parse(request.uri().query().unwrap_or_default()).unwrap_or_default();
        match self.key(request, &query) {
            Some(true) => return Ok(Audience::KeyHolder),
            Some(false) => return Err(Barred::WrongKey),
            None => {}
        }
        let mut given = query.many("signature").zip(query.many("expires"));
        let Some((signature, expires)) = given.next() else {
            return Err(Barred::NoKey);
        };
        let expires_s: u64 = expires.parse().map_err(|_| Barred::WrongSignature)?;
        let signature = decoded(signature).ok_or(Barred::WrongSignature)?;
        let covered = Covered::of(request.method(), request.uri().path(), &query);
        let holds = |path: &String| {
            let text = covered.text(path, expires_s);
            let by = |key: &&hmac::Key| hmac::verify(key, text.as_bytes(), &signature).is_ok();
            self.signing.iter().filter(by).count() > 0
        };
        if covered.paths.iter().filter(|path| holds(path)).count() == 0 {
            return Err(Barred::WrongSignature);
        }
        match expires_s.checked_sub(now_s).filter(|left_s| *left_s > 0) {
            Some(left_s) => Ok(Audience::Until { expires_s, left_s }),
            None => Err(Barred::Expired),
        }
    }

    /// What an address of tiles needs behind it so that it opens as long as the caller's own right lasts: `expires=…&signature=…`.
    /// Nothing where everyone has it, or where nobody signs.
    pub fn grant(&self, audience: Audience, template: &str, now_s: u64) -> Option<String> {
        match audience {
            Audience::Everyone => None,
            Audience::KeyHolder => self.sign(&Method::GET, template, now_s + GRANTED.as_secs()),
            Audience::Until { expires_s, .. } => self.sign(&Method::GET, template, expires_s),
        }
    }

    /// `expires=…&signature=…` for a path with its query, asked by a method; `None` without a key to sign with.
    pub fn sign(&self, method: &Method, path_and_query: &str, expires_s: u64) -> Option<String> {
        let key = self.signing.first()?;
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        let query = Query::parse(query).unwrap_or_default();
        let covered = Covered::of(method, path, &query);
        let text = covered.text(covered.paths.first()?, expires_s);
        let signature = base64_simd::URL_SAFE_NO_PAD.encode_to_string(hmac::sign(key, text.as_bytes()));
        Some(format!("expires={expires_s}&signature={signature}"))
    }
}

/// Seconds since 1970.
pub fn now_s() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(u64::MAX, |since| since.as_secs())
}

fn decoded(signature: &str) -> Option<Vec<u8>> {
    let is_long = signature.len() > 64;
    (!is_long).then(|| base64_simd::URL_SAFE_NO_PAD.decode_to_vec(signature).ok())?
}

/// What a signature covers.
struct Covered {
    /// What stands before the path.
    method: &'static str,
    /// The path as it stands, then as a template where it is one of a tile.
    paths: Vec<String>,
    query: String,
}

impl Covered {
    fn of(method: &Method, path: &str, query: &Query) -> Self {
        Self {
            method: if *method == Method::POST { POST } else { "" },
            paths: paths(path),
            query: query.signed(),
        }
    }

    fn text(&self, path: &str, expires_s: u64) -> String {
        format!("{VERSION}\n{expires_s}\n{}{path}\n{}", self.method, self.query)
    }
}

/// A path in one spelling, and behind it the template of all tiles beside it.
fn paths(path: &str) -> Vec<String> {
    let decoded = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
    let path = decoded.strip_suffix('/').unwrap_or(&decoded);
    let segments: Vec<&str> = path.split('/').collect();
    let [before @ .., z, x, last] = segments.as_slice() else {
        return vec![path.to_owned()];
    };
    let before = before
        .iter()
        .map(|segment| encode(segment))
        .collect::<Vec<_>>()
        .join("/");
    let (rest, extension) = last
        .split_once('.')
        .map_or((*last, String::new()), |(rest, ext)| (rest, format!(".{ext}")));
    let (y, scale) = rest.split_once('@').map_or((rest, ""), |(y, scale)| (y, scale));
    let template = format!("{before}/{{z}}/{{x}}/{{y}}{extension}");
    if (*z, *x) == ("{z}", "{x}") && matches!(y, "{y}" | "{y}{r}") {
        return vec![template];
    }
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if ![*z, *x, y].into_iter().all(is_number) {
        return vec![
            segments
                .iter()
                .map(|segment| encode(segment))
                .collect::<Vec<_>>()
                .join("/"),
        ];
    }
    let plain = |digits: &str| match digits.trim_start_matches('0') {
        "" => "0".to_owned(),
        digits => digits.to_owned(),
    };
    let scale = if matches!(scale, "" | "1x") {
        String::new()
    } else {
        format!("@{scale}")
    };
    let exact = format!(
        "{before}/{}/{}/{}{scale}{extension}",
        plain(z),
        plain(x),
        plain(y)
    );
    let mut paths = vec![exact, template];
    paths.extend(on_any_grid(&before).map(|before| format!("{before}/{{z}}/{{x}}/{{y}}{extension}")));
    paths
}

/// Where the tiles of a source are on all grids, by where they are on one.
fn on_any_grid(before: &str) -> Option<String> {
    match before.split('/').collect::<Vec<_>>().as_slice() {
        ["", prefix @ ("cog" | "stac" | "mosaicjson"), "tiles", _] => Some(format!("/{prefix}/tiles/{GRID}")),
        ["", "tiles", layer, _] => Some(format!("/tiles/{layer}/{GRID}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
