"""A density as features of records that were snapped to public cells: the sensitivity by comparing all pairs of cells."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpfda.errors import ParameterError
from dpfda.privacy.bodies import Body, Cube
from dpfda.privacy.influence import Box, Influence
from dpfda.privacy.lattice import Lattice, aimed_bound, count_share
from dpfda.privacy.neighbours import Neighbours
from dpfda.privacy.pairs import MOST_RECORDS, largest_norm, largest_pair
from dpfda.spaces.interval import Floats
from dpfda.summaries.base import Summary, Tally
from dpfda.summaries.histogram import Source
from dpfda.summaries.units import People

#: Cells an axis, by the number of axes: at most 2^12 in all.
SNAPPED_CELLS = {1: 1 << 10, 2: 48, 3: 16}


@dataclass(frozen=True, eq=False)
class SnappedDensity(Summary):
    """S = sum over records of q_c, c the record's cell and q a public table of integer vectors.

    `plan` makes the table from real features, and the lattice whose sensitivity is the largest difference of two of its rows
    (docs/proofs/density-spectral.md).

    Parameters
    ----------
    source : Source
        How records enter the histogram over the cells.
    features : array (cells, M)
        What a record in each cell is turned into, in real units.
    table : array (cells, M')
        The same on the lattice, the count's constant appended under add-remove.
    lattice : Lattice
        Its bound and largest pair are those of the table times the source's units.
    """

    source: Source
    features: Floats = field(repr=False)
    table: NDArray[np.int64] = field(repr=False)
    lattice: Lattice

    @classmethod
    def plan(
        cls,
        source: Source,
        features: Floats,
        body: Body,
        ratio: Fraction,
        neighbours: Neighbours,
        whole_box: bool = False,
    ) -> SnappedDensity:
        """Return the summary for a mechanism's body; from public numbers alone.

        Parameters
        ----------
        source, features
            As above.
        body : Body
            With the weights of the noise.
        ratio : Fraction
            The noise's scale for a sensitivity of one.
        neighbours : Neighbours
            The relation.
        whole_box : bool
            Bound a difference by M times its largest coordinate, as the published Bernstein mechanism does.
        """
        if source.size > MOST_RECORDS:
            raise ParameterError(f"records are snapped to at most {MOST_RECORDS} cells, not {source.size}")
        if not source.exact:
            raise ParameterError("weighted records are for mechanism='cells': others compare records of equal weight")
        weights = np.array([float(b) for b in body.weights])
        scaled = features / weights
        aimed = max(aimed_bound(ratio, neighbours) // source.units, 1 << 10)
        norms = np.abs(scaled).sum(axis=1)  # at least the norm in every body
        # The sum of sizes stays within 2^40, so that pairs are compared exactly and the count has room.
        bound = min(aimed, (1 << 40) // source.units)
        reach = float(norms.max())
        if not np.isfinite(reach) or reach <= 0:
            raise ParameterError("the features of a record are not finite, or all zero: choose another bandwidth")
        step = Fraction(reach) / bound
        table = np.rint(scaled / float(step)).astype(np.int64)
        plain, weight = body.plain(), 0
        if neighbours is Neighbours.ADD_REMOVE:
            weight = count_share(plain, largest_norm(table, plain))
        pair = max(largest_pair(table, plain), 1)  # rows that are all alike are hidden as if they differed by one
        if whole_box:
            pair = table.shape[1] * max(largest_pair(table, Cube.unit(table.shape[1])), 1)
        if weight:
            table = np.column_stack([table, np.full(len(table), weight, np.int64)])
            plain_norm = largest_norm(table, plain.with_count())
        else:
            plain_norm = max(largest_norm(table, plain), 1)
        steps = tuple(step * b / source.units for b in body.weights)
        lattice = Lattice(
            plain,
            steps,
            plain_norm * source.units,
            weight * source.units,
            ratio,
            neighbours,
            pair=pair * source.units if not weight else None,
        )
        return cls(source, features, table, lattice)

    @staticmethod
    def largest_scale(
        source: Source, columns: int, ratio: Fraction, neighbours: Neighbours, whole_box: bool = False
    ) -> int:
        """Return a scale that no table of so many columns passes, whatever the features are.

        A row's l1 norm before rounding is at most the bound, and rounding adds at most half a unit a column.
        """
        aimed = max(aimed_bound(ratio, neighbours) // source.units, 1 << 10)
        norm = min(aimed, (1 << 40) // source.units) + columns
        return math.ceil(2 * norm * (columns if whole_box else 1) * source.units * ratio)

    @property
    def records(self) -> Influence:
        return Box(self.features.shape[1], Fraction(float(np.abs(self.features).max())))

    def vectors(self, rows: Floats, lattice: Lattice) -> Floats:
        """Return each row's integers, without the count."""
        found = [self.source.histogram(row[None], None) @ self.table.astype(object) for row in rows]
        return np.array(found, float).reshape(len(rows), -1)[:, : lattice.dimension]

    def tally(self, rows: Floats, lattice: Lattice, people: People | None = None) -> Tally:
        """Return the exact sums: one histogram times the table, in Python integers."""
        if lattice is not self.lattice:
            raise ParameterError("these features were made for another lattice")
        histogram = np.asarray(self.source.histogram(rows, people)).astype(object)
        filled = np.flatnonzero(histogram)
        sums = histogram[filled] @ self.table[filled].astype(object) if filled.size else [0] * self.table.shape[1]
        return Tally(tuple(int(s) for s in sums), self.source.records(rows, people))
