# SPDX-License-Identifier: MIT
"""Devices: which there are, how one is chosen, opened and closed, and bytes that live on one."""

from __future__ import annotations

import atexit
import dataclasses
import html
import logging
import os
import threading
import weakref

from dapplewood import _core

__all__ = [
    "Buffer", "Device", "DeviceInfo", "default_device", "default_vulkan_device", "devices",
]  # fmt: skip


@dataclasses.dataclass(frozen=True)
class DeviceInfo:
    """What is known of a device without opening it.

    Attributes
    ----------
    index : int
        Place in the list of Vulkan devices, best first; -1 for the native device, which is the
        last entry of :func:`devices`.
    name : str
        The driver's name for the device; ``"native C"`` for the native one.
    kind : str
        ``"native"``, ``"discrete"``, ``"integrated"``, ``"virtual"`` or ``"software"``.
    uuid : str
        Vulkan's device UUID, on NVIDIA equal to CUDA's; empty for native.
    driver : str
        Driver name and version.
    api_version : str
        Vulkan version of the device, such as ``"1.3.230"``; empty for native.
    memory_bytes : int
        Size of the device-local heaps in bytes; for native the machine's memory, or 0 where the
        system does not tell.
    missing : str
        What the device lacks to be usable here; empty when it will do.
    """

    index: int
    name: str
    kind: str
    uuid: str
    driver: str
    api_version: str
    memory_bytes: int
    missing: str = ""


def _host_memory_bytes() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 0


def _info(row: dict) -> DeviceInfo:
    if row["kind"] == "native":
        row = {**row, "memory_bytes": _host_memory_bytes()}
    return DeviceInfo(**row)


def devices() -> list[DeviceInfo]:
    """List every device, usable or not, best first and the native device last.

    Returns
    -------
    list of DeviceInfo
        ``devices()[i].index == i`` for Vulkan devices, and -1 for the native one. An entry that
        cannot be used says why in ``missing``. Without Vulkan the list holds the native device
        alone; :func:`report` tells the reason.
    """
    return [_info(row) for row in _core.devices()[0]]


class Device(_core.Device):
    """A device that work runs on.

    Parameters
    ----------
    which : str or int, optional
        ``"cpu"``: native C on all processors, no Vulkan needed. ``"gpu"``: the best hardware
        device. ``"software"``: a software Vulkan driver such as Mesa's lavapipe. An index of
        :func:`devices`. ``"uuid:..."``: the device whose UUID begins so. ``"name:..."``: the first
        device whose name contains the text, in either case. None: the environment variable
        ``DAPPLEWOOD_DEVICE`` if set, else the best hardware device, else ``"cpu"``; a software
        Vulkan device is never taken unasked, since native C is faster.
    validation : bool, optional
        Run under the Khronos validation layer with synchronisation validation. The environment
        variable ``DAPPLEWOOD_VALIDATION=1`` does the same for every device.
    threads : int, optional
        Threads for native work. 0: the environment variable ``DAPPLEWOOD_THREADS`` if set, else
        one per processor.

    Raises
    ------
    DeviceNotFound
        No Vulkan loader, no driver, no device with the needed features, or only a software device
        where ``"gpu"`` was asked; the text tells which, and the line that mends it.
    ForkedDeviceError
        This process was forked from one that had started a hardware driver.
    ValueError
        ``which`` is no such word.

    Notes
    -----
    ``CUDA_VISIBLE_DEVICES`` is honoured for NVIDIA devices. Entries of the form ``GPU-<uuid>`` are
    matched by prefix; plain numbers count NVIDIA devices in the order in which Vulkan lists them,
    which is CUDA's under ``CUDA_DEVICE_ORDER=PCI_BUS_ID``. MIG entries cannot be mapped to Vulkan
    devices and are refused. Other makers' devices are not affected.

    Devices close by :meth:`close`, by ``with``, or at exit. A device cannot be used in a process
    forked after it was made: that raises `ForkedDeviceError`. Such a process may make its own,
    unless a hardware driver was started before the fork, which no driver survives: then only
    ``"cpu"`` works, or processes started by ``spawn`` or ``forkserver``.
    """

    # What meshes have on this device, for as long as they live; see poser.py.
    __slots__ = ("__weakref__", "_skins")

    def __new__(cls, which=None, *, validation=False, threads=0):
        self = super().__new__(cls, which, validation=validation, threads=threads)
        self._skins = weakref.WeakKeyDictionary()
        _open_devices.add(self)
        return self

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *exc_info) -> None:
        self.close()

    def close(self) -> None:
        super().close()
        self._skins.clear()

    def __deepcopy__(self, memo) -> Device:
        return self  # a copy of a bake refers to the device that baked it

    @property
    def info(self) -> DeviceInfo:
        """DeviceInfo: what the device is; also after close()."""
        return _info(self._info())

    def validation_messages(self, *, clear: bool = False) -> list[str]:
        """Read what the validation layer said, in this process, about any device.

        Parameters
        ----------
        clear : bool, optional
            Forget the messages afterwards.

        Returns
        -------
        list of str
            Warnings and errors, the first 64 of them; empty without validation.
        """
        return _core.validation_messages(clear)[1]

    def __repr__(self) -> str:
        info = self.info
        closed = ", closed" if self.closed else ""
        return f"<Device {info.kind} {info.name!r} index={info.index}{closed}>"

    def _repr_html_(self) -> str:
        rows = dataclasses.asdict(self.info)
        rows["state"] = "closed" if self.closed else "open"
        cells = "".join(
            f"<tr><th style='text-align:left'>{html.escape(key)}</th>"
            f"<td style='text-align:left'>{html.escape(str(value))}</td></tr>"
            for key, value in rows.items()
            if value != ""
        )
        return f"<table>{cells}</table>"


class Buffer(_core.Buffer):
    """Bytes on a device, for poses and configurations that stay there.

    Parameters
    ----------
    device : Device
        Where the bytes live.
    array_or_nbytes : array_like or int
        The content, in C order, of any dtype but object and with any strides; or a size in bytes
        for a buffer of zeros.

    Attributes
    ----------
    nbytes : int
        Size in bytes; 0 once closed.
    device : Device
    """

    __slots__ = ()

    def __enter__(self) -> Buffer:
        return self

    def __exit__(self, *exc_info) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"{self.nbytes} bytes"
        return f"<Buffer {state} on {self.device!r}>"


_log = logging.getLogger("dapplewood")
_open_devices: weakref.WeakSet[Device] = weakref.WeakSet()
_default_lock = threading.Lock()
_default: Device | None = None
_default_vulkan: Device | None = None


def default_device() -> Device:
    """Give the device that work uses when none is named; made at the first call.

    Returns
    -------
    Device
        One per process: a forked child makes its own. A closed one is replaced.
    """
    global _default
    with _default_lock:
        if _default is None or _default.closed:
            _default = Device()
            _log.info("default device: %r", _default)
        return _default


def default_vulkan_device() -> Device:
    """Give the device that draws when none is named; made at the first call.

    Returns
    -------
    Device
        `default_device`, or where that is the native one, a software device, one per process.

    Raises
    ------
    DeviceNotFound
        There is no Vulkan device.
    """
    global _default_vulkan
    chosen = default_device()
    if chosen.info.kind != "native":
        return chosen
    with _default_lock:
        if _default_vulkan is None or _default_vulkan.closed:
            _default_vulkan = Device("software")
            _log.info("default device for pictures: %r", _default_vulkan)
        return _default_vulkan


def _after_fork_in_child() -> None:
    global _default, _default_lock, _default_vulkan
    _core.after_fork()
    _default_lock = threading.Lock()
    _default = _default_vulkan = None


def _close_all() -> None:
    for device in list(_open_devices):
        device.close()
    _core.shutdown()


if hasattr(os, "register_at_fork"):  # no fork may happen amid the making of a Vulkan instance
    os.register_at_fork(
        before=_core.before_fork,
        after_in_parent=_core.after_fork,
        after_in_child=_after_fork_in_child,
    )
atexit.register(_close_all)
