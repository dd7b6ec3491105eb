"""Piecewise quadratic functions, and the two that are drawn through cell averages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dpfda.spaces.interval import Floats, Interval

Interpolation = Literal["line", "spline"]

#: From this many cells on the average-preserving spline errs less than the line between centres (docs/concepts.md).
SPLINE_FROM = 9


@dataclass(frozen=True)
class PiecewiseQuadratic:
    """f(t) = c0 + c1 s + c2 s^2 with s = t - breaks[k] on the k-th piece; quadrature-free integrals."""

    breaks: Floats
    coefficients: Floats

    @property
    def domain(self) -> Interval:
        """Where the function lives."""
        return Interval(float(self.breaks[0]), float(self.breaks[-1]))

    def __call__(self, points: Floats) -> Floats:
        """Return the values at points of the domain."""
        piece = np.clip(np.searchsorted(self.breaks, points, side="right") - 1, 0, len(self.coefficients) - 1)
        c, s = self.coefficients[piece], points - self.breaks[piece]
        return np.asarray(c[..., 0] + s * (c[..., 1] + s * c[..., 2]))

    def integral(self, start: float, end: float) -> float:
        """Return the exact integral from start to end; reversed ends change its sign."""
        return self._primitive(end) - self._primitive(start)

    def inner(self, other: Callable[[Floats], Floats], extra_breaks: Floats | None = None) -> float:
        """Return the integral of f times another function, over the length of the domain.

        Gauss-Legendre with 16 nodes on each quarter of a piece: exact for polynomials up to degree 29 on it.  Breaks of
        the other function are added to this one's.
        """
        knots = self.breaks if extra_breaks is None else np.union1d(self.breaks, extra_breaks)
        knots = knots[(knots >= self.breaks[0]) & (knots <= self.breaks[-1])]
        fine = np.unique(np.concatenate([knots[:-1] + np.diff(knots) * q / 4 for q in range(4)] + [knots[-1:]]))
        nodes, weights = np.polynomial.legendre.leggauss(16)
        half = np.diff(fine) / 2
        points = (fine[:-1] + half)[:, None] + half[:, None] * nodes
        products = self(points) * np.asarray(other(points.ravel()), float).reshape(points.shape)
        return float((products @ weights) @ half) / self.domain.length

    def _primitive(self, point: float) -> float:
        c, widths = self.coefficients, np.diff(self.breaks)
        whole = widths * (c[:, 0] + widths * (c[:, 1] / 2 + widths * c[:, 2] / 3))
        k = int(np.clip(np.searchsorted(self.breaks, point, side="right") - 1, 0, len(c) - 1))
        s = point - self.breaks[k]
        return float(whole[:k].sum() + s * (c[k, 0] + s * (c[k, 1] / 2 + s * c[k, 2] / 3)))


def rule(cells: int) -> Interpolation:
    """Return the public rule's choice: a line for few cells, where noise rules, a spline for many."""
    return "spline" if cells >= SPLINE_FROM else "line"


def through_averages(edges: Floats, averages: Floats, kind: Interpolation) -> PiecewiseQuadratic:
    """Return the function drawn through averages over equal cells."""
    if len(averages) == 1:
        return PiecewiseQuadratic(edges, np.array([[averages[0], 0.0, 0.0]]))
    return (_spline if kind == "spline" else _line)(edges, averages)


def _line(edges: Floats, averages: Floats) -> PiecewiseQuadratic:
    """Join the centres of the cells by lines; the first and the last value are carried to the ends."""
    centres = (edges[1:] + edges[:-1]) / 2
    slopes = np.diff(averages) / np.diff(centres)
    breaks = np.concatenate([edges[:1], centres, edges[-1:]])
    starts = np.concatenate([averages[:1], averages])
    slopes = np.concatenate([[0.0], slopes, [0.0]])
    return PiecewiseQuadratic(breaks, np.column_stack([starts, slopes, np.zeros_like(starts)]))


def _spline(edges: Floats, averages: Floats) -> PiecewiseQuadratic:
    """Return the derivative of the natural cubic spline through the running integral.

    It is smooth, has slope zero at both ends, and its average over each cell is the given one.  The slopes at the
    inner edges solve (h/6)(m_{k-1} + 4 m_k + m_{k+1}) = averages[k] - averages[k-1].
    """
    h = (edges[-1] - edges[0]) / len(averages)
    inner = len(averages) - 1
    matrix = 4 * np.eye(inner) + np.eye(inner, k=1) + np.eye(inner, k=-1)
    slopes = np.zeros(len(edges))
    slopes[1:-1] = np.linalg.solve(matrix, 6 * np.diff(averages) / h)
    starts = averages - h * (2 * slopes[:-1] + slopes[1:]) / 6
    return PiecewiseQuadratic(edges, np.column_stack([starts, slopes[:-1], np.diff(slopes) / (2 * h)]))
