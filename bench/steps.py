"""What each step of a tile costs: instructions under valgrind, whoever calls for them, by step and kind of tile.

    steps.py DATA BINARY RESULT [--tiles 24]

BINARY has names in it (`make build`). One server answers the tiles of each kind, one at a time, once warm. Functions belong to
steps by name; those that anyone may call (memory, sorting, codecs' insides) to the steps that called them, in proportion.
Adds `steps` to RESULT: kind → {"instructions": of a tile, "shares": {step: share}}. What the system itself does (reads,
sockets) is not seen here.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import tempfile

import load
import tiles
from servers import Kind, Server, edgetile

# The first that is found in a function's name is its step. What comes last also catches whatever has no caller that is known.
STEPS = {
    "unpack": r"deflate_decompress|ZSTD_decompress|HUF_decompress|edgetile_raster::decode::(inflate|zstandard|lzw|lzma|jpeg|webp|lerc|packbits|ccitt|to_rgb)",
    "predictor": r"edgetile_raster::decode::predictor",
    "samples": r"edgetile_raster::decode|edgetile_raster::warp::window",
    "place": r"edgetile_raster::(warp::(placement|locator|globe|gdal|resolution|seams)|crs|grid)",
    "resample": r"edgetile_raster::warp",
    "expression": r"edgetile_raster::math",
    "colour": r"edgetile_raster::colour",
    "encode": r"edgetile_raster::encode|deflate_compress",
    "plan": r"edgetile_raster::(plan|header|coverage)",
    "request, reads, answer": r"edgetile_tile|tokio::|hyper|object_store|h1::",
}
LAST = list(STEPS)[-1]
NAME = re.compile(r"^(c?fn)=\((\d+)\)(?: (.*))?$")
COST = re.compile(r"^[+*\-\d]\S* (\d+)$")


def profile(text):
    """Of callgrind's output: `{function: instructions of its own}` and `{(caller, called): instructions}`."""
    names, own, calls = {}, collections.Counter(), collections.Counter()
    function = called = None
    for line in text.splitlines():
        if found := NAME.match(line):
            kind, at, name = found.groups()
            if name is not None:
                names[at] = name
            if kind == "fn":
                function = names[at]
            else:
                called = names[at]
        elif found := COST.match(line):
            if called is None:
                own[function] += int(found[1])
            else:
                calls[function, called] += int(found[1])
                called = None
    return own, calls


def step_of(name):
    return next((step for step, pattern in STEPS.items() if re.search(pattern, name)), None)


def shares(own, calls):
    """`{step: share of the instructions}`."""
    known = {name: step_of(name) for name in set(own) | {name for pair in calls for name in pair}}
    callers = collections.defaultdict(dict)
    for (caller, called), cost in calls.items():
        if known[called] is None and caller != called:
            callers[called][caller] = cost
    # Where a function that anyone may call comes from; chains of such are short, cycles among them rare and cheap.
    mixes = {name: {step or LAST: 1.0} for name, step in known.items()}
    for _ in range(30):
        for name, there in callers.items():
            total, mix = sum(there.values()), collections.Counter()
            for caller, cost in there.items():
                for step, share in mixes[caller].items():
                    mix[step] += share * cost / max(1, total)
            if total:
                mixes[name] = mix
    found = collections.Counter()
    for name, cost in own.items():
        for step, share in mixes[name].items():
            found[step] += share * cost
    whole = sum(found.values())
    return {step: round(found[step] / whole, 4) for step in STEPS}


def control(pid, *arguments):
    subprocess.run(["callgrind_control", *arguments, str(pid)], check=True, capture_output=True)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("data", "binary", "result"):
        options.add_argument(name, type=pathlib.Path)
    options.add_argument("--tiles", type=int, default=24)
    options = options.parse_args()
    log = options.result.resolve().parent.parent.parent / "target/bench/steps.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    plain, found = edgetile(options.binary.resolve(), options.data.resolve()), {}
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "calls"
        valgrind = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}"]
        kind = Kind(plain.name, [*valgrind, *plain.command], plain.environment, plain.prefix)
        with Server(kind, sorted(os.sched_getaffinity(0))[:2], log) as server:
            server.first("/healthz")
            for at, job in enumerate(tiles.JOBS, 1):
                paths = [job.path(kind, tile) for tile in tiles.choose(options.data, job, options.tiles)]
                load.closed(server.port, paths[:4], 1)
                control(server.process.pid, "-i", "on")
                tally = load.closed(server.port, paths, 1)
                control(server.process.pid, "-d")
                control(server.process.pid, "-i", "off")
                if tally.errors:
                    raise SystemExit(f"{job.name}: statuses {tally.statuses}")
                own, calls = profile(out.with_name(f"calls.{at}").read_text(encoding="utf-8"))
                found[job.name] = {"instructions": round(sum(own.values()) / len(paths)), "shares": shares(own, calls)}
                print(f"{job.name}: {found[job.name]['instructions'] / 1e6:.1f} M instructions a tile, {found[job.name]['shares']}", flush=True)
    result = json.loads(options.result.read_text(encoding="utf-8"))
    options.result.write_text(json.dumps(result | {"steps": found}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
