"""Coefficients whose prior variance falls like a power of their number, the power and the size averaged over."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dpfda.release.smooth.base import Posterior, Smoother
from dpfda.spaces.interval import Floats

#: Prior variance of the level, in squares of half the range.
LEVEL = 0.25
#: Powers q, and sizes g with a log-normal weight around 0.2.
POWERS = (0.75, 1.0, 1.5, 2.0)
SIZES = 10.0 ** np.arange(-3, 0.6, 0.15)
CENTRE, SPREAD = 0.2, 0.5


@dataclass(frozen=True, eq=False)
class Mixture(Posterior):
    """A mixture of independent normals: one component for every size and power.

    Parameters
    ----------
    weights : array (H,)
        Posterior probabilities of the components.
    means, deviations : array (H, M)
        Of the coefficients in each of them.
    """

    weights: Floats = field(repr=False)
    means: Floats = field(repr=False)
    deviations: Floats = field(repr=False)

    def draws(self, count: int, rng: np.random.Generator) -> Floats:
        which = rng.choice(len(self.weights), count, p=self.weights)
        return np.asarray(self.means[which] + self.deviations[which] * rng.standard_normal((count, len(self.mean))))


@dataclass(frozen=True)
class PowerLaw(Smoother):
    """theta_0 ~ N(0, LEVEL unit^2), theta_j ~ N(0, g^2 j^(-2q) unit^2), (g, q) averaged by their marginal likelihood.

    The posterior mean of a coefficient is y_j E[v/(v + noise)], the expectation over (g, q) given all of y: empirical Bayes
    without a choice to make (Lindley and Smith 1972; Carlin and Louis 2000).

    Parameters
    ----------
    unit : float
        What size one stands for: half the public range of values.
    """

    unit: float

    name = "power-law"
    words = (
        "the level normal with standard deviation a quarter of the range, the j-th further coefficient normal with standard "
        "deviation g j^-q, g and q averaged over public grids by the released vector's likelihood"
    )

    def fit(self, observed: Floats, variances: Floats) -> Mixture:
        y, noise = np.asarray(observed, float) / self.unit, np.asarray(variances, float) / self.unit**2
        prior = self._prior(len(y))
        total = prior + noise
        with np.errstate(divide="ignore"):
            logs = -0.5 * (np.log(total[:, 1:]) + y[1:] ** 2 / total[:, 1:]).sum(axis=1) + self._hyperprior()
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        means = y * (prior / total)
        deviations = np.sqrt(prior * noise / total)
        mean = weights @ means
        variance = weights @ (deviations**2 + (means - mean) ** 2)
        return Mixture(
            mean * self.unit, np.sqrt(variance) * self.unit, weights, means * self.unit, deviations * self.unit
        )

    @staticmethod
    def _prior(count: int) -> Floats:
        """Return the prior variances: a row a component, sizes slowest."""
        j = np.maximum(np.arange(count), 1.0)
        powers = j ** (-2 * np.array(POWERS)[:, None])
        prior = (SIZES[:, None, None] ** 2 * powers).reshape(-1, count)
        prior[:, 0] = LEVEL
        return np.asarray(prior)

    @staticmethod
    def _hyperprior() -> Floats:
        return np.repeat(-0.5 * (np.log10(SIZES / CENTRE) / SPREAD) ** 2, len(POWERS))
