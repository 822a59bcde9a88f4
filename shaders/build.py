# SPDX-License-Identifier: MIT
"""Compiles the shaders to SPIR-V and embeds them as C arrays.

    python shaders/build.py [--force] [--check] [-v]

Reads shaders/*.comp|vert|frag and writes into shaders/generated: one .spv per shader, spirv.h and
spirv.c with the table `dw_shaders`, and index.json with a hash of every source and its includes.
A shader is compiled again only when that hash, the options or the compiler change. Without
glslangValidator the generated files of a source distribution are used as long as their hashes
fit. Needs nothing outside the standard library.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

SHADERS = Path(__file__).resolve().parent
sys.path.insert(0, str(SHADERS))
import spirv  # noqa: E402  (the folder is not a package)

SUFFIXES = (".comp", ".vert", ".frag")
# glslang 12 emits LocalSizeId for vulkan1.3, which is invalid without maintenance4.
TARGET = "vulkan1.2"
COMPILE_OPTIONS = ("--target-env", TARGET)
VALIDATE_OPTIONS = ("--target-env", TARGET, "--scalar-block-layout")
OPTIMIZE_OPTIONS = (f"--target-env={TARGET}", "-O")
STAGE_BITS = {"vert": 0x01, "tesc": 0x02, "tese": 0x04, "geom": 0x08, "frag": 0x10, "comp": 0x20}
INSTALL_HINT = "Debian or Ubuntu: apt install glslang-tools spirv-tools"
JOBS = 2

_OPTIMIZE = re.compile(r"^#pragma optimize\(on\)$", re.MULTILINE)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


class ShaderBuildError(RuntimeError):
    """A shader does not compile, is invalid, or cannot be built here."""


def sources(folder: Path = SHADERS) -> list[Path]:
    """Entry points in the order of their ids."""
    return sorted(p for p in folder.iterdir() if p.suffix in SUFFIXES)


def closure(source: Path, folder: Path = SHADERS) -> list[Path]:
    """The source and every file it includes, directly or not, whatever the preprocessor skips."""
    found, waiting = [], [source]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.append(path)
        for name in _INCLUDE.findall(path.read_text(encoding="utf-8")):
            for base in (path.parent, folder):
                if (base / name).is_file():
                    waiting.append((base / name).resolve())
                    break
    return found[:1] + sorted(found[1:])


def source_hash(source: Path, folder: Path = SHADERS) -> str:
    """Hash of what the SPIR-V depends on, apart from the compiler's version."""
    digest = hashlib.sha256("\0".join(COMPILE_OPTIONS).encode())
    for path in closure(source, folder):
        digest.update(f"\0{path.relative_to(folder).as_posix()}\0".encode())
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def compiler_version(compiler: str) -> str:
    """The first line of a tool's `--version`."""
    output = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)
    lines = (output.stdout or output.stderr).splitlines()
    return lines[0].strip() if lines else "unknown"


def _run(command: list[str], what: str) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        output = (result.stdout + result.stderr).strip()
        raise ShaderBuildError(f"{what} failed:\n{output}")


class Tools(NamedTuple):
    """Paths; without the latter two nothing is checked and nothing optimised."""

    compiler: str
    validator: str | None
    optimizer: str | None

    @classmethod
    def find(cls) -> Tools | None:
        compiler = shutil.which("glslangValidator") or shutil.which("glslang")
        if compiler is None:
            return None
        return cls(compiler, shutil.which("spirv-val"), shutil.which("spirv-opt"))

    def version(self) -> str:
        """Of all that make code."""
        makers = [self.compiler] + [self.optimizer] * (self.optimizer is not None)
        return "; ".join(compiler_version(maker) for maker in makers)


def compile_one(tools: Tools, source: Path, folder: Path) -> bytes:
    """The checked SPIR-V of one entry point, optimised where it says `#pragma optimize(on)`."""
    handle, name = tempfile.mkstemp(suffix=".spv")
    os.close(handle)
    what = f"shaders/{source.name}: "
    try:
        command = [tools.compiler, *COMPILE_OPTIONS, "-V", "-I" + str(folder), "--quiet"]
        _run([*command, "-o", name, str(source)], what + "glslangValidator")
        if tools.optimizer is not None and _OPTIMIZE.search(source.read_text(encoding="utf-8")):
            _run([tools.optimizer, *OPTIMIZE_OPTIONS, name, "-o", name], what + "spirv-opt")
        if tools.validator is not None:
            _run([tools.validator, *VALIDATE_OPTIONS, name], what + "spirv-val")
        return Path(name).read_bytes()
    finally:
        os.unlink(name)


def describe(name: str, code: bytes) -> dict:
    """The facts of one shader that the table carries."""
    try:
        module = spirv.parse(code)
        bindings = spirv.storage_binding_count(module)
        textures = spirv.texture_count(module)
    except spirv.SpirvError as error:
        raise ShaderBuildError(f"shaders/{name}: {error}") from error
    return {
        "stage": module.stage,
        "binding_count": bindings,
        "texture_count": textures,
        "push_constant_bytes": module.push_constant_bytes,
        "local_size": list(module.local_size),
        "word_count": len(code) // 4,
    }


def identifier(name: str) -> str:
    """DW_SHADER_ATLAS_DOWN_COMP for atlas_down.comp."""
    return "DW_SHADER_" + re.sub(r"[^A-Za-z0-9]", "_", name).upper()


def header_text(names: list[str]) -> str:
    rows = [identifier(name) for name in names] or ["DW_SHADER_NONE"]
    body = "\n".join(f"    {row} = {i}," for i, row in enumerate(rows))
    return f"""/* SPDX-License-Identifier: MIT */
/* Written by shaders/build.py.
 * Thread-safety: Safe; the table is constant. */
#ifndef DW_GENERATED_SPIRV_H
#define DW_GENERATED_SPIRV_H

#include "gpu/shader.h"

enum dw_shader_id {{
{body}
    DW_SHADER_COUNT
}};

extern const dw_shader dw_shaders[DW_SHADER_COUNT];

#endif
"""


def _array_text(name: str, code: bytes) -> str:
    words = spirv.words_of(code)
    lines = [
        "    " + " ".join(f"0x{word:08x}," for word in words[at : at + 8])
        for at in range(0, len(words), 8)
    ]
    return f"static const uint32_t {name}[] = {{\n" + "\n".join(lines) + "\n};\n"


def _row_text(name: str, facts: dict) -> str:
    x, y, z = facts["local_size"]
    return f"""    [{identifier(name)}] = {{
        .name = "{name}",
        .words = words_{re.sub("[^A-Za-z0-9]", "_", name)},
        .word_count = {facts["word_count"]},
        .stage = 0x{STAGE_BITS[facts["stage"]]:02x},
        .binding_count = {facts["binding_count"]},
        .texture_count = {facts["texture_count"]},
        .push_constant_bytes = {facts["push_constant_bytes"]},
        .local_size = {{ {x}, {y}, {z} }},
    }},
"""


def source_text(codes: dict[str, bytes], facts: dict[str, dict]) -> str:
    arrays = [_array_text("words_" + re.sub("[^A-Za-z0-9]", "_", n), c) for n, c in codes.items()]
    rows = "".join(_row_text(name, facts[name]) for name in codes)
    rows = rows or '    [DW_SHADER_NONE] = { .name = "none" },\n'
    return (
        "/* SPDX-License-Identifier: MIT */\n/* Written by shaders/build.py. */\n"
        '#include "generated/spirv.h"\n\n'
        + "\n".join(arrays)
        + f"\nconst dw_shader dw_shaders[DW_SHADER_COUNT] = {{\n{rows}}};\n"
    )


def _write_if_changed(path: Path, data: bytes) -> bool:
    if path.is_file() and path.read_bytes() == data:
        return False
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(data)
    os.replace(temporary, path)
    return True


def _read_index(folder: Path) -> dict:
    try:
        index = json.loads((folder / "generated" / "index.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return index if isinstance(index, dict) else {}


def stale(folder: Path = SHADERS) -> list[str]:
    """Names whose generated SPIR-V is missing, left over, or made from another source."""
    rows = _read_index(folder).get("shaders", {})
    names = {source.name: source for source in sources(folder)}
    changed = [
        name
        for name, source in names.items()
        if rows.get(name, {}).get("source_sha256") != source_hash(source, folder)
        or not (folder / "generated" / f"{name}.spv").is_file()
    ]
    for name in ("spirv.h", "spirv.c"):
        if not (folder / "generated" / name).is_file():
            changed.append(name)
    return changed + sorted(set(rows) - set(names))


def _use_generated(folder: Path) -> None:
    changed = stale(folder)
    if changed:
        raise ShaderBuildError(
            f"glslangValidator is not in PATH, and shaders/generated does not fit the shaders "
            f"({', '.join(changed[:5])}). {INSTALL_HINT}"
        )


def _codes(folder: Path, version: str, force: bool, tools: Tools, say):
    """SPIR-V of every shader by name: kept where nothing changed, compiled elsewhere."""
    index = _read_index(folder)
    kept = {} if force or index.get("compiler") != version else index.get("shaders", {})
    hashes = {source.name: source_hash(source, folder) for source in sources(folder)}

    def one(source: Path) -> bytes:
        stored = folder / "generated" / f"{source.name}.spv"
        row = kept.get(source.name, {})
        if row.get("source_sha256") == hashes[source.name] and stored.is_file():
            code = stored.read_bytes()
            if hashlib.sha256(code).hexdigest() == row.get("spirv_sha256"):
                return code
        say(f"shaders/{source.name}")
        return compile_one(tools, source, folder)

    with ThreadPoolExecutor(JOBS) as pool:
        codes = dict(zip(hashes, pool.map(one, sources(folder))))
    return codes, hashes


def _write_generated(folder: Path, codes: dict[str, bytes], hashes: dict, version: str) -> None:
    facts = {name: describe(name, code) for name, code in codes.items()}
    generated = folder / "generated"
    generated.mkdir(exist_ok=True)
    for name, code in codes.items():
        _write_if_changed(generated / f"{name}.spv", code)
    for path in generated.glob("*.spv"):
        if path.stem not in codes:
            path.unlink()
    _write_if_changed(generated / "spirv.h", header_text(list(codes)).encode())
    _write_if_changed(generated / "spirv.c", source_text(codes, facts).encode())
    rows = {
        name: {
            "source_sha256": hashes[name],
            "spirv_sha256": hashlib.sha256(code).hexdigest(),
            **facts[name],
        }
        for name, code in codes.items()
    }
    index = {"compiler": version, "options": list(COMPILE_OPTIONS), "shaders": rows}
    _write_if_changed(generated / "index.json", (json.dumps(index, indent=1) + "\n").encode())


def build(folder: Path = SHADERS, *, force: bool = False, say=lambda text: None) -> None:
    """Brings shaders/generated up to date, or raises ShaderBuildError."""
    tools = Tools.find()
    if tools is None:
        _use_generated(folder)
        return
    version = tools.version()
    codes, hashes = _codes(folder, version, force, tools, say)
    _write_generated(folder, codes, hashes, version)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--force", action="store_true", help="compile every shader again")
    parser.add_argument("--check", action="store_true", help="exit 5 when anything is stale")
    parser.add_argument("-v", "--verbose", action="store_true", help="name what is compiled")
    options = parser.parse_args(arguments)
    if options.check:
        changed = stale()
        print("\n".join(f"stale: {name}" for name in changed) or "up to date")
        return 5 if changed else 0
    try:
        build(force=options.force, say=print if options.verbose else lambda text: None)
    except ShaderBuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
