"""Replay the requests of cases.py to TiTiler and to edgetile, and compare what they answer.

    run.py BINARY FILES VENV [--only TEXT] [--verbose]

Both servers read the same files from one more, by ranges over HTTP, so that not a letter of a request differs but the
host. Ends with 1 if an answer differs from TiTiler's without being meant to, if one agrees that is meant to differ, or if
a difference of differences.json is not shown by any request. Only requests with TEXT in their path or group are sent.
"""

import argparse
import collections
import dataclasses
import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import warnings

import morecantile
import rasterio
from rasterio.errors import NotGeoreferencedWarning
from rasterio.warp import transform_bounds

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "bench"))
from cases import GROUPS
from judge import RULES, Wrong, agree
from servers import GDAL, Kind, Server, free_port
from wmts import capabilities_of

RULES["application/xml"] = capabilities_of


@dataclasses.dataclass
class Answer:
    status: int
    headers: object
    body: bytes


def ask(port, path, method="GET", body=None, accept=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        headers = {"Content-Type": "application/json"} if body else {}
        connection.request(method, path, body, headers | ({"Accept": accept} if accept else {}))
        answer = connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read())
    finally:
        connection.close()


class Places:
    """Fills `{file}` with a tile in the middle of that file, at the zoom of its pixels; `{file-}` a zoom lower, and
    `{file@grid}` on that grid. In a point it is the middle in degrees."""

    NAME = re.compile(r"\{(?P<file>[a-z_]+)(?P<lower>-)?(?:@(?P<grid>\w+))?\}")

    def __init__(self, folder, store):
        self.folder, self.store = folder, store

    def fill(self, path):
        path = path.replace("{files}", self.store)
        return self.NAME.sub(lambda named: self.place(is_point="/point/" in path, **named.groupdict()), path)

    def place(self, file, lower, grid, is_point):
        with rasterio.open(self.folder / f"{file}.tif") as dataset:
            west, south, east, north = transform_bounds(dataset.crs, "EPSG:4326", *dataset.bounds)
            # Off the middle, so that no tile's edge runs through a pixel's middle by design.
            lon, lat = west + 0.4 * (east - west), south + 0.55 * (north - south)
            if is_point:
                return f"{lon},{lat}"
            tiles = morecantile.tms.get(grid or "WebMercatorQuad")
            side = transform_bounds(dataset.crs, tiles.crs.to_wkt(), *dataset.bounds)
            zoom = tiles.zoom_for_res((side[2] - side[0]) / dataset.width) - bool(lower)
            tile = tiles.tile(lon, lat, zoom)
            return f"{tile.z}/{tile.x}/{tile.y}"


def judge(case, ours, theirs):
    """`agreed`, `deliberate`, or what is wrong as [`Wrong`]."""
    try:
        if not case.differs:
            agree(ours, theirs, case)
            return "agreed"
        case.shown(ours, theirs, case)
        is_of_form = getattr(case.shown, "is_of_form", False)
        if is_of_pixels(ours, theirs) and not is_of_form and agrees(ours, theirs, case):
            raise Wrong(f"differs no longer, though {case.differs} says so")
        return "deliberate"
    except Wrong:
        raise
    except Exception as error:
        raise Wrong(f"cannot be compared: {error!r}") from error


def is_of_pixels(ours, theirs):
    """Whether a difference, if any, is one of contents: statuses and headers are compared by `shown` itself."""
    return ours.status == theirs.status == 200


def agrees(ours, theirs, case):
    try:
        agree(ours, theirs, case)
    except Wrong:
        return False
    return True


def unshown():
    """Differences that no request shows, and those that are shown and not listed."""
    listed = {difference["id"] for difference in json.loads((HERE / "differences.json").read_text(encoding="utf-8"))}
    return listed ^ {case.differs for cases in GROUPS.values() for case in cases() if case.differs}


def replay(options, ours, theirs, places):
    counts, failed = collections.Counter(), [("differences.json", name, "is listed or shown, not both") for name in unshown()]
    for group, cases in GROUPS.items():
        told = collections.Counter()
        for case in cases():
            path = places.fill(case.path)
            if options.only and options.only not in f"{group} {path}":
                continue
            try:
                verdict = judge(case, *(ask(server.port, path, case.method, case.body, case.accept) for server in (ours, theirs)))
            except Wrong as wrong:
                verdict = "failed"
                failed.append((group, path, wrong))
            told[verdict] += 1
            if options.verbose:
                print(f"{verdict:10} {path}", flush=True)
        counts += told
        if told:
            print(f"{group:42} " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(told.items())), flush=True)
    for group, path, wrong in failed:
        print(f"\n{group}: {path}\n  {wrong}")
    print("\n" + ", ".join(f"{counts[verdict]} {verdict}" for verdict in ("agreed", "deliberate", "failed")))
    return not failed


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("binary", type=pathlib.Path)
    options.add_argument("files", type=pathlib.Path)
    options.add_argument("venv", type=pathlib.Path)
    options.add_argument("--only", default="")
    options.add_argument("--verbose", action="store_true")
    options = options.parse_args()

    # Pictures have no place.
    warnings.simplefilter("ignore", NotGeoreferencedWarning)
    port = free_port()
    store = f"http://127.0.0.1:{port}"
    for template in options.files.glob("*.template.json"):
        text = template.read_text(encoding="utf-8").replace("{files}", store)
        template.with_name(template.name.replace(".template", "")).write_text(text, encoding="utf-8")
    script = HERE.parents[1] / "bench/store.py"
    far = subprocess.Popen([sys.executable, script, options.files, str(port), "--round-trip-ms", "0", "--connections", "512"])
    cores = os.sched_getaffinity(0)
    log = options.files / "servers.log"
    mine = Kind("edgetile", [str(options.binary), "serve", "--port", "{port}", "--allow-urls", f"{store}/*"], {"AWS_ALLOW_HTTP": "true"}, "")
    peer = Kind("TiTiler", [str(options.venv / "bin/uvicorn"), "--port", "{port}", "--log-level", "error", "titiler.application.main:app"], GDAL, "")
    try:
        with Server(mine, cores, log) as ours, Server(peer, cores, log) as theirs:
            for server in (ours, theirs):
                server.first("/healthz")
            start = time.monotonic()
            agreed = replay(options, ours, theirs, Places(options.files, store))
            print(f"{time.monotonic() - start:.0f} s")
    finally:
        far.terminate()
        far.wait()
    sys.exit(not agreed)


if __name__ == "__main__":
    main()
