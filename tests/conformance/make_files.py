"""Paint the files that TiTiler and edgetile are asked about: small COGs of every kind that answers depend on.

    make_files.py FOLDER

Names that begin with `on_` lie on the grid of WebMercatorQuad, one pixel of zoom 12 to a pixel, over its tiles 2176 to
2179 by 1420 to 1423: no resampling stands between the file and a tile of zoom 12, so that a difference is one of rules,
not of places. The others have grids of their own, where both must place pixels by a projection.

Land is that of the benchmark's painter, which also says how a COG is written. The pinned packages give the same pixels.
"""

import json
import math
import pathlib
import sys

import morecantile
import numpy as np
import rasterio
from rasterio.enums import ColorInterp
from rasterio.transform import from_bounds, from_origin
from rasterio.warp import transform_bounds

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from make_data import CLASSES, land, photograph, write

SIDE = 1024
ZOOM, COLUMN, ROW = 12, 2176, 1420
HALF_M = math.pi * 6378137
PIXEL_M = 2 * HALF_M / 256 / 2**ZOOM
PLACE = from_origin(-HALF_M + COLUMN * 256 * PIXEL_M, HALF_M - ROW * 256 * PIXEL_M, PIXEL_M, PIXEL_M)
DEFLATE = {"COMPRESS": "DEFLATE", "PREDICTOR": "YES", "BLOCKSIZE": "256"}

# Where the other files lie: their system, the side of a pixel and the north-west corner, in its units.
PLACES = {
    "utm": ("EPSG:32632", 20, (680_000, 5_340_000)),
    "gauss": ("EPSG:25832", 10, (690_000, 5_340_000)),
    "degrees": ("EPSG:4326", 1 / 3600, (11.4, 48.2)),
    "swiss": ("EPSG:2056", 20, (2_680_000, 1_250_000)),
    "dutch": ("EPSG:28992", 25, (120_000, 480_000)),
    "british": ("EPSG:27700", 25, (400_000, 400_000)),
    "french": ("EPSG:2154", 25, (640_000, 6_870_000)),
    "laea": ("EPSG:3035", 25, (4_300_000, 3_100_000)),
    "albers": ("EPSG:5070", 30, (200_000, 1_900_000)),
    "polar": ("EPSG:3413", 100, (300_000, -1_800_000)),
}


def smooth(seed, low, high):
    """Land without grain, from `low` to `high`: neighbours differ by little, so that a shift of 1/8 pixel does too."""
    heights = land(seed, SIDE, octaves=6, fall=0.5)
    return low + (high - low) * (heights - heights.min()) / (heights.max() - heights.min())


def outside():
    """The pixels beyond a slanted edge, as orbits have them."""
    at = np.arange(SIDE)
    return at[None, :] > 0.8 * SIDE + 0.15 * (SIDE - at[:, None])


def disc():
    at = np.arange(SIDE) - SIDE / 2
    return np.hypot(at[None, :], at[:, None]) < 0.45 * SIDE


def described(dataset):
    """Names and scales as a publisher writes them."""
    dataset.descriptions = ("blue", "green", "red", "nir")
    dataset.scales, dataset.offsets = [0.0001] * 4, [-0.1] * 4


def with_alpha(dataset):
    colours = {2: (ColorInterp.gray,), 4: (ColorInterp.red, ColorInterp.green, ColorInterp.blue)}
    dataset.colorinterp = (*colours[dataset.count], ColorInterp.alpha)


def scene():
    """Blue, green, red and near infrared as Sentinel-2 has them, uint16, 0 where there is nothing."""
    cover = np.clip(0.5 + 0.35 * land(1, SIDE), 0, 1)
    ground = 1 + 0.2 * land(2, SIDE, octaves=7)
    pairs = ((900, 250), (1200, 600), (1500, 350), (2300, 4200))
    bands = [ground * ((1 - cover) * bare + cover * leaves) for bare, leaves in pairs]
    bands = np.clip(np.rint(np.stack(bands)), 1, 12000).astype(np.uint16)
    bands[:, outside()] = 0
    # Where a band is 0 and its neighbours are not, and where bands are equal: what indices divide by.
    bands[:, :8, :8] = 0
    bands[2, 16:24, 16:24], bands[3, 16:24, 16:24] = 700, 700
    return bands


def on_the_grid(folder):
    def put(name, bands, **options):
        write(folder / f"on_{name}.tif", bands, "EPSG:3857", PLACE, **{**DEFLATE, **options})

    bands = scene()
    put("scene", bands, nodata=0, amend=described)
    put("u16", bands[3:])
    rgb = photograph(10, SIDE)
    put("rgb", rgb)
    put("rgb_mask", rgb * disc(), mask=disc().astype(np.uint8) * 255)
    soft = np.clip((smooth(12, -100, 355)), 0, 255).astype(np.uint8)
    put("rgba", np.concatenate([rgb, soft[None]]), amend=with_alpha)
    gray = np.rint(smooth(13, 0, 255)).astype(np.uint8)
    put("gray", gray[None])
    put("gray_nodata", gray[None], nodata=200)
    put("gray_alpha", np.stack([gray, soft]), amend=with_alpha)
    put("i16", np.rint(smooth(14, -400, 900)).astype(np.int16)[None], nodata=-32768)
    heights = smooth(15, -50, 2600).astype(np.float32)
    put("dem", np.where(outside(), np.float32(-9999), heights)[None], nodata=-9999)
    index = smooth(16, -1, 1).astype(np.float32)
    put("nan", np.where(disc(), index, np.float32("nan"))[None], nodata=float("nan"))
    put("f64", smooth(17, -1e6, 1e6)[None])
    put("u32", np.rint(smooth(18, 0, 4e9)).astype(np.uint32)[None], nodata=0)
    classes = (np.digitize(smooth(19, -2, 2), np.linspace(-1.5, 1.5, len(CLASSES) - 2)) + 1).astype(np.uint8)
    classes[~disc()] = 255
    palette = {at: tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5)) + (255,) for at, colour in enumerate(CLASSES)}
    palette[255] = (0, 0, 0, 0)
    put("classes", classes[None], nodata=255, palette=palette, PREDICTOR="NO", OVERVIEW_RESAMPLING="NEAREST")
    put("classes_bare", classes[None], nodata=255, PREDICTOR="NO", OVERVIEW_RESAMPLING="NEAREST")


def elsewhere(folder):
    rgb = photograph(20, SIDE)
    for at, (name, (crs, pixel, corner)) in enumerate(PLACES.items()):
        place = from_origin(*corner, pixel, pixel)
        bands = np.rint(np.stack([smooth(30 + 4 * at + band, 1, 4000) for band in range(2)])).astype(np.uint16)
        bands[:, outside()] = 0
        write(folder / f"{name}.tif", bands, crs, place, nodata=0, **DEFLATE)
    crs, pixel, corner = PLACES["utm"]
    write(folder / "utm_rgb_mask.tif", rgb * disc(), crs, from_origin(*corner, pixel, pixel), mask=disc().astype(np.uint8) * 255, **DEFLATE)
    crs, pixel, corner = PLACES["degrees"]
    heights = np.where(disc(), smooth(21, 0, 2800), -9999).astype(np.float32)
    write(folder / "degrees_dem.tif", heights[None], crs, from_origin(*corner, pixel, pixel), nodata=-9999, point=True, **DEFLATE)
    world = np.rint(smooth(22, 0, 255)).astype(np.uint8)[None, :512]
    write(folder / "world.tif", world, "EPSG:4326", from_bounds(-180, -90, 180, 90, SIDE, 512), **DEFLATE)


def stac(folder):
    """An item whose assets are the scene and the heights on the grid."""
    with rasterio.open(folder / "on_scene.tif") as dataset:
        west, south, east, north = transform_bounds(dataset.crs, "EPSG:4326", *dataset.bounds)
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    assets = {name: {"href": f"on_{name}.tif", "type": "image/tiff; application=geotiff; profile=cloud-optimized"} for name in ("scene", "u16", "dem", "rgb")}
    item = {
        "type": "Feature", "stac_version": "1.0.0", "stac_extensions": [], "id": "item", "links": [], "bbox": [west, south, east, north],
        "geometry": {"type": "Polygon", "coordinates": [ring]}, "properties": {"datetime": "2026-01-01T00:00:00Z"}, "assets": assets,
    }
    (folder / "item.json").write_text(json.dumps(item), encoding="utf-8")


def mosaic(folder):
    """Two halves of invented scenes that overlap, and a document that names both; `{files}` is where they are served."""
    at = np.arange(SIDE)[None, :]
    for seed, name, there in ((50, "west", at < 600), (51, "east", at >= 400)):
        bands = np.rint(np.stack([smooth(seed + 2 * band, 1, 4000) for band in range(2)])).astype(np.uint16)
        write(folder / f"on_{name}.tif", bands * there, "EPSG:3857", PLACE, nodata=0, **DEFLATE)
    column, row, zoom = COLUMN // 4, ROW // 4, ZOOM - 2
    key = "".join(str((column >> bit & 1) + 2 * (row >> bit & 1)) for bit in reversed(range(zoom)))
    with rasterio.open(folder / "on_west.tif") as dataset:
        bounds = list(transform_bounds(dataset.crs, "EPSG:4326", *dataset.bounds))
    document = {
        "mosaicjson": "0.0.3", "name": "two halves", "version": "1.0.0", "minzoom": zoom, "maxzoom": ZOOM, "quadkey_zoom": zoom,
        "bounds": bounds, "center": [(bounds[0] + bounds[2]) / 2, (bounds[1] + bounds[3]) / 2, zoom],
        "tiles": {key: ["{files}/on_west.tif", "{files}/on_east.tif"]},
    }
    (folder / "mosaic.template.json").write_text(json.dumps(document), encoding="utf-8")
    # The same by the quadkeys of another grid, which spells itself out.
    laea = morecantile.tms.get("EuropeanETRS89_LAEAQuad")
    named = document["tiles"][key]
    tiles = {laea.quadkey(*tile): named for tile in laea.tiles(*bounds, zooms=[6])}
    other = {**document, "minzoom": 6, "maxzoom": 10, "quadkey_zoom": 6, "tiles": tiles, "tilematrixset": json.loads(laea.model_dump_json())}
    (folder / "mosaic_laea.template.json").write_text(json.dumps(other), encoding="utf-8")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_files.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    on_the_grid(folder)
    elsewhere(folder)
    stac(folder)
    mosaic(folder)


if __name__ == "__main__":
    main()
