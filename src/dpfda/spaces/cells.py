"""Exact averages over cells of the broken line through values on a grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpfda.spaces.interval import Floats, Interval


def cell_weights(grid: Floats, domain: Interval, cells: int) -> Floats:
    """Return the matrix A with (A x)_j the average over cell j of the line through the points (grid, x).

    Between two grid points the curve is a straight line; before the first and after the last it stays at their value.
    Each piece between neighbouring grid points and edges is linear, so its integral is its length times its middle
    value: exact.  Every row is non-negative and sums to one.

    Parameters
    ----------
    grid : array (m,)
        Increasing.
    domain : Interval
        It holds the grid.
    cells : int
        How many equal cells it is divided into.
    """
    # Measured from the start of the domain: differences of near numbers are exact, far from zero as well.
    points, grid = len(grid), grid - domain.start
    edges = domain.length * (np.arange(cells + 1) / cells)
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


def weights_error(grid: Floats, domain: Interval, cells: int) -> float:
    """Return a bound on the l1 distance between a row of `cell_weights` and the exact averages' weights.

    Knots are off by a few ulps of the domain's length; that moves the ends of a cell by as much, and a point's place
    between two grid points by as much over their distance.
    """
    ticks = 8 * np.finfo(float).eps
    return float(ticks * (cells + domain.length / np.diff(grid).min() + len(grid)))


def integer_weights(weights: Floats, total: int) -> NDArray[np.int64]:
    """Return non-negative integers near total * weights whose rows sum to `total` exactly.

    The running sums are rounded, not the weights, so rounding errors do not pile up along a long grid.
    """
    running = np.minimum(np.cumsum(weights, axis=1), 1.0)
    running[:, -1] = 1.0
    rounded = np.rint(np.maximum.accumulate(running, axis=1) * total).astype(np.int64)
    return np.asarray(np.diff(rounded, axis=1, prepend=0))
