"""Generates a file of every special case of the globe, asks a server for a grid of tiles of each, and joins them to one picture.

    make mosaics                                      # into target/mosaics, of a server that it starts itself
    python tests/world/mosaics.py EDGETILE FOLDER     # the same, with numpy, rasterio and pyproj at hand

A file paints its own longitude and latitude: red grows to the east, green to the north, white lines every 10 degrees, a
thick one along the antimeridian, and land-like blue noise. So a seam, a shift or a mirrored half shows at once; look at them.
"""

import math
import pathlib
import subprocess
import sys
import urllib.error
import urllib.request

import numpy as np
import rasterio
from pyproj import Transformer
from rasterio.io import MemoryFile
from rasterio.transform import Affine

KERNEL = "bilinear"


def paint(lon, lat, step=10.0):
    """Three bands of 8 bits of longitudes and latitudes in degrees; NaN is 0."""
    valid = np.isfinite(lon) & np.isfinite(lat)
    lon, lat = np.where(valid, lon, 0), np.where(valid, lat, 0)
    turn = np.mod(lon + 180, 360)
    red = 40 + turn / 360 * 160
    green = 40 + (lat + 90) / 180 * 160
    blue = 110 + 50 * np.sin(np.radians(lon * 3)) * np.cos(np.radians(lat * 4)) + 30 * np.sin(np.radians(lon * 17 + lat * 13))
    picture = np.stack([red, green, blue])
    away = lambda value: np.abs(value - np.round(value / step) * step)
    picture[:, (away(lat) < step / 40) | (away(lon) < step / 40)] = 255
    to_antimeridian = np.minimum(turn, 360 - turn)
    picture[0, to_antimeridian < step / 12] = 255
    picture[1:, to_antimeridian < step / 12] = 0
    return np.where(valid, np.clip(np.round(picture), 1, 255), 0).astype("uint8")


def write(path, crs, place, width, height, step=10.0, lon_of=None):
    column, row = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    x, y = place * (column, row)
    if lon_of is not None:
        lon, lat = x, y
    else:
        lon, lat = Transformer.from_crs(crs, 4326, always_xy=True).transform(x, y)
    bands = paint(lon, np.where(np.abs(lat) <= 90.0001, lat, np.nan), step)
    profile = {"driver": "COG", "crs": crs, "transform": place, "count": 3, "dtype": "uint8", "width": width, "height": height}
    with rasterio.open(path, "w", **profile, nodata=0, compress="DEFLATE", blocksize=256) as file:
        file.write(bands)


def upright(west, north, pixel):
    return Affine(pixel, 0, west, 0, -pixel, north)


def cases(folder):
    """Name, file, tile matrix set, zoom, first and last tile across and down."""
    half = math.pi * 6378137

    def made(name, crs, place, width, height, **more):
        write(folder / f"{name}.tif", crs, place, width, height, **more)
        return f"{name}.tif"

    degrees = {"lon_of": True}
    yield "globe", made("globe", "EPSG:4326", upright(-180, 90, 0.2), 1800, 900, **degrees), "WebMercatorQuad", 2, (0, 3), (0, 3)
    yield "globe_0_360", made("globe_0_360", "EPSG:4326", upright(0, 90, 0.2), 1800, 900, **degrees), "WebMercatorQuad", 2, (0, 3), (0, 3)
    yield "globe_crs84", "globe_0_360.tif", "WorldCRS84Quad", 1, (0, 3), (0, 1)
    flipped = Affine(0.2, 0, -180, 0, 0.2, -90)
    yield "globe_south_up", made("globe_south_up", "EPSG:4326", flipped, 1800, 900, **degrees), "WebMercatorQuad", 2, (0, 3), (0, 3)
    yield "globe_over_arctic", "globe.tif", "UPSArcticWGS84Quad", 2, (0, 3), (0, 3)
    strip = made("across_180", "EPSG:4326", upright(165, 10, 0.02), 1500, 1500, step=2.0, **degrees)
    yield "across_180", strip, "WebMercatorQuad", 4, (-2, 1), (7, 9)
    yield "across_180_mercator", made("across_180_mercator", "EPSG:3857", upright(half - 1_200_000, 1_500_000, 2000), 1200, 1500, step=2.0), "WebMercatorQuad", 4, (-2, 1), (6, 8)
    yield "across_180_utm", made("across_180_utm", "EPSG:32601", upright(100_000, 4_200_000, 1000), 800, 800, step=2.0), "WebMercatorQuad", 5, (-2, 1), (11, 14)
    yield "wrap_at_low_zoom", "across_180.tif", "WebMercatorQuad", 1, (0, 1), (0, 1)
    yield "pole", made("pole", "EPSG:3413", upright(-3_000_000, 3_000_000, 5000), 1200, 1200), "WebMercatorQuad", 2, (0, 3), (0, 1)
    yield "pole_over_arctic", "pole.tif", "UPSArcticWGS84Quad", 2, (0, 3), (0, 3)
    yield "utm_edge", made("utm_edge", "EPSG:32633", upright(100_000, 5_400_000, 500), 1600, 1000, step=1.0), "WebMercatorQuad", 7, (67, 71), (43, 46)
    turned = upright(300_000, 5_300_000, 100) @ Affine.rotation(25)
    yield "turned", made("turned", "EPSG:32633", turned, 1000, 700, step=0.5), "WebMercatorQuad", 9, (272, 276), (178, 180)
    south_up = Affine(100, 0, 400_000, 0, 100, 5_200_000)
    yield "south_up", made("south_up", "EPSG:32633", south_up, 1000, 800, step=0.5), "WebMercatorQuad", 9, (275, 278), (178, 180)


def tile(base, path):
    try:
        with urllib.request.urlopen(base + path, timeout=60) as answer:
            body = answer.read()
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{path}: {error.code} {error.read().decode()}") from None
    if not body:
        return np.zeros((4, 256, 256), "uint8")
    with MemoryFile(body) as memory, memory.open() as picture:
        bands = picture.read()
        if picture.colorinterp[0].name == "palette":
            table = picture.colormap(1)
            bands = np.array([table[value] for value in bands[0].ravel()], "uint8").T.reshape(4, 256, 256)
        alpha = picture.dataset_mask()
    if len(bands) in (1, 2):
        bands = np.repeat(bands[:1], 3, 0)
    return np.concatenate([bands[:3], alpha[None]]).astype("uint8")


def mosaic(base, file, tms, zoom, across, down):
    rows = []
    for y in range(down[0], down[1] + 1):
        row = []
        for x in range(across[0], across[1] + 1):
            # As map clients do it: beyond the map's edge its other side begins.
            wrapped = x % 2**zoom if tms == "WebMercatorQuad" else x
            row.append(tile(base, f"/cog/tiles/{tms}/{zoom}/{wrapped}/{y}.png?url={file}&resampling={KERNEL}"))
        rows.append(np.concatenate(row, 2))
    whole = np.concatenate(rows, 1)
    board = np.where((np.indices(whole.shape[1:]).sum(0) // 16) % 2 == 0, 90, 110)
    return np.where(whole[3] > 0, whole[:3], board).astype("uint8")


def main(binary, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    todo = list(cases(folder))
    server = subprocess.Popen([binary, "serve", "--port", "0", "--data", str(folder)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        base = next(word.rstrip("/.,") for line in server.stdout for word in line.split() if word.startswith("http://"))
        for name, file, tms, zoom, across, down in todo:
            picture = mosaic(base, file, tms, zoom, across, down)
            with rasterio.open(folder / f"{name}.png", "w", driver="PNG", count=3, dtype="uint8", width=picture.shape[2], height=picture.shape[1]) as out:
                out.write(picture)
            print(folder / f"{name}.png")
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
