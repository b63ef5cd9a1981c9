//! What the colours of a style mean, as a picture or as JSON.

use edgetile_raster::legend::Size;

use super::{Asked, LARGEST_EDGE_PX, Query, Refused, Style};

/// The key of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct LegendRequest {
    /// Whose pixels.
    pub asked: Asked,
    /// What the route itself is called, where it has a name of its own.
    pub name: Option<&'static str>,
    /// The style, its route's preset included.
    pub style: Style,
    /// How large it is to be.
    pub size: Size,
    /// Whether it is told as JSON.
    pub is_json: bool,
}

/// Reads `width` and `height`.
pub(super) fn size(query: &Query) -> Result<Size, Refused> {
    let edge = |name: &str| -> Result<Option<usize>, Refused> {
        let Some(text) = query.one(name)?.map(str::trim).filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let edge = text
            .parse()
            .ok()
            .filter(|edge| (16..=LARGEST_EDGE_PX as usize).contains(edge));
        let wrong = || {
            Refused::parameter(
                name,
                format!("is not a number of pixels from 16 to {LARGEST_EDGE_PX}"),
            )
        };
        edge.map(Some).ok_or_else(wrong)
    };
    Ok(Size {
        width: edge("width")?,
        height: edge("height")?,
    })
}
