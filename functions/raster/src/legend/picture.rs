//! A key as a picture: a bar with ticks, or boxes one below the other; dark letters on white.

use super::font::{HEIGHT_PX, pixels, width_px};
use super::{Class, Legend, Meaning, ticks, written};
use crate::colour::{Picture, Pixels, Rgba};

/// How large a picture of a key is to be, in pixels; what is not said follows from the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Columns.
    pub width: Option<usize>,
    /// Rows.
    pub height: Option<usize>,
}

/// A lying bar, and what one letter of 7 pixels goes with.
const BAR: (usize, usize) = (256, 36);
/// A standing bar.
const STANDING: (usize, usize) = (72, 256);
/// A row of boxes: its height, the box, and the room around.
const ROW: usize = 16;
const BOX: (usize, usize) = (22, 11);
const ROOM: usize = 4;
/// Letters and edges.
const INK: [u8; 3] = [32, 32, 32];
/// Columns that one label of a lying bar wants, times the size of letters.
const LABEL: usize = 48;

/// The picture of a key.
pub fn draw(legend: &Legend, size: Size) -> Picture {
    let canvas = match legend {
        Legend::Ramp { range, colours } => {
            let stands = matches!((size.width, size.height), (Some(width), Some(height)) if height > width)
                || matches!((size.width, size.height), (None, Some(height)) if height > BAR.0 / 2);
            if stands {
                standing(*range, colours, size)
            } else {
                lying(*range, colours, size)
            }
        }
        Legend::Classes(classes) => boxes(classes, size),
    };
    canvas.picture()
}

fn lying(range: (f64, f64), colours: &[Rgba], size: Size) -> Canvas {
    let width = size.width.unwrap_or(BAR.0);
    let height = size.height.unwrap_or(BAR.1);
    let zoom = (height / BAR.1).clamp(1, 8);
    let mut canvas = Canvas::new(width, height);
    let labels = labels(range, width / (LABEL * zoom));
    let half = |label: Option<&(f64, String)>| label.map_or(0, |(_, text)| width_px(text) * zoom / 2);
    let margin = half(labels.first()).max(half(labels.last())) + ROOM * zoom;
    let bar = width.saturating_sub(2 * margin).max(1);
    let foot = (HEIGHT_PX + 5) * zoom + ROOM * zoom / 2;
    let depth = height.saturating_sub(foot + ROOM * zoom).max(1);
    for x in 0..bar {
        let colour = sampled(colours, x, bar);
        canvas.fill(margin + x, ROOM * zoom, 1, depth, colour);
    }
    let place = |value: f64| (value - range.0) / (range.1 - range.0) * (bar - 1) as f64;
    let mut free_from = 0;
    for (value, text) in &labels {
        let x = margin + place(*value).round().max(0.0) as usize;
        let start = x.saturating_sub(width_px(text) * zoom / 2);
        canvas.fill(
            x,
            ROOM * zoom + depth,
            zoom,
            2 * zoom,
            [INK[0], INK[1], INK[2], 255],
        );
        if start >= free_from {
            canvas.write(start, ROOM * zoom + depth + 4 * zoom, text, zoom);
            free_from = start + (width_px(text) + ROOM) * zoom;
        }
    }
    canvas
}

fn standing(range: (f64, f64), colours: &[Rgba], size: Size) -> Canvas {
    let (width, height) = (
        size.width.unwrap_or(STANDING.0),
        size.height.unwrap_or(STANDING.1),
    );
    let zoom = (width / STANDING.0).clamp(1, 8);
    let mut canvas = Canvas::new(width, height);
    let margin = (HEIGHT_PX / 2 + ROOM) * zoom;
    let bar = height.saturating_sub(2 * margin).max(1);
    let labels = labels(range, bar / (3 * HEIGHT_PX * zoom));
    let widest = labels.iter().map(|(_, text)| width_px(text)).max().unwrap_or(0);
    let depth = width
        .saturating_sub((widest + 3 * ROOM) * zoom)
        .clamp(zoom, 24 * zoom);
    for y in 0..bar {
        // The greatest on top.
        canvas.fill(
            ROOM * zoom,
            margin + bar - 1 - y,
            depth,
            1,
            sampled(colours, y, bar),
        );
    }
    for (value, text) in &labels {
        let share = (value - range.0) / (range.1 - range.0);
        let y = margin + ((1.0 - share) * (bar - 1) as f64).round().max(0.0) as usize;
        canvas.fill(
            ROOM * zoom + depth,
            y,
            2 * zoom,
            zoom,
            [INK[0], INK[1], INK[2], 255],
        );
        canvas.write(
            ROOM * zoom + depth + 4 * zoom,
            y.saturating_sub(HEIGHT_PX * zoom / 2),
            text,
            zoom,
        );
    }
    canvas
}

fn boxes(classes: &[Class], size: Size) -> Canvas {
    let rows = classes.len().max(1);
    let row = size.height.map_or(ROW, |height| (height / rows).max(1));
    let zoom = (row / ROW).clamp(1, 8);
    let texts: Vec<String> = classes.iter().map(|class| meaning(&class.meaning)).collect();
    let widest = texts.iter().map(|text| width_px(text)).max().unwrap_or(0);
    let width = size.width.unwrap_or((3 * ROOM + BOX.0 + widest) * zoom);
    let mut canvas = Canvas::new(width, size.height.unwrap_or(rows * row));
    for (at, (class, text)) in classes.iter().zip(&texts).enumerate() {
        let middle = at * row + row / 2;
        let depth = (BOX.1 * zoom).min(row);
        let top = middle.saturating_sub(depth / 2);
        let (left, across) = (ROOM * zoom, BOX.0 * zoom);
        canvas.fill(left, top, across, depth, [INK[0], INK[1], INK[2], 96]);
        canvas.clear(
            left + 1,
            top + 1,
            across.saturating_sub(2),
            depth.saturating_sub(2),
        );
        canvas.fill(
            left + 1,
            top + 1,
            across.saturating_sub(2),
            depth.saturating_sub(2),
            class.colour,
        );
        canvas.write(
            left + across + ROOM * zoom,
            middle.saturating_sub(HEIGHT_PX * zoom / 2),
            text,
            zoom,
        );
    }
    canvas
}

/// The values to write along a bar, both ends among them.
fn labels(range: (f64, f64), most: usize) -> Vec<(f64, String)> {
    let (mut values, decimals) = ticks(range, most.clamp(1, 20));
    let span = range.1 - range.0;
    let near = |value: f64, end: f64| ((value - end) / span).abs() * (most.max(1) as f64) < 0.6;
    values.retain(|value| !near(*value, range.0) && !near(*value, range.1));
    values.extend([range.0, range.1]);
    values.sort_by(|a, b| ((a - range.0) / span).total_cmp(&((b - range.0) / span)));
    values
        .into_iter()
        .map(|value| {
            let own = value == range.0 || value == range.1;
            let text = if own {
                shortest(value, decimals)
            } else {
                written(value, decimals)
            };
            (value, text)
        })
        .collect()
}

/// A number with as many decimals as it has, up to two more than its neighbours.
fn shortest(value: f64, decimals: usize) -> String {
    let exact = |more: &usize| {
        (written(value, decimals + more).parse::<f64>().unwrap_or(f64::NAN) - value).abs()
            < 1e-12 * value.abs().max(1.0)
    };
    let more = (0..=2).find(exact).unwrap_or(2);
    written(value, decimals + more)
}

fn meaning(meaning: &Meaning) -> String {
    let number = |value: f64| shortest(value, 0);
    match meaning {
        Meaning::Value(value) => number(*value),
        Meaning::Range(min, max) if !min.is_finite() || *min <= f64::from(f32::MIN) => {
            format!("< {}", number(*max))
        }
        Meaning::Range(min, max) if !max.is_finite() || *max >= f64::from(f32::MAX) => {
            format!(">= {}", number(*min))
        }
        Meaning::Range(min, max) => format!("{} - {}", number(*min), number(*max)),
        Meaning::Band(name) => name.clone(),
    }
}

fn sampled(colours: &[Rgba], at: usize, of: usize) -> Rgba {
    let place = at * colours.len() / of.max(1);
    colours.get(place).copied().unwrap_or([0; 4])
}

/// White paper.
struct Canvas {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            rgb: vec![255; 3 * width * height],
        }
    }

    /// Lays a colour over a rectangle, as far as it lies on the paper.
    fn fill(&mut self, left: usize, top: usize, width: usize, height: usize, [r, g, b, alpha]: Rgba) {
        let columns = left.min(self.width)..left.saturating_add(width).min(self.width);
        for y in top.min(self.height)..top.saturating_add(height).min(self.height) {
            let row = &mut self.rgb[3 * y * self.width..][..3 * self.width];
            let pixels = row.as_chunks_mut::<3>().0;
            for pixel in &mut pixels[columns.clone()] {
                for (under, over) in pixel.iter_mut().zip([r, g, b]) {
                    let (under_level, over, alpha) = (u32::from(*under), u32::from(over), u32::from(alpha));
                    *under = ((over * alpha + under_level * (255 - alpha) + 127) / 255) as u8;
                }
            }
        }
    }

    fn clear(&mut self, left: usize, top: usize, width: usize, height: usize) {
        self.fill(left, top, width, height, [255; 4]);
    }

    fn write(&mut self, left: usize, top: usize, text: &str, zoom: usize) {
        for (x, y) in pixels(text) {
            self.fill(
                left + x * zoom,
                top + y * zoom,
                zoom,
                zoom,
                [INK[0], INK[1], INK[2], 255],
            );
        }
    }

    fn picture(self) -> Picture {
        Picture {
            width: self.width,
            height: self.height,
            pixels: Pixels::Rgb(self.rgb),
            alpha: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixel(picture: &Picture, x: usize, y: usize) -> [u8; 3] {
        let rgb = picture.rgb();
        let at = 3 * (y * picture.width + x);
        [rgb[at], rgb[at + 1], rgb[at + 2]]
    }

    #[test]
    fn a_bar_runs_from_the_first_colour_to_the_last() {
        let colours: Vec<Rgba> = (0..=255).map(|level| [level, 0, 255 - level, 255]).collect();
        let legend = Legend::Ramp {
            range: (-1.0, 1.0),
            colours,
        };
        let lying = draw(&legend, Size::default());
        assert_eq!((lying.width, lying.height), BAR);
        let row: Vec<[u8; 3]> = (0..BAR.0).map(|x| pixel(&lying, x, 8)).collect();
        let bar: Vec<&[u8; 3]> = row.iter().filter(|colour| **colour != [255; 3]).collect();
        assert!(bar.len() > 200);
        assert!(bar[0][0] < 3 && bar[bar.len() - 1][0] > 252, "{bar:?}");
        let standing = draw(
            &legend,
            Size {
                width: Some(80),
                height: Some(300),
            },
        );
        assert_eq!((standing.width, standing.height), (80, 300));
        assert!(pixel(&standing, 10, 20)[0] > 200 && pixel(&standing, 10, 280)[0] < 60);
    }

    #[test]
    fn each_class_has_its_box_and_transparency_shows_the_paper() {
        let class = |value: f64, colour| Class {
            meaning: Meaning::Value(value),
            colour,
        };
        let legend = Legend::Classes(vec![class(1.0, [255, 0, 0, 255]), class(2.0, [0, 0, 255, 0])]);
        let drawn = draw(&legend, Size::default());
        assert_eq!(drawn.height, 2 * ROW);
        assert_eq!(
            (pixel(&drawn, 15, 8), pixel(&drawn, 15, 24)),
            ([255, 0, 0], [255; 3])
        );
    }

    #[test]
    fn no_size_and_no_value_is_too_odd_to_draw() {
        let ramp = |range| Legend::Ramp {
            range,
            colours: vec![[0; 4]; 256],
        };
        let class = Class {
            meaning: Meaning::Range(f64::NEG_INFINITY, f64::NAN),
            colour: [1; 4],
        };
        for legend in [
            ramp((0.0, 0.0)),
            ramp((f64::NAN, 1.0)),
            ramp((1e300, -1e300)),
            Legend::Classes(vec![class; 300]),
        ] {
            for (width, height) in [(16, 16), (16, 2048), (2048, 16)] {
                let drawn = draw(
                    &legend,
                    Size {
                        width: Some(width),
                        height: Some(height),
                    },
                );
                assert_eq!(drawn.rgb().len(), 3 * width * height);
            }
        }
    }
}
