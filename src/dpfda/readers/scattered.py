"""Curves that were each measured at points of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpfda.errors import DataError
from dpfda.spaces.interval import Floats, Interval


@dataclass(frozen=True)
class ScatteredTable:
    """Points (time, value) of every curve, a row a curve, NaN beyond a curve's last point.

    Parameters
    ----------
    times, values : array (n, m)
        In each row as many as the curve has points.
    ids : sequence, optional
        One id a row, of the person.
    source : str
        How the guarantee names where the curves came from.
    labels : sequence of str, optional
        How curves are called in errors; their numbers by default.
    id_column : str, optional
        The name of the column of persons.
    """

    times: Floats
    values: Floats
    ids: Sequence[object] | None = None
    source: str = "the curves' own points"
    labels: Sequence[str] | None = None
    id_column: str | None = None

    @property
    def grid(self) -> tuple[float, ...]:
        """No grid is common."""
        return ()

    def require(self, domain: Interval) -> None:
        """Raise an error that names the first curve with a point outside the domain."""
        with np.errstate(invalid="ignore"):
            outside = (self.times < domain.start) | (self.times > domain.end)
        if outside.any():
            row = int(np.flatnonzero(outside.any(axis=1))[0])
            raise DataError(
                f"{self.name(row)} has a point outside the domain [{domain.start:g}, {domain.end:g}]: widen domain=, or leave out "
                "such points by a rule that does not depend on the other curves"
            )

    def name(self, row: int) -> str:
        """Return how a curve is called in errors."""
        return f"curve {row + 1}" if self.labels is None else f"curve {self.labels[row]!r}"


def is_scattered(curves: Any) -> bool:
    """Tell whether this is a list of pairs (times, values), each of arrays."""
    if not isinstance(curves, list | tuple) or not curves:
        return False
    return all(
        isinstance(pair, list | tuple) and len(pair) == 2 and all(_is_array(part) for part in pair) for pair in curves
    )


def read_pairs(pairs: Sequence[Any]) -> ScatteredTable:
    """Read a list of (times, values)."""
    return padded([(_numbers(t, i, "times"), _numbers(y, i, "values")) for i, (t, y) in enumerate(pairs)])


def padded(
    curves: Sequence[tuple[Floats, Floats]],
    source: str = "pairs of times and values",
    labels: Sequence[str] | None = None,
) -> ScatteredTable:
    """Return the table of curves given as arrays of points; points without a value are left out."""
    width = max((int((~np.isnan(y)).sum()) for _, y in curves), default=0)
    times, values = np.full((len(curves), width), np.nan), np.full((len(curves), width), np.nan)
    table = ScatteredTable(times, values, None, source, labels)
    for row, (t, y) in enumerate(curves):
        if len(t) != len(y):
            raise DataError(f"{table.name(row)} has {len(t)} times and {len(y)} values: give as many of both")
        known = ~np.isnan(y)
        if np.isinf(y).any() or not np.isfinite(t).all():
            raise DataError(f"{table.name(row)} has a time or a value that is not finite: leave such points out")
        if known.sum() < 2:
            raise DataError(
                f"{table.name(row)} has {'no value' if not known.any() else 'one value'}: a curve needs at least two; complete it, "
                "or leave it out by a rule that does not depend on the other curves"
            )
        order = np.argsort(t[known], kind="stable")
        times[row, : known.sum()], values[row, : known.sum()] = t[known][order], y[known][order]
    return table


def group_rows(ids: Iterable[object], times: Floats, values: Floats, source: str) -> tuple[ScatteredTable, list[int]]:
    """Return a long table's curves, and the first row of each; rows of one id need not stand together."""
    members: dict[object, list[int]] = {}
    for row, name in enumerate(ids):
        members.setdefault(name, []).append(row)
    curves = [(times[rows], values[rows]) for rows in members.values()]
    labels = [str(name) for name in members]
    return padded(curves, source, labels), [rows[0] for rows in members.values()]


def _is_array(part: Any) -> bool:
    return not isinstance(part, str) and hasattr(part, "__len__") and hasattr(part, "__getitem__")


def _numbers(part: Any, curve: int, what: str) -> Floats:
    try:
        found = np.asarray(part, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"the {what} of curve {curve + 1} are not all numbers") from None
    if found.ndim != 1:
        raise DataError(
            f"the {what} of curve {curve + 1} must be a list of numbers, not an array of {found.ndim} dimensions"
        )
    return found
