"""The part of a call that every summary shares: who, how much, from what table."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpfda.errors import DataError, ParameterError
from dpfda.privacy.budget import Budget
from dpfda.privacy.neighbours import Neighbours
from dpfda.readers.images import ImageTable
from dpfda.readers.scattered import ScatteredTable
from dpfda.readers.table import CurveTable
from dpfda.spaces.box import Box
from dpfda.spaces.interval import Floats, Interval
from dpfda.summaries.units import People


@dataclass(frozen=True)
class Call:
    """Checked words of a call, before a summary and a mechanism are chosen.

    Parameters
    ----------
    table : CurveTable, ScatteredTable or ImageTable
        The curves or images, every row usable.
    people : People or None
        Whose they are.
    epsilon, delta : Fraction
        What may be spent.
    neighbours : Neighbours
        The relation.
    guess : int or None
        `design_n` under add-remove.
    domain : Interval or Box
        Where the function lives.
    own_domain : bool
        Whether the caller gave it.
    budget : Budget or None
        To be charged.
    """

    table: CurveTable | ScatteredTable | ImageTable
    people: People | None
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    guess: int | None
    domain: Interval | Box
    own_domain: bool
    budget: Budget | None

    def __post_init__(self) -> None:
        if self.guess is None and self._count < 2:
            raise DataError(
                f"there is one {self.who} only: a mean over fewer than two would be that one's own data under a public n"
            )

    @property
    def _count(self) -> int:
        return len(self.table.values) if self.people is None else len(self.people)

    @property
    def who(self) -> str:
        """What is counted and protected."""
        return "curve" if self.people is None else "person"

    @property
    def n(self) -> int | None:
        """The number of persons where it is public."""
        return self._count if self.guess is None else None

    @property
    def design(self) -> int:
        """The n that rules may use: public, or the guess."""
        return self._count if self.guess is None else self.guess

    @property
    def _where(self) -> str:
        """The claim about grid and domain."""
        table, domain = self.table, f"the domain {self.domain.words}"
        if isinstance(table, ScatteredTable):
            return f"Curves were read from {table.source}, each at points of its own; {domain} was not read from these data."
        ends = "as given" if self.own_domain else "from the first to the last grid point"
        size = " x ".join(map(str, table.shape)) if isinstance(table, ImageTable) else str(len(table.grid))
        return (
            f"The grid of {size} points was declared by {table.source}, and {domain} {ends}; neither depends on the "
            "persons in the data."
        )

    @property
    def curves(self) -> CurveTable:
        """The table, where a common grid is needed."""
        if isinstance(self.table, ScatteredTable):
            raise DataError(
                "curves that each have points of their own have no common grid for this: leave mechanism= and shape= out, for the "
                "default recipe, or bring the curves to one grid"
            )
        if isinstance(self.table, ImageTable):
            raise DataError(
                "images need a basis: leave mechanism= and shape= out, or name mechanism='blocks', basis='cosine'"
            )
        return self.table

    @property
    def interval(self) -> Interval:
        """The domain of curves."""
        if isinstance(self.domain, Box):
            raise ParameterError(
                f"{self.domain.words} is a box, and this works on an interval: give a basis, such as mechanism='blocks', basis='cosine', or "
                "mechanism='auto'"
            )
        return self.domain

    @property
    def mesh(self) -> Floats | tuple[Floats, ...]:
        """Where a record is known: points, or the axes of a mesh."""
        if isinstance(self.table, ImageTable):
            return tuple(np.array(axis) for axis in self.table.grid)
        return np.array(self.curves.grid)

    @property
    def points(self) -> int:
        """How many values a record has."""
        return len(self.curves.grid) if not isinstance(self.table, ImageTable) else int(self.table.values.shape[1])

    def vouched(self, *own: str) -> tuple[str, ...]:
        """List what no program can check, a summary's own claims first."""
        claims = [*own, self._where]
        if self.neighbours is Neighbours.REPLACE_ONE:
            claims.append(f"The number of {self.who}s is public.")
        else:
            claims.append(f"The guess of the number of records, {self.guess}, was not taken from these data.")
        if self.people is not None:
            claims.append(
                "Rows with the same id are one person's, and no person has two ids, in all releases of one budget."
            )
        else:
            claims.append("Every curve belongs to another person, or the protection of one curve is enough.")
        return tuple(claims)
