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
from dpfda.summaries.mean import fill_gaps
from dpfda.summaries.products import IntegerProduct
from dpfda.summaries.ranged import Ranged
from dpfda.summaries.units import People

#: Products of values and weights are kept to so many units each, so that sums over a person's rows fit int64.
UNITS = 1 << 41


@dataclass(frozen=True, eq=False)
class CurveFeatures(Ranged):
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

    @cached_property
    def _product(self) -> IntegerProduct:
        return IntegerProduct(self.basis.projection(self.grid), float(self.half))

    def of(self, rows: Floats, people: People | None = None) -> Floats:
        """Return the coefficients of every person: a column a person, in units of half the range."""
        if people is None:
            blocks = [self._integers(rows[first : first + BLOCK]) for first in range(0, len(rows), BLOCK)]
        else:
            blocks = [
                people.averages(self._integers(rows[members]), starts) for members, starts in people.blocks(BLOCK)
            ]
        found = np.empty((self.basis.count, sum(len(block) for block in blocks)))
        first = 0
        for block in blocks:
            found[:, first : first + len(block)] = block.T / UNITS
            first += len(block)
        return found

    def _integers(self, rows: Floats) -> NDArray[np.int64]:
        """Return the coefficients of rows in units of 1/UNITS; what is not finite becomes zero before the cast."""
        lower, upper = float(self.lower), float(self.upper)
        clipped = np.minimum(np.maximum(fill_gaps(rows, self.grid), lower), upper)
        integers = self._product.integers(clipped - float(self.middle))
        safe = np.where(np.isfinite(integers).all(axis=1, keepdims=True), integers, 0.0)
        return np.rint(self._product(safe) * (UNITS / float(self.half))).astype(np.int64)

    @cached_property
    def errors(self) -> Floats:
        """Return a bound on what rounding moved each coefficient of a curve inside the range, in units of half the range."""
        half, sizes = float(self.half), np.abs(self._product.matrix).sum(axis=1)
        ends = abs(Fraction(float(self.lower)) - self.lower) + abs(Fraction(float(self.upper)) - self.upper)
        floats = (float(ends) + 4 * np.spacing(max(abs(float(self.lower)), abs(float(self.upper))))) / half
        return np.asarray(self._product.error() / half + sizes * floats + 1.0 / UNITS + 1e-14)
