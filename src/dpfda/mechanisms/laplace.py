"""Independent Laplace noise: the body is the cross-polytope."""

from __future__ import annotations

import math

import numpy as np

from dpfda.mechanisms.base import CoordinateMechanism
from dpfda.noise.bits import Bits, Integers
from dpfda.noise.geometric import check_scale
from dpfda.noise.laplace import laplace
from dpfda.privacy.bodies import CrossPolytope
from dpfda.spaces.interval import Floats


class LaplaceMechanism(CoordinateMechanism):
    """P(z) proportional to exp(-sum |z_j| / t): coordinates are independent discrete Laplace variables."""

    name = "laplace"
    body = CrossPolytope
    proofs = ("k-norm.md", "discrete-laplace.md")
    citations = (
        "Dwork, McSherry, Nissim, Smith (2006). Calibrating noise to sensitivity in private data analysis. TCC 2006.",
        "Ghosh, Roughgarden, Sundararajan (2012). Universally utility-maximizing privacy mechanisms. SIAM J. Comput. 41.",
        "Canonne, Kamath, Steinke (2020). The discrete Gaussian for differential privacy. NeurIPS 33.",
    )

    def draw(self, dimension: int, scale: int, size: int, bits: Bits | None = None) -> Integers:
        return laplace(scale, size * dimension, bits).reshape(size, dimension)

    def check(self, dimension: int, scale: int) -> None:
        check_scale(scale)

    def variances(self, dimension: int) -> Floats:
        return np.full(dimension, 2.0)

    def mean_sizes(self, dimension: int) -> Floats:
        return np.ones(dimension)

    def exceeds(self, half_width: int, dimension: int, scale: int, coordinates: int) -> float:
        # P(|z| > k) = 2 q^(k+1) / (1 + q), exactly; coordinates are independent.
        if half_width < 0:
            return 1.0
        one = 2 * math.exp(-(half_width + 1) / scale) / (1 + math.exp(-1 / scale))
        return -math.expm1(coordinates * math.log1p(-min(one, 1 - 1e-16)))

    def _plain_norms(self, vectors: Integers) -> Floats:
        return np.asarray(np.abs(vectors.astype(np.float64)).sum(axis=1))
