#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# On a machine with a GPU: builds, proves that its bytes are those of native C, then measures.
#
# Needs a compiler, NumPy, pytest and a Vulkan loader. Without glslang the SPIR-V of an earlier
# build in shaders/generated is used; DW_VOLK_INCLUDE names the folder of volk.h and the Vulkan
# headers where the compiler does not find them. PYTHON chooses the interpreter.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python="${PYTHON:-python3}"

"$python" setup.py -q build_ext --inplace
export PYTHONPATH="$PWD/python${PYTHONPATH:+:$PYTHONPATH}"
"$python" -c 'import dapplewood as dw; print(*dw.devices(), sep="\n")'
export DAPPLEWOOD_TEST_DEVICE="${DAPPLEWOOD_TEST_DEVICE:-gpu}"
"$python" -m pytest -q -p no:cacheprovider tests/gpu/test_selftest.py \
    tests/gpu/test_*_parity.py tests/gpu/test_render_*.py tests/gpu/test_trace_image.py \
    tests/gpu/test_particles_simulated.py \
    tests/unit/test_trees.py tests/unit/test_trees_drift.py tests/unit/test_model_trees.py
"$python" bench/bench_atlas_gpu.py "$@"
"$python" bench/bench_dither.py
"$python" bench/bench_forest.py --check
"$python" bench/bench_skin.py --device gpu --check
"$python" bench/bench_particles_gpu.py --check --frames 3000
"$python" bench/bench_particles_step.py --device gpu --check
"$python" bench/bench_particles_simulated.py --device gpu --particles 10000000 --frames 100
"$python" bench/bench_particles_draw.py --device gpu
"$python" bench/bench_trees_gpu.py
"$python" bench/bench_trees_updates.py --device gpu
"$python" bench/bench_terrain_draw.py --device gpu --frames 30
"$python" bench/bench_terrain_compose.py --device gpu --check
"$python" bench/bench_render.py ${OUT:+--out "$OUT"}
