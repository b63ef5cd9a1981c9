//! What a caller would rather have, where an address leaves it open: `Accept` (RFC 9110 §12.5.1).
//!
//! Only types that the field names count. A wildcard says that anything will do, which the default does. Of types that are
//! wanted alike, the one that stands first in our list is taken. The CDN reads the field by the same rule
//! (`infra/edge/normalize.js`), and keeps an answer for each outcome.

use http::HeaderMap;
use http::header::ACCEPT;

use super::Format;

/// The format of a tile without an extension.
pub fn format_of(headers: &HeaderMap) -> Format {
    let types: Vec<&str> = Format::ALL
        .iter()
        .map(|format| plain(format.media_type()))
        .collect();
    best(headers, &types)
        .and_then(|at| Format::ALL.get(at).copied())
        .unwrap_or(Format::Fitting)
}

/// The place of the type that is wanted most, if any is named.
pub fn best(headers: &HeaderMap, types: &[&str]) -> Option<usize> {
    let fields = headers.get_all(ACCEPT).iter();
    let ranges = fields
        .filter_map(|field| field.to_str().ok())
        .flat_map(|field| field.split(','));
    let mut found: Option<(f32, usize)> = None;
    for range in ranges {
        let (name, weight) = read(range);
        let at = types.iter().position(|known| known.eq_ignore_ascii_case(name));
        let better =
            |at: usize| found.is_none_or(|(most, first)| weight > most || weight == most && at < first);
        if let Some(at) = at.filter(|at| weight > 0.0 && better(*at)) {
            found = Some((weight, at));
        }
    }
    found.map(|(_, at)| at)
}

/// A media range and its weight, 0 where that cannot be read.
fn read(range: &str) -> (&str, f32) {
    let weight = range
        .split(';')
        .skip(1)
        .find_map(|parameter| parameter.trim().strip_prefix("q="));
    let weight = weight.map_or(1.0, |text| text.trim().parse().unwrap_or(0.0));
    (plain(range), weight)
}

/// A type without its parameters.
fn plain(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn of(accept: &str) -> Format {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_str(accept).unwrap());
        format_of(&headers)
    }

    #[test]
    fn the_type_that_is_wanted_most_is_taken() {
        for (accept, format) in [
            ("image/webp", Format::Webp),
            ("image/jpeg;q=0.5, image/png;q=0.4", Format::Jpeg),
            ("image/jpeg ; q=0.5,IMAGE/WEBP; q=0.9", Format::Webp),
            ("image/jpeg, image/png", Format::Png),
            ("image/tiff; application=geotiff", Format::Tif),
            ("application/x-binary", Format::Npy),
            // Chromium's for a picture on a page.
            (
                "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
                Format::Webp,
            ),
        ] {
            assert_eq!(of(accept), format, "{accept}");
        }
    }

    #[test]
    fn what_names_nothing_that_is_drawn_here_leaves_it_open() {
        for accept in [
            "*/*",
            "image/*",
            "image/avif",
            "",
            "image/png;q=0",
            "image/png;q=x",
            "text/html,*/*;q=0.1",
        ] {
            assert_eq!(of(accept), Format::Fitting, "{accept}");
        }
        assert_eq!(format_of(&HeaderMap::new()), Format::Fitting);
    }
}
