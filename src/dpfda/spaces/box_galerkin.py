"""The matrix of an integral operator of the Euclidean distance, in products of Legendre polynomials, exact to many digits.

The kernel depends on the differences u_k = x_k - y_k alone, and the polynomials' part of the integral over x and y at given
differences factors over the axes into correlations

    S_ac(u) = int p_a(s + u) p_c(s) ds + the same with a and c exchanged,    0 <= u <= 1,

which are polynomials in u.  So the matrix is an integral over the differences, of two or three dimensions in place of four or
six, int k(u) S_a1c1(u_1) S_a2c2(u_2) ... du.  What is left of the kernel's kink is the corner u = 0: the cube is cut into the
pyramids in which one u_k is largest, and there u = r (t_1, .., 1, .., t_d) makes the integrand smooth (Duffy 1982), so Gauss rules
converge fast.  Where the profile is not smooth in the distance at zero, r = v^3 makes it so.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.polynomial import legendre

from dpfda.kernels import Kernel
from dpfda.spaces.interval import Floats

#: Nodes handled at once, to keep the arrays small.
_NODES = 4096


def box_galerkin_matrix(kernel: Kernel, lengths: tuple[float, ...], sizes: tuple[int, ...], more: int = 0) -> Floats:
    """Return the operator's matrix for the products of the first `sizes` orthonormal polynomials, the last axis fastest.

    Parameters
    ----------
    kernel : Kernel
        A profile of the Euclidean distance.
    lengths : tuple of float
        Of the axes of the box.
    sizes : tuple of int
        How many polynomials along each axis.
    more : int
        So many more nodes of every rule than usual: to see what the quadrature is worth.
    """
    axes = len(sizes)
    pairs = [[(a, c) for a in range(size) for c in range(a + 1) if (a + c) % 2 == 0] for size in sizes]
    total = np.zeros([len(p) for p in pairs])
    for nodes, masses in _pyramids(kernel, lengths, sizes, more):
        distance = np.sqrt(sum((length * u) ** 2 for length, u in zip(lengths, nodes, strict=True)))
        weights = kernel.profile(distance) * masses
        tables = [_correlations(u, size, pair) for u, size, pair in zip(nodes, sizes, pairs, strict=True)]
        if axes == 2:
            total += (tables[0] * weights[:, None]).T @ tables[1]
        else:
            both = (tables[0][:, :, None] * tables[1][:, None, :]).reshape(len(weights), -1)
            total += ((both * weights[:, None]).T @ tables[2]).reshape(total.shape)
    # Back from pairs to matrices: S is symmetric in a and c, and zero where a + c is odd.
    whole = total
    for size, pair in zip(sizes, pairs, strict=True):
        spread = np.zeros((len(pair), size, size))
        for i, (a, c) in enumerate(pair):
            spread[i, a, c] = spread[i, c, a] = 1.0
        whole = np.tensordot(whole, spread, axes=([0], [0]))
    order = [*range(0, 2 * axes, 2), *range(1, 2 * axes, 2)]
    count = int(np.prod(sizes))
    return np.asarray(whole.transpose(order).reshape(count, count))


def _pyramids(
    kernel: Kernel, lengths: tuple[float, ...], sizes: tuple[int, ...], more: int
) -> Iterator[tuple[list[Floats], Floats]]:
    """Yield nodes in [0, 1]^d, an array a coordinate, and their masses, some at a time."""
    axes, power = len(sizes), 3 if kernel.singular else 1
    degree = 2 * sum(sizes) + axes
    spare = 24 if axes == 2 else 10
    slant = int(6 * (max(lengths) / min(lengths) - 1))
    v, w = _gauss(power * degree // 2 + spare + more)
    r, radial = v**power, w * power * v ** (power - 1)
    sides = [_gauss(size + spare + slant + more) for size in sizes]
    for top in range(axes):
        others = [k for k in range(axes) if k != top]
        rules = [(r, radial), *(sides[k] for k in others)]
        points = [np.array(p) for p in zip(*itertools.product(*(rule[0] for rule in rules)), strict=True)]
        masses = np.prod(
            [np.array(p) for p in zip(*itertools.product(*(rule[1] for rule in rules)), strict=True)], axis=0
        )
        masses = masses * points[0] ** (axes - 1)
        nodes: list[Floats] = [points[0]] * axes
        for k, t in zip(others, points[1:], strict=True):
            nodes[k] = points[0] * t
        for first in range(0, len(masses), _NODES):
            some = slice(first, first + _NODES)
            yield [u[some] for u in nodes], masses[some]


def _correlations(u: Floats, size: int, pairs: list[tuple[int, int]]) -> Floats:
    """Return S_ac(u) for pairs (a, c) of one parity: twice the integral, for p_a(1 - x) = (-1)^a p_a(x)."""
    distinct, back = np.unique(u, return_inverse=True)
    s, w = _gauss(size)
    shares = (1 - distinct)[:, None]
    low = _polynomials((shares * s).ravel(), size).reshape(len(distinct), len(s), size)
    high = _polynomials((shares * s + distinct[:, None]).ravel(), size).reshape(low.shape)
    table = np.matmul(np.swapaxes(high * (2 * w * shares)[:, :, None], 1, 2), low)
    rows, columns = np.array(pairs).T
    return np.asarray(table[:, rows, columns][back])


def _gauss(count: int) -> tuple[Floats, Floats]:
    nodes, weights = legendre.leggauss(count)
    return (nodes + 1) / 2, weights / 2


def _polynomials(x: Floats, size: int) -> Floats:
    return np.asarray(legendre.legvander(2 * x - 1, size - 1) * np.sqrt(2 * np.arange(size) + 1.0))
