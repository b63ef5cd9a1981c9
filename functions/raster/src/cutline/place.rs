//! An outline on a target's pixels.

use crate::crs::Crs;
use crate::warp::Target;

use super::{Budget, Cutline, CutlineError, Ring, cover};

/// How far an edge may lie from where the projection has it, in pixels.
const TOLERANCE_PX: f64 = 0.05;
/// Where a pole is taken to be in systems that have none, as Mercator's, whose maps end long before.
const NEAR_POLE_DEG: f64 = 89.999_999;
/// How far latitudes may miss the pole.
const SLACK_DEG: f64 = 1e-6;
/// How often an edge is halved at most.
const DEEPEST: u32 = 12;

/// An outline in columns and rows of a target, counted from its north-west corner.
#[derive(Clone, Debug)]
pub struct Placed {
    polygons: Vec<Vec<Ring>>,
    size: (usize, usize),
    /// Parts of a pixel's side.
    scale: usize,
}

impl Cutline {
    /// The outline, which lies in `crs`, on the pixels of a target, of whose sides there are `scale` parts. Edges are straight in `crs`.
    ///
    /// # Errors
    /// [`CutlineError::TooFine`] where finding the shares would take more than is left of `budget`.
    pub fn on(
        &self,
        crs: &Crs,
        target: &Target,
        scale: u32,
        budget: &mut Budget,
    ) -> Result<Placed, CutlineError> {
        let way = Way::new(crs, target);
        let left = &mut budget.corners;
        let mut polygons = Vec::with_capacity(self.polygons.len());
        for polygon in &self.polygons {
            let rings = polygon.iter().map(|ring| way.ring(ring, left));
            polygons.push(rings.collect::<Result<Vec<Ring>, _>>()?);
        }
        way.turn_towards_target(&mut polygons);
        let scale = scale.max(1) as usize;
        let steps = cover::steps(&polygons, target.size.1, scale);
        budget.steps = budget.steps.checked_sub(steps).ok_or(CutlineError::TooFine)?;
        Ok(Placed {
            polygons,
            size: target.size,
            scale,
        })
    }
}

impl Placed {
    /// How much of each pixel the outline covers, 0 to 1, `[rows, columns]`: of all parts of the pixel those that it meets. With a
    /// scale of 1 every pixel is 1 that the outline meets anywhere, be it in a corner.
    pub fn shares(&self) -> Vec<f32> {
        cover::shares(&self.polygons, self.size, self.scale)
    }
}

/// From coordinates of a system to columns and rows of a target.
struct Way<'a> {
    crs: &'a Crs,
    target: &'a Target,
    is_same: bool,
}

impl<'a> Way<'a> {
    fn new(crs: &'a Crs, target: &'a Target) -> Self {
        let is_same = crs.is_same(&target.crs);
        Self { crs, target, is_same }
    }

    fn ring(&self, ring: &Ring, left: &mut usize) -> Result<Ring, CutlineError> {
        let mut placed = Vec::with_capacity(ring.len() + 1);
        let edges = ring.iter().zip(ring.iter().cycle().skip(1));
        for (from, to) in edges {
            let before = placed.len();
            let start = self.place(*from)?;
            placed.push(start);
            if !self.is_same {
                self.bend((*from, start), (*to, self.place(*to)?), DEEPEST, &mut placed)?;
            }
            *left = left
                .checked_sub(placed.len() - before)
                .ok_or(CutlineError::TooFine)?;
        }
        Ok(placed)
    }

    /// Adds corners between two, each with its place, until straight lines between them are true.
    fn bend(
        &self,
        (from, start): ([f64; 2], [f64; 2]),
        (to, end): ([f64; 2], [f64; 2]),
        deeper: u32,
        placed: &mut Ring,
    ) -> Result<(), CutlineError> {
        if deeper == 0 {
            return Ok(());
        }
        let at = |share: f64| [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * share);
        let off = |share: f64| -> Result<f64, CutlineError> {
            let is = self.place(at(share))?;
            let straight = [0, 1].map(|axis| start[axis] + (end[axis] - start[axis]) * share);
            Ok((is[0] - straight[0]).hypot(is[1] - straight[1]))
        };
        // In two places, for the middle of an S lies on its straight line.
        if off(0.5)? <= TOLERANCE_PX && off(0.25)? <= TOLERANCE_PX {
            return Ok(());
        }
        let middle = at(0.5);
        let placed_middle = self.place(middle)?;
        self.bend((from, start), (middle, placed_middle), deeper - 1, placed)?;
        placed.push(placed_middle);
        self.bend((middle, placed_middle), (to, end), deeper - 1, placed)
    }

    fn place(&self, [x, y]: [f64; 2]) -> Result<[f64; 2], CutlineError> {
        let nowhere = CutlineError::Nowhere(x, y);
        let (x, y) = if self.is_same {
            (x, y)
        } else {
            self.projected(x, y)
                .filter(|(x, y)| x.is_finite() && y.is_finite())
                .ok_or(nowhere)?
        };
        let (across, down) = self.target.resolution;
        let placed = [(x - self.target.west) / across, (self.target.north - y) / down];
        let is_somewhere = placed.iter().all(|px| px.is_finite());
        is_somewhere.then_some(placed).ok_or(nowhere)
    }

    /// Into the target's system, on the turn of the globe on which it is written.
    fn projected(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        let turns = self.crs.turn().map_or(0.0, |turn| match x / turn {
            turns if turns.abs() <= 0.5 => 0.0,
            turns => turns.round(),
        });
        let within = x - turns * self.crs.turn().unwrap_or_default();
        let (lon_deg, lat_deg) = self.crs.inverse(within, y)?;
        let forward = |lat_deg: f64| {
            let (x, y) = self.target.crs.forward(lon_deg, lat_deg)?;
            (x.is_finite() && y.is_finite()).then_some((x, y))
        };
        let is_pole = lat_deg.abs() > NEAR_POLE_DEG && lat_deg.abs() < 90.0 + SLACK_DEG;
        let near = || is_pole.then(|| forward(NEAR_POLE_DEG.copysign(lat_deg)))?;
        let (x, y) = forward(lat_deg).or_else(near)?;
        Some((x + turns * self.target.crs.turn().unwrap_or_default(), y))
    }

    /// Moves the outline by whole turns of the globe to where its middle is nearest to the target's.
    fn turn_towards_target(&self, polygons: &mut [Vec<Ring>]) {
        let Some(turn) = self.target.crs.turn() else {
            return;
        };
        let turn_px = turn / self.target.resolution.0;
        let columns = || polygons.iter().flatten().flatten().map(|corner| corner[0]);
        let (first, last) = (
            columns().fold(f64::INFINITY, f64::min),
            columns().fold(f64::NEG_INFINITY, f64::max),
        );
        let off = (self.target.size.0 as f64 / 2.0 - f64::midpoint(first, last)) / turn_px;
        let shift = off.round() * turn_px;
        if shift.is_finite() && shift != 0.0 {
            for corner in polygons.iter_mut().flatten().flatten() {
                corner[0] += shift;
            }
        }
    }
}
