# SPDX-License-Identifier: MIT
"""Pictures whose pixels are known: unlit quads in front of a camera without perspective."""

from __future__ import annotations

import dapplewood as dw
import numpy as np

RED, GREEN, BLUE = (0.5, 0.0, 0.0, 1.0), (0.0, 0.5, 0.0, 1.0), (0.0, 0.0, 0.5, 1.0)
FRAME = 1 / 60


def quad(half: float = 50.0, *, at=(0.0, 0.0, 0.0), color=(1.0, 1.0, 1.0, 1.0), uv: float = 1.0,
         **material) -> dw.Mesh:  # fmt: skip
    """A square that faces +z. Texture coordinates run from 0 to `uv`, v downwards."""
    corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], np.float32) * half
    material.setdefault("unlit", True)
    return dw.Mesh(
        corners + np.array(at, np.float32),
        np.array([[0, 1, 2], [0, 2, 3]], np.uint32),
        uvs=np.array([[0, 1], [1, 1], [1, 0], [0, 0]], np.float32) * uv,
        material=dw.Material(base_color=color, **material),
    )


def front(distance: float = 10.0, *, height: float = 4.0) -> dw.OrthoCamera:
    """Looks along -z, from so far in front of the origin."""
    return dw.OrthoCamera((0, 0, distance), (0, 0, 0), height=height, near=0.5, far=500.0)


def scene_of(*things) -> dw.Scene:
    """Neither sky nor shadows: alpha is what is covered."""
    scene = dw.Scene()
    scene.sky = None
    scene.sun.shadows = False
    for thing in things:
        scene.add(thing)
    return scene


def covered(frame: dw.Frame) -> np.ndarray:
    """(H, W) bool: the pixels that something covers; a picture of one sample says so thrice."""
    alpha, there = frame.color[..., 3], frame.ids > 0
    assert set(np.unique(alpha)) <= {0, 255}
    assert ((alpha == 255) == there).all()
    assert (np.isfinite(frame.depth) == there).all()
    return there


def shows(frame: dw.Frame, channel: int) -> np.ndarray:
    """(H, W) bool: the pixels of red (0), green (1) or blue (2)."""
    others = [c for c in range(3) if c != channel]
    found = frame.color[..., channel] > 100
    assert (frame.color[..., others][found] < 20).all()
    return found


def bayer(bits: int, height: int, width: int) -> np.ndarray:
    """Ranks by the doubling of a matrix, as ordered dither is told in books."""
    ranks = np.zeros((1, 1), int)
    for _ in range(bits):
        ranks = np.block([[4 * ranks, 4 * ranks + 2], [4 * ranks + 3, 4 * ranks + 1]])
    size = len(ranks)
    return np.tile(ranks, (height // size + 1, width // size + 1))[:height, :width]


def ids_of(frame: dw.Frame) -> dict[int, int]:
    """How many pixels each tree has, by its id."""
    numbers, counts = np.unique(frame.ids[frame.ids > 0], return_counts=True)
    return {frame.what(int(n))[1]: int(c) for n, c in zip(numbers, counts, strict=True)}


def light_of(color: np.ndarray) -> np.ndarray:
    """Linear light of sRGB bytes; under a sky, of those below 0.6, from where on they are toned."""
    code = color[..., :3] / 255.0
    return np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4)


class Studio:
    """Renderers and forests of one test, closed behind it."""

    def __init__(self, device: dw.Device):
        self.device = device
        self._renderers: dict = {}
        self._things: list = []

    def renderer(self, size=(64, 64), **options) -> dw.Renderer:
        key = size, tuple(sorted(options.items()))
        if key not in self._renderers:
            self._renderers[key] = dw.Renderer(size, device=self.device, **options)
        return self._renderers[key]

    def forest(self, lods, *, distances=(), fade=None, wind=0.0, **options) -> dw.Forest:
        forest = dw.Forest(lods, distances=distances, fade=fade, wind=wind, **options)
        self._things.append(forest)
        return forest

    def render(self, scene, camera=None, *, size=(64, 64), time=0.0, **options) -> dw.Frame:
        camera = front() if camera is None else camera
        return self.renderer(size, **options).render(scene, camera, time=time)

    def close(self) -> None:
        for thing in [*self._renderers.values(), *self._things]:
            thing.close()
