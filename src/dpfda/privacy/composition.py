"""How events add up: pure epsilons by their sum, Gaussians by the sum of mu^2 (docs/proofs/composition.md)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dpfda.privacy.calibrate import delta_of
from dpfda.privacy.event import Event

#: The epsilon of Gaussian noise is found to this accuracy, rounded up.
_GRAIN = Fraction(1, 1 << 30)


def totals(events: Sequence[Event]) -> tuple[Fraction, Fraction]:
    """Return the sum of the pure epsilons and the sum of the Gaussians' mu^2, exactly."""
    pure = sum((e.epsilon for e in events if e.square is None), Fraction(0))
    square = sum((e.square for e in events if e.square is not None), Fraction(0))
    return pure, square


def fits(pure: Fraction, square: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Tell whether pure losses and Gaussian ones, of caps fixed beforehand, are together (epsilon, delta)-private."""
    if pure > epsilon:
        return False
    return square == 0 or (delta > 0 and delta_of(epsilon - pure, square) <= delta)


def spent(events: Sequence[Event], delta: Fraction) -> Fraction:
    """Return the least epsilon at which these events, had they been planned beforehand, are (epsilon, delta)-private.

    Exact where there is no Gaussian noise, rounded up elsewhere.  An account of what was used; what holds whatever was asked
    for in the light of earlier answers is the cap of a budget.
    """
    pure, square = totals(events)
    if square == 0:
        return pure
    if delta_of(Fraction(0), square) <= delta:
        return pure
    low, high = Fraction(0), Fraction(1)
    while delta_of(high, square) > delta:
        low, high = high, 2 * high
    while high - low > _GRAIN * high:
        middle = (low + high) / 2
        low, high = (middle, high) if delta_of(middle, square) > delta else (low, middle)
    return pure + high
