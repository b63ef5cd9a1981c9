//! Algorithms against what TiTiler 2.4.0 gives for the same arrays.

use super::*;
use crate::colour::Colormap;

fn raster(bands: usize, width: usize, samples: Samples) -> Raster {
    let height = samples.len() / bands / width;
    Raster {
        bands,
        height,
        width,
        samples,
        mask: Mask::All,
    }
}

fn run(name: &str, told: &[(&str, f64)], bands: &Raster) -> Raster {
    let algorithm = Algorithm::new(name, told.iter().copied()).unwrap();
    let around = Surroundings {
        across: vec![10.0; bands.height],
        down: 10.0,
        colours: algorithm
            .colormap()
            .map_or_else(Vec::new, |name| Colormap::named(name).unwrap().lut().to_vec()),
    };
    algorithm.run(bands, &around).unwrap()
}

/// 5 rows of 6 heights: 100 + 7 r + 3 c + 5 (r c mod 4).
fn ground() -> Raster {
    let height = |at: u32| {
        let (row, column) = (at / 6, at % 6);
        (100 + 7 * row + 3 * column + 5 * (row * column % 4)) as f32
    };
    raster(1, 6, Samples::F32((0..30).map(height).collect()))
}

#[test]
fn hillshade_is_titilers_but_for_rounding() {
    let light = [221, 225, 187, 183, 211, 222, 236, 222, 215, 183, 157, 225];
    let low = [146, 176, 98, 122, 123, 153, 194, 153, 212, 122, 158, 176];
    let told = [
        ("azimuth", 315.0),
        ("angle_altitude", 30.0),
        ("z_exaggeration", 0.1),
    ];
    for (told, truncated) in [(&[][..], light), (&told[..], low)] {
        let shade = run("hillshade", told, &ground());
        assert_eq!((shade.width, shade.height, &shade.mask), (4, 3, &Mask::All));
        let Samples::U8(levels) = shade.samples else {
            panic!("no bytes")
        };
        for (level, truncated) in levels.iter().zip(truncated) {
            assert!((truncated..=truncated + 1).contains(level), "{levels:?}");
        }
    }
}

#[test]
fn slope_is_titilers_in_degrees() {
    let expected = [
        55.263_52, 46.749_55, 50.579_967, 36.055_03, 51.046_12, 37.292_076, 19.827_028, 37.292_076,
        39.509_712, 36.055_03, 15.793_169, 46.749_55,
    ];
    let slope = |across: f64, down: f64| {
        let around = Surroundings {
            across: vec![across; 3],
            down,
            colours: Vec::new(),
        };
        let algorithm = Algorithm::new("slope", []).unwrap();
        match algorithm.run(&ground(), &around).unwrap().samples {
            Samples::F32(degrees) => degrees,
            other => panic!("{other:?}"),
        }
    };
    for (degrees, expected) in slope(10.0, 10.0).iter().zip(expected) {
        assert!((degrees - expected).abs() < 1e-4, "{degrees} {expected}");
    }
    // Rows of no height between them leave the rise across alone.
    let rise = f64::from(slope(10.0, 1e12)[0]).to_radians().tan();
    assert!((rise - 0.8).abs() < 1e-6, "{rise}");
}

#[test]
fn a_hole_in_the_ground_casts_no_shade_around_it() {
    // A plane that rises by 2 to the east, its middle missing.
    let mut plane = raster(
        1,
        5,
        Samples::F64((0..25).map(|at| f64::from(at % 5) * 2.0).collect()),
    );
    let whole = run("slope", &[], &plane);
    let Samples::F64(heights) = &mut plane.samples else {
        panic!("not as made")
    };
    heights[12] = -9999.0;
    let mut mask = vec![255; 25];
    mask[12] = 0;
    plane.mask = Mask::Shared(mask);
    let holed = run("slope", &[], &plane);
    assert_eq!(
        holed.mask,
        Mask::Shared(vec![255, 255, 255, 255, 0, 255, 255, 255, 255])
    );
    let (Samples::F32(whole), Samples::F32(holed)) = (whole.samples, holed.samples) else {
        panic!("no slopes")
    };
    for at in (0..9).filter(|at| *at != 4) {
        assert_eq!(whole[at], holed[at], "{at}");
    }
}

fn heights() -> Raster {
    raster(1, 6, Samples::F64(vec![-500.0, 0.0, 34.9, 35.0, 36.0, 8848.0]))
}

fn plus(heights: &Raster, more: f64) -> Raster {
    let Samples::F64(values) = &heights.samples else {
        panic!("not as made")
    };
    raster(
        1,
        6,
        Samples::F64(values.iter().map(|value| value + more).collect()),
    )
}

#[test]
fn heights_have_titilers_colours() {
    let contours = run("contours", &[], &heights());
    let colours = vec![
        216, 0, 204, 0, 204, 255, 205, 0, 189, 0, 189, 255, 131, 0, 125, 0, 125, 255,
    ];
    assert_eq!((contours.bands, contours.samples), (3, Samples::U8(colours)));
    let without = run("contours", &[("increment", 0.0)], &heights());
    let Samples::U8(levels) = without.samples else {
        panic!("no bytes")
    };
    assert_eq!(levels[1], levels[3]);
    assert_ne!(levels[1], 0);

    let terrarium = run("terrarium", &[], &plus(&heights(), 0.5));
    let colours = vec![
        126, 128, 128, 128, 128, 162, 12, 0, 35, 35, 36, 144, 128, 128, 102, 128, 128, 128,
    ];
    assert_eq!(terrarium.samples, Samples::U8(colours));

    let terrain = run("terrainrgb", &[], &plus(&heights(), 0.25));
    let colours = vec![
        1, 1, 1, 1, 1, 2, 115, 134, 135, 136, 136, 224, 26, 162, 255, 0, 10, 66,
    ];
    assert_eq!(terrain.samples, Samples::U8(colours));
    let coarse = run(
        "terrainrgb",
        &[("interval", 1.0), ("baseval", -1000.0)],
        &heights(),
    );
    let colours = vec![0, 0, 0, 0, 0, 0, 1, 3, 4, 4, 4, 38, 244, 232, 11, 11, 12, 120];
    assert_eq!(coarse.samples, Samples::U8(colours));
}

#[test]
fn a_height_for_what_has_none_makes_it_opaque() {
    let mut holed = heights();
    holed.mask = Mask::Shared(vec![0, 255, 255, 255, 255, 255]);
    assert_eq!(run("terrainrgb", &[], &holed).mask, holed.mask);
    let filled = run("terrainrgb", &[("nodata_height", 0.0)], &holed);
    assert_eq!(filled.mask, Mask::All);
    let Samples::U8(levels) = filled.samples else {
        panic!("no bytes")
    };
    assert_eq!(
        (levels[0], levels[6], levels[12]),
        (levels[1], levels[7], levels[13])
    );
}

/// Three bands of three pixels; of the second pixel band 2 is missing, of the third bands 1 and 2.
fn three() -> Raster {
    Raster {
        mask: Mask::PerBand(vec![255, 255, 0, 255, 0, 0, 255, 255, 255]),
        ..raster(3, 3, Samples::U8(vec![10, 200, 7, 20, 50, 7, 60, 0, 9]))
    }
}

#[test]
fn bands_are_reduced_as_numpy_reduces_masked_arrays() {
    let all = Mask::All;
    let two = Mask::Shared(vec![255, 255, 0]);
    let one = Mask::Shared(vec![255, 0, 0]);
    for (name, samples, mask) in [
        ("min", Samples::U8(vec![10, 0, 9]), &all),
        ("max", Samples::U8(vec![60, 200, 9]), &all),
        ("median", Samples::F64(vec![20.0, 100.0, 9.0]), &all),
        ("mean", Samples::F64(vec![30.0, 100.0, 9.0]), &all),
        (
            "std",
            Samples::F64(vec![700_f64.sqrt(), 20_000_f64.sqrt(), 0.0]),
            &two,
        ),
        ("var", Samples::F64(vec![700.0, 20_000.0, 0.0]), &two),
        ("sum", Samples::U64(vec![90, 200, 9]), &all),
        ("normalizedIndex", Samples::F32(vec![1.0 / 3.0, 0.0, 0.0]), &one),
        ("grayscale", Samples::U8(vec![22, 60, 7]), &one),
        ("bitonal", Samples::U8(vec![0, 0, 0]), &one),
    ] {
        let reduced = run(name, &[], &three());
        assert_eq!((reduced.bands, &reduced.mask), (1, mask), "{name}");
        if *mask == all || name != "grayscale" {
            assert_eq!(reduced.samples, samples, "{name}");
        } else {
            // 21.57; what lies below the mask has no meaning.
            assert!(matches!(&reduced.samples, Samples::U8(levels) if levels[0] == 22));
        }
    }
}

#[test]
fn bytes_are_cut_rounded_and_kept_within_their_range() {
    let values = raster(1, 4, Samples::F64(vec![-1.5, 0.4, 2.5, 300.0]));
    for (name, levels) in [
        ("cast", [0, 0, 2, 255]),
        ("ceil", [0, 1, 3, 255]),
        ("floor", [0, 0, 2, 255]),
    ] {
        assert_eq!(
            run(name, &[], &values).samples,
            Samples::U8(levels.to_vec()),
            "{name}"
        );
    }
    let gray = raster(1, 2, Samples::U8(vec![127, 128]));
    assert_eq!(run("bitonal", &[], &gray).samples, Samples::U8(vec![0, 255]));
}

#[test]
fn too_few_bands_are_an_error() {
    let around = Surroundings {
        across: vec![1.0],
        down: 1.0,
        colours: Vec::new(),
    };
    for (name, needs) in [("grayscale", 3), ("normalizedIndex", 2)] {
        let error = Algorithm::new(name, [])
            .unwrap()
            .run(&heights(), &around)
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("{name} needs {needs} bands and is given 1")
        );
    }
    // No neighbour to look at: no pixel either.
    let tiny = raster(1, 1, Samples::U8(vec![1]));
    assert_eq!(run("hillshade", &[], &tiny).samples.len(), 0);
}
