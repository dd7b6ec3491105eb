"""Whatever a caller gave as curves, as one checked table."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from dpfda.errors import DataError, ParameterError
from dpfda.readers.csv import read_curves
from dpfda.readers.frames import is_frame, read_frame
from dpfda.readers.table import CurveTable
from dpfda.spaces.interval import Floats


def read(curves: Any, grid: Any, unit: Any) -> CurveTable:
    """Return the curves with their grid and ids, every row usable; or say what is wrong with which row."""
    column = unit if isinstance(unit, str) else None
    if isinstance(curves, CurveTable):
        table = curves
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
        table = CurveTable(table.values, _grid(grid), table.ids, "grid=")
    elif not table.grid:
        raise ParameterError("an array of curves needs grid=: where each column was measured, such as range(93)")
    ids = table.ids if column is not None or unit is None else _ids(unit)
    table = CurveTable(table.values, table.grid, ids, table.source)
    check_grid(table)
    check_rows(table.values)
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
            f"the grid of {table.source} must increase, but point {at + 2} ({grid[at + 1]:g}) "
            f"{'repeats' if steps[at] == 0 else 'follows'} {grid[at]:g}: sort the columns and drop repeats"
            + ("; is the first line of the file its header?" if table.source == "the file's header" else "")
        )


def check_rows(values: Floats) -> None:
    """Check that every curve can be used; NaN is a gap, infinity an error."""
    infinite = np.isinf(values)
    if infinite.any():
        row, column = np.argwhere(infinite)[0]
        raise DataError(
            f"row {row + 1}, column {column + 1} is infinite: put a number there, or leave it empty where it is missing"
        )
    known = np.isfinite(values).sum(axis=1)
    if (known < 2).any():
        row = _first(known < 2)
        raise DataError(
            f"row {row + 1} has {'no value' if known[row] == 0 else 'one value'}: a curve needs at least two; complete it, "
            "or leave it out by a rule that does not depend on the other curves"
        )


def _matrix(curves: Any) -> Floats:
    if isinstance(curves, np.ma.MaskedArray):
        curves = np.ma.filled(curves.astype(np.float64), np.nan)  # a masked value is a missing one
    try:
        given = np.asarray(curves)
        values = given if given.dtype.kind == "c" else np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(_where_text(curves)) from None
    if values.dtype.kind == "c":
        raise DataError("curves must be real numbers, not complex ones")
    if values.ndim != 2:
        raise DataError(
            f"curves must be a table with a row a curve and a column a grid point, not an array of {values.ndim} dimensions"
        )
    return values


def _where_text(curves: Any) -> str:
    try:
        lengths = [len(row) for row in curves]
        odd = [i for i, length in enumerate(lengths) if length != lengths[0]]
        if odd:
            return f"row {odd[0] + 1} has {lengths[odd[0]]} values, but row 1 has {lengths[0]}: all curves need one grid"
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


def _ids(unit: Any) -> Sequence[object]:
    for name in ("to_list", "tolist"):
        if hasattr(unit, name):
            unit = getattr(unit, name)()
    if not isinstance(unit, Sequence):
        raise ParameterError("unit must be a list of ids, one a curve, or the name of a column of ids")
    return unit


def _first(where: Any) -> int:
    return int(np.flatnonzero(where)[0])
