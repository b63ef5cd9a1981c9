"""Take the pictures of the README: real tiles of the sample, and the map at /, from a server started for it.

    python3 docs/make.py target/fast/edgetile

`make docs` gets what it needs first. The map is drawn by a real browser, see page.mjs.
"""

import re
import subprocess
import sys
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent

# The middle of the scene: fields, the river, woods, the town, and in the east the scene's edge.
TILE = "12/2179/1421"
# Narrower than half of the README's text, so that two stand side by side.
EDGE_PX = 400

PICTURES = {
    "truecolour.png": f"/tiles/truecolour/{TILE}.png?tilesize={EDGE_PX}&resampling=bilinear",
    "ndvi.png": f"/ndvi/{TILE}.png?tilesize={EDGE_PX}&resampling=bilinear&rescale=-0.2,0.9",
}


def serve(binary):
    """A server of the sample on a free port, and its address. No setting of this shell reaches it."""
    server = subprocess.Popen([binary, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True, env={})
    line = server.stdout.readline()
    address = re.search(r"http://\S+[^/\s]", line)
    if not address:
        server.kill()
        sys.exit(f"{binary} did not start: {line.strip()}")
    return server, address.group()


def tiles(address):
    for name, path in PICTURES.items():
        with urllib.request.urlopen(address + path) as answer:
            body = answer.read()
        (HERE / name).write_bytes(body)
        print(f"{name}: {len(body)} bytes, {answer.headers['Edgetile-Cost']}")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: python3 docs/make.py BINARY")
    server, address = serve(sys.argv[1])
    try:
        tiles(address)
        subprocess.run(["node", HERE / "page.mjs", address, HERE / "map.jpg"], check=True)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
