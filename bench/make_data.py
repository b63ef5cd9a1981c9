"""Paint the benchmark's files: invented land in the five shapes in which tiles are mostly asked for.

    make_data.py FOLDER [--side 4096]

    red.tif, nir.tif  one uint16 band each as Sentinel-2 has them: UTM, 10 m, DEFLATE with predictor 2, nodata 0
    pair.tif          both bands in one file
    ortho.tif         RGB in Web Mercator, JPEG YCbCr at quality 80, with a mask
    rgb.tif           RGB in a national grid (EPSG:25832), DEFLATE with predictor 2
    dem.tif           float32 heights in degrees, ZSTD with predictor 3, pixels are points
    landcover.tif     classes with a palette in a national grid, DEFLATE, nodata 255
    scene.json        a STAC item that names red.tif and nir.tif

All are COGs with blocks of 512 px and overviews. The same side and the pinned packages give the same pixels.
"""

import argparse
import json
import pathlib

import numpy as np
import rasterio
from rasterio.io import MemoryFile
from rasterio.shutil import copy
from rasterio.transform import from_origin
from rasterio.warp import transform_bounds

CLASSES = ["#000000", "#1b7837", "#7fbf7b", "#d9f0d3", "#fee08b", "#fdae61", "#d73027", "#4575b4", "#abd9e9", "#999999"]


def stretched(coarse, side):
    """A small square of values, stretched bilinearly over `side` pixels each way."""
    at = np.linspace(0, coarse.shape[0] - 1, side, dtype=np.float32)
    low = np.minimum(at.astype(np.int32), coarse.shape[0] - 2)
    part = (at - low).astype(np.float32)
    rows = coarse[low] * (1 - part[:, None]) + coarse[low + 1] * part[:, None]
    return rows[:, low] * (1 - part) + rows[:, low + 1] * part


def land(seed, side, octaves=9, fall=0.55, first=2):
    """Value noise, [side, side] float32 of mean 0 and deviation 1: each octave is `fall` times the one before."""
    random = np.random.default_rng(seed)
    total = np.zeros((side, side), np.float32)
    for octave in range(octaves):
        cells = min(first * 2**octave, side - 1)
        total += np.float32(fall**octave) * stretched(random.standard_normal((cells + 1, cells + 1), np.float32), side)
    return (total - total.mean()) / total.std()


def grain(seed, side):
    return np.random.default_rng(seed).standard_normal((side, side), np.float32)


def write(path, bands, crs, transform, nodata=None, mask=None, palette=None, point=False, amend=None, **options):
    """Writes bands `[bands, rows, columns]` as a COG; `amend` is called with the dataset before it has any."""
    count, height, width = bands.shape
    profile = {"driver": "GTiff", "count": count, "height": height, "width": width, "dtype": bands.dtype, "crs": crs}
    with MemoryFile() as memory, rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True):
        extra = {"photometric": "RGB"} if count == 3 else {}
        with memory.open(**profile, transform=transform, nodata=nodata, **extra) as dataset:
            if amend:
                amend(dataset)
            dataset.write(bands)
            if mask is not None:
                dataset.write_mask(mask)
            if palette:
                dataset.write_colormap(1, palette)
            if point:
                dataset.update_tags(AREA_OR_POINT="Point")
        options = {"OVERVIEW_RESAMPLING": "AVERAGE", "BLOCKSIZE": "512", **options}
        copy(memory.name, path, driver="COG", NUM_THREADS="ALL_CPUS", **options)


def scene(folder, side):
    """Red and near infrared: a field of vegetation over bare ground, water where it is lowest, an orbit's slanted edge."""
    cover = land(1, side)
    green = np.clip(0.5 + 0.3 * cover, 0, 1)
    ground = 1 + 0.2 * land(2, side, octaves=7)
    water = cover < -1.8
    outside = np.arange(side)[None, :] > 0.9 * side + 0.2 * (side - np.arange(side)[:, None])
    bands = []
    for name, bare, leaves, noise, deep in (("red", 1500, 380, 24, 180), ("nir", 2300, 3600, 45, 60)):
        value = ground * (1 - green) * bare + green * leaves + noise * (grain(len(name) + bare, side) + land(bare, side, fall=0.8))
        value = np.where(water, deep + 0.04 * value, value)
        band = np.clip(np.rint(value), 1, 12000).astype(np.uint16)
        band[outside] = 0
        bands.append(band)
        write(folder / f"{name}.tif", band[None], "EPSG:32632", from_origin(600_000, 5_400_000, 10, 10), 0, COMPRESS="DEFLATE", PREDICTOR="YES")
    write(folder / "pair.tif", np.stack(bands), "EPSG:32632", from_origin(600_000, 5_400_000, 10, 10), 0, COMPRESS="DEFLATE", PREDICTOR="YES")
    with rasterio.open(folder / "red.tif") as dataset:
        west, south, east, north = transform_bounds(dataset.crs, "EPSG:4326", *dataset.bounds)
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    item = {
        "type": "Feature", "stac_version": "1.0.0", "stac_extensions": [], "id": "scene", "links": [], "collection": None,
        "bbox": [west, south, east, north], "geometry": {"type": "Polygon", "coordinates": [ring]},
        "properties": {"datetime": "2026-01-01T00:00:00Z"},
        "assets": {name: {"href": str((folder / f"{name}.tif").resolve()), "type": "image/tiff; application=geotiff"} for name in ("red", "nir")},
    }
    (folder / "scene.json").write_text(json.dumps(item), encoding="utf-8")


def photograph(seed, side):
    """Three bands that go up and down together, as an aerial photograph's do."""
    light = 115 + 22 * land(seed, side) + 20 * land(seed + 1, side, octaves=12, fall=0.9) + 5 * grain(seed + 2, side)
    hue, tint = land(seed + 3, side, octaves=5), land(seed + 4, side, octaves=5)
    bands = [light + 7 * hue - 9 * tint + 3, light - 4 * hue + 8 * tint + 6, light - 7 * hue - 5 * tint - 14]
    return np.clip(np.rint(np.stack(bands)), 1, 255).astype(np.uint8)


def ortho(folder, side):
    bands = photograph(10, side)
    x, y = np.meshgrid(np.arange(side), np.arange(side))
    flown = (3 * x + y > 0.3 * side) & (x + 0.15 * y < 1.05 * side) & (y + 0.1 * x < 1.04 * side)
    bands *= flown
    write(folder / "ortho.tif", bands, "EPSG:3857", from_origin(1_250_000.3, 6_120_000.7, 0.25, 0.25), mask=flown.astype(np.uint8) * 255, COMPRESS="JPEG", QUALITY="80")


def rgb(folder, side):
    write(folder / "rgb.tif", photograph(20, side), "EPSG:25832", from_origin(650_000, 5_350_000, 0.2, 0.2), COMPRESS="DEFLATE", PREDICTOR="YES")


def dem(folder, side):
    heights = 900 + 600 * land(30, side, fall=0.45) + 0.4 * grain(31, side)
    heights[heights < 0] = -9999
    step = 1 / 3600
    write(folder / "dem.tif", heights.astype(np.float32)[None], "EPSG:4326", from_origin(9 - step / 2, 48 + step / 2, step, step), -9999, point=True, COMPRESS="ZSTD", PREDICTOR="YES")


def landcover(folder, side):
    kind = land(40, side, fall=0.6) + 0.5 * land(41, side, octaves=12, fall=0.85)
    classes = (np.digitize(kind, np.linspace(-1.8, 1.8, len(CLASSES) - 2)) + 1).astype(np.uint8)
    classes[land(42, side, octaves=6) > 2] = 255
    palette = {at: tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5)) + (255,) for at, colour in enumerate(CLASSES)}
    palette[255] = (0, 0, 0, 0)
    write(folder / "landcover.tif", classes[None], "EPSG:25832", from_origin(500_000, 5_400_000, 10, 10), 255, palette=palette, COMPRESS="DEFLATE", OVERVIEW_RESAMPLING="NEAREST")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--side", type=int, default=4096)
    options = options.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for paint in (scene, ortho, rgb, dem, landcover):
        paint(options.folder, options.side)


if __name__ == "__main__":
    main()
