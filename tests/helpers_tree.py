# SPDX-License-Identifier: MIT
"""How trees are built, in plain Python: an independent reading of the definition, for small meshes.

Clusters are dicts; refs are ("leaf", sorted place) or ("node", slot)."""

from __future__ import annotations

import numpy as np

F = np.float32
LEAF, NONE, EMPTY = 0x80000000, 0xFFFFFFFF, 0x0000FFFF
LEAF_MAX, TREELET, LEVELS_MAX, DEPTH_MAX = 4, 256, 7, 62
LIST, RADIUS = 16, 8


def words(array) -> np.ndarray:
    return np.ascontiguousarray(array, np.float32).view(np.uint32)


def in_range(x) -> np.ndarray:
    return (words(x) & 0x7FFFFFFF) <= 0x5D800000


def coordinates(x) -> np.ndarray:
    """-0 and subnormals are 0; what is out of range too, so that nothing overflows."""
    bits = words(x)
    keep = in_range(x) & ((bits & 0x7F800000) != 0)
    return np.where(keep, bits, 0).astype(np.uint32).view(np.float32)


def flush(x) -> np.ndarray:
    return np.where((words(x) & 0x7F800000) == 0, F(0), x).astype(F)


def unit_scale(extent) -> np.float32:
    bits = int(words(max(F(extent), F(2.0**-100)))[0])
    shift = 1 if bits & 0x7FFFFF else 0
    return np.uint32((254 - (bits >> 23) - shift) << 23).view(F)


def unit(x, low, scale) -> np.ndarray:
    return flush(flush(x - low) * scale)


def cells(low, high) -> np.ndarray:
    whole = np.floor((low + high) * F(8388608))
    return np.minimum(whole, F(16777215)).astype(np.int64)


def morton(cell, bits) -> int:
    code = count = 0
    for bit in range(23, -1, -1):
        for axis in range(3):
            if bit < bits[axis] and count < 32:
                code = code << 1 | (int(cell[axis]) >> bit & 1)
                count += 1
    return code


def half_area(extent) -> np.ndarray:
    e = np.maximum(extent, F(2.0**-40)).astype(F)
    return (e[..., 0] * e[..., 1] + e[..., 1] * e[..., 2]) + e[..., 2] * e[..., 0]


# ---- items ----


def triangle_items(positions, indices):
    """Low and high corners (N, 3), which are active, bounds, and which vertices are used."""
    good = in_range(positions).all(1)
    at = coordinates(positions)
    used = np.zeros(len(positions), bool)
    used[indices.ravel()] = True
    corners = at[indices]
    within = at[used & good]
    bounds = (within.min(0), within.max(0)) if len(within) else (np.zeros(3, F),) * 2
    return corners.min(1), corners.max(1), good[indices].all(1), bounds, used


def box_items(boxes):
    low, high = coordinates(boxes[:, :3]), coordinates(boxes[:, 3:])
    active = in_range(boxes).all(1) & (low <= high).all(1)
    inside = (low[active].min(0), high[active].max(0)) if active.any() else (np.zeros(3, F),) * 2
    return low, high, active, inside, None


def sorted_items(low, high, active, bounds):
    """Unit boxes by row, and rows and codes by sorted place."""
    scale = unit_scale((bounds[1] - bounds[0]).max())
    low = np.where(active[:, None], low, bounds[0])
    high = np.where(active[:, None], high, bounds[0])
    low = np.where(active[:, None], unit(low, bounds[0], scale), F(1)).astype(F)
    high = np.where(active[:, None], unit(high, bounds[0], scale), F(1)).astype(F)
    extent = unit(bounds[1], bounds[0], scale)
    bits = [int(c).bit_length() for c in cells(extent, extent)]
    codes = [
        morton(cell, bits) if is_active else 0xFFFFFFFF
        for cell, is_active in zip(cells(low, high), active)
    ]
    rows = sorted(range(len(codes)), key=codes.__getitem__)
    return low, high, rows, [codes[row] for row in rows]


# ---- merging ----


def share(child, kind):
    """Weight, triangles and nodes that a child gives its parent's treelet of `kind`."""
    child_kind, weight, triangles, nodes = child["meta"]
    if child_kind == kind:
        return weight, triangles, nodes
    return (weight, triangles, 0) if child_kind == 0 else (1, 0, 0)


class Builder:
    """Nodes by slot. can_collapse: leaves may hold more than one item."""

    def __init__(self, low, high, rows, *, can_collapse: bool):
        self.low, self.high, self.rows = low, high, rows
        self.can_collapse = can_collapse
        self.nodes: dict[int, dict] = {}
        self.fault = False

    def item(self, place: int) -> dict:
        low, high = self.low[self.rows[place]], self.high[self.rows[place]]
        area = half_area(high - low)
        return {"low": low, "high": high, "cost": area, "first": place, "depth": 0,
                "meta": (0, 1, 1, 0), "ref": ("leaf", place)}  # fmt: skip

    def merge(self, a: dict, b: dict) -> dict:
        low, high = np.minimum(a["low"], b["low"]), np.maximum(a["high"], b["high"])
        area = half_area(high - low)
        triangles = a["meta"][2] + b["meta"][2]
        cost, leaf_cost = area + (a["cost"] + b["cost"]), area * F(triangles)
        slot = max(a["first"], b["first"])
        node = {"low": low, "high": high, "first": min(a["first"], b["first"]), "slot": slot,
                "left": a, "right": b, "ref": ("node", slot)}  # fmt: skip
        kinds = a["meta"][0], b["meta"][0]
        if self.can_collapse and max(kinds) <= 1 and triangles <= LEAF_MAX and leaf_cost <= cost:
            node.update(cost=leaf_cost, depth=0, meta=(0, triangles, triangles, 0))
        else:
            kind = max(*kinds, 1)
            if share(a, kind)[0] + share(b, kind)[0] > TREELET:
                kind += 1
            self.fault |= kind > LEVELS_MAX
            weight, triangles, nodes = (x + y for x, y in zip(share(a, kind), share(b, kind)))
            depth = 1 + max(a["depth"], b["depth"])
            node.update(cost=cost, depth=depth, meta=(kind, weight, triangles, 1 + nodes))
        assert slot not in self.nodes
        self.nodes[slot] = node
        return node


def best_neighbours(clusters) -> list[int]:
    low = np.array([c["low"] for c in clusters])
    high = np.array([c["high"] for c in clusters])
    both_low, both_high = np.minimum(low[:, None], low), np.maximum(high[:, None], high)
    area = half_area(both_high - both_low)
    found = []
    for i in range(len(clusters)):
        near = [j for j in range(max(0, i - RADIUS), min(len(clusters), i + RADIUS + 1)) if j != i]
        found.append(min(near, key=lambda j: (area[i, j], j)))
    return found


def merge_rounds(builder: Builder, clusters: list[dict], most: int) -> list[dict]:
    while len(clusters) > most:
        best = best_neighbours(clusters)
        kept = []
        for i, cluster in enumerate(clusters):
            if best[best[i]] != i:
                kept.append(cluster)
            elif i < best[i]:
                kept.append(builder.merge(cluster, clusters[best[i]]))
        assert len(kept) < len(clusters)
        clusters = kept
    return clusters


def merge_all(builder: Builder, codes: list[int], *, is_plain: bool) -> dict:
    count = len(codes)
    keys = [code << 32 | place for place, code in enumerate(codes)]
    boundaries = [a ^ b for a, b in zip(keys, keys[1:])]

    def cluster_list(first: int, last: int) -> list[dict]:
        if first == last:
            return [builder.item(first)]
        split = max(range(first, last), key=boundaries.__getitem__)
        both = cluster_list(first, split) + cluster_list(split + 1, last)
        is_whole = last - first + 1 == count
        if is_plain:
            return [builder.merge(*both)]
        if last - first + 1 <= LIST and not is_whole:
            return both
        return merge_rounds(builder, both, 1 if is_whole else LIST)

    (root,) = cluster_list(0, count - 1)
    return root


# ---- order ----


def leaf_places(node: dict) -> list[int]:
    if node["ref"][0] == "leaf":
        return [node["ref"][1]]
    return leaf_places(node["left"]) + leaf_places(node["right"])


def treelet_roots(root: dict) -> list[dict]:
    found, waiting = [root], [root]
    while waiting:
        node = waiting.pop()
        for child in (node["left"], node["right"]):
            if child["meta"][0] > 0:
                waiting.append(child)
                if child["meta"][0] < node["meta"][0]:
                    found.append(child)
    return sorted(found, key=lambda node: (-node["meta"][0], node["slot"]))


class Order:
    """Places nodes of treelet after treelet in preorder."""

    def __init__(self, root: dict):
        self.roots = treelet_roots(root)
        self.treelets, self.first_node = [], {}
        node = triangle = 0
        for each in self.roots:
            _, _, triangles, nodes = each["meta"]
            self.treelets.append((node, nodes, triangle, triangles))
            self.first_node[each["slot"]] = node
            node, triangle = node + nodes, triangle + triangles
        self.refs = [[NONE, NONE] for _ in range(node)]
        self.places: list[int] = []
        self.next = 0
        for each in self.roots:
            assert self.next == self.first_node[each["slot"]]
            self.place(each)

    def place(self, node: dict) -> int:
        index, self.next = self.next, self.next + 1
        for side in ("left", "right"):
            self.refs[index][side == "right"] = self.child(node[side], node["meta"][0])
        return index

    def child(self, child: dict, kind: int) -> int:
        if child["meta"][0] == 0:
            first = len(self.places)
            self.places += leaf_places(child)
            return LEAF | (child["meta"][2] - 1) << 28 | first
        return self.place(child) if child["meta"][0] == kind else self.first_node[child["slot"]]


def used_words(used) -> np.ndarray | None:
    if used is None or used.all():
        return None
    bits = np.zeros((len(used) + 31) // 32 * 32, bool)
    bits[: len(used)] = used
    return np.packbits(bits, bitorder="little").view(np.uint32)


def reference_tree(positions, indices, *, is_plain: bool = False) -> dict:
    """Shape, treelets, refs (N, 2), triangles and used words, as `_core.tree_build` gives them.
    indices None: positions are boxes."""
    over_boxes = indices is None
    with np.errstate(all="ignore"):
        items = box_items(positions) if over_boxes else triangle_items(positions, indices)
        low, high, active, bounds, used = items
        low, high, rows, codes = sorted_items(low, high, active, bounds)
        count, root = len(rows), None
        if count:
            builder = Builder(low, high, rows, can_collapse=not over_boxes)
            root = merge_all(builder, codes, is_plain=is_plain)
            if builder.fault or root["depth"] > DEPTH_MAX:
                builder = Builder(low, high, rows, can_collapse=not over_boxes)
                root = merge_all(builder, codes, is_plain=True)
    levels = [0] * 8, [0] * 8
    if root is None or root["meta"][0] == 0:
        treelets, depth, level_count = [(0, 1, 0, count)], 1, 1
        refs = [[LEAF | (count - 1) << 28 if count else NONE, NONE]]
        places = leaf_places(root) if count else []
        levels[1][0] = 1
    else:
        order = Order(root)
        treelets, refs, places = order.treelets, order.refs, order.places
        depth, level_count = root["depth"], root["meta"][0]
        kinds = [each["meta"][0] for each in order.roots]
        for level in range(level_count):
            levels[0][level] = kinds.index(level + 1)
            levels[1][level] = kinds.count(level + 1)
    shape = [count, len(refs), depth, level_count, len(treelets), 0, 0, int((~active).sum())]
    triangles = [
        [*([0] * 3 if over_boxes else map(int, indices[rows[p]])), rows[p]] for p in places
    ]
    return {
        "shape": np.array([*shape, *levels[0], *levels[1]], np.uint32),
        "treelets": np.array(treelets, np.uint32).reshape(-1, 4),
        "refs": np.array(refs, np.uint32).reshape(-1, 2),
        "triangles": np.array(triangles, np.uint32).reshape(-1, 4),
        "used": used_words(used),
    }


# ---- any tree ----


def check_structure(tree: dict, *, leaf_max: int = LEAF_MAX) -> None:
    """What every tree must hold: all items once, children behind parents, treelets that tile."""
    count, nodes, depth, levels, treelet_count = (int(x) for x in tree["shape"][:5])
    level_first, level_treelets = tree["shape"][8:16], tree["shape"][16:24]
    triangles, treelets = tree["triangles"], tree["treelets"].astype(np.int64)
    refs = tree["nodes"][:, :, 3].astype(np.int64)
    assert (len(triangles), len(refs), len(treelets)) == (count, nodes, treelet_count)
    np.testing.assert_array_equal(np.sort(triangles[:, 3]), np.arange(count))
    first_node, node_count, first_triangle, triangle_count = treelets.T
    np.testing.assert_array_equal(np.cumsum(node_count) - node_count, first_node)
    np.testing.assert_array_equal(np.cumsum(triangle_count) - triangle_count, first_triangle)
    assert node_count.sum() == nodes and triangle_count.sum() == count and node_count.min() > 0
    np.testing.assert_array_equal(level_treelets[levels:], 0)
    downwards = level_treelets[:levels][::-1]  # the highest level first
    begins = np.cumsum(downwards) - downwards
    np.testing.assert_array_equal(level_first[:levels][::-1], begins)
    assert downwards.sum() == treelet_count

    parent, side = np.indices(refs.shape)
    is_leaf = (refs & LEAF != 0) & (refs != NONE)
    is_node = refs & LEAF == 0
    np.testing.assert_array_equal(np.sort(refs[is_node]), np.arange(1, nodes))
    assert (refs[is_node] > parent[is_node]).all()
    assert (refs != NONE).all() or nodes == 1
    first, size = refs[is_leaf] & 0x0FFFFFFF, (refs[is_leaf] >> 28 & 7) + 1
    order = np.argsort(first)
    np.testing.assert_array_equal(np.cumsum(size[order]) - size[order], first[order])
    assert size.sum() == count and (count == 0 or size.max() <= leaf_max)

    treelet = np.repeat(np.arange(treelet_count), node_count)
    level = np.zeros(treelet_count, int)
    for i in range(levels):
        level[int(level_first[i]) : int(level_first[i] + level_treelets[i])] = i
    own = treelet[parent[is_leaf]]
    assert (first >= first_triangle[own]).all()
    assert (first + size <= first_triangle[own] + triangle_count[own]).all()
    of, to = treelet[parent[is_node]], treelet[refs[is_node]]
    crosses = of != to
    np.testing.assert_array_equal(refs[is_node][crosses], first_node[to[crosses]])
    assert (level[to[crosses]] < level[of[crosses]]).all()
    pieces = triangle_count + np.bincount(of[crosses], minlength=treelet_count)
    assert pieces.max() <= TREELET

    deep, here = 0, np.array([0])
    while len(here):
        deep += 1
        here = refs[here][is_node[here]]
    assert deep == depth <= DEPTH_MAX
