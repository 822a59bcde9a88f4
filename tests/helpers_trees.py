# SPDX-License-Identifier: MIT
"""Trees over triangles for tests: plain ones made in Python, meshes of many kinds, and a refit by
its definition."""

from __future__ import annotations

import numpy as np
from dapplewood import _core
from dapplewood.layouts import record_dtype

F = np.float32
NONE = 0xFFFFFFFF
EMPTY = 0x0000FFFF
TREELET = _core.CONSTANTS["TREE_TREELET"]


# ---- meshes: positions (V, 3) float32 and indices (T, 3) uint32 ----


def grid(side: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """A wavy square of 2 * side * side triangles."""
    rng = np.random.default_rng(seed)
    x, y = np.meshgrid(np.linspace(-1, 1, side + 1), np.linspace(-1, 1, side + 1))
    z = 0.2 * np.sin(5 * x) * np.cos(4 * y) + 0.002 * rng.standard_normal(x.shape)
    positions = np.stack([x, y, z], -1).reshape(-1, 3).astype(F)
    corner = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).reshape(-1, 1)
    first = corner + [0, 1, side + 2]
    second = corner + [0, side + 2, side + 1]
    return positions, np.stack([first, second], 1).reshape(-1, 3).astype(np.uint32)


def plant(count: int, seed: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Small leaves anywhere in a ball, each with vertices of its own, in no order."""
    rng = np.random.default_rng(seed)
    centre = rng.standard_normal((count, 1, 3))
    centre *= rng.random((count, 1, 1)) ** (1 / 3) / np.linalg.norm(centre, axis=-1, keepdims=True)
    size = 1.5 / np.sqrt(max(count, 1))
    positions = (centre + size * rng.standard_normal((count, 3, 3))).reshape(-1, 3).astype(F)
    return positions, np.arange(3 * count, dtype=np.uint32).reshape(-1, 3)


def meshes() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Ordinary and degenerate meshes by name."""
    positions, indices = grid(24)
    leaves, leaf_rows = plant(900)
    flat = positions * F([1, 1, 0]) + F([0, 0, 3])
    line = positions * F([1, 0, 0])
    point = np.zeros_like(positions) + F([1, 2, 3])
    broken = leaves.copy()
    broken[[5, 100, 1000, 2000]] = [
        [np.nan, 0, 0],
        [0, np.inf, 0],
        [0, 0, -np.inf],
        [2.0**61, 0, 0],
    ]
    zeros = leaves.copy()
    zeros[::7] = -0.0
    zeros[1::7] = 1e-41
    found = {
        "grid": (positions, indices),
        "plant": (leaves, leaf_rows),
        "flat": (flat, indices),
        "line": (line, indices),
        "point": (point, indices),
        "tiny": (leaves * F(1e-25), leaf_rows),
        "huge": (leaves * F(1e18), leaf_rows),
        "shifted": (leaves + F(1e7), leaf_rows),
        "broken": (broken, leaf_rows),
        "zeros": (zeros, leaf_rows),
        "copies": (leaves, np.tile(leaf_rows[:3], (400, 1))),
        "unused": (leaves, leaf_rows[100:700]),
        "all broken": (leaves * F(np.nan), leaf_rows),
    }
    for count in range(4):
        found[f"{count} triangles"] = plant(count) if count else (leaves[:3], leaf_rows[:0])
    return found


# ---- a tree in the order of the rows, cut into treelets ----


def _split(first: int, count: int, rng: np.random.Generator):
    """A leaf (first, count), or a node [left, right]."""
    if count <= 4 and (count == 1 or rng.random() < 0.6):
        return (first, count)
    half = int(rng.integers(1, count)) if count < 12 else count // 2
    return [_split(first, half, rng), _split(first + half, count - half, rng)]


class _Cut:
    """Kind and weight of each node, as the shared header's dw_tree_meta_node gives them."""

    def __init__(self, root):
        self.kinds: dict[int, int] = {}
        self.weights: dict[int, int] = {}
        self._measure(root)

    def _measure(self, node) -> tuple[int, int]:
        if isinstance(node, tuple):
            return 0, node[1]
        parts = [self._measure(child) for child in node]
        kind = max([1, *(k for k, _ in parts)])

        def weight() -> int:
            return sum(w if k in (0, kind) else 1 for k, w in parts)

        if weight() > TREELET:
            kind += 1
        self.kinds[id(node)], self.weights[id(node)] = kind, weight()
        return kind, weight()


def plain_tree(indices: np.ndarray, seed: int = 3, node_format: str = "quantized") -> dict:
    """A layout of random shape over triangles in the order of their rows; no boxes yet."""
    rng = np.random.default_rng(seed)
    count = len(indices)
    root = _split(0, count, rng) if count else []
    if isinstance(root, tuple):
        root = [root]
    cut = _Cut(root)
    by_level: dict[int, list] = {}

    def find_roots(node, above: int) -> None:
        if isinstance(node, tuple):
            return
        kind = cut.kinds[id(node)]
        if kind != above:
            by_level.setdefault(kind - 1, []).append(node)
        for child in node:
            find_roots(child, kind)

    find_roots(root, 0)
    treelets, nodes, order, places = [], [], [], {}

    def place(node, kind: int) -> None:
        places[id(node)] = len(nodes)
        nodes.append(node)
        for child in node:
            if isinstance(child, tuple):
                places[id(child)] = len(order)
                order.extend(range(child[0], child[0] + child[1]))
            elif cut.kinds[id(child)] == kind:
                place(child, kind)

    levels = max(by_level) + 1
    shape = np.zeros(1, record_dtype("dw_tree_shape"))
    for level in reversed(range(levels)):
        shape["level_first"][0, level] = len(treelets)
        for node in by_level.get(level, []):
            first = len(nodes), len(order)
            place(node, level + 1)
            treelets.append((first[0], len(nodes) - first[0], first[1], len(order) - first[1]))
        shape["level_treelets"][0, level] = len(treelets) - shape["level_first"][0, level]
    children = np.zeros(
        (len(nodes), 2),
        record_dtype("dw_tree_child" if node_format == "quantized" else "dw_tree_child_f32"),
    )
    children["ref"] = NONE
    for row, node in enumerate(nodes):
        for side, child in enumerate(node):
            at = places[id(child)]
            is_leaf = isinstance(child, tuple)
            children["ref"][row, side] = 0x80000000 | child[1] - 1 << 28 | at if is_leaf else at
    triangles = np.zeros(count, record_dtype("dw_tree_triangle"))
    triangles["primitive"] = order
    triangles["vertices"] = indices[order] if indices.ndim == 2 else 0
    for name, value in {
        "triangle_count": count,
        "node_count": len(nodes),
        "depth": 1,
        "level_count": levels,
        "treelet_count": len(treelets),
    }.items():
        shape[name] = value
    return {
        "nodes": children,
        "triangles": triangles,
        "treelets": np.array(treelets, np.uint32).reshape(-1, 4),
        "shape": shape,
    }


# ---- a refit by its definition ----


def in_range(points: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return (np.abs(points) <= 2.0**60).all(-1)


def coordinates(points: np.ndarray) -> np.ndarray:
    """Subnormals and -0 become 0."""
    return np.where(np.abs(points) < 2.0**-126, F(0), points)


def frame_of(points: np.ndarray) -> dict:
    """The frame over points in range."""
    if len(points) == 0:
        one = np.ones(3, F)
        return {"origin": one * 0, "step": one, "inverse": one, "scale": F(1), "is_empty": 1}
    low, high = coordinates(points).min(0), coordinates(points).max(0)
    extent = high - low
    step = np.maximum(extent * F(1.5259954e-5), np.maximum(-low, high) * F(2.0**-22))
    step = np.maximum(step, F(2.0**-100))
    largest = max(extent.max(), F(2.0**-100))
    scale = F(2.0 ** -np.ceil(np.log2(np.float64(largest))))
    return {"origin": low, "step": step, "scale": scale, "is_empty": 0}


def item_boxes(layout: dict, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Low (T, 3), high (T, 3) and whether active, in tree order."""
    triangles = np.asarray(layout["triangles"]).view(record_dtype("dw_tree_triangle")).reshape(-1)
    if positions.shape[1] == 6:
        boxes = positions[triangles["primitive"]]
        low, high = coordinates(boxes[:, :3]), coordinates(boxes[:, 3:])
        with np.errstate(invalid="ignore"):
            return low, high, in_range(boxes) & (low <= high).all(-1)
    corners = positions[triangles["vertices"]]
    good = in_range(corners).all(-1)
    corners = coordinates(np.where(good[:, None, None], corners, F(0)))
    return corners.min(1), corners.max(1), good


def used_points(layout: dict, positions: np.ndarray) -> np.ndarray:
    triangles = np.asarray(layout["triangles"]).view(record_dtype("dw_tree_triangle")).reshape(-1)
    if positions.shape[1] == 6:
        low, high, good = item_boxes(layout, positions)
        return np.concatenate([low[good], high[good]])
    used = positions[np.unique(triangles["vertices"])]
    return used[in_range(used)]


def planes_of(frame: dict, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Packed planes (..., 3): found by searching all planes of an axis."""
    out = np.zeros(low.shape, np.uint32)
    for axis in range(3):
        planes = frame["origin"][axis] + np.arange(65536, dtype=F) * frame["step"][axis]
        below = np.searchsorted(planes, low[..., axis], side="right") - 1
        above = np.searchsorted(planes, high[..., axis], side="left")
        out[..., axis] = np.clip(below, 0, 65535) | np.clip(above, 0, 65535) << 16
    return out


def union(words: np.ndarray) -> np.ndarray:
    """Of packed planes (n, 3)."""
    return (words & 0xFFFF).min(0) | (words >> 16).max(0) << 16


def reference_refit(layout: dict, positions: np.ndarray) -> dict:
    """Planes (N, 2, 3), frame and sums of a layout, by the definition; slow."""
    frame = frame_of(used_points(layout, positions))
    low, high, good = item_boxes(layout, positions)
    items = planes_of(frame, low, high)
    items[~good] = EMPTY
    refs = layout["nodes"]["ref"]
    planes = np.full((*refs.shape, 3), EMPTY, np.uint32)
    inner, leaves = [0, 0, 0], [0, 0, 0]

    def add(sums: list[int], words: np.ndarray, times: int) -> None:
        x, y, z = (max(0, int(w >> 16) - int(w & 0xFFFF)) for w in words)
        for i, product in enumerate((x * y, y * z, z * x)):
            sums[i] += product * times

    for node in reversed(range(len(refs))):
        for side in range(2):
            ref = int(refs[node, side])
            if ref == NONE:
                continue
            first, count = ref & 0x0FFFFFFF, (ref >> 28 & 7) + 1
            is_leaf = ref >> 31 == 1
            planes[node, side] = union(items[first : first + count] if is_leaf else planes[ref])
            add(leaves if is_leaf else inner, planes[node, side], count if is_leaf else 1)
    add(inner, union(planes[0]), 1)
    return {
        "planes": planes,
        "frame": frame,
        "inner": inner,
        "leaves": leaves,
        "inactive": int((~good).sum()),
    }


# ---- rays ----

EYE = np.eye(3, 4, dtype=F).reshape(1, 12)
BINARY, BRUTE, OCCLUDED, WIDE, PLAIN = 0, 1, 2, 4, 8
HIT_FIELDS = ("t", "instance", "primitive", "u", "v")


def rays_about(positions: np.ndarray, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Origins in and about the mesh; half of the directions aim at a place in its box."""
    rng = np.random.default_rng(seed)
    good = positions[in_range(positions)].astype(float)
    low, high = (good.min(0), good.max(0)) if len(good) else (np.zeros(3), np.ones(3))
    size = max((high - low).max(), 1e-30)
    origins = (low + high) / 2 + size * (rng.random((count, 3)) * 2 - 1)
    directions = low + (high - low) * rng.random((count, 3)) - origins
    directions[::2] = rng.standard_normal((len(directions[::2]), 3)) * size
    return origins.astype(F), directions.astype(F)


def trace(device, layout, positions, origins, directions, way=BINARY, t_min=0.0, t_max=np.inf):
    """Hits of one mesh that stands as it is: a dict of arrays; for occlusion one array."""
    found = _core.tree_trace(
        device, ((layout, positions),), np.zeros(1, np.int32), EYE, None, origins, directions,
        t_min, t_max, way,
    )[0]  # fmt: skip
    return found[0] if way & OCCLUDED else dict(zip((*HIT_FIELDS, "steps"), found, strict=True))


def sphere(rings: int, seed: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """A closed bumpy surface around the origin, every edge shared by two triangles."""
    segments = 2 * rings
    angles = np.linspace(0, np.pi, rings + 1)[1:-1]
    around = np.arange(segments) * 2 * np.pi / segments
    ring = np.stack(
        [
            np.outer(np.sin(angles), np.cos(around)),
            np.outer(np.sin(angles), np.sin(around)),
            np.outer(np.cos(angles), np.ones(segments)),
        ],
        -1,
    ).reshape(-1, 3)
    positions = np.concatenate([[[0, 0, 1]], ring, [[0, 0, -1]]])
    if seed is not None:
        positions *= 0.7 + 0.6 * np.random.default_rng(seed).random((len(positions), 1))
    last = len(positions) - 1
    rows = []
    for s in range(segments):
        n = (s + 1) % segments
        rows.append([0, 1 + s, 1 + n])
        for r in range(rings - 2):
            a, b = 1 + r * segments, 1 + (r + 1) * segments
            rows += [[a + s, b + s, b + n], [a + s, b + n, a + n]]
        rows.append([last, last - segments + n, last - segments + s])
    return positions.astype(F), np.array(rows, np.uint32)
