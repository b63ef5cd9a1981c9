//! Which bands of which files a style means, and how they come together into the bands of the answer.

use std::sync::Arc;

use edgetile_raster::colour::Colormap;
use edgetile_raster::header::{Band, Nodata};
use edgetile_raster::math::Expression;
use edgetile_raster::samples::{DataType, Mask, Raster, Samples};
use edgetile_raster::warp::Kernel;
use edgetile_raster::with_samples;

use crate::channels::Channels;
use crate::document::Chosen;
use crate::gather::Part;
use crate::request::{BandName, Bands, Style};
use crate::response::Problem;
use crate::source::Source;
use crate::source::beside::Beside;
use crate::source::document::Document;

/// An open file and the name that an expression calls it by.
#[derive(Clone, Debug)]
pub struct File {
    /// Its name, where the request or the layer gives several files.
    pub name: Option<BandName>,
    /// The file.
    pub source: Arc<Source>,
    /// What lies beside it.
    pub beside: Beside,
    /// Of which item it is an asset, and what is wanted of it.
    pub asset: Option<OfItem>,
}

/// An asset as it was chosen, and the item that it is of.
#[derive(Clone, Debug)]
pub struct OfItem {
    /// What of it is wanted.
    pub chosen: Arc<Chosen>,
    /// The version of the item that said so.
    pub document: Arc<Document>,
}

/// The bands to gather and what to make of them.
#[derive(Clone, Debug)]
pub struct Binding {
    /// What each file is asked for.
    pub parts: Vec<Part>,
    /// For each part what is made of it before its bands meet others'.
    derived: Vec<Option<Derived>>,
    /// For every input of the expression, or every band of the answer: the part, and the place among its bands.
    inputs: Vec<(usize, usize)>,
    expression: Option<Arc<Expression>>,
    unscale: bool,
}

/// What an asset's own expression makes of its file.
#[derive(Clone, Debug)]
struct Derived {
    expression: Arc<Expression>,
    /// For each of its inputs the place among the part's bands.
    inputs: Vec<usize>,
}

impl Derived {
    fn new(file: &File, part: &mut Part, alpha_is_data: bool) -> Result<Option<Self>, Problem> {
        let Some(asset) = &file.asset else { return Ok(None) };
        let Some(formula) = &asset.chosen.derived else {
            return Ok(None);
        };
        let chosen = Chosen {
            derived: None,
            bands: None,
            is_band: false,
            ..asset.chosen.as_ref().clone()
        };
        let plain = File {
            asset: Some(OfItem {
                chosen: Arc::new(chosen),
                ..asset.clone()
            }),
            ..file.clone()
        };
        let files = std::slice::from_ref(&plain);
        let channels = Channels { files, alpha_is_data };
        let mut inputs = Vec::new();
        for band in formula.expression().bands() {
            let (_, band) = channels.find(formula, band)?;
            inputs.push(place(part, band));
        }
        Ok(Some(Self {
            expression: formula.expression().clone(),
            inputs,
        }))
    }
}

/// The place of a band among those that a part is asked for.
fn place(part: &mut Part, band: usize) -> usize {
    let known = part.bands.iter().position(|known| *known == band);
    known.unwrap_or_else(|| {
        part.bands.push(band);
        part.bands.len() - 1
    })
}

impl Binding {
    /// Finds the bands that a style names.
    pub fn new(files: &[File], style: &Style) -> Result<Self, Problem> {
        let formula = match &style.bands {
            Some(Bands::Expression(formula)) => Some(formula),
            _ => None,
        };
        let expression = formula.map(|formula| formula.expression().clone());
        let alpha_is_data = style.alpha == Some(false);
        let channels = Channels { files, alpha_is_data };
        let wanted: Vec<(usize, usize)> = match (&style.bands, formula) {
            (_, Some(formula)) => {
                let bands = formula.expression().bands().iter();
                bands
                    .map(|band| channels.find(formula, band))
                    .collect::<Result<_, _>>()?
            }
            (Some(Bands::Indexes(indexes)), None) => indexes
                .iter()
                .map(|index| channels.numbered("bidx", usize::from(*index)))
                .collect::<Result<_, _>>()?,
            _ => channels.all()?,
        };
        let mut parts: Vec<Part> = files
            .iter()
            .map(|file| Part {
                source: file.source.clone(),
                bands: Vec::new(),
                nodata: style.nodata.map(Nodata::from),
                alpha_is_data,
                beside: file.beside.clone(),
            })
            .collect();
        let mut derived = Vec::new();
        for (file, part) in files.iter().zip(&mut parts) {
            derived.push(Derived::new(file, part, alpha_is_data)?);
        }
        let mut inputs = Vec::new();
        for (file, band) in wanted {
            let (Some(part), Some(derived)) = (parts.get_mut(file), derived.get(file)) else {
                continue;
            };
            inputs.push((
                file,
                if derived.is_some() {
                    band
                } else {
                    place(part, band)
                },
            ));
        }
        Ok(Self {
            parts,
            derived,
            inputs,
            expression,
            unscale: style.unscale.unwrap_or(false),
        })
    }

    /// The file's own colours, where the answer is the one band of a palette image.
    pub fn palette(&self) -> Option<Colormap> {
        let ([(part, _)], None) = (self.inputs.as_slice(), &self.expression) else {
            return None;
        };
        if self.is_derived(*part) {
            return None;
        }
        let palette = self.parts.get(*part)?.source.header.palette.as_ref()?;
        let entry = |(value, [r, g, b]): (usize, &[u8; 3])| (value as i64, [*r, *g, *b, 255]);
        Some(Colormap::Discrete(
            palette.iter().enumerate().map(entry).collect(),
        ))
    }

    /// The value that stands for "nothing there" in the answer, where it is the bands of one file as they stand.
    pub fn nodata(&self) -> Option<Nodata> {
        match (self.parts.as_slice(), &self.expression, self.unscale) {
            ([part], None, false) if !self.is_derived(0) => {
                let own = part.source.header.nodata;
                part.nodata.or(own.filter(|_| part.beside.mask.is_none()))
            }
            _ => None,
        }
    }

    /// How many bands the answer has.
    pub fn outputs(&self) -> usize {
        match &self.expression {
            Some(expression) => expression.outputs(),
            None => self.inputs.len(),
        }
    }

    /// What a pixel costs beside a sample as it stands: its bands under a kernel, and two operations on it as much as a sample.
    pub fn effort(&self, kernel: Kernel) -> usize {
        let operations = |expression: &Expression| expression.operations().div_ceil(2);
        let derived = self.derived.iter().flatten();
        let derived: usize = derived.map(|derived| operations(&derived.expression)).sum();
        let bands: usize = self.parts.iter().map(|part| part.bands.len()).sum();
        let own = self.expression.as_deref().map_or(0, operations);
        bands.max(self.outputs()) * kernel.effort() + derived + own
    }

    /// What the bands of the answer are called: `b` and the number, of an output or of a band through all files.
    pub fn names(&self, files: &[File]) -> Vec<String> {
        let before = |part: usize| -> usize {
            let bands = files.iter().map(|file| file.source.header.bands.len());
            bands.take(part).sum()
        };
        match &self.expression {
            Some(expression) => (1..=expression.outputs()).map(name).collect(),
            None if files.iter().any(|file| file.asset.is_some()) => {
                (1..=self.inputs.len()).map(name).collect()
            }
            None => self
                .bands()
                .map(|(part, band)| name(before(part) + band + 1))
                .collect(),
        }
    }

    /// What the bands of the answer are: blocks of the expression, or names that files or their bands have.
    pub fn descriptions(&self, files: &[File], style: &Style) -> Vec<String> {
        if let Some(Bands::Expression(formula)) = &style.bands {
            let blocks = formula.text().split(';').filter(|block| !block.is_empty());
            return blocks.map(str::to_owned).collect();
        }
        let description = |(part, band): (usize, usize)| {
            let file = files.get(part)?;
            let own = file.source.header.bands.get(band)?.name.clone();
            if let Some(asset) = &file.asset {
                let key = &asset.chosen.key;
                let is_band = asset.chosen.is_band;
                return Some(if is_band {
                    key.clone()
                } else {
                    format!("{key}_{}", own.unwrap_or_else(|| name(band + 1)))
                });
            }
            let of_file = file.name.as_ref().filter(|_| band == 0).map(ToString::to_string);
            Some(of_file.or(own).unwrap_or_else(|| name(band + 1)))
        };
        self.bands().filter_map(description).collect()
    }

    /// The file and the band in it of every band of the answer, where that is bands as they stand.
    fn bands(&self) -> impl Iterator<Item = (usize, usize)> {
        let band = |(part, at): &(usize, usize)| {
            if self.is_derived(*part) {
                return Some((*part, *at));
            }
            Some((*part, *self.parts.get(*part)?.bands.get(*at)?))
        };
        self.inputs.iter().filter_map(band)
    }

    /// The bands of the answer, from one raster for each part. `None` if no part meets the target; a part
    /// that does not is masked throughout.
    pub fn combine(&self, rasters: Vec<Option<Raster>>) -> Option<Raster> {
        let first = rasters.iter().flatten().next()?;
        let (height, width) = (first.height, first.width);
        let parts = rasters.into_iter().enumerate();
        let rasters: Vec<_> = parts.map(|(part, raster)| self.derive(part, raster)).collect();
        let bands = if self.is_one_part_in_order() {
            rasters.into_iter().flatten().next()?
        } else {
            self.pick(&rasters, height, width)
        };
        Some(match &self.expression {
            Some(expression) => expression.evaluate(&bands),
            None => bands,
        })
    }

    fn is_one_part_in_order(&self) -> bool {
        let in_order = |(at, input): (usize, &(usize, usize))| *input == (0, at);
        let is_plain = !self.unscale && !self.is_derived(0);
        is_plain && self.parts.len() == 1 && self.inputs.iter().enumerate().all(in_order)
    }

    fn is_derived(&self, part: usize) -> bool {
        self.derived.get(part).is_some_and(Option::is_some)
    }

    /// What an asset's own expression makes of a part.
    fn derive(&self, part: usize, raster: Option<Raster>) -> Option<Raster> {
        let raster = raster?;
        let Some(Some(derived)) = self.derived.get(part) else {
            return Some(raster);
        };
        let planes = derived.inputs.iter().map(|at| {
            let plane = raster.band(*at);
            if self.unscale {
                self.unscaled(plane, part, *at)
            } else {
                plane
            }
        });
        let bands = stack(planes.collect(), raster.height, raster.width);
        Some(derived.expression.evaluate(&bands))
    }

    fn pick(&self, rasters: &[Option<Raster>], height: usize, width: usize) -> Raster {
        let mut planes: Vec<Raster> = Vec::new();
        for (part, at) in &self.inputs {
            let plane = match rasters.get(*part) {
                Some(Some(raster)) => raster.band(*at),
                _ => nothing(self.data_type(*part), 1, (width, height)),
            };
            planes.push(if self.unscale && !self.is_derived(*part) {
                self.unscaled(plane, *part, *at)
            } else {
                plane
            });
        }
        stack(planes, height, width)
    }

    /// The type of a part's bands, also where it does not meet the target: what is drawn does not depend on where that is.
    fn data_type(&self, part: usize) -> DataType {
        let of_file = |part: &Part| part.source.header.full().format.data_type().ok();
        if self.is_derived(part) {
            return DataType::F32;
        }
        self.parts.get(part).and_then(of_file).unwrap_or(DataType::U8)
    }

    /// Values as the publisher means them: stored value times scale plus offset, as float32 or wider.
    #[expect(clippy::unnecessary_cast, reason = "it is one for every type but `f64`")]
    fn unscaled(&self, plane: Raster, part: usize, at: usize) -> Raster {
        let band = |part: &Part| {
            let band = *part.bands.get(at)?;
            part.source.header.bands.get(band).cloned()
        };
        let Some(Band { scale, offset, .. }) = self.parts.get(part).and_then(band) else {
            return plane;
        };
        let data_type = if plane.samples.data_type().size() > 2 {
            DataType::F64
        } else {
            DataType::F32
        };
        let values = with_samples!(&plane.samples, values => values.iter().map(|value| *value as f64 * scale + offset).collect());
        let samples = Samples::F64(values).cast(data_type);
        Raster { samples, ..plane }
    }
}

/// What a band without a name is called.
pub fn name(number: usize) -> String {
    format!("b{number}")
}

/// Bands without any data, of so many columns and rows.
pub fn nothing(data_type: DataType, bands: usize, (width, height): (usize, usize)) -> Raster {
    Raster {
        bands,
        height,
        width,
        samples: Samples::zeros(data_type, bands * height * width),
        mask: Mask::Shared(vec![0; height * width]),
    }
}

/// Bands on top of each other. Types that differ meet in the narrowest that holds all their values, as numpy's do.
fn stack(mut planes: Vec<Raster>, height: usize, width: usize) -> Raster {
    if planes.len() == 1 {
        return planes.swap_remove(0);
    }
    let bands = planes.len();
    let shared = planes.first().map_or(Mask::All, |plane| plane.mask.clone());
    let mask = if planes.iter().all(|plane| plane.mask == shared) {
        shared
    } else {
        let mut all = Vec::with_capacity(bands * height * width);
        for plane in &planes {
            match &plane.mask {
                Mask::All => all.resize(all.len() + height * width, 255),
                Mask::Shared(mask) | Mask::PerBand(mask) => all.extend_from_slice(mask),
            }
        }
        Mask::PerBand(all)
    };
    let data_type = planes
        .iter()
        .map(|plane| plane.samples.data_type())
        .reduce(DataType::common);
    let data_type = data_type.unwrap_or(DataType::U8);
    let mut planes = planes.into_iter().map(|plane| plane.samples.cast(data_type));
    let first = planes.next();
    let samples = first.map(|first| planes.fold(first, joined));
    Raster {
        bands,
        height,
        width,
        samples: samples.unwrap_or(Samples::U8(Vec::new())),
        mask,
    }
}

/// Samples of one type behind each other.
fn joined(first: Samples, second: Samples) -> Samples {
    macro_rules! join {
        ($($kind:ident),*) => {
            match (first, second) {
                $((Samples::$kind(mut a), Samples::$kind(b)) => {
                    a.extend_from_slice(&b);
                    Samples::$kind(a)
                })*
                (first, _) => first,
            }
        };
    }
    join!(U8, I8, U16, I16, U32, I32, U64, I64, F32, F64)
}
