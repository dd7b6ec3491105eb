"""Coefficients of curves that were each measured at points of their own: ridge regression, one curve at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpfda.spaces.basis import Basis
from dpfda.spaces.interval import Floats
from dpfda.summaries.features import UNITS
from dpfda.summaries.units import People

#: Points are read off a public table of the functions at so many equal places.
PLACES = 1 << 12
#: The penalty on the j-th coefficient is RIDGE j^POWER for an average of squared residuals.
RIDGE, POWER = 1e-3, 2.0
#: Curves handled at once.
ROWS = 1 << 10
#: Coefficients are kept within this many halves of the range; the ellipsoid of a look is far smaller.
MOST = 4.0


@dataclass(frozen=True, eq=False)
class ScatteredFeatures:
    """argmin_v of mean_k ((x_k - middle)/half - sum_j v_j phi_j(t_k))^2 + RIDGE sum_j j^POWER v_j^2, curve by curve.

    Everything is elementwise arithmetic in a fixed order over coefficients and points, with the curves side by side, so a
    curve's coefficients depend on its own points and on public numbers alone, bit for bit.

    Parameters
    ----------
    basis : Basis
        Orthonormal functions.
    lower, upper : Fraction
        The public range; values are clipped to it.
    """

    basis: Basis = field(repr=False)
    lower: Fraction
    upper: Fraction

    @cached_property
    def _table(self) -> Floats:
        domain = self.basis.domain
        return self.basis.evaluate(domain.start + domain.length * np.arange(PLACES + 1) / PLACES)

    def of(self, times: Floats, values: Floats, people: People | None = None) -> Floats:
        """Return the coefficients of every person: a column a person, in units of half the range."""
        blocks = [self._integers(times[i : i + ROWS], values[i : i + ROWS]) for i in range(0, len(times), ROWS)]
        whole = np.concatenate(blocks)
        if people is not None:
            whole = np.concatenate([people.averages(whole[members], starts) for members, starts in people.blocks(ROWS)])
        return np.ascontiguousarray(whole.T) / (UNITS / MOST)

    def _integers(self, times: Floats, values: Floats) -> NDArray[np.int64]:
        v = np.minimum(np.maximum(self._solve(times, values).T, -MOST), MOST)
        safe = np.where(np.isfinite(v).all(axis=1, keepdims=True), v, 0.0)
        return np.rint(safe * (UNITS / MOST)).astype(np.int64)

    def _solve(self, times: Floats, values: Floats) -> Floats:
        """Return the coefficients, a column a curve, from the normal equations by a Cholesky factor."""
        domain, count = self.basis.domain, self.basis.count
        lower, upper = float(self.lower), float(self.upper)
        known = np.isfinite(values) & np.isfinite(times)
        share = np.where(known, (times - domain.start) / domain.length, 0.0)
        place = np.rint(np.minimum(np.maximum(share, 0.0), 1.0) * PLACES).astype(np.int64)
        scaled = (np.minimum(np.maximum(np.where(known, values, lower), lower), upper) - (lower + upper) / 2) / (
            (upper - lower) / 2
        )
        matrix, right = np.zeros((count, count, len(times))), np.zeros((count, len(times)))
        points = np.maximum(known.sum(axis=1), 1)
        for k in range(times.shape[1]):
            phi = self._table[place[:, k]].T * known[:, k]
            right += phi * scaled[:, k]
            for i in range(count):
                matrix[i, : i + 1] += phi[i] * phi[: i + 1]
        for j in range(count):
            matrix[j, j] += points * (RIDGE * max(j, 1e-3) ** POWER)
        return _cholesky_solve(matrix, right)

    @property
    def errors(self) -> Floats:
        """Return a bound on what rounding the solution moved; where the points lie in the table is part of the map."""
        return np.full(self.basis.count, MOST / UNITS)


def _cholesky_solve(matrix: Floats, right: Floats) -> Floats:
    """Solve symmetric positive definite systems side by side along the last axis; the lower triangles are overwritten."""
    size, x = len(right), right.copy()
    for j in range(size):
        for k in range(j):
            matrix[j:, j] -= matrix[j, k] * matrix[j:, k]
        root = np.sqrt(matrix[j, j])
        matrix[j:, j] /= root
    for j in range(size):
        for k in range(j):
            x[j] -= matrix[j, k] * x[k]
        x[j] /= matrix[j, j]
    for j in reversed(range(size)):
        for k in range(j + 1, size):
            x[j] -= matrix[k, j] * x[k]
        x[j] /= matrix[j, j]
    return x
