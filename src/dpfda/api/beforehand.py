"""What a caller should hear before anything is spent, from public numbers alone."""

from __future__ import annotations

import warnings
from fractions import Fraction

from dpfda.errors import AccuracyWarning

#: Noise that is expected to be larger than this share of the range cannot locate a curve in it.
LOST = 0.25


def warn_if_lost(noise: float, n: int, epsilon: Fraction, ends: tuple[Fraction, Fraction]) -> None:
    """Warn where the noise will be so large beside the range of values that the curve can hardly be located in it.

    Parameters
    ----------
    noise : float
        Expected root mean square, in halves of the range.
    n, epsilon, ends
        Public: how many persons, or the guess; what may be spent; the range.
    """
    share = noise / 2
    if share <= LOST:
        return
    low, high = map(float, ends)
    needed = float(n * epsilon) * share / LOST
    warnings.warn(
        f"with n epsilon = {float(n * epsilon):.3g} the noise will be about {share:.0%} of the range {low:g} to {high:g}, which can "
        f"hardly locate the curve in it: a narrower range from what is known beforehand, or n epsilon of {needed:.2g} and more, would help",
        AccuracyWarning,
        stacklevel=4,
    )
