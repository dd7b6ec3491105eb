"""Fair bits from the operating system, and uniform integers made of them."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from dpfda.errors import EntropyError

Integers = NDArray[np.int64]

#: Uniform integers are drawn below numbers smaller than this, so that a float64 holds them exactly.
MAX_BELOW = 1 << 53

#: Rounds of rejection after which the bits cannot be fair: each keeps more than half of what is left.
_MAX_ROUNDS = 1_000


class Bits:
    """The only source of randomness of a release: the operating system's generator.

    Tests replay given words through a subclass that overrides `words`; a release never does.
    """

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return `count` independent uniform 64-bit words."""
        return np.frombuffer(os.urandom(8 * count), dtype="<u8").astype(np.uint64)


def below(limits: Integers, bits: Bits) -> Integers:
    """Draw one uniform integer from {0, ..., n-1} for each n in `limits`.

    As many top bits of a word as n - 1 has are read; a number that is n or more is thrown away and drawn again, so
    each of the n values has the same probability (docs/proofs/uniform.md).

    Parameters
    ----------
    limits : array of int64
        Each between 1 and 2^53 - 1.
    bits : Bits
        Where the words come from.
    """
    if limits.size and (int(limits.min()) < 1 or int(limits.max()) >= MAX_BELOW):
        raise ValueError("uniform integers are drawn below n for 1 <= n < 2^53 only")
    # frexp's exponent of an exact float64 is the bit length of the integer; zero still takes one bit of a word.
    lengths = np.maximum(np.frexp((limits - 1).astype(np.float64))[1], 1)
    shifts = (64 - lengths).astype(np.uint64)
    drawn = np.empty(limits.size, np.int64)
    waiting = np.arange(limits.size)
    for _ in range(_MAX_ROUNDS):
        if not waiting.size:
            return drawn
        tried = (bits.words(waiting.size) >> shifts[waiting]).astype(np.int64)
        drawn[waiting] = tried
        waiting = waiting[tried >= limits[waiting]]
    raise EntropyError("a draw of probability below 2^-1000 happened: the operating system's random bits are broken")
