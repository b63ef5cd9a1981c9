//! WMTS's requests in pairs of keys and values (OGC 07-057r7, clauses 7.1.1, 7.2.1 and 8): each is brought to the path
//! that asks for the same, so that all that follows knows one spelling.
//!
//! They are sent to any `…/WMTSCapabilities.xml`. Keys are of any case (OWS Common, 06-121r3, clause 11.5.2), values are not.

use percent_encoding::percent_decode_str;

use super::{Format, Refused};

/// The keys, as they are written in lower case; `infra/edge/normalize.js` has the same.
pub const KEYS: &[&str] = &[
    "acceptversions",
    "format",
    "layer",
    "request",
    "service",
    "style",
    "tilecol",
    "tilematrix",
    "tilematrixset",
    "tilerow",
    "version",
];

/// The only version.
const VERSION: &str = "1.0.0";
/// The document below which such requests are answered.
const DOOR: &str = "/WMTSCapabilities.xml";
/// Where a source has one grid.
const WEB: &str = "WebMercatorQuad";
/// Parameters of a capabilities document that say nothing about one tile.
const OF_DOCUMENT: &[&str] = &["maxzoom", "minzoom", "tile_format", "tilesize", "use_epsg"];

/// What an exception report says is wrong (07-057r7, tables 20 and 27).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A request that is not answered.
    OperationNotSupported,
    /// A key that must be there.
    MissingParameterValue,
    /// A value that cannot be meant.
    InvalidParameterValue,
    /// A tile beyond its matrix.
    TileOutOfRange,
    /// No version that both sides know.
    VersionNegotiationFailed,
}

/// Keys with their values, and the rest of the query as it was sent.
struct Pairs<'a> {
    keys: Vec<(&'static str, String)>,
    rest: Vec<&'a str>,
}

/// The path and the query that ask for the same, of a request in keys and values; nothing where it is none.
pub fn restful(path: &str, raw_query: &str) -> Option<Result<(String, String), Refused>> {
    let door = path.strip_suffix(DOOR)?;
    let pairs = match Pairs::read(raw_query) {
        Ok(pairs) if pairs.given("service").or(pairs.given("request")).is_none() => return None,
        Ok(pairs) => pairs,
        Err(refused) => return Some(Err(refused)),
    };
    Some(pairs.restful(door))
}

impl<'a> Pairs<'a> {
    fn read(raw_query: &'a str) -> Result<Self, Refused> {
        let mut keys: Vec<(&'static str, String)> = Vec::new();
        let mut rest = Vec::new();
        for field in raw_query.split('&').filter(|field| !field.is_empty()) {
            let (name, value) = field.split_once('=').unwrap_or((field, ""));
            let Some(key) = KEYS.iter().find(|key| key.eq_ignore_ascii_case(name)) else {
                rest.push(field);
                continue;
            };
            if keys.iter().any(|(known, _)| known == key) {
                return Err(wrong(Fault::InvalidParameterValue, key, "stands more than once"));
            }
            let value = value.replace('+', " ");
            keys.push((
                key,
                percent_decode_str(&value).decode_utf8_lossy().trim().to_owned(),
            ));
        }
        Ok(Self { keys, rest })
    }

    fn restful(self, door: &str) -> Result<(String, String), Refused> {
        match self.given("service") {
            Some(service) if !service.eq_ignore_ascii_case("WMTS") => {
                return Err(invalid("service", "is not WMTS"));
            }
            _ => {}
        }
        match self.needed("request")?.to_ascii_lowercase().as_str() {
            "getcapabilities" => {
                let accepted = self.given("acceptversions").unwrap_or(VERSION);
                if !accepted.split(',').any(|version| version.trim() == VERSION) {
                    let fault = Fault::VersionNegotiationFailed;
                    return Err(wrong(fault, "acceptversions", "does not hold 1.0.0"));
                }
                Ok((format!("{door}{DOOR}"), self.rest.join("&")))
            }
            "gettile" => self.tile(door),
            _ => {
                let reason = "is not GetCapabilities or GetTile";
                Err(wrong(Fault::OperationNotSupported, "request", reason))
            }
        }
    }

    fn tile(self, door: &str) -> Result<(String, String), Refused> {
        if self.given("version").is_some_and(|version| version != VERSION) {
            return Err(invalid("version", "is not 1.0.0"));
        }
        if self
            .given("style")
            .is_some_and(|style| !style.eq_ignore_ascii_case("default"))
        {
            return Err(invalid("style", "is not default"));
        }
        let layer = plain("layer", self.needed("layer")?)?;
        let grid = plain("tilematrixset", self.needed("tilematrixset")?)?;
        let number = |key: &'static str| {
            let text = self.needed(key)?;
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            is_number
                .then_some(text)
                .ok_or_else(|| invalid(key, "is not a whole number"))
        };
        let (z, y, x) = (number("tilematrix")?, number("tilerow")?, number("tilecol")?);
        let format = self.format()?;
        let tiles = tiles(door, layer, grid)?;
        let is_of_tile = |field: &&&str| {
            let name = field.split('=').next().unwrap_or_default();
            !OF_DOCUMENT.iter().any(|other| other.eq_ignore_ascii_case(name))
        };
        let rest: Vec<&str> = self.rest.iter().filter(is_of_tile).copied().collect();
        Ok((
            format!("{tiles}/{z}/{x}/{y}.{}", format.extension()),
            rest.join("&"),
        ))
    }

    /// That of the key, or else of `tile_format`, or else PNG.
    fn format(&self) -> Result<Format, Refused> {
        if let Some(text) = self.given("format") {
            return Format::of_media_type(text).ok_or_else(|| invalid("format", "is not written here"));
        }
        let of_document = self
            .rest
            .iter()
            .find_map(|field| field.strip_prefix("tile_format="));
        of_document.map_or(Ok(Format::Png), |text| Format::parse("tile_format", text))
    }

    fn given(&self, key: &str) -> Option<&str> {
        let found = self.keys.iter().find(|(known, _)| *known == key);
        found
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    fn needed(&self, key: &'static str) -> Result<&str, Refused> {
        self.given(key)
            .ok_or_else(|| wrong(Fault::MissingParameterValue, key, "is missing"))
    }
}

/// Where the tiles of a door are, without `/{z}/{x}/{y}`.
fn tiles(door: &str, layer: &str, grid: &str) -> Result<String, Refused> {
    let unknown_grid = || invalid("tilematrixset", "is not one of this layer");
    let of_layer = || match grid {
        WEB => format!("/tiles/{layer}"),
        other => format!("/tiles/{layer}/{other}"),
    };
    let segments: Vec<&str> = door.split('/').skip(1).collect();
    match segments.as_slice() {
        [] => Ok(of_layer()),
        ["tiles", own] if *own == layer => Ok(of_layer()),
        ["tiles", own, on] if *own == layer && *on == grid => Ok(format!("/tiles/{layer}/{grid}")),
        ["tiles", own, _] if *own == layer => Err(unknown_grid()),
        ["tiles", ..] => Err(invalid("layer", "is not the one of this address")),
        [prefix @ ("cog" | "stac" | "mosaicjson")] => Ok(format!("/{prefix}/tiles/{grid}")),
        [prefix @ ("cog" | "stac" | "mosaicjson"), own] if *own == grid => {
            Ok(format!("/{prefix}/tiles/{grid}"))
        }
        ["ndvi"] | ["index", _] if grid == WEB => Ok(door.to_owned()),
        ["ndvi"] | ["index" | "cog" | "stac" | "mosaicjson", _] => Err(unknown_grid()),
        _ => Err(Refused::NoSuchPath),
    }
}

/// A name that is one segment of a path as it stands.
fn plain<'a>(key: &'static str, name: &'a str) -> Result<&'a str, Refused> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let is_name = name.bytes().all(is_plain) && !name.bytes().all(|byte| byte == b'.');
    is_name
        .then_some(name)
        .ok_or_else(|| invalid(key, "is not a name that is known here"))
}

fn invalid(key: &'static str, reason: &'static str) -> Refused {
    wrong(Fault::InvalidParameterValue, key, reason)
}

fn wrong(fault: Fault, key: &'static str, reason: &'static str) -> Refused {
    Refused::Kvp { fault, key, reason }
}

#[cfg(test)]
mod tests {
    use super::super::query::Query;
    use super::*;

    const TILE: &str = "SERVICE=WMTS&REQUEST=GetTile&VERSION=1.0.0&LAYER=ndvi&STYLE=default&FORMAT=image%2Fjpeg\
                        &TILEMATRIXSET=WebMercatorQuad&TILEMATRIX=12&TILEROW=1421&TILECOL=2179";

    fn of(path: &str, query: &str) -> Result<(String, String), Refused> {
        restful(path, query).unwrap()
    }

    fn ok(path: &str, query: &str) -> (String, String) {
        of(path, query).unwrap()
    }

    #[test]
    fn a_tile_in_keys_and_values_is_the_tile_of_its_path() {
        for (door, tiles) in [
            ("", "/tiles/ndvi"),
            ("/tiles/ndvi", "/tiles/ndvi"),
            ("/ndvi", "/ndvi"),
            ("/index/NDWI", "/index/NDWI"),
            ("/cog", "/cog/tiles/WebMercatorQuad"),
            ("/stac/WebMercatorQuad", "/stac/tiles/WebMercatorQuad"),
        ] {
            let path = format!("{door}/WMTSCapabilities.xml");
            assert_eq!(
                ok(&path, TILE),
                (format!("{tiles}/12/2179/1421.jpg"), String::new())
            );
        }
        // Keys in any case and order, other parameters as they were; those of the document are not the tile's.
        let odd = "url=a%20b.tif&tilecol=5&TileRow=6&tilematrix=3&tilematrixset=WGS1984Quad&layer=x&bidx=1\
                   &tilesize=512&request=gettile&service=wmts&tile_format=webp&bidx=2";
        assert_eq!(
            ok("/cog/WMTSCapabilities.xml", odd),
            (
                "/cog/tiles/WGS1984Quad/3/5/6.webp".to_owned(),
                "url=a%20b.tif&bidx=1&bidx=2".to_owned()
            )
        );
    }

    #[test]
    fn capabilities_are_the_document_without_the_keys() {
        assert_eq!(
            ok(
                "/cog/WMTSCapabilities.xml",
                "SERVICE=WMTS&url=a.tif&request=GetCapabilities&AcceptVersions=2.0.0,1.0.0"
            ),
            ("/cog/WMTSCapabilities.xml".to_owned(), "url=a.tif".to_owned())
        );
        assert_eq!(restful("/cog/WMTSCapabilities.xml", "url=a.tif"), None);
        assert_eq!(restful("/cog/info", TILE), None);
    }

    #[test]
    fn what_is_wrong_is_told_by_its_key() {
        use Fault::*;
        let without = |key: &str| {
            let left = TILE.split('&').filter(|field| !field.starts_with(key));
            left.collect::<Vec<_>>().join("&")
        };
        for (query, fault, key) in [
            ("SERVICE=WMTS".to_owned(), MissingParameterValue, "request"),
            (without("TILECOL"), MissingParameterValue, "tilecol"),
            (without("LAYER"), MissingParameterValue, "layer"),
            (without("TILEMATRIX="), MissingParameterValue, "tilematrix"),
            (TILE.replace("WMTS", "WMS"), InvalidParameterValue, "service"),
            (
                TILE.replace("GetTile", "GetFeatureInfo"),
                OperationNotSupported,
                "request",
            ),
            (TILE.replace("jpeg", "gif"), InvalidParameterValue, "format"),
            (TILE.replace("default", "other"), InvalidParameterValue, "style"),
            (TILE.replace("1.0.0", "1.1.0"), InvalidParameterValue, "version"),
            (TILE.replace("=1421", "=-1"), InvalidParameterValue, "tilerow"),
            (
                TILE.replace("LAYER=ndvi", "LAYER=a/../b"),
                InvalidParameterValue,
                "layer",
            ),
            (
                TILE.replace("LAYER=ndvi", "LAYER=.."),
                InvalidParameterValue,
                "layer",
            ),
            (
                TILE.replace("WebMercatorQuad", "a/b"),
                InvalidParameterValue,
                "tilematrixset",
            ),
            (format!("{TILE}&layer=b"), InvalidParameterValue, "layer"),
            (
                "request=GetCapabilities&acceptversions=1.1.0".to_owned(),
                VersionNegotiationFailed,
                "acceptversions",
            ),
        ] {
            let Err(Refused::Kvp {
                fault: told,
                key: named,
                ..
            }) = of("/WMTSCapabilities.xml", &query)
            else {
                panic!("{query}")
            };
            assert_eq!((told, named), (fault, key), "{query}");
        }
        assert!(of("/tiles/other/WMTSCapabilities.xml", TILE).is_err());
        let other_grid = TILE.replace("WebMercatorQuad", "WGS1984Quad");
        for door in ["/ndvi", "/index/NDWI", "/tiles/ndvi/NZTM2000Quad"] {
            let path = format!("{door}/WMTSCapabilities.xml");
            assert!(of(&path, &other_grid).is_err(), "{door}");
        }
        for door in ["", "/tiles/ndvi", "/tiles/ndvi/WGS1984Quad"] {
            let (tile, _) = ok(&format!("{door}/WMTSCapabilities.xml"), &other_grid);
            assert_eq!(tile, "/tiles/ndvi/WGS1984Quad/12/2179/1421.jpg");
        }
        assert!(of("/cog/WGS1984Quad/WMTSCapabilities.xml", TILE).is_err());
        assert_eq!(of("/nope/WMTSCapabilities.xml", TILE), Err(Refused::NoSuchPath));
    }

    /// A key that looked like a slip would be refused before anybody reads it as one.
    #[test]
    fn no_key_is_a_slip_of_a_parameter() {
        for key in KEYS {
            assert!(
                Query::parse(&format!("{}=1", key.to_uppercase())).is_ok(),
                "{key}"
            );
        }
    }
}
