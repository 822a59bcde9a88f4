# SPDX-License-Identifier: MIT
"""Materials, textures and samplers of a glTF model."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from ..materials import Material, MaterialTexture
from .gltf_container import Container
from .gltf_json import Fields
from .image import Image

__all__ = ["MaterialRow", "TextureUse", "read_materials"]

_WRAPS = {10497: "repeat", 33071: "clamp", 33648: "mirror"}
_NEAREST = (9728, 9984, 9986)
_IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))


@dataclasses.dataclass(frozen=True)
class TextureUse:
    """Which texture coordinates a texture takes, and how they are moved first.

    Attributes
    ----------
    tex_coord : int
        The set, TEXCOORD_n.
    transform : 2 x 3 floats
        Takes (u, v, 1) to (u', v').
    """

    tex_coord: int = 0
    transform: tuple[tuple[float, float, float], tuple[float, float, float]] = _IDENTITY


@dataclasses.dataclass(frozen=True)
class MaterialRow:
    """A material, and what meshes of it need to know; `use` is None without any texture."""

    material: Material
    use: TextureUse | None


class _Textures:
    def __init__(self, container: Container) -> None:
        self._container = container
        root = container.root
        self._textures = root.objects("textures")
        self._images = root.objects("images")
        self._samplers = root.objects("samplers")
        self._decoded: dict[int, Image] = {}
        self._made: dict[tuple[int, str, str], MaterialTexture] = {}
        self._means: dict[int, np.ndarray] = {}

    def image_of(self, info: Fields) -> int | None:
        """Index of the image behind a textureInfo; None where it has none that is read."""
        texture = self._texture(info)
        webp = texture.extension("EXT_texture_webp")
        for fields in (webp, texture):
            if fields is not None and "source" in fields:
                return fields.index("source", len(self._images), "images")
        note = self._container.place.note
        note(f"{texture.where} has no image of a kind that is read: not drawn")
        return None

    def _texture(self, info: Fields) -> Fields:
        index = info.index("index", len(self._textures), "textures")
        if index is None:
            info.fail("index is missing")
        return self._textures[index]

    def image(self, index: int) -> Image:
        if index not in self._decoded:
            self._decoded[index] = self._container.image(self._images[index])
        return self._decoded[index]

    def make(self, info: Fields, color_space: str) -> MaterialTexture | None:
        image = self.image_of(info)
        if image is None:
            return None
        key = image, color_space, self._wrap(self._texture(info))
        if key not in self._made:
            fields = self._images[image]
            name = fields.text("name", "") or fields.text("uri", "")[:80]
            name = "" if name.startswith("data:") else name
            array = self.image(image).array
            self._made[key] = MaterialTexture.from_image(
                array, color_space=color_space, wrap=key[2], name=name
            )
        return self._made[key]

    def _wrap(self, texture: Fields) -> str:
        index = texture.index("sampler", len(self._samplers), "samplers")
        if index is None:
            return "repeat"
        sampler = self._samplers[index]
        codes = [sampler.whole(key, 10497) for key in ("wrapS", "wrapT")]
        for code in codes:
            if code not in _WRAPS:
                sampler.fail(f"wrap {code} is none of {', '.join(map(str, _WRAPS))}")
        if codes[0] != codes[1]:
            self._container.place.note(
                f"{sampler.where} wraps u and v differently: both as u, {_WRAPS[codes[0]]}"
            )
        filters = (sampler.whole("magFilter", 0), sampler.whole("minFilter", 0))
        if any(code in _NEAREST for code in filters):
            self._container.place.note(f"{sampler.where} asks for the nearest texel: drawn linear")
        return _WRAPS[codes[0]]

    def mean(self, image: int) -> np.ndarray:
        """(4,) mean of the codes of an image as stored, 0 to 1."""
        if image not in self._means:
            array = self.image(image).array
            self._means[image] = array.mean(axis=(0, 1)) / np.iinfo(array.dtype).max
        return self._means[image]

    def mean_light(self, image: int) -> np.ndarray:
        """(3,) mean light of an sRGB image."""
        array = self.image(image).array
        codes = np.arange(np.iinfo(array.dtype).max + 1) / np.iinfo(array.dtype).max
        light = np.where(codes <= 0.04045, codes / 12.92, ((codes + 0.055) / 1.055) ** 2.4)
        return light[array[..., :3]].mean(axis=(0, 1))


def read_materials(container: Container) -> list[MaterialRow]:
    """The materials of a model, in its order."""
    textures = _Textures(container)
    return [_read_one(textures, fields) for fields in container.root.objects("materials")]


def _read_one(textures: _Textures, fields: Fields) -> MaterialRow:
    note = fields.place.note
    pbr = fields.fields("pbrMetallicRoughness")
    base = _info(pbr, "baseColorTexture")
    normal = _info(fields, "normalTexture")
    if "occlusionTexture" in fields:
        note(f"{fields.where}.occlusionTexture is not drawn")
    uses = [_use(info) for info in (base, normal) if info is not None]
    if len(uses) == 2 and uses[0] != uses[1]:
        note(
            f"{fields.where}: base colour and normal map use different texture coordinates or "
            "transforms: both are drawn with those of the base colour"
        )
    metallic, roughness = _metal(textures, fields, pbr)
    mode, cutoff = _alpha(fields)
    material = Material(
        name=fields.text("name", ""),
        base_color=_colors(pbr, "baseColorFactor", (1.0, 1.0, 1.0, 1.0)),
        base_color_texture=None if base is None else textures.make(base, "srgb"),
        normal_texture=None if normal is None else textures.make(normal, "linear"),
        normal_scale=1.0 if normal is None else _within(normal, "scale", -1e6, 1e6),
        metallic=metallic,
        roughness=roughness,
        emissive=_emissive(textures, fields),
        alpha_mode=mode,
        alpha_cutoff=cutoff,
        double_sided=fields.flag("doubleSided"),
        unlit=fields.extension("KHR_materials_unlit") is not None,
    )
    return MaterialRow(material, uses[0] if uses else None)


def _info(fields: Fields, key: str) -> Fields | None:
    return fields.fields(key) if key in fields else None


def _within(fields: Fields, key: str, low: float, high: float) -> float:
    value = fields.number(key, 1.0)
    if not low <= value <= high:
        fields.fail(f"{key} must lie in [{low:g}, {high:g}], got {value:g}")
    return value


def _colors(fields: Fields, key: str, default: tuple[float, ...]) -> tuple[float, ...]:
    return _clipped(fields, key, fields.numbers(key, len(default), default))


def _clipped(fields: Fields, key: str, numbers: tuple[float, ...]) -> tuple[float, ...]:
    clipped = tuple(min(max(number, 0.0), 1.0) for number in numbers)
    if clipped != numbers:
        fields.place.note(f"{fields.at(key)} is outside [0, 1]: clipped")
    return clipped


def _metal(textures: _Textures, fields: Fields, pbr: Fields) -> tuple[float, float]:
    (metallic,) = _clipped(pbr, "metallicFactor", (pbr.number("metallicFactor", 1.0),))
    (roughness,) = _clipped(pbr, "roughnessFactor", (pbr.number("roughnessFactor", 1.0),))
    info = _info(pbr, "metallicRoughnessTexture")
    image = None if info is None else textures.image_of(info)
    if image is not None:
        fields.place.note(f"{pbr.where}.metallicRoughnessTexture is drawn as its mean")
        mean = textures.mean(image)
        metallic, roughness = metallic * float(mean[2]), roughness * float(mean[1])
    return metallic, roughness


def _emissive(textures: _Textures, fields: Fields) -> tuple[float, ...]:
    factor = np.array(_colors(fields, "emissiveFactor", (0.0, 0.0, 0.0)))
    strength = fields.extension("KHR_materials_emissive_strength")
    if strength is not None:
        factor = factor * max(strength.number("emissiveStrength", 1.0), 0.0)
    info = _info(fields, "emissiveTexture")
    if info is not None and factor.any():
        image = textures.image_of(info)
        if image is not None:
            fields.place.note(f"{fields.where}.emissiveTexture is drawn as its mean")
            factor = factor * textures.mean_light(image)
    return tuple(float(part) for part in factor)


def _alpha(fields: Fields) -> tuple[str, float]:
    mode = fields.text("alphaMode", "OPAQUE")
    if mode not in ("OPAQUE", "MASK", "BLEND"):
        fields.fail(f"alphaMode must be OPAQUE, MASK or BLEND, got {mode!r}")
    if mode != "MASK":
        return mode.lower(), 0.5
    cutoff = fields.number("alphaCutoff", 0.5)
    if cutoff <= 0.0:
        fields.place.note(f"{fields.where}.alphaCutoff {cutoff:g} cuts nothing: drawn opaque")
        return "opaque", 0.5
    if cutoff >= 1.0:
        fields.place.note(f"{fields.where}.alphaCutoff {cutoff:g} is drawn as 254.5 / 255")
        cutoff = 254.5 / 255.0
    return "mask", cutoff


def _use(info: Fields) -> TextureUse:
    tex_coord = info.whole("texCoord", 0, high=255)
    moved = info.extension("KHR_texture_transform")
    if moved is None:
        return TextureUse(tex_coord)
    turn = moved.number("rotation", 0.0)
    x, y = moved.numbers("offset", 2, (0.0, 0.0))
    width, height = moved.numbers("scale", 2, (1.0, 1.0))
    c, s = math.cos(turn), math.sin(turn)
    # Counter-clockwise as seen, with v downwards: what the text of the extension says and its test
    # model wants. The listing beside the text turns the other way.
    rows = ((c * width, s * height, x), (-s * width, c * height, y))
    return TextureUse(moved.whole("texCoord", tex_coord, high=255), rows)
