# SPDX-License-Identifier: MIT
"""Dither patterns: ranks of pixels, and which of them an amount discards."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .kinds import DitherPattern, DitherRule, kind_of
from .noise_spectrum import Spectrum, spectrum

__all__ = [
    "Spectrum",
    "blue_noise",
    "discard_count",
    "discard_mask",
    "dither_ranks",
    "spectrum",
]

_SIDES = {"BAYER4": 4, "BAYER8": 8, "BAYER16": 16, "BLUE": 64, "HASH": 128}
_HASH_RANKS = 1 << 14


@functools.lru_cache(maxsize=32)
def _blue(size: int, sigma: float, seed: int) -> NDArray[np.uint16]:
    ranks = _core.blue_noise(size, sigma, seed)
    ranks.flags.writeable = False  # it is handed out again
    return ranks


def _whole(value: Any, name: str, least: int, most: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {value!r}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} must lie in [{least}, {most}], got {number}")
    return number


def _real(value: Any, name: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, got {value!r}") from None


def blue_noise(size: int = 64, *, sigma: float = 1.9, seed: int = 0) -> NDArray[np.uint16]:
    """Make blue-noise ranks: near ranks lie far apart, and no direction stands out.

    Parameters
    ----------
    size : int, optional
        Side in pixels, a power of two from 8 to 256.
    sigma : float, optional
        Reach in pixels of the Gaussian that spreads them, 0.5 to 8. Larger is more even in all
        directions, and a little less blue.
    seed : int, optional
        0 to 2^64 - 1. The same seed gives the same ranks on every machine.

    Returns
    -------
    (size, size) ndarray of uint16
        A permutation of 0 to size^2 - 1 that tiles without a seam. Read-only: it is made once and
        handed out again.

    Raises
    ------
    ValueError
        A size that is no power of two, or an argument out of range.

    Notes
    -----
    The void-and-cluster method (Ulichney 1993) with integer energies.
    """
    size = _whole(size, "size", 1, 1 << 16)
    return _blue(size, _real(sigma, "sigma"), _whole(seed, "seed", 0, (1 << 64) - 1))


def _table(pattern: DitherPattern, size: int | None, seed: int) -> NDArray[np.uint16] | None:
    if pattern != DitherPattern.BLUE:
        return None
    return blue_noise(_SIDES["BLUE"] if size is None else size, seed=seed)


def dither_ranks(
    pattern: DitherPattern | str, *, size: int | None = None, seed: int = 0
) -> NDArray[np.uint16]:
    """Give the rank of each pixel of one tile of a pattern.

    Parameters
    ----------
    pattern : DitherPattern or str
        ``"bayer4"``, ``"bayer8"``, ``"bayer16"``, ``"blue"`` or ``"hash"``.
    size : int, optional
        Side in pixels. None: 4, 8 and 16 for the Bayer patterns, which have no other; 64 for
        ``"blue"``, a power of two from 8 to 256; 128 for ``"hash"``, any.
    seed : int, optional
        Of ``"blue"``; the instance of ``"hash"``. Bayer patterns have none.

    Returns
    -------
    (size, size) ndarray of uint16
        A permutation of 0 to size^2 - 1; of ``"hash"``, independent numbers below 2^14.
    """
    kind = kind_of(DitherPattern, pattern, "pattern")
    side = _SIDES[kind.name] if size is None else _whole(size, "size", 1, 1 << 14)
    if kind.name.startswith("BAYER") and side != _SIDES[kind.name]:
        raise ValueError(f"size of {kind.name.lower()} is {_SIDES[kind.name]}, got {side}")
    table = _table(kind, side, seed)
    if table is not None:
        return table.copy()
    instance = _whole(seed, "seed", 0, (1 << 32) - 1)
    return _core.dither_ranks(int(kind), side, side, None, instance, 0, 0)


def _amounts(amount: ArrayLike) -> NDArray[np.float32]:
    """Amounts in [0, 1], float64 rounded once."""
    array = np.asarray(amount)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"amount must be a number or an array of them, got {amount!r}")
    if not np.isfinite(array).all():
        raise ValueError(f"amount must be finite, got {array[~np.isfinite(array)].flat[0]}")
    return np.clip(array, 0, 1).astype(np.float32)


def _rank_total(ranks: Any) -> int:
    total = ranks.size if isinstance(ranks, np.ndarray) else _whole(ranks, "ranks", 1, 1 << 16)
    if total < 1 or total > 1 << 16 or total & (total - 1):
        raise ValueError(f"ranks must be a power of two up to 65536, got {total}")
    return total


def discard_count(
    amount: ArrayLike, ranks: int | NDArray[Any], *, rule: DitherRule | str = "centred"
) -> Any:
    """Count the ranks that an amount of dithering discards: those below the result.

    Parameters
    ----------
    amount : float or array_like
        0 keeps all, 1 discards all; beyond that counts as 0 and 1. Rounded once to float32.
    ranks : int or ndarray
        How many ranks the pattern has, a power of two up to 65536; or the ranks themselves.
    rule : DitherRule or str, optional
        ``"centred"``: rank k goes when (k + 0.5) / N < amount. ``"seed"``: when k / N <= amount
        and amount >= 0.001. ``"strict"``: when k / N < amount.

    Returns
    -------
    int, or ndarray of uint32 of the shape of `amount`

    Raises
    ------
    ValueError
        NaN or infinity; a number of ranks that is no power of two.
    """
    kind = kind_of(DitherRule, rule, "rule")
    counts = _core.discard_counts(_amounts(amount), _rank_total(ranks), int(kind))
    return counts if counts.ndim else int(counts)


def _pattern_of(
    pattern: DitherPattern | str | NDArray[Any], size: int | None, seed: int
) -> tuple[DitherPattern, NDArray[np.uint16] | None]:
    if isinstance(pattern, np.ndarray):
        if pattern.dtype != np.uint16 or pattern.ndim != 2:
            raise TypeError(
                "pattern must be a DitherPattern, a word or a 2-D uint16 array of ranks, got "
                f"{pattern.ndim}-D {pattern.dtype}"
            )
        return DitherPattern.BLUE, pattern
    kind = kind_of(DitherPattern, pattern, "pattern")
    if size is not None and kind != DitherPattern.BLUE:
        raise ValueError(f"size is that of a blue pattern, got {size} for {kind.name.lower()}")
    return kind, _table(kind, size, seed)


def discard_mask(
    amount: ArrayLike,
    shape: tuple[int, int],
    *,
    pattern: DitherPattern | str | NDArray[np.uint16] = "bayer4",
    rule: DitherRule | str = "centred",
    origin: tuple[int, int] = (0, 0),
    instance: int = 0,
    size: int | None = None,
    seed: int = 0,
    device: _core.Device | None = None,
) -> NDArray[np.bool_]:
    """Tell which pixels an amount of dithering discards, as the shaders do, pixel for pixel.

    Parameters
    ----------
    amount : float or array_like
        As `discard_count` takes it. Each amount has its own mask.
    shape : (int, int)
        Height and width in pixels.
    pattern : DitherPattern, str or (N, N) ndarray of uint16, optional
        Or ranks of your own, a permutation of 0 to N^2 - 1; N is a power of two from 8 to 256.
    rule : DitherRule or str, optional
        See `discard_count`.
    origin : (int, int), optional
        x and y of the first pixel, which may be negative.
    instance : int, optional
        Of ``"hash"``: each has its own mask. That of a forest's tree is its row,
        ``forest.dissolve.rows(id)``, whatever else the scene holds.
    size, seed : int, optional
        Of ``"blue"``: as `blue_noise` takes them.
    device : Device, optional
        Where to compute it. None: on this thread. All give the same pixels.

    Returns
    -------
    ndarray of bool
        The shape of `amount`, then `shape`. True where a fragment is discarded.

    Raises
    ------
    ValueError
        NaN or infinity; a shape, origin or instance out of range.
    CapacityError
        More than 2^31 pixels in all.
    """
    kind, table = _pattern_of(pattern, size, seed)
    amounts = _amounts(amount)
    height, width = (_whole(side, "shape", 0, 1 << 20) for side in _pair(shape, "shape"))
    x, y = (_whole(at, "origin", -(1 << 31), (1 << 31) - 1) for at in _pair(origin, "origin"))
    masks = _core.discard_masks(
        device,
        amounts.reshape(-1),
        height,
        width,
        int(kind),
        int(kind_of(DitherRule, rule, "rule")),
        table,
        x,
        y,
        _whole(instance, "instance", 0, (1 << 32) - 1),
    )
    return masks.reshape((*amounts.shape, height, width))


def _pair(value: Any, name: str) -> tuple[Any, Any]:
    try:
        first, second = value
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be two integers, got {value!r}") from None
    return first, second
