"""Influences: the set that holds every difference of a summary between neighbours.

The one question a mechanism asks: how far does this set reach in my norm?  Each set answers with a difference that
attains it (`farthest`), so the reach is exact and an audit has its worst case (docs/proofs/reach.md).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from dpfda.errors import ParameterError
from dpfda.privacy.bodies import Body


@dataclass(frozen=True)
class Influence(ABC):
    """A symmetric convex set of differences in R^dimension."""

    dimension: int

    def __post_init__(self) -> None:
        if self.dimension < 1:
            raise ParameterError(f"a summary has at least one coordinate, not {self.dimension}")

    @abstractmethod
    def farthest(self, body: Body) -> tuple[Fraction, ...]:
        """Return a difference in the set whose norm is the largest."""

    @abstractmethod
    def contains(self, difference: tuple[Fraction, ...]) -> bool:
        """Tell whether a difference lies in the set, exactly."""

    def reach(self, body: Body) -> Fraction:
        """Return D, the largest norm of a difference in the set.  It is attained."""
        return body.norm(self.farthest(body))


@dataclass(frozen=True)
class Box(Influence):
    """Every |d_j| <= half_width: values in a public range.

    The norm of a body of this package depends on |d_j| alone and grows with each, so any corner is farthest:
    D = h sum 1/b_j (cross-polytope), h max 1/b_j (cube).
    """

    half_width: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        _positive(self.half_width, "half width of a box")

    def farthest(self, body: Body) -> tuple[Fraction, ...]:
        return (self.half_width,) * self.dimension

    def contains(self, difference: tuple[Fraction, ...]) -> bool:
        return len(difference) == self.dimension and all(abs(d) <= self.half_width for d in difference)


@dataclass(frozen=True)
class CrossPolytopeBall(Influence):
    """sum |d_j| <= radius: records in an l1 ball.

    A convex function is largest at a vertex, +-radius times a unit vector, and the norm of the j-th is radius / b_j:
    D = r max 1/b_j for every body of this package.
    """

    radius: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        _positive(self.radius, "radius of a cross-polytope")

    def farthest(self, body: Body) -> tuple[Fraction, ...]:
        return _vertex(self.dimension, {_order(body)[0]: self.radius})

    def contains(self, difference: tuple[Fraction, ...]) -> bool:
        return len(difference) == self.dimension and sum(map(abs, difference)) <= self.radius


@dataclass(frozen=True)
class Simplex(Influence):
    """conv{ size (e_a - e_b) }: a record spreads a weight of `size` over cells (histograms, densities).

    The vertices are the pairs; the norm of a pair falls with b_a and b_b, so the two smallest weights are farthest:
    D = size max (1/b_a + 1/b_b) (cross-polytope), size max 1/b_j (cube).  In one dimension nothing can move.
    """

    size: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        _positive(self.size, "size of a simplex")

    def farthest(self, body: Body) -> tuple[Fraction, ...]:
        if self.dimension == 1:
            return (Fraction(0),)
        first, second = _order(body)[:2]
        return _vertex(self.dimension, {first: self.size, second: -self.size})

    def contains(self, difference: tuple[Fraction, ...]) -> bool:
        return len(difference) == self.dimension and sum(difference) == 0 and sum(map(abs, difference)) <= 2 * self.size


def _order(body: Body) -> list[int]:
    """Coordinates by weight, the smallest (the most expensive to hide) first."""
    return sorted(range(body.dimension), key=body.weights.__getitem__)


def _vertex(dimension: int, entries: dict[int, Fraction]) -> tuple[Fraction, ...]:
    return tuple(entries.get(j, Fraction(0)) for j in range(dimension))


def _positive(value: Fraction, what: str) -> None:
    if value <= 0:
        raise ParameterError(f"the {what} must be greater than 0, not {value}")
