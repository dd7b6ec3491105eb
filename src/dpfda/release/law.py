"""How the noise of a release reaches its values, exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpfda.mechanisms import mechanism_named
from dpfda.spaces.interval import Floats


@dataclass(frozen=True)
class NoiseLaw:
    """Integer noise at scale t on sums, and the way from sums to values.

    value_j = middle + step * sum_j / count.  Where the count is public it has no noise; where it is released,
    count = (noisy sum of W) / W and `count_weight` is W.

    Parameters
    ----------
    mechanism : str
        The law's name.
    dimension : int
        Coordinates that got noise, the count included.
    scale : int
        t.
    step, middle : float
        Real size of a lattice unit, and the public centre.
    count : float
        n, or its noisy estimate.
    count_weight : int
        W, or 0.
    rounding : float
        A bound, in lattice units a record, on what quantising moved.
    """

    mechanism: str
    dimension: int
    scale: int
    step: float
    middle: float
    count: float
    count_weight: int
    rounding: float

    @property
    def noise_sd(self) -> float:
        """Standard deviation of a released value's noise, to first order where the count is noisy."""
        return (
            self.step
            * self.scale
            * math.sqrt(float(mechanism_named(self.mechanism).variances(self.dimension)[0]))
            / self.count
        )

    def half_widths(self, raw: Floats, level: float, simultaneous: bool) -> Floats:
        """Return how far the unreleased values may be from the released ones, with probability `level`.

        With a public n: step (k/n + rounding).  With a noisy count N' = W n' the truth is (S' - z)/(N' - z0), which is
        within k (N' + W |r|)/(N' - k)/n' of r = S'/n' when all |z| <= k (docs/proofs/bands.md).
        """
        mechanism = mechanism_named(self.mechanism)
        noisy_count = self.count_weight > 0
        coordinates = self.dimension if simultaneous else 1 + noisy_count
        k = mechanism.half_width(level, self.dimension, self.scale, coordinates)
        if not noisy_count:
            return self.step * (k / self.count + self.rounding) + 4 * np.spacing(np.abs(raw))
        total = self.count * self.count_weight
        if total <= k:
            return np.full(len(raw), np.inf)
        units = np.abs(raw - self.middle) / self.step
        shift = k * (1 + units / self.count_weight) / (total - k) * self.count_weight
        return np.asarray(self.step * (shift + self.rounding) + 4 * np.spacing(np.abs(raw)))
