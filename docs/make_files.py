"""Paint what the pictures of heights and classes are taken of: an invented range of mountains in UTM, as two COGs.

    make_files.py FOLDER

    heights.tif  float32 metres, 25 m to a pixel
    cover.tif    classes with a palette, of the same place
    mosaic.json  a MosaicJSON of three photographs of it, each a slanted strip in a light of its own

Heights are noise whose spectrum falls as that of real relief does; what covers the ground follows from height, slope and
a second field of noise. The pinned packages give the same pixels.
"""

import json
import pathlib
import sys

import numpy as np
from rasterio.transform import from_origin

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
from make_data import write

SIDE, PIXEL_M = 1024, 25
CLASSES = {
    "water": "#3d78b8", "fields": "#e3cf8b", "meadow": "#a9c977", "broad-leaved wood": "#5f9a4c", "coniferous wood": "#2f6b45",
    "heath": "#b59a6d", "rock": "#9b9490", "snow": "#f4f7fa", "town": "#c0504d",
}


def relief(seed, fall):
    """Noise of mean 0 and deviation 1 whose amplitude falls with frequency to the power of `fall`, [SIDE, SIDE]."""
    random = np.random.default_rng(seed)
    rows, columns = np.fft.fftfreq(SIDE)[:, None], np.fft.rfftfreq(SIDE)[None, :]
    frequency = np.hypot(rows, columns)
    frequency[0, 0] = np.inf
    spectrum = np.fft.rfft2(random.standard_normal((SIDE, SIDE))) / np.maximum(frequency, 2.5 / SIDE) ** fall
    noise = np.fft.irfft2(spectrum, (SIDE, SIDE))
    return (noise - noise.mean()) / noise.std()


def strips(folder, metres, cover, place):
    """Colours of the ground under a low sun, cut into strips that overlap, and the document that names them."""
    down, across = np.gradient(metres, PIXEL_M)
    light = np.clip(0.75 + 0.9 * (down - across) / np.sqrt(2), 0.25, 1.25)
    colours = np.array([[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in CLASSES.values()], float)
    ground = np.moveaxis(colours[cover], -1, 0) * (0.4 + 0.55 * light)
    at = np.arange(SIDE)
    names = []
    for strip, (west, east, tint) in enumerate(((-1, 430, (1, 1, 1)), (380, 660, (1.12, 1.02, 0.86)), (610, 1300, (0.84, 0.93, 1.1)))):
        slant = at[None, :] - 0.12 * (at[:, None] - SIDE / 2)
        there = (slant >= west) & (slant < east)
        bands = np.clip(ground * np.array(tint)[:, None, None], 1, 255).astype(np.uint8) * there
        names.append(f"strip{strip}.tif")
        write(folder / names[-1], bands, "EPSG:32632", place, 0, COMPRESS="DEFLATE", PREDICTOR="YES")
    keys = ["".join(str((x >> bit & 1) + 2 * (y >> bit & 1)) for bit in reversed(range(11))) for x in range(1082, 1085) for y in range(720, 723)]
    document = {"mosaicjson": "0.0.3", "version": "1.0.0", "minzoom": 9, "maxzoom": 12, "quadkey_zoom": 11, "bounds": [10.3, 46.7, 10.66, 46.95], "tiles": {key: names for key in keys}}
    (folder / "mosaic.json").write_text(json.dumps(document), encoding="utf-8")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_files.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    shape = relief(7, 2.35)
    # Ridges are sharper than valleys, and lakes are level.
    metres = 1000 + 420 * shape + 250 * np.maximum(shape, 0) ** 1.3
    lake = np.quantile(metres, 0.06)
    metres = np.maximum(metres, lake)
    slope = np.hypot(*np.gradient(metres, PIXEL_M))
    gentle, steep = np.quantile(slope, (0.5, 0.93))
    wet, patches = relief(8, 1.7), relief(9, 1.2)
    names = list(CLASSES)
    cover = np.full(metres.shape, names.index("meadow"), np.uint8)
    for name, where in (
        ("fields", (metres < 900) & (slope < gentle)),
        ("broad-leaved wood", (wet + 0.4 * patches > 0.4) & (metres < 1100)),
        ("coniferous wood", (wet + 0.4 * patches > -0.3) & (metres + 60 * patches >= 1000) & (metres + 60 * patches < 1650)),
        ("town", (metres < 800) & (slope < gentle) & (patches > 1.6)),
        ("heath", metres + 80 * patches > 1700),
        ("rock", (metres + 80 * patches > 1950) | (slope > steep) & (metres > 900)),
        ("snow", metres + 60 * patches - 150 * slope > 2050),
        ("water", metres <= lake),
    ):
        cover[where] = names.index(name)
    palette = {at: tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5)) + (255,) for at, colour in enumerate(CLASSES.values())}
    place = from_origin(600_000, 5_200_000, PIXEL_M, PIXEL_M)
    write(folder / "heights.tif", metres.astype(np.float32)[None], "EPSG:32632", place, -9999, COMPRESS="DEFLATE", PREDICTOR="YES")
    strips(folder, metres, cover, place)
    write(folder / "cover.tif", cover[None], "EPSG:32632", place, 255, palette=palette, COMPRESS="DEFLATE", OVERVIEW_RESAMPLING="MODE")


if __name__ == "__main__":
    main()
