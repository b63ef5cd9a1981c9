"""Writes testdata/warps.txt and warps.bin: small sources, and what GDAL's one-step warp makes of them.

    python3 -m venv target/venv && target/venv/bin/pip install -r functions/raster/testdata/requirements.txt
    target/venv/bin/python functions/raster/testdata/make_warps.py

`warps.txt` has a line for each array, `warps.bin` is the deflated arrays one after another, little-endian. A line is

    source NAME epsg TYPE width height a b c d e f nodata
    answer SOURCE KERNEL epsg west north across down width height

GDAL warps from the array itself, without its approximation of positions (its tolerance is 1e-7 px). Its scale, which decides how far kernels
widen, is given by XSCALE and YSCALE: left to itself it guesses one from the shape of each chunk, and the guess at the edge of a
file is another than in its middle. With an argument (a folder) larger sources and whole tiles are written there, at random zooms.
"""

import math
import pathlib
import sys
import zlib

import numpy as np
from pyproj import Transformer
from rasterio.io import MemoryFile
from rasterio.transform import Affine
from rasterio.vrt import WarpedVRT
from rasterio.warp import Resampling

HERE = pathlib.Path(__file__).parent
KERNELS = ["nearest", "bilinear", "cubic", "average"]
SCALES = [0.3, 1.0, 1.7, 4.0]
NODATA = {"uint8": 0, "uint16": 0, "float32": -9999}


def scene(rng, side, grain):
    """Octaves of value noise from 0 to 1, with grain on top."""
    values = np.zeros((side, side))
    weight, cell = 1.0, 64
    while cell >= 4:
        nodes = rng.random((side // cell + 2, side // cell + 2))
        y, x = np.mgrid[:side, :side] / cell
        i, j = y.astype(int), x.astype(int)
        v, u = y - i, x - j
        u, v = u * u * (3 - 2 * u), v * v * (3 - 2 * v)
        top = nodes[i, j] * (1 - u) + nodes[i, j + 1] * u
        bottom = nodes[i + 1, j] * (1 - u) + nodes[i + 1, j + 1] * u
        values += weight * (top * (1 - v) + bottom * v)
        weight, cell = weight * 0.6, cell // 2
    values = (values - values.min()) / (values.max() - values.min())
    return np.clip(values + grain * (rng.random((side, side)) - 0.5), 0, 1)


def typed(values, kind):
    if kind == "float32":
        return (values * 1200 - 100).astype(kind)
    return np.round(1 + values * (254 if kind == "uint8" else 9999)).astype(kind)


def upright(epsg, lon, lat, pixel, side):
    x, y = Transformer.from_crs(4326, epsg, always_xy=True).transform(lon, lat)
    return Affine(pixel, 0, x - side / 2 * pixel, 0, -pixel, y + side / 2 * pixel)


def turned(epsg, lon, lat, pixel, side, degrees):
    """The same turned about its centre."""
    place = upright(epsg, lon, lat, pixel, side)
    return place @ Affine.translation(side / 2, side / 2) @ Affine.rotation(degrees) @ Affine.translation(-side / 2, -side / 2)


class Writer:
    def __init__(self, folder):
        self.folder, self.lines, self.arrays = folder, [], []

    def add(self, line, array):
        self.lines.append(line)
        self.arrays.append(np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"))).tobytes())

    def finish(self):
        (self.folder / "warps.txt").write_text("\n".join(self.lines) + "\n")
        packed = zlib.compressobj(9, wbits=-15)
        (self.folder / "warps.bin").write_bytes(packed.compress(b"".join(self.arrays)) + packed.flush())


def number(value):
    return repr(float(value))


def warp(writer, name, source, place, epsg, kernel, target_epsg, corner, resolution, size, scale):
    nodata = NODATA[source.dtype.name]
    height, width = source.shape
    profile = {"driver": "GTiff", "width": width, "height": height, "count": 1, "dtype": source.dtype.name}
    with MemoryFile() as memory:
        with memory.open(**profile, crs=f"EPSG:{epsg}", transform=place, nodata=nodata) as file:
            file.write(source, 1)
        options = {
            "crs": f"EPSG:{target_epsg}",
            "transform": Affine(resolution[0], 0, corner[0], 0, -resolution[1], corner[1]),
            "width": size,
            "height": size,
            "resampling": Resampling[kernel],
            "tolerance": 1e-7,
            "XSCALE": 1 / scale[0],
            "YSCALE": 1 / scale[1],
        }
        with memory.open() as file, WarpedVRT(file, **options) as warped:
            answer = warped.read(1)
    numbers = " ".join(map(number, [*corner, *resolution]))
    writer.add(f"answer {name} {kernel} {target_epsg} {numbers} {size} {size}", answer)


def source_scale(place, epsg, target_epsg, centre, resolution):
    """Source pixels under a target pixel, across and down, at a place of the target."""
    way = Transformer.from_crs(target_epsg, epsg, always_xy=True)

    def at(dx, dy):
        x, y = way.transform(centre[0] + dx * resolution[0], centre[1] + dy * resolution[1])
        return np.array(~place * (x, y))

    across, down = at(0.5, 0) - at(-0.5, 0), at(0, -0.5) - at(0, 0.5)
    return math.hypot(across[0], down[0]), math.hypot(across[1], down[1])


def case(writer, rng, name, epsg, kind, side, place, scales, size, grain=0.05, holes=False, shift=(0, 0), target_epsg=3857):
    values = typed(scene(rng, side, grain), kind)
    if holes:
        values[rng.random(values.shape) < 0.004] = NODATA[kind]
        values[side // 3 : side // 2, side // 2 : side * 2 // 3] = NODATA[kind]
    numbers = " ".join(map(number, place[:6]))
    writer.add(f"source {name} {epsg} {kind} {side} {side} {numbers} {NODATA[kind]}", values)
    middle = Transformer.from_crs(epsg, target_epsg, always_xy=True).transform(*(place * (side / 2, side / 2)))
    for scale in scales:
        # The resolution at which a target pixel spans `scale` source pixels.
        unit = 1e-4 if target_epsg == 4326 else 10.0
        one = source_scale(place, epsg, target_epsg, middle, (unit, unit))
        factor = scale / math.sqrt(one[0] * one[1])
        resolution = (unit * factor, unit * factor)
        pixels = min(size, int(side / scale * 0.8)) if shift == (0, 0) else size
        corner = (
            middle[0] - (pixels / 2 - shift[0] * side / scale) * resolution[0] + 0.137 * resolution[0],
            middle[1] + (pixels / 2 - shift[1] * side / scale) * resolution[1] - 0.291 * resolution[1],
        )
        centre = (corner[0] + pixels / 2 * resolution[0], corner[1] - pixels / 2 * resolution[1])
        found = source_scale(place, epsg, target_epsg, centre, resolution)
        for kernel in KERNELS:
            warp(writer, name, values, place, epsg, kernel, target_epsg, corner, resolution, pixels, found)


def fixture():
    rng = np.random.default_rng(4)
    writer = Writer(HERE)

    def add(name, epsg, kind, side, lon, lat, pixel, scales, size=40, degrees=0, **more):
        case(writer, rng, name, epsg, kind, side, turned(epsg, lon, lat, pixel, side, degrees), scales, size, **more)

    add("utm", 32633, "uint8", 128, 15.4, 48.0, 10, SCALES)
    add("utm_edge", 32633, "uint8", 64, 15.2, 47.0, 10, [0.3, 1.0, 1.7], shift=(0.42, 0.4))
    add("utm_u16", 32719, "uint16", 96, -70.2, -33.4, 20, [0.3, 1.7])
    add("geographic", 4326, "uint8", 128, -3.5, 40.0, 0.0005, SCALES)
    add("geographic_f32", 4326, "float32", 64, 10.0, -20.0, 0.001, [0.3, 1.7], size=32)
    add("laea", 3035, "uint8", 128, 8.0, 50.5, 25, SCALES)
    add("laea_holes", 3035, "uint8", 96, 10.5, 52.0, 25, [0.3, 1.0, 1.7], holes=True)
    add("mercator", 3857, "uint8", 96, 100.0, 14.0, 19.109257071294063, [0.3, 1.0, 1.7])
    add("turned", 32633, "uint8", 96, 15.1, 46.0, 10, [0.3, 1.0, 1.7], degrees=30)
    aligned(writer, rng)
    writer.finish()


def aligned(writer, rng):
    """Pixels of a zoom of the map, one to one."""
    side, half = 48, math.pi * 6378137
    resolution = 2 * half / 256 / 2**12
    place = Affine(resolution, 0, -half + 600_000 * resolution, 0, -resolution, half - 400_000 * resolution)
    values = typed(scene(rng, side, 0.05), "uint8")
    numbers = " ".join(map(number, place[:6]))
    writer.add(f"source aligned 3857 uint8 {side} {side} {numbers} 0", values)
    for kernel in KERNELS:
        warp(writer, "aligned", values, place, 3857, kernel, 3857, place * (8, 8), (resolution,) * 2, 32, (1, 1))


def at_length(folder, cases=40):
    """Whole tiles at random places, scales and types."""
    rng = np.random.default_rng()
    writer = Writer(folder)
    places = {32633: (15, 45, 10), 4326: (20, 30, 1e-4), 3035: (10, 50, 10), 3857: (5, 40, 10), 2154: (3, 46, 5), 5070: (-96, 38, 30)}
    for number in range(cases):
        epsg = list(places)[number % len(places)]
        lon, lat, pixel = places[epsg]
        lon, lat = lon + rng.uniform(-2, 2), lat + rng.uniform(-4, 4)
        kind = list(NODATA)[rng.integers(3)]
        scale = float(np.exp(rng.uniform(np.log(0.3), np.log(4))))
        side = int(rng.integers(300, 700))
        shift = (0, 0) if rng.random() < 0.6 else (float(rng.uniform(0.2, 0.5)), float(rng.uniform(-0.5, -0.2)))
        degrees = 0 if rng.random() < 0.8 else float(rng.uniform(-180, 180))
        place = turned(epsg, lon, lat, pixel, side, degrees)
        case(writer, rng, f"c{number}", epsg, kind, side, place, [scale], 256, shift=shift, holes=rng.random() < 0.3)
        print(f"c{number}", epsg, kind, f"x{scale:.2f} side {side} shift {shift} turned {degrees:.0f}")
    writer.finish()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        at_length(pathlib.Path(sys.argv[1]))
    else:
        fixture()
