# SPDX-License-Identifier: MIT
"""What a view of a forest draws, as arrays: for tests and tools."""

from __future__ import annotations

import dataclasses

import numpy as np

__all__ = ["ForestLists", "view_planes"]

OUTSIDE, FADED, CROSSED = range(3)  # the rows behind the lists that only count


def view_planes(view: np.ndarray) -> np.ndarray:
    """The six planes of a view, (6, 4) float64: inside where planes @ (x, y, z, 1) >= 0.

    Parameters
    ----------
    view : (6, 4) or (4, 4) array_like
        Planes, or a view-projection matrix that acts on column vectors and has depth 0 to 1 in
        either direction, as Vulkan does.
    """
    array = np.asarray(view, dtype=np.float64)
    if array.shape == (6, 4):
        return array
    if array.shape != (4, 4):
        raise ValueError(
            f"view must be (6, 4) planes or a (4, 4) view-projection matrix, got {array.shape}"
        )
    x, y, z, w = array
    return np.stack([w + x, w - x, w + y, w - y, z, w - z])


@dataclasses.dataclass(frozen=True, eq=False)
class ForestLists:
    """The lists of one view.

    Attributes
    ----------
    buckets : (B + 3,) structured array
        ``count`` and ``first`` entry of each list, then three rows that only count: instances
        outside the view, faded out, in a cross-fade. List ``(variant * lod_count + lod) * 2``
        holds what is drawn whole, the next one what discards fragments.
    entries : structured array
        ``row`` of the table, and ``fade``: ranks below bits 0 to 14 are discarded; with bit 31
        the instance is in a cross-fade, of which this entry keeps the ranks below bits 15 to 29
        (bit 30 set) or the others.
    states : structured array
        By row, what the view remembers: ``word`` (LOD in bits 0 to 3, LOD before in bits 4 to
        7), ``began``, ``dissolve`` (bits of a float32).
    commands : structured array
        One indexed indirect draw command for each draw.
    ids : (rows,) uint64
        The id of each row.
    lod_count, variant_count : int
    """

    buckets: np.ndarray
    entries: np.ndarray
    states: np.ndarray
    commands: np.ndarray
    ids: np.ndarray
    lod_count: int
    variant_count: int

    def bucket(self, variant: int, lod: int, *, fading: bool) -> np.ndarray:
        """The entries of one list, in the order of their rows."""
        index = (variant * self.lod_count + lod) * 2 + bool(fading)
        row = self.buckets[index]
        return self.entries[int(row["first"]) : int(row["first"]) + int(row["count"])]

    @property
    def lods(self) -> np.ndarray:
        """The LOD of each entry."""
        lists = np.arange(len(self.buckets) - 3)
        counts = self.buckets["count"][:-3]
        return np.repeat(lists // 2 % self.lod_count, counts)

    @property
    def stats(self) -> dict[str, int]:
        """How many entries are listed, ``solid`` and ``fading``, and how many instances are not:
        ``outside`` the view or ``faded`` out; ``crossfading`` ones have two entries."""
        counts = self.buckets["count"].astype(int)
        lists, extra = counts[:-3], counts[-3:]
        return {
            "listed": int(lists.sum()),
            "solid": int(lists[0::2].sum()),
            "fading": int(lists[1::2].sum()),
            "crossfading": int(extra[CROSSED]),
            "outside": int(extra[OUTSIDE]),
            "faded": int(extra[FADED]),
        }
