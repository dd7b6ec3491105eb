"""How released coefficients become a surface, an image or a volume."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpfda.errors import ParameterError
from dpfda.release.view import View, numbers
from dpfda.spaces.box import Box, hats, mesh_points, multilinear
from dpfda.spaces.interval import Floats
from dpfda.spaces.product import BoxBasis

#: Panels an axis of a quadrature rule at least, and Gauss nodes on each.
_PANELS, _NODES = 8, 16


@dataclass(frozen=True, eq=False)
class BoxView(View):
    """centre + sum_j values_j phi_j on a box.

    Parameters
    ----------
    basis : BoxBasis
        The functions phi_j, carried by closed-form families.
    centre_grid : tuple of arrays
        The axes of the mesh of the public function that was subtracted.
    centre : array
        Its values there; it is linear in each coordinate between them.
    derivatives : tuple of int
        How often the function may be differentiated along each axis.
    order : int
        How often altogether.
    thresholds : array (M,) or empty
        What the absolute penalty takes off the size of every coefficient; after the noise, so it is free.
    """

    domain: Box
    basis: BoxBasis
    centre_grid: tuple[Floats, ...] = field(repr=False)
    centre: Floats = field(repr=False)
    derivatives: tuple[int, ...]
    order: int
    thresholds: Floats = field(default_factory=lambda: np.zeros(0), repr=False)

    @property
    def noun(self) -> str:
        return "surface" if len(self.domain.axes) == 2 else "volume"

    @property
    def breaks(self) -> tuple[Floats, ...]:
        bent = np.ptp(self.centre) > 0
        return tuple(grid if bent else np.zeros(0) for grid in self.centre_grid)

    def shrink(self, raw: Floats) -> Floats:
        if not self.thresholds.size:
            return raw
        return np.asarray(np.sign(raw) * np.maximum(np.abs(raw) - self.thresholds, 0.0))

    def locate(self, points: tuple[Any, ...]) -> Floats:
        """Return points as an array whose last axis holds the coordinates: given so, or as an array a coordinate."""
        arrays = [numbers(p, "points") for p in points]
        if len(arrays) == len(self.domain.axes):
            try:
                where = np.stack(np.broadcast_arrays(*arrays), axis=-1)
            except ValueError:
                shapes = ", ".join(str(a.shape) for a in arrays)
                raise ParameterError(
                    f"the arrays of coordinates have shapes {shapes}, which do not fit one another"
                ) from None
        elif len(arrays) == 1:
            where = arrays[0]
        else:
            raise ParameterError(
                f"a point of {self.domain.words} has {len(self.domain.axes)} coordinates, not {len(arrays)}"
            )
        self.domain.require(where)
        return where

    def order_of(self, order: Any) -> tuple[int, ...]:
        axes = len(self.domain.axes)
        orders = tuple(order) if isinstance(order, Sequence) and not isinstance(order, str) else (order,)
        whole = all(isinstance(k, int) and not isinstance(k, bool) and k >= 0 for k in orders)
        if len(orders) != axes or not whole or sum(orders) < 1:
            example = (1,) + (0,) * (axes - 1)
            raise ParameterError(f"order must be {axes} whole numbers, one an axis, such as {example}, not {order!r}")
        return orders

    def called(self, function: Callable[..., Any]) -> Callable[[Floats], Floats]:
        """Return a function of arrays of coordinates, f(x, y), as one of points."""
        return lambda p: np.broadcast_to(np.asarray(function(*np.moveaxis(p, -1, 0)), dtype=np.float64), p.shape[:-1])

    def place(self, given: Any, name: str) -> Any:
        return numbers(given, name)

    def functions(self, points: Floats) -> Floats:
        return self.basis.evaluate(points)

    def evaluate(self, values: Floats, points: Floats) -> Floats:
        flat = points.reshape(-1, points.shape[-1])
        middle = multilinear(self.centre_grid, self.centre, flat)
        return np.asarray((middle + self.basis.synthesise(values, flat)).reshape(points.shape[:-1]))

    def derivative(self, values: Floats, points: Floats, order: Any) -> Floats:
        if any(k > most for k, most in zip(order, self.derivatives, strict=True)) or sum(order) > self.order:
            most = ", ".join(map(str, self.derivatives))
            raise ParameterError(
                f"the derivative of orders {order} does not exist under this noise: at most ({most}) along the axes and {self.order} "
                "altogether do; a smoother kernel, a larger eta or noise='matched' gives more"
            )
        if np.ptp(self.centre) > 0:
            raise ParameterError("the centre is bent, so it has no derivative: release around a constant centre")
        flat = points.reshape(-1, points.shape[-1])
        return np.asarray(self.basis.synthesise(values, flat, order).reshape(points.shape[:-1]))

    def integral(self, values: Floats, start: Any, end: Any) -> float:
        sign = math.prod(math.copysign(1.0, b - a) for a, b in zip(start, end, strict=True))
        whole, carried = np.ones(len(self.basis.terms)), self.centre
        for k, (a, b) in enumerate(zip(start, end, strict=True)):
            points, masses = self._rule(k, self.centre_grid[k], min(a, b), max(a, b))
            whole = whole * (masses @ self.basis.factors[k].evaluate(points))[self.basis.terms[:, k]]
            carried = np.tensordot(masses @ hats(self.centre_grid[k], points), carried, axes=([0], [0]))
        return sign * float(whole @ (self.basis.mixing @ values) + carried)

    def inner(self, values: Floats, other: Callable[[Floats], Floats], breaks: Any) -> float:
        breaks = breaks if len(breaks) else (np.zeros(0),) * len(self.domain.axes)
        rules = [
            self._rule(k, np.union1d(mine, theirs))
            for k, (mine, theirs) in enumerate(zip(self.breaks, breaks, strict=True))
        ]
        masses = np.ones(())
        for _, weights in rules:
            masses = np.multiply.outer(masses, weights)
        points = mesh_points([p for p, _ in rules])
        total = 0.0
        for first in range(0, len(points), 1 << 16):
            some = slice(first, first + (1 << 16))
            both = self.evaluate(values, points[some]) * np.asarray(other(points[some]), float)
            total += float(both @ masses.ravel()[some])
        return total / self.domain.length

    def energy(self, sds: Floats) -> float:
        return float((sds**2).sum())  # the functions are orthonormal

    def _rule(
        self, axis: int, breaks: Floats, start: float | None = None, end: float | None = None
    ) -> tuple[Floats, Floats]:
        """Return nodes and masses of a composite Gauss rule along an axis, with panels that end at breaks."""
        interval = self.domain.axes[axis]
        low = interval.start if start is None else start
        high = interval.end if end is None else end
        shares = np.linspace(0.0, 1.0, max(_PANELS, self.basis.turns[axis] // 4) + 1)
        knots = np.concatenate([interval.start + interval.length * shares, breaks, [low, high]])
        knots = np.unique(knots[(knots >= low) & (knots <= high)])
        nodes, weights = np.polynomial.legendre.leggauss(_NODES if len(knots) < 48 else 4)
        half = np.diff(knots)[:, None] / 2
        points = np.clip((knots[:-1, None] + half * (1 + nodes)).ravel(), low, high)
        return points, (half * weights).ravel()
