use super::*;
use crate::colour::Pixels;
use png::{BitDepth, Decoder, Transformations};

/// The file as another decoder reads it: form, bytes of tRNS (which that decoder keeps in the picture's depth), and
/// pixels as 8-bit RGBA.
fn read(bytes: &[u8]) -> (ColorType, BitDepth, usize, Vec<[u8; 4]>) {
    let mut decoder = Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(Transformations::normalize_to_color8() | Transformations::ALPHA);
    let mut reader = decoder.read_info().unwrap();
    let info = reader.info();
    let (colour, depth, transparency) = (
        info.color_type,
        info.bit_depth,
        info.trns.as_ref().map_or(0, |trns| trns.len()),
    );
    let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut buffer).unwrap();
    let pixels = match frame.color_type {
        ColorType::GrayscaleAlpha => buffer
            .chunks_exact(2)
            .map(|pixel| [pixel[0], pixel[0], pixel[0], pixel[1]])
            .collect(),
        ColorType::Rgba => buffer
            .chunks_exact(4)
            .map(|pixel| pixel.try_into().unwrap())
            .collect(),
        other => panic!("{other:?}"),
    };
    (colour, depth, transparency, pixels)
}

/// What a picture looks like, by the definition of its fields.
fn seen(picture: &Picture) -> Vec<[u8; 4]> {
    let alpha = |at: usize| picture.alpha.as_ref().map_or(255, |alpha| alpha[at]);
    let colour = |at: usize| match &picture.pixels {
        Pixels::Gray(v) => [v[at], v[at], v[at], alpha(at)],
        Pixels::Gray16(v) => [
            (v[at] >> 8) as u8,
            (v[at] >> 8) as u8,
            (v[at] >> 8) as u8,
            alpha(at),
        ],
        Pixels::Rgb(v) => [v[3 * at], v[3 * at + 1], v[3 * at + 2], alpha(at)],
        Pixels::Rgb16(v) => [0, 1, 2]
            .map(|channel| (v[3 * at + channel] >> 8) as u8)
            .map_alpha(alpha(at)),
        Pixels::Palette { index, palette } => palette[usize::from(index[at])],
    };
    (0..picture.width * picture.height).map(colour).collect()
}

trait WithAlpha {
    fn map_alpha(self, alpha: u8) -> [u8; 4];
}

impl WithAlpha for [u8; 3] {
    fn map_alpha(self, alpha: u8) -> [u8; 4] {
        [self[0], self[1], self[2], alpha]
    }
}

/// Encodes, reads back, and compares what is not fully transparent; gives the form and the length of tRNS.
fn check(picture: &Picture) -> (ColorType, BitDepth, usize) {
    let bytes = png(picture).unwrap();
    let (colour, depth, transparency, pixels) = read(&bytes);
    let visible = |pixels: Vec<[u8; 4]>| -> Vec<[u8; 4]> {
        pixels
            .into_iter()
            .map(|pixel| if pixel[3] == 0 { [0; 4] } else { pixel })
            .collect()
    };
    assert_eq!(visible(pixels), visible(seen(picture)));
    (colour, depth, transparency)
}

/// Bytes without order, the same every time (Knuth's multiplicative hash).
fn noise(len: usize) -> Vec<u8> {
    (0..len as u32)
        .map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect()
}

fn noise16(len: usize) -> Vec<u16> {
    (0..len as u32)
        .map(|at| (at.wrapping_mul(2_654_435_761) >> 9) as u16)
        .collect()
}

fn picture(pixels: Pixels, alpha: Option<Vec<u8>>) -> Picture {
    Picture {
        width: 30,
        height: 20,
        pixels,
        alpha,
    }
}

/// Every third pixel transparent.
fn holes() -> Vec<u8> {
    (0..600).map(|at| if at % 3 == 0 { 0 } else { 255 }).collect()
}

fn partial() -> Vec<u8> {
    (0..600).map(|at| at as u8).collect()
}

#[test]
fn gray() {
    let few = || noise(600).iter().map(|value| value | 1).collect::<Vec<u8>>();
    assert_eq!(
        check(&picture(Pixels::Gray(few()), None)),
        (ColorType::Grayscale, BitDepth::Eight, 0)
    );
    assert_eq!(
        check(&picture(Pixels::Gray(few()), Some(holes()))),
        (ColorType::Grayscale, BitDepth::Eight, 1)
    );
    assert_eq!(
        check(&picture(Pixels::Gray(few()), Some(partial()))),
        (ColorType::GrayscaleAlpha, BitDepth::Eight, 0)
    );
    // All 256 levels visible: none is left to mean transparent.
    let all = (0..600).map(|at| (at - at / 3) as u8).collect();
    assert_eq!(
        check(&picture(Pixels::Gray(all), Some(holes()))),
        (ColorType::GrayscaleAlpha, BitDepth::Eight, 0)
    );
}

#[test]
fn gray_of_16_bits() {
    assert_eq!(
        check(&picture(Pixels::Gray16(noise16(600)), None)),
        (ColorType::Grayscale, BitDepth::Sixteen, 0)
    );
    assert_eq!(
        check(&picture(Pixels::Gray16(noise16(600)), Some(holes()))),
        (ColorType::Grayscale, BitDepth::Sixteen, 2)
    );
    let partly = check(&picture(Pixels::Gray16(noise16(600)), Some(partial())));
    assert_eq!(partly, (ColorType::GrayscaleAlpha, BitDepth::Sixteen, 0));
}

#[test]
fn red_green_and_blue() {
    assert_eq!(
        check(&picture(Pixels::Rgb(noise(1800)), None)),
        (ColorType::Rgb, BitDepth::Eight, 0)
    );
    assert_eq!(
        check(&picture(Pixels::Rgb(noise(1800)), Some(holes()))),
        (ColorType::Rgb, BitDepth::Eight, 3)
    );
    assert_eq!(
        check(&picture(Pixels::Rgb(noise(1800)), Some(partial()))),
        (ColorType::Rgba, BitDepth::Eight, 0)
    );
    assert_eq!(
        check(&picture(Pixels::Rgb16(noise16(1800)), None)),
        (ColorType::Rgb, BitDepth::Sixteen, 0)
    );
    assert_eq!(
        check(&picture(Pixels::Rgb16(noise16(1800)), Some(holes()))),
        (ColorType::Rgb, BitDepth::Sixteen, 6)
    );
}

#[test]
fn visible_black_stays_where_black_would_mean_transparent() {
    let black_and_holes = picture(Pixels::Rgb(vec![0; 1800]), Some(holes()));
    assert_eq!(check(&black_and_holes), (ColorType::Rgb, BitDepth::Eight, 3));
}

#[test]
fn a_palette_takes_as_many_bits_as_its_used_colours_need() {
    let colours: Vec<[u8; 4]> = (0..=255).map(|at| [at, 255 - at, at / 2, 255]).collect();
    for (count, depth) in [
        (2, BitDepth::One),
        (4, BitDepth::Two),
        (5, BitDepth::Four),
        (16, BitDepth::Four),
        (17, BitDepth::Eight),
    ] {
        let index: Vec<u8> = (0..600u32).map(|at| (at * 7 % count) as u8 * 15).collect();
        let found = check(&picture(
            Pixels::Palette {
                index,
                palette: colours.clone(),
            },
            None,
        ));
        assert_eq!(found, (ColorType::Indexed, depth, 0), "{count}");
    }
}

#[test]
fn only_transparent_colours_of_a_palette_take_an_alpha() {
    let mut palette: Vec<[u8; 4]> = (0..=255).map(|at| [at, at, 7, 255]).collect();
    (palette[200], palette[90]) = ([0; 4], [1, 2, 3, 128]);
    let index: Vec<u8> = (0..600).map(|at| at as u8).collect();
    let found = check(&picture(Pixels::Palette { index, palette }, None));
    assert_eq!(found, (ColorType::Indexed, BitDepth::Eight, 2));
}

#[test]
fn equal_colours_of_a_palette_are_one() {
    let palette: Vec<[u8; 4]> = (0..=255).map(|at| [at / 64, 0, 0, 255]).collect();
    let index = (0..600).map(|at| at as u8).collect();
    let found = check(&picture(Pixels::Palette { index, palette }, None));
    assert_eq!(found, (ColorType::Indexed, BitDepth::Two, 0));
}

#[test]
fn a_row_need_not_fill_its_last_byte() {
    for width in 1..10 {
        let index: Vec<u8> = (0..width * 3).map(|at| (at % 2) as u8).collect();
        let pixels = Pixels::Palette {
            index,
            palette: vec![[255, 0, 0, 255], [0, 0, 255, 255]],
        };
        check(&Picture {
            width,
            height: 3,
            pixels,
            alpha: None,
        });
    }
}

#[test]
fn one_colour_and_none_are_tiny() {
    let clear = Picture {
        width: 256,
        height: 256,
        pixels: Pixels::Rgb(vec![0; 3 << 16]),
        alpha: Some(vec![0; 1 << 16]),
    };
    assert_eq!(check(&clear), (ColorType::Indexed, BitDepth::One, 1));
    assert!(png(&clear).unwrap().len() < 120);
    let red = Pixels::Rgb([200, 0, 0].repeat(600));
    assert_eq!(check(&picture(red, None)), (ColorType::Indexed, BitDepth::One, 0));
}

/// Seen as an answer a seventh larger than it need be: bands that move together repeat each other's bytes once filtered.
#[test]
fn bands_that_move_together_are_searched_for_what_repeats() {
    let light = noise(1 << 16);
    // Coarse enough that a quarter of the values return, and neighbours differ.
    let together: Vec<u8> = light.iter().flat_map(|value| [value / 8; 3]).collect();
    let apart: Vec<u8> = noise(3 << 16).iter().map(|value| value / 8).collect();
    let bytes = |pixels| {
        let picture = Picture {
            width: 256,
            height: 256,
            pixels: Pixels::Rgb(pixels),
            alpha: None,
        };
        check(&picture);
        png(&picture).unwrap().len()
    };
    assert!(2 * bytes(together) < bytes(apart));
    // Two bands alike and a third of its own: two bytes of five equal the one before. Seen as an answer as large as its pixels.
    let own = noise(1 << 17).split_off(1 << 16);
    let two: Vec<u8> = light
        .iter()
        .zip(own)
        .flat_map(|(two, one)| [two / 32, two / 32, one / 64])
        .collect();
    assert!(bytes(two) < (3 << 16) * 6 / 10);
}

#[test]
fn no_pixel_is_an_error() {
    let nothing = Picture {
        width: 0,
        height: 0,
        pixels: Pixels::Gray(Vec::new()),
        alpha: None,
    };
    assert!(png(&nothing).is_err());
}
