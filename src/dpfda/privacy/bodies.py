r"""Bodies: the norms that K-norm mechanisms measure differences in.

A body K on R^M is given by positive weights b_j; its norm is what the noise density exp(-|z|_K / s) decays with.
Weights are exact fractions, so norms and reaches are exact.  On the lattice the steps are proportional to b, which
makes every body the plain unit body there; `plain_norm` is that norm, of integers, rounded up to one.

| body | norm | noise |
| --- | --- | --- |
| `CrossPolytope` | sum \|z_j\|/b_j | Laplace, ICLP, finite basis |
| `Ball` | sqrt(sum (z_j/b_j)^2) | spherical, Gaussian |
| `Blocks` | sum over blocks of sqrt(sum (z_j/b_j)^2) | blocks of balls |
| `Cube` | max \|z_j\|/b_j | box |
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import ClassVar, Self

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
    def unit(cls, dimension: int) -> Self:
        """Return the body whose weights are all one."""
        return cls((Fraction(1),) * dimension)

    def plain(self) -> Self:
        """Return the same body with weights one: what it is on the lattice."""
        return replace(self, weights=(Fraction(1),) * self.dimension)

    def with_count(self) -> Self:
        """Return the body with one more coordinate, the count, in a block of its own."""
        return replace(self, weights=(*self.weights, Fraction(1)))

    @property
    def dimension(self) -> int:
        """Number of coordinates."""
        return len(self.weights)

    @property
    def slack(self) -> int:
        """How much rounding up may add to the plain norm of a vector that was shrunk: one a rounded term."""
        return 0

    def parts(self) -> list[range] | None:
        """Return the coordinates that share a square root, block by block; None for the cube, which has no sum."""
        return [range(j, j + 1) for j in range(self.dimension)]

    @abstractmethod
    def norm(self, difference: Sequence[Fraction]) -> Fraction:
        """Return |d|_K: exactly where it is rational, to float accuracy where it has square roots."""

    @abstractmethod
    def plain_norm(self, integers: Sequence[int]) -> int:
        """Return the norm with all weights one, in Python integers, which cannot wrap; square roots are rounded up."""

    @abstractmethod
    def within(self, integers: NDArray[np.int64], bound: int) -> NDArray[np.bool_]:
        """Tell for each row, given -bound <= q_j <= bound, that its plain norm is at most `bound`.

        True is always right.  False may be said of a row within rounding of the bound; then `plain_norm` decides.
        """

    @abstractmethod
    def room_beside(self, weight: int, bound: int) -> int:
        """Return the largest plain norm a vector may have so that appending `weight` keeps it within `bound`."""

    def _scaled(self, difference: Sequence[Fraction]) -> list[Fraction]:
        if len(difference) != self.dimension:
            raise ValueError(f"{len(difference)} coordinates for a body of dimension {self.dimension}")
        return [abs(d) / b for d, b in zip(difference, self.weights, strict=True)]


@dataclass(frozen=True)
class CrossPolytope(Body):
    """sum_j |z_j| / b_j: independent Laplace noise of scale proportional to b_j (ICLP, finite basis)."""

    name = "weighted cross-polytope"

    def norm(self, difference: Sequence[Fraction]) -> Fraction:
        return sum(self._scaled(difference), Fraction(0))

    def plain_norm(self, integers: Sequence[int]) -> int:
        return sum(abs(int(q)) for q in integers)

    def within(self, integers: NDArray[np.int64], bound: int) -> NDArray[np.bool_]:
        # Every |q_j| <= bound <= 2^42 here, so a sum over fewer than 2^20 coordinates stays below 2^62.
        return np.asarray(np.abs(integers).sum(axis=1) <= bound)

    def room_beside(self, weight: int, bound: int) -> int:
        return bound - weight


@dataclass(frozen=True)
class Cube(Body):
    """max_j |z_j| / b_j: the box noise of Steinke and Ullman (2017), best for values in a public range."""

    name = "cube"

    def parts(self) -> None:
        return None

    def norm(self, difference: Sequence[Fraction]) -> Fraction:
        return max(self._scaled(difference))

    def plain_norm(self, integers: Sequence[int]) -> int:
        return max(abs(int(q)) for q in integers)

    def within(self, integers: NDArray[np.int64], bound: int) -> NDArray[np.bool_]:
        # Two comparisons, never abs: the absolute value of -2^63 is negative.
        return np.asarray(((integers >= -bound) & (integers <= bound)).all(axis=1))

    def room_beside(self, weight: int, bound: int) -> int:
        return bound if weight <= bound else -1


@dataclass(frozen=True)
class Blocks(Body):
    """sum over blocks g of sqrt(sum_{j in g} (z_j/b_j)^2): between the cross-polytope and the ball.

    Parameters
    ----------
    sizes : tuple of int
        The number of coordinates of each block, in order; they sum to the dimension.
    """

    sizes: tuple[int, ...] = ()

    name = "blocks"

    def __post_init__(self) -> None:
        super().__post_init__()
        if sum(self.sizes) != self.dimension or min(self.sizes, default=0) < 1:
            raise ParameterError(f"blocks of sizes {self.sizes} do not divide {self.dimension} coordinates")

    def with_count(self) -> Self:
        return replace(self, weights=(*self.weights, Fraction(1)), sizes=(*self.sizes, 1))

    @property
    def slack(self) -> int:
        return len(self.sizes)

    def parts(self) -> list[range]:
        ends = list(accumulate(self.sizes))
        return [range(end - size, end) for size, end in zip(self.sizes, ends, strict=True)]

    def norm(self, difference: Sequence[Fraction]) -> Fraction:
        scaled = self._scaled(difference)
        return Fraction(sum(math.sqrt(sum(scaled[j] ** 2 for j in part)) for part in self.parts()))

    def plain_norm(self, integers: Sequence[int]) -> int:
        return sum(_root_up(sum(int(integers[j]) ** 2 for j in part)) for part in self.parts())

    def within(self, integers: NDArray[np.int64], bound: int) -> NDArray[np.bool_]:
        # A sufficient test in float64: |q_j| <= 2^42 is exact there, the squares and sums are off by a relative 2^-40 at
        # the most (fewer than 2^12 coordinates), and rounding up adds one a block.
        roots = np.zeros(len(integers))
        for part in self.parts():
            some = integers[:, part.start : part.stop].astype(np.float64)
            roots += np.sqrt((some * some).sum(axis=1))
        return np.asarray(roots * (1 + 2.0**-38) + len(self.sizes) <= bound)

    def room_beside(self, weight: int, bound: int) -> int:
        return bound - weight


@dataclass(frozen=True)
class Ball(Body):
    """sqrt(sum (z_j/b_j)^2): spherical noise, and Gaussian noise."""

    name = "ball"

    def parts(self) -> list[range]:
        return [range(self.dimension)]

    def norm(self, difference: Sequence[Fraction]) -> Fraction:
        return Fraction(math.sqrt(sum(d * d for d in self._scaled(difference))))

    def plain_norm(self, integers: Sequence[int]) -> int:
        return _root_up(sum(int(q) ** 2 for q in integers))

    def within(self, integers: NDArray[np.int64], bound: int) -> NDArray[np.bool_]:
        some = integers.astype(np.float64)
        return np.asarray((some * some).sum(axis=1) * (1 + 2.0**-38) <= float(bound) * float(bound))

    def room_beside(self, weight: int, bound: int) -> int:
        # Appending W gives sqrt(norm^2 + W^2).
        return math.isqrt(bound * bound - weight * weight) if weight <= bound else -1


def _root_up(square: int) -> int:
    """Return the least integer whose square is at least the given one."""
    return math.isqrt(square - 1) + 1 if square > 0 else 0
