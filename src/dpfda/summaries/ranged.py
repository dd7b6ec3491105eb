"""Values in a public range."""

from __future__ import annotations

from fractions import Fraction


class Ranged:
    """What a summary of values between `lower` and `upper` shares: the middle and half the width of that range."""

    lower: Fraction
    upper: Fraction

    @property
    def half(self) -> Fraction:
        """Half the width of the range."""
        return (self.upper - self.lower) / 2

    @property
    def middle(self) -> Fraction:
        """The public centre."""
        return (self.upper + self.lower) / 2
