"""Bands of densities: the range of draws of what a release stands for, at every point of its grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpfda.errors import ParameterError
from dpfda.spaces.gridded import GridFunction
from dpfda.spaces.interval import Floats

#: Draws with a public seed, by the number of axes.
DRAWS, PUBLIC_SEED = {1: 4000, 2: 400, 3: 200}, 20_000


@dataclass(frozen=True, eq=False)
class DensityBand:
    """An interval at every point of the box, around a released density or a difference of two.

    Parameters
    ----------
    lower, upper : GridFunction
        The band.
    level : float
        Its probability.
    covers, kind : str
        What it covers, and whether everywhere at once or each point by itself.
    target : str
        What it is a band of, in words.
    left_out : str
        What that leaves out, a sentence or none.
    """

    lower: GridFunction
    upper: GridFunction
    level: float
    covers: str
    kind: str
    target: str
    left_out: str = ""

    def __call__(self, points: Any) -> tuple[Floats, Floats]:
        """Return the lower and upper ends at points, a row a point where there are several axes."""
        where = np.asarray(points, float)
        flat = where.reshape(-1, len(self.lower.axes))
        shape = where.shape if len(self.lower.axes) == 1 else where.shape[:-1]
        return self.lower(flat).reshape(shape), self.upper(flat).reshape(shape)

    @property
    def words(self) -> str:
        """What the band covers, and what it does not."""
        which = "everywhere at once" if self.kind == "simultaneous" else "at each point by itself"
        by = (
            "It follows from the law of the noise by simulated draws."
            if self.covers == "noise"
            else "It is the posterior's, under the public prior the release was smoothed with: that prior is part of the claim."
        )
        rest = f" {self.left_out}" if self.left_out else ""
        return f"With probability {self.level:.4g} this band holds {self.target}, {which}.{rest} {by} It costs no further epsilon."


def band_of(mean: GridFunction, sds: Floats, draws: Floats, level: float, kind: str) -> tuple[Floats, Floats]:
    """Return the ends on the grid from draws around the mean, a row a draw; everything relative to the uniform density."""
    if kind not in ("simultaneous", "pointwise"):
        raise ParameterError(f"kind must be 'simultaneous' or 'pointwise', not {kind!r}")
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise ParameterError(f"level must lie between 0 and 1, such as 0.95, not {level!r}")
    if level > 1 - 2 / len(draws):
        raise ParameterError(f"level {level!r} is closer to 1 than {len(draws)} draws can tell: ask for less")
    values = mean.values.ravel() * mean.volume
    if kind == "pointwise":
        tails = (1 - level) / 2
        low, high = np.quantile(draws, [tails, 1 - tails], axis=0)
        return np.minimum(low, values), np.maximum(high, values)
    scale = np.maximum(sds, 1e-3 * sds.max())
    reach = float(np.quantile((np.abs(draws - values) / scale).max(axis=1), level, method="higher"))
    return values - reach * scale, values + reach * scale
