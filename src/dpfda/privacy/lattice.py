"""The lattice: what the records' set and the mechanism agree on before any data is seen.

Every record becomes a vector of integers whose norm, the mechanism's own, is at most the integer C, *by enforcement*:
whatever floating-point arithmetic, an eigenpair or a quadrature rule did before, the sum over records can then
move by at most 2C (replace one record) or C (add or remove one), by the triangle inequality alone
(docs/proofs/lattice.md).  Noise of the integer scale t >= sensitivity * ratio makes that private.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpfda.errors import ParameterError
from dpfda.privacy.bodies import Ball, Body, CrossPolytope, Cube
from dpfda.privacy.influence import Influence
from dpfda.privacy.neighbours import Neighbours

#: The integer scale of the noise that a plan aims at: far above what rounding a million records can add up to.
TARGET_SCALE = 1 << 32
#: Most units a record may have, so that int64 holds the sum of a million of them.
MAX_BOUND = 1 << 42


@dataclass(frozen=True)
class Lattice:
    """Steps, the integer bound C and the integer scale t.

    Parameters
    ----------
    body : Body
        The mechanism's norm, with unit weights as it is on the lattice.
    steps : tuple of Fraction
        The real size of one unit of every coordinate, proportional to the body's weights.
    bound : int
        C: no record has a larger norm, the appended count included.
    count_weight : int
        W: the constant appended to every record under add-remove, 0 under replace-one.
    ratio : Fraction
        The noise's scale for a sensitivity of one: 1/epsilon for a pure mechanism, sd/D for the Gaussian.
    neighbours : Neighbours
        The relation.
    shares : bool
        Records are non-negative and sum to exactly C (weighted ones to at most C), instead of having norm at most C.
    pair : int, optional
        The largest difference between two records, where all pairs of them were compared; else it is 2C.
    """

    body: Body
    steps: tuple[Fraction, ...]
    bound: int
    count_weight: int
    ratio: Fraction
    neighbours: Neighbours
    shares: bool = False
    pair: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.bound <= MAX_BOUND:
            raise ParameterError(f"the integer bound of a lattice lies between 1 and 2^42, not {self.bound}")
        if self.room < 0 or self.count_weight < 0:
            raise ParameterError(f"a count weight of {self.count_weight} leaves no room below {self.bound}")
        if self.pair is not None and self.pair < 1:
            raise ParameterError("records that are all alike need no noise, and say nothing")
        if self.shares and len(set(self.steps)) > 1:
            raise ParameterError("shares need equal steps in every coordinate")

    @classmethod
    def plan(cls, records: Influence, body: Body, ratio: Fraction, neighbours: Neighbours) -> Lattice:
        """Return the lattice for records whose reach R in `body` is public.

        step_j = R b_j / (C - room taken by the count), C chosen so that the scale t is near 2^32.
        """
        bound = aimed_bound(ratio, neighbours)
        weight = 0 if neighbours is Neighbours.REPLACE_ONE else count_share(body, bound)
        room = body.room_beside(weight, bound)
        if isinstance(body, CrossPolytope):
            # A multiple of the dimension, so that a corner of a box falls on the lattice and rounding stays inside.
            room = max(room // body.dimension, 1) * body.dimension
            bound = room + weight
        reach = records.reach(body)
        steps = tuple(reach * b / max(room, 1) for b in body.weights)
        return cls(body.plain(), steps, bound, weight, ratio, neighbours)

    @classmethod
    def plan_shares(
        cls, body: type[Body], dimension: int, ratio: Fraction, neighbours: Neighbours, divisor: int = 1
    ) -> Lattice:
        """Return the lattice for records that are shares of one unit over cells; their sum over C counts them.

        C is a multiple of `divisor`, where shares are multiples of its inverse.
        """
        one = neighbours is Neighbours.REPLACE_ONE and issubclass(body, Cube)
        aimed = aimed_bound(ratio, Neighbours.ADD_REMOVE if one else neighbours)
        bound = max(aimed // divisor, 1) * divisor
        return cls(body.unit(dimension), (Fraction(1, bound),) * dimension, bound, 0, ratio, neighbours, shares=True)

    @property
    def dimension(self) -> int:
        """Coordinates of a record, without the count."""
        return len(self.steps)

    @property
    def noisy_dimension(self) -> int:
        """Coordinates that get noise: one more where the count is released."""
        return self.dimension + (self.count_weight > 0)

    @property
    def noisy_body(self) -> Body:
        """The body of everything that gets noise."""
        return self.body.with_count() if self.count_weight else self.body

    @property
    def room(self) -> int:
        """The largest norm the coordinates of a record may have beside the count."""
        return self.body.room_beside(self.count_weight, self.bound)

    @property
    def sensitivity(self) -> int:
        """How far the integer sum can move between neighbours, in the body's norm."""
        if self.neighbours is Neighbours.ADD_REMOVE:
            return self.bound
        if self.pair is not None:
            return self.pair
        if self.shares and isinstance(self.body, Cube):
            return self.bound  # both vectors lie in [0, C]^N
        return 2 * self.bound

    @property
    def scale(self) -> int:
        """Return t, the least integer that is at least sensitivity times ratio."""
        return math.ceil(self.sensitivity * self.ratio)

    def quantise(self, vectors: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the nearest lattice points to rows given in units; what is not finite goes to zero *before* the cast.

        Each coordinate is brought into [-C, C], where those of every admissible record are.
        """
        finite = np.isfinite(vectors).all(axis=1, keepdims=True)
        safe = np.where(finite, vectors, 0.0)
        bound = float(self.bound)
        return np.rint(np.minimum(np.maximum(safe, -bound), bound)).astype(np.int64)

    def enforce(self, integers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows with the norm enforced, each a function of itself alone, and the count appended."""
        if self.shares:
            return self._enforce_shares(integers)
        room = self.room
        near = np.asarray(((integers >= -room) & (integers <= room)).all(axis=1))
        fine = near.copy()
        fine[near] = self.body.within(integers[near], room)
        kept = integers.copy()
        for row in np.flatnonzero(~fine):
            kept[row] = self._shrink([int(q) for q in integers[row]], room)
        if not self.count_weight:
            return kept
        return np.column_stack([kept, np.full(len(kept), self.count_weight, np.int64)])

    def _shrink(self, record: list[int], room: int) -> list[int]:
        """Move a record along its ray into the body, in Python integers: trunc(q (room - slack) / |q|)."""
        norm = self.body.plain_norm(record)
        if norm <= room:  # the quick test was not sure; the exact one is
            return record
        room = max(room - self.body.slack, 0)
        return [(abs(q) * room // norm) * (1 if q >= 0 else -1) for q in record]

    def _enforce_shares(self, integers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Send a row that is not a division of C into non-negative parts to the fixed point (C, 0, ..., 0)."""
        near = np.asarray(((integers >= 0) & (integers <= self.bound)).all(axis=1))
        fine = near.copy()
        fine[near] = integers[near].sum(axis=1) == self.bound
        kept = integers.copy()
        kept[~fine] = 0
        kept[~fine, 0] = self.bound
        return kept


def aimed_bound(ratio: Fraction, neighbours: Neighbours) -> int:
    """Return the C for which the scale t = 2C ratio (replace-one) or C ratio is near 2^32."""
    sides = 2 if neighbours is Neighbours.REPLACE_ONE else 1
    return min(max(int(TARGET_SCALE / ratio) // sides, 1), MAX_BOUND)


def count_share(body: Body, bound: int) -> int:
    """Return W, a public rule for the share of the norm that counts records.

    The cube's norm is a maximum, so W = C is free.  Elsewhere W = w C costs the coordinates room.  With values half way to
    the ends of their range the error of sum/count is least, to first order, where w/(1-w) = (4 N^2)^(-1/3) for a sum of N
    terms (cross-polytope, blocks), and where w^2/(1-w^2) = 1/sqrt(4 N) for the ball.
    """
    n = body.dimension
    if isinstance(body, Cube):
        return bound
    if isinstance(body, Ball):
        ratio = (4.0 * n) ** -0.5
        return max(1, int(bound * math.sqrt(ratio / (1 + ratio))))
    ratio = (4.0 * n**2) ** (-1 / 3)
    return max(1, int(bound * ratio / (1 + ratio)))
