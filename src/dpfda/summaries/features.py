"""What a recipe of several looks needs of every person, computed once: coefficients of the curve in a public basis."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpfda.spaces.basis import Basis
from dpfda.spaces.interval import Floats
from dpfda.summaries.base import BLOCK
from dpfda.summaries.mean import VALUE_UNITS, WEIGHT_UNITS, fill_gaps
from dpfda.summaries.units import People

#: Products of values and weights are kept to so many units each, so that sums over a person's rows fit int64.
UNITS = 1 << 41


@dataclass(frozen=True, eq=False)
class CurveFeatures:
    """v_j = <(X - middle)/half, phi_j> for curves clipped to [lower, upper], so |v|_2 <= 1.

    Gaps are filled within the row.  Values and the public matrix are integers whose products float64 adds exactly in any
    order; a person's rows are averaged in integers.  So a person's vector is a function of that person's rows alone.

    Parameters
    ----------
    basis : Basis
        Orthonormal functions.
    grid : array (m,)
        Where each curve is known.
    lower, upper : Fraction
        The public range.
    """

    basis: Basis
    grid: Floats = field(repr=False)
    lower: Fraction
    upper: Fraction

    @property
    def half(self) -> Fraction:
        """Half the width of the range."""
        return (self.upper - self.lower) / 2

    @property
    def middle(self) -> Fraction:
        """The public centre."""
        return (self.upper + self.lower) / 2

    @cached_property
    def _product(self) -> tuple[Floats, Floats, Floats]:
        """Return the exact matrix, integer weights whose rows' absolute sums are at most 2^29 + m/2, and the rows' sums."""
        matrix = self.basis.projection(self.grid)
        sizes = np.maximum(np.abs(matrix).sum(axis=1), 1e-300)
        return matrix, np.rint(matrix * (WEIGHT_UNITS / sizes)[:, None]), sizes

    def of(self, rows: Floats, people: People | None = None) -> Floats:
        """Return the coefficients of every person: a column a person, in units of half the range."""
        sizes = self._product[2]
        if people is None:
            blocks = [self._integers(rows[first : first + BLOCK]) for first in range(0, len(rows), BLOCK)]
        else:
            blocks = [
                people.averages(self._integers(rows[members]), starts) for members, starts in people.blocks(BLOCK)
            ]
        found = np.empty((len(sizes), sum(len(block) for block in blocks)))
        first = 0
        for block in blocks:
            found[:, first : first + len(block)] = block.T * (sizes / UNITS)[:, None]
            first += len(block)
        return found

    def _integers(self, rows: Floats) -> NDArray[np.int64]:
        """Return the coefficients of rows in units of sizes_j/UNITS; what is not finite becomes zero before the cast."""
        lower, upper, middle, half = float(self.lower), float(self.upper), float(self.middle), float(self.half)
        clipped = np.minimum(np.maximum(fill_gaps(rows, self.grid), lower), upper)
        scaled = np.rint((clipped - middle) * (VALUE_UNITS / half))
        finite = np.isfinite(scaled).all(axis=1, keepdims=True)
        whole = np.minimum(np.maximum(np.where(finite, scaled, 0.0), -VALUE_UNITS), VALUE_UNITS)
        products = whole @ self._product[1].T
        return np.rint(products * (UNITS / (VALUE_UNITS * WEIGHT_UNITS))).astype(np.int64)

    @cached_property
    def errors(self) -> Floats:
        """Return a bound on what rounding moved each coefficient of a curve inside the range, in units of half the range."""
        matrix, whole, sizes = self._product
        off = np.abs(whole * (sizes / WEIGHT_UNITS)[:, None] - matrix).sum(axis=1)
        ends = abs(Fraction(float(self.lower)) - self.lower) + abs(Fraction(float(self.upper)) - self.upper)
        floats = (float(ends) + 4 * np.spacing(max(abs(float(self.lower)), abs(float(self.upper))))) / float(self.half)
        return np.asarray(off + sizes * (0.5 / VALUE_UNITS + floats + 1.0 / UNITS) + 1e-14)
