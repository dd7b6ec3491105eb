"""The file around a release: JSON with a version and a hash, written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from os import PathLike
from pathlib import Path
from typing import Any

from dpfda.errors import FileError, FormatError
from dpfda.version import __version__

FORMAT = "dpfda-release"
FORMAT_VERSION = 1

#: A release is a few kilobytes; a file larger than this is something else.
_MOST_BYTES = 64 << 20
_NO_HASH = "0" * 64


def write(path: str | PathLike[str], content: dict[str, Any], overwrite: bool) -> None:
    """Write the content with its hash; refuse a file that exists unless told otherwise."""
    head = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "written_by": f"dpfda {__version__}",
        "sha256": _NO_HASH,
    }
    refuse_foreign(path)
    blank = json.dumps(head | content, indent=1, allow_nan=False, ensure_ascii=False) + "\n"
    write_whole(path, blank.replace(_NO_HASH, _digest(blank.encode()), 1).encode(), overwrite)


def write_whole(path: str | PathLike[str], data: bytes, overwrite: bool) -> None:
    """Put the bytes at the path in one step, so that no half-written file can be left there."""
    target = Path(path)
    refuse_existing(target, overwrite)
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise FileError(f"cannot write {target}: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        _put(temporary, target, overwrite)
    except OSError as error:
        raise FileError(f"cannot write {target}: {error.strerror}") from None
    finally:
        Path(temporary).unlink(missing_ok=True)


def _put(temporary: str, target: Path, overwrite: bool) -> None:
    """Give the finished file its name; without `overwrite` also where another has just been put there."""
    if not overwrite:
        try:
            os.link(temporary, target)
        except FileExistsError:
            refuse_existing(target, overwrite)
        except OSError:  # a file system without hard links
            os.replace(temporary, target)
        return
    os.replace(temporary, target)


def refuse_existing(path: str | PathLike[str], overwrite: bool) -> None:
    """Raise an error if writing to the path would destroy a file or has nowhere to go."""
    target = Path(path)
    if target.is_dir():
        raise FileError(f"{target} is a folder: give the name of a file in it")
    if target.exists() and not overwrite:
        raise FileError(f"{target} exists already: choose another name, or say --overwrite (overwrite=True in Python)")
    if not target.parent.is_dir():
        raise FileError(f"the folder {target.parent} does not exist: make it first")
    if not os.access(target.parent, os.W_OK):
        raise FileError(f"the folder {target.parent} cannot be written to: choose another")


def refuse_foreign(path: str | PathLike[str]) -> None:
    """Raise an error where a release would replace a file that is no release, whoever said overwrite."""
    target = Path(path)
    if not target.is_file():
        return
    with target.open("rb") as file:
        start = file.read(200)
    if f'"format": "{FORMAT}"'.encode() not in start:
        raise FileError(f"{target} exists already and is not a release, so it is not replaced: choose another name")


def read(path: str | PathLike[str]) -> dict[str, Any]:
    """Return the content of a release file after checking what it is and that nothing in it was changed."""
    source = Path(path)
    try:
        if source.stat().st_size > _MOST_BYTES:
            raise FormatError(f"{source} is too large for a release file")
        data = source.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {source}: {error.strerror}") from None
    try:
        content = json.loads(data.decode(), parse_constant=_no_constant)
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise FormatError(f"{source} is not a release file: it does not hold the JSON that dpfda writes") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FormatError(f"{source} is not a release file: its format is not {FORMAT!r}")
    version = content.get("format_version")
    if version is True or version != FORMAT_VERSION:
        raise FormatError(
            f"{source} has format version {version!r}, and this dpfda reads version {FORMAT_VERSION}: use the dpfda "
            f"that wrote it ({content.get('written_by')!r})"
        )
    stated = content.get("sha256")
    if not isinstance(stated, str) or not re.fullmatch("[0-9a-f]{64}", stated):
        raise FormatError(f"{source} has no valid sha256 field: get the file again from where it was released")
    if _digest(data.replace(stated.encode(), _NO_HASH.encode(), 1)) != stated:
        raise FormatError(
            f"{source} was changed after it was written (its sha256 does not fit): get the file again from where it was "
            "released"
        )
    return content


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _no_constant(name: str) -> None:
    raise ValueError(name)
