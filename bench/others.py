"""Other servers where they do the same job, if they are installed: MapServer (`cgi-mapserver` and nginx), Martin with its COG source.

    others.py DATA BINARY RESULT [--tiles 60] [--seconds 4]

Each beside edgetile on the same cores in turn, the same tiles of the same files; before anything is timed the pictures are
compared, and a kind of tile whose pictures differ is not timed. Adds `others` to RESULT.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import warnings

import numpy as np
from rasterio.errors import NotGeoreferencedWarning
from rasterio.io import MemoryFile
from rasterio.transform import from_origin

import load
import mapserver
import tiles
from make_data import photograph, write
from servers import Kind, Server, edgetile

# Shares of pixels within a level of one around them; what they place to a third of a pixel is further off than GDAL's eighth.
NEAR = 0.98
MARTIN = "web"


@dataclasses.dataclass(frozen=True)
class Other:
    """A server, its version, the kinds of tiles that it can make, and how it is asked for one."""

    kind: Kind
    version: str
    jobs: list
    path: object


def said(command):
    """The version that a program tells."""
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"\d+\.\d+\.\d+", told.stdout + told.stderr)
    return found[0] if found else "of some version"


def web(folder):
    """An orthophoto whose blocks are the tiles of the web's grid: the only kind that Martin serves."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{MARTIN}.tif"
    if not path.exists():
        # One tile of zoom 13, so that its overviews' blocks are tiles too.
        side = 2 * tiles.HALF_M / 2**13
        west, north = 4351 * side - tiles.HALF_M, tiles.HALF_M - 2845 * side
        aligned = {"TILING_SCHEME": "GoogleMapsCompatible", "ALIGNED_LEVELS": "5", "BLOCKSIZE": "256"}
        write(path, photograph(10, 4096), "EPSG:3857", from_origin(west, north, side / 4096, side / 4096), COMPRESS="DEFLATE", PREDICTOR="YES", **aligned)
    return tiles.Job(MARTIN, "RGB DEFLATE whose blocks are the tiles", path.name, "", 255, 0)


def present(data, aligned, workers):
    """Those that are installed, by name, each with the folder of its files."""
    found = {}
    if program := mapserver.installed():
        script = pathlib.Path(__file__).with_name("mapserver.py")
        kind = Kind("MapServer", [sys.executable, str(script), str(data), "{port}", str(workers)], {}, "", is_peer=True)
        jobs = [job for job in tiles.JOBS if job.name in mapserver.LAYERS]
        found["MapServer"] = data, Other(kind, said([program, "-v"]), jobs, lambda job, tile: mapserver.path(job.name, tile))
    if program := shutil.which("martin"):
        job = web(aligned)
        # Tiles that it keeps would be compared with ones that are made.
        command = [program, "--listen-addresses", "127.0.0.1:{port}", "--workers", str(workers), "--cache-size", "0", str(aligned / job.file)]
        kind = Kind("Martin", command, {}, "", is_peer=True)
        found["Martin"] = aligned, Other(kind, said([program, "--version"]), [job], lambda job, tile: f"/{job.name}/{tile[0]}/{tile[1]}/{tile[2]}")
    return found


def picture(body):
    """Red, green, blue and mask of a PNG, `[4, rows, columns]`."""
    with MemoryFile(body) as file, file.open() as dataset:
        bands, mask = dataset.read(), dataset.dataset_mask()
        if dataset.colorinterp[0].name == "palette":
            table = np.zeros((256, 4), np.uint8)
            for value, colour in dataset.colormap(1).items():
                table[value] = colour
            colours = np.moveaxis(table[bands[0]], -1, 0)
            return np.concatenate([colours[:3], np.minimum(colours[3:], mask[None])])
    grays = len(bands) < 3
    return np.concatenate([np.repeat(bands[:1], 3, 0) if grays else bands[:3], mask[None]])


def agreement(servers, paths):
    """Mean share of pixels that agree."""
    shares = []
    for pair in zip(*paths):
        answers = [load.fetch(server.port, path) for server, path in zip(servers, pair)]
        if any(status != 200 for status, _ in answers):
            raise SystemExit(f"{pair}: statuses {[status for status, _ in answers]}")
        shares.append(tiles.agreement(*(picture(body) for _, body in answers), tiles.Job("", "", "", "", 255, 0))[1])
    return round(float(np.mean(shares)), 4)


def timed(server, paths, seconds):
    """CPU and bytes, one at a time, each tile once; tiles a second, 16 at once."""
    load.closed(server.port, paths[:8], 4)
    before = server.cpu_s()
    row = load.closed(server.port, paths, 1).summary()
    cpu_ms = round((server.cpu_s() - before) / len(paths) * 1000, 2)
    crowd = load.closed(server.port, paths, 16, seconds).summary()
    return {"cpu_ms": cpu_ms, "p50_ms": row["p50_ms"], "answer_bytes": row["answer_bytes"], "tiles_per_s": crowd["tiles_per_s"], "p95_ms": crowd["p95_ms"], "errors": row["errors"] + crowd["errors"]}


def beside(other, mine, options, cores, log):
    """What `other` does, and what edgetile does of the same."""
    found = {"version": other.version, "jobs": {}}
    with Server(other.kind, cores, log) as theirs, Server(mine, cores, log) as ours:
        for server, path in ((theirs, other.path(other.jobs[0], tiles.choose(options.folder, other.jobs[0], 1)[0])), (ours, "/healthz")):
            server.first(path)
        for job in other.jobs:
            chosen = tiles.choose(options.folder, job, options.tiles)
            paths = [other.path(job, tile) for tile in chosen], [job.path(mine, tile) for tile in chosen]
            near = agreement((theirs, ours), [some[:8] for some in paths])
            row = {"title": job.title, "agreement": near}
            if near >= NEAR:
                row |= {name: timed(server, some, options.seconds) for name, server, some in (("theirs", theirs, paths[0]), ("ours", ours, paths[1]))}
            found["jobs"][job.name] = row
            print(other.kind.name, job.title, row, flush=True)
        found["memory"] = theirs.memory_mb()
    return found


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("data", "binary", "result"):
        options.add_argument(name, type=pathlib.Path)
    options.add_argument("--tiles", type=int, default=60)
    options.add_argument("--seconds", type=float, default=4)
    options = options.parse_args()
    warnings.simplefilter("ignore", NotGeoreferencedWarning)
    cores = sorted(os.sched_getaffinity(0))[:2]
    root = options.result.resolve().parent.parent.parent / "target/bench"
    found = {}
    for name, (folder, other) in present(options.data.resolve(), root / "web", len(cores)).items():
        options.folder = folder
        found[name] = beside(other, edgetile(options.binary.resolve(), folder), options, cores, root / "others.log")
    result = json.loads(options.result.read_text(encoding="utf-8"))
    options.result.write_text(json.dumps(result | {"others": found}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
