"""The role every mechanism plays."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from dpfda.errors import ParameterError
from dpfda.noise.bits import Bits, Integers
from dpfda.privacy.bodies import Body
from dpfda.privacy.lattice import Lattice
from dpfda.spaces.interval import Floats


class Mechanism(ABC):
    """Integer noise of density proportional to exp(-|z|_K / t) on the lattice, K the mechanism's body.

    If neighbours' integer sums differ by at most `lattice.sensitivity` in the norm of K, adding a draw is
    epsilon-private with epsilon = sensitivity / t (docs/proofs/k-norm.md).
    """

    name: ClassVar[str]
    body: ClassVar[type[Body]]
    #: Pages in docs/proofs that the guarantee rests on.
    proofs: ClassVar[tuple[str, ...]]
    citations: ClassVar[tuple[str, ...]]

    @property
    def pure(self) -> bool:
        """Whether it gives epsilon with delta 0."""
        return True

    def body_of(self, weights: tuple[Fraction, ...]) -> Body:
        """Return the mechanism's body with these weights."""
        return self.body(weights)

    def calibrate(self, epsilon: Fraction, delta: Fraction, calibration: str) -> Fraction:
        """Return the scale of the noise for a sensitivity of one: 1/epsilon for a pure mechanism."""
        return 1 / epsilon

    def square(self, sensitivity: int, scale: int) -> Fraction | None:
        """Return mu^2 = (sensitivity / scale)^2 for Gaussian noise, None for a pure mechanism."""
        return None

    def confirm(self, sensitivity: int, scale: int, epsilon: Fraction, delta: Fraction) -> None:
        """Check, from the integers that will run, that they give what is claimed; raise `ParameterError` if not."""
        if Fraction(sensitivity, scale) > epsilon:
            raise ParameterError(
                f"noise of scale {scale} on a sensitivity of {sensitivity} does not give epsilon {epsilon}"
            )

    @abstractmethod
    def draw(self, dimension: int, scale: int, size: int, bits: Bits | None = None) -> Integers:
        """Return `size` exact draws, one a row."""

    @abstractmethod
    def check(self, dimension: int, scale: int) -> None:
        """Raise `ParameterError` where the sampler could not serve this plan; before any budget is spent."""

    @abstractmethod
    def variances(self, dimension: int) -> Floats:
        """Return the variance of every coordinate at scale 1."""

    @abstractmethod
    def mean_sizes(self, dimension: int) -> Floats:
        """Return the mean of the absolute value of every coordinate at scale 1."""

    def exponents(self, vectors: Integers, scale: int) -> Floats:
        """Return -log P(z) of rows, up to a constant: the norm over the scale for K-norm noise."""
        return self._plain_norms(vectors) / scale

    def exponent_law(self, dimension: int) -> tuple[float, float]:
        """Return mean and standard deviation of the exponent; a norm over its scale follows Gamma(dimension)."""
        return float(dimension), math.sqrt(dimension)

    @abstractmethod
    def _plain_norms(self, vectors: Integers) -> Floats:
        """Return the body's norm of each row, weights one."""

    def perturb(self, total: Sequence[int], lattice: Lattice) -> tuple[int, ...]:
        """Return the integer sums plus one exact draw at the lattice's scale."""
        noise = self.draw(lattice.noisy_dimension, lattice.scale, 1)[0]
        return tuple(int(s) + int(z) for s, z in zip(total, noise, strict=True))


class CoordinateMechanism(Mechanism):
    """A mechanism whose law of single coordinates is known in closed form: what bands of cell values need."""

    @abstractmethod
    def exceeds(self, half_width: int, dimension: int, scale: int, coordinates: int) -> float:
        """Return at least P(max over the first `coordinates` of |z_j| > half_width), and hardly more."""

    def half_width(self, level: float, dimension: int, scale: int, coordinates: int) -> int:
        """Return the least integer k found with P(some |z_j| > k) <= 1 - level over that many coordinates."""
        low, high = -1, 1
        while self.exceeds(high, dimension, scale, coordinates) > 1 - level:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            if self.exceeds(middle, dimension, scale, coordinates) > 1 - level:
                low = middle
            else:
                high = middle
        return high
