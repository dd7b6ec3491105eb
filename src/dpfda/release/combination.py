"""Sums and multiples of releases: still released, still free, and no more private than their parts together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from dpfda.errors import ParameterError
from dpfda.plots.curve import draw_curve
from dpfda.plots.surface import draw_surface
from dpfda.privacy.amounts import words
from dpfda.release.bands import CurveBand, Source
from dpfda.release.box_bands import BoxBand, band_of
from dpfda.release.guarantee import Guarantee
from dpfda.spaces.interval import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Part(ABC):
    """What can be added up and multiplied: a release, or a combination of some."""

    @property
    @abstractmethod
    def terms(self) -> tuple[tuple[float, Any], ...]:
        """Weights and the releases they belong to."""

    def __add__(self, other: Part) -> Combination:
        if not isinstance(other, Part):
            return NotImplemented
        return Combination((*self.terms, *other.terms))

    def __mul__(self, factor: float) -> Combination:
        if isinstance(factor, bool) or not isinstance(factor, int | float | np.number) or not np.isfinite(factor):
            raise ParameterError(f"a release is multiplied by a finite number, not {factor!r}")
        return Combination(tuple((float(factor) * weight, release) for weight, release in self.terms))

    def __rmul__(self, factor: float) -> Combination:
        return self * factor

    def __neg__(self) -> Combination:
        return self * -1.0

    def __sub__(self, other: Part) -> Combination:
        return self + (-other)


@dataclass(frozen=True, eq=False)
class Combination(Part):
    """A weighted sum of releases, as a function.

    It costs nothing: whoever knows the releases can compute it.  What protects a person in all of them together is the sum of
    their events (`epsilon`), not one of them.

    Parameters
    ----------
    parts : tuple of (float, Release)
        Weights and releases on one domain, for one unit and relation.
    disjoint : bool
        Whether the releases are of different persons, a group each, so that together they cost the largest epsilon alone.
    label : str
        What pictures call it.
    """

    parts: tuple[tuple[float, Any], ...]
    disjoint: bool = False
    label: str = "combination of releases"

    def __post_init__(self) -> None:
        first = self.parts[0][1]
        for _, release in self.parts:
            if release.domain != first.domain:
                raise ParameterError("releases on different domains cannot be added: give all of them the same domain=")
            here, there = first.guarantee, release.guarantee
            if (here.unit, here.neighbours) != (there.unit, there.neighbours):
                raise ParameterError(
                    "releases for different units or neighbours cannot be added: their losses do not add up"
                )

    @property
    def terms(self) -> tuple[tuple[float, Any], ...]:
        return self.parts

    @property
    def domain(self) -> Any:
        """Where the function lives: an interval, a circle or a box."""
        return self.parts[0][1].domain

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """Of every release in it, each once."""
        unique = {id(release): release.guarantee for _, release in self.parts}
        return tuple(unique.values())

    @property
    def delta(self) -> Fraction:
        """The sum of the deltas of the releases in it; the largest where their persons are different ones."""
        return self._together(g.delta for g in self.guarantees)

    @property
    def epsilon(self) -> Fraction:
        """The sum of the epsilons of the releases in it: with `delta`, what they spend together at the most."""
        return self._together(g.epsilon for g in self.guarantees)

    def _together(self, amounts: Iterable[Fraction]) -> Fraction:
        return max(amounts) if self.disjoint else sum(amounts, Fraction(0))

    def __call__(self, *points: Any) -> Any:
        """Return the function at points of its domain."""
        return sum(weight * release(*points) for weight, release in self.parts)

    def derivative(self, order: int | tuple[int, ...] = 1) -> Callable[..., Floats]:
        """Return a derivative, where every part has it."""
        derived = [(weight, release.derivative(order)) for weight, release in self.parts]
        return lambda *points: np.asarray(sum(weight * f(*points) for weight, f in derived))

    def integral(self, start: Any = None, end: Any = None) -> float:
        """Return the integral from start to end."""
        return float(sum(weight * release.integral(start, end) for weight, release in self.parts))

    def inner(self, other: Callable[..., Any] | Any) -> float:
        """Return the inner product with a function, a release or a combination, in the measure of total mass 1."""
        if isinstance(other, Combination):
            return float(sum(weight * self.inner(release) for weight, release in other.parts))
        return float(sum(weight * release.inner(other) for weight, release in self.parts))

    def band(self, level: float = 0.95, covers: str = "noise", kind: str = "simultaneous") -> CurveBand | BoxBand:
        """Return where the same combination of unreleased functions may be, given the releases; simulated.

        `covers="population"` needs `spread=True` in every release, and takes them to be of different persons.
        """
        sources: dict[int, Source] = {}
        for weight, release in self.parts:
            total = weight + (sources[id(release)].weight if id(release) in sources else 0.0)
            sources[id(release)] = Source(total, release.raw, release.view, release.law, release.spread)
        return band_of(tuple(sources.values()), self.domain, level, covers, kind)

    def plot(self, ax: Axes | None = None, level: float = 0.95, covers: str | None = None) -> Axes:
        """Draw the function over its band, with a line at zero; return the axes."""
        spread = all(release.spread is not None for _, release in self.parts)
        covers = covers or ("population" if spread else "noise")
        band = self.band(level, covers)
        label = f"{self.label}, together epsilon {words(self.epsilon)}"
        if isinstance(band, BoxBand):
            return draw_surface(self, self.domain, label, band, ax)
        axes = draw_curve(
            band.points, self(band.points), label, level, ax, covers, band=(band.points, band.lower, band.upper)
        )
        axes.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
        axes.set_ylabel("combination of means")
        return axes

    def __repr__(self) -> str:
        unit = self.parts[0][1].guarantee.unit
        return (
            f"Combination({len(self.parts)} terms on {self.domain.words}, together epsilon "
            f"{words(self.epsilon)}, delta {words(self.delta)}, one {unit})"
        )
