"""Curves of people who do not exist."""

from __future__ import annotations

import numpy as np

from dpfda.spaces.interval import Floats


def made_up_curves(n: int = 500, points: int = 97, *, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return a grid of hours and the made-up activity of n people over a day, between 0 and 1.

    A morning and an evening peak whose heights and hours differ from person to person, on a level of their own.

    Parameters
    ----------
    n, points : int
        How many people, and how many times of the day.
    rng : numpy.random.Generator
        Where the made-up people come from.

    Returns
    -------
    grid : array (points,)
        Hours from 0 to 24.
    curves : array (n, points)
        A row a person.
    """
    grid = np.linspace(0.0, 24.0, points)
    level = rng.normal(0.18, 0.04, (n, 1))
    morning = rng.gamma(12.0, 0.32 / 12, (n, 1)) * np.exp(-0.5 * ((grid - rng.normal(8.5, 0.8, (n, 1))) / 2.0) ** 2)
    evening = rng.gamma(12.0, 0.45 / 12, (n, 1)) * np.exp(-0.5 * ((grid - rng.normal(18.5, 1.0, (n, 1))) / 2.8) ** 2)
    wiggle = sum(
        rng.normal(0.0, 0.03 / k, (n, 1)) * np.sin(2 * np.pi * k * grid / 24 + rng.uniform(0, 6.3, (n, 1)))
        for k in (1, 2, 3, 5)
    )
    return grid, np.clip(level + morning + evening + wiggle, 0.0, 1.0)
