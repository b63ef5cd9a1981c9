//! Which parts of pixels polygons meet, row by row of parts.
//!
//! Within a row of parts a polygon covers the parts whose middle lies inside it (by the even-odd rule), and those that an edge passes
//! through: GDAL's `ALL_TOUCHED` (`GDALdllImageFilledPolygon`, `GDALdllImageLineAllTouched`), where an edge along the border between
//! two parts meets neither, and the last hundredth of a part does not count. Parts are never stored: runs of them are counted for
//! the pixels in which they lie.

use super::{CutlineError, Polygon};

/// Rows of parts that all edges together may pass, about a second's work.
const MOST_STEPS: u64 = 40_000_000;
/// How near to a border an edge lies along it, in parts: GDAL's `EPSILON_INTERSECT_FRACTION`.
const ALONG: f64 = 0.01;

/// An edge, its upper end first, in parts of pixels.
struct Edge {
    polygon: usize,
    upper: [f64; 2],
    lower: [f64; 2],
    /// The last row that it meets.
    last: i64,
}

/// Shares of pixels, `[size.1, size.0]`. Rings hold columns and rows of pixels.
pub(super) fn shares(
    polygons: &[Polygon],
    size: (usize, usize),
    scale: usize,
) -> Result<Vec<f32>, CutlineError> {
    let rows = (size.1 * scale) as i64;
    let mut edges = edges(polygons, scale as f64, rows);
    let steps = |edge: &Edge| (edge.last - edge.first().max(0) + 1).unsigned_abs();
    if edges.iter().map(steps).sum::<u64>() > MOST_STEPS {
        return Err(CutlineError::TooFine);
    }
    // The lowest stand first, so that the next is taken from the end.
    edges.sort_unstable_by_key(|edge| std::cmp::Reverse(edge.first()));
    let mut shares = Vec::with_capacity(size.0 * size.1);
    let mut active: Vec<Edge> = Vec::new();
    let mut runs = Runs::default();
    let mut tally = Tally::new(size.0, scale);
    for row in 0..rows {
        while edges.last().is_some_and(|edge| edge.first() <= row) {
            active.extend(edges.pop());
        }
        active.retain(|edge| edge.last >= row);
        if !active.is_empty() {
            runs.find(&active, row);
            runs.merged(|start, end| tally.add(start, end));
        }
        if (row + 1) % scale as i64 == 0 {
            tally.finish(&mut shares);
        }
    }
    Ok(shares)
}

/// The edges that meet rows from 0 to `rows`.
fn edges(polygons: &[Polygon], scale: f64, rows: i64) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (polygon, rings) in polygons.iter().enumerate() {
        for ring in rings {
            let corners = ring.iter().map(|corner| corner.map(|px| px * scale));
            let next = corners.clone().cycle().skip(1);
            let of_ring = corners.zip(next).map(|(a, b)| Edge::new(polygon, a, b));
            edges.extend(
                of_ring
                    .filter(|edge| edge.last >= 0 && edge.first() < rows)
                    .map(|edge| Edge {
                        last: edge.last.min(rows - 1),
                        ..edge
                    }),
            );
        }
    }
    edges
}

impl Edge {
    fn new(polygon: usize, a: [f64; 2], b: [f64; 2]) -> Self {
        let (upper, lower) = if a[1] <= b[1] { (a, b) } else { (b, a) };
        // One that ends on a border does not meet what lies below.
        let last = (lower[1].ceil() as i64)
            .saturating_sub(1)
            .max(upper[1].floor() as i64);
        Self {
            polygon,
            upper,
            lower,
            last,
        }
    }

    fn first(&self) -> i64 {
        self.upper[1].floor() as i64
    }

    fn x(&self, y: f64) -> f64 {
        let height = self.lower[1] - self.upper[1];
        let share = if height > 0.0 {
            (y - self.upper[1]) / height
        } else {
            0.0
        };
        self.upper[0] + (self.lower[0] - self.upper[0]) * share.clamp(0.0, 1.0)
    }

    /// Whether it runs along the border between two parts, and so through neither.
    fn is_border(&self) -> bool {
        let along = |axis: usize| {
            let (a, b) = (self.upper[axis], self.lower[axis]);
            (a - b).abs() < ALONG && (a - a.round()).abs() < ALONG && (b - b.round()).abs() < ALONG
        };
        along(0) || along(1)
    }

    /// The parts of a row that it passes through, the first and the one after the last.
    fn passed(&self, row: i64) -> Option<(i64, i64)> {
        if self.is_border() {
            return None;
        }
        let (top, bottom) = (row as f64, (row + 1) as f64);
        let upright = self.upper[0].floor() == self.lower[0].floor();
        if upright && row > self.first() && self.lower[1] - top < ALONG {
            return None;
        }
        let level = self.upper[1].floor() == self.lower[1].floor();
        let (a, b) = if level {
            (self.upper[0], self.lower[0])
        } else {
            (self.x(top.max(self.upper[1])), self.x(bottom.min(self.lower[1])))
        };
        let (west, east) = (a.min(b), a.max(b));
        let first = west.floor() as i64;
        let end = if level {
            ((east - ALONG).floor() as i64).saturating_add(1)
        } else {
            east.ceil() as i64
        };
        Some((first, end.max(first.saturating_add(1))))
    }
}

/// The runs of parts of one row that polygons cover.
#[derive(Default)]
struct Runs {
    crossings: Vec<(usize, f64)>,
    runs: Vec<(i64, i64)>,
}

impl Runs {
    fn find(&mut self, active: &[Edge], row: i64) {
        self.crossings.clear();
        self.runs.clear();
        let middle = row as f64 + 0.5;
        for edge in active {
            self.runs.extend(edge.passed(row));
            if edge.upper[1] <= middle && middle < edge.lower[1] {
                self.crossings.push((edge.polygon, edge.x(middle)));
            }
        }
        self.crossings
            .sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let border = |x: f64| (x + 0.5).floor() as i64;
        // A closed ring crosses a row evenly often.
        let inside = self.crossings.chunks_exact(2);
        self.runs
            .extend(inside.map(|pair| (border(pair[0].1), border(pair[1].1))));
        self.runs.sort_unstable();
    }

    /// Tells every run, those that meet as one.
    fn merged(&self, mut tell: impl FnMut(i64, i64)) {
        let mut open: Option<(i64, i64)> = None;
        for (start, end) in &self.runs {
            match &mut open {
                Some(open) if *start <= open.1 => open.1 = open.1.max(*end),
                _ => {
                    if let Some((start, end)) = open.replace((*start, *end)) {
                        tell(start, end);
                    }
                }
            }
        }
        if let Some((start, end)) = open {
            tell(start, end);
        }
    }
}

/// Parts that are covered, counted for each pixel of a row.
struct Tally {
    scale: usize,
    /// Of pixels that a run covers in part.
    parts: Vec<u32>,
    /// How the number of runs that cover a pixel in full changes from the one before.
    changes: Vec<i32>,
}

impl Tally {
    fn new(columns: usize, scale: usize) -> Self {
        Self {
            scale,
            parts: vec![0; columns],
            changes: vec![0; columns + 1],
        }
    }

    fn add(&mut self, start: i64, end: i64) {
        let most = (self.parts.len() * self.scale) as i64;
        let (start, end) = (start.clamp(0, most) as usize, end.clamp(0, most) as usize);
        if start >= end {
            return;
        }
        let (first, last) = (start / self.scale, (end - 1) / self.scale);
        if first == last {
            self.parts[first] += (end - start) as u32;
            return;
        }
        self.parts[first] += (self.scale - start % self.scale) as u32;
        self.parts[last] += (end - last * self.scale) as u32;
        self.changes[first + 1] += 1;
        self.changes[last] -= 1;
    }

    /// Adds the shares of a row of pixels, and begins the next.
    fn finish(&mut self, shares: &mut Vec<f32>) {
        let whole = (self.scale * self.scale) as f32;
        let mut full = 0;
        for (parts, change) in self.parts.iter_mut().zip(&mut self.changes) {
            full += std::mem::take(change);
            let count = std::mem::take(parts) + full.unsigned_abs() * self.scale as u32;
            shares.push(count as f32 / whole);
        }
        self.changes.fill(0);
    }
}
