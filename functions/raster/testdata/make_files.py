"""Writes testdata/files: whole GeoTIFFs of the kinds that the field writes, every sample and mask value known by formula.

    python3 -m venv target/venv && target/venv/bin/pip install -r functions/raster/testdata/requirements.txt
    target/venv/bin/python functions/raster/testdata/make_files.py

The formulas are `base`, `sample` and `is_hole`; tests/files repeats them. GDAL writes what GDAL alone writes (odd
bit widths, big-endian predictors, sparse files); tifffile writes pages in the order given; `plain` writes, tag by tag,
what no library would.
"""

import pathlib
import struct
import warnings

import imagecodecs
import numpy as np
import rasterio
import tifffile
from rasterio.control import GroundControlPoint
from rasterio.errors import NotGeoreferencedWarning
from rasterio.transform import Affine
from rasterio.windows import Window

HERE = pathlib.Path(__file__).parent / "files"
WIDTH, HEIGHT = 45, 37
LEVELS = [(45, 37), (23, 19), (12, 10)]
UTM33 = (1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32633)
UTM33_POINT = (1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 2, 3072, 0, 1, 32633)
PLACE = Affine(10, 0, 500000, 0, -10, 5200000)


def base(bands=1, level=0):
    """0 to 250, `[bands, rows, columns]`."""
    width, height = LEVELS[level]
    band, row, column = np.mgrid[:bands, :height, :width]
    return (7 * row + 13 * column + 31 * band + 101 * level) % 251


def is_hole(level=0):
    width, height = LEVELS[level]
    row, column = np.mgrid[:height, :width]
    return (row + 2 * column) % 5 == 0


def sample(kind, bands=1, level=0):
    """The formula spread over the range of a type."""
    value = base(bands, level)
    unsigned = {
        1: lambda v: v & 1,
        2: lambda v: v & 3,
        4: lambda v: v & 15,
        8: lambda v: v,
        10: lambda v: v * 4 + 3,
        12: lambda v: v * 16 + 5,
        16: lambda v: v * 257 + 1,
        24: lambda v: v * 65793 + 77,
        32: lambda v: v * 16843009 + 5,
        64: lambda v: v.astype("u8") * np.uint64(72340172838076673) + np.uint64(3),
    }
    signed = {
        8: lambda v: v - 125,
        16: lambda v: v * 200 - 25000,
        32: lambda v: v * 16000000 - 2000000000,
        64: lambda v: v * 70000000000000000 - 9000000000000000000,
    }
    letter, bits = kind[0], int(kind[1:])
    if letter == "f":
        return (value * 0.25 - 20).astype(f"f{max(bits // 8, 2)}" if bits != 24 else "f4")
    of = (unsigned if letter == "u" else signed)[bits]
    store = next(width for width in (8, 16, 32, 64) if width >= bits)
    return of(value).astype(f"{letter}{store // 8}")


def ramp():
    """Three bands of 8 bits, smooth: what a codec with loss may come near."""
    band, row, column = np.mgrid[:3, :HEIGHT, :WIDTH]
    return (row + 2 * column + 40 * band).astype("u1")


def gdal(name, samples, place=PLACE, crs="EPSG:32633", after=None, **options):
    bands, height, width = samples.shape
    options = {"driver": "GTiff", "dtype": samples.dtype.name, **options}
    with rasterio.open(HERE / f"{name}.tif", "w", width=width, height=height, count=bands,
                       crs=crs, transform=place, **options) as file:
        if options.get("sparse_ok"):
            for row in range(0, height, 16):
                for column in range(0, width, 16):
                    if (row + column) // 16 % 2 == 0:
                        part = samples[:, row:row + 16, column:column + 16]
                        file.write(part, window=Window(column, row, part.shape[2], part.shape[1]))
        else:
            file.write(samples)
        if after:
            after(file)


def located(keys=UTM33, scale=(10, 10, 0), ties=(0, 0, 0, 500000, 5200000, 0), nodata=None):
    """tifffile's form of the tags that place an image."""
    tags = [(33922, 12, len(ties), ties), (34735, 3, len(keys), keys)]
    if scale:
        tags.insert(0, (33550, 12, 3, scale))
    if nodata is not None:
        tags.append((42113, 2, 0, nodata))
    return tags


def pages(name, *pages, big=False, order="<", subifds=0):
    """Pages of `(samples, options)` by tifffile, in that order; those after the first lie in SubIFDs if so many are named."""
    with tifffile.TiffWriter(HERE / f"{name}.tif", bigtiff=big, byteorder=order) as file:
        for at, (samples, options) in enumerate(pages):
            options = {"photometric": "minisblack", "metadata": None, "software": False, **options}
            if at == 0:
                options.setdefault("extratags", located())
                options.update({"subifds": subifds} if subifds else {})
            file.write(samples, **options)


def chunky(samples):
    return samples[0] if len(samples) == 1 else np.moveaxis(samples, 0, -1)


TILES = {"tile": (16, 16), "compression": "zlib", "compressionargs": {"level": 6}}


def level(kind, at, bands=1, **options):
    """One level of a pyramid as a page."""
    options = {**TILES, "subfiletype": int(at > 0), **options}
    if bands > 1:
        options["planarconfig"] = "contig"
    return chunky(sample(kind, bands, at)), options


def mask(at, dtype):
    """The mask of a level as a page: 1 bit or 8. `masked` makes masks of such pages."""
    valid = ~is_hole(at)
    return (valid if dtype == "bool" else valid.astype("u1") * 255), {**TILES, "subfiletype": int(at > 0)}


def masked(name, *levels):
    """As `pages`, but every second page becomes the mask of the one before it."""
    pages(name, *levels)
    with tifffile.TiffFile(HERE / f"{name}.tif", mode="r+b") as file:
        for at, page in enumerate(file.pages[1::2]):
            page.tags[254].overwrite(4 + (at > 0))
            page.tags[262].overwrite(4)


def plain(name, tags, blocks, counts=()):
    """A little-endian file of one directory, tag by tag: `(tag, type, values)`. Tag 273 gets the blocks' offsets."""
    codes = {1: "B", 2: "s", 3: "H", 4: "I", 12: "d"}
    offsets, at = [], 8
    for block in blocks:
        offsets.append(at)
        at += len(block)
    tags = [*tags, (273, 4, offsets)]
    if counts is not None:
        tags.append((279, 4, counts or [len(block) for block in blocks]))
    tags = sorted(tags)
    directory, extra = struct.pack("<H", len(tags)), b""
    behind = at + 2 + 12 * len(tags) + 4
    for tag, kind, values in tags:
        packed = struct.pack(f"<{len(values)}{codes[kind]}", *values)
        if len(packed) > 4:
            packed, extra = struct.pack("<I", behind + len(extra)), extra + packed
        directory += struct.pack("<HHI", tag, kind, len(values)) + packed.ljust(4, b"\0")
    file = struct.pack("<2sHI", b"II", 42, at) + b"".join(blocks) + directory + bytes(4) + extra
    (HERE / f"{name}.tif").write_bytes(file)


PLAIN = [(33550, 12, (10, 10, 0)), (33922, 12, (0, 0, 0, 500000, 5200000, 0)), (34735, 3, UTM33)]


def layouts():
    gdal("strips_lzw", sample("u16"), compress="LZW", predictor=2, blockysize=5)
    gdal("strips_packbits", sample("u8", 3), compress="PACKBITS", blockysize=7, photometric="RGB")
    gdal("strip_of_all", sample("u16", 2), blockysize=HEIGHT)
    gdal("tiles_lzma", sample("i16"), compress="LZMA", predictor=2, tiled=True, blockxsize=16, blockysize=32)
    gdal("planar_tiles_predictor3", sample("f32", 3), compress="ZSTD", predictor=3, interleave="band",
         tiled=True, blockxsize=16, blockysize=16)
    gdal("planar_strips_predictor2", sample("u16", 2), compress="LZW", predictor=2, interleave="band", blockysize=8)
    for kind, predictor in [("u16", 2), ("u32", 2), ("f32", 3), ("f64", 3), ("i16", 1)]:
        gdal(f"big_endian_{kind}_predictor{predictor}", sample(kind, 2), compress="DEFLATE", predictor=predictor,
             endianness="BIG", tiled=True, blockxsize=16, blockysize=16)
    for codec in ["NONE", "LZW", "ZSTD"]:
        for kind, bands, predictor in [("u8", 3, 2), ("u16", 1, 2), ("f32", 2, 3)]:
            options = {} if codec == "NONE" else {"predictor": predictor}
            gdal(f"tiles_{codec.lower()}_{kind}", sample(kind, bands), compress=codec, tiled=True, blockxsize=16,
                 blockysize=16, **options)
    tiles = {"tiled": True, "blockxsize": 16, "blockysize": 16}
    gdal("tiles_lerc_f32", sample("f32"), compress="LERC", **tiles)
    gdal("tiles_lerc_deflate_u16", sample("u16", 2), compress="LERC_DEFLATE", **tiles)
    gdal("tiles_lerc_zstd_i16", sample("i16"), compress="LERC_ZSTD", interleave="band", **tiles)
    gdal("tiles_webp_u8", sample("u8", 3), compress="WEBP", webp_lossless=True, photometric="RGB", **tiles)
    for name in ["CCITTRLE", "CCITTFAX3", "CCITTFAX4"]:
        gdal(f"strips_{name.lower()}_u1", sample("u1"), compress=name, nbits=1, blockysize=8)
    gdal("tiles_jpeg_ycbcr", ramp(), compress="JPEG", photometric="YCBCR", jpeg_quality=95, **tiles)
    pages("bigtiff", level("i32", 0, 2), level("i32", 1, 2), big=True)
    pages("big_endian_bigtiff", level("u16", 0), level("u16", 1), big=True, order=">")
    pages("overviews", level("u8", 0, 3, photometric="rgb", predictor=True),
          level("u8", 1, 3, photometric="rgb", predictor=True), level("u8", 2, 3, photometric="rgb"))
    pages("overviews_out_of_order", level("u8", 0), level("u8", 2), level("u8", 1))
    pages("overviews_in_subifds", level("u16", 0), level("u16", 1), level("u16", 2), subifds=2)
    pages("page_that_is_no_overview", level("u8", 0), level("u8", 1, subfiletype=0), level("u8", 2))
    plain("no_rows_per_strip", [(256, 3, [WIDTH]), (257, 3, [HEIGHT]), (258, 3, [8]), (259, 3, [1]), (262, 3, [1]),
                                *PLAIN], [sample("u8").tobytes()])


def types():
    for kind in ["u1", "u2", "u4", "u10", "u12", "u24"]:
        samples = sample(kind, 1 if kind == "u1" else 3)
        gdal(f"bits_{kind}", samples, nbits=int(kind[1:]), compress="DEFLATE", tiled=True, blockxsize=16, blockysize=16)
    gdal("bits_f16", sample("f32", 2), nbits=16, compress="DEFLATE", blockysize=9)
    for kind in ["i8", "u32", "u64", "i64", "f64"]:
        pages(f"bits_{kind}", (chunky(sample(kind, 2)), {**TILES, "planarconfig": "contig"}))
    words = sample("f32").astype("<f4").view("<u4").astype("u8")
    sign, exponent, fraction = words >> 31, (words >> 23) & 255, words & 0x7FFFFF
    packed = np.where(words << 33 & 0xFFFFFFFFFFFFFFFF == 0, 0, sign << 23 | (exponent - 64) << 16 | fraction >> 7)
    packed = packed.astype("<u4").reshape(-1, 1).view("u1")[:, :3]
    plain("bits_f24", [(256, 3, [WIDTH]), (257, 3, [HEIGHT]), (258, 3, [24]), (259, 3, [1]), (262, 3, [1]),
                       (278, 3, [HEIGHT]), (339, 3, [3]), *PLAIN], [packed.tobytes()])


def masks():
    gdal("sparse", sample("u8", 2), sparse_ok=True, nodata=255, tiled=True, blockxsize=16, blockysize=16,
         compress="DEFLATE")
    for bits, dtype in [(1, "bool"), (8, "u1")]:
        masked(f"mask_of_{bits}_bit", level("u8", 0), mask(0, dtype), level("u8", 1), mask(1, dtype))
    for kind, name in [("u8", "unassalpha"), ("u16", "unassalpha"), ("u8", "assocalpha")]:
        colours = sample(kind, 4)
        alpha = np.where(is_hole(), 0, colours[3] | 1)
        if name == "assocalpha":
            colours = np.minimum(colours, alpha)
        colours[3] = alpha
        pages(f"alpha_{kind}_{name}", (chunky(colours), {**TILES, "photometric": "rgb", "extrasamples": [name]}))
    colours = np.array([[(i * step) % 256 * 257 for i in range(256)] for step in (1, 3, 7)], "u2")
    pages("palette", (sample("u8")[0], {**TILES, "photometric": "palette", "colormap": colours}))
    pages("min_is_white", (sample("u8")[0], {**TILES, "photometric": "miniswhite"}))
    texts = {"nan": np.nan, "-inf": -np.inf, "-3.4028235e+38": np.finfo("f4").min}
    for at, (text, value) in enumerate(texts.items()):
        samples = np.where(is_hole(), np.float32(value), sample("f32")[0])
        pages(f"nodata_float_{at}", (samples, {**TILES, "extratags": located(nodata=text)}))
    for at, text in enumerate(["  7 ", "7.0", "-9999", "256", "0.5", "nan", "seven"]):
        pages(f"nodata_byte_{at}", (sample("u8")[0], {**TILES, "extratags": located(nodata=text)}))


def meaning():
    def describe(file):
        file.scales, file.offsets = (0.5, 1), (-273.15, 0)
        file.descriptions, file.units = ("air temperature", "B8A <nir>"), ("K", None)
    gdal("bands_described", sample("i16", 2), after=describe)


def places():
    samples = sample("u8")
    gdal("place_point", samples, after=lambda file: file.update_tags(AREA_OR_POINT="Point"))
    gdal("place_rotated", samples, place=Affine(8, 3, 500000, 2, -9, 5200000))
    gdal("place_south_up", samples, place=Affine(10, 0, 500000, 0, 10, 5200000))
    pages("place_two_corners", (samples[0], {**TILES, "extratags": located(
        scale=None, ties=(0, 0, 0, 500000, 5200000, 0, WIDTH, HEIGHT, 0, 500450, 5199630, 0))}))
    page = lambda **where: (samples[0], {**TILES, "extratags": located(**where)})
    pages("place_tie_off_corner", page(ties=(20, 30, 0, 500200, 5199700, 0)))
    pages("place_tie_off_corner_point", page(keys=UTM33_POINT, ties=(20, 30, 0, 500200, 5199700, 0)))
    pages("place_tie_alone", page(scale=None))
    true = Affine(8, 3, 500000, 2, -9, 5200000)
    for name, bend in [("good", 0), ("poor", 400)]:
        points = []
        for row, column in [(0, 0), (0, 45), (37, 0), (37, 45), (18, 22), (9, 33)]:
            x, y = true @ (column, row)
            points.append(GroundControlPoint(row, column, x + bend * (row == 18), y))
        gdal(f"place_gcps_{name}", samples, place=None, gcps=points)


def beside():
    """Overviews and mask beside a file, as GDAL lays them out; the formulas of level 1 are written into its first overviews."""
    gdal("beside", sample("u16"), nodata=1, tiled=True, blockxsize=16, blockysize=16)
    path = HERE / "beside.tif"
    with rasterio.Env(TIFF_USE_OVR=True, GDAL_TIFF_INTERNAL_MASK=False, GDAL_TIFF_OVR_BLOCKSIZE=64,
                      COMPRESS_OVERVIEW="DEFLATE"), rasterio.open(path, "r+") as file:
        file.write_mask(~is_hole())
        file.build_overviews([2, 4])
    for suffix, samples in [(".ovr", sample("u16", 1, 1)), (".msk.ovr", np.where(is_hole(1), 0, 255)[None])]:
        with rasterio.open(f"{path}{suffix}", "r+") as file:
            file.write(samples.astype(file.dtypes[0]))


def odd_indexes():
    """Counts of bytes that are missing, zero or too large: libtiff reads all of these."""
    head = [(256, 3, [WIDTH]), (257, 3, [HEIGHT]), (258, 3, [16]), (262, 3, [1]), (278, 3, [HEIGHT]), *PLAIN]
    data = sample("u16").astype("<u2").tobytes()
    packed = imagecodecs.lzw_encode(data)
    for name, codec, block, counts in [("zero", 1, data, [0]), ("beyond", 1, data, [len(data) + 100000]),
                                       ("missing_lzw", 5, packed, None)]:
        plain(f"counts_{name}", [*head, (259, 3, [codec])], [block], counts)


if __name__ == "__main__":
    warnings.simplefilter("ignore", NotGeoreferencedWarning)
    HERE.mkdir(exist_ok=True)
    for old in HERE.glob("*.tif*"):
        old.unlink()
    for make in (layouts, types, masks, meaning, places, beside, odd_indexes):
        make()
