"""Gaussian noise: (epsilon, delta), calibrated exactly."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from dpfda.errors import ParameterError
from dpfda.mechanisms.base import CoordinateMechanism
from dpfda.noise.bits import Bits, Integers
from dpfda.noise.gaussian import gaussian
from dpfda.noise.geometric import check_scale
from dpfda.privacy.bodies import Ball
from dpfda.privacy.calibrate import delta_of, multiplier
from dpfda.spaces.interval import Floats


class GaussianMechanism(CoordinateMechanism):
    """The nearest integers to independent N(0, s^2), s >= sensitivity times m, m from the exact delta(epsilon)."""

    name = "gaussian"
    body = Ball
    proofs = ("gaussian.md", "rounded.md")
    citations = (
        "Balle, Wang (2018). Improving the Gaussian mechanism for differential privacy. ICML 2018.",
        "Johansson (2017). Arb: efficient arbitrary-precision midpoint-radius interval arithmetic. IEEE Trans. Computers 66.",
    )

    @property
    def pure(self) -> bool:
        return False

    def calibrate(self, epsilon: Fraction, delta: Fraction, calibration: str) -> Fraction:
        return multiplier(epsilon, delta, calibration)

    def square(self, sensitivity: int, scale: int) -> Fraction | None:
        return Fraction(sensitivity, scale) ** 2

    def confirm(self, sensitivity: int, scale: int, epsilon: Fraction, delta: Fraction) -> None:
        if delta_of(epsilon, Fraction(sensitivity, scale) ** 2) > delta:
            raise ParameterError(f"Gaussian noise of scale {scale} does not give epsilon {epsilon} and delta {delta}")

    def draw(self, dimension: int, scale: int, size: int, bits: Bits | None = None) -> Integers:
        return gaussian(scale, size * dimension, bits).reshape(size, dimension)

    def check(self, dimension: int, scale: int) -> None:
        check_scale(scale)

    def variances(self, dimension: int) -> Floats:
        return np.ones(dimension)

    def mean_sizes(self, dimension: int) -> Floats:
        return np.full(dimension, math.sqrt(2 / math.pi))

    def exceeds(self, half_width: int, dimension: int, scale: int, coordinates: int) -> float:
        # The nearest integer passes k when the real number passes k + 1/2; coordinates are independent.
        if half_width < 0:
            return 1.0
        one = math.erfc((half_width + 0.5) / (scale * math.sqrt(2)))
        return -math.expm1(coordinates * math.log1p(-min(one, 1 - 1e-16)))

    def exponents(self, vectors: Integers, scale: int) -> Floats:
        return np.asarray(0.5 * (self._plain_norms(vectors) / scale) ** 2)

    def exponent_law(self, dimension: int) -> tuple[float, float]:
        return dimension / 2, math.sqrt(dimension / 2)

    def _plain_norms(self, vectors: Integers) -> Floats:
        return np.asarray(np.linalg.norm(vectors.astype(np.float64), axis=1))
