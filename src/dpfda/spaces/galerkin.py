"""The matrix of an integral operator in orthonormal Legendre polynomials, exact to many digits.

A kernel like exp(-|x - y|) has a kink at the diagonal, which ruins any quadrature that steps over it.  So the inner
integral stops there: over y in [0, x] by a mapped Gauss rule, and the other half is the transpose.  Where the profile is
not smooth in the distance at zero (a Matern kernel of other than half-integer nu) the distance is x v^3, which makes it so.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import legendre

from dpfda.kernels import Kernel
from dpfda.spaces.interval import Floats

#: Outer nodes handled at once, to keep the arrays small.
_ROWS = 32


def galerkin_matrix(kernel: Kernel, size: int) -> Floats:
    """Return int int k(|x - y|) p_i(x) p_j(y) dx dy on [0, 1]^2 for the first `size` orthonormal polynomials.

    Parameters
    ----------
    kernel : Kernel
        With lengths in shares of the domain.
    size : int
        How many polynomials.
    """
    power = 3 if kernel.singular else 1
    x, outer = _gauss(size + (60 if kernel.singular else 20))
    v, inner = _gauss(size * (power + 1) // 2 + 40)
    share, masses = v**power, inner * power * v ** (power - 1)
    left = _polynomials(x, size) * outer[:, None]
    half = np.zeros((size, size))
    for first in range(0, len(x), _ROWS):
        some = x[first : first + _ROWS, None]
        values = kernel.profile(some * share) * masses * some
        at = _polynomials((some * (1 - share)).ravel(), size).reshape(len(some), len(v), size)
        half += left[first : first + _ROWS].T @ np.einsum("ab,abj->aj", values, at)
    return np.asarray(half + half.T)


def _gauss(count: int) -> tuple[Floats, Floats]:
    nodes, weights = legendre.leggauss(count)
    return (nodes + 1) / 2, weights / 2


def _polynomials(x: Floats, size: int) -> Floats:
    return np.asarray(legendre.legvander(2 * x - 1, size - 1) * np.sqrt(2 * np.arange(size) + 1.0))
