"""Writes testdata/blocks: one block each of what the codecs' own libraries write and the tests cannot encode.

    python3 -m venv target/venv && target/venv/bin/pip install imagecodecs numpy rasterio tifffile
    target/venv/bin/python functions/raster/testdata/make_blocks.py

The samples follow the formulas below, which src/decode/fixtures.rs repeats; so the tests know every value.
"""

import pathlib
import tempfile
import warnings

import imagecodecs
import numpy as np
import rasterio
import tifffile

HERE = pathlib.Path(__file__).parent / "blocks"
WIDTH, HEIGHT = 64, 48


def grid(bands, width=WIDTH, height=HEIGHT):
    band, y, x = np.mgrid[:bands, :height, :width]
    return band, y, x


def ramp(bands):
    """8 bits, smooth."""
    band, y, x = grid(bands)
    return (x + y + 40 * band).astype("uint8")


def floats(bands, is_same_hole):
    """32-bit floats with a hole of NaN, in the same columns of every band or not."""
    band, y, x = grid(bands)
    values = (x * 0.25 + y * 1.5 + band * 100).astype("float32")
    left = 8 if is_same_hole else 8 * (band + 1)
    return np.where((x >= left) & (x < left + 8) & (y >= 4) & (y < 12), np.nan, values).astype("float32")


def stripes():
    """One bit, runs of 6 to 4096 pixels in both colours."""
    _, y, x = grid(1, 6000, 40)
    return ((x * (y + 1)) >> np.where(y < 20, 12, 7) & 1).astype("uint8")


def alpha():
    bands = ramp(4)
    bands[3] = np.where(bands[3] % 3 == 0, 0, 255)
    return bands


def write(name, samples, **options):
    bands, height, width = samples.shape
    if width == WIDTH:
        options.update(tiled=True, blockxsize=WIDTH, blockysize=HEIGHT)
    else:
        options.update(blockysize=height)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "one.tif"
        with rasterio.open(
            path, "w", driver="GTiff", width=width, height=height, count=bands, dtype=samples.dtype, **options
        ) as file:
            file.write(samples)
        page = tifffile.TiffFile(path).pages[0]
        start, length = page.dataoffsets[0], page.databytecounts[0]
        (HERE / f"{name}.bin").write_bytes(path.read_bytes()[start : start + length])
        if 347 in page.tags:
            (HERE / f"{name}.tables.bin").write_bytes(page.tags[347].value)


def main():
    warnings.filterwarnings("ignore")
    HERE.mkdir(exist_ok=True)
    write("webp_lossless_rgb", ramp(3), compress="WEBP", WEBP_LOSSLESS="TRUE")
    write("webp_lossless_rgba", alpha(), compress="WEBP", WEBP_LOSSLESS="TRUE")
    write("webp_lossy_rgb", ramp(3), compress="WEBP", WEBP_LEVEL=90)
    write("lerc_u8", ramp(1), compress="LERC")
    write("lerc_rgba", alpha(), compress="LERC", photometric="RGB", ALPHA="YES")
    write("lerc_f32", floats(1, True), compress="LERC")
    write("lerc_deflate_f32_3", floats(3, True), compress="LERC_DEFLATE")
    write("lerc_zstd_f32_3_holes_differ", floats(3, False), compress="LERC_ZSTD")
    for name, codec in [("rle", "CCITTRLE"), ("g3", "CCITTFAX3"), ("g4", "CCITTFAX4")]:
        write(f"ccitt_{name}", stripes(), compress=codec, NBITS=1)
    write("jpeg_gray", ramp(1), compress="JPEG", JPEG_QUALITY=95)
    write("jpeg_rgb", ramp(3), compress="JPEG", photometric="RGB", JPEG_QUALITY=95)
    write("jpeg_ycbcr", ramp(3), compress="JPEG", photometric="YCBCR", JPEG_QUALITY=95)
    write("jpeg_cmyk", ramp(4), compress="JPEG", photometric="CMYK", JPEG_QUALITY=95)
    # GDAL's own builds write no 12-bit JPEG.
    _, y, x = grid(1)
    twelve = ((x + y) * 30)[0].astype("uint16")
    (HERE / "jpeg_12bit.bin").write_bytes(imagecodecs.jpeg8_encode(twelve, level=95, bitspersample=12))


if __name__ == "__main__":
    main()
