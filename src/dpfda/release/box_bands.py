"""Bands around surfaces: where the unreleased surface may be, given the release."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from dpfda.noise.simulate import stand_in
from dpfda.release.bands import DRAWS, PUBLIC_SEED, CurveBand, Kind, Source, check, combined_band
from dpfda.release.box_view import BoxView
from dpfda.spaces.box import Box, mesh_points, multilinear
from dpfda.spaces.interval import Floats, Interval

#: Points an axis at the least and at the most, by the number of axes; points handled at once.
_LEAST, _MOST, _CHUNK = {2: 25, 3: 13}, {2: 97, 3: 33}, 256
#: Share of the noise's energy that may turn faster than the mesh is made for.
_LEFT_OUT = 0.01


@dataclass(frozen=True)
class BoxBand:
    """An interval at every point of a mesh on a box, around the released function.

    Parameters
    ----------
    grids : tuple of arrays
        The axes of the mesh, fine enough for the functions in the release.
    lower, upper : array, an axis for every grid
        The band there.
    function : callable
        The released function of an array of points, on which the band is centred everywhere; between the points of the mesh
        the half-width is linear in each coordinate.
    level : float
        Its probability.
    covers, kind : str
        What it covers, and whether everywhere at once or at each point by itself.
    """

    grids: tuple[Floats, ...]
    lower: Floats
    upper: Floats
    function: Callable[[Floats], Floats]
    level: float
    covers: str
    kind: Kind

    def __call__(self, *points: Any) -> tuple[Floats, Floats]:
        """Return the lower and upper ends at points: an array whose last axis holds the coordinates, or an array for each."""
        where = np.stack(np.broadcast_arrays(*points), axis=-1) if len(points) > 1 else np.asarray(points[0])
        where = where.astype(np.float64)
        Box(*((float(g[0]), float(g[-1])) for g in self.grids)).require(where)
        flat = where.reshape(-1, where.shape[-1])
        half = multilinear(self.grids, (self.upper - self.lower) / 2, flat).reshape(where.shape[:-1])
        centre = self.function(where)
        return centre - half, centre + half

    @property
    def words(self) -> str:
        """What the band covers, and what it does not."""
        which = "the whole of" if self.kind == "simultaneous" else "each value by itself of"
        return (
            f"With probability {self.level:.4g} over the noise, this band holds {which} the smoothed mean of these data before noise "
            "was added. It follows from the law of the noise by 20000 simulated draws on a mesh and costs no further epsilon. It says "
            "nothing about the population the data were drawn from, nor about what smoothing and clipping changed."
        )


def band_of(
    sources: tuple[Source, ...], domain: Interval | Box, level: float, covers: str, kind: str
) -> CurveBand | BoxBand:
    """Return the band of the noise around a weighted sum of functions on an interval or a box, each with independent noise."""
    if isinstance(domain, Box):
        return _box_band(sources, domain, level, covers, kind)
    return combined_band(sources, domain, level, covers, kind)


def _box_band(sources: tuple[Source, ...], domain: Box, level: float, covers: str, kind: str) -> BoxBand:
    """Simulate the public law of the noise, as for curves (docs/proofs/bands.md), some points of the mesh at a time."""
    check(level, covers, kind, ("noise",))
    grids = domain.mesh(_counts(sources, domain))
    points = mesh_points(grids)
    rng = np.random.default_rng(PUBLIC_SEED)
    moved, possible = [], np.ones(DRAWS, bool)
    for source in sources:
        law = source.law
        noise = stand_in(law.law.name, law.sizes, float(law.scale), (DRAWS, law.dimension), rng)
        draws = law.differences(source.raw, noise)
        possible &= np.isfinite(draws).all(axis=1)
        moved.append(np.where(np.isfinite(draws), draws, 0.0).astype(np.float32))
    sds, rounding, centre = np.zeros(len(points)), np.zeros(len(points)), np.zeros(len(points))
    largest, half = np.zeros(DRAWS), np.zeros(len(points))
    for some in _chunks(len(points)):
        sizes: Floats = np.zeros((DRAWS, len(points[some])))
        variance = np.zeros(len(points[some]))
        for source, single in zip(sources, moved, strict=True):
            view, law = source.view, source.law
            functions = source.weight * view.functions(points[some])
            sizes = sizes + (single @ functions.T.astype(np.float32)).astype(np.float64)
            variance += (functions**2) @ (law.sds**2)
            rounding[some] += np.abs(functions) @ (np.array(law.steps) * np.array(law.rounding))
            centre[some] += source.weight * view.evaluate(source.raw, points[some])
        sizes = np.where(possible[:, None], np.abs(sizes), np.inf)
        sds[some] = np.maximum(np.sqrt(variance), 1e-300)
        if kind == "simultaneous":
            largest = np.maximum(largest, (sizes / sds[some]).max(axis=1))
        else:
            half[some] = np.quantile(sizes, level, axis=0, method="higher")
    if kind == "simultaneous":
        half = sds * float(np.quantile(largest, level, method="higher"))
    # Single precision draws are off by a relative 1e-6 at the most.
    half = half * (1 + 1e-5) + rounding
    shape = tuple(map(len, grids))
    lower, upper = (centre - half).reshape(shape), (centre + half).reshape(shape)
    for ends in (*grids, lower, upper):
        ends.setflags(write=False)

    def function(where: Floats) -> Floats:
        return np.asarray(sum(s.weight * s.view.evaluate(s.raw, where) for s in sources))

    return BoxBand(grids, lower, upper, function, float(level), covers, cast("Kind", kind))


def _counts(sources: tuple[Source, ...], domain: Box) -> tuple[int, ...]:
    """Return points an axis: four for the fastest turn of the noise in two dimensions, two in three."""
    axes = len(domain.axes)
    each = [s.view.basis.turns_of(s.law.sds**2, _LEFT_OUT) for s in sources if isinstance(s.view, BoxView)]
    turns = [max(turn[k] for turn in each) for k in range(axes)]
    return tuple(min(max((4 if axes == 2 else 2) * t + 1, _LEAST[axes]), _MOST[axes]) for t in turns)


def _chunks(count: int) -> Iterator[slice]:
    return (slice(first, first + _CHUNK) for first in range(0, count, _CHUNK))
