"""The mean in a basis: sensitivity through the data pass, closed forms, estimators, words."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpfda
from dpfda.errors import BudgetError, DataError, ParameterError
from dpfda.kernels import Exponential, Gaussian, Matern
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
    """sum of the announced variances against 4000 simulated draws, within 5 standard errors; the exact ones against 300."""
    summary = summary_of()
    choice, lattice = plan(summary, label, noise)
    steps = np.array([float(s) for s in lattice.steps])
    expected = float(((steps * lattice.scale) ** 2 * choice.law.variances(8)).sum())
    sizes = getattr(choice.law, "sizes", ())
    floats = stand_in(choice.law.name, sizes, float(lattice.scale), (4000, 8), np.random.default_rng(1))
    exact = choice.law.draw(8, lattice.scale, 300).astype(float)
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


def mean(**words):
    curves = np.random.default_rng(5).uniform(0.3, 0.7, (200, 41)) + 0.2 * np.sin(2 * np.pi * GRID)
    given = {
        "grid": GRID,
        "epsilon": 4,
        "value_range": (0, 1),
        "mechanism": "blocks",
        "kernel": Matern(2.5, 0.2),
        "penalty": 1e-3,
    }
    return dpfda.mean(curves, **{k: v for k, v in (given | words).items() if v is not ...}), curves.mean(axis=0)


@pytest.mark.parametrize("label", list(LAWS))
@pytest.mark.parametrize("words", [{}, {"noise": "kernel", "eta": 1.5}, {"kernel": ..., "penalty": ..., "basis": "legendre"},
                                   {"value_range": ..., "bound": "0.6", "center": 0.5}, {"neighbours": "add-remove", "design_n": 150},
                                   {"value_range": ..., "bound": 3, "bound_norm": "l1", "center": GRID * 0 + 0.5}])  # fmt: skip
def test_releases(label, words, tmp_path):
    if "noise" in words and label in ("ball", "blocks"):
        words = {}
    release, exact = mean(mechanism=label, delta="1e-6" if label == "gaussian" else 0, **words)
    assert np.sqrt(np.mean((release(GRID) - exact) ** 2)) < 6 * release.law.noise_rms + 0.1
    release.save(tmp_path / "r.json")
    back = dpfda.load(tmp_path / "r.json")
    assert back == release
    np.testing.assert_array_equal(back(GRID), release(GRID))
    assert release.guarantee.mechanism == label
    assert label in release.summary()
    fine = np.linspace(0, 1, 20001)
    assert release.integral() == pytest.approx(np.trapezoid(release(fine), fine), abs=1e-5)
    assert release.inner(release) == pytest.approx(np.trapezoid(release(fine) ** 2, fine), abs=1e-4)
    assert release.norm() <= release.norm(debias=False)


def test_derivatives():
    release, _ = mean()
    first, second = release.derivative(), release.derivative(2)
    t = np.linspace(0.05, 0.95, 30)
    step = 1e-5
    np.testing.assert_allclose(first(t), (release(t + step) - release(t - step)) / (2 * step), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(second(t), (first(t + step) - first(t - step)) / (2 * step), rtol=1e-4, atol=1e-3)
    with pytest.raises(ParameterError, match="order 3 does not exist under this noise: 2 do"):
        release.derivative(3)
    rough, _ = mean(mechanism="iclp", noise="kernel", kernel=Exponential(0.2), eta=1.5)
    with pytest.raises(ParameterError, match="no derivative does"):
        rough.derivative()
    cells, _ = mean(mechanism="cube", kernel=..., penalty=...)
    with pytest.raises(ParameterError, match="no derivative"):
        cells.derivative()
    bent, _ = mean(value_range=..., bound=1, center=np.abs(GRID - 0.5))
    with pytest.raises(ParameterError, match="broken line"):
        bent.derivative()
    with pytest.raises(ParameterError, match="order must be"):
        release.derivative(0)


@pytest.mark.parametrize("label", ["iclp", "gaussian", "ball", "blocks"])
def test_bands_cover(label):
    """4000 exact draws of the noise: the standard error of .95 is .0034, and 5 of them .017; the quantile's own is .0015."""
    words = {"mechanism": label, "delta": "0.01" if label == "gaussian" else 0, "components": 12}
    release, _ = mean(**words)
    band, pointwise = release.band(), release.band(kind="pointwise")
    law, functions = release.law, release.view.functions(band.points)
    draws = law.law.draw(law.dimension, law.scale, 4000).astype(float)
    curves = np.abs(law.differences(release.raw, draws) @ functions.T)
    centre = release(band.points)
    assert (curves <= band.upper - centre).all(axis=1).mean() == pytest.approx(0.95, abs=0.025)
    assert (curves <= pointwise.upper - centre).mean() == pytest.approx(0.95, abs=0.025)
    assert (curves <= 0.9 * (band.upper - centre)).all(axis=1).mean() < 0.925, "a band 10 % narrower is noticed"
    assert "whole of the smoothed mean" in band.words
    low, high = band(0.5)
    assert low < release(0.5) < high


@pytest.mark.parametrize("label", ["iclp", "blocks"])
def test_bands_with_a_noisy_count_cover(label):
    """20 releases: fewer than 12 hits of probability .95 happen once in a million."""
    words = {"mechanism": label, "components": 12, "neighbours": "add-remove", "design_n": 200}
    exact, _ = mean(**(words | {"epsilon": 10**5}))
    hits = 0
    for _ in range(20):
        release, _ = mean(**words)
        band = release.band()
        truth = exact(band.points)
        hits += bool(((band.lower <= truth + 1e-3) & (truth - 1e-3 <= band.upper)).all())
    assert hits >= 12


@pytest.mark.parametrize("label", list(LAWS))
def test_the_absolute_penalty(label, tmp_path):
    """Thresholds come after the noise, and functions whose threshold reaches the bound get neither noise nor a place."""
    delta = "0.01" if label == "gaussian" else 0
    release, _ = mean(estimator="absolute", penalty=0.02, mechanism=label, delta=delta)
    lam = spectrum(Matern(2.5, 0.2), Interval(0.0, 1.0), 41).eigenvalues
    cuts = 0.02 / (2 * lam**0.5)
    assert len(release.raw) == int(np.argmax(cuts >= 0.5))
    expected = np.sign(release.raw) * np.maximum(np.abs(release.raw) - cuts[: len(release.raw)], 0)
    np.testing.assert_allclose(release.values, expected, rtol=1e-9)
    np.testing.assert_allclose(release(GRID), release.view.evaluate(expected, GRID))
    release.save(tmp_path / "r.json")
    assert dpfda.load(tmp_path / "r.json") == release
    assert "thresholds after the noise" in release.summary().replace("\n    ", " ")
    public, _ = mean(estimator="absolute", penalty="pss", eta=1.5, mechanism=label, delta=delta)
    assert f"absolute penalty {(200 * 16.0) ** (-1.5 * 6 / 16):.6g}" in public.summary().replace("\n    ", " ")


def test_a_circle_has_no_seam():
    release, _ = mean(
        domain=dpfda.Circle(0.0, 1.0), kernel=Matern(1.5, 0.2), noise="kernel", mechanism="iclp", eta=1.25
    )
    assert release(0.0) == pytest.approx(release(1.0), abs=1e-9)
    assert release.derivative()(np.array([0.0]))[0] == pytest.approx(release.derivative()(np.array([1.0]))[0], abs=1e-6)


def test_the_public_penalty():
    """(n eps^2)^(-eta beta/(beta + 2)), constants one: 1/(n eps^2) at eta = 1 + 2/beta."""
    release, _ = mean(penalty="pss", kernel=Matern(1.5, 0.2), eta=1.5)
    assert f"quadratic penalty {1 / (200 * 16):.6g}" in release.summary().replace("\n    ", " ")
    with pytest.raises(ParameterError, match="'pss' needs eigenvalues that fall like a power"):
        mean(penalty="pss", kernel=Gaussian(0.2))


BAD = {
    "eta gaussian": ({"mechanism": "gaussian", "delta": 0.01, "noise": "kernel", "eta": 0.4}, r"eta=0.4 is too small .*beta = 6\), so eta must be at least 0.5"),
    "eta iclp": ({"mechanism": "iclp", "noise": "kernel", "eta": 0.58}, r"greater than 0.5833; noise='matched' fits every eta"),
    "eta text": ({"eta": "big"}, "eta must be a number"),
    "delta missing": ({"mechanism": "gaussian"}, "needs a delta above 0"),
    "delta one": ({"mechanism": "gaussian", "delta": 1}, "delta must lie in"),
    "delta pure": ({"delta": 0.1}, "gives delta 0: leave delta out"),
    "delta cells": ({"mechanism": "cube", "kernel": ..., "penalty": ..., "delta": 0.1}, "gives delta 0"),
    "kernel on cells": ({"mechanism": "cube"}, "kernel= is for a mean in a basis"),
    "bound zero": ({"value_range": ..., "bound": 0}, "bound must be a finite number above 0"),
    "bound infinite": ({"value_range": ..., "bound": math.inf}, "bound must be a finite number"),
    "both bounds": ({"bound": 1}, "exactly one of value_range=.* and bound="),
    "no bound": ({"value_range": ...}, "exactly one of"),
    "center with range": ({"center": 1}, "center= goes with bound="),
    "center infinite": ({"value_range": ..., "bound": 1, "center": math.inf}, "finite on the whole grid"),
    "center short": ({"value_range": ..., "bound": 1, "center": [1, 2]}, "41 values on the grid"),
    "l1 with range": ({"bound_norm": "l1"}, "goes with bound="),
    "norm": ({"value_range": ..., "bound": 1, "bound_norm": "l3"}, "'l2' or 'l1'"),
    "no basis": ({"kernel": ..., "penalty": ...}, "exactly one of kernel=.* and basis="),
    "two bases": ({"basis": "legendre"}, "exactly one of kernel="),
    "basis": ({"kernel": ..., "penalty": ..., "basis": "wavelet"}, "'legendre', 'cosine', 'fourier', not 'wavelet'"),
    "penalty": ({"penalty": -1}, "penalty must be a number above 0"),
    "penalty of truncation": ({"estimator": "truncate"}, "has no penalty"),
    "estimator": ({"estimator": "spline"}, "'quadratic', 'absolute' or 'truncate'"),
    "absolute without kernel": ({"kernel": ..., "basis": "cosine", "estimator": "absolute", "penalty": ...}, "'absolute' needs kernel="),
    "absolute to nothing": ({"estimator": "absolute", "penalty": 100}, "every coefficient is zero"),
    "quadratic without kernel": ({"kernel": ..., "basis": "cosine", "estimator": "quadratic", "penalty": ...}, "needs kernel="),
    "noise": ({"noise": "white"}, "'matched' or 'kernel'"),
    "kernel noise for blocks": ({"noise": "kernel"}, "has matched noise only"),
    "components": ({"components": 0}, "components must be a whole number"),
    "too many components": ({"kernel": Gaussian(0.3), "components": 60}, r"only \d+ eigenpairs"),
    "long kernel": ({"kernel": Matern(1.5, 1000.0)}, "constant for every purpose"),
    "kernel text": ({"kernel": "matern"}, "kernel must be a kernel"),
    "cells": ({"cells": 4}, "cells= is for mechanism='cube'"),
    "classic": ({"mechanism": "gaussian", "delta": 0.1, "epsilon": 10, "calibration": "classic"}, "real delta is 0.264"),
    "unknown": ({"mechanism": "magic"}, "mechanism must be one of"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_words_cost_nothing(case):
    words, message = BAD[case]
    budget = dpfda.Budget(100, delta=0.5)
    with pytest.raises((ParameterError, DataError), match=message):
        mean(budget=budget, **words)
    assert budget.events == ()


def test_auto_takes_the_least_noise_and_says_why():
    release, _ = mean(mechanism="auto")
    assert release.guarantee.mechanism == "blocks"
    assert "auto chose blocks, from public numbers alone" in release.summary().replace("\n", " ")
    flat, _ = mean(mechanism="auto", delta="0.01", kernel=..., penalty=..., basis="legendre", components=60, epsilon=1)
    assert flat.guarantee.mechanism == "gaussian"
    assert flat.guarantee.delta == Fraction(1, 100)
    pure, _ = mean(mechanism="auto", delta="1e-12", components=3, epsilon=1)
    assert pure.guarantee.mechanism in ("blocks", "ball"), "one block is the ball"
    assert pure.guarantee.delta == 0, "a delta that is not needed is not spent"


def test_budgets_take_gaussians():
    budget = dpfda.Budget(1, delta="1e-6")
    for _ in range(2):
        mean(mechanism="gaussian", delta="1e-6", epsilon="0.6", budget=budget)
    assert 0.8 < float(budget.spent) < 0.9, "sqrt(2) times .6, not twice"
    with pytest.raises(BudgetError):
        mean(mechanism="gaussian", delta="1e-6", epsilon="0.6", budget=budget)
    with pytest.raises(BudgetError, match="pure"):
        mean(mechanism="gaussian", delta="1e-6", budget=dpfda.Budget(10))
