"""One integer histogram over public cells: how points, persons with several points, and weighted points enter it.

A record puts non-negative integers that sum to exactly `units` into the cells (a weighted one at most so many).  What follows
is linear in the histogram, in integers, so ten million points cost one count.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpfda.errors import DataError, ParameterError
from dpfda.spaces.interval import Floats, Interval
from dpfda.spaces.nodes import snap
from dpfda.summaries.units import People

Histogram: TypeAlias = NDArray[np.int64] | NDArray[np.object_]

#: Points that are moved to cells at once.
ROWS = 1 << 18
#: What a person's points, or a count's bin, are divided into.
PERSON_UNITS = 1 << 12


@dataclass(frozen=True, eq=False)
class Source(ABC):
    """How records enter the histogram over cells^d public cells of a box.

    Parameters
    ----------
    axes : tuple of Interval
        The box.
    cells : int
        How many equal cells an axis has.
    """

    axes: tuple[Interval, ...]
    cells: int

    @property
    def size(self) -> int:
        """Cells in all."""
        return int(self.cells ** len(self.axes))

    @property
    @abstractmethod
    def units(self) -> int:
        """What a record's integers sum to, or at the most to where records are weighted."""

    @property
    def exact(self) -> bool:
        """Whether every record's integers sum to `units` exactly."""
        return True

    @abstractmethod
    def histogram(self, rows: Floats, people: People | None) -> Histogram:
        """Return the sum over records of their integers; each record's are a function of that record alone."""

    def records(self, rows: Floats, people: People | None) -> int:
        """Return how many records there are."""
        return len(rows) if people is None else len(people)

    def _snap(self, points: Floats) -> NDArray[np.int64]:
        return snap(points, self.axes, self.cells)


@dataclass(frozen=True, eq=False)
class Points(Source):
    """A record is a point, or all points of a person.

    A point goes to its cell.  Of a person's m points, sorted by cell, the r-th gets floor(r units/m) - floor((r-1) units/m):
    non-negative, `units` in all, every running sum off by less than one; a function of the person's points in whatever order.

    Parameters
    ----------
    several : bool
        Whether persons may have several points.
    """

    several: bool = False

    @property
    def units(self) -> int:
        return PERSON_UNITS if self.several else 1

    def histogram(self, rows: Floats, people: People | None) -> Histogram:
        if (people is not None) != self.several:
            raise ParameterError("points of persons need to know whose they are, and others must not")
        return self._points(rows) if people is None else self._people(rows, people)

    def _points(self, rows: Floats) -> Histogram:
        histogram = np.zeros(self.size, np.int64)
        for first in range(0, len(rows), ROWS):
            histogram += np.bincount(self._snap(rows[first : first + ROWS]), minlength=self.size)
        return histogram

    def _people(self, rows: Floats, people: People) -> Histogram:
        histogram = np.zeros(self.size, np.int64)
        for members, starts in people.blocks(ROWS):
            place = self._snap(rows[members])
            counts = np.diff(np.append(starts, len(members)))
            person = np.repeat(np.arange(len(starts)), counts)
            order = np.lexsort((place, person))  # persons stay together, in the order of `starts`
            rank, m = np.arange(len(members)) - np.repeat(starts, counts), np.repeat(counts, counts)
            parts = (rank + 1) * self.units // m - rank * self.units // m
            np.add.at(histogram, place[order], parts)
        return histogram


@dataclass(frozen=True, eq=False)
class WeightedPoints(Source):
    """A record is a point and, in the last column, its weight: floor(units min(w, bound)/bound), nothing below zero.

    Parameters
    ----------
    bound : float
        The largest weight that counts; public.
    """

    bound: float

    @property
    def units(self) -> int:
        return PERSON_UNITS

    @property
    def exact(self) -> bool:
        return False

    def histogram(self, rows: Floats, people: People | None) -> Histogram:
        if people is not None:
            raise ParameterError("weights and unit= do not go together: give one weighted row a person")
        histogram = np.zeros(self.size, np.int64)
        for first in range(0, len(rows), ROWS):
            some = rows[first : first + ROWS]
            share = np.nan_to_num(some[:, -1] / self.bound, nan=0.0)
            parts = np.floor(np.minimum(np.maximum(share, 0.0), 1.0) * self.units).astype(np.int64)
            np.add.at(histogram, self._snap(some[:, :-1]), parts)
        return histogram


@dataclass(frozen=True, eq=False)
class Counts(Source):
    """A record is known by the bin it lies in, and rows are how many lie in each; one axis.

    A record is spread evenly over its bin: the running shares of the bin in the cells are rounded down to multiples of
    1/units, so its integers are non-negative and sum to `units` exactly.  What of a bin lies outside goes to the edge.

    Parameters
    ----------
    edges : tuple of float
        Ends of the bins, increasing; one more than there are bins.
    """

    edges: tuple[float, ...]

    @property
    def units(self) -> int:
        return PERSON_UNITS

    @cached_property
    def parts(self) -> NDArray[np.int64]:
        """How a record of each bin is divided: a row a bin, a column a cell."""
        return division(np.diff(self._running(), axis=1), self.units)

    def _running(self) -> NDArray[np.int64]:
        """Return floor(units share) of every bin below every end of a cell, exactly: ends of bins are binary fractions."""
        domain = self.axes[0]
        start = Fraction(domain.start)
        cell = (Fraction(domain.end) - start) / self.cells
        ends = [(Fraction(edge) - start) / cell for edge in self.edges]  # in cells
        running = np.zeros((len(ends) - 1, self.cells + 1), np.int64)
        for row, (low, high) in zip(running, pairwise(ends), strict=True):
            first, last = (min(max(math.floor(end), 0), self.cells) for end in (low, high))
            row[last + 1 :] = self.units
            for end in range(first + 1, last + 1):
                row[end] = min(math.floor(self.units * (end - low) / (high - low)), self.units)
        running[:, 0], running[:, -1] = 0, self.units
        return running

    def histogram(self, rows: Floats, people: People | None) -> Histogram:
        counts = np.asarray([int(count) for count in np.ravel(rows)], object)
        return np.asarray(counts @ self.parts.astype(object))

    def records(self, rows: Floats, people: People | None) -> int:
        return sum(int(count) for count in np.ravel(rows))


def division(parts: NDArray[np.int64], units: int) -> NDArray[np.int64]:
    """Return rows of integers after checking that each divides `units` into parts of at least 0: the sensitivity rests on it."""
    broken = np.flatnonzero(((parts < 0) | (parts > units)).any(axis=1) | (parts.sum(axis=1) != units))
    if broken.size:
        raise ParameterError(
            f"bin {broken[0] + 1} is not divided among the cells in parts from 0 that sum to {units}: widen it, or join it with a "
            "neighbour"
        )
    return parts


def require_numbers(points: Floats) -> None:
    """Raise an error that names the first record that is not a number."""
    broken = np.flatnonzero(np.isnan(points).any(axis=1))
    if broken.size:
        raise DataError(
            f"record {broken[0] + 1} is not a number: leave such records out by a rule that looks at one record at a time, or give "
            "them a value"
        )
