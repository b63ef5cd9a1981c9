"""Writes crs_golden.txt: where PROJ, without grids, puts three points of some 400 coordinate reference systems.

    pip install pyproj==3.7.2 && python crs_oracle.py

A line is `code lon lat x y lon lat`, degrees on WGS 84 and the system's own units, x always before y; the second
longitude and latitude are PROJ's way back from x and y (`inf` where it finds none), which for datum shifts is not
exactly the first. Points at which PROJ takes another shift on the way back are left out. The systems are those
that people use most, and for every projection, unit, meridian, order of axes and kind of datum shift in the registry a
few more, taken evenly over their codes.
"""

import os
import warnings
from collections import defaultdict
from math import isfinite
from pathlib import Path

os.environ["PROJ_NETWORK"] = "OFF"
warnings.simplefilter("ignore")

from pyproj import CRS, Transformer, __version__, proj_version_str  # noqa: E402

assert (__version__, proj_version_str) == ("3.7.2", "9.5.1"), "the values are pinned to pyproj 3.7.2"

HERE = Path(__file__).resolve().parent
REGISTRY = HERE.parent / "src" / "crs" / "registry"
POPULAR = """
3857 4326 4258 4269 4267 4283 4617 4674 4277 4314 4275 4807 4490 7844 6318 3395 3035 3034 2154 27572 2056 21781 25832
25833 31466 31467 31468 27700 29903 2157 28992 31370 3812 2180 5514 3844 23700 31287 31255 3765 3763 20790 23030 25830
3003 3004 2100 3006 3021 2393 3067 25835 3301 2583 5070 5069 102001 102003 102008 3347 3978 3979 3573 3413 3995 3031
3976 32661 32761 5041 5042 2193 27200 3577 7855 28355 3112 32633 32733 32611 26911 26711 26713 2225 2229 2263 2253
6543 2913 2285 3089 3081 32118 2232 5880 29101 31983 22185 5367 6372 20936 20935 2048 22289 24047 3168 3375 3376 3414
2326 3826 3829 2443 6677 30169 5179 5186 2097 32645 24378 28191 2039 22992 20137 6931 6932 6933 3410 3408 4087
54009 54008 54030 54034 53008 102031 102013 102014 8857 9311
"""
FRACTIONS = [(0.5, 0.5), (0.22, 0.31), (0.81, 0.64)]
# For every kind of system, so many.
EACH = 1


def entries():
    for line in (REGISTRY / "crs.txt").read_text().splitlines():
        head, _, _ = line.partition(" |")
        code, *words = head.split(" ")
        if not words[0].startswith("="):
            yield int(code), words


def kinds():
    """Codes by projection, unit, axes, meridian, and by number and kind of the ways to WGS 84."""
    ways = defaultdict(set)
    for line in (REGISTRY / "shifts.txt").read_text().splitlines():
        code, _, _, _, _, accuracy, *values = line.split(" ")
        ways[int(code)].add((len(values), "~" in line, ">" in line, accuracy.endswith("w")))
    found = defaultdict(list)
    for code, words in entries():
        keys = dict(word.partition("=")[::2] for word in words)
        base = int(words[0]) if words[0].isdigit() else code
        shape = tuple(sorted(key for key in keys if not key.isdigit()))
        found["shape", keys.get("proj"), shape].append(code)
        found["unit", keys.get("proj"), keys.get("units"), keys.get("to_meter"), keys.get("angle")].append(code)
        found["axis", keys.get("axis")].append(code)
        found["ways", tuple(sorted(ways[code] or ways[base]))].append(code)
    return found


def main():
    codes = set(map(int, POPULAR.split()))
    for members in kinds().values():
        step = max(1, len(members) // EACH)
        codes.update(members[::step][:EACH])
    rows, skipped, torn = [], [], []
    for code in sorted(codes):
        try:
            crs = CRS.from_authority("ESRI" if 53000 <= code < 55000 or code > 100000 else "EPSG", code)
            forward = Transformer.from_crs(4326, crs, always_xy=True, only_best=False)
            inverse = Transformer.from_crs(crs, 4326, always_xy=True, only_best=False)
        except Exception as error:  # PROJ has no formula
            skipped.append((code, str(error)[:60]))
            continue
        area = crs.area_of_use
        west, south, east, north = area.bounds if area else (-60.0, -40.0, 60.0, 40.0)
        east += 360.0 if east < west else 0.0
        for across, along in FRACTIONS:
            lon = round((west + (east - west) * across + 180.0) % 360.0 - 180.0, 6)
            lat = round(south + (north - south) * along, 6)
            x, y = forward.transform(lon, lat)
            if not (isfinite(x) and isfinite(y)):
                continue
            back_lon, back_lat = inverse.transform(x, y)
            if isfinite(back_lon) and max(abs((back_lon - lon + 180) % 360 - 180), abs(back_lat - lat)) > 2e-6:
                torn.append(code)
                continue
            rows.append(f"{code} {lon!r} {lat!r} {x!r} {y!r} {back_lon!r} {back_lat!r}")
    (HERE / "crs_golden.txt").write_text("\n".join(rows) + "\n")
    print(len(rows), "points of", len({row.split()[0] for row in rows}), "systems;", len(skipped), "without a formula;", len(torn), "torn:", torn)


if __name__ == "__main__":
    main()
