"""Neighbours that lie as far apart as neighbours can."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dpfda.errors import ParameterError
from dpfda.privacy.influence import Influence
from dpfda.privacy.lattice import Lattice
from dpfda.privacy.neighbours import Neighbours


@dataclass(frozen=True)
class Pair:
    """Integer sums of two neighbouring data sets."""

    one: tuple[int, ...]
    other: tuple[int, ...]

    @property
    def difference(self) -> tuple[int, ...]:
        """What a change of one record moves."""
        return tuple(a - b for a, b in zip(self.one, self.other, strict=True))


def worst_pair(records: Influence, lattice: Lattice) -> Pair:
    """Return sums of neighbours whose difference attains the lattice's sensitivity, or comes as near as integers can.

    The record farthest out in the body's norm, rounded to the lattice and enforced like any other, against its opposite
    (replace-one) or against nothing (add-remove); shares: all weight in one cell against all weight in another.
    """
    if lattice.pair is not None:
        raise ParameterError("records of this lattice are rows of a table: take the two rows that lie farthest apart")
    zero = (0,) * lattice.noisy_dimension
    if lattice.shares:
        first = (lattice.bound, *zero[1:])
        second = (0, lattice.bound, *zero[2:]) if lattice.dimension > 1 else first
        return Pair(first, second if lattice.neighbours is Neighbours.REPLACE_ONE else zero)
    body = replace(lattice.body, weights=lattice.steps)
    corner = records.farthest(body)
    units = [round(u / step) for u, step in zip(corner, lattice.steps, strict=True)]
    room = lattice.room
    norm = lattice.body.plain_norm(units)
    if norm > room:
        units = [(abs(u) * max(room - lattice.body.slack, 0) // norm) * (1 if u >= 0 else -1) for u in units]
    if lattice.neighbours is Neighbours.ADD_REMOVE:
        count = (lattice.count_weight,) if lattice.count_weight else ()
        return Pair((*units, *count), zero)
    return Pair(tuple(units), tuple(-u for u in units))


def attained(pair: Pair, lattice: Lattice) -> int:
    """Return the plain norm of the pair's difference: at most `lattice.sensitivity`."""
    return lattice.noisy_body.plain_norm(pair.difference)


__all__ = ["Pair", "attained", "worst_pair"]
