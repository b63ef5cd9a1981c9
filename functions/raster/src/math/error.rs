//! What can be wrong with an expression, and where: all of it is for its writer to mend.

use thiserror::Error;

/// An expression that cannot be meant.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("expression, character {position}: {problem}")]
pub struct ExpressionError {
    /// Where, in characters counted from 1.
    pub position: usize,
    /// What.
    pub problem: Problem,
}

/// What is wrong at a place of an expression.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[expect(missing_docs, reason = "the messages say it all")]
pub enum Problem {
    #[error("it is empty: write something like (b4-b3)/(b4%2Bb3)")]
    Empty,
    #[error("{0} characters are more than the limit of {max}", max = super::token::MAX_TEXT)]
    TooLong(usize),
    #[error("nested deeper than the limit of {max}", max = super::parse::MAX_DEPTH)]
    TooDeep,
    #[error("more operations than the limit of {max}", max = super::parse::MAX_NODES)]
    TooMany,
    #[error("more bands than the limit of {max}", max = super::parse::MAX_BANDS)]
    TooManyBands,
    #[error("more outputs than the limit of {max}", max = super::parse::MAX_OUTPUTS)]
    TooManyOutputs,
    #[error("it names no band: write b1, b2, … or a band's name")]
    NoBand,
    #[error("{0:?} has no meaning here")]
    Character(char),
    #[error("{0:?} is not a number")]
    Number(String),
    #[error("a band's name begins with a quote, and is empty or has no end")]
    Quote,
    #[error("{found} stands where a band, a number, a function or ( should")]
    Operand { found: String },
    #[error("an operator is missing before {found} (in a URL, + is written %2B)")]
    Operator { found: String },
    #[error("{found} stands where ) should")]
    Parenthesis { found: String },
    #[error("{0:?} is written {1:?} here, with its operands in parentheses")]
    Spelling(String, &'static str),
    #[error("a chain of comparisons has no meaning: write (a < b) & (b < c)")]
    Chain,
    #[error("no function is called {name:?}: there are {known}")]
    Function { name: String, known: String },
    #[error("{name} takes {takes}, not {given}")]
    Arguments {
        name: &'static str,
        takes: &'static str,
        given: usize,
    },
    #[error("{name} over a whole tile would differ from tile to tile; {instead}")]
    Reduction { name: String, instead: &'static str },
}
