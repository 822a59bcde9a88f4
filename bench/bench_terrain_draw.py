# SPDX-License-Identifier: MIT
"""Times terrain of 8 materials in a picture: all of them blended, beside one chosen a cell.

    python bench/bench_terrain_draw.py [--device gpu] [--picture 1920x1080] [--frames 9]

CSV on standard output. The heightfield has 1025 x 1025 heights, materials have albedo and normal
maps of 1024 texels, and no weight is 0 anywhere, so that "smooth" samples all 8 (2 taps of shares,
16 of materials) and the others one (2 words of weights, 1 of noise, 2 taps). View "near" shows
ground within 40 m, "far" a landscape up to the horizon. terrain_ms is the device's own clock of the
terrain's pass in the median frame, frame_ms that of the whole frame; of_smooth how many times as
fast as smooth that is, in the same run.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys

import dapplewood as dw
import numpy as np

FIELDS = ("device", "view", "mode", "picture", "triangles", "terrain_ms", "frame_ms",
          "terrain_of_smooth", "frame_of_smooth")  # fmt: skip
MODES = ("smooth", "dithered", "priority", "priority_additive", "dominant_accent")
MATERIALS = 8


def texture(rng: np.random.Generator, side: int) -> np.ndarray:
    """(side, side, 4) of noise at all scales."""
    image = np.zeros((side, side, 3))
    for level in range(2, int(np.log2(side)) + 1):
        coarse = rng.normal(size=(2**level, 2**level, 3))
        image += np.repeat(np.repeat(coarse, side >> level, 0), side >> level, 1) / 2.0
    level = np.full((side, side, 4), 255, np.uint8)
    level[..., :3] = np.clip(110 + 30 * image, 0, 255)
    return level


def make_terrain() -> dw.Terrain:
    rng = np.random.default_rng(7)
    y, x = np.mgrid[0:1025, 0:1025] / 1024.0
    heights = 12 * np.sin(9 * x + 1) * np.cos(8 * y) + 2 * np.sin(40 * x + 30 * y)
    y, x = np.mgrid[0:1024, 0:1024] / 1024.0
    turns = rng.uniform(0, 6.28, (MATERIALS, 2))
    waves = rng.uniform(40, 160, (MATERIALS, 2))
    weights = np.stack(
        [2 + np.sin(a * x + s) + np.cos(b * y + t) for (a, b), (s, t) in zip(waves, turns)], axis=2
    )
    codes = np.rint(weights / weights.sum(axis=2, keepdims=True) * 254 + 1).astype(np.uint8)
    materials = [
        dw.TerrainMaterial(
            texture(rng, 1024),
            normal=dw.MaterialTexture((texture(rng, 1024),), color_space="linear"),
            scale=2.0 + i,
        )
        for i in range(MATERIALS)
    ]
    return dw.Terrain(heights, codes, materials, cell_size=1.0, position=(-512.0, 0.0, -512.0))


def views(terrain: dw.Terrain) -> dict[str, dw.Camera]:
    ground = terrain.height_at(0.0, 0.0)
    return {
        "near": dw.Camera((0, ground + 16, 0), (0, ground, -12)),
        "far": dw.Camera((0, ground + 12, 0), (0, ground + 6, -40)),
    }


def median_times(renderer: dw.Renderer, scene: dw.Scene, camera: dw.Camera, frames: int):
    terrain, whole = [], []
    for i in range(frames + 2):
        stats = renderer.render(scene, camera).stats
        if i >= 2:
            terrain.append(stats.milliseconds["scene_terrain"])
            whole.append(stats.milliseconds["scene_frame"])
    return stats, statistics.median(terrain), statistics.median(whole)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--picture", default="1920x1080")
    parser.add_argument("--frames", type=int, default=9)
    parser.add_argument("--views", nargs="+", default=["near", "far"])
    parser.add_argument("--modes", nargs="+", default=list(MODES))
    parser.add_argument("--cell", type=float, default=0.25)
    parser.add_argument("--filter", default="nearest")
    parser.add_argument("--save", metavar="FOLDER")
    options = parser.parse_args()
    size = tuple(int(part) for part in options.picture.split("x"))
    terrain = make_terrain()
    terrain.filter = options.filter
    scene = dw.Scene()
    scene.add(terrain)
    writer = csv.DictWriter(sys.stdout, FIELDS)
    writer.writeheader()
    with dw.Device(options.device) as device, dw.Renderer(size, device=device) as renderer:
        for view, camera in views(terrain).items():
            first: tuple[float, float] | None = None
            for mode in options.modes if view in options.views else ():
                terrain.transition = dw.Transition(mode, cell=options.cell)
                stats, terrain_ms, frame_ms = median_times(
                    renderer, scene, camera, options.frames
                )
                first = first or (terrain_ms, frame_ms)
                writer.writerow(
                    {
                        "device": device.info.name, "view": view, "mode": mode,
                        "picture": options.picture, "triangles": stats.terrains[0].triangles,
                        "terrain_ms": f"{terrain_ms:.4f}", "frame_ms": f"{frame_ms:.4f}",
                        "terrain_of_smooth": f"{first[0] / terrain_ms:.2f}",
                        "frame_of_smooth": f"{first[1] / frame_ms:.2f}",
                    }
                )  # fmt: skip
                sys.stdout.flush()
                if options.save:
                    frame = renderer.render(scene, camera)
                    frame.save(f"{options.save}/terrain_{view}_{mode}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
