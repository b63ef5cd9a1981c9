"""The schema of the layers file and the server that reads it are of one mind about what is a layers file.

    pip install -r requirements.txt && python layers.py target/debug/edgetile
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

ROOT = pathlib.Path(__file__).parent.parent.parent
SCHEMA = json.loads((ROOT / "docs/layers.schema.json").read_text())
STYLE = {"bidx": [3, 2, 1], "rescale": ["0,3000"], "resampling": "bilinear"}
ALPS = {"id": "Alps", "crs": "EPSG:3035", "extent": [3900000, 2300000, 4900000, 2900000], "matrices": 12, "tileSize": 512}
MATRIX = {"id": "0", "cellSize": 1000, "pointOfOrigin": [0, 0], "tileWidth": 256, "tileHeight": 256, "matrixWidth": 1, "matrixHeight": 1}


def layer(**members):
    return {"layers": [{"name": "a", "url": "a.tif", **members}]}


def without(name, **members):
    return {"layers": [{key: value for key, value in layer(**members)["layers"][0].items() if key != name}]}


# Of what is told of two values at once the schema knows nothing; the reader's own tests have that.
RIGHT = [
    {},
    layer(),
    layer(title="A", attribution="©", description="", bounds=[0, 1, 2, 3], minzoom=3, maxzoom=9, style=STYLE, access="public"),
    layer(style={"colormap": {"1": "#ff0000"}, "nodata": "nan", "unscale": True, "algorithm": "hillshade", "algorithm_params": {"azimuth": 315}}),
    without("url", sources={"red": "r.tif", "nir": "n.tif"}, style={"expression": "(nir-red)/(nir+red)", "rescale": "-1,1", "colormap_name": "rdylgn"}),
    without("url", item="s3://bucket/item.json", assets=["visual"]),
    without("url", item="item.json", style={"index": "NDVI(nir=nir08)"}),
    without("url", mosaic="mosaic.json", assets=["red"], style={"pixel_selection": "median"}),
    layer(title=None, bounds=None, minzoom=None, item=None, sources=None, assets=None, style=None, access=None),
    layer(minzoom=3.0, style={"v": 1, "quality": 80.0, "bidx": [1.0], "colormap_name": "RdYlGn", "buffer": 0.5}),
    layer(style={"rescale": "p2,p98", "index": "ndvi", "resampling": "cubic_spline", "sidecars": "ovr,msk", "tilesize": "512"}),
    layer(style={"rescale": [0, 3000], "alpha": False, "return_mask": "true", "padding": 3, "expression": "b1;b2"}),
    layer(style={"algorithm": "terrainrgb", "algorithm_params": {"interval": 1, "nodata_height": None}}),
    {"$schema": "layers.schema.json", "layers": [], "tileMatrixSets": None},
    {"tileMatrixSets": [ALPS]},
    {"tileMatrixSets": [{**ALPS, "keywords": ["a"], "description": "", "wellKnownScaleSet": "http://x"}]},
    {"tileMatrixSets": [{"id": "Own", "crs": {"uri": "http://www.opengis.net/def/crs/EPSG/0/3857"}, "tileMatrices": [MATRIX]}]},
]
WRONG = [
    3,
    [],
    {"layer": []},
    {"layers": [[]]},
    {"$schema": 3},
    without("url"),
    without("name"),
    layer(name="a/b"),
    layer(sources={"red": "r.tif"}),
    layer(zoom=3),
    layer(minzoom=31),
    layer(minzoom="3"),
    layer(bounds=[0, 1, 2]),
    layer(style={"rescael": "0,1"}),
    layer(style={"colormap": 3}),
    layer(style={"unscale": "perhaps"}),
    layer(access="secret"),
    layer(url="ftp://h/a.tif"),
    layer(bounds=[0, -91, 1, 2]),
    layer(assets=["red"]),
    without("url", item="item.json"),
    without("url", sources={"red": "r.tif"}),
    layer(minzoom=1.5),
    layer(style={"colormap_name": "viridish"}),
    layer(style={"colormap_name": "viridis", "colormap": {"1": "#fff"}}),
    layer(style={"expression": "b1", "index": "NDVI"}),
    layer(style={"resampling": "Bilinear"}),
    layer(style={"pixel_selection": "newest"}),
    layer(style={"algorithm": "hillshades"}),
    layer(style={"algorithm_params": {}}),
    layer(style={"algorithm": "slope", "algorithm_params": {"azimuth": 1}}),
    layer(style={"algorithm": "hillshade", "algorithm_params": {"azimuth": 361}}),
    layer(style={"index": "NDVX"}),
    layer(style={"quality": 0}),
    layer(style={"quality": "0"}),
    layer(style={"quality": 101}),
    layer(style={"quality": 1.5}),
    layer(style={"tilesize": 4096}),
    layer(style={"bidx": 0}),
    layer(style={"bidx": [1.5]}),
    layer(style={"buffer": 0.3}),
    layer(style={"padding": -1}),
    layer(style={"rescale": "x"}),
    layer(style={"rescale": [0, 1, 2]}),
    layer(style={"nodata": "none"}),
    layer(style={"nodata": None}),
    layer(style={"nodata": [1]}),
    layer(style={"sidecars": "yes"}),
    without("url", sources={}),
    without("url", sources={"8a": "r.tif"}),
    {"tileMatrixSets": [{**ALPS, "tileMatrices": [MATRIX]}]},
    {"tileMatrixSets": [{"id": "Alps", "extent": [0, 0, 1, 1]}]},
    {"tileMatrixSets": [{**ALPS, "matrices": 99}]},
    {"tileMatrixSets": [{**ALPS, "tilesize": 256}]},
    {"tileMatrixSets": [{"id": "Own", "crs": 3857, "tileMatrices": [{**MATRIX, "cellsize": 1}]}]},
    {"tileMatrixSets": [{"id": "Own", "crs": 3857, "tileMatrices": [{**MATRIX, "tileWidth": 8}]}]},
    {"tileMatrixSets": [{**ALPS, "crs": {"uri": "EPSG:3857", "wkt": ""}}]},
    {"tileMatrixSets": [{**ALPS, "tileSize": 4}]},
]


def is_right_here(document):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(document)


def is_right_there(document):
    """Whether the server starts with it."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(document, file)
        file.flush()
        server = subprocess.Popen([sys.argv[1], "serve", "--port", "0", "--layers", file.name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        started = server.stdout.readline().startswith("edgetile serves")
        server.terminate()
        server.wait()
        return started


def main():
    wrong = []
    for document, meant in [*((one, True) for one in RIGHT), *((one, False) for one in WRONG)]:
        verdicts = is_right_here(document), is_right_there(document)
        if verdicts != (meant, meant):
            wrong.append(f"schema, server {verdicts} where {meant} is meant: {json.dumps(document)}")
    assert not wrong, "\n".join(wrong)
    print(f"the schema and the server agree on {len(RIGHT) + len(WRONG)} layers files")


if __name__ == "__main__":
    main()
