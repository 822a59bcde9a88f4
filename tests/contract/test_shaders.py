# SPDX-License-Identifier: MIT
"""The embedded SPIR-V is current, valid and described as it is; the build of it is incremental."""

from __future__ import annotations

import json
import shutil
import sys

import pytest
from contract.repository import CSRC, SHADERS, run, run_or_fail, shader_build, spirv, tool

build = shader_build()


def test_generated_code_is_current():
    assert build.stale() == [], "run shaders/build.py"


def test_generated_code_is_what_the_compiler_makes():
    """A shader compiled anew gives the stored words: nothing was edited by hand."""
    assert tool("glslangValidator")
    tools = build.Tools.find()
    for source in build.sources():
        stored = SHADERS / "generated" / f"{source.name}.spv"
        made = build.compile_one(tools, source, SHADERS)
        assert made == stored.read_bytes(), source.name


def test_modules_are_valid():
    for path in sorted((SHADERS / "generated").glob("*.spv")):
        run_or_fail([tool("spirv-val"), *build.VALIDATE_OPTIONS, path])


def test_table_says_what_the_modules_say():
    index = json.loads((SHADERS / "generated" / "index.json").read_text())["shaders"]
    header = (SHADERS / "generated" / "spirv.h").read_text()
    assert list(index) == [source.name for source in build.sources()]
    for number, (name, row) in enumerate(index.items()):
        module = spirv().parse((SHADERS / "generated" / f"{name}.spv").read_bytes())
        assert row["binding_count"] == len([r for r in module.resources if r.set == 0])
        assert row["push_constant_bytes"] == module.push_constant_bytes
        assert f"{build.identifier(name)} = {number}," in header


def test_push_constants_fit_every_device():
    """128 bytes is what Vulkan guarantees."""
    index = json.loads((SHADERS / "generated" / "index.json").read_text())["shaders"]
    sizes = {name: row["push_constant_bytes"] for name, row in index.items()}
    assert max(sizes.values(), default=0) <= 128, sizes


SAMPLE = """#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "shared/sample.h"
layout(local_size_x = 8, local_size_y = 4) in;
layout(scalar, set = 0, binding = 0) readonly buffer in_block { dw_sample rows[]; };
layout(scalar, set = 0, binding = BINDING) writeonly buffer out_block { uint sums[]; };
layout(scalar, push_constant) uniform constants { uint count; float gain[2]; };
void main() { sums[0] = rows[count].first + rows[0].second[2]; }
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "sample.h").write_text(
        "#define BINDING 1\nstruct dw_sample { uint first; uint second[3]; vec3 third; };\n"
    )
    (tmp_path / "sum_rows.comp").write_text(SAMPLE)
    return tmp_path


def built(folder) -> list[str]:
    said: list[str] = []
    build.build(folder, say=said.append)
    return said


def test_reader_reports_the_interface(folder):
    built(folder)
    module = spirv().parse((folder / "generated" / "sum_rows.comp.spv").read_bytes())
    assert (module.stage, module.local_size) == ("comp", (8, 4, 1))
    assert module.push_constant_bytes == 12
    assert [(r.binding, r.kind) for r in module.resources] == [
        (0, "storage buffer"),
        (1, "storage buffer"),
    ]
    members = [(m.name, m.offset, m.type, m.size) for m in module.structs["dw_sample"]]
    assert members == [
        ("first", 0, "uint", 4),
        ("second", 4, "uint[3]", 12),
        ("third", 16, "float[3]", 12),
    ]


REACHING = """#version 460
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 32) in;
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer list_ref;
layout(buffer_reference, scalar) buffer list_ref { uint count; list_ref next; };
layout(scalar, push_constant) uniform constants { list_ref list; uint64_t other; uint count; };
void main() { list.next.count = subgroupBallot(list_ref(other).count > count).x; }
"""


def test_reader_takes_addresses_and_subgroups(folder):
    """Set 0 may be empty; a reference takes 8 bytes, also one to its own kind."""
    (folder / "reach.comp").write_text(REACHING)
    built(folder)
    module = spirv().parse((folder / "generated" / "reach.comp.spv").read_bytes())
    assert module.resources == [] and module.push_constant_bytes == 20
    members = [(m.name, m.offset, m.type, m.size) for m in module.structs["list_ref"]]
    assert members == [("count", 0, "uint", 4), ("next", 8, "uint64_t", 8)]
    assert json.loads((folder / "generated" / "index.json").read_text())["shaders"]["reach.comp"][
        "binding_count"
    ] == 0


def test_only_what_changed_is_compiled(folder):
    assert built(folder) == ["shaders/sum_rows.comp"]
    assert built(folder) == []
    header = folder / "shared" / "sample.h"
    header.write_text(header.read_text() + "/* changed */\n")
    assert build.stale(folder) == ["sum_rows.comp"]
    assert built(folder) == ["shaders/sum_rows.comp"]
    (folder / "generated" / "sum_rows.comp.spv").write_bytes(b"damaged")
    assert built(folder) == ["shaders/sum_rows.comp"]
    (folder / "sum_rows.comp").unlink()
    assert built(folder) == [] and not list((folder / "generated").glob("*.spv"))
    assert "DW_SHADER_NONE" in (folder / "generated" / "spirv.h").read_text()


@pytest.mark.parametrize("count", [0, 1])
def test_table_is_valid_c(folder, count):
    if count == 0:
        (folder / "sum_rows.comp").unlink()
    built(folder)
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{folder}", f"-I{CSRC}"]
    run_or_fail([tool("gcc"), *flags, "-fsyntax-only", folder / "generated" / "spirv.c"])


def test_faults_are_named(folder):
    header = folder / "shared" / "sample.h"
    good = header.read_text()
    header.write_text(good.replace("BINDING 1", "BINDING 2"))
    with pytest.raises(build.ShaderBuildError, match=r"sum_rows.comp.*without a gap, got \[0, 2\]"):
        built(folder)
    header.write_text(good.replace("uint first", "uint other"))
    with pytest.raises(build.ShaderBuildError, match="first"):
        built(folder)


def test_without_a_compiler_only_fitting_code_is_used(folder, monkeypatch):
    built(folder)
    monkeypatch.setattr(build.shutil, "which", lambda name: None)
    assert built(folder) == []
    (folder / "sum_rows.comp").write_text(SAMPLE + "\n")
    with pytest.raises(build.ShaderBuildError, match="apt install glslang-tools"):
        built(folder)


def test_reader_refuses_what_is_no_module(folder):
    reader = spirv()
    built(folder)
    code = (folder / "generated" / "sum_rows.comp.spv").read_bytes()
    for bad in (b"", code[:18], b"\0" * 40, code[:-4]):
        with pytest.raises(reader.SpirvError):
            reader.parse(bad)
    swapped = b"".join(code[i : i + 4][::-1] for i in range(0, len(code), 4))
    assert reader.words_of(swapped) == reader.words_of(code)


def test_command_line_reports_stale_code(folder):
    shutil.copy(SHADERS / "build.py", folder)
    shutil.copy(SHADERS / "spirv.py", folder)
    command = [sys.executable, folder / "build.py"]
    assert run([*command, "--check"]).returncode == 5
    assert run_or_fail([*command, "-v"]).split() == ["shaders/sum_rows.comp"]
    assert run_or_fail([*command, "--check"]).strip() == "up to date"
