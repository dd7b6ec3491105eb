"""Floating-point stand-ins of the noise, for utility studies.  They protect nobody.

The only place where a seed may enter.  Nothing here returns lattice integers, and nothing that makes a `Release`
imports this module (a test holds both).
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


#: The stand-in of each mechanism, by the mechanism's name.
STAND_INS: dict[str, Callable[[float, tuple[int, int], np.random.Generator], NDArray[np.float64]]] = {
    "cube": simulated_cube,
    "laplace": simulated_laplace,
}
