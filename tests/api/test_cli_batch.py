# SPDX-License-Identifier: MIT
"""Batches of files: what is planned, what is baked, what is left alone."""

from __future__ import annotations

import dataclasses
import inspect
import json
import threading

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import batch
from dapplewood.batch import bake_files
from dapplewood.batch_plan import BatchSettings
from dapplewood.io import read_ktx2_metadata, read_texture, write_image

GRID = dw.TileGrid(2, 2, gutter=8)


def leaf(seed: int, size: int = 64) -> np.ndarray:
    """Soft blobs, one to a tile, whose colour under alpha 0 is black."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:size, :size] % (size // 2) - size / 4
    inside = (size / 10 - np.hypot(x, y)) / 3
    alpha = np.clip(inside + rng.normal(0, 0.4, (size, size)) * (inside > 0), 0, 1)
    image = np.zeros((size, size, 4), np.uint8)
    image[..., :3] = rng.integers(40, 200, 3) * (alpha > 0)[..., None]
    image[..., 3] = np.rint(255 * alpha)
    return image


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Three images in the current folder."""
    monkeypatch.chdir(tmp_path)
    for index in range(3):
        write_image(f"leaf{index}.png", leaf(index))
    return tmp_path


def bake(*paths, **more):
    return bake_files(paths or ["leaf0.png"], device="cpu", **{"tiles": GRID, **more})


def statuses(records) -> list[str]:
    return [record.status for record in records]


def names(folder) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file()}


def same_levels(path, levels) -> bool:
    held = read_texture(path).levels
    return len(held) == len(levels) and all(map(np.array_equal, held, levels))


def test_files_hold_what_the_baker_gives(folder):
    records = bake("leaf0.png", "leaf1.png", containers=["ktx2", "dds", "png"], alpha="both")
    assert statuses(records) == ["baked", "baked"]
    for index in range(2):
        want = dw.bake_atlas(f"leaf{index}.png", tiles=GRID, device=dw.Device("cpu"))
        averaged = want.export_levels(alpha="a2c")
        assert not np.array_equal(averaged[2], want.levels[2])
        for suffix in (".ktx2", ".dds", "_mip0.png"):
            assert same_levels(f"leaf{index}{suffix}", want.levels)
            assert same_levels(f"leaf{index}_a2c{suffix}", averaged)
    assert {path for record in records for path in record.written} <= names(folder)


@pytest.mark.parametrize(
    "settings",
    [
        {"cutoffs": (0.25, 0.75)},
        {"cutoffs": 0.4},
        {"coverage": "image"},
        {"filter": "kaiser"},
        {"fill": "keep"},
        {"color_space": "linear"},
        {"max_level": "safe"},
        {"start_level": 3},
        {"strength": 0.25},
        {"premultiplied": True},
        {"opacity": "r"},
        {"tiles": None},
        {"tiles": "auto"},
        {"tiles": dw.TileRects([[0, 0, 32, 32]], gutter=4)},
    ],
    ids=str,
)
def test_each_setting_reaches_the_baker_and_the_key(folder, settings):
    plain = bake()[0]
    changed = bake(**settings)[0]
    assert changed.status == "baked" and changed.key != plain.key
    want = dw.bake_atlas("leaf0.png", device=dw.Device("cpu"), **{"tiles": GRID, **settings})
    assert same_levels("leaf0.ktx2", want.levels)


def test_settings_are_those_of_the_baker():
    own = {field.name: field.default for field in dataclasses.fields(BatchSettings)}
    for name, parameter in inspect.signature(dw.bake_atlas).parameters.items():
        if name not in ("image", "target_coverage", "progress", "device"):
            assert own[name] == parameter.default, name


def test_array_far_and_padded_chains(folder):
    assert statuses(bake(array=True, out="{stem}_layers.ktx2")) == ["baked"]
    want = dw.bake_atlas("leaf0.png", tiles=GRID, device=dw.Device("cpu"))
    assert same_levels("leaf0_layers.ktx2", want.to_array().levels)
    bake(far=(16, 8), max_level="safe", pad_chain=True, out="{stem}.dds")
    assert same_levels("leaf0_far.dds", want.far_atlas(16, 8).levels)
    padded = dw.bake_atlas("leaf0.png", tiles=GRID, max_level="safe", device=dw.Device("cpu"))
    assert same_levels("leaf0.dds", padded.export_levels(pad_chain=True))
    assert len(padded.levels) < len(padded.export_levels(pad_chain=True))


def test_block_formats_and_supercompression(folder):
    pytest.importorskip("etcpak")
    bake(format="bc3", supercompress=True, containers=["ktx2", "dds"])
    held = read_texture("leaf0.ktx2"), read_texture("leaf0.dds")
    assert [texture.format for texture in held] == ["bc3", "bc3"]
    assert same_levels("leaf0.dds", held[0].levels)


def test_opacity_beside_each_file(folder):
    for index in range(2):
        write_image(f"leaf{index}_Opacity.png", leaf(index + 7)[..., 3])
    records = bake("leaf0.png", "leaf1.png", opacity="{dir}/{stem}_Opacity.png")
    assert records[1].inputs == ("leaf1.png", "leaf1_Opacity.png")
    want = dw.bake_atlas(
        "leaf1.png", opacity="leaf1_Opacity.png", tiles=GRID, device=dw.Device("cpu")
    )
    assert same_levels("leaf1.ktx2", want.levels)
    write_image("leaf1_Opacity.png", leaf(9)[..., 3])
    again = bake("leaf0.png", "leaf1.png", opacity="{dir}/{stem}_Opacity.png")
    assert statuses(again) == ["current", "baked"]


@pytest.mark.parametrize("out", ["leaf.ktx2", "{dir}/x/leaf.{ext}", "{ext}.{ext}"])
def test_two_inputs_to_one_output_are_refused_before_any_work(folder, out):
    with pytest.raises(ValueError, match=r"leaf0\.png and leaf1\.png would both become"):
        bake("leaf0.png", "leaf1.png", out=out)
    assert names(folder) == {"leaf0.png", "leaf1.png", "leaf2.png"}


def test_an_input_is_never_overwritten(folder):
    dw.bake_atlas(leaf(0), device=dw.Device("cpu")).save("old.dds")
    with pytest.raises(ValueError, match=r"would overwrite the input old\.dds"):
        bake("old.dds", out="{dir}/{stem}.dds")
    write_image("a_mip0.png", leaf(0))
    with pytest.raises(ValueError, match=r"would overwrite the input a_mip0\.png"):
        bake("a_mip0.png", out="a.png")
    write_image("a.png", leaf(1))
    write_image("a_mip3.png", leaf(0))
    with pytest.raises(ValueError, match=r"would overwrite the input a_mip3\.png"):
        bake("a.png", "a_mip3.png", out="{stem}.png")


def test_one_file_named_twice_counts_once(folder):
    records = bake("leaf0.png", "./leaf0.png", str(folder / "leaf0.png"))
    assert [record.source for record in records] == ["leaf0.png"]


@pytest.mark.parametrize(
    ("more", "error", "text"),
    [
        ({"out": "{folder}/x.ktx2"}, ValueError, "its fields are {dir}"),
        ({"out": "{stem}.{ext"}, ValueError, "path template"),
        ({"out": "{stem}.jpg"}, ValueError, "jpg container"),
        ({"out": "{stem}"}, ValueError, "no container"),
        ({"out": "{stem}.dds", "containers": ["ktx2"]}, ValueError, r"needs \{ext\}"),
        ({"out": "{stem}.dds", "supercompress": True}, ValueError, "supercompress is for .ktx2"),
        ({"out": "{stem}.png", "format": "bc7"}, ValueError, "png holds plain"),
        ({"out": "{stem}.png", "array": True}, ValueError, "png holds plain"),
        ({"format": "bc9"}, ValueError, "format must be one of"),
        ({"alpha": "all"}, ValueError, "alpha must be one of"),
        ({"filter": "sharp"}, ValueError, "filter must be"),
        ({"report": "x.txt"}, ValueError, "report must end in"),
        ({"cutoff": 0.5}, TypeError, "unknown setting 'cutoff'; known: .*cutoffs"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_any_work(folder, more, error, text):
    with pytest.raises(error, match=text):
        bake(**more)
    assert names(folder) == {"leaf0.png", "leaf1.png", "leaf2.png"}
    with pytest.raises(TypeError, match="sequence of paths"):
        bake_files("leaf0.png")


def test_one_failure_does_not_stop_the_others(folder):
    (folder / "cut.png").write_bytes((folder / "leaf1.png").read_bytes()[:60])
    told = []
    records = bake("leaf0.png", "cut.png", "none.png", "leaf2.png", on_record=told.append)
    assert statuses(records) == ["baked", "failed", "failed", "baked"]
    assert told == records
    assert isinstance(records[1].error, dw.FormatError) and "cut.png" in records[1].reason
    assert isinstance(records[2].error, FileNotFoundError)
    assert records[2].reason == "none.png: No such file or directory"
    assert {"leaf0.ktx2", "leaf2.ktx2"} <= names(folder) and "cut.ktx2" not in names(folder)


def test_a_bad_target_fails_and_leaves_nothing(folder):
    (folder / "file").write_text("no folder")
    records = bake(out="file/{stem}.ktx2")
    assert statuses(records) == ["failed"] and isinstance(records[0].error, OSError)
    assert names(folder) == {"leaf0.png", "leaf1.png", "leaf2.png", "file"}


ALL = {"containers": ["ktx2", "dds", "png"]}


def test_what_is_up_to_date_is_left_alone(folder):
    bake(**ALL)
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    again = bake(**ALL)
    assert statuses(again) == ["current"] and again[0].written == ()
    assert before == {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    forced = bake(**ALL, force=True)
    assert statuses(forced) == ["baked"] and forced[0].reason == "forced"
    assert forced[0].key == again[0].key


def test_keys_follow_the_content_and_not_the_name(folder):
    bake()
    (folder / "leaf0.png").rename(folder / "moved.png")
    (folder / "leaf0.ktx2").rename(folder / "moved.ktx2")
    assert statuses(bake("moved.png")) == ["current"]
    assert read_ktx2_metadata("moved.ktx2")["dapplewood.key"] not in ("", None)


def touch_input(folder):
    write_image("leaf0.png", leaf(40))


def cut_ktx2(folder):
    path = folder / "leaf0.ktx2"
    path.write_bytes(path.read_bytes()[:-1])


def edit_dds(folder):
    path = folder / "leaf0.dds"
    path.write_bytes(path.read_bytes()[:-1] + b"\1")


def drop_level(folder):
    (folder / "leaf0_mip3.png").unlink()


def drop_sidecar(folder):
    (folder / "leaf0.dds.dapplewood.json").unlink()


def break_sidecar(folder):
    (folder / "leaf0.dds.dapplewood.json").write_text("[1, 2")


def foreign_ktx2(folder):
    dw.bake_atlas(leaf(0), tiles=GRID, device=dw.Device("cpu")).save("leaf0.ktx2")


@pytest.mark.parametrize(
    "spoil",
    [
        touch_input, cut_ktx2, edit_dds, drop_level, drop_sidecar, break_sidecar, foreign_ktx2,
    ],
)  # fmt: skip
def test_what_is_stale_is_found_and_baked_again(folder, spoil):
    bake(**ALL)
    good = {name: (folder / name).read_bytes() for name in names(folder)}
    spoil(folder)
    spoiled = {name: (folder / name).read_bytes() for name in names(folder)}
    for mode, status in ({"check": True}, "stale"), ({"dry_run": True}, "would bake"):
        record = bake(**ALL, **mode)[0]
        assert record.status == status and "leaf0" in record.reason
    assert spoiled == {name: (folder / name).read_bytes() for name in names(folder)}
    assert statuses(bake(**ALL)) == ["baked"]
    if spoil is not touch_input:
        assert good == {name: (folder / name).read_bytes() for name in names(folder)}
    assert statuses(bake(**ALL, check=True)) == ["current"]


def test_a_shorter_chain_takes_its_old_levels_away(folder):
    write_image("leaf0_mip99.png", leaf(5))  # not ours
    bake(out="{stem}.png")
    assert "leaf0_mip6.png" in names(folder)
    bake(out="{stem}.png", max_level=2)
    assert {name for name in names(folder) if "_mip" in name} == {
        "leaf0_mip0.png", "leaf0_mip1.png", "leaf0_mip2.png", "leaf0_mip99.png",
    }  # fmt: skip


def test_a_sidecar_removes_no_file_elsewhere(folder):
    sub = folder / "sub"
    sub.mkdir()
    (sub / "leaf0.dds.dapplewood.json").write_text(
        json.dumps({"schema_version": 1, "key": "", "files": [{"name": "../leaf1.png"}]})
    )
    assert statuses(bake(out="sub/{stem}.dds")) == ["baked"]
    assert "leaf1.png" in names(folder)


def test_stages_overlap(folder, monkeypatch):
    """The first file is not written before the second has been read."""
    second_read, waited = threading.Event(), []
    read, save = batch.read_image, batch.save_levels

    def reading(path, **more):
        image = read(path, **more)
        if "leaf1" in str(path):
            second_read.set()
        return image

    def saving(path, *args, **more):
        if "leaf0" in str(path):
            waited.append(second_read.wait(30))
        return save(path, *args, **more)

    monkeypatch.setattr(batch, "read_image", reading)
    monkeypatch.setattr(batch, "save_levels", saving)
    assert statuses(bake("leaf0.png", "leaf1.png")) == ["baked", "baked"]
    assert waited == [True]


def test_few_images_are_held_at_a_time(folder, monkeypatch):
    for index in range(3, 9):
        write_image(f"leaf{index}.png", leaf(index))
    held, most = set(), []
    read, save = batch.read_image, batch.save_levels

    def reading(path, **more):
        held.add(str(path))
        most.append(len(held))
        return read(path, **more)

    def saving(path, *args, **more):
        written = save(path, *args, **more)
        held.discard(str(path).replace("ktx2", "png"))
        return written

    monkeypatch.setattr(batch, "read_image", reading)
    monkeypatch.setattr(batch, "save_levels", saving)
    records = bake(*[f"leaf{index}.png" for index in range(9)])
    assert statuses(records) == ["baked"] * 9
    assert len(most) == 9 and max(most) <= 3


def test_progress_rises_to_one_and_cancels(folder):
    seen = []
    bake("leaf0.png", "leaf1.png", progress=seen.append)
    assert seen[-1] == 1.0 and min(seen) >= 0.0
    with pytest.raises(dw.Cancelled):
        bake("leaf0.png", "leaf1.png", force=True, progress=lambda fraction: False)
    assert not [name for name in names(folder) if name.startswith(".")]


@pytest.mark.parametrize("error", [KeyError, SystemExit])
def test_an_error_of_progress_ends_the_batch(folder, error):
    def stop(fraction):
        raise error("stop here")

    with pytest.raises(error, match="stop here"):
        bake("leaf0.png", "leaf1.png", "leaf2.png", progress=stop)
    assert names(folder) == {"leaf0.png", "leaf1.png", "leaf2.png"}


def test_threads_that_do_not_start_fail_the_files(folder, monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    records = bake("leaf0.png", "leaf1.png", "leaf2.png", "none.png")
    assert statuses(records) == ["failed"] * 4
    assert records[0].reason == "can't start new thread"


def test_a_device_that_is_not_there_ends_the_batch(folder):
    with pytest.raises(dw.DeviceNotFound):
        bake_files(["leaf0.png"], device="name:no such device")
    assert names(folder) == {"leaf0.png", "leaf1.png", "leaf2.png"}
    assert statuses(bake("leaf0.png")) == ["baked"]
    # Nothing to bake, no device to open.
    again = bake_files(["leaf0.png"], device="name:no such device", tiles=GRID)
    assert statuses(again) == ["current"]


def test_a_device_given_stays_open(folder):
    with dw.Device("cpu") as device:
        assert bake_files(["leaf0.png"], device=device)[0].device == device.info.name
        assert not device.closed


def test_records_are_plain_values_for_json(folder):
    records = bake("leaf0.png", "none.png")
    good, bad = (json.loads(json.dumps(record.as_dict())) for record in records)
    assert (good["width"], good["height"], good["tiles"], good["levels"]) == (64, 64, 4, 7)
    assert good["safe_level"] == 4 and good["error"] is None
    assert set(good["seconds"]) == {"read", "bake", "write"}
    assert bad["status"] == "failed" and bad["error"] == "FileNotFoundError"
