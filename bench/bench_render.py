# SPDX-License-Identifier: MIT
"""Times frames of a forest: passes by the device's own clock, the call by the host's.

    python bench/bench_render.py [--device gpu] [--size 1920x1080] [--trees 1000,10000,...]
        [--samples 1] [--cutout test] [--frames 9] [--out folder]

Each row is the median over frames of a camera that moves, after warming up. "bare" draws the very
same triangles of the same trees, in one colour without textures, holes, light or shadows, and
"holes" with nothing but textures and holes, in the same run: the forest's rate is held against
theirs. Times in milliseconds; mtri_s: million triangles a second over the passes that draw the
picture, share: of the bare rate.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import statistics
import sys
import time
from pathlib import Path

import dapplewood as dw
import numpy as np

KINDS = ("bare", "holes", "forest")
DRAWING = ("scene_solid", "scene_cut")
PASSES = ("scene_cull", "scene_shadow", *DRAWING, "scene_sky", "scene_resolve", "scene_frame")
WARM_SECONDS = 1.0  # in which a card raises its clocks
SPACING = 7.0  # metres between trees
# Metres at which the coarser levels begin, and at which trees end.
DISTANCES, FADE = (40.0, 90.0), (2500.0, 3000.0)


def stripped(mesh: dw.Mesh, kind: str) -> dw.Mesh:
    """The mesh as a kind of row draws it."""
    if kind == "forest":
        return mesh
    if kind == "bare":
        return mesh.replace(material=dw.Material(unlit=True, double_sided=True))
    return mesh.replace(material=dataclasses.replace(mesh.material, unlit=True))


def plant(count: int, kind: str) -> dw.Forest:
    """Trees of eight shapes on a square lattice, each moved and turned a little."""
    names = ("oak", "birch", "pine", "spruce")
    variants = [
        [[stripped(mesh, kind) for mesh in lod] for lod in dw.samples.tree(name, seed=seed)]
        for name in names
        for seed in (0, 1)
    ]
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


def measure(
    renderer: dw.Renderer, scene: dw.Scene, frames: int
) -> tuple[dict[str, float], dw.Frame]:
    """Medians over the frames of a camera that walks, and the last frame."""
    rows: list[dict[str, float]] = []
    start = time.perf_counter()
    step = 0
    while len(rows) < frames:
        camera = dw.Camera((0.5 * step, 6.0, 2.0 * step), (0.5 * step, 4.0, 2.0 * step - 100.0),
                           far=4000.0)  # fmt: skip
        begin = time.perf_counter()
        frame = renderer.render(scene, camera, time=step / 60)
        call = 1e3 * (time.perf_counter() - begin)
        step += 1
        if begin - start < WARM_SECONDS or step <= 3:
            step = min(step, 3)  # measured frames show the same places, however many warm up
            continue
        stats = frame.stats
        passes = {name: stats.milliseconds.get(name, 0.0) for name in PASSES}
        drawn = sum(passes[name] for name in DRAWING)
        rows.append({
            "draw_calls": stats.draw_calls, "instances": stats.instances,
            "triangles": stats.triangles, **passes, "call": call,
            "mtri_s": stats.triangles / max(drawn, 1e-6) / 1e3,
        })  # fmt: skip
    return {name: statistics.median(row[name] for row in rows) for name in rows[0]}, frame


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
            found = {}
            for kind in KINDS:
                with (
                    dw.Renderer(
                        (width, height), samples=options.samples, cutout=options.cutout,
                        device=device,
                    ) as renderer,
                    plant(count, kind) as forest,
                ):  # fmt: skip
                    scene = dw.Scene()
                    scene.sun.shadows = bool(options.shadows) and kind == "forest"
                    scene.add(forest)
                    found[kind], frame = measure(renderer, scene, options.frames)
                if options.out is not None:
                    options.out.mkdir(parents=True, exist_ok=True)
                    frame.save(options.out / f"{kind}_{count}.png")
            for kind, row in found.items():
                line = {"what": kind, "trees": count, "size": options.size}
                line |= {"samples": options.samples, "cutout": options.cutout}
                line |= {name: round(value, 4) for name, value in row.items()}
                line["share"] = round(row["mtri_s"] / found["bare"]["mtri_s"], 3)
                if writer is None:
                    writer = csv.DictWriter(sys.stdout, list(line))
                    writer.writeheader()
                writer.writerow(line)
                sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
