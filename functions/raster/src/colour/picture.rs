//! A finished picture, in the leanest of the forms that its pixels allow.

use super::Rgba;

/// A picture of `width * height` pixels, row by row from the north-west.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Colours.
    pub pixels: Pixels,
    /// 0 = transparent to 255 = opaque, a value for each pixel; `None` where all is opaque, and with a palette that is
    /// transparent itself. Transparent pixels have colour 0.
    pub alpha: Option<Vec<u8>>,
}

/// The colours of a picture.
#[derive(Clone, Debug, PartialEq)]
pub enum Pixels {
    /// A gray level for each pixel.
    Gray(Vec<u8>),
    /// A 16-bit gray level for each pixel.
    Gray16(Vec<u16>),
    /// Red, green and blue for each pixel.
    Rgb(Vec<u8>),
    /// 16-bit red, green and blue for each pixel.
    Rgb16(Vec<u16>),
    /// For each pixel a place in the palette, which has up to 256 colours with their own transparency.
    Palette {
        /// A place for each pixel.
        index: Vec<u8>,
        /// Colours; every index lies within.
        palette: Vec<Rgba>,
    },
}

impl Picture {
    /// Red, green and blue of each pixel, 8 bits each.
    pub fn rgb(&self) -> Vec<u8> {
        match &self.pixels {
            Pixels::Gray(values) => values.iter().flat_map(|&value| [value; 3]).collect(),
            Pixels::Gray16(values) => values.iter().flat_map(|&value| [(value >> 8) as u8; 3]).collect(),
            Pixels::Rgb(values) => values.clone(),
            Pixels::Rgb16(values) => values.iter().map(|&value| (value >> 8) as u8).collect(),
            Pixels::Palette { index, palette } => index
                .iter()
                .map(|&place| palette[usize::from(place)])
                .flat_map(|[r, g, b, _]| [r, g, b])
                .collect(),
        }
    }

    /// Whether nothing shines through any pixel.
    pub fn is_opaque(&self) -> bool {
        match &self.pixels {
            Pixels::Palette { index, palette } => {
                index.iter().all(|&place| palette[usize::from(place)][3] == 255)
            }
            _ => self.alpha.is_none(),
        }
    }

    /// Red, green, blue and alpha of each pixel, 8 bits each; `None` where all is opaque.
    pub fn rgba(&self) -> Option<Vec<u8>> {
        if let Pixels::Palette { index, palette } = &self.pixels {
            let colours = || {
                index
                    .iter()
                    .flat_map(|&place| palette[usize::from(place)])
                    .collect()
            };
            return (!self.is_opaque()).then(colours);
        }
        let alpha = self.alpha.as_ref()?;
        let rgb = self.rgb();
        let pixels = rgb.as_chunks::<3>().0.iter().zip(alpha);
        Some(pixels.flat_map(|(&[r, g, b], &alpha)| [r, g, b, alpha]).collect())
    }
}

impl Pixels {
    /// Pixels of one or three planes.
    pub(super) fn from_planes(planes: &[Vec<u8>]) -> Self {
        match planes {
            [r, g, b] => Self::Rgb(interleave(r, g, b)),
            _ => Self::Gray(planes.concat()),
        }
    }

    /// Pixels of one or three planes of 16 bits.
    pub(super) fn from_planes16(planes: &[Vec<u16>]) -> Self {
        match planes {
            [r, g, b] => Self::Rgb16(interleave(r, g, b)),
            _ => Self::Gray16(planes.concat()),
        }
    }
}

fn interleave<T: Copy + Default>(r: &[T], g: &[T], b: &[T]) -> Vec<T> {
    let mut pixels = vec![T::default(); 3 * r.len()];
    for (((pixel, r), g), b) in pixels.chunks_exact_mut(3).zip(r).zip(g).zip(b) {
        pixel.copy_from_slice(&[*r, *g, *b]);
    }
    pixels
}
