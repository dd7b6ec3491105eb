"""The role every mechanism plays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

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

    @abstractmethod
    def draw(self, dimension: int, scale: int, size: int, bits: Bits | None = None) -> Integers:
        """Return `size` exact draws, one a row."""

    @abstractmethod
    def check(self, dimension: int, scale: int) -> None:
        """Raise `ParameterError` where the sampler could not serve this plan; before any budget is spent."""

    @abstractmethod
    def variance(self, dimension: int) -> float:
        """Return the variance of one coordinate at scale 1."""

    @abstractmethod
    def mean_size(self, dimension: int) -> float:
        """Return the mean of the absolute value of one coordinate at scale 1."""

    @abstractmethod
    def exceeds(self, half_width: int, dimension: int, scale: int, coordinates: int) -> float:
        """Return at least P(max over the first `coordinates` of |z_j| > half_width), and hardly more."""

    def log_density(self, vectors: Integers, scale: int) -> Floats:
        """Return log P(z) for rows, up to a constant; what a likelihood-ratio test compares."""
        return -self._plain_norms(vectors).astype(float) / scale

    @staticmethod
    @abstractmethod
    def _plain_norms(vectors: Integers) -> Integers:
        """Return the body's norm of each row, weights one."""

    def perturb(self, total: Sequence[int], lattice: Lattice) -> tuple[int, ...]:
        """Return the integer sums plus one exact draw at the lattice's scale."""
        noise = self.draw(lattice.noisy_dimension, lattice.scale, 1)[0]
        return tuple(int(s) + int(z) for s, z in zip(total, noise, strict=True))

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
