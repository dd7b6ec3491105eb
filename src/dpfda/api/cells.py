"""The mean over cells: from a checked call to a release."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from dpfda.api.call import Call
from dpfda.errors import ParameterError
from dpfda.mechanisms import Mechanism
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


def mean_over_cells(call: Call, words: CellWords) -> Release:
    """Release averages over cells and draw a function through them."""
    if isinstance(call.domain, Circle):
        raise ParameterError(
            "cells have ends, which a circle has not: leave mechanism= and shape= out, for the default recipe, or give a basis, such as "
            "mechanism='blocks', kernel=dpfda.Matern(2.5, length)"
        )
    mechanism, grid = words.mechanism, call.curves.grid
    epsilon = call.epsilon * (1 - SPREAD_SHARE) if words.spread else call.epsilon
    summary = CellMean(
        grid=grid,
        domain=call.interval,
        cells=words.cells or min(cells_rule(call.design, epsilon), len(grid)),
        lower=words.value_range[0],
        upper=words.value_range[1],
    )
    body = mechanism.body.unit(summary.cells)
    lattice = Lattice.plan(summary.records, body, 1 / epsilon, call.neighbours)
    variances = None
    if words.spread:
        points = np.array(grid)
        share = call.epsilon * SPREAD_SHARE
        variances = SpreadPlan.of(call.interval, points, call.design, share, call.neighbours, call.who)
    event = event_of(mechanism, lattice, epsilon, Fraction(0), call.who, mechanism.name)
    if call.budget is not None:
        call.budget.charge(event, *(() if variances is None else (variances.event,)))
    noisy = privatise(summary, call.table.values, mechanism, lattice, epsilon, people=call.people)
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
    if variances is not None:
        curves = summary.person_values(call.table.values, call.people)
        centre = release(np.array(grid))
        spread, stage = variances.run(curves, centre, summary.half**2, call.n)
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
