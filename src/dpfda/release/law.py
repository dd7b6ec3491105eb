"""How the noise of a release reaches its values, exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpfda.mechanisms import MECHANISMS, CoordinateMechanism, Mechanism
from dpfda.mechanisms.choices import law_of
from dpfda.spaces.interval import Floats


@dataclass(frozen=True)
class NoiseLaw:
    """Integer noise at scale t on sums, and the way from sums to values.

    value_j = middle + step_j * sum_j / count.  Where the count is public it has no noise; where it is released,
    count = (noisy sum of W) / W and `count_weight` is W.

    Parameters
    ----------
    mechanism : str
        The mechanism's name.
    dimension : int
        Coordinates that got noise, the count included.
    scale : int
        t.
    steps : tuple of float
        Real size of a lattice unit of every coordinate.
    middle : float, or one for every value
        What is added: the middle of a range, or the centre of a second look.
    count : float
        n, or its noisy estimate.
    count_weight : int
        W, or 0.
    rounding : tuple of float
        A bound for every coordinate, in lattice units a record, on what quantising moved.
    sizes : tuple of int
        Of the blocks, where the mechanism has blocks.
    """

    mechanism: str
    dimension: int
    scale: int
    steps: tuple[float, ...]
    middle: float | tuple[float, ...]
    count: float
    count_weight: int
    rounding: tuple[float, ...]
    sizes: tuple[int, ...] = ()

    @property
    def law(self) -> Mechanism:
        """What draws the noise."""
        return MECHANISMS[self.mechanism] if self.mechanism in MECHANISMS else law_of(self.mechanism, self.sizes)

    @property
    def sds(self) -> Floats:
        """Standard deviation of every released value's noise, to first order where the count is noisy."""
        variances = self.law.variances(self.dimension)[: len(self.steps)]
        return np.asarray(np.array(self.steps) * self.scale * np.sqrt(variances) / self.count)

    @property
    def noise_sd(self) -> float:
        """Standard deviation of the noise in a released cell average."""
        return float(self.sds[0])

    @property
    def noise_rms(self) -> float:
        """Root mean square of the noise over the domain, for coefficients in an orthonormal basis."""
        return float(np.sqrt((self.sds**2).sum()))

    def half_widths(self, raw: Floats, level: float, simultaneous: bool) -> Floats:
        """Return how far the unreleased cell values may be from the released ones, with probability `level`.

        With a public n: step (k/n + rounding).  With a noisy count N' = W n' the truth is (S' - z)/(N' - z0), which is
        within k (N' + W |r|)/(N' - k)/n' of r = S'/n' when all |z| <= k (docs/proofs/bands.md).
        """
        law = self.law
        if not isinstance(law, CoordinateMechanism):
            raise TypeError(f"{self.mechanism} noise has no closed law of single coordinates")
        steps, rounding = np.array(self.steps), np.array(self.rounding)
        noisy_count = self.count_weight > 0
        coordinates = self.dimension if simultaneous else 1 + noisy_count
        k = law.half_width(level, self.dimension, self.scale, coordinates)
        ulps = 4 * np.spacing(np.abs(raw))
        if not noisy_count:
            return np.asarray(steps * (k / self.count + rounding) + ulps)
        total = self.count * self.count_weight
        if total <= k:
            return np.full(len(raw), np.inf)
        units = np.abs(raw - self.middle) / steps
        shift = k * (1 + units / self.count_weight) / (total - k) * self.count_weight
        return np.asarray(steps * (shift + rounding) + ulps)

    def differences(self, raw: Floats, noise: Floats) -> Floats:
        """Return released minus unreleased values for draws of the noise, given the release; a row a draw.

        Where a draw leaves no positive count, the row is infinite.
        """
        steps = np.array(self.steps)
        if not self.count_weight:
            return np.asarray(noise * (steps / self.count))
        total = self.count * self.count_weight
        left = total - noise[:, -1:]
        safe = np.where(left > 0, left, math.nan)
        sums = (raw - self.middle) / steps * self.count
        truth = (sums - noise[:, :-1]) / safe * self.count_weight * steps
        return np.where(left > 0, (raw - self.middle) - truth, math.inf)
