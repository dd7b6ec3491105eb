"""How far single curves lie from the mean: a released curve of variances, and the sampling error that follows from it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpfda.errors import ParameterError
from dpfda.release.law import NoiseLaw
from dpfda.spaces.interval import Floats
from dpfda.spaces.piecewise import through_averages

#: The part of 1 - level that is spent on the variances' own noise.
VARIANCE_SHARE = 0.2


@dataclass(frozen=True, eq=False)
class Spread:
    """Noisy averages over cells of the squared distance, clipped at a cap, between a person's curve and the released one.

    Parameters
    ----------
    edges : array (N + 1,)
        Of the cells.
    raw : array (N,)
        The released averages, never smoothed, never cut at zero; in squares of the values' units.
    cap : float
        The public value that squared distances were clipped at.
    law : NoiseLaw
        Of the noise in `raw`.
    """

    edges: Floats = field(repr=False)
    raw: Floats = field(repr=False)
    cap: float
    law: NoiseLaw

    def __post_init__(self) -> None:
        for name in ("edges", "raw"):
            frozen = np.array(getattr(self, name), dtype=np.float64)
            frozen.setflags(write=False)
            object.__setattr__(self, name, frozen)

    def __call__(self, points: Any) -> Any:
        """Return the standard deviation of single curves at points, by lines between the cells' variances."""
        where = np.asarray(points, float)
        variances = through_averages(self.edges, self.raw, "line")(where)
        sds = np.sqrt(np.maximum(variances, 0.0))
        return float(sds) if where.ndim == 0 else sds

    def upper(self, points: Floats, level: float) -> Floats:
        """Return a limit that the released variances, of distances clipped at the cap, stay below with probability `level`.

        Cell by cell at points, over the noise.  Persons farther out than the cap count as if they were at it.
        """
        half = self.law.half_widths(self.raw, level, simultaneous=True)
        cell = np.clip(np.searchsorted(self.edges, points, side="right") - 1, 0, len(self.raw) - 1)
        return np.asarray(np.minimum(np.maximum(self.raw + half, 0.0), self.cap)[cell])


def split_level(level: float) -> tuple[float, float]:
    """Return the level of the variances' limit, and of the rest, so that both fail together at most with 1 - level."""
    return 1 - VARIANCE_SHARE * (1 - level), 1 - (1 - VARIANCE_SHARE) * (1 - level)


def sampling_sd(spread: Spread | None, points: Floats, count: float, level: float) -> Floats:
    """Return a limit on the standard deviation of the mean of `count` curves at points."""
    if spread is None:
        raise ParameterError(
            "a band of the population needs the persons' spread: release with spread=True, which takes a fifth of epsilon for it"
        )
    return np.asarray(np.sqrt(spread.upper(points, level) / max(count, 1.0)))


def sampling_errors(functions: Floats, sds: Floats, count: float, draws: int, rng: np.random.Generator) -> Floats:
    """Return draws of sampling error at points: a row a draw.

    Student's t at each point for the estimated variance; between points the correlation of independent coefficients in the
    released functions, the least that curves made of them can be expected to have, for that makes the largest error the largest.
    """
    sizes = np.maximum(np.linalg.norm(functions, axis=1, keepdims=True), 1e-300)
    normals = rng.standard_normal((draws, functions.shape[1])) @ (functions / sizes).T
    freedom = max(count - 1, 1.0)
    scale = np.sqrt(freedom / rng.chisquare(freedom, (draws, 1))) if math.isfinite(freedom) else 1.0
    return np.asarray(normals * scale * sds)
