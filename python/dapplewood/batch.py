# SPDX-License-Identifier: MIT
"""Many atlases: reading, baking and writing overlap, and what is up to date is left alone."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .atlas import BakedArray, BakedAtlas, bake_atlas
from .batch_plan import DEFAULT_OUT, BatchSettings, Job, Output, plan_jobs
from .cutoffs import cutoff_code
from .device import Device, default_device
from .errors import Cancelled, DeviceNotFound, error_text
from .freshness import KEY_NAME, content_key, file_digest, staleness, write_sidecar
from .io import EncodedChain, Image, atomic_file, atomic_path, encode_levels, read_image
from .save import save_levels

__all__ = ["BakeRecord", "bake_files", "write_report"]

# Images held at a time: one in each stage.
_IN_FLIGHT = 3


@dataclasses.dataclass
class BakeRecord:
    """What became of one input.

    Attributes
    ----------
    source : str
    status : str
        "baked", "current" (up to date, left alone), "stale" (`check`), "would bake" (`dry_run`)
        or "failed".
    reason : str
        Why it was baked or is stale; the error's text for "failed".
    outputs : tuple of str
        What the input becomes; of a PNG chain the name without ``_mip0``.
    inputs : tuple of str
        Every file that was read.
    written : tuple of str
        The files written, sidecars left out.
    key : str
        Hash over inputs, settings and version; empty when the input could not be read.
    width, height, tiles, levels, safe_level : int
        Of the atlas baked; -1 where none was. `safe_level` is the last without bleeding under
        bilinear sampling.
    seconds : dict
        "read", "bake", "write".
    device : str
        What baked it.
    notes : tuple of str
        What was done to the input, and what it may want.
    error : Exception or None
    """

    source: str
    status: str = "failed"
    reason: str = ""
    outputs: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    key: str = ""
    width: int = -1
    height: int = -1
    tiles: int = -1
    levels: int = -1
    safe_level: int = -1
    seconds: dict[str, float] = dataclasses.field(default_factory=dict)
    device: str = ""
    notes: tuple[str, ...] = ()
    error: Exception | None = None

    @property
    def ok(self) -> bool:
        return self.status != "failed"

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        plain = dataclasses.asdict(dataclasses.replace(self, error=None))
        plain["error"] = type(self.error).__name__ if self.error is not None else None
        plain["seconds"] = {name: round(value, 4) for name, value in self.seconds.items()}
        return plain


def bake_files(
    paths: Iterable[str | os.PathLike[str]],
    out: str | os.PathLike[str] = DEFAULT_OUT,
    *,
    containers: Sequence[str] | None = None,
    device: Device | str | int | None = None,
    force: bool = False,
    check: bool = False,
    dry_run: bool = False,
    progress: Callable[[float], Any] | None = None,
    on_record: Callable[[BakeRecord], Any] | None = None,
    **settings: Any,
) -> list[BakeRecord]:
    """Bakes files to files.

    Reading, baking and writing of different files overlap, three files at a time. Outputs that are
    up to date, by a hash of input, settings and version, are left alone. One file that fails does
    not stop the others. Every file is replaced as a whole or not at all.

    Parameters
    ----------
    paths : sequence of path
        Any image that `read_image` reads.
    out : path template
        ``{dir}``, ``{stem}`` and ``{name}`` of the input, and ``{ext}`` of the container; or a
        folder. Missing folders are made.
    containers : sequence of {"ktx2", "dds", "png"}, optional
        What ``{ext}`` stands for; "ktx2" if None.
    device : Device, or what `Device` takes
        Opened when there is something to bake; a Device given stays open.
    force : bool
        Bake what is up to date as well.
    check : bool
        Write nothing; records say "current" or "stale".
    dry_run : bool
        Write nothing; records say "current" or "would bake".
    progress : callable, optional
        Called with a fraction of the whole, from other threads; False from it cancels.
    on_record : callable, optional
        Called with each record, in the order of the inputs, as soon as it is known.
    **settings
        See `dapplewood.batch_plan.BatchSettings`: the arguments of `bake_atlas`, and `format`,
        `alpha`, `array`, `far`, `pad_chain`, `supercompress`, `report`.

    Returns
    -------
    list of BakeRecord
        In the order of the inputs.

    Raises
    ------
    ValueError, TypeError
        Settings or templates that cannot be meant, two inputs to one output: before any work.
    DeviceNotFound
        No such device.
    Cancelled
        `progress` returned False. What it raises ends the batch too, and comes out here.
    """
    known = [field.name for field in dataclasses.fields(BatchSettings)]
    for name in settings:
        if name not in known:
            raise TypeError(f"unknown setting {name!r}; known: {', '.join(known)}")
    plan = BatchSettings(**settings)
    jobs = plan_jobs(paths, out, containers, plan)
    batch = _Batch(plan, device, len(jobs), progress)
    batch.force, batch.look_only = force, "stale" if check else "would bake" if dry_run else ""
    with contextlib.closing(batch):
        records = []
        for record in batch.run(jobs):
            records.append(record)
            if on_record is not None:
                on_record(record)
        return records


@dataclasses.dataclass
class _Item:
    """A job under way, and what the stage before left for the next."""

    job: Job
    record: BakeRecord
    image: Image | None = None
    opacity: Image | str | None = None
    keys: dict[Output, str] = dataclasses.field(default_factory=dict)
    baked: dict[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def done(self) -> bool:
        return self.image is None


class _Batch:
    """The three stages, each with one thread, and what they share."""

    force = False
    look_only = ""

    def __init__(
        self, settings: BatchSettings, device: Any, count: int, progress: Callable | None
    ) -> None:
        self.settings = settings
        self.wanted = device
        self.opened: Device | None = None
        self.fatal: BaseException | None = None
        self.cancelled = threading.Event()
        self.slots = threading.Semaphore(_IN_FLIGHT)
        self.progress = progress
        self.steps_done = 0
        self.steps = 3 * count
        self.lock = threading.Lock()
        self.stages = (("read", self._read), ("bake", self._bake), ("write", self._write))
        self.pools = [ThreadPoolExecutor(1, f"dapplewood-{name}") for name, _ in self.stages]

    def close(self) -> None:
        """Ends the threads, after the file that is being written, and a device opened here."""
        self.cancelled.set()
        for pool in self.pools:
            pool.shutdown(wait=True, cancel_futures=True)
        if self.opened is not None:
            self.opened.close()

    def run(self, jobs: Sequence[Job]) -> Iterator[BakeRecord]:
        waiting: collections.deque[Future[BakeRecord]] = collections.deque()
        for job in jobs:
            self.slots.acquire()
            outputs = tuple(os.fspath(output.path) for output in job.outputs)
            result: Future[BakeRecord] = Future()
            waiting.append(result)
            self._advance(_Item(job, BakeRecord(os.fspath(job.source), outputs=outputs)), 0, result)
            while waiting and waiting[0].done():
                yield self._finished(waiting.popleft())
        while waiting:
            yield self._finished(waiting.popleft())

    def _finished(self, result: Future[BakeRecord]) -> BakeRecord:
        record = result.result()
        if self.fatal is not None:
            raise self.fatal
        if self.cancelled.is_set():
            raise Cancelled("the batch was cancelled; files already written are whole")
        return record

    def _advance(self, item: _Item, stage: int, result: Future[BakeRecord]) -> None:
        """Hands an item to a stage, or its record to whom waits, once no stage is left."""
        if result.done():  # failed at a thread that did not start, and taken up by a later one
            return
        if stage == len(self.stages):
            self.slots.release()
            result.set_result(item.record)
            return
        try:
            self.pools[stage].submit(self._run_stage, item, stage, result)
        except RuntimeError as error:  # no room for a thread, or the pools are shut down
            _fail(item, error)
            self.slots.release()
            result.set_result(item.record)

    def _run_stage(self, item: _Item, stage: int, result: Future[BakeRecord]) -> None:
        name, work = self.stages[stage]
        begun = time.perf_counter()
        try:
            if (stage == 0 or not item.done) and not self.cancelled.is_set():
                work(item)
                item.record.seconds[name] = time.perf_counter() - begun
        except Exception as error:
            _fail(item, error)
        with self.lock:
            self.steps_done += 1
        self._tell(0.0)
        self._advance(item, stage + 1, result)

    def _tell(self, share: float) -> bool:
        """Tells how far the batch is, `share` of a step beyond those done; False to cancel."""
        with self.lock:
            if self.progress is not None and not self.cancelled.is_set():
                fraction = min(1.0, (self.steps_done + share) / max(1, self.steps))
                try:
                    go_on = self.progress(fraction) is not False
                except BaseException as error:  # raised again where the batch was asked for
                    self.fatal, go_on = error, False
                if not go_on:
                    self.cancelled.set()
        return not self.cancelled.is_set()

    def _device(self) -> Device:
        if isinstance(self.wanted, Device):
            return self.wanted
        if self.wanted is None:
            return default_device()
        if self.opened is None:
            self.opened = Device(self.wanted)
        return self.opened

    def _read(self, item: _Item) -> None:
        """Compares keys; reads what must be baked."""
        job, record = item.job, item.record
        opacity = job.opacity if isinstance(job.opacity, Path) else None
        digests: dict[str, str | None] = {"image": file_digest(job.source)}
        digests["opacity"] = file_digest(opacity) if opacity else None
        record.inputs = (record.source, *([os.fspath(opacity)] if opacity else []))
        shared = self.settings.canonical()
        for output in job.outputs:
            item.keys[output] = content_key(digests, shared, output.canonical(self.settings))
        record.key = content_key(digests, shared)
        reasons = (staleness(output.path, key) for output, key in item.keys.items())
        record.reason = next(filter(None, reasons), "forced" if self.force else "")
        if not record.reason or self.look_only:
            record.status = self.look_only if record.reason else "current"
            return
        item.opacity = read_image(opacity) if opacity else job.opacity  # type: ignore[assignment]
        item.image = read_image(job.source)

    def _bake(self, item: _Item) -> None:
        try:
            device = self._device()
        except (DeviceNotFound, ValueError) as error:
            self.fatal = error
            raise
        settings, record = self.settings, item.record
        baked = bake_atlas(
            item.image,
            opacity=item.opacity,
            device=device,
            progress=self._tell,
            **settings.bake_arguments(),
        )
        item.baked["atlas"] = baked
        if settings.array:
            item.baked["array"] = baked.to_array()
        if settings.far:
            item.baked["far"] = baked.far_atlas(*settings.far)
        record.height, record.width = baked.shape
        record.tiles, record.levels = len(baked.tiles), len(baked.levels)
        record.safe_level = baked.levels_safe.bilinear
        record.device, record.notes = baked.device_info.name, baked.notes

    def _write(self, item: _Item) -> None:
        item.image = item.opacity = None
        chains: dict[tuple[str, str], EncodedChain] = {}
        written: list[str] = []
        for output in item.job.outputs:
            if self.cancelled.is_set():
                raise Cancelled("the batch was cancelled")
            output.path.parent.mkdir(parents=True, exist_ok=True)
            if output.role == "report":
                files = write_report(item.baked["atlas"].report(), output.path)
            else:
                baked = item.baked[output.role]
                files = self._write_levels(baked, output, item.keys[output], chains)
            if output.container != "ktx2":
                write_sidecar(output.path, item.keys[output], files)
            written += files
        item.record.written = tuple(written)
        item.record.status = "baked"

    def _write_levels(
        self,
        baked: BakedAtlas | BakedArray,
        output: Output,
        key: str,
        chains: dict[tuple[str, str], EncodedChain],
    ) -> list[str]:
        """Writes one output; encodes each chain once for all containers."""
        settings = self.settings
        more: dict[str, Any] = (
            {} if output.role == "array" else {"pad_chain": settings.pad_chain}
        )
        shared: dict[str, Any] = {
            "color_space": baked.settings.color_space,
            "cutoff": baked.cutoffs[0],
        }
        if output.container == "png":
            levels = baked.export_levels(alpha=output.alpha, **more)
            return save_levels(
                output.path, levels, format=settings.format, supercompress=False, **shared
            )
        chain = chains.get((output.role, output.alpha))
        if chain is None:
            chain = encode_levels(
                baked.export_levels(alpha=output.alpha, **more),
                format=settings.format,
                alpha_cutoff=cutoff_code(baked.cutoffs[0]),
            )
            chains[output.role, output.alpha] = chain
        is_ktx2 = output.container == "ktx2"
        return save_levels(
            output.path,
            chain,
            format=None,
            supercompress=settings.supercompress and is_ktx2,
            metadata={KEY_NAME: key} if is_ktx2 else None,
            **shared,
        )


def _fail(item: _Item, error: Exception) -> None:
    item.image = None
    item.baked.clear()
    item.record.status, item.record.error = "failed", error
    item.record.reason = error_text(error)


def write_report(report: Any, path: str | os.PathLike[str]) -> list[str]:
    """Writes a report as ``.html`` or ``.json``, by suffix, as a whole or not at all.

    Returns
    -------
    list of str
        The one file written.
    """
    if Path(path).suffix.lower() == ".html":
        with atomic_path(path) as temporary:
            report.to_html(temporary)
    else:
        with atomic_file(path) as file:
            file.write(report.to_json().encode())
    return [os.fspath(path)]
