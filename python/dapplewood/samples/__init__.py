# SPDX-License-Identifier: MIT
"""Sample foliage: atlases and cards drawn from nothing but NumPy and a seed.

The cards have what real cutout textures have: soft edges, veins, shaded overlaps, thin needles and
stems, wide empty parts, and black hidden under alpha 0. They need no download and no licence.
"""

from ._atlas import (fractal_card, foliage_atlas, grass_strip, labelled_atlas, leaf_card, species)

__all__ = ["foliage_atlas", "fractal_card", "grass_strip", "labelled_atlas", "leaf_card", "species"]
