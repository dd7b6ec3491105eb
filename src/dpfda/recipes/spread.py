"""How far single curves lie from a released one: a curve of variances, in the same call."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from dpfda.mechanisms.cube import CubeMechanism
from dpfda.privacy.event import Event
from dpfda.privacy.lattice import Lattice
from dpfda.privacy.neighbours import Neighbours
from dpfda.privatise import event_of, privatise
from dpfda.release.law import NoiseLaw
from dpfda.release.spread import Spread
from dpfda.release.stage import Sensitivity, Stage
from dpfda.spaces.interval import Floats, Interval
from dpfda.summaries.mean import CellMean

#: What `spread=True` takes of epsilon; the recipe has the rest.
SPREAD_SHARE = Fraction(1, 5)
#: Cells: clip(round(0.2 sqrt(n epsilon)), 1, 16), at the share's epsilon.
SPREAD_CELLS, MOST_SPREAD_CELLS = 0.2, 16
#: Distances are clipped at twice the radius of the second look, and farther out, up to eight times, where n epsilon allows: the square
#: of the cap grows like n epsilon / 80.  It is never more than half the range, which it is after one look alone.
SPREAD_RADII, SPREAD_GROWTH, MOST_GROWTH = 2, 80, 16


@dataclass(frozen=True)
class SpreadPlan:
    """The public side of the curve of variances.

    Parameters
    ----------
    domain : Interval
        Divided into equal cells.
    points : tuple of float
        Where distances are taken.
    cells : int
        N.
    epsilon : Fraction
        Of this step.
    neighbours : Neighbours
        The relation.
    unit : str
        "curve" or "person".
    n : int
        Persons, or their public guess.
    """

    domain: Interval
    points: tuple[float, ...]
    cells: int
    epsilon: Fraction
    neighbours: Neighbours
    unit: str
    n: int

    @classmethod
    def of(
        cls, domain: Interval, points: Floats, n: int, epsilon: Fraction, neighbours: Neighbours, unit: str
    ) -> SpreadPlan:
        """Return the rule's plan for n persons."""
        cells = min(max(round(SPREAD_CELLS * math.sqrt(n * epsilon)), 1), MOST_SPREAD_CELLS, len(points))
        plan = cls(domain, tuple(points.tolist()), cells, epsilon, neighbours, unit, n)
        plan._lattice(Fraction(1))[0].check()
        return plan

    def cap(self, radius: Fraction | None) -> float:
        """Return the largest squared distance that counts, in squares of half the range, for the radius of the second look."""
        if radius is None:
            return 1.0
        growth = min(max(float(self.n * self.epsilon) / SPREAD_GROWTH, 1.0), MOST_GROWTH)
        return min(float(SPREAD_RADII * radius) ** 2 * growth, 1.0)

    def _lattice(self, cap: Fraction) -> tuple[CellMean, Lattice]:
        summary = CellMean(self.points, self.domain, self.cells, Fraction(0), cap)
        body = CubeMechanism.body.unit(self.cells)
        plain = Lattice.plan(replace(summary, upper=Fraction(1)).records, body, 1 / self.epsilon, self.neighbours)
        return summary, replace(plain, steps=tuple(cap * step for step in plain.steps))

    @property
    def event(self) -> Event:
        """What will be charged, whatever the cap."""
        return event_of(CubeMechanism(), self._lattice(Fraction(1))[1], self.epsilon, Fraction(0), self.unit, "cube")

    def run(self, curves: Floats, centre: Floats, cap: Fraction, n: int | None) -> tuple[Spread, Stage]:
        """Release averages over cells of (curve - centre)^2, clipped at `cap`, one row a person.

        A record's averages lie in the box [0, cap]^N, so the mean's differences lie in |d_j| <= cap/n
        (docs/proofs/spread.md).
        """
        summary, lattice = self._lattice(cap)
        away = curves - centre
        noisy = privatise(summary, away * away, CubeMechanism(), lattice, self.epsilon, unit=self.unit)
        count = noisy.count(lattice, n)
        law = NoiseLaw(
            mechanism="cube",
            dimension=lattice.noisy_dimension,
            scale=lattice.scale,
            steps=tuple(float(step) for step in lattice.steps),
            middle=float(cap / 2),
            count=count,
            count_weight=lattice.count_weight,
            rounding=(summary.rounding(lattice),) * self.cells,
        )
        raw = summary.means(noisy.sums[: self.cells], count, lattice)
        value = summary.influence(n).reach(CubeMechanism.body.unit(self.cells)) if n else cap / 2
        formula = "cap/n" if n else "half the cap"
        sensitivity = Sensitivity(value, lattice.sensitivity, formula, "spread.md")
        stage = Stage("squared distances of single curves from the released one", noisy.event, sensitivity)
        return Spread(summary.edges, raw, float(cap), law), stage


def person_curves(table: Floats, coefficients: Floats) -> Floats:
    """Return the curves of persons at points from their coefficients, a row a person.

    Added up function by function: a product by BLAS would round a person's values by who stands beside them.
    """
    curves = np.zeros((coefficients.shape[1], len(table)))
    for function, weights in zip(table.T, coefficients, strict=True):
        curves += weights[:, None] * function
    return curves
