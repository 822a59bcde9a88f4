# SPDX-License-Identifier: MIT
"""A rendered picture and what it took to draw it."""

from __future__ import annotations

import dataclasses
import html
import os
from typing import Any

import numpy as np

from .io.png import encode_png

__all__ = ["Frame", "FrameStats", "ListStats", "ParticleStats", "TerrainStats"]


@dataclasses.dataclass(frozen=True)
class ListStats:
    """One list of a forest: what one LOD of one variant drew.

    Attributes
    ----------
    forest, variant, lod : int
    kind : str
        "solid" or "fading".
    instances, triangles : int
    """

    forest: int
    variant: int
    lod: int
    kind: str
    instances: int
    triangles: int


@dataclasses.dataclass(frozen=True)
class ParticleStats:
    """One layer of particles: one draw call.

    Attributes
    ----------
    source : int
        Which of the scene's particle managers, from 0.
    layer : int
    name : str
        Of its style.
    drawn : int
        Particles.
    """

    source: int
    layer: int
    name: str
    drawn: int


@dataclasses.dataclass(frozen=True)
class TerrainStats:
    """What one terrain drew, by one draw call.

    Attributes
    ----------
    patches : int
        Nodes of its quadtree.
    triangles : int
    shadow_patches : int
        In the sun's map.
    """

    patches: int
    triangles: int
    shadow_patches: int


@dataclasses.dataclass(frozen=True)
class FrameStats:
    """What a frame drew.

    Attributes
    ----------
    draw_calls : int
        In the picture itself; they do not grow with the number of instances.
    shadow_draw_calls : int
    instances, triangles : int
        Drawn: instances of objects and forests; triangles of terrains, too.
    lists : tuple of ListStats
        Of every forest, empty lists left out.
    culled : dict of str to int
        Trees that were not drawn, and why: "outside" the view, "faded" out; and "crossfading" ones,
        which are drawn by two LODs.
    notes : tuple of str
        What the picture does not show as it should, and why.
    milliseconds : dict of str to float
        By pass, on the device's clock; of the last sub-frame.
    particles : tuple of ParticleStats
        Of every layer of particles that is in use, one draw call each.
    terrains : tuple of TerrainStats
        Of every terrain, one draw call each.
    """

    draw_calls: int
    shadow_draw_calls: int
    instances: int
    triangles: int
    lists: tuple[ListStats, ...]
    culled: dict[str, int]
    notes: tuple[str, ...]
    milliseconds: dict[str, float]
    particles: tuple[ParticleStats, ...] = ()
    terrains: tuple[TerrainStats, ...] = ()

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{one.forest}</td><td>{one.variant}</td><td>{one.lod}</td><td>{one.kind}</td>"
            f"<td>{one.instances:,}</td><td>{one.triangles:,}</td></tr>"
            for one in self.lists
        )
        layers = "".join(
            f"<tr><td>{one.source}</td><td>{one.layer}</td><td>{html.escape(one.name)}</td>"
            f"<td>{one.drawn:,}</td></tr>"
            for one in self.particles
        )
        if layers:
            layers = (
                "<table><tr><th>particles</th><th>layer</th><th>name</th><th>drawn</th></tr>"
                f"{layers}</table>"
            )
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        passes = ", ".join(f"{name} {ms:.3f}" for name, ms in self.milliseconds.items())
        return (
            f"<p>{self.draw_calls} draw calls, {self.instances:,} instances, {self.triangles:,} "
            f"triangles; ms: {passes}</p>{notes}<table><tr><th>forest</th><th>variant</th>"
            f"<th>LOD</th><th>list</th><th>instances</th><th>triangles</th></tr>{rows}</table>"
            f"{layers}"
        )


@dataclasses.dataclass(frozen=True)
class IdRange:
    """Numbers of `Frame.ids` that belong to one thing: from first up to, not including, end."""

    first: int
    end: int
    thing: Any
    ids: np.ndarray | None  # of trees by row; None: places of an object


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Frame:
    """A rendered picture.

    Attributes
    ----------
    color : (H, W, 4) uint8
        sRGB with straight alpha: 255 where there is a sky, else the share that objects cover.
    depth : (H, W) float32
        Metres along the line of sight of the pixel's first sample; infinite where nothing is.
    ids : (H, W) uint32
        What the pixel's first sample shows: 0 nothing; `what` tells what another number is.
        Blended surfaces are looked through, by `depth` too.
    stats : FrameStats
    """

    color: np.ndarray
    depth: np.ndarray
    ids: np.ndarray
    stats: FrameStats
    ranges: tuple[IdRange, ...] = ()

    def what(self, number: int) -> tuple[Any, int] | None:
        """What a number of `ids` stands for.

        Returns
        -------
        (thing, id) or None
            A forest and a tree's id, a SceneObject and the place among its transforms, a Terrain
            and 0, or where its ids are shown, the material; None for 0.
        """
        for one in self.ranges:
            if one.first <= number < one.end:
                at = int(number) - one.first
                return one.thing, at if one.ids is None else int(one.ids[at])
        return None

    def pick(self, x: int, y: int) -> tuple[Any, int] | None:
        """What the pixel in column x and row y shows, as `what` tells it.

        Raises
        ------
        IndexError
            There is no such pixel.
        """
        height, width = self.ids.shape
        if not (0 <= x < width and 0 <= y < height):
            raise IndexError(f"the picture has {width} x {height} pixels, none at {x}, {y}")
        return self.what(int(self.ids[y, x]))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture, in the format of the path's suffix, such as .png."""
        if os.fspath(path).lower().endswith(".png"):
            from .io.files import atomic_file, write_all

            with atomic_file(path) as file:
                write_all(file, encode_png(self.color))
            return
        from .io import write_image

        write_image(path, self.color, color_space="srgb")

    def _repr_png_(self) -> bytes:
        return encode_png(self.color)

    def __repr__(self) -> str:
        height, width = self.color.shape[:2]
        return (
            f"Frame({width} x {height}, {self.stats.draw_calls} draw calls, "
            f"{self.stats.triangles:,} triangles)"
        )
