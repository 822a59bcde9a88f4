# SPDX-License-Identifier: MIT
"""Writing is all or nothing: full disks, read-only folders and failures keep the old file."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys

import numpy as np
import pytest

from dapplewood.errors import FormatError
from dapplewood.freshness import file_digest
from dapplewood.io import (
    atomic_file,
    atomic_path,
    read_image,
    read_texture,
    write_dds,
    write_image,
    write_ktx2,
)
from dapplewood.io import files as io_files

LEVEL = np.random.default_rng(1).integers(0, 256, (256, 256, 4), np.uint8)
WRITERS = {
    "a.ktx2": lambda path: write_ktx2(path, [LEVEL]),
    "a.dds": lambda path: write_dds(path, [LEVEL]),
    "a.png": lambda path: write_image(path, LEVEL),
}


@pytest.fixture(params=sorted(WRITERS))
def target(request, tmp_path):
    path = tmp_path / request.param
    path.write_bytes(b"the old file")
    return path, WRITERS[request.param]


def only(path, content=b"the old file"):
    """The folder holds this file with this content and nothing else."""
    return [p.name for p in path.parent.iterdir()] == [path.name] and path.read_bytes() == content


def test_a_written_file_replaces_the_old_one_and_leaves_nothing_beside(target):
    path, write = target
    write(path)
    assert path.stat().st_size > 1000
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    assert read_texture(path).levels[0].shape == (256, 256, 4)


def test_the_mode_is_that_of_a_plain_new_file(tmp_path):
    plain, ours = tmp_path / "plain", tmp_path / "a.ktx2"
    plain.touch()
    write_ktx2(ours, [LEVEL])
    assert stat.S_IMODE(ours.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


@pytest.mark.skipif(os.name != "posix", reason="the limit on file size is POSIX")
def test_a_full_disk_keeps_the_old_file(target):
    path, write = target
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Past the limit a write fails just as on a full disk; Python ignores the signal.
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(OSError) as caught:
            write(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert str(path) in str(caught.value)
    assert only(path)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_a_failing_sync_keeps_the_old_file_and_the_error(target, monkeypatch, number):
    path, write = target

    def fail(descriptor):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(io_files.os, "fsync", fail)
    with pytest.raises(OSError) as caught:
        write(path)
    assert (caught.value.errno, caught.value.filename) == (number, str(path))
    assert only(path)


def test_a_disk_that_refuses_every_change_gives_the_first_error(tmp_path, monkeypatch):
    def refuse(path, *flags):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)

    monkeypatch.setattr(io_files.os, "open", refuse)
    monkeypatch.setattr(io_files.Path, "unlink", lambda path, missing_ok=False: refuse(path))
    with pytest.raises(OSError) as caught, atomic_file(tmp_path / "a.ktx2"):
        pass
    assert (caught.value.errno, caught.value.filename) == (errno.EROFS, str(tmp_path / "a.ktx2"))


def test_a_failing_rename_keeps_the_old_file(target, monkeypatch):
    path, write = target

    def fail(source, destination):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), source)

    monkeypatch.setattr(io_files.os, "replace", fail)
    with pytest.raises(PermissionError) as caught:
        write(path)
    assert caught.value.filename == str(path)
    assert only(path)


@pytest.mark.skipif(os.name != "posix", reason="folder permissions are POSIX")
def test_a_read_only_folder_is_an_error_with_the_path(tmp_path):
    # Root may write anywhere: the check is done by a process that is not root.
    folder = tmp_path / "locked"
    folder.mkdir()
    path = folder / "a.ktx2"
    path.write_bytes(b"the old file")
    folder.chmod(0o555)
    try:
        if os.geteuid():
            with pytest.raises(PermissionError) as caught, atomic_file(path):
                pass
            assert caught.value.filename == str(path)
        else:
            pid = os.fork()
            if pid == 0:
                _exit_by_permission(path)
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    finally:
        folder.chmod(0o755)
    assert only(path)


def _exit_by_permission(path):
    """In a child: gives up root, tries to write, and ends with 0 if that was refused rightly."""
    code = 1
    try:
        for folder in (path.parent, *path.parent.parents):
            if not folder.stat().st_mode & 0o001:
                folder.chmod(folder.stat().st_mode | 0o011)
        os.setgid(65534)
        os.setuid(65534)
        with atomic_file(path) as file:
            file.write(b"x")
    except PermissionError as error:
        code = 0 if error.filename == str(path) else 2
    finally:
        os._exit(code)


def test_a_missing_folder_is_named(tmp_path):
    path = tmp_path / "none" / "a.ktx2"
    with pytest.raises(FileNotFoundError) as caught:
        write_ktx2(path, [LEVEL])
    assert caught.value.filename == str(path)


def test_a_folder_is_not_replaced(tmp_path):
    path = tmp_path / "a.ktx2"
    path.mkdir()
    with pytest.raises(OSError) as caught:
        write_ktx2(path, [LEVEL])
    assert caught.value.filename == str(path)
    assert path.is_dir() and list(tmp_path.iterdir()) == [path]


def test_an_error_in_the_body_passes_and_cleans_up(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"the old file")
    for error in (ValueError("mine"), KeyboardInterrupt()):
        with pytest.raises(type(error)) as caught, atomic_file(path) as file:
            file.write(b"half")
            raise error
        assert caught.value is error
        assert only(path)


def test_the_temporary_path_keeps_the_suffix_and_the_folder(tmp_path):
    with atomic_path(tmp_path / "a.png") as temporary:
        assert temporary.suffix == ".png" and temporary.parent == tmp_path
        temporary.write_bytes(b"new")
    assert (tmp_path / "a.png").read_bytes() == b"new"


def test_a_name_as_long_as_the_system_takes(tmp_path):
    path = tmp_path / ("n" * (255 - len(".ktx2")) + ".ktx2")
    with atomic_file(path) as file:
        file.write(b"new")
    assert only(path, b"new")


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes")
@pytest.mark.parametrize("name", ["a.png", "a.dds", "a.ktx2"])
def test_names_that_are_no_utf_8(tmp_path, name):
    path = tmp_path / os.fsdecode(b"\xff" + name.encode())
    WRITERS[name](path)
    np.testing.assert_array_equal(read_image(path).array, LEVEL)
    assert only(path, path.read_bytes())
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(FormatError):
        read_image(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
@pytest.mark.parametrize("read", [read_image, read_texture, file_digest])
def test_what_never_ends_is_not_read(tmp_path, read):
    pipe = tmp_path / "a.png"
    os.mkfifo(pipe)
    for path in (pipe, "/dev/zero"):
        with pytest.raises(FormatError, match="no regular file"):
            read(path)


def test_short_writes_are_carried_on():
    class Narrow:
        def __init__(self):
            self.got = b""

        def write(self, view):
            self.got += bytes(view[:7])
            return min(7, len(view))

    file = Narrow()
    data = bytes(range(100))
    io_files.write_all(file, data)
    assert file.got == data


@pytest.mark.parametrize("read", [read_image, read_texture])
@pytest.mark.parametrize("name", ["a.png", "a.dds", "a.ktx2", "a.tga", "a.exr", "a.webp", "a.jpg"])
def test_missing_empty_and_foreign_files(tmp_path, read, name):
    path = tmp_path / name
    with pytest.raises(FileNotFoundError) as caught:
        read(path)
    assert caught.value.filename == str(path)
    path.write_bytes(b"")
    with pytest.raises(FormatError, match="the file is empty"):
        read(path)
    for content in (b"<html><body>not found</body></html>" * 20, bytes(4000), b"\xff" * 4000, b"x"):
        path.write_bytes(content)
        with pytest.raises(FormatError) as caught:
            read(path)
        assert str(path) in str(caught.value)


@pytest.mark.parametrize("name", ["a.dds", "a.ktx2"])
def test_levels_outlive_the_file_and_may_be_changed(tmp_path, name):
    path = tmp_path / name
    WRITERS[name](path)
    level = read_texture(path).levels[0]
    with open(path, "r+b") as file:
        file.truncate(0)
    np.testing.assert_array_equal(level, LEVEL)
    level[0, 0, 0] ^= 1
    assert level[0, 0, 0] != LEVEL[0, 0, 0]


def test_a_file_beyond_every_limit_is_not_loaded(tmp_path):
    path = tmp_path / "a.ktx2"
    with open(path, "wb") as file:
        file.truncate((1 << 34) + 1)  # sparse: takes no room
    with pytest.raises(FormatError, match="at most 17179869184 are read"):
        read_texture(path)


@pytest.mark.parametrize("read", [read_image, read_texture])
def test_what_is_no_path_is_named(read, tmp_path):
    with pytest.raises(TypeError, match="path must be a str or a path, got int"):
        read(3)
    with pytest.raises(IsADirectoryError):
        read(tmp_path)


def test_reading_needs_no_driver_and_no_etcpak(tmp_path):
    path = tmp_path / "a.ktx2"
    write_ktx2(path, [LEVEL])
    code = (
        "import sys; sys.modules['etcpak'] = None\n"
        "from dapplewood.io import read_texture\n"
        "print(read_texture(sys.argv[1]).levels[0].shape)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, env=environment
    )
    assert done.stdout.strip() == "(256, 256, 4)", done.stderr
