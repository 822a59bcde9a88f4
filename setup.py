# SPDX-License-Identifier: MIT
"""Builds the extension module dapplewood._core. Everything declarative is in pyproject.toml.

Environment variables of the build:
    DW_WERROR=1             warnings are errors
    DW_ASSERT=1             internal assertions on
    DW_SANITIZE=address,undefined | thread
    DW_COVERAGE=1           gcov counters
    DW_SCALAR=1             no hand-written and no automatic SIMD
    DW_VOLK_INCLUDE=folder  where volk.h is, when the compiler does not find it by itself
    DW_JOBS=n               compiler processes at a time, 2 unless told
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Command, Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent
GENERATED = "shaders/generated/spirv.c"
VOLK_HINT = "Debian or Ubuntu: apt install libvulkan-dev libvulkan-volk-dev"

UNIX_FLAGS = [
    "-std=c11",
    "-O3",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",  # more loops become vectors; no result depends on it
    "-fvisibility=hidden",
    "-pthread",
    "-Wall",
    "-Wextra",
    "-Werror=implicit-function-declaration",
]
MSVC_FLAGS = ["/std:c11", "/O2", "/fp:strict", "/W3", "/experimental:c11atomics"]


def project_version() -> str:
    with open(ROOT / "pyproject.toml", "rb") as file:
        return tomllib.load(file)["project"]["version"]


def core_sources() -> list[str]:
    found = sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "csrc").rglob("*.c"))
    return [*found, GENERATED]


def is_on(name: str) -> bool:
    return os.environ.get(name, "0") not in ("", "0")


def unix_flags() -> tuple[list[str], list[str]]:
    """Flags of the compiler and of the linker, as the environment asks."""
    compile_flags, link_flags = list(UNIX_FLAGS), ["-pthread"]
    if is_on("DW_WERROR"):
        compile_flags.append("-Werror")
    if is_on("DW_SCALAR"):
        compile_flags += ["-DDW_SCALAR_ONLY", "-fno-tree-vectorize"]
    if is_on("DW_COVERAGE"):
        compile_flags += ["-O0", "--coverage"]
        link_flags.append("--coverage")
    sanitizers = os.environ.get("DW_SANITIZE", "")
    if sanitizers:
        both = [f"-fsanitize={sanitizers}", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
        compile_flags += [*both, "-g", "-O1"]
        link_flags += both
    return compile_flags, link_flags


class build_shaders(Command):  # noqa: N801  (setuptools names commands so)
    """Compiles the shaders, or takes the generated files of a source distribution."""

    description = "compile the shaders to SPIR-V and embed them"
    user_options: list = []

    def initialize_options(self) -> None:
        pass

    def finalize_options(self) -> None:
        pass

    def run(self) -> None:
        sys.path.insert(0, str(ROOT / "shaders"))
        import build

        try:
            build.build(say=lambda text: self.announce(text, level=2))
        except build.ShaderBuildError as error:
            raise SystemExit(f"error: {error}") from None


class build_core(build_ext):  # noqa: N801
    """build_ext with the shaders first, and only what changed compiled, some files at a time."""

    def run(self) -> None:
        self.run_command("build_shaders")
        super().run()

    def finalize_options(self) -> None:
        super().finalize_options()
        import numpy

        self.include_dirs += [str(ROOT / "csrc"), str(ROOT / "shaders"), numpy.get_include()]
        if os.environ.get("DW_VOLK_INCLUDE"):
            self.include_dirs.append(os.environ["DW_VOLK_INCLUDE"])
        self.force = True  # whether an object is up to date is decided per file below

    def build_extension(self, extension: Extension) -> None:
        version = project_version()
        extension.define_macros = [("DW_VERSION", f'"{version}"')]
        if is_on("DW_ASSERT"):
            extension.define_macros.append(("DW_ENABLE_ASSERT", "1"))
        if self.compiler.compiler_type == "msvc":
            extension.extra_compile_args = MSVC_FLAGS
        else:
            extension.extra_compile_args, extension.extra_link_args = unix_flags()
            extension.libraries = ["m", "dl"] if sys.platform == "linux" else ["m"]
            self._check_volk()
            self._compile_changed_only()
        self._keep_variants_apart(extension)
        super().build_extension(extension)

    def _keep_variants_apart(self, extension: Extension) -> None:
        """One object folder per set of flags, so that going back and forth only links again."""
        text = repr((sys.version, extension.define_macros, extension.extra_compile_args))
        key = hashlib.sha256(text.encode()).hexdigest()[:8]
        self.build_temp = os.path.join("build", f"core-{key}")

    def _check_volk(self) -> None:
        """Says how to get volk before the compiler fails on it. Needed at build time only."""
        if not any("<volk.h>" in p.read_text() for p in (ROOT / "csrc").rglob("*.[ch]")):
            return
        folders = [f"-I{folder}" for folder in self.include_dirs]
        probe = subprocess.run(
            [*self.compiler.compiler, *folders, "-E", "-x", "c", "-"],
            input=b"#include <volk.h>\n",
            capture_output=True,
            check=False,
        )
        if probe.returncode != 0:
            raise SystemExit(
                f"error: the compiler finds no volk.h (Vulkan loader header). {VOLK_HINT}; "
                f"elsewhere set DW_VOLK_INCLUDE to its folder"
            )

    def _compile_changed_only(self) -> None:
        """Gives the compiler object a compile() that keeps objects whose inputs are unchanged."""
        compiler = self.compiler

        def compile_all(sources, output_dir=None, macros=None, include_dirs=None, debug=False,
                        extra_preargs=None, extra_postargs=None, depends=None):
            macros, objects, extra, pp_options, _ = compiler._setup_compile(
                output_dir, macros, include_dirs, sources, depends, extra_postargs
            )
            cc_args = compiler._get_cc_args(pp_options, debug, extra_preargs)
            waiting = []
            for source, target in zip(sources, objects):
                listing = str(Path(target).with_suffix(".d"))
                command = [*compiler.compiler_so, *cc_args, *extra, source]
                stamp = hashlib.sha256("\0".join(command).encode()).hexdigest()
                if not _is_current(target, listing, stamp):
                    waiting.append((source, target, [*extra, "-MD", "-MF", listing], stamp))

            def one(job) -> None:
                source, target, arguments, stamp = job
                begun = time.time_ns()  # a file saved while it is compiled is compiled again
                compiler._compile(target, source, Path(source).suffix, cc_args, arguments,
                                  pp_options)
                Path(target).with_suffix(".stamp").write_text(f"{stamp} {begun}")

            with ThreadPoolExecutor(int(os.environ.get("DW_JOBS", "2"))) as pool:
                list(pool.map(one, waiting))
            return objects

        compiler.compile = compile_all


def _is_current(target: str, listing: str, stamp: str) -> bool:
    """True when this command made the object from files none of which was saved since."""
    try:
        command, begun = Path(target).with_suffix(".stamp").read_text().split()
        inputs = Path(listing).read_text().replace("\\\n", " ").split(":", 1)[1].split()
        return (
            command == stamp
            and os.path.isfile(target)
            and all(os.stat(path).st_mtime_ns < int(begun) for path in inputs)
        )
    except (OSError, IndexError, ValueError):
        return False


class sdist_with_shaders(sdist):  # noqa: N801
    """A source distribution carries the SPIR-V, so that it builds without glslang."""

    def run(self) -> None:
        self.run_command("build_shaders")
        super().run()


setup(
    ext_modules=[Extension("dapplewood._core", core_sources())],
    cmdclass={
        "build_shaders": build_shaders,
        "build_ext": build_core,
        "sdist": sdist_with_shaders,
    },
)
