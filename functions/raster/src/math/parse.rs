//! The grammar: tokens → graph, by recursive descent.

use super::BandRef;
use super::error::{ExpressionError, Problem};
use super::graph::{Graph, Id};
use super::operation::{Binary, FUNCTIONS, Function, LEVELS, Unary};
use super::token::{Token, tokens};

/// Brackets, signs and powers inside each other; each costs some stack while parsing.
pub(super) const MAX_DEPTH: usize = 256;
/// Distinct operations, bands and numbers: each may hold a register while evaluating.
pub(super) const MAX_NODES: usize = 1024;
/// Different bands.
pub(super) const MAX_BANDS: usize = 64;
/// Outputs, that is `;` + 1.
pub(super) const MAX_OUTPUTS: usize = 64;

/// A parsed expression.
pub(super) struct Parsed {
    /// Bands in the order of their first use.
    pub(super) bands: Vec<BandRef>,
    /// All subexpressions.
    pub(super) graph: Graph,
    /// The node of each output.
    pub(super) outputs: Vec<Id>,
}

/// Parses an expression of one or several outputs.
pub(super) fn parse(text: &str) -> Result<Parsed, ExpressionError> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        depth: 0,
        bands: Vec::new(),
        graph: Graph::default(),
    };
    if parser.peek() == &Token::End {
        return Err(parser.error(Problem::Empty));
    }
    let mut outputs = vec![parser.level(0)?];
    while parser.take(";") {
        // As people write it: a `;` after the last output too.
        if parser.peek() == &Token::End {
            break;
        }
        outputs.push(parser.level(0)?);
        if outputs.len() > MAX_OUTPUTS {
            return Err(parser.error(Problem::TooManyOutputs));
        }
    }
    if parser.peek() != &Token::End {
        return Err(parser.unexpected());
    }
    if parser.bands.is_empty() {
        return Err(ExpressionError {
            position: 1,
            problem: Problem::NoBand,
        });
    }
    Ok(Parsed {
        bands: parser.bands,
        graph: parser.graph,
        outputs,
    })
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    at: usize,
    depth: usize,
    bands: Vec<BandRef>,
    graph: Graph,
}

impl Parser {
    fn peek(&self) -> &Token {
        // The last token is `End`, and nothing steps past it.
        self.tokens.get(self.at).map_or(&Token::End, |(_, token)| token)
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = matches!(self.peek(), Token::Symbol(found) if *found == symbol);
        self.at += usize::from(found);
        found
    }

    fn error(&self, problem: Problem) -> ExpressionError {
        let position = self.tokens.get(self.at).map_or(1, |(position, _)| *position);
        ExpressionError { position, problem }
    }

    /// What to say where an operator, `;` or the end should stand.
    fn unexpected(&self) -> ExpressionError {
        let found = self.peek().quoted();
        self.error(match self.peek() {
            Token::Symbol(symbol @ (")" | ",")) => Problem::Character(symbol.chars().next().unwrap_or(')')),
            Token::Name(name) => match spelling(name) {
                Some(right) => Problem::Spelling(name.clone(), right),
                None => Problem::Operator { found },
            },
            _ => Problem::Operator { found },
        })
    }

    /// Runs a rule one level deeper.
    fn deeper(&mut self, rule: fn(&mut Self) -> Result<Id, ExpressionError>) -> Result<Id, ExpressionError> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(Problem::TooDeep));
        }
        self.depth += 1;
        let id = rule(self)?;
        self.depth -= 1;
        if self.graph.nodes().len() > MAX_NODES {
            return Err(self.error(Problem::TooMany));
        }
        Ok(id)
    }

    /// A level of binary operators, and all that bind tighter.
    fn level(&mut self, level: usize) -> Result<Id, ExpressionError> {
        let Some(operators) = LEVELS.get(level) else {
            return self.deeper(Self::signed);
        };
        let mut a = self.level(level + 1)?;
        let mut compared = false;
        while let Some(operation) = self.operator(operators) {
            if operation.is_comparison() && std::mem::replace(&mut compared, true) {
                return Err(self.error(Problem::Chain));
            }
            self.at += 1;
            let b = self.level(level + 1)?;
            a = self.graph.binary(operation, a, b);
        }
        Ok(a)
    }

    fn operator(&self, operators: &[(&str, Binary)]) -> Option<Binary> {
        let Token::Symbol(found) = self.peek() else {
            return None;
        };
        operators
            .iter()
            .find(|(symbol, _)| symbol == found)
            .map(|(_, operation)| *operation)
    }

    /// Signs, and a power under them: `-b1**2` is `-(b1**2)`.
    fn signed(&mut self) -> Result<Id, ExpressionError> {
        for (symbol, operation) in [
            ("-", Some(Unary::Negate)),
            ("~", Some(Unary::Invert)),
            ("+", None),
        ] {
            if self.take(symbol) {
                let a = self.deeper(Self::signed)?;
                return Ok(operation.map_or(a, |operation| self.graph.unary(operation, a)));
            }
        }
        let base = self.operand()?;
        if self.take("**") {
            let exponent = self.deeper(Self::signed)?;
            return Ok(self.graph.binary(Binary::Pow, base, exponent));
        }
        Ok(base)
    }

    fn operand(&mut self) -> Result<Id, ExpressionError> {
        match self.peek().clone() {
            Token::Number(value) => {
                self.at += 1;
                Ok(self.graph.constant(value))
            }
            Token::Name(name) => self.name(&name),
            Token::Quoted(name) => {
                let band = self.band(&name)?;
                self.at += 1;
                Ok(band)
            }
            Token::Symbol("(") => {
                self.at += 1;
                let inner = self.level(0)?;
                self.close()?;
                Ok(inner)
            }
            other => Err(self.error(Problem::Operand {
                found: other.quoted(),
            })),
        }
    }

    fn close(&mut self) -> Result<(), ExpressionError> {
        if self.take(")") {
            return Ok(());
        }
        Err(match self.peek() {
            Token::Number(_) | Token::Name(_) | Token::Quoted(_) | Token::Symbol("(") => self.unexpected(),
            other => self.error(Problem::Parenthesis {
                found: other.quoted(),
            }),
        })
    }

    fn name(&mut self, name: &str) -> Result<Id, ExpressionError> {
        if let Some(right) = spelling(name) {
            return Err(self.error(Problem::Spelling(name.to_owned(), right)));
        }
        let place = self.at;
        self.at += 1;
        if self.take("(") {
            return self.call(name, place);
        }
        self.band(name)
    }

    fn band(&mut self, name: &str) -> Result<Id, ExpressionError> {
        let known = self.bands.iter().position(|band| band.text == name);
        let band = known.unwrap_or(self.bands.len());
        if known.is_none() {
            if band == MAX_BANDS {
                return Err(self.error(Problem::TooManyBands));
            }
            self.bands.push(BandRef::new(name));
        }
        Ok(self.graph.band(band))
    }

    fn call(&mut self, name: &str, place: usize) -> Result<Id, ExpressionError> {
        let Some(&(name, function)) = FUNCTIONS
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
        else {
            self.at = place;
            return Err(self.error(unknown(name)));
        };
        let mut arguments = Vec::new();
        while !self.take(")") {
            if !arguments.is_empty() && !self.take(",") {
                return Err(self.close().err().unwrap_or_else(|| self.unexpected()));
            }
            arguments.push(self.level(0)?);
        }
        let takes = match (function, arguments.as_slice()) {
            (Function::One(operation), &[a]) => return Ok(self.graph.unary(operation, a)),
            (Function::Two(operation), &[a, b]) => return Ok(self.graph.binary(operation, a, b)),
            (Function::Where, &[condition, then, otherwise]) => {
                return Ok(self.graph.choose(condition, then, otherwise));
            }
            (Function::Many(operation), &[first, second, ref more @ ..]) => {
                let first = self.graph.binary(operation, first, second);
                return Ok(more
                    .iter()
                    .fold(first, |a, &b| self.graph.binary(operation, a, b)));
            }
            (Function::One(_), _) => "one argument",
            (Function::Two(_), _) => "two arguments",
            (Function::Where, _) => "a condition and two values",
            (Function::Many(_), _) => "two arguments or more",
        };
        self.at = place;
        Err(self.error(Problem::Arguments {
            name,
            takes,
            given: arguments.len(),
        }))
    }
}

/// Python's words that numexpr does not take, and what to write.
fn spelling(name: &str) -> Option<&'static str> {
    match name {
        "and" => Some("&"),
        "or" => Some("|"),
        "not" => Some("~"),
        "if" | "else" => Some("where(condition, then, otherwise)"),
        _ => None,
    }
}

fn unknown(name: &str) -> Problem {
    match name {
        "sum" => Problem::Reduction {
            name: name.to_owned(),
            instead: "add the bands with +",
        },
        "prod" => Problem::Reduction {
            name: name.to_owned(),
            instead: "multiply the bands with *",
        },
        _ => {
            let known: Vec<&str> = FUNCTIONS.iter().map(|(name, _)| *name).collect();
            Problem::Function {
                name: name.to_owned(),
                known: known.join(", "),
            }
        }
    }
}
