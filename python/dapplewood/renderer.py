# SPDX-License-Identifier: MIT
"""The headless renderer: scenes to pictures on any Vulkan device, without a window."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import operator
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _core
from .camera import _View
from .device import Device, default_vulkan_device
from .forest import Forest
from .frame import Frame, FrameStats, IdRange, TerrainStats
from .ground import Terrain
from .layouts import record_dtype
from .materials import Material, MaterialTexture
from .mesh import Mesh
from .render_forest import ForestDraws, RankTable
from .particles import ParticleManager
from .render_particles import ParticleDraws, SpriteSet, frame_argument, layer_stats
from .render_terrain import GroundDraws
from .render_tables import (
    FLAGS,
    NONE,
    SAMPLERS,
    SHARP,
    STAGES,
    SWAY,
    Extent,
    material_flags,
    material_record,
    pack_transforms,
    pack_vertices,
    texture_levels,
)
from .render_views import ShadowFit, fit_shadow, view_records
from .scene import Scene, SceneObject, Sun

__all__ = ["CUTOUTS", "Renderer"]

CUTOUTS = ("test", "a2c", "dither")
_MOST_PIXELS = 1 << 27
_MOST_SUB_FRAMES = 256
_TICKS_PER_SECOND = _core.CONSTANTS["TICKS_PER_SECOND"]
_LATEST = 1e9  # seconds


def _bytes(records: np.ndarray) -> np.ndarray:
    """Records as rows of bytes."""
    flat = np.ascontiguousarray(records).view(np.uint8)
    return flat.reshape(len(records), records.dtype.itemsize)


def _size_of(size: Any) -> tuple[int, int]:
    try:
        width, height = (operator.index(side) for side in size)
    except (TypeError, ValueError):
        raise ValueError(
            f"size must be (width, height), two whole numbers of pixels, got {size!r}"
        ) from None
    if width < 1 or height < 1 or width * height > _MOST_PIXELS:
        raise ValueError(
            f"size must be (width, height) of 1 pixel or more and at most {_MOST_PIXELS} pixels, "
            f"got {size!r}"
        )
    return width, height


def _whole(value: Any, name: str, wanted: str, allowed: Any) -> int:
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None or number not in allowed:
        raise ValueError(f"{name} must be {wanted}, got {value!r}")
    return number


def _seconds(time: Any) -> float:
    try:
        seconds = float(time)
    except (TypeError, ValueError):
        seconds = math.nan
    if not abs(seconds) <= _LATEST:
        raise ValueError(f"time must be finite and within {_LATEST:g} s, got {time!r}")
    return seconds


class _Cache:
    """Handles of the core by the object they were made of, which they do not keep alive."""

    def __init__(self, remove: Any):
        self._remove = remove
        self._rows: dict[tuple, tuple[Any, Any]] = {}

    def get(self, thing: Any, key: tuple, make: Any) -> Any:
        row = self._rows.get((id(thing), *key))
        if row is not None and row[0]() is thing:
            return row[1]
        handle = make()
        self._rows[(id(thing), *key)] = weakref.ref(thing), handle
        return handle

    def values(self) -> list[Any]:
        return [handle for _, handle in self._rows.values()]

    def drop_dead(self) -> None:
        for key in [key for key, row in self._rows.items() if row[0]() is None]:
            self._remove(self._rows.pop(key)[1])


class _MaterialTable:
    """The materials that a renderer has met, each once, without keeping them alive."""

    def __init__(self, renderer: Renderer):
        self._renderer = weakref.proxy(renderer)  # it is the owner
        self.clear()

    def clear(self) -> None:
        """Forget all: rows begin anew."""
        self._rows: dict[tuple, tuple[Any, tuple[int, int, int]]] = {}
        self._records: list[np.ndarray] = []
        self._packed = np.zeros((0, 0), np.uint8)
        self._settled = 0  # rows after the first frame since
        self._none = Material()  # a frame of nothing but sky has a material, too
        self(self._none, Extent(np.zeros((2, 3))))

    def is_stale(self) -> bool:
        """Whether there are rows that no frame needs any more: of materials that are gone, or of
        one material in the sizes of ever new meshes. Asked between frames."""
        self._settled = self._settled or len(self._records)
        return len(self._records) > 2 * self._settled + 64 or any(
            kept() is None for kept, _ in self._rows.values()
        )

    @property
    def packed(self) -> np.ndarray:
        """All records as rows of bytes."""
        if len(self._packed) != len(self._records):
            self._packed = _bytes(np.stack(self._records))
        return self._packed

    def __call__(self, material: Material, extent: Extent) -> tuple[int, int, int]:
        """(row, base texture, normal texture) of a material."""
        key = id(material), extent.low, extent.height, extent.radius
        kept, row = self._rows.get(key, (None, (0, 0, 0)))
        if kept is not None and kept() is material:
            return row
        cutoff = material.alpha_cutoff if material.alpha_mode == "mask" else None
        base = self._renderer._texture(material.base_color_texture, cutoff)
        normal = self._renderer._texture(material.normal_texture, None)
        row = len(self._records), base, normal
        self._rows[key] = weakref.ref(material), row
        self._records.append(material_record(material, extent))
        return row


class Renderer:
    """Draws scenes into pictures of one size.

    Parameters
    ----------
    size : (width, height)
        In pixels.
    samples : {1, 2, 4, 8}
        Samples of each pixel; what the device does not offer is refused with what it does.
    cutout : {"test", "a2c", "dither"}
        How alpha cuts holes into surfaces whose material says "mask": tested against the cutoff,
        with the chain whose coverage was kept for it; as a share of a pixel's samples, chosen by
        ranks of our own, so that every device covers alike; or by comparing averaged alpha with a
        blue rank.
    temporal : int
        0 or 1: one picture. More: that many are averaged, each moved by a part of a pixel, with
        ranks that go round so that each pixel sees an even share of them.
    anisotropic : bool, optional
        Textures are filtered 8x anisotropically, where the device can, and not only trilinearly.
        None: except on a software device, where it takes most of a frame's time, and where its
        wide filter blurs also what is seen straight on.
    device : Device, optional
        A Vulkan device; by default the best one, a software one if need be.

    Raises
    ------
    ValueError
        An argument out of range.
    DeviceNotFound
        There is no Vulkan device.
    CapacityError
        The device has no images of that size.
    """

    def __init__(
        self,
        size: tuple[int, int] = (960, 540),
        *,
        samples: int = 1,
        cutout: str = "test",
        temporal: int = 0,
        anisotropic: bool | None = None,
        device: Device | None = None,
    ):
        self.size = _size_of(size)
        self.samples = _whole(samples, "samples", "1, 2, 4 or 8", (1, 2, 4, 8))
        if cutout not in CUTOUTS:
            raise ValueError(f"cutout must be one of {', '.join(CUTOUTS)}, got {cutout!r}")
        self.cutout = cutout
        most = _MOST_SUB_FRAMES
        wanted = f"a whole number in [0, {most}]"
        self.sub_frames = max(1, _whole(temporal, "temporal", wanted, range(most + 1)))
        if device is not None and not isinstance(device, Device):
            raise TypeError(f"device must be a Device or None, got {type(device).__name__}")
        self.device = default_vulkan_device() if device is None else device
        if anisotropic is None:
            anisotropic = self.device.info.kind != "software"
        self.anisotropic = bool(anisotropic)
        self.ranks = RankTable()
        self._lock = threading.Lock()
        self._is_closed = False
        self._core: Any = None
        self._open(Sun.shadow_size)

    @property
    def closed(self) -> bool:
        """True once `close` was called."""
        return self._is_closed

    def close(self) -> None:
        """Give the device's memory back. Closing twice is fine.

        Raises
        ------
        ValueError
            Another thread draws with it.
        """
        with self._held():
            self._is_closed = True
            self._drop()

    def _drop(self) -> None:
        if self._core is not None:
            self._core.close()
            self._core = None

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        """The renderer for this thread alone."""
        if not self._lock.acquire(blocking=False):
            raise ValueError(
                "the renderer is at work on another thread: wait for it, or make one renderer a "
                "thread"
            )
        try:
            yield
        finally:
            self._lock.release()

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __repr__(self) -> str:
        width, height = self.size
        return f"Renderer({width} x {height}, samples={self.samples}, cutout={self.cutout!r})"

    # -- what lies on the device --

    def _open(self, shadow_size: int) -> Any:
        if self._core is not None and self._shadow_size != shadow_size:
            self._drop()
        if self._core is None:
            core = _core.Renderer(
                self.device, *self.size, self.samples, shadow_size, self.sub_frames > 1
            )
            self._core, self._shadow_size, self._rank_total = core, shadow_size, 0
            self._textures = _Cache(core.remove_texture)
            self._meshes = _Cache(core.remove_mesh)
            self._forests = _Cache(lambda draws: core.remove_mesh(draws.mesh))
            self._particles = _Cache(lambda draws: draws.close())
            self._grounds = _Cache(lambda draws: draws.close())
            self._white = core.add_texture([np.full((1, 1, 4), 255, np.uint8)], False, 0)
            self._materials = _MaterialTable(self)
        return self._core

    def _refresh(self) -> _MaterialTable:
        """Lets go of what nobody holds any more; the table of materials."""
        for cache in (
            self._textures, self._meshes, self._forests, self._particles, self._grounds,
        ):  # fmt: skip
            cache.drop_dead()
        if self._materials.is_stale():
            self._materials.clear()
            for draws in self._forests.values():
                draws.forget_materials()
        return self._materials

    def _texture(self, texture: MaterialTexture | None, cutoff: float | None) -> int:
        if texture is None:
            return self._white

        def make() -> int:
            levels = texture_levels(texture, cutoff=cutoff, averaged=self.cutout != "test")
            return self._core.add_texture(
                levels,
                texture.color_space == "srgb",
                SAMPLERS[texture.wrap] + (SHARP if self.anisotropic else 0),
            )

        return self._textures.get(texture, (cutoff,), make)

    def _mesh(self, mesh: Mesh) -> int:
        return self._meshes.get(
            mesh, (), lambda: self._core.add_mesh(pack_vertices(mesh), mesh.indices.ravel())
        )

    def _forest_draws(self, forest: Forest) -> ForestDraws:
        return self._forests.get(forest, (), lambda: ForestDraws(self, self._core, forest))

    def _particle_draws(self, thing: SpriteSet) -> ParticleDraws:
        return self._particles.get(thing, (), lambda: ParticleDraws(self._core, thing))

    def _ground_draws(self, terrain: Terrain) -> GroundDraws:
        return self._grounds.get(terrain, (), lambda: GroundDraws(self, self._core, terrain))

    # -- a picture --

    def render(self, scene: Scene, camera: _View, *, time: float = 0.0) -> Frame:
        """Draw a picture.

        Parameters
        ----------
        scene : Scene
        camera : Camera or OrthoCamera
        time : float
            Seconds on the scene's clock. Forests and particles that are behind it are brought up
            to it, which moves dissolves, cross-fades and wind on; at the time of the frame before,
            LODs switch at once.

        Returns
        -------
        Frame

        Raises
        ------
        ValueError
            A sun, sky, wind or time out of range, a forest or renderer that is closed, a renderer
            that draws on another thread.
        CapacityError
            More forests than a picture takes, or no memory for it.
        DeviceLost
            The driver gave the device up.
        """
        if not isinstance(scene, Scene) or not isinstance(camera, _View):
            raise TypeError(
                "render takes a Scene and a Camera or OrthoCamera, got "
                f"{type(scene).__name__} and {type(camera).__name__}"
            )
        scene.checked()
        if self._is_closed:
            raise ValueError("the renderer is closed: make a new one")
        with self._held():
            return _FrameBuilder(self, scene, camera, _seconds(time)).build()


@dataclasses.dataclass(frozen=True)
class _Part:
    """A mesh of an object at all its places, with the spheres around it, sway included."""

    mesh: Mesh
    matrices: np.ndarray
    centres: np.ndarray
    radii: np.ndarray

    @classmethod
    def of(cls, item: SceneObject, mesh: Mesh, local: np.ndarray, gust: float) -> _Part:
        matrices = item.transforms @ local
        x, y, z, radius = (float(value) for value in mesh.bounding_sphere)
        centres = matrices @ np.array((x, y, z, 1.0))
        # a bound on how far a transform stretches; exact for scaled rotations
        axes = matrices[:, :3, :3]
        stretch = np.sqrt(np.abs(axes.transpose(0, 2, 1) @ axes).sum(axis=2).max(axis=1))
        sway = SWAY * item.wind * gust * float(np.abs(mesh.bounds[:, 1]).max())
        return cls(mesh, matrices, centres[:, :3], radius * stretch * 1.0001 + sway)

    @property
    def box(self) -> np.ndarray:
        reach = self.radii[:, None]
        return np.stack(
            [(self.centres - reach).min(axis=0), (self.centres + reach).max(axis=0)]
        )


class _FrameBuilder:
    """One frame: gathers the tables, has the core draw them, tells what happened."""

    def __init__(self, renderer: Renderer, scene: Scene, camera: _View, seconds: float):
        self.renderer, self.scene, self.camera, self.seconds = renderer, scene, camera, seconds
        self.aspect = renderer.size[0] / renderer.size[1]
        self.core = renderer._open(int(scene.sun.shadow_size))
        self.materials = renderer._refresh()
        self.items: list[np.ndarray] = []
        self.blended: list[tuple[float, np.ndarray]] = []  # by distance of the farthest row
        self.rows: list[np.ndarray] = []
        self.words: list[np.ndarray] = []
        self.row_count = 0
        self.triangle_counts: dict[int, int] = {}  # by the core's mesh
        self.ranges: list[IdRange] = []
        self.next_id = 1
        self.notes: list[str] = []
        self.planes = camera.planes(self.aspect)
        self.gust = math.hypot(*scene.wind)

    def build(self) -> Frame:
        objects = [item for item in self.scene.items if isinstance(item, SceneObject)]
        forests = [item for item in self.scene.items if isinstance(item, Forest)]
        self.terrains = [item for item in self.scene.items if isinstance(item, Terrain)]
        ticks = round(self.seconds * _TICKS_PER_SECOND)
        for forest in forests:
            if ticks > forest._ticks:  # in whole ticks: the same time again is no later
                forest.update((ticks - forest._ticks) / _TICKS_PER_SECOND)
        parts = [
            [_Part.of(item, mesh, local, self.gust) for mesh, local in item.parts]
            for item in objects
        ]
        casting = [
            part
            for item, some in zip(objects, parts)
            if item.casts_shadow and len(item.transforms)
            for part in some
        ]
        shadow = fit_shadow(
            self.scene.sun, self.camera, self.aspect, self._caster_bounds(casting, forests)
        )
        self.forests_cast = shadow is not None and self.scene.sun.shadow != "off"
        for item, some in zip(objects, parts):
            self._add_object(item, some, shadow)
        draws = [self._add_forest(i, forest) for i, forest in enumerate(forests)]
        self.grounds = [self._add_terrain(one, shadow) for one in self.terrains]
        self.particles = [
            item for item in self.scene.items if isinstance(item, (SpriteSet, ParticleManager))
        ]
        for one in self.particles:
            if isinstance(one, ParticleManager) and ticks > one.tick:
                one.update((ticks - one.tick) / _TICKS_PER_SECOND)
        return self._draw(forests, draws, shadow)

    def _caster_bounds(self, parts: list[_Part], forests: list[Forest]) -> np.ndarray | None:
        boxes = [
            *(forest.bounds for forest in forests),
            *(part.box for part in parts),
            *(terrain.bounds for terrain in self.terrains if terrain.casts_shadow),
        ]
        found = [box for box in boxes if box is not None]
        if not found:
            return None
        joined = np.stack(found)
        return np.stack([joined[:, 0].min(axis=0), joined[:, 1].max(axis=0)])

    @staticmethod
    def _is_inside(planes: np.ndarray, part: _Part) -> np.ndarray:
        heights = part.centres @ planes[:, :3].T + planes[:, 3]
        return (heights >= -part.radii[:, None]).all(axis=1)

    def _add_object(
        self, item: SceneObject, parts: list[_Part], shadow: ShadowFit | None
    ) -> None:
        count = len(item.transforms)
        first = self.next_id
        self.ranges.append(IdRange(first, first + count, item, None))
        self.next_id += count
        for part in parts:
            seen = self._is_inside(self.planes, part)
            casting = np.zeros(count, bool)
            is_blended = part.mesh.material.alpha_mode == "blend"
            if shadow is not None and item.casts_shadow and not is_blended:
                # towards the sun there is no near end: what stands there casts all the same
                casting = self._is_inside(shadow.planes[:4], part)
            both, lone = seen & casting, casting & ~seen
            turned = np.linalg.det(part.matrices[:, :3, :3]) < 0.0
            for some, in_view, casts in ((both, 1, 1), (seen & ~casting, 1, 0), (lone, 0, 1)):
                for mirrored, chosen in ((False, some & ~turned), (True, some & turned)):
                    if chosen.any():
                        self._add_rows(
                            item, part, np.flatnonzero(chosen), in_view, casts, mirrored
                        )

    def _add_rows(
        self, item: SceneObject, part: _Part, numbers: np.ndarray, in_view: int, casts: int,
        mirrored: bool,
    ) -> None:  # fmt: skip
        """An item of places that are drawn alike; blended ones go one by one, farthest first."""
        mesh, material = part.mesh, part.mesh.material
        blended = material.alpha_mode == "blend"
        if blended:
            distances = part.centres[numbers] @ self.camera.forward
            numbers = numbers[np.argsort(-distances, kind="stable")]
            farthest = float(distances.max())
        record = np.zeros(1, record_dtype("dw_scene_item"))
        row = record[0]
        flags = material_flags(material, self.renderer.cutout)
        row["mesh"] = self.renderer._mesh(mesh)
        self.triangle_counts[int(row["mesh"])] = mesh.triangle_count
        row["material"], row["base_texture"], row["normal_texture"] = self.materials(
            material, Extent(mesh.bounds)
        )
        row["flags"] = flags
        row["stage"] = STAGES["cut" if flags & FLAGS["masked"] else "solid"]
        if blended:
            row["stage"] = STAGES["blended"]
        row["is_two_sided"], row["is_mirrored"] = material.double_sided, mirrored
        row["casts_shadow"], row["is_in_view"] = casts, in_view
        row["forest"], row["instance_count"] = NONE, len(numbers)
        row["first_row"], row["id_base"] = self.row_count, self.ranges[-1].first
        row["sway"] = item.wind
        row["rank_count"], row["scale"], row["softness"] = 16, 1.0, 1.0
        if blended:
            self.blended.append((farthest, record))
        else:
            self.items.append(record)
        self.rows.append(pack_transforms(part.matrices[numbers]))
        self.words.append(numbers.astype(np.uint32))
        self.row_count += len(numbers)

    def _add_forest(self, index: int, forest: Forest) -> ForestDraws:
        draws = self.renderer._forest_draws(forest)
        if draws.has_blended:
            self.notes.append(
                f"forest {index} has blended materials: its trees are not sorted by distance, and "
                "what is blended casts no shadow; use alpha_mode=\"mask\""
            )
        ids = forest.row_ids
        first = self.next_id
        self.ranges.append(IdRange(first, first + len(ids), forest, ids))
        self.next_id += len(ids)
        cutout, casts = self.renderer.cutout, self.forests_cast
        self.items.append(draws.items(forest, index, first, cutout, self.materials, casts))
        return draws

    def _add_terrain(self, terrain: Terrain, shadow: ShadowFit | None) -> tuple:
        draws = self.renderer._ground_draws(terrain)
        first, count = self.next_id, 256 if terrain.view == "ids" else 1
        self.ranges.append(IdRange(first, first + count, terrain, None))
        self.next_id += count
        return draws.argument(terrain, self.camera, self.renderer.size, shadow, first)

    def _joined(self, parts: list[np.ndarray], dtype: Any, width: int = 0) -> np.ndarray:
        if parts:
            return np.concatenate(parts)
        return np.zeros((0, width) if width else 0, dtype)

    def _draw(
        self, forests: list[Forest], draws: list[ForestDraws], shadow: ShadowFit | None
    ) -> Frame:
        renderer, scene = self.renderer, self.scene
        if len(renderer.ranks) != renderer._rank_total:
            self.core.set_ranks(renderer.ranks.words)
            renderer._rank_total = len(renderer.ranks)
        self.blended.sort(key=lambda row: -row[0])
        items = self._joined(
            self.items + [record for _, record in self.blended], record_dtype("dw_scene_item")
        )
        items = items[np.argsort(items["stage"], kind="stable")]
        views = view_records(
            scene, self.camera, renderer.size, renderer.sub_frames, shadow, self.seconds
        )
        casts, is_hard = self.forests_cast, scene.sun.shadow == "hard"
        rows = self._joined(self.rows, np.float32, 12)
        words = self._joined(self.words, np.uint32)
        color, depth, ids, buckets, layers, patches = self.core.render(
            _bytes(views),
            self.materials.packed,
            rows.view(np.uint8).reshape(len(rows), 48),
            words.view(np.uint8).reshape(len(words), 4),
            _bytes(items),
            [
                (forest, self._view_numbers(forest, one, shadow), casts, is_hard)
                for forest, one in zip(forests, draws)
            ],
            [
                frame_argument(renderer, one, self.planes, self.camera) for one in self.particles
            ],
            self.grounds,
            scene.sky is not None,
            shadow is not None,
            (0.0, 0.0, 0.0, 0.0),
            True,
        )
        for forest in forests:
            forest._viewer = renderer.device
        terrains = tuple(
            TerrainStats(int(drawn[0, 1]), int(drawn[0, 0] // 3 * drawn[0, 1]), int(drawn[1, 1]))
            for drawn in patches
        )
        stats = self._stats(items, draws, buckets, layers, terrains, shadow)
        return Frame(color, depth, ids, stats, tuple(self.ranges))

    def _view_numbers(
        self, forest: Forest, draws: ForestDraws, shadow: ShadowFit | None
    ) -> np.ndarray:
        """The planes of the camera and of the sun's map, and the camera's place. A forest's spheres
        have room for wind of length 1; planes move out for what is beyond."""
        reach = SWAY * abs(forest.wind) * max(0.0, self.gust - 1.0) * draws.height
        planes = np.zeros((2, 6, 4))
        planes[0] = self.planes
        if shadow is not None:
            planes[1, :4] = shadow.planes[:4]
        planes[..., 3] += reach * np.linalg.norm(planes[..., :3], axis=-1)
        return np.concatenate([planes.ravel(), self.camera.position])

    def _stats(
        self, items: np.ndarray, draws: list[ForestDraws], buckets: Any, layers: Any,
        terrains: tuple[TerrainStats, ...], shadow: ShadowFit | None,
    ) -> FrameStats:  # fmt: skip
        lists: list = []
        culled = {"outside": 0, "faded": 0, "crossfading": 0}
        for i, (one, counts) in enumerate(zip(draws, buckets)):
            found, counted = one.stats(i, counts)
            lists += found
            for name, value in counted.items():
                culled[name] += value
        seen = items[items["is_in_view"] != 0]
        lone = seen[seen["forest"] == NONE]
        triangles = sum(
            self.triangle_counts[int(row["mesh"])] * int(row["instance_count"]) for row in lone
        )
        particles = [
            row
            for i, (thing, drawn) in enumerate(zip(self.particles, layers))
            for row in layer_stats(i, thing, drawn)
        ]
        timings = self.renderer.device.timings()
        return FrameStats(
            draw_calls=len(seen) + (self.scene.sky is not None) + len(particles) + len(terrains),
            shadow_draw_calls=(
                int((items["casts_shadow"] != 0).sum()) + sum(bool(one[-1]) for one in self.grounds)
                if shadow
                else 0
            ),
            instances=int(lone["instance_count"].sum()) + sum(one.instances for one in lists),
            triangles=triangles
            + sum(one.triangles for one in lists)
            + sum(one.triangles for one in terrains),
            lists=tuple(lists),
            culled=culled,
            notes=tuple(self.notes),
            milliseconds={
                name: ms for name, ms in timings.items() if name.startswith(("scene", "forest"))
            },
            particles=tuple(particles),
            terrains=terrains,
        )
