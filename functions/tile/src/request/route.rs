//! The routes: which path asks for what.

mod line;
mod map;
mod passed_on;
mod posted;

use bytes::Bytes;
use http::{Method, Request};
use percent_encoding::percent_decode_str;

use self::line::Line;
use super::address::split_row;
use super::style::{read_bool, read_with};
use super::{
    Address, Asked, Assets, AssetsOf, AssetsRequest, ColorMapRequest, FeaturesRequest, Format, Frame, GRID,
    Grid, Grids, ImageRequest, InfoRequest, LegendRequest, Methods, Pairs, PointRequest, Query, Refused,
    Scale, Sidecars, StatisticsRequest, Style, TileJsonRequest, TilesetsForm, TilesetsRequest,
    ValidateRequest, Window, legend, place, source, statistics,
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
    /// Whether a source is a COG.
    Validate(ValidateRequest),
    /// What the values come to.
    Statistics(StatisticsRequest),
    /// What the values within outlines come to.
    Features(Box<FeaturesRequest>),
    /// The values at one place.
    Point(PointRequest),
    /// The assets of an item, or those of a mosaic at a place.
    Assets(AssetsRequest),
    /// A page or a file of the viewer, by its path below the root.
    Viewer(String),
    /// What stands at another address, relative to the one that was asked.
    Elsewhere(String),
    /// What the viewer shows.
    ViewerConfig,
    /// The names of all colormaps.
    ColorMaps,
    /// The colours of one colormap.
    ColorMap(ColorMapRequest),
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

impl Route {
    /// Reads a request; `grids` are those that it may name.
    pub fn read(request: &Request<Bytes>, grids: &Grids) -> Result<Self, Refused> {
        let (path, raw_query) = (request.uri().path(), request.uri().query().unwrap_or_default());
        if Self::has_body(request.method(), path) {
            return posted::read(path, raw_query, request);
        }
        Self::parse(request.method(), path, raw_query, grids)
    }

    /// Whether a request has a body that says something.
    pub fn has_body(method: &Method, path: &str) -> bool {
        let segments = segments(path).unwrap_or_default();
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        method == Method::POST && Methods::of(&segments) != Methods::Read
    }

    /// Reads a request line without a body: the path as it was sent, the query without its `?`.
    pub fn parse(method: &Method, path: &str, raw_query: &str, grids: &Grids) -> Result<Self, Refused> {
        let segments = segments(path)?;
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let methods = Methods::of(&segments);
        if methods == Methods::Post || !matches!(*method, Method::GET | Method::HEAD) {
            let is_there = methods != Methods::Read || is_there(path, grids);
            return Err(if is_there {
                Refused::Method(methods)
            } else {
                Refused::NoSuchPath
            });
        }
        // Its addresses are relative: from here the page would not find its files.
        if segments == ["viewer"] && path.ends_with('/') {
            return Err(Refused::NoSuchPath);
        }
        if let Some(route) = fixed(&segments, grids)? {
            return Ok(route);
        }
        let query = Query::parse(raw_query)?;
        match segments.as_slice() {
            // The way to the page at the root is relative: a slash more would lead elsewhere.
            [.., "map.html"] | ["cog" | "stac", "viewer"] if path.ends_with('/') => Err(Refused::NoSuchPath),
            [prefix @ .., "map.html"] => map::read(prefix, (&query, raw_query), grids),
            [kind @ ("cog" | "stac"), "viewer"] => map::viewer(kind, (&query, raw_query)),
            ["colorMaps", name] => ColorMapRequest::read(name, &query).map(Route::ColorMap),
            ["tiles"] => Ok(Route::AllTilesets(TilesetsForm::List)),
            ["WMTSCapabilities.xml"] => Ok(Route::AllTilesets(TilesetsForm::Wmts)),
            ["tiles", layer, rest @ ..] => Line::layer(layer)?.read_on_own_grids(rest, &query, grids),
            ["ndvi", rest @ ..] => Line::ndvi(&query)?.read(rest, &query),
            ["index", index, rest @ ..] => Line::index(index, &query)?.read(rest, &query),
            ["stac", "assets"] => read_assets(AssetsOf::Item, &query),
            ["mosaicjson", "tiles", grid, z, x, y, "assets"] => read_assets(
                AssetsOf::Tile(Address::parse(grids.parse(grid)?, z, x, y)?),
                &query,
            ),
            ["mosaicjson", "point", place, "assets"] => read_assets(AssetsOf::at(place, &query)?, &query),
            ["mosaicjson", "bbox", bounds, "assets"] => {
                read_assets(AssetsOf::within(bounds, &query)?, &query)
            }
            ["cog", rest @ ..] => Line::read_on_grids(Line::file, rest, &query, grids),
            ["stac", rest @ ..] => Line::read_on_grids(Line::item, rest, &query, grids),
            ["mosaicjson", rest @ ..] => Line::read_on_grids(Line::mosaic, rest, &query, grids),
            _ => Err(Refused::NoSuchPath),
        }
    }
}

/// Whether GET is answered at a path, whatever its query would have to say.
fn is_there(path: &str, grids: &Grids) -> bool {
    let told = Route::parse(&Method::GET, path, "url=a&assets=a", grids);
    !matches!(told, Err(Refused::NoSuchPath | Refused::Unknown { .. }))
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

impl Line {
    /// Paths of a layer, which name a grid where it is not the web's.
    fn read_on_own_grids(mut self, rest: &[&str], query: &Query, grids: &Grids) -> Result<Route, Refused> {
        let [named, rest @ ..] = rest else {
            return self.read(rest, query);
        };
        let is_of_grid = matches!(rest, [] | [_, _, _] | ["tilejson.json" | "WMTSCapabilities.xml"]);
        match grids.parse(named) {
            Ok(grid) if is_of_grid => {
                self.tiles = format!("{}/{named}", self.tiles);
                self.grid = grid;
                self.read(rest, query)
            }
            _ => self.read(&[&[*named], rest].concat(), query),
        }
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

    /// Paths that may name their grid.
    fn read_on_grids(
        of: fn(&Query, Grid) -> Result<Self, Refused>,
        rest: &[&str],
        query: &Query,
        grids: &Grids,
    ) -> Result<Route, Refused> {
        let on = |grid: &str| of(query, grids.parse(grid)?);
        let on_web = || of(query, Grid::web()?);
        match rest {
            [] => Err(Refused::NoSuchPath),
            ["tiles"] => on_web()?.read_all_tilesets(query, TilesetsForm::List, grids),
            ["tiles", grid] => on(grid)?.read_tilesets(query, TilesetsForm::One),
            ["WMTSCapabilities.xml"] => on_web()?.read_all_tilesets(query, TilesetsForm::Wmts, grids),
            [grid, "WMTSCapabilities.xml"] => on(grid)?.read_tilesets(query, TilesetsForm::Wmts),
            ["tiles", grid, rest @ ..] => on(grid)?.read_tile(rest, query),
            [grid, "tilejson.json"] => on(grid)?.read_tilejson(query),
            _ => on_web()?.read_about(rest, query),
        }
    }

    /// What has no tiles.
    fn read_about(self, rest: &[&str], query: &Query) -> Result<Route, Refused> {
        match rest {
            ["info"] => read_info(self.asked, false, query),
            ["info.geojson"] => read_info(self.asked, true, query),
            ["validate"] => Ok(Route::Validate(ValidateRequest {
                asked: self.asked,
                sidecars: Sidecars::read(query)?,
                is_strict: read_with(query, "strict", "true or false", read_bool)?.unwrap_or(false),
            })),
            [last @ ("legend.png" | "legend.json")] => self.read_legend(last, query),
            ["WMTSCapabilities.xml"] => self.read_tilesets(query, TilesetsForm::Wmts),
            ["point", place] => self.read_point(place, query),
            ["statistics"] => self.read_statistics(query),
            ["map"] => {
                let (window, format) = Window::map(query)?;
                self.read_window((window, Some(format)), query)
            }
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
        let [(lon_deg, lat_deg), given] = place::read(place, query)?;
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
            home: self.home,
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

impl AssetsOf {
    fn at(place: &str, query: &Query) -> Result<Self, Refused> {
        let [(lon, lat), _] = place::read(place, query)?;
        Ok(Self::Place(lon, lat))
    }

    fn within(bounds: &str, query: &Query) -> Result<Self, Refused> {
        let (window, _) = Window::bbox(&[bounds], query)?;
        window.area.map(Self::Area).ok_or(Refused::NoSuchPath)
    }
}

/// Where a document is, and which of the assets in it are meant.
fn read_members(query: &Query) -> Result<(String, Assets), Refused> {
    let url = source::read_document(query)?;
    Ok((url, Assets::read(query, &Style::parse(query)?)?))
}

fn read_assets(of: AssetsOf, query: &Query) -> Result<Route, Refused> {
    let url = source::read_document(query)?;
    Ok(Route::Assets(AssetsRequest { url, of }))
}
