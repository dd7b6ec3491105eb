"""Which function to draw through noisy cell averages: squared error of the spline over that of the line."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpfda.noise.simulate import simulated_cube
from dpfda.spaces.cells import cell_weights
from dpfda.spaces.interval import Interval
from dpfda.spaces.piecewise import SPLINE_FROM, Interpolation, through_averages
from dpfda.summaries.mean import cells_rule

NEPS = (50, 100, 200, 400, 800, 1600, 3200)
KINDS: tuple[Interpolation, Interpolation] = ("line", "spline")


def random_curves(nu: float, length: float, rng: np.random.Generator, count: int = 60) -> NDArray[np.float64]:
    """Gaussian curves with a Matern covariance of standard deviation .3 on 201 points."""
    t = np.linspace(0, 1, 201)
    d = np.abs(t[:, None] - t) * np.sqrt(2 * nu) / length
    shape = {0.5: np.ones_like(d), 1.5: 1 + d, 2.5: 1 + d + d**2 / 3}[nu]
    root = np.linalg.cholesky(shape * np.exp(-d) + 1e-9 * np.eye(len(t)))
    return np.asarray(0.3 * rng.standard_normal((count, len(t))) @ root.T)


def ratio(curves: NDArray[np.float64], neps: int, rng: np.random.Generator) -> float:
    """Mean squared error of the spline over that of the line, values in a range of width 2."""
    t = np.linspace(0, 1, curves.shape[1])
    cells = cells_rule(neps, Fraction(1))
    edges = Interval(0.0, 1.0).edges(cells)
    weights = cell_weights(t, Interval(0.0, 1.0), cells)
    squares = dict.fromkeys(KINDS, 0.0)
    for curve in curves:
        noise = simulated_cube(2 / neps, (4, cells), rng)
        for z in noise:
            for kind in KINDS:
                squares[kind] += float(np.mean((through_averages(edges, weights @ curve + z, kind)(t) - curve) ** 2))
    return squares["spline"] / squares["line"]


def tables() -> str:
    rng = np.random.default_rng(1)
    lines = [
        "## Spline or line through the cells",
        "",
        "Squared error of the average-preserving spline over that of the line between centres, made-up Gaussian curves with "
        f"Matern covariance, cube noise. The rule takes the spline from {SPLINE_FROM} cells on.",
        "",
        "| n epsilon (cells) | " + " | ".join(f"{v} ({cells_rule(v, Fraction(1))})" for v in NEPS) + " |",
        "| --- |" + " --- |" * len(NEPS),
    ]
    for nu in (0.5, 1.5, 2.5):
        for length in (0.1, 0.2, 0.4):
            curves = random_curves(nu, length, rng)
            cells = " | ".join(f"{ratio(curves, v, rng):.2f}" for v in NEPS)
            lines.append(f"| nu {nu}, length {length} | {cells} |")
    return "\n".join([*lines, ""])
