//! Cells of output pixels whose positions are interpolated between the exact ones of nodes, as finely as it takes.

use super::super::locator::Locator;
use super::{Shape, TOLERANCE_PX, usable_scale};

/// Output pixels between two nodes of the grid; a node costs about 100 ns. The error in pixels halves with each zoom: a UTM file
/// at 48° north is within the tolerance from zoom 12 on.
pub(super) const STEP: usize = 16;

/// Output pixels between two nodes where [`STEP`] is too coarse. An NDVI tile at zoom 11 takes 11 ms with it, and took 33 with
/// every pixel computed.
const FINE: usize = 4;

/// Centres of a cell's pixels along a row.
const ALONG: [f64; STEP] = {
    let mut along = [0.5; STEP];
    let mut at = 1;
    while at < STEP {
        along[at] = along[at - 1] + 1.0;
        at += 1;
    }
    along
};

/// A square of output pixels between four nodes.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// Corners of the cell: north-west, north-east, south-west, south-east.
    pub(super) corners: [(f64, f64); 4],
    /// Positions of every pixel centre, row by row, where interpolation is not proven.
    pub(super) exact: Option<Box<[(f64, f64)]>>,
    /// Level pixels that an output pixel covers: across, down.
    pub(super) scale: (f64, f64),
}

/// Cells over the whole output.
pub(super) fn grid(locator: &Locator) -> Shape {
    let target = &locator.target;
    let anchor = |origin: i64| origin.rem_euclid(STEP as i64) as usize;
    let lead = (anchor(target.origin_px.0), anchor(target.origin_px.1));
    let across = (target.size.0 + lead.0).div_ceil(STEP);
    let down = (target.size.1 + lead.1).div_ceil(STEP);
    // Positions at half steps: nodes, and the middles of the edges between them that prove the interpolation.
    let half = STEP as f64 / 2.0;
    let at = |i: usize, lead: usize| i as f64 * half - lead as f64;
    let stride = 2 * across + 1;
    let mut points = vec![(f64::NAN, f64::NAN); stride * (2 * down + 1)];
    for j in 0..=2 * down {
        for i in 0..=2 * across {
            // The middle of a cell proves nothing that the edges do not.
            if i % 2 == 0 || j % 2 == 0 {
                points[j * stride + i] = locator.locate(at(i, lead.0), at(j, lead.1));
            }
        }
    }
    let mut cells = Vec::with_capacity(across * down);
    for j in 0..down {
        for i in 0..across {
            let point = |di: usize, dj: usize| points[(2 * j + dj) * stride + 2 * i + di];
            let corners = [point(0, 0), point(2, 0), point(0, 2), point(2, 2)];
            let edges = [point(1, 0), point(0, 1), point(2, 1), point(1, 2)];
            let bend = bend(&corners, &edges);
            let finer = ((STEP / FINE) * (STEP / FINE)) as f64;
            let exact = if bend <= TOLERANCE_PX / 2.0 {
                None
            } else if bend / finer <= TOLERANCE_PX / 2.0 {
                Some(fine_cell(locator, i, j, lead))
            } else {
                Some(exact_cell(locator, i, j, lead))
            };
            cells.push(Cell {
                corners,
                exact,
                scale: cell_scale(locator, &corners),
            });
        }
    }
    Shape::Grid { lead, across, cells }
}

/// How far bilinear interpolation between the corners is off, in source pixels; NaN where it cannot be told. To second order the
/// error inside a cell is at most the sum of the errors in the middles of a horizontal and a vertical edge, and falls with the
/// square of the step; half the tolerance is kept for the rest.
fn bend(corners: &[(f64, f64); 4], edges: &[(f64, f64); 4]) -> f64 {
    let off = |a: usize, b: usize, edge: usize| {
        let ((ax, ay), (bx, by), (ex, ey)) = (corners[a], corners[b], edges[edge]);
        (f64::midpoint(ax, bx) - ex)
            .abs()
            .max((f64::midpoint(ay, by) - ey).abs())
    };
    let worst = |a: f64, b: f64| {
        if a.is_nan() || b.is_nan() {
            f64::NAN
        } else {
            a.max(b)
        }
    };
    let horizontal = worst(off(0, 1, 0), off(2, 3, 3));
    let vertical = worst(off(0, 2, 1), off(1, 3, 2));
    horizontal + vertical
}

/// Positions of the pixel centres of a cell, interpolated between nodes that are [`FINE`] pixels apart.
fn fine_cell(locator: &Locator, i: usize, j: usize, lead: (usize, usize)) -> Box<[(f64, f64)]> {
    const NODES: usize = STEP / FINE + 1;
    let at = |cell: usize, lead: usize, node: usize| (cell * STEP + node * FINE) as f64 - lead as f64;
    let node = |k: usize| locator.locate(at(i, lead.0, k % NODES), at(j, lead.1, k / NODES));
    let nodes: [(f64, f64); NODES * NODES] = std::array::from_fn(node);
    let mut positions = Vec::with_capacity(STEP * STEP);
    for y in 0..STEP {
        let down = ((y % FINE) as f64 + 0.5) / FINE as f64;
        for x in 0..STEP {
            let along = ((x % FINE) as f64 + 0.5) / FINE as f64;
            let north = y / FINE * NODES + x / FINE;
            let (nw, ne, sw, se) = (
                nodes[north],
                nodes[north + 1],
                nodes[north + NODES],
                nodes[north + NODES + 1],
            );
            let mix = |a: f64, b: f64, c: f64, d: f64| {
                let (west, east) = (a + (c - a) * down, b + (d - b) * down);
                west + (east - west) * along
            };
            positions.push((mix(nw.0, ne.0, sw.0, se.0), mix(nw.1, ne.1, sw.1, se.1)));
        }
    }
    positions.into_boxed_slice()
}

fn exact_cell(locator: &Locator, i: usize, j: usize, lead: (usize, usize)) -> Box<[(f64, f64)]> {
    let at = |cell: usize, lead: usize, k: usize| (cell * STEP + k) as f64 - lead as f64 + 0.5;
    let pixel = |k: usize| locator.locate(at(i, lead.0, k % STEP), at(j, lead.1, k / STEP));
    (0..STEP * STEP).map(pixel).collect()
}

fn cell_scale(locator: &Locator, corners: &[(f64, f64); 4]) -> (f64, f64) {
    let [nw, ne, sw, _] = *corners;
    let step = STEP as f64;
    let along = (locator.across(nw.0, ne.0), ne.1 - nw.1);
    let down = (locator.across(nw.0, sw.0), sw.1 - nw.1);
    (
        usable_scale(along.0.hypot(down.0) / step),
        usable_scale(along.1.hypot(down.1) / step),
    )
}

impl Cell {
    /// Positions of pixels of one row of the cell, from its column `from` on.
    pub(super) fn row(&self, in_y: usize, from: usize, columns: &mut [f64], rows: &mut [f64]) {
        if let Some(exact) = &self.exact {
            let line = &exact[in_y * STEP + from..];
            for ((column, row), (x, y)) in columns.iter_mut().zip(rows).zip(line) {
                (*column, *row) = (*x, *y);
            }
            return;
        }
        let [nw, ne, sw, se] = self.corners;
        let down = (in_y as f64 + 0.5) / STEP as f64;
        let mix = |a: f64, b: f64| a + (b - a) * down;
        let (west, east) = (
            (mix(nw.0, sw.0), mix(nw.1, sw.1)),
            (mix(ne.0, se.0), mix(ne.1, se.1)),
        );
        let slope = ((east.0 - west.0) / STEP as f64, (east.1 - west.1) / STEP as f64);
        let at = |along: f64| (west.0 + slope.0 * along, west.1 + slope.1 * along);
        if let (Some(columns), Some(rows)) = (columns.as_mut_array(), rows.as_mut_array()) {
            // A whole cell: a known length lets the compiler do without a loop.
            let (columns, rows): (&mut [f64; STEP], &mut [f64; STEP]) = (columns, rows);
            for (k, along) in ALONG.iter().enumerate() {
                (columns[k], rows[k]) = at(*along);
            }
            return;
        }
        for ((column, row), along) in columns.iter_mut().zip(rows).zip(&ALONG[from..]) {
            (*column, *row) = at(*along);
        }
    }
}
