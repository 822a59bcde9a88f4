# SPDX-License-Identifier: MIT
"""How often each material is chosen: the expectation of a transition over its noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .device import Device, default_device
from .kinds import TerrainMode
from .terrain import Transition, transition_law
from .terrain_forms import IndexMap, PackedWeights, weight_form
from .terrain_weights import index_map_to_weights, unpack_weights

__all__ = ["expected_coverage"]


def float_planes(weights: Any) -> NDArray[np.float32]:
    """Weights of any form as (H, W, N) float32, codes as they are: all forms hold exact floats."""
    if isinstance(weights, PackedWeights):
        codes = unpack_weights(weights, dtype=np.uint8)
        if codes.shape[2] == 1:
            codes = np.concatenate([codes, np.zeros_like(codes)], -1)
        return codes.astype(np.float32)
    if isinstance(weights, IndexMap):
        # Selection chooses in holes too, by their bits.
        there = IndexMap(weights.array & ~np.uint32(4))
        return np.rint(index_map_to_weights(there) * np.float32(255))  # of 255, as stored
    return weight_form(weights).array.astype(np.float32, copy=False)


def expected_coverage(
    weights: Any,
    transition: Transition,
    *,
    materials: Sequence[int] | None = None,
    heights: ArrayLike | None = None,
    device: Device | None = None,
) -> NDArray[np.float32]:
    """Give the probability of each material for each texel of a weight map.

    Parameters
    ----------
    weights : (H, W, N) array_like of float32, float16 or uint8; PackedWeights; IndexMap
        As `select_materials` takes them: 2 to 16 materials, 32 of an index map.
    transition : Transition
    materials : sequence of int, optional
        The key of each slot. None: 0, 1, 2 ...
    heights : (H, W, N) or (N,) array_like, optional
        Of the mode ``"height"``, in the unit of weights that sum to 1: what each material sticks
        out, at each texel or everywhere.
    device : Device, optional
        Whose threads do it. None: those of `default_device`.

    Returns
    -------
    (H, W, N) ndarray of float32
        By slot, not by key. They sum to 1 within rounding, or to 0 where there is no material. Of
        ``"smooth"`` they are the shares of the blend. Holes of an index map are materials too,
        by their bits: mask them by ``index_map.hole``.

    Raises
    ------
    ValueError, TypeError
        As `select_materials` does.

    Notes
    -----
    Coverage is the weight in the mode ``"dithered"`` at strength 1 alone. Whole tiles of blue
    noise or Bayer's pattern come within half of a rank of these numbers at every material's
    border; with the hash they are the mean. For ``"priority_additive"`` each is the integral of
    a product of uniform distributions, a polynomial between the points where one of them ends:
    Gauss-Legendre quadrature is exact there, but for rounding. A tile whose materials read one
    blue noise at several offsets, as that mode does, errs from it by about 1 % (64 cells) or
    0.7 % (128).
    """
    planes = float_planes(weights)
    law = transition_law(transition, planes.shape[2], materials)
    if (transition.mode == TerrainMode.HEIGHT) != (heights is not None):
        word = transition.mode.name.lower()
        raise ValueError(
            f'heights, (H, W, N) or (N,) numbers, belong to the mode "height", got '
            f'{"none" if heights is None else "some"} for "{word}"'
        )
    sticking = None if heights is None else np.asarray(heights, np.float32)
    device = default_device() if device is None else device
    return _core.expected_coverage(device, planes, sticking, law)
