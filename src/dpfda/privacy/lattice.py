"""The lattice: what the records' set and the mechanism agree on before any data is seen.

Every record becomes a vector of integers whose norm, the mechanism's own, is at most the integer C, *by enforcement*:
whatever floating-point arithmetic, an eigenpair or a quadrature rule did before, the sum over records can then
move by at most 2C (replace one record) or C (add or remove one), by the triangle inequality alone
(docs/proofs/lattice.md).  Noise of the integer scale t >= sensitivity / epsilon makes that epsilon-private.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpfda.errors import ParameterError
from dpfda.privacy.bodies import Body, CrossPolytope, Cube
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
    body : type of Body
        The mechanism's norm; on the lattice it has unit weights.
    steps : tuple of Fraction
        The real size of one unit of every coordinate, proportional to the body's weights.
    bound : int
        C: no record has a larger norm, the appended count included.
    count_weight : int
        W: the constant appended to every record under add-remove, 0 under replace-one.
    epsilon : Fraction
        What the noise must give.
    neighbours : Neighbours
        The relation.
    shares : bool
        Records are non-negative and sum to exactly C, instead of having norm at most C.
    """

    body: type[Body]
    steps: tuple[Fraction, ...]
    bound: int
    count_weight: int
    epsilon: Fraction
    neighbours: Neighbours
    shares: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.bound <= MAX_BOUND:
            raise ParameterError(f"the integer bound of a lattice lies between 1 and 2^42, not {self.bound}")
        if self.room < 0 or self.count_weight < 0:
            raise ParameterError(f"a count weight of {self.count_weight} leaves no room below {self.bound}")
        if self.shares and len(set(self.steps)) > 1:
            raise ParameterError("shares need equal steps in every coordinate")

    @classmethod
    def plan(cls, records: Influence, body: Body, epsilon: Fraction, neighbours: Neighbours) -> Lattice:
        """Return the lattice for records that lie in a box or a cross-polytope, whose reach R in `body` is public.

        step_j = R b_j / (C - room taken by the count), C chosen so that t is near 2^32.
        """
        sides = 2 if neighbours is Neighbours.REPLACE_ONE else 1
        bound = min(int(epsilon * TARGET_SCALE) // sides, MAX_BOUND)
        weight = 0 if sides == 2 else _count_weight(type(body), body.dimension, bound)
        room = type(body).room_beside(weight, bound)
        if issubclass(type(body), CrossPolytope):
            # A multiple of the dimension, so that a corner of a box falls on the lattice and rounding stays inside.
            room = max(room // body.dimension, 1) * body.dimension
            bound = room + weight
        reach = records.reach(body)
        steps = tuple(reach * b / room for b in body.weights)
        return cls(type(body), steps, bound, weight, epsilon, neighbours)

    @classmethod
    def plan_shares(cls, body: type[Body], dimension: int, epsilon: Fraction, neighbours: Neighbours) -> Lattice:
        """Return the lattice for records that are shares of one unit over cells; their sum over C counts them."""
        two = neighbours is Neighbours.REPLACE_ONE and not issubclass(body, Cube)
        bound = min(max(int(epsilon * TARGET_SCALE) // (2 if two else 1), 1), MAX_BOUND)
        return cls(body, (Fraction(1, bound),) * dimension, bound, 0, epsilon, neighbours, shares=True)

    @property
    def dimension(self) -> int:
        """Coordinates of a record, without the count."""
        return len(self.steps)

    @property
    def noisy_dimension(self) -> int:
        """Coordinates that get noise: one more where the count is released."""
        return self.dimension + (self.count_weight > 0)

    @property
    def room(self) -> int:
        """The largest norm the coordinates of a record may have beside the count."""
        return self.body.room_beside(self.count_weight, self.bound)

    @property
    def sensitivity(self) -> int:
        """How far the integer sum can move between neighbours, in the body's norm."""
        if self.neighbours is Neighbours.ADD_REMOVE:
            return self.bound
        if self.shares and issubclass(self.body, Cube):
            return self.bound  # both vectors lie in [0, C]^N
        return 2 * self.bound

    @property
    def scale(self) -> int:
        """Return t: the least integer with sensitivity / t <= epsilon."""
        return math.ceil(self.sensitivity / self.epsilon)

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
        """Move a record along its ray into the body, in Python integers: trunc(q room / |q|)."""
        norm = self.body.plain_norm(record)
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


def _count_weight(body: type[Body], dimension: int, bound: int) -> int:
    """Return W, a public rule for the share of the norm that counts records.

    The cube's norm is a maximum, so W = C is free.  For the cross-polytope, W = w C costs the coordinates a factor
    1 - w; with values half way to the ends of their range the error of sum/count is least, to first order, where
    w/(1-w) = (4 dimension^2)^(-1/3).
    """
    if body is not CrossPolytope:
        return bound
    ratio = (4.0 * dimension**2) ** (-1 / 3)
    return max(1, int(bound * ratio / (1 + ratio)))
