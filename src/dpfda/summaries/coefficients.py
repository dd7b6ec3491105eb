"""The mean of curves or surfaces, as coefficients in an orthonormal basis of records in an L2 ball."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from dpfda.privacy.influence import CrossPolytopeBall, Ellipsoid, Influence
from dpfda.privacy.lattice import Lattice
from dpfda.spaces.basis import Basis
from dpfda.spaces.interval import Floats
from dpfda.spaces.product import BoxBasis
from dpfda.summaries.base import Summary
from dpfda.summaries.images import fill
from dpfda.summaries.products import IntegerProduct


@dataclass(frozen=True, eq=False)
class CoefficientMean(Summary):
    """theta_j = a_j <mean - centre, phi_j> for records whose coefficients lie in a ball of radius tau.

    A record's coefficients u are brought into the ball |u| <= tau (l2, or l1) by shrinking them along their ray, so the mean's
    theta moves by at most 2 tau/n in the norm with axes a: an ellipsoid, or a cross-polytope (docs/proofs/mean-over-basis.md).

    Parameters
    ----------
    basis : Basis or BoxBasis
        Public orthonormal functions.
    grid : array (m,), or a tuple of arrays, one an axis of a box
        Where each record is known; between these points it is a straight line, or linear in each coordinate.
    centre : array (m,)
        A public function on the grid that is subtracted from every record.
    axes : array (M,)
        a_j > 0, the estimator's.
    bound : Fraction
        tau.
    norm : "l2" or "l1"
        Of the coefficients.
    reach : float
        How far a value may lie from the centre at all; values farther away are clipped.
    """

    basis: Basis | BoxBasis
    grid: Floats | tuple[Floats, ...] = field(repr=False)
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
    def _product(self) -> IntegerProduct:
        return IntegerProduct(projection(self.basis, self.grid), self.reach)

    def vectors(self, rows: Floats, lattice: Lattice) -> Floats:
        """Fill gaps, subtract the centre, quantise, project by exact integer products, shrink into the ball.

        What follows the products is elementwise, in a fixed order over the coordinates, so each row stands by itself.
        """
        integers = self._product.integers(fill(rows, self.grid) - self.centre)
        coefficients = self._product(integers)
        shrink = shrinking(coefficients, self.bound, self.norm)
        steps = np.array([float(s) for s in lattice.steps])
        return np.asarray(coefficients * shrink[:, None] * (self.axes / steps))

    def rounding(self, lattice: Lattice) -> Floats:
        """Return a bound, in lattice units a record, on what rounding moved each coordinate of a record inside the ball."""
        steps = np.array([float(s) for s in lattice.steps])
        return np.asarray(self._product.error() * self.axes / steps + edge(lattice))


def projection(basis: Basis | BoxBasis, grid: Floats | tuple[Floats, ...]) -> Floats:
    """Return the matrix from values on a grid, or on a mesh, to coefficients."""
    if isinstance(basis, BoxBasis):
        assert isinstance(grid, tuple)  # noqa: S101 - a box has a mesh
        return basis.projection(grid)
    assert not isinstance(grid, tuple)  # noqa: S101
    return basis.projection(grid)


def shrinking(coefficients: Floats, bound: Fraction, norm: str) -> Floats:
    """Return the factor that brings each row into the ball, elementwise and in a fixed order over the coordinates."""
    size = np.zeros(len(coefficients))
    for j in range(coefficients.shape[1]):
        column = coefficients[:, j]
        size = size + (column * column if norm == "l2" else np.abs(column))
    size = np.sqrt(size) if norm == "l2" else size
    return np.asarray(np.minimum(1.0, float(bound) / np.maximum(size, 1e-300)))


def edge(lattice: Lattice) -> float:
    """Return one unit for rounding to the lattice, and what enforcing the norm may take off a record that it moved over the border."""
    return 1.0 + lattice.dimension + 2 * lattice.body.slack
