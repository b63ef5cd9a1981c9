"""What GDAL and OWSLib, readers of WMTS that others wrote, make of ours: they find the layers, and read their pixels.

    pip install -r requirements.txt && python wmts.py target/debug/edgetile
"""

import json
import math
import re
import subprocess
import sys
import urllib.request

import numpy
import rasterio
from owslib.wmts import WebMapTileService
from rasterio.warp import transform

FILE = "url=sample.tif&bidx=3&bidx=2&bidx=1&rescale=0%2C3000"
# Three grids whose systems write coordinates in three orders: east first, north first, latitude first.
GRIDS = ("WebMercatorQuad", "EuropeanETRS89_LAEAQuad", "WGS1984Quad", "WorldCRS84Quad")


def main():
    server = subprocess.Popen([sys.argv[1], "serve", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        base = next(found[0] for line in server.stdout if (found := re.search(r"http://[\d.]+:\d+", line)))
        layers(base)
        for grid in GRIDS:
            pixels(base, grid)
    finally:
        server.terminate()
        server.wait()


def layers(base):
    """OWSLib finds every layer, its limits and the address of its tiles."""
    service = WebMapTileService(f"{base}/WMTSCapabilities.xml")
    assert {"truecolour", "ndvi"} <= set(service.contents), sorted(service.contents)
    for name, layer in service.contents.items():
        west, south, east, north = layer.boundingBoxWGS84
        assert -180 <= west < east <= 180 and -90 <= south < north <= 90, layer.boundingBoxWGS84
        (grid, link), = layer.tilematrixsetlinks.items()
        zoom, limits = next(iter(link.tilematrixlimits.items()))
        tile = service.gettile(layer=name, tilematrixset=grid, tilematrix=zoom, row=limits.mintilerow, column=limits.mintilecol)
        in_keys = tile.read()
        assert "REQUEST=GetTile" in tile.geturl() and in_keys[:4] == b"\x89PNG", (name, tile.geturl())
        restful = service.buildTileResource(name, "default", "image/png", grid, zoom, limits.mintilerow, limits.mintilecol)
        assert urllib.request.urlopen(restful).read() == in_keys, restful
        legend, = (style["legend"] for style in layer.styles.values())
        assert urllib.request.urlopen(legend).read(4) == b"\x89PNG"
    print(f"OWSLib: {len(service.contents)} layers")


def pixels(base, grid):
    """GDAL finds in the middle of the sample exactly what the tile there holds."""
    capabilities = f"{base}/cog/{grid}/WMTSCapabilities.xml?{FILE}"
    zoom = re.findall(r"<TileMatrixLimits><TileMatrix>(\d+)", text(capabilities))[-1]
    with rasterio.open(f"WMTS:{capabilities},tilematrixset={grid},tilematrix={zoom}") as read:
        west, south, east, north = document(f"{base}/cog/info?url=sample.tif")["geographic_bounds"]
        (x,), (y,) = transform("EPSG:4326", read.crs, [(west + east) / 2], [(south + north) / 2])
        described = document(f"{base}/tileMatrixSets/{grid}")
        matrices = described["tileMatrices"]
        matrix = next(one for one in matrices if one["id"] == zoom)
        assert math.isclose(matrix["cellSize"], read.transform.a, rel_tol=1e-6), read.transform
        side = matrix["cellSize"] * matrix["tileWidth"]
        left, top = matrix["pointOfOrigin"][:: -1 if described["orderedAxes"][0] in ("Y", "Lat") else 1]
        column, row = int((x - left) // side), int((top - y) // side)
        bounds = left + column * side, top - (row + 1) * side, left + (column + 1) * side, top - row * side
        window = rasterio.windows.from_bounds(*bounds, transform=read.transform).round_offsets().round_lengths()
        found = read.read([1, 2, 3], window=window)
    tile = urllib.request.urlopen(f"{base}/cog/tiles/{grid}/{zoom}/{column}/{row}.png?{FILE}").read()
    with rasterio.MemoryFile(tile) as memory, memory.open() as picture:
        wanted = colours(picture)
    assert len(numpy.unique(wanted)) > 20, "the middle of the sample has many colours"
    assert numpy.array_equal(found, wanted), f"{grid}: {(found != wanted).mean():.3f} of all pixels differ"
    print(f"GDAL: {grid} at zoom {zoom}")


def colours(picture):
    """Red, green and blue, also of a palette."""
    if picture.count > 1:
        return picture.read([1, 2, 3])
    palette = numpy.zeros((256, 3), numpy.uint8)
    for level, colour in picture.colormap(1).items():
        palette[level] = colour[:3]
    return palette[picture.read(1)].transpose(2, 0, 1)


def document(address):
    return json.loads(text(address))


def text(address):
    return urllib.request.urlopen(address).read().decode()


if __name__ == "__main__":
    main()
