"""The one verb: where records, mechanism and budget meet.  `recipes.private` is its counterpart for several looks."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpfda.mechanisms.base import Mechanism
from dpfda.privacy.budget import Budget
from dpfda.privacy.event import Event
from dpfda.privacy.lattice import Lattice
from dpfda.spaces.interval import Floats
from dpfda.summaries.base import Summary
from dpfda.summaries.units import People


@dataclass(frozen=True)
class Noisy:
    """Noisy integer sums: the only thing that leaves the private side.

    Under add-remove the last one is the noisy count times the lattice's W.
    """

    sums: tuple[int, ...]
    event: Event

    def count(self, lattice: Lattice, n: int | None) -> float:
        """Return the public n, or the noisy number of records, at least one."""
        return float(n) if n is not None else max(self.sums[-1] / lattice.count_weight, 1.0)


def event_of(
    mechanism: Mechanism, lattice: Lattice, epsilon: Fraction, delta: Fraction, unit: str, label: str
) -> Event:
    """Return what a release on this lattice costs, after checking that it can be drawn and gives what it states."""
    mechanism.check(lattice.noisy_dimension, lattice.scale)
    mechanism.confirm(lattice.sensitivity, lattice.scale, epsilon, delta)
    return Event(
        label,
        epsilon,
        lattice.neighbours,
        unit,
        delta=delta,
        square=mechanism.square(lattice.sensitivity, lattice.scale),
        parameters=(
            ("bound", lattice.bound),
            ("scale", lattice.scale),
            ("dimension", lattice.noisy_dimension),
            ("count_weight", lattice.count_weight),
        ),
    )


def privatise(
    summary: Summary,
    rows: Floats,
    mechanism: Mechanism,
    lattice: Lattice,
    epsilon: Fraction,
    delta: Fraction = Fraction(0),
    people: People | None = None,
    budget: Budget | None = None,
    label: str | None = None,
    unit: str | None = None,
) -> Noisy:
    """Tally the records on the lattice, charge the budget, then draw the noise; in this order.

    Everything that can be refused is refused before the charge; once charged, the noise is drawn exactly.  `label` is the
    name the user knows the mechanism by, where that is not the law's; `unit` says whose a row is, where rows have been averaged
    by person already.
    """
    unit = unit or ("curve" if people is None else "person")
    event = event_of(mechanism, lattice, epsilon, delta, unit, label or mechanism.name)
    if budget is not None:
        budget.check(event)
    tally = summary.tally(rows, lattice, people)
    if budget is not None:
        budget.charge(event)
    return Noisy(mechanism.perturb(tally.total, lattice), event)
