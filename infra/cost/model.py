"""What a million map tiles cost on AWS, from measured work and stated prices.

    model.py FIGURES PRICES            docs/cost.md, on standard output
    model.py FIGURES PRICES --plot     the plot, as SVG

FIGURES holds, for each server, what one rendered tile takes: CPU milliseconds on one vCPU, requests to the store and
how many of them wait for each other, bytes read, bytes of the answer, and milliseconds of a cold start. Only misses are
rendered; every tile is sent. Under `under_quota` may stand, for each server, milliseconds of a tile as they were measured
at each memory size. Lambda gives one vCPU at 1769 MB and CPU in proportion to memory below that; waiting for the store is billed like
work.
"""

import argparse
import json
import pathlib
from dataclasses import dataclass

VCPU_MB = 1769
MILLION = 1_000_000
GIB = 1024
GB = 1e9


@dataclass(frozen=True)
class Work:
    """One rendered tile, as it was measured."""

    name: str
    memory_mb: int
    architecture: str
    cpu_ms: float
    gets: float
    waits: float
    read_bytes: float
    answer_bytes: float
    cold_ms: float


@dataclass(frozen=True)
class Place:
    """What the deployment, not the server, decides."""

    hit_ratio: float = 0.9
    store_ms: float = 25.0
    bandwidth_mbit: float = 600.0
    cold_share: float = 0.005


def billed_ms(work, place, memory_mb):
    """Milliseconds that Lambda bills for one rendered tile, cold starts shared out."""
    speed = min(1.0, memory_mb / VCPU_MB)
    waiting = work.waits * place.store_ms + work.read_bytes * 8 / (place.bandwidth_mbit * 1000)
    return work.cpu_ms / speed + waiting + place.cold_share * work.cold_ms / speed


def per_million(work, place, prices, memory_mb=None):
    """Dollars for a million tiles sent, by part."""
    memory_mb = memory_mb or work.memory_mb
    misses = MILLION * (1 - place.hit_ratio)
    gb_seconds = misses * billed_ms(work, place, memory_mb) / 1000 * memory_mb / GIB
    return {
        "Lambda": gb_seconds * prices["lambda_gb_second"][work.architecture] + misses / MILLION * prices["lambda_million_requests"],
        "S3 reads": misses * work.gets / 1000 * prices["s3_thousand_gets"],
        "Edge function": prices["cloudfront_million_function_calls"],
        "Origin Shield": misses / 10_000 * prices["origin_shield_ten_thousand_requests"],
        "CloudFront requests": MILLION / 10_000 * prices["cloudfront_ten_thousand_requests"],
        "CloudFront bytes": MILLION * work.answer_bytes / GB * prices["cloudfront_gb_out"],
    }


def table(heads, rows):
    """A Markdown table: the first column text, the others numbers."""
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def dollars(value):
    return f"${value:,.2f}"


def by_part(works, prices):
    columns = [per_million(work, Place(), prices) for work in works]
    rows = [[part, *(dollars(column[part]) for column in columns)] for part in columns[0]]
    rows.append(["**together**", *(f"**{dollars(sum(column.values()))}**" for column in columns)])
    return table(["a million tiles, 90 % hits", *(f"{work.name}, {work.memory_mb} MB" for work in works)], rows)


def by_memory(works, prices):
    rows = []
    for memory in (128, 256, 512, 1024, 1536, VCPU_MB, 3008):
        cells = []
        for work in works:
            cells += [f"{billed_ms(work, Place(), memory):.0f} ms", dollars(per_million(work, Place(), prices, memory)["Lambda"])]
        rows.append([f"{memory} MB", *cells])
    heads = ["memory"]
    for work in works:
        heads += [f"{work.name}: billed a miss", "Lambda"]
    return table(heads, rows)


def by_place(works, prices):
    rows = []
    for hit_ratio in (0.0, 0.5, 0.9, 0.99):
        for store_ms in (15.0, 25.0, 60.0):
            place = Place(hit_ratio=hit_ratio, store_ms=store_ms)
            rendered = [per_million(work, place, prices) for work in works]
            costs = [dollars(one["Lambda"] + one["S3 reads"]) for one in rendered]
            rows.append([f"{hit_ratio:.0%}, {store_ms:.0f} ms", *costs])
    return table(["hits, first byte of the store", *(f"{work.name}: Lambda and S3" for work in works)], rows)


def by_quota(under_quota, works, prices):
    """What was measured under the share of a core of each memory size, and what such tiles cost; a size that cannot hold a server is left out."""
    rows = []
    for memory in under_quota[works[0].name]:
        cells = []
        for work in works:
            row = under_quota.get(work.name, {}).get(memory)
            cost = row and MILLION * row["p50_ms"] / 1000 * int(memory) / GIB * prices["lambda_gb_second"][work.architecture]
            cells += [*(f"{row[key]:.0f} ms" for key in ("first_ms", "p50_ms", "p95_ms")), dollars(cost)] if row else ["–"] * 4
        rows.append([f"{memory} MB", *cells])
    heads = ["memory"]
    for work in works:
        heads += [f"{work.name}: first tile of a process", "p50", "p95", "a million rendered"]
    return table(heads, rows)


def enough_mb(rows, key):
    """The least memory with which a tile takes at most a tenth longer than with the most."""
    most = rows[max(rows, key=int)][key]
    return min((int(memory) for memory, row in rows.items() if row[key] <= 1.1 * most))


def page(figures, works, prices):
    """docs/cost.md."""
    place, given = Place(), "; ".join(
        f"{work.name}: {work.cpu_ms:g} ms of CPU, {work.gets:g} requests in {work.waits:g} round trips, {work.read_bytes / 1000:,.0f} kB read, "
        f"{work.answer_bytes / 1000:,.0f} kB sent, {work.cold_ms:,.0f} ms of CPU for a cold start"
        for work in works
    )
    parts = [
        "# What a million tiles cost",
        "`make cost` makes this page of `infra/cost/model.py`, the figures of the last benchmark run and the prices in `infra/cost/prices.json`.",
        f"- **Work** of one NDVI tile of two files ([benchmarks](benchmarks.md), {figures['as_of']}): {given}. No block is kept in memory.\n"
        f"- **Prices** ({prices['as_of']}): {prices['source']}. The free tier is left out.\n"
        f"- **Place**, where a table says nothing else: {place.hit_ratio:.0%} of tiles come from CloudFront's cache, the store's first byte takes {place.store_ms:g} ms, "
        f"{place.bandwidth_mbit:g} Mbit/s from it, {place.cold_share:.1%} of misses start a process. Loading the package before a process starts is in neither figure.\n"
        f"- **Lambda** gives one vCPU at {VCPU_MB} MB and less in proportion; one request at a time, waiting is billed. CPU was measured on x86_64; "
        f"arm64 is taken to be as fast, and is cheaper by a fifth. TiTiler's own deployment is x86_64 with 1536 MB.",
        "## By part",
        by_part(works, prices),
        "## By memory",
        "From the model: what a miss is billed, which is also how long it takes.\n\n" + by_memory(works, prices),
    ]
    under_quota = figures["under_quota"]
    if rows := under_quota.get(works[0].name):
        parts.append(
            f"Measured under a CPU quota of memory / {VCPU_MB} of a core in periods of 20 ms, the store 25 ms away; dollars are those of Lambda's seconds at p50. A tile that waited for the store "
            f"finds the quota of a whole period unused, so that work of less than it is not slowed:\n\n{by_quota(under_quota, works, prices)}\n\n"
            f"Of {works[0].name}, half of the tiles take no longer than a tenth more than with {max(rows, key=int)} MB from {enough_mb(rows, 'p50_ms')} MB on, 95 % from {enough_mb(rows, 'p95_ms')} MB on, "
            f"and the first of a process from {enough_mb(rows, 'first_ms')} MB on. The stack's default is {works[0].memory_mb} MB."
        )
    parts += ["## By hit ratio and distance", by_place(works, prices), "![dollars against the hit ratio](cost.svg)"]
    return "\n\n".join(parts)


def plot(works, prices):
    """Dollars of rendering a million tiles against the hit ratio, as SVG."""
    width, height, left, bottom, top = 640, 360, 60, 40, 20
    ratios = [step / 50 for step in range(51)]
    curves = [[sum(per_million(work, Place(hit_ratio=ratio), prices)[part] for part in ("Lambda", "S3 reads")) for ratio in ratios] for work in works]
    peak = max(max(curve) for curve in curves)
    across = lambda ratio: left + ratio * (width - left - 20)
    up = lambda value: height - bottom - value / peak * (height - bottom - top)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">']
    parts.append(f'<rect width="{width}" height="{height}" fill="white"/>')
    step = next(step for step in (0.5, 1, 2, 5, 10, 20, 50, 100) if peak / step <= 6)
    for value in (step * at for at in range(int(peak / step) + 1)):
        parts.append(f'<line x1="{left}" x2="{width - 20}" y1="{up(value):.1f}" y2="{up(value):.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 6}" y="{up(value) + 4:.1f}" text-anchor="end">${value:g}</text>')
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<text x="{across(share):.1f}" y="{height - bottom + 18}" text-anchor="middle">{share:.0%}</text>')
    for work, curve, colour in zip(works, curves, ("#1b6ca8", "#c0392b", "#7f8c8d")):
        points = " ".join(f"{across(ratio):.1f},{up(value):.1f}" for ratio, value in zip(ratios, curve))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{across(0.02):.1f}" y="{up(curve[1]) - 6:.1f}" fill="{colour}">{work.name}</text>')
    parts.append(f'<text x="{(left + width) / 2}" y="{height - 6}" text-anchor="middle">share of tiles that the edge answers; dollars for Lambda and S3 of a million tiles</text></svg>')
    return "\n".join(parts)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("figures", type=pathlib.Path)
    options.add_argument("prices", type=pathlib.Path)
    options.add_argument("--plot", action="store_true")
    options = options.parse_args()
    figures, prices = (json.loads(path.read_text(encoding="utf-8")) for path in (options.figures, options.prices))
    works = [Work(**one) for one in figures["servers"]]
    if options.plot:
        print(plot(works, prices))
        return
    print(page(figures, works, prices))


if __name__ == "__main__":
    main()
