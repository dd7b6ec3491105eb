"""One charged step of a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpfda.privacy.amounts import words
from dpfda.privacy.composition import fits, totals
from dpfda.privacy.event import Event


@dataclass(frozen=True)
class Sensitivity:
    """How far a summary can move between neighbours.

    Parameters
    ----------
    value : Fraction
        In the units of the values, in the mechanism's norm.
    units : int
        The same in lattice units of the *sum*: the number that the proof and the noise use.
    formula : str
        How it follows from public numbers.
    proof : str
        The page in docs/proofs.
    """

    value: Fraction
    units: int
    formula: str
    proof: str


@dataclass(frozen=True)
class Stage:
    """A step of a recipe: what it asked, what it cost, and how far the answer could move.

    Parameters
    ----------
    what : str
        In words.
    event : Event
        What was charged.
    sensitivity : Sensitivity
        Of what was asked.
    """

    what: str
    event: Event
    sensitivity: Sensitivity

    def __str__(self) -> str:
        if self.event.square is not None:
            cost = f"mu {float(self.event.square) ** 0.5:.4g}"
        else:
            cost = f"epsilon {words(self.event.epsilon)}"
        return f"{self.what}: {self.event.mechanism}, {cost}"


def covers(events: Sequence[Event], epsilon: Fraction, delta: Fraction) -> bool:
    """Tell whether these events are together (epsilon, delta)-private, exactly (docs/proofs/composition.md)."""
    pure, square = totals(events)
    return fits(pure, square, epsilon, delta)
