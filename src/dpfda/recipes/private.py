"""The recipe on real records: every look tallied in integers, charged beforehand, and hidden by exact noise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from dpfda.mechanisms.choices import Choice, choose
from dpfda.noise.choose import permute_and_flip
from dpfda.privacy.budget import Budget
from dpfda.privacy.composition import fits, totals
from dpfda.privacy.event import Event
from dpfda.privacy.lattice import Lattice
from dpfda.privacy.neighbours import Neighbours
from dpfda.privatise import event_of, privatise
from dpfda.recipes.mean import Answer, Looks, Outcome, Plan, run
from dpfda.spaces.interval import Floats
from dpfda.summaries.looks import Look


@dataclass(frozen=True)
class Step:
    """How one look ran.

    Parameters
    ----------
    look : Look
        The ellipsoid, its centre and its radius.
    choice : Choice
        The mechanism.
    lattice : Lattice
        The integers.
    event : Event
        What was charged.
    count : float
        n, or the noisy number of persons of this look.
    """

    look: Look
    choice: Choice
    lattice: Lattice
    event: Event
    count: float


class PrivateLooks(Looks):
    """Answers from records, a column of coefficients a person.

    Everything that is charged is known before the first answer (`events`): the lattices of the looks differ between radii by
    the size of their steps alone, so the integers, and with them the guarantee, are the same whichever radius is chosen.
    """

    def __init__(self, plan: Plan, coefficients: Floats, neighbours: Neighbours, unit: str, n: int | None) -> None:
        self._plan, self._coefficients, self._n = plan, coefficients, n
        self._prepared = [self._prepare(look, neighbours, unit) for look in range(plan.looks)]
        self.steps: list[Step] = []
        self.radius_event: Event | None = None
        if plan.looks > 1:
            self.radius_event = Event(
                "permute-and-flip",
                plan.radius_epsilon,
                neighbours,
                unit,
                parameters=(("candidates", len(plan.radii)), ("sensitivity", 1), ("target", plan.target)),
            )

    def _prepare(self, look: int, neighbours: Neighbours, unit: str) -> tuple[Choice, Lattice, Event]:
        """Return mechanism, lattice and event of a look, for radius one."""
        plan, axes = self._plan, self._plan.axes(look)
        choice = choose(plan.law, "matched", axes, np.ones(len(axes)))
        records = Look(np.zeros(len(axes)), axes, Fraction(1)).records
        lattice = Lattice.plan(records, choice.body, plan.ratios[look], neighbours)
        delta = Fraction(0) if choice.law.pure else plan.delta
        return choice, lattice, event_of(choice.law, lattice, plan.epsilon_of(look), delta, unit, plan.law)

    @property
    def events(self) -> tuple[Event, ...]:
        """All that will be charged, in the order of the answers."""
        looks = [event for _, _, event in self._prepared]
        return (looks[0],) if self.radius_event is None else (looks[0], self.radius_event, looks[1])

    def mean(self, look: int, centre: Floats, axes: Floats, radius: Fraction) -> Answer:
        choice, plain, event = self._prepared[look]
        lattice = replace(plain, steps=tuple(radius * step for step in plain.steps))
        view = Look(centre, axes, radius)
        noisy = privatise(
            view,
            self._coefficients.T,
            choice.law,
            lattice,
            event.epsilon,
            event.delta,
            label=event.mechanism,
            unit=event.unit,
        )
        count = noisy.count(lattice, self._n)
        self.steps.append(Step(view, choice, lattice, event, count))
        steps = np.array([float(step) for step in lattice.steps])
        moved = steps * np.array([s / count for s in noisy.sums[: len(steps)]])
        variances = choice.law.variances(lattice.noisy_dimension) * (lattice.scale / count) ** 2
        spread = steps**2 * variances[: len(steps)]
        if lattice.count_weight:  # the noisy count moves every quotient in proportion
            spread = spread + moved**2 * variances[-1] / lattice.count_weight**2
        return Answer(centre + moved, spread)

    def radius(self, centre: Floats, axes: Floats, radii: tuple[Fraction, ...], target: int) -> Fraction:
        outside = Look(centre, axes, Fraction(1)).outside(self._coefficients, radii)
        scores = [-abs(count - target) for count in outside]
        return radii[permute_and_flip(scores, self._plan.radius_epsilon)]


def private_mean(
    plan: Plan,
    coefficients: Floats,
    neighbours: Neighbours,
    unit: str,
    n: int | None,
    budget: Budget | None = None,
    extra: tuple[Event, ...] = (),
) -> tuple[Outcome, PrivateLooks]:
    """Charge all events of the recipe at once, and `extra` ones that the caller will use, then run it."""
    looks = PrivateLooks(plan, coefficients, neighbours, unit, n)
    if not fits(*totals(looks.events), plan.epsilon, plan.delta):
        raise ValueError(f"the steps of the recipe cost more than epsilon {plan.epsilon} and delta {plan.delta}")
    if budget is not None:
        budget.charge(*looks.events, *extra)
    return run(plan, looks), looks
