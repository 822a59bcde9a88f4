# SPDX-License-Identifier: MIT
"""Whether weights of few bits show steps, and what to store instead."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .terrain_forms import PackedWeights, weight_form
from .terrain_weights import pack_weights, unpack_weights

__all__ = ["WeightBanding", "weight_banding"]

_JND = 2.3  # units of CIE 1976 L*a*b* that are just noticeable (Mahy et al. 1994)
_VISIBLE = 2.0  # JND
_USUAL = 25.0  # JND between snow and grass
_RUN, _ROWS = 8, 4  # texels along and across a band
_SPAN = 0.75  # of a step, by which weights move along a band
_SHARE_LEAST = 0.01  # of the texels in transition
_STRIP = 1 << 22  # texels at a time

_XYZ_OF_RGB = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
     [0.0193339, 0.1191920, 0.9503041]]
)  # fmt: skip
_WHITE = np.array([0.95047, 1.0, 1.08883])


@dataclasses.dataclass(frozen=True)
class WeightBanding:
    """How far the steps of stored weights can be seen.

    Attributes
    ----------
    bits : int
        Of a stored weight.
    levels : int
        Distinct values that the material with the most of them has.
    longest_run : int
        Texels of the longest band: a row of equal stored weights, four rows wide, along which the
        true one goes on. 0: there is none of 8 texels or more.
    step : float
        Largest change of coverage from a band to the next that the true weights do not make.
    jump : float
        The same as a difference of colours, in just noticeable differences (JND).
    share : float
        Share of the texels in transition that lie in bands along rows, or columns if more do.
    distance : float
        JND between the two materials that differ most.
    assumed : bool
        Whether that distance is a usual one, for want of colours.
    """

    bits: int
    levels: int
    longest_run: int
    step: float
    jump: float
    share: float
    distance: float
    assumed: bool

    @property
    def visible(self) -> bool:
        """Whether steps reach 2 JND in more than 1 % of the texels in transition."""
        return self.jump >= _VISIBLE and self.share >= _SHARE_LEAST

    @property
    def advice(self) -> str:
        """``"packed"``, or ``"rgba8"`` where 4 bits show: two images of 8 bits, or dithering."""
        return "rgba8" if self.visible and self.bits < 8 else "packed" if self.bits < 8 else "rgba8"

    def to_dict(self) -> dict[str, Any]:
        """Give plain numbers and words, for JSON."""
        return {**dataclasses.asdict(self), "visible": self.visible, "advice": self.advice}

    def __str__(self) -> str:
        seen = "can be seen" if self.visible else "cannot be seen"
        apart = "taken to be" if self.assumed else "at most"
        way_out = "; store 8 bits, or pack_weights(..., dithered=True)" if self.visible else ""
        return (
            f"{self.bits} bits: bands of up to {self.longest_run} texels in {self.share:.1%} of "
            f"the transitions, steps of {self.step:.3f} and {self.jump:.2f} JND, materials {apart} "
            f"{self.distance:.0f} JND apart: {seen}{way_out}"
        )

    def _repr_html_(self) -> str:
        rows = (
            ("stored bits", f"{self.bits}, {self.levels} levels"),
            ("longest band", f"{self.longest_run} texels"),
            ("transitions in bands", f"{self.share:.1%}"),
            ("largest step", f"{self.step:.3f} of coverage"),
            ("largest jump", f"{self.jump:.2f} JND" + (" (colours assumed)" * self.assumed)),
            ("advice", "packed, 4 bits" if self.advice == "packed" else "RGBA8, 8 bits"),
        )
        cells = "".join(
            f"<tr><th style='text-align:left'>{name}</th><td>{text}</td></tr>"
            for name, text in rows
        )
        return f"<table>{cells}</table>"


def _lab(colors: ArrayLike, count: int) -> NDArray[np.float64]:
    """CIE L*a*b* of sRGB colours, white D65."""
    given = np.asarray(colors)
    if given.shape != (count, 3):
        raise ValueError(f"colors must have shape ({count}, 3), one a material, got {given.shape}")
    if given.dtype == np.uint8:
        given = given / 255
    code = np.asarray(given, np.float64)
    if not (np.isfinite(code).all() and code.min() >= 0 and code.max() <= 1):
        raise ValueError("colors must be uint8 sRGB, or sRGB numbers in [0, 1]")
    light = np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4)
    ratio = light @ _XYZ_OF_RGB.T / _WHITE
    x, y, z = np.where(ratio > 216 / 24389, np.cbrt(ratio), ratio * (24389 / 3132) + 16 / 116).T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], -1)


def _shares(planes: NDArray[Any]) -> NDArray[np.float32]:
    """Weights that count, divided by their sum; zeros where there are none."""
    clean = planes.astype(np.float32)
    clean[~np.isfinite(clean) | (clean < 0)] = 0
    total = clean.sum(-1, keepdims=True, dtype=np.float64)
    return np.divide(clean, total, out=clean, where=total > 1e-6, casting="same_kind")


def weight_banding(
    weights: Any, stored: Any = None, *, colors: ArrayLike | None = None
) -> WeightBanding:
    """Measure whether stored weights show steps where the true ones go over slowly.

    Parameters
    ----------
    weights : (H, W, N) ndarray of float32, float16 or uint8
        The true weights, 2 to 16 materials.
    stored : PackedWeights, or ndarray of uint8, optional
        What they became. None: ``pack_weights(weights)``.
    colors : (N, 3) array_like, optional
        Mean colour of each material: sRGB, uint8 or numbers in [0, 1]. None: all pairs are taken
        to lie 25 JND apart, as grass and snow do.

    Returns
    -------
    WeightBanding

    Raises
    ------
    ValueError, TypeError
        Shapes or dtypes that are not meant.

    Notes
    -----
    A band is a run of 8 texels or more, four rows wide, along which a stored weight stands still
    while the true one moves by three quarters of a step. What is judged is the change at its ends
    that the true weights do not make, as a mix of colours in CIE L*a*b*, where 2.3 units are just
    noticeable. 4 bits step by 1/15: materials of up to 30 JND apart can be packed.
    """
    true = weight_form(weights)
    if true.kind != "planes":
        raise TypeError("weights must be true weights, an array of shape (H, W, N)")
    if stored is None:
        stored = pack_weights(true.array)
    bits = 4 if isinstance(stored, PackedWeights) else 8
    codes = _codes(stored, true.slots, true.array.shape[:2])
    lab = np.zeros((true.slots, 3)) if colors is None else _lab(colors, true.slots)
    apart = np.linalg.norm(lab[:, None] - lab[None], axis=-1).max() / _JND
    both = []
    for across in (0, 1):
        found = _Bands(None if colors is None else lab, (1 << bits) - 1)
        planes, stored_planes = (
            array.swapaxes(0, 1) if across else array for array in (true.array, codes)
        )
        for rows in _strips(planes.shape):
            found.add(_shares(planes[rows]), stored_planes[rows])
        both.append(found)
    return WeightBanding(
        bits=bits,
        levels=max(len(np.unique(codes[..., i])) for i in range(true.slots)),
        longest_run=max(found.longest for found in both),
        step=max(found.step for found in both),
        jump=max(found.jump for found in both),
        share=max(found.texels / max(found.moving, 1) for found in both),
        distance=_USUAL if colors is None else float(apart),
        assumed=colors is None,
    )


def _codes(stored: Any, slots: int, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    if isinstance(stored, PackedWeights):
        codes = unpack_weights(stored, dtype=np.uint8)
    else:
        codes = weight_form(stored, "stored").array
    if codes.dtype != np.uint8:
        raise TypeError(f"stored must be uint8 or a PackedWeights, got {codes.dtype}")
    if codes.shape[:2] != shape or codes.shape[2] < slots:
        raise ValueError(
            f"stored must have the texels and materials of weights, {(*shape, slots)}, got "
            f"{codes.shape}"
        )
    return codes[..., :slots]


def _strips(shape: tuple[int, ...]) -> Iterator[slice]:
    """Rows at a time; those that a band needs beyond its first belong to two strips."""
    height, width, _ = shape
    rows = max(_STRIP // width, _ROWS)
    for begin in range(0, max(height - _ROWS + 1, 1), rows):
        yield slice(begin, begin + rows + _ROWS - 1)


class _Bands:
    """What was found along rows so far."""

    def __init__(self, lab: NDArray[np.float64] | None, top: int) -> None:
        self.lab, self.top = lab, top
        self.longest = self.texels = self.moving = 0
        self.step = self.jump = 0.0

    def add(self, true: NDArray[np.float32], codes: NDArray[np.uint8]) -> None:
        wide = min(_ROWS, true.shape[0])
        total = codes.sum(-1, keepdims=True, dtype=np.int32)
        excess = np.diff(codes / np.maximum(total, 1).astype(np.float32) - true, axis=1)
        self.moving += int(((true > 0) & (true < 1)).any(-1)[: len(true) - wide + 1].sum())
        banded = np.zeros((true.shape[0] - wide + 1, true.shape[1]), bool)
        for i in range(true.shape[2]):
            same = codes[:, 1:, i] == codes[:, :-1, i]
            still = np.lib.stride_tricks.sliding_window_view(same, wide, axis=0).all(-1)
            self._runs(still, true[..., i], excess, wide, banded)
        self.texels += int(banded.sum())

    def _runs(self, still: Any, true: Any, excess: Any, wide: int, banded: Any) -> None:
        edges = np.diff(np.pad(still, ((0, 0), (1, 1))).astype(np.int8), axis=1)
        row, begin = np.nonzero(edges == 1)
        end = np.nonzero(edges == -1)[1]  # the run's texels are begin to end, both counted
        moved = np.abs(true[row, end] - true[row, begin]) * self.top
        band = (end - begin + 1 >= _RUN) & (moved >= _SPAN)
        row, begin, end = row[band], begin[band], end[band]
        if not len(row):
            return
        self.longest = max(self.longest, int((end - begin).max()) + 1)
        marks = np.zeros((banded.shape[0], banded.shape[1] + 1), np.int32)
        np.add.at(marks, (row, begin), 1)
        np.add.at(marks, (row, end + 1), -1)
        banded |= marks.cumsum(1)[:, :-1] > 0
        for at, there in ((begin - 1, begin > 0), (end, end < excess.shape[1])):
            pairs = [excess[row[there] + k, at[there]] for k in range(wide)]
            for changes in pairs:
                if len(changes):
                    self.step = max(self.step, float(np.abs(changes).max()))
                    self.jump = max(self.jump, self._jump(changes))

    def _jump(self, changes: NDArray[np.float32]) -> float:
        if self.lab is None:
            return float(np.abs(changes).max()) * _USUAL
        return float(np.linalg.norm(changes @ self.lab, axis=-1).max()) / _JND
