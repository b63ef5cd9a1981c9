//! An expression's text as tokens.

use super::error::{ExpressionError, Problem};

/// Characters that an expression may have: the longest published indices take 200.
pub(super) const MAX_TEXT: usize = 4096;

/// A word of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A number.
    Number(f64),
    /// A band or a function.
    Name(String),
    /// A band whose name is more than one word, in quotes.
    Quoted(String),
    /// An operator or a bracket.
    Symbol(&'static str),
    /// The end of the text.
    End,
}

impl Token {
    /// The token as a message quotes it.
    pub(super) fn quoted(&self) -> String {
        match self {
            Self::Number(value) => format!("\"{value}\""),
            Self::Name(name) | Self::Quoted(name) => format!("{name:?}"),
            Self::Symbol(symbol) => format!("\"{symbol}\""),
            Self::End => "the end".to_owned(),
        }
    }
}

/// Longest first, so that `**` is not read as two `*`.
const SYMBOLS: [&str; 26] = [
    "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+", "-", "*", "/", "%", "<", ">", "&", "|", "^", "~",
    "(", ")", ",", ";", "[", "]", "=",
];

/// What other languages write, and what it is here.
const SPELLINGS: [(&str, &str); 3] = [("&&", "&"), ("||", "|"), ("<>", "!=")];

/// Splits a text into tokens, each with its place in characters from 1. The last is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, ExpressionError> {
    let length = text.chars().count();
    if length > MAX_TEXT {
        return Err(ExpressionError {
            position: MAX_TEXT + 1,
            problem: Problem::TooLong(length),
        });
    }
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let position = 1 + length - rest.chars().count();
        let (token, taken) = token(rest, first).map_err(|problem| ExpressionError { position, problem })?;
        tokens.push((position, token));
        rest = rest[taken..].trim_start();
    }
    tokens.push((length + 1, Token::End));
    Ok(tokens)
}

/// The token at the start of a text, and its length in bytes.
fn token(rest: &str, first: char) -> Result<(Token, usize), Problem> {
    if first.is_ascii_alphabetic() || first == '_' {
        let taken = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        return Ok((Token::Name(rest[..taken].to_owned()), taken));
    }
    if first == '"' {
        let taken = rest[1..].find('"').ok_or(Problem::Quote)?;
        let name = rest[1..=taken].to_owned();
        if name.trim().is_empty() {
            return Err(Problem::Quote);
        }
        return Ok((Token::Quoted(name), taken + 2));
    }
    if first.is_ascii_digit() || first == '.' {
        let taken = number_length(rest.as_bytes());
        let text = &rest[..taken];
        let value = number(text).filter(|value| value.is_finite());
        return value
            .map(|value| (Token::Number(value), taken))
            .ok_or_else(|| Problem::Number(text.to_owned()));
    }
    if let Some((wrong, right)) = SPELLINGS.iter().find(|(wrong, _)| rest.starts_with(wrong)) {
        return Err(Problem::Spelling((*wrong).to_owned(), right));
    }
    match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        Some(&"=") => Err(Problem::Spelling("=".to_owned(), "==")),
        Some(&"[" | &"]") | None => Err(Problem::Character(first)),
        Some(symbol) => Ok((Token::Symbol(symbol), symbol.len())),
    }
}

/// A number as Python writes it: decimal, or whole in hexadecimal, octal or binary; `_` parts digits.
fn number(text: &str) -> Option<f64> {
    let is_parted = text.contains('_');
    let between_digits = || {
        let parts = text.split('_');
        let mut all =
            parts.map(|part| part.starts_with(|c: char| c.is_ascii_alphanumeric()) && !part.ends_with('.'));
        all.all(|is_digits| is_digits)
    };
    if is_parted && !between_digits() {
        return None;
    }
    let plain = if is_parted {
        text.replace('_', "")
    } else {
        text.to_owned()
    };
    let lower = plain.to_ascii_lowercase();
    let whole = [("0x", 16), ("0o", 8), ("0b", 2)]
        .iter()
        .find_map(|(prefix, radix)| Some((lower.strip_prefix(prefix)?, *radix)));
    match whole {
        Some((digits, radix)) => u64::from_str_radix(digits, radix).ok().map(|value| value as f64),
        None => plain.parse().ok(),
    }
}

/// Length of a decimal number with an optional exponent, and of letters glued to it (`2b1` is no number).
fn number_length(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(&c) = text.get(at) {
        let signed_exponent = matches!(c, b'e' | b'E')
            && matches!(text.get(at + 1), Some(b'+' | b'-'))
            && text.get(at + 2).is_some_and(u8::is_ascii_digit);
        if signed_exponent {
            at += 2;
        } else if !(c.is_ascii_alphanumeric() || matches!(c, b'.' | b'_')) {
            break;
        }
        at += 1;
    }
    at
}
