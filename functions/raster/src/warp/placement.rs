//! Where the centre of every output pixel lies in a level of the source.
//!
//! Between Web Mercator and geographic coordinates columns depend on columns alone and rows on rows, so both are exact
//! vectors. Otherwise the exact position is computed at the nodes of a grid of [`STEP`] output pixels and interpolated
//! between them, where that is proven to stay within [`TOLERANCE_PX`] of a source pixel; elsewhere at nodes of a grid of 4
//! pixels if that is proven, or else at every pixel. The grid is anchored to the tile matrix, not to the tile, so that a tile equals the crop of a larger render.

mod grid;

use crate::crs::{Crs, Kind};
use crate::header::Affine;

use super::locator::{Locator, Turn};
use super::{Kernel, Rect};
use grid::{Cell, STEP, grid};

/// Adding this to a number and taking it away leaves the nearest whole number, without a call or a branch; before it is taken away
/// the bits end in that number.
pub(super) const WHOLE: f64 = (1_u64 << 52) as f64 * 1.5;

/// Largest distance of an interpolated position from the exact one, in source pixels.
const TOLERANCE_PX: f64 = 1e-3;

/// A grid of output pixels in a CRS; north is up.
#[derive(Clone, Debug)]
pub struct Target {
    /// The CRS of the output.
    pub crs: Crs,
    /// The outer corner of the north-west pixel.
    pub west: f64,
    /// The outer corner of the north-west pixel.
    pub north: f64,
    /// Size of a pixel in units of the CRS: across, down. Both positive.
    pub resolution: (f64, f64),
    /// Columns and rows.
    pub size: (usize, usize),
    /// Which pixel of the tile matrix the north-west pixel is: column, row. Anchors the grid.
    pub origin_px: (i64, i64),
}

/// Positions in level pixels: column and row of a pixel's centre, counted from the level's north-west corner. NaN where the
/// projection has no answer.
#[derive(Clone, Debug)]
pub struct Placement {
    locator: Locator,
    size: (usize, usize),
    shape: Shape,
}

#[derive(Clone, Debug)]
enum Shape {
    /// Column of every output column, row of every output row.
    Separable {
        columns: Vec<f64>,
        rows: Vec<f64>,
        scale: (Vec<f64>, Vec<f64>),
    },
    /// Cells between nodes.
    Grid {
        lead: (usize, usize),
        across: usize,
        cells: Vec<Cell>,
    },
}

impl Placement {
    /// Places `target` on a level of `level_size` pixels, whose pixels lie in `source` by `affine`.
    /// `None` where the affine transform cannot be inverted.
    pub fn new(target: &Target, source: &Crs, affine: &Affine, level_size: (u32, u32)) -> Option<Self> {
        let to_level = affine.inverse()?;
        let same_crs = source.is_same(&target.crs);
        let separable = |kind: Kind| matches!(kind, Kind::WebMercator | Kind::Wgs84);
        let axes_stay = same_crs || (separable(source.kind()) && separable(target.crs.kind()));
        let mut locator = Locator {
            target: target.clone(),
            source: source.clone(),
            same_crs,
            to_level,
            turn: None,
        };
        if let Some(turn) = Turn::new(source, affine, level_size.0) {
            let (width, height) = target.size;
            let (column, _) = locator.locate(width as f64 / 2.0, height as f64 / 2.0);
            locator.turn = Some(turn.about(column));
        }
        let shape = if axes_stay && affine.is_upright() {
            separate(&locator)
        } else {
            grid(&locator)
        };
        Some(Self {
            locator,
            size: target.size,
            shape,
        })
    }

    /// Columns and rows of the output.
    pub fn size(&self) -> (usize, usize) {
        self.size
    }

    /// Columns in a turn of the globe, where the level goes all round it: positions then count columns from a turn west of it.
    pub fn turn_px(&self) -> Option<u32> {
        self.locator.turn.and_then(|turn| turn.closed)
    }

    /// Positions of the pixels of output row `row`; both slices hold a value for each output column.
    pub fn row(&self, row: usize, columns: &mut [f64], rows: &mut [f64]) {
        match &self.shape {
            Shape::Separable {
                columns: all,
                rows: all_rows,
                ..
            } => {
                columns.copy_from_slice(all);
                rows.fill(all_rows[row]);
            }
            Shape::Grid { lead, across, cells } => {
                let (y, in_y) = ((row + lead.1) / STEP, (row + lead.1) % STEP);
                let mut at = 0;
                for cell in &cells[y * across..(y + 1) * across] {
                    let from = (at + lead.0) % STEP;
                    let count = (STEP - from).min(columns.len() - at);
                    cell.row(
                        in_y,
                        from,
                        &mut columns[at..at + count],
                        &mut rows[at..at + count],
                    );
                    at += count;
                }
            }
        }
    }

    /// Like [`row`](Self::row), but a position so near to a pixel's edge that interpolation could take it to the other side is
    /// computed exactly: the floor of every position is that of the exact one.
    pub fn row_for_floor(&self, row: usize, columns: &mut [f64], rows: &mut [f64]) {
        self.row(row, columns, rows);
        if matches!(self.shape, Shape::Separable { .. }) {
            return;
        }
        let line = columns.chunks_mut(STEP).zip(rows.chunks_mut(STEP));
        for (chunk, (columns, rows)) in line.enumerate() {
            if !is_any_near_an_edge(columns, rows) {
                continue;
            }
            for (at, (x, y)) in columns.iter_mut().zip(rows).enumerate() {
                if is_near_an_edge(*x) || is_near_an_edge(*y) {
                    (*x, *y) = self
                        .locator
                        .locate((chunk * STEP + at) as f64 + 0.5, row as f64 + 0.5);
                }
            }
        }
    }

    /// The vectors of columns and rows where axes stay axes.
    pub fn axes(&self) -> Option<(&[f64], &[f64])> {
        match &self.shape {
            Shape::Separable { columns, rows, .. } => Some((columns, rows)),
            Shape::Grid { .. } => None,
        }
    }

    /// Level pixels that an output pixel covers there: across, down.
    pub fn scale(&self, column: usize, row: usize) -> (f64, f64) {
        match &self.shape {
            Shape::Separable { scale, .. } => (scale.0[column], scale.1[row]),
            Shape::Grid { lead, across, cells } => {
                cells[(row + lead.1) / STEP * across + (column + lead.0) / STEP].scale
            }
        }
    }

    /// The least and the greatest [`scale`](Self::scale) along any axis; both 1 of an empty output.
    pub(super) fn scales(&self) -> (f64, f64) {
        let widen = |span: Option<(f64, f64)>, scale: f64| match span {
            Some((least, greatest)) => Some((least.min(scale), greatest.max(scale))),
            None => Some((scale, scale)),
        };
        let span = match &self.shape {
            Shape::Separable { scale, .. } => scale.0.iter().chain(&scale.1).copied().fold(None, widen),
            Shape::Grid { cells, .. } => cells
                .iter()
                .flat_map(|cell| [cell.scale.0, cell.scale.1])
                .fold(None, widen),
        };
        span.unwrap_or((1.0, 1.0))
    }

    /// Whether the centres of all output pixels lie in `rect`. Says no where that is not clear at a glance.
    pub(super) fn lies_in(&self, rect: &Rect) -> bool {
        let mut bounds = Bounds::EMPTY;
        let mut is_somewhere = true;
        let mut add = |column: f64, row: f64| {
            is_somewhere &= !column.is_nan() && !row.is_nan();
            bounds.add_column(column, TOLERANCE_PX);
            bounds.add_row(row, TOLERANCE_PX);
        };
        match &self.shape {
            Shape::Separable { columns, rows, .. } => {
                for column in columns {
                    add(*column, f64::from(rect.y) + 0.5);
                }
                for row in rows {
                    add(f64::from(rect.x) + 0.5, *row);
                }
            }
            Shape::Grid { cells, .. } => {
                for cell in cells {
                    let exact = cell.exact.iter().flat_map(|exact| exact.iter());
                    cell.corners
                        .iter()
                        .chain(exact)
                        .for_each(|(column, row)| add(*column, *row));
                }
            }
        }
        let (x, y) = (f64::from(rect.x), f64::from(rect.y));
        let (end_x, end_y) = (x + f64::from(rect.width), y + f64::from(rect.height));
        is_somewhere && bounds.west >= x && bounds.east < end_x && bounds.north >= y && bounds.south < end_y
    }

    /// The pixels of a level of `size` that the output needs with a kernel; `None` if it needs none. With [`turn_px`](Self::turn_px)
    /// its columns are counted as positions are.
    pub fn needs(&self, kernel: Kernel, size: (u32, u32)) -> Option<Rect> {
        let mut bounds = Bounds::EMPTY;
        match &self.shape {
            Shape::Separable { columns, rows, scale } => {
                for (column, scale) in columns.iter().zip(&scale.0) {
                    bounds.add_column(*column, kernel.radius(*scale));
                }
                for (row, scale) in rows.iter().zip(&scale.1) {
                    bounds.add_row(*row, kernel.radius(*scale));
                }
            }
            Shape::Grid { cells, .. } => {
                for cell in cells {
                    let reach = (kernel.radius(cell.scale.0), kernel.radius(cell.scale.1));
                    let exact = cell.exact.iter().flat_map(|exact| exact.iter());
                    for (column, row) in cell.corners.iter().chain(exact) {
                        bounds.add_column(*column, reach.0);
                        bounds.add_row(*row, reach.1);
                    }
                }
            }
        }
        let columns = self.turn_px().map_or(size.0, |turn| turn.saturating_mul(3));
        bounds.clip((columns, size.1))
    }
}

fn is_near_an_edge(position: f64) -> bool {
    (position - ((position + WHOLE) - WHOLE)).abs() < TOLERANCE_PX
}

/// Without a branch for each, so that several are compared at once.
fn is_any_near_an_edge(columns: &[f64], rows: &[f64]) -> bool {
    let positions = columns.iter().zip(rows);
    positions.fold(false, |any, (x, y)| {
        any | is_near_an_edge(*x) | is_near_an_edge(*y)
    })
}

/// The box around positions; NaN adds nothing.
struct Bounds {
    west: f64,
    east: f64,
    north: f64,
    south: f64,
}

impl Bounds {
    const EMPTY: Self = Self {
        west: f64::MAX,
        east: f64::MIN,
        north: f64::MAX,
        south: f64::MIN,
    };

    fn add_column(&mut self, column: f64, reach: f64) {
        self.west = self.west.min(column - reach);
        self.east = self.east.max(column + reach);
    }

    fn add_row(&mut self, row: f64, reach: f64) {
        self.north = self.north.min(row - reach);
        self.south = self.south.max(row + reach);
    }

    fn clip(&self, size: (u32, u32)) -> Option<Rect> {
        // A tolerance's worth of margin: an exact position may lie just beyond the interpolated one.
        let low = |value: f64, size: u32| (value - TOLERANCE_PX).floor().clamp(0.0, f64::from(size)) as u32;
        let high = |value: f64, size: u32| (value + TOLERANCE_PX).ceil().clamp(0.0, f64::from(size)) as u32;
        let (west, east) = (low(self.west, size.0), high(self.east, size.0));
        let (north, south) = (low(self.north, size.1), high(self.south, size.1));
        (west < east && north < south).then(|| Rect {
            x: west,
            y: north,
            width: east - west,
            height: south - north,
        })
    }
}

fn separate(locator: &Locator) -> Shape {
    let (width, height) = locator.target.size;
    let middle = (width as f64 / 2.0, height as f64 / 2.0);
    let column = |at: f64| locator.locate(at, middle.1).0;
    let row = |at: f64| locator.locate(middle.0, at).1;
    let centres = |count: usize, of: &dyn Fn(f64) -> f64| (0..count).map(|i| of(i as f64 + 0.5)).collect();
    let edges = |count: usize, of: &dyn Fn(f64) -> f64| (0..=count).map(|i| of(i as f64)).collect::<Vec<_>>();
    let scales = |edges: Vec<f64>, span: &dyn Fn(f64, f64) -> f64| {
        let scale = |pair: &[f64]| usable_scale(span(pair[0], pair[1]).abs());
        edges.windows(2).map(scale).collect()
    };
    Shape::Separable {
        columns: centres(width, &column),
        rows: centres(height, &row),
        scale: (
            scales(edges(width, &column), &|from, to| locator.across(from, to)),
            scales(edges(height, &row), &|from, to| to - from),
        ),
    }
}

/// A scale that is no number, or leaps where a projection is cut, counts as one pixel.
fn usable_scale(scale: f64) -> f64 {
    if scale.is_finite() && scale < 1e5 {
        scale
    } else {
        1.0
    }
}
