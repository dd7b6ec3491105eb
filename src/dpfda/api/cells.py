"""The mean over cells: from a checked call to a release."""

from __future__ import annotations

from fractions import Fraction

from dpfda.api.call import Call
from dpfda.errors import ParameterError
from dpfda.mechanisms import Mechanism
from dpfda.privacy.lattice import Lattice
from dpfda.privatise import privatise
from dpfda.readers.images import ImageTable
from dpfda.release.guarantee import Guarantee, Sensitivity
from dpfda.release.law import NoiseLaw
from dpfda.release.release import Release
from dpfda.release.view import CellView
from dpfda.spaces.box import Box
from dpfda.spaces.circle import Circle
from dpfda.spaces.piecewise import rule
from dpfda.summaries.mean import CellMean, cells_rule


def mean_over_cells(
    call: Call,
    value_range: tuple[Fraction, Fraction],
    mechanism: Mechanism,
    cells: int | None,
    notes: tuple[str, ...] = (),
) -> Release:
    """Release averages over cells and draw a function through them."""
    if isinstance(call.domain, Circle):
        raise ParameterError(
            "cells have ends, which a circle has not: give a basis, such as mechanism='blocks', kernel=dpfda.Matern(2.5, length)"
        )
    if isinstance(call.domain, Box) or isinstance(call.table, ImageTable):
        raise ParameterError(
            f"mechanism={mechanism.name!r} works on the cells of an interval, which {call.domain.words} is not: give a basis, such as "
            "mechanism='blocks', basis='cosine', or mechanism='auto'"
        )
    grid = call.table.grid
    summary = CellMean(
        grid=grid,
        domain=call.domain,
        cells=cells or min(cells_rule(call.design, call.epsilon), len(grid)),
        lower=value_range[0],
        upper=value_range[1],
    )
    body = mechanism.body.unit(summary.cells)
    lattice = Lattice.plan(summary.records, body, 1 / call.epsilon, call.neighbours)
    noisy = privatise(
        summary,
        call.table.values,
        mechanism,
        lattice,
        call.epsilon,
        call.delta,
        people=call.people,
        budget=call.budget,
    )
    # From here on public arithmetic only.
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
    if cells is not None:
        claims.append(f"The number of cells, {cells}, was not chosen by looking at these data.")
    guarantee = Guarantee.of(
        noisy.event,
        lattice,
        call.n,
        _sensitivity(summary, mechanism, lattice, call.n),
        ("mean-over-cells.md", "lattice.md", *mechanism.proofs, "composition.md"),
        call.vouched(*claims),
        notes,
    )
    raw = summary.means(noisy.sums[: summary.cells], count, lattice)
    return Release(raw, CellView(summary.domain, summary.cells, rule(summary.cells)), law, guarantee)


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
