"""Products of records with a public matrix that are exact, whatever adds them up."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from dpfda.spaces.interval import Floats
from dpfda.summaries.mean import VALUE_UNITS, WEIGHT_UNITS

#: Values multiplied at once; more of them would share the weights' 29 bits.
PIECE = 256


@dataclass(frozen=True, eq=False)
class IntegerProduct:
    """The map from values within `reach` of zero to their products with the rows of a matrix.

    Values become integers of at most 2^23, the weights of a row in each piece of 256 columns integers whose absolute values add up
    to at most 2^29 + 128, so every partial sum is an integer below 2^53 and float64 adds them without rounding, in any order
    (docs/proofs/mean-over-basis.md).  The pieces are put together elementwise, in a fixed order, so a row's products depend on
    that row alone, however long it is.

    Parameters
    ----------
    matrix : array (M, m)
        Public.
    reach : float
        Values farther from zero are clipped.
    """

    matrix: Floats = field(repr=False)
    reach: float

    @cached_property
    def pieces(self) -> tuple[tuple[slice, Floats, Floats], ...]:
        """Return for every piece its columns, the integer weights, and what one unit of each product is."""
        found = []
        for first in range(0, self.matrix.shape[1], PIECE):
            columns = slice(first, first + PIECE)
            some = self.matrix[:, columns]
            sizes = np.maximum(np.abs(some).sum(axis=1), 1e-300)
            whole = np.rint(some * (WEIGHT_UNITS / sizes)[:, None])
            found.append((columns, whole, sizes * self.reach / (VALUE_UNITS * WEIGHT_UNITS)))
        return tuple(found)

    def integers(self, values: Floats) -> Floats:
        """Return values clipped to the reach as integers of at most 2^23."""
        clipped = np.minimum(np.maximum(values, -self.reach), self.reach)
        scaled = np.rint(clipped * (VALUE_UNITS / self.reach))
        return np.asarray(np.minimum(np.maximum(scaled, -VALUE_UNITS), VALUE_UNITS))

    def __call__(self, integers: Floats) -> Floats:
        """Return the products of rows of such integers, a row a record."""
        total = np.zeros((len(integers), len(self.matrix)))
        for columns, whole, unit in self.pieces:
            total = total + (integers[:, columns] @ whole.T) * unit
        return total

    def error(self) -> Floats:
        """Return a bound on what rounding values and weights moved each product."""
        off = np.zeros(len(self.matrix))
        for columns, whole, unit in self.pieces:
            off += np.abs(whole * (unit * VALUE_UNITS)[:, None] - self.matrix[:, columns] * self.reach).sum(axis=1)
        values = 0.5 / VALUE_UNITS * self.reach * np.abs(self.matrix).sum(axis=1)
        return np.asarray(off + values + 1e-13 * self.reach * (1 + len(self.pieces)))
