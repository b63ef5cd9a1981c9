"""Zips a Lambda bootstrap so that the same binary always gives the same bytes, and says how large it is.

    package.py BOOTSTRAP OUT.zip

Lambda keeps one version per code hash: an equal zip is an empty deployment. So: one entry, a fixed time (the
oldest that zip can say), a fixed mode, level 9.
"""

import hashlib
import pathlib
import sys
import zipfile


def package(bootstrap: pathlib.Path, out: pathlib.Path) -> None:
    """Writes `out` with `bootstrap` inside, executable by all."""
    entry = zipfile.ZipInfo("bootstrap", date_time=(1980, 1, 1, 0, 0, 0))
    entry.create_system = 3  # Unix, so that the mode below is read
    entry.external_attr = 0o100755 << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    out.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(entry, bootstrap.read_bytes(), compresslevel=9)


def main() -> None:
    bootstrap, out = map(pathlib.Path, sys.argv[1:])
    package(bootstrap, out)
    digest = hashlib.sha256(out.read_bytes()).hexdigest()
    print(f"{out}: {out.stat().st_size:,} bytes zipped, {bootstrap.stat().st_size:,} unpacked, sha256 {digest[:16]}")


if __name__ == "__main__":
    main()
