"""Curves from a pandas or polars frame, by narwhals: one path for both."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from dpfda.errors import DataError
from dpfda.readers.table import CurveTable, grid_of, position_of
from dpfda.spaces.interval import Floats

#: A frame can only come from a library that its owner has imported already.
_LIBRARIES = ("pandas", "polars", "pyarrow", "modin", "cudf")


def is_frame(value: object) -> bool:
    """Tell whether a value is a data frame, without importing any frame library."""
    if not any(name in sys.modules for name in _LIBRARIES):
        return False
    import narwhals as nw

    return nw.dependencies.is_into_dataframe(value)


def read_frame(frame: Any, id_column: str | None = None) -> CurveTable:
    """Read a frame whose column names are the grid and whose rows are curves."""
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True)
    names = list(table.columns)
    at = None if id_column is None else position_of(id_column, names, "the frame")
    columns = [table.get_column(name) for i, name in enumerate(names) if i != at]
    grid = grid_of([name for i, name in enumerate(names) if i != at], "the frame")
    if not columns:
        raise DataError("the frame has no column of values: its columns are the grid points, its rows the curves")
    values = np.column_stack([floats(column.to_list(), str(column.name)) for column in columns])
    ids = None if at is None else table.get_column(names[at]).to_list()
    return CurveTable(values, grid, ids, "the frame's column names", id_column)


def floats(cells: list[Any], name: str) -> Floats:
    """Return a column of numbers, NaN where one is missing."""
    column = np.empty(len(cells))
    for row, cell in enumerate(cells):
        try:
            column[row] = np.nan if _is_missing(cell) else float(cell)
        except (TypeError, ValueError):
            raise DataError(
                f"row {row + 1}, column {name!r} of the frame is not a number: make the column numeric, or leave it empty "
                "where the value is missing"
            ) from None
    return column


def _is_missing(cell: Any) -> bool:
    """None, NaN, and pandas' NA, whose comparison is neither true nor false."""
    try:
        return cell is None or bool(cell != cell)  # noqa: PLR0124
    except TypeError:
        return True
