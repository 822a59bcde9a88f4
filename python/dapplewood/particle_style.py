# SPDX-License-Identifier: MIT
"""How layers of particles look: what one draw call of each shows."""

from __future__ import annotations

import dataclasses
import operator
from typing import Any

import numpy as np

from . import _core
from .kinds import ParticleLayer
from .layouts import record_dtype
from .materials import MaterialTexture, _check_number, _check_word

__all__ = ["LAYER_STYLES", "ParticleStyle", "style_record"]

_STRETCH_MOST = float(_core.CONSTANTS["PARTICLE_STRETCH_MOST"])
_ASPECT_MOST = round(float(_core.CONSTANTS["PARTICLE_ASPECT_MOST"]), 6)
_SIDE_MOST = 64  # frames along one side of a flipbook
_GLOW_MOST = 1e4


def _words(prefix: str) -> dict[str, int]:
    """Numbers of the core by their words, "add" for DW_PARTICLE_BLEND_ADD."""
    return {
        name.removeprefix(prefix).lower(): int(value)
        for name, value in _core.CONSTANTS.items()
        if name.startswith(prefix)
    }


BLENDS = _words("PARTICLE_BLEND_")
FACES = _words("PARTICLE_FACE_")
IMAGES = _words("PARTICLE_IMAGE_")
_PROCEDURAL = tuple(word for word in IMAGES if word != "texture")


def _frames_of(value: Any) -> tuple[int, int]:
    try:
        columns, rows = (operator.index(side) for side in value)
    except (TypeError, ValueError):
        columns = rows = 0
    if not (1 <= columns <= _SIDE_MOST and 1 <= rows <= _SIDE_MOST):
        raise ValueError(
            f"frames must be (columns, rows), each 1 to {_SIDE_MOST}, got {value!r}"
        )
    return columns, rows


@dataclasses.dataclass(frozen=True, eq=False)
class ParticleStyle:
    """How a layer of particles looks. One draw call shows all of a layer.

    Parameters
    ----------
    blend : {"add", "premultiplied", "sorted"}
        "add": light on top of what is there. "premultiplied": over what is there, in any order;
        of an image its colours are taken as multiplied by alpha, so that what has colour without
        alpha adds. "sorted": over what is there, the farthest first.
    face : {"camera", "flat", "streak"}
        Turned to the camera; flat on the ground; or stretched along the way it moves, and turned
        about that to the camera.
    image : {"glow", "ring", "flame", "puff", "chip", "streak"}, or a picture
        Computed pictures by word; or a MaterialTexture, Image, (h, w, 4) array or path, with
        straight alpha unless `blend` is "premultiplied".
    frames : (columns, rows)
        Of a flipbook in the picture, read row by row from the upper left. Frames are blended.
    sharpness : float
        Exponent of the falloff of "glow".
    aspect : float
        Height of a particle, in widths, up to 1.8. Its size is the width.
    soft : float
        Metres in front of a surface over which particles fade; 0: they are cut off.
    stretch : float
        Length of a streak in widths, up to 16.
    glow : float
        What the light of a particle is multiplied by.
    lit : bool, optional
        Whether sun and sky light it; None: all but what adds.
    specks : bool, optional
        Whether particles of added "glow" less than 1.5 pixels wide are added to the picture as
        light, without drawing quads, which is exact and does not flicker; None: in layers of
        65,536 particles or more, where it is also faster.
    name : str
        For people.

    Raises
    ------
    ValueError
        An argument out of range, or a picture that cannot be read.

    Examples
    --------
    >>> smoke = dw.ParticleStyle(blend="sorted", image="smoke.png", frames=(8, 8), soft=0.5)
    """

    blend: str = "add"
    face: str = "camera"
    image: Any = "glow"
    frames: tuple[int, int] = (1, 1)
    sharpness: float = 2.0
    aspect: float = 1.0
    soft: float = 0.0
    stretch: float = 4.0
    glow: float = 1.0
    lit: bool | None = None
    specks: bool | None = None
    name: str = ""

    def __post_init__(self) -> None:
        _check_word(self.blend, "blend", tuple(BLENDS))
        _check_word(self.face, "face", tuple(FACES))
        _check_number(self.sharpness, "sharpness", 0.0, 64.0)
        _check_number(self.aspect, "aspect", 1e-3, _ASPECT_MOST)
        _check_number(self.soft, "soft", 0.0, 1e6)
        _check_number(self.stretch, "stretch", 1.0, _STRETCH_MOST)
        _check_number(self.glow, "glow", 0.0, _GLOW_MOST)
        object.__setattr__(self, "frames", _frames_of(self.frames))
        if isinstance(self.image, str) and self.image in _PROCEDURAL:
            if self.frames != (1, 1):
                raise ValueError(
                    f"frames must be (1, 1) for the computed image {self.image!r}: only pictures "
                    f"have frames, got {self.frames}"
                )
        elif not isinstance(self.image, MaterialTexture):
            object.__setattr__(self, "image", self._texture_of(self.image))

    def _texture_of(self, image: Any) -> MaterialTexture:
        """A picture with the levels that it is drawn by, no frame mixed with another."""
        from .atlas import bake_atlas
        from .tiles import TileGrid

        if isinstance(image, str) and "." not in image and "/" not in image:
            words = ", ".join(_PROCEDURAL)
            raise ValueError(
                f"image must be one of {words}, or a picture or its path, got {image!r}"
            )
        columns, rows = self.frames
        plain = MaterialTexture.from_image(image, wrap="clamp")
        if len(plain.levels) > 1:
            return plain
        height, width = plain.levels[0].shape[:2]
        if width % columns or height % rows:
            raise ValueError(
                f"frames = {self.frames} must divide the picture's {width} x {height} pixels"
            )
        baked = bake_atlas(
            plain.levels[0],
            tiles=TileGrid(columns, rows) if columns * rows > 1 else None,
            color_space=plain.color_space,
            coverage="none",
            fill="keep",
        )
        return MaterialTexture(
            baked.levels, color_space=plain.color_space, wrap="clamp", name=plain.name
        )

    @property
    def is_lit(self) -> bool:
        return self.blend != "add" if self.lit is None else bool(self.lit)


# What a layer's row in the registry does not say.
_LOOKS: dict[str, dict[str, float]] = {
    "pillar": {"aspect": 1.4, "soft": 0.35},
    "base": {"aspect": 0.6, "soft": 0.35},
    "wisp": {"soft": 0.1},
    "flame": {"aspect": 1.8, "soft": 0.12},
    "magic": {"soft": 0.05},
    "dust": {"soft": 0.25},
    "fog": {"soft": 2.5},
    "rain": {"stretch": 16.0},
    "snow": {"soft": 0.4},
    "mote": {"soft": 0.3, "glow": 1.5},
    "impact": {"stretch": 6.0},
    "blood": {"stretch": 2.0},
}


def _builtin_styles() -> dict[Any, ParticleStyle]:
    words = [{value: word for word, value in table.items()} for table in (BLENDS, FACES, IMAGES)]
    styles = {}
    for layer, row in zip(ParticleLayer, _core.PARTICLE_LAYERS):
        blend, face, image = (table[number] for table, number in zip(words, row))
        name = layer.name.lower()
        styles[layer] = ParticleStyle(
            blend, face, image, sharpness=row[3], name=name, **_LOOKS.get(name, {})
        )
    return styles


LAYER_STYLES: dict[Any, ParticleStyle] = _builtin_styles()


def style_record(style: ParticleStyle, texture: int, *, linear: bool = False) -> np.ndarray:
    """One dw_particle_style. texture: the renderer's, of a picture; linear: colours are light."""
    record = np.zeros((), record_dtype("dw_particle_style"))
    word = style.image if isinstance(style.image, str) else "texture"
    record["blend"], record["face"] = BLENDS[style.blend], FACES[style.face]
    record["image"], record["texture"] = IMAGES[word], texture
    record["columns"], record["rows"] = style.frames
    flags = {
        "STYLE_IS_LIT": style.is_lit,
        "STYLE_IS_LINEAR": linear,
        "STYLE_IS_SPECKS": style.specks is True,
        "STYLE_NO_SPECKS": style.specks is False,
    }
    record["flags"] = sum(int(_core.CONSTANTS[name]) for name, given in flags.items() if given)
    for name in ("sharpness", "aspect", "soft", "stretch", "glow"):
        record[name] = getattr(style, name)
    return record
