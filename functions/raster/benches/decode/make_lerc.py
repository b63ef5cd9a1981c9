"""Writes lerc_f32.bin: a smooth 512x512 block of 32-bit floats in LERC, exact to 2. No crate here encodes LERC.

    target/venv/bin/python functions/raster/benches/decode/make_lerc.py   (the venv of testdata/make_files.py)
"""

import pathlib

import imagecodecs
import numpy as np

row, column = np.mgrid[:512, :512]
values = 300 * np.sin(column / 61) * np.cos(row / 47) + 40 * np.sin(column * row / 900) + 0.7 * (row * column % 5)
block = imagecodecs.lerc_encode(values.astype("f4"), level=2)
pathlib.Path(__file__).with_name("lerc_f32.bin").write_bytes(block)
