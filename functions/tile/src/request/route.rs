//! The routes: which path asks for what.

use edgetile_raster::statistics::Options;
use http::Method;
use percent_encoding::percent_decode_str;

use super::address::split_row;
use super::{
    Address, Area, Asked, Assets, Bands, Format, Formula, Frame, GRID, Grid, Grids, IndexChoice, LayerName,
    LegendRequest, NamedCrs, Pairs, Query, Refused, Scale, Sidecars, Style, TilesetsForm, TilesetsRequest,
    Window, legend, ndvi, source, statistics,
};

/// Everything that can be asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Route {
    /// A picture, or its data: a tile, a preview, a box.
    Image(ImageRequest),
    /// Where the tiles are, for a map client.
    TileJson(TileJsonRequest),
    /// What a source is.
    Info(InfoRequest),
    /// What the values come to.
    Statistics(StatisticsRequest),
    /// The values at one place.
    Point(PointRequest),
    /// The assets of an item, or those of a mosaic at a place.
    Assets(AssetsRequest),
    /// A page or a file of the viewer, by its path below the root.
    Viewer(String),
    /// What the viewer shows.
    ViewerConfig,
    /// The names of all colormaps.
    ColorMaps,
    /// The entries of one colormap.
    ColorMap(String),
    /// The algorithms, or one of them.
    Algorithms(Option<String>),
    /// The spectral indices.
    Indices,
    /// The names of all tile matrix sets.
    TileMatrixSets,
    /// One tile matrix set.
    TileMatrixSet(Grid),
    /// What colours mean.
    Legend(Box<LegendRequest>),
    /// All tiles of a source, as map clients find them.
    Tilesets(TilesetsRequest),
    /// All tiles of all layers: WMTS capabilities, or a list.
    AllTilesets(TilesetsForm),
    /// What there is, for clients of OGC API.
    Landing,
    /// Which parts of OGC API are kept.
    Conformance,
    /// The routes, as OpenAPI.
    Api,
    /// A page to try them.
    ApiPage,
    /// Whether requests are answered.
    Health,
}

/// A picture, or its data.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageRequest {
    /// Whose pixels.
    pub asked: Asked,
    /// Which pixels.
    pub frame: Frame,
    /// In which form.
    pub format: Format,
    /// How pixels become a picture, as far as the request says.
    pub style: Style,
    /// What the route itself draws where the request is silent: NDVI.
    pub preset: Option<Box<Style>>,
}

/// A tilejson document.
#[derive(Clone, Debug, PartialEq)]
pub struct TileJsonRequest {
    /// Whose pixels.
    pub asked: Asked,
    /// On which grid.
    pub grid: Grid,
    /// The address of the tiles below the server's own, with `{z}`, `{x}`, `{y}` and their query.
    pub template: String,
    /// What the route itself is called, where it has a name of its own.
    pub name: Option<&'static str>,
    /// The lowest zoom, when the request sets it.
    pub minzoom: Option<u8>,
    /// The deepest zoom, when the request sets it.
    pub maxzoom: Option<u8>,
}

/// What a source is.
#[derive(Clone, Debug, PartialEq)]
pub struct InfoRequest {
    /// Which source.
    pub asked: Asked,
    /// Which files beside it are looked at, too.
    pub sidecars: Option<Sidecars>,
    /// Whether it is told as GeoJSON.
    pub is_feature: bool,
}

/// What the values come to.
#[derive(Clone, Debug, PartialEq)]
pub struct StatisticsRequest {
    /// Whose values, of which pixels.
    pub image: ImageRequest,
    /// What is asked of them.
    pub options: Options,
}

/// What a document names.
#[derive(Clone, Debug, PartialEq)]
pub struct AssetsRequest {
    /// Where the document is.
    pub url: String,
    /// Which of what it names.
    pub of: AssetsOf,
}

/// Which of the assets of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum AssetsOf {
    /// The keys of an item.
    Item,
    /// The files of a mosaic in a tile.
    Tile(Address),
    /// The files of a mosaic at a place, longitude and latitude in degrees.
    Place(f64, f64),
    /// The files of a mosaic in a box.
    Area(Area),
}

/// The values at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct PointRequest {
    /// Whose values.
    pub asked: Asked,
    /// The place as it was written, in the CRS that the request names.
    pub given: (f64, f64),
    /// Longitude in degrees east, WGS84, -180 to 360.
    pub lon_deg: f64,
    /// Latitude in degrees north, WGS84.
    pub lat_deg: f64,
    /// Which bands and what arithmetic.
    pub style: Style,
}

/// Whose pixels a route is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Subject<'a> {
    /// Nobody's, or every layer's.
    None,
    /// A layer's, or of a file that the request names.
    Asked(&'a Asked),
    /// A document's that the request names.
    Document,
}

impl Route {
    /// Whose pixels it is about.
    pub fn subject(&self) -> Subject<'_> {
        match self {
            Self::Image(request) => Subject::Asked(&request.asked),
            Self::TileJson(request) => Subject::Asked(&request.asked),
            Self::Info(request) => Subject::Asked(&request.asked),
            Self::Point(request) => Subject::Asked(&request.asked),
            Self::Statistics(request) => Subject::Asked(&request.image.asked),
            Self::Legend(request) => Subject::Asked(&request.asked),
            Self::Tilesets(request) => Subject::Asked(&request.asked),
            Self::Assets(_) => Subject::Document,
            Self::AllTilesets(_)
            | Self::Viewer(_)
            | Self::ViewerConfig
            | Self::ColorMaps
            | Self::ColorMap(_)
            | Self::Algorithms(_)
            | Self::Indices
            | Self::TileMatrixSets
            | Self::TileMatrixSet(_)
            | Self::Landing
            | Self::Conformance
            | Self::Api
            | Self::ApiPage
            | Self::Health => Subject::None,
        }
    }

    /// Reads a request line: the path as it was sent, the query without its `?`; `grids` are those that it may name.
    pub fn parse(method: &Method, path: &str, raw_query: &str, grids: &Grids) -> Result<Self, Refused> {
        if method != Method::GET && method != Method::HEAD {
            return Err(Refused::Method);
        }
        let segments = segments(path)?;
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        // Its addresses are relative: from here the page would not find its files.
        if segments == ["viewer"] && path.ends_with('/') {
            return Err(Refused::NoSuchPath);
        }
        if let Some(route) = fixed(&segments, grids)? {
            return Ok(route);
        }
        let query = Query::parse(raw_query)?;
        match segments.as_slice() {
            ["tiles"] => Ok(Route::AllTilesets(TilesetsForm::List)),
            ["WMTSCapabilities.xml"] => Ok(Route::AllTilesets(TilesetsForm::Wmts)),
            ["cog", "tiles"] => {
                Line::file(&query, Grid::web()?)?.read_all_tilesets(&query, TilesetsForm::List, grids)
            }
            ["cog", "tiles", grid] => {
                Line::file(&query, grids.parse(grid)?)?.read_tilesets(&query, TilesetsForm::One)
            }
            ["cog", "WMTSCapabilities.xml"] => {
                Line::file(&query, Grid::web()?)?.read_all_tilesets(&query, TilesetsForm::Wmts, grids)
            }
            ["cog", grid, "WMTSCapabilities.xml"] => {
                Line::file(&query, grids.parse(grid)?)?.read_tilesets(&query, TilesetsForm::Wmts)
            }
            ["tiles", layer, rest @ ..] => Line::layer(layer)?.read(rest, &query),
            ["ndvi", rest @ ..] => Line::ndvi(&query)?.read(rest, &query),
            ["index", index, rest @ ..] => Line::index(index, &query)?.read(rest, &query),
            ["cog", "tiles", grid, rest @ ..] => {
                Line::file(&query, grids.parse(grid)?)?.read_tile(rest, &query)
            }
            ["cog", grid, "tilejson.json"] => Line::file(&query, grids.parse(grid)?)?.read_tilejson(&query),
            ["cog", rest @ ..] if !rest.is_empty() => {
                Line::file(&query, Grid::web()?)?.read_about(rest, &query)
            }
            ["stac", "tiles"] => {
                Line::item(&query, Grid::web()?)?.read_all_tilesets(&query, TilesetsForm::List, grids)
            }
            ["stac", "tiles", grid] => {
                Line::item(&query, grids.parse(grid)?)?.read_tilesets(&query, TilesetsForm::One)
            }
            ["stac", "WMTSCapabilities.xml"] => {
                Line::item(&query, Grid::web()?)?.read_all_tilesets(&query, TilesetsForm::Wmts, grids)
            }
            ["stac", grid, "WMTSCapabilities.xml"] => {
                Line::item(&query, grids.parse(grid)?)?.read_tilesets(&query, TilesetsForm::Wmts)
            }
            ["stac", "tiles", grid, rest @ ..] => {
                Line::item(&query, grids.parse(grid)?)?.read_tile(rest, &query)
            }
            ["stac", grid, "tilejson.json"] => Line::item(&query, grids.parse(grid)?)?.read_tilejson(&query),
            ["stac", "assets"] => read_assets(AssetsOf::Item, &query),
            ["mosaicjson", "tiles"] => {
                Line::mosaic(&query, Grid::web()?)?.read_all_tilesets(&query, TilesetsForm::List, grids)
            }
            ["mosaicjson", "tiles", grid] => {
                Line::mosaic(&query, grids.parse(grid)?)?.read_tilesets(&query, TilesetsForm::One)
            }
            ["mosaicjson", "WMTSCapabilities.xml"] => {
                Line::mosaic(&query, Grid::web()?)?.read_all_tilesets(&query, TilesetsForm::Wmts, grids)
            }
            ["mosaicjson", grid, "WMTSCapabilities.xml"] => {
                Line::mosaic(&query, grids.parse(grid)?)?.read_tilesets(&query, TilesetsForm::Wmts)
            }
            ["mosaicjson", "tiles", grid, z, x, y, "assets"] => read_assets(
                AssetsOf::Tile(Address::parse(grids.parse(grid)?, z, x, y)?),
                &query,
            ),
            ["mosaicjson", "tiles", grid, rest @ ..] => {
                Line::mosaic(&query, grids.parse(grid)?)?.read_tile(rest, &query)
            }
            ["mosaicjson", grid, "tilejson.json"] => {
                Line::mosaic(&query, grids.parse(grid)?)?.read_tilejson(&query)
            }
            ["mosaicjson", "point", place, "assets"] => read_assets(AssetsOf::at(place, &query)?, &query),
            ["mosaicjson", "bbox", bounds, "assets"] => {
                read_assets(AssetsOf::within(bounds, &query)?, &query)
            }
            ["mosaicjson", rest @ ..] => Line::mosaic(&query, Grid::web()?)?.read_about(rest, &query),
            ["stac", rest @ ..] => Line::item(&query, Grid::web()?)?.read_about(rest, &query),
            _ => Err(Refused::NoSuchPath),
        }
    }
}

/// The routes without parameters.
fn fixed(segments: &[&str], grids: &Grids) -> Result<Option<Route>, Refused> {
    Ok(Some(match segments {
        [] => Route::Viewer(String::new()),
        ["healthz"] => Route::Health,
        ["ogc"] => Route::Landing,
        ["api"] => Route::Api,
        ["api.html"] => Route::ApiPage,
        ["conformance"] => Route::Conformance,
        ["viewer", "config.json"] => Route::ViewerConfig,
        ["viewer", rest @ ..] => Route::Viewer(rest.join("/")),
        ["colorMaps"] => Route::ColorMaps,
        ["colorMaps", name] => Route::ColorMap((*name).to_owned()),
        ["algorithms"] => Route::Algorithms(None),
        ["algorithms", name] => Route::Algorithms(Some((*name).to_owned())),
        ["indices"] => Route::Indices,
        ["tileMatrixSets"] => Route::TileMatrixSets,
        ["tileMatrixSets", name] => Route::TileMatrixSet(grids.parse(name)?),
        _ => return Ok(None),
    }))
}

/// Decoded path segments; an empty last one (a trailing slash) is dropped.
fn segments(path: &str) -> Result<Vec<String>, Refused> {
    let path = path.strip_prefix('/').unwrap_or(path);
    let path = path.strip_suffix('/').unwrap_or(path);
    if path.is_empty() {
        return Ok(Vec::new());
    }
    path.split('/')
        .map(|part| {
            Ok(percent_decode_str(part)
                .decode_utf8()
                .map_err(|_| Refused::NoSuchPath)?
                .into_owned())
        })
        .collect()
}

/// What a prefix of paths has in common: its sources, its preset, where its tiles are.
struct Line {
    asked: Asked,
    grid: Grid,
    preset: Option<Box<Style>>,
    /// Where the tiles are, without `/{z}/{x}/{y}`.
    tiles: String,
    /// What it is called, where it has a name of its own.
    name: Option<&'static str>,
    /// The parameters that name its sources, where they are its own.
    spelt: &'static [&'static str],
}

impl Line {
    fn layer(name: &str) -> Result<Self, Refused> {
        let name = LayerName::new(name).ok_or(Refused::Unknown { kind: "layer" })?;
        Ok(Self {
            tiles: format!("/tiles/{name}"),
            asked: Asked::Layer(name),
            grid: Grid::web()?,
            preset: None,
            name: None,
            spelt: &[],
        })
    }

    fn file(query: &Query, grid: Grid) -> Result<Self, Refused> {
        let tiles = format!("/cog/tiles/{}", grid.name());
        Ok(Self {
            asked: source::read(query)?,
            grid,
            preset: None,
            tiles,
            name: None,
            spelt: &[],
        })
    }

    fn ndvi(query: &Query) -> Result<Self, Refused> {
        let (asked, style) = ndvi::read(query)?;
        Ok(Self {
            asked,
            grid: Grid::web()?,
            preset: Some(Box::new(style)),
            tiles: "/ndvi".to_owned(),
            name: Some("NDVI"),
            spelt: &["nir", "red", "url"],
        })
    }

    /// Assets of an item.
    fn item(query: &Query, grid: Grid) -> Result<Self, Refused> {
        let tiles = format!("/stac/tiles/{}", grid.name());
        let asked = Asked::Item {
            url: source::read_document(query)?,
            assets: Assets::read(query, &Style::parse(query)?)?,
        };
        Ok(Self {
            asked,
            grid,
            preset: None,
            tiles,
            name: None,
            spelt: &[],
        })
    }

    /// A mosaic.
    fn mosaic(query: &Query, grid: Grid) -> Result<Self, Refused> {
        let tiles = format!("/mosaicjson/tiles/{}", grid.name());
        let asked = Asked::Mosaic {
            url: source::read_document(query)?,
            assets: Assets::read(query, &Style::parse(query)?)?,
        };
        Ok(Self {
            asked,
            grid,
            preset: None,
            tiles,
            name: None,
            spelt: &[],
        })
    }

    /// A spectral index of what `url` names, or of the first layer.
    fn index(text: &str, query: &Query) -> Result<Self, Refused> {
        let choice = IndexChoice::parse(text)?;
        let is_named = query
            .names()
            .any(|name| name == "url" || name.starts_with("url."));
        let (tiles, name) = (format!("/index/{choice}"), choice.index().name);
        let preset = Style {
            bands: Some(Bands::Expression(Formula::of_index(choice)?)),
            ..Style::default()
        };
        let asked = if is_named {
            match source::read(query)? {
                Asked::Url(url) => source::of_url(url, &preset),
                asked => asked,
            }
        } else {
            Asked::FirstLayer
        };
        Ok(Self {
            asked,
            grid: Grid::web()?,
            tiles,
            name: Some(name),
            preset: Some(Box::new(preset)),
            spelt: &[],
        })
    }

    fn read(self, rest: &[&str], query: &Query) -> Result<Route, Refused> {
        match rest {
            ["bbox", ..] => self.read_about(rest, query),
            [_, _, _] => self.read_tile(rest, query),
            ["tilejson.json"] => self.read_tilejson(query),
            [] => self.read_tilesets(query, TilesetsForm::One),
            _ => self.read_about(rest, query),
        }
    }

    /// What has no tiles.
    fn read_about(self, rest: &[&str], query: &Query) -> Result<Route, Refused> {
        match rest {
            ["info"] => read_info(self.asked, false, query),
            ["info.geojson"] => read_info(self.asked, true, query),
            [last @ ("legend.png" | "legend.json")] => self.read_legend(last, query),
            ["WMTSCapabilities.xml"] => self.read_tilesets(query, TilesetsForm::Wmts),
            ["point", place] => self.read_point(place, query),
            ["statistics"] => self.read_statistics(query),
            ["bbox", rest @ ..] => self.read_window(Window::bbox(rest, query)?, query),
            [first, rest @ ..] => match first.strip_prefix("preview") {
                Some(extension) => {
                    let segments = [&[extension], rest].concat();
                    self.read_window(Window::preview(&segments, query)?, query)
                }
                None => Err(Refused::NoSuchPath),
            },
            [] => Err(Refused::NoSuchPath),
        }
    }

    fn read_tile(self, rest: &[&str], query: &Query) -> Result<Route, Refused> {
        let [z, x, last] = rest else {
            return Err(Refused::NoSuchPath);
        };
        let (y, scale, format) = split_row(last)?;
        let address = Address::parse(self.grid.clone(), z, x, y)?;
        self.image(Frame::Tile(address, scale), format, query)
            .map(Route::Image)
    }

    fn image(self, frame: Frame, format: Option<Format>, query: &Query) -> Result<ImageRequest, Refused> {
        let request = ImageRequest {
            asked: self.asked,
            frame,
            format: format.unwrap_or(Format::Fitting),
            style: Style::parse(query)?,
            preset: self.preset,
        };
        let several_need_words =
            matches!(request.asked, Asked::Urls(_)) && request.wanted_style().bands.is_none();
        if several_need_words {
            return Err(Refused::parameter(
                "expression",
                "is missing: several files need one, such as red;green;blue",
            ));
        }
        if let Frame::Tile(address, scale) = &request.frame {
            request.style.edge_px(address.grid(), *scale)?;
        }
        Ok(request)
    }

    fn read_window(
        self,
        (window, format): (Window, Option<Format>),
        query: &Query,
    ) -> Result<Route, Refused> {
        self.image(Frame::Window(window), format, query).map(Route::Image)
    }

    fn read_statistics(self, query: &Query) -> Result<Route, Refused> {
        let (window, _) = Window::preview(&[""], query)?;
        let mut image = self.image(Frame::Window(window), Some(Format::Npy), query)?;
        image.style = image.style.without_colours();
        Ok(Route::Statistics(StatisticsRequest {
            image,
            options: statistics::read(query)?,
        }))
    }

    fn read_point(self, place: &str, query: &Query) -> Result<Route, Refused> {
        let [(lon_deg, lat_deg), given] = read_place(place, query)?;
        let style = Style::parse(query)?.over(&self.preset.unwrap_or_default());
        Ok(Route::Point(PointRequest {
            asked: self.asked,
            given,
            lon_deg,
            lat_deg,
            style,
        }))
    }

    fn read_legend(self, last: &str, query: &Query) -> Result<Route, Refused> {
        Ok(Route::Legend(Box::new(LegendRequest {
            style: Style::parse(query)?.over(&self.preset.unwrap_or_default()),
            asked: self.asked,
            name: self.name,
            size: legend::size(query)?,
            is_json: last == "legend.json",
        })))
    }

    fn read_tilejson(self, query: &Query) -> Result<Route, Refused> {
        let zoom = |name: &str| match query.one(name)?.map(|text| (text, text.parse::<u8>())) {
            None => Ok(None),
            Some((_, Ok(zoom))) if zoom <= self.grid.deepest_zoom() => Ok(Some(zoom)),
            Some(_) => Err(Refused::parameter(name, "is not a zoom of the grid")),
        };
        let format = read_tile_format(query)?;
        let mut style = Style::parse(query)?;
        // MapLibre draws a raster source in 512 pixels unless told otherwise, and TiTiler 2 answers so.
        let scale = match style.tilesize_px.unwrap_or(512) {
            edge if edge % 256 == 0 && edge <= 1024 => {
                style.tilesize_px = None;
                Scale::new((edge / 256) as u8).unwrap_or(Scale::ONE)
            }
            _ => Scale::ONE,
        };
        let tail = self.tail(query, &style, scale, format)?;
        let template = format!("{}/{{z}}/{{x}}/{{y}}{tail}", self.tiles);
        let (minzoom, maxzoom) = (zoom("minzoom")?, zoom("maxzoom")?);
        if minzoom.zip(maxzoom).is_some_and(|(min, max)| min > max) {
            return Err(Refused::parameter("minzoom", "is above maxzoom"));
        }
        Ok(Route::TileJson(TileJsonRequest {
            name: self.name,
            asked: self.asked,
            grid: self.grid,
            template,
            minzoom,
            maxzoom,
        }))
    }

    /// What stands behind a tile's row.
    fn tail(&self, query: &Query, style: &Style, scale: Scale, format: Format) -> Result<String, Refused> {
        let mut pairs = self.asked_pairs(query)?;
        let of_style = style.pairs().into_iter();
        pairs.extend(of_style.map(|(name, value)| (name.to_owned(), value)));
        let pairs: Vec<(&str, String)> = pairs
            .iter()
            .map(|(name, value)| (name.as_str(), value.clone()))
            .collect();
        let mark = if pairs.is_empty() { "" } else { "?" };
        Ok(format!("{scale}.{}{mark}{}", format.extension(), Pairs(&pairs)))
    }

    /// The size of tiles is the grid's: WMTS and OGC's clients believe it.
    fn read_tilesets(self, query: &Query, form: TilesetsForm) -> Result<Route, Refused> {
        let style = Style {
            tilesize_px: None,
            ..Style::parse(query)?
        };
        let format = read_tile_format(query)?;
        Ok(Route::Tilesets(TilesetsRequest {
            tail: self.tail(query, &style, Scale::ONE, format)?,
            home: match self.tiles.split_once("/tiles/") {
                Some((prefix, _)) if !prefix.is_empty() => prefix.to_owned(),
                _ => self.tiles.clone(),
            },
            asked: self.asked,
            name: self.name,
            grids: vec![self.grid],
            format,
            tiles: self.tiles,
            form,
        }))
    }

    /// The same on all grids.
    fn read_all_tilesets(
        mut self,
        query: &Query,
        form: TilesetsForm,
        grids: &Grids,
    ) -> Result<Route, Refused> {
        self.tiles = self.tiles.replace(self.grid.name(), GRID);
        let route = self.read_tilesets(query, form)?;
        let names: Vec<String> = grids.all().map(|set| set.id.clone()).collect();
        let all = names.iter().map(|name| grids.parse(name));
        match route {
            Route::Tilesets(request) => Ok(Route::Tilesets(TilesetsRequest {
                grids: all.collect::<Result<_, _>>()?,
                ..request
            })),
            other => Ok(other),
        }
    }

    /// The pairs that name the sources, as this line spells them.
    fn asked_pairs(&self, query: &Query) -> Result<Vec<(String, String)>, Refused> {
        if self.spelt.is_empty() {
            return Ok(self.asked.pairs());
        }
        let mut pairs = Vec::new();
        for name in self.spelt {
            pairs.extend(
                query
                    .one(name)?
                    .map(|value| ((*name).to_owned(), value.to_owned())),
            );
        }
        Ok(pairs)
    }
}

fn read_tile_format(query: &Query) -> Result<Format, Refused> {
    match query.one("tile_format")? {
        Some(text) => Format::parse("tile_format", text),
        None => Ok(Format::default()),
    }
}

/// `info` or `info.geojson`.
fn read_info(asked: Asked, is_feature: bool, query: &Query) -> Result<Route, Refused> {
    Ok(Route::Info(InfoRequest {
        asked,
        sidecars: Sidecars::read(query)?,
        is_feature,
    }))
}

/// `lon,lat` in degrees, or x and y of `coord_crs`; beside them as they were given.
fn read_place(place: &str, query: &Query) -> Result<[(f64, f64); 2], Refused> {
    let wrong = || Refused::parameter("point", "is not lon,lat in degrees, such as 11.58,48.14");
    let (x, y) = place.split_once(',').ok_or_else(wrong)?;
    let given: (f64, f64) = (
        x.trim().parse().map_err(|_| wrong())?,
        y.trim().parse().map_err(|_| wrong())?,
    );
    let (lon_deg, lat_deg) = match NamedCrs::read(query, ["coord_crs", "coord-crs"])? {
        Some(named) if named != NamedCrs::wgs84()? => {
            let outside = || Refused::parameter("point", "is no place of its coord_crs");
            named.crs().inverse(given.0, given.1).ok_or_else(outside)?
        }
        _ => given,
    };
    if !(-180.0..=360.0).contains(&lon_deg) || !(-90.0..=90.0).contains(&lat_deg) {
        return Err(wrong());
    }
    Ok([(lon_deg, lat_deg), given])
}

impl AssetsOf {
    fn at(place: &str, query: &Query) -> Result<Self, Refused> {
        let [(lon, lat), _] = read_place(place, query)?;
        Ok(Self::Place(lon, lat))
    }

    fn within(bounds: &str, query: &Query) -> Result<Self, Refused> {
        let (window, _) = Window::bbox(&[bounds], query)?;
        window.area.map(Self::Area).ok_or(Refused::NoSuchPath)
    }
}

fn read_assets(of: AssetsOf, query: &Query) -> Result<Route, Refused> {
    let url = source::read_document(query)?;
    Ok(Route::Assets(AssetsRequest { url, of }))
}

impl ImageRequest {
    /// The style that this request asks for on its own: its words, then its route's preset.
    pub fn wanted_style(&self) -> Style {
        match &self.preset {
            Some(preset) => self.style.clone().over(preset),
            None => self.style.clone(),
        }
    }
}
