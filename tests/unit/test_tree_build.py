# SPDX-License-Identifier: MIT
"""Native trees beside a plain Python reading of their definition, byte for byte."""

from __future__ import annotations

import numpy as np
import pytest
from dapplewood import _core
from helpers_tree import reference_tree

HPLOC, SAH, MORTON = 0, 1, 2


def soup(rng, count: int, size: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Scattered triangles; vertices are not shared."""
    at = rng.uniform(size=(count, 1, 3)) + size * rng.normal(size=(count, 3, 3))
    indices = np.arange(3 * count, dtype=np.uint32).reshape(count, 3)
    return at.reshape(-1, 3).astype(np.float32), indices


def assert_equals_reference(device, positions, indices, builder=HPLOC):
    tree = _core.tree_build(device, positions, indices, builder=builder)
    expected = reference_tree(positions, indices, is_plain=builder == MORTON)
    tree["refs"] = tree["nodes"][:, :, 3]
    for name in ("shape", "treelets", "refs", "triangles"):
        np.testing.assert_array_equal(tree[name], expected[name], err_msg=name)
    assert (tree["used"] is None) == (expected["used"] is None)
    if tree["used"] is not None:
        np.testing.assert_array_equal(tree["used"], expected["used"])


@pytest.mark.parametrize("builder", [HPLOC, MORTON])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 16, 17, 33, 100, 700])
def test_scattered_triangles(native_device, rng, count, builder):
    assert_equals_reference(native_device, *soup(rng, count), builder)
