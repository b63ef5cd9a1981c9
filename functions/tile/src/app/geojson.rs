//! What files are, as GeoJSON (RFC 7946): their outline in degrees, and `info` as properties.

use serde_json::{Value, json};

use crate::layers::Files;

/// A feature of one file; a collection of features, each with its name as `id`, of several.
pub(super) fn of(files: &Files, info: Value) -> Value {
    match (files, info) {
        (Files::Named(_) | Files::Item(_), Value::Object(infos)) => {
            let features = infos.into_iter().map(|(name, info)| {
                let mut feature = feature(info);
                feature["id"] = name.into();
                feature
            });
            json!({"type": "FeatureCollection", "features": features.collect::<Vec<_>>()})
        }
        (_, info) => feature(info),
    }
}

/// A feature; its geometry is null where nobody knows the place of the file.
fn feature(info: Value) -> Value {
    let boxes = info["geographic_boxes"].as_array();
    let rings: Vec<Value> = boxes.into_iter().flatten().filter_map(polygon).collect();
    // Two where the file crosses the antimeridian, as section 3.1.9 asks for.
    let geometry = match rings.as_slice() {
        [] => Value::Null,
        [one] => json!({"type": "Polygon", "coordinates": one}),
        several => json!({"type": "MultiPolygon", "coordinates": several}),
    };
    let mut feature = json!({"type": "Feature", "geometry": geometry});
    if let bounds @ Value::Array(_) = &info["geographic_bounds"] {
        feature["bbox"] = bounds.clone();
    }
    feature["properties"] = info;
    feature
}

/// The outline of a box, counterclockwise and closed.
fn polygon(bounds: &Value) -> Option<Value> {
    let bounds: Vec<f64> = bounds.as_array()?.iter().filter_map(Value::as_f64).collect();
    let [west, south, east, north]: [f64; 4] = bounds.as_slice().try_into().ok()?;
    let corners: [[f64; 2]; 5] = [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
    ];
    Some(json!([corners]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_across_the_antimeridian_is_two_polygons() {
        let info = json!({
            "geographic_bounds": [170.0, -5.0, -170.0, 5.0],
            "geographic_boxes": [[170.0, -5.0, 180.0, 5.0], [-180.0, -5.0, -170.0, 5.0]],
        });
        let feature = feature(info);
        let (east, west) = (
            [
                [170.0, -5.0],
                [180.0, -5.0],
                [180.0, 5.0],
                [170.0, 5.0],
                [170.0, -5.0],
            ],
            [
                [-180.0, -5.0],
                [-170.0, -5.0],
                [-170.0, 5.0],
                [-180.0, 5.0],
                [-180.0, -5.0],
            ],
        );
        let expected = json!({"type": "MultiPolygon", "coordinates": [[east], [west]]});
        assert_eq!(feature["geometry"], expected);
        assert_eq!(feature["bbox"], json!([170.0, -5.0, -170.0, 5.0]));
    }

    #[test]
    fn a_file_without_a_place_has_no_outline() {
        let feature = feature(json!({"count": 1}));
        assert_eq!(
            feature,
            json!({"type": "Feature", "geometry": null, "properties": {"count": 1}})
        );
    }
}
