#!/usr/bin/env python3
"""Makes tables.bin, the colours of every named colormap, from the published tables of rio-tiler.

    python make.py            needs pip and numpy

Each table has 256 colours. The file is a directory (length of the name, name, length of the data as two bytes,
little-endian; ended by a zero), then the data of each: raw DEFLATE of three planes (red, green, blue) of 256 bytes, each
byte the difference to the one before. Reversed names are stored where they are not the exact mirror of their original
(matplotlib samples them anew), else left out.
"""
import glob
import os
import subprocess
import sys
import tempfile
import zipfile
import zlib

import numpy as np

SOURCE = "rio-tiler==9.4.2"
HERE = os.path.dirname(os.path.abspath(__file__))


def published():
    """name -> 256 x 4 uint8, from the wheel."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, SOURCE],
            check=True,
        )
        (wheel,) = glob.glob(os.path.join(folder, "*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                if member.startswith("rio_tiler/cmap_data/") and member.endswith(".npy"):
                    with archive.open(member) as file:
                        yield os.path.basename(member)[:-4], np.load(file)


def packed(table):
    planes = table[:, :3].T
    steps = np.diff(planes, axis=1, prepend=np.zeros((3, 1), np.uint8))
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return deflate.compress(steps.tobytes()) + deflate.flush()


def main():
    tables = dict(sorted(published()))
    directory, data = b"", b""
    for name, table in tables.items():
        assert table.shape == (256, 4) and table.dtype == np.uint8 and (table[:, 3] == 255).all(), name
        if name.endswith("_r") and (table == tables[name[:-2]][::-1]).all():
            continue
        body = packed(table)
        directory += bytes([len(name)]) + name.encode() + len(body).to_bytes(2, "little")
        data += body
    with open(os.path.join(HERE, "tables.bin"), "wb") as file:
        file.write(directory + b"\0" + data)
    print(f"{len(tables)} names, {len(directory) + 1 + len(data)} bytes")


if __name__ == "__main__":
    main()
