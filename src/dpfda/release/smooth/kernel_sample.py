"""The kernel estimate of the sample itself, from noisy sums: the papers' estimand on one axis.

Given the density q the sample's shares p of atoms (fine cells, or bins) are close to N(q, C/n^2) with C = n (diag q - qq'), and the sums are
y = n H'p + noise, so

    E[p | y, q] = q + C H (H'CH + V)^-1 (y - n H'q)/n,

with the q of `LogGaussian`, whose own uncertainty is carried along.  A kernel is then applied to it.  Post-processing throughout.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dpfda.release.smooth.base import Posterior, Smoother
from dpfda.release.smooth.log_gaussian import LogGaussian, Modes
from dpfda.spaces.interval import Floats

#: Least variance of a sum that the gain divides by, in records squared.
_LEAST = 0.01


@dataclass(frozen=True, eq=False)
class KernelSample(Smoother):
    """A kernel estimate of the sample: linear in the shares of atoms.

    Parameters
    ----------
    prior : LogGaussian
        Of the density the sample comes from.
    kernel : array (points, atoms)
        The estimate at the wanted points for a record in every atom; a row a point.
    pool : array (G, atoms), optional
        How the fine cells are divided among the atoms; they are the fine cells themselves by default.
    seen : array (atoms, N), optional
        How the atoms enter the sums; by default the prior's hat functions.
    """

    prior: LogGaussian
    kernel: Floats = field(repr=False)
    pool: Floats | None = field(default=None, repr=False)
    seen: Floats | None = field(default=None, repr=False)

    name = "kernel-sample"
    words = "the records drawn from a density whose logarithm is a Gaussian process, then the kernel"

    def fit(self, observed: Floats, variances: Floats) -> KernelPosterior:
        modes, n, h = self.prior.modes(observed, variances), self.prior.n, self.hats
        q = self.atoms(modes.weights @ modes.densities)
        crossed = n * (h * q[:, None] - np.outer(q, q @ h))
        gain = np.linalg.solve(h.T @ crossed + np.diag(np.maximum(variances, _LEAST)), crossed.T).T
        shares = np.maximum(q + gain @ (observed - n * q @ h) / n, 0.0)
        shares /= shares.sum()
        # diag of K (C - gain H'C) K' / n^2, with K C = n (K diag q - (K q) q').
        spread = n * (self.kernel * q - np.outer(self.kernel @ q, q))
        square = (spread * self.kernel).sum(axis=1) - ((self.kernel @ gain) * (self.kernel @ crossed)).sum(axis=1)
        square = np.maximum(square, 0.0) / n**2

        def left(columns: Floats) -> Floats:
            """Return what the gain leaves of columns of q."""
            pooled = self.atoms(columns.T).T
            return np.asarray(self.kernel @ (pooled - gain @ (h.T @ pooled)))

        square += modes.variances(left)
        return KernelPosterior(
            self.kernel @ shares, np.sqrt(square), self, modes, shares, q, gain, np.asarray(variances, float)
        )

    @property
    def hats(self) -> Floats:
        """How the atoms enter the sums."""
        return self.prior.hats if self.seen is None else self.seen

    def atoms(self, q: Floats) -> Floats:
        """Return the shares of the atoms for rows of shares of the fine cells."""
        return np.asarray(q if self.pool is None else q @ self.pool)


@dataclass(frozen=True, eq=False)
class KernelPosterior(Posterior):
    """The kernel estimate at the wanted points.

    Parameters
    ----------
    model : KernelSample
        The prior and the kernel.
    modes : Modes
        Of the density.
    shares, q : array (atoms,)
        Of the sample in the atoms, and of the density.
    gain : array (atoms, N)
        How the shares follow the sums.
    variances : array (N,)
        Of the noise.
    """

    model: KernelSample = field(repr=False)
    modes: Modes = field(repr=False)
    shares: Floats = field(repr=False)
    q: Floats = field(repr=False)
    gain: Floats = field(repr=False)
    variances: Floats = field(repr=False)

    def draws(self, count: int, rng: np.random.Generator) -> Floats:
        """Return draws: a density, then a sample of it minus what the gain would make of that sample's own noisy sums."""
        n, h = self.model.prior.n, self.model.hats
        free = np.sqrt(n * self.q) * rng.standard_normal((count, len(self.q)))
        free -= self.q * free.sum(axis=1, keepdims=True)
        noisy = free @ h + np.sqrt(self.variances) * rng.standard_normal((count, h.shape[1]))
        away = self.model.atoms(self.modes.draws(count, rng)) - self.q
        away -= away @ h @ self.gain.T
        return np.asarray(self.mean + (away + (free - noisy @ self.gain.T) / n) @ self.model.kernel.T)

    def population(self, count: int, rng: np.random.Generator) -> Floats:
        """Return draws of the kernel applied to the density the records come from."""
        return np.asarray(self.model.atoms(self.modes.draws(count, rng)) @ self.model.kernel.T)
