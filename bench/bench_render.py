# SPDX-License-Identifier: MIT
"""Times frames of a forest: passes by the device's own clock, the call by the host's.

    python bench/bench_render.py [--device gpu] [--size 1920x1080] [--trees 1000,10000,...]
        [--samples 1] [--cutout test] [--frames 9] [--out folder]

Each row is the median over frames of a camera that moves, after warming up. "bare" rows draw as
many of the same triangles as the forest's frame did in one mesh without textures, light or
instances, in the same run: their rate is what the forest's own rate is held against. Times in
milliseconds; mtri_s: million triangles a second over the passes that draw the picture.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
import time
from pathlib import Path

import dapplewood as dw
import numpy as np

DRAWING = ("scene_solid", "scene_cut")
PASSES = ("scene_cull", "scene_shadow", *DRAWING, "scene_sky", "scene_resolve", "scene_frame")
SPACING = 7.0  # metres between trees
# Metres at which the coarser levels begin, and at which trees end.
DISTANCES, FADE = (40.0, 90.0), (2500.0, 3000.0)


def plant(count: int, device: dw.Device) -> dw.Forest:
    """Trees of eight shapes on a square lattice, each moved and turned a little."""
    names = ("oak", "birch", "pine", "spruce")
    variants = [dw.samples.tree(name, seed=seed) for name in names for seed in (0, 1)]
    forest = dw.Forest(variants=variants, distances=DISTANCES, fade=FADE)
    rng = np.random.default_rng(1)
    side = int(np.ceil(np.sqrt(count)))
    at = np.arange(count)
    places = np.stack([at % side, at // side], 1) - 0.5 * side
    places = SPACING * places + rng.uniform(-2.5, 2.5, (count, 2))
    turn, scale = rng.uniform(0, 2 * np.pi, count), rng.uniform(0.8, 1.2, count)
    matrices = np.zeros((count, 4, 4))
    matrices[:, 0, 0] = matrices[:, 2, 2] = np.cos(turn) * scale
    matrices[:, 0, 2], matrices[:, 2, 0] = np.sin(turn) * scale, -np.sin(turn) * scale
    matrices[:, 1, 1], matrices[:, 3, 3] = scale, 1.0
    matrices[:, 0, 3], matrices[:, 2, 3] = places.T
    forest.add(np.arange(count), matrices)
    forest.deplete(np.arange(0, count, 10))
    return forest


def bare_mesh(triangles: int) -> dw.Mesh:
    """The leaf and bark triangles of one tree over and over, without textures."""
    parts = dw.samples.tree("oak", lod=2)
    one = dw.Mesh.merge(parts, material=dw.Material(unlit=True))
    copies = max(1, triangles // one.triangle_count)
    side = int(np.ceil(np.sqrt(copies)))
    offsets = np.zeros((copies, 1, 3), np.float32)
    offsets[:, 0, 0] = SPACING * (np.arange(copies) % side - 0.5 * side)
    offsets[:, 0, 2] = -SPACING * (np.arange(copies) // side)
    count = len(one.positions)
    indices = one.indices[None] + (count * np.arange(copies, dtype=np.uint32))[:, None, None]
    return dw.Mesh(
        (one.positions[None] + offsets).reshape(-1, 3),
        indices.reshape(-1, 3),
        normals=np.tile(one.normals, (copies, 1)),
        material=dw.Material(unlit=True, double_sided=True),
    )


def measure(renderer: dw.Renderer, scene: dw.Scene, frames: int) -> dict[str, float]:
    """Medians over the frames of a camera that walks."""
    rows: list[dict[str, float]] = []
    for i in range(frames + 3):
        camera = dw.Camera((0.5 * i, 6.0, 2.0 * i), (0.5 * i, 4.0, 2.0 * i - 100.0), far=4000.0)
        begin = time.perf_counter()
        frame = renderer.render(scene, camera, time=i / 60)
        call = 1e3 * (time.perf_counter() - begin)
        if i >= 3:
            stats = frame.stats
            passes = {name: stats.milliseconds.get(name, 0.0) for name in PASSES}
            drawn = sum(passes[name] for name in DRAWING)
            rows.append({
                "draw_calls": stats.draw_calls, "instances": stats.instances,
                "triangles": stats.triangles, **passes, "call": call,
                "mtri_s": stats.triangles / max(drawn, 1e-6) / 1e3,
            })  # fmt: skip
    measure.last = frame  # type: ignore[attr-defined]
    return {name: statistics.median(row[name] for row in rows) for name in rows[0]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--size", default="1920x1080")
    parser.add_argument("--trees", default="1000,10000,100000,1000000")
    parser.add_argument("--samples", type=int, default=1)
    parser.add_argument("--cutout", default="test")
    parser.add_argument("--frames", type=int, default=9)
    parser.add_argument("--shadows", type=int, default=1)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    width, height = (int(part) for part in options.size.split("x"))
    writer = None
    with dw.Device(options.device) as device:
        for count in (int(part) for part in options.trees.split(",")):
            with dw.Renderer(
                (width, height), samples=options.samples, cutout=options.cutout, device=device
            ) as renderer:
                scene = dw.Scene()
                scene.sun.shadows = bool(options.shadows)
                forest = scene.add(plant(count, device))
                found = {"forest": measure(renderer, scene, options.frames)}
                if options.out is not None:
                    options.out.mkdir(parents=True, exist_ok=True)
                    measure.last.save(options.out / f"forest_{count}.png")  # type: ignore
                scene.remove(forest)
                scene.sun.shadows = False
                scene.add(bare_mesh(int(found["forest"]["triangles"])))
                found["bare"] = measure(renderer, scene, options.frames)
                forest.close()
            for kind, row in found.items():
                line = {"what": kind, "trees": count, "size": options.size}
                line |= {"samples": options.samples, "cutout": options.cutout}
                line |= {name: round(value, 4) for name, value in row.items()}
                if writer is None:
                    writer = csv.DictWriter(sys.stdout, list(line))
                    writer.writeheader()
                writer.writerow(line)
                sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
