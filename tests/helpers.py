# SPDX-License-Identifier: MIT
"""What several tests share: tolerances, images, references."""

from __future__ import annotations

import numpy as np

# Every tolerance of the suite, with its unit.
TOLERANCE = {
    "level_steps": 1,  # 8-bit steps between a level and the float64 reference
    "fringe_mean": 0.3,  # 8-bit steps over passing texels
    "coverage_mean": 0.6,  # points, mean over tiles, bilinear
    "coverage_worst": 6.0,  # points, worst tile with an edge of 4 texels or more
    "a2c_mean": 0.3,  # points of mean alpha
    "a2c_worst": 1.5,
    "leaf_area": 1.8,  # points of a real card's area, drawn at 20 to 120 m, by the alpha test
    "leaf_area_averaged": 0.6,  # by alpha to coverage and dither
    "pose": 1e-5,  # of a model's size: vertices in a pose
    "pose_normal": 1e-5,  # coordinates of a normal of length 1
    "particle_steps": 1.5,  # 8-bit steps between a rounded pixel and the formula
    "golden_mean": 0.5,  # 8-bit steps over all pixels and channels of a picture
    "golden_worst": 6,  # 8-bit steps of every pixel but for
    "golden_share": 0.01,  # of all pixels, along edges
    "effect_mean": 0.1,   # the same of one moment of an effect, which is smaller than its picture
    "effect_share": 0.005,
}

# What `AtlasReport.assert_within` is given for a chain that is right.
REPORT_LIMITS = {
    "bleed": 0.0,
    **{
        limit: TOLERANCE[limit]
        for limit in ("coverage_mean", "coverage_worst", "fringe_mean", "a2c_mean", "a2c_worst")
    },
}


def noise_image(width: int, height: int, *, seed: int = 0, bits: int = 8) -> np.ndarray:
    """Random colours under smooth islands of alpha, with clear and opaque parts."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    waves = np.sin(x * 0.37 + seed) * np.cos(y * 0.23) + rng.normal(0, 0.3, (height, width))
    alpha = np.clip((waves - 0.2) * 220, 0, 255).astype(np.uint8)
    image = rng.integers(0, 256, (height, width, 4), dtype=np.uint8)
    image[..., 3] = alpha
    if bits == 8:
        return image
    wide = image.astype(np.uint16) * 257
    return np.where(wide > 0, wide - rng.integers(0, 128, wide.shape, dtype=np.uint16), wide)


def decode_srgb(code: np.ndarray) -> np.ndarray:
    """Light, 0 to 1, of sRGB codes 0 to 1 (IEC 61966-2-1)."""
    return np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4)


def encode_srgb(light: np.ndarray) -> np.ndarray:
    """Codes, 0 to 1, of light 0 to 1."""
    light = np.clip(light, 0.0, 1.0)
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


def box_axis(size: int) -> np.ndarray:
    """The (size // 2, size) matrix of one box step along an axis; polyphase for odd sizes."""
    half = max(1, size // 2)
    matrix = np.zeros((half, size))
    for i in range(half):
        low, high = i * size / half, (i + 1) * size / half
        for j in range(size):
            matrix[i, j] = max(0.0, min(high, j + 1) - max(low, j)) * half / size
    return matrix


def float_levels(image: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """(colours in 8-bit steps, alpha in 8-bit steps) of each level of a lone tile, in float64."""
    most = 255.0 if image.dtype == np.uint8 else 65535.0
    alpha = image[..., 3] / most
    light = decode_srgb(image[..., :3] / most) * alpha[..., None]
    levels = []
    while True:
        safe = np.where(alpha > 0, alpha, 1.0)
        levels.append((255 * encode_srgb(light / safe[..., None]), 255 * alpha))
        if alpha.shape == (1, 1):
            return levels
        rows = box_axis(alpha.shape[0]) if alpha.shape[0] > 1 else np.eye(1)
        columns = box_axis(alpha.shape[1]) if alpha.shape[1] > 1 else np.eye(1)
        alpha = rows @ alpha @ columns.T
        light = np.einsum("ij,jkc,lk->ilc", rows, light, columns)


def bilinear_samples(alpha: np.ndarray, *, wrap: bool = False) -> np.ndarray:
    """All 4 x 4 samples a texel of an alpha plane, times 64, under clamp or wrap addressing."""
    height, width = alpha.shape
    value = alpha.astype(np.int64) * (257 if alpha.dtype == np.uint8 else 1)

    def axis(size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        index = np.repeat(np.arange(size), 4)
        offset = np.tile([-3, -1, 1, 3], size)
        other = index + np.sign(offset)
        other = other % size if wrap else np.clip(other, 0, size - 1)
        return index, other, np.abs(offset)

    y, other_y, wy = axis(height)
    x, other_x, wx = axis(width)
    rows = (8 - wy)[:, None] * value[y] + wy[:, None] * value[other_y]
    return (8 - wx)[None, :] * rows[:, x] + wx[None, :] * rows[:, other_x]
