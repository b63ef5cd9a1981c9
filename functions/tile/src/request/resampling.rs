//! The kernels of the warp, by their names in GDAL.

use super::Refused;

macro_rules! resampling {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// The kernel that makes output pixels of source pixels. Nearest is the default.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the names are GDAL's")]
        pub enum Resampling { #[default] $($variant),* }

        impl Resampling {
            /// Every kernel, in the order of its documentation.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name in a query.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
        }
    };
}

resampling! {
    Nearest = "nearest",
    Bilinear = "bilinear",
    Cubic = "cubic",
    CubicSpline = "cubic_spline",
    Lanczos = "lanczos",
    Average = "average",
    Mode = "mode",
    Min = "min",
    Max = "max",
    Med = "med",
    Q1 = "q1",
    Q3 = "q3",
    Sum = "sum",
    Rms = "rms",
}

impl Resampling {
    pub(super) fn parse(parameter: &str, text: &str) -> Result<Self, Refused> {
        Self::ALL
            .iter()
            .copied()
            .find(|kernel| kernel.name() == text)
            .ok_or_else(|| {
                let names: Vec<_> = Self::ALL.iter().map(|kernel| kernel.name()).collect();
                Refused::parameter(parameter, format!("is none of {}", names.join(", ")))
            })
    }
}
