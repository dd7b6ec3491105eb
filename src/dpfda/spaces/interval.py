"""An interval, and its division into equal cells."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpfda.errors import ParameterError

#: A domain is at least so many of its ends' last digits long, so that cells and grid points can be told apart.
_TICKS = 1 << 20

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """The domain [start, end] of a curve, in the units of its grid."""

    start: float
    end: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.start) and math.isfinite(self.end)):
            raise ParameterError(f"the domain must have finite ends, not ({self.start:g}, {self.end:g})")
        if not self.start < self.end:
            raise ParameterError(
                f"the domain ({self.start:g}, {self.end:g}) is {'empty' if self.start == self.end else 'reversed'}: "
                "give its lower end first"
            )
        largest = max(abs(self.start), abs(self.end))
        if not 1e-150 < self.length < 1e150 or self.length < _TICKS * math.ulp(largest):
            raise ParameterError(
                f"the domain ({self.start:.17g}, {self.end:.17g}) cannot be divided in floating point: choose other units, or "
                "subtract a public constant from the grid"
            )

    @property
    def length(self) -> float:
        """The end minus the start."""
        return self.end - self.start

    @property
    def words(self) -> str:
        """The interval in words: [0, 24]."""
        return f"[{self.start:g}, {self.end:g}]"

    def edges(self, cells: int) -> Floats:
        """Return the cells + 1 ends of equal cells; the first and the last are the interval's own."""
        edges = self.start + self.length * (np.arange(cells + 1) / cells)
        edges[-1] = self.end
        return edges

    def require(self, points: Floats, what: str = "the point") -> None:
        """Raise an error that names the first point that is not in the interval."""
        outside = ~((points >= self.start) & (points <= self.end))
        if outside.any():
            raise ParameterError(
                f"{what} {points[outside].flat[0]:g} is not in the domain [{self.start:g}, {self.end:g}]"
            )
