"""A bandwidth from private quartiles: within its share, at the sensitivity its page states, and near the rule's."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dpfda
from dpfda.api.density_width import _below
from dpfda.api.density_words import DensityCall
from dpfda.errors import BudgetError, ParameterError
from dpfda.privacy.bodies import CrossPolytope
from dpfda.privacy.neighbours import Neighbours
from dpfda.spaces.features import bernstein
from dpfda.summaries.histogram import PERSON_UNITS, Points
from dpfda.summaries.snapped import SnappedDensity
from dpfda.summaries.units import People

AXIS = dpfda.Interval(0.0, 1.0)


def call(rows, neighbours=Neighbours.REPLACE_ONE, people=None, bound=None):
    return DensityCall(
        rows, people, (AXIS,), ("x",), Fraction(1), Fraction(0), neighbours, 100, None, weight_bound=bound
    )


def insides(one):
    below = _below(one, 0, AXIS)
    return np.array([[4 * count - k * below[-1] for count in below[:-1]] for k in (1, 3)], object)


def test_the_scores_move_as_far_as_stated_and_no_farther():
    rng = np.random.default_rng(1)
    base = rng.random((30, 1))
    ends = [np.array([[0.0]]), np.array([[1.0]])]
    moved = np.abs(insides(call(np.vstack([base, ends[0]]))) - insides(call(np.vstack([base, ends[1]]))))
    assert moved.max() == 4
    come = [np.abs(insides(call(np.vstack([base, end]))) - insides(call(base))).max() for end in ends]
    assert max(come) == 3
    ids = [*range(30), 30, 30]
    many = People.of(ids, 32)
    people = [insides(call(np.vstack([base, end, end]), people=many)) for end in ends]
    assert np.abs(people[0] - people[1]).max() == 4 * PERSON_UNITS


def test_weighted_records_attain_and_do_not_pass():
    base = np.column_stack([np.random.default_rng(2).random(20), np.ones(20)])
    records = [np.array([[x, w]]) for x in (0.0, 0.4, 1.0) for w in (0.0, 0.7, 2.0, 99.0)]
    rows = [insides(call(np.vstack([base, one]), bound=2.0)) for one in records]
    assert max(np.abs(a - b).max() for a in rows for b in rows) == 4 * PERSON_UNITS
    alone = insides(call(base, bound=2.0))
    assert max(np.abs(one - alone).max() for one in rows) == 3 * PERSON_UNITS


def test_what_is_charged_and_what_is_said():
    x = np.random.default_rng(3).normal(50, 10, 5000)
    budget = dpfda.Budget(1)
    release = dpfda.density(x, domain=(0, 100), epsilon=1, bandwidth="private", budget=budget)
    assert [e.epsilon for e in budget.events] == [Fraction(1, 20), Fraction(1, 20), Fraction(9, 10)]
    g = release.guarantee
    assert (g.epsilon, len(g.stages), g.events) == (1, 3, budget.events)
    exact = (4 / (2 * 5000)) ** 0.2 * 1.349 * 10 / 1.34
    assert abs(release.view.width.widths[0] / exact - 1) < 0.3
    assert "a quartile of x" not in release.statement()
    assert "What was charged" in release.summary()
    assert "which cost a tenth" in " ".join(release.summary().split())
    with pytest.raises(BudgetError):
        dpfda.density(x, domain=(0, 100), epsilon=1, bandwidth="private", budget=budget)
    assert len(budget.events) == 3


def test_two_axes_both_relations_files_and_mechanisms(tmp_path):
    x = np.random.default_rng(4).normal(0.5, 0.1, (3000, 2))
    release = dpfda.density(
        x,
        domain=[(0, 1)] * 2,
        epsilon=2,
        bandwidth="private",
        neighbours="add-remove",
        design_n=3000,
        mechanism="blocks",
    )
    assert len(release.guarantee.events) == 5
    release.save(tmp_path / "d.json")
    assert dpfda.load(tmp_path / "d.json") == release
    noisy = dpfda.density(
        x[:, 0],
        domain=(0, 1),
        epsilon=2,
        delta=1e-6,
        bandwidth="private",
        mechanism="gaussian",
        neighbours="replace-one",
    )
    assert noisy.guarantee.delta == Fraction(1, 10**6)
    noisy.save(tmp_path / "g.json")
    assert dpfda.load(tmp_path / "g.json") == noisy


def test_nothing_is_spent_on_a_width_that_could_not_be_used():
    budget = dpfda.Budget(1)
    words = {"domain": [(0, 1)] * 2, "epsilon": 1, "bandwidth": "private", "budget": budget}
    with pytest.raises(ParameterError, match="at most 1024"):
        dpfda.density(np.zeros((5, 2)), mechanism="bernstein", lattice=40, **words)
    with pytest.raises(ParameterError, match="too small"):
        dpfda.density(np.zeros((5, 2)), mechanism="iclp", noise="kernel", **words)
    with pytest.raises(ParameterError, match="kernel must be"):
        dpfda.density(np.zeros((5, 2)), kernel="box", **words)
    assert not budget.events


def test_counts_and_constant_data_are_no_failure():
    release = dpfda.density(np.full(100, 0.3), domain=(0, 1), epsilon=1, bandwidth="private")
    assert 0.001 <= release.view.width.widths[0] <= 1
    counts = dpfda.density(counts=([0, 0.5, 1], [400, 10]), domain=(0, 1), epsilon=1, bandwidth="private")
    assert counts.guarantee.n == 410
    assert replace(call(np.zeros((1, 1)))).n is None


CAN_BE_REFUSED = {
    "gaussian over the cap": (
        {"mechanism": "gaussian", "delta": 1e-6, "epsilon": 2},
        dpfda.Budget(1, delta=1e-6),
        BudgetError,
    ),
    "gaussian in a pure budget": (
        {"mechanism": "gaussian", "delta": 1e-6, "epsilon": "0.5"},
        dpfda.Budget(1),
        BudgetError,
    ),
    "auto in a pure budget": ({"mechanism": "auto", "delta": 1e-6, "epsilon": "0.5"}, dpfda.Budget(1), BudgetError),
    "gaussian of a smaller delta": (
        {"mechanism": "gaussian", "delta": 1e-3, "epsilon": 1},
        dpfda.Budget(1, delta=1e-6),
        BudgetError,
    ),
}


@pytest.mark.parametrize("case", CAN_BE_REFUSED)
def test_a_refused_call_leaves_the_budget_untouched(case):
    words, budget, error = CAN_BE_REFUSED[case]
    x = np.random.default_rng(5).normal(50, 10, 100)
    with pytest.raises(error):
        dpfda.density(x, domain=(0, 100), bandwidth="private", budget=budget, **words)
    assert not budget.events


def test_an_epsilon_too_small_to_choose_with_leaves_the_budget_untouched():
    budget, rng = dpfda.Budget(1), np.random.default_rng(5)
    words = {"domain": [(0, 1)] * 2, "bandwidth": "private", "unit": [*range(50)] * 2, "budget": budget}
    with pytest.raises(ParameterError, match="too small to choose with"):
        dpfda.density(rng.random((100, 2)), epsilon="0.000001", **words)
    assert not budget.events


def test_a_gaussian_density_fits_the_budget_it_was_planned_for():
    x = np.random.default_rng(5).normal(50, 10, 500)
    budget = dpfda.Budget(1, delta=1e-6)
    words = {"domain": (0, 100), "delta": 1e-6, "bandwidth": "private", "mechanism": "gaussian", "budget": budget}
    release = dpfda.density(x, epsilon=1, **words)
    assert release.guarantee.events == budget.events
    assert len(budget.events) == 3
    with pytest.raises(BudgetError):
        dpfda.density(x, epsilon=1, **words)
    assert len(budget.events) == 3


@pytest.mark.parametrize("epsilon", ["0.000001", "0.1", 1, 1000])
@pytest.mark.parametrize("mechanism", ["iclp", "gaussian", "blocks", "ball", "bernstein", "cells"])
def test_every_width_that_can_be_chosen_gives_an_answer_on_a_circle(monkeypatch, epsilon, mechanism):
    """Records may be all alike under the widest kernel: that is an answer, not an error after a charge."""
    for narrow in (True, False):
        places = iter([100, 100] if narrow else [0, 511])
        monkeypatch.setattr("dpfda.api.density_width.permute_and_flip", lambda *_, places=places: next(places))
        budget = dpfda.Budget(2000, delta=1e-6)
        delta = {"delta": 1e-6} if mechanism == "gaussian" else {}
        hours = np.random.default_rng(6).uniform(0, 24, 5)
        release = dpfda.density(
            hours,
            domain=dpfda.Circle(0, 24),
            epsilon=epsilon,
            bandwidth="private",
            mechanism=mechanism,
            budget=budget,
            **delta,
        )
        assert len(budget.events) == 3
        assert np.isfinite(release.function.values).all()


def test_one_function_is_not_enough_where_it_is_the_constant():
    hours = np.random.default_rng(6).uniform(0, 24, 50)
    release = dpfda.density(hours, domain=dpfda.Circle(0, 24), epsilon="0.1", bandwidth="rule", mechanism="iclp")
    assert len(release.raw) == 3


def test_no_table_passes_the_scale_that_was_checked():
    for width in (0.001, 0.03, 1.0):
        for neighbours in Neighbours:
            for ratio in (Fraction(1, 100), Fraction(1), Fraction(10**6)):
                source = Points((AXIS,), 1024)
                table = bernstein((AXIS,), (dpfda.Gaussian(width),), 12, 1024)
                for box in (False, True):
                    most = SnappedDensity.largest_scale(source, 13, ratio, neighbours, box)
                    plan = SnappedDensity.plan(source, table, CrossPolytope.unit(13), ratio, neighbours, box)
                    assert plan.lattice.scale <= most


def test_three_axes_have_an_answer_by_every_mechanism():
    x = np.random.default_rng(7).random((50, 3))
    for mechanism in ("bernstein", "iclp", "cells"):
        budget = dpfda.Budget(1)
        dpfda.density(x, domain=[(0, 1)] * 3, epsilon=1, bandwidth="private", mechanism=mechanism, budget=budget)
        assert len(budget.events) == 7
