"""`dpfda.compare`: every mechanism's expected error side by side, from public numbers alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpfda.api.simulate import SHAPES, simulate
from dpfda.api.words import read_count, read_epsilon, read_range
from dpfda.errors import ParameterError
from dpfda.kernels import Kernel, Matern
from dpfda.mechanisms.choices import LAWS, check_compatible, choose, energy
from dpfda.privacy.amounts import Amount, exact_delta, words
from dpfda.privacy.lattice import Lattice
from dpfda.privacy.neighbours import Neighbours
from dpfda.spaces.interval import Floats, Interval
from dpfda.spaces.spectrum import Spectrum, computable
from dpfda.summaries.coefficients import CoefficientMean

#: Functions that are used at most.
_MOST = 64
_FINE = np.linspace(0.0, 1.0, 1001)


@dataclass(frozen=True)
class Row:
    """What one mechanism would do, as root mean squares over the domain in the units of the values.

    Parameters
    ----------
    mechanism, noise : str
        Its name, and "matched", "kernel", "cells" or "recipe" (smoothed after the noise).
    noise_rms : float
        Of the noise alone.
    errors : tuple of (str, float)
        For each made-up mean: noise, smoothing and cutting off together.
    """

    mechanism: str
    noise: str
    noise_rms: float
    errors: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Comparison:
    """Mechanisms side by side; no data was touched and nothing was spent."""

    title: str
    rows: tuple[Row, ...]

    def __str__(self) -> str:
        lines = [self.title]
        for row in self.rows:
            errors = ", ".join(f"{shape} {error:.3g}" for shape, error in row.errors)
            lines.append(f"  {row.mechanism} {row.noise}: noise {row.noise_rms:.3g}; {errors}")
        return "\n".join(lines)


def compare(
    *,
    n: int | None = None,
    points: int = 101,
    epsilon: Amount | None = None,
    value_range: Sequence[Amount] | None = None,
    delta: Amount = "1e-6",
    kernel: Kernel | None = None,
    eta: float = 1.25,
    penalty: float | None = None,
) -> Comparison:
    """Return the expected error of every mechanism of `dpfda.mean`, without data.

    Parameters
    ----------
    n, points, epsilon, value_range
        As in `dpfda.simulate`; replace-one neighbours.
    delta : number or text
        For the Gaussian mechanism.
    kernel : Kernel, optional
        On a domain of length 1; `Matern(1.5, 0.2)` by default.
    eta, penalty : float
        Of the quadratic estimator; the penalty by the public rule of Lin and Reimherr (2026) unless given.
    """
    exact_epsilon, exact_delta_ = read_epsilon(epsilon), exact_delta(delta)
    lower, upper = read_range(value_range)
    n, points = read_count(n, "n", 2), read_count(points, "points", 3)
    kernel = Matern(1.5, 0.2) if kernel is None else kernel
    grid = np.linspace(0.0, 1.0, points)
    basis = computable(kernel, Interval(0.0, 1.0), min(_MOST, points))
    if penalty is not None and not 0 < penalty < float("inf"):
        raise ParameterError(f"penalty must be a number above 0, not {penalty!r}")
    psi = penalty or float((n * exact_epsilon**2) ** (-eta * kernel.decay / (kernel.decay + 2)))
    axes = basis.eigenvalues**eta / (basis.eigenvalues**eta + psi)
    half = (upper - lower) / 2
    summary = CoefficientMean(basis, grid, np.zeros(points), axes, half, "l2", float(half))
    rng = np.random.default_rng(1)
    on_cells = simulate(n=n, points=points, epsilon=epsilon, value_range=value_range, rng=rng)
    rows = [
        Row(e.mechanism, "recipe" if e.mechanism in ("default", "rough") else "cells", e.noise_sd, e.errors)
        for e in on_cells.expected
    ]
    rows += [
        _row(summary, label, noise, basis, n, exact_epsilon, exact_delta_, eta)
        for label in LAWS
        for noise in ("matched", "kernel")
        if noise == "matched" or label not in ("ball", "blocks")
    ]
    title = (
        f"{n} records, {points} grid points, epsilon {words(exact_epsilon)} (delta {words(exact_delta_)} for gaussian), values from "
        f"{float(lower):g} to {float(upper):g}; {on_cells.cells} cells, or {basis.count} functions of {kernel} with penalty "
        f"{psi:.3g} and eta {eta:g}"
    )
    return Comparison(title, tuple(rows))


def _row(
    summary: CoefficientMean,
    label: str,
    noise: str,
    basis: Spectrum,
    n: int,
    epsilon: Fraction,
    delta: Fraction,
    eta: float,
) -> Row:
    """Return closed forms: expected noise energy, and what smoothing changes in the made-up means."""
    check_compatible(label, noise, eta, basis.kernel.decay)
    choice = choose(label, noise, summary.axes, basis.eigenvalues)
    ratio = choice.law.calibrate(epsilon, Fraction(0) if choice.law.pure else delta, "analytic")
    lattice = Lattice.plan(summary.records, choice.body, ratio, Neighbours.REPLACE_ONE)
    square = energy(choice, lattice, n)
    grid, half = np.linspace(0.0, 1.0, summary.centre.size), float(summary.bound)
    errors = tuple(
        (shape, (square + _lost(f(grid), grid, summary.axes, basis, half)) ** 0.5) for shape, f in SHAPES.items()
    )
    return Row(label, noise, square**0.5, errors)


def _lost(values: Floats, grid: Floats, axes: Floats, basis: Spectrum, half: float) -> float:
    """Return the squared distance of a curve, in half ranges, to its own estimate."""
    curve = values * half
    drawn = basis.synthesise(axes * (basis.projection(grid) @ curve), _FINE)
    return float(np.mean((np.interp(_FINE, grid, curve) - drawn) ** 2))
