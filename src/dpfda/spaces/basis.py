"""Orthonormal functions on a domain: evaluate them and their derivatives anywhere, project a sampled curve on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from dpfda.errors import ParameterError
from dpfda.spaces.interval import Floats, Interval

#: Gauss-Legendre nodes on each piece between two grid points; exact for products with polynomials of degree 30.
_NODES = 16


@dataclass(frozen=True, eq=False)
class Basis(ABC):
    """The first `count` functions of an orthonormal family, in the measure of total mass 1 on an interval."""

    domain: Interval
    count: int

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ParameterError(f"a basis has at least one function, not {self.count}")

    @abstractmethod
    def evaluate(self, points: Floats, order: int = 0) -> Floats:
        """Return the functions, or their derivatives of some order, at points: a row a point, a column a function."""

    @abstractmethod
    def truncate(self, count: int) -> Basis:
        """Return the first `count` functions."""

    def synthesise(self, coefficients: Floats, points: Floats, order: int = 0) -> Floats:
        """Return sum_j coefficients_j phi_j at points, or a derivative of it."""
        return np.asarray(self.evaluate(points, order) @ coefficients)

    def projection(self, grid: Floats) -> Floats:
        """Return the matrix from values on a grid to coefficients, a row a function.

        It integrates the broken line through the values, carried on at its end values to the ends of the domain, against
        each function.  The coefficients are those of an orthogonal projection, so they have at most the norm of that line.
        """
        start, end = self.domain.start, self.domain.end
        knots = np.unique(np.concatenate([[start], grid, [end]]))
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        half = np.diff(knots)[:, None] / 2
        points = (knots[:-1, None] + half * (1 + nodes)).ravel()
        masses = (half * weights).ravel() / self.domain.length
        hats = np.zeros((len(points), len(grid)))
        left = np.clip(np.searchsorted(grid, points, side="right") - 1, 0, len(grid) - 2)
        part = np.clip((points - grid[left]) / (grid[left + 1] - grid[left]), 0.0, 1.0)
        rows = np.arange(len(points))
        hats[rows, left] = 1 - part
        hats[rows, left + 1] += part
        return np.asarray((self.evaluate(points) * masses[:, None]).T @ hats)

    def _unit(self, points: Floats) -> Floats:
        """Return points as shares of the domain, from 0 to 1."""
        where = np.asarray(points, float).ravel()
        self.domain.require(where)
        return (where - self.domain.start) / self.domain.length
