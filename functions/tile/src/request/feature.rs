//! Bodies of GeoJSON (RFC 7946): the outlines in them. An error names the member that is wrong.

use std::sync::Arc;

use edgetile_raster::cutline::{Cutline, Polygon, Ring};
use serde_json::Value;

use super::{NamedCrs, Refused};

/// The longest body that is read, in bytes: a load balancer hands no more on to a function.
pub const LONGEST_BODY_BYTES: usize = 1 << 20;
/// The most features of a collection.
const MOST_FEATURES: usize = 256;
/// How far latitudes may miss the pole.
const SLACK_DEG: f64 = 1e-6;

/// What a picture is cut to, and where it stood in the body.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// The outline, in the CRS of the coordinates.
    pub cutline: Arc<Cutline>,
    /// The member that it comes from: `features[2].geometry`.
    pub member: String,
}

/// The text of a body.
pub(super) fn text(body: &[u8]) -> Result<&str, Refused> {
    if body.len() > LONGEST_BODY_BYTES {
        return Err(Refused::LongBody);
    }
    let text = std::str::from_utf8(without_mark(body));
    text.map_err(|error| wrong("body", format!("is not JSON: {error}")))
}

/// The document in a body.
pub(super) fn document(body: &[u8]) -> Result<Value, Refused> {
    let text = text(body)?;
    if text.is_empty() {
        return Err(wrong("body", "is empty: send a GeoJSON Feature"));
    }
    serde_json::from_str(text).map_err(|error| wrong("body", format!("is not JSON: {error}")))
}

/// JSON without the byte order mark that some editors put before it: a reader may skip it (RFC 8259, section 8.1).
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// The outline of a document that is one feature.
pub(super) fn of_feature(document: &Value, crs: &NamedCrs) -> Result<Outline, Refused> {
    match document["type"].as_str() {
        Some("Feature") => outline(document, "", crs),
        Some(other) => Err(wrong("type", format!("is {}: send a Feature", short(other)))),
        None => Err(wrong("type", "is missing: send a GeoJSON Feature")),
    }
}

/// The outlines of a document that is a feature, or several; with the features as they came.
pub(super) fn of_features(document: &Value, crs: &NamedCrs) -> Result<Vec<Outline>, Refused> {
    if document["type"].as_str() != Some("FeatureCollection") {
        return of_feature(document, crs).map(|outline| vec![outline]);
    }
    let features = document["features"].as_array();
    let features = features.ok_or_else(|| wrong("features", "is not a list of features"))?;
    if features.is_empty() || features.len() > MOST_FEATURES {
        let reason = format!("holds {} features: send 1 to {MOST_FEATURES}", features.len());
        return Err(wrong("features", reason));
    }
    let one = |(at, feature): (usize, &Value)| {
        if feature["type"].as_str() == Some("Feature") {
            outline(feature, &format!("features[{at}]."), crs)
        } else {
            Err(wrong(&format!("features[{at}].type"), "is not Feature"))
        }
    };
    features.iter().enumerate().map(one).collect()
}

fn outline(feature: &Value, before: &str, crs: &NamedCrs) -> Result<Outline, Refused> {
    let properties = &feature["properties"];
    if !properties.is_null() && !properties.is_object() {
        return Err(wrong(&format!("{before}properties"), "is not an object"));
    }
    let member = format!("{before}geometry");
    let mut polygons = Vec::new();
    Reader {
        crs,
        is_degrees: crs.crs().is_geographic(),
    }
    .geometry(&feature["geometry"], &member, &mut polygons)?;
    let cutline = Cutline::new(polygons).ok_or_else(|| wrong(&member, "has no corner"))?;
    let cutline = match crs.crs().turn() {
        Some(turn) => cutline.across_seam(turn),
        None => cutline,
    };
    let [west, south, east, north] = cutline.bounds();
    if !(west < east && south < north && (east - west).is_finite() && (north - south).is_finite()) {
        return Err(wrong(&member, "covers no area"));
    }
    Ok(Outline {
        cutline: Arc::new(cutline),
        member,
    })
}

/// Reads what lies in a CRS.
struct Reader<'a> {
    crs: &'a NamedCrs,
    is_degrees: bool,
}

impl Reader<'_> {
    /// Adds the polygons of a geometry, also of collections in collections, of which JSON's reader lets there be a hundred. What covers no area cuts nothing out: TiTiler burns points and lines as the pixels that
    /// they touch, which is what `point` answers.
    fn geometry(&self, geometry: &Value, member: &str, polygons: &mut Vec<Polygon>) -> Result<(), Refused> {
        let at = |name: &str| format!("{member}.{name}");
        let coordinates = &geometry["coordinates"];
        match geometry["type"].as_str() {
            Some("Polygon") => polygons.push(self.polygon(coordinates, &at("coordinates"))?),
            Some("MultiPolygon") => {
                for (index, polygon) in list(coordinates, &at("coordinates"))?.iter().enumerate() {
                    polygons.push(self.polygon(polygon, &format!("{}[{index}]", at("coordinates")))?);
                }
            }
            Some("GeometryCollection") => {
                for (index, part) in list(&geometry["geometries"], &at("geometries"))?
                    .iter()
                    .enumerate()
                {
                    self.geometry(part, &format!("{}[{index}]", at("geometries")), polygons)?;
                }
            }
            Some(kind @ ("Point" | "MultiPoint" | "LineString" | "MultiLineString")) => {
                let reason = format!("is {kind}, which covers no area: send a Polygon, or ask for point");
                return Err(wrong(&at("type"), reason));
            }
            Some(other) => {
                let reason = format!(
                    "is {}, not Polygon, MultiPolygon or GeometryCollection",
                    short(other)
                );
                return Err(wrong(&at("type"), reason));
            }
            None if geometry.is_object() => return Err(wrong(&at("type"), "is missing")),
            None => return Err(wrong(member, "is missing: send a Polygon or a MultiPolygon")),
        }
        Ok(())
    }

    fn polygon(&self, value: &Value, member: &str) -> Result<Polygon, Refused> {
        let rings = list(value, member)?.iter().enumerate();
        rings
            .map(|(at, ring)| self.ring(ring, &format!("{member}[{at}]")))
            .collect()
    }

    fn ring(&self, value: &Value, member: &str) -> Result<Ring, Refused> {
        let corners = list(value, member)?;
        let ring: Vec<[f64; 2]> = corners
            .iter()
            .enumerate()
            .map(|(at, corner)| self.corner(corner, member, at))
            .collect::<Result<_, _>>()?;
        if ring.len() < 4 || ring.first() != ring.last() {
            return Err(wrong(
                member,
                "is no ring: four corners or more, of which the last repeats the first",
            ));
        }
        Ok(ring)
    }

    fn corner(&self, value: &Value, ring: &str, at: usize) -> Result<[f64; 2], Refused> {
        let refuse = |reason: String| Err(wrong(&format!("{ring}[{at}]"), reason));
        let numbers = value.as_array().map_or(&[][..], Vec::as_slice);
        let (Some(x), Some(y)) = (
            numbers.first().and_then(Value::as_f64),
            numbers.get(1).and_then(Value::as_f64),
        ) else {
            return refuse("is not [x, y] of two numbers".to_owned());
        };
        if !(x.is_finite() && y.is_finite()) {
            return refuse("is not finite".to_owned());
        }
        if self.is_degrees && (y.abs() > 90.0 + SLACK_DEG || x.abs() > 720.0) {
            return refuse(format!(
                "is no longitude and latitude: coord_crs, now {}, says what numbers mean",
                self.crs
            ));
        }
        Ok([x, y])
    }
}

fn list<'a>(value: &'a Value, member: &str) -> Result<&'a [Value], Refused> {
    let list = value.as_array().filter(|list| !list.is_empty());
    list.map(Vec::as_slice)
        .ok_or_else(|| wrong(member, "is not a list, or an empty one"))
}

fn wrong(member: &str, reason: impl Into<String>) -> Refused {
    Refused::parameter(member, reason)
}

/// A caller's own word, short enough to be sent back.
fn short(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(32).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn square(west: f64, south: f64, side: f64) -> Value {
        let (east, north) = (west + side, south + side);
        json!([[
            [west, south],
            [east, south],
            [east, north],
            [west, north],
            [west, south]
        ]])
    }

    fn feature(geometry: impl Into<Value>) -> Value {
        let geometry = geometry.into();
        json!({"type": "Feature", "properties": null, "geometry": geometry})
    }

    fn read(document: &Value) -> Result<Vec<Outline>, String> {
        of_features(document, &NamedCrs::wgs84().unwrap()).map_err(|refused| refused.to_string())
    }

    #[test]
    fn polygons_are_found_wherever_they_stand() {
        let polygon = json!({"type": "Polygon", "coordinates": square(1.0, 2.0, 3.0)});
        let many =
            json!({"type": "MultiPolygon", "coordinates": [square(1.0, 2.0, 3.0), square(8.0, 2.0, 1.0)]});
        let nested = json!({"type": "GeometryCollection", "geometries": [polygon, many]});
        let nested = json!({"type": "GeometryCollection", "geometries": [{"type": "GeometryCollection", "geometries": [nested]}]});
        let collection = json!({"type": "FeatureCollection", "features": [feature(polygon.clone()), feature(many.clone()), feature(nested)]});
        let outlines = read(&collection).unwrap();
        let counts: Vec<usize> = outlines
            .iter()
            .map(|outline| outline.cutline.polygons().len())
            .collect();
        assert_eq!(counts, [1, 2, 3]);
        assert_eq!(outlines[1].cutline.bounds(), [1.0, 2.0, 9.0, 5.0]);
        assert_eq!(outlines[1].member, "features[1].geometry");
        // Heights are left out.
        let high = json!({"type": "Polygon", "coordinates": [[[0, 0, 9], [1, 0, 9], [1, 1, 9], [0, 0, 9]]]});
        assert_eq!(
            read(&feature(high)).unwrap()[0].cutline.polygons()[0][0][1],
            [1.0, 0.0]
        );
    }

    #[test]
    fn an_error_names_the_member() {
        let of = |coordinates: Value| feature(json!({"type": "Polygon", "coordinates": coordinates}));
        let mut open = square(0.0, 0.0, 1.0);
        open[0].as_array_mut().unwrap().pop();
        let mut word = square(0.0, 0.0, 1.0);
        word[0][2] = json!(["a", 1]);
        for (document, start) in [
            (
                json!({"type": "FeatureCollection", "features": []}),
                "features holds 0 features",
            ),
            (
                json!({"type": "FeatureCollection", "features": [{"type": "Polygon"}]}),
                "features[0].type is not Feature",
            ),
            (
                json!({"type": "Polygon", "coordinates": square(0.0, 0.0, 1.0)}),
                "type is Polygon: send a Feature",
            ),
            (json!([1]), "type is missing"),
            (feature(Value::Null), "geometry is missing"),
            (
                feature(json!({"type": "Point", "coordinates": [1, 2]})),
                "geometry.type is Point, which covers no area",
            ),
            (
                feature(json!({"type": "Circle"})),
                "geometry.type is Circle, not Polygon",
            ),
            (of(json!([])), "geometry.coordinates is not a list"),
            (of(open), "geometry.coordinates[0] is no ring"),
            (of(word), "geometry.coordinates[0][2] is not [x, y]"),
            (
                of(square(500_000.0, 5_000_000.0, 1.0)),
                "geometry.coordinates[0][0] is no longitude and latitude: coord_crs",
            ),
            (of(square(0.0, 0.0, 0.0)), "geometry covers no area"),
            (
                json!({"type": "FeatureCollection", "features": [of(square(0.0, 0.0, 1.0)), of(json!([[[0, 0]]]))]}),
                "features[1].geometry.coordinates[0] is no ring",
            ),
        ] {
            let message = read(&document).unwrap_err();
            assert!(message.starts_with(start), "{document}: {message}");
        }
    }

    #[test]
    fn a_body_is_json_and_no_longer_than_it_may_be() {
        let message = |body: &[u8]| super::document(body).unwrap_err().to_string();
        assert!(message(b"").starts_with("body is empty"));
        assert!(message(b"{").starts_with("body is not JSON"));
        assert_eq!(
            super::document(&vec![b' '; LONGEST_BODY_BYTES + 1]),
            Err(Refused::LongBody)
        );
        assert!(message(b"\xff{}").starts_with("body is not JSON"));
        assert_eq!(super::document(b"\xef\xbb\xbf{}"), Ok(json!({})));
        let deep = "[".repeat(100_000);
        assert!(message(deep.as_bytes()).starts_with("body is not JSON"));
    }
}
