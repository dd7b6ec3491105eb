"""A summary, its records and its tally."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpfda.privacy.influence import Influence
from dpfda.privacy.lattice import Lattice
from dpfda.spaces.interval import Floats
from dpfda.summaries.units import People

#: Rows mapped at once, and values in them: the integer products of this many stay in the processor's cache.
BLOCK, _VALUES = 1 << 12, 1 << 20


@dataclass(frozen=True)
class Tally:
    """An exact sum of integer vectors, and of how many records.

    Python integers, so no number of records overflows; adding is associative and commutative, so order, blocks and
    engines cannot change a bit.
    """

    total: tuple[int, ...]
    records: int

    def __add__(self, other: Tally) -> Tally:
        return Tally(tuple(a + b for a, b in zip(self.total, other.total, strict=True)), self.records + other.records)

    @classmethod
    def empty(cls, dimension: int) -> Tally:
        """Return the tally of no record."""
        return cls((0,) * dimension, 0)

    @classmethod
    def of(cls, vectors: NDArray[np.int64]) -> Tally:
        """Return the tally of at most 2^20 rows whose entries are at most 2^42 in size, so that int64 holds the sum."""
        return cls(tuple(int(s) for s in vectors.sum(axis=0)), len(vectors))


class Summary(ABC):
    """A map from one record into a public set, summed over records.

    A subclass gives `vectors`, which must treat each row by itself, bit for bit: privacy rests on it.  The rest, from
    rows to persons to an integer tally, is done here once for all summaries.
    """

    @property
    @abstractmethod
    def records(self) -> Influence:
        """The public set that holds every record's vector, in real units."""

    @abstractmethod
    def vectors(self, rows: Floats, lattice: Lattice) -> Floats:
        """Return each row's vector in lattice units, before rounding; a function of that row alone."""

    def tally(self, rows: Floats, lattice: Lattice, people: People | None = None) -> Tally:
        """Return the exact sum over records of their lattice vectors, each with its norm enforced."""
        tally = Tally.empty(lattice.noisy_dimension)
        for block in self._blocks(rows, lattice, people):
            tally += Tally.of(lattice.enforce(block))
        return tally

    def _blocks(self, rows: Floats, lattice: Lattice, people: People | None) -> Iterator[NDArray[np.int64]]:
        block = min(BLOCK, max(_VALUES // max(rows.shape[1], 1), 1))
        if people is None:
            for first in range(0, len(rows), block):
                yield lattice.quantise(self.vectors(rows[first : first + block], lattice))
        else:
            for members, starts in people.blocks(block):
                yield people.averages(lattice.quantise(self.vectors(rows[members], lattice)), starts)
