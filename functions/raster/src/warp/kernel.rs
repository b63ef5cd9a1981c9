//! Resampling kernels: how many neighbours count, and how much.
//!
//! A kernel of support radius r covers r level pixels on either side of a position, or r output pixels where the level is
//! finer than the output: then it widens by the scale, so that no sample between two output pixels is skipped.

/// How a value between samples is made. Names are GDAL's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Kernel {
    /// The sample whose pixel holds the position.
    #[default]
    Nearest,
    /// Triangle of radius 1.
    Bilinear,
    /// Catmull-Rom cubic convolution, a = -0.5 (Keys 1981).
    Cubic,
    /// Cubic B-spline.
    CubicSpline,
    /// Lanczos windowed sinc of radius 3.
    Lanczos,
    /// Mean of the samples under the output pixel, by the share of each that is covered.
    Average,
    /// Root of the mean of squares, weighted like `Average`.
    Rms,
    /// Sum of the samples under the output pixel, weighted like `Average`.
    Sum,
    /// The commonest value under the output pixel; of equals the one met first.
    Mode,
    /// Least value under the output pixel.
    Min,
    /// Greatest value under the output pixel.
    Max,
    /// Median of the values under the output pixel.
    Med,
    /// First quartile.
    Q1,
    /// Third quartile.
    Q3,
}

impl Kernel {
    /// Every kernel with its name in requests.
    pub const ALL: [(&'static str, Self); 14] = [
        ("nearest", Self::Nearest),
        ("bilinear", Self::Bilinear),
        ("cubic", Self::Cubic),
        ("cubic_spline", Self::CubicSpline),
        ("lanczos", Self::Lanczos),
        ("average", Self::Average),
        ("mode", Self::Mode),
        ("rms", Self::Rms),
        ("sum", Self::Sum),
        ("min", Self::Min),
        ("max", Self::Max),
        ("med", Self::Med),
        ("q1", Self::Q1),
        ("q3", Self::Q3),
    ];

    /// The kernel of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, kernel)| *kernel)
    }

    /// Its name in requests.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, kernel)| *kernel == self)
            .map_or("nearest", |(name, _)| name)
    }

    /// Level pixels on either side of a position that can count, where an output pixel covers `scale` level pixels.
    pub fn radius(self, scale: f64) -> f64 {
        self.support() * self.width(scale)
    }

    /// What a sample costs beside one of `Nearest`, roughly.
    pub fn effort(self) -> usize {
        match self {
            Self::Nearest => 1,
            Self::Bilinear | Self::Average | Self::Rms | Self::Sum | Self::Min | Self::Max => 2,
            Self::Cubic | Self::CubicSpline => 3,
            Self::Lanczos | Self::Mode | Self::Med | Self::Q1 | Self::Q3 => 5,
        }
    }

    /// Whether the result is a weighted mean that may be taken along rows and columns apart.
    pub fn is_linear(self) -> bool {
        matches!(
            self,
            Self::Bilinear | Self::Cubic | Self::CubicSpline | Self::Lanczos | Self::Average | Self::Sum
        )
    }

    fn support(self) -> f64 {
        match self {
            Self::Bilinear => 1.0,
            Self::Cubic | Self::CubicSpline => 2.0,
            Self::Lanczos => 3.0,
            _ => 0.5,
        }
    }

    /// Whether it is wider than on samples of the output's size.
    pub(super) fn widens(self, scale: f64) -> bool {
        self.width(scale) > 1.0
    }

    /// By how much the kernel is stretched. Kernels of the area under an output pixel shrink with it below one sample; the others
    /// stay as they are up to 5 % of shrinking, as GDAL's do.
    fn width(self, scale: f64) -> f64 {
        match self {
            Self::Nearest => 1.0,
            Self::Bilinear | Self::Cubic | Self::CubicSpline | Self::Lanczos if scale <= 1.0 / 0.95 => 1.0,
            _ => scale,
        }
    }

    /// The weight of a sample at `distance` kernel widths from the position.
    #[inline]
    fn weight(self, distance: f32) -> f32 {
        let x = distance.abs();
        match self {
            Self::Bilinear => (1.0 - x).max(0.0),
            Self::Cubic if x < 1.0 => (1.5 * x - 2.5) * x * x + 1.0,
            Self::Cubic if x < 2.0 => ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0,
            Self::CubicSpline if x < 1.0 => (0.5 * x - 1.0) * x * x + 2.0 / 3.0,
            Self::CubicSpline if x < 2.0 => (2.0 - x) * (2.0 - x) * (2.0 - x) / 6.0,
            Self::Lanczos => lanczos(x),
            _ => 0.0,
        }
    }

    /// Where the kernel stands for a `position` in level pixels along one axis.
    #[inline]
    pub(super) fn stand(self, position: f64, scale: f64) -> Stand {
        let width = self.width(scale);
        let start = position - self.support() * width;
        if self.support() > 0.5 {
            let first = -floor(0.5 - start);
            Stand {
                first,
                offset: ((first as f64 + 0.5 - position) / width) as f32,
                step: (1.0 / width) as f32,
            }
        } else {
            let first = floor(start);
            Stand {
                first,
                offset: (first as f64 - start) as f32,
                step: width as f32,
            }
        }
    }

    /// The weight of the sample that is `at` after the first. Weights along an axis need not sum to 1.
    #[inline]
    pub(super) fn weight_at(self, stand: &Stand, at: usize) -> f32 {
        if self.support() > 0.5 {
            self.weight(stand.offset + at as f32 * stand.step)
        } else {
            // The share of the sample that lies under the output pixel.
            let start = stand.offset + at as f32;
            ((start + 1.0).min(stand.step) - start.max(0.0)).max(0.0)
        }
    }

    /// The most samples that can count along one axis.
    pub(super) fn reach(self, scale: f64) -> usize {
        let span = (2.0 * self.radius(scale)).ceil() as usize;
        if self.support() > 0.5 { span } else { span + 1 }
    }

    /// Fills `taps` with all weights that can count for a `position`.
    pub(super) fn taps(self, position: f64, scale: f64, taps: &mut Taps) {
        let stand = self.stand(position, scale);
        taps.start = stand.first;
        taps.weights.clear();
        taps.weights
            .extend((0..self.reach(scale)).map(|at| self.weight_at(&stand, at)));
    }
}

/// sinc(x) · sinc(x / 3) for 0 ≤ x ≤ 3, else 0. By sin 3a = 3 sin a - 4 sin³ a one sine is enough, that of πx / 3; its Taylor series
/// to the eleventh power is off by 6e-8, and has neither branch nor call.
#[inline]
fn lanczos(x: f32) -> f32 {
    const PI: f32 = std::f32::consts::PI;
    // Nearer to 0 than this the weight is 1 to the last bit but one.
    let x = x.clamp(1e-4, 3.0);
    let third = x / 3.0;
    let angle = PI * third.min(1.0 - third);
    let q = angle * angle;
    let series = 1.0 / 362_880.0 - q / 39_916_800.0;
    let series = 1.0 / 120.0 - q * (1.0 / 5040.0 - q * series);
    let sine = angle * (1.0 - q * (1.0 / 6.0 - q * series));
    let square = sine * sine;
    square * (9.0 - 12.0 * square) / (PI * PI * x * x)
}

/// A kernel's place along one axis.
pub(super) struct Stand {
    /// The first sample that can count; may lie outside the level.
    pub(super) first: i64,
    /// How far it is from the position, in kernel widths; of an area, how far its edge is from the area's, in samples.
    offset: f32,
    /// From one sample to the next in kernel widths; of an area, its width in samples.
    step: f32,
}

/// The whole number at or below. Not `f64::floor`, which is a call where the processor may be an old one.
#[inline]
fn floor(value: f64) -> i64 {
    let cut = value as i64;
    cut - i64::from(cut as f64 > value)
}

/// Weights of neighbouring samples along one axis.
#[derive(Clone, Debug, Default)]
pub(super) struct Taps {
    /// Index of the first sample; may lie outside the level.
    pub(super) start: i64,
    /// One weight a sample; they need not sum to 1.
    pub(super) weights: Vec<f32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_one_at_any_phase() {
        for (name, kernel) in Kernel::ALL {
            for phase in [0.0, 0.13, 0.5, 0.77] {
                let mut taps = Taps::default();
                kernel.taps(10.0 + phase, 1.0, &mut taps);
                let sum: f32 = taps.weights.iter().sum();
                assert!((sum - 1.0).abs() < 0.011, "{name} at {phase}: {sum}");
            }
        }
    }

    #[test]
    fn lanczos_is_the_product_of_two_sincs() {
        let sinc = |x: f64| if x == 0.0 { 1.0 } else { x.sin() / x };
        for step in 0..=3200 {
            let x = f64::from(step) / 1000.0;
            let angle = std::f64::consts::PI * x;
            let exact = if x < 3.0 {
                sinc(angle) * sinc(angle / 3.0)
            } else {
                0.0
            };
            let off = (f64::from(lanczos(x as f32)) - exact).abs();
            assert!(off < 4e-7, "{x}: {off}");
        }
    }

    #[test]
    fn a_kernel_widens_when_the_level_is_finer() {
        let mut taps = Taps::default();
        Kernel::Bilinear.taps(10.0, 2.0, &mut taps);
        assert_eq!(
            (taps.start, taps.weights.as_slice()),
            (8, &[0.25, 0.75, 0.75, 0.25][..])
        );
        Kernel::Average.taps(10.0, 3.0, &mut taps);
        assert_eq!(
            (taps.start, taps.weights.as_slice()),
            (8, &[0.5, 1.0, 1.0, 0.5][..])
        );
    }
}
