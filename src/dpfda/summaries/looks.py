"""One look at the mean: coefficients minus a released centre, moved into a public ellipsoid."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from dpfda.privacy.influence import Ellipsoid, Influence
from dpfda.privacy.lattice import Lattice
from dpfda.spaces.ellipsoids import nearest, squared_sizes
from dpfda.spaces.interval import Floats
from dpfda.summaries.base import Summary


@dataclass(frozen=True, eq=False)
class Look(Summary):
    """The mean of v - centre over persons, each moved to its nearest point of E(T, a) = {sum (v_j/a_j)^2 <= T^2}.

    A record is a person's coefficient vector.  Two points of E differ by a vector of E(2T, a), so the mean over n moves by
    at most E(2T/n, a) when a person is replaced (docs/proofs/mean-by-looks.md).

    Parameters
    ----------
    centre : array (M,)
        Public, or released before.
    axes : array (M,)
        a.
    radius : Fraction
        T; public, or chosen privately before.
    """

    centre: Floats = field(repr=False)
    axes: Floats = field(repr=False)
    radius: Fraction

    @property
    def records(self) -> Influence:
        return self._set(self.radius)

    def influence(self, n: int) -> Influence:
        """Return the set of differences of the mean when one of n persons is replaced."""
        return self._set(2 * self.radius / n)

    def _set(self, radius: Fraction) -> Influence:
        return Ellipsoid(len(self.axes), radius, tuple(Fraction(float(a)) for a in self.axes))

    def vectors(self, rows: Floats, lattice: Lattice) -> Floats:
        steps = np.array([float(step) for step in lattice.steps])
        moved = nearest(np.ascontiguousarray(rows.T) - self.centre[:, None], self.axes, float(self.radius))
        return np.asarray((moved / steps[:, None]).T)

    def outside(self, coefficients: Floats, radii: tuple[Fraction, ...]) -> tuple[int, ...]:
        """Return how many columns lie outside E(T, a) around the centre, for each T: counts that one person moves by one."""
        squares = squared_sizes(coefficients - self.centre[:, None], self.axes)
        # What is not a number lies outside every set.
        return tuple(int((~(squares <= float(radius) ** 2)).sum()) for radius in radii)

    def rounding(self, lattice: Lattice, errors: Floats) -> Floats:
        """Return a bound, in lattice units a record, on what rounding moved each coordinate.

        Moving to the nearest point of a convex set never lengthens a difference, so the l2 norm of the errors of the
        coefficients bounds it; to that comes one unit for rounding and what enforcing the norm may take off.
        """
        steps = np.array([float(step) for step in lattice.steps])
        edge = 1.0 + len(steps) + 2 * lattice.body.slack
        return np.asarray(float(np.sqrt((errors**2).sum())) / steps + edge)
