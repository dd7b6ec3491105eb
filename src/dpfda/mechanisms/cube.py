"""Box noise: the body is the cube, the best for values in a public range."""

from __future__ import annotations

import math

import numpy as np

from dpfda.mechanisms.base import CoordinateMechanism
from dpfda.noise.bits import Bits, Integers
from dpfda.noise.cube import check_cube, cube
from dpfda.privacy.bodies import Cube
from dpfda.spaces.interval import Floats


class CubeMechanism(CoordinateMechanism):
    """P(z) proportional to exp(-max |z_j| / t)."""

    name = "cube"
    body = Cube
    proofs = ("k-norm.md", "cube.md")
    citations = (
        "Hardt, Talwar (2010). On the geometry of differential privacy. STOC 2010.",
        "Steinke, Ullman (2017). Between pure and approximate differential privacy. J. Privacy Confidentiality 7(2).",
        "Awan, Slavkovic (2021). Structure and sensitivity in differential privacy. J. Amer. Statist. Assoc. 116.",
    )

    def draw(self, dimension: int, scale: int, size: int, bits: Bits | None = None) -> Integers:
        return cube(dimension, scale, size, bits)

    def check(self, dimension: int, scale: int) -> None:
        check_cube(dimension, scale)

    def variances(self, dimension: int) -> Floats:
        return np.full(dimension, (dimension + 1) * (dimension + 2) / 3)

    def mean_sizes(self, dimension: int) -> Floats:
        return np.full(dimension, (dimension + 1) / 2)

    def exceeds(self, half_width: int, dimension: int, scale: int, coordinates: int) -> float:
        """Return a bound from the continuous law, which the integers follow within a factor exp(+-1/t).

        The nearest integers to X = t G U, G ~ Gamma(N+1), U uniform on the cube, have a law whose ratio to the exact one
        lies between exp(-1/t) and exp(1/t).  With x = (k + 1/2)/t, some of the first d coordinates pass k with probability
        E[(1 - (x/G)^d)+] = e^-x sum_{j<=N} x^j/j! (1 - C(j,d)/C(N,d))  (docs/proofs/bands.md).
        """
        if half_width < 0:
            return 1.0
        n, d, x = dimension, coordinates, (half_width + 0.5) / scale
        tail = sum(
            math.exp(j * math.log(x) - x - math.lgamma(j + 1)) * (1 - math.comb(j, d) / math.comb(n, d))
            for j in range(n)
        )
        return min(1.0, math.exp(1 / scale) * tail)

    def _plain_norms(self, vectors: Integers) -> Floats:
        return np.asarray(np.abs(vectors.astype(np.float64)).max(axis=1))
