"""Whether two WMTS capabilities lead a client to the same tiles."""

import math
import urllib.request
import xml.etree.ElementTree as ElementTree

from judge import VARIABLE_GRIDS, Wrong, picture, same_pixels

NAMES = {"w": "http://www.opengis.net/wmts/1.0", "ows": "http://www.opengis.net/ows/1.1"}


def grids(root):
    """By tile matrix set, its matrices: name, scale, corner, and how many tiles of how many pixels."""
    found = {}
    for grid in root.findall("w:Contents/w:TileMatrixSet", NAMES):
        text = lambda matrix, name: matrix.findtext(name, namespaces=NAMES)
        found[text(grid, "ows:Identifier")] = {
            text(matrix, "ows:Identifier"): [float(text(matrix, "w:ScaleDenominator")), *map(float, text(matrix, "w:TopLeftCorner").split())]
            + [int(text(matrix, f"w:{name}")) for name in ("TileWidth", "TileHeight", "MatrixWidth", "MatrixHeight")]
            for matrix in grid.findall("w:TileMatrix", NAMES)
        }
    return found


def layer_of(root, grid):
    """The layer that is offered on a grid, where its tiles are, and its box in degrees."""
    for layer in root.findall("w:Contents/w:Layer", NAMES):
        if grid in [link.text for link in layer.findall("w:TileMatrixSetLink/w:TileMatrixSet", NAMES)]:
            box = layer.find("ows:WGS84BoundingBox", NAMES)
            corners = [float(number) for corner in box for number in corner.text.split()]
            return layer.find("w:ResourceURL", NAMES).get("template").replace("{TileMatrixSet}", grid).replace("{Style}", "default"), corners
    raise Wrong(f"no layer on {grid}")


def capabilities_of(ours, theirs, case):
    mine, other = ElementTree.fromstring(ours.body), ElementTree.fromstring(theirs.body)
    known = grids(mine)
    for grid, matrices in grids(other).items():
        # Canada's scales are of pixels of another size in TiTiler.
        if grid in (*VARIABLE_GRIDS, "CanadianNAD83_LCC"):
            continue
        for name, numbers in matrices.items():
            if not all(math.isclose(a, b, rel_tol=1e-6) for a, b in zip(known[grid][name], numbers, strict=True)):
                raise Wrong(f"{grid} {name} is {known[grid][name]} where TiTiler has {numbers}")
    (template, box), (other_template, other_box) = (layer_of(root, "WebMercatorQuad") for root in (mine, other))
    if not all(math.isclose(a, b, rel_tol=1e-6) for a, b in zip(box, other_box, strict=True)):
        raise Wrong(f"the layer covers {box} where TiTiler has {other_box}")
    tiles = []
    for address in (template, other_template):
        for name, value in (("TileMatrix", 12), ("TileCol", 2177), ("TileRow", 1421)):
            address = address.replace("{" + name + "}", str(value))
        with urllib.request.urlopen(address) as answer:
            tiles.append(picture(answer.read()))
    same_pixels(*tiles, case)
