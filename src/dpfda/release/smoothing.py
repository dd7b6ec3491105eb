"""The smoothed side of a release: what went into the smoother, and what came out."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dpfda.release.smooth.base import Posterior, Smoother
from dpfda.spaces.interval import Floats


@dataclass(frozen=True, eq=False)
class Smoothing:
    """A prior, and the released numbers it was confronted with.

    Parameters
    ----------
    smoother : Smoother
        The public prior.
    observed, variances : array (M,)
        A released vector, or released vectors averaged by their precisions, and the variances of its noise.
    posterior : Posterior
        What is believed of the unreleased vector; it follows from the rest.
    """

    smoother: Smoother
    observed: Floats = field(repr=False)
    variances: Floats = field(repr=False)
    posterior: Posterior = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("observed", "variances"):
            frozen = np.array(getattr(self, name), dtype=np.float64)
            frozen.setflags(write=False)
            object.__setattr__(self, name, frozen)
        object.__setattr__(self, "posterior", self.smoother.fit(self.observed, self.variances))
