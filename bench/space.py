"""A study of the space of configurations: where edgetile is ahead of TiTiler, by how much, what decides, and where it is not.

    space.py measure BINARY VENV RESULT [--points 100]
    space.py report RESULT DOCS

Points fill the space evenly (Roberts' generalised golden ratio, one coordinate for each factor). For each a COG is painted and
put into a store of the given round trip and number of connections, and both servers, running throughout with caches as
shipped, are asked in turn for the same tiles, each once. A point's pictures are compared before it is timed. RESULT is
written after every point; a run that was broken off goes on where it was.
"""

import argparse
import contextlib
import datetime
import http.client
import io
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.parse

import numpy as np
import rasterio
from rasterio.transform import from_origin
from rasterio.warp import transform_bounds

import load
import plot
import tiles
from make_data import grain, land, photograph, write
from report import number, table
from servers import Server, edgetile, free_port, titiler, versions

SIDE, TILES = 2048, 28

# West and north, and metres or degrees of a pixel, of each reference system.
PLACES = {
    "EPSG:3857": (1_250_000.3, 6_120_000.7, 10),
    "EPSG:32632": (600_000, 5_400_000, 10),
    "EPSG:4326": (11.0, 48.5, 0.0001),
    "EPSG:3035": (4_400_000, 2_850_000, 10),
}
CODECS = {
    "none": {"COMPRESS": "NONE"},
    "LZW": {"COMPRESS": "LZW", "PREDICTOR": "YES"},
    "DEFLATE": {"COMPRESS": "DEFLATE", "PREDICTOR": "YES"},
    "ZSTD": {"COMPRESS": "ZSTD", "PREDICTOR": "YES"},
    "lossy": {"COMPRESS": "JPEG", "QUALITY": "80"},
}
FACTORS = {
    "type": ["uint8 × 3", "uint8", "uint16", "float32"],
    "codec": list(CODECS),
    "block, px": [128, 256, 512, 1024],
    "reference system": list(PLACES),
    "resampling": ["nearest", "bilinear", "cubic", "average"],
    "tile, px": [256, 512],
    "round trip, ms": [0, 20, 60, 180],
    "connections": [4, 16, 64],
    "at once": [1, 4, 16],
}
RANGES = {"uint8 × 3": None, "uint8": None, "uint16": (0, 4000), "float32": (0, 3000)}
# Points that are listed where a figure is behind.
WORST = 8
# Shares of pixels within a level of one around them. Kernels other than nearest are widened by rules of their own in each program.
NEAR = {"nearest": 0.995, "bilinear": 0.97, "cubic": 0.95, "average": 0.9}


def points(count):
    """Dictionaries of factor to level, evenly spread (M. Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences", 2018)."""
    dimensions = len(FACTORS)
    golden = 2.0
    for _ in range(64):
        golden = (1 + golden) ** (1 / (dimensions + 1))
    steps = [(1 / golden) ** (at + 1) for at in range(dimensions)]
    for at in range(1, count + 1):
        place = {name: levels[int((0.5 + at * step) % 1 * len(levels))] for (name, levels), step in zip(FACTORS.items(), steps)}
        # What loses something has 8 bits here; WebP and LERC are left out.
        if place["codec"] == "lossy" and not place["type"].startswith("uint8"):
            place["codec"] = "LZW"
        yield place


def pictures():
    """One raster of each type, `[bands, rows, columns]`."""
    red = 1500 * (1 + 0.3 * land(1, SIDE)) + 24 * grain(2, SIDE)
    heights = 900 + 300 * land(3, SIDE, fall=0.45) + 0.4 * grain(4, SIDE)
    photo = photograph(10, SIDE)
    return {
        "uint8 × 3": photo, "uint8": photo[:1],
        "uint16": np.clip(np.rint(red), 1, 12000).astype(np.uint16)[None], "float32": heights.astype(np.float32)[None],
    }


def paint(path, bands, place):
    west, north, step = PLACES[place["reference system"]]
    write(path, bands, place["reference system"], from_origin(west, north, step, step), **CODECS[place["codec"]], BLOCKSIZE=str(place["block, px"]))


def addresses(path, place, url):
    """Paths of tiles, at the file's own scale and twice as coarse; and how one of them is asked for as values."""
    with rasterio.open(path) as dataset:
        bounds = transform_bounds(dataset.crs, "EPSG:3857", *dataset.bounds)
        native = round(math.log2(2 * tiles.HALF_M / 256 / ((bounds[2] - bounds[0]) / dataset.width)))
    scale = place["tile, px"] // 256
    zoom = native - int(math.log2(scale))
    there = tiles.covered(bounds, zoom)
    step = max(1, len(there) // TILES)
    chosen = there[::step][: TILES - 4] + tiles.covered(bounds, zoom - 1)[:4]
    span = RANGES[place["type"]]
    kernel = f"&resampling={place['resampling']}&reproject={place['resampling']}"
    name = urllib.parse.quote(url, safe="")
    at = lambda tile, form: f"/cog/tiles/WebMercatorQuad/{tile[0]}/{tile[1]}/{tile[2]}.{form}?url={name}&tilesize={256 * scale}{kernel}"
    look = f"&rescale={span[0]},{span[1]}" if span else ""
    return [at(tile, "png") + look for tile in chosen], [at(tile, "npy") for tile in chosen[:2]]


@contextlib.contextmanager
def store(folder, place):
    port = free_port()
    script = pathlib.Path(__file__).with_name("store.py")
    process = subprocess.Popen([sys.executable, str(script), str(folder), str(port), "--round-trip-ms", str(place["round trip, ms"]), "--connections", str(place["connections"])])
    try:
        for _ in range(400):
            with contextlib.suppress(ConnectionError):
                connection = http.client.HTTPConnection("127.0.0.1", port)
                connection.request("GET", "/.counts")
                connection.getresponse().read()
                break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait()


def agreement(servers, values, place):
    """The least share of pixels that agree."""
    span = RANGES[place["type"]] or (0, 255)
    job = tiles.Job("", "", "", "", span[1] - span[0], 0)
    shares = []
    for path in values:
        ours, theirs = (load.fetch(server.port, path) for server in servers)
        if (ours[0], theirs[0]) != (200, 200):
            print(f"{path}: statuses {ours[0]} and {theirs[0]}", flush=True)
            return 0.0
        shares.append(tiles.agreement(np.load(io.BytesIO(ours[1])), np.load(io.BytesIO(theirs[1])), job)[1])
    return round(min(shares), 4)


def begun(path, count):
    """What a run that was broken off has found already, or the beginning of a new one."""
    if path.exists():
        found = json.loads(path.read_text(encoding="utf-8"))
        same = [row["place"] for row in found["points"]] == list(points(len(found["points"])))
        if not found["finished"] and same and len(found["points"]) < count:
            print(f"going on after {len(found['points'])} points", flush=True)
            return found
    return {"date": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC", "load_average": os.getloadavg(), "finished": False, "points": []}


def keep(path, found):
    """Writes all or nothing."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(found, indent=1), encoding="utf-8")
    part.replace(path)


def timed(server, folder, name, place):
    """The tiles of a point from a store of its own: connections and what is kept begin anew, the header is read by the first."""
    with store(folder, place) as base:
        paths, _ = addresses(folder / name, place, f"{base}{name}")
        load.closed(server.port, paths[-1:], 1)
        cpu = server.cpu_s()
        tally = load.closed(server.port, paths[:-1], place["at once"]).summary()
        row = {key: tally[key] for key in ("tiles", "errors", "tiles_per_s", "p50_ms", "p95_ms", "answer_bytes")}
        return row | {"cpu_ms": round((server.cpu_s() - cpu) / max(1, tally["tiles"]) * 1000, 2)}


def measure(options):
    cores = sorted(os.sched_getaffinity(0))[:2]
    log = options.result.resolve().parent.parent.parent / "target/bench/space.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    options.result.parent.mkdir(parents=True, exist_ok=True)
    found, painted = begun(options.result, options.points), pictures()
    found["versions"] = versions(options.binary, options.venv)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        ours = edgetile(options.binary.resolve(), folder)
        ours.command += ["--allow-urls", "http://127.0.0.1:*"]
        with Server(ours, cores, log) as ours, Server(titiler(options.venv.absolute(), folder, len(cores)), cores, log) as peer:
            for server in (ours, peer):
                server.first("/healthz")
            for at, place in list(enumerate(points(options.points)))[len(found["points"]) :]:
                start, name = time.perf_counter(), f"{at}.tif"
                paint(folder / name, painted[place["type"]], place)
                with store(folder, place) as base:
                    row = {"place": place, "agreement": agreement((ours, peer), addresses(folder / name, place, f"{base}{name}")[1], place)}
                row |= {who: timed(server, folder, name, place) for who, server in (("edgetile", ours), ("TiTiler", peer))}
                (folder / name).unlink()
                found["points"].append(row)
                keep(options.result, found)
                print(f"{at + 1}/{options.points}, {time.perf_counter() - start:.0f} s: {', '.join(map(str, place.values()))}: {row['edgetile']['tiles_per_s']} and {row['TiTiler']['tiles_per_s']} tiles/s, {row['agreement']:.1%} agree", flush=True)
    keep(options.result, found | {"finished": True})


def shares(rows, value):
    """Of the variance of a value, what each factor alone explains: between its levels, less what chance would give (omega squared)."""
    values = np.array([value(row) for row in rows])
    total = ((values - values.mean()) ** 2).sum()
    found = {}
    for name in FACTORS:
        groups = {}
        for row, one in zip(rows, values):
            groups.setdefault(row["place"][name], []).append(one)
        between = sum(len(group) * (np.mean(group) - values.mean()) ** 2 for group in groups.values())
        freedom = len(groups) - 1
        within = (total - between) / max(1, len(rows) - len(groups))
        found[name] = max(0.0, float((between - freedom * within) / (total + within)))
    return found


def gain(row):
    return row["edgetile"]["tiles_per_s"] / row["TiTiler"]["tiles_per_s"]


def saved(row):
    return row["TiTiler"]["cpu_ms"] / max(0.5, row["edgetile"]["cpu_ms"])


def sooner(row):
    return row["TiTiler"]["p95_ms"] / row["edgetile"]["p95_ms"]


def leaner(row):
    return row["TiTiler"]["answer_bytes"] / row["edgetile"]["answer_bytes"]


GAINS = {"tiles a second, times TiTiler's": gain, "95th percentile of latency, times less": sooner, "CPU a tile, times less": saved, "bytes of the answer, times fewer": leaner}


def gains(rows, value):
    """Cells: the share of points at which it is ahead, and quantiles."""
    values = [value(row) for row in rows]
    ahead = sum(one > 1 for one in values) / len(values)
    return [f"{ahead:.0%}", *(number(float(np.quantile(values, share)), 1 + (share == 0)) for share in (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1))]


def behind(rows):
    """Sentences on the points at which a figure is behind TiTiler's or within a twentieth of it, the worst first."""
    found = []
    for what, value in GAINS.items():
        there = sorted((row for row in rows if value(row) <= 1.05), key=value)
        for row in there[:WORST]:
            found.append(f"- {what}: {number(value(row), 2)} at {', '.join(f'{name} {level}' for name, level in row['place'].items())}.")
        if len(there) > WORST:
            found.append(f"- {what}: at {len(there) - WORST} points more.")
    return found or ["- Nowhere."]


def report(options):
    found = json.loads(options.result.read_text(encoding="utf-8"))
    rows = [row for row in found["points"] if all(row[name]["tiles_per_s"] for name in ("edgetile", "TiTiler"))]
    silent, about = len(found["points"]) - len(rows), found["versions"]
    fitting = [row for row in rows if row["agreement"] >= NEAR[row["place"]["resampling"]]]
    log = lambda value: lambda row: math.log2(value(row))
    by_speed, by_cpu = shares(rows, log(gain)), shares(rows, log(saved))
    medians = []
    for name, levels in FACTORS.items():
        for level in levels:
            there = [row for row in rows if row["place"][name] == level]
            if there:
                medians.append([name, level, len(there), *(number(float(np.median([value(row) for row in there])), 1) for value in (gain, saved))])
    errors = {name: sum(row[name]["errors"] for row in rows) for name in ("edgetile", "TiTiler")}
    lines = [
        "# The space of configurations", "",
        f"Measured {found['date']} by `make bench-space`; `bench/results/space.json` has every point. This page is made by `bench/space.py`.", "",
        f"{len(rows)} points fill the space of {len(FACTORS)} factors evenly. At each a COG of {SIDE} px is painted and put into a store of that round trip and number of",
        f"connections; both servers are asked in turn for the same {TILES} tiles, each once, after one more that opens the file. Servers, store and client share two",
        f"cores (load average before: {found['load_average'][0]:.1f}); caches are as shipped. {about['edgetile']}, TiTiler {about['titiler']} with rio-tiler {about['rio_tiler']} and GDAL {about['gdal']}. Gains are ratios: how many times TiTiler's tiles a second, and how many times less CPU a tile.", "",
        "## How often, by how much", "",
        table(["", "ahead at", "least", "5 %", "quarter", "median", "three quarters", "95 %", "most"], [[what, *gains(rows, value)] for what, value in GAINS.items()]), "",
        f"Failed requests: {errors['edgetile']} here, {errors['TiTiler']} there" + (f"; {silent} points are left out, where a server gave no tile at all." if silent else "."), "",
        "## Where it is behind or level", "",
        *behind(rows), "",
        "## What decides", "",
        "Shares of the variance of a gain (its logarithm) that a factor explains by itself, less what chance would give; the rest are interactions and noise.", "",
        table(["factor", "of tiles a second", "of CPU"], [[name, f"{by_speed[name]:.0%}", f"{by_cpu[name]:.0%}"] for name in sorted(FACTORS, key=lambda name: -by_speed[name])]), "",
        "![shares of variance](space.svg)", "",
        "## Medians by level", "",
        table(["factor", "level", "points", "tiles a second", "CPU"], medians), "",
        "## Do the pictures agree?", "",
        f"At {len(fitting)} of {len(rows)} points as many pixels of two tiles lie within a level of one around them as the kernel allows ("
        + ", ".join(f"{name} {share:.1%}" for name, share in NEAR.items()) + "): both programs widen kernels by rules of their own where a tile is coarser than the level that it is",
        f"read from (docs/resampling.md). The least of all points is {min(row['agreement'] for row in rows):.1%}, for nearest {min((row['agreement'] for row in rows if row['place']['resampling'] == 'nearest'), default=1):.1%}.", "",
    ]
    (options.docs / "space.md").write_text("\n".join(lines), encoding="utf-8")
    order = sorted(FACTORS, key=lambda name: -by_speed[name])
    (options.docs / "space.svg").write_text(plot.bars("Shares of variance explained", "%", order, {"tiles a second": [100 * by_speed[name] for name in order], "CPU a tile": [100 * by_cpu[name] for name in order]}), encoding="utf-8")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = options.add_subparsers(dest="verb", required=True)
    one = verbs.add_parser("measure")
    one.add_argument("binary", type=pathlib.Path)
    one.add_argument("venv", type=pathlib.Path)
    one.add_argument("result", type=pathlib.Path)
    one.add_argument("--points", type=int, default=100)
    other = verbs.add_parser("report")
    other.add_argument("result", type=pathlib.Path)
    other.add_argument("docs", type=pathlib.Path)
    options = options.parse_args()
    (measure if options.verb == "measure" else report)(options)


if __name__ == "__main__":
    main()
