"""Three closed-form orthonormal families on an interval: Legendre, cosine, Fourier."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre

from dpfda.spaces.basis import Basis
from dpfda.spaces.interval import Floats


@dataclass(frozen=True, eq=False)
class LegendreBasis(Basis):
    """sqrt(2j+1) P_j(2x - 1): polynomials, good for smooth curves that do not come back to where they began."""

    def evaluate(self, points: Floats, order: int = 0) -> Floats:
        x = 2 * self._unit(points) - 1
        scale = np.sqrt(2 * np.arange(self.count) + 1.0)
        if order == 0:
            return np.asarray(legendre.legvander(x, self.count - 1) * scale)
        if order >= self.count:
            return np.zeros((len(x), self.count))
        derived = legendre.legder(np.diag(scale), order)
        values = legendre.legvander(x, self.count - 1 - order) @ derived
        return np.asarray(values * (2 / self.domain.length) ** order)

    def truncate(self, count: int) -> LegendreBasis:
        return LegendreBasis(self.domain, min(count, self.count))


@dataclass(frozen=True, eq=False)
class CosineBasis(Basis):
    """1, sqrt 2 cos(pi j x): no jump at the ends, slope zero there."""

    def evaluate(self, points: Floats, order: int = 0) -> Floats:
        j = np.arange(self.count)
        return _waves(self._unit(points), np.asarray(math.pi * j), np.zeros(self.count), order, self.domain.length)

    def truncate(self, count: int) -> CosineBasis:
        return CosineBasis(self.domain, min(count, self.count))


@dataclass(frozen=True, eq=False)
class FourierBasis(Basis):
    """1, sqrt 2 cos(2 pi k x), sqrt 2 sin(2 pi k x): for periodic curves."""

    def evaluate(self, points: Floats, order: int = 0) -> Floats:
        j = np.arange(self.count)
        k = (j + 1) // 2
        shift = np.where((j % 2 == 0) & (j > 0), -math.pi / 2, 0.0)  # cos(z - pi/2) = sin z
        return _waves(self._unit(points), np.asarray(2 * math.pi * k), shift, order, self.domain.length)

    def truncate(self, count: int) -> FourierBasis:
        return FourierBasis(self.domain, min(count, self.count))


def _waves(x: Floats, frequencies: Floats, shifts: Floats, order: int, length: float) -> Floats:
    """Return sqrt 2 cos(w x + shift), 1 for w = 0, or derivatives: each turns the phase by a quarter."""
    values = math.sqrt(2) * np.cos(x[:, None] * frequencies + shifts + order * math.pi / 2)
    values *= (frequencies / length) ** order
    still = frequencies == 0
    values[:, still] = 1.0 if order == 0 else 0.0
    return np.asarray(values)
