//! The capabilities of WMTS (OGC 07-057r7): RESTful and in keys and values, one layer for each tileset, every grid that one of
//! them lies on.
//!
//! Corners are written in the axis order of the system that is named, as clause 6.1 demands and QGIS, ArcGIS and GDAL read
//! them: EPSG's 3035 or 4326 have north first. `WorldCRS84Quad` is in CRS84, longitude first.

use std::fmt::{self, Write};

use edgetile_raster::grid::{self, TileMatrix, TileMatrixSet};

use super::documents::unwrapped;
use super::tilesets::{Tileset, limits};
use crate::request::Grids;

/// Where the capabilities are, below what they are of.
const DOCUMENT: &str = "/WMTSCapabilities.xml";
const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Capabilities xmlns="http://www.opengis.net/wmts/1.0" xmlns:ows="http://www.opengis.net/ows/1.1" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.opengis.net/wmts/1.0 http://schemas.opengis.net/wmts/1.0/wmtsGetCapabilities_response.xsd" version="1.0.0">
"#;

/// The document; `base` is the server's own address.
pub(super) fn capabilities(base: &str, tilesets: &[Tileset], grids: &Grids) -> String {
    let mut xml = HEAD.to_owned();
    // Writing into a string cannot fail.
    let _ = write_all(&mut xml, base, tilesets, grids);
    xml
}

fn write_all(xml: &mut String, base: &str, tilesets: &[Tileset], grids: &Grids) -> fmt::Result {
    let title = match tilesets {
        [one] => one.title.as_str(),
        _ => "edgetile",
    };
    let document = match tilesets {
        [one] => document_of(one),
        _ => DOCUMENT.to_owned(),
    };
    let opened = match tilesets {
        [one] => one.opener.opened(&document),
        _ => document.clone(),
    };
    let address = Escaped(&format!("{base}{opened}")).to_string();
    writeln!(
        xml,
        "<ows:ServiceIdentification><ows:Title>{}</ows:Title><ows:ServiceType>OGC WMTS</ows:ServiceType>\
         <ows:ServiceTypeVersion>1.0.0</ows:ServiceTypeVersion></ows:ServiceIdentification>",
        Escaped(title)
    )?;
    xml.push_str("<ows:OperationsMetadata>\n");
    let in_keys = in_keys(base, [&document, &opened], tilesets);
    let root = Escaped(base).to_string();
    for (operation, restful, in_keys) in [
        (
            "GetCapabilities",
            &address,
            in_keys.as_ref().map(|[document, _]| document),
        ),
        ("GetTile", &root, in_keys.as_ref().map(|[_, tile]| tile)),
    ] {
        writeln!(xml, "<ows:Operation name=\"{operation}\"><ows:DCP><ows:HTTP>")?;
        let in_keys = in_keys.map(|address| ("KVP", address));
        for (encoding, address) in std::iter::once(("RESTful", restful)).chain(in_keys) {
            writeln!(
                xml,
                "<ows:Get xlink:href=\"{address}\"><ows:Constraint name=\"GetEncoding\"><ows:AllowedValues>\
                 <ows:Value>{encoding}</ows:Value></ows:AllowedValues></ows:Constraint></ows:Get>"
            )?;
        }
        writeln!(xml, "</ows:HTTP></ows:DCP></ows:Operation>")?;
    }
    xml.push_str("</ows:OperationsMetadata>\n<Contents>\n");
    for tileset in tilesets {
        write_layer(xml, base, tileset)?;
    }
    let used = |set: &TileMatrixSet| {
        let on = tilesets.iter().flat_map(|tileset| &tileset.on);
        on.into_iter().any(|(grid, _)| grid.name() == set.id)
    };
    for set in grids.all().filter(|set| used(set)) {
        write_set(xml, &set)?;
    }
    writeln!(
        xml,
        "</Contents>\n<ServiceMetadataURL xlink:href=\"{address}\"/>\n</Capabilities>"
    )
}

/// The document of one tileset, on its grid where it has one.
fn document_of(tileset: &Tileset) -> String {
    match tileset.request.grids.as_slice() {
        [grid] => tileset
            .request
            .document_on(grid, DOCUMENT.trim_start_matches('/')),
        _ => tileset.request.document(DOCUMENT.trim_start_matches('/')),
    }
}

/// To what a client adds keys and values: for this document, and for a tile. Of several tilesets none where each opens with
/// something of its own.
fn in_keys(base: &str, [document, opened]: [&str; 2], tilesets: &[Tileset]) -> Option<[String; 2]> {
    let tile = match tilesets {
        [one] => {
            let grant = one.grant();
            let credentials = grant.trim_start_matches(['?', '&']);
            match (credentials.is_empty(), document.contains('?')) {
                (true, _) => document.to_owned(),
                (false, true) => format!("{document}&{credentials}"),
                (false, false) => format!("{document}?{credentials}"),
            }
        }
        several if several.iter().all(|tileset| tileset.grant().is_empty()) => document.to_owned(),
        _ => return None,
    };
    let address = |text: &str| {
        let mark = if text.contains('?') { "&" } else { "?" };
        Escaped(&format!("{base}{text}{mark}")).to_string()
    };
    Some([address(opened), address(&tile)])
}

fn write_layer(xml: &mut String, base: &str, tileset: &Tileset) -> fmt::Result {
    let on: Vec<_> = tileset
        .on
        .iter()
        .filter(|(grid, _)| urn(grid.set()).is_some())
        .collect();
    let Some((_, first)) = on.first() else {
        return Ok(());
    };
    let [west, south, east, north] = unwrapped(first.bounds);
    writeln!(xml, "<Layer>\n<ows:Title>{}</ows:Title>", Escaped(&tileset.title))?;
    if let Some(about) = tileset.layer.and_then(|layer| layer.description.as_ref()) {
        writeln!(xml, "<ows:Abstract>{}</ows:Abstract>", Escaped(about))?;
    }
    let request = &tileset.request;
    let legend = format!("{base}{}", tileset.opener.opened(&request.document("legend.png")));
    writeln!(
        xml,
        "<ows:WGS84BoundingBox><ows:LowerCorner>{west} {south}</ows:LowerCorner>\
         <ows:UpperCorner>{east} {north}</ows:UpperCorner></ows:WGS84BoundingBox>\n\
         <ows:Identifier>{}</ows:Identifier>\n\
         <Style isDefault=\"true\"><ows:Identifier>default</ows:Identifier>\
         <LegendURL format=\"image/png\" xlink:href=\"{}\"/></Style>\n<Format>{}</Format>",
        Escaped(&tileset.id),
        Escaped(&legend),
        Escaped(request.format.media_type()),
    )?;
    for (grid, extent) in &on {
        let set = grid.set();
        writeln!(
            xml,
            "<TileMatrixSetLink><TileMatrixSet>{}</TileMatrixSet><TileMatrixSetLimits>",
            Escaped(&set.id)
        )?;
        let zooms = extent.minzoom..=extent.maxzoom;
        for matrix in set.matrices.iter().filter(|matrix| zooms.contains(&matrix.zoom)) {
            let limits = limits(set, matrix, extent.bounds);
            writeln!(
                xml,
                "<TileMatrixLimits><TileMatrix>{}</TileMatrix><MinTileRow>{}</MinTileRow><MaxTileRow>{}</MaxTileRow>\
                 <MinTileCol>{}</MinTileCol><MaxTileCol>{}</MaxTileCol></TileMatrixLimits>",
                matrix.zoom, limits.rows.0, limits.rows.1, limits.columns.0, limits.columns.1
            )?;
        }
        writeln!(xml, "</TileMatrixSetLimits></TileMatrixSetLink>")?;
    }
    let template = format!(
        "{base}{}",
        request.template("{TileMatrix}/{TileCol}/{TileRow}") + &tileset.grant()
    );
    writeln!(
        xml,
        "<ResourceURL format=\"{}\" resourceType=\"tile\" template=\"{}\"/>\n</Layer>",
        Escaped(request.format.media_type()),
        Escaped(&template)
    )
}

fn write_set(xml: &mut String, set: &TileMatrixSet) -> fmt::Result {
    let Some(urn) = urn(set) else {
        return Ok(());
    };
    writeln!(
        xml,
        "<TileMatrixSet>\n<ows:Title>{}</ows:Title><ows:Identifier>{}</ows:Identifier>\
         <ows:SupportedCRS>{urn}</ows:SupportedCRS>",
        Escaped(&set.title),
        Escaped(&set.id)
    )?;
    if let Some(name) = grid::published(&set.id).and_then(|published| published.scale_set) {
        writeln!(
            xml,
            "<WellKnownScaleSet>urn:ogc:def:wkss:OGC:1.0:{name}</WellKnownScaleSet>"
        )?;
    }
    for matrix in &set.matrices {
        write_matrix(xml, set, matrix)?;
    }
    xml.push_str("</TileMatrixSet>\n");
    Ok(())
}

fn write_matrix(xml: &mut String, set: &TileMatrixSet, matrix: &TileMatrix) -> fmt::Result {
    let (x, y) = set.origin;
    let (first, second) = if is_north_first(set) { (y, x) } else { (x, y) };
    writeln!(
        xml,
        "<TileMatrix><ows:Identifier>{}</ows:Identifier><ScaleDenominator>{}</ScaleDenominator>\
         <TopLeftCorner>{first} {second}</TopLeftCorner><TileWidth>{size}</TileWidth><TileHeight>{size}</TileHeight>\
         <MatrixWidth>{}</MatrixWidth><MatrixHeight>{}</MatrixHeight></TileMatrix>",
        matrix.zoom,
        set.scale_denominator(matrix),
        matrix.width,
        matrix.height,
        size = set.tile_size,
    )
}

/// The name of a set's system, where it has one.
fn urn(set: &TileMatrixSet) -> Option<String> {
    match set.crs.authority()? {
        (_, 4326) if !is_north_first(set) => Some("urn:ogc:def:crs:OGC:1.3:CRS84".to_owned()),
        (registry, code) => Some(format!("urn:ogc:def:crs:{registry}::{code}")),
    }
}

/// The registered sets as they are published; an own one as the registry of its system has it.
fn is_north_first(set: &TileMatrixSet) -> bool {
    grid::published(&set.id).map_or_else(
        || set.crs.is_north_first(),
        |published| published.is_north_first(),
    )
}

/// Text as it stands in XML, in elements and attributes; control characters, which XML cannot hold, are left out.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_stand_in_the_order_of_the_system_that_is_named() {
        let corner = |name: &str| {
            let grid = Grids::default().parse(name).unwrap();
            let mut xml = String::new();
            write_set(&mut xml, grid.set()).unwrap();
            let of = |tag: &str| {
                xml.split(&format!("{tag}>"))
                    .nth(1)
                    .unwrap()
                    .trim_end_matches("</")
                    .to_owned()
            };
            (of("ows:SupportedCRS"), of("TopLeftCorner"))
        };
        let urn = |code: u32| format!("urn:ogc:def:crs:EPSG::{code}");
        assert_eq!(corner("WGS1984Quad"), (urn(4326), "90 -180".to_owned()));
        assert_eq!(
            corner("WorldCRS84Quad"),
            ("urn:ogc:def:crs:OGC:1.3:CRS84".to_owned(), "-180 90".to_owned())
        );
        assert_eq!(
            corner("EuropeanETRS89_LAEAQuad"),
            (urn(3035), "5500000 2000000".to_owned())
        );
        assert_eq!(corner("NZTM2000Quad").0, urn(2193));
        assert!(corner("NZTM2000Quad").1.starts_with("10438190.16"));
        assert!(corner("WebMercatorQuad").1.starts_with("-20037508.34"));
        assert_eq!(
            corner("UTM31WGS84Quad"),
            (urn(32631), "-9501965.72931276 20003931.4586255".to_owned())
        );
    }

    #[test]
    fn no_text_breaks_out() {
        assert_eq!(Escaped("a\"<b>&\u{0}c").to_string(), "a&quot;&lt;b&gt;&amp;c");
    }
}
