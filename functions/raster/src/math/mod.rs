//! Arithmetic over bands: an expression is parsed once and evaluated over blocks of pixels.
//!
//! The language is numexpr's (the one that TiTiler's clients write), wider in three places: bands may have names,
//! `min` and `max` take several arguments and work pixel by pixel, and integers never overflow.
//! A result that is no finite number (0/0, x/0, the logarithm of a negative number) is masked.
//!
//! `text` → [`parse`] → [`graph`] (each distinct subexpression once, constants folded) → [`program`] (registers) →
//! [`machine`] (512 pixels at a time).

mod error;
mod token;
mod operation;
mod graph;
mod parse;
mod program;
mod lane;
mod machine;
pub mod indices;
pub mod algorithm;

pub use error::{ExpressionError, Problem};

use crate::samples::{Mask, Raster, Samples};
use graph::Node;
use program::Program;

/// A band as an expression writes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BandRef {
    /// The text of the token: `b1`, `B04`, `nir`. Where a band has this name, the name is meant.
    pub text: String,
    /// The band's number, counted from 1, where the text reads `b` or `B` and a number.
    pub number: Option<usize>,
}

impl BandRef {
    fn new(text: &str) -> Self {
        let number = text
            .strip_prefix(['b', 'B'])
            .filter(|digits| digits.bytes().all(|c| c.is_ascii_digit()));
        Self {
            text: text.to_owned(),
            number: number
                .and_then(|digits| digits.parse().ok())
                .filter(|&number| number > 0),
        }
    }
}

/// An expression over bands, parsed and compiled.
///
/// ```
/// # use edgetile_raster::math::Expression;
/// # use edgetile_raster::samples::{Mask, Raster, Samples};
/// let ndvi = Expression::parse("(nir - red) / (nir + red)").unwrap();
/// assert_eq!(ndvi.bands()[0].text, "nir");
/// let samples = Samples::U16(vec![3, 0, 1, 0]);
/// let answer = ndvi.evaluate(&Raster { bands: 2, height: 1, width: 2, samples, mask: Mask::All });
/// assert_eq!(answer.samples, Samples::F32(vec![0.5, 0.0]));
/// assert_eq!(answer.mask, Mask::Shared(vec![255, 0]));
/// ```
#[derive(Clone, Debug)]
pub struct Expression {
    bands: Vec<BandRef>,
    graph: graph::Graph,
    outputs: Vec<graph::Id>,
    program: Program,
}

impl Expression {
    /// Parses one output, or several separated by `;`.
    ///
    /// Operators, loosest first: comparisons, `|`, `^`, `&`, `<< >>`, `+ -`, `* / // %`, unary `- + ~`, `**`.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let parsed = parse::parse(text)?;
        let program = Program::compile(&parsed.graph, &parsed.outputs);
        Ok(Self {
            bands: parsed.bands,
            graph: parsed.graph,
            outputs: parsed.outputs,
            program,
        })
    }

    /// `(a - b) / (a + b)`: NDVI is that of (nir, red), NDWI that of (green, nir).
    pub fn normalized_difference(a: &str, b: &str) -> Result<Self, ExpressionError> {
        Self::parse(&format!("({a}-{b})/({a}+{b})"))
    }

    /// The bands that the expression reads, each once, in the order of their first use.
    pub fn bands(&self) -> &[BandRef] {
        &self.bands
    }

    /// How many bands it gives.
    pub fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// How many bands, numbers and operations it is made of, each counted once.
    pub fn operations(&self) -> usize {
        self.graph.nodes().len()
    }

    /// Evaluates the expression for each pixel.
    ///
    /// The input's bands stand in the order of [`Self::bands`]. An output pixel is masked where any band of the input
    /// is masked (the least of the bands' masks, so partial transparency stays) or where the result is not finite;
    /// its sample is then 0. The result is `F32` where that is exact for integers and wide enough, else `F64`;
    /// an expression that only picks bands (`b3;b2;b1`) keeps their type.
    ///
    /// # Panics
    /// If the input has another number of bands than [`Self::bands`], or fewer samples than its size says.
    pub fn evaluate(&self, input: &Raster) -> Raster {
        assert_eq!(
            input.bands,
            self.bands.len(),
            "one input band for each band that the expression names"
        );
        let mask = input.every_band();
        let (samples, mask) = if let Some(bands) = self.picks() {
            (pick(input, &bands), mask.map_or(Mask::All, Mask::Shared))
        } else {
            machine::run(
                &self.program,
                input,
                mask,
                self.graph.needs_f64(input.samples.data_type()),
            )
        };
        Raster {
            bands: self.outputs(),
            height: input.height,
            width: input.width,
            samples,
            mask,
        }
    }

    /// The input band of each output, if no output is more than a band.
    fn picks(&self) -> Option<Vec<usize>> {
        let band = |&id: &graph::Id| match self.graph.node(id) {
            Node::Band(band) => Some(band),
            _ => None,
        };
        self.outputs.iter().map(band).collect()
    }
}

/// The planes of some bands, one after the other.
fn pick(input: &Raster, bands: &[usize]) -> Samples {
    let len = input.height * input.width;
    macro_rules! planes {
        ($($variant:ident),*) => {
            match &input.samples {
                $(Samples::$variant(values) => Samples::$variant(
                    bands.iter().flat_map(|band| &values[band * len..(band + 1) * len]).copied().collect(),
                ),)*
            }
        };
    }
    planes!(U8, I8, U16, I16, U32, I32, U64, I64, F32, F64)
}

#[cfg(test)]
mod tests;
