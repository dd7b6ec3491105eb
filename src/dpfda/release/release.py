"""A released function: frozen arrays and the guarantee, nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from dpfda.errors import ParameterError
from dpfda.plots.curve import draw_curve
from dpfda.privacy.amounts import words
from dpfda.release import encode, envelope, report
from dpfda.release.bands import Band, noise_band
from dpfda.release.guarantee import Guarantee
from dpfda.release.law import NoiseLaw
from dpfda.spaces.interval import Floats, Interval
from dpfda.spaces.piecewise import Interpolation, PiecewiseQuadratic, through_averages

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Release:
    """A mean curve released under differential privacy; call it like a function.

    It holds arrays of released numbers and public ones, no record and no closure, so everything done with it is
    post-processing: free, and as private as the release itself.

    Parameters
    ----------
    raw : array (N,)
        The released cell averages, never smoothed, never clipped.
    domain : Interval
        Where the function lives, in N equal cells.
    interpolation : "line" or "spline"
        How the function is drawn through the averages.
    law : NoiseLaw
        The exact law of the noise in `raw`.
    guarantee : Guarantee
        What is promised, to whom, on which conditions.
    """

    raw: Floats
    domain: Interval
    interpolation: Interpolation
    law: NoiseLaw
    guarantee: Guarantee

    def __post_init__(self) -> None:
        frozen = np.array(self.raw, dtype=np.float64)
        frozen.setflags(write=False)
        object.__setattr__(self, "raw", frozen)

    @property
    def edges(self) -> Floats:
        """Ends of the cells."""
        return self.domain.edges(len(self.raw))

    @property
    def values(self) -> Floats:
        """The cell values the function is drawn through: `raw`, until a smoother's answer stands in its place."""
        return self.raw

    @property
    def curve(self) -> PiecewiseQuadratic:
        """The function as pieces of polynomials."""
        return through_averages(self.edges, self.values, self.interpolation)

    @overload
    def __call__(self, points: float) -> float: ...
    @overload
    def __call__(self, points: Floats | list[float]) -> Floats: ...
    def __call__(self, points: Any) -> Any:
        """Return the released function at points of its domain: a number for a number, an array for an array."""
        where = _numbers(points, "points")
        self.domain.require(where)
        values = self.curve(where)
        return float(values) if where.ndim == 0 else values

    def integral(self, start: float | None = None, end: float | None = None) -> float:
        """Return the exact integral of the released function from start to end, the whole domain by default."""
        a = self.domain.start if start is None else float(_numbers(start, "start"))
        b = self.domain.end if end is None else float(_numbers(end, "end"))
        self.domain.require(np.array([a, b]), "the end of the integral")
        return self.curve.integral(a, b)

    def inner(self, other: Callable[[Floats], Floats] | Release) -> float:
        """Return the inner product with a function or another release, in the measure of total mass 1.

        That is the integral of the product over the length of the domain, so the inner product with 1 is the mean level.
        """
        if isinstance(other, Release):
            if other.domain != self.domain:
                raise ParameterError("the other release lives on another domain: an inner product needs one domain")
            return self.curve.inner(other.curve, other.curve.breaks)
        if not callable(other):
            raise ParameterError(f"inner takes a function of points or a release, not {type(other).__name__}")
        return self.curve.inner(lambda t: np.broadcast_to(np.asarray(other(t), float), t.shape))

    def band(self, level: float = 0.95, covers: str = "noise", kind: str = "simultaneous") -> Band:
        """Return where the unreleased cell averages may be, given the release.

        Parameters
        ----------
        level : float
            The band's probability.
        covers : "noise"
            The band follows from the exact law of the noise.  It does not speak of the population.
        kind : "simultaneous" or "pointwise"
            All cells at once, or each by itself.
        """
        return noise_band(self.raw, self.edges, self.law, level, covers, kind)

    def summary(self) -> str:
        """Return what was released, in words."""
        return report.summary(self.raw, self.domain, self.law, self.guarantee, self.band())

    def statement(self) -> str:
        """Return a paragraph for a data-protection assessment."""
        return report.statement(self.law, self.guarantee)

    def citations(self) -> tuple[str, ...]:
        """Return the papers to cite for what was used."""
        return report.citations(self.guarantee)

    def plot(self, ax: Axes | None = None, level: float = 0.95) -> Axes:
        """Draw the function, the released cell averages and the band of the noise; return the axes."""
        if ax is not None and not hasattr(ax, "stairs"):
            raise ParameterError(
                f"plot takes matplotlib axes, not {ax!r}; to write a picture: release.plot().figure.savefig('mean.png')"
            )
        band = self.band(level)
        fine = np.linspace(self.domain.start, self.domain.end, 501)
        label = f"private mean, epsilon {words(self.guarantee.epsilon)}"
        return draw_curve(fine, self(fine), self.edges, self.raw, band.lower, band.upper, label, level, ax)

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
            f"Release(mean curve on [{self.domain.start:g}, {self.domain.end:g}] in {report.cells(len(self.raw))}, "
            f"epsilon {words(g.epsilon)}, {g.neighbours}, one {g.unit})"
        )


def _numbers(points: object, name: str) -> Floats:
    try:
        given = np.asarray(points)
        if given.dtype.kind not in "iuf" and given.size:
            raise TypeError
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        text = repr(points)
        raise ParameterError(f"{name} must be a number or an array of numbers, not {text[:60]}") from None
