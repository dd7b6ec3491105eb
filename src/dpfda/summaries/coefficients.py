"""The mean curve, as coefficients in an orthonormal basis of curves in an L2 ball."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from dpfda.privacy.influence import CrossPolytopeBall, Ellipsoid, Influence
from dpfda.privacy.lattice import Lattice
from dpfda.spaces.basis import Basis
from dpfda.spaces.interval import Floats
from dpfda.summaries.base import Summary
from dpfda.summaries.mean import VALUE_UNITS, WEIGHT_UNITS, fill_gaps


@dataclass(frozen=True, eq=False)
class CoefficientMean(Summary):
    """theta_j = a_j <mean - centre, phi_j> for curves whose coefficients lie in a ball of radius tau.

    A record's coefficients u are brought into the ball |u| <= tau (l2, or l1) by shrinking them along their ray, so the mean's
    theta moves by at most 2 tau/n in the norm with axes a: an ellipsoid, or a cross-polytope (docs/proofs/mean-over-basis.md).

    Parameters
    ----------
    basis : Basis
        Public orthonormal functions.
    grid : array (m,)
        Where each curve is known; between these points it is a straight line.
    centre : array (m,)
        A public function on the grid that is subtracted from every curve.
    axes : array (M,)
        a_j > 0, the estimator's.
    bound : Fraction
        tau.
    norm : "l2" or "l1"
        Of the coefficients.
    reach : float
        How far a value may lie from the centre at all; values farther away are clipped.
    """

    basis: Basis
    grid: Floats = field(repr=False)
    centre: Floats = field(repr=False)
    axes: Floats = field(repr=False)
    bound: Fraction
    norm: str
    reach: float

    @property
    def records(self) -> Influence:
        return self._set(self.bound)

    def influence(self, n: int) -> Influence:
        """Return the set of differences of the mean's coefficients when one of n persons is replaced."""
        return self._set(2 * self.bound / n)

    def _set(self, radius: Fraction) -> Influence:
        axes = tuple(Fraction(float(a)) for a in self.axes)
        kind = Ellipsoid if self.norm == "l2" else CrossPolytopeBall
        return kind(len(axes), radius, axes)

    @cached_property
    def _product(self) -> tuple[Floats, Floats]:
        """Return integer weights, every row's absolute sum at most 2^29 + m/2, and what one unit of each product is."""
        matrix = self.basis.projection(self.grid)
        sizes = np.maximum(np.abs(matrix).sum(axis=1), 1e-300)
        whole = np.rint(matrix * (WEIGHT_UNITS / sizes)[:, None])
        return whole, sizes * self.reach / (VALUE_UNITS * WEIGHT_UNITS)

    def vectors(self, rows: Floats, lattice: Lattice) -> Floats:
        """Fill gaps, subtract the centre, quantise, project by exact integer products, shrink into the ball.

        What follows the products is elementwise, in a fixed order over the coordinates, so each row stands by itself.
        """
        whole, unit = self._product
        away = fill_gaps(rows, self.grid) - self.centre
        clipped = np.minimum(np.maximum(away, -self.reach), self.reach)
        scaled = np.rint(clipped * (VALUE_UNITS / self.reach))
        products = np.minimum(np.maximum(scaled, -VALUE_UNITS), VALUE_UNITS) @ whole.T
        coefficients = products * unit
        size = np.zeros(len(rows))
        for j in range(coefficients.shape[1]):
            column = coefficients[:, j]
            size = size + (column * column if self.norm == "l2" else np.abs(column))
        size = np.sqrt(size) if self.norm == "l2" else size
        shrink = np.minimum(1.0, float(self.bound) / np.maximum(size, 1e-300))
        steps = np.array([float(s) for s in lattice.steps])
        return np.asarray(coefficients * shrink[:, None] * (self.axes / steps))

    def rounding(self, lattice: Lattice) -> Floats:
        """Return a bound, in lattice units a record, on what rounding moved each coordinate of a record inside the ball."""
        whole, unit = self._product
        exact = self.basis.projection(self.grid)
        off = np.abs(whole * (unit / self.reach * VALUE_UNITS)[:, None] - exact).sum(axis=1) * self.reach
        values = 0.5 / VALUE_UNITS * self.reach * np.abs(exact).sum(axis=1)
        steps = np.array([float(s) for s in lattice.steps])
        # One unit for rounding, and what enforcing the norm may take off a record that rounding moved over the border.
        edge = 1.0 + len(steps) + 2 * lattice.body.slack
        return np.asarray((off + values + 1e-13 * self.reach) * self.axes / steps + edge)
