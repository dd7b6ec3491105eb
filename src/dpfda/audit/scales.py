"""Every coordinate's scale, and the size of the whole, at the dimensions that are used."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from dpfda.mechanisms.base import Mechanism

#: An honest sampler fails once in a million checks.
FALSE_ALARM = 1e-6


@dataclass(frozen=True)
class ScaleResult:
    """Deviations of the mean sizes from the law, in standard errors.

    Parameters
    ----------
    coordinates : tuple of float
        One for |z_j| of each coordinate.
    norm : float
        One for the body's norm of z.
    limit : float
        Deviations beyond this happen to an honest sampler with probability 1e-6 in all.
    """

    coordinates: tuple[float, ...]
    norm: float
    limit: float

    @property
    def passed(self) -> bool:
        """Whether no deviation passes the limit."""
        return max(abs(d) for d in (*self.coordinates, self.norm)) <= self.limit


def check_scales(mechanism: Mechanism, dimension: int, scale: int, draws: int = 20000) -> ScaleResult:
    """Compare the mean of |z_j| and of the body's norm of z with their laws, two-sided.

    For scales of 2^20 and more the integers are the continuous law for every purpose of this check.  Central limits: 20000
    draws see 10 % in either direction.
    """
    z = mechanism.draw(dimension, scale, draws).astype(np.float64) / scale
    sizes = np.abs(z)
    mean = mechanism.mean_sizes(dimension)
    sd = np.sqrt(mechanism.variances(dimension) - mean**2)
    coordinates = (sizes.mean(axis=0) - mean) / (sd / draws**0.5)
    exponents = mechanism.exponents(mechanism.draw(dimension, scale, draws), scale)
    expected, spread = mechanism.exponent_law(dimension)
    norm = (exponents.mean() - expected) / (spread / draws**0.5)
    limit = float(-ndtri(FALSE_ALARM / (2 * (dimension + 1))))
    return ScaleResult(tuple(float(c) for c in coordinates), float(norm), limit)
