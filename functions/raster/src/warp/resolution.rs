//! How fine a source is in another CRS, by GDAL's rule for the default output of a warp.

use crate::crs::{Crs, Kind};
use crate::header::Affine;

/// Points looked at along each edge, GDAL's number.
const STEPS: u32 = 20;

/// Latitude where Web Mercator's square ends; rio-tiler crops world files there before it asks for their resolution.
const MERCATOR_LATITUDE: f64 = 85.06;

/// A box in some CRS: west, south, east, north.
pub type Extent = [f64; 4];

/// Units of `target` that one pixel of a source of `size` pixels spans: the diagonal of the box around its outline, shared out
/// over the diagonal of its pixels (GDAL, `GDALSuggestedWarpOutput2`). `None` where no point of the outline can be projected.
pub fn resolution(affine: &Affine, size: (u32, u32), source: &Crs, target: &Crs) -> Option<f64> {
    let (width, mut height) = (f64::from(size.0), f64::from(size.1));
    let mut affine = *affine;
    if source.kind() == Kind::Wgs84 && target.kind() == Kind::WebMercator && affine.is_upright() {
        let row = |lat: f64| ((lat - affine.f) / affine.e).clamp(0.0, height);
        let (top, bottom) = (row(MERCATOR_LATITUDE), row(-MERCATOR_LATITUDE));
        let (first, last) = (top.min(bottom), top.max(bottom));
        affine.f += affine.e * first;
        height = last - first;
    }
    let [west, south, east, north] = extent(&affine, (width, height), source, target)?;
    let diagonal = (east - west).hypot(north - south);
    let resolution = diagonal / width.hypot(height);
    (resolution.is_finite() && resolution > 0.0).then_some(resolution)
}

/// The box around the outline of `size` pixels, in `target`. A source across the antimeridian keeps its width: its east lies beyond
/// half a turn.
pub fn extent(affine: &Affine, size: (f64, f64), source: &Crs, target: &Crs) -> Option<Extent> {
    let turn = target.turn();
    let same = source.epsg().is_some() && source.epsg() == target.epsg();
    let place = |column: f64, row: f64| {
        let (x, y) = affine.apply(column, row);
        if same {
            return Some((x, y));
        }
        let (lon, lat) = source.inverse(x, y)?;
        target
            .forward(lon, lat)
            .filter(|(x, y)| x.is_finite() && y.is_finite())
    };
    let middle = place(size.0 / 2.0, size.1 / 2.0).map(|(x, _)| x);
    let mut extent: Option<Extent> = None;
    let mut add = |column: f64, row: f64| {
        let Some((mut x, y)) = place(column, row) else {
            return;
        };
        if let (Some(turn), Some(middle)) = (turn, middle)
            && !same
        {
            x += ((middle - x) / turn).round() * turn;
        }
        let [west, south, east, north] = extent.unwrap_or([x, y, x, y]);
        extent = Some([west.min(x), south.min(y), east.max(x), north.max(y)]);
    };
    for step in 0..=STEPS {
        let share = f64::from(step) / f64::from(STEPS);
        for edge in [0.0, 1.0] {
            add(size.0 * share, size.1 * edge);
            add(size.0 * edge, size.1 * share);
        }
    }
    extent
}
