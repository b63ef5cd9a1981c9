//! Mean, median, standard deviation, sum and count over rasters, sample by sample.

use super::{Selection, Unlike, planes, together};
use crate::samples::{DataType, Mask, Raster, Samples};

/// What is kept of the rasters so far: sums for each sample, or all values where a median needs them.
#[derive(Debug)]
pub(super) struct Statistics {
    selection: Selection,
    bands: usize,
    height: usize,
    width: usize,
    data_type: DataType,
    /// Rasters so far.
    rasters: usize,
    /// How many hold data, for each sample.
    counts: Vec<u32>,
    /// The sum, or the mean where deviations are wanted, for each sample.
    sums: Vec<f64>,
    /// Sums of squared deviations from the mean (Welford 1962), for each sample.
    squares: Vec<f64>,
    /// Values and masks of every raster, for a median.
    all: Vec<(Vec<f64>, Vec<u8>)>,
}

impl Statistics {
    pub(super) fn new(selection: Selection, raster: &Raster) -> Self {
        let len = raster.bands * raster.height * raster.width;
        let needed = |is_needed: bool| if is_needed { len } else { 0 };
        Self {
            selection,
            bands: raster.bands,
            height: raster.height,
            width: raster.width,
            data_type: raster.samples.data_type(),
            rasters: 0,
            counts: vec![0; len],
            sums: vec![0.0; needed(!matches!(selection, Selection::Median | Selection::Count))],
            squares: vec![0.0; needed(selection == Selection::Stdev)],
            all: Vec::new(),
        }
    }

    pub(super) fn fits(&self, bands: usize, pixels: usize) -> Result<(), Unlike> {
        if (self.bands, self.height * self.width) == (bands, pixels) {
            return Ok(());
        }
        Err(Unlike {
            first: self.bands,
            other: bands,
        })
    }

    /// Bytes that are held, and that each further raster adds.
    pub(super) fn weight(&self) -> (usize, usize) {
        let of_all = if self.selection == Selection::Median {
            9 * self.counts.len()
        } else {
            0
        };
        let sums = 4 * self.counts.len() + 8 * (self.sums.len() + self.squares.len());
        (sums + self.all.len() * of_all, of_all)
    }

    pub(super) fn add(&mut self, raster: &Raster) {
        self.rasters += 1;
        let mask = planes(raster);
        for (count, mask) in self.counts.iter_mut().zip(&mask) {
            *count += u32::from(*mask > 0);
        }
        match self.selection {
            Selection::Count => {}
            Selection::Median => self.all.push((numbers(&raster.samples), mask)),
            Selection::Stdev => {
                let values = numbers(&raster.samples);
                let held = self.sums.iter_mut().zip(&mut self.squares).zip(&self.counts);
                for (((mean, squares), count), (value, mask)) in held.zip(values.iter().zip(&mask)) {
                    if *mask > 0 {
                        let before = value - *mean;
                        *mean += before / f64::from(*count);
                        *squares += before * (value - *mean);
                    }
                }
            }
            _ => {
                let values = numbers(&raster.samples);
                for (sum, (value, mask)) in self.sums.iter_mut().zip(values.iter().zip(&mask)) {
                    if *mask > 0 {
                        *sum += value;
                    }
                }
            }
        }
    }

    pub(super) fn finish(self) -> Raster {
        let (bands, height, width) = (self.bands, self.height, self.width);
        if self.selection == Selection::Count {
            return self.counted();
        }
        let mask = self
            .counts
            .iter()
            .map(|count| if *count > 0 { 255 } else { 0 })
            .collect();
        let counts = self.counts.iter().map(|count| f64::from((*count).max(1)));
        let values: Vec<f64> = match self.selection {
            Selection::Mean => self
                .sums
                .iter()
                .zip(counts)
                .map(|(sum, count)| sum / count)
                .collect(),
            Selection::Stdev => self
                .squares
                .iter()
                .zip(counts)
                .map(|(squares, count)| (squares / count).sqrt())
                .collect(),
            Selection::Median => (0..self.counts.len()).map(|at| self.median(at)).collect(),
            _ => self.sums,
        };
        let samples = match self.selection {
            Selection::Stdev => Samples::F64(values),
            _ => narrowed(values, self.data_type),
        };
        Raster {
            bands,
            height,
            width,
            samples,
            mask: together(mask, bands),
        }
    }

    /// One band, of bytes while they suffice, that holds data everywhere.
    fn counted(self) -> Raster {
        let counts = self.counts.iter().take(self.height * self.width);
        let samples = if self.rasters < 256 {
            Samples::U8(counts.map(|count| *count as u8).collect())
        } else {
            Samples::U32(counts.copied().collect())
        };
        Raster {
            bands: 1,
            height: self.height,
            width: self.width,
            samples,
            mask: Mask::All,
        }
    }

    fn median(&self, at: usize) -> f64 {
        let held = self
            .all
            .iter()
            .filter(|(_, mask)| mask.get(at).is_some_and(|mask| *mask > 0));
        let mut values: Vec<f64> = held.filter_map(|(values, _)| values.get(at).copied()).collect();
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        let of = |at: usize| values.get(at).copied().unwrap_or(0.0);
        if values.len() % 2 == 1 {
            of(middle)
        } else {
            f64::midpoint(of(middle.saturating_sub(1)), of(middle))
        }
    }
}

/// Samples as numbers.
pub(super) fn numbers(samples: &Samples) -> Vec<f64> {
    macro_rules! wide {
        ($($kind:ident),*) => {
            match samples {
                $(Samples::$kind(values) => values.iter().map(|value| *value as f64).collect(),)*
                Samples::F64(values) => values.clone(),
            }
        };
    }
    wide!(U8, I8, U16, I16, U32, I32, U64, I64, F32)
}

/// Numbers as samples of a type: rounded, and within its range.
fn narrowed(values: Vec<f64>, data_type: DataType) -> Samples {
    // `as` keeps to the range of the type.
    macro_rules! integers {
        ($kind:ident, $type:ty) => {
            Samples::$kind(
                values
                    .into_iter()
                    .map(|value| value.round() as $type)
                    .collect(),
            )
        };
    }
    match data_type {
        DataType::U8 => integers!(U8, u8),
        DataType::I8 => integers!(I8, i8),
        DataType::U16 => integers!(U16, u16),
        DataType::I16 => integers!(I16, i16),
        DataType::U32 => integers!(U32, u32),
        DataType::I32 => integers!(I32, i32),
        DataType::U64 => integers!(U64, u64),
        DataType::I64 => integers!(I64, i64),
        DataType::F32 => Samples::F32(values.into_iter().map(|value| value as f32).collect()),
        DataType::F64 => Samples::F64(values),
    }
}
