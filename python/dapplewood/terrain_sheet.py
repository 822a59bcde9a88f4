# SPDX-License-Identifier: MIT
"""One picture of ways to choose terrain's materials, side by side, at several zooms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .bitmap_font import GLYPH_HEIGHT, draw_text
from .checks import check_count, check_positive
from .device import Device
from .terrain import Transition, Weights, select_materials
from .terrain_compose import compose_terrain
from .terrain_coverage import expected_coverage

__all__ = ["compare_coverage", "terrain_sheet"]

_PAPER, _INK, _FAINT = (26, 29, 33), (232, 234, 236), (150, 156, 163)
_GAP, _TEXT = 10, 2
_LINE = GLYPH_HEIGHT * _TEXT + 8
_CELLS_MOST = 16  # noise cells along a texel that coverage is counted over


def terrain_sheet(
    base: ArrayLike,
    details: Sequence[ArrayLike],
    weights: Weights,
    transitions: Mapping[str, Transition],
    *,
    zooms: Sequence[float] = (4.0, 16.0, 32.0),
    center: tuple[float, float] | None = None,
    side: int = 320,
    device: Device | None = None,
    **options: Any,
) -> NDArray[np.uint8]:
    """Draw a map by several transitions: a column for each, a row for each zoom.

    Parameters
    ----------
    base, details, weights
        As `compose_terrain` takes them.
    transitions : mapping of str to Transition
        By what stands over their column.
    zooms : sequence of float, optional
        Pixels per map unit; a row each.
    center : (float, float), optional
        Map position in the middle of every picture. None: the middle of the map.
    side : int, optional
        Pixels of a picture along each side.
    device : Device, optional
    **options
        More of `compose_terrain`: `style`, `detail_scale`, `samples` and so on.

    Returns
    -------
    (h, w, 3) ndarray of uint8
        sRGB.

    Raises
    ------
    ValueError, TypeError
        No transition or zoom, or an argument that `compose_terrain` refuses.
    """
    if not transitions or not len(zooms):
        raise ValueError(
            f"transitions and zooms must not be empty, got {len(transitions)} and {len(zooms)}"
        )
    side = check_count(side, "side", 16)
    per_units = [check_positive(zoom, "zooms") for zoom in zooms]
    if center is None:
        height, width = _shape(weights)
        center = width / 2, height / 2
    step = side + _GAP
    size = (_LINE + len(per_units) * (step + _LINE), _GAP + len(transitions) * step)
    image = np.full((*size, 3), _PAPER, np.uint8)
    for column, (name, transition) in enumerate(transitions.items()):
        left = _GAP + column * step
        draw_text(image, name.upper(), left, _GAP // 2 + 2, _INK, _TEXT)
        for row, per_unit in enumerate(per_units):
            top = _LINE + row * (step + _LINE)
            # whole pixels: pictures of a zoom show the same cells under every transition
            corner = [round((at - side / per_unit / 2) * per_unit) / per_unit for at in center]
            image[top : top + side, left : left + side] = compose_terrain(
                base, details, weights, transition, pixels_per_unit=per_unit,
                corner=(corner[0], corner[1]), size=(side, side), device=device, **options,
            )  # fmt: skip
            if column == 0:
                text = f"{per_unit:g} px a texel"
                draw_text(image, text, left, top + side + 5, _FAINT, _TEXT)
    return image


def compare_coverage(
    weights: Weights, transition: Transition, *, device: Device | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The share of a map that each material covers: counted, and as it is expected.

    Every noise cell is looked at once; cells less than 1/16 of a texel are sampled at that. Of
    "smooth" the dominant material is counted, which is not what its picture mixes.

    Parameters
    ----------
    weights : ndarray, PackedWeights or IndexMap
        As `select_materials` takes them.
    transition : Transition
    device : Device, optional

    Returns
    -------
    measured, expected : (N,) ndarray of float64
    """
    expected = np.asarray(expected_coverage(weights, transition, device=device), np.float64)
    cells = min(max(round(1.0 / transition.cell), 1), _CELLS_MOST)
    ids = select_materials(weights, transition, scale=cells, device=device)
    count = expected.shape[2]
    measured = np.bincount(ids.ravel(), minlength=256)[:count] / ids.size
    return measured, expected.mean(axis=(0, 1))


def _shape(weights: Any) -> tuple[int, int]:
    return np.asarray(getattr(weights, "array", weights)).shape[:2]
