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
from dpfda.spaces.interval import Floats

Progress = Callable[[float], None]

_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "."})


def read_curves(
    path: str | PathLike[str],
    id_column: str | None = None,
    progress: Progress | None = None,
    header_is_grid: bool = False,
) -> CurveTable:
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
    header_is_grid : bool
        Believe the first line also where it looks like a curve.
    """
    source = Path(path)
    lines = records(source, progress)
    header = next(lines)
    at = None if id_column is None else position_of(id_column, header, str(source))
    names = [name.strip() for i, name in enumerate(header) if i != at]
    rows: list[list[float]] = []
    ids: list[object] = []
    if not all(map(_is_number, names)):
        _explain_header(source, names, lines)
    for number, fields in enumerate(lines, start=1):
        check_width(fields, header, number, source)
        if at is not None:
            ids.append(id_of(fields.pop(at), number, source))
        rows.append(_numbers(fields, number, names, source))
    if not rows:
        raise DataError(f"{source} holds a header alone: below it, every line is a curve")
    values, grid = np.array(rows, dtype=np.float64), grid_of(names, str(source))
    if not header_is_grid:
        _check_header(source, np.array(grid), values)
    return CurveTable(values, grid, ids if at is not None else None, "the file's header", id_column)


def read_column(path: str | PathLike[str], column: str) -> list[object]:
    """Read one named column of a CSV file as texts: the ids of persons, row by row."""
    source = Path(path)
    lines = records(source, None)
    header = next(lines)
    at = position_of(column, header, str(source))
    values: list[object] = []
    for number, fields in enumerate(lines, start=1):
        check_width(fields, header, number, source)
        values.append(id_of(fields[at], number, source))
    return values


def records(source: Path, progress: Progress | None) -> Iterator[list[str]]:
    """Yield the header and then every row.

    Blank lines before the header and at the end are passed over.  One between rows is an error: passing over it would
    pair the rows below with other persons' ids.
    """
    try:
        size = source.stat().st_size
        file = source.open("rb")
    except OSError as error:
        raise FileError(f"cannot read {source}: {error.strerror}") from None
    with file:
        try:
            start = file.read(1 << 16)
        except OSError as error:
            raise FileError(f"cannot read {source}: {error.strerror}") from None
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
            yield next(csv.reader([header], delimiter=delimiter, strict=True))
            blank = 0
            for number, fields in enumerate(csv.reader(text, delimiter=delimiter, strict=True), start=1):
                check_cells(fields, f"row {number} below the header of {source}")
                if progress is not None and number % 500 == 1:
                    progress(file.tell() / max(size, 1))
                if not fields or (len(fields) == 1 and not fields[0].strip()):
                    blank = blank or number
                    continue
                if blank:
                    raise DataError(f"row {blank} below the header of {source} is blank: remove the line, or fill it")
                yield fields
        except UnicodeDecodeError:
            raise FileError(f"{source} is not a text file in UTF-8: save it as a CSV file in UTF-8") from None
        except csv.Error as error:
            raise FileError(f"{source} is not a CSV file that can be read: {error}") from None


def check_cells(fields: list[str], where: str) -> None:
    """Refuse a line break inside a field: a quotation mark that is never closed would swallow all records below it."""
    if any("\n" in field or "\r" in field for field in fields):
        raise DataError(f"{where} has a line break inside a field: is a quotation mark not closed?")


def id_of(field: str, number: int, source: Path) -> str:
    """Return an id; a word for a missing value is none, or all persons without an id would be one person."""
    name = field.strip()
    if name.lower() in _MISSING:
        raise DataError(
            f"the id in row {number} below the header of {source} is missing ({name!r}): every curve must belong to a person"
        )
    return name


def check_width(fields: list[str], header: list[str], number: int, source: Path) -> None:
    """Raise an error unless a row has as many fields as the header."""
    if len(fields) != len(header):
        raise DataError(
            f"row {number} below the header of {source} has {len(fields)} fields, but the header has {len(header)}: every "
            "row needs as many (leave a missing value empty)"
        )


def _numbers(fields: list[str], number: int, names: list[str], source: Path) -> list[float]:
    try:
        return list(map(float, fields))
    except ValueError:
        return [number_of(field, number, name, source) for field, name in zip(fields, names, strict=True)]


def number_of(field: str, number: int, name: str, source: Path) -> float:
    """Return a field's number, NaN where it is missing."""
    if field.strip().lower() in _MISSING:
        return math.nan
    try:
        return float(field)
    except ValueError:
        comma = " with a decimal point, not a comma" if "," in field else ""
        raise DataError(
            f"row {number} below the header, column {name!r} of {source} is not a number: write one{comma}, or leave it "
            "empty where the value is missing"
        ) from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _explain_header(source: Path, names: list[str], lines: Iterator[list[str]]) -> None:
    """Say what is wrong with a header that is not a grid: an index, curves in columns, or something else."""
    firsts = [fields[0] for _, fields in zip(range(200), lines, strict=False) if fields]
    rest = [float(name) for name in names[1:] if _is_number(name)]
    if not names[0] and len(rest) == len(names) - 1:
        raise DataError(
            f"the first column of {source} has no name and looks like an index of the rows: drop it (pandas: index=False; "
            "R: row.names=FALSE)"
        )
    numeric = [float(f) for f in firsts if _is_number(f)]
    increasing = len(numeric) == len(firsts) > 2 and all(a < b for a, b in pairwise(numeric))
    if increasing and not _is_number(names[0]) and len(rest) < len(names) - 1:
        raise DataError(
            f"the curves of {source} seem to stand in columns, for its first column increases like a grid: write the "
            "transpose, with the grid as the header line and a row a curve"
        )
    grid_of(names, str(source))


def _check_header(source: Path, grid: Floats, values: Floats) -> None:
    """Refuse a first line that could be one of the curves: taken for a grid it would be published with the domain.

    It could be one when all its numbers lie among those below, or two thirds of them do and its steps are not equal.
    """
    known = np.isfinite(values).all(axis=0)
    if len(values) < 3 or not known.any():
        return
    inside = ((values.min(axis=0) <= grid) & (grid <= values.max(axis=0)))[known]
    steps = np.diff(grid)
    even = bool(steps.size) and bool(np.ptp(steps) <= 1e-6 * np.abs(steps).max())
    if inside.all() or (inside.mean() > 2 / 3 and not even):
        raise DataError(
            f"the first line of {source} looks like a curve, not like a grid, for {'all' if inside.all() else 'most'} numbers in it "
            "lie among those below it: add a header line with the grid, or say that it is one (--header-is-grid; "
            "header_is_grid=True for read_curves)"
        )
