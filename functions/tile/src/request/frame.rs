//! Which pixels: a tile of a grid, or a window of the world in a size of its own.
//!
//! What a window is in pixels follows from the files where the request is silent; the sizes are rio-tiler's
//! (`output_size`, `get_vrt_transform`).

use std::fmt;

use edgetile_raster::crs::Crs;

use super::address::LARGEST_EDGE_PX;
use super::{Address, Format, Outline, Query, Refused, Scale};

/// The larger side of a preview whose request says nothing about its size, in pixels.
const PREVIEW_PX: u32 = 1024;

/// Which pixels are asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    /// A tile of a grid, and how many pixels stand for one.
    Tile(Address, Scale),
    /// A part of the world, or all of a file.
    Window(Window),
}

/// A box in a CRS, drawn in a size.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// What it shows; absent means all that the files cover.
    pub area: Option<Area>,
    /// The CRS of its pixels; absent means the first file's.
    pub crs: Option<NamedCrs>,
    /// Its size.
    pub size: Size,
    /// What of the area is shown; absent means all of it.
    pub outline: Option<Outline>,
    /// Whether the area grows to the edges of the file's own pixels.
    pub is_aligned: bool,
}

/// A part of the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Area {
    /// West, south, east, north in units of `crs`: each less than its counterpart. Where `crs` goes round the globe, east may lie
    /// beyond half a turn.
    pub bounds: [f64; 4],
    /// Whose coordinates they are.
    pub crs: NamedCrs,
}

/// How many pixels, none of them 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// As many as the finest file has there.
    Native,
    /// The same, but the larger side at most this.
    AtMost(u32),
    /// Columns; rows follow from the shape.
    Width(u32),
    /// Rows; columns follow from the shape.
    Height(u32),
    /// Columns and rows.
    Exactly(u32, u32),
}

/// A CRS that a request named. Two are equal if they have one code, or one definition.
#[derive(Clone, Debug)]
pub struct NamedCrs(Crs);

impl Window {
    /// All that the files cover, by the segments after `preview`.
    pub(super) fn preview(rest: &[&str], query: &Query) -> Result<(Self, Option<Format>), Refused> {
        let (place, in_path, format) = split(rest)?;
        if !place.is_empty() {
            return Err(Refused::NoSuchPath);
        }
        let window = Self {
            area: None,
            crs: NamedCrs::read(query, ["dst_crs", "dst-crs"])?,
            size: Size::read(in_path, query, Size::AtMost(PREVIEW_PX))?,
            outline: None,
            is_aligned: false,
        };
        Ok((window, format))
    }

    /// A box, by the segments after `bbox`.
    pub(super) fn bbox(rest: &[&str], query: &Query) -> Result<(Self, Option<Format>), Refused> {
        let (place, in_path, format) = split(rest)?;
        let crs = NamedCrs::read(query, ["coord_crs", "coord-crs"])?;
        let crs = crs.map_or_else(NamedCrs::wgs84, Ok)?;
        let window = Self {
            crs: Some(NamedCrs::read(query, ["dst_crs", "dst-crs"])?.unwrap_or_else(|| crs.clone())),
            area: Some(Area {
                bounds: read_bounds(place, &crs)?,
                crs,
            }),
            size: Size::read(in_path, query, Size::Native)?,
            outline: None,
            is_aligned: false,
        };
        Ok((window, format))
    }

    /// A map of OGC API - Maps (20-058, clauses 7 and 8): all that the files cover, or a box of 4 coordinates, or of 6 with heights.
    pub(super) fn map(query: &Query) -> Result<(Self, Format), Refused> {
        let area = query.one("bbox")?.map(str::trim).filter(|text| !text.is_empty());
        let area = area.map(|text| {
            let crs = NamedCrs::read(query, ["bbox-crs", "bbox_crs"])?;
            let crs = crs.map_or_else(NamedCrs::wgs84, Ok)?;
            let bounds = match text.split(',').collect::<Vec<_>>().as_slice() {
                [west, south, _, east, north, _] => {
                    read_bounds(&[*west, south, east, north].join(","), &crs)?
                }
                _ => read_bounds(text, &crs)?,
            };
            Ok(Area { bounds, crs })
        });
        let window = Self {
            area: area.transpose()?,
            crs: NamedCrs::read(query, ["crs"])?,
            size: Size::read(None, query, Size::AtMost(PREVIEW_PX))?,
            outline: None,
            is_aligned: false,
        };
        let format = query.one("f")?.map(str::trim).filter(|text| !text.is_empty());
        let format = format.map_or(Ok(Format::Png), |text| Format::parse("f", text))?;
        Ok((window, format))
    }

    /// The box around an outline, cut to it, by the segments after `feature`.
    pub(super) fn feature(
        rest: &[&str],
        outline: Outline,
        crs: NamedCrs,
        query: &Query,
    ) -> Result<(Self, Option<Format>), Refused> {
        let (place, in_path, format) = split(rest)?;
        if !place.is_empty() {
            return Err(Refused::NoSuchPath);
        }
        let window = Self {
            crs: Some(NamedCrs::read(query, ["dst_crs", "dst-crs"])?.unwrap_or_else(|| crs.clone())),
            area: Some(Area {
                bounds: outline.cutline.bounds(),
                crs,
            }),
            size: Size::read(in_path, query, Size::Native)?,
            outline: Some(outline),
            is_aligned: false,
        };
        Ok((window, format))
    }
}

/// `{place}[.{format}]` or `{place}/{width}x{height}[.{format}]`: the place, the size, the format. The place of a preview is empty.
fn split<'a>(rest: &[&'a str]) -> Result<(&'a str, Option<Size>, Option<Format>), Refused> {
    let (place, last) = match rest {
        [place] => (*place, None),
        [place, last] => (*place, Some(*last)),
        _ => return Err(Refused::NoSuchPath),
    };
    let (bare, format) = split_format(last.unwrap_or(place))?;
    match last {
        None => Ok((bare, None, format)),
        Some(_) => Ok((place, Some(Size::parse(bare)?), format)),
    }
}

/// What stands before the extension, and the format it names. The point of a number begins no extension.
fn split_format(segment: &str) -> Result<(&str, Option<Format>), Refused> {
    match segment.rsplit_once('.') {
        Some((rest, extension)) if !extension.starts_with(|c: char| c.is_ascii_digit()) => {
            Ok((rest, Some(Format::parse("format", extension)?)))
        }
        _ => Ok((segment, None)),
    }
}

fn read_bounds(text: &str, crs: &NamedCrs) -> Result<[f64; 4], Refused> {
    let wrong = |reason: &str| Refused::parameter("bbox", reason);
    let numbers: Vec<f64> = text
        .split(',')
        .map_while(|number| number.trim().parse().ok())
        .filter(|number: &f64| number.is_finite())
        .collect();
    let (Ok([west, south, mut east, north]), 4) = (<[f64; 4]>::try_from(numbers), text.split(',').count())
    else {
        return Err(wrong("is not minx,miny,maxx,maxy, such as 11.4,48.0,11.8,48.3"));
    };
    if let Some(turn) = crs.crs().turn()
        && east < west
        && east + turn > west
    {
        // Across the antimeridian, as GeoJSON writes boxes (RFC 7946, section 5.2).
        east += turn;
    }
    if west < east && south < north && (east - west).is_finite() && (north - south).is_finite() {
        Ok([west, south, east, north])
    } else {
        Err(wrong("is empty: write minx,miny,maxx,maxy, the lower first"))
    }
}

impl Size {
    /// `{width}x{height}` of a path.
    fn parse(text: &str) -> Result<Self, Refused> {
        let (width, height) = text.split_once('x').ok_or(Refused::NoSuchPath)?;
        Ok(Self::Exactly(pixels("width", width)?, pixels("height", height)?))
    }

    /// The path's, or else that of `width` and `height`, or else of `max_size`.
    fn read(in_path: Option<Self>, query: &Query, default: Self) -> Result<Self, Refused> {
        if let Some(size) = in_path {
            return Ok(size);
        }
        let given = |name| {
            let text = query.one(name)?.map(str::trim).filter(|text| !text.is_empty());
            text.map(|text| pixels(name, text)).transpose()
        };
        Ok(match (given("width")?, given("height")?, given("max_size")?) {
            (Some(width), Some(height), _) => Self::Exactly(width, height),
            (Some(width), None, _) => Self::Width(width),
            (None, Some(height), _) => Self::Height(height),
            (None, None, Some(most)) => Self::AtMost(most),
            (None, None, None) => default,
        })
    }

    /// Columns and rows of a box that has `native` of them in the finest file; refused beyond [`LARGEST_EDGE_PX`].
    pub fn pixels(self, native: (f64, f64)) -> Result<(u32, u32), Refused> {
        let (across, down) = (native.0.round().max(1.0), native.1.round().max(1.0));
        let rows_for = |width: u32| (f64::from(width) * down / across).ceil();
        let columns_for = |height: u32| (f64::from(height) * across / down).ceil();
        let (width, height) = match self {
            Self::AtMost(most) if across.max(down) >= f64::from(most) => {
                if down > across {
                    (columns_for(most), f64::from(most))
                } else {
                    (f64::from(most), rows_for(most))
                }
            }
            Self::Native | Self::AtMost(_) => (across, down),
            Self::Width(width) => (f64::from(width), rows_for(width)),
            Self::Height(height) => (columns_for(height), f64::from(height)),
            Self::Exactly(width, height) => (f64::from(width), f64::from(height)),
        };
        match width.max(height) as u32 {
            edge_px if edge_px > LARGEST_EDGE_PX => Err(Refused::LargeWindow { edge_px }),
            _ => Ok((width.max(1.0) as u32, height.max(1.0) as u32)),
        }
    }
}

/// A number of pixels that one side of an answer may have.
pub(super) fn pixels(name: &str, text: &str) -> Result<u32, Refused> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match text.parse::<u32>() {
        Ok(edge_px) if (1..=LARGEST_EDGE_PX).contains(&edge_px) => Ok(edge_px),
        // What no number holds is as far beyond the limit as the largest.
        parsed if digits && parsed != Ok(0) => Err(Refused::LargeWindow {
            edge_px: parsed.unwrap_or(u32::MAX),
        }),
        _ => Err(Refused::parameter(name, "is not a whole number from 1")),
    }
}

impl NamedCrs {
    /// Longitude and latitude.
    pub fn wgs84() -> Result<Self, Refused> {
        let crs = Crs::from_epsg(4326);
        crs.map(Self).map_err(|_| Refused::Unknown { kind: "CRS" })
    }

    /// The CRS of a parameter, by any of its spellings.
    pub(super) fn read<const N: usize>(query: &Query, names: [&str; N]) -> Result<Option<Self>, Refused> {
        for name in names {
            if let Some(text) = query.one(name)?.map(str::trim).filter(|text| !text.is_empty()) {
                let crs = Crs::from_user_input(text).map_err(|error| {
                    let reason = format!("is no CRS that is known here, such as EPSG:3857: {error}");
                    Refused::parameter(name, reason)
                })?;
                return Ok(Some(Self(crs)));
            }
        }
        Ok(None)
    }

    /// A system that has been found.
    pub fn of(crs: Crs) -> Self {
        Self(crs)
    }

    /// The system itself.
    pub fn crs(&self) -> &Crs {
        &self.0
    }
}

impl PartialEq for NamedCrs {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_same(&other.0)
    }
}

impl fmt::Display for NamedCrs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.epsg() {
            Some(code) => write!(f, "EPSG:{code}"),
            None => f.write_str(&self.0.proj_string()),
        }
    }
}

/// Its one spelling.
impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tile(address, scale) => write!(f, "{address}{scale}"),
            Self::Window(window) => window.fmt(f),
        }
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.area {
            None => f.write_str("preview")?,
            Some(Area { bounds, crs }) => write!(f, "bbox {bounds:?} {crs}")?,
        }
        if let Some(outline) = &self.outline {
            write!(f, " cut to {:?}", outline.cutline.polygons())?;
        }
        if self.is_aligned {
            f.write_str(" on its pixels")?;
        }
        if let Some(crs) = &self.crs {
            write!(f, " in {crs}")?;
        }
        match self.size {
            Size::Native => Ok(()),
            Size::AtMost(most) => write!(f, " max_size={most}"),
            Size::Width(width) => write!(f, " width={width}"),
            Size::Height(height) => write!(f, " height={height}"),
            Size::Exactly(width, height) => write!(f, " {width}x{height}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bbox(rest: &[&str], query: &str) -> Result<(Window, Option<Format>), Refused> {
        Window::bbox(rest, &Query::parse(query).unwrap())
    }

    fn preview(rest: &[&str], query: &str) -> Result<(Window, Option<Format>), Refused> {
        Window::preview(rest, &Query::parse(query).unwrap())
    }

    #[test]
    fn a_map_is_of_the_files_own_system_unless_it_names_one() {
        let map = |query: &str| Window::map(&Query::parse(query).unwrap());
        let (whole, format) = map("").unwrap();
        assert_eq!((whole.area, whole.crs, format), (None, None, Format::Png));
        assert_eq!(whole.size, Size::AtMost(1024));
        let (part, format) = map("bbox=11,48,0,12,49,9&f=jpeg&width=300&crs=EPSG:3857").unwrap();
        let area = part.area.unwrap();
        assert_eq!((area.bounds, format), ([11.0, 48.0, 12.0, 49.0], Format::Jpeg));
        assert_eq!(part.crs.unwrap().crs().epsg(), Some(3857));
        let (metres, _) =
            map("bbox=1e6,6e6,2e6,7e6&bbox-crs=http://www.opengis.net/def/crs/EPSG/0/3857").unwrap();
        assert_eq!(metres.area.unwrap().crs.crs().epsg(), Some(3857));
        for wrong in [
            "bbox=1,2,3",
            "bbox=1,2,1,3",
            "f=nope",
            "crs=nope",
            "bbox-crs=nope&bbox=1,2,3,4",
        ] {
            assert!(map(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_box_ends_where_its_extension_begins() {
        for (text, bounds, format) in [
            ("1,2,3,4.png", [1.0, 2.0, 3.0, 4.0], Some(Format::Png)),
            ("1,2,3,4.5.jpeg", [1.0, 2.0, 3.0, 4.5], Some(Format::Jpeg)),
            ("-1.5,2,3,4.5", [-1.5, 2.0, 3.0, 4.5], None),
            ("-1e1,2,3,.5e1", [-10.0, 2.0, 3.0, 5.0], None),
            // Across the antimeridian.
            ("177,-5,-178,5.png", [177.0, -5.0, 182.0, 5.0], Some(Format::Png)),
        ] {
            let (window, found) = bbox(&[text], "").unwrap();
            assert_eq!((window.area.unwrap().bounds, found), (bounds, format), "{text}");
            assert_eq!(window.size, Size::Native);
        }
        for wrong in [
            "1,2,3.png",
            "1,2,3,4,5",
            "1,2,x,4",
            "1,2,nan,4",
            "inf,2,3,4",
            "",
            "1,2,,4",
        ] {
            let message = bbox(&[wrong], "").unwrap_err().to_string();
            assert!(message.starts_with("bbox is not minx"), "{wrong}: {message}");
        }
        for empty in ["1,2,1,4", "1,4,3,2", "3,2,1,4"] {
            let message = bbox(&[empty], "coord_crs=EPSG:32633").unwrap_err().to_string();
            assert!(message.starts_with("bbox is empty"), "{empty}: {message}");
        }
    }

    #[test]
    fn sizes_stand_in_the_path_or_in_the_query() {
        let size = |rest: &[&str], query: &str| preview(rest, query).map(|(window, _)| window.size);
        assert_eq!(size(&[""], ""), Ok(Size::AtMost(1024)));
        assert_eq!(size(&[".png"], "max_size=300"), Ok(Size::AtMost(300)));
        assert_eq!(size(&[""], "width=20&max_size=300"), Ok(Size::Width(20)));
        assert_eq!(size(&[""], "height=20"), Ok(Size::Height(20)));
        assert_eq!(size(&[""], "height=20&width=30"), Ok(Size::Exactly(30, 20)));
        assert_eq!(size(&["", "40x50.png"], "width=20"), Ok(Size::Exactly(40, 50)));
        assert_eq!(preview(&["", "40x50"], "").unwrap().1, None);
        for (rest, query, edge_px) in [
            (vec![""], "max_size=2049", 2049),
            (vec![""], "width=99999999999", u32::MAX),
            (vec!["", "1x4096.png"], "", 4096),
        ] {
            assert_eq!(size(&rest, query), Err(Refused::LargeWindow { edge_px }));
        }
        for query in ["width=0", "height=-1", "max_size=1.5"] {
            let message = size(&[""], query).unwrap_err().to_string();
            assert!(message.ends_with("is not a whole number from 1"), "{message}");
        }
        assert_eq!(size(&["", "40"], ""), Err(Refused::NoSuchPath));
        assert_eq!(size(&["x"], ""), Err(Refused::NoSuchPath));
    }

    #[test]
    fn pixels_are_those_of_rio_tiler() {
        // rio_tiler.utils.output_size(dataset_height=h, dataset_width=w, …) of 9.4.12.
        for (size, native, pixels) in [
            (Size::Native, (300.4, 200.5), (300, 201)),
            (Size::Native, (0.2, 0.2), (1, 1)),
            (Size::AtMost(1024), (300.0, 200.0), (300, 200)),
            (Size::AtMost(100), (300.0, 200.0), (100, 67)),
            (Size::AtMost(100), (200.0, 300.0), (67, 100)),
            (Size::AtMost(300), (300.0, 200.0), (300, 200)),
            (Size::Width(50), (300.0, 200.0), (50, 34)),
            (Size::Height(50), (300.0, 200.0), (75, 50)),
            (Size::Exactly(7, 9), (300.0, 200.0), (7, 9)),
        ] {
            assert_eq!(size.pixels(native), Ok(pixels), "{size:?} {native:?}");
        }
        assert_eq!(
            Size::Native.pixels((3000.0, 10.0)),
            Err(Refused::LargeWindow { edge_px: 3000 })
        );
        assert_eq!(
            Size::Width(10).pixels((1.0, 1e30)),
            Err(Refused::LargeWindow { edge_px: u32::MAX })
        );
    }

    #[test]
    fn a_crs_has_one_spelling() {
        let name = |text: &str| {
            let query = Query::of(vec![("dst_crs".into(), text.into())]);
            NamedCrs::read(&query, ["dst_crs", "dst-crs"]).map(|crs| crs.unwrap().to_string())
        };
        for text in ["EPSG:3857", "3857", "urn:ogc:def:crs:EPSG::3857"] {
            assert_eq!(name(text), Ok("EPSG:3857".into()));
        }
        let message = name("EPSG:1").unwrap_err().to_string();
        assert!(
            message.starts_with("dst_crs is no CRS that is known here"),
            "{message}"
        );
    }
}
