"""Which coordinates share a block: the contiguous grouping of least expected noise, and its scales."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from dpfda.spaces.interval import Floats


def best_blocks(axes: Floats) -> tuple[tuple[int, ...], Floats]:
    """Return the sizes of contiguous blocks and the body's weights b_j = s_g a_j of least noise for an ellipsoid.

    With E_g = (m_g + 1) sum_g a_j^2, the scales s_g^2 proportional to 1/sqrt(E_g) give the expected energy
    (r/epsilon)^2 (sum_g sqrt(E_g))^2; the grouping of least sum sqrt(E_g) comes by dynamic programming.  All of it sees the
    public axes alone (docs/proofs/reach.md, docs/proofs/k-norm.md).
    """
    count = len(axes)
    running = np.concatenate([[0.0], np.cumsum(axes**2)])
    best, cut = np.zeros(count + 1), np.zeros(count + 1, int)
    for end in range(1, count + 1):
        starts = np.arange(end)
        roots = np.sqrt((end - starts + 1) * (running[end] - running[starts]))
        totals = best[starts] + roots
        cut[end] = int(np.argmin(totals))
        best[end] = totals[cut[end]]
    ends = [count]
    while ends[-1]:
        ends.append(int(cut[ends[-1]]))
    sizes = tuple(int(a - b) for a, b in pairwise(ends))[::-1]
    weights, at = np.empty(count), 0
    for size in sizes:
        energy = (size + 1) * (axes[at : at + size] ** 2).sum()
        weights[at : at + size] = axes[at : at + size] * energy**-0.25
        at += size
    return sizes, weights
