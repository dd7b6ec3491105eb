"""`dpfda.mean`: a private mean curve in one line."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpfda.api.words import read_count, read_design_n, read_domain, read_epsilon, read_range
from dpfda.errors import DataError, ParameterError
from dpfda.mechanisms import Mechanism, mechanism_named
from dpfda.privacy.amounts import Amount
from dpfda.privacy.budget import Budget
from dpfda.privacy.lattice import Lattice
from dpfda.privacy.neighbours import Neighbours
from dpfda.privatise import Noisy, privatise
from dpfda.readers import records
from dpfda.readers.table import CurveTable
from dpfda.release.guarantee import Guarantee, Sensitivity
from dpfda.release.law import NoiseLaw
from dpfda.release.release import Release
from dpfda.spaces.piecewise import rule
from dpfda.summaries.mean import MOST_CELLS, CellMean, cells_rule
from dpfda.summaries.units import People


def mean(
    curves: Any,
    grid: Any = None,
    *,
    epsilon: Amount | None = None,
    value_range: Sequence[Amount] | None = None,
    domain: Sequence[Amount] | None = None,
    neighbours: str = "replace-one",
    design_n: int | None = None,
    unit: Any = None,
    budget: Budget | None = None,
    mechanism: str = "cube",
    cells: int | None = None,
) -> Release:
    """Release the mean of curves under differential privacy.

    Every curve is clipped to `value_range` and averaged over N equal cells of the domain, each average is hidden by
    exact integer noise, and a function is drawn through the noisy averages.  With cube noise and n persons

        P(noise z) ~ exp(-n epsilon max_j |z_j| / (upper - lower))    (Steinke and Ullman 2017; Hardt and Talwar 2010)

    and N = clip(round(0.4 sqrt(n epsilon)), 1, 64), at most the number of grid points.

    Parameters
    ----------
    curves : array, frame or path
        A row a curve, a column a grid point.  The header of a CSV file, or the column names of a pandas or polars frame,
        declare the grid.  Missing values inside a curve are filled from that curve alone.
    grid : sequence of float, optional
        Where the columns were measured; needed for an array.
    epsilon : number or text
        How much privacy to spend: 1, 0.5, "1/2".  Smaller protects more and adds more noise.
    value_range : (float, float)
        The lowest and highest value a curve may have, from what is known about the quantity, never from these data.
        Values outside are clipped.
    domain : (float, float), optional
        Where the function lives; the ends of the grid by default.
    neighbours : "replace-one" or "add-remove"
        Which change is hidden.  Under replace-one the number of persons is public; under add-remove it is released with
        noise, and `design_n` stands for it in every rule.
    design_n : int, optional
        A public guess of n, for add-remove only.
    unit : sequence of ids or column name, optional
        Whose data are protected: one id a curve.  A person's curves are averaged first, and n counts persons.
    budget : Budget, optional
        What all releases from these data may spend together; charged before the noise is drawn.
    mechanism : "cube" or "laplace"
        The noise.
    cells : int, optional
        The number of cells, in place of the rule's.  It must not be chosen by looking at the data.

    Returns
    -------
    Release
        The function and its guarantee.

    Raises
    ------
    ParameterError, DataError, FileError, BudgetError
        Before anything is spent.

    Examples
    --------
    >>> import numpy as np, dpfda
    >>> grid, curves = dpfda.made_up_curves(n=500, rng=np.random.default_rng(1))
    >>> release = dpfda.mean(curves, grid=grid, epsilon=1, value_range=(0, 1))
    >>> release
    Release(mean curve on [0, 24] in 9 cells, epsilon 1, replace-one, one curve)
    """
    exact_epsilon = read_epsilon(epsilon)
    lower, upper = read_range(value_range)
    relation = Neighbours.read(neighbours)
    guess = read_design_n(design_n, relation)
    noise = mechanism_named(mechanism)
    if budget is not None and not isinstance(budget, Budget):
        raise ParameterError(f"budget must be a dpfda.Budget, not {type(budget).__name__}")
    chosen = None if cells is None else read_count(cells, "cells", 1, MOST_CELLS)

    table = records.read(curves, grid, unit)
    people = None if table.ids is None else People.of(table.ids, len(table.values))
    n = len(table.values) if people is None else len(people)
    if guess is None and n < 2:
        raise DataError(
            f"there is one {'curve' if people is None else 'person'} only: a mean over fewer than two would be that "
            "one's own data under a public n"
        )
    design = n if guess is None else guess
    summary = CellMean(
        grid=table.grid,
        domain=read_domain(domain, table.grid),
        cells=chosen or min(cells_rule(design, exact_epsilon), len(table.grid)),
        lower=lower,
        upper=upper,
    )
    body = noise.body.unit(summary.cells)
    lattice = Lattice.plan(summary.records, body, 1 / exact_epsilon, relation)
    noisy = privatise(summary, table.values, noise, lattice, exact_epsilon, people=people, budget=budget)
    vouched = _vouched(table, summary, relation, people is not None, domain is not None, chosen, guess)
    return _release(summary, noise, lattice, noisy, n if guess is None else None, design, vouched)


def count_clipped(curves: Any, value_range: Sequence[Amount], grid: Any = None) -> int:
    """Return how many values lie outside the range.  **The number is not private**: for the data's owner alone."""
    lower, upper = read_range(value_range)
    values = records.read(curves, grid, None).values
    return int(((values < float(lower)) | (values > float(upper))).sum())


def _release(
    summary: CellMean,
    mechanism: Mechanism,
    lattice: Lattice,
    noisy: Noisy,
    n: int | None,
    design: int,
    vouched: tuple[str, ...],
) -> Release:
    """Turn noisy integers into a function: public arithmetic only."""
    weight = lattice.count_weight
    count = float(n) if n is not None else max(noisy.sums[-1] / weight, 1.0)
    raw = summary.means(noisy.sums[: summary.cells], count, lattice)
    law = NoiseLaw(
        mechanism=mechanism.name,
        dimension=lattice.noisy_dimension,
        scale=lattice.scale,
        step=float(lattice.steps[0]),
        middle=float(summary.middle),
        count=count,
        count_weight=weight,
        rounding=summary.rounding(lattice),
    )
    guarantee = Guarantee(
        epsilon=noisy.event.epsilon,
        neighbours=lattice.neighbours,
        unit=noisy.event.unit,
        n=n,
        mechanism=mechanism.name,
        bound=lattice.bound,
        scale=lattice.scale,
        dimension=lattice.noisy_dimension,
        count_weight=weight,
        sensitivity=_sensitivity(summary, mechanism, lattice, n, design),
        proofs=("mean-over-cells.md", "lattice.md", *mechanism.proofs, "composition.md"),
        vouched=vouched,
        events=(noisy.event,),
    )
    return Release(raw, summary.domain, rule(summary.cells), law, guarantee)


def _sensitivity(summary: CellMean, mechanism: Mechanism, lattice: Lattice, n: int | None, design: int) -> Sensitivity:
    """Return how far the mean (public n) or the joint sums (hidden n) can move, with the formula."""
    body = mechanism.body.unit(summary.cells)
    norm = "max" if mechanism.name == "cube" else "sum"
    if n is not None:
        value = summary.influence(n).reach(body)
        formula = f"{norm} over cells of (upper - lower)/n" if norm == "max" else "cells (upper - lower)/n"
    else:
        value = Fraction(lattice.bound) * lattice.steps[0]
        formula = f"norm of one record's sums ({norm} over cells and count)"
    return Sensitivity(value, lattice.sensitivity, formula, "mean-over-cells.md")


def _vouched(
    table: CurveTable,
    summary: CellMean,
    relation: Neighbours,
    by_person: bool,
    own_domain: bool,
    cells: int | None,
    guess: int | None,
) -> tuple[str, ...]:
    """List what no program can check."""
    low, high = float(summary.lower), float(summary.upper)
    ends = "as given" if own_domain else "from the first to the last grid point"
    claims = [
        f"The range of values, {low:.10g} to {high:.10g}, was not read from these data; values outside it were clipped.",
        f"The grid of {len(table.grid)} points was declared by {table.source}, and the domain "
        f"[{summary.domain.start:g}, {summary.domain.end:g}] {ends}; neither depends on the persons in the data.",
    ]
    if relation is Neighbours.REPLACE_ONE:
        who = "persons" if by_person else "curves"
        claims.append(f"The number of {who} is public.")
    else:
        claims.append(f"The guess of the number of records, {guess}, was not taken from these data.")
    if by_person:
        claims.append(
            "Rows with the same id are one person's, and no person has two ids, in all releases of one budget."
        )
    else:
        claims.append("Every curve belongs to another person, or the protection of one curve is enough.")
    if cells is not None:
        claims.append(f"The number of cells, {cells}, was not chosen by looking at these data.")
    return tuple(claims)
