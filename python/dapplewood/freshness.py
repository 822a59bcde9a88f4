# SPDX-License-Identifier: MIT
"""Whether a file on disk is still what its input and settings give.

Every output carries a key: a hash of the input's bytes, of the settings and of the package's
version. The device is no part of it, since all devices give the same bytes. KTX2 keeps the key
among its key/values; every other output has a small JSON file beside it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ._core import __version__
from .errors import FormatError
from .io import atomic_file, read_ktx2_metadata
from .io.files import open_regular

__all__ = ["KEY_NAME", "SIDECAR_SUFFIX", "content_key", "file_digest", "staleness", "write_sidecar"]

KEY_NAME = "dapplewood.key"
SIDECAR_SUFFIX = ".dapplewood.json"
_SIDECAR_SCHEMA = 1
_DIGEST_BYTES = 20


def file_digest(path: str | os.PathLike[str]) -> str:
    """blake2b of a file's bytes, as hexadecimal digits."""
    with open_regular(path) as file:
        return hashlib.file_digest(
            file, lambda: hashlib.blake2b(digest_size=_DIGEST_BYTES)
        ).hexdigest()


def content_key(inputs: dict[str, str | None], *plain: dict[str, Any]) -> str:
    """The key of an output.

    Parameters
    ----------
    inputs : dict
        Digests of the files that go in, by what they are.
    *plain : dict
        Settings, of JSON's types.

    Returns
    -------
    str
        Hexadecimal digits.
    """
    text = json.dumps([__version__, inputs, *plain], sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=_DIGEST_BYTES).hexdigest()


def _sidecar(path: Path) -> Path:
    return path.with_name(path.name + SIDECAR_SUFFIX)


def staleness(path: Path, key: str) -> str:
    """Why an output must be made again; empty when it need not be.

    A KTX2 file must hold all the levels that it promises; other files must have the bytes that
    were written.
    """
    if path.suffix.lower() == ".ktx2":
        return _ktx2_staleness(path, key)
    sidecar = _sidecar(path)
    try:
        with open(sidecar, encoding="utf-8") as file:
            held = json.load(file)
        if held["schema_version"] != _SIDECAR_SCHEMA or held["key"] != key:
            return f"input, settings or version changed since {path.name} was made"
        files = [
            (path.with_name(row["name"]), row["bytes"], row["blake2b"]) for row in held["files"]
        ]
    except FileNotFoundError:
        return f"{path.name} has no {sidecar.name} beside it" if path.exists() else "not made yet"
    except (OSError, ValueError, KeyError, TypeError) as error:
        return f"{sidecar.name} is not readable ({error})"
    for each, size, digest in files:
        if not each.is_file():
            return f"{each.name} is gone"
        if each.stat().st_size != size or file_digest(each) != digest:
            return f"{each.name} was changed since it was made"
    return ""


def _ktx2_staleness(path: Path, key: str) -> str:
    try:
        held = read_ktx2_metadata(path).get(KEY_NAME)
    except FileNotFoundError:
        return "not made yet"
    except (OSError, FormatError) as error:
        return str(error)
    if held is None:
        return f"{path.name} was not made by a batch"
    return "" if held == key else f"input, settings or version changed since {path.name} was made"


def _names_held(sidecar: Path) -> set[str]:
    """Plain file names in a sidecar; none where there is no sidecar, or a broken one."""
    try:
        with open(sidecar, encoding="utf-8") as file:
            names = {str(row["name"]) for row in json.load(file)["files"]}
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    return {name for name in names if name == Path(name).name}


def write_sidecar(path: Path, key: str, files: Iterable[str | os.PathLike[str]]) -> Path:
    """Writes the JSON file that holds the key of an output that cannot hold it itself.

    Files that the same output had before and has no more, such as the last levels of a longer PNG
    chain, are removed.

    Parameters
    ----------
    path : Path
        The output; of a PNG chain the name without ``_mip0``.
    key : str
    files : iterable of path
        The files that make up the output, all in its folder.

    Returns
    -------
    Path
        The file written.
    """
    rows = [
        {"name": each.name, "bytes": each.stat().st_size, "blake2b": file_digest(each)}
        for each in map(Path, files)
    ]
    sidecar = _sidecar(path)
    for name in _names_held(sidecar) - {row["name"] for row in rows}:
        path.with_name(name).unlink(missing_ok=True)
    held = {"schema_version": _SIDECAR_SCHEMA, "tool": "dapplewood", "key": key, "files": rows}
    with atomic_file(sidecar) as file:
        file.write((json.dumps(held, indent=1) + "\n").encode())
    return sidecar
