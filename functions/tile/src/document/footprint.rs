//! Where an item lies: its box, and its outline as GeoJSON has it, with which a box of the world may meet.
//!
//! Outlines are often four corners, while the edges of a scene are straight in another system than degrees: at 60° north
//! the edge of a scene of 185 km bulges by 0.6 % of its length. So both are taken to reach [`MARGIN`] further.

use serde::Deserialize;

use super::Tolerated;
use super::blocks::on_globe;

/// The share of the larger side by which a footprint reaches further.
const MARGIN: f64 = 0.01;
/// The most corners of an outline that is kept; of one with more the box counts.
const MOST_CORNERS: usize = 512;

/// Where an item lies, in degrees.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Footprint {
    /// West, south, east, north; east beyond half a turn across the antimeridian.
    pub(super) bounds: [f64; 4],
    /// Closed or not; empty where the box counts alone. Holes are among them.
    rings: Vec<Vec<(f64, f64)>>,
}

/// A `geometry` (RFC 7946, section 3.1); of other kinds the item's box counts.
#[derive(Deserialize)]
#[serde(tag = "type", content = "coordinates")]
pub(super) enum Geometry {
    Polygon(Vec<Vec<Position>>),
    MultiPolygon(Vec<Vec<Vec<Position>>>),
}

/// Longitude, latitude, and what else stands there.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Position(Vec<f64>);

impl Footprint {
    /// Of an item's `bbox`, with four numbers or six, and its `geometry`. `None` where neither says where it lies.
    pub(super) fn read(bbox: Option<&[f64]>, geometry: Tolerated<Geometry>) -> Option<Self> {
        let rings = geometry.0.map(Geometry::rings).unwrap_or_default();
        let corners = || rings.iter().flatten().copied();
        // Of an outline that crosses the antimeridian without being cut there, inside cannot be told from outside.
        let is_cut = rings
            .iter()
            .all(|ring| ring.windows(2).all(|pair| (pair[1].0 - pair[0].0).abs() <= 180.0));
        let around = || {
            let first = corners().next()?;
            let all = corners().fold([first.0, first.1, first.0, first.1], |[w, s, e, n], (x, y)| {
                [w.min(x), s.min(y), e.max(x), n.max(y)]
            });
            let [_, south, _, north] = all;
            Some(if is_cut {
                all
            } else {
                [-180.0, south, 180.0, north]
            })
        };
        let bounds = match bbox {
            Some(&[west, south, east, north] | &[west, south, _, east, north, _]) => {
                [west, south, east, north]
            }
            _ => around()?,
        };
        let [west, south, east, north] = bounds;
        let is_sound =
            west.abs() <= 360.0 && east.abs() <= 360.0 && south.abs() <= 90.0 && north.abs() <= 90.0;
        if !is_sound || south > north {
            return None;
        }
        let east = if east < west { east + 360.0 } else { east };
        let is_kept = is_cut && corners().count() <= MOST_CORNERS;
        Some(Self {
            bounds: [west, south, east, north],
            rings: if is_kept { rings } else { Vec::new() },
        })
    }

    /// Bytes that it takes in memory, about.
    pub(super) fn weight(&self) -> usize {
        64 + self.rings.iter().map(|ring| 24 + 16 * ring.len()).sum::<usize>()
    }

    /// Whether it meets a box in degrees; east of that may lie beyond half a turn.
    pub(super) fn meets(&self, area: [f64; 4]) -> bool {
        let own = on_globe(self.bounds);
        let [west, south, east, north] = self.bounds;
        let margin = MARGIN * (east - west).max(north - south);
        on_globe(area).into_iter().any(|[west, south, east, north]| {
            // At the antimeridian neighbours lie a whole turn away.
            [-360.0, 0.0, 360.0].iter().any(|turn| {
                let area = [
                    west - margin + turn,
                    south - margin,
                    east + margin + turn,
                    north + margin,
                ];
                own.iter().any(|own| overlap(own, &area)) && self.outline_meets(&area)
            })
        })
    }

    fn outline_meets(&self, area: &[f64; 4]) -> bool {
        if self.rings.is_empty() {
            return true;
        }
        let edges = || {
            let of = |ring: &Vec<(f64, f64)>| {
                let next = ring.iter().skip(1).chain(ring.first());
                ring.iter().copied().zip(next.copied()).collect::<Vec<_>>()
            };
            self.rings.iter().flat_map(of)
        };
        // No edge in the box: it lies wholly inside or wholly outside.
        edges().any(|(from, to)| crosses(from, to, area)) || is_within((area[0], area[1]), edges())
    }
}

impl Geometry {
    fn rings(self) -> Vec<Vec<(f64, f64)>> {
        let rings = match self {
            Self::Polygon(rings) => rings,
            Self::MultiPolygon(polygons) => polygons.into_iter().flatten().collect(),
        };
        let place = |Position(at): Position| match at.as_slice() {
            [lon, lat, ..] if lon.is_finite() && lat.is_finite() => Some((*lon, *lat)),
            _ => None,
        };
        rings
            .into_iter()
            .map(|ring| ring.into_iter().filter_map(place).collect())
            .collect()
    }
}

fn overlap(a: &[f64; 4], b: &[f64; 4]) -> bool {
    a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3]
}

/// Whether a line from one place to another touches a box: it is cut by one side after the other (Liang and Barsky, 1984).
fn crosses(from: (f64, f64), to: (f64, f64), [west, south, east, north]: &[f64; 4]) -> bool {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
    for (run, room) in [
        (-dx, from.0 - west),
        (dx, east - from.0),
        (-dy, from.1 - south),
        (dy, north - from.1),
    ] {
        if run == 0.0 {
            if room < 0.0 {
                return false;
            }
        } else if run < 0.0 {
            enters = enters.max(room / run);
        } else {
            leaves = leaves.min(room / run);
        }
    }
    enters <= leaves
}

/// Whether a place lies within: a line from it to the east crosses an odd number of edges.
fn is_within((x, y): (f64, f64), edges: impl Iterator<Item = ((f64, f64), (f64, f64))>) -> bool {
    edges.fold(false, |inside, ((ax, ay), (bx, by))| {
        let is_crossed = (ay > y) != (by > y) && x < ax + (y - ay) / (by - ay) * (bx - ax);
        inside != is_crossed
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bbox: &[f64], geometry: &str) -> Footprint {
        Footprint::read(Some(bbox), Tolerated(serde_json::from_str(geometry).ok())).unwrap()
    }

    #[test]
    fn a_box_meets_an_outline_where_one_lies_in_the_other_or_edges_cross() {
        // A square on its tip around 10/50, with a hole.
        let diamond = of(
            &[8.0, 48.0, 12.0, 52.0],
            r#"{"type": "Polygon", "coordinates": [[[8, 50], [10, 48, 7.5], [12, 50], [10, 52], [8, 50]],
                [[9, 50], [10, 51], [11, 50], [10, 49], [9, 50]]]}"#,
        );
        for (area, meets) in [
            ([8.0, 48.0, 8.2, 48.2], false),
            ([8.9, 49.0, 9.0, 49.2], true),
            ([8.6, 49.9, 8.7, 50.0], true),
            ([9.9, 49.9, 10.1, 50.1], false),
            ([0.0, 40.0, 20.0, 60.0], true),
            ([9.9, 40.0, 10.0, 60.0], true),
            ([12.03, 49.9, 12.1, 50.1], true),
            ([12.05, 49.9, 12.1, 50.1], false),
            ([368.6, 49.9, 368.7, 50.0], true),
        ] {
            assert_eq!(diamond.meets(area), meets, "{area:?}");
        }
    }

    #[test]
    fn without_an_outline_the_box_counts_across_the_antimeridian_too() {
        for geometry in ["null", r#"{"type": "Point", "coordinates": [1, 2]}"#] {
            let across = of(&[177.0, 10.0, -179.0, 20.0], geometry);
            for (area, meets) in [
                ([-180.0, 12.0, -179.5, 13.0], true),
                ([179.0, 12.0, 179.5, 13.0], true),
                ([178.0, 12.0, 185.0, 13.0], true),
                ([-178.0, 12.0, 170.0, 13.0], false),
            ] {
                assert_eq!(across.meets(area), meets, "{area:?}");
            }
        }
        // Not cut at the antimeridian: the box counts.
        let uncut = of(
            &[177.0, 10.0, -179.0, 20.0],
            r#"{"type": "Polygon", "coordinates": [[[177, 10], [-179, 10], [-179, 20], [177, 20], [177, 10]]]}"#,
        );
        assert!(uncut.rings.is_empty() && uncut.meets([-179.9, 12.0, -179.5, 13.0]));
        assert!(!uncut.meets([0.0, 12.0, 1.0, 13.0]));
    }

    #[test]
    fn where_nothing_is_told_of_a_place_there_is_none() {
        let read = |bbox: &[f64]| Footprint::read(Some(bbox), Tolerated(None));
        assert_eq!(read(&[1.0, 2.0]), None);
        assert_eq!(read(&[1.0, 5.0, 2.0, 4.0]), None);
        assert_eq!(read(&[1.0, 5.0, f64::NAN, 6.0]), None);
        assert_eq!(
            read(&[1.0, 5.0, 0.0, 2.0, 6.0, 9.0]).unwrap().bounds,
            [1.0, 5.0, 2.0, 6.0]
        );
        assert_eq!(Footprint::read(None, Tolerated(None)), None);
    }
}
