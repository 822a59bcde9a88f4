# SPDX-License-Identifier: MIT
"""Files that are C and GLSL at once keep to arithmetic that gives the same bits everywhere."""

from __future__ import annotations

import re

import pytest
from contract.repository import SHADERS, SHARED, code_only, named, read, relative, spirv
from contract.shared_code import (
    HEAD,
    all_structs,
    c_offsets,
    compile_glsl,
    float_faults,
    shared_headers,
    shared_module,
    struct_names,
)

LOOSE_WORDS = (
    "acos acosh asin asinh atan atan2 atanh cos cosh cross degrees determinant distance dot exp "
    "exp2 faceforward fma fmod fract inverse inversesqrt length log log2 mix mod modf normalize "
    "outerProduct pow radians reflect refract round sin sinh smoothstep sqrt tan tanh "
    "acosf asinf atanf atan2f cosf exp2f expf fmaf fmodf log2f logf powf roundf sinf sqrtf tanf "
    "rsqrt _mm_rcp_ps _mm_rsqrt_ps"
).split()
_LOOSE = re.compile(rf"\b({'|'.join(LOOSE_WORDS)})\s*\(")
_TRANSPARENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def loose_words(text: str) -> list[str]:
    """Built-ins by name, macros included: their text is compiled too."""
    return _LOOSE.findall(_TRANSPARENT.sub(" ", text))


def test_shared_files_call_no_loose_function():
    found = {relative(p): loose_words(read(p)) for p in named(".h", ".def", under=SHARED)}
    assert not any(found.values()), {name: words for name, words in found.items() if words}


def test_word_scanner():
    assert loose_words("a = dot(b, c); d = fma (a, b, c);") == ["dot", "fma"]
    assert loose_words("#define F(x) sqrt(x)") == ["sqrt"]
    assert not loose_words("/* sqrt(x) */ dw_dot3(a, b); roundEven(x); remix(y);")


@pytest.fixture(scope="module")
def module(tmp_path_factory) -> bytes:
    return shared_module(tmp_path_factory.mktemp("shared"))


def test_shared_functions_are_compiled_and_exact(module):
    assert shared_headers()
    faults = sorted(set(float_faults(module)))
    assert not faults, "\n".join(faults)


BODIES = {
    "float division": "precise float x = a / b; return x;",
    "outside a precise variable": "return a * b;",
    "instruction 50": "precise float x = fma(a, b, a); return x;",
    "dot()": "precise float x = dot(vec2(a, b), vec2(b, a)); return x;",
    "instruction 31": "precise float x = sqrt(a); return x;",
    "instruction 46": "precise float x = mix(a, b, a); return x;",
}
EXACT_BODY = (
    "precise float x = a * b; precise float y = x + floor(a); "
    "precise float z = float(double(y) / double(b)); return clamp(z, 0.0, 1.0);"
)


@pytest.mark.parametrize(("fault", "body"), [*BODIES.items(), ("", EXACT_BODY)])
def test_float_scanner(tmp_path, fault, body):
    text = f"{HEAD}float sample_of(float a, float b) {{ {body} }}\nvoid main() {{ }}\n"
    faults = float_faults(compile_glsl(text, tmp_path))
    assert [f.startswith("sample_of") and fault in f for f in faults] == [True] * bool(fault)


def test_struct_scanner():
    assert struct_names("struct dw_b { int x; };\n/* struct dw_c { */ struct dw_a {") == [
        "dw_a",
        "dw_b",
    ]


def test_structs_lie_alike_in_c_and_spirv(module, tmp_path):
    structs = spirv().parse(module).structs
    layouts = {name: structs[name] for name in all_structs()}
    fields = {name: [m.name for m in members] for name, members in layouts.items()}
    includes = [path.relative_to(SHADERS).as_posix() for path in shared_headers()]
    in_c = c_offsets(fields, includes, tmp_path)
    for name, members in layouts.items():
        offsets, size = in_c[name]
        assert offsets == {m.name: m.offset for m in members}, name
        assert size == max(m.offset + m.size for m in members), f"{name} ends in padding"


def test_layouts_of_the_core_are_those_of_the_shaders(module):
    """The table from which NumPy dtypes are made."""
    from dapplewood import _core

    structs = spirv().parse(module).structs
    assert set(_core.STRUCT_LAYOUTS) == set(all_structs())
    for name, (size, fields) in _core.STRUCT_LAYOUTS.items():
        found = [
            (field, offset, f"{kind}[{count}]" if count else kind)
            for field, kind, count, offset in fields
        ]
        assert found == [(m.name, m.offset, m.type) for m in structs[name]], name
        assert size == max(m.offset + m.size for m in structs[name]), name


def test_layout_comparison_can_fail(tmp_path):
    header = "struct dw_x { int a; };"
    assert code_only(header)
    text = f"{HEAD}struct dw_x {{ uint8_t a; uint b; }};\n" + (
        "layout(scalar, set = 0, binding = 0) buffer B { dw_x rows[]; };\n"
        "void main() { rows[0] = rows[1]; }\n"
    )
    members = spirv().parse(compile_glsl(text, tmp_path)).structs["dw_x"]
    assert [(m.name, m.offset) for m in members] == [("a", 0), ("b", 4)]
