"""Which tiles are asked for: the jobs, and random but fixed tiles of each at mixed zooms."""

import dataclasses
import math
import random

import numpy as np
import rasterio
from rasterio.enums import ColorInterp
from rasterio.warp import transform_bounds

HALF_M = math.pi * 6378137
# Levels above full resolution, and their share of the tiles: maps are mostly looked at from near.
ZOOMS = ((0, 0.6), (1, 0.3), (2, 0.1))


@dataclasses.dataclass(frozen=True)
class Job:
    """A kind of tile. `span` is the range of values that a picture shows as 256 levels."""

    name: str
    title: str
    file: str
    query: str
    span: float
    budget_ms: float
    data_query: str = ""
    is_colormapped: bool = False

    def path(self, kind, tile, extension="png"):
        """The request to a server of `kind`; npy is asked for values, so without rescale and colours."""
        z, x, y = tile
        query = self.query if extension == "png" else self.data_query
        if self.name == "ndvi":
            if kind.is_peer:
                source, expression = f"/stac/tiles/WebMercatorQuad/{z}/{x}/{y}.{extension}?url={kind.prefix}scene.json&assets=red&assets=nir", "(b2-b1)/(b2%2Bb1)"
            else:
                source, expression = f"/cog/tiles/WebMercatorQuad/{z}/{x}/{y}.{extension}?url.red=red.tif&url.nir=nir.tif", "(nir-red)/(nir%2Bred)"
            return f"{source}&expression={expression}{query}"
        return f"/cog/tiles/WebMercatorQuad/{z}/{x}/{y}.{extension}?url={kind.prefix}{self.file}{query}"


INDEX = "&expression=(b2-b1)/(b2%2Bb1)"
LOOK = "&rescale=-1,1&colormap_name=rdylgn"
JOBS = (
    Job("ndvi", "NDVI of two uint16 DEFLATE files", "red.tif", LOOK, 2, 11, is_colormapped=True),
    Job("pair", "NDVI of one two-band file", "pair.tif", INDEX + LOOK, 2, 8, INDEX, is_colormapped=True),
    Job("band", "one uint16 band", "red.tif", "&rescale=0,4000", 4000, 4.5),
    Job("ortho", "RGB JPEG orthophoto with mask", "ortho.tif", "", 255, 4),
    Job("rgb", "RGB DEFLATE from a national grid", "rgb.tif", "", 255, 6.5),
    Job("dem", "float32 heights, ZSTD", "dem.tif", "&rescale=0,3000", 3000, 4),
    Job("landcover", "palette", "landcover.tif", "", 255, 2.5, is_colormapped=True),
)


def covered(bounds, zoom):
    """Tiles of a zoom that lie in the bounds, EPSG:3857 metres, wholly."""
    west, south, east, north = bounds
    side = 2 * HALF_M / 2**zoom
    columns = range(math.ceil((west + HALF_M) / side), math.floor((east + HALF_M) / side))
    rows = range(math.ceil((HALF_M - north) / side), math.floor((HALF_M - south) / side))
    return [(zoom, x, y) for x in columns for y in rows]


def choose(data, job, count, seed=8):
    """`count` different tiles in random order, as many of each zoom as [`ZOOMS`] says and the file has."""
    with rasterio.open(data / job.file) as dataset:
        bounds = transform_bounds(dataset.crs, "EPSG:3857", *dataset.bounds)
        native = round(math.log2(2 * HALF_M / 256 / ((bounds[2] - bounds[0]) / dataset.width)))
    order, chosen = random.Random(seed), []
    for coarser, share in ZOOMS:
        there = covered(bounds, native - coarser)
        order.shuffle(there)
        chosen += there[: max(1, round(count * share))]
    order.shuffle(chosen)
    return chosen


def palette(data, job):
    """Colours of classes, `[256, 4]`, or `None`."""
    with rasterio.open(data / job.file) as dataset:
        if dataset.colorinterp[0] == ColorInterp.palette:
            table = np.zeros((256, 4))
            for value, colour in dataset.colormap(1).items():
                table[value] = colour
            return table
    return None


def agreement(ours, theirs, job, colours=None):
    """Shares of pixels `(close, near)` of two arrays `[bands + mask, rows, columns]`.

    Close: both say the same of the mask and differ by a level of 256 at most. Near: theirs lies within a level of what
    ours has at the pixel or the eight around it, since GDAL by default places pixels to 1/8 of a source pixel.
    """
    there, theirs_there = ours[-1] > 0, theirs[-1] > 0
    level = job.span / 255
    ours, theirs = ours[:-1].astype(float), theirs[:-1].astype(float)
    if colours is not None and len(theirs) == 3:
        ours = np.moveaxis(colours[ours[0].astype(int), :3], -1, 0)
    close, near = np.ones(there.shape, bool), np.ones(there.shape, bool)
    for mine, other in zip(ours, theirs, strict=True):
        around = np.lib.stride_tricks.sliding_window_view(np.pad(mine, 1, mode="edge"), (3, 3))
        close &= abs(mine - other) <= level
        near &= (other >= around.min((2, 3)) - level) & (other <= around.max((2, 3)) + level)
    same = there == theirs_there
    return float((same & (close | ~there)).mean()), float((same & (near | ~there)).mean())
