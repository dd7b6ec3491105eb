"""The nearest integer vectors to spherical noise of density proportional to exp(-|x|_2 / t)."""

from __future__ import annotations

from collections.abc import Sequence

import flint
import numpy as np

from dpfda.noise.bits import Bits, Integers
from dpfda.noise.enclosure import nearest, normal_pair, settle
from dpfda.noise.geometric import check_scale


def ball(dimension: int, scale: int, size: int, bits: Bits | None = None) -> Integers:
    """Draw `size` integer vectors, each the nearest to X in R^m of density proportional to exp(-|x|_2 / t); one a row.

    X = t R Z with Z standard normal in R^m and R^2 ~ chi^2 of m + 1 degrees, independent: given R and the direction, that
    is the radius R |Z|, whose law is Gamma(m) (docs/proofs/ball.md).  R^2 is -2 log(U_1 ... U_e), plus N^2 for an even m.

    Parameters
    ----------
    dimension : int
        m.
    scale : int
        t, from 1 to 2^44.
    size : int
        How many vectors.
    bits : Bits, optional
        The operating system's by default; only tests give another.
    """
    t, bits = check_scale(scale), bits or Bits()
    logs = (dimension + 1) // 2
    even = dimension % 2 == 0
    pairs = (dimension + 1 + even) // 2

    def vector(u: Sequence[flint.arb]) -> list[int] | None:
        normals = [x for i in range(pairs) for x in normal_pair(u[logs + 2 * i], u[logs + 2 * i + 1])]
        square = -2 * sum((v.log() for v in u[:logs]), flint.arb(0))
        if even:
            square += normals[dimension] * normals[dimension]
        radius = t * square.sqrt()
        return nearest(radius * z for z in normals[:dimension])

    rows = [settle(vector, logs + 2 * pairs, bits) for _ in range(size)]
    return np.array(rows, dtype=np.int64).reshape(size, dimension)
