//! The GeoJSON that was sent, with numbers among the properties of its features; everything else stays letter for letter: the order of
//! members, numbers of more digits than a float has, spaces.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;
use serde_json::value::RawValue;

/// Members by their name; of several of one name the last, as everywhere that reads the document.
type Members<'a> = BTreeMap<String, &'a RawValue>;

/// A text in place of a part of another.
struct Change {
    at: Range<usize>,
    text: String,
}

/// A document, a feature or a collection of them, with `statistics` for each feature; `None` where it is neither.
pub fn amend(document: &str, statistics: &[Value]) -> Option<String> {
    let whole: Members<'_> = serde_json::from_str(document).ok()?;
    let kind: String = serde_json::from_str(whole.get("type")?.get()).ok()?;
    let changes: Vec<Change> = if kind == "FeatureCollection" {
        let features: Vec<&RawValue> = serde_json::from_str(whole.get("features")?.get()).ok()?;
        let all = features.iter().zip(statistics);
        all.map(|(feature, numbers)| {
            let members: Members<'_> = serde_json::from_str(feature.get()).ok()?;
            change(document, place(document, feature)?.start, &members, numbers)
        })
        .collect::<Option<_>>()?
    } else {
        let from = document.find('{')?;
        vec![change(document, from, &whole, statistics.first()?)?]
    };
    let added: usize = changes.iter().map(|change| change.text.len()).sum();
    let mut amended = String::with_capacity(document.len() + added);
    let mut done = 0;
    for change in changes {
        amended.push_str(document.get(done..change.at.start)?);
        amended.push_str(&change.text);
        done = change.at.end;
    }
    amended.push_str(document.get(done..)?);
    Some(amended)
}

/// What is written where in the feature that begins at `from`.
fn change(document: &str, from: usize, feature: &Members<'_>, numbers: &Value) -> Option<Change> {
    let Some(properties) = feature.get("properties") else {
        let at = from + 1;
        return Some(Change {
            at: at..at,
            text: format!(r#""properties":{{"statistics":{numbers}}},"#),
        });
    };
    let at = place(document, properties)?;
    let Ok(members) = serde_json::from_str::<Members<'_>>(properties.get()) else {
        return Some(Change {
            at,
            text: format!(r#"{{"statistics":{numbers}}}"#),
        });
    };
    if let Some(known) = members.get("statistics") {
        return Some(Change {
            at: place(document, known)?,
            text: numbers.to_string(),
        });
    }
    let end = at.end.checked_sub(1)?;
    let comma = if members.is_empty() { "" } else { "," };
    Some(Change {
        at: end..end,
        text: format!(r#"{comma}"statistics":{numbers}"#),
    })
}

/// Where a part of a document stands in it.
fn place(document: &str, part: &RawValue) -> Option<Range<usize>> {
    let start = part.get().as_ptr().addr().checked_sub(document.as_ptr().addr())?;
    Some(start..start + part.get().len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn everything_else_stays_letter_for_letter() {
        for (sent, told) in [
            (
                r#" {"type":"Feature", "id": 12345678901234567890123, "properties": {"b":1.10, "a":1e2 }, "z":0}"#,
                r#" {"type":"Feature", "id": 12345678901234567890123, "properties": {"b":1.10, "a":1e2 ,"statistics":7}, "z":0}"#,
            ),
            (
                r#"{"properties":{ },"type":"Feature"}"#,
                r#"{"properties":{ "statistics":7},"type":"Feature"}"#,
            ),
            (
                r#"{"properties":null,"type":"Feature"}"#,
                r#"{"properties":{"statistics":7},"type":"Feature"}"#,
            ),
            (
                r#"{"type":"Feature"}"#,
                r#"{"properties":{"statistics":7},"type":"Feature"}"#,
            ),
            (
                r#"{"properties":{"statistics":{"b1":[1]},"a":"\u00e9"},"type":"Feature"}"#,
                r#"{"properties":{"statistics":7,"a":"\u00e9"},"type":"Feature"}"#,
            ),
        ] {
            assert_eq!(amend(sent, &[json!(7)]).as_deref(), Some(told));
            let of = |feature: &str| {
                format!(r#"{{"name":"x","features":[{feature},{feature}],"type":"FeatureCollection"}}"#)
            };
            let both = amend(&of(sent), &[json!(7), json!(7)]);
            assert_eq!(both, Some(of(told)));
        }
        assert_eq!(amend("[1]", &[json!(7)]), None);
    }

    #[test]
    fn of_members_of_one_name_the_last_counts() {
        let sent = r#"{"type":"FeatureCollection","features":[1],"features":[{"properties":{"a":1},"properties":null}]}"#;
        let told = r#"{"type":"FeatureCollection","features":[1],"features":[{"properties":{"a":1},"properties":{"statistics":7}}]}"#;
        assert_eq!(amend(sent, &[json!(7)]).as_deref(), Some(told));
    }
}
