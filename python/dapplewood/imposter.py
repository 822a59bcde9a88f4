# SPDX-License-Identifier: MIT
"""Cards that stand for whole trees far away: several views in one atlas, turned to the camera."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Sequence

import numpy as np

from . import _core
from .atlas import bake_atlas
from .camera import OrthoCamera
from .checks import check_count
from .device import Device, default_device, default_vulkan_device
from .materials import Material, MaterialTexture
from .mesh import Mesh
from .renderer import Renderer
from .scene import Scene
from .tiles import TileGrid

__all__ = ["bake_imposter"]

_SUPER = 6  # pixels drawn for a texel, along each side
_LEAST_TEXELS, _MOST_TEXELS, _MOST_VIEWS = 16, 1024, 64
_KNEE = _core.CONSTANTS["SCENE_TONE_KNEE"]  # light that the renderer's tone curve leaves as it is


def _light_of(color: np.ndarray) -> np.ndarray:
    """Linear light of a frame's colours, the tone curve undone."""
    codes = np.arange(256) / 255.0
    light = np.where(codes <= 0.04045, codes / 12.92, ((codes + 0.055) / 1.055) ** 2.4)
    over = np.clip((light - _KNEE) / (1.0 - _KNEE), 0.0, 0.98)
    return np.where(light > _KNEE, _KNEE + (1.0 - _KNEE) * over / (1.0 - over), light)[color]


def _codes_of(light: np.ndarray) -> np.ndarray:
    light = np.clip(light, 0.0, 1.0)
    power = 1.055 * np.power(np.maximum(light, 0.0031308), 1.0 / 2.4) - 0.055
    return np.where(light <= 0.0031308, 12.92 * light, power)


def _plain(meshes: Sequence[Mesh]) -> list[Mesh]:
    """As they are, without light."""
    return [
        mesh.replace(material=mesh.material.replace(unlit=True, normal_texture=None))
        for mesh in meshes
    ]


def _whitened(texture: MaterialTexture) -> MaterialTexture:
    levels = [level.copy() for level in texture.levels]
    for level in levels:
        level[..., :3] = 255
    return dataclasses.replace(texture, levels=tuple(levels), color_space="linear")


def _showing_normals(meshes: Sequence[Mesh]) -> list[Mesh]:
    """Coloured by normals: half of x, y, z above a half."""
    found = []
    for mesh in meshes:
        colors = np.full((len(mesh.positions), 4), 255, np.uint8)
        if mesh.colors is not None:
            colors[:, 3] = mesh.colors[:, 3]
        colors[:, :3] = np.rint(127.5 * (np.asarray(mesh.normals) + 1.0))
        material, texture = mesh.material, mesh.material.base_color_texture
        if texture is not None:
            texture = _whitened(texture) if material.alpha_mode != "opaque" else None
        material = material.replace(
            unlit=True, normal_texture=None, base_color_texture=texture, emissive=(0, 0, 0),
            base_color=(1.0, 1.0, 1.0, material.base_color[3]),
        )  # fmt: skip
        found.append(mesh.replace(material=material, colors=colors))
    return found


@dataclasses.dataclass(frozen=True)
class _Box:
    """What a view shows: so far to each side of the y axis, from y0 to y1."""

    reach: float
    y0: float
    y1: float

    def picture(self, renderer: Renderer, meshes: list[Mesh], azimuth: float) -> np.ndarray:
        """(side, side, 4) uint8, stretched to a square."""
        height = self.y1 - self.y0
        c, s = math.cos(azimuth), math.sin(azimuth)
        matrix = np.eye(4)
        # What stands at the azimuth comes to the front, and the width becomes the height.
        matrix[0, (0, 2)] = 0.5 * height / self.reach * np.array([c, -s])
        matrix[2, (0, 2)] = s, c
        matrix[1, 3] = -0.5 * (self.y0 + self.y1)
        scene = Scene()
        scene.sky, scene.wind, scene.sun.shadows = None, (0.0, 0.0), False
        scene.add(meshes, matrix)
        away = 2.0 * self.reach + height
        camera = OrthoCamera(
            (0.0, 0.0, away), (0.0, 0.0, 0.0), height=height, near=1e-3 * away, far=2.0 * away
        )
        return renderer.render(scene, camera).color


def _box_of(meshes: list[Mesh], azimuths: np.ndarray, device: Device) -> _Box:
    """The least box around what the views show: alpha makes trees smaller than their meshes."""
    used = np.concatenate([mesh.positions[np.unique(mesh.indices)] for mesh in meshes])
    used = used.astype(np.float64)
    box = _Box(
        float(np.hypot(used[:, 0], used[:, 2]).max()), float(used[:, 1].min()),
        float(used[:, 1].max()),
    )  # fmt: skip
    if not (box.reach > 0.0 and box.y1 > box.y0):
        raise ValueError("meshes have no width or no height, so there is nothing to see")
    side = 192
    with Renderer((side, side), device=device) as renderer:
        seen = np.zeros((side, side), bool)
        for azimuth in azimuths:
            seen |= box.picture(renderer, meshes, azimuth)[..., 3] > 0
    rows, columns = np.flatnonzero(seen.any(axis=1)), np.flatnonzero(seen.any(axis=0))
    if not rows.size:
        raise ValueError("meshes show nothing from any side: is all of them cut out?")
    # A pixel more on each side, for what falls between their centres.
    reach = max(abs(columns[0] - 1 - side / 2), abs(columns[-1] + 2 - side / 2)) * 2.0 / side
    step = (box.y1 - box.y0) / side
    return _Box(
        box.reach * min(reach, 1.0), max(box.y0, box.y1 - (rows[-1] + 2) * step),
        min(box.y1, box.y1 - (rows[0] - 1) * step),
    )  # fmt: skip


def _mean_light(
    meshes: list[Mesh], box: _Box, azimuths: np.ndarray, shadows: bool, renderer: Renderer
) -> np.ndarray:
    """(3,) mean light of what is covered, from all sides, in the sun from four sides."""
    middle = 0.5 * (box.y0 + box.y1)
    height = 1.02 * max(box.y1 - box.y0, 2.0 * box.reach)
    total, weight = np.zeros(3), 0.0
    scene = Scene()
    scene.sky, scene.wind, scene.sun.shadows = None, (0.0, 0.0), shadows
    scene.sun.shadow_distance = 1000.0 * height
    scene.add(meshes)
    for i, azimuth in enumerate(azimuths):
        turn = azimuth + np.pi * (0.25 + 0.5 * (i % 4))
        scene.sun.direction = (math.sin(turn), 0.9, math.cos(turn))
        out = np.array([math.sin(azimuth), 0.0, math.cos(azimuth)])
        camera = OrthoCamera(2.0 * height * out + (0.0, middle, 0.0), (0.0, middle, 0.0),
                             height=height, far=5.0 * height)  # fmt: skip
        color = renderer.render(scene, camera).color
        alpha = color[..., 3:] / 255.0
        total += (_light_of(color[..., :3]) * alpha).sum(axis=(0, 1))
        weight += float(alpha.sum())
    return total / max(weight, 1e-9)


def _gain(
    tree: list[Mesh], card: Mesh, box: _Box, azimuths: np.ndarray, self_shadow: float,
    device: Device,
) -> np.ndarray:  # fmt: skip
    """(3,) factors that give the card, lit as one, the mean colour of the tree."""
    turns = np.resize(azimuths, max(8, len(azimuths)))
    with Renderer((96, 96), cutout="dither", device=device) as renderer:
        wanted = _mean_light(tree, box, turns, False, renderer)
        if self_shadow > 0.0:
            shaded = _mean_light(tree, box, turns, True, renderer)
            wanted = wanted + self_shadow * (shaded - wanted)
        found = _mean_light([card], box, turns, False, renderer)
    return np.where(found > 1e-4, wanted / np.maximum(found, 1e-4), 1.0)


def _shrunk(values: np.ndarray) -> np.ndarray:
    side = len(values) // _SUPER
    return values.reshape(side, _SUPER, side, _SUPER, -1).mean(axis=(1, 3))


def _views_of(
    box: _Box, meshes: list[Mesh], azimuths: np.ndarray, content: int, device: Device
) -> tuple[np.ndarray, np.ndarray]:
    """(views, content, content, 3) values and (views, content, content) alpha."""
    values, alphas = [], []
    size = (content * _SUPER, content * _SUPER)
    with Renderer(size, device=device) as renderer:
        for azimuth in azimuths:
            color = box.picture(renderer, meshes, azimuth)
            weight = color[..., 3:] / 255.0
            alpha = _shrunk(weight)
            values.append(_shrunk(_light_of(color[..., :3]) * weight) / np.maximum(alpha, 1e-9))
            alphas.append(alpha[..., 0])
    return np.array(values), np.array(alphas)


def _turned_normals(values: np.ndarray, azimuths: np.ndarray) -> np.ndarray:
    """Normals of the views: x to the right, y up, z to the camera; coded from 0 to 1."""
    found = []
    for view, azimuth in zip(2.0 * values - 1.0, azimuths, strict=True):
        c, s = math.cos(azimuth), math.sin(azimuth)
        turned = view @ np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
        size = np.linalg.norm(turned, axis=-1, keepdims=True)
        turned = np.where(size > 1e-6, turned / np.maximum(size, 1e-6), (0.0, 0.0, 1.0))
        found.append(0.5 * turned + 0.5)
    return np.array(found)


def _sheet(values: np.ndarray, alphas: np.ndarray, gutter: int) -> np.ndarray:
    """All views side by side, each within its gutter, as 16-bit codes."""
    codes = np.rint(65535.0 * np.concatenate([values, alphas[..., None]], axis=-1))
    room = ((0, 0), (gutter, gutter), (gutter, gutter), (0, 0))
    return np.concatenate(list(np.pad(codes.astype(np.uint16), room)), axis=1)


def _texture(
    values: np.ndarray, alphas: np.ndarray, gutter: int, color_space: str, cutoff: float, name: str
) -> MaterialTexture:
    device = default_device()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the gutters are empty
        baked = bake_atlas(
            _sheet(values, alphas, gutter), tiles=TileGrid(len(values), 1, gutter=gutter),
            color_space=color_space, cutoffs=(cutoff,), start_level=0,
            target_coverage=np.clip(alphas.mean(axis=(1, 2)), 1e-4, 1.0)[:, None], device=device,
        )  # fmt: skip
    return MaterialTexture.from_atlas(baked, name=name)


def _color_texture(
    light: np.ndarray, alphas: np.ndarray, gutter: int, cutoff: float, name: str
) -> MaterialTexture:
    return _texture(_codes_of(light), alphas, gutter, "srgb", cutoff, name)


def _mean_over_area(meshes: Sequence[Mesh], name: str) -> float:
    """A number of the materials, weighted by the area of their triangles."""
    areas = []
    for mesh in meshes:
        a, b, c = (mesh.positions[mesh.indices[:, i]].astype(np.float64) for i in range(3))
        areas.append(0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()))
    values = [getattr(mesh.material, name) for mesh in meshes]
    return float(np.average(values, weights=np.maximum(areas, 1e-12)))


def bake_imposter(
    meshes: Mesh | Sequence[Mesh],
    *,
    views: int = 8,
    texels: int = 128,
    cutoff: float = 0.5,
    self_shadow: float = 0.0,
    name: str = "imposter",
    device: Device | None = None,
) -> Mesh:
    """Draw a tree from several sides into one atlas, and give a card that shows it.

    The card turns about the y axis to face the camera and shows the view next to it: two triangles
    in place of thousands, for the last LOD of a `Forest`. Its texture holds colours without light
    and its normal map the tree's normals, so that sun and sky light it as they light the tree. The
    chain of the texture keeps, for the alpha test and for alpha to coverage, what the tree covers
    in each view.

    Parameters
    ----------
    meshes : Mesh or sequence of Mesh
        The finest LOD, standing on the origin.
    views : int
        Angles around the y axis, 1 to 64; view v is seen from (sin a, 0, cos a) with
        a = 2 pi v / views.
    texels : int
        Along each side of a view, 16 to 1024, the gutter included; a power of two gives the
        cleanest levels. Beyond the distance at which the tree is that many pixels high nothing is
        lost.
    cutoff : float
        Alpha-test reference of the card's material.
    self_shadow : float
        0: the card is as bright as the tree is beyond the sun's `shadow_distance`, without shadow;
        1: as bright, on average, as the tree is in its own shadow, for cards seen within that
        distance.
    name : str
        Of the mesh and its material.
    device : Device, optional
        A Vulkan device that draws; by default the best one, a software one if need be.

    Returns
    -------
    Mesh
        A quad as wide and high as what is seen of the tree.

    Raises
    ------
    TypeError, ValueError
        An argument that cannot be meant, or meshes that show nothing.
    DeviceNotFound
        There is no Vulkan device.

    Examples
    --------
    >>> lods = dw.samples.tree("oak")
    >>> forest = dw.Forest([*lods, dw.bake_imposter(lods[0])], distances=(40, 80, 160))
    """
    parts = [meshes] if isinstance(meshes, Mesh) else list(meshes)
    if not parts or not all(isinstance(mesh, Mesh) for mesh in parts):
        raise TypeError("meshes must be a Mesh or a sequence of them, the finest LOD of a tree")
    if check_count(views, "views", 1) > _MOST_VIEWS:
        raise ValueError(f"views must be 1 to {_MOST_VIEWS}, got {views}")
    if not _LEAST_TEXELS <= check_count(texels, "texels", 1) <= _MOST_TEXELS:
        raise ValueError(f"texels must be {_LEAST_TEXELS} to {_MOST_TEXELS}, got {texels}")
    if views * texels > 16384:
        raise ValueError(f"views * texels must be at most 16384, got {views * texels}")
    self_shadow = float(self_shadow)
    if not 0.0 <= self_shadow <= 1.0:
        raise ValueError(f"self_shadow must lie in [0, 1], got {self_shadow!r}")
    device = default_vulkan_device() if device is None else device
    gutter = max(2, texels // 16)
    content = texels - 2 * gutter
    azimuths = 2.0 * np.pi * np.arange(views) / views
    plain = _plain(parts)
    box = _box_of(plain, azimuths, device)
    color, alphas = _views_of(box, plain, azimuths, content, device)
    normals, _ = _views_of(box, _showing_normals(parts), azimuths, content, device)
    material = Material(
        name=name,
        base_color_texture=_color_texture(color, alphas, gutter, cutoff, name),
        normal_texture=_texture(
            _turned_normals(normals, azimuths), alphas, gutter, "linear", cutoff, f"{name} normals"
        ),
        alpha_mode="mask",
        alpha_cutoff=cutoff,
        double_sided=True,
        roughness=_mean_over_area(parts, "roughness"),
        metallic=_mean_over_area(parts, "metallic"),
        translucency=_mean_over_area(parts, "translucency"),
        imposter_views=views,
    )
    low, high = gutter / texels, 1.0 - gutter / texels
    x, y0, y1 = box.reach, box.y0, box.y1
    card = Mesh(
        np.array([[-x, y0, 0], [x, y0, 0], [x, y1, 0], [-x, y1, 0]], np.float32),
        np.array([[0, 1, 2], [0, 2, 3]], np.uint32),
        normals=np.tile(np.array([0, 0, 1], np.float32), (4, 1)),
        uvs=np.array([[low, high], [high, high], [high, low], [low, low]], np.float32),
        material=material,
        name=name,
    )
    color = color * _gain(parts, card, box, azimuths, self_shadow, device)
    texture = _color_texture(color, alphas, gutter, cutoff, name)
    return card.replace(material=material.replace(base_color_texture=texture))

