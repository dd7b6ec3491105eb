"""Exact averages over cells of the broken line through values on a grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpfda.spaces.interval import Floats


def cell_weights(grid: Floats, edges: Floats) -> Floats:
    """Return the matrix A with (A x)_j the average over cell j of the line through the points (grid, x).

    Between two grid points the curve is a straight line; before the first and after the last it stays at their value.
    Each piece between neighbouring grid points and edges is linear, so its integral is its length times its middle
    value: exact.  Every row is non-negative and sums to one.

    Parameters
    ----------
    grid : array (m,)
        Increasing.
    edges : array (N + 1,)
        Increasing, around the grid.
    """
    cells, points = len(edges) - 1, len(grid)
    knots = np.unique(np.concatenate([grid, edges]))
    middles, lengths = (knots[1:] + knots[:-1]) / 2, np.diff(knots)
    cell = np.clip(np.searchsorted(edges, middles, side="right") - 1, 0, cells - 1)
    weights = np.zeros((cells, points))
    if points == 1:
        np.add.at(weights, (cell, 0), lengths)
    else:
        left = np.clip(np.searchsorted(grid, middles, side="right") - 1, 0, points - 2)
        part = np.clip((middles - grid[left]) / (grid[left + 1] - grid[left]), 0.0, 1.0)
        np.add.at(weights, (cell, left), lengths * (1 - part))
        np.add.at(weights, (cell, left + 1), lengths * part)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def integer_weights(weights: Floats, total: int) -> NDArray[np.int64]:
    """Return non-negative integers near total * weights whose rows sum to `total` exactly.

    The running sums are rounded, not the weights, so rounding errors do not pile up along a long grid.
    """
    running = np.minimum(np.cumsum(weights, axis=1), 1.0)
    running[:, -1] = 1.0
    rounded = np.rint(np.maximum.accumulate(running, axis=1) * total).astype(np.int64)
    return np.asarray(np.diff(rounded, axis=1, prepend=0))
