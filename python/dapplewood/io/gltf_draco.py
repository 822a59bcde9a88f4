# SPDX-License-Identifier: MIT
"""KHR_draco_mesh_compression of primitives, by the package DracoPy (the extra `mesh`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .gltf_container import Container
from .gltf_json import Fields

__all__ = ["DRACO", "decode_primitive"]

DRACO = "KHR_draco_mesh_compression"


def decode_primitive(
    container: Container, fields: Fields
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Triangles (T, 3) and, by name, the attributes (V, n) of a compressed primitive.

    Parameters
    ----------
    fields : Fields
        The extension of the primitive.

    Raises
    ------
    FormatError
        Damaged, or the package that decodes is not installed.
    """
    try:
        import DracoPy
    except ImportError:
        fields.fail(
            f"{DRACO} needs the package DracoPy: pip install dapplewood[mesh]; or save the model "
            "without compression"
        )
    view = fields.index("bufferView", container.view_count, "bufferViews")
    if view is None:
        fields.fail("bufferView is missing")
    data = bytes(container.slice(container.view(view)))
    try:
        mesh: Any = DracoPy.decode(data)
    except Exception as error:  # the package has several kinds, none below a common one
        fields.fail(f"Draco data are damaged: {error}")
    if not hasattr(mesh, "faces"):
        fields.fail("Draco data hold a point cloud where triangles were expected")
    names = fields.fields("attributes")
    wanted = {name: names.whole(name, high=2**32) for name in names.data}
    by_id = {one["unique_id"]: np.asarray(one["data"]) for one in mesh.attributes}
    lacking = [name for name, number in wanted.items() if number not in by_id]
    if lacking:
        names.fail(f"Draco data lack {', '.join(lacking)}; they have ids {sorted(by_id)}")
    found = {name: by_id[number] for name, number in wanted.items()}
    found = {name: one.reshape(len(one), -1) for name, one in found.items()}
    container.spend(sum(one.nbytes for one in found.values()), fields.where)
    return np.asarray(mesh.faces).reshape(-1, 3), found
