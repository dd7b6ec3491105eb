"""Natural cubic splines on a public grid, from the smoothest to the roughest (Demmler and Reinsch)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from dpfda.errors import ParameterError
from dpfda.spaces.basis import Basis, Functions
from dpfda.spaces.interval import Floats, Interval

#: On longer grids the functions live on so many equal points, and curves are read off between their grid points.
MOST_POINTS = 401


@dataclass(frozen=True, eq=False)
class CardinalSplines(Functions):
    """The natural cubic splines that are one at a knot and zero at the others: what carries functions known on a grid.

    Parameters
    ----------
    knots : array (count,)
        From the start to the end of the domain.
    """

    knots: Floats = field(repr=False)

    def evaluate(self, points: Floats, order: int = 0) -> Floats:
        where = np.asarray(points, float).ravel()
        self.domain.require(where)
        table, bends = np.eye(self.count), _bends(tuple(self.knots.tolist()))
        k = np.clip(np.searchsorted(self.knots, where, side="right") - 1, 0, self.count - 2)
        h = np.diff(self.knots)[k][:, None]
        b = (where - self.knots[k])[:, None] / h
        a, low, high, m0, m1 = 1 - b, table[k], table[k + 1], bends[k], bends[k + 1]
        if order == 0:
            return np.asarray(a * low + b * high + ((a**3 - a) * m0 + (b**3 - b) * m1) * h**2 / 6)
        if order == 1:
            return np.asarray((high - low) / h + ((1 - 3 * a**2) * m0 + (3 * b**2 - 1) * m1) * h / 6)
        if order == 2:
            return np.asarray(a * m0 + b * m1)
        raise ParameterError(f"a cubic spline has two continuous derivatives, not {order}")


@dataclass(frozen=True, eq=False)
class SplineBasis(Basis):
    """1, t, then the eigenvectors of the roughness int f''^2, orthonormal under trapezoid weights of total mass 1.

    phi_j is the natural cubic spline through its values on the knots, smoothest first: of all functions orthonormal there to
    those before it, it is the one of least roughness (Demmler and Reinsch 1975; Green and Silverman 1994, section 2.3).

    Parameters
    ----------
    carrier : CardinalSplines
        The knots.
    mixing : array (knots, count)
        The functions' values on them.
    """

    carrier: CardinalSplines
    mixing: Floats = field(repr=False)

    @classmethod
    def on(cls, grid: Floats, domain: Interval, count: int) -> SplineBasis:
        """Return the first `count` functions for curves measured on a grid inside the domain."""
        knots = spline_knots(grid, domain)
        if np.diff(knots).min() < 1e-9 * domain.length:
            raise ParameterError(
                "two points of the grid, or its end and the domain's, lie too near each other for splines: move them apart, or leave "
                "one out"
            )
        if count > len(knots):
            raise ParameterError(f"a grid of {len(knots)} points has {len(knots)} spline functions, not {count}")
        table = _functions(tuple(knots.tolist()))
        return cls(domain, count, CardinalSplines(domain, len(knots), knots), table[:, :count])

    @property
    def resolution(self) -> int:
        return self.carrier.count

    def evaluate(self, points: Floats, order: int = 0) -> Floats:
        return np.asarray(self.carrier.evaluate(points, order) @ self.mixing)

    def truncate(self, count: int) -> SplineBasis:
        keep = min(count, self.count)
        return SplineBasis(self.domain, keep, self.carrier, self.mixing[:, :keep])

    def projection(self, grid: Floats) -> Floats:
        """Return the matrix from values on a grid to coefficients: sum over knots of weight times function times value.

        At knots between grid points the curve is the line between them, outside them its end value.  Coefficients of values of
        size at most one have norm at most one, for the functions are orthonormal under the weights.
        """
        knots = self.carrier.knots
        weighted = (self.mixing * trapezoid(knots)[:, None]).T
        if len(grid) == len(knots) and (grid == knots).all():
            return np.asarray(weighted)
        lines = np.column_stack([np.interp(knots, grid, one) for one in np.eye(len(grid))])
        return np.asarray(weighted @ lines)


def spline_knots(grid: Floats, domain: Interval) -> Floats:
    """Return where the splines have their knots: the grid and the ends of the domain, or equal points for a long grid."""
    ends = [domain.start, domain.end]
    knots = np.unique(np.concatenate([grid, ends]))
    return knots if len(knots) <= MOST_POINTS else np.linspace(domain.start, domain.end, MOST_POINTS)


def trapezoid(points: Floats) -> Floats:
    """Return the weights of the trapezoid rule, of total mass 1."""
    half = np.diff(points) / 2
    weights = np.append(half, 0.0) + np.insert(half, 0, 0.0)
    return np.asarray(weights / weights.sum())


@lru_cache(maxsize=16)
def _bends(knots: tuple[float, ...]) -> Floats:
    """Return the matrix from values on the knots to the second derivatives of the natural spline there.

    With gaps h, the second derivatives m at the inner knots of the spline through x solve R m = Q' x.
    """
    size, solved = len(knots), _roughness(np.array(knots))[1]
    return np.vstack([np.zeros(size), solved, np.zeros(size)])


@lru_cache(maxsize=16)
def _functions(knots: tuple[float, ...]) -> Floats:
    """Return the values on the knots of all functions, computed once a grid; positive at the end of the domain."""
    points = np.array(knots)
    t = (points - points[0]) / (points[-1] - points[0])
    root = np.sqrt(trapezoid(t))
    vectors = np.column_stack([np.ones(len(t)), t])
    if len(t) > 2:
        q, solved = _roughness(t)
        rough = np.linalg.eigh((q @ solved) / np.outer(root, root))[1] / root[:, None]
        vectors = np.column_stack([vectors, rough[:, 2:]])
    found = np.linalg.qr(vectors * root[:, None])[0] / root[:, None]
    return np.asarray(found * np.where(found[-1] < 0, -1.0, 1.0))


def _roughness(t: Floats) -> tuple[Floats, Floats]:
    """Return Q and R^-1 Q', whose product is the matrix of int f''^2 for natural splines through values on t."""
    size, gaps = len(t), np.diff(t)
    q, r = np.zeros((size, size - 2)), np.zeros((size - 2, size - 2))
    inner = np.arange(size - 2)
    q[inner, inner], q[inner + 1, inner] = 1 / gaps[:-1], -1 / gaps[:-1] - 1 / gaps[1:]
    q[inner + 2, inner] = 1 / gaps[1:]
    r[inner, inner] = (gaps[:-1] + gaps[1:]) / 3
    r[inner[1:], inner[:-1]] = r[inner[:-1], inner[1:]] = gaps[1:-1] / 6
    return q, np.asarray(np.linalg.solve(r, q.T))
