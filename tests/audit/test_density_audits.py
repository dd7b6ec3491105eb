"""Audits of densities through the whole data pass, and mistakes that would break them; false alarms at most 1e-6."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpfda import Exponential, Gaussian, Interval
from dpfda.audit import audit_epsilon
from dpfda.audit.neighbours import Pair, worst_pair
from dpfda.errors import ParameterError
from dpfda.mechanisms import GaussianMechanism, LaplaceMechanism
from dpfda.mechanisms.choices import choose
from dpfda.privacy.bodies import Ball, CrossPolytope
from dpfda.privacy.neighbours import Neighbours
from dpfda.privacy.pairs import largest_norm, largest_pair
from dpfda.spaces.features import bernstein, spectral
from dpfda.spaces.nodes import NodeGrid, midpoints
from dpfda.spaces.products import kernel_products
from dpfda.summaries.density import NodeDensity
from dpfda.summaries.histogram import Points
from dpfda.summaries.snapped import SnappedDensity
from tests.audit.test_audit_delta import smaller

UNIT = (Interval(0.0, 1.0),)
CELLS = 64
BASE = np.full((5, 1), 0.4)
DELTA = Fraction(1, 10)
KINDS = ["cells", "iclp", "finite-basis", "ball", "blocks", "gaussian", "bernstein"]


def made(kind, neighbours):
    """A summary of one or two coordinates with its law, lattice and delta at epsilon 1."""
    if kind == "cells":
        grid = NodeGrid(UNIT, 2, 256)
        summary = NodeDensity(grid, Points(UNIT, grid.fine))
        return summary, LaplaceMechanism(), summary.lattice(Fraction(1), neighbours), Fraction(0)
    if kind == "bernstein":
        law, body, table = LaplaceMechanism(), CrossPolytope.unit(2), bernstein(UNIT, (Gaussian(0.3),), 1, CELLS)
        delta, ratio = Fraction(0), Fraction(1)
    else:
        features = spectral(UNIT, (Gaussian(0.3),), "kernel", 1.0, CELLS).first(1)
        choice = choose(kind, "matched", features.axes, features.basis.eigenvalues)
        law, body, table = choice.law, choice.body, features.table
        delta = Fraction(0) if law.pure else DELTA
        ratio = law.calibrate(Fraction(1), delta, "analytic")
    summary = SnappedDensity.plan(Points(UNIT, CELLS), table, body, ratio, neighbours)
    return summary, law, summary.lattice, delta


def worst(summary, lattice):
    """Sums of neighbours as far apart as any two cells' middles are, through the whole data pass."""
    count = summary.source.cells
    ends = [np.zeros((1, 1)), np.ones((1, 1))] if count > CELLS else list(midpoints(count)[:, None, None])
    totals = [summary.tally(np.vstack([BASE, end]), lattice).total for end in ends]
    if lattice.neighbours is Neighbours.ADD_REMOVE:
        others = [summary.tally(BASE, lattice).total]
    else:
        others = totals
    pairs = [Pair(a, b) for a in totals for b in others]
    return max(pairs, key=lambda pair: lattice.noisy_body.plain_norm(pair.difference))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_noise_a_fifth_too_small_fails_and_honest_noise_passes(kind, neighbours):
    summary, law, lattice, delta = made(kind, neighbours)
    pair = worst(summary, lattice)
    moved = lattice.noisy_body.plain_norm(pair.difference)
    assert lattice.sensitivity * (1 - 1e-5) - 2 <= moved <= lattice.sensitivity
    honest = audit_epsilon(law, lattice.scale, pair, 1.0, delta=float(delta), trials=50_000)
    assert honest.passed
    assert honest.lower > 0.7
    assert not audit_epsilon(smaller(law, 0.75), lattice.scale, pair, 1.0, delta=float(delta), trials=50_000).passed


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_ten_per_cent_too_small(kind, neighbours):
    summary, law, lattice, delta = made(kind, neighbours)
    pair = worst(summary, lattice)
    trials = 400_000 if kind in ("ball", "blocks", "gaussian") else 2_000_000
    assert audit_epsilon(law, lattice.scale, pair, 1.0, delta=float(delta), trials=trials).passed
    assert not audit_epsilon(smaller(law, 0.9), lattice.scale, pair, 1.0, delta=float(delta), trials=trials).passed


def no_pair_passes(table, sensitivity, body):
    """The check: no two rows of a public table differ by more than is claimed."""
    return largest_pair(table, body) <= sensitivity


def gaussian_table(components, eta=1.0, width=0.1):
    features = spectral(UNIT, (Gaussian(width),), "kernel", eta, CELLS)
    features = features.first(components or features.basis.count)
    choice = choose("gaussian", "kernel", features.axes, features.basis.eigenvalues)
    return SnappedDensity.plan(Points(UNIT, CELLS), features.table, choice.body, Fraction(1), Neighbours.REPLACE_ONE)


def test_a_cone_where_inner_products_are_negative_is_caught():
    """Two functions alone: features on different sides have a negative inner product, and sqrt 2 is too little."""
    summary = gaussian_table(2)
    body = Ball.unit(2)
    cone = math.isqrt(2 * largest_norm(summary.table, body) ** 2) + 1
    assert no_pair_passes(summary.table, summary.lattice.sensitivity, body)
    assert not no_pair_passes(summary.table, cone, body)


def test_a_cone_that_was_not_proved_in_integers_is_caught():
    """Truncated to integers, features of a cone may pass sqrt 2: (-3, -2, -7) and (6, -5, 0) at C = 8."""
    body = Ball.unit(3)
    table = np.array([[-3, -2, -7], [6, -5, 0]]) * 10**6
    cone = math.isqrt(2 * (8 * 10**6) ** 2) + 1
    assert (np.abs(table) ** 2).sum(axis=1).max() <= (8 * 10**6) ** 2
    assert no_pair_passes(table, largest_pair(table, body), body)
    assert not no_pair_passes(table, cone, body)


def test_m_k_for_its_square_root_is_caught():
    """Theorem 16 of Lin and Reimherr as printed, exponential kernel of length .1 and eta 2."""
    functions = kernel_products(UNIT, (Exponential(0.1),))
    lam, phi = functions.eigenvalues, functions.on_grid(512)
    body = CrossPolytope(tuple(Fraction(float(w)) for w in np.sqrt(lam)))
    summary = SnappedDensity.plan(Points(UNIT, 512), phi * lam**2, body, Fraction(1), Neighbours.REPLACE_ONE)
    unit = float(summary.lattice.steps[0] / body.weights[0])
    largest = float(((phi**2) @ lam**2).max())
    plain = body.plain()
    assert no_pair_passes(summary.table, summary.lattice.sensitivity, plain)
    assert not no_pair_passes(summary.table, math.ceil(2 * largest / unit), plain)
    assert no_pair_passes(summary.table, math.ceil(2 * math.sqrt(largest) / unit), plain)


def test_the_constant_of_the_kernel_counted_twice_is_caught():
    """Noise for features that were divided by c = 1/int k once more than the sums are."""
    summary = gaussian_table(None, width=0.1)
    c = 1 / (0.1 * math.sqrt(2 * math.pi))
    body = Ball.unit(summary.table.shape[1])
    assert no_pair_passes(summary.table, summary.lattice.sensitivity, body)
    assert not no_pair_passes(summary.table, math.ceil(summary.lattice.sensitivity / c), body)


def test_a_pair_that_is_not_the_worst_is_caught():
    """Neighbouring cells only, in place of all pairs."""
    summary = gaussian_table(None)
    steps = np.diff(summary.table, axis=0)
    near = max(Ball.unit(steps.shape[1]).plain_norm([int(x) for x in row]) for row in steps)
    assert not no_pair_passes(summary.table, near, Ball.unit(steps.shape[1]))
    assert GaussianMechanism().square(summary.lattice.sensitivity, summary.lattice.scale) <= 1
    with pytest.raises(ParameterError, match="does not give"):
        LaplaceMechanism().confirm(summary.lattice.sensitivity, near, Fraction(1), Fraction(0))
    with pytest.raises(ParameterError, match="rows of a table"):
        worst_pair(summary.records, summary.lattice)
    assert replace(summary.lattice, pair=None).sensitivity == 2 * summary.lattice.bound
