"""Bands: where the unreleased values may be, given the release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from dpfda.errors import ParameterError
from dpfda.noise.simulate import stand_in
from dpfda.release.law import NoiseLaw
from dpfda.release.smoothing import Smoothing
from dpfda.release.spread import Spread, sampling_errors, sampling_sd, split_level
from dpfda.release.view import View
from dpfda.spaces.interval import Floats, Interval

Kind = Literal["simultaneous", "pointwise"]

#: Simulated draws of the public law, on a grid of at least so many points.  The seed is public: it has nothing to do with the noise.
DRAWS, _POINTS, PUBLIC_SEED = 20_000, 201, 20_000


@dataclass(frozen=True, eq=False)
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

    def __repr__(self) -> str:
        return f"Band({len(self.lower)} cells, level {self.level:g}, covers={self.covers!r}, kind={self.kind!r}; call it at points)"

    @property
    def words(self) -> str:
        """What the band covers, and what it does not."""
        if self.covers == "population":
            which = "all at once" if self.kind == "simultaneous" else "each by itself"
            return (
                f"With probability about {self.level:.4g} over the sampling of persons and the noise, this band holds the cell "
                f"averages of the population's mean curve, {which}: sampling error by the released curve of standard deviations at its upper "
                "limit, and by the central limit theorem; noise by its law. It leaves out what clipping changed, and the shape "
                "of the curve inside a cell, and counts persons farther from the curve than the spread's cap as if they were at it."
            )
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


@dataclass(frozen=True, eq=False)
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

    def __repr__(self) -> str:
        return f"CurveBand(level {self.level:g}, covers={self.covers!r}, kind={self.kind!r}; call it at points)"

    @property
    def words(self) -> str:
        """What the band covers, and what it does not."""
        which = "the whole of" if self.kind == "simultaneous" else "each value by itself of"
        if self.covers == "posterior":
            return (
                f"Believing the public prior of the smoother, and taking the noise for normal, the unreleased curve lies in this "
                f"band with probability {self.level:.4g}: {which} it. A Bayesian statement about these data's own curve, not a promise of "
                "coverage for every curve; it says nothing about the population the curves were drawn from."
            )
        if self.covers == "population":
            return (
                f"With probability about {self.level:.4g} over the sampling of persons and the noise, this band holds {which} the "
                "population's mean curve, as far as the released functions can show it: sampling error by the released curve of "
                "standard deviations at its upper limit, and by the central limit theorem; noise by its law. It leaves out what "
                "clipping, moving curves into the public set, and cutting off further functions changed, and counts persons farther "
                "from the curve than the spread's cap as if they were at it."
            )
        return (
            f"With probability {self.level:.4g} over the noise, this band holds {which} the mean curve of these data before noise "
            "was added, as public rules shaped it: curves clipped or moved into the public set, coefficients penalised or cut off. It "
            "follows from the law of the noise by 20000 simulated draws and costs no further epsilon. It says nothing about the "
            "population the curves were drawn from, nor about what those rules changed."
        )


@dataclass(frozen=True, eq=False)
class Source:
    """One release in a weighted sum: what its band is made of.

    Parameters
    ----------
    weight : float
        Its weight.
    raw : array
        The released vector.
    view : View
        How it becomes a function.
    law : NoiseLaw
        Of the noise in it.
    spread : Spread or None
        The released standard deviations of single curves, for bands of the population.
    """

    weight: float
    raw: Floats
    view: View
    law: NoiseLaw
    spread: Spread | None = None


def combined_band(sources: tuple[Source, ...], domain: Interval, level: float, covers: str, kind: str) -> CurveBand:
    """Return the band around a weighted sum of functions, each with independent noise (and, for the population, sampling error).

    The law of the noise is public, so its quantiles may be simulated: the largest ratio of |error(t)| to its standard
    deviation over the grid (simultaneous), or the size of the error at each point (pointwise), to which a bound on rounding
    is added (docs/proofs/bands.md).
    """
    check(level, covers, kind, ("noise", "population"))
    population = covers == "population"
    sure, left = split_level(level) if population else (0.0, level)
    # Eight points for the fastest turn of the functions.
    count = max(_POINTS, *(4 * len(source.raw) + 1 for source in sources))
    points = np.linspace(domain.start, domain.end, count)
    rng = np.random.default_rng(PUBLIC_SEED)
    curves, variance = np.zeros((DRAWS, count)), np.zeros(count)
    rounding, centre = np.zeros(count), np.zeros(count)
    possible = np.ones(DRAWS, bool)
    for source in sources:
        view, law = source.view, source.law
        functions = source.weight * view.functions(points)
        noise = stand_in(law.law.name, law.sizes, float(law.scale), (DRAWS, law.dimension), rng)
        moved = law.differences(source.raw, noise)
        possible &= np.isfinite(moved).all(axis=1)
        curves += np.where(np.isfinite(moved), moved, 0.0) @ functions.T
        variance += (functions**2) @ (law.sds**2)
        rounding += np.abs(functions) @ (np.array(law.steps) * np.array(law.rounding))
        centre += source.weight * view.evaluate(source.raw, points)
        if population:
            sd = abs(source.weight) * sampling_sd(source.spread, points, law.count, sure)
            curves += sampling_errors(functions, sd, law.count, DRAWS, rng)
            variance += sd**2
    sizes = np.where(possible[:, None], np.abs(curves), np.inf)
    if kind == "simultaneous":
        sds = np.maximum(np.sqrt(variance), 1e-300)
        half = sds * float(np.quantile((sizes / sds).max(axis=1), left, method="higher"))
    else:
        half = np.quantile(sizes, left, axis=0, method="higher")
    lower, upper = centre - half - rounding, centre + half + rounding
    for ends in (points, lower, upper):
        ends.setflags(write=False)

    def function(where: Floats) -> Floats:
        return np.asarray(sum(s.weight * s.view.evaluate(s.raw, where) for s in sources))

    return CurveBand(points, lower, upper, function, float(level), covers, cast("Kind", kind))


def posterior_band(smoothing: Smoothing, view: View, level: float, kind: str) -> CurveBand:
    """Return the band of the smoothed function under the smoother's own posterior, by draws of it."""
    check(level, "posterior", kind, ("posterior",))
    posterior = smoothing.posterior
    count = max(_POINTS, 4 * len(posterior.mean) + 1)
    points = np.linspace(view.domain.start, view.domain.end, count)
    functions, centre = view.functions(points), view.evaluate(posterior.mean, points)
    draws = posterior.draws(DRAWS, np.random.default_rng(PUBLIC_SEED)) - posterior.mean
    sizes = np.abs(draws @ functions.T)
    if kind == "simultaneous":
        sds = np.maximum(np.sqrt((sizes**2).mean(axis=0)), 1e-300)
        half = sds * float(np.quantile((sizes / sds).max(axis=1), level, method="higher"))
    else:
        half = np.quantile(sizes, level, axis=0, method="higher")
    lower, upper = centre - half, centre + half
    for ends in (points, lower, upper):
        ends.setflags(write=False)

    def function(where: Floats) -> Floats:
        return view.evaluate(posterior.mean, where)

    return CurveBand(points, lower, upper, function, float(level), "posterior", cast("Kind", kind))


def noise_band(raw: Floats, edges: Floats, law: NoiseLaw, level: float, covers: str, kind: str) -> Band:
    """Return the band of the noise around the released cell averages."""
    check(level, covers, kind, ("noise",))
    return _cell_band(raw, edges, law.half_widths(raw, float(level), kind == "simultaneous"), level, covers, kind)


def population_cells(raw: Floats, edges: Floats, law: NoiseLaw, spread: Spread | None, level: float, kind: str) -> Band:
    """Return the band of the population's cell averages: noise by its law, sampling error by the released spread."""
    check(level, "population", kind, ("population",))
    sure, left = split_level(level)
    rng = np.random.default_rng(PUBLIC_SEED)
    noise = stand_in(law.law.name, law.sizes, float(law.scale), (DRAWS, law.dimension), rng)
    moved = law.differences(raw, noise)
    sd = sampling_sd(spread, (edges[1:] + edges[:-1]) / 2, law.count, sure)
    sizes = np.abs(moved + sampling_errors(np.eye(len(raw)), sd, law.count, DRAWS, rng))
    sizes = np.where(np.isfinite(sizes).all(axis=1, keepdims=True), sizes, np.inf)
    if kind == "simultaneous":
        sds = np.sqrt(law.sds**2 + sd**2)
        half = sds * float(np.quantile((sizes / sds).max(axis=1), left, method="higher"))
    else:
        half = np.quantile(sizes, left, axis=0, method="higher")
    return _cell_band(raw, edges, half + np.array(law.steps) * np.array(law.rounding), level, "population", kind)


def _cell_band(raw: Floats, edges: Floats, half: Floats, level: float, covers: str, kind: str) -> Band:
    lower, upper = raw - half, raw + half
    for ends in (lower, upper):
        ends.setflags(write=False)
    return Band(edges, lower, upper, float(level), covers, cast("Kind", kind))


def check(level: float, covers: str, kind: str, known: tuple[str, ...]) -> None:
    """Raise an error unless the words of a band can be meant for this release."""
    if covers not in known:
        raise ParameterError(f"covers must be {' or '.join(map(repr, known))} for this release, not {covers!r}")
    if kind not in ("simultaneous", "pointwise"):
        raise ParameterError(f"kind must be 'simultaneous' or 'pointwise', not {kind!r}")
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise ParameterError(f"level must lie between 0 and 1, such as 0.95, not {level!r}")
    if level > 1 - 1e-9:
        raise ParameterError(f"level {level!r} is closer to 1 than the law is computed to: 0.999999999 is the most")
