//! The algorithm of a style over the bands of a tile: what must be read around it, and how far apart its pixels lie.

use edgetile_raster::colour::Colormap;
use edgetile_raster::math::algorithm::{Algorithm, AlgorithmError, Surroundings};
use edgetile_raster::samples::{DataType, Raster};
use edgetile_raster::warp::Target;

use crate::bind::nothing;
use crate::request::{Refused, Style};
use crate::response::Problem;

/// Metres in a degree of latitude, on a sphere of WGS84's semi-major axis.
const DEGREE_M: f64 = 6_378_137.0 * std::f64::consts::PI / 180.0;

/// The pixels to read for an answer: more on every side where the algorithm looks at neighbours.
pub fn reach(style: &Style, answer: &Target) -> Target {
    let margin_px = style.algorithm.as_ref().map_or(0, Algorithm::margin_px);
    let (across, down) = answer.resolution;
    Target {
        west: answer.west - margin_px as f64 * across,
        north: answer.north + margin_px as f64 * down,
        size: (answer.size.0 + 2 * margin_px, answer.size.1 + 2 * margin_px),
        origin_px: (
            answer.origin_px.0 - margin_px as i64,
            answer.origin_px.1 - margin_px as i64,
        ),
        ..answer.clone()
    }
}

/// What stands in for bands where files do not reach, if the algorithm says what is to be there: a map's terrain has no holes.
pub fn unknown(style: &Style, reached: &Target) -> Option<Raster> {
    let algorithm = style.algorithm.as_ref();
    algorithm.filter(|algorithm| algorithm.fills_holes())?;
    Some(nothing(DataType::U8, 1, reached.size))
}

/// The bands of the answer, from those that were read for [`reach`].
pub fn compute(style: &Style, bands: Raster, answer: &Target) -> Result<Raster, Problem> {
    let Some(algorithm) = &style.algorithm else {
        return Ok(bands);
    };
    let colormap = algorithm.colormap().and_then(Colormap::named);
    let around = Surroundings {
        colours: colormap.map_or_else(Vec::new, |colormap| colormap.lut().to_vec()),
        ..surroundings(answer)
    };
    algorithm.run(&bands, &around).map_err(|error| unfit(&error))
}

/// In units of the grid; degrees in metres on the sphere, by each row's latitude.
fn surroundings(answer: &Target) -> Surroundings {
    let (across, down) = answer.resolution;
    let rows = 0..answer.size.1;
    if !answer.crs.is_geographic() {
        return Surroundings {
            across: rows.map(|_| across).collect(),
            down,
            colours: Vec::new(),
        };
    }
    let parallel = |row: usize| {
        let lat_deg = answer.north - (row as f64 + 0.5) * down;
        // Near a pole columns meet; a distance of zero would make a wall of every rise.
        across * DEGREE_M * lat_deg.to_radians().cos().max(1e-6)
    };
    Surroundings {
        across: rows.map(parallel).collect(),
        down: down * DEGREE_M,
        colours: Vec::new(),
    }
}

fn unfit(error: &AlgorithmError) -> Problem {
    Refused::parameter("algorithm", format!("does not fit: {error}")).into()
}

#[cfg(test)]
mod tests {
    use edgetile_raster::crs::Crs;
    use edgetile_raster::samples::{Mask, Samples};

    use super::*;
    use crate::request::Query;

    fn target(epsg: u32) -> Target {
        Target {
            crs: Crs::from_epsg(epsg).unwrap(),
            west: 10.0,
            north: 61.0,
            resolution: (0.5, 1.0),
            size: (4, 2),
            origin_px: (40, 7),
        }
    }

    #[test]
    fn a_pixel_around_is_read_where_the_algorithm_wants_it() {
        let style = |raw: &str| Style::parse(&Query::parse(raw).unwrap()).unwrap();
        let answer = target(3857);
        let around = reach(&style("algorithm=slope"), &answer);
        assert_eq!((around.west, around.north), (9.5, 62.0));
        assert_eq!((around.size, around.origin_px), ((6, 4), (39, 6)));
        let same = reach(&style("algorithm=terrainrgb"), &answer);
        assert_eq!((same.west, same.size), (answer.west, answer.size));
    }

    #[test]
    fn ground_beside_the_files_is_at_the_height_that_was_told() {
        let style = |raw: &str| Style::parse(&Query::parse(raw).unwrap()).unwrap();
        let answer = target(3857);
        assert!(unknown(&style("algorithm=terrainrgb"), &answer).is_none());
        assert!(unknown(&style("algorithm=slope"), &answer).is_none());
        let style = style("algorithm=terrainrgb&algorithm_params={\"nodata_height\":0}");
        let ground = unknown(&style, &answer).unwrap();
        let ground = compute(&style, ground, &answer).unwrap();
        // 10000 m over the base, in tenths.
        let level = [1, 134, 160].map(|level| [level; 8]).concat();
        assert_eq!((ground.samples, ground.mask), (Samples::U8(level), Mask::All));
    }

    #[test]
    fn degrees_are_metres_by_latitude() {
        let metres = surroundings(&target(3857));
        assert_eq!((metres.across, metres.down), (vec![0.5, 0.5], 1.0));
        let degrees = surroundings(&target(4326));
        assert!((degrees.down - 111_319.49).abs() < 0.01);
        // cos 60.5° and cos 59.5°.
        for (across, cosine) in degrees.across.iter().zip([0.492_424, 0.507_538]) {
            assert!((across - 55_659.745 * cosine).abs() < 0.1, "{across}");
        }
    }
}
