//! The caller's place in a trace, for the log: W3C Trace Context, Recommendation of 23 November 2021.
//!
//! Nothing is sent on to stores: a read of theirs may serve many requests at once, so it belongs to no trace.

use http::HeaderMap;

/// The header that holds it (clause 3.2.1).
const NAME: &str = "traceparent";

/// The value of `traceparent`, if it says what clause 3.2.2 asks for: lower-case hexadecimal
/// `version-trace_id-parent_id-flags`, no identifier all zero, and nothing behind the flags in version 00.
pub(super) fn caller(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(NAME).iter();
    let text = given.next()?.to_str().ok()?;
    let is_one = given.next().is_none();
    let mut parts = text.split('-');
    let mut next = |digits: usize| parts.next().filter(|part| is_hex(part, digits));
    let (version, trace, parent, _flags) = (next(2)?, next(32)?, next(16)?, next(2)?);
    let ends = parts.next().is_none();
    let fits = match version {
        "00" => ends,
        "ff" => false,
        _ => true,
    };
    // Later versions may be longer; no version known needs more.
    (is_one && fits && text.len() <= 128 && !is_zero(trace) && !is_zero(parent)).then_some(text)
}

fn is_hex(part: &str, digits: usize) -> bool {
    part.len() == digits && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_zero(part: &str) -> bool {
    part.bytes().all(|byte| byte == b'0')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of clause 3.2.3.
    const EXAMPLE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn heard(values: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(NAME, value.parse().unwrap());
        }
        caller(&headers).map(str::to_owned)
    }

    #[test]
    fn a_trace_is_taken_as_it_is_written() {
        assert_eq!(heard(&[EXAMPLE]).as_deref(), Some(EXAMPLE));
        let later = format!("01{}-more", &EXAMPLE[2..]);
        assert_eq!(heard(&[&later]), Some(later));
    }

    #[test]
    fn what_is_no_trace_is_left_out() {
        let zeros = ("0".repeat(32), "0".repeat(16));
        for wrong in [
            "",
            "00",
            &EXAMPLE.to_uppercase(),
            &format!("{EXAMPLE}-more"),
            &format!("ff{}", &EXAMPLE[2..]),
            &EXAMPLE.replace("4bf92f3577b34da6a3ce929d0e0e4736", &zeros.0),
            &EXAMPLE.replace("00f067aa0ba902b7", &zeros.1),
            &EXAMPLE.replace("-01", "-1"),
            &format!("01{}-{}", &EXAMPLE[2..], "0".repeat(99)),
        ] {
            assert_eq!(heard(&[wrong]), None, "{wrong}");
        }
        assert_eq!(heard(&[EXAMPLE, EXAMPLE]), None);
        assert_eq!(heard(&[]), None);
    }
}
