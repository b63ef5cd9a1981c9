//! Which parts of pixels polygons meet, row by row of parts.
//!
//! Within a row of parts a polygon covers the parts whose middle lies inside it (by the even-odd rule), and those that an edge passes
//! through: GDAL's `ALL_TOUCHED` (`GDALdllImageFilledPolygon`, `GDALdllImageLineAllTouched`), where an edge along the border between
//! two parts meets neither, and the last hundredth of a part does not count. Parts are never stored: runs of them are counted for
//! the pixels in which they lie.

use super::Polygon;

/// How near to a border an edge lies along it, in parts: GDAL's `EPSILON_INTERSECT_FRACTION`.
const ALONG: f64 = 0.01;
/// From so many parts of a row for each run on, runs are sorted; with fewer, parts are marked and looked at one by one.
const SPARSE: usize = 8;

/// An edge, its upper end first, in parts of pixels.
struct Edge {
    polygon: usize,
    upper: [f64; 2],
    lower: [f64; 2],
    /// The first row that it meets, and the last.
    first: i64,
    last: i64,
    /// Whether it runs along the border between two parts, and so through neither.
    is_border: bool,
    /// Whether it stays within one column, or within one row.
    is_upright: bool,
    is_level: bool,
    /// Where it crosses the middle of the row that is looked at.
    middle: f64,
}

/// How often all edges meet a row, which is the work that [`shares`] does.
pub(super) fn steps(polygons: &[Polygon], rows_px: usize, scale: usize) -> u64 {
    let rows = (rows_px * scale) as i64;
    let of = |edge: Edge| (edge.last - edge.first.max(0)).unsigned_abs() + 1;
    edges(polygons, scale as f64, rows).map(of).sum()
}

/// Shares of pixels, `[size.1, size.0]`. Rings hold columns and rows of pixels.
pub(super) fn shares(polygons: &[Polygon], size: (usize, usize), scale: usize) -> Vec<f32> {
    let rows = (size.1 * scale) as i64;
    let mut edges: Vec<Edge> = edges(polygons, scale as f64, rows).collect();
    // The lowest stand first, so that the next is taken from the end.
    edges.sort_unstable_by_key(|edge| std::cmp::Reverse(edge.first));
    let mut shares = Vec::with_capacity(size.0 * size.1);
    let mut active: Vec<Edge> = Vec::new();
    let mut runs = Runs::new(size.0 * scale);
    let mut tally = Tally::new(size.0, scale);
    for row in 0..rows {
        while edges.last().is_some_and(|edge| edge.first <= row) {
            active.extend(edges.pop());
        }
        active.retain(|edge| edge.last >= row);
        if !active.is_empty() {
            runs.find(&mut active, row);
            runs.merged(|start, end| tally.add(start, end));
        }
        if (row + 1) % scale as i64 == 0 {
            tally.finish(&mut shares);
        }
    }
    shares
}

/// The edges that meet rows from 0 to `rows`.
fn edges(polygons: &[Polygon], scale: f64, rows: i64) -> impl Iterator<Item = Edge> {
    let rings = polygons.iter().enumerate();
    let rings = rings.flat_map(|(polygon, rings)| rings.iter().map(move |ring| (polygon, ring)));
    let edges = rings.flat_map(move |(polygon, ring)| {
        let corners = ring.iter().map(move |corner| corner.map(|px| px * scale));
        let next = corners.clone().cycle().skip(1);
        corners.zip(next).map(move |(a, b)| Edge::new(polygon, a, b))
    });
    let meets = edges.filter(move |edge| edge.last >= 0 && edge.first < rows);
    meets.map(move |edge| Edge {
        last: edge.last.min(rows - 1),
        ..edge
    })
}

impl Edge {
    fn new(polygon: usize, a: [f64; 2], b: [f64; 2]) -> Self {
        let (upper, lower) = if a[1] <= b[1] { (a, b) } else { (b, a) };
        let first = upper[1].floor() as i64;
        // One that ends on a border does not meet what lies below.
        let last = (lower[1].ceil() as i64).saturating_sub(1).max(first);
        let along = |axis: usize| {
            let (a, b) = (upper[axis], lower[axis]);
            (a - b).abs() < ALONG && (a - a.round()).abs() < ALONG && (b - b.round()).abs() < ALONG
        };
        let stays = |axis: usize| upper[axis].floor() == lower[axis].floor();
        Self {
            polygon,
            upper,
            lower,
            first,
            last,
            is_border: along(0) || along(1),
            is_upright: stays(0),
            is_level: stays(1),
            middle: 0.0,
        }
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

    /// The parts of a row that it passes through, the first and the one after the last.
    fn passed(&self, row: i64) -> Option<(i64, i64)> {
        if self.is_border {
            return None;
        }
        let (top, bottom) = (row as f64, (row + 1) as f64);
        if self.is_upright && row > self.first && self.lower[1] - top < ALONG {
            return None;
        }
        let (a, b) = if self.is_level {
            (self.upper[0], self.lower[0])
        } else {
            (self.x(top.max(self.upper[1])), self.x(bottom.min(self.lower[1])))
        };
        let (west, east) = (a.min(b), a.max(b));
        let first = west.floor() as i64;
        let end = if self.is_level {
            ((east - ALONG).floor() as i64).saturating_add(1)
        } else {
            east.ceil() as i64
        };
        Some((first, end.max(first.saturating_add(1))))
    }
}

/// The runs of parts of one row that polygons cover.
struct Runs {
    found: Vec<(i64, i64)>,
    /// Parts of a row.
    parts: usize,
    /// How many more runs cover a part of the row than the one before, and the end; all 0 between rows, and none before they are needed.
    marks: Vec<i32>,
}

impl Runs {
    fn new(parts: usize) -> Self {
        Self {
            found: Vec::new(),
            parts,
            marks: Vec::new(),
        }
    }

    /// Leaves the edges in the order in which they cross the row: few change places until the next, which a stable sort makes use of.
    fn find(&mut self, active: &mut [Edge], row: i64) {
        self.found.clear();
        let middle = row as f64 + 0.5;
        for edge in active.iter_mut() {
            edge.middle = edge.x(middle);
        }
        active.sort_by(|a, b| a.polygon.cmp(&b.polygon).then(a.middle.total_cmp(&b.middle)));
        self.found
            .extend(active.iter().filter_map(|edge| edge.passed(row)));
        let border = |x: f64| (x + 0.5).floor() as i64;
        let mut crossings = active
            .iter()
            .filter(|edge| edge.upper[1] <= middle && middle < edge.lower[1])
            .map(|edge| border(edge.middle));
        // A closed ring crosses a row evenly often.
        while let (Some(start), Some(end)) = (crossings.next(), crossings.next()) {
            self.found.push((start, end));
        }
    }

    /// Tells every run, those that meet as one.
    fn merged(&mut self, tell: impl FnMut(i64, i64)) {
        if self.found.len() > self.parts / SPARSE {
            self.marked(tell);
        } else {
            self.sorted(tell);
        }
    }

    fn sorted(&mut self, mut tell: impl FnMut(i64, i64)) {
        self.found.sort_unstable();
        let mut open: Option<(i64, i64)> = None;
        for (start, end) in &self.found {
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

    fn marked(&mut self, mut tell: impl FnMut(i64, i64)) {
        self.marks.resize(self.parts + 1, 0);
        let last = self.parts as i64;
        for (start, end) in &self.found {
            if start < end {
                self.marks[(*start).clamp(0, last) as usize] += 1;
                self.marks[(*end).clamp(0, last) as usize] -= 1;
            }
        }
        let (mut covering, mut start) = (0, 0);
        for (at, change) in self.marks.iter_mut().enumerate() {
            let before = covering;
            covering += std::mem::take(change);
            if before == 0 && covering > 0 {
                start = at;
            } else if before > 0 && covering == 0 {
                tell(start as i64, at as i64);
            }
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
