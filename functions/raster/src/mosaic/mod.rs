//! Several rasters of the same pixels → one: which of them gives a pixel, or what is made of all that hold data there.
//!
//! The selections, their names and what they do are those of rio-tiler 9 (`rio_tiler.mosaic.methods.defaults`). Each band
//! of a pixel is chosen by its own mask. Statistics are computed in float64; means, medians and sums return to the type of the
//! samples, rounded and within its range.

mod statistics;

use crate::samples::{Mask, Raster, Samples};
use crate::with_samples;
use statistics::Statistics;

/// How pixels of several rasters become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Selection {
    /// The first that holds data.
    #[default]
    First,
    /// The largest value.
    Highest,
    /// The smallest value.
    Lowest,
    /// The mean of the values.
    Mean,
    /// The median of the values.
    Median,
    /// Their standard deviation, of the whole population, as float64.
    Stdev,
    /// Their sum.
    Sum,
    /// All bands but the last, of the raster whose last band is smallest.
    LastBandLow,
    /// All bands but the last, of the raster whose last band is largest.
    LastBandHigh,
    /// How many of the rasters hold data in the first band.
    Count,
}

impl Selection {
    /// Every selection with its name.
    pub const ALL: [(&str, Self); 10] = [
        ("first", Self::First),
        ("highest", Self::Highest),
        ("lowest", Self::Lowest),
        ("mean", Self::Mean),
        ("median", Self::Median),
        ("stdev", Self::Stdev),
        ("sum", Self::Sum),
        ("lastbandlow", Self::LastBandLow),
        ("lastbandhigh", Self::LastBandHigh),
        ("count", Self::Count),
    ];

    /// The selection of a name.
    pub fn named(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, selection)| *selection)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, known)| *known == self);
        found.map_or("", |(name, _)| name)
    }

    /// Whether every raster counts, so that all of them are held or summed up.
    pub fn is_statistic(self) -> bool {
        matches!(
            self,
            Self::Mean | Self::Median | Self::Stdev | Self::Sum | Self::Count
        )
    }
}

/// Rasters that do not fit each other: their bands or their pixels are not as many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its files have different numbers of bands: one has {first}, another {other}")]
pub struct Unlike {
    /// Bands of the first raster.
    pub first: usize,
    /// Bands of the other.
    pub other: usize,
}

/// Rasters on their way into one.
#[derive(Debug)]
pub struct Mosaic {
    selection: Selection,
    state: State,
}

#[derive(Debug)]
enum State {
    Empty,
    /// One raster with a mask for each band, into which others' pixels go.
    Chosen(Raster, Vec<u8>),
    Counted(Statistics),
}

impl Mosaic {
    /// Nothing yet.
    pub fn new(selection: Selection) -> Self {
        Self {
            selection,
            state: State::Empty,
        }
    }

    /// Adds a raster `[bands, height, width]`; those that came before it go first.
    pub fn feed(&mut self, raster: Raster) -> Result<(), Unlike> {
        let (bands, pixels) = (raster.bands, raster.height * raster.width);
        let state = std::mem::replace(&mut self.state, State::Empty);
        self.state = match state {
            State::Empty if self.selection.is_statistic() => {
                let mut statistics = Statistics::new(self.selection, &raster);
                statistics.add(&raster);
                State::Counted(statistics)
            }
            State::Empty => {
                let mask = planes(&raster);
                State::Chosen(raster, mask)
            }
            State::Counted(mut statistics) => {
                statistics.fits(bands, pixels)?;
                statistics.add(&raster);
                State::Counted(statistics)
            }
            State::Chosen(mut chosen, mut mask) => {
                if (chosen.bands, chosen.height * chosen.width) != (bands, pixels) {
                    let first = chosen.bands;
                    return Err(Unlike { first, other: bands });
                }
                choose(self.selection, &mut chosen, &mut mask, raster);
                State::Chosen(chosen, mask)
            }
        };
        Ok(())
    }

    /// Whether no further raster can change it.
    pub fn is_full(&self) -> bool {
        match &self.state {
            State::Chosen(_, mask) => self.selection == Selection::First && mask.iter().all(|mask| *mask > 0),
            _ => false,
        }
    }

    /// Bytes that it holds, and that each further raster adds.
    pub fn weight(&self) -> (usize, usize) {
        match &self.state {
            State::Empty => (0, 0),
            State::Chosen(raster, mask) => (
                raster.samples.len() * raster.samples.data_type().size() + mask.len(),
                0,
            ),
            State::Counted(statistics) => statistics.weight(),
        }
    }

    /// What came of it; nothing where no raster was added.
    pub fn finish(self) -> Option<Raster> {
        match self.state {
            State::Empty => None,
            State::Counted(statistics) => Some(statistics.finish()),
            State::Chosen(mut raster, mask) => {
                let is_by_last = matches!(self.selection, Selection::LastBandLow | Selection::LastBandHigh);
                raster.mask = together(mask, raster.bands);
                Some(if is_by_last { without_last(raster) } else { raster })
            }
        }
    }
}

/// The mask of every band, `[bands, height, width]`.
fn planes(raster: &Raster) -> Vec<u8> {
    let len = raster.bands * raster.height * raster.width;
    match &raster.mask {
        Mask::All => vec![255; len],
        Mask::Shared(mask) => mask.repeat(raster.bands),
        Mask::PerBand(mask) => mask.clone(),
    }
}

/// The leanest form of a mask of every band.
fn together(mask: Vec<u8>, bands: usize) -> Mask {
    if mask.iter().all(|mask| *mask == 255) {
        return Mask::All;
    }
    let pixels = mask.len() / bands.max(1);
    let first = mask.get(..pixels).unwrap_or_default();
    if mask.chunks_exact(pixels.max(1)).all(|plane| plane == first) {
        return Mask::Shared(first.to_vec());
    }
    Mask::PerBand(mask)
}

/// All bands but the last; of one band nothing is left but that.
fn without_last(mut raster: Raster) -> Raster {
    if raster.bands < 2 {
        return raster;
    }
    raster.bands -= 1;
    let len = raster.bands * raster.height * raster.width;
    with_samples!(&mut raster.samples, values => values.truncate(len));
    if let Mask::PerBand(mask) = &mut raster.mask {
        mask.truncate(len);
    }
    raster
}

/// Puts those samples of a further raster into the chosen one that the selection takes.
fn choose(selection: Selection, chosen: &mut Raster, mask: &mut [u8], mut raster: Raster) {
    let own = planes(&raster);
    if raster.samples.data_type() != chosen.samples.data_type() {
        chosen.samples = wide(&chosen.samples);
        raster.samples = wide(&raster.samples);
    }
    let pixels = chosen.height * chosen.width;
    macro_rules! each {
        ($($kind:ident),*) => {
            match (&mut chosen.samples, &raster.samples) {
                $((Samples::$kind(held), Samples::$kind(new)) => take(selection, (held, mask), (new, &own), pixels),)*
                _ => {}
            }
        };
    }
    each!(U8, I8, U16, I16, U32, I32, U64, I64, F32, F64);
}

/// The same as float64.
fn wide(samples: &Samples) -> Samples {
    Samples::F64(statistics::numbers(samples))
}

fn take<T: Copy + PartialOrd>(
    selection: Selection,
    (held, mask): (&mut [T], &mut [u8]),
    (new, own): (&[T], &[u8]),
    pixels: usize,
) {
    // Whether a pixel of the new raster goes before that which is held, both holding data.
    let wins = |held: &T, new: &T| match selection {
        Selection::Highest | Selection::LastBandHigh => new > held,
        Selection::Lowest | Selection::LastBandLow => new < held,
        _ => false,
    };
    let by_last: Option<Vec<bool>> = match selection {
        Selection::LastBandLow | Selection::LastBandHigh => {
            let last = held.len().saturating_sub(pixels);
            let pairs = held.iter().zip(mask.iter()).zip(new.iter().zip(own)).skip(last);
            let wins = |((held, mask), (new, own)): ((&T, &u8), (&T, &u8))| {
                *own > 0 && (*mask == 0 || wins(held, new))
            };
            Some(pairs.map(wins).collect())
        }
        _ => None,
    };
    let each = held
        .iter_mut()
        .zip(mask.iter_mut())
        .zip(new.iter().zip(own))
        .enumerate();
    for (at, ((held, mask), (new, own))) in each {
        if *own == 0 {
            continue;
        }
        let wins = match &by_last {
            Some(wins) => wins.get(at % pixels.max(1)).copied().unwrap_or(false),
            None => wins(held, new),
        };
        if *mask == 0 || wins {
            (*held, *mask) = (*new, *own);
        }
    }
}

#[cfg(test)]
mod tests;
