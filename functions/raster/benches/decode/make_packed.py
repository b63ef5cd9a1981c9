"""Writes the blocks of 512x512 pixels that no crate here encodes: lerc_f32.bin, smooth floats in LERC, exact to 2, and
ccitt_g4.bin, where those are above 0, in CCITT's Group 4.

    target/venv/bin/python functions/raster/benches/decode/make_packed.py   (the venv of testdata/make_files.py)
"""

import pathlib

import imagecodecs
import numpy as np
from rasterio.io import MemoryFile

HERE = pathlib.Path(__file__).parent
row, column = np.mgrid[:512, :512]
values = 300 * np.sin(column / 61) * np.cos(row / 47) + 40 * np.sin(column * row / 900) + 0.7 * (row * column % 5)
(HERE / "lerc_f32.bin").write_bytes(imagecodecs.lerc_encode(values.astype("f4"), level=2))

profile = {"driver": "GTiff", "width": 512, "height": 512, "count": 1, "dtype": "uint8", "NBITS": 1, "compress": "CCITTFAX4"}
with MemoryFile() as file:
    with file.open(**profile, tiled=True, blockxsize=512, blockysize=512) as dataset:
        dataset.write((values > 0).astype("u1"), 1)
    with file.open() as dataset:
        start, length = (int(dataset.get_tag_item(f"BLOCK_{what}_0_0", "TIFF", bidx=1)) for what in ("OFFSET", "SIZE"))
    (HERE / "ccitt_g4.bin").write_bytes(file.getbuffer()[start : start + length])
