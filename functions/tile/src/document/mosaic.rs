//! A MosaicJSON document, versions 0.0.1 to 0.0.3: which files lie where, by quadkey.
//!
//! The tiles of one zoom, `quadkey_zoom`, each list files; a tile of a lower zoom has those of all tiles below it, in the
//! order of their quadkeys, one of a deeper zoom those of the tile that it lies in. Each file counts once, where it stands first.
//! Quadkeys are of the web's grid, or of the one that `tilematrixset` names or spells out: each of its tiles has four below it.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use edgetile_raster::grid;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::blocks::{Block, WEB};
use super::{Tolerated, Unreadable, read};
use crate::layers::{sets, written};
use crate::request::Grid;

/// The deepest zoom of a document (its specification).
const DEEPEST: u8 = 30;
/// The most quadkeys of a document.
const MOST_TILES: usize = 1 << 20;
/// The most files that all quadkeys together list.
const MOST_LISTED: usize = 4 << 20;

/// A mosaic.
#[derive(Clone, Debug, PartialEq)]
pub struct Mosaic {
    /// What it calls itself.
    pub name: Option<String>,
    /// Whom to thank.
    pub attribution: Option<String>,
    /// Bounds in degrees: west, south, east, north.
    pub bounds: [f64; 4],
    /// The lowest zoom at which it is worth looking at.
    pub minzoom: u8,
    /// The deepest zoom at which it is worth looking at.
    pub maxzoom: u8,
    /// The grid of the quadkeys.
    pub grid: Grid,
    /// The zoom of the quadkeys.
    pub quadkey_zoom: u8,
    /// The addresses of its files, each once.
    files: Vec<Box<str>>,
    /// Files by the code of a tile, in order.
    tiles: BTreeMap<u64, Box<[u32]>>,
}

#[derive(Deserialize)]
struct Written<'a> {
    #[serde(default)]
    name: Tolerated<String>,
    #[serde(default)]
    attribution: Tolerated<String>,
    #[serde(default)]
    bounds: Tolerated<[f64; 4]>,
    #[serde(default)]
    minzoom: Tolerated<u8>,
    #[serde(default)]
    maxzoom: Tolerated<u8>,
    #[serde(default)]
    quadkey_zoom: Tolerated<u8>,
    #[serde(borrow)]
    tilematrixset: Option<&'a RawValue>,
    #[serde(default)]
    asset_prefix: Tolerated<String>,
    tiles: Tiles,
}

/// The name of a set of tiles.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    id: Tolerated<String>,
}

/// Files, each once, and those of each quadkey.
#[derive(Default)]
struct Tiles {
    files: Vec<Box<str>>,
    /// The place of each among them.
    known: HashMap<String, u32>,
    /// How many are listed by all quadkeys so far.
    listed: usize,
    by_quadkey: Vec<(Box<str>, Box<[u32]>)>,
}

impl<'de> Deserialize<'de> for Tiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ByQuadkey;
        impl<'de> Visitor<'de> for ByQuadkey {
            type Value = Tiles;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("lists of files by quadkeys")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tiles, A::Error> {
                let mut tiles = Tiles::default();
                while let Some(quadkey) = map.next_key::<String>()? {
                    let files = map.next_value_seed(List(&mut tiles))?;
                    if tiles.by_quadkey.len() == MOST_TILES {
                        return Err(serde::de::Error::custom("too many tiles"));
                    }
                    tiles.by_quadkey.push((quadkey.into(), files));
                }
                Ok(tiles)
            }
        }
        deserializer.deserialize_map(ByQuadkey)
    }
}

/// The files of one quadkey.
struct List<'a>(&'a mut Tiles);

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = Box<[u32]>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = Box<[u32]>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of files")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<Self::Value, A::Error> {
        let Tiles {
            files, known, listed, ..
        } = self.0;
        let mut list = Vec::new();
        while let Some(name) = names.next_element::<String>()? {
            *listed += 1;
            if *listed > MOST_LISTED {
                return Err(serde::de::Error::custom("too many files"));
            }
            let next = known.len() as u32;
            list.push(*known.entry(name).or_insert_with_key(|name| {
                files.push(name.as_str().into());
                next
            }));
        }
        Ok(list.into())
    }
}

impl Mosaic {
    pub(super) fn parse(text: &[u8]) -> Result<Self, Unreadable> {
        let written: Written = read(text)?;
        let grid = grid_of(written.tilematrixset.map_or("{}", RawValue::get))?;
        let zoom = |zoom: Option<u8>, default: u8| zoom.unwrap_or(default).min(DEEPEST);
        let minzoom = zoom(written.minzoom.0, 0);
        let maxzoom = zoom(written.maxzoom.0, DEEPEST).max(minzoom);
        let quadkey_zoom = zoom(written.quadkey_zoom.0, minzoom);
        if grid.name() != WEB && quadkey_zoom > grid.deepest_zoom() {
            return Err(Unreadable::Unread("quadkeys deeper than its tilematrixset"));
        }
        let prefix = written.asset_prefix.0.unwrap_or_default();
        let files = written.tiles.files.into_iter();
        let files = if prefix.is_empty() {
            files.collect()
        } else {
            files.map(|file| format!("{prefix}{file}").into()).collect()
        };
        // Keys of another zoom are never looked up.
        let tiles = written.tiles.by_quadkey.into_iter();
        let tiles = tiles.filter_map(|(quadkey, files)| Some((code(&quadkey, quadkey_zoom)?, files)));
        Ok(Self {
            name: written.name.0,
            attribution: written.attribution.0,
            bounds: written
                .bounds
                .0
                .filter(are_bounds)
                .unwrap_or([-180.0, -90.0, 180.0, 90.0]),
            minzoom,
            maxzoom,
            grid,
            quadkey_zoom,
            files,
            tiles: tiles.collect(),
        })
    }

    pub(super) fn weight(&self) -> usize {
        let files: usize = self.files.iter().map(|file| file.len() + 32).sum();
        let tiles: usize = self.tiles.values().map(|files| 4 * files.len() + 48).sum();
        files + tiles + 256
    }

    /// The file at a place among all, counted from 0.
    pub fn file(&self, at: usize) -> Option<&str> {
        self.files.get(at).map(AsRef::as_ref)
    }

    /// How many files it names.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// The files of a tile of its own grid, in order.
    pub fn of_tile(&self, z: u8, x: u32, y: u32) -> Vec<&str> {
        let code = interleaved(x, y);
        if z >= self.quadkey_zoom {
            let above = 2 * u32::from(z - self.quadkey_zoom);
            let files = self.tiles.get(&code.checked_shr(above).unwrap_or(0));
            return self.each_once(files.into_iter());
        }
        let below = 2 * u32::from(self.quadkey_zoom - z);
        // A tile beyond the grid has no code.
        let Some(first) = shifted(code, below) else {
            return Vec::new();
        };
        let last = first | ((1 << below) - 1);
        self.each_once(self.tiles.range(first..=last).map(|(_, files)| files))
    }

    /// The files of all tiles of blocks at the zoom of the quadkeys, column by column as cogeo-mosaic has it.
    pub fn of_blocks(&self, blocks: &[Block]) -> Vec<&str> {
        let wanted = |(code, _): &(&u64, _)| {
            let (x, y) = parted(**code);
            blocks
                .iter()
                .any(|(columns, rows)| columns.contains(&x) && rows.contains(&y))
        };
        let mut found: Vec<_> = self.tiles.iter().filter(wanted).collect();
        found.sort_by_key(|(code, _)| parted(**code));
        self.each_once(found.into_iter().map(|(_, files)| files))
    }

    fn each_once<'a>(&'a self, lists: impl Iterator<Item = &'a Box<[u32]>>) -> Vec<&'a str> {
        let mut seen = std::collections::HashSet::new();
        let files = lists
            .flat_map(|list| list.iter())
            .filter(|file| seen.insert(**file));
        files
            .filter_map(|file| self.files.get(*file as usize).map(AsRef::as_ref))
            .collect()
    }
}

/// The grid of the text of a `tilematrixset`.
fn grid_of(text: &str) -> Result<Grid, Unreadable> {
    let wrong = Unreadable::Unread("its tilematrixset, of which each tile must have four below it");
    let named: Named = serde_json::from_str(text).map_err(|_| wrong.clone())?;
    let name = named.id.0.unwrap_or_else(|| WEB.to_owned());
    let own = || sets::read(&written::Written::of(text).ok()?, sets::Others::Ignored).ok();
    let set = grid::find(&name).or_else(own).ok_or_else(|| wrong.clone())?;
    let is_quad = |matrix: &grid::TileMatrix| {
        let count = 1_u32.checked_shl(matrix.zoom.into());
        count == Some(matrix.width) && count == Some(matrix.height)
    };
    let is_whole = set
        .matrices
        .iter()
        .zip(0..)
        .all(|(matrix, zoom)| matrix.zoom == zoom);
    if is_whole && set.matrices.iter().all(is_quad) {
        Ok(Grid::of(set))
    } else {
        Err(wrong)
    }
}

fn are_bounds([west, south, east, north]: &[f64; 4]) -> bool {
    let is_within = |value: &f64, limit: f64| value.abs() <= limit;
    is_within(west, 360.0)
        && is_within(east, 360.0)
        && is_within(south, 90.0)
        && is_within(north, 90.0)
        && south < north
}

/// The code of a tile by its quadkey, two bits a zoom; none if it is not of `zoom`.
fn code(quadkey: &str, zoom: u8) -> Option<u64> {
    if quadkey.len() != usize::from(zoom) {
        return None;
    }
    quadkey.bytes().try_fold(0, |code: u64, digit| match digit {
        b'0'..=b'3' => Some(code << 2 | u64::from(digit - b'0')),
        _ => None,
    })
}

/// The code of a tile by its column and row.
fn interleaved(x: u32, y: u32) -> u64 {
    (0..32).fold(0, |code, bit| {
        let pair = (u64::from(y) >> bit & 1) << 1 | (u64::from(x) >> bit & 1);
        code | pair << (2 * bit)
    })
}

/// Column and row of a code.
fn parted(code: u64) -> (u32, u32) {
    let bits = |from: u32| {
        (0..32).fold(0_u32, |index, bit| {
            index | (((code >> (2 * bit + from)) & 1) as u32) << bit
        })
    };
    (bits(0), bits(1))
}

fn shifted(code: u64, bits: u32) -> Option<u64> {
    let shifted = code.checked_shl(bits)?;
    (shifted >> bits == code).then_some(shifted)
}

#[cfg(test)]
mod tests {
    use super::super::Content;
    use super::*;

    fn mosaic(text: &str) -> Mosaic {
        let Content::Mosaic(mosaic) = Content::parse(text.as_bytes()).unwrap() else {
            panic!("no mosaic")
        };
        mosaic
    }

    /// Four tiles of zoom 2 below the tile 1/1/0, the first two with a file in common.
    const FOUR: &str = r#"{"mosaicjson": "0.0.2", "minzoom": 1, "maxzoom": 9, "quadkey_zoom": 2, "bounds": [0, 0, 180, 85],
        "tiles": {"13": ["d.tif"], "10": ["a.tif", "b.tif"], "11": ["b.tif", "c.tif"], "12": [], "1": ["never.tif"]}}"#;

    #[test]
    fn quadkeys_are_codes_of_columns_and_rows() {
        // The example of the Bing Maps tile system: 3/3/5 is 213.
        assert_eq!(code("213", 3), Some(interleaved(3, 5)));
        assert_eq!(parted(interleaved(3, 5)), (3, 5));
        assert_eq!(parted(interleaved(u32::MAX, 7)), (u32::MAX, 7));
        assert_eq!(
            (code("", 0), code("21", 3), code("214", 3), code("2a3", 3)),
            (Some(0), None, None, None)
        );
    }

    #[test]
    fn tiles_at_above_and_below_the_zoom_of_quadkeys_have_their_files_each_once() {
        let mosaic = mosaic(FOUR);
        for ((z, x, y), files) in [
            ((2, 2, 0), &["a.tif", "b.tif"][..]),
            ((2, 3, 0), &["b.tif", "c.tif"]),
            ((2, 2, 1), &[]),
            ((2, 0, 0), &[]),
            ((1, 1, 0), &["a.tif", "b.tif", "c.tif", "d.tif"]),
            ((0, 0, 0), &["a.tif", "b.tif", "c.tif", "d.tif"]),
            ((1, 0, 0), &[]),
            ((3, 5, 1), &["a.tif", "b.tif"]),
            ((12, 3 << 10, 1 << 10), &["d.tif"]),
            ((24, u32::MAX, u32::MAX), &[]),
            ((1, u32::MAX, u32::MAX), &[]),
        ] {
            assert_eq!(mosaic.of_tile(z, x, y), files, "{z}/{x}/{y}");
        }
        assert_eq!(
            mosaic.of_blocks(&[(2..=3, 0..=1)]),
            ["a.tif", "b.tif", "c.tif", "d.tif"]
        );
        assert_eq!(mosaic.of_blocks(&[(3..=9, 0..=0)]), ["b.tif", "c.tif"]);
        assert_eq!(mosaic.bounds, [0.0, 0.0, 180.0, 85.0]);
        assert_eq!((mosaic.file(0), mosaic.files()), (Some("d.tif"), 5));
    }

    #[test]
    fn every_version_is_read() {
        let first = mosaic(r#"{"mosaicjson": "0.0.1", "minzoom": 2, "tiles": {"10": ["a.tif"]}}"#);
        assert_eq!((first.quadkey_zoom, first.of_tile(2, 2, 0)), (2, vec!["a.tif"]));
        assert_eq!((first.bounds, first.maxzoom), ([-180.0, -90.0, 180.0, 90.0], 30));
        let third = mosaic(
            r#"{"mosaicjson": "0.0.3", "minzoom": 0, "quadkey_zoom": 0, "asset_prefix": "s3://b/", "name": "all",
                "tilematrixset": {"id": "WebMercatorQuad"}, "layers": {}, "tiles": {"": ["a.tif"]}}"#,
        );
        assert_eq!(
            (third.of_tile(0, 0, 0), third.of_tile(5, 3, 3)),
            (vec!["s3://b/a.tif"], vec!["s3://b/a.tif"])
        );
        assert_eq!(third.name.as_deref(), Some("all"));
    }

    #[test]
    fn quadkeys_may_be_of_another_grid() {
        let of = |set: &str| {
            mosaic(&format!(
                r#"{{"mosaicjson": "0.0.3", "minzoom": 1, "tiles": {{"2": ["a.tif"]}}, "tilematrixset": {set}}}"#
            ))
        };
        let named = of(r#"{"id": "EuropeanETRS89_LAEAQuad"}"#);
        assert_eq!(named.grid.name(), "EuropeanETRS89_LAEAQuad");
        assert_eq!(named.of_tile(2, 1, 3), ["a.tif"]);
        assert_eq!(of("null").grid.name(), WEB);
        // As morecantile writes one of its own.
        let matrix = |zoom: u32| {
            let (cell, count) = (4000.0 / f64::from(1 << zoom), 1 << zoom);
            format!(
                r#"{{"title": null, "id": "{zoom}", "scaleDenominator": 1.0, "cellSize": {cell}, "cornerOfOrigin": "topLeft",
                "pointOfOrigin": [2000000.0, 4000000.0], "tileWidth": 256, "tileHeight": 256, "matrixWidth": {count},
                "matrixHeight": {count}, "variableMatrixWidths": null}}"#
            )
        };
        let set = |crs: &str, second: u32| {
            format!(
                r#"{{"id": "Own", "crs": {crs}, "orderedAxes": null, "wellKnownScaleSet": null, "tileMatrices": [{}, {}]}}"#,
                matrix(0),
                matrix(second)
            )
        };
        let own = of(&set(r#""http://www.opengis.net/def/crs/EPSG/0/3035""#, 1));
        assert_eq!((own.grid.name(), own.grid.set().crs.epsg()), ("Own", Some(3035)));
        assert_eq!(own.of_tile(1, 0, 1), ["a.tif"]);
        let uri = of(&set(
            r#"{"uri": "http://www.opengis.net/def/crs/EPSG/0/3035"}"#,
            1,
        ));
        assert_eq!(uri.grid.set().crs.epsg(), Some(3035));
        let gap = format!(
            r#"{{"mosaicjson": "0.0.3", "tiles": {{}}, "tilematrixset": {}}}"#,
            set("3035", 2)
        );
        assert!(Content::parse(gap.as_bytes()).is_err());
    }

    #[test]
    fn what_is_no_mosaic_is_refused() {
        let refused = |text: &str| Content::parse(text.as_bytes()).unwrap_err().to_string();
        for set in [r#"{"id": "WGS1984Quad"}"#, r#"{"id": "Mine", "crs": 3035}"#, "7"] {
            assert_eq!(
                refused(&format!(
                    r#"{{"mosaicjson": "0.0.3", "tiles": {{}}, "tilematrixset": {set}}}"#
                )),
                "the document uses what is not read: its tilematrixset, of which each tile must have four below it"
            );
        }
        let deep = r#"{"mosaicjson": "0.0.3", "minzoom": 29, "tiles": {}, "tilematrixset": {"id": "EuropeanETRS89_LAEAQuad"}}"#;
        assert_eq!(
            refused(deep),
            "the document uses what is not read: quadkeys deeper than its tilematrixset"
        );
        for text in [
            r#"{"mosaicjson": "0.0.2"}"#,
            r#"{"mosaicjson": "0.0.2", "tiles": {"1": "a.tif"}}"#,
            r#"{"mosaicjson": "0.0.2", "tiles": {"1": [1]}}"#,
            r#"{"mosaicjson": "0.0.2", "tiles": ["1"]}"#,
        ] {
            assert!(
                refused(text).contains("is not the JSON that it should be"),
                "{text}"
            );
        }
        let odd =
            mosaic(r#"{"mosaicjson": 1, "minzoom": 300, "bounds": [1, 2, 3], "maxzoom": -1, "tiles": {}}"#);
        assert_eq!((odd.minzoom, odd.maxzoom, odd.bounds[0]), (0, 30, -180.0));
    }
}
