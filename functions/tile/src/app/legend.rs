//! What the colours of a layer, a file or an index mean: `legend.png`, `legend.json`.

use bytes::Bytes;
use edgetile_raster::colour::{self, Colormap, Rescale};
use edgetile_raster::encode;
use edgetile_raster::legend::{Class, Legend, Meaning, draw, ticks};
use edgetile_raster::math::algorithm::Algorithm;
use edgetile_raster::samples::{DataType, Mask, Raster, Samples};
use edgetile_raster::warp::Target;
use http::Request;
use serde_json::{Value, json};

use super::{App, documents};
use crate::bind::{Binding, File};
use crate::compute::{compute, reach};
use crate::draw::unfit;
use crate::layers::Layer;
use crate::request::{Bands, LegendRequest, Refused, Style};
use crate::response::{About, ETag, Freshness, Outcome, Problem};
use crate::tile::Call;

/// Classes of a picture: more could not be told apart. JSON has them all.
const MOST_CLASSES: usize = 64;
/// Colours of a ramp in JSON.
const STOPS: usize = 33;
/// Red, green and blue of a picture of three bands.
const PRIMARIES: [[u8; 4]; 3] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]];

impl App {
    /// The key, as it was asked.
    pub(super) async fn legend(
        &self,
        request: &Request<Bytes>,
        asked: &LegendRequest,
        call: &Call<'_>,
    ) -> Result<Outcome, Problem> {
        let (files, base) = self.catalog.find(&asked.asked)?;
        let layer = self.catalog.layer(&asked.asked)?;
        let style = asked.style.clone().over(&base).coloured_by_index();
        let files = files.for_style(&style);
        self.catalog.allow_beside(&asked.asked, style.sidecars)?;
        let key = async || {
            let open = self.reading.open_typical(&files, style.sidecars, call).await?;
            let key = async {
                let style = self.reading.resolved_of(&files, &open, &style, call).await?;
                Ok((key_of(&open, &style)?, style.rescale.clone()))
            };
            let key = key.await;
            self.reading.current(&open, key, call).await
        };
        let (legend, rescale) = self.reading.patient(&files, key).await?;
        if asked.is_json {
            let title = asked.name.or(layer.map(|layer: &Layer| layer.title.as_str()));
            let json = told(&legend, title, rescale.as_ref());
            return Ok(documents::document(&json, Freshness::Document, request));
        }
        shown(&legend, asked, request)
    }
}

fn shown(legend: &Legend, asked: &LegendRequest, request: &Request<Bytes>) -> Result<Outcome, Problem> {
    if let Legend::Classes(classes) = legend
        && classes.len() > MOST_CLASSES
    {
        return Err(Problem::TooLarge {
            what: format!(
                "{} classes are more than the {MOST_CLASSES} of a picture",
                classes.len()
            ),
            remedy: "ask for legend.json".to_owned(),
        });
    }
    let picture = draw(legend, asked.size);
    let body = encode::png(&picture).map_err(|_| Problem::Internal)?;
    let etag = ETag::of([format!("{legend:?}").as_str(), &format!("{:?}", asked.size)]);
    let held = etag.is_held_by(request.headers());
    let about = About {
        freshness: Freshness::Document,
        etag: Some(etag),
        ..About::default()
    };
    Ok(if held {
        Outcome::NotModified(about)
    } else {
        Outcome::Content {
            body,
            media_type: "image/png",
            about,
        }
    })
}

/// The key of a style over open files.
fn key_of(files: &[File], style: &Style) -> Result<Legend, Problem> {
    let binding = Binding::new(files, style)?;
    let (bands, data_type) = drawn(files, &binding, style)?;
    let palette = binding.palette().filter(|_| style.algorithm.is_none());
    let formula = style
        .color_formula
        .as_deref()
        .map(colour::Formula::parse)
        .transpose();
    let formula = formula.map_err(|error| unfit(&error, style))?;
    if let Some(algorithm) = &style.algorithm {
        if let Some(legend) = own_colours(algorithm) {
            return Ok(legend);
        }
        if algorithm.is_encoding() {
            let reason = "writes heights as digits of red, green and blue, which have no key";
            return Err(Refused::parameter("algorithm", reason).into());
        }
    }
    let chosen = style.colormap.as_ref().map(|choice| choice.map().as_ref());
    match (bands, chosen) {
        (3, None) => {
            let (names, described) = (binding.names(files), binding.descriptions(files, style));
            let name = |at: usize| {
                let described = described.get(at).filter(|name| !name.is_empty());
                described.or(names.get(at)).cloned().unwrap_or_default()
            };
            let band = |(at, colour): (usize, [u8; 4])| Class {
                meaning: Meaning::Band(name(at)),
                colour,
            };
            Ok(Legend::Classes(
                PRIMARIES.into_iter().enumerate().map(band).collect(),
            ))
        }
        (1, _) => {
            let colours = colour::Style {
                rescale: style.rescale.as_ref(),
                formula: formula.as_ref(),
                colormap: chosen.or(palette.as_ref()),
                default_range: None,
                opaque: true,
            };
            let legend = Legend::of(&colours, data_type).map_err(|error| unfit(&error, style))?;
            Ok(if chosen.is_none() {
                without_padding(legend)
            } else {
                legend
            })
        }
        (bands, _) => Err(Refused::parameter(
            "bidx",
            format!("gives {bands} bands, which have no key: give one"),
        )
        .into()),
    }
}

/// The colours of an algorithm that has its own; the first of the 256 is never drawn.
fn own_colours(algorithm: &Algorithm) -> Option<Legend> {
    let range = algorithm.coloured_range()?;
    let colours = Colormap::named(algorithm.colormap()?)?.lut()[1..].to_vec();
    Some(Legend::Ramp { range, colours })
}

/// Writers fill a palette up with black: of many entries in a row at its end that are black, none is a class.
fn without_padding(legend: Legend) -> Legend {
    match legend {
        Legend::Classes(mut classes) => {
            while classes.len() > 1 && classes.last().is_some_and(|class| class.colour[..3] == [0, 0, 0]) {
                classes.pop();
            }
            Legend::Classes(classes)
        }
        ramp @ Legend::Ramp { .. } => ramp,
    }
}

/// How many bands are drawn, and of which type: found out with a pixel of zeros, which costs no read.
fn drawn(files: &[File], binding: &Binding, style: &Style) -> Result<(usize, DataType), Problem> {
    let is_computed = matches!(style.bands, Some(Bands::Expression(_))) || style.unscale == Some(true);
    let header = files.first().map(|file| &file.source.header);
    let own = header.and_then(|header| header.full().format.data_type().ok());
    let data_type = own.filter(|_| !is_computed).unwrap_or(DataType::F32);
    let bands = binding.outputs();
    if style.algorithm.is_none() {
        return Ok((bands, data_type));
    }
    let answer = Target {
        crs: crate::request::Grid::web()?.set().crs.clone(),
        west: 0.0,
        north: 0.0,
        resolution: (1.0, 1.0),
        size: (1, 1),
        origin_px: (0, 0),
    };
    let (width, height) = reach(style, &answer).size;
    let zeros = Raster {
        bands,
        height,
        width,
        samples: Samples::zeros(data_type, bands * height * width),
        mask: Mask::All,
    };
    let made = compute(style, zeros, &answer)?;
    Ok((made.bands, made.samples.data_type()))
}

fn told(legend: &Legend, title: Option<&str>, rescale: Option<&Rescale>) -> Value {
    let mut told = match legend {
        Legend::Ramp { range, colours } => {
            let stop = |at: usize| {
                let share = at as f64 / (STOPS - 1) as f64;
                let colour = colours[(share * (colours.len() - 1) as f64).round() as usize];
                json!({"value": range.0 + (range.1 - range.0) * share, "color": written(colour)})
            };
            json!({
                "type": "ramp",
                "range": [range.0, range.1],
                "stops": (0..STOPS).map(stop).collect::<Vec<_>>(),
                "ticks": ticks(*range, 5).0,
            })
        }
        Legend::Classes(classes) => {
            let class = |(at, class): (usize, &Class)| {
                let mut told = json!({"color": written(class.colour)});
                match &class.meaning {
                    Meaning::Value(value) => told["value"] = json!(value),
                    Meaning::Range(min, max) => told["range"] = json!([min, max]),
                    Meaning::Band(name) => {
                        told["band"] = name.as_str().into();
                        let ranges = rescale.map(|rescale| rescale.0.as_slice()).unwrap_or_default();
                        let range = ranges.get(at).or(ranges.first());
                        if let Some((min, max)) = range {
                            told["range"] = json!([min, max]);
                        }
                    }
                }
                told
            };
            json!({"type": "classes", "classes": classes.iter().enumerate().map(class).collect::<Vec<_>>()})
        }
    };
    if let Some(title) = title {
        told["title"] = title.into();
    }
    told
}

/// `#rrggbb`, and `#rrggbbaa` where something shines through.
fn written([r, g, b, alpha]: [u8; 4]) -> String {
    match alpha {
        255 => format!("#{r:02x}{g:02x}{b:02x}"),
        alpha => format!("#{r:02x}{g:02x}{b:02x}{alpha:02x}"),
    }
}
