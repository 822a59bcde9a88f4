# SPDX-License-Identifier: MIT
"""The sample foliage: shape, gutters, repeatability, edges, coverage, errors."""

import hashlib

import numpy as np
import pytest

from dapplewood import samples


@pytest.fixture(scope="module")
def atlas():
    return samples.labelled_atlas(1024, 4, 4, 8, 0)


def _tiles(image, columns, rows):
    height, width = image.shape[0] // rows, image.shape[1] // columns
    for row in range(rows):
        for column in range(columns):
            yield image[row * height : (row + 1) * height, column * width : (column + 1) * width]


def test_shape_dtype_and_grid(atlas):
    image, grid, labels = atlas
    assert image.shape == (1024, 1024, 4)
    assert image.dtype == np.uint8
    assert (grid.columns, grid.rows, grid.gutter) == (4, 4, 8)
    assert labels == samples.species()[:16]
    assert len(samples.species()) >= 12


def test_gutter_is_empty(atlas):
    image, _, _ = atlas
    for tile in _tiles(image, 4, 4):
        outside = np.ones(tile.shape[:2], bool)
        outside[8:-8, 8:-8] = False
        assert not tile[outside].any()
        assert tile[8:-8, 8:-8, 3].any()


def test_colour_under_alpha_zero_is_black(atlas):
    image, _, _ = atlas
    assert not image[image[..., 3] == 0].any()


def test_errors():
    with pytest.raises(ValueError, match="columns 3"):
        samples.foliage_atlas(256, 3, 2)
    with pytest.raises(ValueError, match="32 are needed"):
        samples.foliage_atlas(256, 8, 8, 8)
    with pytest.raises(ValueError, match="gutter"):
        samples.foliage_atlas(256, 2, 2, -1)


def test_equal_seeds_give_equal_bytes():
    first, second = (samples.foliage_atlas(256, 2, 2, 4, 7)[0] for _ in range(2))
    other = samples.foliage_atlas(256, 2, 2, 4, 8)[0]
    digest = [hashlib.sha256(image.tobytes()).hexdigest() for image in (first, second, other)]
    assert digest[0] == digest[1] != digest[2]
