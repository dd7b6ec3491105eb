"""A released function: frozen arrays and the guarantee, nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from dpfda.errors import ParameterError
from dpfda.plots.curve import draw_curve
from dpfda.plots.surface import draw_surface
from dpfda.privacy.amounts import words
from dpfda.release import encode, envelope, report
from dpfda.release.bands import (
    Band,
    CurveBand,
    Source,
    noise_band,
    population_cells,
    posterior_band,
)
from dpfda.release.box_bands import BoxBand, band_of
from dpfda.release.combination import Combination, Part
from dpfda.release.guarantee import Guarantee
from dpfda.release.law import NoiseLaw
from dpfda.release.smoothing import Smoothing
from dpfda.release.spread import Spread
from dpfda.release.view import CellView, View
from dpfda.spaces.interval import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Release(Part):
    """A mean curve released under differential privacy; call it like a function.

    It holds arrays of released numbers and public ones, no record and no closure, so everything done with it is
    post-processing: free, and as private as the release itself.

    Parameters
    ----------
    raw : array (N,)
        The released numbers, never smoothed, never clipped: averages over cells, or coefficients in a basis.
    view : View
        How they become a function.
    law : NoiseLaw
        The exact law of the noise in `raw`.
    guarantee : Guarantee
        What is promised, to whom, on which conditions.
    smoothing : Smoothing, optional
        The public prior, and what it made of the released numbers; then the function is drawn through its posterior mean.
    spread : Spread, optional
        The released standard deviations of single curves (`spread=True`).
    """

    raw: Floats
    view: View
    law: NoiseLaw
    guarantee: Guarantee
    smoothing: Smoothing | None = None
    spread: Spread | None = None

    def __post_init__(self) -> None:
        frozen = np.array(self.raw, dtype=np.float64)
        frozen.setflags(write=False)
        object.__setattr__(self, "raw", frozen)

    @property
    def terms(self) -> tuple[tuple[float, Release], ...]:
        """The release itself, once: what sums and multiples are made of."""
        return ((1.0, self),)

    @property
    def domain(self) -> Any:
        """Where the function lives: an interval, a circle or a box."""
        return self.view.domain

    @property
    def values(self) -> Floats:
        """The numbers the function is drawn through: `raw`, or what a smoother or the estimator made of it after the noise."""
        return self.view.shrink(self.raw) if self.smoothing is None else self.smoothing.posterior.mean

    @overload
    def __call__(self, points: float, /) -> float: ...
    @overload
    def __call__(self, points: Floats | list[float], /) -> Floats: ...
    @overload
    def __call__(self, *points: Any) -> Any: ...
    def __call__(self, *points: Any) -> Any:
        """Return the released function at points of its domain: a number for a number, an array for an array.

        On a box: one array whose last axis holds the coordinates, or an array for each coordinate.
        """
        values = self.view.evaluate(self.values, self.view.locate(points))
        return float(values) if values.ndim == 0 else values

    def derivative(self, order: int | tuple[int, ...] = 1) -> Callable[..., Floats]:
        """Return a derivative of the released function, in the units of the domain; on a box an order for each axis.

        Raises
        ------
        ParameterError
            Where it does not exist under the noise; the error says how many do.
        """
        checked = self.view.order_of(order)
        self.view.derivative(self.values, np.array([self.domain.start]), checked)

        def derived(*points: Any) -> Floats:
            return self.view.derivative(self.values, self.view.locate(points), checked)

        return derived

    def integral(self, start: Any = None, end: Any = None) -> float:
        """Return the integral of the released function from start to end, corners on a box; the whole domain by default."""
        a = self.domain.start if start is None else self.view.place(start, "start")
        b = self.domain.end if end is None else self.view.place(end, "end")
        self.domain.require(np.array([a, b]), "the end of the integral")
        return self.view.integral(self.values, a, b)

    def inner(self, other: Callable[..., Any] | Part) -> float:
        """Return the inner product with a function (of x and y on a box) or another release, in the measure of total mass 1.

        That is the integral of the product over the length of the domain, so the inner product with 1 is the mean level.
        """
        if isinstance(other, Combination):
            return other.inner(self)
        if isinstance(other, Release):
            if other.domain != self.domain:
                raise ParameterError("the other release lives on another domain: an inner product needs one domain")
            theirs = other.view
            return self.view.inner(self.values, lambda t: theirs.evaluate(other.values, t), theirs.breaks)
        if not callable(other):
            raise ParameterError(f"inner takes a function of points or a release, not {type(other).__name__}")
        return self.view.inner(self.values, self.view.called(other), np.array([]))

    def norm(self, debias: bool = True) -> float:
        """Return the L2 norm in the measure of total mass 1: a root mean square, in the units of the values.

        Noise makes a norm too large.  With `debias` it is that of the function drawn through `raw`, never smoothed, and the
        noise's expected square, which is public, is subtracted first; where that leaves nothing, the norm is 0.
        """
        if not debias:
            return math.sqrt(self.inner(self))
        view, raw = self.view, self.view.shrink(self.raw)
        square = view.inner(raw, lambda t: view.evaluate(raw, t), view.breaks) - view.energy(self.law.sds)
        return math.sqrt(max(square, 0.0))

    def band(
        self, level: float = 0.95, covers: str = "noise", kind: str = "simultaneous"
    ) -> Band | CurveBand | BoxBand:
        """Return where an unreleased curve may be, given the release.

        Parameters
        ----------
        level : float
            The band's probability.
        covers : "noise", "posterior" or "population"
            What the band holds.  "noise": the cell averages, or the function in the basis, of these data before noise was added,
            by the law of the noise, around `raw`.  "posterior": the same, as the smoother believes, around the
            smoothed function.  "population": the mean of the population the persons were drawn from, noise and sampling
            error together, around `raw`; it needs `spread=True`.
        kind : "simultaneous" or "pointwise"
            Everywhere at once, or each cell or point by itself.
        """
        if covers == "posterior":
            if self.smoothing is None:
                raise ParameterError("this release was not smoothed, so it has no posterior: covers='noise' is there")
            return posterior_band(self.smoothing, self.view, level, kind)
        if isinstance(self.view, CellView):
            if covers == "population":
                return population_cells(self.raw, self.view.edges, self.law, self.spread, level, kind)
            return noise_band(self.raw, self.view.edges, self.law, level, covers, kind)
        source = Source(1.0, self.raw, self.view, self.law, self.spread)
        return band_of((source,), self.domain, level, covers, kind)

    def summary(self) -> str:
        """Return what was released, in words."""
        text = report.summary(self.view, self.law, self.guarantee, self.band(), self.smoothing)
        return (
            text if self.spread is None else f"{text}\n\n{report.spread(self.spread, self.band(covers='population'))}"
        )

    def statement(self) -> str:
        """Return a paragraph for a data-protection assessment."""
        return report.statement(self.law, self.guarantee, self.view.noun)

    def citations(self) -> tuple[str, ...]:
        """Return the papers to cite for what was used."""
        return report.citations(self.law, self.guarantee)

    @property
    def usual_band(self) -> str:
        """What a picture's band covers unless it is told."""
        return "population" if self.spread is not None else "noise"

    def plot(self, ax: Axes | None = None, level: float = 0.95, covers: str | None = None) -> Axes:
        """Draw the function over a band; return the axes.

        Without `covers` the band is the one of the population where the spread was released, else the noise's.
        """
        if ax is not None and not hasattr(ax, "stairs"):
            raise ParameterError(
                f"plot takes matplotlib axes, not {ax!r}; to write a picture: release.plot().figure.savefig('mean.png')"
            )
        covers = covers or self.usual_band
        band = self.band(level, covers)
        label = f"private mean, epsilon {words(self.guarantee.epsilon)}"
        if isinstance(band, BoxBand):
            return draw_surface(self, self.domain, label, band, ax)
        fine = np.linspace(self.domain.start, self.domain.end, 501)
        if isinstance(band, Band):
            return draw_curve(
                fine, self(fine), label, level, ax, covers, cells=(band.edges, self.raw, band.lower, band.upper)
            )
        return draw_curve(fine, self(fine), label, level, ax, covers, band=(band.points, band.lower, band.upper))

    def save(self, path: str | PathLike[str], overwrite: bool = False) -> None:
        """Write the release to a file that `dpfda.load` and other languages read (docs/release-format.md)."""
        envelope.write(path, encode.content(self), overwrite)

    def __eq__(self, other: object) -> bool:
        """Tell whether two releases are the same one: the same values and the same guarantee."""
        return isinstance(other, Release) and encode.content(self) == encode.content(other)

    def __hash__(self) -> int:
        return hash((self.raw.tobytes(), self.guarantee))

    def __repr__(self) -> str:
        g = self.guarantee
        return (
            f"Release(mean {self.view.noun} on {self.domain.words} in {report.shape(self.view, len(self.raw))}, "
            f"epsilon {words(g.epsilon)}, {g.neighbours}, one {g.unit})"
        )
