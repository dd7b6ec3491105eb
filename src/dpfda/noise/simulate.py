"""Floating-point stand-ins of the noise, for utility studies.  They protect nobody.

The only place where a seed may enter.  Nothing here returns lattice integers.  Two kinds of code import this module, and a test
holds it: studies without data, and bands, which need quantiles of a public law after the noise was drawn.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray


def simulated_laplace(scale: float, shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float64]:
    """Rows of independent Laplace variables of the given scale."""
    return rng.laplace(0.0, scale, shape)


def simulated_cube(scale: float, shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float64]:
    """Rows of density proportional to exp(-max_j |z_j| / scale): a Gamma(N+1) size times a uniform cube."""
    draws, dimension = shape
    return scale * rng.gamma(dimension + 1, size=(draws, 1)) * rng.uniform(-1.0, 1.0, shape)


def simulated_gaussian(scale: float, shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float64]:
    """Rows of independent normals of the given standard deviation."""
    return rng.normal(0.0, scale, shape)


def simulated_ball(scale: float, shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float64]:
    """Rows of density proportional to exp(-|z|_2 / scale)."""
    draws, dimension = shape
    return scale * np.sqrt(rng.chisquare(dimension + 1, (draws, 1))) * rng.standard_normal(shape)


#: The stand-in of each law, by the law's name; blocks are balls side by side.
STAND_INS: dict[str, Callable[[float, tuple[int, int], np.random.Generator], NDArray[np.float64]]] = {
    "cube": simulated_cube,
    "laplace": simulated_laplace,
    "gaussian": simulated_gaussian,
    "ball": simulated_ball,
}


def stand_in(
    law: str, sizes: tuple[int, ...], scale: float, shape: tuple[int, int], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return float stand-ins of a law's draws, rows of `shape`."""
    if law != "blocks":
        return STAND_INS[law](scale, shape, rng)
    draws, dimension = shape
    parts = sizes + (1,) * (dimension - sum(sizes))
    return np.column_stack([simulated_ball(scale, (draws, m), rng) for m in parts])
