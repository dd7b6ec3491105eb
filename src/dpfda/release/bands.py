"""Bands: where the unreleased values may be, given the release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from dpfda.errors import ParameterError
from dpfda.noise.simulate import stand_in
from dpfda.release.law import NoiseLaw
from dpfda.release.view import View
from dpfda.spaces.interval import Floats, Interval

Kind = Literal["simultaneous", "pointwise"]

#: Simulated draws of the public law, on a grid of at least so many points.  The seed is public: it has nothing to do with the noise.
DRAWS, _POINTS, PUBLIC_SEED = 20_000, 201, 20_000


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


@dataclass(frozen=True)
class CurveBand:
    """An interval at every point of a fine grid, around the released function.

    Parameters
    ----------
    points : array
        A grid fine enough for the functions in the release.
    lower, upper : array
        The band there.
    function : callable
        The released function, on which the band is centred everywhere; the half-width is joined by lines.
    level, covers, kind
        As for `Band`.
    """

    points: Floats
    lower: Floats
    upper: Floats
    function: Callable[[Floats], Floats]
    level: float
    covers: str
    kind: Kind

    def __call__(self, points: float | Floats) -> tuple[Floats, Floats]:
        """Return the lower and upper ends at points."""
        where = np.asarray(points, float)
        Interval(float(self.points[0]), float(self.points[-1])).require(where)
        half, centre = np.interp(where, self.points, (self.upper - self.lower) / 2), self.function(where)
        return centre - half, centre + half

    @property
    def words(self) -> str:
        """What the band covers, and what it does not."""
        which = "the whole of" if self.kind == "simultaneous" else "each value by itself of"
        return (
            f"With probability {self.level:.4g} over the noise, this band holds {which} the smoothed mean curve of these data "
            "before noise was added. It follows from the law of the noise by 20000 simulated draws and costs no further epsilon. "
            "It says nothing about the population the curves were drawn from, nor about what smoothing and clipping changed."
        )


def curve_band(
    parts: tuple[tuple[float, Floats, View, NoiseLaw], ...], domain: Interval, level: float, covers: str, kind: str
) -> CurveBand:
    """Return the band of the noise around a weighted sum of functions, each with independent noise.

    The law of the noise is public, so its quantiles may be simulated: the largest ratio of |noise(t)| to its standard
    deviation over the grid (simultaneous), or the size of the noise at each point (pointwise), to which a bound on rounding
    is added.
    """
    check(level, covers, kind)
    # Eight points for the fastest turn of the functions.
    count = max(_POINTS, *(4 * len(raw) + 1 for _, raw, _, _ in parts))
    points = np.linspace(domain.start, domain.end, count)
    rng = np.random.default_rng(PUBLIC_SEED)
    curves, variance = np.zeros((DRAWS, count)), np.zeros(count)
    rounding, centre = np.zeros(count), np.zeros(count)
    possible = np.ones(DRAWS, bool)
    for weight, raw, view, law in parts:
        functions = weight * view.functions(points)
        noise = stand_in(law.law.name, law.sizes, float(law.scale), (DRAWS, law.dimension), rng)
        moved = law.differences(raw, noise)
        possible &= np.isfinite(moved).all(axis=1)
        curves += np.where(np.isfinite(moved), moved, 0.0) @ functions.T
        variance += (functions**2) @ (law.sds**2)
        rounding += np.abs(functions) @ (np.array(law.steps) * np.array(law.rounding))
        centre += weight * view.evaluate(raw, points)
    sizes = np.where(possible[:, None], np.abs(curves), np.inf)
    if kind == "simultaneous":
        sds = np.maximum(np.sqrt(variance), 1e-300)
        half = sds * float(np.quantile((sizes / sds).max(axis=1), level, method="higher"))
    else:
        half = np.quantile(sizes, level, axis=0, method="higher")
    lower, upper = centre - half - rounding, centre + half + rounding
    for ends in (points, lower, upper):
        ends.setflags(write=False)

    def function(where: Floats) -> Floats:
        return np.asarray(sum(weight * view.evaluate(raw, where) for weight, raw, view, _ in parts))

    return CurveBand(points, lower, upper, function, float(level), covers, cast("Kind", kind))


def noise_band(raw: Floats, edges: Floats, law: NoiseLaw, level: float, covers: str, kind: str) -> Band:
    """Return the band of the noise around the released values."""
    check(level, covers, kind)
    half = law.half_widths(raw, float(level), kind == "simultaneous")
    lower, upper = raw - half, raw + half
    for ends in (lower, upper):
        ends.setflags(write=False)
    return Band(edges, lower, upper, float(level), covers, cast("Kind", kind))


def check(level: float, covers: str, kind: str) -> None:
    """Raise an error for words of a band that it cannot have."""
    if covers != "noise":
        raise ParameterError(f"covers must be 'noise' for this release, not {covers!r}")
    if kind not in ("simultaneous", "pointwise"):
        raise ParameterError(f"kind must be 'simultaneous' or 'pointwise', not {kind!r}")
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise ParameterError(f"level must lie between 0 and 1, such as 0.95, not {level!r}")
    if level > 1 - 1e-9:
        raise ParameterError(f"level {level!r} is closer to 1 than the law is computed to: 0.999999999 is the most")
