# SPDX-License-Identifier: MIT
"""The set-up script says what it needs, and never installs behind one's back."""

from __future__ import annotations

import re

import pytest
from contract.repository import ROOT, read, run, run_or_fail, tool

SCRIPT = ROOT / "scripts" / "setup"
NOTHING_THERE = "have() { false; }; have_file() { false; }; have_library() { false; }"
NOBODY = 'id() { echo 1000; }; have() { [ "$1" = apt-get ]; }'
ROOT_CALLS = 'as_root() { echo "root: $*"; }'


def sourced(profile: str, program: str) -> str:
    """What a few lines print after the script's functions are defined."""
    text = f'source "$1" {profile}\n{program}\n'
    return run_or_fail([tool("bash"), "-c", text, "bash", SCRIPT], cwd=ROOT)


def test_script_is_valid_and_refuses_unknown_profiles():
    run_or_fail([tool("bash"), "-n", SCRIPT])
    refused = run([tool("bash"), SCRIPT, "everything"])
    assert refused.returncode == 2 and "everything" in refused.stderr


def test_each_check_leads_to_a_package():
    few = set(sourced("run", f"{NOTHING_THERE}; missing_packages").split())
    many = set(sourced("test", f"{NOTHING_THERE}; missing_packages").split())
    assert {"python3-venv", "gcc", "libvulkan-volk-dev", "glslang-tools", "libvulkan1"} <= few
    assert many - few == {"clang", "git", "vulkan-validationlayers"}
    assert few < many


MISSING = "missing_packages() { printf '%s\\n' volk glslang volk; }"


def test_debian_installs_once_and_says_what():
    system = "is_debian_like() { :; }; id() { echo 0; }; as_root() { echo \"root: $*\" >&2; }"
    output = sourced("run", f"{MISSING}; {system}\ninstall_packages 2>&1")
    assert "installing system packages: glslang volk" in output
    assert output.count("root: apt-get -qq update") == 1


def test_nothing_missing_asks_nothing_of_the_system():
    assert sourced("run", f"missing_packages() {{ :; }}; {ROOT_CALLS}; install_packages") == ""


@pytest.mark.parametrize(
    ("system", "advice"),
    [
        ("is_debian_like() { false; }", "install the like of them"),
        (f"{NOBODY}; is_debian_like() {{ :; }}", "apt-get install --no-install-recommends glsl"),
    ],
    ids=["another system", "no root"],
)
def test_what_cannot_be_installed_is_named(system, advice):
    output = sourced("run", f"{MISSING}; {ROOT_CALLS}; {system}\ninstall_packages")
    assert advice in output and "going on with what is there" in output
    assert "root:" not in output


def test_stamp_covers_what_it_must():
    """The stamp of the larger profile serves the smaller one; a changed file breaks it."""
    program = (
        "has_environment() { :; }; stamp_of() { echo \"stamp $1\"; }; cat() { echo \"$kept\"; }\n"
        "kept='stamp test'; is_stamped && echo served || echo again\n"
        "kept='stamp run'; is_stamped && echo served || echo again\n"
        "kept='stamp old'; is_stamped && echo served || echo again\n"
    )
    answers = {profile: sourced(profile, program).split() for profile in ("run", "test")}
    assert answers["run"] == ["served", "served", "again"]
    assert answers["test"] == ["served", "again", "again"]


def test_every_target_is_explained():
    makefile = read(ROOT / "Makefile")
    (line,) = re.findall(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    targets = set(line.split())
    assert targets == set(re.findall(r"^([a-z-]+):(?!=)(?! export)", makefile, re.MULTILINE))
    explained = set(re.findall(r"echo 'make ([a-z-]+)", makefile))
    assert targets - explained == {"help", "setup", "setup-test"}
