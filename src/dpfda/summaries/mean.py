"""The mean curve, as exact averages over equal cells of values in a public range."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpfda.errors import ParameterError
from dpfda.privacy.influence import Box, Influence
from dpfda.privacy.lattice import Lattice
from dpfda.spaces.cells import cell_weights, integer_weights, weights_error
from dpfda.spaces.interval import Floats, Interval
from dpfda.summaries.base import BLOCK, Summary
from dpfda.summaries.ranged import Ranged
from dpfda.summaries.units import People

#: A value becomes an integer in [-2^23, 2^23], a cell's weights integers that sum to 2^29, so every partial sum of
#: their products is an integer of at most 2^52 and float64 adds them without rounding, in any order.
VALUE_UNITS = 1 << 23
WEIGHT_UNITS = 1 << 29
MOST_CELLS = 64


def cells_rule(n: int, epsilon: Fraction) -> int:
    """Return the number of cells, clip(round(0.4 sqrt(n epsilon)), 1, 64): it sees public numbers alone."""
    return min(max(round(0.4 * math.sqrt(n * epsilon)), 1), MOST_CELLS)


@dataclass(frozen=True)
class CellMean(Ranged, Summary):
    """Averages over equal cells of curves clipped to [lower, upper], minus the middle of that range.

    A record's vector lies in the box |u_j| <= (upper - lower)/2, so a difference of means over n persons lies in the box
    |d_j| <= (upper - lower)/n (docs/proofs/mean-over-cells.md).

    Parameters
    ----------
    grid : tuple of float
        Where each curve is known; between these points it is a straight line.
    domain : Interval
        What the cells divide.
    cells : int
        N.
    lower, upper : Fraction
        The public range.
    """

    grid: tuple[float, ...]
    domain: Interval
    cells: int
    lower: Fraction
    upper: Fraction

    @property
    def edges(self) -> Floats:
        """Ends of the cells."""
        return self.domain.edges(self.cells)

    @property
    def records(self) -> Influence:
        return Box(self.cells, self.half)

    def influence(self, n: int) -> Influence:
        """Return the set of differences of the mean when one of n persons is replaced."""
        return Box(self.cells, 2 * self.half / n)

    def check(self) -> None:
        """Raise an error where the grid cannot be divided into cells; before anything is charged."""
        if not np.isfinite(self._weights).all():
            raise ParameterError("the grid cannot be divided into cells in floating point: choose other units")

    @cached_property
    def _weights(self) -> NDArray[np.int64]:
        weights = integer_weights(self._real_weights, WEIGHT_UNITS)
        if (weights < 0).any() or (weights.sum(axis=1) != WEIGHT_UNITS).any():
            raise ParameterError("the grid cannot be divided into cells in floating point: choose other units")
        return weights

    @cached_property
    def _real_weights(self) -> Floats:
        return cell_weights(np.array(self.grid), self.domain, self.cells)

    def units_of_half(self, lattice: Lattice) -> Fraction:
        """How many lattice units half the range is."""
        return self.half / lattice.steps[0]

    def vectors(self, rows: Floats, lattice: Lattice) -> Floats:
        """Fill gaps, clip, quantise, average over cells: integer products, exact in float64 whatever adds them."""
        values = fill_gaps(rows, np.array(self.grid))
        lower, upper = float(self.lower), float(self.upper)
        clipped = np.minimum(np.maximum(values, lower), upper)
        scaled = np.rint((clipped - float(self.middle)) * (VALUE_UNITS / float(self.half)))
        whole = np.minimum(np.maximum(scaled, -VALUE_UNITS), VALUE_UNITS)
        products = whole @ self._weights.T.astype(np.float64)
        return np.asarray(products * (float(self.units_of_half(lattice)) / (VALUE_UNITS * WEIGHT_UNITS)))

    def person_values(self, rows: Floats, people: People | None) -> Floats:
        """Return every person's curve on the grid: filled, clipped, and averaged over the person's rows in integers."""
        lower, upper, unit = float(self.lower), float(self.upper), float(self.half) / VALUE_UNITS
        values = np.minimum(np.maximum(fill_gaps(rows, np.array(self.grid)), lower), upper)
        if people is None:
            return np.asarray(values)
        whole = np.rint((np.where(np.isfinite(values), values, lower) - float(self.middle)) / unit).astype(np.int64)
        found, first = np.empty((len(people), len(self.grid))), 0
        for members, starts in people.blocks(BLOCK):
            found[first : first + len(starts)] = people.averages(whole[members], starts)
            first += len(starts)
        return np.asarray(float(self.middle) + unit * found)

    def rounding(self, lattice: Lattice) -> float:
        """Return a bound, in lattice units a record, on what rounding moved any coordinate.

        Half a unit for the value, the weights' rounding on values of size one, what floating point does to the ends of the
        range and to a value near them, and half a unit on the lattice twice (a row, then a person's average).
        """
        off = np.abs(self._weights / WEIGHT_UNITS - self._real_weights).sum(axis=1).max()
        off += weights_error(np.array(self.grid), self.domain, self.cells)
        ends = abs(Fraction(float(self.lower)) - self.lower) + abs(Fraction(float(self.upper)) - self.upper)
        largest = max(abs(float(self.lower)), abs(float(self.upper)))
        floats = (float(ends) + 4 * math.ulp(largest)) / float(self.half)
        return float(self.units_of_half(lattice)) * (0.5 / VALUE_UNITS + float(off) + floats + 1e-14) + 1.0

    def means(self, sums: tuple[int, ...], count: float, lattice: Lattice) -> Floats:
        """Return the cell averages of the mean curve from (noisy) integer sums over `count` persons."""
        step = float(lattice.steps[0])
        return np.array([float(self.middle) + step * (s / count) for s in sums])


def fill_gaps(rows: Floats, grid: Floats) -> Floats:
    """Fill missing values by straight lines within the row; at its ends the nearest value is carried on.

    A row is filled from its own values alone, never from another row's.
    """
    broken = np.flatnonzero(np.isnan(rows).any(axis=1))
    if not broken.size:
        return rows
    filled = rows.copy()
    for row in broken:
        known = ~np.isnan(rows[row])
        if known.any():
            filled[row] = np.interp(grid, grid[known], rows[row, known])
    return filled
