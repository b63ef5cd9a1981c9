//! The exact way from an output pixel to a level pixel, round the globe where the level goes round it.

use crate::crs::Crs;
use crate::header::Affine;

use super::Target;

/// The exact way from an output pixel to a level pixel.
#[derive(Clone, Debug)]
pub(super) struct Locator {
    pub(super) target: Target,
    pub(super) source: Crs,
    pub(super) same_crs: bool,
    pub(super) to_level: Affine,
    pub(super) turn: Option<Turn>,
}

/// How columns go round the globe, where the source is geographic or Web Mercator and upright.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    /// Columns in a turn.
    columns: f64,
    /// The column from which none is further than half a turn: the middle of the level, or of the output where the level is closed.
    middle: f64,
    /// Columns in a turn of a level that goes all round: its last column is a neighbour of its first. Its columns are counted
    /// from a turn west of it, see [`Wanted`](crate::plan::Wanted).
    pub(super) closed: Option<u32>,
}

impl Turn {
    /// None if `source` does not go round, or is turned.
    pub(super) fn new(source: &Crs, affine: &Affine, width_px: u32) -> Option<Self> {
        let columns = source.turn().filter(|_| affine.is_upright())? / affine.a.abs();
        // Sizes of pixels are rounded: half a column may be missing. One more than a turn repeats the first.
        let spare = f64::from(width_px) - columns;
        let is_closed = (-0.5..=1.5).contains(&spare) && (1..u32::MAX / 4).contains(&width_px);
        Some(Self {
            columns,
            middle: f64::from(width_px) / 2.0,
            closed: is_closed.then(|| (columns.round() as u32).clamp(1, width_px)),
        })
    }

    /// About the column in the middle of the output, if the level is closed.
    pub(super) fn about(self, column: f64) -> Self {
        let Some(closed) = self.closed else { return self };
        let column = if column.is_finite() { column } else { self.middle };
        Self {
            middle: column.rem_euclid(self.columns) + f64::from(closed),
            ..self
        }
    }

    fn place(&self, column: f64) -> f64 {
        let column = column + f64::from(self.closed.unwrap_or(0));
        column + self.nearest(self.middle - column)
    }

    /// The whole turns that are nearest to a distance.
    fn nearest(&self, distance: f64) -> f64 {
        (distance / self.columns).round() * self.columns
    }
}

impl Locator {
    pub(super) fn locate(&self, px: f64, py: f64) -> (f64, f64) {
        const NOWHERE: (f64, f64) = (f64::NAN, f64::NAN);
        let target = &self.target;
        let x = target.west + px * target.resolution.0;
        let y = target.north - py * target.resolution.1;
        let place = if self.same_crs {
            Some((x, y))
        } else {
            target
                .crs
                .inverse(x, y)
                .and_then(|(lon, lat)| self.source.forward(lon, lat))
        };
        let Some((x, y)) = place else { return NOWHERE };
        let (mut column, row) = self.to_level.apply(x, y);
        if let Some(turn) = &self.turn {
            column = turn.place(column);
        }
        if column.is_finite() && row.is_finite() {
            (column, row)
        } else {
            NOWHERE
        }
    }

    /// How far it is from one column to another, the short way round the globe.
    pub(super) fn across(&self, from: f64, to: f64) -> f64 {
        let distance = to - from;
        distance - self.turn.map_or(0.0, |turn| turn.nearest(distance))
    }
}
