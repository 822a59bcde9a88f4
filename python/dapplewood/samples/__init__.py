# SPDX-License-Identifier: MIT
"""Sample foliage: atlases, cards and whole trees drawn from nothing but NumPy and a seed.

The cards have what real cutout textures have: soft edges, veins, shaded overlaps, thin needles and
stems, wide empty parts, and black hidden under alpha 0. The trees, bushes, rocks and the ground are
meshes with materials, ready for a forest; the character has a skin and animations; the pond, the
altar and the fires are places for particles; the map has weights for terrain. They need no
download and no licence.
"""

from ._atlas import (fractal_card, foliage_atlas, grass_strip, labelled_atlas, leaf_card, species)
from ._glade import Glade, glade
from ._models import Ground, bush, grass, ground, rock, stump, tree, tree_species
from ._particle_scene import ParticleScene, close_ups, particle_scene
from ._pond_glade import PondGlade, pond_glade
from ._props import altar, campfire, lilies, reeds, torch
from ._terrain_map import TerrainMap, terrain_map
from ._walker import character
from ._walker_moves import WALK_SPEED

__all__ = ["WALK_SPEED", "Glade", "Ground", "ParticleScene", "PondGlade", "TerrainMap", "altar",
           "bush", "campfire", "character", "close_ups", "foliage_atlas", "fractal_card", "glade",
           "grass", "grass_strip", "ground", "labelled_atlas", "leaf_card", "lilies",
           "particle_scene", "pond_glade", "reeds", "rock", "species", "stump", "terrain_map",
           "torch", "tree", "tree_species"]
