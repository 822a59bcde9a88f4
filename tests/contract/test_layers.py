# SPDX-License-Identifier: MIT
"""Includes go downwards only, and each outside interface is known to one folder."""

from __future__ import annotations

from contract.repository import CSRC, SHADERS, SHARED, includes, named, read, relative

# glue -> systems -> passes | cpu -> gpu | base, and the shared files below all.
BELOW = {
    "base": {"base", "shared"},
    "cpu": {"cpu", "base", "shared"},
    "gpu": {"gpu", "base", "shared", "generated"},
    "passes": {"passes", "cpu", "gpu", "base", "shared", "generated"},
    "systems": {"systems", "passes", "cpu", "gpu", "base", "shared"},
    "glue": {"glue", "systems", "cpu", "base", "shared"},
    "shared": {"shared"},
}

# What only one folder, or one file pair, may include.
OUTSIDE = {
    "glue/": ("Python.h", "structmember.h", "numpy/"),
    "gpu/": ("vulkan/", "volk.h"),
    "base/platform": (
        "windows.h", "pthread.h", "dlfcn.h", "unistd.h", "sched.h", "malloc.h", "fcntl.h", "sys/",
    ),
}  # fmt: skip


def layer_faults(name: str, text: str) -> list[str]:
    """What is wrong with the includes of csrc/<name> or shaders/<name>."""
    folder = name.split("/")[0]
    faults = []
    for include in includes(text):
        target = include[1:-1]
        if "../" in target:
            faults.append(f"{name}: {include} goes up; name the file from csrc or shaders")
        elif include[0] == '"' and target.split("/")[0] not in BELOW[folder]:
            faults.append(f"{name}: {folder} must not see {target}")
        elif include[0] == "<":
            faults += [
                f"{name}: {include} belongs to {owner}* alone"
                for owner, targets in OUTSIDE.items()
                if target.startswith(targets) and not name.startswith(owner)
            ]
    return faults


def test_includes_go_downwards():
    faults = []
    for path in named(".c", ".h", under=CSRC):
        faults += layer_faults(path.relative_to(CSRC).as_posix(), read(path))
    for path in named(".h", ".def", under=SHARED):
        faults += layer_faults(path.relative_to(SHADERS).as_posix(), read(path))
    assert not faults, "\n".join(faults)


def test_quoted_includes_name_a_file():
    missing = [
        f"{relative(path)}: {include}"
        for path in named(".c", ".h", under=CSRC) + named(".h", under=SHARED)
        for include in includes(read(path))
        if include[0] == '"'
        and not any((base / include[1:-1]).is_file() for base in (CSRC, SHADERS))
    ]
    assert not missing, "\n".join(missing)


def test_every_folder_is_a_known_layer():
    folders = {path.relative_to(CSRC).parts[0] for path in named(".c", ".h", under=CSRC)}
    assert folders <= set(BELOW), f"no rule for {folders - set(BELOW)}"


def test_scanner_finds_each_kind_of_fault():
    assert layer_faults("cpu/a.c", '#include "gpu/buffer.h"\n')
    assert layer_faults("gpu/a.c", '#include "cpu/atlas.h"\n')
    assert layer_faults("passes/a.c", '#include "systems/device.h"\n')
    assert layer_faults("base/a.c", '# include "../cpu/atlas.h"\n')
    assert layer_faults("systems/a.c", "#include <Python.h>\n")
    assert layer_faults("passes/a.c", "#include <vulkan/vulkan.h>\n")
    assert layer_faults("base/threads.c", "#include <pthread.h>\n")
    assert not layer_faults("base/platform.c", "#include <pthread.h>\n")
    assert not layer_faults("systems/a.c", '/* #include "glue/x.h" */\n#include "cpu/atlas.h"\n')
