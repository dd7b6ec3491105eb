"""Bands: where the unreleased values may be, given the release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from dpfda.errors import ParameterError
from dpfda.release.law import NoiseLaw
from dpfda.spaces.interval import Floats, Interval

Kind = Literal["simultaneous", "pointwise"]


@dataclass(frozen=True)
class Band:
    """An interval for every cell, around the released cell averages.

    Parameters
    ----------
    edges : array (N + 1,)
        Ends of the cells.
    lower, upper : array (N,)
        The band.
    level : float
        Its probability.
    covers, kind : str
        What it covers, and whether all cells at once or each by itself.
    """

    edges: Floats
    lower: Floats
    upper: Floats
    level: float
    covers: str
    kind: Kind

    def __call__(self, points: float | Floats) -> tuple[Floats, Floats]:
        """Return the lower and upper ends for the cells that hold the points."""
        where = np.asarray(points, float)
        Interval(float(self.edges[0]), float(self.edges[-1])).require(where)
        cell = np.clip(np.searchsorted(self.edges, where, side="right") - 1, 0, len(self.lower) - 1)
        return self.lower[cell], self.upper[cell]

    @property
    def words(self) -> str:
        """What the band covers, and what it does not."""
        which = (
            "all cell averages of the exact mean of these curves at once"
            if self.kind == "simultaneous"
            else "the cell average of the exact mean of these curves, for each cell by itself,"
        )
        return (
            f"With probability {self.level:.4g} over the noise, this band holds {which}. It follows from the exact law of "
            "the noise and costs no further epsilon. It says nothing about the population the curves were drawn from, nor "
            "about the shape of the curve inside a cell."
        )


def noise_band(raw: Floats, edges: Floats, law: NoiseLaw, level: float, covers: str, kind: str) -> Band:
    """Return the band of the noise around the released values."""
    if covers != "noise":
        raise ParameterError(f"covers must be 'noise' for this release, not {covers!r}")
    if kind not in ("simultaneous", "pointwise"):
        raise ParameterError(f"kind must be 'simultaneous' or 'pointwise', not {kind!r}")
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise ParameterError(f"level must lie between 0 and 1, such as 0.95, not {level!r}")
    if level > 1 - 1e-9:
        raise ParameterError(f"level {level!r} is closer to 1 than the law is computed to: 0.999999999 is the most")
    half = law.half_widths(raw, float(level), kind == "simultaneous")
    lower, upper = raw - half, raw + half
    for ends in (lower, upper):
        ends.setflags(write=False)
    return Band(edges, lower, upper, float(level), covers, cast("Kind", kind))
