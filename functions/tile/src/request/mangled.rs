//! Requests that nobody would write: known ones with pieces cut out, doubled, swapped and spoilt. Whatever comes of them, the
//! parser answers.

use bytes::Bytes;
use http::{Method, Request};

use super::{Grids, Route, kvp};

const TARGETS: &[&str] = &[
    "/cog/tiles/WebMercatorQuad/12/2143/1478@2x.webp?url=a.tif&bidx=4&bidx=3&rescale=0,3000&rescale=p2,p98&color_formula=gamma%20RGB%201.2",
    "/cog/preview/640x480.png?url.red=r.tif&url.nir=n.tif&expression=where(%22Rain%20Rate%22%3E0x1F,(nir-red)/(nir%2Bred),-b1**2);b2&max_size=9",
    "/cog/bbox/11.5,48,0,12,49/64x64.npy?url=a.tif&coord_crs=EPSG:4326&dst_crs=%2Bproj%3Dutm%20%2Bzone%3D33&nodata=-1e400&buffer=1.5",
    "/cog/map?url=a.tif&bbox=1e6,6e6,0,2e6,7e6,9&bbox-crs=http://www.opengis.net/def/crs/EPSG/0/3857&crs=3035&f=jpeg",
    "/stac/tiles/WGS1984Quad/3/5/2.png?url=i.json&assets=red|bidx=1,2&assets=nir,swir&asset_bidx=nir|1&asset_as_band=true",
    "/mosaicjson/point/11.5,48.1?url=m.json&pixel_selection=highest&algorithm=contours&algorithm_params=%7B%22minz%22:-5e3%7D",
    "/tiles/layer/UTM31WGS84Quad/1/2/3?colormap=%5B%5B%5B0,1%5D,%22%23ff000080%22%5D%5D&index=NDVI(red=3,nir=4)&v=1&sidecars=ovr,msk",
    "/tiles/layer/WMTSCapabilities.xml?SERVICE=WMTS&REQUEST=GetTile&LAYER=a&TILEMATRIXSET=b&TILEMATRIX=1&TILEROW=2&TILECOL=3&FORMAT=image/png",
    "/ndvi/statistics?c=1&c=2&categorical=true&p=2&histogram_bins=0,1,2&histogram_range=0,1&cover_scale=10&strict=1",
    "/index/EVI/map.html?url=a.tif&access_token=t&expires=1&signature=s&unscale=true&return_mask=0&tilesize=512",
];

const BODIES: &[&str] = &[
    r#"{"type":"Feature","properties":null,"geometry":{"type":"Polygon","coordinates":[[[0,0],[1.5e0,0,7],[1,-1],[0,0]],[[0.1,-0.1],[0.2,-0.1],[0.2,-0.2],[0.1,-0.1]]]}}"#,
    r#"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"GeometryCollection","geometries":[{"type":"MultiPolygon","coordinates":[[[[171,0],[180,0],[180,9],[171,0]]],[[[-180,0],[-171,0],[-180,9],[-180,0]]]]}]}}]}"#,
];

/// Numbers of a linear congruential generator: the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % end.max(1)
    }

    /// A text with one of its digits made another number.
    fn renumbered(&mut self, text: &str) -> String {
        const NUMBERS: &[&str] = &[
            "9",
            "-1",
            "1e308",
            "1e-320",
            "-0.0",
            "89.9999999",
            "180",
            "360",
            "1e400",
            "0.1",
        ];
        let digits: Vec<usize> = text
            .match_indices(|c: char| c.is_ascii_digit())
            .map(|(at, _)| at)
            .collect();
        let at = digits[self.below(digits.len())];
        [&text[..at], NUMBERS[self.below(NUMBERS.len())], &text[at + 1..]].concat()
    }

    /// A text with up to four of its pieces changed, or mixed with others.
    fn mangled(&mut self, text: &str, others: &[&str]) -> String {
        const PIECES: &[&str] = &[
            "%", "%00", "%ff", "&", "=", "/", "..", ";", "\"", "((((", "**", "1e309", "-0", "NaN", "∞", "[",
            "]]", "{\"", ",", "|", "+", "@9x", ".png",
        ];
        let mut text: Vec<char> = text.chars().collect();
        for _ in 0..=self.below(4) {
            let at = self.below(text.len());
            let end = (at + 1 + self.below(12)).min(text.len());
            match self.below(4) {
                0 => drop(text.drain(at..end)),
                1 => {
                    let piece = PIECES[self.below(PIECES.len())];
                    text.splice(at..at, piece.chars());
                }
                2 => {
                    let piece = text[at..end].to_vec();
                    text.splice(at..at, piece);
                }
                _ => {
                    let other: Vec<char> = others[self.below(others.len())].chars().collect();
                    let from = self.below(other.len());
                    let piece = other[from..(from + 1 + self.below(30)).min(other.len())].to_vec();
                    text.splice(at..end, piece);
                }
            }
        }
        text.into_iter().collect()
    }
}

#[test]
fn whatever_is_asked_is_answered() {
    let (mut dice, grids) = (Dice(1), Grids::default());
    let mut read = 0;
    for round in 0..20_000 {
        let target = dice.mangled(TARGETS[round % TARGETS.len()], TARGETS);
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        read += usize::from(Route::parse(&Method::GET, path, query, &grids).is_ok());
        let _ = kvp::restful(path, query);
    }
    // Some are still meant, or nothing but the first step would be tried.
    assert!(read > 1000, "{read}");
}

#[test]
fn whatever_is_posted_is_answered() {
    let (mut dice, grids) = (Dice(2), Grids::default());
    let mut read = 0;
    for round in 0..4_000 {
        let body = BODIES[round % BODIES.len()];
        let body = if round % 8 < 4 {
            dice.mangled(body, BODIES)
        } else {
            dice.renumbered(body)
        };
        let mut request = Request::new(Bytes::from(body));
        *request.method_mut() = Method::POST;
        let door = [
            "/cog/statistics?url=a.tif",
            "/cog/feature.png?url=a.tif&dst_crs=EPSG:3857",
        ][round / 2 % 2];
        *request.uri_mut() = door.parse().unwrap();
        read += usize::from(Route::read(&request, &grids).is_ok());
    }
    assert!(read > 200, "{read}");
}
