//! Which tile: the grid, the zoom, the column and row, the scale and the format.

use std::fmt;
use std::sync::Arc;

use edgetile_raster::grid::{self, TileMatrixSet};

use super::Refused;

/// The largest edge of an answer, in pixels.
pub const LARGEST_EDGE_PX: u32 = 2048;

/// A tile matrix set that is known here.
#[derive(Clone, Debug)]
pub struct Grid(Arc<TileMatrixSet>);

/// The sets that requests may name: the registered ones, and the operator's own.
#[derive(Clone, Debug, Default)]
pub struct Grids(Vec<Arc<TileMatrixSet>>);

impl Grids {
    /// The registered sets and these.
    pub fn with(own: Vec<Arc<TileMatrixSet>>) -> Self {
        Self(own)
    }

    /// The grid of a name.
    pub fn parse(&self, name: &str) -> Result<Grid, Refused> {
        let own = self.0.iter().find(|set| set.id == name).cloned();
        let unknown = Refused::Unknown {
            kind: "tile matrix set",
        };
        own.or_else(|| grid::find(name)).map(Grid).ok_or(unknown)
    }

    /// Every set, the registered ones first.
    pub fn all(&self) -> impl Iterator<Item = Arc<TileMatrixSet>> {
        let registered = grid::registered().filter_map(grid::find);
        registered.chain(self.0.iter().cloned())
    }
}

impl Grid {
    /// The web's own: EPSG:3857, 256-pixel tiles, one tile at zoom 0.
    pub fn web() -> Result<Self, Refused> {
        Grids::default().parse("WebMercatorQuad")
    }

    /// Whether it is the web's own.
    pub fn is_web(&self) -> bool {
        self.name() == "WebMercatorQuad"
    }

    /// A set that no request names.
    pub fn of(set: Arc<TileMatrixSet>) -> Self {
        Self(set)
    }

    /// The set itself.
    pub fn set(&self) -> &Arc<TileMatrixSet> {
        &self.0
    }

    /// Its name in paths.
    pub fn name(&self) -> &str {
        &self.0.id
    }

    /// Whether another has the same tiles under the same name.
    pub fn is_same(&self, other: &Self) -> bool {
        let tiles = |grid: &Self| (grid.0.origin, grid.0.tile_size);
        Arc::ptr_eq(&self.0, &other.0)
            || self == other
                && tiles(self) == tiles(other)
                && self.0.matrices == other.0.matrices
                && self.0.crs.is_same(&other.0.crs)
    }

    /// The deepest zoom it has.
    pub fn deepest_zoom(&self) -> u8 {
        self.0
            .matrices
            .iter()
            .map(|matrix| matrix.zoom)
            .max()
            .unwrap_or_default()
    }
}

impl PartialEq for Grid {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

/// A tile that lies on its grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    grid: Grid,
    z: u8,
    x: u32,
    y: u32,
}

impl Address {
    /// The tile in column `x` from the west and row `y` from the north, if the grid has it.
    pub fn new(grid: Grid, z: u8, x: u32, y: u32) -> Option<Self> {
        let matrix = grid.0.matrix(z)?;
        (x < matrix.width && y < matrix.height).then_some(Self { grid, z, x, y })
    }

    /// Reads three path segments of digits.
    pub(super) fn parse(grid: Grid, z: &str, x: &str, y: &str) -> Result<Self, Refused> {
        let (z, x, y) = (digits("z", z)?, digits("x", x)?, digits("y", y)?);
        let refused = Refused::OffGrid {
            grid: grid.name().to_owned(),
            remedy: what_it_has(&grid, z),
            z,
            x,
            y,
        };
        let on_grid = || Self::new(grid, z.try_into().ok()?, x.try_into().ok()?, y.try_into().ok()?);
        on_grid().ok_or(refused)
    }

    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Zoom.
    pub fn z(&self) -> u8 {
        self.z
    }

    /// Column from the west.
    pub fn x(&self) -> u32 {
        self.x
    }

    /// Row from the north.
    pub fn y(&self) -> u32 {
        self.y
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}/{}", self.grid.name(), self.z, self.x, self.y)
    }
}

fn what_it_has(grid: &Grid, z: u64) -> String {
    if let Some(matrix) = u8::try_from(z).ok().and_then(|z| grid.0.matrix(z)) {
        return format!(
            "at this zoom x is below {} and y below {}",
            matrix.width, matrix.height
        );
    }
    let first = grid
        .0
        .matrices
        .iter()
        .map(|matrix| matrix.zoom)
        .min()
        .unwrap_or_default();
    format!("its zooms are {first} to {}", grid.deepest_zoom())
}

/// Digits alone; a number beyond 64 bits is as far off every grid as the largest.
fn digits(name: &str, text: &str) -> Result<u64, Refused> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(Refused::parameter(name, "is not a whole number from 0"));
    }
    Ok(text.parse().unwrap_or(u64::MAX))
}

/// How many pixels stand for one: 1 to 4, written `@2x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scale(u8);

impl Scale {
    /// One to one.
    pub const ONE: Self = Self(1);

    /// The largest.
    pub const LARGEST: u8 = 4;

    /// A scale from 1 to [`Self::LARGEST`].
    pub fn new(factor: u8) -> Option<Self> {
        (1..=Self::LARGEST).contains(&factor).then_some(Self(factor))
    }

    /// The factor.
    pub fn factor(self) -> u32 {
        u32::from(self.0)
    }
}

impl fmt::Display for Scale {
    /// `@2x`, and nothing for one to one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ONE {
            Ok(())
        } else {
            write!(f, "@{}x", self.0)
        }
    }
}

/// The form of an answer's bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// A picture without loss.
    #[default]
    Png,
    /// A picture with loss and without transparency.
    Jpeg,
    /// A picture.
    Webp,
    /// An array `[bands + mask, rows, columns]` in the data's own type.
    Npy,
    /// A GeoTIFF of the data.
    Tif,
    /// What the address leaves open: JPEG where every pixel is opaque, else PNG.
    Fitting,
}

impl Format {
    /// Every format that can be named, by its first extension.
    pub const ALL: &[Self] = &[Self::Png, Self::Jpeg, Self::Webp, Self::Npy, Self::Tif];

    /// Whether it carries values rather than colours.
    pub const fn is_data(self) -> bool {
        matches!(self, Self::Npy | Self::Tif)
    }

    /// The extension in a path.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Webp => "webp",
            Self::Npy => "npy",
            Self::Tif => "tif",
            Self::Fitting => "",
        }
    }

    /// The media type of the answer, as `TiTiler` names it; nothing before it is known which one fits.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
            Self::Npy => "application/x-binary",
            Self::Tif => "image/tiff; application=geotiff",
            Self::Fitting => "",
        }
    }

    /// The format of a media type, with or without what stands behind it.
    pub(super) fn of_media_type(text: &str) -> Option<Self> {
        let plain = |text: &str| {
            text.split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .to_ascii_lowercase()
        };
        let wanted = plain(text);
        let mut all = Self::ALL.iter().copied();
        all.find(|format| plain(format.media_type()) == wanted)
    }

    pub(super) fn parse(parameter: &str, text: &str) -> Result<Self, Refused> {
        let canonical = match text {
            "jpeg" => "jpg",
            "tiff" => "tif",
            other => other,
        };
        Self::ALL
            .iter()
            .copied()
            .find(|format| format.extension() == canonical)
            .ok_or_else(|| {
                if canonical == "avif" {
                    return Refused::parameter(parameter, "avif is not written here: ask for webp");
                }
                let names: Vec<_> = Self::ALL.iter().map(|format| format.extension()).collect();
                Refused::parameter(parameter, format!("is none of {}", names.join(", ")))
            })
    }
}

/// Splits the last segment of a tile path, `{y}[@{s}x][.{fmt}]`, into row, scale and format.
pub(super) fn split_row(segment: &str) -> Result<(&str, Scale, Option<Format>), Refused> {
    let (rest, format) = match segment.split_once('.') {
        Some((rest, extension)) => (rest, Some(Format::parse("format", extension)?)),
        None => (segment, None),
    };
    let (row, scale) = match rest.split_once('@') {
        Some((row, scale)) => (row, read_scale(scale)?),
        None => (rest, Scale::ONE),
    };
    Ok((row, scale, format))
}

fn read_scale(text: &str) -> Result<Scale, Refused> {
    let factor = text
        .strip_suffix('x')
        .filter(|digits| digits.len() == 1)
        .and_then(|digits| digits.parse().ok());
    factor
        .and_then(Scale::new)
        .ok_or_else(|| Refused::parameter("scale", "is none of @1x, @2x, @3x, @4x"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn web(z: u8, x: u32, y: u32) -> Option<Address> {
        Address::new(Grid::web().unwrap(), z, x, y)
    }

    fn parse(z: &str, x: &str, y: &str) -> Result<Address, Refused> {
        Address::parse(Grid::web().unwrap(), z, x, y)
    }

    #[test]
    fn the_grid_ends_where_it_ends() {
        for (z, x, y) in [(0, 0, 0), (3, 7, 7), (24, (1 << 24) - 1, 0)] {
            assert!(web(z, x, y).is_some(), "{z}/{x}/{y}");
        }
        for (z, x, y) in [
            (0, 1, 0),
            (3, 8, 7),
            (3, 7, 8),
            (24, 1 << 24, 0),
            (25, 0, 0),
            (255, 0, 0),
        ] {
            assert!(web(z, x, y).is_none(), "{z}/{x}/{y}");
        }
        let wide = Grids::default().parse("WorldCRS84Quad").unwrap();
        assert!(Address::new(wide.clone(), 0, 1, 0).is_some());
        assert!(Address::new(wide, 0, 0, 1).is_none());
    }

    #[test]
    fn only_digits_are_numbers() {
        for wrong in ["-1", "+1", "1e3", " 1", "1.0", "", "0x1", "\u{661}"] {
            let refused = Refused::parameter("x", "is not a whole number from 0");
            assert_eq!(parse("3", wrong, "1"), Err(refused), "{wrong:?}");
        }
        assert_eq!(parse("03", "07", "1").ok(), web(3, 7, 1));
    }

    #[test]
    fn numbers_beyond_every_integer_are_off_the_grid() {
        let huge = "9".repeat(400);
        assert_eq!(
            parse("40", "1", "1").unwrap_err().to_string(),
            "tile 40/1/1 is not on the grid WebMercatorQuad: its zooms are 0 to 24"
        );
        assert!(matches!(
            parse("5", &huge, "1"),
            Err(Refused::OffGrid { x: u64::MAX, .. })
        ));
        assert!(matches!(
            parse("5", "4294967296", "0"),
            Err(Refused::OffGrid { .. })
        ));
        let message = parse("5", "32", "0").unwrap_err().to_string();
        assert!(
            message.ends_with("at this zoom x is below 32 and y below 32"),
            "{message}"
        );
    }

    #[test]
    fn the_last_segment_carries_row_scale_and_format() {
        assert_eq!(split_row("12").unwrap(), ("12", Scale::ONE, None));
        assert_eq!(
            split_row("12.png").unwrap(),
            ("12", Scale::ONE, Some(Format::Png))
        );
        assert_eq!(
            split_row("12@2x.jpeg").unwrap(),
            ("12", Scale(2), Some(Format::Jpeg))
        );
        assert_eq!(split_row("12@4x").unwrap(), ("12", Scale(4), None));
        for wrong in ["12@0x", "12@5x", "12@x", "12@2", "12@@2x", "12@22x"] {
            assert!(
                split_row(wrong)
                    .unwrap_err()
                    .to_string()
                    .starts_with("scale is none of"),
                "{wrong}"
            );
        }
        for wrong in ["12.gif", "12.", "12.png.png", "12.5", "12.PNG"] {
            let message = split_row(wrong).unwrap_err().to_string();
            assert_eq!(message, "format is none of png, jpg, webp, npy, tif", "{wrong}");
        }
        let avif = split_row("12.avif").unwrap_err().to_string();
        assert_eq!(avif, "format avif is not written here: ask for webp");
    }
}
