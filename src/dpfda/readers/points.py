"""Points from an array, a frame or a CSV file: a row a record, a column an axis."""

from __future__ import annotations

import csv
import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from dpfda.errors import DataError, FileError, ParameterError
from dpfda.readers.csv import check_cells
from dpfda.readers.frames import is_frame
from dpfda.spaces.interval import Floats

#: Delimiters that are tried, by how many columns they make.
_DELIMITERS = ",;\t"
_TOO_LARGE = "a value of the points is too large for a floating-point number: choose other units"


@dataclass(frozen=True)
class PointTable:
    """Records as rows.

    Parameters
    ----------
    values : array (n, d)
        What is missing is NaN.
    names : tuple of str
        Of the columns; empty where they have none.
    ids : sequence or None
        Whose the rows are.
    """

    values: Floats
    names: tuple[str, ...] = ()
    ids: Sequence[object] | None = field(default=None)


def read_points(points: Any, columns: Sequence[str] | None, unit: Any) -> PointTable:
    """Read records from an array, a sequence of numbers, a frame, a column of one, or a path to a CSV file.

    Parameters
    ----------
    points : array, frame, column or path
        What was given.
    columns : sequence of str or None
        Which columns are the axes, in order; all that are not the id by default.
    unit : sequence, str or None
        Ids, or the name of a column of ids.
    """
    if isinstance(points, str | PathLike):
        names, columns_of = _read_csv(Path(points))
        return _from_columns(names, columns_of, columns, unit, str(points))
    if is_frame(points):
        names, columns_of = _read_frame(points)
        return _from_columns(names, columns_of, columns, unit, "the frame")
    if columns is not None:
        raise ParameterError("columns= names columns of a frame or a file; an array has none")
    if isinstance(unit, str):
        raise ParameterError("unit= names a column of a frame or a file; for an array give the ids themselves")
    return PointTable(_numbers(points), (), None if unit is None else list(unit))


def _numbers(points: Any) -> Floats:
    if isinstance(points, np.ma.MaskedArray):
        points = filled(points, "points")
    try:
        values = np.asarray(points)
        if values.dtype.kind not in "iufO" and values.size:
            raise TypeError
        values = np.asarray(values, dtype=np.float64)
    except OverflowError:
        raise DataError(_TOO_LARGE) from None
    except (TypeError, ValueError):
        raise DataError("points must be numbers: an array, a column, or rows of one number an axis") from None
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or not values.shape[1]:
        raise DataError(f"points must be one number a record or a row a record, not an array of shape {values.shape}")
    if values.shape[1] > 3:
        raise DataError(
            f"points have {values.shape[1]} columns, and a density here has one to three axes: choose columns"
            + (", or give the transpose" if values.shape[0] <= 3 else "")
        )
    return values


def filled(values: Any, what: str) -> Floats:
    """Return a masked array as numbers; what is masked is missing."""
    try:
        return np.asarray(np.ma.filled(values.astype(np.float64), np.nan))
    except OverflowError:
        raise DataError(_TOO_LARGE) from None
    except (TypeError, ValueError):
        raise DataError(f"{what} must be numbers") from None


def _read_frame(frame: Any) -> tuple[list[str], dict[str, Any]]:
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True)
    names = [str(name) for name in table.columns]
    return names, {str(name): table.get_column(name).to_list() for name in table.columns}


def _read_csv(path: Path) -> tuple[list[str], dict[str, Any]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            first = file.readline()
            delimiter = max(_DELIMITERS, key=first.count)
            file.seek(0)
            rows = csv.reader(file, delimiter=delimiter, strict=True)
            names = [name.strip() for name in next(rows, [])]
            columns: list[list[str]] = [[] for _ in names]
            blank = 0
            for number, row in enumerate(rows, start=2):
                if not row:
                    blank = blank or number
                    continue
                check_cells(row, f"line {number} of {path}")
                if blank:
                    raise FileError(
                        f"line {blank} of {path} is blank and others follow: take it out, or write in what the record lacks"
                    )
                if len(row) != len(names):
                    raise FileError(f"line {number} of {path} has {len(row)} columns, and the header has {len(names)}")
                for column, cell in zip(columns, row, strict=True):
                    column.append(cell)
    except csv.Error as error:
        raise FileError(f"{path} is not a CSV file that can be read: {error}") from None
    except UnicodeDecodeError:
        raise FileError(f"{path} is not UTF-8 text: save it as CSV in UTF-8") from None
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path} cannot be read: {error.strerror}") from None
    if not names:
        raise FileError(f"{path} is empty: its first line names the columns")
    if len(set(names)) < len(names):
        raise FileError(f"two columns of {path} have the same name")
    return names, dict(zip(names, columns, strict=True))


def _from_columns(
    names: list[str], columns_of: dict[str, Any], columns: Sequence[str] | None, unit: Any, source: str
) -> PointTable:
    id_name = unit if isinstance(unit, str) else None
    if id_name is not None:
        known_column(id_name, names, source)
    wanted = [columns] if isinstance(columns, str) else columns
    chosen = [name for name in names if name != id_name] if wanted is None else list(wanted)
    for name in chosen:
        known_column(name, names, source)
    if not 1 <= len(chosen) <= 3:
        raise ParameterError(
            f"{source} has {len(chosen)} columns of numbers, and a density has one to three axes: name them with columns="
        )
    values = np.column_stack([_floats(columns_of[name], name, source) for name in chosen])
    ids = list(columns_of[id_name]) if id_name is not None else (None if unit is None else list(unit))
    return PointTable(values, tuple(chosen), ids)


def known_column(name: str, names: Sequence[str], source: str) -> None:
    """Raise an error that lists the nearest names unless this is a column."""
    if name in names:
        return
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.4)
    nearest = (
        f"the nearest names are {', '.join(map(repr, near))}"
        if near
        else f"there are {', '.join(map(repr, names[:8]))}"
    )
    raise ParameterError(f"{source} has no column {name!r}: {nearest}")


def _floats(cells: Sequence[Any], name: str, source: str) -> Floats:
    column = np.empty(len(cells))
    for row, cell in enumerate(cells):
        try:
            missing = cell is None or (isinstance(cell, str) and not cell.strip())
            column[row] = np.nan if missing else float(cell)
        except OverflowError:
            raise DataError(_TOO_LARGE) from None
        except (TypeError, ValueError):
            raise DataError(
                f"record {row + 1} of column {name!r} of {source} is not a number: make the column numeric"
            ) from None
    return column
