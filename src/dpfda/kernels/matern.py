"""The Matern family, the exponential kernel among it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from dpfda.kernels.base import Floats, Kernel, positive


@dataclass(frozen=True)
class Matern(Kernel):
    """k = 2^(1-nu)/Gamma(nu) z^nu K_nu(z) with z = sqrt(2 nu) d / length.

    Half-integer nu give a polynomial times exp(-z).  Mirshani's C2, C3, C4 with range rho are Matern(2.5, rho),
    Matern(1.5, rho) and Exponential(rho).

    Parameters
    ----------
    nu : float
        Paths can be differentiated ceil(nu) - 1 times; eigenvalues fall like j^-(2 nu + 1).
    length : float
        In the units of the domain.

    References
    ----------
    Mirshani, Reimherr, Slavkovic (2019), supplement, (6); Lin, Reimherr (2026), section 6.1.
    """

    nu: float
    length: float

    def __post_init__(self) -> None:
        positive(self.nu, "nu of a Matern kernel")
        positive(self.length, "length of a Matern kernel")

    def profile(self, distance: Floats) -> Floats:
        z = math.sqrt(2 * self.nu) / self.length * np.asarray(distance, float)
        if (self.nu - 0.5) == int(self.nu) and self.nu < 20:
            return _half_integer(int(self.nu), z)
        small = z < 1e-12
        safe = np.where(small, 1.0, z)
        log_bessel = np.log(scipy.special.kve(self.nu, safe)) - safe
        values = np.exp((1 - self.nu) * math.log(2) - math.lgamma(self.nu) + self.nu * np.log(safe) + log_bessel)
        return np.where(small, 1.0, values)

    @property
    def decay(self) -> float:
        return 2 * self.nu + 1

    @property
    def smoothness(self) -> float:
        return math.ceil(self.nu) - 1

    @property
    def lengths(self) -> tuple[float, ...]:
        return (self.length,)

    @property
    def singular(self) -> bool:
        return (self.nu - 0.5) != int(self.nu)

    def stretched(self, factor: float) -> Matern:
        return Matern(self.nu, self.length * factor)


def Exponential(length: float) -> Matern:  # noqa: N802
    """Return exp(-d / length), Matern's nu = 1/2: continuous paths without a derivative."""
    return Matern(0.5, length)


def _half_integer(p: int, z: Floats) -> Floats:
    """exp(-z) p!/(2p)! sum_i (p+i)!/(i! (p-i)!) (2z)^(p-i)."""
    total = np.zeros_like(z)
    for i in range(p + 1):
        log_c = math.lgamma(p + i + 1) - math.lgamma(i + 1) - math.lgamma(p - i + 1)
        total += math.exp(log_c + math.lgamma(p + 1) - math.lgamma(2 * p + 1)) * (2 * z) ** (p - i)
    return np.asarray(total * np.exp(-z))
