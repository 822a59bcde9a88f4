# SPDX-License-Identifier: MIT
"""The moss walker: an animated character with a skin, morph targets and three animations."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from . import _walker_body as body
from . import _walker_leaves as foliage
from . import _walker_skin as skins
from ._models import _count, _foliage, _seed, _solid
from ._subdivide import Shell
from ._walker_moves import moves

if TYPE_CHECKING:
    from ..materials import Material
    from ..mesh import Mesh
    from ..model import Model, Node

DETAILS = 5


def character(*, detail: int = 2, seed: int = 0) -> Model:
    """Sculpt the moss walker, a small wood spirit that breathes, walks and curls up.

    1.6 m tall, y up, feet on the ground at the origin, looking along +z. It has a painted body of
    closed surfaces, leaves for hair, mantle and skirt (alpha mask, double-sided), and amber eyes;
    one skin of 37 joints. The morph target "breathe" moves body and leaves, "gust" lets wind from
    the front into the leaves.

    Parameters
    ----------
    detail : int
        0 to 4. 2 is for close views; each step has about four times the triangles of the one
        before: about 2,200, 11,000, 39,000, 155,000 and 620,000.
    seed : int
        Equal seeds give equal characters, different seeds other leaves, grain and moss.

    Returns
    -------
    Model
        Animations: "idle" (4 s, loops), "walk" (1.1 s, loops; in place, with the ground passing at
        `WALK_SPEED` metres a second along -z) and "curl" (from standing into a ball in 1.4 s, then
        held to 2.4 s).

    Raises
    ------
    ValueError
        A detail out of its range, a negative seed.

    Examples
    --------
    >>> walker = dw.samples.character()
    >>> scene = dw.Scene()
    >>> scene.add(walker, pose=walker.pose("walk", 0.3))
    """
    detail, seed = _count("detail", detail), _seed(seed)
    if not 0 <= detail < DETAILS:
        raise ValueError(f"detail: wanted 0 to {DETAILS - 1}, got {detail}")
    return _assembled(*_meshes(detail, seed))


def _meshes(detail: int, seed: int) -> tuple[Mesh, Mesh, Mesh]:
    skin = skins.skin(seed, detail)
    wood = _mesh("body", skin.shell, skin.colors, _hide(),
                 {"breathe": (skin.breath, skin.breath_normals)})
    leaves = foliage.foliage(foliage.layout(seed, body.trunk_and_limbs(2)), seed, detail)
    breath = skins._breath(leaves.roots, leaves.root_weights)
    leafy = _mesh("leaves", leaves.shell, leaves.colors, _foliage("walker"),
                  {"breathe": (breath, 0.0 * breath), "gust": (leaves.gust, leaves.gust_normals)})
    parts = [body.ball(body.EYE * turn, body.EYE_RADIUS, detail, {"head": 1.0})
             for turn in (np.ones(3), body.MIRROR)]
    for part, turn in zip(parts, (np.ones(3), body.MIRROR)):
        # The irises look straight ahead, a little to each other.
        x, y, z = ((part.positions - body.EYE * turn) / body.EYE_RADIUS).T
        part.uvs = np.stack([0.5 + 0.5 * (x + turn[0] * (0.10 * z - 0.22)), 0.5 - 0.5 * y], axis=1)
    eyes = skins.merged(parts)
    return wood, leafy, _mesh("eyes", eyes, np.ones_like(eyes.positions), _eyes(), {})


def _mesh(name: str, shell: Shell, colors: np.ndarray, material: Material,
          targets: dict[str, tuple[np.ndarray, np.ndarray]]) -> Mesh:
    from ..mesh import Mesh

    order = np.argsort(-shell.weights, axis=1, kind="stable")[:, :4]
    weights = np.take_along_axis(shell.weights, order, axis=1)
    order = np.where(weights > 0.0, order, 0)
    rgba = np.full((len(colors), 4), 255, np.uint8)
    rgba[:, :3] = np.rint(255.0 * np.clip(colors, 0.0, 1.0))
    morphs = {} if not targets else {
        "targets": np.stack([moved for moved, _ in targets.values()]).astype(np.float32),
        "target_normals": np.stack([turned for _, turned in targets.values()]).astype(np.float32),
        "target_names": list(targets)}
    return Mesh(shell.positions.astype(np.float32), shell.indices.astype(np.uint32),
                normals=shell.normals.astype(np.float32), uvs=shell.uvs.astype(np.float32),
                colors=rgba, joints=order.astype(np.uint16), weights=weights.astype(np.float32),
                material=material, name=name, **morphs)


@lru_cache(maxsize=1)
def _hide() -> Material:
    return _solid("driftwood", 0.85).replace(name="hide", normal_scale=0.6)


@lru_cache(maxsize=1)
def _eyes() -> Material:
    from ..materials import Material, MaterialTexture

    texture = MaterialTexture((skins.eye_image(),), wrap="clamp", name="eyes")
    return Material(name="eyes", base_color_texture=texture, roughness=0.2)


def _assembled(wood: Mesh, leafy: Mesh, eyes: Mesh) -> Model:
    from ..model import Model, Skin

    names = body.JOINTS
    first = len(names)
    children: dict[str | None, list[int]] = {}
    for i, (parent, _) in enumerate(body.SKELETON.values()):
        children.setdefault(parent, []).append(i)
    nodes = []
    for name, (parent, place) in body.SKELETON.items():
        above = first if parent is None else names.index(parent)
        base = np.zeros(3) if parent is None else body.SKELETON[parent][1]
        nodes.append(_node(name, above, children.get(name, []), place - base))
    nodes.append(_node("walker", -1, [0, first + 1, first + 2, first + 3]))
    for i, mesh in enumerate((wood, leafy, eyes)):
        nodes.append(_node(mesh.name, first, [], meshes=(i,), weights=mesh.morph_weights))
    bind = np.tile(np.eye(4), (first, 1, 1))
    bind[:, :3, 3] = [-place for _, place in body.SKELETON.values()]
    skin = Skin("walker", np.arange(first), bind)
    meshes = (wood, leafy, eyes)
    return Model(meshes, tuple(mesh.material for mesh in meshes), (skin,),
                 moves(first + 1, first + 2), tuple(nodes), ((first,),), ("walker",), 0, (),
                 "moss walker")


def _node(name: str, parent: int, children: list[int], place=(0.0, 0.0, 0.0), *,
          meshes: tuple[int, ...] = (), weights: np.ndarray | None = None) -> Node:
    from ..model import Node

    return Node(name, parent, tuple(children), np.asarray(place, np.float64),
                np.array([0.0, 0.0, 0.0, 1.0]), np.ones(3), None, meshes,
                0 if meshes else None, weights)
