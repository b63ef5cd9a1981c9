//! What can be wrong with a style: all of it is for the writer of the request to mend.

use thiserror::Error;

/// A style that cannot be meant, or that does not fit the data.
#[derive(Clone, Debug, Error, PartialEq)]
#[expect(missing_docs, reason = "the messages say it all")]
pub enum ColourError {
    #[error("rescale: {0:?} is not min,max")]
    RescaleSyntax(String),
    #[error("rescale: {0},{0} is no range, its ends must differ")]
    RescaleEmpty(f64),
    #[error("rescale: {0:e},{1:e} is wider than a number can be")]
    RescaleWide(f64, f64),
    #[error("rescale: {given} ranges for {bands} bands, give one or one for each")]
    RescaleCount { given: usize, bands: usize },
    #[error("rescale: {0} values need it to become colours, such as rescale=0,1")]
    RescaleMissing(&'static str),
    #[error("{0} bands make no picture: choose 1 or 3 with bidx or expression")]
    Bands(usize),
    #[error("colormap: it colours one band, and there are {0}")]
    ColormapBands(usize),
    #[error("colormap: not JSON: {0}")]
    ColormapJson(String),
    #[error("colormap: it is empty")]
    ColormapEmpty,
    #[error("colormap: {0} entries are more than the limit of {max}", max = super::json::MAX_ENTRIES)]
    ColormapSize(usize),
    #[error(
        "colormap: it is {{\"value\": colour}}, [[[min, max], colour], …] or [[value, colour], …], \
         which {0} does not fit"
    )]
    ColormapForm(String),
    #[error("colormap: the interval {0} ends before it begins")]
    ColormapReversed(String),
    #[error("colormap: {0} has more than one colour")]
    ColormapTwice(String),
    #[error("colormap: {0} is no colour: write \"#rrggbb\", \"#rrggbbaa\", [r, g, b] or [r, g, b, a]")]
    Colour(String),
    #[error("color_formula: {0}")]
    Formula(String),
}
