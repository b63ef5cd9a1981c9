"""The report of a run: docs/benchmarks.md and its plots.

    report.py RESULT DOCS
"""

import argparse
import json
import pathlib
import statistics

import plot
import tiles

OURS, PEER, LEAN = "edgetile", "TiTiler", "edgetile, headers alone in memory"

# What edgetile keeps of headers and blocks as it is shipped (`EDGETILE_CACHE_MB`).
CACHE_MB = 16


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def number(value, digits=1):
    if value is None:
        return "–"
    return f"{value:,.{0 if abs(value) >= 100 else digits}f}".replace(",", " ")


def against(ours, budget, theirs, digits=1):
    """Cells: budget, TiTiler, ours with the verdict, and how many times TiTiler's it is."""
    verdict = " **over**" if ours > budget else " ✓"
    return [number(budget, digits), number(theirs, digits), number(ours, digits) + verdict, f"{theirs / ours:.1f}" if ours and theirs else "–"]


def unordinary(result):
    """Rows whose budget follows from other figures of the run, as far as it has them."""
    rows, work = [], result["work"]
    if "steps" in result:
        row, share = work[OURS]["ndvi"]["1"], result["steps"]["ndvi"]["shares"]["unpack"]
        rows.append(["CPU, NDVI of two files, times that of inflating the rows it needs", *against(row["cpu_ms"] / ((row["cpu_ms"] - row["system_ms"]) * share), 1.35, None, 2)])
    rows.append(["package for Lambda, x86_64, MB", *against(result["conditions"]["package_bytes"] / 1e6, 6, None)])
    ours, theirs = (result["curve"][name]["128"] for name in (OURS, PEER))
    rows.append(["128 at once: 95th percentile, ms (128 / tiles a second × 1.3)", *against(ours["p95_ms"], 1.3 * 128_000 / ours["tiles_per_s"], theirs["p95_ms"])])
    rows.append(["128 at once: errors", *against(ours["errors"], 0, theirs["errors"])])
    if "ladder" in result:
        ours, theirs = (result["ladder"][name] for name in (OURS, PEER))
        rows.append(["after overload: the first request, ms (the slowest of ten before)", *against(ours["after_ms"][0], max(ours["before_ms"]), theirs["after_ms"][0])])
    return rows


def waits(result, name):
    """Round trips to a far store in which a tile is waited for, medians: cold less the first handshake of a connection, and warm."""
    trip, cpu = result["conditions"]["round_trip_ms"], result["work"][name]["ndvi"]["1"]["cpu_ms"]
    return (statistics.median(result["cold"][name]) - cpu) / trip - 1, (result["far"][name]["1"]["p50_ms"] - cpu) / trip


def budget_rows(result):
    """Rows of the table of budgets: what, budget, TiTiler, ours, ratio."""
    rows = []
    work = result["work"]
    for job in tiles.JOBS:
        rows.append([f"CPU, {job.title}, ms", *against(work[OURS][job.name]["1"]["cpu_ms"], job.budget_ms, work[PEER][job.name]["1"]["cpu_ms"])])
    for job in tiles.JOBS:
        theirs, ours = (work[name][job.name]["1"]["answer_bytes"] / 1000 for name in (PEER, OURS))
        rows.append([f"answer, {job.title}, kB", *against(ours, theirs * (0.5 if job.is_colormapped else 1), theirs)])
    memory = result["memory"]
    for key, what, budget in (("idle", "idle", 8), ("peak_1", "peak, one at a time", 40), ("peak_16", "peak, 16 at once", 128)):
        rows.append([f"memory of its own, {what}, MB", *against(memory[OURS][key]["anonymous"], budget, memory[PEER][key]["anonymous"])])
    settled = 1.2 * memory[OURS]["idle"]["anonymous"] + CACHE_MB
    rows.append([f"the same, settled 2 s later (1.2 × idle + the cache of {CACHE_MB})", *against(memory[OURS]["settled"]["anonymous"], settled, memory[PEER]["settled"]["anonymous"])])
    start = result["start"]
    rows.append(["process start to first NDVI tile, ms", *against(start[OURS]["least_ms"], 25, start[PEER]["least_ms"])])
    rows += unordinary(result)
    far = result["far"]
    # Counted in whole round trips: what is between is work, of the store too.
    for what, budget, ours, theirs in zip(("cold, less the first handshake", "warm"), (2, 1), waits(result, LEAN), waits(result, PEER)):
        rows.append([f"round trips of an NDVI tile, {what}", *against(round(ours), budget, round(theirs), 0)])
    rows.append(["requests per NDVI tile, no blocks in memory", *against(work[LEAN]["ndvi"]["1"]["gets"], 3.5, far[PEER]["1"]["requests"])])
    rows.append(["connections opened per tile, 16 at once, those that fill the pool among them", *against(far[LEAN]["16"]["connections"], 0, far[PEER]["16"]["connections"], 2)])
    for at_once, budget in (("1", 4.8), ("4", 19), ("16", 45)):
        ours, theirs = far[LEAN][at_once]["tiles_per_s"], far[PEER][at_once]["tiles_per_s"]
        verdict = " ✓" if ours >= budget else " **under**"
        rows.append([f"NDVI tiles/s, store 180 ms away, {at_once} at once", f"≥ {budget}", number(theirs), number(ours) + verdict, f"{ours / theirs:.1f}"])
    return rows


def lost(result):
    """Sentences on every figure in which we are behind TiTiler or over a budget."""
    found = []
    for row in budget_rows(result):
        ratio = row[4]
        if "**" in row[3] or (ratio != "–" and float(ratio) < 1):
            found.append(f"- {row[0]}: {row[3].split(' ')[0]} here, {row[2]} there, the budget is {row[1]}.")
    for name, other in result.get("others", {}).items():
        for row in other["jobs"].values():
            for key, what, sign in (("cpu_ms", "ms of CPU", 1), ("tiles_per_s", "tiles/s, 16 at once", -1), ("answer_bytes", "bytes", 1)):
                if "ours" in row and sign * row["ours"][key] > sign * row["theirs"][key]:
                    found.append(f"- {row['title']}, {what}: {number(row['ours'][key])} here, {number(row['theirs'][key])} of {name}.")
    return found or ["- Nothing in this run."]


def curve_rows(result):
    rows = []
    for at_once in result["curve"][OURS]:
        cells = [at_once]
        for name in (PEER, OURS, LEAN):
            row = result["curve"][name][at_once]
            cells += [number(row["tiles_per_s"]), number(row["p50_ms"]), number(row["p95_ms"]), row["errors"]]
        rows.append(cells)
    return rows


def others(result):
    shares = [row["others_cores"] for curve in result["curve"].values() for row in curve.values()]
    return sum(shares) / len(shares)


def text(result):
    about = result["conditions"]
    quiet = others(result)
    files = ", ".join(f"{name} {size / 1e6:.0f} MB" for name, size in about["files"].items())
    state = (
        f"Other programs used {quiet:.1f} of the {about['cores']} cores while throughput was measured: throughput and latency say little, CPU, memory, bytes and counts hold."
        if quiet > 0.2
        else f"Other programs used {quiet:.2f} of the {about['cores']} cores."
    )
    client = max(row["client_cpu_ms"] for curve in result["curve"].values() for row in curve.values())
    parts = [
        "# Benchmarks",
        f"Measured {result['date']} by `make {'bench-full' if result['full'] else 'bench'}`; `bench/results/latest.json` has every figure. "
        f"This page is made by `bench/report.py`.",
        "## Conditions",
        f"- **Machine:** {about['cpu']}, {about['cores']} cores, {about['memory_mb'] / 1024:.0f} GB. {state}\n"
        f"- **edgetile:** {about['edgetile'] or 'this version'}, release profile, `edgetile serve`, two threads, its cache as shipped or of 1 MB (\"headers alone in memory\").\n"
        f"- **TiTiler** {about['titiler']} (rio-tiler {about['rio_tiler']}, GDAL {about['gdal']}), gunicorn with {about['titiler_workers']} uvicorn workers, "
        f"and the settings of its own deployment: {', '.join(f'`{key}={value}`' for key, value in about['gdal_settings'].items())}.\n"
        f"- **Same cores, in turn.** The client (asyncio, kept connections) runs on them too and takes up to {client:.1f} ms of CPU a tile; that is not in the servers' CPU.\n"
        f"- **Files** are painted by `bench/make_data.py` and lie in the page cache: {files}. Blocks of 512 px, overviews.\n"
        f"- **Tiles** of 256 px: up to {about['tiles_per_job']} different ones of each kind in random order, 60 % at full resolution, 30 % and 10 % one and two zooms out; each is asked for once. "
        f"Decoding is in every figure. TiTiler closes a file after each tile, and with it GDAL's cache; edgetile keeps some MB of blocks as they are stored, so of neighbouring tiles some bytes are not read again, but every block is decoded anew.\n"
        + (f"- **Not of one piece:** {result['note']}.\n" if "note" in result else "")
        + f"- CPU is user and system time of all processes of a server, divided by tiles, one request at a time.",
        "## Do the pictures agree?",
        "Nothing is timed unless they do. Arrays (`npy`, nearest) of eight tiles of each kind: shares of pixels within one level of 256, "
        "and within one level of the pixel or one of the eight around it (GDAL places pixels to an eighth of a source pixel).\n\n"
        + table(["", "within a level", "of a neighbour"], [[job.title, f"{result['agreement'][job.name]['within_a_level']:.2%}", f"{result['agreement'][job.name]['within_a_level_of_a_neighbour']:.2%}"] for job in tiles.JOBS]),
        "## Budgets",
        "The last column is TiTiler's figure divided by ours (for tiles per second ours by TiTiler's). That a tile reads at most 1.1 times the bytes of the blocks that it touches is held by `tests/tests/reads.rs`. A cold tile reads the heads of its files, then its blocks; spare connections open while the heads are read, so that these wait for no handshake. [docs/reads.md](reads.md) counts connections at a steady rate. Memory of its own is anonymous memory, that which only the process can free.\n\n"
        + table(["what", "budget", "TiTiler", "edgetile", "times"], budget_rows(result)),
        "## What we lose",
        "Figures over their budget, or behind TiTiler:\n\n" + "\n".join(lost(result)),
        "## CPU and bytes of each kind",
        table(
            ["", "TiTiler ms", "at 4", "edgetile ms", "at 4", "headers alone ms", "TiTiler kB", "edgetile kB", "reads", "kB read"],
            [
                [job.title]
                + [number(result["work"][name][job.name][at]["cpu_ms"]) for name in (PEER, OURS) for at in ("1", "4")]
                + [number(result["work"][LEAN][job.name]["1"]["cpu_ms"])]
                + [number(result["work"][name][job.name]["1"]["answer_bytes"] / 1000) for name in (PEER, OURS)]
                + [number(result["work"][LEAN][job.name]["1"]["gets"]), number(result["work"][LEAN][job.name]["1"]["read_bytes"] / 1000)]
                for job in tiles.JOBS
            ],
        )
        + "\n\nReads and kB read are of the server that keeps headers alone.",
        "## Against concurrency",
        f"NDVI of two files, closed loop. {state}\n\n"
        + table(["at once", *(f"{name}{what}" for name in ("TiTiler ", "edgetile ", "headers alone ") for what in ("tiles/s", "p50 ms", "p95 ms", "errors"))], curve_rows(result))
        + "\n\n[The space of configurations](space.md) has files, stores and loads of a hundred other kinds."
        + "\n\n![tiles a second](benchmarks-throughput.svg)\n\n![95th percentile](benchmarks-latency.svg)",
    ]
    if "steps" in result:
        cells = step_costs(result)
        parts += [
            "## What each step costs",
            "Milliseconds of CPU of a tile, one at a time. The server's user time is divided as the instructions are that each step asks for (`bench/steps.py`: valgrind, the `fast` build, "
            "which has names); the kernel's part is what it counts itself: reads of files, sockets, memory.\n\n"
            + table(["", *(job.title for job in tiles.JOBS)], [[step, *(number(value, 2) for value in values)] for step, values in cells.items()] + [["million instructions", *(number(result["steps"][job.name]["instructions"] / 1e6) for job in tiles.JOBS)]])
            + "\n\n![cost of each step](benchmarks-steps.svg)",
        ]
    if "others" in result:
        parts.append(other_servers(result["others"]))
    if "ladder" in result:
        rows = [
            [name, number(row["rate"]), f"{row['achieved']:.2f}", number(row["p50_ms"]), number(row["p95_ms"]), number(row["p99_ms"]), row["errors"], "saturated" if row["is_saturated"] else ""]
            for name in (PEER, OURS)
            for row in result["ladder"][name]["steps"]
        ]
        gates = "\n".join(
            f"- {name}: the last rate that held is {number(gate['knee'])} tiles/s. One tile by itself, asked for ten times: {number(min(gate['before_ms']))} to {number(max(gate['before_ms']))} ms before; "
            f"when the last answer of the overload had come {number(gate['after_ms'][0])} ms, then {number(min(gate['after_ms'][1:]))} to {number(max(gate['after_ms'][1:]))} ms. "
            + ("Its bytes are as before." if gate["is_same_answer"] else "**Its bytes differ from before.**")
            for name in (PEER, OURS)
            for gate in [result["ladder"][name]]
        )
        parts += [
            "## Arrivals on schedule",
            "Latency counts from the scheduled arrival. Steps of a quarter more until errors pass 1 %, less than 0.95 of the offered load is achieved, or p99 passes 10 s.\n\n"
            + table(["", "offered tiles/s", "achieved", "p50 ms", "p95 ms", "p99 ms", "errors", ""], rows)
            + f"\n\n{gates}\n\n![latency against offered load](benchmarks-ladder.svg)",
        ]
    memory = result["memory"]
    parts += [
        "## Memory",
        table(
            ["MB", *(f"{name} {what}" for name in (PEER, OURS) for what in ("RSS", "PSS", "own"))],
            [[what, *(number(memory[name][key].get(kind)) for name in (PEER, OURS) for kind in ("rss", "pss", "anonymous"))] for key, what in (("idle", "idle"), ("peak_1", "peak, one at a time"), ("peak_16", "peak, 16 at once"), ("settled", "2 s later"))],
        )
        + "\n\n![memory over time](benchmarks-memory.svg)",
        "## A store that is far",
        f"NDVI of two files over HTTP/1.1, {about['round_trip_ms']} ms away, a handshake more for each connection, 32 connections at most (`bench/store.py`). Headers are warm, each tile is asked for once, edgetile keeps headers alone.\n\n"
        + table(
            ["at once", *(f"{name} {what}" for name in (PEER, OURS) for what in ("tiles/s", "p50 ms", "requests", "connections", "kB"))],
            [[at_once, *(cell for name in (PEER, LEAN) for row in [result["far"][name][at_once]] for cell in (number(row["tiles_per_s"]), number(row["p50_ms"]), number(row["requests"]), number(row["connections"], 2), number(row["bytes"] / 1000)))] for at_once in ("1", "4", "16")],
        ),
    ]
    throttled = result.get("throttled") or {}
    if throttled.get(LEAN):
        ours, theirs = throttled[LEAN], throttled.get(PEER) or {}
        keys = ("first_ms", "p50_ms", "p95_ms", "cpu_ms", "rss_mb")
        parts += [
            "## The share of a core that Lambda gives",
            "NDVI tiles one at a time from a store 25 ms away, headers warm, under a CPU quota (cgroup, periods of 20 ms) of memory / 1769 of one core. The first tile has the process's start, two connections and two round trips in it. "
            "TiTiler has one worker here, and no figures where it does not fit into the memory.\n\n"
            + table(
                ["memory MB", *(f"{name} {what}" for name in (PEER, OURS) for what in ("first tile ms", "p50 ms", "p95 ms", "CPU ms", "RSS MB"))],
                [[memory_mb, *(number(theirs.get(memory_mb, {}).get(key)) for key in keys), *(number(row[key]) for key in keys)] for memory_mb, row in ours.items()],
            )
            + "\n\n[The cost model](cost.md) makes dollars of it.",
        ]
    parts += [
        "## Again",
        "```\nmake bench         # minutes\nmake bench-full    # more tiles, and arrivals on schedule\n```\n\nBoth install the peer from PyPI (`bench/requirements.txt`) under `target/`.",
    ]
    return "\n\n".join(parts) + "\n"


def other_servers(others):
    """The section on servers that do a part of the same job."""
    rows = []
    for name, other in others.items():
        for row in other["jobs"].values():
            theirs, ours = row.get("theirs"), row.get("ours")
            measured = [number(side[key] / scale) for key, scale in (("cpu_ms", 1), ("tiles_per_s", 1), ("answer_bytes", 1000)) for side in (theirs, ours)] if theirs else ["not timed"] + ["–"] * 5
            rows.append([f"{name} {other['version']}", row["title"], f"{row['agreement']:.2%}", *measured, (theirs or {}).get("errors", "–")])
    notes = [
        "- **MapServer** (Debian's, `mapserv` under FastCGI, a process for each core, behind nginx; `bench/mapserver.py`) draws single files, in its tile mode. It holds files open, and GDAL's cache with them: blocks that have been decoded stay in memory, "
        "and of tiles that are asked for round and round none is decoded again, where edgetile decodes for every tile. Indices of bands are none of its expressions.",
        "- **Martin** (`cargo install martin --no-default-features --features unstable-cog`, its cache of tiles off) serves a block of a file as a tile, of 8-bit files whose blocks are the tiles of the web's grid: it neither resamples nor reprojects, rescales nor calculates. So it gets a file of that kind, of whose overviews each begins at a tile: others 1.14 draws shifted.",
        "- **async-geotiff** (PyPI) reads windows of bands and is no server: of warp, colours, encoding and HTTP it has nothing, so there is no tile to compare.",
    ]
    heads = ["", "tiles", "pictures agree", "CPU ms", "edgetile", "tiles/s, 16 at once", "edgetile", "kB", "edgetile", "errors"]
    absent = [name for name in ("MapServer", "Martin") if name not in others]
    missing = f" Not installed when this was measured: {', '.join(absent)}." if absent else ""
    return (
        "## Other servers\n\nWhere they do the same job, beside edgetile in turn on the same cores; pictures (nearest) are compared first, within a level of one around the pixel, and what differs is not timed. CPU is of tiles that are asked for once, "
        f"tiles a second of the same ones round and round.{missing}\n\n" + table(heads, rows) + "\n\n" + "\n".join(notes)
    )


def step_costs(result):
    """Step → milliseconds of each kind of tile, as a tile passes them, the kernel first."""
    work = [result["work"][OURS][job.name]["1"] for job in tiles.JOBS]
    found = {"kernel": [row["system_ms"] for row in work]}
    for step in result["steps"][tiles.JOBS[0].name]["shares"]:
        found[step] = [(row["cpu_ms"] - row["system_ms"]) * result["steps"][job.name]["shares"][step] for row, job in zip(work, tiles.JOBS)]
    return found


def plots(result):
    curve = lambda what: {name: [(int(at), row[what]) for at, row in result["curve"][name].items()] for name in (PEER, OURS)}
    found = {
        "throughput": plot.lines("NDVI tiles a second", "requests at once", "tiles/s", curve("tiles_per_s"), log_x=True),
        "latency": plot.lines("NDVI, 95th percentile", "requests at once", "ms", curve("p95_ms"), log_x=True, log_y=True),
        "memory": plot.lines("memory of its own: 16 at once, then 2 s of rest", "seconds", "MB", {name: result["memory"][name]["series"] for name in (PEER, OURS)}),
    }
    if "steps" in result:
        cells = step_costs(result)
        found["steps"] = plot.stacks("CPU of a tile by step", "ms", [job.title for job in tiles.JOBS], list(cells), cells)
    if "ladder" in result:
        steps = {name: [(row["rate"], row["p95_ms"]) for row in result["ladder"][name]["steps"] if row["p95_ms"]] for name in (PEER, OURS)}
        found["ladder"] = plot.lines("NDVI, 95th percentile from the scheduled arrival", "tiles/s offered", "ms", steps, log_x=True, log_y=True)
    return found


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("result", type=pathlib.Path)
    options.add_argument("docs", type=pathlib.Path)
    options = options.parse_args()
    result = json.loads(options.result.read_text(encoding="utf-8"))
    (options.docs / "benchmarks.md").write_text(text(result), encoding="utf-8")
    for name, picture in plots(result).items():
        (options.docs / f"benchmarks-{name}.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
