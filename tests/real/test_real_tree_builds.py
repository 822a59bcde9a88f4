# SPDX-License-Identifier: MIT
"""Trees over the meshes of real models: a Vulkan device builds what the native one builds.

The data lie beside the repository, in `../shared/data`, or where DAPPLEWOOD_DATA says.
"""

from __future__ import annotations

import os
from pathlib import Path

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import _core

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("DAPPLEWOOD_DATA", ROOT.parent / "shared" / "data")) / "meshes"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="no real meshes; set DAPPLEWOOD_DATA to the folder that holds them"
)


def all_meshes():
    """Every mesh of every model that can be read, the largest first."""
    found = []
    for path in sorted([*DATA.rglob("*.glb"), *DATA.rglob("*.gltf")]):
        try:
            model = dw.load_gltf(path)
        except (dw.FormatError, ValueError, NotImplementedError):
            continue  # test_real_meshes says which and why
        for number, mesh in enumerate(model.meshes):
            indices = mesh.indices
            if indices is None:
                indices = np.arange(len(mesh.positions), dtype=np.uint32)
            indices = np.asarray(indices, np.uint32).reshape(-1, 3)
            found.append((f"{path.name} {number}", np.asarray(mesh.positions), indices))
    return sorted(found, key=lambda row: -len(row[2]))


def test_vulkan_builds_what_the_native_device_builds(native_device, vulkan_device):
    meshes = all_meshes()
    assert len(meshes) > 50
    for name, positions, indices in meshes:
        native = _core.tree_build(native_device, positions, indices)
        vulkan = _core.tree_build_device(vulkan_device, positions, indices)
        for part in ("shape", "treelets", "nodes", "triangles"):
            np.testing.assert_array_equal(vulkan[part], native[part], err_msg=f"{name}: {part}")
