# SPDX-License-Identifier: MIT
"""The shared headers, compiled as GLSL by themselves, and what their SPIR-V does."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from contract.repository import (
    SHADERS,
    SHARED,
    code_only,
    include_flags,
    named,
    read,
    run,
    shader_build,
    spirv,
    tool,
)

HEAD = """#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
"""

_STRUCT = re.compile(r"\bstruct\s+(dw_\w+)\s*\{")

OP_EXT_INST = 12
OP_F_ADD, OP_F_SUB, OP_F_MUL = 129, 131, 133
DECORATION_NO_CONTRACTION = 42

# Not the same bits in C, on lavapipe and on NVIDIA.
LOOSE_OPCODES = {
    136: "float division",
    140: "float remainder",
    141: "mod()",
    142: "vector * scalar, which cannot be precise; write the components",
    143: "matrix * scalar",
    144: "vector * matrix",
    145: "matrix * vector",
    146: "matrix * matrix",
    147: "outerProduct()",
    148: "dot()",
}
# GLSL.std.450: RoundEven, Trunc, absolute value, sign, Floor, Ceil; min, max, clamp; Ldexp;
# PackUnorm4x8, PackHalf2x16, PackDouble2x32, UnpackHalf2x16, UnpackDouble2x32; bit searches.
EXACT_INSTRUCTIONS = {*range(2, 10), *range(37, 46), 53, 55, 58, 59, 62, 65, 73, 74, 75}
# Exact in float64, which every device rounds alike: division and square root.
EXACT_IN_DOUBLE = {"float division", "GLSL.std.450 instruction 31"}


def shared_headers() -> list[Path]:
    return named(".h", under=SHARED)


def struct_names(text: str) -> list[str]:
    return sorted(set(_STRUCT.findall(code_only(text))))


def all_structs() -> list[str]:
    return sorted({name for path in shared_headers() for name in struct_names(read(path))})


def compile_glsl(text: str, folder: Path) -> bytes:
    """SPIR-V of a whole shader text, uncalled functions kept."""
    source, target = folder / "shared.comp", folder / "shared.spv"
    source.write_text(text)
    build = shader_build()
    command = [tool("glslangValidator"), *build.COMPILE_OPTIONS, "-V", "--keep-uncalled"]
    result = run([*command, f"-I{SHADERS}", "-o", target, source])
    assert result.returncode == 0, result.stdout + result.stderr
    return target.read_bytes()


def shader_text(includes: list[str], structs: list[str]) -> str:
    """A shader that sees every shared header and puts each struct into a buffer."""
    lines = [HEAD, *(f'#include "{name}"' for name in includes)]
    lines += [
        f"layout(scalar, set = 0, binding = {i}) buffer block{i} {{ {name} rows{i}[]; }};"
        for i, name in enumerate(structs)
    ]
    touch = "".join(f" rows{i}[0] = rows{i}[1];" for i in range(len(structs)))
    return "\n".join([*lines, f"void main() {{{touch} }}", ""])


def shared_module(folder: Path) -> bytes:
    includes = [path.relative_to(SHADERS).as_posix() for path in shared_headers()]
    return compile_glsl(shader_text(includes, all_structs()), folder)


def float_faults(code: bytes) -> list[str]:
    """Operations of a module that need not give the same bits everywhere, with their function."""
    reader = spirv()
    words = reader.words_of(code)
    names, exact, widths, types, faults = {}, set(), {}, {}, []
    function = "?"
    for opcode, operands in reader.instructions(words):
        if opcode == reader.OP_NAME:
            names[operands[0]] = reader.text_of(operands[1:])[0].split("(")[0]
        elif opcode == reader.OP_DECORATE and operands[1] == DECORATION_NO_CONTRACTION:
            exact.add(operands[0])
        elif opcode == reader.OP_TYPE_FLOAT:
            widths[operands[0]] = operands[1]
        elif opcode in (reader.OP_TYPE_VECTOR, reader.OP_TYPE_MATRIX):
            types[operands[0]] = operands[1]
        elif opcode == reader.OP_FUNCTION:
            function = names.get(operands[1], "?")
        else:
            what = _fault(opcode, operands, exact)
            is_double = bool(what) and widths.get(_scalar(operands[0], types)) == 64
            if what and not (is_double and what in EXACT_IN_DOUBLE):
                faults.append(f"{function}: {what}")
    return faults


def _scalar(type_id: int, types: dict[int, int]) -> int:
    while type_id in types:
        type_id = types[type_id]
    return type_id


def _fault(opcode: int, operands: tuple[int, ...], exact: set[int]) -> str | None:
    if opcode in LOOSE_OPCODES:
        return LOOSE_OPCODES[opcode]
    if opcode in (OP_F_ADD, OP_F_SUB, OP_F_MUL) and operands[1] not in exact:
        return "+ - or * outside a precise variable"
    if opcode == OP_EXT_INST and operands[3] not in EXACT_INSTRUCTIONS:
        return f"GLSL.std.450 instruction {operands[3]}"
    return None


def c_offsets(layouts: dict[str, list[str]], includes: list[str], folder: Path) -> dict:
    """{struct: ({field: offset}, size)} as the C compiler lays them out."""
    lines = ["#include <stddef.h>", "#include <stdio.h>"]
    lines += [f'#include "{name}"' for name in includes] + ["int main(void)", "{"]
    for name, fields in layouts.items():
        lines.append(f'    printf("{name} - %zu\\n", sizeof(struct {name}));')
        lines += [
            f'    printf("{name} {field} %zu\\n", offsetof(struct {name}, {field}));'
            for field in fields
        ]
    source, program = folder / "offsets.c", folder / "offsets"
    source.write_text("\n".join([*lines, "    return 0;", "}", ""]))
    built = run([tool("gcc"), "-std=c11", *include_flags(), source, "-o", program])
    assert built.returncode == 0, built.stderr
    listed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    found: dict = {name: ({}, 0) for name in layouts}
    for line in listed.splitlines():
        name, field, number = line.split()
        if field == "-":
            found[name] = (found[name][0], int(number))
        else:
            found[name][0][field] = int(number)
    return found
