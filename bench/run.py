"""Measure edgetile beside TiTiler, on the same cores in turn; writes the result as JSON.

    run.py DATA BINARY VENV RESULT [--full] [--tiles 100] [--seconds 6]

Before anything is timed the pictures are compared; if they do not agree, the run ends. What each figure is, and under which conditions it was taken, stands in
docs/benchmarks.md.
"""

import argparse
import contextlib
import dataclasses
import datetime
import http.client
import io
import json
import os
import pathlib
import platform
import subprocess
import sys
import time
import zipfile

import numpy as np

import load
import tiles
from servers import Peak, Quota, Server, edgetile, free_port, machine_busy_s, titiler, versions

# Shares of pixels that must be within a level, at the pixel itself and of one around it.
CLOSE, NEAR = 0.98, 0.995
LEVELS = (1, 4, 16, 64, 128)
ROUND_TRIP_MS, NEAR_STORE_MS, CONNECTIONS = 180, 25, 32
LAMBDA_MB, VCPU_MB = (128, 256, 512, 1024, 1769), 1769


class Run:
    """What every measurement needs."""

    def __init__(self, options):
        self.data, self.full = options.data.resolve(), options.full
        self.cores = sorted(os.sched_getaffinity(0))[:2]
        self.log = options.result.resolve().parent.parent.parent / "target/bench/servers.log"
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.count = options.tiles or (100 if options.full else 60)
        self.seconds = options.seconds or (6 if options.full else 4)
        self.ours = edgetile(options.binary.resolve(), self.data)
        self.lean = edgetile(options.binary.resolve(), self.data, "edgetile, headers alone in memory", cache_mb=1)
        self.peer = titiler(options.venv.absolute(), self.data, len(self.cores))
        self.kinds = (self.peer, self.ours, self.lean)
        self.tiles = {job.name: tiles.choose(self.data, job, self.count) for job in tiles.JOBS}

    def server(self, kind, **options):
        return Server(kind, self.cores, self.log, **options)

    def paths(self, kind, job):
        return [job.path(kind, tile) for tile in self.tiles[job.name]]


def say(text):
    print(time.strftime("%H:%M:%S"), text, flush=True)


def compare(run):
    """Shares of pixels that agree, the least of each job's tiles; ends the run where they do not."""
    found = {}
    with run.server(run.peer) as peer, run.server(run.ours) as ours:
        for server in (peer, ours):
            server.first("/healthz")
        for job in tiles.JOBS:
            colours, shares = tiles.palette(run.data, job), []
            for tile in run.tiles[job.name][:8]:
                answers = [load.fetch(server.port, job.path(server.kind, tile, "npy")) for server in (ours, peer)]
                if any(status != 200 for status, _ in answers):
                    raise SystemExit(f"{job.name} {tile}: statuses {[status for status, _ in answers]}")
                shares.append(tiles.agreement(*(np.load(io.BytesIO(body)) for _, body in answers), job, colours))
            close, near = (round(float(np.mean(part)), 4) for part in zip(*shares))
            found[job.name] = {"within_a_level": close, "within_a_level_of_a_neighbour": near}
            say(f"{job.name}: {close:.2%} of pixels within a level, {near:.2%} of a neighbour")
            if close < CLOSE or near < NEAR:
                raise SystemExit(f"{job.name}: the pictures differ ({close:.2%} and {near:.2%} agree, {CLOSE:.1%} and {NEAR:.1%} must): nothing is timed")
    return found


def work(run, kind):
    """CPU and bytes of each job's tiles, one and four at once, each tile once."""
    found = {}
    with run.server(kind) as server:
        server.first("/healthz")
        for job in tiles.JOBS:
            paths = run.paths(kind, job)
            # Processes, code and open files warm; blocks are not, for each tile is asked for once.
            load.closed(server.port, paths[:1] * 8, 4)
            found[job.name] = {}
            for at_once in (1, 4):
                before = server.times_s()
                tally = load.closed(server.port, paths, at_once)
                user, system = ((now - then) / len(paths) * 1000 for now, then in zip(server.times_s(), before))
                row = tally.summary() | {"cpu_ms": round(user + system, 2), "system_ms": round(system, 2)}
                found[job.name][str(at_once)] = row
            say(f"{kind.name}, {job.name}: {found[job.name]['1']['cpu_ms']} ms of CPU, {found[job.name]['1']['answer_bytes']} bytes")
    return found


def memory(run, kind):
    """Idle, after tiles one at a time, after 16 at once, and 2 s later; megabytes."""
    ndvi = tiles.JOBS[0]
    found = {}
    for at_once in (1, 16):
        with run.server(kind) as server:
            server.first("/healthz")
            time.sleep(1)
            found["idle"] = server.memory_mb()
            with Peak(server) as peak:
                load.closed(server.port, run.paths(kind, ndvi) * (1 if at_once == 1 else 2), at_once)
                time.sleep(2)
            found[f"peak_{at_once}"] = peak.peak
            found["settled"] = server.memory_mb()
            found["series"] = peak.series[:: max(1, len(peak.series) // 200)]
    say(f"{kind.name}: idle {found['idle']}, peak {found['peak_1']}, at 16 {found['peak_16']}, settled {found['settled']}")
    return found


def start(run, kind, times):
    """Process start to the first tile, milliseconds, and what it took on the cores."""
    path = tiles.JOBS[0].path(kind, run.tiles["ndvi"][0])
    walls, cpus = [], []
    for _ in range(times):
        with run.server(kind) as server:
            walls.append(server.first(path) * 1000)
            cpus.append(server.cpu_s() * 1000)
    found = {"least_ms": round(min(walls), 1), "median_ms": round(float(np.median(walls)), 1), "cpu_ms": round(float(np.mean(cpus)), 1)}
    say(f"{kind.name}: first tile after {found}")
    return found


def busy_around(measure, server):
    """A measurement with the share of the machine that neither the server nor the client used."""
    busy, cpu, wall = machine_busy_s(), server.cpu_s(), time.perf_counter()
    tally = measure()
    wall, cpu = time.perf_counter() - wall, server.cpu_s() - cpu
    others = (machine_busy_s() - busy - cpu - tally.client_cpu_s) / wall
    return tally.summary() | {"cpu_ms": round(cpu / max(1, len(tally.latencies_s)) * 1000, 2), "others_cores": round(max(0.0, others), 2)}


def curve(run, kind, seconds):
    """Throughput and latency of NDVI tiles in a closed loop."""
    found = {}
    with run.server(kind) as server:
        paths = run.paths(kind, tiles.JOBS[0])
        server.first(paths[0])
        load.closed(server.port, paths[:8], 4)
        for at_once in LEVELS:
            found[str(at_once)] = busy_around(lambda: load.closed(server.port, paths, at_once, seconds), server)
            say(f"{kind.name}, {at_once} at once: {found[str(at_once)]['tiles_per_s']} tiles/s, p95 {found[str(at_once)]['p95_ms']} ms")
    return found


def ladder(run, kind, most, seconds):
    """Arrivals on schedule, each step a quarter more, until saturated; then whether the server is as it was."""
    steps, rate = [], most * 0.25
    with run.server(kind) as server:
        paths = run.paths(kind, tiles.JOBS[0])
        server.first(paths[0])
        load.closed(server.port, paths[:8], 4)
        one = lambda: load.closed(server.port, paths[:1], 1).summary()["p50_ms"]
        body = load.fetch(server.port, paths[0])[1]
        before = [one() for _ in range(10)]
        while len(steps) < 14:
            row = busy_around(lambda: load.opened(server.port, paths, rate, seconds), server)
            offered = int(rate * seconds)
            # The last answers come after the last arrival: their wait is no lack of speed.
            span = max(offered / rate, row["wall_s"] - (row["p50_ms"] or 0) / 1000)
            achieved = row["tiles"] / span / rate
            row |= {"rate": round(rate, 2), "achieved": round(achieved, 3), "is_saturated": row["errors"] > 0.01 * offered or achieved < 0.95 or (row["p99_ms"] or 1e9) > 10_000}
            steps.append(row)
            say(f"{kind.name}, {rate:.1f} offered: p50 {row['p50_ms']} p99 {row['p99_ms']} ms, {achieved:.2f} achieved")
            if row["is_saturated"]:
                break
            rate *= 1.25
        # Overload is over with its last answer.
        after = [one() for _ in range(10)]
        is_same = load.fetch(server.port, paths[0])[1] == body
    held = [row["rate"] for row in steps if not row["is_saturated"]]
    return {"steps": steps, "knee": held[-1] if held else None, "before_ms": before, "after_ms": after, "is_same_answer": is_same}


def counts(port):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/.counts")
    return json.loads(connection.getresponse().read())


@contextlib.contextmanager
def distant(run, kind, round_trip_ms, **options):
    """A server whose files lie in a store so far away, its paths to NDVI tiles, and the store's port."""
    port, script = free_port(), pathlib.Path(__file__).with_name("store.py")
    store = subprocess.Popen([sys.executable, str(script), str(run.data), str(port), "--round-trip-ms", str(round_trip_ms), "--connections", str(CONNECTIONS)])
    try:
        base, patience = f"http://127.0.0.1:{port}/", time.time() + 20
        while time.time() < patience:
            with contextlib.suppress(ConnectionError):
                counts(port)
                break
            time.sleep(0.05)
        item = json.loads((run.data / "scene.json").read_text())
        for name, asset in item["assets"].items():
            asset["href"] = f"{base}{name}.tif"
        (run.data / "scene-far.json").write_text(json.dumps(item))
        there = dataclasses.replace(kind, command=[base if part == str(run.data) else part for part in kind.command])
        paths = [path.replace("scene.json", "scene-far.json") for path in run.paths(kind, tiles.JOBS[0])]
        with run.server(there, **options) as server:
            yield server, paths, port
    finally:
        store.terminate()
        store.wait()


def far(run, kind):
    """NDVI tiles from a store that is far: tiles a second, and what each takes of the store."""
    found = {}
    with distant(run, kind, ROUND_TRIP_MS) as (server, paths, store):
        server.first("/healthz")
        load.closed(server.port, paths[:8], 4)
        # Each tile once: a fifth of them one at a time, a third by four, the rest by sixteen.
        fifth, half = 9 + len(paths[9:]) // 5, 10 + len(paths[10:]) // 2
        for at_once, part in ((1, paths[8:fifth]), (4, paths[fifth:half]), (16, paths[half:])):
            counts(store)
            row = load.closed(server.port, part, at_once).summary()
            found[str(at_once)] = row | {name: round(value / max(1, row["tiles"]), 2) for name, value in counts(store).items()}
            say(f"{kind.name}, store {ROUND_TRIP_MS} ms away, {at_once} at once: {row['tiles_per_s']} tiles/s, {found[str(at_once)]['requests']} requests")
    return found


def cold(run, kind, times):
    """Milliseconds of the first tile of a process that is up, from a store that is far, each time another tile."""
    found = []
    for at in range(times):
        with distant(run, kind, ROUND_TRIP_MS) as (server, paths, _):
            server.first("/healthz")
            found.append(load.closed(server.port, paths[at : at + 1], 1).summary()["p50_ms"])
    say(f"{kind.name}, first tile of a store {ROUND_TRIP_MS} ms away: {found} ms")
    return found


def throttled(run, kind, sizes_mb, most):
    """NDVI tiles one at a time from a near store, under the share of a core that Lambda gives to each memory size."""
    found = {}
    if not Quota.usable():
        say("no cgroup to write: nothing is measured under a quota")
        return None
    for memory_mb in sizes_mb:
        with Quota(memory_mb / VCPU_MB) as group, distant(run, kind, NEAR_STORE_MS, group=group) as (server, paths, _):
            first = server.first(paths[0], patience_s=180) * 1000
            before, paths = server.cpu_s(), paths[1 : most + 1]
            row = load.closed(server.port, paths, 1).summary()
            found[str(memory_mb)] = {"first_ms": round(first, 1), "p50_ms": row["p50_ms"], "p95_ms": row["p95_ms"], "cpu_ms": round((server.cpu_s() - before) / len(paths) * 1000, 2), "rss_mb": server.memory_mb()["rss"]}
            say(f"{kind.name}, {memory_mb} MB: {found[str(memory_mb)]}")
    return found


def package_bytes(binary):
    """Of the package that Lambda would be given."""
    package = io.BytesIO()
    with zipfile.ZipFile(package, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.write(binary, "bootstrap")
    return len(package.getvalue())


def conditions(run):
    """Machine, versions, settings."""
    binary = pathlib.Path(run.ours.command[0])
    model = next((line.partition(":")[2].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")), platform.machine())
    total = int(pathlib.Path("/proc/meminfo").read_text().split()[1]) // 1024
    return {
        "cpu": model, "cores": len(run.cores), "memory_mb": total, "load_average": os.getloadavg(),
        **versions(binary, pathlib.Path(run.peer.command[0]).parent.parent), "gdal_settings": run.peer.environment,
        "titiler_workers": len(run.cores), "round_trip_ms": ROUND_TRIP_MS, "tiles_per_job": run.count,
        "files": {path.name: path.stat().st_size for path in sorted(run.data.glob("*.tif"))},
        "binary_bytes": binary.stat().st_size, "package_bytes": package_bytes(binary),
    }


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("data", "binary", "venv", "result"):
        options.add_argument(name, type=pathlib.Path)
    options.add_argument("--full", action="store_true")
    options.add_argument("--tiles", type=int, help="of each kind")
    options.add_argument("--seconds", type=float, help="of each step of a curve")
    options = options.parse_args()
    run = Run(options)
    result = {"date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"), "full": run.full, "conditions": conditions(run)}
    options.result.parent.mkdir(parents=True, exist_ok=True)

    def keep(name, value):
        result[name] = value
        options.result.write_text(json.dumps(result, indent=1), encoding="utf-8")

    keep("agreement", compare(run))
    keep("work", {kind.name: work(run, kind) for kind in run.kinds})
    keep("memory", {kind.name: memory(run, kind) for kind in run.kinds[:2]})
    keep("start", {kind.name: start(run, kind, 3 if kind.is_peer else 10) for kind in run.kinds[:2]})
    keep("far", {kind.name: far(run, kind) for kind in (run.peer, run.lean)})
    keep("cold", {kind.name: cold(run, kind, 3 if kind.is_peer else 9) for kind in (run.peer, run.lean)})
    keep("curve", {kind.name: curve(run, kind, run.seconds) for kind in run.kinds})
    # Of the peer one process, as Lambda has it, in sizes that can hold it.
    single = titiler(options.venv.absolute(), run.data, 1)
    keep("throttled", {run.lean.name: throttled(run, run.lean, LAMBDA_MB, 60), single.name: throttled(run, single, LAMBDA_MB[2:], 20)})
    if run.full:
        most = {kind.name: max(row["tiles_per_s"] for row in result["curve"][kind.name].values()) for kind in run.kinds}
        keep("ladder", {kind.name: ladder(run, kind, most[kind.name], run.seconds) for kind in run.kinds[:2]})
    result["conditions"]["load_average_after"] = os.getloadavg()
    keep("finished", datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
