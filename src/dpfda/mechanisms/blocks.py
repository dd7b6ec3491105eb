"""Spherical noise, and blocks of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpfda.mechanisms.base import Mechanism
from dpfda.noise.ball import ball
from dpfda.noise.bits import Bits, Integers
from dpfda.noise.geometric import check_scale
from dpfda.privacy.bodies import Ball, Blocks, Body
from dpfda.spaces.interval import Floats


class BallMechanism(Mechanism):
    """Density proportional to exp(-|x|_2 / t), rounded to the nearest integers."""

    name = "ball"
    body = Ball
    proofs = ("k-norm.md", "ball.md", "rounded.md")
    citations = (
        "Hardt, Talwar (2010). On the geometry of differential privacy. STOC 2010.",
        "Chaudhuri, Monteleoni, Sarwate (2011). Differentially private empirical risk minimization. J. Mach. Learn. Res. 12.",
    )

    def draw(self, dimension: int, scale: int, size: int, bits: Bits | None = None) -> Integers:
        return ball(dimension, scale, size, bits)

    def check(self, dimension: int, scale: int) -> None:
        check_scale(scale)

    def variances(self, dimension: int) -> Floats:
        return np.full(dimension, dimension + 1.0)

    def mean_sizes(self, dimension: int) -> Floats:
        return np.full(dimension, _mean_size(dimension))

    def _plain_norms(self, vectors: Integers) -> Floats:
        return np.asarray(np.linalg.norm(vectors.astype(np.float64), axis=1))


@dataclass(frozen=True)
class BlocksMechanism(Mechanism):
    """Density proportional to exp(-sum_g |x_g|_2 / t): independent spherical noise in each block of coordinates.

    Parameters
    ----------
    sizes : tuple of int
        Of the blocks, in order.  A coordinate more than they hold, the count, is a block of its own.
    """

    sizes: tuple[int, ...]

    name = "blocks"
    body = Blocks
    proofs = ("k-norm.md", "ball.md", "rounded.md")
    citations = BallMechanism.citations

    def body_of(self, weights: tuple[Fraction, ...]) -> Body:
        return Blocks(weights, self.sizes)

    def draw(self, dimension: int, scale: int, size: int, bits: Bits | None = None) -> Integers:
        return np.column_stack([ball(m, scale, size, bits) for m in self._sizes(dimension)])

    def check(self, dimension: int, scale: int) -> None:
        check_scale(scale)

    def variances(self, dimension: int) -> Floats:
        return np.concatenate([np.full(m, m + 1.0) for m in self._sizes(dimension)])

    def mean_sizes(self, dimension: int) -> Floats:
        return np.concatenate([np.full(m, _mean_size(m)) for m in self._sizes(dimension)])

    def _plain_norms(self, vectors: Integers) -> Floats:
        ends = np.cumsum(self._sizes(vectors.shape[1]))[:-1]
        parts = np.split(vectors.astype(np.float64), ends, axis=1)
        return np.asarray(sum(np.linalg.norm(part, axis=1) for part in parts))

    def _sizes(self, dimension: int) -> tuple[int, ...]:
        """Return the blocks of so many coordinates, the count's own included."""
        return self.sizes + (1,) * (dimension - sum(self.sizes))


def _mean_size(m: int) -> float:
    """E|X_1| for X = R Z: E R = sqrt 2 Gamma(m/2 + 1)/Gamma((m+1)/2) times E|N(0,1)| = sqrt(2/pi)."""
    return 2 / math.sqrt(math.pi) * math.exp(math.lgamma(m / 2 + 1) - math.lgamma((m + 1) / 2))
