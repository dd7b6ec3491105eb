"""What was spent: one charged use of a mechanism on the data."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from dpfda.privacy.amounts import words
from dpfda.privacy.neighbours import Neighbours


@dataclass(frozen=True)
class Event:
    """A use of a mechanism with everything a budget must know to add it up.

    Parameters
    ----------
    mechanism : str
        Its name.
    epsilon, delta : Fraction
        What it costs; delta is 0 for pure mechanisms.
    neighbours : Neighbours
        The relation it hides.
    unit : str
        Whose change it hides: "curve" or "person".
    square : Fraction or None
        mu^2 = (sensitivity / standard deviation)^2 of Gaussian noise, which adds up exactly; None for pure mechanisms.
    parameters : tuple of (str, int) pairs
        The integers that ran: bound, scale, dimension.
    """

    mechanism: str
    epsilon: Fraction
    neighbours: Neighbours
    unit: str
    delta: Fraction = Fraction(0)
    square: Fraction | None = None
    parameters: tuple[tuple[str, int], ...] = field(default=())

    def __str__(self) -> str:
        delta = f", delta {words(self.delta)}" if self.delta else ""
        return f"{self.mechanism} at epsilon {words(self.epsilon)}{delta} ({self.neighbours}, one {self.unit})"
