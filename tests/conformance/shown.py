"""What deliberate differences look like: each raises [`Wrong`] where two answers differ in another way than they are meant to."""

import dataclasses
import io
import json

import numpy as np
import rasterio
from judge import Wrong, agree, array, kind_of, picture


def expect(what, ours, theirs, wanted):
    if (ours, theirs) != wanted:
        raise Wrong(f"{what} {ours} and TiTiler's {theirs} where {wanted[0]} and {wanted[1]} are expected")


def statuses(mine, other):
    return lambda ours, theirs, case: expect("status", ours.status, theirs.status, (mine, other))


def types(mine, other):
    return lambda ours, theirs, case: expect("media type", kind_of(ours), kind_of(theirs), (mine, other))


def header(name, mine, other):
    return lambda ours, theirs, case: expect(name, ours.headers.get(name), theirs.headers.get(name), (mine, other))


def begins(mine, other):
    """Of WebP: which coding the first chunk of the picture has."""

    def coding(body):
        return b"VP8L" if b"VP8L" in body[:64] else b"VP8 "

    return lambda ours, theirs, case: expect("coding", coding(ours.body), coding(theirs.body), (mine, other))


def depths(mine, other):
    """Bits of a sample of PNG (its specification, clause 11.2.1)."""
    return lambda ours, theirs, case: expect("depth", ours.body[24], theirs.body[24], (mine, other))


def of_form(rule):
    """A rule of the form of answers that judge.py finds to say the same."""
    rule.is_of_form = True
    return rule


@of_form
def layers(ours, theirs, case):
    mine, other = (one.body.count(b"<Layer>") for one in (ours, theirs))
    if mine != 1 or other < 10:
        raise Wrong(f"{mine} layers and TiTiler's {other}")


def counts(mine, other):
    """Bands of a TIFF."""

    def count(answer):
        with rasterio.MemoryFile(answer.body) as file, file.open() as dataset:
            return dataset.count

    return of_form(lambda ours, theirs, case: expect("bands", count(ours), count(theirs), (mine, other)))


def shapes(mine, other):
    def shape(answer):
        return list(np.load(io.BytesIO(answer.body)).shape)

    return lambda ours, theirs, case: expect("shape", shape(ours), shape(theirs), (mine, other))


def within(**how):
    """They agree by a looser rule."""
    return lambda ours, theirs, case: agree(ours, theirs, dataclasses.replace(case, **how))


def only_type(ours, theirs, case):
    mine, other = (np.load(io.BytesIO(one.body)).dtype.name for one in (ours, theirs))
    expect("type", mine, other, ("float32", "float64"))
    agree(ours, theirs, dataclasses.replace(case, any_type=True))


def both(ours, theirs):
    """Values and masks of both: of pictures red, green and blue."""
    for one in (ours, theirs):
        if kind_of(one) == "image/png":
            bands = picture(one.body).astype(int)
            yield bands[:3], bands[3] > 0
        else:
            bands, there = array(one.body, kind_of(one))
            yield bands.astype(float), there


def holes(ours, theirs, case):
    """More is transparent here, and the rest is equal."""
    (mine, mine_there), (other, other_there) = both(ours, theirs)
    if (mine_there & ~other_there).any() or not (other_there & ~mine_there).any():
        raise Wrong("the pixels that are transparent are not TiTiler's and more")
    off = abs(mine - other)[:, mine_there]
    if off.max() > 1e-6 * abs(mine[:, mine_there]).max():
        raise Wrong(f"pixels differ by up to {off.max():g}")


def a_level_above(ours, theirs, case):
    """Half of all pixels are a level above TiTiler's, the others the same."""
    (mine, _), (other, _) = both(ours, theirs)
    above = mine - other
    if set(np.unique(above)) != {0, 1} or not 0.4 < above.mean() < 0.6:
        raise Wrong(f"{above.mean():.1%} of values are above TiTiler's, by {np.unique(above)}")


def wrapped(ours, theirs, case):
    """TiTiler's values are ours modulo 2^32."""
    (mine, _), (other, _) = both(ours, theirs)
    if mine.min() < 0 or mine.max() < 2**31 or other.min() >= 0:
        raise Wrong(f"values from {mine.min():g} to {mine.max():g}, TiTiler's from {other.min():g} to {other.max():g}")


def clipped(ours, theirs, case):
    """Bytes hold what lies within them, and ends what does not, where TiTiler's wrap around."""
    (mine, _), (other, _) = both(ours, theirs)
    differ = mine != other
    if not differ.any() or not np.isin(mine[differ], (0, 255)).all():
        raise Wrong("values differ that lie within a byte")


def one_level(ours, theirs, case):
    (mine, there), (other, _) = both(ours, theirs)
    if len(np.unique(other[:, there])) != 1 or len(np.unique(mine[:, there])) < 50:
        raise Wrong("TiTiler's picture has several levels, or ours few")


def flatter(ours, theirs, case):
    (mine, there), (other, other_there) = both(ours, theirs)
    there &= other_there
    if np.median(mine[:, there]) > 60 or np.median(other[:, there]) < 89:
        raise Wrong(f"slopes of {np.median(mine[:, there]):.1f}° and TiTiler's {np.median(other[:, there]):.1f}°")


def nothing_there(ours, theirs, case):
    mine, other = (json.loads(one.body)["values"] for one in (ours, theirs))
    if None in mine or set(other) != {None}:
        raise Wrong(f"values {mine} and TiTiler's {other}")


def addresses(ours, theirs, case):
    mine, other = (json.loads(one.body)["tiles"][0].partition("/cog/")[2].partition("?") for one in (ours, theirs))
    if not mine[0].endswith("/{z}/{x}/{y}@2x.png") or not other[0].endswith("/{z}/{x}/{y}") or "tilesize=512" not in other[2]:
        raise Wrong(f"{mine} and TiTiler's {other}")


def documents(ours, theirs):
    return json.loads(ours.body), json.loads(theirs.body)


def deeper(ours, theirs, case):
    mine, other = documents(ours, theirs)
    expect("zooms", mine["maxzoom"], other["maxzoom"], (2, 0))


def zooms(ours, theirs, case):
    mine, other = documents(ours, theirs)
    expect("zooms", (mine["minzoom"], mine["maxzoom"]), (other["minzoom"], other["maxzoom"]), ((10, 12), (0, 24)))


def outlines(ours, theirs, case):
    """A feature of each asset has what TiTiler's one feature has of it."""
    mine, other = documents(ours, theirs)
    found = {feature["id"]: feature["properties"]["bounds"] for feature in mine["features"]}
    if found != {asset: info["bounds"] for asset, info in other["properties"].items()}:
        raise Wrong(f"assets {found}")


def names(ours, theirs, case):
    mine, other = documents(ours, theirs)
    expect("names", mine["band_descriptions"], other["band_descriptions"], (["blue", "green", "red", "nir"], ["nir"] * 4))


def parameters(ours, theirs, case):
    """All that TiTiler's algorithm can be told, with its defaults; least and most where a form needs them."""
    mine, other = documents(ours, theirs)
    for name, about in other["parameters"].items():
        if mine["parameters"][name]["default"] != about["default"]:
            raise Wrong(f"{name} is {mine['parameters'][name]['default']} by default, and TiTiler's {about['default']}")


def straighter(ours, theirs, case):
    """Of one feature some pixels in a hundred are counted by one alone, and their mean is alike."""
    mine, other = (json.loads(one.body)["properties"]["statistics"]["b1"] for one in (ours, theirs))
    off = abs(mine["count"] / other["count"] - 1)
    if not 1e-5 < off < 0.01 or abs(mine["mean"] / other["mean"] - 1) > 0.001:
        raise Wrong(f"count {mine['count']} where TiTiler has {other['count']}, mean {mine['mean']} and {other['mean']}")


def unpathed(ours, theirs, case):
    """The address of the file and its tags stand in TiTiler's answer alone."""
    mine, other = (set(json.loads(one.body)) for one in (ours, theirs))
    expect("members", sorted(other - mine), sorted(mine - other), (["Path", "Tags"], ["layout", "tiles"]))
