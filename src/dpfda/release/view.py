"""How released numbers become a function."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpfda.errors import ParameterError
from dpfda.spaces.basis import Basis, Functions
from dpfda.spaces.box import Box
from dpfda.spaces.interval import Floats, Interval
from dpfda.spaces.piecewise import Interpolation, PiecewiseQuadratic, through_averages


@dataclass(frozen=True, eq=False)
class View(ABC):
    """A public way from a vector of released numbers to a function on a domain."""

    domain: Interval | Box

    @property
    def noun(self) -> str:
        """What the function is: a curve, a surface, a volume."""
        return "curve"

    def locate(self, points: tuple[Any, ...]) -> Floats:
        """Return the points a caller gave as one array, every one of them in the domain."""
        if len(points) != 1:
            raise ParameterError(f"a curve is asked at one number or array, not at {len(points)} of them")
        where = numbers(points[0], "points")
        self.domain.require(where)
        return where

    def order_of(self, order: Any) -> Any:
        """Return the order of a derivative, checked."""
        if isinstance(order, bool) or not isinstance(order, int) or order < 1:
            raise ParameterError(f"order must be a whole number from 1, not {order!r}")
        return order

    def called(self, function: Callable[..., Any]) -> Callable[[Floats], Floats]:
        """Return a caller's function as one of arrays of points."""
        return lambda t: np.broadcast_to(np.asarray(function(t), dtype=np.float64), t.shape)

    def place(self, given: Any, name: str) -> Any:
        """Return one point of the domain, an end of an integral."""
        return float(numbers(given, name))

    @abstractmethod
    def evaluate(self, values: Floats, points: Floats) -> Floats:
        """Return the function at points of the domain."""

    def shrink(self, raw: Floats) -> Floats:
        """Return the numbers the function is drawn through: the released ones, unless the estimator shrinks them first."""
        return raw

    @abstractmethod
    def functions(self, points: Floats) -> Floats:
        """Return how each released number moves the function at points: a row a point, a column a number."""

    @abstractmethod
    def derivative(self, values: Floats, points: Floats, order: Any) -> Floats:
        """Return a derivative at points, or raise `ParameterError` where it does not exist under the noise."""

    @abstractmethod
    def integral(self, values: Floats, start: Any, end: Any) -> float:
        """Return the integral from start to end."""

    @abstractmethod
    def inner(self, values: Floats, other: Callable[[Floats], Floats], breaks: Any) -> float:
        """Return the inner product with a function in the measure of total mass 1; it may have breaks."""

    @abstractmethod
    def energy(self, sds: Floats) -> float:
        """Return the expected squared norm of the function drawn through uncorrelated noise of these deviations."""

    @property
    @abstractmethod
    def breaks(self) -> Any:
        """Where the function is not smooth: points, or an array of them for every axis of a box."""


def numbers(points: object, name: str) -> Floats:
    """Return what a caller gave as an array of numbers."""
    try:
        given = np.asarray(points)
        if given.dtype.kind not in "iuf" and given.size:
            raise TypeError
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        text = repr(points)
        raise ParameterError(f"{name} must be a number or an array of numbers, not {text[:60]}") from None


@dataclass(frozen=True, eq=False)
class CellView(View):
    """A function drawn through averages over equal cells."""

    domain: Interval
    cells: int
    interpolation: Interpolation

    def curve(self, values: Floats) -> PiecewiseQuadratic:
        """Return the pieces."""
        return through_averages(self.edges, values, self.interpolation)

    @property
    def edges(self) -> Floats:
        """Ends of the cells."""
        return self.domain.edges(self.cells)

    @property
    def breaks(self) -> Floats:
        return self.curve(np.zeros(self.cells)).breaks

    def evaluate(self, values: Floats, points: Floats) -> Floats:
        return self.curve(values)(points)

    def functions(self, points: Floats) -> Floats:
        return np.column_stack([self.curve(one)(points) for one in np.eye(self.cells)])

    def derivative(self, values: Floats, points: Floats, order: Any) -> Floats:
        raise ParameterError(
            "a mean over cells has no derivative: its slopes are noise and interpolation; release it in a basis, such as "
            "mechanism='blocks', kernel=dpfda.Matern(2.5, length)"
        )

    def integral(self, values: Floats, start: Any, end: Any) -> float:
        return self.curve(values).integral(start, end)

    def inner(self, values: Floats, other: Callable[[Floats], Floats], breaks: Any) -> float:
        return self.curve(values).inner(other, breaks)

    def energy(self, sds: Floats) -> float:
        ones = (self.curve(one) for one in np.eye(self.cells))
        return float(sum(sd**2 * one.inner(one) for sd, one in zip(sds, ones, strict=True)))


@dataclass(frozen=True, eq=False)
class BasisView(View):
    """centre + sum_j values_j phi_j, the phi_j given by coefficients in a carrier of closed form.

    Parameters
    ----------
    carrier : Functions
        Legendre, cosine or Fourier functions, or natural splines.
    mixing : array (carrier.count, M)
        The functions phi_j.
    centre_grid, centre : arrays
        The public function that was subtracted, a broken line.
    derivatives : int
        How often the function may be differentiated: a higher derivative's noise would grow with every further term.
    thresholds : array (M,) or empty
        What the absolute penalty takes off the size of every coefficient; after the noise, so it is free.
    """

    domain: Interval
    carrier: Functions
    mixing: Floats = field(repr=False)
    centre_grid: Floats = field(repr=False)
    centre: Floats = field(repr=False)
    derivatives: int
    thresholds: Floats = field(default_factory=lambda: np.zeros(0), repr=False)

    @property
    def breaks(self) -> Floats:
        return self.centre_grid

    def shrink(self, raw: Floats) -> Floats:
        if not self.thresholds.size:
            return raw
        return np.asarray(np.sign(raw) * np.maximum(np.abs(raw) - self.thresholds, 0.0))

    def functions(self, points: Floats, order: int = 0) -> Floats:
        return np.asarray(self.carrier.evaluate(points, order) @ self.mixing)

    def evaluate(self, values: Floats, points: Floats) -> Floats:
        flat = points.ravel()
        middle = np.interp(flat, self.centre_grid, self.centre)
        return np.asarray((middle + self.functions(flat) @ values).reshape(points.shape))

    def derivative(self, values: Floats, points: Floats, order: Any) -> Floats:
        if order > self.derivatives:
            raise ParameterError(
                f"the derivative of order {order} does not exist under this noise: "
                f"{'no derivative does' if self.derivatives == 0 else f'{self.derivatives} do'}; a smoother kernel, a larger eta "
                "or noise='matched' gives more"
            )
        if np.ptp(self.centre) > 0:
            raise ParameterError(
                "the centre is a broken line, which has no derivative: release around a constant centre"
            )
        flat = points.ravel()
        return np.asarray((self.functions(flat, order) @ values).reshape(points.shape))

    def integral(self, values: Floats, start: Any, end: Any) -> float:
        points, masses = self.carrier.quadrature(self.breaks, min(start, end), max(start, end))
        return math.copysign(1.0, end - start) * float(self.evaluate(values, points) @ masses)

    def inner(self, values: Floats, other: Callable[[Floats], Floats], breaks: Any) -> float:
        points, masses = self.carrier.quadrature(np.union1d(self.breaks, breaks))
        return float((self.evaluate(values, points) * np.asarray(other(points), float)) @ masses) / self.domain.length

    def energy(self, sds: Floats) -> float:
        if isinstance(self.carrier, Basis):
            return float((sds**2).sum())  # the functions are orthonormal
        points, masses = self.carrier.quadrature(self.breaks)
        return float(masses @ self.functions(points) ** 2 @ sds**2) / self.domain.length
