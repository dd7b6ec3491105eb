"""A released density: frozen arrays and the guarantee, and all that may be done with them for free."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from dpfda.errors import ParameterError
from dpfda.plots.density import draw_density
from dpfda.privacy.amounts import words
from dpfda.release import density_file, density_report, envelope
from dpfda.release.density_band import DRAWS, PUBLIC_SEED, DensityBand, band_of
from dpfda.release.density_parts import Conditional, Difference, as_points, probability
from dpfda.release.density_view import BinView, DensityView, NodeView
from dpfda.release.guarantee import Guarantee
from dpfda.release.law import NoiseLaw
from dpfda.release.smooth.base import Posterior
from dpfda.release.smooth.kernel_sample import KernelPosterior
from dpfda.spaces.gridded import GridFunction
from dpfda.spaces.interval import Floats, Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Density:
    """A density released under differential privacy; call it like a function.

    It holds released numbers and public ones, no record and no closure, so everything done with it is post-processing: free, and
    as private as the release itself.

    Parameters
    ----------
    raw : array
        The released numbers, never smoothed: shares of the records at nodes, or coefficients, or values on a lattice.
    view : DensityView
        How they become a density.
    law : NoiseLaw
        The exact law of the noise in `raw`.
    guarantee : Guarantee
        What is promised, to whom, on which conditions.
    names : tuple of str
        Of the axes.
    """

    raw: Floats = field(repr=False)
    view: DensityView
    law: NoiseLaw = field(repr=False)
    guarantee: Guarantee
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        frozen = np.array(self.raw, dtype=np.float64)
        frozen.setflags(write=False)
        object.__setattr__(self, "raw", frozen)
        if not self.names:
            object.__setattr__(self, "names", tuple("xyz"[: len(self.axes)]))

    @property
    def axes(self) -> tuple[Interval, ...]:
        """The box it lives on."""
        return self.view.axes

    @property
    def domain(self) -> Interval:
        """The domain, where there is one axis."""
        if len(self.axes) > 1:
            raise ParameterError("this density has several axes: `axes` holds their domains")
        return self.axes[0]

    @cached_property
    def posterior(self) -> Posterior:
        """Values on the fine grid, relative to the uniform density, with deviations and draws."""
        return self.view.posterior(self.raw, self.law)

    @cached_property
    def function(self) -> GridFunction:
        """The estimate itself: with a bandwidth its mass may be below one, and without a prior it may be negative."""
        values = self.posterior.mean.reshape((self.view.grid,) * len(self.axes))
        found = GridFunction(self.axes, values / GridFunction(self.axes, values).volume)
        return found.positive() if self.view.width is None else found

    @cached_property
    def density(self) -> GridFunction:
        """The estimate made positive with mass one: what probabilities, quantiles and samples come from."""
        return self.function.scaled() if self.view.smoothed else self.function.positive()

    @property
    def mass(self) -> float:
        """The integral of the estimate: below one where a kernel reaches over the ends."""
        return self.function.mass

    def __call__(self, points: Any) -> Any:
        """Return the estimate at points, per unit of the domain: a number for one point, an array for many.

        With several axes a point is a row.
        """
        where, shape = as_points(points, len(self.axes))
        values = self.function(where)
        return float(values[0]) if shape == () else values.reshape(shape)

    def cdf(self, points: Any) -> Any:
        """Return the probability of lying at or below points, on one axis."""
        where, shape = as_points(points, len(self.axes))
        values = self.density.cdf(where[:, 0])
        return float(values[0]) if shape == () else values.reshape(shape)

    def quantile(self, shares: Any) -> Any:
        """Return the points below which shares of the probability lie, on one axis."""
        wanted = np.asarray(shares, float)
        if not ((wanted >= 0) & (wanted <= 1)).all():
            raise ParameterError(f"a quantile is asked for at a share from 0 to 1, not {shares!r:.60}")
        found = self.density.quantile(wanted.ravel())
        return float(found[0]) if wanted.shape == () else found.reshape(wanted.shape)

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        """Return n synthetic records drawn from the density: as private as the release, whatever n is.

        An array of n numbers, or of n rows where there are several axes.
        """
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
            raise ParameterError(f"n must be a whole number from 0, not {n!r}")
        if not isinstance(rng, np.random.Generator):
            raise ParameterError("a sample takes a numpy Generator: rng=numpy.random.default_rng(1)")
        drawn = self.density.sample(int(n), rng)
        return drawn[:, 0] if len(self.axes) == 1 else drawn

    @property
    def mode(self) -> float | Floats:
        """Where the density is largest."""
        found = self.density.mode()
        return float(found[0]) if len(self.axes) == 1 else found

    def probability(self, event: Any) -> float:
        """Return the probability of a set.

        Parameters
        ----------
        event : (low, high), a list of such pairs, or a function
            On one axis an interval or several that do not overlap; on several axes one pair an axis.  A function of points (rows,
            on several axes) says for each whether it belongs; it is integrated on a grid.
        """
        return probability(self.density, event)

    def marginal(self, *names: str | int) -> Conditional:
        """Return the density of some axes alone, by name or number."""
        axes = [self._axis(name) for name in names]
        if not axes or len(set(axes)) != len(axes):
            raise ParameterError(f"name one or more different axes of {', '.join(self.names)}")
        return Conditional(self.density.marginal(axes), tuple(self.names[a] for a in axes), self.guarantee)

    def conditional(self, **given: float) -> Conditional:
        """Return the density of the other axes given values of some, such as `release.conditional(x=3)`.

        Where the released density is zero there, nothing is known of the others and it is the uniform one.
        """
        at = {self._axis(name): float(value) for name, value in given.items()}
        if not at or len(at) == len(self.axes):
            raise ParameterError("a conditional density is given some axes, and leaves at least one")
        rest = tuple(name for axis, name in enumerate(self.names) if axis not in at)
        return Conditional(self.density.at(at).scaled(), rest, self.guarantee)

    def _axis(self, name: str | int) -> int:
        if isinstance(name, int) and not isinstance(name, bool) and 0 <= name < len(self.axes):
            return name
        if name in self.names:
            return self.names.index(str(name))
        raise ParameterError(f"there is no axis {name!r}: there are {', '.join(self.names)}")

    def draws(self, count: int, rng: np.random.Generator, covers: str | None = None) -> Floats:
        """Return draws of what the release stands for, on the grid and relative to the uniform density, a row each."""
        covers = self._covers(covers)
        if covers == "population" and isinstance(self.posterior, KernelPosterior):
            return self.posterior.population(count, rng)
        return self.posterior.draws(count, rng)

    def _covers(self, covers: str | None) -> str:
        own = "posterior" if self.view.smoothed else "noise"
        if covers is None or covers == own:
            return own
        of_population = self.view.smoothed and (self.view.width is None or len(self.axes) == 1)
        if covers == "population" and of_population:
            return covers
        which = f"{own!r} or 'population'" if of_population else repr(own)
        raise ParameterError(f"covers must be {which} for this release, not {covers!r}")

    def band(self, level: float = 0.95, covers: str | None = None, kind: str = "simultaneous") -> DensityBand:
        """Return where the unreleased function may be, given the release.

        Parameters
        ----------
        level : float
            The band's probability.
        covers : "posterior", "noise" or "population", optional
            With a prior: the posterior's band, for the density of the population without a bandwidth and for the exact kernel estimate of
            these records with one; "population" then is the kernel applied to the population's density.  Without a prior: the
            exact law of the noise, around what would have been released without it.
        kind : "simultaneous" or "pointwise"
            Everywhere at once, or at each point by itself; for a smoothed kernel estimate on two or three axes only the latter.
        """
        covers = self._covers(covers)
        self.require_kind(kind)
        draws = self.draws(DRAWS[len(self.axes)], np.random.default_rng(PUBLIC_SEED), covers)
        sds = self.posterior.sds if covers != "population" else draws.std(axis=0)
        low, high = band_of(self.function, sds, draws, level, kind)
        if self.view.smoothed:
            low = np.maximum(low, 0.0)
        ends = [
            GridFunction(self.axes, e.reshape(self.function.values.shape) / self.function.volume) for e in (low, high)
        ]
        target = "the kernel estimate of the population" if covers == "population" else self.view.target
        return DensityBand(ends[0], ends[1], float(level), covers, kind, target, self.view.left_out)

    def require_kind(self, kind: str) -> None:
        """Refuse a band everywhere at once where it would hold far less often than it says."""
        if kind == "simultaneous" and self.view.smoothed and self.view.width is not None and len(self.axes) > 1:
            raise ParameterError(
                "a smoothed kernel estimate on two or three axes has no simultaneous band: its posterior knows the noise but not what "
                "lies between the nodes; ask for kind='pointwise', or release it by a mechanism in a basis"
            )

    def distance(self, other: Density | Callable[[Floats], Floats], norm: str = "l2") -> float:
        """Return the distance of two densities: "l2", "l1", "total-variation" or "kolmogorov" (one axis)."""
        return Difference(self, other).distance(norm)

    def __sub__(self, other: Density) -> Difference:
        if not isinstance(other, Density):
            return NotImplemented
        return Difference(self, other)

    def summary(self) -> str:
        """Return what was released, in words."""
        return density_report.summary(self)

    def statement(self) -> str:
        """Return a paragraph for a data-protection assessment."""
        return density_report.statement(self)

    def citations(self) -> tuple[str, ...]:
        """Return the papers to cite for what was used."""
        return density_report.citations(self.law, self.view)

    def plot(self, ax: Axes | None = None, level: float = 0.95) -> Axes:
        """Draw the density with its band, or its contours on two axes; return the axes."""
        if len(self.axes) > 2:
            raise ParameterError("a density on three axes has no picture: draw a marginal or a conditional")
        band = self.band(level) if len(self.axes) == 1 else None
        label = f"private density, epsilon {words(self.guarantee.epsilon)}"
        return draw_density(self.function, label, self.names, ax, band=band, shares=self._shares())

    def _shares(self) -> tuple[Floats, Floats] | None:
        """Return edges and heights of the released shares, where they show the same as the curve."""
        if len(self.axes) > 1 or self.view.width is not None:
            return None
        if isinstance(self.view, NodeView):
            edges = self.axes[0].edges(self.view.nodes)
        elif isinstance(self.view, BinView):
            edges = self.view.runs
        else:
            return None
        return edges, self.raw / np.diff(edges)

    def save(self, path: str | PathLike[str], overwrite: bool = False) -> None:
        """Write the release to a file that `dpfda.load` reads (docs/release-format.md)."""
        envelope.write(path, density_file.content(self), overwrite)

    def __eq__(self, other: object) -> bool:
        """Tell whether two releases are the same one."""
        return isinstance(other, Density) and density_file.content(self) == density_file.content(other)

    def __hash__(self) -> int:
        return hash((self.raw.tobytes(), self.guarantee))

    def __repr__(self) -> str:
        g = self.guarantee
        box = " x ".join(f"[{a.start:g}, {a.end:g}]" for a in self.axes)
        return f"Density(on {box}, {density_report.shape(self.view)}, epsilon {words(g.epsilon)}, {g.neighbours}, one {g.unit})"
