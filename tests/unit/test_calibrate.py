"""The exact curve of Gaussian noise, its calibration, and budgets that hold it."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, stats

from dpfda import Budget
from dpfda.errors import BudgetError, ParameterError
from dpfda.privacy.calibrate import delta_of, multiplier
from dpfda.privacy.composition import fits, spent
from dpfda.privacy.event import Event
from dpfda.privacy.neighbours import Neighbours


def delta_by_integration(epsilon, mu):
    """E[(1 - exp(epsilon - L))+], L ~ N(mu^2/2, mu^2): another road to the same number."""
    f = lambda x: (1 - math.exp(epsilon - x)) * stats.norm.pdf(x, mu**2 / 2, mu)  # noqa: E731
    return integrate.quad(f, epsilon, epsilon + 40 * mu + mu**2, epsabs=1e-13, limit=500)[0]


@pytest.mark.parametrize("epsilon", ["0.01", "0.5", "1", "4", "10"])
@pytest.mark.parametrize("mu", [0.05, 0.3, 1, 3])
def test_the_curve(epsilon, mu):
    exact = float(delta_of(Fraction(epsilon), Fraction(mu) ** 2))
    assert exact == pytest.approx(delta_by_integration(float(epsilon), mu), rel=1e-5, abs=1e-11)


@pytest.mark.parametrize("epsilon", ["1/1000", "0.1", "1", "7", "30", "1000"])
@pytest.mark.parametrize("delta", ["0.1", "0.01", "1e-6", "1e-12", "1e-50"])
def test_the_multiplier_is_enough_and_hardly_more(epsilon, delta):
    epsilon, delta = Fraction(epsilon), Fraction(delta)
    m = multiplier(epsilon, delta)
    assert delta_of(epsilon, 1 / m**2) <= delta
    assert delta_of(epsilon, 1 / (m * (1 - Fraction(1, 10**6))) ** 2) > delta


def test_the_savings_against_the_papers():
    """Theory: at epsilon 1 a factor 2.25 of the standard deviation at delta .1, 1.73 at .01, 1.28 at 1e-6."""
    for delta, saving in (("0.1", 2.254), ("0.01", 1.733), ("1e-6", 1.275)):
        classic = multiplier(Fraction(1), Fraction(delta), "classic")
        assert float(classic) == pytest.approx(math.sqrt(2 * math.log(2 / float(delta))), rel=1e-9)
        assert float(classic / multiplier(Fraction(1), Fraction(delta))) == pytest.approx(saving, abs=1e-3)


def test_the_papers_constant_where_it_is_false():
    assert multiplier(Fraction(7), Fraction(1, 10), "classic")
    for epsilon, real in ((8, "0.141"), (10, "0.264")):
        with pytest.raises(ParameterError, match=f"real delta is {real}; use calibration='analytic'"):
            multiplier(Fraction(epsilon), Fraction(1, 10), "classic")


@pytest.mark.parametrize("wrong", [0, 1, 2, -1])
def test_deltas_that_make_no_sense(wrong):
    with pytest.raises(ParameterError, match="delta between 0 and 1"):
        multiplier(Fraction(1), Fraction(wrong))
    with pytest.raises(ParameterError, match="calibration must be"):
        multiplier(Fraction(1), Fraction(1, 10), "rough")


def gaussian_event(square, epsilon="1", delta="1e-6"):
    return Event("gaussian", Fraction(epsilon), Neighbours.REPLACE_ONE, "curve", Fraction(delta), Fraction(square))


def pure_event(epsilon):
    return Event("cube", Fraction(epsilon), Neighbours.REPLACE_ONE, "curve")


def test_gaussians_add_in_squares():
    """k releases of mu cost what one of sqrt(k) mu costs: far less than k epsilons."""
    m = multiplier(Fraction(1), Fraction("1e-6"))
    one = gaussian_event(1 / m**2)
    total = spent([one] * 16, Fraction("1e-6"))
    direct = spent([gaussian_event(16 / m**2)], Fraction("1e-6"))
    assert total == direct
    assert 4 < float(total) < 6
    assert float(spent([one], Fraction("1e-6"))) == pytest.approx(1, rel=1e-5)
    assert spent([one], Fraction("1e-6")) <= 1


def test_mixtures_fit_when_the_rest_covers_the_gaussians():
    m = multiplier(Fraction("1/2"), Fraction("1e-6"))
    delta = Fraction("1e-6")
    assert fits(Fraction("1/2"), 1 / m**2, Fraction(1), delta)
    assert not fits(Fraction("0.51"), 1 / m**2, Fraction(1), delta)
    assert not fits(Fraction(0), 1 / m**2, Fraction(1), Fraction(0))
    assert fits(Fraction(1), Fraction(0), Fraction(1), Fraction(0))
    assert not fits(Fraction("1.000001"), Fraction(0), Fraction(1), delta)


def test_a_budget_with_a_delta():
    budget = Budget(1, delta="1e-6", pure="0.5")
    m = multiplier(Fraction("1/2"), Fraction("1e-6"))
    budget.charge(gaussian_event(1 / m**2, "1/2"))
    assert budget.left == Fraction(1, 2)
    budget.charge(pure_event("0.4"))
    with pytest.raises(BudgetError, match=r"epsilon 0\.5 with delta 0\.000001 was asked for, but that is more than"):
        budget.charge(gaussian_event(1 / m**2, "1/2"))
    with pytest.raises(
        BudgetError, match=r"0\.1 of 1 at delta 0\.000001 is left after 2 releases: ask for 0\.1 or less"
    ):
        budget.charge(pure_event("0.2"))
    assert len(budget.events) == 2
    assert "at delta 0.000001" in repr(budget)
    for wrong in (1, 2, -1, "x"):
        with pytest.raises(ParameterError, match="pure"):
            Budget(1, delta="1e-6", pure=wrong)


def test_the_division_of_a_budget_does_not_move_with_the_answers():
    """After a Gaussian release the analyst may not turn what is left into pure epsilon: choosing by the first answer between a
    second Gaussian and randomised response would reach twice the delta."""
    budget = Budget(10, delta="1e-6")
    budget.charge(pure_event("1/2"))
    budget.charge(gaussian_event("0.1025"))
    assert budget.left == 0
    with pytest.raises(BudgetError, match="nothing of 10 at delta 0.000001 is kept for pure ones: set pure="):
        budget.charge(pure_event("8.61"))
    budget.charge(gaussian_event("2"))
    kept = Budget(10, delta="1e-6", pure=8)
    kept.charge(gaussian_event("0.1025"))
    with pytest.raises(BudgetError, match="has left for Gaussian noise"):
        kept.charge(gaussian_event("3.3"))
    kept.charge(pure_event(8))
    assert kept.left == 0


def test_extreme_calibrations_end_at_once():
    """The delta of hardly any noise loss is exp of minus 10^11 and more; no fraction of so many digits is ever built."""
    m = multiplier(Fraction(10**6), Fraction("1e-6"))
    assert delta_of(Fraction(10**6), 1 / m**2) <= Fraction("1e-6")
    assert delta_of(Fraction(10), Fraction(1, 10**12)) <= Fraction(1, 10**60)
    budget = Budget(10, delta="1e-6")
    tiny = multiplier(Fraction("0.00001"), Fraction("1e-6"))
    budget.charge(gaussian_event(1 / tiny**2, "0.00001"))
    assert len(budget.events) == 1


@pytest.mark.parametrize("wrong", [1, -0.1, "2", "nan", None, 1e-70])
def test_deltas_of_budgets(wrong):
    with pytest.raises(ParameterError, match="delta"):
        Budget(1, delta=wrong)


def test_an_oracle_in_plain_floats():
    """Composition of Gaussians against a product of two likelihood ratios, simulated."""
    rng = np.random.default_rng(1)
    mu = (0.5, 1.2)
    losses = sum(rng.normal(x**2 / 2, x, 2_000_000) for x in mu)
    real = np.maximum(1 - np.exp(1.5 - losses), 0)
    exact = float(delta_of(Fraction("1.5"), sum(Fraction(x) ** 2 for x in mu)))
    assert real.mean() == pytest.approx(exact, abs=5 * real.std() / 2_000_000**0.5)
