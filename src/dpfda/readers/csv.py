"""Curves from a CSV file: one header line with the grid, then a row a curve."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from os import PathLike
from pathlib import Path

import numpy as np

from dpfda.errors import DataError, FileError
from dpfda.readers.table import CurveTable, grid_of, position_of

Progress = Callable[[float], None]

_MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "."})


def read_curves(path: str | PathLike[str], id_column: str | None = None, progress: Progress | None = None) -> CurveTable:
    """Read a CSV file of curves.

    The header line declares the grid; every further line is a curve.  Fields are separated by commas, semicolons or
    tabs; an empty field, NA or NaN is a missing value.

    Parameters
    ----------
    path : path
        The file.
    id_column : str, optional
        A column of ids among the grid's columns; it is taken out.
    progress : callable, optional
        Called now and then with the share of the file that was read.
    """
    source = Path(path)
    lines = _records(source, progress)
    header = next(lines)
    at = None if id_column is None else position_of(id_column, header, str(source))
    names = [name.strip() for i, name in enumerate(header) if i != at]
    rows: list[list[float]] = []
    ids: list[object] = []
    if not all(map(_is_number, names)):
        _explain_header(source, names, lines)
    for number, fields in enumerate(lines, start=1):
        if len(fields) != len(header):
            raise DataError(
                f"row {number} of {source} has {len(fields)} fields, but the header has {len(header)}: every row needs one "
                "for each grid point (leave a missing value empty)"
            )
        if at is not None:
            ids.append(fields.pop(at).strip())
        rows.append(_numbers(fields, number, names, source))
    if not rows:
        raise DataError(f"{source} holds a header alone: below it, every line is a curve")
    values = np.array(rows, dtype=np.float64)
    return CurveTable(values, grid_of(names, str(source)), ids if at is not None else None, "the file's header")


def read_column(path: str | PathLike[str], column: str) -> list[object]:
    """Read one named column of a CSV file as texts: the ids of persons, row by row."""
    source = Path(path)
    lines = _records(source, None)
    header = next(lines)
    at = position_of(column, header, str(source))
    values: list[object] = []
    for number, fields in enumerate(lines, start=1):
        if len(fields) != len(header):
            raise DataError(
                f"row {number} of {source} has {len(fields)} fields, but the header has {len(header)}: every row needs "
                "as many"
            )
        values.append(fields[at].strip())
    return values


def _records(source: Path, progress: Progress | None) -> Iterator[list[str]]:
    """Yield the header and then the rows; blank lines are passed over."""
    try:
        size = source.stat().st_size
        file = source.open("rb")
    except OSError as error:
        raise FileError(f"cannot read {source}: {error.strerror}") from None
    with file:
        start = file.read(1 << 16)
        if b"\0" in start:
            raise FileError(f"{source} is not a text file: give a CSV file with a header line and a row a curve")
        if not start.strip():
            raise DataError(f"{source} is empty: its first line must hold the grid, every further line a curve")
        file.seek(0)
        text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        try:
            header = text.readline()
            while not header.strip():
                header = text.readline()
            delimiter = max(",;\t", key=header.count)
            yield next(csv.reader([header], delimiter=delimiter))
            for number, fields in enumerate(csv.reader(text, delimiter=delimiter)):
                if progress is not None and number % 500 == 0:
                    progress(file.tell() / max(size, 1))
                if any(fields):
                    yield fields
        except UnicodeDecodeError:
            raise FileError(f"{source} is not a text file in UTF-8: save it as a CSV file in UTF-8") from None
        except csv.Error as error:
            raise FileError(f"{source} is not a CSV file that can be read: {error}") from None


def _numbers(fields: list[str], number: int, names: list[str], source: Path) -> list[float]:
    try:
        return list(map(float, fields))
    except ValueError:
        return [_number(field, number, name, source) for field, name in zip(fields, names, strict=True)]


def _number(field: str, number: int, name: str, source: Path) -> float:
    if field.strip() in _MISSING:
        return math.nan
    try:
        return float(field)
    except ValueError:
        raise DataError(
            f"row {number}, column {name!r} of {source} is not a number: write a number with a decimal point, or leave it "
            "empty where the value is missing"
        ) from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _explain_header(source: Path, names: list[str], lines: Iterator[list[str]]) -> None:
    """Say what is wrong with a header that is not a grid; curves in columns are the usual reason."""
    firsts = [fields[0] for _, fields in zip(range(200), lines, strict=False) if fields]
    numeric = [float(f) for f in firsts if _is_number(f)]
    increasing = len(numeric) == len(firsts) > 2 and all(a < b for a, b in pairwise(numeric))
    if increasing and not _is_number(names[0]):
        raise DataError(
            f"the curves of {source} seem to stand in columns, for its first column increases like a grid: write the "
            "transpose, with the grid as the header line and a row a curve"
        )
    grid_of(names, str(source))
