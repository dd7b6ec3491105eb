"""A kernel estimate on a box: the posterior of the records' own distribution, then the kernel."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy

from dpfda.release.smooth.base import Posterior, Smoother
from dpfda.release.smooth.separable import FieldPosterior, Separable
from dpfda.spaces.interval import Floats

#: Draws with a public seed that give the deviations.
_DRAWS, _PUBLIC_SEED = 200, 20_000


@dataclass(frozen=True, eq=False)
class Blurred(Smoother):
    """K applied to the field of `Separable`.

    Parameters
    ----------
    prior : Separable
        Of the records' distribution, without sampling variance: these records are what is wanted.
    kernel : array (2G-1, ..., 2G-1)
        At all differences of grid points, the middle one zero, times the volume of a cell.
    """

    prior: Separable
    kernel: Floats = field(repr=False)

    name = "blurred"
    words = Separable.words + ", then the kernel"

    def fit(self, observed: Floats, variances: Floats) -> BlurredPosterior:
        inner = self.prior.fit(observed, variances)
        kept = np.maximum(inner.mean, 0.0)
        mean = self.apply((kept / kept.mean())[None])[0]
        free = self.apply(inner.draws(_DRAWS, np.random.default_rng(_PUBLIC_SEED)) - inner.mean)
        return BlurredPosterior(mean, free.std(axis=0), self, inner)

    def apply(self, rows: Floats) -> Floats:
        """Return the kernel's integral against fields on the grid, a row each; nothing lies outside the box."""
        d, grid = len(self.prior.periodic), self.prior.grid
        axes = tuple(range(1, d + 1))
        size = [scipy.fft.next_fast_len(3 * grid - 2)] * d
        wide = scipy.fft.rfftn(rows.reshape(-1, *(grid,) * d), size, axes=axes) * scipy.fft.rfftn(
            self.kernel[None], size, axes=axes
        )
        whole = scipy.fft.irfftn(wide, size, axes=axes)
        middle = (slice(None), *(slice(grid - 1, 2 * grid - 1),) * d)
        return np.asarray(whole[middle].reshape(len(rows), -1))


@dataclass(frozen=True, eq=False)
class BlurredPosterior(Posterior):
    """The kernel estimate on the grid, flattened.

    Parameters
    ----------
    model : Blurred
        The kernel.
    inner : FieldPosterior
        Of the records' distribution.
    """

    model: Blurred = field(repr=False)
    inner: FieldPosterior = field(repr=False)

    def draws(self, count: int, rng: np.random.Generator) -> Floats:
        return np.asarray(self.mean + self.model.apply(self.inner.draws(count, rng) - self.inner.mean))
