//! The colour formula: gamma, sigmoidal contrast and saturation, in the notation of rio-color.
//!
//! `gamma G 1.85, gamma B 1.95, sigmoidal RGB 35 0.13, saturation 1.15`: commas are spaces, bands are `R`, `G`, `B` or
//! 1 to 3. Levels are shares 0..=1 while it is applied. Where TiTiler truncates to a level after each operation, here
//! consecutive operations on bands are one, and the result is the nearest level.

use super::ColourError;
use super::saturation::saturate;

/// Characters and operations that a formula may have.
const MAX_TEXT: usize = 1024;
const MAX_STEPS: usize = 32;

/// What to do to the levels of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula(Vec<Step>);

#[derive(Clone, Debug, PartialEq)]
enum Step {
    /// A curve over the levels of some of red, green and blue.
    Bands([bool; 3], Curve),
    /// Chroma times a factor.
    Saturation(f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Curve {
    /// `u^(1/g)`.
    Gamma(f64),
    /// A logistic curve of slope `contrast` around `bias`, through 0 and 1; its inverse if the contrast is negative.
    Sigmoidal { contrast: f64, bias: f64 },
}

impl Curve {
    /// The curve at a share. Source of both: rio-color's documentation; the logistic one after H. Farid,
    /// Fundamentals of Image Processing.
    fn at(self, share: f64) -> f64 {
        let curved = match self {
            Self::Gamma(gamma) => share.powf(1.0 / gamma),
            Self::Sigmoidal { contrast: 0.0, .. } => share,
            Self::Sigmoidal { contrast, bias } => {
                let steep = contrast.abs();
                let logistic = |u: f64| 1.0 / (1.0 + (steep * (bias - u)).exp());
                let (low, high) = (logistic(0.0), logistic(1.0));
                if contrast > 0.0 {
                    (logistic(share) - low) / (high - low)
                } else {
                    bias - (1.0 / (low + share * (high - low)) - 1.0).ln() / steep
                }
            }
        };
        if curved.is_nan() {
            share
        } else {
            curved.clamp(0.0, 1.0)
        }
    }
}

impl Formula {
    /// Parses a formula.
    pub fn parse(text: &str) -> Result<Self, ColourError> {
        if text.len() > MAX_TEXT {
            return Err(ColourError::Formula(format!(
                "more than the limit of {MAX_TEXT} characters"
            )));
        }
        let text = text.replace(',', " ").to_ascii_lowercase();
        let mut words = text.split_whitespace();
        let mut steps = Vec::new();
        while let Some(word) = words.next() {
            let mut next = |what| {
                words
                    .next()
                    .ok_or_else(|| ColourError::Formula(format!("{word} lacks its {what}")))
            };
            let step = match word {
                "gamma" => Step::Bands(
                    bands(next("bands")?)?,
                    Curve::Gamma(number(next("value")?, 1e-3..=1e3)?),
                ),
                "sigmoidal" => {
                    let bands = bands(next("bands")?)?;
                    let contrast = number(next("contrast")?, -100.0..=100.0)?;
                    Step::Bands(
                        bands,
                        Curve::Sigmoidal {
                            contrast,
                            bias: number(next("bias")?, 0.0..=1.0)?,
                        },
                    )
                }
                "saturation" => Step::Saturation(number(next("proportion")?, 0.0..=100.0)?),
                other => {
                    let wrong = format!("{other:?} stands where gamma, sigmoidal or saturation should");
                    return Err(ColourError::Formula(wrong));
                }
            };
            steps.push(step);
        }
        match steps.len() {
            0 => Err(ColourError::Formula("it is empty".to_owned())),
            1..=MAX_STEPS => Ok(Self(steps)),
            _ => Err(ColourError::Formula(format!(
                "more than the limit of {MAX_STEPS} operations"
            ))),
        }
    }

    /// Applies it to the planes of a picture: red, green and blue, or one gray, which counts as red.
    pub(super) fn apply(&self, planes: &mut [Vec<u8>]) -> Result<(), ColourError> {
        let mut rest = self.0.as_slice();
        while let Some(first) = rest.first() {
            if let Step::Saturation(factor) = first {
                let Ok([r, g, b]) = planes.get_disjoint_mut([0, 1, 2]) else {
                    return Err(ColourError::Formula("saturation needs three bands".to_owned()));
                };
                saturate(r, g, b, *factor);
                rest = &rest[1..];
                continue;
            }
            let count = rest
                .iter()
                .take_while(|step| matches!(step, Step::Bands(..)))
                .count();
            let (curves, after) = rest.split_at(count);
            for (band, plane) in planes.iter_mut().enumerate() {
                let table = table(curves, band);
                for level in plane {
                    *level = table[usize::from(*level)];
                }
            }
            rest = after;
        }
        Ok(())
    }
}

/// The level that each level of a band becomes.
fn table(steps: &[Step], band: usize) -> [u8; 256] {
    std::array::from_fn(|level| {
        let curved = steps.iter().fold(level as f64 / 255.0, |share, step| match step {
            Step::Bands(bands, curve) if bands[band] => curve.at(share),
            _ => share,
        });
        (curved * 255.0).round() as u8
    })
}

fn bands(text: &str) -> Result<[bool; 3], ColourError> {
    let mut bands = [false; 3];
    for letter in text.chars() {
        let band = match letter {
            'r' | '1' => 0,
            'g' | '2' => 1,
            'b' | '3' => 2,
            _ => return Err(ColourError::Formula(format!("{text:?} is not bands such as RGB"))),
        };
        bands[band] = true;
    }
    Ok(bands)
}

fn number(text: &str, range: std::ops::RangeInclusive<f64>) -> Result<f64, ColourError> {
    let value = text.parse().ok().filter(|value| range.contains(value));
    let (from, to) = (range.start(), range.end());
    value.ok_or_else(|| ColourError::Formula(format!("{text:?} is not a number from {from} to {to}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(formula: &str, levels: &[u8]) -> Vec<u8> {
        let mut planes = [levels.to_vec()];
        Formula::parse(formula).unwrap().apply(&mut planes).unwrap();
        let [plane] = planes;
        plane
    }

    #[test]
    fn curves_have_their_textbook_values() {
        // 255 * (64/255)^(1/2) = 127.75
        assert_eq!(levels("gamma R 2", &[0, 64, 255]), [0, 128, 255]);
        // The logistic curve is symmetric around its bias.
        let curved = levels("sigmoidal 1 10 0.5", &[0, 51, 127, 128, 204, 255]);
        assert_eq!((curved[0], curved[5]), (0, 255));
        assert_eq!((curved[2] + curved[3], curved[1] + curved[4]), (255, 255));
        assert!(curved[1] < 20, "{curved:?}");
        assert_eq!(levels("sigmoidal R 0 0.5", &[7]), [7]);
    }

    #[test]
    fn a_negative_contrast_undoes_a_positive_one() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(levels("sigmoidal R 5 .4, sigmoidal R -5 .4", &all), all);
        assert_eq!(levels("gamma R 2 gamma R .5", &all), all);
    }

    /// color-operations 0.4.0 (rio-color's successor) truncates after each operation; one operation is at most a level apart.
    #[test]
    fn an_operation_agrees_with_rio_colour() {
        let close = |formula, expected: [u8; 4]| {
            let found = levels(formula, &[10, 60, 130, 220]);
            assert!(
                found.iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= 1),
                "{formula}: {found:?}"
            );
        };
        close("gamma r 1.85", [44, 116, 177, 235]);
        close("sigmoidal R 15 .35", [1, 37, 233, 254]);
        close("sigmoidal R -6 .3", [10, 48, 88, 157]);
    }

    #[test]
    fn bands_that_are_not_named_stay() {
        let mut planes = [vec![64], vec![64], vec![64]];
        Formula::parse("Gamma GB 2, gamma 2 1")
            .unwrap()
            .apply(&mut planes)
            .unwrap();
        assert_eq!(planes, [[64], [128], [128]]);
    }

    #[test]
    fn errors_name_the_part() {
        let wrong = |text: &str| Formula::parse(text).unwrap_err().to_string();
        assert!(wrong("").contains("empty"));
        assert!(wrong("gama R 2").contains("\"gama\""));
        assert!(wrong("gamma R").contains("lacks its value"));
        assert!(wrong("gamma X 2").contains("\"x\""));
        assert!(wrong("gamma R 0").contains("0.001"));
        assert!(wrong("sigmoidal R 5 2").contains("from 0 to 1"));
        assert!(wrong("saturation nan").contains("\"nan\""));
        assert!(wrong(&"gamma R 1 ".repeat(40)).contains("32"));
        let gray = Formula::parse("saturation 2").unwrap().apply(&mut [vec![1]]);
        assert!(gray.unwrap_err().to_string().contains("three bands"));
    }
}
