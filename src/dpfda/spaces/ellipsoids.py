"""Ellipsoids E(T, a) = {v : sum_j (v_j/a_j)^2 <= T^2}: how far out a vector lies, and its nearest point.

Vectors are columns.  Everything is elementwise IEEE arithmetic in a fixed order with a fixed number of steps, so what comes
out for a vector depends on that vector alone, bit for bit, whichever others stand beside it (docs/proofs/mean-by-looks.md).
"""

from __future__ import annotations

import numpy as np

from dpfda.spaces.interval import Floats

#: Newton's steps; from the start at zero they rise towards the root and more than double its digits at the end.
STEPS = 15


def squared_sizes(vectors: Floats, axes: Floats) -> Floats:
    """Return sum_j (v_j/a_j)^2 of every column."""
    scaled = vectors / axes[:, None]
    return sum_down(scaled * scaled)


def nearest(vectors: Floats, axes: Floats, radius: float) -> Floats:
    """Return the nearest point of E(radius, axes) to every column.

    A column outside becomes v_j a_j^2/(a_j^2 + mu), mu > 0 the root of the secular equation sum (v_j a_j/(a_j^2 + mu))^2 =
    radius^2, by Newton's method on 1/|.| (More and Sorensen 1983); what the steps left over is shrunk along the ray, so
    the result lies in E up to rounding.  High frequencies, whose axes are short, give way first.
    """
    squares = (axes * axes)[:, None]
    outside = np.flatnonzero(squared_sizes(vectors, axes) > radius * radius)
    if not outside.size:
        return vectors
    v = vectors[:, outside]
    weighted, mu = v * v * squares, np.zeros(len(outside))
    for _ in range(STEPS):
        d = squares + mu
        g = weighted / (d * d)
        size, slope = sum_down(g), 2 * sum_down(g / d)
        mu = np.maximum(mu + 2 * size / np.maximum(slope, 1e-300) * (np.sqrt(size) / radius - 1), 0.0)
    v = v * (squares / (squares + mu))
    v = v * np.minimum(1.0, radius / np.maximum(np.sqrt(squared_sizes(v, axes)), 1e-300))
    moved = vectors.copy()
    moved[:, outside] = v
    return moved


def sum_down(values: Floats) -> Floats:
    """Return the sum of every column, by halves in a fixed order: numpy's own order depends on the array's shape."""
    rows = len(values)
    while rows > 1:
        half = rows // 2
        front = values[:half] + values[half : 2 * half]
        values = np.concatenate([front, values[2 * half : rows]]) if rows % 2 else front
        rows = len(values)
    return np.asarray(values[0])
