"""The role every smoother plays: a released vector and public numbers in, a posterior out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from dpfda.spaces.interval import Floats


@dataclass(frozen=True, eq=False)
class Posterior(ABC):
    """What is believed of the unreleased vector once the noisy one is known, under a public prior.

    Parameters
    ----------
    mean, sds : array (M,)
        The posterior's mean and standard deviations.
    """

    mean: Floats = field(repr=False)
    sds: Floats = field(repr=False)

    def __post_init__(self) -> None:
        for array in (self.mean, self.sds):
            array.setflags(write=False)

    @abstractmethod
    def draws(self, count: int, rng: np.random.Generator) -> Floats:
        """Return draws of the unreleased vector, a row a draw: what simultaneous bands need.

        The generator has a public seed; no noise that hides anything comes of it.
        """


class Smoother(ABC):
    """A public prior.

    `fit` sees a released vector and the public variances of its noise, and nothing else, so whatever it does is
    post-processing: it costs no epsilon (docs/proofs/smoothing.md).
    """

    #: How the prior is called in files and summaries.
    name: ClassVar[str]
    #: In words, for people.
    words: ClassVar[str]

    @abstractmethod
    def fit(self, observed: Floats, variances: Floats) -> Posterior:
        """Return the posterior given a noisy vector and the variances of its noise."""
