"""Densities as features of snapped records: the stated sensitivity is that of the worst pair, through the whole data pass."""

from fractions import Fraction

import numpy as np
import pytest

from dpfda import Circle, Exponential, Gaussian, Interval, Matern
from dpfda.errors import ParameterError
from dpfda.mechanisms.choices import choose, energy
from dpfda.privacy.bodies import Ball, Blocks, CrossPolytope, Cube
from dpfda.privacy.neighbours import Neighbours
from dpfda.privacy.pairs import largest_norm, largest_pair
from dpfda.spaces.features import bernstein, bernstein_polynomials, bump, least_error_count, spectral
from dpfda.spaces.nodes import midpoints
from dpfda.spaces.products import family_products, kernel_products, line_mass
from dpfda.summaries.histogram import PERSON_UNITS, Counts, Points, WeightedPoints
from dpfda.summaries.snapped import SnappedDensity
from dpfda.summaries.units import People

UNIT = (Interval(0.0, 1.0),)
BOXES = [(UNIT, 40), ((Circle(0.0, 24.0),), 40), ((Interval(-1.0, 1.0), Interval(0.0, 5.0)), 7)]
LABELS = ["iclp", "finite-basis", "ball", "blocks", "gaussian"]


def kernels(axes, share=0.15, kind=Gaussian):
    return tuple(kind(share * axis.length) for axis in axes)


def planned(label, axes, cells, neighbours=Neighbours.REPLACE_ONE, several=False, eta=1.0, noise="matched"):
    found = spectral(axes, kernels(axes), "kernel", eta, cells)
    choice = choose(label, noise, found.axes, found.basis.eigenvalues)
    delta = Fraction(0) if choice.law.pure else Fraction(1, 10**6)
    ratio = choice.law.calibrate(Fraction(1), delta, "analytic")
    source = Points(axes, cells, several)
    return SnappedDensity.plan(source, found.table, choice.body, ratio, neighbours), choice


def middles(axes, cells):
    lines = [a.start + a.length * midpoints(cells) for a in axes]
    return np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, len(axes))


def norms(body, vectors):
    if isinstance(body, CrossPolytope):
        return np.abs(vectors).sum(axis=-1)
    return sum(np.sqrt((vectors[..., part.start : part.stop] ** 2).sum(axis=-1)) for part in body.parts())


@pytest.mark.parametrize(("axes", "cells"), BOXES)
@pytest.mark.parametrize("label", LABELS)
def test_the_worst_pair_of_cells_attains_the_sensitivity(axes, cells, label):
    summary, _ = planned(label, axes, cells)
    points = middles(axes, cells)
    base = points[:3]
    rest = np.array(summary.tally(base, summary.lattice).total, object)
    sums = [np.array(summary.tally(np.vstack([base, p]), summary.lattice).total, object) - rest for p in points]
    vectors = np.array(sums, float)
    worst = max(norms(summary.lattice.body, vectors - one).max() for one in vectors)
    assert worst <= summary.lattice.sensitivity
    if isinstance(summary.lattice.body, CrossPolytope):
        assert worst == summary.lattice.sensitivity
    assert worst > summary.lattice.sensitivity * (1 - 2e-6) - 2


@pytest.mark.parametrize("label", LABELS)
def test_under_add_remove_the_largest_row_is_the_bound(label):
    axes, cells = BOXES[0]
    summary, _ = planned(label, axes, cells, Neighbours.ADD_REMOVE)
    points = middles(axes, cells)
    rows = np.array([summary.tally(p[None], summary.lattice).total for p in points], float)
    assert (rows[:, -1] == summary.lattice.count_weight).all()
    assert summary.lattice.count_weight > 0
    largest = norms(summary.lattice.noisy_body, rows).max()
    assert largest <= summary.lattice.sensitivity == summary.lattice.bound <= largest * (1 + 1e-6) + len(rows[0])


def test_persons_with_all_points_in_one_cell_attain_and_others_do_not_pass():
    axes, cells = BOXES[0]
    summary, _ = planned("iclp", axes, cells, several=True)
    alone, _ = planned("iclp", axes, cells)
    assert abs(summary.lattice.sensitivity / PERSON_UNITS / alone.lattice.sensitivity * 4096 - 1) < 0.01
    rng = np.random.default_rng(1)
    points = middles(axes, cells)

    def person(rows):
        return np.array(summary.tally(rows, summary.lattice, People.of([1] * len(rows), len(rows))).total, object)

    singles = [person(np.repeat(p[None], 3, axis=0)) for p in points]
    assert max(np.abs(a - b).sum() for a in singles for b in singles) == summary.lattice.sensitivity
    many = [person(points[rng.integers(0, cells, rng.integers(1, 9))]) for _ in range(60)]
    assert max(np.abs(a - b).sum() for a in many for b in many) <= summary.lattice.sensitivity


def test_pairs_against_a_loop():
    rng = np.random.default_rng(2)
    records = rng.integers(-(1 << 30), 1 << 30, (60, 9))
    for body in (CrossPolytope.unit(9), Cube.unit(9), Ball.unit(9), Blocks((Fraction(1),) * 9, (2, 3, 4))):
        exact = max(body.norm([Fraction(int(x)) for x in a - b]) for a in records for b in records)
        found = largest_pair(records, body)
        assert exact <= found <= exact * (1 + Fraction(1, 10**6)) + 2
        if isinstance(body, CrossPolytope | Cube):
            assert found == exact
        assert largest_norm(records, body) >= max(body.norm([Fraction(int(x)) for x in a]) for a in records)
    nearly = np.vstack([records[:1], records[:1] + np.eye(9, dtype=np.int64)])
    assert largest_pair(nearly, Ball.unit(9)) >= 2
    with pytest.raises(ParameterError, match="at most 4096"):
        largest_pair(np.zeros((5000, 1), np.int64), Ball.unit(1))
    with pytest.raises(ParameterError, match="sum to at most"):
        largest_pair(np.full((2, 2), 1 << 42), Ball.unit(2))


@pytest.mark.parametrize(("kind", "loss"), [(Exponential, 1.69), (lambda h: Matern(1.5, h), 1.50)])
def test_theorem_16_as_printed_is_violated_and_the_comparison_is_not(kind, loss):
    """2 M_K/n sqrt(tr K^(eta-1)) with M_K = sup K^eta(x, x) below one: sqrt(M_K) belongs there."""
    cells, eta = 512, 2.0
    functions = kernel_products(UNIT, kernels(UNIT, 0.1, kind))
    lam, phi = functions.eigenvalues, functions.on_grid(cells)
    table = phi * lam**eta
    largest = float(((phi**2) @ lam**eta).max())
    trace = 1.0  # of K^(eta-1) = K, all of it
    literal, root = 2 * largest * np.sqrt(trace), 2 * np.sqrt(largest * trace)
    body = CrossPolytope(tuple(Fraction(float(w)) for w in np.sqrt(lam)))
    summary = SnappedDensity.plan(Points(UNIT, cells), table, body, Fraction(1), Neighbours.REPLACE_ONE)
    step = float(summary.lattice.steps[0] / body.weights[0])
    real = summary.lattice.sensitivity * step
    assert abs(real / literal - loss) < 0.02
    assert real <= root


def test_a_gaussian_kernel_finds_the_cone_and_hall_s_noise():
    axes, cells = UNIT, 256
    found = spectral(axes, (Gaussian(0.1),), "kernel", 1.0, cells)
    results = {}
    for noise in ("kernel", "matched"):
        choice = choose("gaussian", noise, found.axes, found.basis.eigenvalues)
        ratio = choice.law.calibrate(Fraction(1), Fraction(1, 10**6), "analytic")
        summary = SnappedDensity.plan(Points(axes, cells), found.table, choice.body, ratio, Neighbours.REPLACE_ONE)
        results[noise] = energy(choice, summary.lattice, 1000) ** 0.5
        # Features of norm one: sqrt 2 between records that are far apart.
        step = float(summary.lattice.steps[0] / choice.body.weights[0])
        size = float(
            np.sqrt((found.table / [float(b) for b in choice.body.weights]) ** 2 @ np.ones(found.basis.count)).max()
        )
        assert abs(summary.lattice.pair * step / size - 2**0.5) < 1e-4
    assert abs(results["kernel"] - 0.0238) < 1e-4  # closed form, at delta 1e-6 and n = 1000
    assert abs(results["kernel"] / results["matched"] - 1) < 1e-6


def test_bumps_and_masses():
    cells = 256
    t = midpoints(cells)
    plain = spectral(UNIT, (Gaussian(0.1),), "kernel", 1.0, cells)
    curve = plain.table @ plain.basis.on_grid(cells).T
    np.testing.assert_allclose(curve, bump(UNIT[0], Gaussian(0.1), t, t).T, atol=2e-3 * curve.max())
    assert abs(curve[cells // 2].mean() - 1) < 1e-3
    assert abs(curve[0].mean() - 0.5) < 0.02  # half of it lies outside
    iclp = spectral(UNIT, (Gaussian(0.1),), "kernel", 1.5, cells)
    whole = iclp.table @ iclp.basis.on_grid(cells).T
    np.testing.assert_allclose(whole.mean(axis=1), 1, atol=1e-9)
    k = np.exp(-0.5 * ((t[:, None] - t) / 0.1) ** 2) / cells
    values, vectors = np.linalg.eigh(k)
    mass = iclp.mass * values[-1] ** 1.5  # the largest eigenvalue is divided out
    np.testing.assert_allclose(mass, (vectors * np.maximum(values, 0) ** 1.5) @ vectors.sum(axis=0), atol=2e-4)
    assert 0.05 < mass[0] < 0.06
    assert 0.124 < mass[cells // 2] < 0.127
    for basis, axes in (("cosine", UNIT), ("fourier", (Circle(0.0, 1.0),))):
        kept = spectral(axes, (Gaussian(0.1),), basis, 1.0, cells)
        np.testing.assert_allclose((kept.table @ kept.basis.on_grid(cells).T).mean(axis=1), 1, atol=1e-9)
    around = bump(Circle(0.0, 1.0), Gaussian(0.1), t, t)
    np.testing.assert_allclose(around.mean(axis=0), 1, atol=1e-9)
    with pytest.raises(ParameterError, match="one of 'kernel'"):
        family_products(UNIT, (Gaussian(0.1),), "wavelet")


def test_line_masses():
    assert line_mass(Gaussian(2.0)) == pytest.approx(2 * np.sqrt(2 * np.pi))
    assert line_mass(Exponential(0.3)) == pytest.approx(0.6)
    assert line_mass(Matern(1.5, 1.0)) == pytest.approx(4 / np.sqrt(3))


def test_bernstein_on_the_lattice():
    cells, order = 128, 10
    table = bernstein(UNIT, (Gaussian(0.1),), order, cells)
    assert table.shape == (cells, order + 1)
    assert table[0, 0] == pytest.approx(bump(UNIT[0], Gaussian(0.1), np.zeros(1), midpoints(cells)[:1])[0, 0])
    body = CrossPolytope.unit(order + 1)
    tight = SnappedDensity.plan(Points(UNIT, cells), table, body, Fraction(1), Neighbours.REPLACE_ONE)
    wide = SnappedDensity.plan(Points(UNIT, cells), table, body, Fraction(1), Neighbours.REPLACE_ONE, whole_box=True)
    by_hand = max(np.abs(table - row).sum(axis=1).max() for row in table)
    assert tight.lattice.sensitivity * float(tight.lattice.steps[0]) == pytest.approx(by_hand, rel=1e-5)
    assert wide.lattice.sensitivity * float(wide.lattice.steps[0]) == pytest.approx(
        (order + 1) * np.ptp(table, axis=0).max(), rel=1e-5
    )
    x = np.array([0.0, 0.3, 1.0])
    polynomials = bernstein_polynomials(order, x)
    np.testing.assert_allclose(polynomials.sum(axis=1), 1)
    np.testing.assert_allclose(polynomials @ (np.arange(order + 1) / order), x)
    with pytest.raises(ParameterError, match="at most 1024"):
        bernstein(UNIT * 2, (Gaussian(0.1),) * 2, 40, 8)


def test_what_cannot_be_compared_is_refused():
    found = spectral(UNIT, (Gaussian(0.1),), "kernel", 1.0, 64)
    body = CrossPolytope.unit(found.basis.count)
    with pytest.raises(ParameterError, match="weighted records"):
        SnappedDensity.plan(WeightedPoints(UNIT, 64, 1.0), found.table, body, Fraction(1), Neighbours.REPLACE_ONE)
    with pytest.raises(ParameterError, match="at most 4096"):
        SnappedDensity.plan(
            Points(UNIT, 5000), np.ones((5000, 1)), CrossPolytope.unit(1), Fraction(1), Neighbours.REPLACE_ONE
        )
    with pytest.raises(ParameterError, match="not finite"):
        SnappedDensity.plan(
            Points(UNIT, 64), np.zeros((64, 1)), CrossPolytope.unit(1), Fraction(1), Neighbours.REPLACE_ONE
        )
    one, _ = planned("iclp", UNIT, 64)
    two, _ = planned("iclp", UNIT, 64)
    with pytest.raises(ParameterError, match="another lattice"):
        one.tally(np.zeros((1, 1)), two.lattice)


def test_counts_work_on_features_too():
    found = spectral(UNIT, (Gaussian(0.1),), "kernel", 1.0, 64)
    source = Counts(UNIT, 64, (0.0, 0.25, 1.0))
    summary = SnappedDensity.plan(
        source, found.table, CrossPolytope.unit(found.basis.count), Fraction(1), Neighbours.REPLACE_ONE
    )
    tally = summary.tally(np.array([3, 5]), summary.lattice)
    values = np.array(tally.total, float) * [float(s) for s in summary.lattice.steps] / 8
    by_hand = (3 * found.table[:16].mean(axis=0) + 5 * found.table[16:].mean(axis=0)) / 8
    np.testing.assert_allclose(values, by_hand, atol=1e-4)


def test_the_rule_for_how_many_functions():
    a = np.array([1.0, 0.5, 0.25, 0.1])
    assert least_error_count(a, a**2, 0.0, False) == 4
    assert least_error_count(a, a**2, 1e9, False) == 1
    assert least_error_count(a, a**2, 0.02, True) >= least_error_count(a, a**2, 0.02, False)


@pytest.mark.parametrize("box", [False, True])
def test_records_that_are_all_alike_are_hidden_as_if_they_differed_by_one(box):
    summary = SnappedDensity.plan(
        Points(UNIT, 64), np.ones((64, 1)), CrossPolytope.unit(1), Fraction(1), Neighbours.REPLACE_ONE, whole_box=box
    )
    assert summary.lattice.sensitivity == 1
