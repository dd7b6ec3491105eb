"""The periodic kernel."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpfda.kernels.base import Floats, SmoothKernel, positive


@dataclass(frozen=True)
class Periodic(SmoothKernel):
    """k = exp(-2 sin^2(pi d / period) / length^2); `length` is a pure number.

    On a circle whose circumference is the period its eigenvalues are exp(-z) I_j(z), z = 1/length^2, twice each but the
    first: sin and cos of the same frequency.

    Parameters
    ----------
    length : float
        How many radians or so two points of the circle may be apart and still be alike.
    period : float
        In the units of the domain.
    """

    length: float
    period: float

    def __post_init__(self) -> None:
        positive(self.length, "length of a periodic kernel")
        positive(self.period, "period of a periodic kernel")

    def profile(self, distance: Floats) -> Floats:
        return np.asarray(np.exp(-2 * (np.sin(math.pi * np.asarray(distance) / self.period) / self.length) ** 2))

    @property
    def lengths(self) -> tuple[float, ...]:
        return (self.length * self.period / (2 * math.pi),)

    @property
    def radial(self) -> bool:
        return False

    def stretched(self, factor: float) -> Periodic:
        return Periodic(self.length, self.period * factor)
