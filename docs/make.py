"""Take the pictures of the README: real tiles of the sample and of make_files.py's heights, and the map at /, from servers
started for it.

    python3 docs/make.py target/fast/edgetile target/docs

`make docs` gets what it needs first. The map is drawn by a real browser, see page.mjs.
"""

import re
import subprocess
import sys
import urllib.request
from pathlib import Path
from urllib.parse import quote

HERE = Path(__file__).resolve().parent

# The middle of the scene: fields, the river, woods, the town, and in the east the scene's edge.
TILE = "12/2179/1421"
# Narrower than half of the README's text, so that two stand side by side.
EDGE_PX = 400

LARGE = f"tilesize={EDGE_PX}&resampling=bilinear"
SAMPLE = f"/cog/tiles/WebMercatorQuad/{TILE}.jpg?url=sample.tif&{LARGE}"
PICTURES = {
    "truecolour.png": f"/tiles/truecolour/{TILE}.png?{LARGE}",
    "ndvi.png": f"/ndvi/{TILE}.png?{LARGE}&rescale=-0.2,0.9",
    "stretch.jpg": f"{SAMPLE}&bidx=4&bidx=3&bidx=2&rescale=500,6000&rescale=200,3000&rescale=200,2500&color_formula=gamma%20RGB%201.3&quality=80",
    "evi.jpg": f"{SAMPLE}&expression=2.5*(nir-red)/(nir%2B6*red-7.5*blue%2B10000)&rescale=0,0.8&colormap_name=ylgn&quality=75",
}

# Of the mountains of make_files.py.
MOUNTAINS = "/cog/tiles/WebMercatorQuad/11/1083/721"
OF_HEIGHTS = {
    "hillshade.jpg": f"{MOUNTAINS}.jpg?url=heights.tif&{LARGE}&algorithm=hillshade&algorithm_params=" + quote('{"azimuth":315,"angle_altitude":35,"z_exaggeration":0.04}'),
    "contours.jpg": f"{MOUNTAINS}.jpg?url=heights.tif&{LARGE}&quality=70&algorithm=contours&algorithm_params=" + quote('{"increment":150,"thickness":7,"minz":300,"maxz":2800}'),
    "mosaic.jpg": f"/mosaicjson/tiles/WebMercatorQuad/11/1083/721.jpg?url=mosaic.json&{LARGE}&quality=80",
    "landcover.png": f"{MOUNTAINS}.png?url=cover.tif&tilesize={EDGE_PX}",
}


def serve(binary, *options):
    """A server on a free port, by default of the sample, and its address. No setting of this shell reaches it."""
    server = subprocess.Popen([binary, "serve", "--port", "0", *options], stdout=subprocess.PIPE, text=True, env={})
    line = server.stdout.readline()
    address = re.search(r"http://\S+[^/\s]", line)
    if not address:
        server.kill()
        sys.exit(f"{binary} did not start: {line.strip()}")
    return server, address.group()


def tiles(address, pictures):
    for name, path in pictures.items():
        with urllib.request.urlopen(address + path) as answer:
            body = answer.read()
        (HERE / name).write_bytes(body)
        print(f"{name}: {len(body)} bytes, {answer.headers['Edgetile-Cost']}")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: python3 docs/make.py BINARY FOLDER")
    server, address = serve(sys.argv[1], "--data", sys.argv[2])
    try:
        tiles(address, OF_HEIGHTS)
    finally:
        server.terminate()
        server.wait()
    server, address = serve(sys.argv[1])
    try:
        tiles(address, PICTURES)
        subprocess.run(["node", HERE / "page.mjs", address, HERE / "map.jpg"], check=True)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
