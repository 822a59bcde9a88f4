# SPDX-License-Identifier: MIT
"""What a report holds, and how it becomes JSON and comes back."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import numpy as np

from ..tiles import LevelCaps

__all__ = ["SCHEMA_VERSION", "ChainReport", "decode", "encode"]

SCHEMA_VERSION = 1

# Measurements are kept to a millionth: a ten-thousandth of a point of coverage.
_DECIMALS = 6


def array_field(dtype: type = float) -> Any:
    """A dataclass field that holds an array of this dtype."""
    return dataclasses.field(metadata={"dtype": dtype})


def tidy(values: Any) -> np.ndarray:
    """Measured values, rounded to what is kept; minus zero becomes zero."""
    return np.round(np.asarray(values, dtype=float), _DECIMALS) + 0.0


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ChainReport:
    """One mip chain, measured. Shares lie in [0, 1]; NaN where a tile is gone.

    Attributes
    ----------
    sizes : (levels, 2) int
        Width and height in texels.
    nbytes : int
        Of all levels as RGBA8.
    coverage : (tiles, levels, cutoffs) float
        Share of bilinear samples, 4 x 4 to a texel, that pass each cutoff: of the card as it is
        drawn, without its gutter, and of the parts of texels that lie in it.
    coverage_texel : (tiles, levels, cutoffs) float
        Share of texels of the whole tile that pass.
    mean_alpha : (tiles, levels) float
        Of the whole tile, in the alpha meant for alpha to coverage or the only one there is.
    reference_coverage, reference_coverage_texel : (tiles, cutoffs) float
        What every level should have: that of level 0, or of the source where one was given.
    reference_alpha : (tiles,) float
        Mean alpha of the same.
    fringe_mean : (levels,) float
        Mean absolute colour error of passing texels, in 8-bit steps, against the alpha-weighted
        mean light of the level-0 texels under each. Rounding alone makes 0.25; past an odd size
        every chain made level by level adds a step or two of no sign, and so does any filter that
        is no box.
    fringe_signed : (levels,) float
        Mean with its sign: negative is darker than it should be.
    fringe_worst : (levels,) float
        The greatest error of one channel.
    fringe_texels : (levels,) int
        Texels that passed.
    bleed : (tiles, levels, 4) float
        Share of foreign light in a bilinear sample on the content's left, top, right and bottom
        edge: the greatest over the edge's middle half.
    bleed_corner : (tiles, levels) float
        The same, the greatest over the four corners of the content.
    distance_coverage : (tiles, distances, cutoffs) float
        Share of trilinear samples that pass, at the report's distances, on the card as it is
        drawn: without its gutter.
    """

    sizes: np.ndarray = array_field(int)
    nbytes: int
    coverage: np.ndarray = array_field()
    coverage_texel: np.ndarray = array_field()
    mean_alpha: np.ndarray = array_field()
    reference_coverage: np.ndarray = array_field()
    reference_coverage_texel: np.ndarray = array_field()
    reference_alpha: np.ndarray = array_field()
    fringe_mean: np.ndarray = array_field()
    fringe_signed: np.ndarray = array_field()
    fringe_worst: np.ndarray = array_field()
    fringe_texels: np.ndarray = array_field(int)
    bleed: np.ndarray = array_field()
    bleed_corner: np.ndarray = array_field()
    distance_coverage: np.ndarray = array_field()

    def __repr__(self) -> str:
        width, height = self.sizes[0]
        return f"<ChainReport {width}x{height}, {len(self.sizes)} levels>"

    @property
    def level_count(self) -> int:
        return len(self.sizes)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, LevelCaps):
        return value._asdict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            each.name: _plain(getattr(value, each.name))
            for each in dataclasses.fields(value)
            if each.compare
        }
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def encode(report: Any) -> str:
    """A dataclass as JSON: keys sorted, what is not finite as null."""
    return json.dumps(_plain(report), sort_keys=True, allow_nan=False, separators=(",", ":"))


def _array(value: Any, dtype: type, name: str, shape_of: Any = None) -> np.ndarray:
    try:
        return np.asarray(value, dtype=dtype)  # null becomes NaN
    except (TypeError, ValueError) as error:
        raise ValueError(f"report: {name} is no array of {dtype.__name__}: {error}") from None


def decode(kind: type, data: Any) -> dict[str, Any]:
    """Arguments of the dataclass `kind` from parsed JSON: arrays where its fields hold arrays."""
    if not isinstance(data, dict):
        raise ValueError(f"report: {kind.__name__} must be an object, got {type(data).__name__}")
    fields = [each for each in dataclasses.fields(kind) if each.compare]
    missing = [each.name for each in fields if each.name not in data]
    if missing:
        raise ValueError(f"report: {kind.__name__} lacks {', '.join(missing)}")
    return {
        each.name: _array(data[each.name], each.metadata["dtype"], each.name)
        if "dtype" in each.metadata
        else data[each.name]
        for each in fields
    }
