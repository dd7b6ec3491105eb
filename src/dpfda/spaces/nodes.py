"""Nodes of hat functions on a box, and the fine cells that stand before them: public geometry in integers.

An axis is divided into N equal cells with a node in the middle of each.  A point between two nodes belongs to both, in shares
that change linearly (hat functions); beyond an end node it belongs to that node alone, and on a circle the last node is
the first one's neighbour.  Points are first moved to the middle of one of s fine cells a node, s a power of two.  There the
shares are multiples of 1/(2s), so on d axes those of a point are non-negative integers that sum to (2s)^d exactly
(docs/proofs/density-cells.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpfda.errors import ParameterError
from dpfda.spaces.circle import Circle
from dpfda.spaces.interval import Floats, Interval

Integers = NDArray[np.int64]

#: Fine cells an axis aims at, by the number of axes: a histogram of all of them stays small.
FINE_CELLS = {1: 1 << 14, 2: 1 << 10, 3: 1 << 7}


@dataclass(frozen=True)
class NodeGrid:
    """N^d nodes on a box, each axis an interval or a circle.

    Parameters
    ----------
    axes : tuple of Interval
        One to three.
    nodes : int
        N, at least 2.
    finer : int
        s, a power of two.
    """

    axes: tuple[Interval, ...]
    nodes: int
    finer: int

    def __post_init__(self) -> None:
        if not 1 <= len(self.axes) <= len(FINE_CELLS):
            raise ParameterError(f"a density has one, two or three axes, not {len(self.axes)}")
        if self.nodes < 2 or self.finer < 1 or self.finer & (self.finer - 1):
            raise ParameterError(f"{self.nodes} nodes with {self.finer} fine cells each make no grid")

    @classmethod
    def plan(cls, axes: tuple[Interval, ...], nodes: int, bits: int) -> NodeGrid:
        """Return the grid with as many fine cells as are useful, (2s)^d at most 2^bits where a choice is left."""
        wanted = max(FINE_CELLS[len(axes)] // nodes, 1).bit_length() - 1
        return cls(axes, nodes, 1 << max(min(wanted, bits // len(axes) - 1), 0))

    @property
    def dimension(self) -> int:
        """How many axes there are, d."""
        return len(self.axes)

    @property
    def fine(self) -> int:
        """Fine cells an axis, N s."""
        return self.nodes * self.finer

    @property
    def shares(self) -> int:
        """What a point's integers sum to, (2s)^d."""
        return int((2 * self.finer) ** self.dimension)

    def cells(self, points: Floats) -> Integers:
        """Return the number of the fine cell of each point; a point outside an interval goes to its edge.

        Elementwise arithmetic, so a point's cell is a function of that point alone.  What is not a number goes to cell 0
        before any cast.
        """
        return snap(points, self.axes, self.fine)

    def spread(self, histogram: NDArray[Any]) -> NDArray[Any]:
        """Return the sums over nodes, in parts of (2s)^d, of a histogram over fine cells; exact in integers.

        Every step adds up non-negative integers whose total is at most (2s)^d times the histogram's; where int64 could not
        hold that, Python integers do it.
        """
        counts: NDArray[Any] = np.asarray(histogram).reshape((self.fine,) * self.dimension)
        if counts.dtype != object and int(counts.sum(dtype=object)) * self.shares >= 1 << 62:
            counts = counts.astype(object)
        for axis, domain in enumerate(self.axes):
            counts = np.moveaxis(self._one_axis(np.moveaxis(counts, axis, -1), isinstance(domain, Circle)), -1, axis)
        return counts.ravel()

    def _one_axis(self, counts: NDArray[Any], periodic: bool) -> NDArray[Any]:
        """Spread the last axis: the block of s fine cells between two nodes gives 2s - (2i+1) to the left, 2i+1 to the right."""
        nodes, s = self.nodes, self.finer
        if s == 1:
            return np.asarray(2 * counts)
        shape = counts.shape[:-1]
        half = np.zeros((*shape, s // 2), counts.dtype)
        blocks = np.concatenate([half, counts, half], axis=-1).reshape(*shape, nodes + 1, s)
        right = 2 * np.arange(s) + 1
        to_right, to_left = blocks @ right, blocks @ (2 * s - right)
        sums = np.zeros((*shape, nodes), counts.dtype)
        sums += to_left[..., 1:]
        sums += to_right[..., :-1]
        first, last = (-1, 0) if periodic else (0, -1)  # where the half blocks at the ends belong
        sums[..., first] += to_left[..., 0]
        sums[..., last] += to_right[..., -1]
        return sums

    def hats(self, points: Floats, axis: int) -> Floats:
        """Return the hat functions of one axis at points given as shares of that axis: a row a point, a column a node."""
        return hats(points, self.nodes, isinstance(self.axes[axis], Circle))


def snap(points: Floats, axes: tuple[Interval, ...], cells: int) -> Integers:
    """Return the number of each point's cell among cells^d equal ones, the last axis running fastest."""
    flat = np.zeros(len(points), np.int64)
    for axis, domain in enumerate(axes):
        share = (points[:, axis] - domain.start) / domain.length
        if isinstance(domain, Circle):
            with np.errstate(invalid="ignore"):
                share = share - np.floor(share)
        share = np.where(np.isnan(share), 0.0, share)
        place = np.minimum(np.maximum(np.floor(share * cells), 0.0), cells - 1.0)
        flat = flat * cells + place.astype(np.int64)
    return flat


def midpoints(count: int) -> Floats:
    """Return the middles of equal cells of [0, 1]."""
    return np.asarray((np.arange(count) + 0.5) / count)


def hats(points: Floats, nodes: int, periodic: bool) -> Floats:
    """Return the matrix of hat weights of points in [0, 1] on nodes (j + 1/2)/N; every row sums to one."""
    place = np.asarray(points, float) * nodes - 0.5
    matrix = np.zeros((len(place), nodes))
    if not periodic:
        place = np.clip(place, 0.0, nodes - 1.0)
    left = np.floor(place).astype(np.int64)
    part = place - left
    rows = np.arange(len(place))
    ends = (left % nodes, (left + 1) % nodes) if periodic else (left, np.minimum(left + 1, nodes - 1))
    np.add.at(matrix, (rows, ends[0]), 1 - part)
    np.add.at(matrix, (rows, ends[1]), part)
    return matrix


def nodes_rule(n: int, epsilon: float, dimension: int, bandwidth: float | None = None) -> int:
    """Return the number of nodes an axis, from public numbers alone.

    One axis: max(12, .6 sqrt(n epsilon)), at most 1024; for a kernel estimate of width h (a share of the domain) at most
    .43 (n epsilon)^(1/7)/h and at least 8.  d axes: 1.5 (n epsilon)^(1/(d+2)), from 6 to 128 (32 on three axes).
    """
    size = n * epsilon
    if dimension == 1:
        count = max(12.0, 0.6 * math.sqrt(size))
        if bandwidth is not None:
            count = min(count, 0.43 * size ** (1 / 7) / bandwidth)
        return int(min(1024, max(8, round(count))))
    return int(min(128 if dimension == 2 else 32, max(6, math.floor(1.5 * size ** (1 / (dimension + 2))))))
