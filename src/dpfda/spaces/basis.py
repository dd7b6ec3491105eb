"""Orthonormal functions on a domain: evaluate them and their derivatives anywhere, project a sampled curve on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpfda.errors import ParameterError
from dpfda.spaces.circle import Circle
from dpfda.spaces.interval import Floats, Interval

#: Gauss-Legendre nodes on each piece between two grid points; exact for products with polynomials of degree 30.
_NODES = 16


@dataclass(frozen=True, eq=False)
class Functions(ABC):
    """`count` functions on an interval."""

    domain: Interval
    count: int

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ParameterError(f"a basis has at least one function, not {self.count}")

    @abstractmethod
    def evaluate(self, points: Floats, order: int = 0) -> Floats:
        """Return the functions, or their derivatives of some order, at points: a row a point, a column a function."""

    def synthesise(self, coefficients: Floats, points: Floats, order: int = 0) -> Floats:
        """Return sum_j coefficients_j phi_j at points, or a derivative of it."""
        return np.asarray(self.evaluate(points, order) @ coefficients)

    @property
    def resolution(self) -> int:
        """How fast the functions can turn: as fast as polynomials or waves of this many."""
        return self.count

    def quadrature(self, breaks: Floats, start: float | None = None, end: float | None = None) -> tuple[Floats, Floats]:
        """Return nodes and masses of a composite Gauss rule from start to end, with panels that end at breaks.

        Panels are as narrow as the functions need: equal ones for waves, and narrower towards the ends of the domain, where
        polynomials turn fastest.
        """
        low = self.domain.start if start is None else start
        high = self.domain.end if end is None else end
        shares = np.linspace(0.0, 1.0, max(16, self.resolution // 4) + 1)
        knots = np.concatenate([shares, (1 - np.cos(np.pi * shares)) / 2])
        knots = self.domain.start + self.domain.length * knots
        knots = np.unique(np.concatenate([knots, breaks, [low, high]]))
        knots = knots[(knots >= low) & (knots <= high)]
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        half = np.diff(knots)[:, None] / 2
        points = np.clip((knots[:-1, None] + half * (1 + nodes)).ravel(), low, high)
        return points, (half * weights).ravel()

    def _unit(self, points: Floats) -> Floats:
        """Return points as shares of the domain, from 0 to 1."""
        where = np.asarray(points, float).ravel()
        self.domain.require(where)
        return (where - self.domain.start) / self.domain.length


@dataclass(frozen=True, eq=False)
class Basis(Functions):
    """The first `count` functions of an orthonormal family, in the measure of total mass 1 on an interval."""

    @abstractmethod
    def truncate(self, count: int) -> Basis:
        """Return the first `count` functions."""

    def projection(self, grid: Floats) -> Floats:
        """Return the matrix from values on a grid to coefficients, a row a function.

        It integrates the broken line through the values, carried on at its end values to the ends of the domain (on a circle:
        closed), against each function.  The coefficients are those of an orthogonal projection, so they have at most the norm of that line.
        """
        points, masses = self.quadrature(grid)
        line, columns = _closed(grid, self.domain)
        hats = np.zeros((len(points), len(grid)))
        left = np.clip(np.searchsorted(line, points, side="right") - 1, 0, len(line) - 2)
        part = np.clip((points - line[left]) / (line[left + 1] - line[left]), 0.0, 1.0)
        rows = np.arange(len(points))
        np.add.at(hats, (rows, columns[left]), 1 - part)
        np.add.at(hats, (rows, columns[left + 1]), part)
        return np.asarray((self.evaluate(points) * (masses / self.domain.length)[:, None]).T @ hats)

    def overlaps(self, other: Basis) -> Floats:
        """Return the inner products <phi_i, other_j> with other functions on the same domain."""
        finer = self if self.resolution >= other.resolution else other
        points, masses = finer.quadrature(np.zeros(0))
        return np.asarray((self.evaluate(points) * (masses / self.domain.length)[:, None]).T @ other.evaluate(points))


def _closed(grid: Floats, domain: Interval) -> tuple[Floats, NDArray[np.int64]]:
    """Return the points of the broken line and the grid columns they take their values from.

    On a circle the line goes on from the last point to the first, one turn later.
    """
    columns = np.arange(len(grid))
    if not isinstance(domain, Circle) or grid[-1] - grid[0] >= domain.length:
        return grid, columns
    line = np.concatenate([[grid[-1] - domain.length], grid, [grid[0] + domain.length]])
    return line, np.concatenate([columns[-1:], columns, columns[:1]])
