"""Writes src/crs/registry/*.txt: the EPSG and ESRI coordinate reference systems that this library knows.

    pip install pyproj==3.7.2 && python crs_registry.py

Parameters are facts of the EPSG Dataset v11.022 (IOGP, epsg.org) and of Esri's list, as PROJ 9.5.1 holds them.
crs.txt      code [base] parameters |name    a projected or geographic system; parameters as PROJ spells them
             code =code                      the horizontal part of a compound or three-dimensional system
shifts.txt   code west south east north accuracy [~]x y z [rx ry rz s [px py pz]] [> ...]
             the ways from a system's datum to WGS 84 that need no grid, in the order in which PROJ ranks them: steps
             one after the other, ~ for the reverse of one, w behind the accuracy of a way for the sea; metres, arc seconds (position vector), parts per million,
             pivot in metres. A projected system has lines of its own where PROJ, knowing its area, chooses otherwise
             than for its base.
north_first.txt  first last                  codes whose first axis points to the north
datums.txt   code base name[;name]...        a datum, and the geographic system in degrees from Greenwich on it
"""

import os
import sqlite3
import sys
import warnings
from pathlib import Path

os.environ["PROJ_NETWORK"] = "OFF"
warnings.simplefilter("ignore")

from pyproj import CRS, Transformer, __version__, proj_version_str  # noqa: E402
from pyproj.database import get_codes, query_crs_info  # noqa: E402
from pyproj.datadir import get_data_dir  # noqa: E402
from pyproj.enums import PJType  # noqa: E402
from pyproj.exceptions import CRSError, ProjError  # noqa: E402
from pyproj.transformer import TransformerGroup  # noqa: E402

assert (__version__, proj_version_str) == ("3.7.2", "9.5.1"), "the registry is pinned to pyproj 3.7.2"

OUT = Path(__file__).resolve().parent.parent / "src" / "crs" / "registry"
WGS84 = CRS.from_epsg(4326)
# Said by the base system, or meaningless to us.
DROPPED = {"datum", "ellps", "a", "b", "rf", "f", "R", "pm", "type", "no_defs", "vunits", "towgs84", "nadgrids", "wktext"}


def esri_kept(code):
    """Esri's world and continental systems; the rest are EPSG's under other numbers, too large for a GeoKey."""
    # The two Hotine maps run through two points, one on the equator, which `proj4rs` does not take.
    return (53000 <= code < 55000 and code % 1000 != 25) or 102000 <= code < 102100


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
    # Some of Esri's maps project WGS 84's latitudes as if its Earth were a sphere.
    text = text.replace("+f=0", f"R={number(crs.ellipsoid.semi_major_metre)}")
    if "axis=" not in text:
        turned = "".join(axis.direction[0] for axis in crs.axis_info[:2])
        if turned in ("ws", "sw", "wn", "nw", "es", "se"):
            text += f" +axis={turned}u"
    keep = [token for token in text.replace("+", "").split() if token.split("=")[0] not in DROPPED or token.startswith("R=")]
    return " ".join(token for token in keep if token not in ("units=m", "lat_0=0", "lon_0=0", "x_0=0", "y_0=0", "k=1", "k_0=1"))


def code_of(crs):
    found = crs.to_json_dict().get("id")
    return int(found["code"]) if found and found["authority"] in ("EPSG", "ESRI") else None


def systems(authority):
    kinds = [PJType.PROJECTED_CRS, PJType.GEOGRAPHIC_2D_CRS, PJType.GEOGRAPHIC_3D_CRS, PJType.COMPOUND_CRS]
    for info in query_crs_info(auth_name=authority, pj_types=kinds, allow_deprecated=True):
        if info.code.isdigit() and (authority == "EPSG" or esri_kept(int(info.code))):
            yield int(info.code), CRS.from_authority(authority, info.code)


def steps(definition):
    """The Helmert steps of a pipeline; None where it has steps of another kind."""
    found = []
    for step in definition.split(" step "):
        arguments = dict(token.split("=", 1) if "=" in token else (token, "") for token in step.split())
        name = arguments.get("proj")
        if name in ("helmert", "molobadekas"):
            sign = -1 if arguments.get("convention") == "coordinate_frame" else 1
            values = [float(arguments.get(key, 0)) for key in ("x", "y", "z", "rx", "ry", "rz", "s", "px", "py", "pz")]
            values = [value * sign if 3 <= index < 6 else value for index, value in enumerate(values)]
            kept = 10 if any(values[7:]) else 7 if any(values[3:7]) else 3
            found.append(("~" if "inv" in arguments else "") + " ".join(number(value) for value in values[:kept]))
        elif name not in ("pipeline", "unitconvert", "push", "pop", "cart", "noop", "longlat", None) and found == []:
            # A projection before the datum shift is not part of it.
            if name == "geogoffset":
                return None
        elif name == "geogoffset":
            return None
    return found or (["0 0 0"] if "proj=cart" in definition else [])


def ways(crs):
    """(area, accuracy, offshore, steps) of each way to WGS 84 that needs no grid, in PROJ's order."""
    try:
        group = TransformerGroup(crs, WGS84, always_xy=True).transformers
    except IndexError:  # PROJ has no formula for the projection
        return []
    if all("Ballpark" in way.description for way in group) and crs.area_of_use:
        # The one that PROJ runs may lead over a third datum.
        west, south, east, north = crs.area_of_use.bounds
        runs = Transformer.from_crs(WGS84, crs, always_xy=True, only_best=False)
        runs.transform((west + east) / 2, (south + north) / 2)
        try:
            used = runs.get_last_used_operation()
        except ProjError:  # the centre of the area lies outside the projection
            used = None
        if used and "Ballpark" not in used.description:
            back = [reverse(step) for step in reversed(steps(used.definition) or [])]
            return [((-180.0, -90.0, 180.0, 90.0), used.accuracy, False, " > ".join(back))]
    found = []
    for way in group:
        way_steps = [] if "Ballpark" in way.description else steps(way.definition)
        if way_steps is None:
            print("left out", crs.name, way.description, file=sys.stderr)
            continue
        area = way.area_of_use.bounds if way.area_of_use else (-180.0, -90.0, 180.0, 90.0)
        offshore = bool(way.area_of_use and "- offshore" in way.area_of_use.name)
        found.append((area, way.accuracy, offshore, " > ".join(way_steps)))
    return found if any(way[3] for way in found) else []


def reverse(step):
    return step[1:] if step.startswith("~") else "~" + step


def size(way):
    west, south, east, north = way[0]
    return ((east - west) % 360 or 360) * (north - south)


def chosen(found, lon, lat):
    """The steps that PROJ takes at a place (PROJ 9.5, pj_get_suggested_operation)."""
    best = None
    for way in found:
        (west, south, east, north), accuracy, offshore, _ = way
        inside = (west <= lon <= east if west <= east else lon >= west or lon <= east) and south <= lat <= north
        if not inside:
            continue
        better = best is None or accuracy < best[1] or (accuracy == best[1] and size(way) < size(best))
        if best is None or (not offshore and accuracy >= 0 and better):
            best = way
    return (best or found[0])[3] if found else ""


def differ(crs, own, base):
    """Whether two lists of ways lead to different shifts somewhere in the area of use."""
    if own == base or crs.area_of_use is None:
        return False
    west, south, east, north = crs.area_of_use.bounds
    east += 360 if east < west else 0
    for i in range(1, 30, 2):
        for j in range(1, 30, 2):
            lon = (west + (east - west) * i / 30 + 180) % 360 - 180
            lat = south + (north - south) * j / 30
            if chosen(own, lon, lat) != chosen(base, lon, lat):
                return True
    return False


def rows_of(code, found):
    for area, accuracy, offshore, text in found or [((-180.0, -90.0, 180.0, 90.0), -1.0, False, "")]:
        numbers = " ".join(number(value) for value in (*area, accuracy))
        yield f"{code} {numbers}{'w' if offshore else ''} {text}".rstrip()


def datum_aliases():
    """Esri's names of the datums of the EPSG registry, by code."""
    query = "select code, alt_name from alias_name where table_name = 'geodetic_datum' and auth_name = 'EPSG'"
    found = {}
    with sqlite3.connect(Path(get_data_dir()) / "proj.db") as database:
        for code, name in database.execute(query + " and source = 'ESRI'"):
            found.setdefault(int(code), []).append(name.removeprefix("D_"))
    return found


def north_first():
    """Runs of codes whose first axis is the northing or the latitude; codes between them are other systems'."""
    kinds = ("PROJECTED_CRS", "GEOGRAPHIC_2D_CRS", "GEOGRAPHIC_3D_CRS")
    codes = sorted(int(code) for kind in kinds for code in get_codes("EPSG", kind, allow_deprecated=True))
    runs, is_open = [], False
    for code in codes:
        x, y = CRS.from_epsg(code).axis_info[:2]
        is_first = x.direction == "north" and y.direction == "east" or x.abbrev == "N" or x.name.lower().startswith("northing")
        if is_first and is_open:
            runs[-1][1] = code
        elif is_first:
            runs.append([code, code])
        is_open = is_first
    return [f"{first} {last}" for first, last in runs]


def main():
    crs_rows, shift_rows, datum_rows, known = {}, [], {}, {}
    aliases = datum_aliases()
    entries = [entry for authority in ("EPSG", "ESRI") for entry in systems(authority)]
    # Geographic systems in two dimensions first: the others stand on them.
    entries.sort(key=lambda entry: (entry[1].is_projected, len(entry[1].axis_info)))
    for code, crs in entries:
        if code in crs_rows or (crs.is_compound and code_of(crs) is None):
            continue
        flat = horizontal(crs)
        if flat != crs:
            target = code_of(flat) or datum_rows.get(code_of(flat.datum), " 0 ").split(" ")[1]
            if int(target) not in (0, code):
                crs_rows[code] = f"{code} ={target}"
            continue
        if flat.is_projected:
            base = flat.geodetic_crs
            number_of = code_of(horizontal(base)) or base.to_epsg(min_confidence=25)
            if code == 3857:
                parameters = "proj=webmerc"
            else:
                # A sphere has no code, or one of Esri's: it stands in the parameters.
                parameters = projected(flat)
                if number_of not in known:
                    number_of = None
                    if "R=" not in geographic(base):
                        continue
                    parameters += "" if "R=" in parameters else " " + geographic(base)
            crs_rows[code] = f"{code} {number_of or 0} {parameters} |{flat.name}"
            own = ways(flat) if known.get(number_of) else []
            if differ(flat, own, known.get(number_of, [])):
                shift_rows += rows_of(code, own)
        elif flat.is_geographic:
            crs_rows[code] = f"{code} {geographic(flat)} |{flat.name}"
            known[code] = ways(flat)
            shift_rows += rows_of(code, known[code]) if known[code] else []
            number_of = code_of(flat.datum) if flat.datum else None
            plain = "pm=" not in crs_rows[code] and "angle=" not in crs_rows[code]
            if number_of and plain:
                names = dict.fromkeys([flat.datum.name, *aliases.get(number_of, [])])
                datum_rows.setdefault(number_of, f"{number_of} {code} {';'.join(names)}")
    for name, rows in (
        ("north_first.txt", north_first()),
        ("crs.txt", [crs_rows[code] for code in sorted(crs_rows)]),
        ("shifts.txt", sorted(shift_rows, key=lambda row: int(row.split()[0]))),
        ("datums.txt", [datum_rows[key] for key in sorted(datum_rows)]),
    ):
        (OUT / name).write_text("\n".join(rows) + "\n")
        print(name, len(rows), "rows", (OUT / name).stat().st_size, "bytes")


if __name__ == "__main__":
    main()
