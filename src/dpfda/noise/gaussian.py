"""The nearest integers to Gaussian variables."""

from __future__ import annotations

from collections.abc import Sequence

import flint
import numpy as np

from dpfda.noise.bits import Bits, Integers
from dpfda.noise.enclosure import nearest, normal_pair, settle
from dpfda.noise.geometric import check_scale


def gaussian(scale: int, size: int, bits: Bits | None = None) -> Integers:
    """Draw `size` independent integers, each the nearest to N(0, scale^2).

    S + round(Z) = round(S + Z) for an integer S, so adding them to integer sums is post-processing of adding the real
    Gaussian (docs/proofs/gaussian.md).
    """
    s, bits = check_scale(scale), bits or Bits()
    drawn: list[int] = []

    def pair(u: Sequence[flint.arb]) -> list[int] | None:
        return nearest(s * z for z in normal_pair(u[0], u[1]))

    while len(drawn) < size:
        drawn += settle(pair, 2, bits)
    return np.array(drawn[:size], dtype=np.int64)
