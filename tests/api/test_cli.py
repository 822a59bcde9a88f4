# SPDX-License-Identifier: MIT
"""The command line: words, streams, exit codes."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import batch
from dapplewood.cli import main
from dapplewood.cli.console import Console, table
from dapplewood.cli.parser import make_parser
from dapplewood.io import read_texture, write_image


def leaf(seed: int, size: int = 64) -> np.ndarray:
    """Discs, one to a tile of half the size, clear of a gutter of an eighth."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:size, :size] % (size // 2) - size / 4
    image = np.zeros((size, size, 4), np.uint8)
    image[..., :3] = rng.integers(40, 200, 3)
    image[..., 3] = np.rint(255 * np.clip((size / 10 - np.hypot(x, y)) / 3, 0, 1))
    return image


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Three images, one of them deeper down, in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep").mkdir()
    for name in ("b.png", "a.png", "deep/c.png"):
        write_image(name, leaf(len(name)))
    return tmp_path


BAKE = ("bake", "--device", "cpu", "--tiles", "2x2", "--gutter", "8")


def lines(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def files(folder) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


INPUTS = {"a.png", "b.png", "deep/c.png"}


def test_bake_prints_a_line_for_each_file(folder, capsys):
    assert main([*BAKE, "a.png", "b.png"]) == 0
    out, err = capsys.readouterr()
    assert [line.split()[:4] for line in out.splitlines()] == [
        ["baked", "a.png", "->", "a.ktx2"],
        ["baked", "b.png", "->", "b.ktx2"],
    ]
    assert "64x64, 4 tiles, 7 levels, safe through 4" in out and err == ""
    assert main([*BAKE, "a.png", "b.png"]) == 0
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["current", "a.png"],
        ["current", "b.png"],
    ]


def test_json_is_one_object_a_line_with_a_schema(folder, capsys):
    assert main([*BAKE, "a.png", "none.png", "--json"]) == 1
    out, _ = capsys.readouterr()
    good, bad = lines(out)
    for line in good, bad:
        assert line["schema"] == "dapplewood.bake" and line["schema_version"] == 1
    assert (good["status"], good["levels"], good["device"]) == ("baked", 7, "native C")
    assert (bad["status"], bad["error"]) == ("failed", "FileNotFoundError")


def test_patterns_are_expanded_and_sorted(folder, capsys):
    assert main([*BAKE, "**/*.png", "a.png", "--dry-run", "--json"]) == 0
    sources = [line["source"] for line in lines(capsys.readouterr().out)]
    assert sources == ["a.png", "b.png", os.path.join("deep", "c.png")]
    assert files(folder) == INPUTS


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(folder, capsys):
    write_image("a[1].png", leaf(1))
    assert main([*BAKE, "a[1].png", "--json"]) == 0
    assert [line["source"] for line in lines(capsys.readouterr().out)] == ["a[1].png"]


@pytest.mark.parametrize("source", ["file", "stdin"])
def test_inputs_from_a_list(folder, capsys, monkeypatch, source):
    text = "b.png\n\n  deep/*.png \nb.png\n"
    (folder / "list.txt").write_text(text)
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    where = "list.txt" if source == "file" else "-"
    assert main([*BAKE, "--from-file", where, "--json"]) == 0
    sources = [line["source"] for line in lines(capsys.readouterr().out)]
    assert sources == ["b.png", os.path.join("deep", "c.png")]


def test_a_template_places_the_output(folder):
    assert main([*BAKE, "deep/c.png", "-o", "{dir}/out/{name}.{ext}", "--container", "dds"]) == 0
    assert "deep/out/c.png.dds" in files(folder)
    assert main([*BAKE, "a.png", "-o", "made/"]) == 0
    assert "made/a.ktx2" in files(folder)
    assert main([*BAKE, "b.png", "-o", "made"]) == 0  # a folder by now
    assert "made/b.ktx2" in files(folder)


USAGE = [
    ((), "no input files"),
    (("*.tga",), "no file matches '*.tga'"),
    (("deep",), "deep is a folder; ask for its files"),
    (("a.png", "b.png", "-o", "one.ktx2"), "would both become one.ktx2"),
    (("a.png", "-o", "{dri}/a.ktx2"), "its fields are {dir}"),
    (("a.png", "--tiles", "8"), "--tiles takes COLUMNSxROWS"),
    (("a.png", "--tiles", "0x2"), "columns must be 1 or more"),
    (("a.png", "--tiles", "auto"), "--gutter needs --tiles"),
    (("a.png", "--rects", "none.csv"), "exclude each other"),
    (("a.png", "--cutoff", "1.5"), "must lie inside (0, 1)"),
    (("a.png", "--cutoff", "half"), "invalid number value: 'half'"),
    (("a.png", "--strength", "2"), "must lie in [0, 1]"),
    (("a.png", "--start-level", "-1"), "must be 0 or more"),
    (("a.png", "--max-level", "deep"), "takes a number, safe or all"),
    (("a.png", "--far", "0"), "must be 1 or more"),
    (("a.png", "--filter", "sharp"), "invalid choice: 'sharp'"),
    (("a.png", "--format", "bc7", "--container", "png"), "png holds plain"),
    (("a.png", "--report", "report.txt"), "must end in .html or .json"),
    (("a.png", "--check", "--force"), "--check goes with neither"),
    (("a.png", "--from-file", "none.txt"), "none.txt"),
    (("a.png", "--device", "toaster"), 'must be "cpu"'),
    (("a.png", "--no-such-flag"), "unrecognized arguments"),
]


@pytest.mark.parametrize(("words", "text"), USAGE, ids=[text for _, text in USAGE])
def test_usage_errors_exit_2_and_touch_nothing(folder, capsys, words, text):
    assert main([*BAKE, *words]) == 2
    out, err = capsys.readouterr()
    assert out == "" and text in err and "Traceback" not in err
    assert files(folder) == INPUTS


@pytest.mark.parametrize("words", [[], ["bark"], ["bake", "--json=yes"]])
def test_words_that_are_no_command_exit_2(words, capsys):
    assert main(words) == 2
    assert "usage:" in capsys.readouterr().err


def test_failed_inputs_exit_1_and_the_rest_is_written(folder, capsys):
    (folder / "cut.png").write_bytes((folder / "a.png").read_bytes()[:50])
    assert main([*BAKE, "cut.png", "a.png"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("failed     cut.png: ") and "Traceback" not in out + err
    assert "a.ktx2" in files(folder) and "cut.ktx2" not in files(folder)


def test_a_grid_that_does_not_fit_fails_that_file(folder, capsys):
    write_image("odd.png", leaf(1)[:63])
    assert main([*BAKE, "odd.png", "a.png"]) == 1
    assert "a grid of 2 x 2 does not divide an image of 64 x 63" in capsys.readouterr().out


def test_no_device_exits_3(folder, capsys):
    for words in (["bake", "a.png"], ["devices"], ["diff", "a.png", "a.png"]):
        assert main([*words, "--device", "name:no such device"]) == 3
        assert "no such device" in capsys.readouterr().err
    assert files(folder) == INPUTS


def test_words_that_name_no_device_exit_2(folder, capsys, monkeypatch):
    for words in (
        ["devices"], ["doctor"], ["diff", "a.png", "a.png"], ["report", "a.png"], ["demo"],
        ["bench", "--size", "64", "--grid", "2"], ["bake", "a.png"],
    ):  # fmt: skip
        assert main([*words, "--device", "toaster"]) == 2, words
        assert 'got "toaster"' in capsys.readouterr().err
    assert files(folder) == INPUTS


@pytest.mark.parametrize(("word", "code"), [("name:no such device", 3), ("toaster", 2)])
def test_devices_are_listed_though_the_environment_names_none(capsys, monkeypatch, word, code):
    monkeypatch.setenv("DAPPLEWOOD_DEVICE", word)
    assert main(["devices"]) == code
    captured = capsys.readouterr()
    assert "native C" in captured.out and word in captured.err
    assert main(["devices", "--json"]) == code
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows[-1]["kind"] == "native" and not any(row["chosen"] for row in rows)


def test_out_of_memory_is_said_once(folder, capsys, monkeypatch):
    def fail(*_, **__):
        raise MemoryError("out of memory: image needs 9 bytes")

    monkeypatch.setattr("dapplewood.cli.devices_command.devices", fail)
    assert main(["devices"]) == 4
    assert capsys.readouterr().err == "dapplewood: error: out of memory: image needs 9 bytes\n"


@pytest.mark.parametrize("error", [dw.DeviceLost("the device is gone"), MemoryError("levels")])
def test_lost_device_and_out_of_memory_exit_4(folder, capsys, monkeypatch, error):
    def lose(*_, **__):
        raise error

    monkeypatch.setattr(batch, "bake_atlas", lose)
    assert main([*BAKE, "a.png", "none.png"]) == 4
    assert str(error) in capsys.readouterr().out


def test_check_exits_5_when_stale_and_writes_nothing(folder, capsys):
    assert main([*BAKE, "a.png", "--check"]) == 5
    assert capsys.readouterr().out == "stale      a.png: not made yet\n"
    assert files(folder) == INPUTS
    main([*BAKE, "a.png"])
    assert main([*BAKE, "a.png", "--check"]) == 0
    assert main([*BAKE, "a.png", "--check", "--cutoff", "0.4"]) == 5
    assert "input, settings or version changed" in capsys.readouterr().out
    assert main([*BAKE, "a.png", "none.png", "--check"]) == 1


def test_dry_run_writes_nothing(folder, capsys):
    assert main([*BAKE, "a.png", "--dry-run", "--depfile", "a.d"]) == 0
    assert capsys.readouterr().out == "would bake a.png: not made yet\n"
    assert files(folder) == {*INPUTS, "a.d"}


def test_depfile_names_what_depends_on_what(folder):
    write_image("my leaf.png", leaf(1))
    write_image("op $.png", leaf(1)[..., 3])
    words = ["my leaf.png", "--opacity", "op $.png", "--container", "ktx2", "--container", "dds"]
    assert main([*BAKE, *words, "--depfile", "bake.d"]) == 0
    assert (folder / "bake.d").read_text() == (
        "my\\ leaf.ktx2 my\\ leaf.dds: my\\ leaf.png op\\ $$.png\n"
    )


def test_every_flag_reaches_the_baker(folder):
    (folder / "rects.csv").write_text("x,y,w,h\n# two cards\n0, 0, 32, 32\n32,0,32,64\n\n")
    words = [
        "--rects", "rects.csv", "--gutter", "2", "--cutoff", "0.3", "--cutoff", "0.6",
        "--coverage", "image", "--filter", "kaiser", "--fill", "keep", "--color-space", "linear",
        "--max-level", "4", "--start-level", "2", "--strength", "0.5", "--opacity", "g",
        "--premultiplied", "--alpha", "a2c", "--format", "rgba8", "--supercompress", "--pad-chain",
    ]  # fmt: skip
    assert main(["bake", "--device", "cpu", "a.png", *words]) == 0
    want = dw.bake_atlas(
        "a.png", tiles=dw.TileRects([[0, 0, 32, 32], [32, 0, 32, 64]], gutter=2),
        cutoffs=(0.3, 0.6), coverage="image", filter="kaiser", fill="keep", color_space="linear",
        max_level=4, start_level=2, strength=0.5, opacity="g", premultiplied=True,
        device=dw.Device("cpu"),
    ).export_levels(alpha="a2c", pad_chain=True)  # fmt: skip
    held = read_texture("a.ktx2")
    assert held.color_space == "linear" and len(held.levels) == len(want) == 7
    assert all(map(np.array_equal, held.levels, want))


def test_array_and_far_flags(folder):
    assert main([*BAKE, "a.png", "--array", "--far", "16,4", "--max-level", "safe"]) == 0
    assert read_texture("a.ktx2").layers == 4
    assert read_texture("a_far.ktx2").width == 48
    assert main([*BAKE, "b.png", "--far"]) == 0
    assert read_texture("b_far.ktx2").width == 256


@pytest.mark.parametrize(
    "text", ["1,2,3\n", "x,y,w,h\n", "1,2,3,4.5\n", "1" * 200000, "0,0,4," + "9" * 30]
)
def test_bad_rects_name_the_line(folder, capsys, text):
    (folder / "rects.csv").write_text(text)
    assert main(["bake", "a.png", "--rects", "rects.csv"]) == 2
    assert "--rects rects.csv" in capsys.readouterr().err


def test_choices_are_those_of_the_core():
    text = make_parser().parse_args(["bake", "x", "--filter", "mitchell", "--fill", "wrap"])
    assert (text.filter, text.fill) == ("mitchell", "wrap")


def test_warnings_go_to_standard_error_unless_quiet(folder, capsys):
    image = leaf(1)
    image[:8, :8, 3] = 255  # content inside the gutter
    write_image("wide.png", image)
    assert main([*BAKE, "wide.png"]) == 0
    out, err = capsys.readouterr()
    assert "warning: gutter=8 covers texels" in err and "gutter=8" not in out
    assert main([*BAKE, "wide.png", "--force", "-q"]) == 0
    assert capsys.readouterr().err == ""


def test_details_with_v(folder, capsys):
    assert main([*BAKE, "a.png", "-v"]) == 0
    assert "a.png: not made yet; read " in capsys.readouterr().err


def test_tracebacks_with_v_alone(folder, capsys):
    assert main(["report", "none.dds"]) == 1
    err = capsys.readouterr().err
    assert "none.dds: No such file or directory" in err and "Traceback" not in err
    assert main(["report", "none.dds", "-v"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_errors_that_nobody_foresaw_say_what_to_do(folder, capsys, monkeypatch):
    def fail(*_, **__):
        raise KeyError("left")

    monkeypatch.setattr("dapplewood.cli.devices_command.devices", fail)
    assert main(["devices"]) == 1
    err = capsys.readouterr().err
    assert "unexpected KeyError: 'left'" in err and "dapplewood doctor" in err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_and_progress_on_a_terminal_alone(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    console = Console("bake")
    assert console.paint("x", "red", io.StringIO()) == "x"
    assert console.paint("x", "red", Terminal()) == "\033[31mx\033[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert console.paint("x", "red", Terminal()) == "x"
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert console.progress("bake") is None
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert Console("bake", verbosity=-1).progress("bake") is None
    draw = console.progress("bake")
    draw(0.5)
    draw(0.501)
    assert sys.stderr.getvalue().count(" 50 %") == 1
    console.info("not said without -v")
    console.warn("careful")
    draw(0.502)
    assert sys.stderr.getvalue().count(" 50 %") == 2
    console.end_progress()
    draw(0.9)
    assert " 90 %" not in sys.stderr.getvalue() and sys.stderr.getvalue().endswith("\033[K")


def test_tables_align_numbers_to_the_right():
    text = table(("name", "size"), [("a", 5), ("long", "12"), ("b", "-")])
    assert text.splitlines() == ["name  size", "a        5", "long    12", "b        -"]


def test_version_and_devices(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"dapplewood {dw.__version__}\n"
    assert main(["devices"]) == 0
    assert "native C" in capsys.readouterr().out
    assert main(["devices", "--json", "--device", "cpu"]) == 0
    (row,) = lines(capsys.readouterr().out)
    assert (row["kind"], row["chosen"], row["schema"]) == ("native", True, "dapplewood.devices")
    assert main(["devices", "--json"]) == 0
    rows = lines(capsys.readouterr().out)
    assert len(rows) == len(dw.devices()) and sum(row["chosen"] for row in rows) == 1


def test_doctor_tells_what_a_bug_report_needs(capsys):
    assert main(["doctor"]) == 0
    assert dw.__version__ in capsys.readouterr().out
    assert main(["doctor", "--json"]) == 0
    (found,) = lines(capsys.readouterr().out)
    assert found["versions"]["numpy"] == np.__version__
    assert found["devices"][-1]["kind"] == "native"
    assert main(["doctor", "--device", "name:no such device"]) == 3


def test_report_measures_what_any_tool_made(folder, capsys):
    write_image("big.png", leaf(1, 256))
    main([*BAKE, "big.png", "--alpha", "both", "--container", "dds", "--cutoff", "0.7", "-q"])
    capsys.readouterr()
    words = ["--tiles", "2x2", "--gutter", "8", "--cutoff", "0.7", "--device", "cpu"]
    assert main(["report", "big.dds", *words, "-o", "big.json"]) == 0
    out = capsys.readouterr().out
    held = dw.AtlasReport.from_json((folder / "big.json").read_text())
    assert held.table() in out and held.cutoffs == (0.7,) and len(held.tiles) == 4
    assert main(["report", "big_a2c.dds", *words, "--json"]) == 0
    (line,) = lines(capsys.readouterr().out)
    averaged = dw.AtlasReport.from_json(json.dumps(line["report"]))
    errors = [np.abs(report.coverage_error()[:, 4, 0]).mean() for report in (held, averaged)]
    assert errors[0] < 0.5 < errors[1]
    assert main(["report", "big.dds", "-o", "big.pdf"]) == 2
    assert main(["report", "big.dds", "--tiles", "3x2"]) == 1


def test_bake_writes_reports_that_are_left_alone_when_current(folder, capsys):
    words = [*BAKE, "a.png", "--report", "{stem}.report.json", "--json"]
    assert main(words) == 0
    report = dw.AtlasReport.from_json((folder / "a.report.json").read_text())
    assert len(report.tiles) == 4 and report.before is not None
    assert main(words) == 0
    (folder / "a.report.json").write_text("{}")
    assert main(words) == 0
    statuses = [line["status"] for line in lines(capsys.readouterr().out)]
    assert statuses == ["baked", "current", "baked"]


def test_demo_leaves_textures_sheet_and_report(folder, capsys):
    pytest.importorskip("matplotlib")
    write_image("mine.png", leaf(3, 256))
    assert main(["demo", "mine.png", "--out", "made", "--device", "cpu", "--json"]) == 0
    (found,) = lines(capsys.readouterr().out)
    names = {"mine.ktx2", "mine.dds", "mine_levels.png", "report.html"}
    assert {Path(name).name for name in found["files"]} == names
    assert {path.name for path in (folder / "made").iterdir()} == names
    assert found["coverage_error_after"]["mean"] < found["coverage_error_before"]["mean"]
    assert same_chain("made/mine.ktx2", "made/mine.dds")
    page = (folder / "made/report.html").read_text()
    assert "<html" in page and "src=\"http" not in page and "href=\"http" not in page


def test_demo_says_when_an_atlas_has_no_opacity(folder, capsys):
    pytest.importorskip("matplotlib")
    image = leaf(3, 64)
    write_image("opacity.png", image[..., 3])
    write_image("opaque.png", image[..., :3])
    assert main(["demo", "opaque.png", "--device", "cpu"]) == 0
    assert "warning: opaque is opaque; --opacity names" in capsys.readouterr().err
    assert main(["demo", "opaque.png", "--device", "cpu", "--opacity", "opacity.png"]) == 0
    assert capsys.readouterr().err == ""
    levels = read_texture("out/opaque.ktx2").levels
    assert levels[0][..., 3].min() == 0


def test_no_command_overwrites_its_input(folder, capsys):
    before = (folder / "a.png").read_bytes()
    assert main([*BAKE, "a.png", "--depfile", "./a.png"]) == 2
    assert "--depfile: ./a.png would overwrite the input a.png" in capsys.readouterr().err
    assert main([*BAKE, "a.png", "-o", "a.dds"]) == 0
    texture = (folder / "a.dds").read_bytes()
    assert main(["demo", "a.dds", "-o", ".", "--device", "cpu"]) == 2
    assert "--out: a.dds would overwrite the input a.dds" in capsys.readouterr().err
    assert (folder / "a.png").read_bytes() == before
    assert (folder / "a.dds").read_bytes() == texture and not (folder / "a.ktx2").exists()


def same_chain(first: str, second: str) -> bool:
    return all(map(np.array_equal, read_texture(first).levels, read_texture(second).levels))


def test_diff_tells_equal_from_different(folder, capsys):
    main([*BAKE, "a.png", "--container", "ktx2", "--container", "dds", "-q"])
    main([*BAKE, "a.png", "-o", "other.dds", "--strength", "0", "-q"])
    main([*BAKE, "a.png", "-o", "short.dds", "--max-level", "2", "-q"])
    capsys.readouterr()
    assert main(["diff", "a.ktx2", "a.dds"]) == 0
    assert capsys.readouterr().out.endswith("equal: a.ktx2 and a.dds\n")
    assert main(["diff", "a.dds", "other.dds", "--json"]) == 5
    (found,) = lines(capsys.readouterr().out)
    first, second = read_texture("a.dds").levels[2], read_texture("other.dds").levels[2]
    delta = np.abs(first.astype(int) - second)
    row = found["levels"][2]
    assert row["max"] == delta.max() > 0 and found["levels"][0]["same"]
    assert row["differing"] == np.count_nonzero(delta.any(-1))
    assert row["psnr_db"] == pytest.approx(10 * np.log10(255**2 / np.mean(delta**2.0)))
    assert main(["diff", "a.dds", "other.dds", "--tolerance", "255"]) == 0
    capsys.readouterr()
    assert main(["diff", "a.dds", "short.dds", "--json"]) == 5
    (found,) = lines(capsys.readouterr().out)
    assert found["differences"] == ["levels: 7 and 3"] and not found["same"]
    assert main(["diff", "a.dds", "none.dds"]) == 1


def test_bench_measures(capsys):
    words = ["bench", "--size", "256", "--grid", "4", "--repeats", "2", "--device", "cpu"]
    assert main([*words, "--json"]) == 0
    for row in lines(capsys.readouterr().out):
        assert row["bytes_moved"] > 256 * 256 * 4 * 2 and row["repeats"] == 2
        speed = row["bytes_moved"] / row["wall_median_s"] / 1e9
        assert row["gb_per_s"] == pytest.approx(speed, 0.1)
    assert main(["bench", "--size", "100", "--grid", "3"]) == 2


def command(*words: str, **more) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "dapplewood", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more,
    )  # fmt: skip


def whole_files(folder: Path) -> int:
    """How many outputs there are; every one must be readable, and no temporary file left."""
    assert not [name for name in files(folder) if Path(name).name.startswith(".")]
    outputs = [path for path in folder.rglob("*.ktx2")]
    assert all(len(read_texture(path).levels) == 9 for path in outputs)
    return len(outputs)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_interrupt_leaves_whole_files_and_exits_130(folder):
    (folder / "many").mkdir()
    write_image("many/0.png", leaf(1, 256))
    data = (folder / "many/0.png").read_bytes()
    for index in range(1, 400):
        (folder / f"many/{index}.png").write_bytes(data)
    process = command(*BAKE, "many/*.png", cwd=folder)
    assert process.stdout.readline().startswith("baked")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in err and "Traceback" not in err
    assert 1 <= whole_files(folder) < 400


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes")
def test_names_in_any_bytes(folder):
    name = os.fsdecode(b"leaf \xff.png")
    os.rename("a.png", name)
    words = [sys.executable, "-m", "dapplewood", *BAKE, name, "--depfile", "a.d"]
    strict = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    result = subprocess.run(words, capture_output=True, env=strict)
    assert result.returncode == 0 and rb"leaf \udcff.png -> leaf \udcff.ktx2" in result.stdout
    assert (folder / "a.d").read_bytes() == b"leaf\\ \xff.ktx2: leaf\\ \xff.png\n"


@pytest.mark.skipif(os.name != "posix", reason="streams closed by a shell")
def test_closed_streams_take_nothing_from_the_work(folder):
    words = " ".join([sys.executable, "-m", "dapplewood", *BAKE, "a.png"])
    assert subprocess.run(["sh", "-c", f"{words} >&- 2>&-"]).returncode == 0
    assert (folder / "a.ktx2").exists()


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_a_reader_that_goes_away_is_no_error_to_shout_about(folder):
    process = command("devices", "--json")
    process.stdout.close()
    err = process.stderr.read()
    assert process.wait(timeout=60) in (0, 1) and err == ""
    process.stderr.close()
