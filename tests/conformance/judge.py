"""Whether two answers say the same: pictures and arrays pixel by pixel, documents member by member.

Each rule returns what is wrong, or nothing.
"""

import io
import json
import math

import numpy as np
from rasterio.enums import ColorInterp
from rasterio.io import MemoryFile

# Of a number in a document: positions pass through different libraries.
RELATIVE, ABSOLUTE = 1e-6, 1e-9
# Deliberately not here.
VARIABLE_GRIDS = {"CDB1GlobalGrid", "GNOSISGlobalGrid"}


class Wrong(Exception):
    """What an answer says that it should not."""


def kind_of(answer):
    """The media type without its parameters."""
    return answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()


def picture(body):
    """A picture as `[4, rows, columns]` of its depth: red, green, blue, alpha; gray is all three."""
    with MemoryFile(body) as memory, memory.open() as dataset:
        bands, interp = dataset.read(), dataset.colorinterp
        whole = np.iinfo(bands.dtype).max
        if interp[0] == ColorInterp.palette:
            table = np.zeros((256, 4), np.uint8)
            for value, colour in dataset.colormap(1).items():
                table[value] = colour
            return np.moveaxis(table[bands[0]], -1, 0)
        alpha = bands[interp.index(ColorInterp.alpha)] if ColorInterp.alpha in interp else dataset.dataset_mask().astype(bands.dtype) * (whole // 255)
        colours = [band for band, what in zip(bands, interp) if what != ColorInterp.alpha]
        return np.stack([*(colours * 3 if len(colours) == 1 else colours), alpha])


def array(body, kind):
    """Data as `[bands, rows, columns]`, and where there is any as `[rows, columns]`."""
    if kind == "image/tiff":
        with MemoryFile(body) as memory, memory.open() as dataset:
            every, interp = dataset.read(), dataset.colorinterp
            if interp[-1] == ColorInterp.alpha:
                return every[:-1], every[-1] > 0
            return every, dataset.dataset_mask() > 0
    every = np.load(io.BytesIO(body))
    return every[:-1], every[-1] > 0


def data_of(ours, theirs, case):
    """Arrays: the same type, shape and mask, and values within a share of their own span."""
    kind = kind_of(ours)
    if case.bare:
        return same_values(np.load(io.BytesIO(ours.body)), np.load(io.BytesIO(theirs.body)), None, case)
    mine, mine_there = array(ours.body, kind)
    other, other_there = array(theirs.body, kind)
    hidden = mine_there != other_there if mine_there.shape == other_there.shape else np.zeros(1, bool)
    if hidden.mean() > (0.01 if case.placed else case.hidden):
        raise Wrong(f"{hidden.sum()} pixels are there in one and not in the other")
    return same_values(mine, other, mine_there & other_there if mine.shape == other.shape else None, case)


def same_values(mine, other, there, case):
    if mine.shape != other.shape:
        raise Wrong(f"shape {list(mine.shape)} where TiTiler has {list(other.shape)}")
    if mine.dtype != other.dtype and not case.any_type:
        raise Wrong(f"{mine.dtype} where TiTiler has {other.dtype}")
    mine, other = mine.astype(float), other.astype(float)
    if there is not None:
        mine, other = np.where(there, mine, 0), np.where(there, other, 0)
    span = max(np.ptp(other), 1e-12) if case.level is None else 255
    off = abs(mine - other)
    allowed = span * 1e-5 if case.level is None else case.level
    if case.placed:
        return placed(mine, other, there, span / 255 + 1)
    if (off > allowed).any():
        raise Wrong(f"{(off > allowed).sum()} values differ by up to {off.max():g}, of a span of {span:g}")


def placed(mine, other, there, level):
    """Values of files on other grids: TiTiler places pixels to 1/8 of a source pixel, so they are sought in the pixels around."""
    around = np.lib.stride_tricks.sliding_window_view(np.pad(mine, [(0, 0)] * (mine.ndim - 2) + [(1, 1)] * 2, mode="edge"), (3, 3), axis=(-2, -1))
    near = (other >= around.min((-2, -1)) - level) & (other <= around.max((-2, -1)) + level)
    near = near.all(0) | ~there
    if near.mean() < 0.995:
        raise Wrong(f"only {near.mean():.3%} of pixels lie within a level of their neighbourhood")


def picture_of(ours, theirs, case):
    same_pixels(picture(ours.body), picture(theirs.body), case)


def same_pixels(mine, other, case):
    if mine.shape != other.shape:
        raise Wrong(f"shape {list(mine.shape)} where TiTiler has {list(other.shape)}")
    if mine.dtype != other.dtype:
        raise Wrong(f"{mine.dtype} where TiTiler has {other.dtype}")
    mine, other = mine.astype(int), other.astype(int)
    there = (mine[3] > 0) & (other[3] > 0)
    hidden = (mine[3] > 0) != (other[3] > 0)
    if case.lossy:
        off = abs(mine - other)[:, there]
        if hidden.mean() > 0.01 or off.mean() > case.lossy:
            raise Wrong(f"differs by {off.mean():.2f} on average, and by transparency in {hidden.mean():.2%} of pixels")
        return
    if case.placed:
        if hidden.mean() > 0.01:
            raise Wrong(f"transparency differs in {hidden.mean():.2%} of pixels")
        placed(mine[:3], other[:3], there, 2)
        return
    if hidden.mean() > case.hidden:
        raise Wrong(f"{hidden.sum()} pixels are transparent in one and not in the other")
    off = abs(mine - other)[:, there].max(0, initial=0)
    level = 1 if case.level is None else case.level
    if (off > level).any():
        raise Wrong(f"{(off > level).mean():.3%} of pixels differ by more than {level}, up to {off.max()}")


def document_of(ours, theirs, case):
    """Every member that TiTiler has is here, and says the same. There may be more."""
    mine, other = json.loads(ours.body), json.loads(theirs.body)
    if case.ids:
        return same_ids(mine, other)
    wrong = [text for path, text in unlike(mine, other, "") if not any(path.startswith(skipped) for skipped in case.skip)]
    if wrong:
        raise Wrong("; ".join(wrong[:6]) + (f" and {len(wrong) - 6} more" if len(wrong) > 6 else ""))


def same_ids(mine, other):
    """Whatever TiTiler lists is listed here, and each entry links to its definition."""
    for name, entries in other.items():
        linked = {entry["id"] for entry in mine[name] if entry["links"][0]["href"].endswith("/" + entry["id"])}
        if missing := {entry["id"] for entry in entries} - linked - VARIABLE_GRIDS:
            raise Wrong(f"{name} without {sorted(missing)}")


def unlike(mine, other, path):
    """Where two documents differ, as (path, what is wrong)."""
    if isinstance(other, dict) and isinstance(mine, dict):
        for name, value in other.items():
            at = f"{path}.{name}" if path else name
            if name in mine:
                yield from unlike(mine[name], value, at)
            else:
                yield at, f"{at} is missing: {json.dumps(value)[:60]}"
    elif isinstance(other, list) and isinstance(mine, list):
        if len(mine) != len(other):
            yield path, f"{path} has {len(mine)} entries where TiTiler has {len(other)}"
        else:
            for at, (a, b) in enumerate(zip(mine, other)):
                yield from unlike(a, b, f"{path}[{at}]")
    elif is_number(mine) and is_number(other):
        if not math.isclose(mine, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE):
            yield path, f"{path} is {mine!r} where TiTiler has {other!r}"
    elif mine != other:
        yield path, f"{path} is {json.dumps(mine)[:60]} where TiTiler has {json.dumps(other)[:60]}"


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


RULES = {
    "image/png": picture_of, "image/jpeg": picture_of, "image/jpg": picture_of, "image/webp": picture_of,
    "image/tiff": data_of, "application/x-binary": data_of,
    "application/json": document_of, "application/geo+json": document_of,
}


def agree(ours, theirs, case):
    """Raises [`Wrong`] where the answers do not say the same."""
    if ours.status // 100 != theirs.status // 100:
        raise Wrong(f"{ours.status} where TiTiler answers {theirs.status}: {ours.body[:200]!r}")
    if ours.status >= 300:
        return
    if kind_of(ours) != kind_of(theirs):
        raise Wrong(f"{kind_of(ours)} where TiTiler has {kind_of(theirs)}")
    rule = RULES.get(kind_of(ours))
    if rule is None:
        raise Wrong(f"no rule compares {kind_of(ours)}")
    rule(ours, theirs, case)
