//! The catalog: what each name that a request may use stands for, and what the request then asks in full.
//!
//! A request names a layer, a file or several files. The catalog turns names into [`Location`]s, with the access
//! rules applied, and lays the request's style over the layer's. What comes out, a [`Task`], needs no configuration
//! any more, and its canonical text is its identity.

mod file;
pub(crate) mod sets;
pub(crate) mod written;

use std::fmt;

use crate::access::{Access, Denied, Location, Origin, Root, beside};
use crate::request::{
    Asked, Assets, BandName, Bands, Format, Frame, Grids, ImageRequest, LayerName, Refused, Sidecars, Style,
    encode,
};

pub use written::LayersError;

/// The configured layers, and the rules for files that are none of them.
#[derive(Debug, Default)]
pub struct Catalog {
    layers: Vec<Layer>,
    grids: Grids,
    access: Access,
}

/// One configured layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Its name in paths.
    pub name: LayerName,
    /// What to call it, its name unless it has a title.
    pub title: String,
    /// Whom to thank, as text or HTML for a map's corner.
    pub attribution: Option<String>,
    /// A sentence about it.
    pub description: Option<String>,
    /// West, south, east, north in degrees, when the file's own shall not hold.
    pub bounds: Option<[f64; 4]>,
    /// The lowest zoom to ask for, when the file's own shall not hold.
    pub minzoom: Option<u8>,
    /// The deepest zoom to ask for, when the file's own shall not hold.
    pub maxzoom: Option<u8>,
    /// Whose pixels.
    pub files: Files,
    /// How they become a picture, where a request is silent.
    pub style: Style,
    /// Whether it needs a key or a signature, when what holds for all layers shall not hold.
    pub needs_key: Option<bool>,
}

/// The files behind one picture.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Files {
    /// One file; an expression calls its bands by number or by their own names.
    One(Location),
    /// Several files, ordered by the name by which an expression calls each one's first band.
    Named(Vec<(BandName, Location)>),
    /// Assets of a STAC item.
    Item(ItemFiles),
    /// The files of a mosaic, or assets of the items that it names.
    Mosaic(ItemFiles),
}

/// A document, a STAC item or a mosaic, and which assets are meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ItemFiles {
    /// Where the document is, and where it may lead to.
    pub origin: Origin,
    /// Which of the item's assets.
    pub assets: Assets,
}

/// One picture to draw: everything is known but the pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Whose pixels.
    pub files: Files,
    /// Which pixels.
    pub frame: Frame,
    /// In which form.
    pub format: Format,
    /// The whole style: the request's, over its route's, over its layer's.
    pub style: Style,
}

/// Why a name leads nowhere.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unresolved {
    /// The request has to change.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The file is not open to requests.
    #[error(transparent)]
    Denied(#[from] Denied),
}

impl Catalog {
    /// Reads a layers file; relative urls in it resolve against `base`.
    pub fn parse(text: &str, base: &Root, access: Access) -> Result<Self, LayersError> {
        let (layers, grids) = file::parse(text, base)?;
        Ok(Self {
            layers,
            grids,
            access,
        })
    }

    /// A catalog without layers.
    pub fn of_files(access: Access) -> Self {
        Self {
            access,
            ..Self::default()
        }
    }

    /// The layers in the order of their file.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The tile matrix sets that requests may name.
    pub fn grids(&self) -> &Grids {
        &self.grids
    }

    /// The layer that a request names, if it names one.
    pub fn layer(&self, asked: &Asked) -> Result<Option<&Layer>, Refused> {
        match asked {
            Asked::Layer(name) => {
                let layer = self.layers.iter().find(|layer| layer.name == *name);
                layer.map(Some).ok_or(Refused::Unknown { kind: "layer" })
            }
            Asked::FirstLayer => {
                let none =
                    || Refused::parameter("url", "is missing, or red and nir: no layer is configured here");
                self.layers.first().map(Some).ok_or_else(none)
            }
            Asked::Url(_) | Asked::Urls(_) | Asked::Item { .. } | Asked::Mosaic { .. } => Ok(None),
        }
    }

    /// The files that a request asks for, and the style that holds where it is silent.
    pub fn find(&self, asked: &Asked) -> Result<(Files, Style), Unresolved> {
        if let Some(layer) = self.layer(asked)? {
            return Ok((layer.files.clone(), layer.style.clone()));
        }
        let files = match asked {
            Asked::Urls(urls) => {
                let open = urls
                    .iter()
                    .map(|(name, url)| Ok((name.clone(), self.access.resolve(url)?)));
                Files::Named(open.collect::<Result<_, Denied>>()?)
            }
            Asked::Url(url) => Files::One(self.access.resolve(url)?),
            Asked::Item { url, assets } => Files::Item(ItemFiles {
                origin: self.access.origin(url)?,
                assets: assets.clone(),
            }),
            Asked::Mosaic { url, assets } => Files::Mosaic(ItemFiles {
                origin: self.access.origin(url)?,
                assets: assets.clone(),
            }),
            Asked::Layer(_) | Asked::FirstLayer => return Err(Refused::Unknown { kind: "layer" }.into()),
        };
        Ok((files, Style::default()))
    }

    /// Whether the files beside those that a request names may be read, too: the access rules hold for each.
    pub fn allow_beside(&self, asked: &Asked, sidecars: Option<Sidecars>) -> Result<(), Denied> {
        let (one, several) = match asked {
            Asked::Url(url) => (Some(url), None),
            Asked::Urls(urls) => (None, Some(urls.values())),
            // What the files that documents name have beside them is allowed as they are opened.
            Asked::Layer(_) | Asked::FirstLayer | Asked::Item { .. } | Asked::Mosaic { .. } => (None, None),
        };
        for url in one.into_iter().chain(several.into_iter().flatten()) {
            for suffix in sidecars.unwrap_or_default().suffixes() {
                self.access.resolve(&beside(url, suffix))?;
            }
        }
        Ok(())
    }

    /// The task that a request for a picture stands for.
    pub fn task(&self, request: &ImageRequest) -> Result<Task, Unresolved> {
        let (files, base) = self.find(&request.asked)?;
        let style = if request.format.is_data() {
            let uncoloured = |style: &Style| style.clone().without_colours();
            let wanted = request.preset.as_deref().map(uncoloured);
            let own = request.style.clone();
            wanted
                .map_or_else(|| own.clone(), |preset| own.clone().over(&preset))
                .over(&uncoloured(&base))
        } else {
            request.wanted_style().over(&base).coloured_by_index()
        };
        self.allow_beside(&request.asked, style.sidecars)?;
        if let Frame::Tile(address, scale) = &request.frame {
            style.edge_px(address.grid(), *scale)?;
        }
        Ok(Task {
            files: files.for_style(&style),
            frame: request.frame.clone(),
            format: request.format,
            style,
        })
    }
}

impl Files {
    /// The locations that are known without reading any, in order.
    pub fn locations(&self) -> impl Iterator<Item = &Location> {
        let (one, named) = match self {
            Self::One(location) => (Some(location), &[][..]),
            Self::Named(named) => (None, named.as_slice()),
            Self::Item(of) | Self::Mosaic(of) => (Some(&of.origin.location), &[][..]),
        };
        one.into_iter().chain(named.iter().map(|(_, location)| location))
    }

    /// How often work on them may begin anew because one was replaced.
    pub fn patience(&self) -> usize {
        match self {
            Self::One(_) | Self::Named(_) => self.locations().count(),
            Self::Item(_) | Self::Mosaic(_) => 4,
        }
    }

    /// The same, of an item the assets that a style means.
    #[must_use]
    pub fn for_style(self, style: &Style) -> Self {
        let of_style = |of: ItemFiles| ItemFiles {
            assets: of.assets.for_style(style),
            ..of
        };
        match self {
            Self::Item(of) => Self::Item(of_style(of)),
            Self::Mosaic(of) => Self::Mosaic(of_style(of)),
            other => other,
        }
    }
}

impl Task {
    /// The identity of the task: two spellings that mean the same picture give the same text, two pictures that differ
    /// in a pixel do not. It may hold a signature: it is for hashing, not for showing.
    pub fn canonical(&self) -> String {
        let files: Vec<String> = match &self.files {
            Files::One(location) => vec![format!("url={}", encode(&location.identity()))],
            Files::Named(named) => {
                let one = |(name, location): &(BandName, Location)| {
                    format!("url.{name}={}", encode(&location.identity()))
                };
                named.iter().map(one).collect()
            }
            Files::Item(of) | Files::Mosaic(of) => {
                let kind = if matches!(self.files, Files::Item(_)) {
                    "item"
                } else {
                    "mosaic"
                };
                let document = (kind.to_owned(), of.origin.location.identity().into_owned());
                let pairs = std::iter::once(document).chain(of.assets.pairs());
                pairs
                    .map(|(name, value)| format!("{name}={}", encode(&value)))
                    .collect()
            }
        };
        format!("{self}{} {}", self.own_place(), files.join(" "))
    }
}

impl Task {
    /// Where a tile lies, if its set is the operator's own: that may mean something else tomorrow.
    fn own_place(&self) -> String {
        let Frame::Tile(address, _) = &self.frame else {
            return String::new();
        };
        let set = address.grid().set();
        if edgetile_raster::grid::find(&set.id).is_some() {
            return String::new();
        }
        let bounds = set.tile_bounds(address.z(), address.x(), address.y());
        format!(" {} {bounds:?}", set.crs.proj_string())
    }
}

/// The frame and its style, for logs: no file is named.
impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.frame, self.format.extension())?;
        self.style
            .pairs()
            .iter()
            .try_for_each(|(name, value)| write!(f, " {name}={}", encode(value)))
    }
}

#[cfg(test)]
mod schema;
#[cfg(test)]
mod tests;
