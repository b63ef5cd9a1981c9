//! A value of the layers file and where it stands, so that every mistake is told with its line and its member.
//!
//! `serde_json` hands out each value as the slice of the file that it is; where the slice begins is where it stands.
//! Columns count characters from 1, paths are those of `jq`: `layers[0].style.rescale`.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// The longest value that a message repeats, in bytes.
const LONGEST_SHOWN: usize = 40;

/// What is wrong with a layers file, and where.
#[derive(Debug, thiserror::Error)]
#[error("{line}:{column}: {path}{}{reason}", if path.is_empty() { "" } else { ": " })]
pub struct LayersError {
    line: usize,
    column: usize,
    path: String,
    reason: String,
}

/// A value.
#[derive(Clone, Debug)]
pub(crate) struct Written<'a> {
    file: &'a str,
    text: &'a str,
    path: String,
}

/// The members of an object, in order.
#[derive(Debug)]
pub(crate) struct Members<'a> {
    of: Written<'a>,
    all: Vec<(String, Written<'a>)>,
}

impl<'a> Written<'a> {
    /// The value that a whole file is.
    pub(crate) fn of(file: &'a str) -> Result<Self, LayersError> {
        // Some editors begin a file with a byte order mark.
        let file = file.strip_prefix('\u{feff}').unwrap_or(file);
        match serde_json::from_str::<&RawValue>(file) {
            Ok(raw) => Ok(Self {
                file,
                text: raw.get(),
                path: String::new(),
            }),
            Err(error) => Err(syntax(file, &error)),
        }
    }

    /// A mistake at this value.
    pub(crate) fn fault(&self, reason: impl Into<String>) -> LayersError {
        let at = self.text.as_ptr() as usize - self.file.as_ptr() as usize;
        located(self.file, at, self.path.clone(), reason.into())
    }

    /// Says that it is not what it should be, and what it is where that is short.
    fn is_not(&self, wanted: &str) -> LayersError {
        self.fault(format!("is {}, not {wanted}", self.shown()))
    }

    /// The value itself if it is short, else its kind.
    pub(crate) fn shown(&self) -> &'a str {
        match self.text.as_bytes().first() {
            _ if self.text.len() <= LONGEST_SHOWN && !self.text.contains('\n') => self.text,
            Some(b'{') => "an object",
            Some(b'[') => "a list",
            Some(b'"') => "a long text",
            _ => "a long number",
        }
    }

    /// Its members. Two of one name are refused: it would be a matter of luck which one counts.
    pub(crate) fn members(&self) -> Result<Members<'a>, LayersError> {
        let Pairs(pairs) = serde_json::from_str(self.text).map_err(|_| self.is_not("an object"))?;
        let mut all: Vec<(String, Written<'a>)> = Vec::with_capacity(pairs.len());
        for (name, raw) in pairs {
            let name: String = serde_json::from_str(name.get())
                .map_err(|_| self.fault(format!("has a member {} that is no name", name.get())))?;
            let dot = if self.path.is_empty() { "" } else { "." };
            let value = self.within(raw, &format!("{dot}{name}"));
            if all.iter().any(|(known, _)| *known == name) {
                return Err(value.fault("stands twice"));
            }
            all.push((name, value));
        }
        Ok(Members {
            of: self.clone(),
            all,
        })
    }

    /// Its items.
    pub(crate) fn items(&self) -> Result<Vec<Self>, LayersError> {
        let raw: Vec<&RawValue> = serde_json::from_str(self.text).map_err(|_| self.is_not("a list"))?;
        let item = |(at, raw): (usize, &'a RawValue)| self.within(raw, &format!("[{at}]"));
        Ok(raw.into_iter().enumerate().map(item).collect())
    }

    fn within(&self, raw: &'a RawValue, step: &str) -> Self {
        Self {
            file: self.file,
            text: raw.get(),
            path: self.path.clone() + step,
        }
    }

    /// It as text.
    pub(crate) fn text(&self) -> Result<String, LayersError> {
        serde_json::from_str(self.text).map_err(|_| self.is_not("text"))
    }

    /// It as a number.
    pub(crate) fn number(&self) -> Result<f64, LayersError> {
        let number: Option<f64> = serde_json::from_str(self.text).ok();
        number
            .filter(|number| number.is_finite())
            .ok_or_else(|| self.is_not("a number"))
    }

    /// It as a whole number, `1.0` too, as JSON Schema has it.
    pub(crate) fn whole(&self, least: u32, most: u32) -> Result<u32, LayersError> {
        let number = self.number().ok();
        let is_meant =
            |number: &f64| number.fract() == 0.0 && (f64::from(least)..=f64::from(most)).contains(number);
        let number = number.filter(is_meant);
        let wanted = || self.is_not(&format!("a whole number from {least} to {most}"));
        number.map(|number| number as u32).ok_or_else(wanted)
    }

    /// It as so many numbers.
    pub(crate) fn numbers<const N: usize>(&self, called: &str) -> Result<[f64; N], LayersError> {
        let items = self.items().map_err(|_| self.is_not(called))?;
        let numbers: Vec<f64> = items.iter().map(Self::number).collect::<Result<_, _>>()?;
        numbers.try_into().map_err(|_| self.is_not(called))
    }

    /// It as JSON.
    pub(crate) fn value(&self) -> Result<Value, LayersError> {
        serde_json::from_str(self.text).map_err(|error| self.fault(words(&error)))
    }

    /// Whether it says that there is nothing.
    fn is_null(&self) -> bool {
        self.text == "null"
    }
}

impl<'a> Members<'a> {
    /// Those that may stand here, or which one may not.
    pub(crate) fn only(self, known: &[&str]) -> Result<Self, LayersError> {
        match self.all.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            Some((_, odd)) => Err(odd.fault(format!("is unknown here: give {}", known.join(", ")))),
            None => Ok(self),
        }
    }

    /// One of them. Null is as if it were not there.
    pub(crate) fn get(&self, name: &str) -> Option<&Written<'a>> {
        let found = self.all.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value).filter(|value| !value.is_null())
    }

    /// One that must be there.
    pub(crate) fn required(&self, name: &str) -> Result<&Written<'a>, LayersError> {
        self.get(name)
            .ok_or_else(|| self.of.fault(format!("lacks {name}")))
    }

    /// One that is text.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, LayersError> {
        self.get(name).map(Written::text).transpose()
    }

    /// The items of one, none if it is not there.
    pub(crate) fn items(&self, name: &str) -> Result<Vec<Written<'a>>, LayersError> {
        let items = self.get(name).map(Written::items).transpose()?;
        Ok(items.unwrap_or_default())
    }

    /// All, in order, those that are null too.
    pub(crate) fn all(&self) -> &[(String, Written<'a>)] {
        &self.all
    }

    /// What they are the members of.
    pub(crate) fn of(&self) -> &Written<'a> {
        &self.of
    }
}

/// The members of an object as they stand.
struct Pairs<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Pairs<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Pairs<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = members.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

/// Steps that a message tells of.
const DEEPEST_STEP: usize = 12;

fn located(file: &str, at: usize, path: String, reason: String) -> LayersError {
    let before = file.get(..at).unwrap_or(file);
    let line = before.rsplit('\n').next().unwrap_or_default();
    LayersError {
        line: before.matches('\n').count() + 1,
        column: line.chars().count() + 1,
        path,
        reason,
    }
}

/// What is no JSON, within the member that it stands in.
fn syntax(file: &str, error: &serde_json::Error) -> LayersError {
    let lines = file.split_inclusive('\n').take(error.line().saturating_sub(1));
    let at = lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
    located(file, at, path_at(file, at), words(error))
}

/// The words of the parser without its place.
fn words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

/// Which members and items lead to a byte of what is JSON up to there.
fn path_at(file: &str, at: usize) -> String {
    let mut steps: Vec<(Option<&str>, usize)> = Vec::new();
    let bytes = &file.as_bytes()[..at.min(file.len())];
    let mut next = 0;
    while let Some(byte) = bytes.get(next) {
        match (byte, steps.last_mut()) {
            (b'{', _) => steps.push((Some(""), 0)),
            (b'[', _) => steps.push((None, 0)),
            (b'}' | b']', _) => drop(steps.pop()),
            (b',', Some((key @ Some(_), _))) => *key = Some(""),
            (b',', Some((None, count))) => *count += 1,
            (b'"', step) => {
                let mut end = next + 1;
                while bytes.get(end).is_some_and(|byte| *byte != b'"') {
                    end += if bytes[end] == b'\\' { 2 } else { 1 };
                }
                // The first text behind { or a comma is a name.
                if let Some((Some(key @ ""), _)) = step {
                    *key = file.get(next + 1..end).unwrap_or_default();
                }
                next = end;
            }
            _ => {}
        }
        next += 1;
    }
    let mut path = String::new();
    // Deeper than any member lies, steps say nothing more.
    for (key, count) in steps.into_iter().take(DEEPEST_STEP) {
        match key {
            Some("") => {}
            Some(key) if path.is_empty() => path.push_str(key),
            Some(key) => path.extend([".", key]),
            None => path.extend(["[", &count.to_string(), "]"]),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_json_is_told_with_the_member_that_it_stands_in() {
        for (file, told) in [
            (
                "{\n \"a\": [1, {\"b\\\"{\": nul}]}",
                "2:23: a[1].b\\\"{: expected ident",
            ),
            ("{\"é\": 1 \"b\": 2}", "1:9: é: expected `,` or `}`"),
            ("", "1:1: EOF while parsing a value"),
            ("[1,", "1:3: [0]: EOF while parsing a value"),
            ("{} x", "1:4: trailing characters"),
        ] {
            assert_eq!(Written::of(file).unwrap_err().to_string(), told);
        }
    }

    #[test]
    fn values_know_where_they_stand() {
        let file = "{\"é\": [\n  1.0, {\"n\": null, \"t\": \"x\"}]}";
        let whole = Written::of(file).unwrap();
        let items = whole.members().unwrap().required("é").unwrap().items().unwrap();
        assert_eq!(items[0].whole(0, 1).unwrap(), 1);
        let wrong = items[0].whole(2, 3).unwrap_err().to_string();
        assert_eq!(wrong, "2:3: é[0]: is 1.0, not a whole number from 2 to 3");
        let members = items[1].members().unwrap();
        assert!(members.get("n").is_none() && members.all().len() == 2);
        let wrong = members.get("t").unwrap().number().unwrap_err().to_string();
        assert_eq!(wrong, "2:25: é[1].t: is \"x\", not a number");
        let wrong = members.required("n").unwrap_err().to_string();
        assert_eq!(wrong, "2:8: é[1]: lacks n");
        let twice = Written::of("{\"a\": 1,\n\"a\": 1}").unwrap().members();
        assert_eq!(twice.unwrap_err().to_string(), "2:6: a: stands twice");
        let odd = Written::of("[]").unwrap().members().unwrap_err();
        assert_eq!(odd.to_string(), "1:1: is [], not an object");
    }
}
