"""A cap on what may be learned from one data set, kept in memory and in exact fractions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from threading import Lock

from dpfda.errors import BudgetError, ParameterError
from dpfda.privacy.amounts import Amount, exact, exact_delta, exact_epsilon, words
from dpfda.privacy.composition import fits, spent, totals
from dpfda.privacy.event import Event


class Budget:
    """The epsilon, and delta, that all releases from one data set may spend together.

    Losses of pure epsilon add up, and so do the squares mu^2 of Gaussian noise; both sums are exact, so ten releases at
    "0.1" use up a budget of 1 and not a hair more or less.  The first Gaussian release settles how the budget is divided: what
    pure releases have spent, plus `pure`, is theirs; the rest is the Gaussians', as long as their delta at it is at most the
    budget's.  A division that moved with the answers would not be private (docs/proofs/composition.md).  A charge comes before
    any noise is drawn, and a release that is then thrown away stays charged.  Losses of different units or neighbour
    relations do not simply add; the first charge settles which this budget counts and others are refused.

    Parameters
    ----------
    epsilon : number or text
        The cap: 1, 0.5, "1/2" or a Fraction.
    delta : number or text
        The cap on delta; 0, the default, allows pure mechanisms only.
    pure : number or text
        Epsilon that is kept for pure releases after the first Gaussian one.

    Examples
    --------
    >>> budget = Budget("0.3")
    >>> print(budget)
    budget of epsilon 0.3: 0 spent in 0 releases, 0.3 left
    """

    def __init__(self, epsilon: Amount, delta: Amount = 0, pure: Amount = 0) -> None:
        self._cap = exact_epsilon(epsilon)
        self._delta = exact_delta(delta)
        self._reserve = exact(pure, "pure")
        if not 0 <= self._reserve < self._cap:
            raise ParameterError(
                f"pure must be at least 0 and below the budget's epsilon {words(self._cap)}, not {pure!r}"
            )
        self._pure_cap: Fraction | None = None  # settled by the first Gaussian release
        self._events: list[Event] = []
        self._charges = 0
        self._lock = Lock()

    @property
    def epsilon(self) -> Fraction:
        """The cap on epsilon."""
        return self._cap

    @property
    def delta(self) -> Fraction:
        """The cap on delta."""
        return self._delta

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that was charged, in order."""
        return tuple(self._events)

    @property
    def spent(self) -> Fraction:
        """The epsilon of all events so far, at the budget's delta: exact for pure events, rounded up for Gaussian noise."""
        return spent(self._events, self._delta)

    @property
    def left(self) -> Fraction:
        """The epsilon that pure releases may still spend."""
        return (self._cap if self._pure_cap is None else self._pure_cap) - totals(self._events)[0]

    def check(self, *events: Event) -> None:
        """Raise `BudgetError` if these events could not be charged now, all of them together."""
        with self._lock:
            before, settled = list(self._events), self._pure_cap
            try:
                self._take(events)
            finally:
                self._events, self._pure_cap = before, settled

    def _take(self, events: tuple[Event, ...]) -> None:
        if len(events) > 1 and all(event.square is None for event in events):
            total = sum((event.epsilon for event in events), Fraction(0))
            self._require(replace(events[0], epsilon=total))  # refused as one, by the sum that was asked for
        for event in sorted(events, key=lambda e: e.square is not None):
            self._require(event)
            if event.square is not None:
                self._pure_cap = self._settled()
            self._events.append(event)

    def _require(self, event: Event) -> None:
        if self._events and (event.neighbours, event.unit) != (self._events[0].neighbours, self._events[0].unit):
            first = self._events[0]
            raise BudgetError(
                f"this budget counts losses for one {first.unit} under {first.neighbours}; a release for one {event.unit} "
                f"under {event.neighbours} does not simply add to them: use a budget of its own"
            )
        if event.delta > 0 and self._delta == 0:
            raise BudgetError(
                f"this budget is pure: it cannot hold an event with delta {words(event.delta)}; use a pure mechanism, or a "
                f"budget with a delta"
            )
        square = totals([*self._events, event])[1]
        if event.square is None:
            if event.epsilon > self.left:
                self._refuse(event, f"{words(self.left)} of {self._limit} is left", f"{words(self.left)} or less")
        elif not fits(self._settled(), square, self._cap, self._delta):
            self._refuse(event, f"that is more than {self._limit} has left for Gaussian noise", "a smaller epsilon")

    def _settled(self) -> Fraction:
        """Return the pure losses' share of the cap once there is Gaussian noise."""
        return totals(self._events)[0] + self._reserve if self._pure_cap is None else self._pure_cap

    def _refuse(self, event: Event, why: str, remedy: str) -> None:
        asked = f"epsilon {words(event.epsilon)}" + (f" with delta {words(event.delta)}" if event.delta else "")
        if event.square is None and self.left <= 0 and self._pure_cap is not None:
            raise BudgetError(
                f"{asked} was asked for, but after the first Gaussian release nothing of {self._limit} is kept for pure ones: "
                "set pure= when the budget is made"
            )
        if event.square is None and self.left <= 0:
            raise BudgetError(
                f"{asked} was asked for, but the budget of {self._limit} is used up by {_releases(self._charges)}: no more "
                "can be released from these data under it"
            )
        raise BudgetError(f"{asked} was asked for, but {why} after {_releases(self._charges)}: ask for {remedy}")

    def charge(self, *events: Event) -> None:
        """Take what the events cost together, or raise `BudgetError` and take nothing.

        Several events are one release in several steps: pure ones count before the Gaussian ones settle what is kept.
        """
        with self._lock:
            before, settled = list(self._events), self._pure_cap
            try:
                self._take(events)
            except BudgetError:
                self._events, self._pure_cap = before, settled
                raise
            self._charges += 1

    @property
    def _limit(self) -> str:
        return words(self._cap) + (f" at delta {words(self._delta)}" if self._delta else "")

    def __repr__(self) -> str:
        return (
            f"budget of epsilon {self._limit}: {words(self.spent)} spent in {_releases(self._charges)}, "
            f"{words(self.left)} left"
        )


def _releases(count: int) -> str:
    return "1 release" if count == 1 else f"{count} releases"
