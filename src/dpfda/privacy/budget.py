"""A cap on what may be learned from one data set, kept in memory and in exact fractions."""

from __future__ import annotations

from fractions import Fraction
from threading import Lock

from dpfda.errors import BudgetError
from dpfda.privacy.amounts import Amount, exact_epsilon, words
from dpfda.privacy.event import Event


class Budget:
    """The epsilon that all releases from one data set may spend together.

    Losses of pure epsilon add up (docs/proofs/composition.md); the sum is exact, so ten releases at "0.1" use up a
    budget of 1 and not a hair more or less.  A charge comes before any noise is drawn, and a release that is then
    thrown away stays charged.  Losses of different units or neighbour relations do not simply add; the first charge
    settles which this budget counts and others are refused.

    Parameters
    ----------
    epsilon : number or text
        The cap: 1, 0.5, "1/2" or a Fraction.

    Examples
    --------
    >>> budget = Budget("0.3")
    >>> print(budget)
    budget of epsilon 0.3: 0 spent in 0 releases, 0.3 left
    """

    def __init__(self, epsilon: Amount) -> None:
        self._cap = exact_epsilon(epsilon)
        self._events: list[Event] = []
        self._lock = Lock()

    @property
    def epsilon(self) -> Fraction:
        """The cap."""
        return self._cap

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that was charged, in order."""
        return tuple(self._events)

    @property
    def spent(self) -> Fraction:
        """The sum of all charges."""
        return sum((event.epsilon for event in self._events), Fraction(0))

    @property
    def left(self) -> Fraction:
        """What may still be spent."""
        return self._cap - self.spent

    def check(self, event: Event) -> None:
        """Raise `BudgetError` if this event could not be charged now."""
        if event.delta != 0:
            raise BudgetError(f"this budget is pure: it cannot hold an event with delta {words(event.delta)}")
        if self._events and (event.neighbours, event.unit) != (
            self._events[0].neighbours,
            self._events[0].unit,
        ):
            first = self._events[0]
            raise BudgetError(
                f"this budget counts losses for one {first.unit} under {first.neighbours}; a release for one {event.unit} "
                f"under {event.neighbours} does not simply add to them: use a budget of its own"
            )
        if event.epsilon > self.left:
            raise BudgetError(
                f"epsilon {words(event.epsilon)} was asked for, but {words(self.left)} of {words(self._cap)} is left "
                f"after {_releases(len(self._events))}: ask for {words(self.left)} or less"
                if self.left > 0
                else f"epsilon {words(event.epsilon)} was asked for, but the budget of {words(self._cap)} is used up by "
                f"{_releases(len(self._events))}: no more can be released from these data under it"
            )

    def charge(self, event: Event) -> None:
        """Take what the event costs, or raise `BudgetError` and take nothing."""
        with self._lock:
            self.check(event)
            self._events.append(event)

    def __repr__(self) -> str:
        return (
            f"budget of epsilon {words(self._cap)}: {words(self.spent)} spent in {_releases(len(self._events))}, "
            f"{words(self.left)} left"
        )


def _releases(count: int) -> str:
    return "1 release" if count == 1 else f"{count} releases"
