"""The mean in a basis: releases, derivatives, bands, estimators, words."""

import math
from fractions import Fraction

import numpy as np
import pytest

import dpfda
from dpfda.errors import BudgetError, DataError, ParameterError
from dpfda.kernels import Exponential, Gaussian, Matern
from dpfda.mechanisms.choices import LAWS
from dpfda.spaces.interval import Interval
from dpfda.spaces.spectrum import spectrum

GRID = np.linspace(0.0, 1.0, 41)


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
    assert (curves <= 0.9 * (band.upper - centre)).all(axis=1).mean() < 0.93, "a band 10 % narrower is noticed"
    assert "the whole of the mean curve of these data before noise" in band.words
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
    "cells": ({"cells": 4}, "cells= is for shape='rough'"),
    "classic": ({"mechanism": "gaussian", "delta": 0.1, "epsilon": 10, "calibration": "classic"}, "real delta is 0.264"),
    "noise on cells": ({"mechanism": "cube", "kernel": ..., "penalty": ..., "noise": "kernel"}, "noise= is for a mean in a basis"),
    "calibration": ({"calibration": "rough"}, "'analytic' or 'classic', not 'rough'"),
    "unknown": ({"mechanism": "magic"}, "mechanism must be one of"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_words_cost_nothing(case):
    words, message = BAD[case]
    budget = dpfda.Budget(100, delta=0.5)
    with pytest.raises((ParameterError, DataError), match=message):
        mean(budget=budget, **words)
    assert budget.events == ()


def test_bounds_leave_curves_inside_them_alone():
    """A domain wider than the grid, and a spike at an end, whose trapezoid norm is larger than that of the line."""
    words = {
        "epsilon": 10**5,
        "estimator": "truncate",
        "components": 1,
        "kernel": ...,
        "penalty": ...,
        "basis": "legendre",
    }
    grid = np.linspace(0, 1, 11)
    wide = np.tile(8 * np.sin(np.pi * grid), (50, 1))
    line = np.interp(np.linspace(0, 100, 400_001), grid, wide[0])
    assert np.mean(line**2) ** 0.5 < 0.6
    spike = np.tile(np.eye(11)[0], (50, 1))
    for curves, domain, bound in ((wide, (0, 100), 0.6), (spike, (0, 1), 0.1826)):
        release = dpfda.mean(
            curves, grid=grid, domain=domain, bound=bound, mechanism="blocks",
            **{k: v for k, v in words.items() if v is not ...},
        )  # fmt: skip
        fine = np.linspace(*domain, 400_001)
        assert release.raw[0] == pytest.approx(np.mean(np.interp(fine, grid, curves[0])), rel=2e-3)
    assert "values farther than" in release.summary().replace("\n    ", " ")


def test_bands_of_fast_functions_hold_the_release_between_their_points():
    curves = np.tile(0.5 + 0.3 * np.sin(2 * np.pi * 31 * np.linspace(0, 1, 401)), (400, 1))
    release = dpfda.mean(
        curves,
        grid=np.linspace(0, 1, 401),
        epsilon=4,
        value_range=(0, 1),
        mechanism="blocks",
        basis="fourier",
        components=64,
    )
    band = release.band()
    t = np.linspace(0, 1, 5003)
    low, high = band(t)
    assert ((low < release(t)) & (release(t) < high)).all()
    assert len(band.points) >= 4 * 64


def test_norms_and_integrals_of_many_functions():
    release, _ = mean(kernel=..., penalty=..., basis="legendre", components=300, epsilon=50)
    assert release.inner(release) == pytest.approx(float(((release.raw + 0.5 * np.eye(300)[0]) ** 2).sum()), rel=1e-6)


def test_cells_do_not_go_round():
    with pytest.raises(ParameterError, match="a circle has not"):
        mean(mechanism="cube", kernel=..., penalty=..., domain=dpfda.Circle(0, 1))


def test_gaussian_statements_name_delta():
    release, _ = mean(mechanism="gaussian", delta="1e-6")
    assert "(epsilon, delta)-differential privacy" in release.statement()
    assert "plus at most 0.000001" in release.statement()


def test_auto_takes_the_least_noise_and_says_why():
    release, _ = mean(mechanism="auto")
    assert release.guarantee.mechanism == "blocks"
    assert "auto chose blocks, from public numbers alone" in release.summary().replace("\n", " ")
    flat, _ = mean(mechanism="auto", delta="0.01", kernel=..., penalty=..., basis="legendre", components=60, epsilon=1)
    assert flat.guarantee.mechanism == "gaussian"
    assert flat.guarantee.delta == Fraction(1, 100)
    pure, _ = mean(mechanism="auto", delta="1e-12", components=3, epsilon=1)
    assert pure.guarantee.mechanism in ("blocks", "ball"), "one block is the ball"
    papers, _ = mean(mechanism="auto", noise="kernel", eta=1.5)
    assert papers.guarantee.mechanism == "iclp"
    with pytest.raises(ParameterError, match="eta=0.55 is too small for mechanism='iclp'"):
        mean(mechanism="auto", noise="kernel", eta=0.55)
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
