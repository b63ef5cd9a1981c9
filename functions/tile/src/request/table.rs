//! Routes and parameters as a table: what `/api` tells of them. Tests hold it to the parser.

mod parameters;

use super::{Format, Style};

pub use parameters::PARAMETERS;

/// Whose pixels a path is about: where it begins, and the parameters that name its sources.
#[derive(Clone, Copy, Debug)]
pub struct Prefix {
    /// The path that all begin with.
    pub path: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// Parameters that name the sources; the first is required where `needs_first`.
    pub sources: &'static [&'static str],
    /// Whether the first of them is required.
    pub needs_first: bool,
    /// Whether grids stand in its paths.
    pub has_grids: bool,
    /// Whether its files are those of a mosaic, which are never looked at all together.
    pub is_mosaic: bool,
}

/// Every prefix.
pub const PREFIXES: &[Prefix] = &[
    Prefix {
        path: "/tiles/{layer}",
        title: "a configured layer",
        sources: &[],
        needs_first: false,
        has_grids: false,
        is_mosaic: false,
    },
    Prefix {
        path: "/ndvi",
        title: "NDVI",
        sources: &["url", "red", "nir"],
        needs_first: false,
        has_grids: false,
        is_mosaic: false,
    },
    Prefix {
        path: "/index/{index}",
        title: "a spectral index",
        sources: &["url"],
        needs_first: false,
        has_grids: false,
        is_mosaic: false,
    },
    Prefix {
        path: "/cog",
        title: "a GeoTIFF",
        sources: &["url"],
        needs_first: true,
        has_grids: true,
        is_mosaic: false,
    },
    Prefix {
        path: "/stac",
        title: "assets of a STAC item",
        sources: &["url", "assets", "asset_as_band", "asset_bidx", "asset_expression"],
        needs_first: true,
        has_grids: true,
        is_mosaic: false,
    },
    Prefix {
        path: "/mosaicjson",
        title: "the files of a MosaicJSON document",
        sources: &["url", "pixel_selection", "assets", "asset_as_band"],
        needs_first: true,
        has_grids: true,
        is_mosaic: true,
    },
];

/// One path, behind a prefix or on its own.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The path, or what stands behind a prefix.
    pub path: &'static str,
    /// What it answers.
    pub title: &'static str,
    /// The media types that the answer may have.
    pub media_types: &'static [&'static str],
    /// Parameters that it reads beside those of sources.
    pub parameters: &'static [&'static str],
    /// Whether it is asked by POST, with GeoJSON as body.
    pub is_posted: bool,
    /// Whether it leads to another address.
    pub is_elsewhere: bool,
    /// Whether it is of all files together, and so not of mosaics.
    pub is_of_all: bool,
}

const JSON: &[&str] = &["application/json"];
const GEOJSON: &[&str] = &["application/geo+json"];
const XML: &[&str] = &["application/xml"];
const HTML: &[&str] = &["text/html"];
const PNG: &[&str] = &["image/png"];
/// Pictures, and values as arrays.
const PIXELS: &[&str] = &[
    Format::Png.media_type(),
    Format::Jpeg.media_type(),
    Format::Webp.media_type(),
    Format::Tif.media_type(),
    Format::Npy.media_type(),
];
/// What a colormap is told as.
const COLOURS: &[&str] = &[
    "application/json",
    Format::Png.media_type(),
    Format::Jpeg.media_type(),
    Format::Webp.media_type(),
];

const fn row(
    path: &'static str,
    title: &'static str,
    media_types: &'static [&'static str],
    parameters: &'static [&'static str],
) -> Row {
    Row {
        path,
        title,
        media_types,
        parameters,
        is_posted: false,
        is_elsewhere: false,
        is_of_all: false,
    }
}

const fn posted(row: Row) -> Row {
    Row {
        is_posted: true,
        ..row
    }
}

const fn elsewhere(row: Row) -> Row {
    Row {
        is_elsewhere: true,
        ..row
    }
}

const fn of_all(row: Row) -> Row {
    Row {
        is_of_all: true,
        ..row
    }
}

const BOX: &[&str] = &["max_size", "width", "height", "coord_crs", "dst_crs"];
const MAP: &[&str] = &["bbox", "bbox-crs", "crs", "width", "height", "max_size", "f"];
const TILEJSON: &[&str] = &["tile_format", "minzoom", "maxzoom"];
const STATISTICS: &[&str] = &[
    "max_size",
    "width",
    "height",
    "categorical",
    "c",
    "p",
    "histogram_bins",
    "histogram_range",
];

const OF_FEATURES: &[&str] = &[
    "max_size",
    "width",
    "height",
    "coord_crs",
    "dst_crs",
    "cover_scale",
    "categorical",
    "c",
    "p",
    "histogram_bins",
    "histogram_range",
];

/// What stands behind every prefix, but for what is of all files behind that of mosaics; all take the parameters of style. Of prefixes with grids, `{tms}` stands where it says so.
pub const BEHIND: &[Row] = &[
    row(
        "{tiles}/{z}/{x}/{y}",
        "a tile, in the format that Accept says",
        PIXELS,
        &[],
    ),
    row("{tiles}/{z}/{x}/{y}.{format}", "a tile", PIXELS, &[]),
    row(
        "{tiles}/{z}/{x}/{y}@{scale}x",
        "a tile with more pixels, in the format that Accept says",
        PIXELS,
        &[],
    ),
    row(
        "{tiles}/{z}/{x}/{y}@{scale}x.{format}",
        "a tile with more pixels",
        PIXELS,
        &[],
    ),
    row("{tms}/tilejson.json", "TileJSON", JSON, TILEJSON),
    row("/info", "what the files are", JSON, &[]),
    row("/info.geojson", "the same with outlines", GEOJSON, &[]),
    of_all(row(
        "/validate",
        "whether the file is a COG, and what a tile of it costs",
        JSON,
        &["strict"],
    )),
    row("/point/{lon},{lat}", "values at a place", JSON, &["coord_crs"]),
    of_all(row("/statistics", "what values come to", JSON, STATISTICS)),
    of_all(posted(row(
        "/statistics",
        "what values within a feature come to, or several",
        GEOJSON,
        OF_FEATURES,
    ))),
    posted(row(
        "/feature",
        "what lies within a feature, in the format that fits",
        PIXELS,
        BOX,
    )),
    posted(row(
        "/feature.{format}",
        "what lies within a feature",
        PIXELS,
        BOX,
    )),
    posted(row(
        "/feature/{width}x{height}",
        "what lies within a feature, of a size, in the format that fits",
        PIXELS,
        BOX,
    )),
    posted(row(
        "/feature/{width}x{height}.{format}",
        "what lies within a feature, of a size",
        PIXELS,
        BOX,
    )),
    of_all(row("/preview", "all of it, in the format that fits", PIXELS, BOX)),
    of_all(row("/preview.{format}", "all of it", PIXELS, BOX)),
    of_all(row(
        "/preview/{width}x{height}",
        "all of it, of a size, in the format that fits",
        PIXELS,
        BOX,
    )),
    of_all(row(
        "/preview/{width}x{height}.{format}",
        "all of it, of a size",
        PIXELS,
        BOX,
    )),
    row("/bbox/{minx},{miny},{maxx},{maxy}.{format}", "a box", PIXELS, BOX),
    row(
        "/bbox/{minx},{miny},{maxx},{maxy}/{width}x{height}.{format}",
        "a box, of a size",
        PIXELS,
        BOX,
    ),
    row("/map", "a map of OGC API - Maps", PIXELS, MAP),
    row(
        "/legend.png",
        "what the colours mean, as a picture",
        PNG,
        &["width", "height"],
    ),
    row("/legend.json", "what the colours mean", JSON, &[]),
    elsewhere(row("{tms}/map.html", "a page with a map of it", HTML, &[])),
    row("{tms}/WMTSCapabilities.xml", "WMTS", XML, TILEJSON),
    row("{tiles}", "metadata of a tileset", JSON, TILEJSON),
];

/// Paths on their own.
pub const ALONE: &[Row] = &[
    row("/cog/tiles", "tilesets of a GeoTIFF on all grids", JSON, &["url"]),
    row(
        "/cog/WMTSCapabilities.xml",
        "a GeoTIFF on all grids, as WMTS",
        XML,
        &["url"],
    ),
    row(
        "/stac/tiles",
        "tilesets of an item on all grids",
        JSON,
        &["url", "assets"],
    ),
    row(
        "/stac/WMTSCapabilities.xml",
        "an item on all grids, as WMTS",
        XML,
        &["url", "assets"],
    ),
    row("/stac/assets", "the keys of an item's GeoTIFFs", JSON, &["url"]),
    row(
        "/mosaicjson/tiles",
        "tilesets of a mosaic on all grids",
        JSON,
        &["url"],
    ),
    row(
        "/mosaicjson/WMTSCapabilities.xml",
        "a mosaic on all grids, as WMTS",
        XML,
        &["url"],
    ),
    row(
        "/mosaicjson/tiles/{tms}/{z}/{x}/{y}/assets",
        "the files of a tile",
        JSON,
        &["url"],
    ),
    row(
        "/mosaicjson/point/{lon},{lat}/assets",
        "the files at a place",
        JSON,
        &["url"],
    ),
    row(
        "/mosaicjson/bbox/{minx},{miny},{maxx},{maxy}/assets",
        "the files of a box",
        JSON,
        &["url"],
    ),
    row(
        "/tiles/{layer}/{tms}/{z}/{x}/{y}",
        "a tile of a layer on another grid, in the format that Accept says",
        PIXELS,
        Style::PARAMETERS,
    ),
    row(
        "/tiles/{layer}/{tms}/{z}/{x}/{y}.{format}",
        "a tile of a layer on another grid",
        PIXELS,
        Style::PARAMETERS,
    ),
    row(
        "/tiles/{layer}/{tms}/{z}/{x}/{y}@{scale}x",
        "a tile of a layer on another grid with more pixels, in the format that Accept says",
        PIXELS,
        Style::PARAMETERS,
    ),
    row(
        "/tiles/{layer}/{tms}/{z}/{x}/{y}@{scale}x.{format}",
        "a tile of a layer on another grid with more pixels",
        PIXELS,
        Style::PARAMETERS,
    ),
    row(
        "/tiles/{layer}/{tms}/tilejson.json",
        "TileJSON of a layer on another grid",
        JSON,
        TILEJSON,
    ),
    row(
        "/tiles/{layer}/{tms}",
        "metadata of a layer's tileset on another grid",
        JSON,
        TILEJSON,
    ),
    row(
        "/tiles/{layer}/{tms}/WMTSCapabilities.xml",
        "a layer on another grid, as WMTS",
        XML,
        TILEJSON,
    ),
    row("/tiles", "the tilesets of all layers", JSON, &[]),
    row("/WMTSCapabilities.xml", "all layers, as WMTS", XML, &[]),
    row("/", "the map", HTML, &[]),
    row("/viewer", "the map", HTML, &[]),
    elsewhere(row("/cog/viewer", "the map, of a GeoTIFF", HTML, &["url"])),
    elsewhere(row(
        "/stac/viewer",
        "the map, of an item",
        HTML,
        &["url", "assets"],
    )),
    row(
        "/viewer/config.json",
        "the layers, as the map reads them",
        JSON,
        &[],
    ),
    row("/ogc", "the landing page of OGC API", JSON, &[]),
    row("/conformance", "what is kept of OGC API", JSON, &[]),
    row("/colorMaps", "the names of all colormaps", JSON, &[]),
    row(
        "/colorMaps/{name}",
        "the colours of one, or a strip of them",
        COLOURS,
        &["f", "orientation", "width", "height"],
    ),
    row("/algorithms", "the algorithms", JSON, &[]),
    row("/algorithms/{name}", "one of them", JSON, &[]),
    row("/indices", "the spectral indices", JSON, &[]),
    row("/tileMatrixSets", "the tile matrix sets", JSON, &[]),
    row("/tileMatrixSets/{tms}", "one of them", JSON, &[]),
    row(
        "/api",
        "this document",
        &["application/vnd.oai.openapi+json;version=3.0"],
        &[],
    ),
    row("/api.html", "a page to try it", HTML, &[]),
    row("/healthz", "200 once requests are answered", JSON, &[]),
];

impl Prefix {
    /// What stands behind it.
    pub fn rows(&self) -> impl Iterator<Item = &'static Row> {
        BEHIND.iter().filter(|row| !(self.is_mosaic && row.is_of_all))
    }

    /// A path of [`BEHIND`] with this prefix.
    pub fn path_of(&self, row: &Row) -> String {
        let tiles = if self.has_grids { "/tiles/{tms}" } else { "" };
        let grid = if self.has_grids { "/{tms}" } else { "" };
        let behind = row.path.replacen("{tiles}", tiles, 1);
        let behind = match behind.strip_prefix("{tms}") {
            Some(rest) => format!("{grid}{rest}"),
            None => behind,
        };
        format!("{}{behind}", self.path)
    }

    /// Every parameter of such a path.
    pub fn parameters_of(&self, row: &Row) -> impl Iterator<Item = &'static str> {
        self.sources
            .iter()
            .chain(row.parameters)
            .chain(Style::PARAMETERS)
            .copied()
    }
}

#[cfg(test)]
mod tests;
