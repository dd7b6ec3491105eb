"""What is made of released densities: differences, marginals, conditionals, probabilities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from dpfda.errors import ParameterError
from dpfda.release.density_band import DRAWS, PUBLIC_SEED, DensityBand, band_of
from dpfda.release.guarantee import Guarantee
from dpfda.spaces.gridded import GridFunction
from dpfda.spaces.interval import Floats

if TYPE_CHECKING:
    from dpfda.release.density import Density

NORMS = ("l2", "l1", "total-variation", "kolmogorov")
#: Points an axis on which a set given by a function is integrated.
_FINE = {1: 20_000, 2: 512, 3: 96}


@dataclass(frozen=True, eq=False)
class Conditional:
    """A density made of a released one: a marginal or a conditional; as private as that.

    Parameters
    ----------
    density : GridFunction
        Positive, of mass one.
    names : tuple of str
        Of its axes.
    guarantee : Guarantee
        Of the release.
    """

    density: GridFunction
    names: tuple[str, ...]
    guarantee: Guarantee = field(repr=False)

    def __call__(self, points: Any) -> Any:
        """Return the density at points."""
        where, shape = as_points(points, len(self.density.axes))
        values = self.density(where)
        return float(values[0]) if shape == () else values.reshape(shape)

    def cdf(self, points: Any) -> Any:
        """Return the probability of lying at or below points, on one axis."""
        where, shape = as_points(points, 1)
        values = self.density.cdf(where[:, 0])
        return float(values[0]) if shape == () else values.reshape(shape)

    def quantile(self, shares: Any) -> Any:
        """Return quantiles, on one axis."""
        wanted = np.asarray(shares, float)
        found = self.density.quantile(wanted.ravel())
        return float(found[0]) if wanted.shape == () else found.reshape(wanted.shape)

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        """Return n synthetic records."""
        drawn = self.density.sample(n, rng)
        return drawn[:, 0] if len(self.density.axes) == 1 else drawn

    def probability(self, event: Any) -> float:
        """Return the probability of a set, as for a release."""
        return probability(self.density, event)


@dataclass(frozen=True, eq=False)
class Difference:
    """One released density minus another on the same box, or minus a public function.

    It costs nothing; what protects a person who is in both is the sum of their epsilons.
    """

    first: Density
    second: Density | Callable[[Floats], Floats]

    def __post_init__(self) -> None:
        if not callable(self.second):
            raise ParameterError(f"a density is compared with another or with a function, not {self.second!r:.60}")
        second = self._release
        if second is not None:
            here, there = self.first.guarantee, second.guarantee
            if (here.unit, here.neighbours) != (there.unit, there.neighbours):
                raise ParameterError(
                    f"a release for one {here.unit} under {here.neighbours} and one for one {there.unit} under {there.neighbours} cannot be "
                    "subtracted: their losses do not add up"
                )
        if second is not None and second.axes != self.first.axes:
            raise ParameterError("densities on different domains cannot be compared: give both the same domain=")

    @property
    def _release(self) -> Density | None:
        return self.second if hasattr(self.second, "guarantee") else None  # type: ignore[return-value]

    @property
    def epsilon(self) -> Fraction:
        """What the two releases spend together at the most."""
        other = self._release
        return self.first.guarantee.epsilon + (other.guarantee.epsilon if other is not None else 0)

    @property
    def delta(self) -> Fraction:
        """What the two releases spend together at the most, beside `epsilon`."""
        other = self._release
        return self.first.guarantee.delta + (other.guarantee.delta if other is not None else 0)

    def __call__(self, points: Any) -> Any:
        """Return the difference of the estimates at points."""
        return self.first(points) - self.second(points)

    def _values(self, positive: bool) -> Floats:
        """Return both on the first one's grid, per unit, subtracted."""
        mine = self.first.density if positive else self.first.function
        mesh = np.stack(np.meshgrid(*[mine.places(k) for k in range(len(mine.axes))], indexing="ij"), axis=-1)
        where = mesh.reshape(-1, len(mine.axes))
        other = self._release
        if other is not None:
            theirs = (other.density if positive else other.function)(where)
        else:
            theirs = np.asarray(self.second(where[:, 0] if len(mine.axes) == 1 else where), float).ravel()
        return np.asarray(mine.values.ravel() - theirs)

    def distance(self, norm: str = "l2") -> float:
        """Return a norm of the difference.

        "l2" is of the estimates, in the measure of total mass 1; the others are of the densities made positive with mass one: "l1", half of it
        ("total-variation"), and the largest difference of distribution functions ("kolmogorov", one axis).  All are taken on the first
        one's grid, the last at the ends of its cells.
        """
        if norm not in NORMS:
            raise ParameterError(f"norm must be one of {', '.join(map(repr, NORMS))}, not {norm!r}")
        volume = self.first.function.volume
        if norm == "l2":
            return float(np.sqrt(np.mean(self._values(False) ** 2)))
        values = self._values(True)
        if norm == "kolmogorov":
            if len(self.first.axes) > 1:
                raise ParameterError("the Kolmogorov distance needs one axis: compare marginals")
            return float(np.abs(np.cumsum(values)).max() * volume / len(values))
        total = float(np.abs(values).mean() * volume)
        return total / 2 if norm == "total-variation" else total

    def band(self, level: float = 0.95, kind: str = "simultaneous") -> DensityBand:
        """Return where the unreleased difference may be; the noises of two releases are independent."""
        other = self._release
        if other is None:
            raise ParameterError("a public function has no band: take the band of the release")
        self.first.require_kind(kind)
        other.require_kind(kind)
        axes, count = self.first.axes, DRAWS[len(self.first.axes)]
        if other.view.grid != self.first.view.grid:
            raise ParameterError("the two releases have different grids: give both the same nodes=")
        streams = np.random.default_rng(PUBLIC_SEED).spawn(2)
        draws = self.first.draws(count, streams[0]) - other.draws(count, streams[1])
        volume = self.first.function.volume
        shape = self.first.function.values.shape
        mean = GridFunction(axes, self.first.function.values - other.function.values)
        low, high = band_of(mean, draws.std(axis=0), draws, level, kind)
        ends = [GridFunction(axes, end.reshape(shape) / volume) for end in (low, high)]
        covers = "noise" if not (self.first.view.smoothed or other.view.smoothed) else "posterior"
        views = (self.first.view, other.view)
        one, two = (view.target for view in views)
        left_out = " ".join(dict.fromkeys(view.left_out for view in views if view.left_out))
        target = f"the difference of {one} (the first release), and {two} (the second)"
        return DensityBand(ends[0], ends[1], float(level), covers, kind, target, left_out)


def as_points(points: Any, dimension: int) -> tuple[Floats, tuple[int, ...]]:
    """Return points as rows, and the shape that values should have."""
    try:
        where = np.asarray(points, float)
    except (TypeError, ValueError):
        raise ParameterError(f"points must be numbers, not {points!r:.60}") from None
    if dimension == 1:
        return where.reshape(-1, 1), where.shape
    if where.ndim == 0 or where.shape[-1] != dimension:
        raise ParameterError(f"a point here is {dimension} numbers: give one, or an array of rows")
    return where.reshape(-1, dimension), where.shape[:-1]


def probability(density: GridFunction, event: Any) -> float:
    """Return the probability of a set under a density of mass one."""
    d = len(density.axes)
    if callable(event):
        size = _FINE[d]
        lines = [axis.start + axis.length * (np.arange(size) + 0.5) / size for axis in density.axes]
        where = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, d)
        inside = np.asarray(event(where[:, 0] if d == 1 else where), bool).reshape(-1)
        return min(1.0, float(density(where) @ inside) * density.volume / len(where))
    try:
        pairs = np.asarray(event, float)
        if pairs.ndim == 1:
            pairs = pairs[None]
        if pairs.ndim != 2 or pairs.shape[1] != 2 or (d > 1 and len(pairs) != d):
            raise ValueError
    except (TypeError, ValueError):
        raise ParameterError(
            "a set is (low, high), a list of such pairs, or a function of points; on several axes one pair an axis"
        ) from None
    if (pairs[:, 0] > pairs[:, 1]).any():
        raise ParameterError("the ends of a set are given lower end first")
    clipped = pairs.copy()
    for row in range(len(pairs)):
        axis = density.axes[0 if d == 1 else row]
        clipped[row] = np.clip(pairs[row], axis.start, axis.end)
    if d > 1:
        return density.integral([(float(a), float(b)) for a, b in clipped])
    order = np.argsort(clipped[:, 0])
    if (clipped[order][1:, 0] < clipped[order][:-1, 1]).any():
        raise ParameterError("the intervals of a set must not overlap")
    return float(sum(density.integral([(float(a), float(b))]) for a, b in clipped))
