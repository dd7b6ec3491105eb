"""`dpfda.simulate`: what error to expect, from public numbers alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpfda.api.pretend import read_smoothness, recipe_error
from dpfda.api.words import read_count, read_design_n, read_epsilon, read_range
from dpfda.errors import ParameterError
from dpfda.mechanisms import MECHANISMS, mechanism_named
from dpfda.noise.simulate import STAND_INS
from dpfda.privacy.amounts import Amount, exact_delta, words
from dpfda.privacy.lattice import Lattice
from dpfda.privacy.neighbours import Neighbours
from dpfda.recipes.mean import Plan
from dpfda.release.smooth.cells import CellPowerLaw
from dpfda.spaces.cells import cell_weights
from dpfda.spaces.interval import Floats, Interval
from dpfda.spaces.piecewise import rule, through_averages
from dpfda.summaries.mean import MOST_CELLS, CellMean, cells_rule

#: Made-up means on [0, 1] with values in [-1, 1], from the easiest to the hardest; they use half of the range.
SHAPES: dict[str, Callable[[Floats], Floats]] = {
    "a level": lambda t: np.full_like(t, 0.25),
    "one wave": lambda t: 0.5 * np.sin(2 * np.pi * t),
    "three waves": lambda t: 0.5 * np.sin(6 * np.pi * t),
    "a step": lambda t: np.where(t < 0.43, -0.5, 0.5),
}


@dataclass(frozen=True)
class Expected:
    """What one mechanism would do.

    Parameters
    ----------
    mechanism : str
        "default" and "rough" are the recipes, smoothed after the noise; else the name of a mechanism on cells.
    noise_sd : float
        Size of the noise before smoothing, in the units of the values: standard deviation in a cell average, or root mean square
        over the domain.
    errors : tuple of (str, float)
        For each made-up mean, the root mean square over the domain and over draws of release minus mean.
    """

    mechanism: str
    noise_sd: float
    errors: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Simulation:
    """The error to expect of a release that was not made.

    It holds no noise that could hide anything and cannot be turned into a `Release`.
    """

    n: int
    points: int
    epsilon: str
    value_range: tuple[float, float]
    cells: int
    functions: int
    smoothness: str
    expected: tuple[Expected, ...]

    def __str__(self) -> str:
        width = self.value_range[1] - self.value_range[0]
        lines = [
            f"{self.n} records, {self.points} grid points, epsilon {self.epsilon}, values from {self.value_range[0]:g} to "
            f"{self.value_range[1]:g}, {self.smoothness} curves: {self.functions} functions, or {self.cells} cells",
            "Typical error of the released curve (root mean square), by the shape of the mean:",
        ]
        for e in self.expected:
            errors = ", ".join(f"{shape} {error:.3g} ({error / width:.1%})" for shape, error in e.errors)
            lines.append(f"  {e.mechanism}: noise {e.noise_sd:.3g}; {errors}")
        return "\n".join(lines)


def simulate(
    *,
    n: int | None = None,
    points: int = 101,
    epsilon: Amount | None = None,
    value_range: Sequence[Amount] | None = None,
    smoothness: str = "smooth",
    cells: int | None = None,
    neighbours: str = "replace-one",
    delta: Amount = 0,
    draws: int = 200,
    rng: np.random.Generator | None = None,
) -> Simulation:
    """Predict the error of `dpfda.mean` for made-up means, without any data.

    Parameters
    ----------
    n : int
        How many persons; under add-remove also the guess `design_n`.
    points : int
        How many grid points.
    epsilon, value_range, cells, neighbours, delta
        As in `dpfda.mean`.
    smoothness : "very smooth", "smooth", "wavy" or "rough"
        What single curves look like: how fast the coefficients fall that persons differ in.
    draws : int
        Simulated releases for each mechanism and shape.
    rng : numpy.random.Generator
        Floating-point noise comes from here; it protects nobody, which is why no release can come of it.
    """
    if not isinstance(rng, np.random.Generator):
        raise ParameterError("a simulation takes a numpy Generator: rng=numpy.random.default_rng(1)")
    exact_epsilon = read_epsilon(epsilon)
    lower, upper = read_range(value_range)
    relation = Neighbours.read(neighbours)
    n, points, draws = read_count(n, "n", 2), read_count(points, "points", 2), read_count(draws, "draws", 1)
    read_design_n(n if relation is Neighbours.ADD_REMOVE else None, relation)
    chosen = None if cells is None else read_count(cells, "cells", 1, MOST_CELLS)
    grid = np.linspace(0.0, 1.0, points)
    summary = CellMean(
        tuple(grid.tolist()),
        Interval(0.0, 1.0),
        chosen or min(cells_rule(n, exact_epsilon), points),
        lower,
        upper,
    )
    power = read_smoothness(smoothness)
    plan = Plan.of(n, exact_epsilon, exact_delta(delta), points)
    half = float(summary.half)
    expected = [
        Expected(
            "default",
            half * 2 * plan.noise(plan.looks - 1) / n * float(Fraction(1) if plan.looks == 1 else _usual_radius(plan)),
            tuple((s, recipe_error(f(grid), grid, plan, power, half, draws, relation, rng)) for s, f in SHAPES.items()),
        )
    ]
    for name in ("rough", *MECHANISMS):
        mechanism = mechanism_named("cube" if name == "rough" else name)
        body = mechanism.body.unit(summary.cells)
        lattice = Lattice.plan(summary.records, body, 1 / exact_epsilon, relation)
        sums = STAND_INS[mechanism.name](float(lattice.scale), (draws, lattice.noisy_dimension), rng)
        unit = float(lattice.steps[0])
        sd = unit * lattice.scale * float(mechanism.variances(lattice.noisy_dimension)[0]) ** 0.5 / n
        smoother = CellPowerLaw(half, float(summary.middle)) if name == "rough" else None
        errors = tuple(
            (shape, _error(f(grid), grid, summary, lattice, n, sums, smoother, sd)) for shape, f in SHAPES.items()
        )
        expected.append(Expected(name, sd, errors))
    ends = (float(lower), float(upper))
    return Simulation(n, points, words(exact_epsilon), ends, summary.cells, plan.functions, smoothness, tuple(expected))


def _usual_radius(plan: Plan) -> Fraction:
    """Return the radius in the middle of those that are offered: what is chosen depends on data."""
    return min(plan.radii, key=lambda radius: abs(radius - Fraction(1, 4)))


def _error(
    truth: Floats,
    grid: Floats,
    summary: CellMean,
    lattice: Lattice,
    n: int,
    noise: Floats,
    smoother: CellPowerLaw | None,
    sd: float,
) -> float:
    """Return the root mean squared difference between made-up releases of one mean and that mean."""
    step, half, weight = float(lattice.steps[0]), float(summary.half), lattice.count_weight
    averages = half * (cell_weights(grid, summary.domain, summary.cells) @ truth)
    fine = np.linspace(0.0, 1.0, 513)
    target = half * np.interp(fine, grid, truth)
    squares = []
    for z in noise:
        count = n + z[-1] / weight if weight else float(n)
        noisy = (n * averages + step * z[: summary.cells]) / max(count, 1.0)
        if smoother is not None:
            variances = np.full(summary.cells, sd**2)
            noisy = smoother.fit(noisy + smoother.middle, variances).mean - smoother.middle
        drawn = through_averages(summary.edges, noisy, rule(summary.cells))(fine)
        squares.append(np.mean((drawn - target) ** 2))
    return float(np.sqrt(np.mean(squares)))
