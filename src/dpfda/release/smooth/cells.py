"""Smoothing of averages over cells, with the power-law prior in the spline basis of the cells' centres."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dpfda.release.smooth.base import Posterior, Smoother
from dpfda.release.smooth.powers import PowerLaw
from dpfda.spaces.interval import Floats, Interval
from dpfda.spaces.splines import SplineBasis

#: With fewer cells there is no shape to smooth.
SMOOTHED_FROM = 4


@dataclass(frozen=True, eq=False)
class Transformed(Posterior):
    """A posterior of coefficients, seen as cell averages.

    Parameters
    ----------
    inner : Posterior
        Of the coefficients.
    table : array (N, N)
        The functions on the cells.
    middle : float
        The middle of the range.
    """

    inner: Posterior
    table: Floats = field(repr=False)
    middle: float

    def draws(self, count: int, rng: np.random.Generator) -> Floats:
        return np.asarray(self.middle + self.inner.draws(count, rng) @ self.table.T)


@dataclass(frozen=True)
class CellPowerLaw(Smoother):
    """`PowerLaw` for averages over N equal cells: in the natural splines on their centres, smoothest first.

    Those functions are orthonormal under equal weights, so equal and uncorrelated noise stays equal and uncorrelated.

    Parameters
    ----------
    unit, middle : float
        Half the public range of values, and its middle.
    """

    unit: float
    middle: float

    name = "power-law-cells"
    words = PowerLaw.words + ", in the spline basis of the cells"

    def fit(self, observed: Floats, variances: Floats) -> Posterior:
        cells = len(observed)
        if cells < SMOOTHED_FROM:
            table = np.eye(cells)
            inner: Posterior = Plain(observed - self.middle, np.sqrt(variances))
        else:
            centres = (np.arange(cells) + 0.5) / cells
            basis = SplineBasis.on(centres, Interval(float(centres[0]), float(centres[-1])), cells)
            table = np.linalg.qr(basis.mixing)[0] * np.sqrt(cells)  # equal weights in place of the trapezoid rule's
            coefficients = table.T @ (observed - self.middle) / cells
            inner = PowerLaw(self.unit).fit(coefficients, (table**2).T @ variances / cells**2)
        spread = np.sqrt((table**2) @ inner.sds**2)
        return Transformed(self.middle + table @ inner.mean, spread, inner, table, self.middle)


@dataclass(frozen=True, eq=False)
class Plain(Posterior):
    """Independent normals around the released numbers: no prior at all."""

    def draws(self, count: int, rng: np.random.Generator) -> Floats:
        return np.asarray(self.mean + self.sds * rng.standard_normal((count, len(self.mean))))
