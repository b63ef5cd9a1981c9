"""Copies infra/edge/normalize.js and infra/dashboard.json into template.yaml, which must carry their text inline.

    edge_text.py TEMPLATE
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).parent
BLOCKS = {"      FunctionCode: |": HERE / "edge/normalize.js", "      DashboardBody: !Sub |": HERE / "dashboard.json"}
INDENT = " " * 8


def filled(lines):
    """The template's lines with each block's body replaced by its file."""
    skipping = False
    for line in lines:
        if skipping and (not line.strip() or line.startswith(INDENT)):
            continue
        if skipping:
            yield ""
        skipping = line in BLOCKS
        yield line
        if skipping:
            for text in BLOCKS[line].read_text(encoding="utf-8").splitlines():
                yield INDENT + text if text else ""


def main():
    template = pathlib.Path(sys.argv[1])
    lines = template.read_text(encoding="utf-8").splitlines()
    template.write_text("\n".join(filled(lines)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
