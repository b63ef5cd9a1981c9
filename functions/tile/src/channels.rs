//! What files offer as bands: which of them are counted, and what each is called.
//!
//! A band is a pair: the place of its file, and its place in the file, 0-based, or among what an asset's own expression
//! makes of the file.

use edgetile_raster::header::{Band, BandRole};
use edgetile_raster::math::BandRef;

use crate::bind::File;
use crate::document::item::{numbered, stand_in};
use crate::gather::no_band;
use crate::request::{Formula, Refused};
use crate::response::Problem;

/// The files of a request.
#[derive(Clone, Copy, Debug)]
pub struct Channels<'a> {
    /// In the order in which their bands are counted.
    pub files: &'a [File],
    /// Whether a band tagged as transparency is data.
    pub alpha_is_data: bool,
}

impl Channels<'_> {
    /// Every band that is not transparency, file by file; of an asset those that were chosen.
    pub fn all(self) -> Result<Vec<(usize, usize)>, Problem> {
        let mut all = Vec::new();
        for (at, file) in self.files.iter().enumerate() {
            let bands = if file.asset.is_some() {
                self.counted(file)?
            } else {
                self.data(file)
            };
            all.extend(bands.into_iter().map(|band| (at, band)));
        }
        Ok(all)
    }

    /// A band by its number from 1, counted through all files in their order.
    pub fn numbered(self, parameter: &str, number: usize) -> Result<(usize, usize), Problem> {
        let mut before = 0;
        for (at, file) in self.files.iter().enumerate() {
            let bands = self.counted(file)?;
            if let Some(band) = bands.get(number - 1 - before) {
                return Ok((at, *band));
            }
            before += bands.len();
        }
        Err(no_band(parameter, number, before))
    }

    /// A band as an expression writes it: by the name of its file, as `file_b2`, by its own name, or by its number, in this
    /// order.
    pub fn find(self, formula: &Formula, band: &BandRef) -> Result<(usize, usize), Problem> {
        let text = band.text.as_str();
        let named = [Some(text), stand_in(text)].into_iter().flatten();
        for text in named {
            if let Some(found) = self.called(text)? {
                return Ok(found);
            }
        }
        match band.number {
            Some(number) => self.numbered(formula.parameter_of(text), number),
            None => Err(self.unknown(formula, text)),
        }
    }

    fn called(self, text: &str) -> Result<Option<(usize, usize)>, Problem> {
        let files = || self.files.iter().enumerate();
        if let Some((at, file)) = files().find(|(_, file)| file.is_called(text)) {
            return Ok(self.counted(file)?.first().map(|band| (at, *band)));
        }
        if let Some((key, number)) = numbered(text) {
            for (at, file) in files().filter(|(_, file)| file.is_called(key)) {
                if self.counted(file)?.contains(&(number - 1)) {
                    return Ok(Some((at, number - 1)));
                }
            }
        }
        for (at, file) in files() {
            let band = file.band(text);
            if let Some(band) =
                band.filter(|band| self.counted(file).is_ok_and(|counted| counted.contains(band)))
            {
                return Ok(Some((at, band)));
            }
        }
        Ok(None)
    }

    /// The bands of a file that numbers count.
    fn counted(self, file: &File) -> Result<Vec<usize>, Problem> {
        let there = file.source.header.bands.len();
        let Some(chosen) = file.asset.as_ref().map(|asset| &asset.chosen) else {
            return Ok((0..there).collect());
        };
        let bands = match (&chosen.derived, &chosen.bands) {
            (Some(derived), _) => (0..derived.expression().outputs()).collect(),
            (None, Some(bands)) => match bands.iter().find(|band| **band >= there) {
                Some(band) => return Err(no_band("assets", band + 1, there)),
                None => bands.clone(),
            },
            (None, None) => self.data(file),
        };
        if chosen.is_band && bands.len() != 1 {
            let (key, count) = (&chosen.key, bands.len());
            let reason =
                format!("is for assets of one band, and {key} has {count}: choose one, {key}|bidx=1");
            return Err(Refused::parameter("asset_as_band", reason).into());
        }
        Ok(bands)
    }

    fn data(self, file: &File) -> Vec<usize> {
        let bands = file.source.header.bands.iter().enumerate();
        let data = bands.filter(|(_, band)| self.alpha_is_data || band.role == BandRole::Data);
        data.map(|(band, _)| band).collect()
    }

    fn unknown(self, formula: &Formula, text: &str) -> Problem {
        let names: Vec<String> = self.names().take(16).collect();
        let choice = if names.is_empty() {
            "bands are called b1, b2, …".to_owned()
        } else {
            format!("there are {}", names.join(", "))
        };
        let remedy = formula.index().map(|index| format!("; {}", index.remedy(text)));
        let remedy = remedy.unwrap_or_default();
        Refused::parameter(
            formula.parameter_of(text),
            format!("names a band {text} that is not there: {choice}{remedy}"),
        )
        .into()
    }

    /// What can be written in place of a name that is not there.
    fn names(self) -> impl Iterator<Item = String> {
        let own = self.files.iter().filter_map(File::title);
        let described = self.files.iter().flat_map(|file| {
            let bands = file.source.header.bands.iter();
            bands.filter_map(|band| band.name.clone())
        });
        own.chain(described).map(written)
    }
}

/// A name as an expression writes it: in quotes where it is no word.
fn written(name: String) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(is_word) {
        format!("{name:?}")
    } else {
        name
    }
}

impl File {
    /// What the request calls it: its name, or its asset's key.
    pub fn title(&self) -> Option<String> {
        let key = self.asset.as_ref().map(|asset| asset.chosen.key.clone());
        key.or_else(|| self.name.as_ref().map(ToString::to_string))
    }

    fn is_called(&self, text: &str) -> bool {
        match &self.asset {
            Some(asset) => asset.chosen.is_called(text),
            None => self.name.as_ref().is_some_and(|name| name.as_str() == text),
        }
    }

    /// The band that its item or its header calls `text`.
    fn band(&self, text: &str) -> Option<usize> {
        let chosen = self.asset.as_ref().map(|asset| &asset.chosen);
        if chosen.is_some_and(|chosen| chosen.derived.is_some()) {
            return None;
        }
        let by_item = chosen.and_then(|chosen| chosen.words.iter().position(|words| words.are(text)));
        let is_named = |band: &Band| {
            band.name
                .as_deref()
                .is_some_and(|name| name.eq_ignore_ascii_case(text))
        };
        by_item.or_else(|| self.source.header.bands.iter().position(is_named))
    }
}
