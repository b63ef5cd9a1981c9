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


RIGHT = [
    {},
    layer(),
    layer(title="A", attribution="©", description="", bounds=[0, 1, 2, 3], minzoom=3, maxzoom=9, style=STYLE, access="public"),
    layer(style={"colormap": {"1": "#ff0000"}, "nodata": "nan", "unscale": True, "algorithm": "hillshade", "algorithm_params": {"azimuth": 315}}),
    without("url", sources={"red": "r.tif", "nir": "n.tif"}, style={"expression": "(nir-red)/(nir+red)", "rescale": "-1,1", "colormap_name": "rdylgn"}),
    without("url", item="s3://bucket/item.json", assets=["visual"]),
    {"tileMatrixSets": [ALPS]},
    {"tileMatrixSets": [{"id": "Own", "crs": {"uri": "http://www.opengis.net/def/crs/EPSG/0/3857"}, "tileMatrices": [MATRIX]}]},
]
WRONG = [
    3,
    {"layer": []},
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
    without("url", sources={}),
    without("url", sources={"8a": "r.tif"}),
    {"tileMatrixSets": [{**ALPS, "tileMatrices": [MATRIX]}]},
    {"tileMatrixSets": [{"id": "Alps", "extent": [0, 0, 1, 1]}]},
    {"tileMatrixSets": [{**ALPS, "matrices": 99}]},
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
    for document, meant in [*((one, True) for one in RIGHT), *((one, False) for one in WRONG)]:
        verdicts = is_right_here(document), is_right_there(document)
        assert verdicts == (meant, meant), f"schema, server {verdicts} where {meant} is meant: {json.dumps(document)}"
    print(f"the schema and the server agree on {len(RIGHT) + len(WRONG)} layers files")


if __name__ == "__main__":
    main()
