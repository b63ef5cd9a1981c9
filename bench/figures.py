"""Figures for the cost model out of a run: what one NDVI tile of two files takes of each server.

    figures.py RESULT > infra/cost/figures.json

CPU and answers are of the run with files near. Requests, bytes and waits are of the run with a far store, where hardly
anything but waiting takes time: waits are its median latency less CPU, in round trips. A cold start is the CPU from
the start of a process to its first tile; of TiTiler's workers one is counted.
"""

import json
import pathlib
import sys

SERVERS = (
    ("edgetile", "edgetile, headers alone in memory", 1024, "arm64"),
    ("TiTiler", "TiTiler", 1536, "x86_64"),
)


def server(result, name, measured, memory_mb, architecture):
    work, far = result["work"][measured]["ndvi"]["1"], result["far"][measured]["1"]
    processes = result["conditions"]["titiler_workers"] if name == "TiTiler" else 1
    return {
        "name": name,
        "memory_mb": memory_mb,
        "architecture": architecture,
        "cpu_ms": work["cpu_ms"],
        "gets": far["requests"],
        "waits": round(max(1.0, (far["p50_ms"] - work["cpu_ms"]) / result["conditions"]["round_trip_ms"]), 2),
        "read_bytes": far["bytes"],
        "answer_bytes": work["answer_bytes"],
        "cold_ms": round(result["start"][name]["cpu_ms"] / processes, 1),
    }


def main():
    result = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    servers = [server(result, *one) for one in SERVERS]
    throttled = result["throttled"]
    under_quota = {name: throttled[key] for name, key, *_ in SERVERS if throttled.get(key)}
    json.dump({"as_of": result["date"], "servers": servers, "under_quota": under_quota}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
