"""The default mean: a first look, a private radius, a second look around the first, and free smoothing.

Everything here is public arithmetic.  Records are behind `Looks`, which answers three questions, each a charged mechanism:
the mean of the curves moved into one public ellipsoid, the radius of a smaller one, and the mean in that.  `run` cannot see
anything else, so it is as private as the three answers together (docs/proofs/mean-by-looks.md).  `dpfda.simulate` runs the
same sequence on made-up curves.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from dpfda.mechanisms.grouping import best_blocks
from dpfda.privacy.calibrate import multiplier
from dpfda.release.smooth.powers import PowerLaw
from dpfda.spaces.interval import Floats

#: The shares of epsilon: the first look, the radius, the second look.
SHARES = (Fraction(10, 25), Fraction(3, 25), Fraction(12, 25))
#: a_0 = 1 and a_j = c j^-p, in the first look and in the second.
FIRST_AXES, SECOND_AXES = (0.5, 0.75), (0.7, 0.5)
#: Functions: clip(round(0.6 sqrt(n epsilon)), 1, 64).
FUNCTIONS, MOST = 0.6, 64
#: n epsilon from which there are two looks.
TWO_FROM = 150
#: Radii 2^(2 - k/2), of which those up to n epsilon / 250 are offered.
RADII = tuple(Fraction(2.0 ** (2 - k / 2)) for k in range(17))
OFFERED = 250
#: The radius aims at this many times the noise of the second look in curves that lie outside, at most half of all.
OUTSIDE = 16
#: The same where bands for the population are wanted: fewer curves are moved, so the bands hold, for a little more noise.
OUTSIDE_FOR_BANDS = 4
#: Below this n epsilon hardly more than the level is learned.
LEVEL_ONLY = 30


@dataclass(frozen=True)
class Plan:
    """What is settled by public numbers before any data are seen.

    Parameters
    ----------
    n : int
        The number of persons, or its public guess.
    epsilon, delta : Fraction
        For the whole recipe.
    functions : int
        M, how many coefficients are released.
    looks : int
        1 or 2.
    law : str
        "blocks", or "gaussian" where a delta is given and less noise is expected of it.
    ratios : tuple of Fraction
        Scale of the noise for a sensitivity of one, of each look: 1/epsilon_i, or the Gaussian's multiplier.
    outside : int
        Curves outside the second ellipsoid per unit of its noise.
    """

    n: int
    epsilon: Fraction
    delta: Fraction
    functions: int
    looks: int
    law: str
    ratios: tuple[Fraction, ...]
    outside: int = OUTSIDE

    @classmethod
    def of(
        cls, n: int, epsilon: Fraction, delta: Fraction, most: int, looks: int | None = None, law: str | None = None
    ) -> Plan:
        """Return the rules' plan for at most `most` functions; `looks` and `law` override the rules."""
        functions = min(max(round(FUNCTIONS * math.sqrt(n * epsilon)), 1), MOST, most)
        looks = looks or (2 if n * epsilon >= TWO_FROM else 1)
        pure = cls(n, epsilon, delta, functions, looks, "blocks", _pure_ratios(epsilon, looks))
        if not delta or law == "blocks":
            return pure
        gaussian = replace(pure, law="gaussian", ratios=_gaussian_ratios(epsilon, delta, looks))
        if law == "gaussian":
            return gaussian
        return min(pure, gaussian, key=lambda plan: plan.noise(looks - 1))

    @property
    def radius_epsilon(self) -> Fraction:
        """What the choice of the radius costs, in two looks."""
        return SHARES[1] * self.epsilon

    @property
    def look_epsilon(self) -> Fraction:
        """The epsilon that Gaussian looks together are (epsilon, delta)-private at: all that the radius leaves."""
        return self.epsilon if self.looks == 1 else self.epsilon - self.radius_epsilon

    def epsilon_of(self, look: int) -> Fraction:
        """Return what is stated of one look."""
        if self.law == "gaussian" or self.looks == 1:
            return self.look_epsilon
        return SHARES[2 * look] * self.epsilon

    @property
    def radii(self) -> tuple[Fraction, ...]:
        """The radii that are offered, largest first; at least the smallest."""
        return tuple(r for r in RADII if r <= self.n * self.epsilon / OFFERED) or RADII[-1:]

    def axes(self, look: int) -> Floats:
        """Return the axes of the public ellipsoid in a look, 0 or 1."""
        scale, power = (FIRST_AXES, SECOND_AXES)[look]
        a = scale * np.maximum(np.arange(self.functions), 1.0) ** -power
        a[0] = 1.0
        return np.asarray(a)

    def noise(self, look: int) -> float:
        """Return the root mean square of a look's noise over the domain, in units of 2 T/n."""
        a = self.axes(look)
        size = sum_of_roots(a) if self.law == "blocks" else float(np.sqrt((a**2).sum()))
        return size * float(self.ratios[look])

    @property
    def target(self) -> int:
        """How many curves should lie outside the chosen ellipsoid: where clipping and noise of the second look balance."""
        return round(min(self.outside * self.noise(1), self.n / 2))

    @property
    def notes(self) -> tuple[str, ...]:
        """The rules, with their numbers, for summaries."""
        functions = (
            f"The curve has {self.functions} basis function{'' if self.functions == 1 else 's'}, from clip(round({FUNCTIONS} sqrt(n epsilon)), "
            f"1, {MOST})."
        )
        level = (
            (f"n epsilon is below {LEVEL_ONLY}: hardly more than the level of the curve can be learned.",)
            if self.n * self.epsilon < LEVEL_ONLY
            else ()
        )
        if self.looks == 1:
            size = f"{float(self.n * self.epsilon):.3g}"
            why = f"n epsilon, {size} for it, is below {TWO_FROM}" if self.n * self.epsilon < TWO_FROM else "stages=1"
            return (f"One look: {why}.", functions, *level)
        means = (
            "together at the rest of epsilon, and delta, for"
            if self.law == "gaussian"
            else f"{SHARES[0]} and {SHARES[2]} of epsilon for"
        )
        return (
            f"Two looks, {means} the mean in an ellipsoid with axes 1, {FIRST_AXES[0]} j^-{FIRST_AXES[1]}, and the mean around the "
            f"first, smoothed, in one with axes 1, {SECOND_AXES[0]} j^-{SECOND_AXES[1]}; {SHARES[1]} of epsilon for its radius, among "
            f"{len(self.radii)} public ones.",
            functions,
            *level,
        )


def _pure_ratios(epsilon: Fraction, looks: int) -> tuple[Fraction, ...]:
    return (1 / epsilon,) if looks == 1 else (1 / (SHARES[0] * epsilon), 1 / (SHARES[2] * epsilon))


def _gaussian_ratios(epsilon: Fraction, delta: Fraction, looks: int) -> tuple[Fraction, ...]:
    """Return multipliers whose 1/m^2 sum to at most the 1/m^2 that (epsilon without the radius' share, delta) allows.

    They are divided between the looks as the squares of the pure shares.
    """
    if looks == 1:
        return (multiplier(epsilon, delta),)
    whole = multiplier(epsilon - SHARES[1] * epsilon, delta)
    first, second = SHARES[0] ** 2, SHARES[2] ** 2
    return tuple(_up(whole, (first + second) / part) for part in (first, second))


def _up(factor: Fraction, square: Fraction) -> Fraction:
    """Return factor times the root of a square, rounded up at the 40th binary place."""
    return factor * Fraction(math.isqrt(math.ceil(square * (1 << 80))) + 1, 1 << 40)


@dataclass(frozen=True, eq=False)
class Answer:
    """Noisy coefficients and the variances of their noise, in units of half the range."""

    values: Floats = field(repr=False)
    variances: Floats = field(repr=False)


class Looks(ABC):
    """The only way from a recipe to the records: three questions, each answered by a charged mechanism."""

    @abstractmethod
    def mean(self, look: int, centre: Floats, axes: Floats, radius: Fraction) -> Answer:
        """Return the noisy mean of the persons' coefficients, moved into E(radius, axes) around a centre."""

    @abstractmethod
    def radius(self, centre: Floats, axes: Floats, radii: tuple[Fraction, ...], target: int) -> Fraction:
        """Return privately the radius outside of which the number of persons is near the target."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """Everything that was released, and what follows from it.

    Parameters
    ----------
    answers : tuple of Answer
        Of the looks.
    radius : Fraction or None
        Of the second.
    combined : Answer
        What is smoothed: the answers, averaged as far as they agree.
    """

    answers: tuple[Answer, ...]
    radius: Fraction | None
    combined: Answer


def run(plan: Plan, looks: Looks) -> Outcome:
    """Return the outcome of the recipe."""
    first = looks.mean(0, np.zeros(plan.functions), plan.axes(0), Fraction(1))
    if plan.looks == 1:
        return Outcome((first,), None, first)
    guess = PowerLaw(1.0).fit(first.values, first.variances).mean
    radius = looks.radius(guess, plan.axes(1), plan.radii, plan.target)
    second = looks.mean(1, guess, plan.axes(1), radius)
    return Outcome((first, second), radius, agreed(first, second))


def agreed(first: Answer, second: Answer) -> Answer:
    """Return two answers averaged by their precisions, coefficient by coefficient, as far as they agree.

    The first look moves curves into an ellipsoid that knows nothing of them, so where the mean has sharp peaks its answer is
    biased.  What a squared difference has beyond the two noises is taken for that bias, and added to the first one's variance.
    """
    beyond = (first.values - second.values) ** 2 - (first.variances + second.variances)
    p, q = 1 / (first.variances + np.maximum(beyond, 0.0)), 1 / second.variances
    return Answer((p * first.values + q * second.values) / (p + q), 1 / (p + q))


def sum_of_roots(axes: Floats) -> float:
    """Return sum_g sqrt(E_g) of the best blocks, E_g = (m_g + 1) sum_g a_j^2: the noise is that times 2T/(n epsilon)."""
    sizes, _ = best_blocks(axes)
    ends = np.cumsum(sizes)
    return float(sum(math.sqrt((m + 1) * (axes[e - m : e] ** 2).sum()) for m, e in zip(sizes, ends, strict=True)))
