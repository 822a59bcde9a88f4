# SPDX-License-Identifier: MIT
"""A particle kind is added by the three edits that csrc/README.md shows, and by no other."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest
from contract.repository import CSRC, ROOT, SHARED, files, read, run, run_or_fail
from contract.variants import clean_environment

KINDS = "shaders/shared/particle_kinds.def"
MOTION = "shaders/shared/particle_motion_glow.h"
EFFECTS = "csrc/cpu/particle_effects.def"


def shown_edits(text: str) -> list[str]:
    """The blocks of the section, in their order."""
    section = text.split("## Add a particle kind", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"```c\n(.*?)```", section, re.DOTALL)


def next_number() -> int:
    rows = read(SHARED / "particle_kinds.def")
    return len(re.findall(r"^DW_PARTICLE_KIND\(", rows, re.MULTILINE))


def test_the_section_has_three_edits_with_the_next_number():
    row, motion, effect = shown_edits(read(CSRC / "README.md"))
    assert row.startswith(f"DW_PARTICLE_KIND({next_number()}, "), "the README's number is taken"
    word = re.match(r"DW_PARTICLE_KIND\(\d+, \w+, (\w+)", row).group(1)
    assert f"dw_particle_move_{word}(" in motion and f"dw_particle_span_{word}(" in motion
    assert f"DW_PARTICLE_PART({word.upper()}, " in effect


def append(path: Path, text: str) -> None:
    """At the end, or in a header before the end of its guard."""
    before = path.read_text()
    guard = "\n#endif\n"
    if path.suffix == ".h":
        assert before.endswith(guard)
        path.write_text(before[: -len(guard)] + "\n" + text + guard)
    else:
        path.write_text(before + text)


PROGRAM = """
import sys
import numpy as np
import dapplewood as dw
from dapplewood import _core

assert _core.__file__.startswith(sys.argv[1]), _core.__file__
assert "a figure of eight" in dw.ParticleKind.__doc__
assert _core.PARTICLE_PARAMS["firefly"] == ("radius", "height", "size")
states = []
for which in ("cpu", "software"):
    try:
        device = dw.Device(which)
    except dw.DeviceNotFound:
        continue
    with device, dw.ParticleManager(device, seed=3) as pm:
        pm.register("meadow", dw.GlowConfig((5.0, 1.0, -2.0), "fireflies"))
        for now in (0.0, 0.5, 100.0):
            pm.seek(now)
            states.append(pm.state("magic"))
early, later, late = states[:3]
assert len(early) == len(later) == len(late) == 12
for state in (early, later, late):
    x, y, z = (state["position"] - np.float32([5, 1, -2])).T
    assert np.allclose(y, 0.9) and (abs(x) <= 1.5001).all() and (abs(z) <= 1.5001).all()
    sine = x / 1.5
    assert np.allclose(abs(z) / 1.5, abs(2 * sine * np.sqrt(1 - np.minimum(sine**2, 1))), atol=2e-3)
assert (abs(later["position"] - early["position"]).max(axis=1) > 0.05).all(), "it moves"
for twin, state in zip(states[3:], states):
    assert twin.tobytes() == state.tobytes()
print("kinds", len(dw.ParticleKind), "devices", len(states) // 3)
"""


@pytest.mark.build
@pytest.mark.slow
def test_a_kind_is_added_by_three_edits(tmp_path):
    tree = tmp_path / "tree"
    for path in files():
        target = tree / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    row, motion, effect = shown_edits(read(CSRC / "README.md"))
    for name, text in ((KINDS, row), (MOTION, motion), (EFFECTS, effect)):
        append(tree / name, text)
    build = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    run_or_fail(build, cwd=tree, env=clean_environment(DW_WERROR="1"))
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = clean_environment(PYTHONPATH=str(tree / "python"), PYTHONDONTWRITEBYTECODE="1")
    said = run_or_fail([sys.executable, program, tree], cwd=tmp_path, env=environment)
    assert f"kinds {next_number() + 1} " in said
    checks = ["tests/contract/test_registries.py", "tests/contract/test_shared_code.py"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *checks]
    result = run(command, cwd=tree, env=environment)
    assert result.returncode == 0, result.stdout[-6000:]
