//! Placement against the exact projection, kernels against values known by construction, and seams.

use super::{Kernel, Placement, Rect, Target, Window, resample};
use crate::crs::Crs;
use crate::header::Affine;
use crate::samples::{Mask, Raster, Samples};

const SIDE: u32 = 400;

fn crs(code: u32) -> Crs {
    Crs::from_epsg(code).expect("a code of the registry")
}

/// Pixels `west..west + size` of zoom `z`'s whole map.
fn target(z: u8, origin_px: (i64, i64), size: (usize, usize)) -> Target {
    let half = 20_037_508.342_789_244;
    let resolution = 2.0 * half / 256.0 / f64::from(1_u32 << z);
    Target {
        crs: crs(3857),
        west: -half + origin_px.0 as f64 * resolution,
        north: half - origin_px.1 as f64 * resolution,
        resolution: (resolution, resolution),
        size,
        origin_px,
    }
}

/// A file of 10 m pixels in a CRS around a place.
fn affine_at(source: &Crs, lon: f64, lat: f64, pixel: f64) -> Affine {
    let (x, y) = source.forward(lon, lat).expect("a place on Earth");
    let half = f64::from(SIDE) / 2.0 * pixel;
    Affine {
        a: pixel,
        b: 0.0,
        c: x - half,
        d: 0.0,
        e: -pixel,
        f: y + half,
    }
}

/// The pixel of zoom `z` that holds a place.
fn pixel_at(z: u8, lon: f64, lat: f64) -> (i64, i64) {
    let side = 256.0 * f64::from(1_u32 << z);
    let y = (1.0 - lat.to_radians().tan().asinh() / std::f64::consts::PI) / 2.0;
    (((lon + 180.0) / 360.0 * side) as i64, (y * side) as i64)
}

fn noise(bands: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    std::iter::repeat_with(next)
        .take(bands * (SIDE * SIDE) as usize)
        .collect()
}

fn window(samples: Samples, mask: Mask) -> Window {
    let side = SIDE as usize;
    let bands = samples.len() / (side * side);
    let rect = Rect {
        x: 0,
        y: 0,
        width: SIDE,
        height: SIDE,
    };
    Window {
        rect,
        raster: Raster {
            bands,
            height: side,
            width: side,
            samples,
            mask,
        },
    }
}

#[test]
fn every_position_is_within_a_thousandth_of_a_pixel() {
    for (code, lon, lat, z) in [
        (32633, 15.4, 48.0, 14),
        (32633, 12.0, 70.0, 10),
        // Between nodes of 4 pixels.
        (32633, 15.4, 48.0, 11),
        (2154, 0.0, 44.0, 11),
        (3035, 20.0, 50.0, 12),
        (2154, 3.0, 46.5, 15),
        (3413, -45.0, 82.0, 9),
    ] {
        let source = crs(code);
        let affine = affine_at(&source, lon, lat, 10.0);
        let centre = pixel_at(z, lon, lat);
        let target = target(z, (centre.0 - 100, centre.1 - 61), (200, 122));
        let placement = Placement::new(&target, &source, &affine, (SIDE, SIDE)).expect("a placement");
        let inverse = affine.inverse().expect("an inverse");
        let (mut columns, mut rows) = (vec![0.0; 200], vec![0.0; 200]);
        for row in 0..122 {
            placement.row(row, &mut columns, &mut rows);
            for column in 0..200 {
                let x = target.west + (column as f64 + 0.5) * target.resolution.0;
                let y = target.north - (row as f64 + 0.5) * target.resolution.1;
                let (lon, lat) = target.crs.inverse(x, y).expect("on Earth");
                let (x, y) = source.forward(lon, lat).expect("in the CRS");
                let exact = inverse.apply(x, y);
                let off = (columns[column] - exact.0).hypot(rows[column] - exact.1);
                assert!(off < 1e-3, "EPSG:{code} at {column}, {row}: {off} px");
            }
        }
    }
}

#[test]
fn a_tile_equals_the_crop_of_a_larger_render_with_every_kernel() {
    let source = crs(32633);
    let affine = affine_at(&source, 15.0, 48.0, 10.0);
    let centre = pixel_at(13, 15.0, 48.0);
    let mut mask = vec![255; (SIDE * SIDE) as usize];
    mask.iter_mut().step_by(7).for_each(|pixel| *pixel = 0);
    for mask in [Mask::All, Mask::Shared(mask)] {
        let window = window(Samples::U8(noise(1)), mask);
        for (name, kernel) in Kernel::ALL {
            let render = |dx: i64, dy: i64, size: (usize, usize)| {
                let target = target(13, (centre.0 - 120 + dx, centre.1 - 120 + dy), size);
                let placement = Placement::new(&target, &source, &affine, (SIDE, SIDE)).expect("a placement");
                resample(&window, &placement, kernel)
            };
            let (large, small) = (render(0, 0, (240, 240)), render(37, 90, (64, 50)));
            let (Samples::U8(large_values), Samples::U8(small_values)) = (&large.samples, &small.samples)
            else {
                panic!("the type has changed")
            };
            for row in 0..50 {
                let from = (90 + row) * 240 + 37;
                assert_eq!(
                    small_values[row * 64..][..64],
                    large_values[from..from + 64],
                    "{name}, row {row}"
                );
            }
        }
    }
}

#[test]
fn a_plane_of_one_value_keeps_it_with_every_kernel_up_to_the_edge_of_its_data() {
    let source = crs(32633);
    let affine = affine_at(&source, 15.0, 48.0, 10.0);
    let mut holes = vec![255; (SIDE * SIDE) as usize];
    for row in 100..300 {
        holes[row * SIDE as usize + 150..][..90].fill(0);
    }
    // What the mask hides must not shine through: it holds another value.
    let samples = holes
        .iter()
        .map(|mask| if *mask == 0 { 65_535 } else { 1000 })
        .collect();
    let window = window(Samples::U16(samples), Mask::PerBand(holes));
    for z in [12, 14, 15] {
        let centre = pixel_at(z, 15.0, 48.0);
        let target = target(z, (centre.0 - 128, centre.1 - 128), (256, 256));
        let placement = Placement::new(&target, &source, &affine, (SIDE, SIDE)).expect("a placement");
        let nearest = resample(&window, &placement, Kernel::Nearest);
        for (name, kernel) in Kernel::ALL
            .into_iter()
            .filter(|(_, kernel)| *kernel != Kernel::Sum)
        {
            let out = resample(&window, &placement, kernel);
            assert_eq!(
                out.mask, nearest.mask,
                "{name} at zoom {z} has another edge than nearest"
            );
            let (Samples::U16(values), Mask::PerBand(mask)) = (&out.samples, &out.mask) else {
                panic!("the type has changed")
            };
            let wrong = values
                .iter()
                .zip(mask)
                .find(|(value, mask)| **mask != 0 && **value != 1000);
            assert_eq!(wrong, None, "{name} at zoom {z}");
            assert!(mask.contains(&0) && mask.contains(&255));
        }
    }
}

#[test]
fn aligned_pixels_are_copied_as_they_are() {
    let target = target(10, (500 * 256, 300 * 256), (256, 256));
    let affine = Affine {
        a: target.resolution.0,
        b: 0.0,
        c: target.west - 32.0 * target.resolution.0,
        d: 0.0,
        e: -target.resolution.1,
        f: target.north + 16.0 * target.resolution.1,
    };
    let placement = Placement::new(&target, &crs(3857), &affine, (SIDE, SIDE)).expect("a placement");
    let values = noise(3);
    let window = window(Samples::U8(values.clone()), Mask::All);
    for (name, kernel) in Kernel::ALL
        .into_iter()
        .filter(|(_, kernel)| *kernel != Kernel::CubicSpline)
    {
        let out = resample(&window, &placement, kernel);
        let Samples::U8(out_values) = &out.samples else {
            panic!("the type has changed")
        };
        for band in 0..3 {
            for row in 0..256 {
                let from = band * (SIDE * SIDE) as usize + (row + 16) * SIDE as usize + 32;
                let line = &out_values[(band * 256 + row) * 256..][..256];
                assert_eq!(line, &values[from..from + 256], "{name}, band {band}, row {row}");
            }
        }
        assert_eq!(out.mask, Mask::All, "{name}");
    }
}

/// At half the size every centre is on an edge between two samples; coordinates that no float holds exactly tip none of them.
#[test]
fn on_an_edge_the_sample_after_it_is_the_nearest() {
    let pixel = 0.1;
    let affine = Affine {
        a: pixel,
        b: 0.0,
        c: -179.9,
        d: 0.0,
        e: -pixel,
        f: 50.3,
    };
    let side = SIDE as usize / 2;
    let half = Target {
        crs: crs(4326),
        west: affine.c,
        north: affine.f,
        resolution: (2.0 * pixel, 2.0 * pixel),
        size: (side, side),
        origin_px: (0, 0),
    };
    let placement = Placement::new(&half, &crs(4326), &affine, (SIDE, SIDE)).unwrap();
    let by_row: Vec<u16> = (0..SIDE * SIDE).map(|at| (at / SIDE) as u16).collect();
    let by_column: Vec<u16> = (0..SIDE * SIDE).map(|at| (at % SIDE) as u16).collect();
    let source = window(Samples::U16([by_row, by_column].concat()), Mask::All);
    let out = resample(&source, &placement, Kernel::Nearest);
    let rows = (0..side * side).map(|at| (at / side * 2 + 1) as u16);
    let columns = (0..side * side).map(|at| (at % side * 2 + 1) as u16);
    assert_eq!(out.samples, Samples::U16(rows.chain(columns).collect()));
    assert_eq!(out.mask, Mask::All);
}

#[test]
fn a_band_that_is_masked_alone_has_the_value_that_masks_it_whatever_the_kernel() {
    let samples: Vec<u8> = noise(2);
    let mask: Vec<u8> = samples
        .iter()
        .map(|value| if *value > 200 { 0 } else { 255 })
        .collect();
    let source = window(Samples::U8(samples), Mask::PerBand(mask));
    let utm = crs(32633);
    let affine = affine_at(&utm, 15.0, 48.0, 10.0);
    let place = pixel_at(14, 15.0, 48.0);
    let target = target(14, (place.0 - 40, place.1 - 40), (80, 80));
    let placement = Placement::new(&target, &utm, &affine, (SIDE, SIDE)).unwrap();
    let nearest = resample(&source, &placement, Kernel::Nearest);
    let (Samples::U8(plain), Mask::PerBand(mask)) = (&nearest.samples, &nearest.mask) else {
        panic!("{nearest:?}")
    };
    assert!(mask.contains(&0));
    for kernel in [Kernel::Bilinear, Kernel::Cubic, Kernel::Average, Kernel::Mode] {
        let out = resample(&source, &placement, kernel);
        let Samples::U8(values) = &out.samples else {
            panic!("{out:?}")
        };
        assert_eq!(out.mask, nearest.mask);
        let masked = mask
            .iter()
            .zip(values.iter().zip(plain))
            .filter(|(mask, _)| **mask == 0);
        for (_, (value, nodata)) in masked {
            assert_eq!(value, nodata, "{kernel:?}");
        }
    }
}
