# SPDX-License-Identifier: MIT
"""Times the drawing of particles, beside as many bare quads, and beside one mesh a particle.

    python bench/bench_particles_draw.py [--device gpu] [--count 10000000] [--frames 5]
        [--sizes 0.5 1 4 16] [--spots 10 1000] [--picture 1920x1080]

CSV on standard output. Rows "bare", "drawn" and "specks": `count` quads of `pixels` pixels a side
all over the picture; ms is the device's own clock of the pass in the median frame, of_bare the
share of the bare quads' rate. Bare quads read nothing, shade nothing and add one colour; they go
through the same pass with the same targets, depth test and blending. Specks are added without
quads, by atomics; only what is less than 1.5 pixels wide can be. Rows "meshes" and "layers":
fishing spots as one mesh and one draw call for each particle, and as four layers; wall_ms is a
whole frame on the host's clock, with the picture's way back.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
import time

import dapplewood as dw
import numpy as np
from dapplewood import _core
from dapplewood.layouts import record_dtype
from dapplewood.particle_style import style_record
from dapplewood.render_particles import SpriteSet, make_sprites

FIELDS = ("kind", "device", "count", "pixels", "draw_calls", "ms", "frame_ms", "wall_ms",
          "million_per_s", "of_bare")  # fmt: skip
HEIGHT = 10.0  # metres of the picture
ON_SOFTWARE = 20_000  # particles


class Bench:
    """Rows, written as they come."""

    def __init__(self, device: dw.Device, options: argparse.Namespace):
        self.device, self.frames = device, options.frames
        self.size = tuple(int(part) for part in options.picture.split("x"))
        self.camera = dw.OrthoCamera((0, 0, 50), (0, 0, 0), height=HEIGHT, near=0.5, far=200.0)
        self.writer = csv.DictWriter(sys.stdout, FIELDS, restval="")
        self.writer.writeheader()

    def time(self, renderer, scene, span: str, **row) -> float:
        """Draws some frames; the median time of a span in ms."""
        spans, frames, walls = [], [], []
        for i in range(self.frames + 1):
            begun = time.perf_counter()
            stats = renderer.render(scene, self.camera).stats
            if i:
                walls.append(1e3 * (time.perf_counter() - begun))
                spans.append(stats.milliseconds.get(span, 0.0))
                frames.append(stats.milliseconds.get("scene_frame", 0.0))
        middle = statistics.median(spans)
        bare = row.pop("of", None)
        row.update(
            device=self.device.info.name, draw_calls=stats.draw_calls, ms=round(middle, 4),
            frame_ms=round(statistics.median(frames), 4),
            wall_ms=round(statistics.median(walls), 3),
        )  # fmt: skip
        if middle:
            row["million_per_s"] = round(row["count"] / middle / 1e3, 2)
        if middle and bare:
            row["of_bare"] = round(bare / middle, 3)
        self.writer.writerow(row)
        sys.stdout.flush()
        return middle


def quads(count: int, picture: tuple[int, int]) -> np.ndarray:
    """Sprites of a pixel all over the picture."""
    rng = np.random.default_rng(0)
    width = HEIGHT * picture[0] / picture[1]
    at = rng.random((count, 3), np.float32) - np.float32(0.5)
    at *= np.array([0.98 * width, 0.98 * HEIGHT, 20.0], np.float32)
    return make_sprites(at, size=HEIGHT / picture[1], opacity=0.01)


class BareSet(SpriteSet):
    """Quads without sprites: their number alone is used."""

    def __init__(self, count: int, pixels: float, picture: tuple[int, int]):
        super().__init__([("splash", np.zeros(count, record_dtype("dw_particle_sprite")))])
        self.half = [pixels / side for side in picture]

    def style_rows(self, texture_of) -> np.ndarray:
        record = style_record(self.styles[0], 0)
        record["flags"] = int(_core.CONSTANTS["STYLE_IS_BARE"])
        record["sharpness"], record["stretch"] = self.half
        return record.reshape(1).view(np.uint8).reshape(1, -1)


def raster(bench: Bench, count: int, sizes: list[float]) -> None:
    """Particles beside bare quads, and what is added without raster."""
    sprites = quads(count, bench.size)
    for pixels in sizes:
        bare = None
        sprites["size"] = pixels * HEIGHT / bench.size[1]
        for kind in ("bare", "drawn", "specks")[: 3 if pixels < 1.5 else 2]:
            if kind == "bare":
                things = BareSet(count, pixels, bench.size)
            else:
                things = SpriteSet([(dw.ParticleStyle(specks=kind == "specks"), sprites)])
            scene = dw.Scene()
            scene.sky, scene.sun.shadows = None, False
            scene.add(things)
            with dw.Renderer(bench.size, device=bench.device) as renderer:
                ms = bench.time(
                    renderer, scene, "scene_particles", kind=kind, count=count, pixels=pixels,
                    of=bare,
                )  # fmt: skip
            bare = bare or ms


def spot_particles(spots: int) -> dict[str, np.ndarray]:
    """What a net spot shows: 4 splashes and 2 of a burst, 3 bubbles, 3 glints, 2 rings."""
    rng = np.random.default_rng(1)
    centres = rng.uniform(-4, 4, (spots, 1, 3)) * [1.5, 1, 1]
    layers = {}
    for name, each, size in (("splash", 6, 0.055), ("bubble", 3, 0.09), ("shimmer", 3, 0.055),
                             ("ripple", 2, 0.5)):  # fmt: skip
        at = (centres + rng.uniform(-0.3, 0.3, (spots, each, 3))).reshape(-1, 3)
        layers[name] = make_sprites(at, size=size, opacity=0.5)
    return layers


def glow_mesh(size: float) -> dw.Mesh:
    """A quad with a picture of its own, as the seed's meshes had."""
    y, x = (np.mgrid[0:32, 0:32] + 0.5) / 16 - 1
    picture = np.full((32, 32, 4), 255, np.uint8)
    picture[..., 3] = 255 * np.maximum(1 - np.hypot(x, y), 0) ** 2
    corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], np.float32)
    return dw.Mesh(
        0.5 * size * corners,
        np.array([[0, 1, 2], [0, 2, 3]], np.uint32),
        uvs=np.array([[0, 1], [1, 1], [1, 0], [0, 0]], np.float32),
        material=dw.Material(
            base_color_texture=dw.MaterialTexture.from_image(picture), alpha_mode="blend",
            unlit=True, double_sided=True,
        ),
    )  # fmt: skip


def spots(bench: Bench, counts: list[int]) -> None:
    """One mesh and one draw a particle, as before the seed's layers; and layers."""
    for count in counts:
        layers = spot_particles(count)
        total = sum(map(len, layers.values()))
        for kind in ("meshes", "layers"):
            scene = dw.Scene()
            scene.sun.shadows = False
            if kind == "layers":
                scene.add(SpriteSet(list(layers.items())))
            else:
                for sprites in layers.values():
                    mesh = glow_mesh(float(sprites["size"][0]))
                    for at in sprites["position"]:
                        place = np.eye(4)
                        place[:3, 3] = at
                        scene.add(mesh, place)
            span = "scene_blended" if kind == "meshes" else "scene_particles"
            with dw.Renderer(bench.size, device=bench.device) as renderer:
                bench.time(renderer, scene, span, kind=kind, count=total, pixels="")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--count", type=int, default=10_000_000)
    parser.add_argument("--frames", type=int, default=5)
    parser.add_argument("--sizes", type=float, nargs="+", default=[0.5, 1, 4, 16])
    parser.add_argument("--spots", type=int, nargs="+", default=[10, 1000])
    parser.add_argument("--picture", default="1920x1080")
    options = parser.parse_args()
    with dw.Device(options.device) as device:
        if device.info.kind == "software":
            options.count = min(options.count, ON_SOFTWARE)
            options.spots = [min(one, 100) for one in options.spots]
            options.picture, options.frames = "480x270", min(options.frames, 3)
        bench = Bench(device, options)
        raster(bench, options.count, options.sizes)
        spots(bench, options.spots)


if __name__ == "__main__":
    main()
