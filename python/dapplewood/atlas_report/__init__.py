# SPDX-License-Identifier: MIT
"""What a mip chain of a foliage atlas is worth, in figures, plots and a page."""

from .model import SCHEMA_VERSION, ChainReport
from .report import AtlasReport

__all__ = ["SCHEMA_VERSION", "AtlasReport", "ChainReport"]
