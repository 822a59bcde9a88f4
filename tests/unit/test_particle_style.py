# SPDX-License-Identifier: MIT
"""How layers look, by the words of the registry, and what is refused."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import _core
from dapplewood.particle_style import LAYER_STYLES, style_record


def test_every_layer_has_a_style():
    assert set(LAYER_STYLES) == set(dw.ParticleLayer)
    for layer, row in zip(dw.ParticleLayer, _core.PARTICLE_LAYERS, strict=True):
        record = style_record(LAYER_STYLES[layer], 0)
        assert (record["blend"], record["face"], record["image"]) == row[:3]
        assert record["sharpness"] == row[3]
        assert record["flags"] == (0 if row[0] == 0 else 1)  # all but what adds is lit


def test_seed_colours_are_light():
    record = style_record(dw.ParticleStyle(lit=True), 7, linear=True)
    assert record["flags"] == 3
    assert record["texture"] == 7


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"blend": "over"}, "blend must be one of add, premultiplied, sorted, got 'over'"),
        ({"face": "back"}, "face must be one of camera, flat, streak"),
        ({"image": "smoke"}, "image must be one of glow, ring, flame, puff, chip, streak, or a"),
        ({"image": "glow", "frames": (2, 1)}, "only pictures have frames"),
        ({"frames": (0, 1)}, "frames must be .columns, rows., each 1 to 64"),
        ({"frames": 3}, "frames must be .columns, rows."),
        ({"sharpness": float("nan")}, "sharpness must be in"),
        ({"aspect": 1.9}, "aspect must be in .0.001, 1.8., got 1.9"),
        ({"soft": -1.0}, "soft must be in"),
        ({"stretch": 17}, "stretch must be in .1, 16., got 17"),
        ({"glow": "much"}, "glow must be in"),
    ],
)
def test_what_is_refused(options, text):
    with pytest.raises(ValueError, match=text):
        dw.ParticleStyle(**options)


def test_frames_must_divide_a_picture():
    with pytest.raises(ValueError, match=r"frames = \(3, 1\) must divide the picture's 8 x 4"):
        dw.ParticleStyle(image=np.zeros((4, 8, 4), np.uint8), frames=(3, 1))


def test_levels_of_a_flipbook_keep_frames_apart():
    """A red frame beside a blue one: no level mixes them until a frame is one texel wide."""
    sheet = np.zeros((8, 16, 4), np.uint8)
    sheet[..., 3] = 255
    sheet[:, :8, 0], sheet[:, 8:, 2] = 200, 200
    levels = dw.ParticleStyle(image=sheet, frames=(2, 1)).image.levels
    assert len(levels) >= 4
    for level in levels[:4]:
        half = level.shape[1] // 2
        assert (level[:, :half] == (200, 0, 0, 255)).all()
        assert (level[:, half:] == (0, 0, 200, 255)).all()
