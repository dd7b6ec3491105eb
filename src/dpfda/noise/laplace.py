"""Discrete Laplace integers, P(k) proportional to exp(-|k|/t), from integers alone."""

from __future__ import annotations

import numpy as np

from dpfda.noise.bits import Bits, Integers
from dpfda.noise.geometric import check_scale, geometric


def laplace(scale: int, size: int, bits: Bits | None = None) -> Integers:
    """Draw `size` independent discrete Laplace integers of scale t, exactly.

    A fair sign and a geometric size; the pair (minus, zero) is thrown away *whole*, sign and size, because keeping the
    size would make zero too likely: P(k) = (1 - q) q^|k| / (1 + q), q = exp(-1/t) (docs/proofs/discrete-laplace.md).

    Parameters
    ----------
    scale : int
        t, from 1 to 2^44.
    size : int
        How many draws.
    bits : Bits, optional
        The operating system's by default; only tests give another.
    """
    t, bits = check_scale(scale), bits or Bits()
    drawn = np.empty(size, np.int64)
    waiting = np.arange(size)
    while waiting.size:
        minus = (bits.words(waiting.size) & np.uint64(1)).astype(np.bool_)
        magnitude = geometric(t, waiting.size, bits)
        drawn[waiting] = np.where(minus, -magnitude, magnitude)
        waiting = waiting[minus & (magnitude == 0)]
    return drawn
