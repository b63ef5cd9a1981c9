//! The NDVI route: which bands, and the style it draws them in where the request is silent.

use edgetile_raster::colour::Rescale;

use super::style::Bands;
use super::{Asked, BandName, ColormapChoice, Formula, Query, Refused, Style, source};

/// The sources of an NDVI request and its preset.
pub(super) fn read(query: &Query) -> Result<(Asked, Style), Refused> {
    let (asked, red, nir) = sources(query)?;
    let style = style(&red, &nir)?;
    let asked = match asked {
        Asked::Url(url) => source::of_url(url, &style),
        asked => asked,
    };
    Ok((asked, style))
}

/// The normalised difference vegetation index of two bands, coloured from red to green.
fn style(red: &BandName, nir: &BandName) -> Result<Style, Refused> {
    let formula = Formula::ndvi(red.as_str(), nir.as_str())?;
    Ok(Style {
        bands: Some(Bands::Expression(formula)),
        rescale: Some(Rescale(vec![(-1.0, 1.0)])),
        colormap: Some(ColormapChoice::named("rdylgn")?),
        ..Style::default()
    })
}

/// The files and band names of an NDVI: two files, two bands of one file, or the first layer's `red` and `nir`.
fn sources(query: &Query) -> Result<(Asked, BandName, BandName), Refused> {
    let names = || {
        Ok((
            BandName::new("red").ok_or(Refused::NoSuchPath)?,
            BandName::new("nir").ok_or(Refused::NoSuchPath)?,
        ))
    };
    match (query.one("url")?, query.one("red")?, query.one("nir")?) {
        (None, None, None) => names().map(|(red, nir)| (Asked::FirstLayer, red, nir)),
        (None, Some(red), Some(nir)) => {
            let (red_name, nir_name) = names()?;
            let urls = [
                (red_name.clone(), file_of("red", red)?),
                (nir_name.clone(), file_of("nir", nir)?),
            ];
            Ok((Asked::Urls(urls.into()), red_name, nir_name))
        }
        (Some(url), red, nir) => {
            let url = Asked::Url(source::checked("url", url)?);
            Ok((url, band_of("red", red)?, band_of("nir", nir)?))
        }
        (None, None, Some(_)) => Err(Refused::parameter("red", "is missing beside nir")),
        (None, Some(_), None) => Err(Refused::parameter("nir", "is missing beside red")),
    }
}

fn file_of(name: &str, url: &str) -> Result<String, Refused> {
    if url.trim().parse::<u64>().is_ok() {
        return Err(Refused::parameter(
            name,
            "is a band number: add the url of its file",
        ));
    }
    source::checked(name, url)
}

/// A band of one file: a number, a name, or the parameter's own name when it is absent.
fn band_of(parameter: &str, given: Option<&str>) -> Result<BandName, Refused> {
    let text = given.unwrap_or(parameter).trim();
    let band = match text.parse::<u16>() {
        Ok(index) => (index > 0).then(|| BandName::numbered(index)),
        Err(_) => BandName::new(text),
    };
    band.ok_or_else(|| Refused::parameter(parameter, "is neither a band number from 1 nor a band name"))
}
