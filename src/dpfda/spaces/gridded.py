"""Functions on a box drawn through values at the middles of equal cells: multilinear, with exact integrals.

Between neighbouring middles the function is linear along each axis; beyond the last ones of an interval it is constant, around
a circle it goes on.  So its integral is the mean of the values times the volume, and where the values are non-negative it is a
mixture of triangular densities: probabilities, quantiles and samples are exact, and its largest value is one of the values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpfda.errors import ParameterError
from dpfda.spaces.circle import Circle
from dpfda.spaces.interval import Floats, Interval
from dpfda.spaces.nodes import midpoints


@dataclass(frozen=True, eq=False)
class GridFunction:
    """f(x) = sum_i values_i prod_axes hat_i(x).

    Parameters
    ----------
    axes : tuple of Interval
        The box.
    values : array (G, ..., G)
        At the middles of the cells, one dimension an axis.
    """

    axes: tuple[Interval, ...]
    values: Floats = field(repr=False)

    @property
    def size(self) -> int:
        """G."""
        return int(self.values.shape[0])

    @property
    def volume(self) -> float:
        """Of the box."""
        return float(np.prod([axis.length for axis in self.axes]))

    @property
    def mass(self) -> float:
        """The integral over the box."""
        return float(self.values.mean()) * self.volume

    def places(self, axis: int) -> Floats:
        """Return where the values sit along an axis."""
        domain = self.axes[axis]
        return domain.start + domain.length * midpoints(self.size)

    def __call__(self, points: Floats) -> Floats:
        """Return the values at points of the box, a row a point."""
        left, part = [], []
        for axis, domain in enumerate(self.axes):
            domain.require(points[:, axis])
            place = (points[:, axis] - domain.start) / domain.length * self.size - 0.5
            place = place if isinstance(domain, Circle) else np.clip(place, 0.0, self.size - 1.0)
            left.append(np.floor(place).astype(np.int64))
            part.append(place - left[-1])
        total = np.zeros(len(points))
        for corner in product((0, 1), repeat=len(self.axes)):
            index = tuple(self._neighbour(left[axis], step, axis) for axis, step in enumerate(corner))
            weights = [part[axis] if step else 1 - part[axis] for axis, step in enumerate(corner)]
            total += np.prod(weights, axis=0) * self.values[index]
        return total

    def _neighbour(self, left: NDArray[np.int64], step: int, axis: int) -> NDArray[np.int64]:
        if isinstance(self.axes[axis], Circle):
            return (left + step) % self.size
        return np.minimum(left + step, self.size - 1)

    def integral(self, ends: Sequence[tuple[float, float]]) -> float:
        """Return the exact integral over a box inside, given by its ends along every axis."""
        total = self.values
        for axis, (low, high) in reversed(list(enumerate(ends))):
            total = total @ (self._primitives(high, axis) - self._primitives(low, axis))
        return float(total)

    def _primitives(self, end: float, axis: int) -> Floats:
        """Return the integrals of every hat of an axis from its start to a point."""
        domain = self.axes[axis]
        domain.require(np.array([end]))
        u = (end - domain.start) / domain.length * self.size - 0.5 - np.arange(self.size)
        found = _triangle(u) - _triangle(-0.5 - np.arange(self.size))
        if isinstance(domain, Circle):
            found[0] += _triangle(u[0] - self.size) - _triangle(-0.5 - self.size)
            found[-1] += _triangle(u[-1] + self.size) - _triangle(0.5)
        else:
            # What of the end hats lies outside is reflected: that makes them constant beyond the last middles.
            mirrored = (u[0] + 1, -u[-1] + 1)
            found[0] += _triangle(mirrored[0]) - _triangle(0.5)
            found[-1] += _triangle(self.size + 0.5) - _triangle(mirrored[1])
        return np.asarray(found * domain.length / self.size)

    @cached_property
    def _line(self) -> tuple[Floats, Floats, Floats]:
        """Knots, values there and running integrals, on one axis."""
        if len(self.axes) != 1:
            raise ParameterError("a distribution function needs one axis: take a marginal first")
        domain, v = self.axes[0], self.values
        ends = ((v[0] + v[-1]) / 2,) * 2 if isinstance(domain, Circle) else (v[0], v[-1])
        knots = np.concatenate([[domain.start], self.places(0), [domain.end]])
        heights = np.concatenate([ends[:1], v, ends[1:]])
        running = np.concatenate([[0.0], np.cumsum(np.diff(knots) * (heights[1:] + heights[:-1]) / 2)])
        return knots, heights, running

    def cdf(self, points: Floats) -> Floats:
        """Return the share of the mass up to points, on one axis."""
        knots, heights, running = self._line
        self.axes[0].require(points)
        piece = np.clip(np.searchsorted(knots, points, side="right") - 1, 0, len(knots) - 2)
        s = points - knots[piece]
        slope = (heights[piece + 1] - heights[piece]) / (knots[piece + 1] - knots[piece])
        share = (running[piece] + s * (heights[piece] + slope * s / 2)) / running[-1]
        return np.asarray(np.clip(share, 0.0, 1.0))

    def quantile(self, shares: Floats) -> Floats:
        """Return the points below which shares of the mass lie, on one axis; the values must not be negative."""
        knots, heights, running = self._line
        wanted = shares * running[-1]
        piece = np.clip(np.searchsorted(running, wanted, side="right") - 1, 0, len(knots) - 2)
        rest, a = wanted - running[piece], heights[piece]
        half = (heights[piece + 1] - a) / (knots[piece + 1] - knots[piece]) / 2
        # The root of a s + half s^2 = rest that does not cancel.
        root = np.sqrt(np.maximum(a * a + 4 * half * rest, 0.0))
        s = 2 * rest / np.maximum(a + root, 1e-300)
        return np.asarray(np.clip(knots[piece] + s, knots[piece], knots[piece + 1]))

    def positive(self) -> GridFunction:
        """Return the nearest function in L2 that is not negative and has mass one."""
        wanted = self.values * self.volume
        down = np.sort(wanted, axis=None)[::-1]
        level = (np.cumsum(down) - down.size) / np.arange(1, down.size + 1)
        cut = level[np.flatnonzero(down > level)[-1]]
        return GridFunction(self.axes, np.maximum(wanted - cut, 0.0) / self.volume)

    def scaled(self) -> GridFunction:
        """Return the function cut at zero and divided by its mass."""
        kept = np.maximum(self.values, 0.0)
        if not kept.any():
            return GridFunction(self.axes, np.full_like(kept, 1 / self.volume))
        return GridFunction(self.axes, kept / (kept.mean() * self.volume))

    def mode(self) -> Floats:
        """Return where the function is largest: it is so at one of its values."""
        index = np.unravel_index(int(self.values.argmax()), self.values.shape)
        return np.array([self.places(axis)[i] for axis, i in enumerate(index)])

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """Return points drawn from the density, a row each: a cell's middle, then a triangular step along every axis."""
        shares = self.values.ravel() / self.values.sum()
        per_cell = rng.multinomial(count, shares)
        index = np.unravel_index(np.repeat(np.arange(shares.size), per_cell), self.values.shape)
        points = np.empty((count, len(self.axes)))
        for axis, domain in enumerate(self.axes):
            place = (index[axis] + rng.triangular(-0.5, 0.5, 1.5, count)) / self.size
            if isinstance(domain, Circle):
                place = place % 1.0
            else:
                place = np.abs(place)
                place = np.where(place > 1, 2 - place, place)
            points[:, axis] = np.clip(domain.start + domain.length * place, domain.start, domain.end)
        return rng.permutation(points, axis=0)

    def marginal(self, axes: Sequence[int]) -> GridFunction:
        """Return the integral over all other axes."""
        others = tuple(axis for axis in range(len(self.axes)) if axis not in axes)
        length = float(np.prod([self.axes[axis].length for axis in others]))
        values = np.asarray(self.values.mean(axis=others) * length)
        kept = [axis for axis in range(len(self.axes)) if axis in axes]
        return GridFunction(tuple(self.axes[a] for a in axes), values.transpose([kept.index(axis) for axis in axes]))

    def at(self, given: Mapping[int, float]) -> GridFunction:
        """Return the function of the other axes at given points of some."""
        values = self.values
        for axis in sorted(given, reverse=True):
            one = GridFunction((self.axes[axis],), np.zeros(self.size))
            weights = np.array([GridFunction(one.axes, row)(np.array([[given[axis]]]))[0] for row in np.eye(self.size)])
            values = np.tensordot(values, weights, axes=(axis, 0))
        return GridFunction(tuple(a for k, a in enumerate(self.axes) if k not in given), values)


def _triangle(u: NDArray[Any] | float) -> Floats:
    """Return the integral from minus infinity to u of max(0, 1 - |u|)."""
    inside = np.clip(u, -1.0, 1.0)
    return np.asarray(np.where(inside < 0, (1 + inside) ** 2 / 2, 1 - (1 - inside) ** 2 / 2))
