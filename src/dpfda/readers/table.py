"""The table every reader makes: a row a curve, a column a grid point."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from dpfda.errors import DataError
from dpfda.spaces.interval import Floats


@dataclass(frozen=True)
class CurveTable:
    """Curves as they were given, before anything is checked or clipped.

    Parameters
    ----------
    values : array (n, m)
        A row a curve; NaN where a value is missing.
    grid : tuple of float
        What the header declares.
    ids : sequence, optional
        One id a row, where a column of ids was named.
    source : str
        How the guarantee names where the grid was declared.
    id_column : str, optional
        The name of that column.
    """

    values: Floats
    grid: tuple[float, ...]
    ids: Sequence[object] | None = None
    source: str = "the header"
    id_column: str | None = None


def grid_of(names: Sequence[object], source: str) -> tuple[float, ...]:
    """Read column names as grid points; a name that is no number gets an error that names it."""
    grid = []
    for name in names:
        try:
            grid.append(float(str(name)))
        except ValueError:
            raise DataError(
                f"column {str(name)!r} of {source} is not a grid point: the header holds the grid, a number a column, and a "
                "row is a curve; name a column of ids with unit, and drop other columns"
            ) from None
    return tuple(grid)


def position_of(column: str, names: Sequence[object], source: str) -> int:
    """Return where a named column stands, or say which names are near."""
    texts = [str(name).strip() for name in names]
    if texts.count(column) == 1:
        return texts.index(column)
    if column in texts:
        raise DataError(f"{source} has {texts.count(column)} columns called {column!r}: give them different names")
    near = difflib.get_close_matches(column, texts, n=3, cutoff=0.5) or [
        t for t in texts if t.lower() == column.lower()
    ]
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"it has {_some(texts)}"
    raise DataError(f"{source} has no column {column!r}: {hint}")


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:5]))
    return shown + (f" and {len(names) - 5} more" if len(names) > 5 else "")
