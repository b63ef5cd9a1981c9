//! The registered tile matrix sets, those of morecantile 7.1 by name.
//!
//! Numbers: annex D of OGC 17-083r4, Land Information New Zealand and Natural Resources Canada.

use std::sync::{Arc, OnceLock};

use super::{Bounds, TileMatrix, TileMatrixSet, bounds};
use crate::crs::{Crs, CrsError};

/// Half the circumference of Web Mercator's sphere, metres.
const HALF_TURN_M: f64 = std::f64::consts::PI * 6_378_137.0;

/// How a registered set is put down.
struct Spec {
    id: &'static str,
    title: &'static str,
    epsg: u32,
    extent: Bounds,
    first_zoom: u8,
    cells: Cells,
}

enum Cells {
    /// So many matrices; the first has so many tiles to the east and to the south, each next one twice as many.
    Quad { matrices: u8, columns: u32, rows: u32 },
    /// So many matrices, each with half the cell size of the one before, starting with this one; as many tiles as the
    /// extent takes.
    Halving { matrices: u8, first: f64 },
    /// These cell sizes; as many tiles as the extent takes.
    Listed(&'static [f64]),
}

const WHOLE_EARTH: Bounds = bounds(-180.0, -90.0, 180.0, 90.0);
const MERCATOR: Bounds = bounds(-HALF_TURN_M, -HALF_TURN_M, HALF_TURN_M, HALF_TURN_M);
const POLAR: Bounds = bounds(
    -14_440_759.350_252,
    -14_440_759.350_252,
    18_440_759.350_252,
    18_440_759.350_252,
);

/// Metres in a pixel at a scale of 1:1 as Canada's grid has it, 96 pixels in an inch of the US survey foot.
const CANADIAN_PIXEL_M: f64 = 0.000_264_583_862_501_058;

/// Scale denominators of the Canada Base Map Transportation grid, Natural Resources Canada.
const CANADIAN: [f64; 26] = {
    let thousands = [
        145e3, 85e3, 50e3, 30e3, 17.5e3, 10e3, 6e3, 3.5e3, 2e3, 1.2e3, 700.0, 420.0, 250.0, 145.0, 85.0,
        50.0, 30.0, 17.5, 10.0, 6.0, 3.5, 2.0, 1.2, 0.7, 0.42, 0.25,
    ];
    let mut cells = [0.0; 26];
    let mut at = 0;
    while at < cells.len() {
        cells[at] = thousands[at] * 1000.0 * CANADIAN_PIXEL_M;
        at += 1;
    }
    cells
};

const REGISTERED: [Spec; 11] = [
    Spec {
        id: "WebMercatorQuad",
        title: "Google Maps Compatible for the World",
        epsg: 3857,
        extent: MERCATOR,
        first_zoom: 0,
        cells: Cells::Quad {
            matrices: 25,
            columns: 1,
            rows: 1,
        },
    },
    Spec {
        id: "WorldCRS84Quad",
        title: "CRS84 for the World",
        epsg: 4326,
        extent: WHOLE_EARTH,
        first_zoom: 0,
        cells: Cells::Quad {
            matrices: 24,
            columns: 2,
            rows: 1,
        },
    },
    Spec {
        id: "WGS1984Quad",
        title: "EPSG:4326 for the World",
        epsg: 4326,
        extent: WHOLE_EARTH,
        first_zoom: 0,
        cells: Cells::Quad {
            matrices: 24,
            columns: 2,
            rows: 1,
        },
    },
    Spec {
        id: "WorldMercatorWGS84Quad",
        title: "World Mercator WGS84 (ellipsoid)",
        epsg: 3395,
        extent: MERCATOR,
        first_zoom: 0,
        cells: Cells::Quad {
            matrices: 25,
            columns: 1,
            rows: 1,
        },
    },
    Spec {
        id: "UTM31WGS84Quad",
        title: "Universal Transverse Mercator Zone 31 WGS84 Quad",
        epsg: 32631,
        extent: bounds(
            -9_501_965.729_312_76,
            -20_003_931.458_625_5,
            10_501_965.729_312_74,
            20_003_931.458_625_5,
        ),
        first_zoom: 1,
        cells: Cells::Quad {
            matrices: 24,
            columns: 1,
            rows: 2,
        },
    },
    Spec {
        id: "EuropeanETRS89_LAEAQuad",
        title: "Lambert Azimuthal Equal Area ETRS89 for Europe",
        epsg: 3035,
        extent: bounds(2_000_000.0, 1_000_000.0, 6_500_000.0, 5_500_000.0),
        first_zoom: 0,
        cells: Cells::Quad {
            matrices: 16,
            columns: 1,
            rows: 1,
        },
    },
    Spec {
        id: "UPSArcticWGS84Quad",
        title: "Universal Polar Stereographic WGS 84 Quad for Arctic",
        epsg: 5041,
        extent: POLAR,
        first_zoom: 0,
        cells: Cells::Quad {
            matrices: 25,
            columns: 1,
            rows: 1,
        },
    },
    Spec {
        id: "UPSAntarcticWGS84Quad",
        title: "Universal Polar Stereographic WGS 84 Quad for Antarctic",
        epsg: 5042,
        extent: POLAR,
        first_zoom: 0,
        cells: Cells::Quad {
            matrices: 25,
            columns: 1,
            rows: 1,
        },
    },
    Spec {
        id: "LINZAntarticaMapTilegrid",
        title: "LINZ Antarctic Map Tile Grid (Ross Sea Region)",
        epsg: 5482,
        extent: bounds(-918_457.73, -4_918_457.73, 10_918_457.73, 6_918_457.73),
        first_zoom: 0,
        cells: Cells::Halving {
            matrices: 14,
            first: 114_688.0,
        },
    },
    Spec {
        id: "NZTM2000Quad",
        title: "LINZ NZTM2000Quad Map Tile Grid",
        epsg: 2193,
        extent: bounds(
            -3_260_586.728_4,
            10_438_190.165_2 - HALF_TURN_M / 2.0,
            HALF_TURN_M / 2.0 - 3_260_586.728_4,
            10_438_190.165_2,
        ),
        first_zoom: 0,
        cells: Cells::Quad {
            matrices: 22,
            columns: 1,
            rows: 1,
        },
    },
    Spec {
        id: "CanadianNAD83_LCC",
        title: "Lambert conformal conic NAD83 for Canada",
        epsg: 3978,
        extent: bounds(
            -34_655_800.0,
            -5_153_821.092_136_78,
            7_148_753.233_541_353,
            39_310_000.0,
        ),
        first_zoom: 0,
        cells: Cells::Listed(&CANADIAN),
    },
];

impl Spec {
    fn build(&self) -> Result<TileMatrixSet, CrsError> {
        let Bounds {
            west,
            south,
            east,
            north,
        } = self.extent;
        let fitting = |cell: f64| {
            // An extent that ends on a tile's edge needs no further tile.
            let tiles = |span: f64| (span / (cell * 256.0) - 1e-6).ceil().max(1.0) as u32;
            (cell, tiles(east - west), tiles(north - south))
        };
        let sizes: Vec<_> = match self.cells {
            Cells::Quad {
                matrices,
                columns,
                rows,
            } => {
                let cell = (east - west) / (256.0 * f64::from(columns));
                (0..matrices)
                    .map(|z| (cell / 2_f64.powi(z.into()), columns << z, rows << z))
                    .collect()
            }
            Cells::Halving { matrices, first } => (0..matrices)
                .map(|z| fitting(first / 2_f64.powi(z.into())))
                .collect(),
            Cells::Listed(cells) => cells.iter().map(|cell| fitting(*cell)).collect(),
        };
        let numbered = (self.first_zoom..).zip(sizes);
        Ok(TileMatrixSet {
            id: self.id.to_owned(),
            title: self.title.to_owned(),
            crs: Crs::from_epsg(self.epsg)?,
            origin: (west, north),
            tile_size: 256,
            matrices: numbered
                .map(|(zoom, (cell_size, width, height))| TileMatrix {
                    zoom,
                    cell_size,
                    width,
                    height,
                })
                .collect(),
        })
    }
}

/// What the publisher of a registered set says of it beside its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// The axes in the order of its CRS.
    pub axes: [&'static str; 2],
    /// Its name in OGC's register of tile matrix sets, if it stands there.
    pub name: Option<&'static str>,
    /// Its name in OGC's register of well-known scale sets, if it has one.
    pub scale_set: Option<&'static str>,
}

impl Published {
    /// Whether the axis to the north is the first.
    pub fn is_north_first(&self) -> bool {
        matches!(self.axes, ["Y" | "Lat", _])
    }
}

/// What the publisher says of the registered set of that name.
pub fn published(id: &str) -> Option<Published> {
    let (axes, name, scale_set) = match REGISTERED.iter().find(|spec| spec.id == id)?.id {
        id @ "WebMercatorQuad" => (["X", "Y"], Some(id), Some("GoogleMapsCompatible")),
        id @ "WorldCRS84Quad" => (["Lon", "Lat"], Some(id), Some("GoogleCRS84Quad")),
        "WGS1984Quad" => (["Lat", "Lon"], Some("WorldCRS84Quad"), Some("GoogleCRS84Quad")),
        id @ "WorldMercatorWGS84Quad" => (["E", "N"], Some(id), Some("WorldMercatorWGS84")),
        id @ "EuropeanETRS89_LAEAQuad" => (["Y", "X"], Some(id), None),
        "LINZAntarticaMapTilegrid" | "NZTM2000Quad" => (["Y", "X"], None, None),
        id => (["E", "N"], Some(id), None),
    };
    Some(Published {
        axes,
        name,
        scale_set,
    })
}

/// The names of the registered sets, Web Mercator first.
pub fn registered() -> impl Iterator<Item = &'static str> {
    REGISTERED.iter().map(|spec| spec.id)
}

/// The registered set of that name.
pub fn find(id: &str) -> Option<Arc<TileMatrixSet>> {
    static BUILT: [OnceLock<Option<Arc<TileMatrixSet>>>; REGISTERED.len()] =
        [const { OnceLock::new() }; REGISTERED.len()];
    let (spec, built) = REGISTERED.iter().zip(&BUILT).find(|(spec, _)| spec.id == id)?;
    built.get_or_init(|| spec.build().ok().map(Arc::new)).clone()
}
