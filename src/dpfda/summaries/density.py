"""A density as sums over nodes: every record is divided among hat functions, in integers that sum to one constant."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpfda.errors import ParameterError
from dpfda.privacy.bodies import CrossPolytope
from dpfda.privacy.influence import CrossPolytopeBall, Influence, Simplex
from dpfda.privacy.lattice import Lattice, aimed_bound
from dpfda.privacy.neighbours import Neighbours
from dpfda.spaces.interval import Floats, Interval
from dpfda.spaces.nodes import NodeGrid
from dpfda.summaries.base import Summary, Tally
from dpfda.summaries.histogram import PERSON_UNITS, Source
from dpfda.summaries.units import People


@dataclass(frozen=True, eq=False)
class NodeDensity(Summary):
    """S_j = sum over records of the integer hat weights C h_j(x), which are non-negative and sum to C.

    Replacing a record moves S by at most 2C in l1, and records at the two ends of an axis attain it
    (docs/proofs/density-cells.md).

    Parameters
    ----------
    grid : NodeGrid
        The nodes, and the fine cells before them.
    source : Source
        How records enter the histogram over these fine cells.
    """

    grid: NodeGrid
    source: Source

    def __post_init__(self) -> None:
        if (self.source.axes, self.source.cells) != (self.grid.axes, self.grid.fine):
            raise ParameterError("the histogram and the nodes are of different grids")

    @property
    def dimension(self) -> int:
        """Nodes in all."""
        return int(self.grid.nodes**self.grid.dimension)

    @property
    def records(self) -> Influence:
        return CrossPolytopeBall(self.dimension, Fraction(1))

    def influence(self, n: int) -> Influence:
        """Return the set of differences of the mean weights when one of n records is replaced."""
        return Simplex(self.dimension, Fraction(1, n))

    def lattice(self, ratio: Fraction, neighbours: Neighbours) -> Lattice:
        """Return the lattice on which a record's weights are integers without rounding."""
        return Lattice.plan_shares(
            CrossPolytope, self.dimension, ratio, neighbours, self.grid.shares * self.source.units
        )

    def vectors(self, rows: Floats, lattice: Lattice) -> Floats:
        """Return each row's integer weights, one histogram a row: slow, and the reference for `tally`."""
        factor = self._factor(lattice) * self.source.units
        one = np.eye(1, self.source.size, dtype=np.int64)[0]
        cells = self.grid.cells(rows)
        spread = [self.grid.spread(np.roll(one, cell)) for cell in cells]
        return np.array(spread, dtype=np.float64).reshape(len(rows), self.dimension) * factor

    def tally(self, rows: Floats, lattice: Lattice, people: People | None = None) -> Tally:
        """Return the exact sums: one histogram, then an integer map of it."""
        factor = self._factor(lattice)
        sums = self.grid.spread(self.source.histogram(rows, people))
        return Tally(tuple(int(s) * factor for s in sums), self.source.records(rows, people))

    def _factor(self, lattice: Lattice) -> int:
        factor, rest = divmod(lattice.bound, self.grid.shares * self.source.units)
        if rest or not lattice.shares:
            raise ParameterError("this lattice does not divide a record among nodes without rounding")
        return factor


@dataclass(frozen=True, eq=False)
class BinDensity(Summary):
    """S_j = C times the number of records in the j-th run of bins: a record is a unit vector times C.

    Replacing a record moves S by at most 2C in l1, and any record that changes its run attains it.

    Parameters
    ----------
    bins : int
        How many there are.
    together : int
        Neighbouring bins that are added up; the last run may be shorter.
    """

    bins: int
    together: int

    @property
    def dimension(self) -> int:
        """Runs."""
        return -(-self.bins // self.together)

    @property
    def records(self) -> Influence:
        return CrossPolytopeBall(self.dimension, Fraction(1))

    def lattice(self, ratio: Fraction, neighbours: Neighbours) -> Lattice:
        """Return the lattice for whole records."""
        return Lattice.plan_shares(CrossPolytope, self.dimension, ratio, neighbours)

    def vectors(self, rows: Floats, lattice: Lattice) -> Floats:
        """Return the integers of records given by the numbers of their bins."""
        runs = np.ravel(rows).astype(np.int64) // self.together
        return np.asarray(np.eye(self.dimension)[runs] * lattice.bound)

    def tally(self, rows: Floats, lattice: Lattice, people: People | None = None) -> Tally:
        """Return the exact sums of counts, one a bin."""
        counts = [int(count) for count in np.ravel(rows)]
        starts = range(0, self.bins, self.together)
        sums = tuple(lattice.bound * sum(counts[first : first + self.together]) for first in starts)
        return Tally(sums, sum(counts))


def node_grid(
    axes: tuple[Interval, ...], nodes: int, ratio: Fraction, neighbours: Neighbours, divided: bool = False
) -> NodeGrid:
    """Return the grid whose fine cells are as fine as the integer bound allows; `divided` where records have parts."""
    bits = aimed_bound(ratio, neighbours).bit_length() - 1
    taken = PERSON_UNITS.bit_length() - 1 if divided else 0
    return NodeGrid.plan(axes, nodes, max(bits - taken, 0))
