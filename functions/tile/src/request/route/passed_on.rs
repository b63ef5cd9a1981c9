//! Addresses that are passed on before anybody asks them: whether they will be answered, as far as their text tells.

use std::sync::Arc;

use bytes::Bytes;
use edgetile_raster::grid::TileMatrixSet;
use http::{Method, Request};

use super::{Route, posted, segments};
use crate::request::{Grid, Grids, Refused};

/// A body for addresses that want one.
const SOME_FEATURE: &[u8] = br#"{"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}}"#;

impl Route {
    /// Why an address will never be answered that is asked by a method, with some feature where that is POST. `{z}`, `{x}`, `{y}`
    /// and `{r}` in its path stand for any tile, and what is no registered grid's name may be that of a server's own.
    pub fn foresee(method: &Method, path: &str, raw_query: &str) -> Result<(), Refused> {
        let path = of_one_tile(path);
        let read = |grids: &Grids| {
            if Self::has_body(method, &path) {
                let request = Request::new(Bytes::from_static(SOME_FEATURE));
                return posted::read(&path, raw_query, &request);
            }
            Self::parse(method, &path, raw_query, grids)
        };
        match read(&Grids::default()) {
            Err(refused @ (Refused::NoSuchPath | Refused::Unknown { .. })) => {
                match read(&any_grid(&path)?) {
                    // Which tiles there are on a grid of the server's own is not known here.
                    Ok(_) | Err(Refused::OffGrid { .. }) => Ok(()),
                    Err(_) => Err(refused),
                }
            }
            told => told.map(|_| ()),
        }
    }
}

/// A template with numbers.
fn of_one_tile(template: &str) -> String {
    let places = [("z", "0"), ("x", "0"), ("y", "0"), ("r", "")];
    places.iter().fold(template.to_owned(), |path, (name, value)| {
        let path = path.replace(&format!("{{{name}}}"), value);
        path.replace(&format!("%7B{name}%7D"), value)
    })
}

/// Grids of every name in a path.
fn any_grid(path: &str) -> Result<Grids, Refused> {
    let web = Grid::web()?;
    let called = |id: String| {
        Arc::new(TileMatrixSet {
            id,
            ..TileMatrixSet::clone(web.set())
        })
    };
    Ok(Grids::with(segments(path)?.into_iter().map(called).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_never_open_is_told_in_the_words_of_the_refusal() {
        let told = |method: Method, address: &str| {
            let (path, query) = address.split_once('?').unwrap_or((address, ""));
            Route::foresee(&method, path, query).map_err(|refused| refused.to_string())
        };
        for (method, address) in [
            (Method::GET, "/tiles/ndvi/{z}/{x}/{y}.png"),
            (Method::GET, "/tiles/ndvi/{z}/{x}/{y}{r}.png"),
            (Method::GET, "/tiles/ndvi/%7Bz%7D/%7Bx%7D/%7By%7D@2x"),
            (Method::GET, "/tiles/ndvi/Alps/9/5/7.png"),
            (Method::GET, "/tiles/ndvi/Alps/{z}/{x}/{y}.png"),
            (Method::GET, "/cog/tiles/Alps/{z}/{x}/{y}.png?url=a.tif"),
            (Method::GET, "/tiles/ndvi/tilejson.json"),
            (Method::POST, "/cog/feature.png?url=a.tif&coord_crs=EPSG:32633"),
            (Method::POST, "/ndvi/statistics"),
        ] {
            assert_eq!(told(method, address), Ok(()), "{address}");
        }
        for (method, address, words) in [
            (Method::GET, "/nix", "there is nothing at this path"),
            (
                Method::GET,
                "/cog/feature.png?url=a.tif",
                "only POST is answered here",
            ),
            (
                Method::POST,
                "/cog/info?url=a.tif",
                "only GET and HEAD are answered here",
            ),
            (
                Method::GET,
                "/tiles/ndvi/0/0/7.png",
                "tile 0/0/7 is not on the grid",
            ),
            (Method::GET, "/cog/info", "url is missing"),
            (Method::GET, "/tiles/ndvi/0/0/0.gif", ""),
            (
                Method::GET,
                "/tiles/a%2Fb/0/0/0.png",
                "there is no layer of this name",
            ),
        ] {
            let message = told(method, address).unwrap_err();
            assert!(message.starts_with(words), "{address}: {message}");
        }
    }
}
