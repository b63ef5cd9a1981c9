//! The address under which callers know this server.

use bytes::Bytes;
use http::Request;

use crate::event::PublicPrefix;
use crate::settings::Settings;

/// Scheme, host and prefix, without a slash at the end: the operator's, or else what the request tells.
///
/// A CDN in front of a Function URL must send another `Host`, so ours tells the public one in `x-public-host`. No
/// shared cache keeps an answer that a caller's own header has bent: the CDN overwrites it.
pub(super) fn base(settings: &Settings, request: &Request<Bytes>) -> String {
    if let Some(url) = &settings.public_url {
        return url.clone();
    }
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    let public = header("x-public-host").filter(|host| is_host(host));
    let host = public
        .or_else(|| header("host").filter(|host| is_host(host)))
        .unwrap_or("localhost");
    // Of a chain of proxies, the first is the one that the caller reached.
    let protocol = header("x-forwarded-proto").and_then(|chain| chain.split(',').next());
    let scheme = match (public, protocol.map(str::trim)) {
        (Some(_), _) | (None, Some("https")) => "https",
        _ => "http",
    };
    let prefix = request
        .extensions()
        .get::<PublicPrefix>()
        .map_or("", |prefix| prefix.0.as_str());
    format!("{scheme}://{host}{prefix}")
}

fn is_host(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b':' | b'[' | b']');
    !text.is_empty() && text.len() <= 255 && text.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn of(public_url: &str, headers: &[(&str, &str)], prefix: &str) -> String {
        let environment = BTreeMap::from([("EDGETILE_PUBLIC_URL".to_owned(), public_url.to_owned())]);
        let settings = Settings::read(&BTreeMap::new(), environment).unwrap();
        let mut request = Request::builder();
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(Bytes::new()).unwrap();
        request.extensions_mut().insert(PublicPrefix(prefix.into()));
        base(&settings, &request)
    }

    #[test]
    fn the_operators_address_wins_and_then_the_cdns() {
        let cdn = [
            ("host", "x.lambda-url.aws"),
            ("x-public-host", "tiles.org"),
            ("x-forwarded-proto", "http"),
        ];
        assert_eq!(of("https://own.org/maps/", &cdn, ""), "https://own.org/maps");
        assert_eq!(of("", &cdn, ""), "https://tiles.org");
        assert_eq!(
            of("", &[("host", "a.aws"), ("x-forwarded-proto", "https")], "/prod"),
            "https://a.aws/prod"
        );
        assert_eq!(
            of("", &[("host", "a.org"), ("x-forwarded-proto", "https, http")], ""),
            "https://a.org"
        );
        assert_eq!(of("", &[("host", "127.0.0.1:8080")], ""), "http://127.0.0.1:8080");
        assert_eq!(of("", &[], ""), "http://localhost");
    }

    #[test]
    fn a_host_that_is_none_is_not_repeated() {
        for host in ["a/b", "a b", "a\"b", "user@host", "<script>"] {
            assert_eq!(of("", &[("host", host)], ""), "http://localhost", "{host}");
        }
    }
}
