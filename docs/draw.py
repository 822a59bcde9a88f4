# SPDX-License-Identifier: MIT
"""Draws the pictures of the README.

    .venv/bin/python docs/draw.py
"""

from __future__ import annotations

from pathlib import Path

import dapplewood as dw
from dapplewood.io import write_image

HERE = Path(__file__).parent


def main() -> None:
    image, tiles = dw.samples.foliage_atlas(2048, 4, 4, gutter=8)
    baked = dw.bake_atlas(image, tiles=tiles, device=dw.Device("cpu"))
    names = dw.samples.species()
    sheet = dw.contact_sheet(
        dw.baseline.naive_levels(image),
        baked.levels,
        tiles=tiles,
        pick=[names.index("daisy"), names.index("bare")],
        levels=(0, 2, 3, 4, 5, 6),
        card=96,
    )
    write_image(HERE / "levels.png", sheet[..., :3], compression=9)


if __name__ == "__main__":
    main()
