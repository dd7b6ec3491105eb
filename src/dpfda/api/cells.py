"""The mean over cells: from a checked call to a release."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from dpfda.api.call import Call
from dpfda.errors import ParameterError
from dpfda.mechanisms import Mechanism
from dpfda.privacy.event import Event
from dpfda.privacy.lattice import Lattice
from dpfda.privatise import event_of, privatise
from dpfda.recipes.spread import SPREAD_SHARE, SpreadPlan
from dpfda.release.guarantee import Guarantee
from dpfda.release.law import NoiseLaw
from dpfda.release.release import Release
from dpfda.release.smooth.cells import CellPowerLaw
from dpfda.release.smoothing import Smoothing
from dpfda.release.stage import Sensitivity, Stage
from dpfda.release.view import CellView
from dpfda.spaces.circle import Circle
from dpfda.spaces.piecewise import rule
from dpfda.summaries.mean import CellMean, cells_rule


@dataclass(frozen=True)
class CellWords:
    """The words of a call that speak of cells.

    Parameters
    ----------
    value_range : (Fraction, Fraction)
        Lowest and highest value.
    mechanism : Mechanism
        Of the noise.
    cells : int or None
        In place of the rule's number.
    smooth : bool
        Whether the averages are smoothed after the noise.
    spread : bool
        Whether the standard deviations of single curves are released as well.
    recipe : str
        "rough cells" where `shape="rough"` chose the mechanism, "" where it was named.
    notes : tuple of str
        Why the cells were chosen, where the caller left the choice open.
    """

    value_range: tuple[Fraction, Fraction]
    mechanism: Mechanism
    cells: int | None
    smooth: bool = False
    spread: bool = False
    recipe: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class CellPlan:
    """Everything that is settled before anything is charged.

    Parameters
    ----------
    summary : CellMean
        Grid, cells and range.
    lattice : Lattice
        The integers.
    epsilon : Fraction
        Of the averages.
    event : Event
        What they cost.
    spread : SpreadPlan or None
        Of the variances.
    """

    summary: CellMean
    lattice: Lattice
    epsilon: Fraction
    event: Event
    spread: SpreadPlan | None

    @classmethod
    def of(cls, call: Call, words: CellWords) -> CellPlan:
        """Return the plan, or say why there is none."""
        if isinstance(call.domain, Circle):
            raise ParameterError(
                "cells have ends, which a circle has not: leave mechanism= and shape= out, for the default recipe, or give a basis, "
                "such as mechanism='blocks', kernel=dpfda.Matern(2.5, length)"
            )
        grid = call.curves.grid
        epsilon = call.epsilon * (1 - SPREAD_SHARE) if words.spread else call.epsilon
        cells = words.cells or min(cells_rule(call.design, epsilon), len(grid))
        summary = CellMean(grid, call.interval, cells, *words.value_range)
        summary.check()
        lattice = Lattice.plan(summary.records, words.mechanism.body.unit(cells), 1 / epsilon, call.neighbours)
        event = event_of(words.mechanism, lattice, epsilon, Fraction(0), call.who, words.mechanism.name)
        share = call.epsilon * SPREAD_SHARE
        spread = (
            SpreadPlan.of(call.interval, np.array(grid), call.design, share, call.neighbours, call.who)
            if words.spread
            else None
        )
        return cls(summary, lattice, epsilon, event, spread)

    @property
    def events(self) -> tuple[Event, ...]:
        """All that will be charged."""
        return (self.event,) if self.spread is None else (self.event, self.spread.event)


def mean_over_cells(call: Call, words: CellWords) -> Release:
    """Release averages over cells and draw a function through them."""
    plan = CellPlan.of(call, words)
    summary, lattice, mechanism, grid = plan.summary, plan.lattice, words.mechanism, call.curves.grid
    persons = None if plan.spread is None else summary.person_values(call.table.values, call.people)
    if call.budget is not None:
        call.budget.charge(*plan.events)
    noisy = privatise(summary, call.table.values, mechanism, lattice, plan.epsilon, people=call.people)
    # From here on public arithmetic only, but for the spread, which is charged above.
    count = noisy.count(lattice, call.n)
    law = NoiseLaw(
        mechanism=mechanism.name,
        dimension=lattice.noisy_dimension,
        scale=lattice.scale,
        steps=tuple(float(step) for step in lattice.steps),
        middle=float(summary.middle),
        count=count,
        count_weight=lattice.count_weight,
        rounding=(summary.rounding(lattice),) * summary.cells,
    )
    low, high = float(summary.lower), float(summary.upper)
    claims = [
        f"The range of values, {low:.10g} to {high:.10g}, was not read from these data; values outside it were clipped."
    ]
    if words.cells is not None:
        claims.append(f"The number of cells, {words.cells}, was not chosen by looking at these data.")
    guarantee = Guarantee.of(
        noisy.event,
        lattice,
        call.n,
        _sensitivity(summary, mechanism, lattice, call.n),
        ("mean-over-cells.md", "lattice.md", *mechanism.proofs, "composition.md"),
        call.vouched(*claims),
        words.notes,
    )
    raw = summary.means(noisy.sums[: summary.cells], count, lattice)
    smoothing = (
        Smoothing(CellPowerLaw(float(summary.half), float(summary.middle)), raw, law.sds**2) if words.smooth else None
    )
    view = CellView(summary.domain, summary.cells, rule(summary.cells))
    release = Release(raw, view, law, guarantee, smoothing)
    stages: tuple[Stage, ...] = (Stage("averages over cells", noisy.event, guarantee.sensitivity),)
    if plan.spread is not None and persons is not None:
        spread, stage = plan.spread.run(persons, release(np.array(grid)), summary.half**2, call.n)
        release, stages = replace(release, spread=spread), (*stages, stage)
    if words.recipe:
        proofs = ("smoothing.md", *(("spread.md",) if words.spread else ()))
        full = guarantee.in_stages(words.recipe, stages, call.epsilon, proofs=proofs)
        release = replace(release, guarantee=full)
    return release


def _sensitivity(summary: CellMean, mechanism: Mechanism, lattice: Lattice, n: int | None) -> Sensitivity:
    """Return how far the mean (public n) or the joint sums (hidden n) can move, with the formula."""
    norm = "max" if mechanism.name == "cube" else "sum"
    if n is not None:
        value = summary.influence(n).reach(mechanism.body.unit(summary.cells))
        formula = f"{norm} over cells of (upper - lower)/n" if norm == "max" else "cells (upper - lower)/n"
    else:
        value = Fraction(lattice.bound) * lattice.steps[0]
        formula = f"norm of one record's sums ({norm} over cells and count)"
    return Sensitivity(value, lattice.sensitivity, formula, "mean-over-cells.md")
