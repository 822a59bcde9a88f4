# SPDX-License-Identifier: MIT
"""Rays through native trees: no hit lost, none made up, edges closed, ties settled."""

from __future__ import annotations

import numpy as np
import pytest
from dapplewood import _core
from helpers_trees import (
    BINARY,
    BRUTE,
    EYE,
    HIT_FIELDS,
    OCCLUDED,
    PLAIN,
    WIDE,
    F,
    grid,
    meshes,
    plain_tree,
    plant,
    rays_about,
    sphere,
    trace,
)

MESHES = meshes()
RAYS = 100_000
FORMATS = {"quantized": 0, "f32": 1}
WAYS = {"binary": BINARY, "wide": WIDE, "plain": WIDE | PLAIN}


@pytest.fixture(scope="module")
def device():
    with _core_device() as opened:
        yield opened


def _core_device(threads: int = 2):
    from dapplewood.device import Device

    return Device("cpu", threads=threads)


def built(device, positions, indices, node_format="quantized", pose=None):
    """A tree over positions, with the boxes of a pose."""
    layout = _core.tree_build(device, positions, indices, node_format=FORMATS[node_format])
    return _core.tree_refit(layout, positions if pose is None else pose, device=device)


def assert_same(found: dict, wanted: dict) -> None:
    """Ids equal and t within 1e-5, as promised; in fact all is equal to the bit."""
    for name in HIT_FIELDS:
        np.testing.assert_array_equal(found[name], wanted[name], err_msg=name)


def posed(positions: np.ndarray) -> np.ndarray:
    """Twisted about z and stretched; what is not finite stays so."""
    with np.errstate(invalid="ignore", over="ignore"):
        largest = np.nanmax(np.where(np.abs(positions) < 2.0**60, np.abs(positions), 0)) + 1e-30
        angle = 1.3 * positions[:, 2:] / largest
        x, y, z = positions.T[:, :, None]
        turned = [x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle)]
        return np.concatenate([*turned, z * 1.5], 1).astype(F)


@pytest.mark.parametrize("node_format", FORMATS)
@pytest.mark.parametrize("name", MESHES)
def test_refit_tree_fresh_tree_and_no_tree_give_the_same_hits(device, name, node_format):
    positions, indices = MESHES[name]
    pose = posed(positions)
    origins, directions = rays_about(pose, RAYS)
    refit = built(device, positions, indices, node_format, pose)
    fresh = built(device, pose, indices, node_format)
    wanted = trace(device, refit, pose, origins, directions, BRUTE)
    for layout in (refit, fresh):
        for way in WAYS.values():
            assert_same(trace(device, layout, pose, origins, directions, way), wanted)
            hidden = trace(device, layout, pose, origins, directions, OCCLUDED | way)
            np.testing.assert_array_equal(hidden, np.isfinite(wanted["t"]))
    if name in ("grid", "plant", "flat", "tiny", "huge", "shifted", "broken", "zeros"):
        assert np.isfinite(wanted["t"]).mean() > 0.1
    if name in ("line", "point", "all broken", "0 triangles"):
        assert not np.isfinite(wanted["t"]).any()


def test_a_tree_with_one_box_too_small_loses_hits(device):
    positions, indices = MESHES["grid"]
    layout = built(device, positions, indices)
    origins, directions = rays_about(positions, 20_000)
    wanted = trace(device, layout, positions, origins, directions, BRUTE)
    node = layout["nodes"].shape[0] // 2
    layout["nodes"][node, 0, :2] = 30000 | 30001 << 16
    found = trace(device, layout, positions, origins, directions)
    lost = np.isfinite(wanted["t"]) & ~np.isfinite(found["t"])
    assert 0 < lost.sum() < 1000


def reference_hits(positions, indices, origins, directions):
    """Moeller and Trumbore 1997 in float64: t, primitive and how far the hit is from an edge."""
    a, b, c = positions[indices].astype(float).transpose(1, 0, 2)
    best = np.full(len(origins), np.inf)
    primitive = np.full(len(origins), -1)
    margin = np.full(len(origins), np.inf)
    for row, (o, d) in enumerate(zip(origins.astype(float), directions.astype(float), strict=True)):
        with np.errstate(divide="ignore", invalid="ignore"):
            p = np.cross(d, c - a)
            inverse = 1 / np.einsum("ij,ij->i", b - a, p)
            u = np.einsum("ij,ij->i", o - a, p) * inverse
            q = np.cross(o - a, b - a)
            v = (q @ d) * inverse
            t = np.einsum("ij,ij->i", c - a, q) * inverse
            inside = np.minimum(np.minimum(u, v), 1 - u - v)
        inside = np.where(np.isfinite(t) & (t >= 0), inside, -1)
        t = np.where(inside >= 0, t, np.inf)
        primitive[row], best[row] = np.argmin(t), t.min()
        margin[row] = np.abs(inside).min()
    return best, np.where(np.isfinite(best), primitive, -1), margin


@pytest.mark.parametrize("name", ["grid", "plant", "huge"])
def test_hits_are_those_of_float64(device, name):
    positions, indices = MESHES[name]
    origins, directions = rays_about(positions, 3000, seed=4)
    found = trace(device, built(device, positions, indices), positions, origins, directions)
    t, primitive, margin = reference_hits(positions, indices, origins, directions)
    sure = margin > 1e-4
    assert sure.mean() > 0.8
    np.testing.assert_array_equal(found["primitive"][sure], primitive[sure])
    hit = sure & np.isfinite(t)
    np.testing.assert_allclose(found["t"][hit], t[hit], rtol=1e-5)
    corners = positions[indices[found["primitive"][hit]]].astype(float)
    u, v = found["u"][hit, None].astype(float), found["v"][hit, None].astype(float)
    point = corners[:, 0] * (1 - u - v) + corners[:, 1] * u + corners[:, 2] * v
    wanted = origins[hit] + t[hit, None] * directions[hit].astype(float)
    np.testing.assert_allclose(point, wanted, atol=1e-5 * np.abs(positions).max())


# ---- watertight ----


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("node_format", FORMATS)
@pytest.mark.parametrize("scale", [1, 1e-25, 1e18])
def test_no_ray_slips_between_triangles(device, scale, node_format, way):
    positions, indices = sphere(24, seed=7)
    positions = (positions / np.abs(positions).max() * F(scale)).astype(F)
    layout = built(device, positions, indices, node_format)
    rng = np.random.default_rng(1)
    edges = np.concatenate([indices[:, [0, 1]], indices[:, [1, 2]], indices[:, [2, 0]]])
    weights = rng.random((len(edges), 1)).astype(F)
    on_edges = positions[edges[:, 0]] * weights + positions[edges[:, 1]] * (1 - weights)
    targets = np.concatenate([positions, on_edges, on_edges * F(0.5)])
    for _ in range(12):
        origin = (rng.standard_normal(3) * 0.1 * scale).astype(F)
        directions = targets - origin
        origins = np.broadcast_to(origin, directions.shape)
        found = trace(device, layout, positions, origins, directions, WAYS[way])
        assert np.isfinite(found["t"]).all()
        # from beyond, backwards: the ray comes in and goes out
        far = origin + directions * F(4)
        back = trace(device, layout, positions, far, -directions, WAYS[way])
        assert np.isfinite(back["t"]).all()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("node_format", FORMATS)
def test_rays_along_axes(device, node_format, way):
    """Components that are 0 or -0, along planes of boxes and of the grid's cells."""
    side = 16
    positions, indices = grid(side)
    positions[:, 2] = 0
    layout = built(device, positions, indices, node_format)
    lines = np.linspace(-1, 1, side + 1).astype(F)
    x, y = (a.ravel() for a in np.meshgrid(lines, lines))
    for zero in (0.0, -0.0):
        for z in (3, -3):
            origins = np.stack([x, y, np.full_like(x, z)], 1)
            down = np.broadcast_to(np.array([zero, zero, -z / 2], F), origins.shape)
            found = trace(device, layout, positions, origins, down, WAYS[way])
            np.testing.assert_allclose(found["t"], 2, rtol=1e-6)
            assert_same(found, trace(device, layout, positions, origins, down, BRUTE))
        # in the plane of all triangles: seen from their edges, nothing is hit
        flat = np.stack([np.full_like(x, -5), y, np.zeros_like(x)], 1)
        along = np.broadcast_to(np.array([1, zero, zero], F), flat.shape)
        assert not np.isfinite(trace(device, layout, positions, flat, along, WAYS[way])["t"]).any()
    walls = positions[:, [2, 0, 1]]
    layout = built(device, walls, indices, node_format)
    origins = np.stack([np.full_like(x, -2), x, y], 1)
    along = np.broadcast_to(np.array([1, 0, -0.0], F), origins.shape)
    found = trace(device, layout, walls, origins, along, WAYS[way])
    np.testing.assert_allclose(found["t"], 2, rtol=1e-6)


# ---- bounds, lengths, bad rays, ties ----


@pytest.mark.parametrize("way", WAYS)
def test_t_is_in_lengths_of_the_direction(device, way):
    positions, indices = MESHES["plant"]
    layout = built(device, positions, indices)
    origins, directions = rays_about(positions, 5000)
    once = trace(device, layout, positions, origins, directions, WAYS[way])
    for factor in (2.0**-60, 0.25, 8, 2.0**40):
        other = trace(device, layout, positions, origins, directions * F(factor), WAYS[way])
        np.testing.assert_array_equal(other["primitive"], once["primitive"])
        np.testing.assert_array_equal(other["t"], once["t"] / F(factor))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("t_min", "t_max"), [(0.3, 0.8), (0.5, np.inf), (0, 0.2), (2, 1), (-2, 0)])
def test_hits_lie_in_bounds(device, way, t_min, t_max):
    positions, indices = MESHES["plant"]
    layout = built(device, positions, indices)
    origins, directions = rays_about(positions, 20_000)
    found = trace(device, layout, positions, origins, directions, WAYS[way], t_min, t_max)
    assert_same(found, trace(device, layout, positions, origins, directions, BRUTE, t_min, t_max))
    hit = np.isfinite(found["t"])
    assert ((found["t"][hit] >= t_min) & (found["t"][hit] <= t_max)).all()
    assert hit.any() == (t_min < t_max)
    either = OCCLUDED | WAYS[way]
    hidden = trace(device, layout, positions, origins, directions, either, t_min, t_max)
    np.testing.assert_array_equal(hidden, hit)
    # a bound that is the hit's own t keeps it
    row = int(np.argmax(hit))
    if hit.any():
        t = float(found["t"][row])
        one = origins[row : row + 1], directions[row : row + 1]
        assert trace(device, layout, positions, *one, WAYS[way], t, t)["t"][0] == t


@pytest.mark.parametrize("way", [*WAYS.values(), BRUTE])
def test_rays_without_a_way_miss(device, way):
    positions, indices = MESHES["grid"]
    layout = built(device, positions, indices)
    bad = [np.nan, np.inf, -np.inf]
    origins, directions = [], []
    for axis in range(3):
        for value in bad:
            for rows in (origins, directions):
                origins.append([0.1, 0.1, 2])
                directions.append([0, 0, -1])
                rows[-1] = list(rows[-1])
                rows[-1][axis] = value
    origins += [[0.1, 0.1, 2]] * 2
    directions += [[0, 0, 0], [-0.0, 0, -0.0]]
    found = trace(device, layout, positions, np.array(origins, F), np.array(directions, F), way)
    assert np.isinf(found["t"]).all()
    assert (found["instance"] == -1).all() and (found["primitive"] == -1).all()
    assert not found["u"].any() and not found["v"].any()
    good = trace(device, layout, positions, np.array([[0.1, 0.1, 2]], F), np.array([[0, 0, -1]], F))
    assert np.isfinite(good["t"]).all()


@pytest.mark.parametrize("way", WAYS)
def test_the_lower_primitive_wins_a_tie(device, way):
    positions, indices = plant(40)
    copies = np.concatenate([indices[::-1], indices, indices])
    origins, directions = rays_about(positions, 20_000)
    layout = built(device, positions, copies)
    found = trace(device, layout, positions, origins, directions, WAYS[way])
    assert np.isfinite(found["t"]).sum() > 1000
    assert found["primitive"].max() < len(indices)
    assert_same(found, trace(device, layout, positions, origins, directions, BRUTE))


def test_trees_of_any_shape_and_any_number_of_threads(device):
    positions, indices = MESHES["plant"]
    origins, directions = rays_about(positions, 20_000)
    first = trace(device, built(device, positions, indices), positions, origins, directions)
    with _core_device(threads=1) as single:
        for seed in range(3):
            layout = _core.tree_refit(plain_tree(indices, seed=seed), positions)
            assert_same(trace(single, layout, positions, origins, directions), first)


# ---- instances ----


def placed(count: int, seed: int = 3, kinds: int = 2):
    """Meshes of instances and their matrices (count, 3, 4) to the world, in float64."""
    rng = np.random.default_rng(seed)
    matrices = np.concatenate(
        [rng.standard_normal((count, 3, 3)) * 0.4, 3 * rng.standard_normal((count, 3, 1))], -1
    )
    return rng.integers(0, kinds, count).astype(np.int32), matrices


def to_objects(matrices: np.ndarray) -> np.ndarray:
    inverse = np.linalg.inv(matrices[:, :, :3])
    moved = -inverse @ matrices[:, :, 3:]
    return np.concatenate([inverse, moved], -1).reshape(-1, 12).astype(F)


def instance_boxes(layouts, rows, matrices) -> np.ndarray:
    """Boxes around the meshes' root boxes in the world, a little wider."""
    boxes = np.zeros((len(rows), 6), F)
    for i, (row, m) in enumerate(zip(rows, matrices, strict=True)):
        low, high = np.array(layouts[row]["box"]).reshape(2, 3)
        centre = m[:, :3] @ ((low + high) / 2) + m[:, 3]
        half = np.abs(m[:, :3]) @ ((high - low) / 2) * (1 + 1e-5) + 1e-6
        boxes[i] = [*(centre - half), *(centre + half)]
    return boxes


def two_levels(device, count: int, node_format="f32"):
    """What tree_trace takes for a scene of a grid and a plant."""
    pairs = []
    for name in ("grid", "plant"):
        positions, indices = MESHES[name]
        pairs.append((built(device, positions, indices), positions))
    rows, matrices = placed(count)
    boxes = instance_boxes([layout for layout, _ in pairs], rows, matrices)
    top = _core.tree_build(device, boxes, None, node_format=FORMATS[node_format])
    return tuple(pairs), rows, to_objects(matrices), (_core.tree_refit(top, boxes), boxes)


@pytest.mark.parametrize("node_format", FORMATS)
@pytest.mark.parametrize(("count", "way"), [(0, "wide"), (1, "wide"), (2, "binary"), (60, "wide")])
def test_two_levels_find_what_no_tree_finds(device, count, way, node_format):
    scene = two_levels(device, count, node_format)
    rng = np.random.default_rng(2)
    origins = (rng.standard_normal((5000, 3)) * 4).astype(F)
    directions = rng.standard_normal((5000, 3)).astype(F)
    wanted = _core.tree_trace(device, *scene, origins, directions, 0, np.inf, BRUTE)[0]
    found = _core.tree_trace(device, *scene, origins, directions, 0, np.inf, WAYS[way])[0]
    for i, name in enumerate(HIT_FIELDS):
        np.testing.assert_array_equal(found[i], wanted[i], err_msg=name)
    assert np.isfinite(found[0]).any() == (count > 0)
    if count == 60:
        assert len(np.unique(found[1])) > 30
        assert found[5].mean() < 60
    hidden = _core.tree_trace(
        device, *scene, origins, directions, 0, np.inf, OCCLUDED | WAYS[way]
    )[0][0]
    np.testing.assert_array_equal(hidden, np.isfinite(wanted[0]))


def test_the_lower_instance_wins_a_tie(device):
    positions, indices = MESHES["plant"]
    pair = (built(device, positions, indices), positions)
    rows = np.zeros(5, np.int32)
    boxes = np.tile(np.array(pair[0]["box"], F), (5, 1))
    top = _core.tree_refit(_core.tree_build(device, boxes, None), boxes)
    origins, directions = rays_about(positions, 5000)
    found = _core.tree_trace(
        device, (pair,), rows, np.tile(EYE, (5, 1)), (top, boxes), origins, directions, 0, np.inf,
        BINARY,
    )[0]  # fmt: skip
    hit = np.isfinite(found[0])
    assert hit.any() and (found[1][hit] == 0).all()


def test_a_singular_instance_is_missed(device):
    positions, indices = MESHES["plant"]
    pair = (built(device, positions, indices), positions)
    origins, directions = rays_about(positions, 100)
    for value in (0, np.nan, np.inf):
        matrix = np.full((1, 12), value, F)
        args = (pair,), np.zeros(1, np.int32), matrix, None, origins, directions, 0, np.inf, BINARY
        assert not np.isfinite(_core.tree_trace(device, *args)[0][0]).any()
