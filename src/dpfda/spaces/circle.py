"""A circle: an interval whose ends are one point."""

from __future__ import annotations

from dataclasses import dataclass

from dpfda.spaces.interval import Interval


@dataclass(frozen=True)
class Circle(Interval):
    """The domain of a periodic curve, from `start` to `end` where it begins again.

    Cells, edges and points are those of the interval; kernels are wrapped around it, so what is released meets itself at
    the ends without a seam.
    """

    @classmethod
    def of_length(cls, length: float, start: float = 0.0) -> Circle:
        """Return the circle of a circumference, such as 24 for hours of the day."""
        return cls(start, start + length)
