//! The ways from a datum to WGS 84 that need no grid, and which of them holds at a place.
//!
//! A datum may have several ways, each for an area and of some accuracy. As PROJ does for each point, the most
//! accurate one whose area holds the point is taken; a tie goes to the smaller area, then to the higher rank; outside all
//! areas the first serves.

use super::CrsError;
use super::ellipsoid::{Ellipsoid, WGS84};
use super::registry;

/// Radians in a second of arc.
const SECOND: f64 = super::units::DEGREE / 3600.0;

/// How geographic coordinates on one ellipsoid relate to WGS 84.
#[derive(Clone, Debug)]
pub(super) struct Datum {
    ellipsoid: Ellipsoid,
    /// Empty: longitude and latitude are taken as those on WGS 84.
    ways: Vec<Way>,
}

/// A way to WGS 84 and where it holds.
#[derive(Clone, Debug)]
struct Way {
    /// West, south, east, north in degrees; west > east across the antimeridian.
    area: [f64; 4],
    /// Metres; negative where unknown.
    accuracy: f64,
    /// Made for the sea: never preferred to another, for areas are rectangles and reach ashore.
    offshore: bool,
    /// One after the other; none: coordinates carry over unchanged.
    steps: Vec<Step>,
}

/// A transformation, or its reverse.
#[derive(Clone, Debug, PartialEq)]
struct Step {
    helmert: Helmert,
    reversed: bool,
}

/// A similarity transformation of geocentric coordinates with small angles, in the position vector convention
/// (EPSG methods 9603, 9606 and, with a pivot, 1061).
#[derive(Clone, Debug, PartialEq)]
struct Helmert {
    /// Metres.
    translation: [f64; 3],
    /// Radians.
    rotation: [f64; 3],
    /// 1 + parts per million.
    scale: f64,
    /// The point about which it turns and scales, metres.
    pivot: [f64; 3],
}

impl Datum {
    /// A datum whose longitudes and latitudes are taken as they are.
    pub(super) fn unshifted(ellipsoid: Ellipsoid) -> Self {
        Self {
            ellipsoid,
            ways: Vec::new(),
        }
    }

    /// The datum of a geographic system of the registry.
    ///
    /// `code` is a projected system on it, for which the registry may rank the ways otherwise.
    pub(super) fn registered(ellipsoid: Ellipsoid, code: Option<u32>, base: u32) -> Self {
        let own = code.map(registry::shifts).filter(|lines| !lines.is_empty());
        let lines = own.unwrap_or_else(|| registry::shifts(base));
        let ways = lines
            .iter()
            .filter_map(|line| Way::parse(line, &ellipsoid))
            .collect();
        Self { ellipsoid, ways }
    }

    /// A datum with one way that holds everywhere: 3 or 7 values as in `+towgs84` (metres, arc seconds, ppm).
    pub(super) fn with_towgs84(ellipsoid: Ellipsoid, values: &[f64]) -> Result<Self, CrsError> {
        if !matches!(values.len(), 3 | 7) || values.iter().any(|value| !value.is_finite()) {
            return Err(CrsError::Malformed(format!(
                "a shift to WGS 84 has 3 or 7 values, not {values:?}"
            )));
        }
        let helmert = Helmert::new(values).filter(|helmert| !helmert.is_null_on(&ellipsoid));
        let ways = helmert.map(|helmert| Way {
            area: [-180.0, -90.0, 180.0, 90.0],
            accuracy: -1.0,
            offshore: false,
            steps: vec![Step {
                helmert,
                reversed: false,
            }],
        });
        Ok(Self {
            ellipsoid,
            ways: ways.into_iter().collect(),
        })
    }

    /// The ellipsoid of this side.
    pub(super) fn ellipsoid(&self) -> &Ellipsoid {
        &self.ellipsoid
    }

    /// Whether coordinates carry over unchanged everywhere.
    pub(super) fn is_unshifted(&self) -> bool {
        self.ways.iter().all(|way| way.steps.is_empty())
    }

    /// The 7 values of `+towgs84` of the only way, where it has no pivot.
    pub(super) fn towgs84(&self) -> Option<[f64; 7]> {
        match self.ways.as_slice() {
            [Way { steps, .. }] => match steps.as_slice() {
                [step] if !step.reversed && step.helmert.pivot == [0.0; 3] => Some(step.helmert.towgs84()),
                _ => None,
            },
            _ => None,
        }
    }

    /// Degrees on this datum → degrees on WGS 84.
    pub(super) fn datum_to_wgs84(&self, lon: f64, lat: f64) -> (f64, f64) {
        match self.steps_at(lon, lat) {
            [] => (lon, lat),
            steps => {
                let start = self.ellipsoid.to_geocentric(lon.to_radians(), lat.to_radians());
                near(
                    WGS84.to_geodetic(steps.iter().fold(start, |at, step| step.run(at, step.reversed))),
                    lon,
                )
            }
        }
    }

    /// Degrees on WGS 84 → degrees on this datum.
    pub(super) fn wgs84_to_datum(&self, lon: f64, lat: f64) -> (f64, f64) {
        match self.steps_at(lon, lat) {
            [] => (lon, lat),
            steps => {
                let start = WGS84.to_geocentric(lon.to_radians(), lat.to_radians());
                let end = steps
                    .iter()
                    .rev()
                    .fold(start, |at, step| step.run(at, !step.reversed));
                near(self.ellipsoid.to_geodetic(end), lon)
            }
        }
    }

    fn steps_at(&self, lon: f64, lat: f64) -> &[Step] {
        let mut best: Option<&Way> = None;
        for way in self.ways.iter().filter(|way| way.holds(lon, lat)) {
            let better = best.is_none_or(|best| {
                !way.offshore
                    && way.accuracy >= 0.0
                    && (way.accuracy < best.accuracy
                        || (way.accuracy == best.accuracy && way.size() < best.size()))
            });
            if better {
                best = Some(way);
            }
        }
        best.or(self.ways.first()).map_or(&[], |way| &way.steps)
    }
}

/// Radians → degrees, on the same turn around the globe as `lon`.
fn near((found_lon, found_lat): (f64, f64), lon: f64) -> (f64, f64) {
    let found_lon = found_lon.to_degrees();
    (
        found_lon + 360.0 * ((lon - found_lon) / 360.0).round(),
        found_lat.to_degrees(),
    )
}

impl Way {
    /// Reads `west south east north accuracy [~]x y z … [> …]`.
    fn parse(line: &str, ellipsoid: &Ellipsoid) -> Option<Self> {
        let mut words = line.splitn(6, ' ');
        let mut number = || words.next()?.parse().ok();
        let area = [number()?, number()?, number()?, number()?];
        let accuracy = words.next()?;
        let offshore = accuracy.ends_with('w');
        let accuracy = accuracy.trim_end_matches('w').parse().ok()?;
        let steps = words.next().map_or(Some(Vec::new()), |text| {
            text.split(" > ").map(Step::parse).collect()
        })?;
        let null = |steps: &[Step]| steps.iter().all(|step| step.helmert.is_null_on(ellipsoid));
        Some(Self {
            area,
            accuracy,
            offshore,
            steps: if null(&steps) { Vec::new() } else { steps },
        })
    }

    fn holds(&self, lon: f64, lat: f64) -> bool {
        let [west, south, east, north] = self.area;
        let lon = if (-180.0..=180.0).contains(&lon) {
            lon
        } else {
            (lon + 180.0).rem_euclid(360.0) - 180.0
        };
        let across = if west <= east {
            lon >= west && lon <= east
        } else {
            lon >= west || lon <= east
        };
        across && lat >= south && lat <= north
    }

    /// Square degrees of the area.
    fn size(&self) -> f64 {
        let [west, south, east, north] = self.area;
        let width = if east > west {
            east - west
        } else {
            east - west + 360.0
        };
        width * (north - south)
    }
}

impl Step {
    /// Reads `[~]x y z …`.
    fn parse(text: &str) -> Option<Self> {
        let (reversed, text) = text.strip_prefix('~').map_or((false, text), |rest| (true, rest));
        let values: Vec<f64> = text.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
        Some(Self {
            helmert: Helmert::new(&values)?,
            reversed,
        })
    }

    fn run(&self, at: [f64; 3], reversed: bool) -> [f64; 3] {
        if reversed {
            self.helmert.reverse(at)
        } else {
            self.helmert.apply(at)
        }
    }
}

impl Helmert {
    /// x y z [rx ry rz s [px py pz]]: metres, arc seconds, parts per million, metres. None for no values at all.
    fn new(values: &[f64]) -> Option<Self> {
        let three = |at: usize, unit: f64| -> Option<[f64; 3]> {
            let found: [f64; 3] = values.get(at..at + 3)?.try_into().ok()?;
            Some(found.map(|value| value * unit))
        };
        Some(Self {
            translation: three(0, 1.0)?,
            rotation: three(3, SECOND).unwrap_or_default(),
            scale: 1.0 + values.get(6).copied().unwrap_or(0.0) * 1e-6,
            pivot: three(7, 1.0).unwrap_or_default(),
        })
    }

    fn is_null_on(&self, ellipsoid: &Ellipsoid) -> bool {
        self.translation == [0.0; 3]
            && self.rotation == [0.0; 3]
            && self.scale == 1.0
            && ellipsoid.is_close_to(&WGS84)
    }

    fn towgs84(&self) -> [f64; 7] {
        let [x, y, z] = self.translation;
        let [rx, ry, rz] = self.rotation.map(|angle| angle / SECOND);
        [x, y, z, rx, ry, rz, (self.scale - 1.0) * 1e6]
    }

    fn apply(&self, at: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = [
            at[0] - self.pivot[0],
            at[1] - self.pivot[1],
            at[2] - self.pivot[2],
        ];
        let [rx, ry, rz] = self.rotation;
        let turned = [x - rz * y + ry * z, rz * x + y - rx * z, rx * y - ry * x + z];
        std::array::from_fn(|i| self.scale * turned[i] + self.translation[i] + self.pivot[i])
    }

    /// The reverse as PROJ and the registry have it: opposite angles, not the inverse matrix.
    fn reverse(&self, at: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = std::array::from_fn(|i| (at[i] - self.translation[i] - self.pivot[i]) / self.scale);
        let [rx, ry, rz] = self.rotation;
        let turned = [x + rz * y - ry * z, y - rz * x + rx * z, ry * x - rx * y + z];
        std::array::from_fn(|i| turned[i] + self.pivot[i])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crs::ellipsoid::named;

    #[test]
    fn the_worked_example_of_the_registry_comes_out() {
        // EPSG guidance note 7-2, 4.3.1 (position vector): WGS 72 → WGS 84 at 55°00′00″ N 4°00′00″ E.
        let wgs72 = named("WGS72").unwrap();
        let datum = Datum::with_towgs84(wgs72, &[0.0, 0.0, 4.5, 0.0, 0.0, 0.554, 0.219]).unwrap();
        let (lon, lat) = datum.datum_to_wgs84(4.0, 55.0);
        assert!((lon - (4.0 + 0.554 / 3600.0)).abs() < 1e-7, "{lon}");
        assert!((lat - (55.0 + 0.090 / 3600.0)).abs() < 1e-6, "{lat}");
        let (back_lon, back_lat) = datum.wgs84_to_datum(lon, lat);
        assert!((back_lon - 4.0).abs() < 2e-9 && (back_lat - 55.0).abs() < 2e-9);
    }

    #[test]
    fn the_way_depends_on_the_place() {
        let datum = Datum::registered(named("clrk66").unwrap(), None, 4267);
        let shift = |lon, lat| {
            datum
                .steps_at(lon, lat)
                .first()
                .map(|step| step.helmert.translation)
        };
        // NAD27 to WGS 84 (6), western United States; (13), all of Canada; elsewhere nothing better than no shift.
        assert_eq!(shift(-117.0, 36.0), Some([-8.0, 159.0, 175.0]));
        assert_eq!(shift(-65.0, 80.0), Some([4.0, 159.0, 188.0]));
        assert_eq!(shift(20.0, 0.0), None);
    }

    #[test]
    fn longitudes_keep_their_turn_around_the_globe() {
        let datum = Datum::with_towgs84(named("intl").unwrap(), &[-87.0, -98.0, -121.0]).unwrap();
        let (lon, _) = datum.datum_to_wgs84(359.999_99, 40.0);
        assert!((lon - 360.0).abs() < 0.01, "{lon}");
    }
}
