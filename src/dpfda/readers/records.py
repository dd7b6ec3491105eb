"""Whatever a caller gave as curves, as one checked table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from dpfda.errors import DataError, ParameterError
from dpfda.readers.csv import read_curves
from dpfda.readers.frames import is_frame, read_frame
from dpfda.readers.scattered import ScatteredTable, is_scattered, read_pairs
from dpfda.readers.table import CurveTable
from dpfda.spaces.interval import Floats


def read_any(curves: Any, grid: Any, unit: Any) -> CurveTable | ScatteredTable:
    """Return the curves, on a common grid or each at points of its own."""
    if grid is None and not isinstance(curves, ScatteredTable) and is_scattered(curves):
        if isinstance(unit, str):
            raise ParameterError(
                f"unit={unit!r} names a column, but the curves are pairs of arrays: give the ids themselves, one a curve"
            )
        curves = read_pairs(curves)
    if not isinstance(curves, ScatteredTable):
        return read(curves, grid, unit)
    if grid is not None:
        raise ParameterError("these curves have points of their own: leave grid= out, and give domain=")
    if unit is not None and not isinstance(unit, str):
        return replace(curves, ids=read_ids(unit))
    if unit != curves.id_column:
        have = "no column of persons" if curves.id_column is None else f"the column of persons {curves.id_column!r}"
        raise ParameterError(
            f"the long table was read with {have}, but unit={unit!r} was asked for: read it with read_long(..., unit=...), and give the "
            "same name, or the ids themselves, as unit"
        )
    return curves


def read(curves: Any, grid: Any, unit: Any) -> CurveTable:
    """Return the curves with their grid and ids, every row usable; or say what is wrong with which row."""
    column = unit if isinstance(unit, str) else None
    if isinstance(curves, CurveTable):
        table = _named(curves, column) if unit is None or column is not None else curves
    elif isinstance(curves, str | PathLike):
        table = read_curves(curves, column)
    elif is_frame(curves):
        table = read_frame(curves, column)
    else:
        if column is not None:
            raise ParameterError(
                f"unit={column!r} names a column, but the curves are an array: give the ids themselves, one a curve"
            )
        table = CurveTable(_matrix(curves), ())
    if grid is not None:
        table = replace(table, grid=_grid(grid), source="grid=")
    elif not table.grid:
        raise ParameterError("an array of curves needs grid=: where each column was measured, such as range(93)")
    if unit is not None and column is None:
        table = replace(table, ids=read_ids(unit))
    check_alignment(curves, unit)
    check_grid(table)
    check_rows(table)
    return table


def check_grid(table: CurveTable) -> None:
    """Check that the grid increases and fits the table."""
    grid, (rows, columns) = np.array(table.grid), table.values.shape
    if len(grid) != columns:
        turned = "; the curves seem to stand in columns: give the transpose, curves.T" if len(grid) == rows else ""
        raise DataError(
            f"the grid has {len(grid)} points, but the curves have {columns} columns{turned}: a row is a curve, a column a "
            "grid point"
        )
    if columns < 2:
        raise DataError("a curve needs at least two grid points")
    if not np.isfinite(grid).all():
        raise ParameterError(f"grid point {_first(~np.isfinite(grid)) + 1} of {table.source} is not a finite number")
    steps = np.diff(grid)
    if (steps <= 0).any():
        at = _first(steps <= 0)
        raise ParameterError(
            f"the grid of {table.source} must increase, but point {at + 2} "
            f"{'repeats' if steps[at] == 0 else 'lies below'} point {at + 1}: sort the columns and drop repeats"
            + ("; is the first line of the file its header?" if table.source == "the file's header" else "")
        )


def check_rows(table: CurveTable) -> None:
    """Check that every curve can be used; NaN is a gap, infinity an error."""
    values = table.values
    below = " below the header" if table.source == "the file's header" else ""
    infinite = np.isinf(values)
    if infinite.any():
        row, column = np.argwhere(infinite)[0]
        raise DataError(
            f"row {row + 1}{below}, column {column + 1} is infinite: put a number there, or leave it empty if it is missing"
        )
    known = np.isfinite(values).sum(axis=1)
    if (known < 2).any():
        row = _first(known < 2)
        raise DataError(
            f"row {row + 1}{below} has {'no value' if known[row] == 0 else 'one value'}: a curve needs at least two; complete "
            "it, or leave it out by a rule that does not depend on the other curves"
        )


def _named(table: CurveTable, column: str | None) -> CurveTable:
    """Return a table whose ids are those of the named column, or none where none was named."""
    if column != table.id_column:
        have = "no column of ids" if table.id_column is None else f"the column of ids {table.id_column!r}"
        raise ParameterError(
            f"the table was read with {have}, but unit={column!r} was asked for: read it with read_curves(..., id_column=...), "
            "and give the same name, or the ids themselves, as unit"
        )
    return table


def check_alignment(curves: Any, unit: Any) -> None:
    """Refuse a pandas frame and a pandas series of ids or labels whose indexes say that they are ordered differently."""
    here, there = getattr(curves, "index", None), getattr(unit, "index", None)
    if hasattr(there, "equals") and here is not None and hasattr(here, "equals") and not here.equals(there):
        raise DataError(
            "the frame of curves and the series of ids or labels have different indexes, so rows and persons may not belong together: "
            "bring them into one order, or give ids.to_numpy() if they are"
        )


def _matrix(curves: Any) -> Floats:
    if isinstance(curves, np.ma.MaskedArray):
        curves = np.ma.filled(curves.astype(np.float64), np.nan)  # a masked value is a missing one
    try:
        values = _by_rows(curves) if isinstance(curves, list | tuple) else _real(np.asarray(curves))
    except DataError:
        raise
    except OverflowError:
        raise DataError("a value of the curves is too large for a floating-point number") from None
    except (TypeError, ValueError):
        raise DataError(_where_text(curves)) from None
    if values.ndim != 2:
        raise DataError(
            f"curves must be a table with a row a curve and a column a grid point, not an array of {values.ndim} dimensions"
        )
    return values


def _by_rows(rows: Sequence[Any]) -> Floats:
    """Read every row by itself: one type for all would let the type of one row change how the numbers of the others are read."""
    return np.array([_real(np.asarray(row)) for row in rows], dtype=np.float64)


def _real(given: Any) -> Floats:
    if given.dtype.kind == "c":
        raise DataError("curves must be real numbers, not complex ones")
    return np.asarray(given, dtype=np.float64)


def _where_text(curves: Any) -> str:
    try:
        lengths = [len(row) for row in curves]
        odd = [i for i, length in enumerate(lengths) if length != lengths[0]]
        if odd:
            return (
                f"row {odd[0] + 1} has {lengths[odd[0]]} values, but row 1 has {lengths[0]}: all curves need one grid"
            )
        for i, row in enumerate(curves):
            for j, cell in enumerate(row):
                try:
                    float(cell)
                except (TypeError, ValueError):
                    return f"row {i + 1}, column {j + 1} is not a number: use NaN where a value is missing"
    except TypeError:
        pass
    return f"curves must be an array, a frame or the path of a CSV file, not {type(curves).__name__}"


def _grid(grid: Any) -> tuple[float, ...]:
    try:
        points = np.asarray(grid, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError("grid must be a list of increasing numbers") from None
    if points.ndim != 1:
        raise ParameterError(f"grid must be a list of increasing numbers, not an array of {points.ndim} dimensions")
    return tuple(points.tolist())


def read_ids(unit: Any) -> Sequence[object]:
    """Return ids, one a record, as a plain list."""
    for name in ("to_list", "tolist"):
        if hasattr(unit, name):
            unit = getattr(unit, name)()
    if not isinstance(unit, Sequence) or any(isinstance(name, list | dict | set) for name in unit):
        raise ParameterError("unit must be a list of ids, one a curve, or the name of a column of ids")
    return unit


def _first(where: Any) -> int:
    return int(np.flatnonzero(where)[0])
