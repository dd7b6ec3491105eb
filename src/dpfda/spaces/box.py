"""A box: the domain of a surface, an image, a volume."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpfda.errors import ParameterError
from dpfda.spaces.interval import Floats, Interval


@dataclass(frozen=True, init=False)
class Box:
    """The product of two or three axes, each a pair of ends, an `Interval` or a `Circle`.

    Points are arrays whose last axis holds the coordinates.  The measure of inner products and norms has total mass 1, as on an
    interval.

    Parameters
    ----------
    *axes : (float, float), Interval or Circle
        In the units of the grid.

    Examples
    --------
    >>> Box((0, 1), (0, 2)).length
    2.0
    """

    axes: tuple[Interval, ...]

    def __init__(self, *axes: Interval | Sequence[float]) -> None:
        if len(axes) not in (2, 3):
            raise ParameterError(
                f"a box has two or three axes, such as dpfda.Box((0, 1), (0, 2)), not {len(axes)}; for one axis give domain=(0, 1)"
            )
        object.__setattr__(self, "axes", tuple(map(_axis, axes, range(1, 4))))

    @property
    def start(self) -> tuple[float, ...]:
        """The lower corner."""
        return tuple(axis.start for axis in self.axes)

    @property
    def end(self) -> tuple[float, ...]:
        """The upper corner."""
        return tuple(axis.end for axis in self.axes)

    @property
    def length(self) -> float:
        """The area or volume."""
        return math.prod(axis.length for axis in self.axes)

    @property
    def words(self) -> str:
        """The box in words: [0, 1] x [0, 2]."""
        return " x ".join(axis.words for axis in self.axes)

    def mesh(self, counts: Sequence[int]) -> tuple[Floats, ...]:
        """Return so many equally spaced points on every axis, its ends among them."""
        return tuple(np.linspace(axis.start, axis.end, count) for axis, count in zip(self.axes, counts, strict=True))

    def require(self, points: Floats, what: str = "the point") -> None:
        """Raise an error that names the first point that is not in the box."""
        if points.ndim < 1 or points.shape[-1] != len(self.axes):
            raise ParameterError(
                f"a point of the box {self.words} has {len(self.axes)} coordinates: give an array whose last axis holds them, or an "
                f"array for each, not an array of shape {points.shape}"
            )
        start, end = np.array(self.start), np.array(self.end)
        outside = ~((points >= start) & (points <= end)).all(axis=-1)
        if outside.any():
            first = ", ".join(f"{x:g}" for x in points[outside][0])
            raise ParameterError(f"{what} ({first}) is not in the domain {self.words}")


def _axis(given: Any, number: int) -> Interval:
    if isinstance(given, Interval):
        return given
    try:
        start, end = map(float, given)
    except (TypeError, ValueError):
        raise ParameterError(
            f"axis {number} of a box must be two numbers, an Interval or a Circle, such as (0, 1), not {given!r:.60}"
        ) from None
    return Interval(start, end)


def mesh_points(grids: Sequence[Floats]) -> Floats:
    """Return all points of a mesh, a row a point, the last axis fastest."""
    return np.stack([g.ravel() for g in np.meshgrid(*grids, indexing="ij")], axis=1)


def hats(grid: Floats, points: Floats) -> Floats:
    """Return how each value on a grid enters the broken line at points, carried on beyond its ends: a row a point."""
    table = np.zeros((len(points), len(grid)))
    rows = np.arange(len(points))
    if len(grid) == 1:
        table[:, 0] = 1.0
        return table
    left = np.clip(np.searchsorted(grid, points, side="right") - 1, 0, len(grid) - 2)
    part = np.clip((points - grid[left]) / (grid[left + 1] - grid[left]), 0.0, 1.0)
    table[rows, left] = 1 - part
    table[rows, left + 1] += part
    return table


def multilinear(grids: Sequence[Floats], table: Floats, points: Floats) -> Floats:
    """Return at points (a row a point) the function that is linear in each coordinate between the values on a mesh."""
    corners, parts = [], []
    for k, grid in enumerate(grids):
        last = max(len(grid) - 2, 0)
        left = np.clip(np.searchsorted(grid, points[:, k], side="right") - 1, 0, last)
        right = np.minimum(left + 1, len(grid) - 1)
        gap = np.where(right > left, grid[right] - grid[left], 1.0)
        corners.append((left, right))
        parts.append(np.clip((points[:, k] - grid[left]) / gap, 0.0, 1.0))
    total = np.zeros(len(points))
    for corner in np.ndindex(*(2,) * len(grids)):
        weight = np.prod([part if side else 1 - part for side, part in zip(corner, parts, strict=True)], axis=0)
        total += weight * table[tuple(ends[side] for side, ends in zip(corner, corners, strict=True))]
    return total
