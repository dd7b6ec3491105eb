"""Integer vectors with P(z) proportional to exp(-max_j |z_j| / t), from integers alone."""

from __future__ import annotations

import numpy as np

from dpfda.errors import EntropyError, ParameterError
from dpfda.noise.bits import Bits, Integers, below
from dpfda.noise.geometric import MAX_SCALE, check_scale, geometric

#: Proposals of so many integers are made at once, so that a million small vectors need no million loops.
_BATCH = 1 << 20


def check_cube(dimension: int, scale: int) -> int:
    """Return the scale if the sampler can serve it: dimension <= t <= 2^44/(dimension + 1)."""
    t = check_scale(scale)
    if not dimension <= t <= MAX_SCALE // (dimension + 1):
        raise ParameterError(
            f"cube noise in {dimension} dimensions needs an integer scale from {dimension} to "
            f"2^44/{dimension + 1}, not {t}: a very large epsilon makes it too small, then use mechanism='laplace'"
        )
    return t


def cube(dimension: int, scale: int, size: int, bits: Bits | None = None) -> Integers:
    """Draw `size` independent vectors of the cube's law on Z^dimension, exactly; one a row.

    The law is a mixture: a half-width m with weight (2m+1)^N q^m, q = exp(-1/t), then z uniform in {-m..m}^N, for
    the sum of q^m over m >= max |z_j| is proportional to q^(max |z_j|).  A sum of N + 1 geometrics proposes m with
    weight C(m+N, N) q^m; N coins of probability (2m+1)/(2(m+k)) keep it (docs/proofs/cube.md).

    Parameters
    ----------
    dimension : int
        N, at least 1.
    scale : int
        t, from N to 2^44/(N+1): below N hardly any proposal would be kept.
    size : int
        How many vectors.
    bits : Bits, optional
        The operating system's by default; only tests give another.
    """
    t, bits = check_cube(dimension, scale), bits or Bits()
    drawn = np.empty((size, dimension), np.int64)
    rows = max(1, _BATCH // (dimension + 1))
    for first in range(0, size, rows):
        widths = _half_widths(dimension, t, min(rows, size - first), bits)
        limits = np.repeat(2 * widths + 1, dimension)
        drawn[first : first + rows] = below(limits, bits).reshape(-1, dimension) - widths[:, None]
    return drawn


def _half_widths(dimension: int, t: int, size: int, bits: Bits) -> Integers:
    """Draw m with P(m) proportional to (2m+1)^dimension exp(-m/t)."""
    k = np.arange(1, dimension + 1)
    kept = np.empty(size, np.int64)
    waiting = np.arange(size)
    while waiting.size:
        proposed = geometric(t, waiting.size * (dimension + 1), bits).reshape(waiting.size, -1).sum(axis=1)
        if int(proposed.max()) >= 1 << 51:  # 128 times the largest mean there is: probability below 2^-170
            raise EntropyError("a draw of probability below 2^-170 happened: the random bits are broken")
        limits = 2 * (proposed[:, None] + k)
        coins = below(limits.ravel(), bits).reshape(limits.shape) < 2 * proposed[:, None] + 1
        good = coins.all(axis=1)
        kept[waiting[good]] = proposed[good]
        waiting = waiting[~good]
    return kept
