"""Influences: the set that holds every difference of a summary between neighbours.

The one question a mechanism asks: how far does this set reach in my norm?  Each set answers with a difference that
attains it (`farthest`), so the reach is exact and an audit has its worst case (docs/proofs/reach.md).
"""

from __future__ import annotations

import math
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
    """sum |d_j|/a_j <= radius: records in an l1 ball, with the axes a of the synthesis (1 by default).

    A convex function is largest at a vertex, +-radius a_j times a unit vector, and the norm of that is radius a_j/b_j:
    D = r max a_j/b_j for every body of this package.
    """

    radius: Fraction
    axes: tuple[Fraction, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        _positive(self.radius, "radius of a cross-polytope")
        object.__setattr__(self, "axes", _axes(self.axes, self.dimension))

    def farthest(self, body: Body) -> tuple[Fraction, ...]:
        best = max(range(self.dimension), key=lambda j: self.axes[j] / body.weights[j])
        return _vertex(self.dimension, {best: self.radius * self.axes[best]})

    def contains(self, difference: tuple[Fraction, ...]) -> bool:
        scaled = (abs(d) / a for d, a in zip(difference, self.axes, strict=True))
        return sum(scaled, Fraction(0)) <= self.radius


@dataclass(frozen=True)
class Ellipsoid(Influence):
    """sum (d_j/a_j)^2 <= radius^2: records in an l2 ball, then theta_j = a_j u_j in an orthonormal basis.

    The norm of a body of blocks is sum_g sqrt(sum_{j in g} (a_j/b_j)^2 v_j^2) with |v|_2 <= radius.  Inside a block all of v
    belongs to the largest a_j/b_j, called m_g, and between blocks to v_g in proportion to m_g (Cauchy and Schwarz):
    D = r sqrt(sum_g m_g^2).  Blocks of one give the cross-polytope's r sqrt(sum a_j^2/b_j^2), one block the ball's
    r max a_j/b_j, and so does the cube.
    """

    radius: Fraction
    axes: tuple[Fraction, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        _positive(self.radius, "radius of an ellipsoid")
        object.__setattr__(self, "axes", _axes(self.axes, self.dimension))

    def farthest(self, body: Body) -> tuple[Fraction, ...]:
        ratios = [a / b for a, b in zip(self.axes, body.weights, strict=True)]
        parts = body.parts() or [range(self.dimension)]
        best = [max(part, key=ratios.__getitem__) for part in parts]
        # Rounded towards zero, so that what is returned lies in the set.
        length = Fraction(math.sqrt(sum(ratios[j] ** 2 for j in best))) * (1 + Fraction(1, 1 << 50))
        return _vertex(self.dimension, {j: self.radius * self.axes[j] * ratios[j] / length for j in best})

    def contains(self, difference: tuple[Fraction, ...]) -> bool:
        scaled = ((d / a) ** 2 for d, a in zip(difference, self.axes, strict=True))
        return sum(scaled, Fraction(0)) <= self.radius**2


@dataclass(frozen=True)
class Simplex(Influence):
    """conv{ size (e_a - e_b) }: a record spreads a weight of `size` over cells (histograms, densities).

    The vertices are the pairs; the norm of a pair falls with b_a and b_b: D = size max (1/b_a + 1/b_b) between blocks (so
    everywhere for the cross-polytope), size max sqrt(b_a^-2 + b_b^-2) inside one, size max 1/b_j for the cube.  In one
    dimension nothing can move.
    """

    size: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        _positive(self.size, "size of a simplex")

    def farthest(self, body: Body) -> tuple[Fraction, ...]:
        if self.dimension == 1:
            return (Fraction(0),)
        # The cheapest coordinate of each block, and the second of its block: the worst pair is among them.
        parts = body.parts() or [range(self.dimension)]
        near = [sorted(part, key=body.weights.__getitem__)[:2] for part in parts]
        firsts = sorted((part[0] for part in near), key=body.weights.__getitem__)[:2]
        pairs = [tuple(part) for part in near if len(part) == 2] + ([tuple(firsts)] if len(firsts) == 2 else [])
        vertices = [_vertex(self.dimension, {a: self.size, b: -self.size}) for a, b in pairs]
        return max(vertices, key=body.norm)

    def contains(self, difference: tuple[Fraction, ...]) -> bool:
        return len(difference) == self.dimension and sum(difference) == 0 and sum(map(abs, difference)) <= 2 * self.size


def _axes(axes: tuple[Fraction, ...], dimension: int) -> tuple[Fraction, ...]:
    """Return the axes, one for every coordinate."""
    axes = axes or (Fraction(1),) * dimension
    if len(axes) != dimension or any(a <= 0 for a in axes):
        raise ParameterError(f"a set in {dimension} dimensions needs as many axes, all greater than 0")
    return axes


def _vertex(dimension: int, entries: dict[int, Fraction]) -> tuple[Fraction, ...]:
    return tuple(entries.get(j, Fraction(0)) for j in range(dimension))


def _positive(value: Fraction, what: str) -> None:
    if value <= 0:
        raise ParameterError(f"the {what} must be greater than 0, not {value}")
