"""A density on one axis from noisy node sums: a Gaussian prior on its logarithm, averaged over length and size.

The density is q = exp(g)/sum exp(g) on a fine grid, g = sum_k c_k phi_k with independent c_k ~ N(0, a^2 s_k(l)): waves with the
spectrum of a Matern 5/2 kernel of length l.  The sums over nodes are

    y ~ N(n H'q, n H' diag(.98 q + .02/G) H + v I),        v the variance of the noise,

H the hat functions.  For every (l, a) of a public grid the mode comes by Gauss-Newton steps, and the modes are averaged by the
evidence of the linearised model.  It sees released numbers, public scales and a public prior, so it costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from dpfda.release.smooth.base import Posterior, Smoother
from dpfda.spaces.interval import Floats
from dpfda.spaces.nodes import hats, midpoints

#: The public prior: lengths as shares of the domain, and standard deviations of the logarithm.
LENGTHS = np.geomspace(0.03, 0.6, 7)
SIZES = np.geomspace(0.06, 4.0, 6)
#: How far the waves of an interval go on beyond its ends, so that slopes there are free.
MARGIN = 0.15
#: Gauss-Newton steps, and how many before the unlikely (l, a) are dropped.
_STEPS, _BEFORE = 10, 3
#: Above so many nodes a first look is taken at sums of neighbours.
_FEW = 128


@dataclass(frozen=True)
class LogGaussian(Smoother):
    """The prior of a density on one axis, and the way to its posterior on the fine grid.

    Parameters
    ----------
    nodes : int
        N.
    n : float
        How many records, public or released.
    periodic : bool
        Whether the axis is a circle.
    edges : tuple of float
        Where the sums are of records in bins, their N + 1 ends as shares of the axis; H then says which bin holds a point.
    """

    nodes: int
    n: float
    periodic: bool = False
    edges: tuple[float, ...] = ()

    name = "log-gaussian"
    words = (
        "the logarithm of the density a Gaussian process with a Matern 5/2 spectrum, its length and its size averaged over public "
        "grids by the released sums' likelihood"
    )

    @property
    def grid(self) -> int:
        """G, the cells of the fine grid."""
        return max(256, 2 * self.nodes)

    @cached_property
    def hats(self) -> Floats:
        """H, G x N."""
        if self.edges:
            return overlaps(np.arange(self.grid + 1) / self.grid, np.array(self.edges))
        return hats(midpoints(self.grid), self.nodes, self.periodic)

    @cached_property
    def waves(self) -> Floats:
        """phi_k on the fine grid, G x M."""
        count = int(min(128, max(48, self.nodes)))
        t = midpoints(self.grid)[:, None]
        if self.periodic:
            k = np.arange(1, count // 2 + 1)
            angle = 2 * math.pi * t * k
            return np.asarray(math.sqrt(2) * np.concatenate([np.cos(angle), np.sin(angle)], axis=1))
        k = np.arange(1, count + 1)
        return np.asarray(math.sqrt(2) * np.cos(math.pi * k * (t + MARGIN) / (1 + 2 * MARGIN)))

    @cached_property
    def prior(self) -> Floats:
        """Variances of c_k: a row for every (l, a)."""
        count = self.waves.shape[1]
        if self.periodic:
            frequency = 2 * math.pi * np.tile(np.arange(1, count // 2 + 1), 2)
        else:
            frequency = math.pi * np.arange(1, count + 1) / (1 + 2 * MARGIN)
        spectrum = (1 + (frequency * LENGTHS[:, None]) ** 2 / 5) ** -3.0
        spectrum /= spectrum.sum(axis=1, keepdims=True)
        return np.asarray((SIZES[:, None, None] ** 2 * spectrum).reshape(-1, count))

    def densities(self, coefficients: Floats) -> Floats:
        """Return q on the fine grid for rows of coefficients; every row sums to one."""
        g = coefficients @ self.waves.T
        q = np.exp(g - g.max(axis=1, keepdims=True))
        return np.asarray(q / q.sum(axis=1, keepdims=True))

    def fit(self, observed: Floats, variances: Floats) -> DensityPosterior:
        """Return the posterior of the density, relative to the uniform one, given noisy sums over nodes in records."""
        modes = self.modes(observed, variances)
        square = modes.variances(lambda q: q * self.grid)
        mean = modes.weights @ modes.densities * self.grid
        return DensityPosterior(mean, np.sqrt(square), modes)

    def modes(self, observed: Floats, variances: Floats) -> Modes:
        """Return the modes that are left, with their weights.

        With many nodes the unlikely (l, a) are first sorted out on sums of neighbouring ones.
        """
        state = _State(self.prior, np.zeros(self.prior.shape), np.full(self.grid, 1 / self.grid))
        seen = _Seen(observed, variances, self.hats)
        if self.nodes > _FEW:
            starts = np.arange(0, self.nodes, -(-self.nodes // _FEW))
            together = [np.add.reduceat(part, starts, axis=-1) for part in (seen.sums, seen.variances, seen.hats)]
            state = self._climb(_Seen(*together), state, 1e-6)[0]
        state, weights, inverse = self._climb(seen, state, 1e-3)
        curvature = _Linearised(self, seen, state.coefficients, state.prior, inverse).curvature
        return Modes(self, state.coefficients, state.prior, weights, curvature)

    def _climb(self, seen: _Seen, state: _State, least: float) -> tuple[_State, Floats, Floats]:
        """Take Gauss-Newton steps, dropping rows whose weight falls below a share of the largest."""
        prior, coefficients, pilot = state.prior, state.coefficients, state.pilot
        for step in range(_STEPS):
            floored = (0.98 * pilot + 0.02 / self.grid)[:, None]
            inverse = np.asarray(
                np.linalg.inv(self.n * (seen.gather @ (seen.hats * floored)) + np.diag(seen.variances))
            )
            near = _Linearised(self, seen, coefficients, prior, inverse)
            moved = near.mode - coefficients
            # g moves by at most 2 at once.
            longest = np.abs(moved @ self.waves.T).max(axis=1, keepdims=True)
            coefficients = coefficients + moved * np.minimum(1.0, 2.0 / np.maximum(longest, 1e-12))
            weights = np.exp(near.evidence - near.evidence.max())
            if step >= _BEFORE:
                pilot = weights @ near.q / weights.sum()
                keep = weights > least * weights.max()
                prior, coefficients, weights = prior[keep], coefficients[keep], weights[keep]
        return _State(prior, coefficients, pilot), weights / weights.sum(), inverse


def overlaps(cells: Floats, bins: Floats) -> Floats:
    """Return the share of each cell that lies in each bin, both given by their ends: a row a cell, a column a bin."""
    low = np.maximum(cells[:-1, None], bins[:-1])
    high = np.minimum(cells[1:, None], bins[1:])
    return np.asarray(np.maximum(high - low, 0.0) / np.diff(cells)[:, None])


@dataclass(frozen=True, eq=False)
class _State:
    """Where the steps have come to: rows of prior variances and of coefficients, and the averaged q."""

    prior: Floats
    coefficients: Floats
    pilot: Floats


@dataclass(frozen=True, eq=False)
class _Seen:
    """Noisy sums, the variances of their noise, and their hat functions."""

    sums: Floats
    variances: Floats
    hats: Floats

    @cached_property
    def gather(self) -> Any:
        """H' as a sparse matrix: two entries a point."""
        return scipy.sparse.csr_array(self.hats.T)


class _Linearised:
    """The model linearised at coefficients, a row for every (l, a): its mode, its evidence, its curvature."""

    def __init__(self, model: LogGaussian, seen: _Seen, coefficients: Floats, prior: Floats, inverse: Floats) -> None:
        n = model.n
        self.q = model.densities(coefficients)
        expected = n * self.q @ seen.hats
        slopes = np.stack([n * (seen.gather @ (q[:, None] * model.waves)) for q in self.q])
        slopes -= expected[:, :, None] * (self.q @ model.waves)[:, None, :]
        weighted = inverse @ slopes
        roots = np.sqrt(prior)
        #: I + sqrt(prior) J' S^-1 J sqrt(prior), the whitened curvature.
        self.curvature = roots[:, :, None] * (slopes.transpose(0, 2, 1) @ weighted) * roots[:, None, :]
        self.curvature += np.eye(prior.shape[1])
        target = seen.sums - expected + np.einsum("hnm,hm->hn", slopes, coefficients)
        pull = np.einsum("hnm,hn->hm", weighted, target)
        self.mode = roots * np.linalg.solve(self.curvature, (roots * pull)[..., None])[..., 0]
        misfit = np.einsum("hn,hn->h", target @ inverse, target) - (self.mode * pull).sum(axis=1)
        #: Up to what all (l, a) have in common.
        self.evidence = -0.5 * misfit - 0.5 * np.linalg.slogdet(self.curvature)[1]


@dataclass(frozen=True, eq=False)
class Modes:
    """Modes of the posterior, a row for every (l, a) that is left.

    Parameters
    ----------
    model : LogGaussian
        The prior.
    coefficients, prior : arrays (H, M)
        Modes, and the prior's variances.
    weights : array (H,)
        By their evidence; of sum one.
    curvature : array (H, M, M)
        Inverse covariances of c/sqrt(prior).
    """

    model: LogGaussian
    coefficients: Floats = field(repr=False)
    prior: Floats = field(repr=False)
    weights: Floats = field(repr=False)
    curvature: Floats = field(repr=False)

    @cached_property
    def densities(self) -> Floats:
        """The q of every mode."""
        return self.model.densities(self.coefficients)

    def variances(self, linear: Callable[[Floats], Floats]) -> Floats:
        """Return the posterior variances of a linear map of q: around each mode to first order, and between modes.

        The map takes and returns columns.
        """
        waves, middle = self.model.waves, self.weights @ self.densities
        square = np.zeros(len(linear(middle[:, None])))
        for q, weight, prior, curvature in zip(self.densities, self.weights, self.prior, self.curvature, strict=True):
            slopes = linear(q[:, None] * (waves - q @ waves) * np.sqrt(prior))
            around = (slopes * np.linalg.solve(curvature, slopes.T).T).sum(axis=1)
            square += weight * (around + linear((q - middle)[:, None])[:, 0] ** 2)
        return square

    def draws(self, count: int, rng: np.random.Generator) -> Floats:
        """Return q drawn from the posterior, a row each: a mode by its weight, then around it in the logarithm."""
        rows = rng.choice(len(self.weights), count, p=self.weights)
        found = np.empty((count, self.model.grid))
        for row in np.unique(rows):
            here = np.flatnonzero(rows == row)
            normal = rng.standard_normal((self.prior.shape[1], len(here)))
            whitened = np.linalg.solve(np.linalg.cholesky(self.curvature[row]).T, normal)
            found[here] = self.model.densities(self.coefficients[row] + np.sqrt(self.prior[row]) * whitened.T)
        return found


@dataclass(frozen=True, eq=False)
class DensityPosterior(Posterior):
    """The density on the fine grid, relative to the uniform one: positive, of mean one, as are its draws.

    Parameters
    ----------
    modes : Modes
        What it is averaged from.
    """

    modes: Modes = field(repr=False)

    def draws(self, count: int, rng: np.random.Generator) -> Floats:
        return self.modes.draws(count, rng) * self.modes.model.grid
