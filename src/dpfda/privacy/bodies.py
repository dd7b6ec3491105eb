"""Bodies: the norms that K-norm mechanisms measure differences in.

A body K on R^M is given by positive weights b_j; its norm is what the noise density exp(-|z|_K / s) decays with.
Weights are exact fractions, so norms and reaches are exact.  On the lattice the steps are proportional to b, which
makes every body the plain unit body there; `plain_norm` is that norm, of integers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dpfda.errors import ParameterError


@dataclass(frozen=True)
class Body(ABC):
    """A norm |z|_K with weights b: what one lattice step of every coordinate is proportional to."""

    weights: tuple[Fraction, ...]

    name: ClassVar[str]

    def __post_init__(self) -> None:
        if not self.weights or any(b <= 0 for b in self.weights):
            raise ParameterError("the weights of a body are positive, at least one")

    @classmethod
    def unit(cls, dimension: int) -> Body:
        """Return the body whose weights are all one."""
        return cls((Fraction(1),) * dimension)

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return len(self.weights)

    @abstractmethod
    def norm(self, difference: Sequence[Fraction]) -> Fraction:
        """Return |d|_K exactly."""

    @staticmethod
    @abstractmethod
    def plain_norm(integers: Sequence[int]) -> int:
        """Return the norm with all weights one, in Python integers, which cannot wrap."""

    @staticmethod
    @abstractmethod
    def within(integers: NDArray[np.int64], bound: int) -> NDArray[np.bool_]:
        """Tell for each row whether its plain norm is at most `bound`, given -bound <= q_j <= bound already."""

    @staticmethod
    @abstractmethod
    def room_beside(weight: int, bound: int) -> int:
        """Return the largest plain norm a vector may have so that appending `weight` keeps it within `bound`."""

    def _scaled(self, difference: Sequence[Fraction]) -> Iterator[Fraction]:
        if len(difference) != self.dimension:
            raise ValueError(f"{len(difference)} coordinates for a body of dimension {self.dimension}")
        return (abs(d) / b for d, b in zip(difference, self.weights, strict=True))


@dataclass(frozen=True)
class CrossPolytope(Body):
    """sum_j |z_j| / b_j: independent Laplace noise of scale proportional to b_j (theory: ICLP, finite basis)."""

    name = "weighted cross-polytope"

    def norm(self, difference: Sequence[Fraction]) -> Fraction:
        return sum(self._scaled(difference), Fraction(0))

    @staticmethod
    def plain_norm(integers: Sequence[int]) -> int:
        return sum(abs(int(q)) for q in integers)

    @staticmethod
    def within(integers: NDArray[np.int64], bound: int) -> NDArray[np.bool_]:
        # Every |q_j| <= bound <= 2^42 here, so a sum over fewer than 2^20 coordinates stays below 2^62.
        inside: NDArray[np.bool_] = np.abs(integers).sum(axis=1) <= bound
        return inside

    @staticmethod
    def room_beside(weight: int, bound: int) -> int:
        return bound - weight


@dataclass(frozen=True)
class Cube(Body):
    """max_j |z_j| / b_j: the box noise of Steinke and Ullman (2017), best for values in a public range."""

    name = "cube"

    def norm(self, difference: Sequence[Fraction]) -> Fraction:
        return max(self._scaled(difference))

    @staticmethod
    def plain_norm(integers: Sequence[int]) -> int:
        return max(abs(int(q)) for q in integers)

    @staticmethod
    def within(integers: NDArray[np.int64], bound: int) -> NDArray[np.bool_]:
        # Two comparisons, never abs: the absolute value of -2^63 is negative.
        return np.asarray(((integers >= -bound) & (integers <= bound)).all(axis=1))

    @staticmethod
    def room_beside(weight: int, bound: int) -> int:
        return bound if weight <= bound else -1
