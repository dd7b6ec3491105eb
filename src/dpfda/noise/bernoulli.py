"""Coins that fall with probability exp(-a/b), from integers alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpfda.errors import EntropyError
from dpfda.noise.bits import Bits, Integers, below

_MAX_STEPS = 256


def bernoulli_exp(numerators: Integers, denominators: Integers, bits: Bits) -> NDArray[np.bool_]:
    """Return True with probability exp(-a/b) for each pair 0 <= a <= b, exactly.

    Coins with probability a/(b k), k = 1, 2, ..., are tossed until one fails.  The first failure comes after step k with
    probability (a/b)^k/k!, so it comes at an odd step with probability 1 - a/b + (a/b)^2/2! - ... = exp(-a/b)
    (Canonne, Kamath and Steinke 2020, algorithm 1; docs/proofs/bernoulli-exp.md).
    """
    at_odd_step = np.empty(numerators.size, np.bool_)
    going = np.arange(numerators.size)
    for step in range(1, _MAX_STEPS + 1):
        if not going.size:
            return at_odd_step
        hit = below(denominators[going] * step, bits) < numerators[going]
        at_odd_step[going[~hit]] = step % 2 == 1
        going = going[hit]
    if going.size:
        raise EntropyError("an event of probability 1/256! happened: the operating system's random bits are broken")
    return at_odd_step
