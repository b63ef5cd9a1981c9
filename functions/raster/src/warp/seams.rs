//! Tiles at random: each, from the samples that it asks for alone, is the crop of a larger render, so that neighbours join.

use super::{Kernel, Placement, Rect, Target, Window, resample};
use crate::crs::Crs;
use crate::header::Affine;
use crate::samples::{Mask, Raster, Samples};
use crate::with_samples;

/// Sides of the file.
const SIZE: (u32, u32) = (230, 190);

/// Sides of the larger render.
const LARGE: (usize, usize) = (150, 120);

/// Numbers that are the same in every run (Knuth's MMIX generator).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * f64::from(self.next()) / f64::from(1_u32 << 31)
    }
}

/// A file, and pixels of a zoom's map on and beside it.
struct Scene {
    source: Crs,
    affine: Affine,
    window: Window,
    z: u8,
    origin_px: (i64, i64),
    what: String,
}

impl Scene {
    fn random(numbers: &mut Numbers) -> Self {
        let (code, lon, lat): (u32, f64, f64) = [
            (32633, 15.0, 48.0),
            (4326, -70.3, -41.0),
            (3035, 4.0, 60.0),
            (3857, 100.0, 20.0),
            // Scales change much within a render, so that kernels begin to widen in its middle.
            (4326, 30.0, 72.0),
        ][numbers.below(5)];
        let source = Crs::from_epsg(code).expect("a registered code");
        let z = 2 + numbers.below(15) as u8;
        let scale = [0.4, 0.97, 1.0, 1.06, 1.3, 2.1, 3.9][numbers.below(7)];
        let resolution = resolution(z);
        let unit = if code == 4326 { 1.0 / 111_320.0 } else { 1.0 };
        let on_ground = if code == 3857 { 1.0 } else { lat.to_radians().cos() };
        let pixel = resolution * on_ground * unit / scale;
        let (x, y) = source.forward(lon, lat).expect("a place on Earth");
        let turn = if numbers.below(4) == 0 {
            numbers.between(-0.6, 0.6)
        } else {
            0.0
        };
        let (a, b) = (pixel * turn.cos(), pixel * turn.sin());
        let (half_x, half_y) = (f64::from(SIZE.0) / 2.0, f64::from(SIZE.1) / 2.0);
        let affine = Affine {
            a,
            b,
            c: x - a * half_x - b * half_y,
            d: b,
            e: -a,
            f: y - b * half_x + a * half_y,
        };
        let centre = pixel_at(z, lon, lat);
        let shift =
            |numbers: &mut Numbers, side: usize| numbers.below(2 * side) as i64 - (3 * side / 2) as i64;
        let origin_px = (
            centre.0 + shift(numbers, LARGE.0),
            centre.1 + shift(numbers, LARGE.1),
        );
        Self {
            what: format!("EPSG:{code}, zoom {z}, {scale} px, turned by {turn}, from {origin_px:?}"),
            source,
            affine,
            window: window(numbers),
            z,
            origin_px,
        }
    }

    fn place(&self, from: (usize, usize), size: (usize, usize)) -> Placement {
        let half = 20_037_508.342_789_244;
        let resolution = resolution(self.z);
        let origin_px = (self.origin_px.0 + from.0 as i64, self.origin_px.1 + from.1 as i64);
        let target = Target {
            crs: Crs::from_epsg(3857).expect("a registered code"),
            west: -half + origin_px.0 as f64 * resolution,
            north: half - origin_px.1 as f64 * resolution,
            resolution: (resolution, resolution),
            size,
            origin_px,
        };
        Placement::new(&target, &self.source, &self.affine, SIZE).expect("a placement")
    }

    /// Renders pixels from the samples that they need, as a tile does; `None` if they need none.
    fn render(&self, from: (usize, usize), size: (usize, usize), kernel: Kernel) -> Option<Raster> {
        let placement = self.place(from, size);
        let rect = placement.needs(kernel, SIZE)?;
        Some(resample(&cut(&self.window, rect), &placement, kernel))
    }
}

fn resolution(z: u8) -> f64 {
    2.0 * 20_037_508.342_789_244 / 256.0 / f64::from(1_u32 << z)
}

fn pixel_at(z: u8, lon: f64, lat: f64) -> (i64, i64) {
    let side = 256.0 * f64::from(1_u32 << z);
    let y = (1.0 - lat.to_radians().tan().asinh() / std::f64::consts::PI) / 2.0;
    (((lon + 180.0) / 360.0 * side) as i64, (y * side) as i64)
}

/// Two bands of noise in one of the common types, with one of the kinds of mask.
fn window(numbers: &mut Numbers) -> Window {
    let rect = Rect {
        x: 0,
        y: 0,
        width: SIZE.0,
        height: SIZE.1,
    };
    let area = rect.area();
    let noise: Vec<u32> = (0..2 * area).map(|_| numbers.next()).collect();
    let samples = match numbers.below(5) {
        0 => Samples::U16(noise.iter().map(|value| *value as u16).collect()),
        1 => Samples::I16(noise.iter().map(|value| *value as i16).collect()),
        2 => Samples::F32(noise.iter().map(|value| *value as f32 / 1e6 - 700.0).collect()),
        _ => Samples::U8(noise.iter().map(|value| *value as u8).collect()),
    };
    let few = 2 + numbers.below(40);
    let mut holes = |count: usize, partial: u8| -> Vec<u8> {
        let mut hole = |at: usize| match numbers.below(few) {
            0 => 0,
            1 if at.is_multiple_of(3) => partial,
            _ => 255,
        };
        (0..count).map(&mut hole).collect()
    };
    let mask = match noise[0] % 4 {
        0 => Mask::All,
        1 => Mask::Shared(holes(area, 255)),
        2 => Mask::Shared(holes(area, 100)),
        _ => Mask::PerBand(holes(2 * area, 255)),
    };
    Window {
        rect,
        raster: Raster {
            bands: 2,
            height: SIZE.1 as usize,
            width: SIZE.0 as usize,
            samples,
            mask,
        },
    }
}

/// A part of planes that are `width` wide.
fn part<T: Copy>(planes: &[T], size: (usize, usize), from: (usize, usize), part: (usize, usize)) -> Vec<T> {
    let lines = planes.chunks_exact(size.0 * size.1).flat_map(|plane| {
        let rows = plane.chunks_exact(size.0).skip(from.1).take(part.1);
        rows.flat_map(|row| row[from.0..from.0 + part.0].iter().copied())
    });
    lines.collect()
}

fn part_of(raster: &Raster, from: (usize, usize), size: (usize, usize)) -> Raster {
    let whole = (raster.width, raster.height);
    let mask = |planes: &[u8]| part(planes, whole, from, size);
    Raster {
        bands: raster.bands,
        height: size.1,
        width: size.0,
        samples: with_samples!(&raster.samples, values => part(values, whole, from, size).into()),
        mask: match &raster.mask {
            Mask::All => Mask::All,
            Mask::Shared(plane) => Mask::Shared(mask(plane)),
            Mask::PerBand(planes) => Mask::PerBand(mask(planes)),
        },
    }
}

fn cut(window: &Window, rect: Rect) -> Window {
    let from = (rect.x as usize, rect.y as usize);
    Window {
        raster: part_of(&window.raster, from, (rect.width as usize, rect.height as usize)),
        rect,
    }
}

fn masks(raster: &Raster) -> Vec<u8> {
    let area = raster.width * raster.height;
    match &raster.mask {
        Mask::All => vec![255; raster.bands * area],
        Mask::Shared(plane) => plane.repeat(raster.bands),
        Mask::PerBand(planes) => planes.clone(),
    }
}

/// How many values differ, and by how much at most.
#[expect(clippy::unnecessary_cast, reason = "the macro also meets f64")]
fn differences(a: &Samples, b: &Samples) -> (usize, f64) {
    let numbers = |samples: &Samples| -> Vec<f64> {
        with_samples!(samples, values => values.iter().map(|value| *value as f64).collect())
    };
    let (a, b) = (numbers(a), numbers(b));
    assert_eq!(a.len(), b.len());
    let off = a
        .iter()
        .zip(&b)
        .map(|(a, b)| (a - b).abs())
        .filter(|off| *off > 0.0);
    off.fold((0, 0.0), |(count, worst), off| (count + 1, f64::max(worst, off)))
}

/// Where a tile begins is rounded to 64 bits: its positions are off by 1e-10 px, and once in so many values something turns on that.
const ONCE_IN: usize = 20_000;

#[test]
fn tiles_at_random_are_crops_of_a_larger_render_with_every_kernel() {
    let mut numbers = Numbers(20_261_130);
    let (mut shown, mut off) = (0, 0);
    for _ in 0..60 {
        let scene = Scene::random(&mut numbers);
        // Four neighbours that meet in a point.
        let cut = (1 + numbers.below(LARGE.0 - 1), 1 + numbers.below(LARGE.1 - 1));
        for (name, kernel) in Kernel::ALL {
            let Some(large) = scene.render((0, 0), LARGE, kernel) else {
                continue;
            };
            for (from, size) in [
                ((0, 0), cut),
                ((cut.0, 0), (LARGE.0 - cut.0, cut.1)),
                ((0, cut.1), (cut.0, LARGE.1 - cut.1)),
                (cut, (LARGE.0 - cut.0, LARGE.1 - cut.1)),
            ] {
                let crop = part_of(&large, from, size);
                let expected = masks(&crop);
                let Some(tile) = scene.render(from, size, kernel) else {
                    assert!(
                        expected.iter().all(|mask| *mask == 0),
                        "{name} {from:?} {size:?} {}",
                        scene.what
                    );
                    continue;
                };
                assert!(
                    masks(&tile) == expected,
                    "{name}: the mask of {size:?} at {from:?} of {}",
                    scene.what
                );
                let (count, worst) = differences(&tile.samples, &crop.samples);
                let least_step = if matches!(tile.samples, Samples::F32(_)) {
                    0.002
                } else {
                    1.0
                };
                assert!(
                    worst <= least_step,
                    "{name}: {count} values by {worst}, {size:?} at {from:?} of {}",
                    scene.what
                );
                off += if least_step < 1.0 { 0 } else { count };
                shown += expected.iter().filter(|mask| **mask != 0).count();
            }
        }
    }
    assert!(off <= shown / ONCE_IN, "{off} of {shown} differ");
    assert!(shown > 5_000_000, "{shown} pixels were compared");
}
