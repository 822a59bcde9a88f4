# SPDX-License-Identifier: MIT
# The C core as its Python callers see it. The package's own names are the public ones.
from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex, final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from typing_extensions import disjoint_base

__version__: str

# {enum name: (argument it is given as, ((value, word, one line of advice), ...))}
REGISTRIES: dict[str, tuple[str, tuple[tuple[int, str, str], ...]]]
# {struct name: (bytes, ((field, C type, count or 0 for a scalar, offset in bytes), ...))}
STRUCT_LAYOUTS: dict[str, tuple[int, tuple[tuple[str, str, int, int], ...]]]
PARTICLE_LAYERS: tuple[tuple[int, int, int, float], ...]
# {effect: (text, palette, (a part's fields by the names of ParticlePart, ...))}
PARTICLE_EFFECTS: dict[str, tuple[str, str, tuple[dict[str, Any], ...]]]
PARTICLE_PARAMS: dict[str, tuple[str, ...]]
PARTICLE_PALETTES: dict[str, tuple[int, int, int]]
PARTICLE_VARIANTS: tuple[tuple[str, str], ...]  # (part of a fishing spot's id, effect)
PARTICLE_SEED_COLORS: dict[str, int]
LIMITS: dict[str, int]
# Of the shared headers, by their names without DW_.
CONSTANTS: dict[str, Any]  # int, or float where it is no whole number

class Error(Exception): ...
class DeviceNotFound(Error): ...
class DeviceLost(Error): ...
class CapacityError(Error): ...
class FormatError(Error): ...
class ForkedDeviceError(Error): ...
class Cancelled(Error): ...

@disjoint_base
class Device:
    def __new__(
        cls, which: str | int | None = None, *, validation: bool = False, threads: int = 0
    ) -> Device: ...
    @property
    def closed(self) -> bool: ...
    def close(self) -> None: ...
    def live_counts(self) -> dict[str, int]: ...
    def memory(self) -> dict[str, int]: ...
    def timings(self) -> dict[str, float]: ...
    def _info(self) -> dict[str, Any]: ...
    def _lose(self, cause: str, /) -> None: ...

@disjoint_base
class Buffer:
    def __new__(cls, device: Device, array_or_nbytes: ArrayLike | SupportsIndex) -> Buffer: ...
    @property
    def closed(self) -> bool: ...
    @property
    def device(self) -> Device: ...
    @property
    def nbytes(self) -> int: ...
    def close(self) -> None: ...
    def numpy(
        self, dtype: DTypeLike, shape: int | Sequence[int], offset: int = 0
    ) -> NDArray[Any]: ...
    def write(self, array: ArrayLike, offset: int = 0) -> None: ...

@final
class DissolveField:
    def __new__(
        cls,
        *,
        duration: float = ...,
        scale: float = ...,
        easing: int = ...,
        encoding: int = ...,
        direction: int = ...,
        softness: float = ...,
    ) -> DissolveField: ...
    @property
    def active(self) -> int: ...
    @property
    def definition(self) -> dict[str, Any]: ...
    @property
    def now(self) -> float: ...
    @property
    def now_ticks(self) -> int: ...
    def __contains__(self, key: object, /) -> bool: ...
    def __len__(self) -> int: ...
    def add(self, ids: ArrayLike, initial: ArrayLike, /) -> None: ...
    def encoded(self) -> NDArray[Any]: ...
    def highlight(self, ids: ArrayLike, intensity: ArrayLike, /) -> None: ...
    def ids(self) -> NDArray[np.uint64]: ...
    def progress(self, ids: ArrayLike, /) -> NDArray[np.float32]: ...
    def rates(self) -> NDArray[np.float32]: ...
    def remove(self, ids: ArrayLike, strict: bool = False, /) -> int: ...
    def rows(self, ids: ArrayLike, /) -> NDArray[np.uint32]: ...
    def set(self, ids: ArrayLike, values: ArrayLike, /) -> None: ...
    def start(
        self,
        ids: ArrayLike,
        direction: int,
        instant: bool,
        durations: ArrayLike | None,
        easing: int | None,
        /,
    ) -> None: ...
    def take_dirty(self) -> tuple[int, int] | None: ...
    def tick(
        self, dt: float, /
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.float64]] | None: ...
    def value(self, ids: ArrayLike, /) -> NDArray[np.float32]: ...

@disjoint_base
class ParticleHub:
    def __new__(
        cls,
        *,
        seed: int = 0,
        capacity: int = 0,
        loop: int = 0,
        is_seed: bool = False,
        limits: dict[int, int] = {},
    ) -> ParticleHub: ...
    def __len__(self) -> int: ...
    @property
    def closed(self) -> bool: ...
    @property
    def tick(self) -> int: ...
    @property
    def paused(self) -> bool: ...
    def close(self) -> None: ...
    def _add_layer(self, is_sorted: bool, limit: int, /) -> int: ...
    def _change_layer(self, layer: int, is_sorted: bool, limit: int, /) -> None: ...
    def _add_effect(self, rows: tuple[tuple[Any, ...], ...], /) -> int: ...
    def _free_effects(self) -> NDArray[np.bool_]: ...
    def _register_core(
        self,
        uids: NDArray[np.uint64],
        positions: NDArray[np.float32],
        replaced: NDArray[np.uint32],
        effect: int,
        share: float,
        scale: float,
        colors: tuple[int, ...],
        extent: tuple[float, float, float],
        points: NDArray[np.float32] | None,
        flags: int,
        /,
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]: ...
    def _unregister(self, emitters: NDArray[np.uint32], /) -> None: ...
    def _move(
        self,
        emitters: NDArray[np.uint32],
        positions: NDArray[np.float32],
        is_trail: bool,
        /,
    ) -> None: ...
    def _apply(self, emitters: NDArray[np.uint32], what: int, /) -> None: ...
    def _set_rate(self, emitters: NDArray[np.uint32], rate: int, /) -> None: ...
    def _emit(self, emitter: int, count: int, /) -> int: ...
    def _advance(self, dt: float, /) -> None: ...
    def _seek(self, time: float, /) -> None: ...
    def _set_home(self, device: Device, /) -> None: ...
    def _set_paused(self, is_paused: bool, /) -> None: ...
    def _set_camera(self, position: tuple[float, float, float] | None, /) -> None: ...
    def _rows_of(self, layer: int, /) -> NDArray[np.uint32]: ...
    def _stats(self) -> NDArray[np.uint64]: ...
    def _simulation(self) -> tuple[int, int, int, int, int]: ...
    def _state(self, device: Device, layer: int, /) -> NDArray[np.uint8]: ...
    def _see(
        self,
        device: Device,
        planes: NDArray[np.float64],
        camera: tuple[float, float, float],
        is_fetched: bool,
        /,
    ) -> tuple[NDArray[np.int64], Any]: ...

@disjoint_base
class Forest:
    def __new__(
        cls,
        distances: tuple[float, ...],
        variants: tuple[tuple[int, tuple[float, ...], float], ...],
        *,
        fade: tuple[float, float] | None = (1000.0, 1200.0),
        near_fade: tuple[float, float] | None = None,
        crossfade: float = 0.25,
        hysteresis: float = 0.9,
        size_scaling: bool = False,
        pattern: int = 0,
        blue_size: int = 64,
        rule: int = 0,
        combine: int = 0,
        capacity: int = 0,
        duration: float = 0.3,
        scale: float = 0.7,
        easing: int = 0,
        encoding: int = 0,
        direction: int = 0,
        softness: float = 0.2,
    ) -> Forest: ...
    def __len__(self) -> int: ...
    @property
    def closed(self) -> bool: ...
    @property
    def _ticks(self) -> int: ...
    def close(self) -> None: ...
    def _add(
        self,
        ids: NDArray[np.uint64],
        transforms: NDArray[np.float32],
        variants: NDArray[np.uint8] | None,
        depleted: NDArray[np.bool_] | None,
        /,
    ) -> None: ...
    def _remove(self, ids: NDArray[np.uint64], strict: bool, /) -> NDArray[np.bool_]: ...
    def _start(
        self,
        ids: NDArray[np.uint64],
        direction: int,
        instant: bool,
        duration: float,
        easing: int,
        strict: bool,
        /,
    ) -> NDArray[np.bool_]: ...
    def _set_info(
        self,
        ids: NDArray[np.uint64],
        mask: int,
        bits: NDArray[np.uint32],
        strict: bool,
        /,
    ) -> NDArray[np.bool_]: ...
    def _find(
        self, ids: NDArray[np.uint64], strict: bool, /
    ) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]: ...
    def _ids(self, all: bool, /) -> NDArray[np.uint64]: ...
    def _gather(
        self, ids: NDArray[np.uint64], /
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float32]]: ...
    def _bounds(self) -> tuple[float, float, float, float, float, float] | None: ...
    def _dissolve(self) -> DissolveField: ...
    def _table(
        self,
    ) -> tuple[
        NDArray[np.uint64], NDArray[np.uint8], NDArray[np.uint32], NDArray[np.float32]
    ]: ...
    def _params(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint32]]: ...
    def _set_draws(self, draws: NDArray[np.uint32], /) -> None: ...
    def _see(
        self,
        device: Device,
        planes: NDArray[np.float64],
        position: tuple[float, float, float],
        flags: int,
        fetch: bool,
        /,
    ) -> (
        tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]] | None
    ): ...
    def _states(self, device: Device, /) -> NDArray[np.uint8]: ...

@final
class Skin:
    def __new__(
        cls,
        device: Device,
        positions: NDArray[np.float32],
        normals: NDArray[np.float32] | None,
        joints: NDArray[np.uint16] | None,
        weights: NDArray[np.float32] | None,
        targets: NDArray[np.float32] | None,
        target_normals: NDArray[np.float32] | None,
    ) -> Skin: ...
    @property
    def closed(self) -> bool: ...
    @property
    def device(self) -> Device: ...
    def close(self) -> None: ...
    def apply(
        self,
        matrices: ArrayLike | None,
        weights: ArrayLike | None,
        positions: tuple[NDArray[np.float32] | Buffer, int, int],
        normals: tuple[NDArray[np.float32] | Buffer, int, int] | None,
        /,
    ) -> None: ...

@final
class Renderer:
    def __new__(
        cls,
        device: Device,
        width: int,
        height: int,
        samples: int,
        shadow_side: int,
        accumulating: bool,
    ) -> Renderer: ...
    @property
    def closed(self) -> bool: ...
    def close(self) -> None: ...
    def add_mesh(self, vertices: NDArray[np.uint32], indices: NDArray[np.uint32], /) -> int: ...
    def remove_mesh(self, handle: int, /) -> None: ...
    def add_texture(
        self, levels: Sequence[NDArray[np.uint8]], srgb: bool, wrap: int, /
    ) -> int: ...
    def remove_texture(self, handle: int, /) -> None: ...
    def add_sprites(
        self, sprites: NDArray[np.uint8], counts: NDArray[np.uint32], /
    ) -> int: ...
    def remove_sprites(self, handle: int, /) -> None: ...
    def add_layers(
        self, levels: Sequence[NDArray[np.uint8] | NDArray[np.float16]], srgb: bool, wrap: int, /
    ) -> int: ...
    def add_ground(
        self,
        heights: NDArray[np.float32],
        bounds: NDArray[np.float32],
        capacity: int,
        weights: NDArray[np.uint32],
        ranks: NDArray[np.uint32],
        /,
    ) -> int: ...
    def remove_ground(self, handle: int, /) -> None: ...
    def set_ranks(self, words: NDArray[np.uint32], /) -> None: ...
    def render(
        self,
        views: NDArray[np.uint8],
        materials: NDArray[np.uint8],
        transforms: NDArray[np.uint8],
        words: NDArray[np.uint8],
        items: NDArray[np.uint8],
        forests: Sequence[tuple[Forest, NDArray[np.float64], bool, bool]],
        particles: Sequence[
            tuple[ParticleHub | int, NDArray[np.uint8], int, int, NDArray[np.float64] | None]
        ],
        grounds: Sequence[tuple[Any, ...]],
        has_sky: bool,
        has_shadow: bool,
        clear: tuple[float, float, float, float],
        wants_more: bool,
        /,
    ) -> tuple[
        NDArray[np.uint8],
        NDArray[np.float32] | None,
        NDArray[np.uint32] | None,
        tuple[NDArray[np.uint32], ...],
        tuple[NDArray[np.uint32], ...],
        tuple[NDArray[np.uint32], ...],
    ]: ...

@disjoint_base
class SceneTrees:
    def __new__(
        cls,
        device: Device,
        *,
        node_format: int = 0,
        drift_limit: float = 1.1,
        hold_updates: int = 60,
        sample_every: int = 15,
        probe: bool = True,
        probe_budget: float = 4.0,
    ) -> SceneTrees: ...
    @property
    def closed(self) -> bool: ...
    @property
    def device(self) -> Device: ...
    @property
    def is_current(self) -> bool: ...
    def close(self) -> None: ...
    def _add_instances(self, mesh: int, transforms: ArrayLike, /) -> int: ...
    def _add_mesh(
        self,
        positions: ArrayLike,
        indices: ArrayLike,
        deforming: bool,
        bounds: ArrayLike | None,
        builder: int,
        /,
    ) -> int: ...
    def _bounds(self) -> tuple[float, ...] | None: ...
    def _counts(self) -> tuple[int, ...]: ...
    def _drift(self, mesh: int, /) -> tuple[float, float, float, int]: ...
    def _instance_rows(self) -> NDArray[np.uint8]: ...
    def _layout(self, mesh: int, /) -> dict[str, Any]: ...
    def _mesh_ids(self) -> NDArray[np.uint32]: ...
    def _occluded(
        self, origins: ArrayLike, directions: ArrayLike, t_min: float, t_max: float, /
    ) -> NDArray[np.bool_]: ...
    def _rebuild(self, mesh: int, /) -> bool: ...
    def _remove_instance(self, instance: int, /) -> None: ...
    def _remove_mesh(self, mesh: int, /) -> None: ...
    def _set_deform_bounds(self, mesh: int, bounds: ArrayLike, /) -> None: ...
    def _set_pose(
        self,
        mesh: int,
        buffer: Buffer,
        vertex_count: int,
        stride_floats: int,
        offset_floats: int,
        dirty: ArrayLike | None,
        /,
    ) -> None: ...
    def _set_pose_cpu(
        self, mesh: int, positions: ArrayLike, dirty: ArrayLike | None, /
    ) -> None: ...
    def _set_transform(self, instance: int, transform: ArrayLike, /) -> None: ...
    def _status(self, mesh: int, /) -> dict[str, Any]: ...
    def _trace(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        t_min: float,
        t_max: float,
        steps: bool,
        /,
    ) -> tuple[Any, ...]: ...
    def _update(self) -> tuple[int, int, int, list[tuple[Any, ...]]]: ...
    def _vertices(self, mesh: int, /) -> NDArray[np.float32]: ...

def after_fork() -> None: ...
def before_fork() -> None: ...
def devices() -> tuple[list[dict[str, Any]], str | None]: ...
def host_allocation_total() -> int: ...
def host_allocations() -> int: ...
def loader() -> dict[str, Any] | None: ...
def device_copy(device: Device, nbytes: int) -> None: ...
def selftest(
    device: Device, operands: ArrayLike, *, float64: bool = False, repeat: int = 1
) -> tuple[tuple[str, ...], NDArray[np.uint32]]: ...
def selftest_reach(
    device: Device, count: int, rounds: int, /
) -> tuple[NDArray[np.uint32], bool, bool]: ...
def shutdown() -> None: ...
def validation_messages(clear: bool = False) -> tuple[int, list[str]]: ...
def atlas_bake(
    device: Device,
    image: ArrayLike,
    tiles: ArrayLike | None,
    *,
    color_space: int = 0,
    filter: int = 0,
    fill: int = 0,
    coverage: int = 1,
    cutoffs: Any = ...,  # a sequence of numbers; inspect misreads the default, (0.5,)
    gutter: int = 0,
    start_level: int = 1,
    strength: float = 1.0,
    level_count: int = 0,
    target_coverage: ArrayLike | None = None,
    kernel_runs: int = 1,
    progress: Callable[[float], object] | None = None,
) -> tuple[
    tuple[NDArray[np.uint8], ...],
    tuple[NDArray[np.uint8], ...],
    NDArray[np.uint8],
    NDArray[np.uint8],
    NDArray[np.int32],
    bool,
]: ...
def atlas_places(
    width: int, height: int, tiles: ArrayLike | None, *, gutter: int = 0, fill: int = 0
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]: ...
def atlas_islands(alpha: ArrayLike, *, reach: int = 4) -> NDArray[np.int32]: ...
def coverage(
    device: Device,
    alpha: ArrayLike,
    tiles: ArrayLike | None,
    cutoffs: Sequence[float],
    bilinear: bool = True,
) -> NDArray[np.float64]: ...
def coverage_trilinear(
    device: Device,
    fine: ArrayLike,
    coarse: ArrayLike,
    fine_areas: ArrayLike,
    coarse_areas: ArrayLike,
    fraction: float,
    cutoffs: Sequence[float],
) -> NDArray[np.float64]: ...
def fringe(
    device: Device,
    image: ArrayLike,
    color_space: int,
    level: ArrayLike,
    sources: ArrayLike,
    tiles: ArrayLike,
    cutoff: float,
) -> tuple[float, float, float, int]: ...
def resample_rects(
    device: Device, image: ArrayLike, color_space: int, tiles: ArrayLike, width: int, height: int
) -> NDArray[np.uint16]: ...
def unpremultiply(device: Device, image: ArrayLike) -> tuple[NDArray[Any], int]: ...
def blue_noise(size: int, sigma: float, seed: int, /) -> NDArray[np.uint16]: ...
def pack_weights(
    device: Device,
    weights: ArrayLike,
    bits: int,
    pitch: int,
    ranks: ArrayLike | None,
    x: int,
    y: int,
    /,
) -> NDArray[np.uint8]: ...
def expected_coverage(
    device: Device, weights: ArrayLike, heights: ArrayLike | None, law: bytes, /
) -> NDArray[np.float32]: ...
def index_weights(
    device: Device, weights: ArrayLike, /
) -> tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.float64]]: ...
def discard_counts(amounts: ArrayLike, ranks: int, rule: int, /) -> NDArray[np.uint32]: ...
def discard_masks(
    device: Device | None,
    amounts: ArrayLike,
    height: int,
    width: int,
    pattern: int,
    rule: int,
    table: ArrayLike | None,
    x: int,
    y: int,
    instance: int,
    /,
) -> NDArray[np.bool_]: ...
def dither_ranks(
    pattern: int,
    height: int,
    width: int,
    table: ArrayLike | None,
    instance: int,
    x: int,
    y: int,
    /,
) -> NDArray[np.uint16]: ...
def ease(easing: int, progress: ArrayLike, /) -> NDArray[np.float32]: ...
def dissolve_tick(
    device: Device, progress: ArrayLike, rates: ArrayLike, ticks: float, repeat: int, /
) -> NDArray[np.float32]: ...
def dissolve_values(
    device: Device, states: ArrayLike, now: int, repeat: int, /
) -> NDArray[np.float32]: ...
def particle_bounds(
    emitters: NDArray[Any],
    parts: NDArray[Any],
    *,
    curves: ArrayLike | None = None,
    colors: ArrayLike | None = None,
    points: ArrayLike | None = None,
) -> NDArray[np.float32]: ...
def particle_steps(
    device: Device,
    emitters: ArrayLike,
    parts: ArrayLike,
    laws: ArrayLike,
    colliders: ArrayLike,
    heights: ArrayLike,
    rows: ArrayLike,
    ticks: ArrayLike,
    *,
    shown: bool = True,
) -> tuple[NDArray[np.uint32] | None, int]: ...
def particle_see(
    device: Device,
    view: NDArray[Any],
    emitters: NDArray[Any],
    parts: NDArray[Any],
    regions: NDArray[Any],
    *,
    curves: ArrayLike | None = None,
    colors: ArrayLike | None = None,
    points: ArrayLike | None = None,
    sorted_layers: int = 0,
    repeat: int = 1,
    mode: int = 0,
) -> dict[str, Any]: ...
def particle_state(
    device: Device,
    emitters: NDArray[Any],
    parts: NDArray[Any],
    *,
    curves: ArrayLike | None = None,
    colors: ArrayLike | None = None,
    points: ArrayLike | None = None,
    now: int = 0,
    camera: ArrayLike | None = None,
    first: int = 0,
    count: int | None = None,
    plain: bool = False,
    repeat: int = 1,
) -> NDArray[np.uint32]: ...
def tree_build(
    device: Device,
    positions: ArrayLike,
    indices: ArrayLike | None,
    *,
    builder: int = 0,
    node_format: int = 0,
) -> dict[str, Any]: ...
def tree_gpu_refit(
    device: Device,
    meshes: tuple[Any, ...],
    *,
    variant: int = 0,
    repeat: int = 1,
) -> tuple[tuple[dict[str, Any], ...], NDArray[np.float64]]: ...
def tree_build_device(
    device: Device,
    positions: ArrayLike,
    indices: ArrayLike | None,
    *,
    builder: int = 0,
    node_format: int = 0,
    merge_lanes: int = 0,
    wide: int = -1,
    place_lane: int = -1,
    repeat: int = 1,
) -> dict[str, Any]: ...
def tree_refit(
    layout: dict[str, Any],
    positions: NDArray[Any],
    dirty: NDArray[np.bool_] | None = None,
    sums: bool = False,
    device: Device | None = None,
    repeat: int = 1,
) -> dict[str, Any]: ...
def tree_trace(
    device: Device,
    meshes: tuple[tuple[dict[str, Any], NDArray[Any]], ...],
    instances: NDArray[np.int32],
    to_object: NDArray[np.float32],
    top: tuple[dict[str, Any], NDArray[Any]] | None,
    origins: NDArray[np.float32],
    directions: NDArray[np.float32],
    t_min: float,
    t_max: float,
    way: int,
    to_world: NDArray[np.float32] | None = None,
) -> tuple[tuple[NDArray[Any], ...], float, float]: ...
def terrain_law(
    mode: int,
    noise: int,
    noise_size: int,
    seed: int,
    strength: float,
    cell: float,
    quantize: int,
    min_weight: float,
    accent: tuple[float, float],
    accents: int,
    depth: float,
    fade: tuple[float, float],
    zoom: tuple[float, float],
    empty_id: int,
    materials: NDArray[np.uint32],
    priorities: NDArray[np.float64],
    /,
) -> bytes: ...
def terrain_select(
    device: Device, view: tuple[Any, ...], height: int, width: int, /
) -> NDArray[np.uint8]: ...
def terrain_compose(
    device: Device,
    view: tuple[Any, ...],
    base: NDArray[np.uint8],
    details: tuple[tuple[NDArray[np.uint8], float, float], ...],
    x: float,
    y: float,
    pixels_per_unit: float,
    samples: int,
    height: int,
    width: int,
    photo: bool,
    ids: bool,
    /,
) -> tuple[NDArray[np.uint8], NDArray[np.uint8] | None]: ...
def terrain_select_at(
    view: tuple[Any, ...], x: NDArray[np.float64], y: NDArray[np.float64], /
) -> NDArray[np.uint8]: ...
