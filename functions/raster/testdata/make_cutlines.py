"""Writes testdata/cutlines.txt: outlines, and which pixels rasterio.features.rasterize finds that they meet.

    python3 -m venv target/venv && target/venv/bin/pip install -r functions/raster/testdata/requirements.txt
    target/venv/bin/python functions/raster/testdata/make_cutlines.py

A line is an outline in pixels, its polygons parted by `|`, their rings by `/`, their corners by blanks, then width, height and scale
behind a tab; then behind another, for each pixel of a row, parts of it that are met, rows parted by blanks, numbers by commas.
"""

import math
import pathlib
import random

import numpy as np
from rasterio.features import rasterize
from rasterio.transform import Affine

HERE = pathlib.Path(__file__).parent


def star(rng, x, y, far, corners):
    angles = sorted(rng.uniform(0, 2 * math.pi) for _ in range(corners))
    return [(x + math.cos(a) * (r := rng.uniform(far / 3, far)), y + math.sin(a) * r) for a in angles]


def outlines():
    rng = random.Random(7)
    square = [(2, 2), (9, 2), (9, 7), (2, 7)]
    yield [[square]], 12, 10, 1
    yield [[square]], 12, 10, 4
    yield [[[(1.5, 1.25), (10.25, 1.25), (10.25, 8.5), (1.5, 8.5)], [(3, 3), (7, 3), (7, 6), (3, 6)]]], 12, 10, 1
    yield [[[(1.5, 1.25), (10.25, 1.25), (10.25, 8.5), (1.5, 8.5)], [(3.3, 3.3), (7.7, 3.3), (5, 6)]]], 12, 10, 5
    yield [[[(-20, -20), (40, 3), (-20, 30)]]], 12, 10, 3
    yield [[[(0, 0), (12, 0), (12, 10), (0, 10)]]], 12, 10, 2
    for scale in (1, 1, 1, 1, 2, 3, 5, 10):
        yield [[star(rng, 10, 8, 9, rng.randint(3, 14))]], 20, 16, scale
        yield [[star(rng, 5, 5, 5, 5)], [star(rng, 15, 11, 4.5, 7)]], 20, 16, scale
        outer = [(10.13 + 9 * math.cos(a / 20 * math.pi), 8.21 + 7.5 * math.sin(a / 20 * math.pi)) for a in range(40)]
        yield [[outer, star(rng, 10, 8, 5, 6)]], 20, 16, scale


def text(polygons):
    return " | ".join(" / ".join(" ".join(f"{x!r},{y!r}" for x, y in ring) for ring in rings) for rings in polygons)


def main():
    lines = []
    for polygons, width, height, scale in outlines():
        closed = [[[*ring, ring[0]] for ring in rings] for rings in polygons]
        shape = {"type": "MultiPolygon", "coordinates": closed}
        fine = rasterize([(shape, 1)], (height * scale, width * scale), transform=Affine.scale(1 / scale), all_touched=True, dtype="uint8")
        parts = fine.reshape(height, scale, width, scale).sum(axis=(1, 3), dtype=np.uint32)
        lines.append(f"{text(polygons)}\t{width} {height} {scale}\t{' '.join(','.join(map(str, row)) for row in parts)}\n")
    (HERE / "cutlines.txt").write_text("".join(lines))


main()
