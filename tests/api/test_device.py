# SPDX-License-Identifier: MIT
"""Device and Buffer as Python objects: arguments, closing, texts, threads, processes."""

from __future__ import annotations

import gc
import inspect
import multiprocessing
import os
import subprocess
import sys
import textwrap
import threading
import weakref

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import _core


def test_signatures():
    parameters = inspect.signature(dw.Device).parameters
    assert list(parameters)[:2] == ["which", "validation"]
    assert parameters["which"].default is None
    assert parameters["validation"].kind is inspect.Parameter.KEYWORD_ONLY
    assert list(inspect.signature(dw.Buffer.write).parameters) == ["self", "array", "offset"]
    assert list(inspect.signature(dw.Buffer.numpy).parameters) == [
        "self", "dtype", "shape", "offset",
    ]  # fmt: skip


def test_every_listed_device_opens_by_its_index():
    for info in dw.devices():
        if info.missing:
            continue
        with dw.Device(info.index) as device:
            assert device.info == info


def test_native_is_the_last_entry():
    info = dw.devices()[-1]
    assert (info.kind, info.index, info.uuid, info.api_version) == ("native", -1, "", "")
    with dw.Device("cpu") as device:
        assert device.info == info


@pytest.mark.parametrize("which", [1.5, b"cpu", ["cpu"], True])
def test_which_of_a_wrong_type(which):
    with pytest.raises(TypeError, match="which must be None, a word"):
        dw.Device(which)


def test_which_that_is_no_word():
    with pytest.raises(ValueError, match='which .* must be "cpu", "gpu", .* got "quantum"'):
        dw.Device("quantum")


@pytest.mark.parametrize("threads", [-1, 257])
def test_threads_out_of_range(threads):
    with pytest.raises(ValueError, match=f"threads must lie in 0..256, got {threads}"):
        dw.Device("cpu", threads=threads)


@pytest.mark.parametrize("text", ["many", "-1", "300", "2.5"])
def test_threads_variable_out_of_range(monkeypatch, text):
    monkeypatch.setenv("DAPPLEWOOD_THREADS", text)
    with pytest.raises(ValueError, match=f'DAPPLEWOOD_THREADS must be .* got "{text}"'):
        dw.Device("cpu")
    dw.Device("cpu", threads=1).close()


def test_closed_device(device):
    which = device.info.index
    with dw.Device(which) as mine:
        buffer = dw.Buffer(mine, 16)
        assert not mine.closed
    assert mine.closed
    mine.close()
    for call in (mine.memory, mine.live_counts, mine.timings):
        with pytest.raises(ValueError, match="closed: make a new Device"):
            call()
    with pytest.raises(ValueError, match="closed: make a new Device"):
        buffer.numpy(np.uint8, 16)
    with pytest.raises(ValueError, match="closed: make a new Device"):
        dw.Buffer(mine, 16)
    assert mine.info.index == which
    assert "closed" in repr(mine)
    buffer.close()
    assert buffer.closed and buffer.nbytes == 0


def test_texts(device):
    assert repr(device) == (
        f"<Device {device.info.kind} {device.info.name!r} index={device.info.index}>"
    )
    page = device._repr_html_()
    assert page.startswith("<table>") and page.count("<tr>") == page.count("</tr>") >= 5
    assert device.info.kind in page
    with dw.Buffer(device, 12) as buffer:
        assert repr(buffer).startswith("<Buffer 12 bytes on <Device")
    assert repr(buffer).startswith("<Buffer closed on")


def test_html_escapes_names(native_device, monkeypatch):
    row = {**native_device._info(), "name": "<b>&"}
    monkeypatch.setattr(dw.Device, "_info", lambda self: row)
    assert "&lt;b&gt;&amp;" in native_device._repr_html_()


def test_default_device_is_one_and_is_replaced_once_closed(monkeypatch):
    monkeypatch.setenv("DAPPLEWOOD_DEVICE", "cpu")
    monkeypatch.setattr(dw.device, "_default", None)
    first = dw.default_device()
    assert dw.default_device() is first
    first.close()
    second = dw.default_device()
    assert second is not first and not second.closed
    second.close()


def test_device_lives_as_long_as_its_buffer():
    device = dw.Device("cpu")
    buffer = dw.Buffer(device, np.arange(4))
    watch = weakref.ref(device)
    del device
    gc.collect()
    assert watch() is not None
    assert (buffer.numpy(np.int64, 4) == np.arange(4)).all()
    del buffer
    gc.collect()
    assert watch() is None


def test_cycle_through_a_subclass_is_collected():
    class Own(dw.Device):
        pass

    device = Own("cpu")
    device.self = device
    watch = weakref.ref(device)
    del device
    gc.collect()
    assert watch() is None


def test_close_in_another_thread_lets_running_work_end(device):
    operands = np.arange(3 * 50_000, dtype=np.uint32).reshape(-1, 3)
    mine = dw.Device(device.info.index)
    results = []
    worker = threading.Thread(
        target=lambda: results.append(_core.selftest(mine, operands, repeat=20)[1])
    )
    worker.start()
    mine.close()
    worker.join()
    assert mine.closed
    if results:  # the work began before the close
        assert (results[0] == _core.selftest(device, operands)[1]).all()


def test_buffer_of_another_kind_of_object(native_device):
    with pytest.raises(TypeError):
        dw.Buffer("cpu", 16)
    with pytest.raises(TypeError, match="device must be a dapplewood.Device, got str"):
        _core.selftest("cpu", np.zeros((1, 3), np.uint32))


def run_script(script: str, **variables: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.skipif(
    not (_core.devices()[0] and (_core.loader() or {}).get("has_validation")),
    reason="VK_LAYER_KHRONOS_validation is not installed",
)
def test_validation_messages_arrive(vulkan_device):
    """The layer's advice on good practice, off otherwise, is proof that a message would be seen."""
    script = f"""
        import dapplewood as dw
        with dw.Device({str(vulkan_device.info.index)!r}, validation=True) as device:
            first = device.validation_messages(clear=True)
            assert first and all(text.startswith(("warning: ", "error: ")) for text in first)
            assert "Validation" in first[0], first
            assert device.validation_messages() == []
        """
    done = run_script(script, VK_LAYER_ENABLES="VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT")
    assert done.returncode == 0, done.stderr


def test_import_touches_no_driver():
    done = run_script(
        """
        import dapplewood, sys
        assert dapplewood._core.loader() is None
        if sys.platform == "linux":
            assert "libvulkan" not in open("/proc/self/maps").read()
        """
    )
    assert done.returncode == 0, done.stderr


def test_cpu_touches_no_driver():
    done = run_script(
        """
        import dapplewood as dw, numpy as np
        with dw.Device("cpu") as device, dw.Buffer(device, np.ones(3)) as buffer:
            assert buffer.numpy(float, 3).sum() == 3
        assert dw._core.loader() is None
        """
    )
    assert done.returncode == 0, done.stderr


FORK = """
    import os, sys
    import numpy as np
    import dapplewood as dw
    device = dw.Device({word!r})
    buffer = dw.Buffer(device, np.arange(10))
    child = os.fork()
    if child == 0:
        for call in (device.memory, lambda: buffer.numpy(int, 10), lambda: dw.Buffer(device, 3)):
            try:
                call()
                os._exit(3)
            except dw.ForkedDeviceError as error:
                if "spawn" not in str(error) or "forkserver" not in str(error):
                    os._exit(4)
        is_hardware = device.info.kind not in ("native", "software")
        device.close()          # of no effect on the parent's
        del buffer, device
        try:
            with dw.Device({word!r}) as own, dw.Buffer(own, np.arange(10)) as mine:
                assert (mine.numpy(int, 10) == np.arange(10)).all()
            os._exit(5 if is_hardware else 0)
        except dw.ForkedDeviceError:
            os._exit(0 if is_hardware and dw.Device("cpu").memory() else 6)
    status = os.waitpid(child, 0)[1]
    assert os.waitstatus_to_exitcode(status) == 0, status
    assert (buffer.numpy(int, 10) == np.arange(10)).all()
    device.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_forked_child_is_told_and_makes_its_own(device):
    done = run_script(FORK.format(word=str(device.info.index)))
    assert done.returncode == 0, done.stderr + done.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_default_device_of_a_forked_child():
    done = run_script(
        """
        import os, dapplewood as dw
        first = dw.default_device()
        child = os.fork()
        if child == 0:
            os._exit(0 if dw.default_device() is not first and dw.default_device().memory() else 3)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert dw.default_device() is first
        """,
        DAPPLEWOOD_DEVICE="cpu",
    )
    assert done.returncode == 0, done.stderr


def _sum_in_child(index: int) -> int:
    with dw.Device(index) as device, dw.Buffer(device, np.arange(10)) as buffer:
        return int(buffer.numpy(np.int64, 10).sum())


def test_spawned_child_works(device):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_sum_in_child, (device.info.index,)) == 45


EXIT = """
    import atexit
    from dapplewood import _core
    atexit.register(lambda: print(_core.validation_messages()[1]))  # after the package's own
    import numpy as np
    import dapplewood as dw
    device = dw.Device({word!r})
    kept = dw.Buffer(device, np.arange(1000))
    _core.selftest(device, np.ones((1000, 3), np.uint32))
    class Late:
        def __del__(self):
            kept.close()
            assert device.closed
            print("late")
    late = Late()
"""


def test_exit_without_close_is_clean(device):
    done = run_script(EXIT.format(word=str(device.info.index)))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.split() == ["[]", "late"]


INTERRUPT = """
    import os, signal, threading, time
    import numpy as np
    from dapplewood import _core
    import dapplewood as dw
    device = dw.Device({word!r})
    operands = np.arange(3 * 100_000, dtype=np.uint32).reshape(-1, 3)
    expected = _core.selftest(device, operands)[1]
    repeat, seconds = 8, 0.0
    while seconds < 0.5:
        repeat *= 2
        begin = time.monotonic()
        _core.selftest(device, operands, repeat=repeat)
        seconds = time.monotonic() - begin
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        _core.selftest(device, operands, repeat=8 * repeat)
        print("not interrupted")
    except KeyboardInterrupt:
        print("interrupted")
    assert (_core.selftest(device, operands)[1] == expected).all()
    assert device.live_counts()["buffers"] == 0, device.live_counts()
    device.close()
    print(_core.validation_messages()[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to a process alone")
def test_interrupt_leaves_the_device_usable(device):
    done = run_script(INTERRUPT.format(word=str(device.info.index)))
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["interrupted", "[]"]
