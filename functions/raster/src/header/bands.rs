//! What each band is: its name, unit, scale and part in the colour, from TIFF tags and GDAL_METADATA.

use super::Image;
use super::directory::{Directory, tag};
use crate::decode::Photometric;

/// What a band is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BandRole {
    /// A colour or a measured value.
    Data,
    /// Transparency (ExtraSamples 1 or 2; TIFF 6.0 section 18).
    Alpha {
        /// Colours are multiplied by it already (ExtraSamples 1).
        associated: bool,
    },
}

/// One band of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// GDAL's band description, if given.
    pub name: Option<String>,
    /// Unit of the values, if given.
    pub unit: Option<String>,
    /// What the stored value is multiplied with when unscaled.
    pub scale: f64,
    /// What is added after that.
    pub offset: f64,
    /// Data or transparency.
    pub role: BandRole,
    /// What else the file says of it: names and values of GDAL's default domain.
    pub items: Vec<(String, String)>,
}

/// The bands of the full-resolution image.
pub(super) fn bands(directory: &Directory, image: &Image) -> Vec<Band> {
    let extra = directory.shorts(tag::EXTRA_SAMPLES);
    let count = usize::from(image.samples_per_pixel);
    let first_extra = count.saturating_sub(extra.len());
    let plain = Band {
        name: None,
        unit: None,
        scale: 1.0,
        offset: 0.0,
        role: BandRole::Data,
        items: Vec::new(),
    };
    let mut bands = vec![plain; count];
    for (band, kind) in bands.iter_mut().skip(first_extra).zip(&extra) {
        band.role = match kind {
            1 => BandRole::Alpha { associated: true },
            2 => BandRole::Alpha { associated: false },
            _ => BandRole::Data,
        };
    }
    // CMYK of 8 bits is decoded to RGB; what was black becomes an opaque alpha, as GDAL has it.
    if let (Photometric::Cmyk, 8, [_, _, _, black]) =
        (image.format.photometric, image.format.bits, bands.as_mut_slice())
    {
        black.role = BandRole::Alpha { associated: false };
    }
    if let Some(text) = directory.text(tag::GDAL_METADATA) {
        apply_metadata(&text, &mut bands);
    }
    bands
}

/// GDAL_METADATA: `<Item name="DESCRIPTION" sample="0" role="description">red</Item>` and its kin. A text that is not XML is
/// no fault of the pixels: it is passed over.
fn apply_metadata(text: &str, bands: &mut [Band]) {
    let Ok(document) = roxmltree::Document::parse(text) else {
        return;
    };
    for item in document.descendants().filter(|node| node.has_tag_name("Item")) {
        let sample = item
            .attribute("sample")
            .and_then(|sample| sample.parse::<usize>().ok());
        let Some(band) = sample.and_then(|sample| bands.get_mut(sample)) else {
            continue;
        };
        let value = &unescaped(item.text().unwrap_or_default().trim());
        let number = value.parse::<f64>().ok().filter(|number| number.is_finite());
        match (item.attribute("role"), item.attribute("name")) {
            (Some("description"), _) if !value.is_empty() => band.name = Some(value.to_owned()),
            (Some("unittype"), _) if !value.is_empty() => band.unit = Some(value.to_owned()),
            (Some("scale"), _) => band.scale = number.unwrap_or(band.scale),
            (Some("offset"), _) => band.offset = number.unwrap_or(band.offset),
            (None, Some(name)) if item.attribute("domain").is_none() => {
                band.items.push((name.to_owned(), value.to_owned()));
            }
            _ => {}
        }
    }
}

/// GDAL escapes a value once more before it writes it as XML (`GTiffDataset::WriteMDMetadata`).
fn unescaped(text: &str) -> String {
    let quoted = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"");
    quoted.replace("&amp;", "&")
}

/// The colours of a palette image: tag 320 holds all reds, then greens, then blues, 16 bits each
/// (TIFF 6.0 section 5). Some writers store 8-bit values; then every value is below 256.
pub(super) fn palette(directory: &Directory) -> Option<Vec<[u8; 3]>> {
    let photometric = directory.long(tag::PHOTOMETRIC)?.min(65535) as u16;
    if Photometric::from_tag(photometric) != Photometric::Palette {
        return None;
    }
    let values = directory.shorts(tag::COLOR_MAP);
    let third = values.len().checked_div(3).filter(|third| *third > 0)?;
    let narrow = values.iter().all(|value| *value < 256);
    let byte = |value: &u16| if narrow { *value as u8 } else { (value >> 8) as u8 };
    let (reds, rest) = values.split_at_checked(third)?;
    let (greens, blues) = rest.split_at_checked(third)?;
    Some(
        reds.iter()
            .zip(greens)
            .zip(blues)
            .map(|((r, g), b)| [byte(r), byte(g), byte(b)])
            .collect(),
    )
}
