"""A field on a box from noisy node sums: a Gaussian process whose kernel is a product over the axes.

y = n (H x ... x H)' s + noise, s ~ a^2 Matern 5/2 x ... x Matern 5/2.  With H'KH = U diag(w) U' on every axis the model is diagonal in
the coordinates (U' x ... x U') y, so each length and size of a public grid costs a few small matrix products; they are averaged by
their evidence.  Post-processing of released sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpfda.release.smooth.base import Posterior, Smoother
from dpfda.spaces.interval import Floats
from dpfda.spaces.nodes import hats, midpoints

#: The public prior: lengths as shares of the domain, and standard deviations of the field.
LENGTHS = np.geomspace(0.03, 1.5, 10)
SIZES = np.geomspace(0.05, 8.0, 10)
#: Copies of a profile around a circle on either side.
_TURNS = 12


@dataclass(frozen=True)
class Separable(Smoother):
    """The prior of a field s on [0, 1]^d, and the way to its posterior on a grid of G^d points.

    Parameters
    ----------
    nodes : int
        N, an axis.
    n : float
        How many records, public or released.
    periodic : tuple of bool
        For every axis, whether it is a circle.
    grid : int
        G.
    base : float
        A constant that is added to the field: 1 for a density relative to the uniform one.
    sampling : bool
        Whether the records are a sample of what is wanted, or are themselves what is wanted.
    """

    nodes: int
    n: float
    periodic: tuple[bool, ...]
    grid: int
    base: float = 1.0
    sampling: bool = True

    name = "separable"
    words = (
        "the density a Gaussian process with a product of Matern 5/2 kernels, its length and its size averaged over public grids "
        "by the released sums' likelihood"
    )

    @cached_property
    def spread(self) -> tuple[Floats, ...]:
        """H/G of every axis, G x N."""
        t = midpoints(self.grid)
        return tuple(hats(t, self.nodes, periodic) / self.grid for periodic in self.periodic)

    def kernels(self, length: float) -> tuple[Floats, ...]:
        """Return the kernel matrix on the grid of every axis."""
        t = midpoints(self.grid)
        away = t[:, None] - t
        return tuple(
            _wrapped(away, length) if periodic else _matern(np.abs(away) / length) for periodic in self.periodic
        )

    def fit(self, observed: Floats, variances: Floats) -> FieldPosterior:
        """Return the posterior of base + s on the grid, flattened; the noise has one variance."""
        d = len(self.periodic)
        noise = float(np.mean(variances))
        if self.sampling:
            share = float(np.prod([np.mean((self.grid * spread) ** 2) for spread in self.spread]))
            noise += self.n * share
        means = [spread.sum(axis=0) for spread in self.spread]
        expected = self.base * self.n * _outer(means)
        y = (np.asarray(observed, float).reshape((self.nodes,) * d) - expected) / noise**0.5
        tries = []
        for length in LENGTHS:
            kernels = self.kernels(length)
            pairs = [np.linalg.eigh(h.T @ k @ h) for k, h in zip(kernels, self.spread, strict=True)]
            values = _outer([np.maximum(w, 0.0) for w, _ in pairs]) * self.n**2 / noise
            turned = along(y, [u.T for _, u in pairs])
            back = tuple(k @ h @ u for k, h, (_, u) in zip(kernels, self.spread, pairs, strict=True))
            for size in SIZES:
                total = 1 + size**2 * values
                evidence = -0.5 * float((turned**2 / total + np.log(total)).sum())
                tries.append((evidence, _Part(float(length), float(size), turned, total, back)))
        evidences = np.array([evidence for evidence, _ in tries])
        weights = np.exp(evidences - evidences.max())
        keep = np.flatnonzero(weights > 1e-3)
        weights = weights[keep] / weights[keep].sum()
        parts = tuple(tries[k][1] for k in keep)
        scale = self.n / noise**0.5
        fields = np.array([part.field(scale) for part in parts])
        mean = weights @ fields
        square = weights @ (np.array([part.variance(scale) for part in parts]) + (fields - mean) ** 2)
        return FieldPosterior(self.base + mean, np.sqrt(np.maximum(square, 0.0)), self, weights, fields, parts, noise)


@dataclass(frozen=True, eq=False)
class _Part:
    """One length and size: the sums in its own coordinates, their variances there, and the way back to the grid."""

    length: float
    size: float
    turned: Floats
    total: Floats
    back: tuple[Floats, ...]

    def field(self, scale: float) -> Floats:
        return np.asarray(self.size**2 * scale * along(self.turned / self.total, self.back)).ravel()

    def variance(self, scale: float) -> Floats:
        known = along(1 / self.total, tuple(b**2 for b in self.back))
        return np.asarray(self.size**2 - self.size**4 * scale**2 * known).ravel()


@dataclass(frozen=True, eq=False)
class FieldPosterior(Posterior):
    """The field on the grid, flattened, the last axis fastest.

    Parameters
    ----------
    model : Separable
        The prior.
    weights : array (H,)
        Of the lengths and sizes that are left.
    fields : array (H, G^d)
        Their means.
    parts : tuple
        What they are made of.
    noise : float
        The variance a sum was given.
    """

    model: Separable = field(repr=False)
    weights: Floats = field(repr=False)
    fields: Floats = field(repr=False)
    parts: tuple[_Part, ...] = field(repr=False)
    noise: float = field(repr=False)

    def draws(self, count: int, rng: np.random.Generator) -> Floats:
        """Return draws: a field from the prior, minus what would be made of its own noisy sums, around the mean."""
        model, d = self.model, len(self.model.periodic)
        which = rng.choice(len(self.weights), count, p=self.weights)
        found = np.empty((count, self.fields.shape[1]))
        for row in np.unique(which):
            part = self.parts[row]
            kernels = model.kernels(part.length)
            roots = [np.linalg.cholesky(k + 1e-9 * np.eye(len(k))) for k in kernels]
            turns = [np.asarray(np.linalg.eigh(h.T @ k @ h)[1].T) for k, h in zip(kernels, model.spread, strict=True)]
            for draw in np.flatnonzero(which == row):
                free = part.size * along(rng.standard_normal((model.grid,) * d), roots)
                seen = model.n * along(free, [h.T for h in model.spread]) / self.noise**0.5
                seen += rng.standard_normal(seen.shape)
                known = part.size**2 * model.n / self.noise**0.5 * along(along(seen, turns) / part.total, part.back)
                found[draw] = model.base + self.fields[row] + (free - known).ravel()
        return found


def along(array: Floats, matrices: Sequence[NDArray[Any]]) -> Floats:
    """Return the array with one matrix applied along each axis."""
    for axis, matrix in enumerate(matrices):
        array = np.moveaxis(np.tensordot(matrix, array, axes=(1, axis)), 0, axis)
    return array


def _outer(vectors: list[Floats]) -> Floats:
    product = vectors[0]
    for vector in vectors[1:]:
        product = np.multiply.outer(product, vector)
    return product


def _matern(distance: Floats) -> Floats:
    """Return the Matern 5/2 profile."""
    r = np.sqrt(5) * distance
    return np.asarray((1 + r + r * r / 3) * np.exp(-r))


def _wrapped(away: Floats, length: float) -> Floats:
    """Return the profile wrapped around the circle of circumference one, scaled to one at zero."""
    turns = np.arange(-_TURNS, _TURNS + 1)
    total = _matern(np.abs(away[..., None] + turns) / length).sum(axis=-1)
    return np.asarray(total / _matern(np.abs(turns) / length).sum())
