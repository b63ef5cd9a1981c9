"""Writes src/crs/registry/*.txt: the EPSG and ESRI coordinate reference systems that this library knows.

    pip install pyproj==3.7.2 && python crs_registry.py

Parameters are facts of the EPSG Dataset v11.022 (IOGP, epsg.org) and of Esri's list, as PROJ 9.5.1 holds them.
crs.txt      code [base] parameters |name    a projected or geographic system; parameters as PROJ spells them
             code =code                      the horizontal part of a compound or three-dimensional system
shifts.txt   base west south east north accuracy x y z [rx ry rz s [px py pz]]
             the ways from a base's datum to WGS 84 that need no grid, in the order in which PROJ ranks them:
             metres, arc seconds (position vector), parts per million, pivot in metres
datums.txt   code base name                  a datum, and the geographic system in degrees from Greenwich on it
"""

import os
import re
import sys
import warnings
from pathlib import Path

os.environ["PROJ_NETWORK"] = "OFF"
warnings.simplefilter("ignore")

from pyproj import CRS, __version__, proj_version_str  # noqa: E402
from pyproj.database import query_crs_info  # noqa: E402
from pyproj.enums import PJType  # noqa: E402
from pyproj.exceptions import CRSError  # noqa: E402
from pyproj.transformer import TransformerGroup  # noqa: E402

assert (__version__, proj_version_str) == ("3.7.2", "9.5.1"), "the registry is pinned to pyproj 3.7.2"

OUT = Path(__file__).resolve().parent.parent / "src" / "crs" / "registry"
WGS84 = CRS.from_epsg(4326)
# Said by the base system, or meaningless to us.
DROPPED = {"datum", "ellps", "a", "b", "rf", "f", "R", "pm", "type", "no_defs", "vunits", "towgs84", "nadgrids", "wktext"}


def esri_kept(code):
    """Esri's world and continental systems; the rest are EPSG's under other numbers, too large for a GeoKey."""
    return 53000 <= code < 55000 or 102000 <= code < 102100


def number(value):
    return f"{value:.15g}"


def angle_unit(crs):
    """Radians in a unit of the axes of a geographic system."""
    return crs.axis_info[0].unit_conversion_factor


def horizontal(crs):
    """The two-dimensional system inside a compound, bound or three-dimensional one."""
    while crs.is_compound:
        crs = crs.sub_crs_list[0]
    if crs.is_bound:
        crs = crs.source_crs
    return crs.to_2d() if len(crs.axis_info) == 3 else crs


def ellipsoid(crs):
    e = crs.ellipsoid
    if e.inverse_flattening == 0 or e.semi_major_metre == e.semi_minor_metre:
        return f"R={number(e.semi_major_metre)}"
    if e.is_semi_minor_computed:
        return f"a={number(e.semi_major_metre)} rf={number(e.inverse_flattening)}"
    return f"a={number(e.semi_major_metre)} b={number(e.semi_minor_metre)}"


def geographic(crs):
    text = ellipsoid(crs)
    pm = crs.prime_meridian
    if pm.longitude:
        text += f" pm={number(pm.longitude * pm.unit_conversion_factor * 57.29577951308232)}"
    unit = angle_unit(crs)
    if abs(unit - 0.017453292519943295) > 1e-15:
        text += f" angle={number(unit)}"
    return text


def projected(crs):
    try:
        text = crs.to_proj4()
    except CRSError:
        text = ""
    if "+proj=" not in text:
        return f"method={crs.coordinate_operation.method_name.replace(' ', '_')}"
    keep = [token for token in text.replace("+", "").split() if token.split("=")[0] not in DROPPED]
    return " ".join(token for token in keep if token not in ("units=m", "lat_0=0", "lon_0=0", "x_0=0", "y_0=0", "k=1", "k_0=1"))


def code_of(crs):
    found = crs.to_json_dict().get("id")
    return int(found["code"]) if found and found["authority"] in ("EPSG", "ESRI") else None


def systems(authority):
    kinds = [PJType.PROJECTED_CRS, PJType.GEOGRAPHIC_2D_CRS, PJType.GEOGRAPHIC_3D_CRS, PJType.COMPOUND_CRS]
    for info in query_crs_info(auth_name=authority, pj_types=kinds, allow_deprecated=True):
        if info.code.isdigit():
            yield int(info.code), CRS.from_authority(authority, info.code)


def shift(definition):
    """Translation, rotation, scale and pivot of a pipeline with at most one Helmert step; None where there is more."""
    steps = [step.split() for step in definition.split(" step ")]
    found = None
    for step in steps:
        arguments = dict(token.split("=", 1) if "=" in token else (token, "") for token in step)
        name = arguments.get("proj")
        if name in ("helmert", "molobadekas"):
            if found is not None or "inv" in arguments or "t_epoch" in arguments:
                return None
            sign = -1 if arguments.get("convention") == "coordinate_frame" else 1
            values = [float(arguments.get(key, 0)) for key in ("x", "y", "z", "rx", "ry", "rz", "s", "px", "py", "pz")]
            found = [value * sign if 3 <= index < 6 else value for index, value in enumerate(values)]
        elif name not in ("pipeline", "unitconvert", "push", "pop", "cart", "noop", "longlat"):
            return None
    if found is None:
        return [] if "cart" not in definition else [0.0, 0.0, 0.0]
    while len(found) > 3 and not any(found[3:] if len(found) == 7 else found[7:]):
        found = found[:3] if len(found) == 7 else found[:7]
    return found


def shifts(base, crs):
    rows, skipped = [], []
    for way in TransformerGroup(crs, WGS84, always_xy=True).transformers:
        if "Ballpark" in way.description:
            values = []
        else:
            values = shift(way.definition)
        if values is None:
            skipped.append((base, way.description, way.definition))
            continue
        area = way.area_of_use.bounds if way.area_of_use else (-180.0, -90.0, 180.0, 90.0)
        rows.append(f"{base} " + " ".join(number(v) for v in (*area, way.accuracy, *values)))
    # One way that moves nothing says no more than no way at all.
    if all(len(row.split()) == 6 for row in rows):
        rows = []
    return rows, skipped


def main():
    crs_rows, shift_rows, datum_rows, skipped = {}, [], {}, []
    for authority in ("EPSG", "ESRI"):
        for code, crs in systems(authority):
            if code == 3857:
                crs_rows[code] = f"{code} 4326 proj=webmerc |{crs.name}"
            if code in crs_rows or (authority == "ESRI" and not esri_kept(code)):
                continue
            flat = horizontal(crs)
            if flat != crs:
                target = code_of(flat)
                if target and target != code:
                    crs_rows[code] = f"{code} ={target}"
                    continue
            if flat.is_projected:
                base = flat.geodetic_crs
                number_of = code_of(horizontal(base)) or (4326 if base.name == "WGS 84" else None)
                # A sphere has no code: it stands in the parameters.
                parameters = projected(flat) + ("" if number_of else " " + geographic(base))
                crs_rows[code] = f"{code} {number_of or 0} {parameters} |{flat.name}"
            elif flat.is_geographic:
                crs_rows[code] = f"{code} {geographic(flat)} |{flat.name}"
                rows, missed = shifts(code, flat)
                shift_rows += rows
                skipped += missed
                datum = flat.to_json_dict().get("datum") or flat.to_json_dict()["datum_ensemble"]
                number_of = code_of(flat.datum) if flat.datum else None
                plain = "pm=" not in crs_rows[code] and "angle=" not in crs_rows[code]
                if number_of and plain:
                    datum_rows.setdefault((authority, number_of), f"{number_of} {code} {datum['name']}")
    for name, rows in (
        ("crs.txt", [crs_rows[code] for code in sorted(crs_rows)]),
        ("shifts.txt", sorted(shift_rows, key=lambda row: int(row.split()[0]))),
        ("datums.txt", [datum_rows[key] for key in sorted(datum_rows)]),
    ):
        (OUT / name).write_text("\n".join(rows) + "\n")
        print(name, len(rows), "rows", (OUT / name).stat().st_size, "bytes")
    for row in skipped:
        print("skipped", *row, file=sys.stderr)


if __name__ == "__main__":
    main()
