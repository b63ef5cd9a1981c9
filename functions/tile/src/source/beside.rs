//! What lies beside a file under GDAL's names: overviews in `x.tif.ovr`, a mask in `x.tif.msk`, its overviews in
//! `x.tif.msk.ovr`.
//!
//! Each is a TIFF and a source of its own, with its own version. They are read only where a request or a layer says so,
//! because looking for a file costs a read.

use std::sync::Arc;

use edgetile_raster::header::{Header, Image};

use super::Source;

/// The files beside a file that are to be read with it.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// Its overviews.
    pub overviews: Option<Overviews>,
    /// Its mask.
    pub mask: Option<Arc<Source>>,
    /// The mask's overviews.
    pub mask_overviews: Option<Arc<Source>>,
}

/// A file of overviews.
#[derive(Clone, Debug)]
pub struct Overviews {
    /// The file.
    pub source: Arc<Source>,
    /// Its levels, with the bands, colours and nodata of the file that they belong to; nothing where none fits it.
    pub header: Option<Arc<Header>>,
}

impl Overviews {
    /// What a file of overviews holds for another file.
    pub fn new(source: Arc<Source>, of: &Source) -> Self {
        let header = source.header.as_overviews_of(&of.header).map(Arc::new);
        Self { source, header }
    }
}

impl Beside {
    /// Every file of them.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        let overviews = self.overviews.iter().map(|overviews| overviews.source.as_ref());
        let masks = self.mask.iter().chain(&self.mask_overviews);
        overviews.chain(masks.map(AsRef::as_ref))
    }
}

/// A level that can be read.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// The file whose bytes they are.
    pub source: &'a Source,
    /// What that file holds.
    pub header: &'a Header,
    /// Index of the level in that header.
    pub level: usize,
    /// Where a mask of the same size lies beside the file: its file, and the index of its level there.
    pub mask: Option<(&'a Source, usize)>,
}

impl<'a> Choice<'a> {
    /// The samples.
    pub fn image(&self) -> &'a Image {
        self.header
            .levels
            .get(self.level)
            .map_or(self.header.full(), |level| &level.image)
    }
}

/// The levels of a file and of what lies beside it, from the finest to the coarsest. Where a mask lies beside it, those
/// levels alone for which there is one: none, if the mask is not of the file's size.
pub fn levels<'a>(source: &'a Source, beside: &'a Beside) -> Vec<Choice<'a>> {
    let of = |source: &'a Source, header: &'a Header| {
        (0..header.levels.len()).map(move |level| Choice {
            source,
            header,
            level,
            mask: None,
        })
    };
    let mut choices: Vec<Choice<'a>> = of(source, &source.header).collect();
    if let Some(Overviews {
        source,
        header: Some(header),
    }) = &beside.overviews
    {
        choices.extend(of(source, header));
        // Stable: of two levels of one size the file's own stays.
        choices.sort_by_key(|choice| std::cmp::Reverse(choice.image().width_px));
        choices.dedup_by_key(|choice| choice.image().width_px);
    }
    if beside.mask.is_some() {
        choices.retain_mut(|choice| {
            choice.mask = mask_of(choice.image(), beside);
            choice.mask.is_some()
        });
        let full = source.header.full().width_px;
        if choices
            .first()
            .is_none_or(|choice| choice.image().width_px != full)
        {
            choices.clear();
        }
    }
    choices
}

fn mask_of<'a>(image: &Image, beside: &'a Beside) -> Option<(&'a Source, usize)> {
    let size = (image.width_px, image.height_px);
    let of_size = |source: &'a Arc<Source>| {
        let levels = source.header.levels.iter();
        let mut sizes = levels.map(|level| (level.image.width_px, level.image.height_px));
        Some((source.as_ref(), sizes.position(|other| other == size)?))
    };
    beside.mask.iter().chain(&beside.mask_overviews).find_map(of_size)
}
