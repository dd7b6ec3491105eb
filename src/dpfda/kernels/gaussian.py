"""The Gaussian kernel."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpfda.kernels.base import Floats, SmoothKernel, positive


@dataclass(frozen=True)
class Gaussian(SmoothKernel):
    """k = exp(-d^2 / (2 length^2)).

    Its paths are smooth and its eigenvalues fall faster than any power, so float64 knows only the first few dozen.

    References
    ----------
    Hall, Rinaldo, Wasserman (2013), section 4.1; Mirshani, Reimherr, Slavkovic (2019), kernel C1.
    """

    length: float

    def __post_init__(self) -> None:
        positive(self.length, "length of a Gaussian kernel")

    @classmethod
    def from_rho(cls, rho: float) -> Gaussian:
        """Return exp(-d^2 / rho): the way Mirshani, Reimherr and Slavkovic (2019) write C1."""
        positive(rho, "rho of a Gaussian kernel")
        return cls(math.sqrt(rho / 2))

    def profile(self, distance: Floats) -> Floats:
        return np.asarray(np.exp(-0.5 * (distance / self.length) ** 2))

    @property
    def lengths(self) -> tuple[float, ...]:
        return (self.length,)

    def stretched(self, factor: float) -> Gaussian:
        return Gaussian(self.length * factor)
