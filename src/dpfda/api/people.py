"""`dpfda.people_needed`: how many persons an error takes, from public numbers alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpfda.api.pretend import read_smoothness, recipe_error
from dpfda.api.simulate import SHAPES
from dpfda.api.words import read_count, read_epsilon, read_range
from dpfda.errors import ParameterError
from dpfda.privacy.amounts import Amount, exact_delta
from dpfda.privacy.neighbours import Neighbours
from dpfda.recipes.mean import MOST, Plan

#: More people than this are not looked for.
MOST_PEOPLE = 10**8
#: Simulated releases for every number of people that is tried.
DRAWS = 60


def people_needed(
    *,
    error: float,
    epsilon: Amount | None = None,
    value_range: Sequence[Amount] | None = None,
    points: int = 101,
    smoothness: str = "smooth",
    shape: str = "three waves",
    delta: Amount = 0,
    neighbours: str = "replace-one",
    rng: np.random.Generator | None = None,
) -> int:
    """Return about how many persons `dpfda.mean` needs for a typical error, by simulation without data.

    Parameters
    ----------
    error : float
        Wanted root mean square over the domain, in the units of the values.
    epsilon, value_range, points, smoothness, delta, neighbours, rng
        As in `dpfda.simulate`.
    shape : "a level", "one wave", "three waves" or "a step"
        What the mean looks like.
    """
    if not isinstance(rng, np.random.Generator):
        raise ParameterError("a simulation takes a numpy Generator: rng=numpy.random.default_rng(1)")
    exact_epsilon, ends, relation = read_epsilon(epsilon), read_range(value_range), Neighbours.read(neighbours)
    if isinstance(error, bool) or not isinstance(error, int | float) or not 0 < error < float("inf"):
        raise ParameterError(f"error must be a number above 0, in the units of the values, not {error!r}")
    if shape not in SHAPES:
        raise ParameterError(f"shape must be one of {', '.join(map(repr, SHAPES))}, not {shape!r}")
    power, points = read_smoothness(smoothness), read_count(points, "points", 2)
    grid, half = np.linspace(0.0, 1.0, points), float(ends[1] - ends[0]) / 2
    seed = int(rng.integers(1 << 62))

    def enough(n: int) -> bool:
        plan = Plan.of(n, exact_epsilon, exact_delta(delta), points)
        draws = np.random.default_rng(seed)  # the same for every n, so that the error falls
        return recipe_error(SHAPES[shape](grid), grid, plan, power, half, DRAWS, relation, draws) <= error

    low, high = 2, 4
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST_PEOPLE:
            raise ParameterError(
                f"an error of {error:g} is not reached with {MOST_PEOPLE} people: a mean like {shape!r} is not drawn that exactly by "
                f"{min(MOST, points)} functions on {points} grid points; ask for a larger error, or for another shape"
            )
    while high > 1.02 * low + 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
