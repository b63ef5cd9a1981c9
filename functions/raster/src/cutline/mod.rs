//! Outlines that a picture or statistics are cut to: polygons in a CRS → how much of each pixel of a target they cover.
//!
//! [`Cutline::on`] brings an outline onto a target's pixels, its edges bent as the projection bends them; [`Placed::shares`] counts.

mod cover;
mod place;
#[cfg(test)]
mod tests;

pub use place::Placed;

use crate::warp::Extent;

/// A ring of corners, x to the east and y to the north. Whether the first is repeated at the end makes no difference.
pub type Ring = Vec<[f64; 2]>;

/// One polygon: its outer ring and its holes. What lies within an even number of its rings is outside.
pub type Polygon = Vec<Ring>;

/// What cannot be done with an outline.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum CutlineError {
    /// A corner, or a point of an edge, that the projection does not know: x and y in the outline's system.
    #[error("has [{0}, {1}] in it, where the system of the pixels has no coordinates")]
    Nowhere(f64, f64),
    /// More work than one answer may take.
    #[error("has too many corners for so many pixels and parts of them")]
    TooFine,
}

/// What the outlines of one answer may take together, spent before the work is done: at 30 ns a step, and 85 where edges cross each other
/// everywhere, at most two seconds of one processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Corners on their pixels, each projected up to four times.
    corners: usize,
    /// How often edges may meet a row of parts of pixels.
    steps: u64,
}

impl Budget {
    /// Corners of one answer.
    pub const CORNERS: usize = 1 << 18;
    /// Rows that the edges of one answer meet.
    pub const STEPS: u64 = 20_000_000;
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            corners: Self::CORNERS,
            steps: Self::STEPS,
        }
    }
}

/// Polygons of finite coordinates in one CRS; what any of them covers is inside.
#[derive(Clone, Debug, PartialEq)]
pub struct Cutline {
    polygons: Vec<Polygon>,
    bounds: Extent,
}

impl Cutline {
    /// An outline; `None` where there is no corner, or one that is not finite.
    pub fn new(polygons: Vec<Polygon>) -> Option<Self> {
        let corners = || polygons.iter().flatten().flatten();
        let none = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
        let bounds = corners().fold(none, |[west, south, east, north], [x, y]| {
            [west.min(*x), south.min(*y), east.max(*x), north.max(*y)]
        });
        let is_finite = corners().flatten().all(|number| number.is_finite());
        (is_finite && bounds.iter().all(|bound| bound.is_finite())).then_some(Self { polygons, bounds })
    }

    /// The box around its corners.
    pub fn bounds(&self) -> Extent {
        self.bounds
    }

    /// Its polygons.
    pub fn polygons(&self) -> &[Polygon] {
        &self.polygons
    }

    /// The same in a system that goes round the globe in `turn` units: polygons of both sides of its seam stand side by side, where
    /// that makes the outline narrower. GeoJSON cuts what crosses the antimeridian there (RFC 7946, section 3.1.9).
    #[must_use]
    pub fn across_seam(self, turn: f64) -> Self {
        let is_west = |polygon: &Polygon| polygon.iter().flatten().all(|[x, _]| *x <= 0.0);
        let moved = |polygon: &Polygon| {
            let shift = if is_west(polygon) { turn } else { 0.0 };
            let ring = |ring: &Ring| ring.iter().map(|[x, y]| [x + shift, *y]).collect();
            polygon.iter().map(ring).collect()
        };
        let width = |of: &Self| of.bounds[2] - of.bounds[0];
        match Self::new(self.polygons.iter().map(moved).collect()) {
            Some(beyond)
                if self.polygons.iter().any(|polygon| !is_west(polygon)) && width(&beyond) < width(&self) =>
            {
                beyond
            }
            _ => self,
        }
    }
}
