"""How released numbers become a function."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from dpfda.errors import ParameterError
from dpfda.spaces.basis import Basis, Functions
from dpfda.spaces.interval import Floats, Interval
from dpfda.spaces.piecewise import Interpolation, PiecewiseQuadratic, through_averages


@dataclass(frozen=True, eq=False)
class View(ABC):
    """A public way from a vector of released numbers to a function on a domain."""

    domain: Interval

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
    def derivative(self, values: Floats, points: Floats, order: int) -> Floats:
        """Return a derivative at points, or raise `ParameterError` where it does not exist under the noise."""

    @abstractmethod
    def integral(self, values: Floats, start: float, end: float) -> float:
        """Return the integral from start to end."""

    @abstractmethod
    def inner(self, values: Floats, other: Callable[[Floats], Floats], breaks: Floats) -> float:
        """Return the inner product with a function in the measure of total mass 1; it may have breaks."""

    @abstractmethod
    def energy(self, sds: Floats) -> float:
        """Return the expected squared norm of the function drawn through uncorrelated noise of these deviations."""

    @property
    @abstractmethod
    def breaks(self) -> Floats:
        """Where the function is not smooth."""


@dataclass(frozen=True, eq=False)
class CellView(View):
    """A function drawn through averages over equal cells."""

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

    def derivative(self, values: Floats, points: Floats, order: int) -> Floats:
        raise ParameterError(
            "a mean over cells has no derivative: its slopes are noise and interpolation; release it in a basis, such as "
            "mechanism='blocks', kernel=dpfda.Matern(2.5, length)"
        )

    def integral(self, values: Floats, start: float, end: float) -> float:
        return self.curve(values).integral(start, end)

    def inner(self, values: Floats, other: Callable[[Floats], Floats], breaks: Floats) -> float:
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

    def derivative(self, values: Floats, points: Floats, order: int) -> Floats:
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

    def integral(self, values: Floats, start: float, end: float) -> float:
        points, masses = self.carrier.quadrature(self.breaks, min(start, end), max(start, end))
        return math.copysign(1.0, end - start) * float(self.evaluate(values, points) @ masses)

    def inner(self, values: Floats, other: Callable[[Floats], Floats], breaks: Floats) -> float:
        points, masses = self.carrier.quadrature(np.union1d(self.breaks, breaks))
        return float((self.evaluate(values, points) * np.asarray(other(points), float)) @ masses) / self.domain.length

    def energy(self, sds: Floats) -> float:
        if isinstance(self.carrier, Basis):
            return float((sds**2).sum())  # the functions are orthonormal
        points, masses = self.carrier.quadrature(self.breaks)
        return float(masses @ self.functions(points) ** 2 @ sds**2) / self.domain.length
