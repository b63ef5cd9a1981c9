//! Saturation: the chroma of CIELAB times a factor, lightness and hue kept.
//!
//! sRGB ↔ XYZ after IEC 61966-2-1, XYZ ↔ CIELAB after CIE 15 with the white of D65. Scaling the chroma of
//! CIE LCh scales a* and b* alike, so the hue's angle is never needed.

use std::sync::LazyLock;

/// sRGB → XYZ of D65, each row divided by the white's X, Y, Z.
const TO_XYZ: [[f32; 3]; 3] = [
    [
        0.412_456_4 / 0.950_47,
        0.357_576_1 / 0.950_47,
        0.180_437_5 / 0.950_47,
    ],
    [0.212_672_9, 0.715_152_2, 0.072_175],
    [
        0.019_333_9 / 1.088_83,
        0.119_192 / 1.088_83,
        0.950_304_1 / 1.088_83,
    ],
];

/// XYZ as shares of the white → linear sRGB.
const TO_RGB: [[f32; 3]; 3] = [
    [3.240_454_2 * 0.950_47, -1.537_138_5, -0.498_531_4 * 1.088_83],
    [-0.969_266 * 0.950_47, 1.876_010_8, 0.041_556 * 1.088_83],
    [0.055_643_4 * 0.950_47, -0.204_025_9, 1.057_225_2 * 1.088_83],
];

/// Light of each level.
static LINEAR: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|level| {
        let share = level as f32 / 255.0;
        if share <= 0.04045 {
            share / 12.92
        } else {
            ((share + 0.055) / 1.055).powf(2.4)
        }
    })
});

/// Steps of light in [`LEVELS`]. Where the curve is steepest, a step is a fifth of a level.
const STEPS: usize = 1 << 14;

/// The level of each step of light.
static LEVELS: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let level = |step| {
        let light = step as f32 / STEPS as f32;
        let share = if light <= 0.003_130_8 {
            12.92 * light
        } else {
            1.055 * light.powf(1.0 / 2.4) - 0.055
        };
        (share * 255.0).round() as u8
    };
    (0..=STEPS).map(level).collect()
});

/// Multiplies the chroma of all pixels.
pub(super) fn saturate(r: &mut [u8], g: &mut [u8], b: &mut [u8], factor: f64) {
    let (linear, levels, factor) = (&*LINEAR, &*LEVELS, factor as f32);
    for ((r, g), b) in r.iter_mut().zip(g).zip(b) {
        let light = [*r, *g, *b].map(|level| linear[usize::from(level)]);
        let level = |light: f32| levels[(light.clamp(0.0, 1.0) * STEPS as f32 + 0.5) as usize];
        [*r, *g, *b] = saturated(light, factor).map(level);
    }
}

/// The light of a colour whose chroma is multiplied.
fn saturated(light: [f32; 3], factor: f32) -> [f32; 3] {
    let [x, y, z] = product(&TO_XYZ, light).map(compress);
    // a* = 500 (x - y) and b* = 200 (y - z): to scale them is to move x and z towards or away from y.
    let scaled = [y + (x - y) * factor, y, y + (z - y) * factor];
    product(&TO_RGB, scaled.map(expand))
}

fn product(matrix: &[[f32; 3]; 3], [a, b, c]: [f32; 3]) -> [f32; 3] {
    matrix.map(|row| row[0] * a + row[1] * b + row[2] * c)
}

/// CIELAB's f: the cube root, with a straight foot below (6/29)^3.
fn compress(share: f32) -> f32 {
    if share > 0.008_856_452 {
        share.cbrt()
    } else {
        share * 7.787_037 + 4.0 / 29.0
    }
}

/// The inverse of [`compress`].
fn expand(value: f32) -> f32 {
    if value > 6.0 / 29.0 {
        value * value * value
    } else {
        (value - 4.0 / 29.0) / 7.787_037
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixel([r, g, b]: [u8; 3], factor: f64) -> [u8; 3] {
        let (mut r, mut g, mut b) = ([r], [g], [b]);
        saturate(&mut r, &mut g, &mut b, factor);
        [r[0], g[0], b[0]]
    }

    #[test]
    fn a_factor_of_one_changes_nothing() {
        for (at, level) in (0..=255).enumerate() {
            let colour = [level, 255 - level, (at * 7) as u8];
            assert!(
                pixel(colour, 1.0)
                    .iter()
                    .zip(colour)
                    .all(|(a, b)| a.abs_diff(b) <= 1),
                "{colour:?}"
            );
        }
    }

    #[test]
    fn a_factor_of_zero_is_gray_and_gray_stays_gray() {
        let [r, g, b] = pixel([200, 80, 30], 0.0);
        assert!(r.abs_diff(g) <= 1 && g.abs_diff(b) <= 1, "{r} {g} {b}");
        assert!(
            pixel([90, 90, 90], 3.0)
                .iter()
                .all(|level| level.abs_diff(90) <= 1)
        );
    }

    /// color-operations 0.4.0, which truncates.
    #[test]
    fn agrees_with_rio_colour() {
        for (colour, factor, expected) in [
            ([120, 90, 60], 1.5, [128, 87, 40]),
            ([30, 100, 200], 1.15, [0, 99, 215]),
            ([200, 180, 20], 0.5, [194, 178, 112]),
            ([12, 8, 4], 2.0, [14, 7, 0]),
        ] {
            let found = pixel(colour, factor);
            assert!(
                found.iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= 1),
                "{colour:?}: {found:?}"
            );
        }
    }
}
