"""Released numbers mapped to a grid without a prior: what they stand for is off by the noise alone."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dpfda.noise.simulate import stand_in
from dpfda.release.law import NoiseLaw
from dpfda.release.smooth.base import Posterior
from dpfda.spaces.interval import Floats


@dataclass(frozen=True, eq=False)
class LinearPosterior(Posterior):
    """matrix @ raw, and where the same of the unreleased numbers may be, given the law of the noise.

    Parameters
    ----------
    matrix : array (points, M)
        The public map.
    raw : array (M,)
        The released numbers.
    law : NoiseLaw
        Of their noise.
    """

    matrix: Floats = field(repr=False)
    raw: Floats = field(repr=False)
    law: NoiseLaw

    @classmethod
    def of(cls, matrix: Floats, raw: Floats, law: NoiseLaw) -> LinearPosterior:
        """Return it with the deviations of the noise at every point."""
        return cls(matrix @ raw, np.sqrt((matrix**2) @ law.sds**2), matrix, raw, law)

    def draws(self, count: int, rng: np.random.Generator) -> Floats:
        law = self.law
        noise = stand_in(law.law.name, law.sizes, float(law.scale), (count, law.dimension), rng)
        moved = law.differences(self.raw, noise)
        return np.asarray(self.mean - np.where(np.isfinite(moved), moved, 0.0) @ self.matrix.T)
