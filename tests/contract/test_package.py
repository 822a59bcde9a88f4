# SPDX-License-Identifier: MIT
"""What is shipped: the extension as the linker sees it, the source distribution, an install."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tarfile
from pathlib import Path

import pytest
from contract.repository import ROOT, files, relative, run, run_or_fail, tool
from contract.variants import clean_environment

SHIPPED = ("bench/", "csrc/", "docs/", "notebooks/", "python/", "scripts/", "shaders/", "tests/")


def exported(listing: str) -> list[str]:
    return re.findall(r"^[0-9a-f]* [A-Z] (\w+)$", listing, re.MULTILINE)


def core_path() -> Path:
    from dapplewood import _core

    return Path(_core.__file__)


def test_the_core_exports_its_entry_alone():
    assert exported("0012 T PyInit__core\n0034 D dw_shaders\n") == ["PyInit__core", "dw_shaders"]
    listing = run_or_fail([tool("nm"), "-D", "--defined-only", core_path()])
    assert exported(listing) == ["PyInit__core"]


def test_the_core_links_no_driver_library():
    """Vulkan is loaded at run time, so that the package imports on a machine that has none."""
    needed = re.findall(r"NEEDED.*\[(.+)\]", run_or_fail([tool("readelf"), "-d", core_path()]))
    assert needed
    allowed = ("libc.so", "libm.so", "libdl.so", "libpthread.so", "ld-linux", "libpython")
    assert [name for name in needed if not name.startswith(allowed)] == []


@pytest.fixture(scope="module")
def sdist(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    command = [sys.executable, "setup.py", "-q", "sdist", "--dist-dir", folder]
    run_or_fail(command, cwd=ROOT, env=clean_environment())
    (archive,) = folder.glob("*.tar.gz")
    return archive


def members(archive: Path) -> set[str]:
    with tarfile.open(archive) as file:
        return {m.name.partition("/")[2] for m in file.getmembers() if m.isfile()}


@pytest.mark.build
def test_source_distribution_is_whole(sdist):
    held = members(sdist)
    wanted = {relative(p) for p in files() if relative(p).startswith(SHIPPED)}
    assert wanted - held == set()
    assert {"shaders/generated/spirv.c", "shaders/generated/index.json", "Makefile"} <= held
    assert not [name for name in held if name.endswith((".so", ".pyc", ".pyd"))]


@pytest.fixture
def without_glslang(tmp_path) -> dict[str, str]:
    """An environment in whose PATH everything is found but shader compilers."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for place in map(Path, os.environ["PATH"].split(os.pathsep)):
        for program in place.iterdir() if place.is_dir() else ():
            link = folder / program.name
            if not program.name.startswith("glslang") and not os.path.lexists(link):
                link.symlink_to(program)
    assert shutil.which("glslangValidator", path=str(folder)) is None
    return clean_environment(PATH=str(folder))


@pytest.mark.build
@pytest.mark.slow
def test_source_distribution_installs_without_a_shader_compiler(sdist, tmp_path, without_glslang):
    site = tmp_path / "site"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    command += ["--no-build-isolation", "--no-cache-dir", "--disable-pip-version-check"]
    run_or_fail([*command, "--target", site, sdist], cwd=tmp_path, env=without_glslang)
    held = {p.relative_to(site).as_posix() for p in site.rglob("*") if p.is_file()}
    assert {"dapplewood/py.typed", "dapplewood/_core.pyi"} <= held
    assert not [name for name in held if name.endswith((".c", ".h", ".comp"))]
    program = (
        "import dapplewood as dw, numpy as np\n"
        "image = np.full((16, 16, 4), 255, np.uint8)\n"
        "print(dw.__file__, len(dw.bake_atlas(image, device=dw.Device('cpu')).levels))"
    )
    environment = {**os.environ, "PYTHONPATH": str(site)}
    output = run_or_fail([sys.executable, "-c", program], cwd=tmp_path, env=environment)
    path, levels = output.split()
    assert Path(path).is_relative_to(site) and levels == "5"


@pytest.mark.build
def test_changed_shaders_without_a_compiler_are_an_error(sdist, tmp_path, without_glslang):
    run_or_fail([tool("tar"), "-xzf", sdist, "-C", tmp_path])
    (tree,) = tmp_path.glob("dapplewood-*")
    (tree / "shaders" / "added.comp").write_text("#version 460\nvoid main() { }\n")
    command = [sys.executable, "setup.py", "-q", "build_shaders"]
    result = run(command, cwd=tree, env=without_glslang)
    assert result.returncode != 0
    assert "added.comp" in result.stderr and "apt install glslang-tools" in result.stderr


def test_no_module_takes_the_place_of_what_it_holds():
    """Importing a module sets its name in the package: a function of that name would be hidden."""
    import dapplewood as dw

    modules = {p.stem for p in Path(dw.__file__).parent.iterdir() if not p.stem.startswith("_")}
    assert set(dw._MODULE_OF) & modules == set()
    assert callable(dw.contact_sheet), "fetched at once, since its module has its name"
