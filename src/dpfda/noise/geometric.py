"""Geometric integers, P(g) = (1 - q) q^g with q = exp(-1/t), from integers alone."""

from __future__ import annotations

import numpy as np

from dpfda.errors import ParameterError
from dpfda.noise.bernoulli import bernoulli_exp
from dpfda.noise.bits import Bits, Integers, below

#: With scales up to 2^44 and at most 256 coins, products stay below the 2^53 that `below` allows.
MAX_SCALE = 1 << 44


def check_scale(scale: int) -> int:
    """Return the integer scale, or say which scales there are."""
    if isinstance(scale, bool) or not isinstance(scale, int | np.integer) or not 1 <= scale <= MAX_SCALE:
        raise ParameterError(f"the scale of integer noise is a whole number from 1 to 2^44, not {scale!r}")
    return int(scale)


def geometric(scale: int, size: int, bits: Bits) -> Integers:
    """Draw `size` independent geometric integers of scale t, exactly.

    g = u + t v: u uniform below t and kept with probability exp(-u/t), v the number of successes of coins with
    probability exp(-1) before the first failure; P(g) is then proportional to exp(-u/t) exp(-v) = exp(-g/t)
    (docs/proofs/geometric.md).
    """
    t = check_scale(scale)
    remainder = np.empty(size, np.int64)
    waiting = np.arange(size)
    while waiting.size:
        limits = np.full(waiting.size, t, np.int64)
        remainder[waiting] = below(limits, bits)
        waiting = waiting[~bernoulli_exp(remainder[waiting], limits, bits)]
    quotient = np.zeros(size, np.int64)
    going = np.arange(size)
    while going.size:
        ones = np.ones(going.size, np.int64)
        going = going[bernoulli_exp(ones, ones, bits)]
        quotient[going] += 1
    return remainder + t * quotient
