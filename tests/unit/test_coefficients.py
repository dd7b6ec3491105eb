"""The mean in a basis: sensitivity through the data pass, and the papers' closed forms."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpfda.kernels import Exponential, Matern
from dpfda.mechanisms.choices import LAWS, choose
from dpfda.mechanisms.grouping import best_blocks
from dpfda.noise.simulate import stand_in
from dpfda.privacy.lattice import Lattice
from dpfda.privacy.neighbours import Neighbours
from dpfda.spaces.interval import Interval
from dpfda.spaces.spectrum import spectrum
from dpfda.summaries.base import Tally
from dpfda.summaries.coefficients import CoefficientMean
from dpfda.summaries.units import People

GRID = np.linspace(0.0, 1.0, 41)
KERNEL = Matern(1.5, 0.2)
TAU = Fraction(1, 2)
PSI, ETA = 0.01, 1.25


def summary_of(norm="l2", count=8, wrong=0.0):
    basis = spectrum(KERNEL, Interval(0.0, 1.0), count)
    powers = basis.eigenvalues**ETA
    axes = powers / (powers + PSI) * (1 + wrong * (-1.0) ** np.arange(count))
    return CoefficientMean(basis, GRID, np.full(41, 0.5), axes, TAU, norm, 3.0)


def plan(summary, label, noise="matched", neighbours=Neighbours.REPLACE_ONE):
    choice = choose(label, noise, summary.axes, summary.basis.eigenvalues)
    ratio = choice.law.calibrate(Fraction(1), Fraction(0) if choice.law.pure else Fraction(1, 100), "analytic")
    return choice, Lattice.plan(summary.records, choice.body, ratio, neighbours)


CASES = [
    (label, noise)
    for label in LAWS
    for noise in ("matched", "kernel")
    if noise == "matched" or label not in ("ball", "blocks")
]


def worst_curve(summary, body):
    """A broken line whose coefficients point where the difference is farthest: found by least squares."""
    farthest = np.array([float(x) for x in summary.records.farthest(body)]) / summary.axes
    return np.linalg.lstsq(summary.basis.projection(GRID), farthest, rcond=None)[0]


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize(("label", "noise"), CASES)
@pytest.mark.parametrize("norm", ["l2", "l1"])
def test_opposite_curves_attain_the_sensitivity_and_none_passes_it(label, noise, norm, neighbours):
    summary = summary_of(norm)
    choice, lattice = plan(summary, label, noise, neighbours)
    rest = np.random.default_rng(1).uniform(0, 1, (9, 41))

    def moved(one, other):
        a, b = (summary.tally(np.vstack([rest, *rows]), lattice).total for rows in (one, other))
        return lattice.noisy_body.plain_norm([x - y for x, y in zip(a, b, strict=True)])

    curve = worst_curve(summary, choice.body)
    against = [0.5 - curve] if neighbours is Neighbours.REPLACE_ONE else []
    attained = moved([0.5 + curve], against)
    assert attained <= lattice.sensitivity + len(lattice.steps)
    assert attained >= lattice.sensitivity * (1 - 1e-4)
    rng = np.random.default_rng(2)
    for size in (1.0, 1e3, 1e300):
        for _ in range(30):
            one, other = rng.standard_cauchy((2, 1, 41)) * size
            hostile = list(other) if neighbours is Neighbours.REPLACE_ONE else []
            assert moved(list(one), hostile) <= lattice.sensitivity + len(lattice.steps)


@pytest.mark.parametrize("label", list(LAWS))
@pytest.mark.parametrize("wrong", [0.0, 1e-3])
def test_every_record_is_within_the_bound_also_with_wrong_eigenpairs(label, wrong):
    summary = summary_of(wrong=wrong)
    _, lattice = plan(summary_of(), label)
    rows = np.random.default_rng(3).standard_cauchy((2000, 41)) * 100
    integers = lattice.enforce(lattice.quantise(summary.vectors(rows, lattice)))
    norms = [lattice.body.plain_norm(q) for q in integers.tolist()]
    assert max(norms) <= lattice.bound
    assert max(norms) > 0.5 * lattice.bound


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 40), st.integers(0, 2**32), st.sampled_from(list(LAWS)), st.sampled_from(["l2", "l1"]))
def test_order_and_partition_never_change_a_bit(n, seed, label, norm):
    summary = summary_of(norm)
    _, lattice = plan(summary, label)
    rng = np.random.default_rng(seed)
    rows = rng.normal(0.5, 1.0, (n, 41))
    rows[rng.random(rows.shape) < 0.1] = np.nan
    rows[:, :2] = 0.3
    whole = summary.tally(rows, lattice)
    assert summary.tally(rows[rng.permutation(n)], lattice) == whole
    alone = sum((summary.tally(row[None], lattice) for row in rows), Tally.empty(lattice.noisy_dimension))
    assert alone == whole
    ids = rng.integers(0, 5, n).tolist()
    order = rng.permutation(n)
    shuffled = People.of([ids[i] for i in order], n)
    assert summary.tally(rows, lattice, People.of(ids, n)) == summary.tally(rows[order], lattice, shuffled)


@pytest.mark.parametrize("label", list(LAWS))
def test_sums_are_the_smoothed_mean(label):
    """Against the same estimator in floating point, on curves inside the ball; the rounding bound holds."""
    summary = summary_of()
    _, lattice = plan(summary, label)
    rows = np.random.default_rng(4).uniform(0.2, 0.8, (300, 41))
    steps = np.array([float(s) for s in lattice.steps])
    theta = np.array(summary.tally(rows, lattice).total) * steps / 300
    exact = summary.axes * (summary.basis.projection(GRID) @ (rows.mean(axis=0) - 0.5))
    assert (np.abs(theta - exact) <= steps * summary.rounding(lattice)).all()


def test_mirshani_theorem_4_1():
    """D = (2 tau/n) sup lambda^(eta-1/2)/(lambda^eta + psi) <= tau/(n psi^(1/(2 eta))) (2 eta-1)^(1-1/(2 eta))/eta, attained
    where an eigenvalue equals ((2 eta - 1) psi)^(1/eta)."""
    basis = spectrum(Exponential(0.1), Interval(0.0, 1.0), 40)
    lam, n = basis.eigenvalues, 50
    for eta in (1.0, 1.5, 2.0):
        for psi in (1e-4, 1e-2, lam[7] ** eta / (2 * eta - 1)):
            axes = lam**eta / (lam**eta + psi)
            summary = CoefficientMean(basis, GRID, np.zeros(41), axes, Fraction(1), "l2", 5.0)
            body = choose("gaussian", "kernel", axes, lam).body
            reach = float(summary.influence(n).reach(body))
            assert reach == pytest.approx(2 / n * (lam ** (eta - 0.5) / (lam**eta + psi)).max(), rel=1e-9)
            bound = 1 / (n * psi ** (1 / (2 * eta))) * (2 * eta - 1) ** (1 - 1 / (2 * eta)) / eta
            assert reach <= bound * (1 + 1e-9)
            if psi == lam[7] ** eta / (2 * eta - 1):
                assert reach == pytest.approx(bound, rel=1e-9)


def test_lin_and_reimherr_theorem_12():
    """The printed bounds hold and are loose; the tight ones are attained (see above)."""
    basis = spectrum(Matern(1.5, 0.1), Interval(0.0, 1.0), 50)
    lam, n, psi, eta = basis.eigenvalues, 382, 0.01, 1.25
    axes = lam**eta / (lam**eta + psi)
    qr = CoefficientMean(basis, GRID, np.zeros(41), axes, Fraction(1), "l2", 5.0)
    tight = float(qr.influence(n).reach(choose("iclp", "kernel", axes, lam).body))
    printed = 2 / n * (lam ** (eta - 0.5) / (lam**eta + psi)).sum()
    assert tight == pytest.approx(2 / n * math.sqrt((axes**2 / lam).sum()), rel=1e-9)
    assert 10 < (printed / tight) ** 2 < 40
    frl = CoefficientMean(basis, GRID, np.zeros(41), np.ones(50), Fraction(1), "l2", 5.0)
    assert float(frl.influence(n).reach(choose("finite-basis", "kernel", np.ones(50), lam).body)) == pytest.approx(
        2 / n * math.sqrt(50), rel=1e-9
    )


@pytest.mark.parametrize(("label", "noise"), CASES)
def test_expected_noise_energy(label, noise):
    """sum of the announced variances against 4000 simulated draws, within 5 standard errors; and 4000 exact ones."""
    summary = summary_of()
    choice, lattice = plan(summary, label, noise)
    steps = np.array([float(s) for s in lattice.steps])
    expected = float(((steps * lattice.scale) ** 2 * choice.law.variances(8)).sum())
    sizes = getattr(choice.law, "sizes", ())
    floats = stand_in(choice.law.name, sizes, float(lattice.scale), (4000, 8), np.random.default_rng(1))
    exact = choice.law.draw(8, lattice.scale, 4000).astype(float)
    for draws in (floats, exact):
        energy = ((draws * steps) ** 2).sum(axis=1)
        assert energy.mean() == pytest.approx(expected, abs=5 * energy.std() / len(draws) ** 0.5)


def test_matched_noise_is_least():
    """Theory, section 1: blocks between .5 and .7 of matched ICLP, ICLP matched below the kernel's, and the closed forms."""
    for axes, low, high in ((np.ones(40), 0.5, 0.56), (1 / np.arange(1, 60), 0.6, 0.72)):
        iclp = 2 * axes.sum() ** 2
        sizes, weights = best_blocks(axes)
        assert sum(sizes) == len(axes)
        law = choose("blocks", "matched", axes, axes).law
        scaled = [np.abs(axes[p] / weights[p]).max() for p in np.split(np.arange(len(axes)), np.cumsum(sizes)[:-1])]
        energy = sum(s**2 for s in scaled) * (weights**2 * law.variances(len(axes))).sum()
        roots = [
            math.sqrt((m + 1) * (a**2).sum()) for m, a in zip(sizes, np.split(axes, np.cumsum(sizes)[:-1]), strict=True)
        ]
        assert energy == pytest.approx(sum(roots) ** 2, rel=1e-9)
        assert low < energy / iclp < high
