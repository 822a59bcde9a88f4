# SPDX-License-Identifier: MIT
"""Our blue noise beside published textures, measured by the same ruler.

The data lie beside the repository, in `../shared/data`, or where DAPPLEWOOD_DATA says: the free
textures of Christoph Peters, in a folder `bluenoise/peters`.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import dapplewood as dw

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("DAPPLEWOOD_DATA", ROOT.parent / "shared" / "data")) / "bluenoise"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="no published noise; set DAPPLEWOOD_DATA to the folder that holds it"
)


def published(size: int) -> np.ndarray:
    return dw.read_image(DATA / "peters" / f"{size}_{size}_LDR_LLL1_0.png").array[..., 0]


@pytest.mark.parametrize("size", [64, 128, 256])
def test_ours_is_as_blue_and_as_even(size):
    theirs = dw.spectrum(published(size))
    assert theirs.low_frequency < 0.002 and abs(theirs.anisotropy_db) < 1.5  # the ruler holds
    ours = [dw.spectrum(dw.blue_noise(size, seed=seed)) for seed in range(3)]
    for found in ours:
        assert found.low_frequency < 1.2 * theirs.low_frequency
        assert abs(found.anisotropy_db) < abs(theirs.anisotropy_db) + 1
        assert np.abs(found.radial - theirs.radial).max() < 0.5


@pytest.mark.parametrize("amount", [0.1, 0.25, 0.5])
def test_masks_are_as_blue(amount):
    theirs = dw.spectrum(published(64) < 256 * amount)
    ours = dw.spectrum(dw.discard_mask(amount, (64, 64), pattern="blue"))
    assert ours.low_frequency < 1.3 * theirs.low_frequency
