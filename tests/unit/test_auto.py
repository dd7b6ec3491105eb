"""`mechanism="auto"`: public numbers alone, what was named is kept, and the bound on the bias is one."""

import numpy as np
import pytest

import dpfda
from dpfda.api.auto import CellPlan, choose_plan
from dpfda.api.bases import BasisWords, public_centre
from dpfda.api.call import Call
from dpfda.api.plans import Frame
from dpfda.errors import ParameterError
from dpfda.kernels import Gaussian, Matern
from dpfda.privacy.amounts import exact
from dpfda.privacy.neighbours import Neighbours
from dpfda.readers.table import CurveTable
from dpfda.spaces.interval import Interval

GRID = np.linspace(0.0, 1.0, 41)
CURVES = np.random.default_rng(5).uniform(0.3, 0.7, (200, 41)) + 0.2 * np.sin(2 * np.pi * GRID)
IMAGES = np.random.default_rng(6).uniform(0.3, 0.7, (100, 9, 8))


def mean(curves=CURVES, **words):
    given = {"grid": GRID, "epsilon": 1, "value_range": (0, 1), "mechanism": "auto"}
    return dpfda.mean(curves, **{k: v for k, v in (given | words).items() if v is not ...})


def notes(release):
    return " ".join(" ".join(release.guarantee.notes).split())


def plan_of(curves=CURVES, n_words=None, **words):
    """The plan that a call would follow, without a release."""
    table = CurveTable(curves, tuple(GRID.tolist()))
    call = Call(
        table, None, exact("1", ""), exact("0", ""), Neighbours.REPLACE_ONE, None, Interval(0.0, 1.0), False, None
    )
    given = {"mechanism": "auto", "bound": exact("0.5", ""), "bound_norm": "l2", "center": 0.5,
             "value_range": (exact("0", ""), exact("1", "")), "kernel": None, "basis": None, "noise": "matched", "noise_kernel": None,
             "estimator": None, "penalty": None, "eta": 1.0, "components": None, "calibration": "analytic"}  # fmt: skip
    ready = BasisWords(**(given | words))
    return choose_plan(call, ready, Frame(GRID, public_centre(0.5, GRID), 0.5)).plan


def test_nothing_named_takes_cells_or_a_basis():
    for epsilon in (0.05, 1, 50):
        release = mean(epsilon=epsilon)
        assert "auto chose" in notes(release)
        assert "taken because neither kernel= nor basis= was given" in notes(release)
        assert "cube on" in notes(release)
        assert "blocks (" in notes(release)
    images = mean(IMAGES, grid=(GRID[:9], GRID[:8]))
    assert images.guarantee.mechanism == "blocks"
    assert "Tensor(" in notes(images)
    circle = mean(domain=dpfda.Circle(0, 1.2))
    assert "cube" not in notes(circle)
    bound = mean(value_range=..., bound=1, center=0.5)
    assert "cube" not in notes(bound)
    assert mean(delta="1e-6").guarantee.mechanism in ("cube", "blocks", "gaussian")


@pytest.mark.parametrize("words", [
    {"kernel": Matern(1.5, 0.2)}, {"basis": "cosine"}, {"kernel": Gaussian(0.3)}, {"kernel": Matern(1.5, 0.2), "components": 5},
    {"kernel": Matern(1.5, 0.2), "estimator": "quadratic"}, {"kernel": Matern(1.5, 0.2), "estimator": "truncate"},
    {"kernel": Matern(1.5, 0.2), "penalty": 0.01}, {"kernel": Matern(1.5, 0.2), "penalty": "pss"}, {"basis": "legendre", "components": 7},
    {"kernel": Matern(1.5, 0.2), "estimator": "absolute"}, {"kernel": Matern(2.5, 0.2), "noise": "kernel"},
    {"kernel": Matern(2.5, 0.2), "noise": "kernel", "noise_kernel": Matern(0.5, 0.3)},
], ids=repr)  # fmt: skip
def test_what_was_named_is_kept(words):
    release = mean(**words)
    claims = " ".join(release.guarantee.vouched)
    assert "cube" not in notes(release)
    if "basis" in words:
        assert f"the {words['basis']} basis" in claims
    else:
        assert repr(words["kernel"]) in claims
    if words.get("components"):
        assert len(release.raw) == words["components"]
    if words.get("estimator") == "truncate":
        assert "the first" in claims
    if words.get("estimator") in ("quadratic", "absolute"):
        assert words["estimator"] in claims
    if words.get("penalty") == 0.01:
        assert "quadratic penalty 0.01" in claims


def test_the_choice_does_not_look_at_the_data():
    one = plan_of(CURVES)
    other = plan_of(np.random.default_rng(9).standard_cauchy(CURVES.shape) * 1e6)
    assert (one.noise, one.bias) == (other.noise, other.bias)
    assert type(one) is type(other)


@pytest.mark.parametrize("words", [{}, {"kernel": Matern(1.5, 0.2)}, {"basis": "legendre"}, {"kernel": Matern(1.5, 0.2), "penalty": 0.05}],
                         ids=repr)  # fmt: skip
def test_the_bias_bound_holds_for_the_worst_curve_of_the_class(words):
    """Curves at the border of the class, one eigenfunction each and mixtures: none loses more than the bound, one nearly as much."""
    from dpfda.spaces.families import LegendreBasis
    from dpfda.spaces.spectrum import spectrum

    plan = plan_of(**words)
    if words.get("basis"):
        basis = LegendreBasis(Interval(0.0, 1.0), 40)
        smooth = (1.0 + np.arange(40)) ** -4
    else:
        basis = spectrum(Matern(1.5, 0.2), Interval(0.0, 1.0), 40)
        smooth = basis.eigenvalues / basis.eigenvalues[0]
    fine = (np.arange(4000) + 0.5) / 4000
    table = basis.evaluate(fine)
    rng = np.random.default_rng(1)
    border = np.vstack([np.eye(40), rng.normal(size=(100, 40))])
    border /= np.linalg.norm(border, axis=1, keepdims=True)
    curves = 0.5 * (border * np.sqrt(smooth)) @ table.T
    if isinstance(plan, CellPlan):
        from dpfda.spaces.cells import cell_weights
        from dpfda.spaces.piecewise import rule, through_averages

        interval = Interval(0.0, 1.0)
        weights = cell_weights(fine, interval, plan.cells)
        drawn = np.array(
            [through_averages(interval.edges(plan.cells), weights @ c, rule(plan.cells))(fine) for c in curves]
        )
    else:
        mine = plan.estimator.basis.evaluate(fine)
        drawn = (curves @ mine / 4000 * plan.estimator.axes) @ mine.T
    lost = ((curves - drawn) ** 2).mean(axis=1)
    assert lost.max() <= plan.bias * (1 + 1e-3)
    assert lost.max() >= 0.25 * plan.bias


def test_more_epsilon_means_more_functions_and_less_error():
    few, many = (mean(basis="cosine", epsilon=e) for e in (0.1, 100))
    assert len(few.raw) < len(many.raw)
    assert few.law.noise_rms > many.law.noise_rms


def test_noise_that_fits_no_estimator_is_refused():
    with pytest.raises(ParameterError, match="eta=0.55 is too small for mechanism='iclp'"):
        mean(kernel=Matern(2.5, 0.2), noise="kernel", eta=0.55)
    with pytest.raises(ParameterError, match="exactly one of kernel="):
        mean(kernel=Matern(2.5, 0.2), basis="cosine")
    with pytest.raises(ParameterError, match="cells= is for"):
        mean(cells=4)
