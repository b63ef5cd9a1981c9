//! The leanest PNG form of a picture: fewest channels, fewest bits, transparency without an alpha channel where it can.

use png::{BitDepth, ColorType};

use crate::colour::{Picture, Pixels, Rgba};

/// Pixels in a form that PNG stores (PNG specification, third edition, 11.2.1 table 12, and 11.3.1.1 tRNS).
pub(super) struct Lean {
    /// Bits of a sample.
    pub(super) depth: BitDepth,
    /// PNG's colour type.
    pub(super) colour: ColorType,
    /// Samples of a pixel.
    pub(super) channels: usize,
    /// Rows of samples, packed and big-endian as PNG stores them.
    pub(super) data: Vec<u8>,
    /// Colours of a palette.
    pub(super) palette: Vec<[u8; 3]>,
    /// The alphas of the palette's first colours, or the samples of the one transparent colour.
    pub(super) transparency: Vec<u8>,
}

/// Chooses the form.
pub(super) fn lean(picture: &Picture) -> Lean {
    if let Some(colour) = constant(picture) {
        let index = vec![0; picture.width * picture.height];
        return palette(picture.width, &index, &[colour]);
    }
    let alpha = picture.alpha.as_deref();
    match &picture.pixels {
        Pixels::Palette {
            index,
            palette: colours,
        } => palette(picture.width, index, colours),
        Pixels::Gray(values) => direct::<u8, 1>(values, alpha),
        Pixels::Gray16(values) => direct::<u16, 1>(values, alpha),
        Pixels::Rgb(values) => direct::<u8, 3>(values, alpha),
        Pixels::Rgb16(values) => direct::<u16, 3>(values, alpha),
    }
}

/// The colour of a picture of one 8-bit colour, or of none.
fn constant(picture: &Picture) -> Option<Rgba> {
    let alpha = match picture.alpha.as_deref() {
        None => 255,
        Some(plane) => *plane
            .first()
            .filter(|first| plane.iter().all(|alpha| alpha == *first))?,
    };
    if alpha == 0 {
        return Some([0; 4]);
    }
    match &picture.pixels {
        Pixels::Gray(values) => {
            let first = *values.first()?;
            values
                .iter()
                .all(|&value| value == first)
                .then_some([first, first, first, alpha])
        }
        Pixels::Rgb(values) => {
            let first: [u8; 3] = *values.first_chunk()?;
            let [r, g, b] = first;
            values
                .chunks_exact(3)
                .all(|pixel| pixel == first)
                .then_some([r, g, b, alpha])
        }
        _ => None,
    }
}

/// Keeps the colours in use, each once, transparent ones first (so that tRNS is short), and packs the places.
fn palette(width: usize, index: &[u8], colours: &[Rgba]) -> Lean {
    let mut used = [false; 256];
    for &place in index {
        used[usize::from(place)] = true;
    }
    let in_use: Vec<usize> = (0..colours.len().min(256)).filter(|&place| used[place]).collect();
    let mut kept: Vec<Rgba> = Vec::with_capacity(in_use.len());
    for opaque in [false, true] {
        for colour in in_use.iter().map(|&place| colours[place]) {
            if (colour[3] == 255) == opaque && !kept.contains(&colour) {
                kept.push(colour);
            }
        }
    }
    let mut places = [0; 256];
    for &place in &in_use {
        places[place] = kept
            .iter()
            .position(|colour| *colour == colours[place])
            .unwrap_or(0) as u8;
    }
    let depth = match kept.len() {
        0..=2 => BitDepth::One,
        3..=4 => BitDepth::Two,
        5..=16 => BitDepth::Four,
        _ => BitDepth::Eight,
    };
    let data = pack(width, index, &places, depth as u8);
    Lean {
        depth,
        colour: ColorType::Indexed,
        channels: 1,
        data,
        palette: kept.iter().map(|&[r, g, b, _]| [r, g, b]).collect(),
        transparency: kept
            .iter()
            .map(|colour| colour[3])
            .take_while(|&alpha| alpha < 255)
            .collect(),
    }
}

/// Rows of places, several to a byte, the leftmost in the high bits; each row starts a byte.
fn pack(width: usize, index: &[u8], places: &[u8; 256], depth: u8) -> Vec<u8> {
    if depth == 8 {
        return index.iter().map(|&place| places[usize::from(place)]).collect();
    }
    let per_byte = usize::from(8 / depth);
    let byte = |pixels: &[u8]| {
        let packed = pixels
            .iter()
            .fold(0u8, |byte, &place| byte << depth | places[usize::from(place)]);
        // A row's last byte may be part full.
        packed << (usize::from(depth) * (per_byte - pixels.len()))
    };
    index
        .chunks(width.max(1))
        .flat_map(|row| row.chunks(per_byte).map(byte))
        .collect()
}

/// A sample of 8 or 16 bits.
trait Sample: Copy + Default + PartialEq + Into<usize> + TryFrom<usize> {
    const DEPTH: BitDepth;
    fn alpha(alpha: u8) -> Self;
    fn write(samples: &[Self]) -> Vec<u8>;
}

impl Sample for u8 {
    const DEPTH: BitDepth = BitDepth::Eight;
    fn alpha(alpha: u8) -> Self {
        alpha
    }
    fn write(samples: &[Self]) -> Vec<u8> {
        samples.to_vec()
    }
}

impl Sample for u16 {
    const DEPTH: BitDepth = BitDepth::Sixteen;
    fn alpha(alpha: u8) -> Self {
        u16::from(alpha) * 257
    }
    fn write(samples: &[Self]) -> Vec<u8> {
        samples.iter().flat_map(|sample| sample.to_be_bytes()).collect()
    }
}

/// Gray or RGB pixels of `N` samples: bare, with one colour that means transparent, or with an alpha channel.
fn direct<T: Sample, const N: usize>(values: &[T], alpha: Option<&[u8]>) -> Lean {
    let bare = if N == 1 {
        ColorType::Grayscale
    } else {
        ColorType::Rgb
    };
    let lean = |colour, channels, data, transparency| Lean {
        depth: T::DEPTH,
        colour,
        channels,
        data,
        palette: Vec::new(),
        transparency,
    };
    let Some(alpha) = alpha else {
        return lean(bare, N, T::write(values), Vec::new());
    };
    if let Some(key) = key::<T, N>(values, alpha) {
        let mut keyed = values.to_vec();
        for (pixel, _) in keyed
            .chunks_exact_mut(N)
            .zip(alpha)
            .filter(|(_, alpha)| **alpha == 0)
        {
            pixel.copy_from_slice(&key);
        }
        // A tRNS sample has 16 bits whatever the depth.
        let transparency = key
            .iter()
            .flat_map(|&sample| (sample.into() as u16).to_be_bytes())
            .collect();
        return lean(bare, N, T::write(&keyed), transparency);
    }
    let mut with_alpha = Vec::with_capacity(values.len() + alpha.len());
    for (pixel, &alpha) in values.chunks_exact(N).zip(alpha) {
        with_alpha.extend_from_slice(pixel);
        with_alpha.push(T::alpha(alpha));
    }
    let colour = if N == 1 {
        ColorType::GrayscaleAlpha
    } else {
        ColorType::Rgba
    };
    lean(colour, N + 1, T::write(&with_alpha), Vec::new())
}

/// A colour that no visible pixel has, if nothing is partly transparent: the darkest of those with only a first sample.
fn key<T: Sample, const N: usize>(values: &[T], alpha: &[u8]) -> Option<[T; N]> {
    if alpha.iter().any(|alpha| !matches!(alpha, 0 | 255)) {
        return None;
    }
    let mut seen = vec![false; 1 << T::DEPTH as u8];
    for (pixel, _) in values
        .chunks_exact(N)
        .zip(alpha)
        .filter(|(_, alpha)| **alpha != 0)
    {
        if pixel[1..].iter().all(|&sample| sample == T::default()) {
            seen[pixel[0].into()] = true;
        }
    }
    let free = seen.iter().position(|seen| !seen)?;
    let mut key = [T::default(); N];
    key[0] = T::try_from(free).ok()?;
    Some(key)
}
