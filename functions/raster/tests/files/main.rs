//! Whole GeoTIFFs that `testdata/make_files.py` wrote, read as the function reads them; every sample and every mask value
//! is compared with the formula that made it, of the whole level and of a window within it.

mod reading;

use edgetile_raster::crs::Crs;
use edgetile_raster::decode::{ByteOrder, Photometric};
use edgetile_raster::header::{Affine, Nodata};
use edgetile_raster::samples::Samples;
use edgetile_raster::warp::{Kernel, Placement, Rect, Target, resample};

use reading::*;

// ---------------------------------------------------------------- layouts and types

#[test]
fn every_layout_gives_the_samples_of_the_formula() {
    for (name, kind) in [
        ("strips_lzw", "u16"),
        ("strips_packbits", "u8"),
        ("strip_of_all", "u16"),
        ("no_rows_per_strip", "u8"),
        ("counts_zero", "u16"),
        ("counts_beyond", "u16"),
        ("counts_missing_lzw", "u16"),
        ("tiles_lzma", "i16"),
        ("tiles_lerc_f32", "f32"),
        ("tiles_lerc_deflate_u16", "u16"),
        ("tiles_lerc_zstd_i16", "i16"),
        ("tiles_webp_u8", "u8"),
        ("strips_ccittrle_u1", "u1"),
        ("strips_ccittfax3_u1", "u1"),
        ("strips_ccittfax4_u1", "u1"),
        ("tiles_none_u8", "u8"),
        ("tiles_none_u16", "u16"),
        ("tiles_none_f32", "f32"),
        ("tiles_lzw_u8", "u8"),
        ("tiles_lzw_u16", "u16"),
        ("tiles_lzw_f32", "f32"),
        ("tiles_zstd_u8", "u8"),
        ("tiles_zstd_u16", "u16"),
        ("tiles_zstd_f32", "f32"),
        ("planar_tiles_predictor3", "f32"),
        ("planar_strips_predictor2", "u16"),
        ("big_endian_u16_predictor2", "u16"),
        ("big_endian_u32_predictor2", "u32"),
        ("big_endian_i16_predictor1", "i16"),
        ("big_endian_f32_predictor3", "f32"),
        ("big_endian_f64_predictor3", "f64"),
    ] {
        let file = open(name);
        let is_big_endian = file.header.full().format.byte_order == ByteOrder::Big;
        assert_eq!(is_big_endian, name.contains("big_endian"), "{name}");
        file.check_plain(0, kind);
    }
}

#[test]
fn jpeg_tiles_with_shared_tables_come_near_the_formula() {
    let file = open("tiles_jpeg_ycbcr");
    assert!(file.header.full().format.jpeg_tables.is_some());
    for rect in File::rects(0) {
        let raster = file.raster(0, rect);
        for at in 0..raster.samples.len() {
            let (pixel, band) = (at % rect.area(), at / rect.area());
            let (row, column) = (pixel / raster.width, pixel % raster.width);
            let expected = (row + rect.y as usize) + 2 * (column + rect.x as usize) + 40 * band;
            let value = value_at(&raster.samples, at);
            assert!((value - expected as f64).abs() <= 8.0, "{value}, not {expected}");
        }
    }
}

#[test]
fn every_level_of_a_pyramid_is_found_whatever_the_order() {
    for (name, kind, levels) in [
        ("bigtiff", "i32", 2),
        ("big_endian_bigtiff", "u16", 2),
        ("overviews", "u8", 3),
        ("overviews_out_of_order", "u8", 3),
        ("overviews_in_subifds", "u16", 3),
    ] {
        let file = open(name);
        assert_eq!(file.header.levels.len(), levels, "{name}");
        assert_eq!(file.header.big, name.contains("big"), "{name}");
        for level in 0..levels {
            file.check_plain(level, kind);
        }
    }
}

#[test]
fn a_page_that_is_no_overview_is_not_served_as_one() {
    let file = open("page_that_is_no_overview");
    assert_eq!(file.header.levels.len(), 2);
    file.check_plain(0, "u8");
    let raster = file.raster(1, File::rects(2)[0]);
    assert_eq!(value_at(&raster.samples, 13), f64::from(base(1, 1, 0, 2)));
    assert!(file.header.remarks.iter().any(|remark| remark.contains("pages")));
}

#[test]
fn every_width_of_sample_keeps_its_value() {
    for (name, kind) in [
        ("bits_u1", "u1"),
        ("bits_u2", "u2"),
        ("bits_u4", "u4"),
        ("bits_u10", "u10"),
        ("bits_u12", "u12"),
        ("bits_u24", "u24"),
        ("bits_u32", "u32"),
        ("bits_i8", "i8"),
        ("bits_f16", "f16"),
        ("bits_f24", "f24"),
        ("bits_f64", "f64"),
    ] {
        let file = open(name);
        let bits: u16 = kind[1..].parse().unwrap();
        assert_eq!(file.header.full().format.bits, bits, "{name}");
        file.check_plain(0, kind);
    }
}

#[test]
fn integers_of_64_bits_are_exact() {
    for (name, kind) in [("bits_u64", "u64"), ("bits_i64", "i64")] {
        let file = open(name);
        file.check_plain(0, kind);
        let raster = file.raster(0, File::rects(0)[0]);
        for at in 0..raster.samples.len() {
            let value = match &raster.samples {
                Samples::U64(values) => i128::from(values[at]),
                Samples::I64(values) => i128::from(values[at]),
                other => panic!("{:?}", other.data_type()),
            };
            let (pixel, band) = ((at % (45 * 37)) as u32, at / (45 * 37));
            assert_eq!(
                Some(value),
                whole(kind, base(pixel / 45, pixel % 45, band, 0)),
                "{name}"
            );
        }
    }
}

// ---------------------------------------------------------------- masks

#[test]
fn blocks_that_were_never_written_are_holes() {
    let file = open("sparse");
    assert_eq!(file.header.nodata, Some(Nodata::Integer(255)));
    file.check(
        0,
        |row, column, band| f64::from(base(row, column, band, 0)),
        |row, column, _| u8::from((row / 16 + column / 16).is_multiple_of(2)) * 255,
    );
}

#[test]
fn masks_of_1_and_8_bits_belong_to_the_level_of_their_size() {
    for name in ["mask_of_1_bit", "mask_of_8_bit"] {
        let file = open(name);
        assert_eq!(file.header.levels.len(), 2, "{name}");
        for level in 0..2 {
            file.check(
                level,
                |row, column, band| f64::from(base(row, column, band, level)),
                |row, column, _| u8::from(!is_hole(row, column)) * 255,
            );
        }
    }
}

#[test]
fn alpha_of_any_depth_is_partial_transparency() {
    for (name, kind, full) in [
        ("alpha_u8_unassalpha", "u8", 255.0),
        ("alpha_u16_unassalpha", "u16", 65_535.0),
    ] {
        let file = open(name);
        assert_eq!(file.bands(), [0, 1, 2], "{name}");
        assert!(!file.header.alpha_is_associated(3));
        let alpha = |row, column| (sample(kind, base(row, column, 3, 0)) as u32 | 1) as f64 / full;
        file.check(
            0,
            |row, column, band| sample(kind, base(row, column, band, 0)),
            |row, column, _| {
                if is_hole(row, column) {
                    return 0;
                }
                // What is not wholly transparent stays visible.
                (alpha(row, column) * 255.0).round().max(1.0) as u8
            },
        );
    }
}

#[test]
fn colours_multiplied_by_alpha_are_divided_by_it() {
    let file = open("alpha_u8_assocalpha");
    assert!(file.header.alpha_is_associated(3));
    let alpha = |row, column| u32::from(!is_hole(row, column)) * (base(row, column, 3, 0) | 1);
    file.check(
        0,
        |row, column, band| {
            let alpha = alpha(row, column);
            let stored = base(row, column, band, 0).min(alpha);
            (f64::from(stored) * 255.0 / f64::from(alpha)).round()
        },
        |row, column, _| alpha(row, column) as u8,
    );
}

#[test]
fn a_palette_is_told_and_indices_stay() {
    let file = open("palette");
    file.check_plain(0, "u8");
    let palette = file.header.palette.as_ref().unwrap();
    assert_eq!(palette.len(), 256);
    for (i, colour) in palette.iter().enumerate() {
        assert_eq!(*colour, [1, 3, 7].map(|step| (i * step % 256) as u8));
    }
}

#[test]
fn min_is_white_is_told_and_values_stay() {
    let file = open("min_is_white");
    assert_eq!(file.header.photometric, Photometric::MinIsWhite);
    file.check_plain(0, "u8");
}

#[test]
fn nodata_texts_mask_what_their_writers_meant() {
    for name in ["nodata_float_0", "nodata_float_1", "nodata_float_2"] {
        open(name).check(
            0,
            |row, column, _| sample("f32", base(row, column, 0, 0)),
            |row, column, _| u8::from(!is_hole(row, column)) * 255,
        );
    }
    // "  7 ", "7.0", and five that no byte can equal.
    for (name, masked) in [
        ("nodata_byte_0", Some(7)),
        ("nodata_byte_1", Some(7)),
        ("nodata_byte_2", None),
        ("nodata_byte_3", None),
        ("nodata_byte_4", None),
        ("nodata_byte_5", None),
        ("nodata_byte_6", None),
    ] {
        open(name).check(
            0,
            |row, column, _| f64::from(base(row, column, 0, 0)),
            |row, column, _| u8::from(Some(base(row, column, 0, 0)) != masked) * 255,
        );
    }
}

// ---------------------------------------------------------------- meaning and place

#[test]
fn bands_carry_names_units_and_scales() {
    let file = open("bands_described");
    file.check_plain(0, "i16");
    let [first, second] = file.header.bands.as_slice() else {
        panic!("two bands")
    };
    assert_eq!(first.name.as_deref(), Some("air temperature"));
    assert_eq!(
        (first.unit.as_deref(), first.scale, first.offset),
        (Some("K"), 0.5, -273.15)
    );
    assert_eq!(second.name.as_deref(), Some("B8A <nir>"));
    assert_eq!(
        (second.unit.as_deref(), second.scale, second.offset),
        (None, 1.0, 0.0)
    );
}

const NORTH_UP: Affine = Affine {
    a: 10.0,
    b: 0.0,
    c: 500_000.0,
    d: 0.0,
    e: -10.0,
    f: 5_200_000.0,
};

const ROTATED: Affine = Affine {
    a: 8.0,
    b: 3.0,
    c: 500_000.0,
    d: 2.0,
    e: -9.0,
    f: 5_200_000.0,
};

fn assert_near(found: &Affine, expected: &Affine, name: &str) {
    for (column, row) in [(0.0, 0.0), (45.0, 0.0), (0.0, 37.0), (45.0, 37.0)] {
        let ((x, y), (ex, ey)) = (found.apply(column, row), expected.apply(column, row));
        assert!((x - ex).hypot(y - ey) < 1e-5, "{name}: {found:?}");
    }
}

#[test]
fn pixels_lie_where_the_tags_say() {
    let half_pixel = Affine {
        c: NORTH_UP.c - 5.0,
        f: NORTH_UP.f + 5.0,
        ..NORTH_UP
    };
    let south_up = Affine { e: 10.0, ..NORTH_UP };
    for (name, expected) in [
        ("overviews", NORTH_UP),
        // GDAL moves the tie point to the pixel's centre as it writes, so the place stays.
        ("place_point", NORTH_UP),
        ("place_rotated", ROTATED),
        ("place_south_up", south_up),
        ("place_tie_off_corner", NORTH_UP),
        ("place_tie_off_corner_point", half_pixel),
        ("place_gcps_good", ROTATED),
        ("place_two_corners", NORTH_UP),
    ] {
        let file = open(name);
        let georeference = file.header.georeference.as_ref().unwrap();
        let keys = file.header.geo_keys.as_ref().unwrap();
        assert_eq!(keys.is_pixel_point(), name.ends_with("point"), "{name}");
        assert_near(&georeference.affine, &expected, name);
        assert!(georeference.fit_error_px < 1e-6, "{name}");
        let crs = Crs::from_geokeys(keys).unwrap();
        assert_eq!(crs.epsg(), Some(32633), "{name}");
    }
    assert_eq!(open("place_tie_alone").header.georeference, None);
}

#[test]
fn control_points_that_no_affine_fits_are_told() {
    let file = open("place_gcps_poor");
    let georeference = file.header.georeference.as_ref().unwrap();
    // One of six points is 400 m off; a pixel is 8 m wide.
    assert!(
        (15.0..60.0).contains(&georeference.fit_error_px),
        "{georeference:?}"
    );
    assert!(
        file.header
            .remarks
            .iter()
            .any(|remark| remark.contains("control points"))
    );
}

#[test]
fn a_window_may_lie_across_the_end_of_a_level_that_goes_round() {
    for name in ["overviews", "mask_of_1_bit", "planar_tiles_predictor3", "sparse"] {
        let file = open(name);
        let whole = file.window(0, File::rects(0)[0]).raster;
        // A level whose last column repeats its first has one less.
        for turn in [45, 44] {
            for (x, width) in [
                (40, 15),
                (turn - 3, 60),
                (2 * turn - 1, 2),
                (10, turn),
                (turn, turn),
            ] {
                let rect = Rect {
                    x,
                    y: 5,
                    width,
                    height: 20,
                };
                let part = file.window_round(0, rect, Some(turn)).raster;
                for at in 0..rect.area() {
                    let column = (x as usize + at % width as usize) % turn as usize;
                    let from = (5 + at / width as usize) * 45 + column;
                    let seen = (mask_at(&part, at), value_at(&part.samples, at));
                    let expected = (mask_at(&whole, from), value_at(&whole.samples, from));
                    assert_eq!(seen, expected, "{name}, {rect:?}, turn {turn}, at {at}");
                }
            }
        }
    }
}

#[test]
fn a_target_shows_the_pixel_under_the_centre_of_each_of_its_own() {
    for name in [
        "overviews",
        "place_rotated",
        "place_south_up",
        "place_tie_off_corner_point",
        "place_gcps_good",
    ] {
        let file = open(name);
        let affine = file.header.georeference.as_ref().unwrap().affine;
        let crs = Crs::from_epsg(32633).unwrap();
        let target = Target {
            crs: crs.clone(),
            west: 499_951.0,
            north: 5_200_123.0,
            resolution: (7.0, 6.0),
            size: (90, 110),
            origin_px: (0, 0),
        };
        let placement = Placement::new(&target, &crs, &affine, SIZES[0]).unwrap();
        let rect = placement.needs(Kernel::Nearest, SIZES[0]).unwrap();
        let raster = resample(&file.window(0, rect), &placement, Kernel::Nearest);
        let determinant = affine.a * affine.e - affine.b * affine.d;
        let mut seen = 0;
        for at in 0..90 * 110 {
            let x = target.west + (f64::from(at % 90) + 0.5) * 7.0 - affine.c;
            let y = target.north - (f64::from(at / 90) + 0.5) * 6.0 - affine.f;
            let column = (affine.e * x - affine.b * y) / determinant;
            let row = (affine.a * y - affine.d * x) / determinant;
            let inside = (0.0..45.0).contains(&column) && (0.0..37.0).contains(&row);
            assert_eq!(
                mask_at(&raster, at as usize) > 0,
                inside,
                "{name}: {column} {row}"
            );
            if inside {
                let expected = f64::from(base(row as u32, column as u32, 0, 0));
                assert_eq!(
                    value_at(&raster.samples, at as usize),
                    expected,
                    "{name}: {column} {row}"
                );
                seen += 1;
            }
        }
        assert!(seen > 1000, "{name}: {seen} pixels");
    }
}
