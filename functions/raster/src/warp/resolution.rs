//! How fine a source is in another CRS, by GDAL's rule for the default output of a warp.

use crate::crs::{Crs, Kind};
use crate::header::Affine;

/// Points looked at along each edge, GDAL's number.
const STEPS: u32 = 20;

/// Latitude where Web Mercator's square ends; rio-tiler crops world files there before it asks for their resolution.
const MERCATOR_LATITUDE: f64 = 85.06;

/// A box in some CRS: west, south, east, north.
pub type Extent = [f64; 4];

/// Units of `target` that one pixel of a source of `size` pixels spans, across and down: in its own CRS those of an upright source
/// itself, else both as [`resolution`] says.
pub fn pixel_size(affine: &Affine, size: (u32, u32), source: &Crs, target: &Crs) -> Option<(f64, f64)> {
    if affine.is_upright() && source.is_same(target) {
        return Some((affine.a.abs(), affine.e.abs()));
    }
    resolution(affine, size, source, target).map(|side| (side, side))
}

/// Units of `target` that one pixel of a source of `size` pixels spans: the distance from its first corner to the opposite one, or
/// the diagonal of the box around its outline where these corners say nothing, shared out over the diagonal of its pixels
/// (GDAL, `GDALSuggestedWarpOutput2`). `None` where no point of the outline can be projected.
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
    let place = placer(&affine, (width, height), source, target);
    let corners = place(0.0, 0.0).zip(place(width, height));
    let across = corners.map(|(first, last)| (last.0 - first.0, last.1 - first.1));
    let (x, y) = if let Some(across) = across.filter(|(x, y)| *x != 0.0 && *y != 0.0) {
        across
    } else {
        let [west, south, east, north] = extent(&affine, (width, height), source, target)?;
        (east - west, north - south)
    };
    let resolution = x.hypot(y) / width.hypot(height);
    (resolution.is_finite() && resolution > 0.0).then_some(resolution)
}

/// Where a column and row of a source lie in `target`, on the turn on which its middle lies.
fn placer(
    affine: &Affine,
    size: (f64, f64),
    source: &Crs,
    target: &Crs,
) -> impl Fn(f64, f64) -> Option<(f64, f64)> {
    let turn = target.turn();
    let same = source.is_same(target);
    let place = move |column: f64, row: f64| {
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
    let turn = turn.zip(middle).filter(|_| !same);
    move |column, row| {
        let (x, y) = place(column, row)?;
        let turned = |(turn, middle): (f64, f64)| x + ((middle - x) / turn).round() * turn;
        Some((turn.map_or(x, turned), y))
    }
}

/// The box around the outline of `size` pixels, in `target`. A source across the antimeridian keeps its width: its east lies beyond
/// half a turn.
pub fn extent(affine: &Affine, size: (f64, f64), source: &Crs, target: &Crs) -> Option<Extent> {
    let place = placer(affine, size, source, target);
    let mut extent: Option<Extent> = None;
    let mut add = |column: f64, row: f64| {
        let Some((x, y)) = place(column, row) else {
            return;
        };
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Against `rasterio.warp.calculate_default_transform` of GDAL 3.10.
    #[test]
    fn pixels_are_as_fine_as_gdal_finds_them() {
        let web = Crs::from_epsg(3857).unwrap();
        for (epsg, pixel, west, north, expected) in [
            (32632, 20.0, 680_000.0, 5_340_000.0, 29.934_419_100_611_69),
            (5070, 30.0, 200_000.0, 1_900_000.0, 39.145_891_068_868_03),
            (3413, 100.0, 300_000.0, -1_800_000.0, 338.701_101_530_858_35),
            (4326, 1.0 / 3600.0, 11.4, 48.2, 39.348_208_608_879_8),
        ] {
            let affine = Affine {
                a: pixel,
                b: 0.0,
                c: west,
                d: 0.0,
                e: -pixel,
                f: north,
            };
            let source = Crs::from_epsg(epsg).unwrap();
            let found = resolution(&affine, (1024, 1024), &source, &web).unwrap();
            assert!((found / expected - 1.0).abs() < 1e-8, "{epsg}: {found}");
        }
    }
}
