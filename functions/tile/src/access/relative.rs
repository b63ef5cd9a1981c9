//! Relative urls: a chain of plain names.

use percent_encoding::percent_decode_str;

/// How often text may be percent-decoded before it stops changing; more is a disguise.
const MOST_DECODINGS: usize = 4;

/// Whether `text` is a chain of plain names that stays below wherever it is joined.
pub(super) fn is_plain(text: &str) -> bool {
    every_reading(text, |reading| {
        !reading.chars().any(|c| c.is_control() || c == '\\') && reading.split('/').all(is_name)
    })
}

/// Whether some reading of `path` has a segment that climbs or stays: `.`, `..`, also behind `;` or `\`.
pub(super) fn climbs(path: &str) -> bool {
    let stays = |reading: &str| {
        reading
            .split(['/', '\\'])
            .all(|segment| !is_dots(segment.split(';').next().unwrap_or_default()))
    };
    !every_reading(path, stays)
}

/// Whether `holds` is true of the text as it stands and as often as it can be percent-decoded.
fn every_reading(text: &str, holds: impl Fn(&str) -> bool) -> bool {
    let mut reading = text.to_owned();
    for _ in 0..MOST_DECODINGS {
        if !holds(&reading) {
            return false;
        }
        let Ok(decoded) = percent_decode_str(&reading).decode_utf8() else {
            return false;
        };
        if decoded == reading {
            return true;
        }
        reading = decoded.into_owned();
    }
    false
}

fn is_name(segment: &str) -> bool {
    !segment.is_empty() && !is_dots(segment.split(';').next().unwrap_or_default())
}

fn is_dots(segment: &str) -> bool {
    matches!(segment.trim(), "." | "..")
}
