"""The mean after a linear estimator that is not diagonal in the functions that get the noise."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from dpfda.privacy.influence import Influence
from dpfda.privacy.lattice import Lattice
from dpfda.privacy.linear_image import LinearImage
from dpfda.spaces.basis import Basis
from dpfda.spaces.interval import Floats
from dpfda.spaces.product import BoxBasis
from dpfda.summaries.base import Summary
from dpfda.summaries.coefficients import edge, projection, shrinking
from dpfda.summaries.images import fill
from dpfda.summaries.products import IntegerProduct


@dataclass(frozen=True, eq=False)
class OperatorMean(Summary):
    """theta = A u for the mean u of records' coefficients in one basis, A giving coefficients in another.

    A record's u is brought into the ball |u|_2 <= tau, so theta moves within the image of a ball of radius 2 tau/n under A: an
    ellipsoid with general axes (docs/proofs/noise-kernel.md).

    Parameters
    ----------
    basis : Basis or BoxBasis
        The penalty's eigenfunctions.
    matrix : array (M, J)
        A, its columns belonging to that basis.
    grid, centre, bound, reach
        As for `CoefficientMean`.
    """

    basis: Basis | BoxBasis
    matrix: Floats = field(repr=False)
    grid: Floats | tuple[Floats, ...] = field(repr=False)
    centre: Floats = field(repr=False)
    bound: Fraction
    reach: float

    @property
    def norm(self) -> str:
        """Of the coefficients u."""
        return "l2"

    @property
    def records(self) -> Influence:
        return LinearImage(len(self.matrix), self.bound, self.matrix)

    def influence(self, n: int) -> Influence:
        """Return the set of differences of the mean's coefficients when one of n persons is replaced."""
        return LinearImage(len(self.matrix), 2 * self.bound / n, self.matrix)

    @cached_property
    def _products(self) -> tuple[IntegerProduct, IntegerProduct]:
        """Return the products that give u, for its size, and A u, both from the same integers."""
        inner = projection(self.basis, self.grid)
        return IntegerProduct(inner, self.reach), IntegerProduct(self.matrix @ inner, self.reach)

    def vectors(self, rows: Floats, lattice: Lattice) -> Floats:
        """Fill gaps, subtract the centre, quantise; u and A u by exact integer products, A u shrunk by u's size."""
        size, image = self._products
        integers = image.integers(fill(rows, self.grid) - self.centre)
        shrink = shrinking(size(integers), self.bound, self.norm)
        steps = np.array([float(s) for s in lattice.steps])
        return np.asarray(image(integers) * shrink[:, None] / steps)

    def rounding(self, lattice: Lattice) -> Floats:
        """Return a bound, in lattice units a record, on what rounding moved each coordinate of a record inside the ball.

        The size of u may be off as well, by at most the sum of its coordinates' errors; a record at the border is then shrunk by that.
        """
        size, image = self._products
        steps = np.array([float(s) for s in lattice.steps])
        shorter = float(np.sqrt((size.error() ** 2).sum()) / float(self.bound))
        longest = np.sqrt((self.matrix**2).sum(axis=1)) * float(self.bound)
        return np.asarray((image.error() + shorter * longest) / steps + edge(lattice))
