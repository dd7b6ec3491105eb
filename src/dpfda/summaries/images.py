"""Missing pixels: filled from the same image alone."""

from __future__ import annotations

import numpy as np

from dpfda.spaces.interval import Floats
from dpfda.summaries.mean import fill_gaps


def fill_images(rows: Floats, grid: tuple[Floats, ...]) -> Floats:
    """Fill the missing pixels of images, a row an image whose last axis runs fastest.

    In each line along the last axis that holds a known pixel the gaps are filled by straight lines, its ends by the nearest known
    value; then the same along the axis before, until nothing is missing.  Nothing is taken from another image.
    """
    if not np.isnan(rows).any():
        return rows
    shape = tuple(map(len, grid))
    images = rows.reshape(len(rows), *shape)
    for axis in range(len(grid), 0, -1):
        lines = np.moveaxis(images, axis, -1)
        filled = fill_gaps(np.ascontiguousarray(lines).reshape(-1, shape[axis - 1]), grid[axis - 1])
        images = np.moveaxis(filled.reshape(lines.shape), -1, axis)
    return np.ascontiguousarray(images).reshape(rows.shape)


def fill(rows: Floats, grid: Floats | tuple[Floats, ...]) -> Floats:
    """Fill the gaps of curves or of images, each from its own values."""
    return fill_images(rows, grid) if isinstance(grid, tuple) else fill_gaps(rows, grid)
