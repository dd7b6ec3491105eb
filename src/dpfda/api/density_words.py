"""The words of `dpfda.density`: domains, bandwidths, counts, checked before anything is spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from dpfda.errors import DataError, ParameterError
from dpfda.privacy.budget import Budget
from dpfda.privacy.neighbours import Neighbours
from dpfda.release.density_view import SHAPES, Width
from dpfda.spaces.interval import Floats, Interval
from dpfda.summaries.histogram import Counts, Points, Source, WeightedPoints
from dpfda.summaries.units import People

#: Largest number of records a count file may hold.
_MOST_COUNT = 1 << 53
_MOST_AXES = 3
#: The narrowest bandwidth a rule gives, as a part of an axis, by the number of axes: on three, a cell is a sixteenth wide.
NARROWEST = {1: 1000, 2: 1000, 3: 200}


@dataclass(frozen=True)
class DensityCall:
    """Checked words of a call and the records, before a summary and a mechanism are chosen.

    Parameters
    ----------
    rows : array
        Points, weighted points, or counts.
    people : People or None
        Whose they are.
    axes : tuple of Interval
        The box.
    names : tuple of str
        Of its axes.
    epsilon, delta : Fraction
        What may be spent on the density.
    neighbours : Neighbours
        The relation.
    guess : int or None
        `design_n` under add-remove.
    budget : Budget or None
        To be charged.
    edges : tuple of float
        Of the bins of counts; empty for points.
    weight_bound : float or None
        For weighted points.
    vouched : tuple of str
        What no program can check.
    """

    rows: Floats = field(repr=False)
    people: People | None
    axes: tuple[Interval, ...]
    names: tuple[str, ...]
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    guess: int | None
    budget: Budget | None
    edges: tuple[float, ...] = ()
    weight_bound: float | None = None
    vouched: tuple[str, ...] = ()

    def source(self, cells: int) -> Source:
        """Return how these records enter a histogram over cells^d cells."""
        if self.edges:
            return Counts(self.axes, cells, self.edges)
        if self.weight_bound is not None:
            return WeightedPoints(self.axes, cells, self.weight_bound)
        return Points(self.axes, cells, several=self.people is not None)

    @property
    def divided(self) -> bool:
        """Whether a record may be spread over several cells."""
        return bool(self.edges) or self.weight_bound is not None or self.people is not None

    @property
    def count(self) -> int:
        """How many records there are: private under add-remove."""
        if self.edges:
            return int(self.rows.sum())
        return len(self.rows) if self.people is None else len(self.people)

    @property
    def n(self) -> int | None:
        """The number of records where it is public."""
        return self.count if self.guess is None else None

    @property
    def design(self) -> int:
        """The n that rules may use: public, or the guess."""
        return self.count if self.guess is None else self.guess

    @property
    def unit(self) -> str:
        """Whose change is hidden."""
        return "record" if self.people is None else "person"


def read_axes(domain: Any, dimension: int) -> tuple[Interval, ...]:
    """Return one interval or circle an axis."""
    if domain is None:
        raise ParameterError(
            "domain is missing: give the ends of what values can be, from what is known about them and never from these data, such "
            "as domain=(0, 100), or one pair an axis"
        )
    given = [domain] if isinstance(domain, Interval) or _is_pair(domain) else domain
    try:
        axes = tuple(axis if isinstance(axis, Interval) else Interval(*_ends(axis)) for axis in given)
    except TypeError:
        raise ParameterError(f"domain must be two numbers, or one such pair an axis, not {domain!r:.60}") from None
    if len(axes) != dimension:
        raise ParameterError(f"the points have {dimension} columns and domain= has {len(axes)}: give one pair an axis")
    return axes


def count_axes(domain: Any, otherwise: int) -> int:
    """Return how many axes a domain has, for records of which there are none."""
    if domain is None or isinstance(domain, Interval) or _is_pair(domain):
        return otherwise if domain is None else 1
    return len(domain) if isinstance(domain, Sequence | np.ndarray) and len(domain) <= _MOST_AXES else otherwise


def _is_pair(domain: Any) -> bool:
    return (
        isinstance(domain, Sequence | np.ndarray)
        and len(domain) == 2
        and all(np.ndim(end) == 0 for end in domain)
        and not any(isinstance(end, Interval) for end in domain)
    )


def _ends(axis: Any) -> tuple[float, float]:
    try:
        low, high = axis
        return float(low), float(high)
    except (TypeError, ValueError):
        raise ParameterError(f"an axis of domain= must be two numbers, not {axis!r:.60}") from None


def read_width(kernel: Any, bandwidth: Any, axes: tuple[Interval, ...]) -> Width:
    """Return the kernel's shape and width: a number, one an axis, or a matrix."""
    if kernel not in SHAPES:
        raise ParameterError(
            f"kernel must be one of {', '.join(map(repr, SHAPES))}: a shape, the width is bandwidth=; not {kernel!r:.60}"
        )
    try:
        width = np.asarray(bandwidth, float)
    except (TypeError, ValueError):
        raise ParameterError(
            f"bandwidth must be None, 'rule', 'private', a number, one number an axis, or a matrix, not {bandwidth!r:.60}"
        ) from None
    d = len(axes)
    if width.ndim == 2:
        return _matrix(kernel, width, axes)
    widths = np.broadcast_to(width, (d,)) if width.ndim == 0 else width
    if widths.shape != (d,):
        raise ParameterError(
            f"bandwidth= has {widths.size} numbers and the domain {d} axes: give one, one an axis, or a matrix"
        )
    for axis, one in zip(axes, widths, strict=True):
        if not (np.isfinite(one) and 0 < one <= axis.length):
            raise ParameterError(
                f"bandwidth {one:g} must be above 0 and at most the domain's length, {axis.length:g}: it is in the units of the points"
            )
        if one < axis.length / 1000:
            raise ParameterError(
                f"bandwidth {one:g} is below a thousandth of the domain's length {axis.length:g}: choose a wider one"
            )
    return Width(str(kernel), tuple(float(one) for one in widths))


def _matrix(kernel: str, matrix: Floats, axes: tuple[Interval, ...]) -> Width:
    d = len(axes)
    if matrix.shape != (d, d):
        raise ParameterError(f"a bandwidth matrix for {d} axes is {d} x {d}, not {matrix.shape[0]} x {matrix.shape[1]}")
    if not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T) or np.linalg.eigvalsh(matrix).min() <= 0:
        raise ParameterError(
            "a bandwidth matrix must be symmetric and positive definite: a covariance, in squared units"
        )
    if kernel != "gaussian":
        raise ParameterError("a bandwidth matrix is for kernel='gaussian': other shapes take one width an axis")
    sides = np.sqrt(np.diag(matrix))
    read_width(kernel, sides, axes)
    if np.array_equal(matrix, np.diag(np.diag(matrix))):
        return Width(kernel, tuple(float(s) for s in sides))
    return Width(kernel, matrix=tuple(tuple(float(x) for x in row) for row in matrix))


def rule_width(kernel: str, axes: tuple[Interval, ...], n: int, spreads: Sequence[float]) -> Width:
    """Return (4/((d+1) n))^(1/(d+4)) IQR/1.34 an axis (Lin and Reimherr 2026), within the domain."""
    d = len(axes)
    factor = (4 / ((d + 1) * max(n, 1))) ** (1 / (d + 4)) / 1.34
    least = NARROWEST[d]
    widths = [min(max(factor * s, axis.length / least), axis.length) for s, axis in zip(spreads, axes, strict=True)]
    return read_width(kernel, widths, axes)


def read_counts(counts: Any) -> tuple[tuple[float, ...], Floats]:
    """Return the ends of the bins and how many records lie in each, from (edges, counts)."""
    try:
        edges, numbers = counts
        ends, held = np.asarray(edges, float), np.asarray(numbers, float)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("counts= is a pair: the ends of the bins, and how many records lie in each") from None
    if ends.ndim != 1 or held.ndim != 1 or len(ends) != len(held) + 1 or not len(held):
        raise ParameterError(
            f"counts= has {held.size} bins and {ends.size} ends: there is one end more than there are bins"
        )
    if not np.isfinite(ends).all() or (np.diff(ends) <= 0).any():
        raise ParameterError(
            "the ends of the bins in counts= must be finite and increase: an open last bin, such as 95+, needs an end you vouch for"
        )
    bad = np.flatnonzero(~np.isfinite(held) | (held < 0) | (held != np.rint(held)) | (held > _MOST_COUNT))
    if bad.size:
        raise DataError(
            f"bin {bad[0] + 1} does not hold a whole number of records from 0: round the counts by a rule of your own, which the "
            "guarantee then leaves to you; a file in thousands must be multiplied or taken as records of a thousand each"
        )
    return tuple(float(end) for end in ends), held
