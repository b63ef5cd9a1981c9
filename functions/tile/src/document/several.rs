//! Many files at many places, whichever document names them: those of a tile, of a box, at a place.

use edgetile_raster::crs::Crs;

use super::blocks::{blocks, degrees};
use super::items::{Items, Located};
use super::mosaic::Mosaic;
use crate::request::Address;

/// A document that names many files.
#[derive(Clone, Copy, Debug)]
pub enum Several<'a> {
    /// By the quadkeys of tiles.
    Mosaic(&'a Mosaic),
    /// By the outlines of items.
    Items(&'a Items),
}

/// One of the files, or of the items with their files.
#[derive(Clone, Copy, Debug)]
pub enum Member<'a> {
    /// The address of a file or of an item, as the document writes it.
    Address(&'a str),
    /// An item that stands in the document.
    Item(&'a Located),
}

impl<'a> Member<'a> {
    /// What the document calls it.
    pub fn name(self) -> &'a str {
        match self {
            Self::Address(name) => name,
            Self::Item(located) => &located.id,
        }
    }
}

impl<'a> Several<'a> {
    /// How many there are.
    pub fn count(self) -> usize {
        match self {
            Self::Mosaic(mosaic) => mosaic.files(),
            Self::Items(items) => items.all().len(),
        }
    }

    /// Bounds in degrees: west, south, east, north.
    pub fn bounds(self) -> [f64; 4] {
        match self {
            Self::Mosaic(mosaic) => mosaic.bounds,
            Self::Items(items) => items.bounds(),
        }
    }

    /// The one at a place among all, counted from 0.
    pub fn member(self, at: usize) -> Option<Member<'a>> {
        match self {
            Self::Mosaic(mosaic) => mosaic.file(at).map(Member::Address),
            Self::Items(items) => items.all().get(at).map(Member::Item),
        }
    }

    /// Up to `most` of them, evenly spread over the document: always the same ones.
    pub fn sample(self, most: usize) -> Vec<Member<'a>> {
        let (count, taken) = (self.count(), self.count().min(most));
        let spread = (0..taken).map(|at| (2 * at + 1) * count / (2 * taken));
        spread.filter_map(|at| self.member(at)).collect()
    }

    /// Those of a tile.
    pub fn of_tile(self, address: &Address) -> Vec<Member<'a>> {
        if let Self::Mosaic(mosaic) = self
            && address.grid().is_same(&mosaic.grid)
        {
            let files = mosaic.of_tile(address.z(), address.x(), address.y());
            return files.into_iter().map(Member::Address).collect();
        }
        let set = address.grid().set();
        // A tile that is addressed lies on its grid.
        let Some(bounds) = set.tile_bounds(address.z(), address.x(), address.y()) else {
            return Vec::new();
        };
        self.of_area(&set.crs, [bounds.west, bounds.south, bounds.east, bounds.north])
    }

    /// Those of a box, west, south, east, north in `crs`.
    pub fn of_area(self, crs: &Crs, bounds: [f64; 4]) -> Vec<Member<'a>> {
        match self {
            Self::Mosaic(mosaic) => {
                let blocks = blocks(mosaic.grid.set(), mosaic.quadkey_zoom, crs, bounds);
                let files = mosaic.of_blocks(&blocks);
                files.into_iter().map(Member::Address).collect()
            }
            Self::Items(items) => {
                let everywhere = [-180.0, -90.0, 180.0, 90.0];
                let area = degrees(crs, bounds).unwrap_or(everywhere);
                items.of_area(area).map(Member::Item).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Content;

    #[test]
    fn a_sample_is_spread_over_the_whole_document() {
        let files: Vec<String> = (0..100).map(|at| format!("\"{at}\"")).collect();
        let text = format!(
            r#"{{"mosaicjson": "0.0.3", "minzoom": 0, "tiles": {{"": [{}]}}}}"#,
            files.join(",")
        );
        let content = Content::parse(text.as_bytes()).unwrap();
        let several = content.several().unwrap();
        let names = |most| {
            let sample = several.sample(most).into_iter();
            sample.map(|member| member.name().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(4), ["12", "37", "62", "87"]);
        assert_eq!(names(1), ["50"]);
        assert_eq!(names(1000).len(), 100);
    }
}
