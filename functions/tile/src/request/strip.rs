//! The colours of a colormap, as JSON or as a strip, as TiTiler's `ColorMapFactory` reads them.

use super::frame::pixels;
use super::{Format, Query, Refused};

/// A colormap, and as what it is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColorMapRequest {
    /// Its name.
    pub name: String,
    /// The strip that is wanted in place of JSON.
    pub strip: Option<Strip>,
}

/// A picture of a colormap, from its first colour to its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strip {
    /// Its form.
    pub format: Format,
    /// Whether the first colour is on top; otherwise it is on the left.
    pub is_vertical: bool,
    /// Columns.
    pub width_px: u32,
    /// Rows.
    pub height_px: u32,
}

/// A colour a pixel, and TiTiler's other side.
const ALONG_PX: u32 = 256;
const ACROSS_PX: u32 = 20;

impl ColorMapRequest {
    /// Reads `f`, `orientation`, `width` and `height`.
    pub(super) fn read(name: &str, query: &Query) -> Result<Self, Refused> {
        let text = |name: &str| {
            let text = query.one(name)?.map(str::trim);
            Ok::<_, Refused>(text.filter(|text| !text.is_empty()))
        };
        let format = match text("f")? {
            None | Some("json") => None,
            Some(text) => Some(
                Format::parse("f", text)
                    .ok()
                    .filter(|format| !format.is_data())
                    .ok_or_else(|| Refused::parameter("f", "is none of json, png, jpg and webp"))?,
            ),
        };
        let is_vertical = match text("orientation")? {
            None | Some("horizontal") => false,
            Some("vertical") => true,
            Some(_) => return Err(Refused::parameter("orientation", "is not horizontal or vertical")),
        };
        let (width, height) = if is_vertical {
            (ACROSS_PX, ALONG_PX)
        } else {
            (ALONG_PX, ACROSS_PX)
        };
        let edge = |name, unsaid| text(name)?.map_or(Ok(unsaid), |text| pixels(name, text));
        let (width_px, height_px) = (edge("width", width)?, edge("height", height)?);
        Ok(Self {
            name: name.to_owned(),
            strip: format.map(|format| Strip {
                format,
                is_vertical,
                width_px,
                height_px,
            }),
        })
    }
}
