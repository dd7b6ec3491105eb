"""A kernel that depends on the distance of two points alone, and what can be made of kernels."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpfda.errors import ParameterError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Kernel(ABC):
    """k(x, y) = profile(|x - y|), positive definite.

    A subclass says what one distance gives; arrays of points, sums, products and scaling are done here.
    """

    @abstractmethod
    def profile(self, distance: Floats) -> Floats:
        """Return k at distances."""

    @property
    @abstractmethod
    def decay(self) -> float:
        """The beta of eigenvalues that fall like j^-beta on an interval; infinite where they fall faster."""

    @property
    @abstractmethod
    def smoothness(self) -> float:
        """How often sample paths can be differentiated (in the mean square); infinite for the Gaussian."""

    @property
    @abstractmethod
    def lengths(self) -> tuple[float, ...]:
        """Every length scale in it, in the units of the domain."""

    @property
    def singular(self) -> bool:
        """Whether the profile is not a smooth function of the distance at zero, so quadrature needs care."""
        return False

    @property
    def radial(self) -> bool:
        """Whether it stays positive definite as a function of the Euclidean distance in two and three dimensions."""
        return True

    @abstractmethod
    def stretched(self, factor: float) -> Kernel:
        """Return the kernel with every length multiplied by a factor: a change of units."""

    @property
    def variance(self) -> float:
        """k(x, x)."""
        return float(self.profile(np.zeros(1))[0])

    def __call__(self, x: Floats, y: Floats) -> Floats:
        """Return k(x, y) for points on a line, broadcast against one another."""
        return self.profile(np.abs(np.asarray(x, float) - np.asarray(y, float)))

    def normalised(self) -> Kernel:
        """Return the kernel scaled to variance 1: its trace is 1 in a measure of total mass 1."""
        return (1.0 / self.variance) * self

    def __add__(self, other: Kernel) -> Kernel:
        return Sum(self, other)

    def __mul__(self, other: Kernel | float) -> Kernel:
        return Product(self, other) if isinstance(other, Kernel) else Scaled(self, float(other))

    def __rmul__(self, factor: float) -> Kernel:
        return Scaled(self, float(factor))


@dataclass(frozen=True)
class SmoothKernel(Kernel):
    """A kernel with smooth paths: its eigenvalues fall faster than any power."""

    @property
    def decay(self) -> float:
        return math.inf

    @property
    def smoothness(self) -> float:
        return math.inf


@dataclass(frozen=True)
class Scaled(Kernel):
    """factor * k."""

    kernel: Kernel
    factor: float

    def __post_init__(self) -> None:
        positive(self.factor, "factor of a kernel")

    def profile(self, distance: Floats) -> Floats:
        return self.factor * self.kernel.profile(distance)

    @property
    def decay(self) -> float:
        return self.kernel.decay

    @property
    def smoothness(self) -> float:
        return self.kernel.smoothness

    @property
    def lengths(self) -> tuple[float, ...]:
        return self.kernel.lengths

    @property
    def singular(self) -> bool:
        return self.kernel.singular

    @property
    def radial(self) -> bool:
        return self.kernel.radial

    def stretched(self, factor: float) -> Kernel:
        return Scaled(self.kernel.stretched(factor), self.factor)


@dataclass(frozen=True)
class Pair(Kernel):
    """Two kernels joined; the rougher one rules decay and smoothness."""

    first: Kernel
    second: Kernel

    @property
    def decay(self) -> float:
        return min(self.first.decay, self.second.decay)

    @property
    def smoothness(self) -> float:
        return min(self.first.smoothness, self.second.smoothness)

    @property
    def lengths(self) -> tuple[float, ...]:
        return self.first.lengths + self.second.lengths

    @property
    def singular(self) -> bool:
        return self.first.singular or self.second.singular

    @property
    def radial(self) -> bool:
        return self.first.radial and self.second.radial


@dataclass(frozen=True)
class Sum(Pair):
    """k1 + k2."""

    def profile(self, distance: Floats) -> Floats:
        return self.first.profile(distance) + self.second.profile(distance)

    def stretched(self, factor: float) -> Kernel:
        return Sum(self.first.stretched(factor), self.second.stretched(factor))


@dataclass(frozen=True)
class Product(Pair):
    """k1 k2, positive definite by Schur's theorem."""

    def profile(self, distance: Floats) -> Floats:
        return self.first.profile(distance) * self.second.profile(distance)

    def stretched(self, factor: float) -> Kernel:
        return Product(self.first.stretched(factor), self.second.stretched(factor))


def positive(value: float, what: str) -> None:
    """Raise an error unless a kernel's number is finite and above zero."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.number)
        or not math.isfinite(value)
        or value <= 0
    ):
        raise ParameterError(f"the {what} must be a finite number above 0, not {value!r}")
