"""The recipe people get by default: words, errors, files, budgets, and that it does what it says."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dpfda
from dpfda.errors import BudgetError, DataError, FormatError, ParameterError
from dpfda.recipes.mean import SHARES, Plan
from tests.unit.test_release import rehash

GRID = np.linspace(0, 2, 41)
CURVES = np.random.default_rng(1).normal(0.5, 0.05, (300, 1)) + 0.3 * np.sin(3 * GRID)
GOOD = {"grid": GRID, "epsilon": 4, "value_range": (0, 1)}


@pytest.fixture(scope="module")
def release():
    return dpfda.mean(CURVES, **GOOD, spread=True)


KINDS = [
    {},
    {"epsilon": "1/10"},
    {"stages": 1},
    {"spread": True},
    {"smooth": False},
    {"delta": "1e-6", "spread": True},
    {"neighbours": "add-remove", "design_n": 250, "spread": True},
    {"unit": [i % 100 for i in range(300)], "spread": True},
    {"shape": "rough", "spread": True},
    {"shape": "rough", "cells": 3},
    {"mechanism": "cube", "smooth": True},
    {"domain": dpfda.Circle(0, 2.05)},
    {"domain": (-0.5, 2.5)},
]


@pytest.mark.parametrize("words", KINDS, ids=str)
def test_every_kind_is_saved_loaded_and_described(words, tmp_path):
    import jsonschema

    made = dpfda.mean(CURVES, **(GOOD | words))
    path = tmp_path / "mean.json"
    made.save(path)
    back = dpfda.load(path)
    assert back == made
    assert back.summary() == made.summary()
    assert (back([0.0, 1.3]) == made([0.0, 1.3])).all()
    assert made.guarantee.epsilon == Fraction(str((GOOD | words)["epsilon"]))
    assert np.abs(made(GRID) - CURVES.mean(axis=0)).max() < (1.5 if made.guarantee.epsilon < 1 else 0.35)
    schema = json.loads((Path(__file__).parents[2] / "docs/release-format.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(json.loads(path.read_text()))
    for covers in ("noise", "posterior", "population"):
        band = made.band(0.9, covers) if covers in possible(made) else None
        assert band is None or (band.lower <= band.upper).all()
        assert band is None or "0.9" in band.words
    assert "made-up" not in made.statement()


def possible(made):
    return {"noise"} | ({"posterior"} if made.smoothing else set()) | ({"population"} if made.spread else set())


def test_the_events_are_listed_and_sum_to_epsilon(release):
    names = [e.mechanism for e in release.guarantee.events]
    assert names == ["blocks", "permute-and-flip", "blocks", "cube"]
    assert sum(e.epsilon for e in release.guarantee.events) == release.guarantee.epsilon == 4
    parts = [e.epsilon / Fraction(16, 5) for e in release.guarantee.events[:3]]
    assert parts == list(SHARES)
    text = release.summary()
    for words in ("together epsilon 4", "its radius", "2/5 and 12/25 of epsilon", "0.5 j^-0.75", "0.7 j^-0.5"):
        assert words in " ".join(text.split())


def test_with_a_delta_gaussian_looks_are_used_where_they_are_better():
    better = dpfda.mean(CURVES, **GOOD | {"epsilon": 1}, delta="1e-6")
    assert [e.mechanism for e in better.guarantee.events] == ["gaussian", "permute-and-flip", "gaussian"]
    assert (better.guarantee.epsilon, better.guarantee.delta) == (1, Fraction(1, 10**6))
    noise = [Plan.of(300, Fraction(1), delta, 41, 2).noise(1) for delta in (Fraction(1, 10**6), Fraction(0))]
    assert noise[0] < noise[1]
    worse = dpfda.mean(CURVES, **GOOD | {"epsilon": "1/8"}, delta="1e-30")
    assert worse.guarantee.delta == 0
    assert "delta was not needed" in worse.summary()


@pytest.mark.parametrize("words", [{}, {"delta": "1e-6"}, {"spread": True}, {"shape": "rough", "spread": True}])
def test_the_budget_is_charged_for_all_steps_or_none(words):
    budget = dpfda.Budget(4, delta=words.get("delta", 0))
    dpfda.mean(CURVES, **GOOD, **words, budget=budget)
    assert len(budget.events) == {(): 3, ("delta",): 3, ("spread",): 4}.get(tuple(words), 2)
    assert budget.spent <= 4
    short = dpfda.Budget("3.99", delta=words.get("delta", 0))
    with pytest.raises(BudgetError):
        dpfda.mean(CURVES, **GOOD, **words, budget=short)
    assert short.events == ()
    assert short.left == Fraction("3.99")


def test_a_gaussian_recipe_fits_a_budget_of_its_own_size_exactly_once():
    budget = dpfda.Budget(4, delta="1e-6")
    dpfda.mean(CURVES, **GOOD, delta="1e-6", budget=budget)
    with pytest.raises(BudgetError):
        dpfda.mean(CURVES, **GOOD | {"epsilon": "1/10"}, budget=budget)


BAD = {
    "shape": ({"shape": "wavy"}, "shape must be 'smooth' or 'rough', not 'wavy'"),
    "stages": ({"stages": 3}, "stages must be 1, 2 or 'rule', not 3"),
    "stages true": ({"stages": True}, "not True"),
    "stages rough": ({"stages": 1, "shape": "rough"}, "stages=1 is for the default recipe"),
    "stages named": ({"stages": 1, "mechanism": "cube"}, "stages=1 is for the default recipe"),
    "spread": ({"spread": "yes"}, "spread must be True or False"),
    "spread named": ({"spread": True, "mechanism": "cube"}, "spread=True goes with the recipes"),
    "smooth": ({"smooth": 1}, "smooth must be True, False or None"),
    "smooth named": ({"smooth": True, "mechanism": "ball", "basis": "cosine"}, "the penalty smooths"),
    "shape named": ({"shape": "rough", "mechanism": "cube"}, "leave one of them out"),
    "cells": ({"cells": 4}, "cells= is for shape='rough'"),
    "kernel": ({"kernel": dpfda.Matern(1.5, 1)}, "kernel= is for a mean in a basis, but the default recipe chooses its own"),
    "bound": ({"bound": 1, "value_range": None}, "bound= is for a mean in a basis"),
    "eta": ({"eta": 2}, "eta= is for a mean in a basis"),
    "delta rough": ({"delta": 0.1, "shape": "rough"}, "shape='rough' gives delta 0"),
    "circle rough": ({"shape": "rough", "domain": dpfda.Circle(0, 2)}, "cells have ends"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_words_cost_nothing(case):
    words, message = BAD[case]
    budget = dpfda.Budget(100)
    with pytest.raises(ParameterError, match=message):
        dpfda.mean(CURVES, **(GOOD | {"budget": budget} | words))
    assert budget.events == ()


def test_what_bands_need_is_said(release):
    plain = dpfda.mean(CURVES, **GOOD, smooth=False)
    with pytest.raises(ParameterError, match="spread=True"):
        plain.band(covers="population")
    with pytest.raises(ParameterError, match="was not smoothed"):
        plain.band(covers="posterior")
    with pytest.raises(ParameterError, match="'noise' or 'population'"):
        release.band(covers="truth")
    assert "Believing the public prior" in release.band(covers="posterior").words
    assert "the population's mean" in release.band(covers="population").words


def test_the_spread_is_near_the_persons_standard_deviation():
    curves = np.random.default_rng(3).normal(0.5, 0.1, (4000, 1)) + 0.2 * np.sin(3 * GRID)
    release = dpfda.mean(curves, **GOOD, spread=True)
    assert release.spread(1.0) == pytest.approx(0.1, abs=0.02)
    np.testing.assert_allclose(release.spread(GRID), 0.1, atol=0.03)
    assert (release.spread.upper(GRID, 0.99) >= 0.09**2).all()


def test_notes_say_when_little_can_be_learned():
    small = dpfda.mean(CURVES[:20], **GOOD | {"epsilon": "1/2"})
    assert "hardly more than the level" in small.summary()
    assert "hardly more than the level" not in dpfda.mean(CURVES, **GOOD).summary()
    asked = dpfda.mean(CURVES[:20], **GOOD | {"epsilon": 1}, stages=2)
    assert "Two looks were asked for where n epsilon, 20, is below 150" in " ".join(asked.summary().split())


def test_smoothing_can_be_left_out():
    rough, smooth = (dpfda.mean(CURVES, **GOOD, smooth=s) for s in (False, True))
    assert (rough.values == rough.raw).all()
    assert smooth.smoothing is not None
    assert (smooth.values == smooth.smoothing.posterior.mean).all()
    assert "Smoothed after the noise" in smooth.summary()


def test_the_derivative_of_the_default(release):
    t = np.linspace(0.1, 1.9, 7)
    numeric = (release(t + 1e-6) - release(t - 1e-6)) / 2e-6
    np.testing.assert_allclose(release.derivative()(t), numeric, rtol=1e-4, atol=1e-6)
    with pytest.raises(ParameterError, match="order 2 does not exist"):
        release.derivative(2)


def test_long_grids_and_short_ones():
    long = np.linspace(0, 1, 1500)
    made = dpfda.mean(np.tile(0.4 + 0.2 * long, (500, 1)), grid=long, epsilon=10, value_range=(0, 1))
    np.testing.assert_allclose(made(long), 0.4 + 0.2 * long, atol=0.02)
    two = dpfda.mean(np.tile([0.2, 0.6], (500, 1)), grid=[0, 1], epsilon=10, value_range=(0, 1))
    np.testing.assert_allclose(two([0, 1]), [0.2, 0.6], atol=0.02)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_add_remove_never_refuses_for_n(n):
    words = {"neighbours": "add-remove", "design_n": 500, "spread": True}
    made = dpfda.mean(np.full((n, 41), 0.5), **GOOD | {"epsilon": 1}, **words)
    assert np.isfinite(made.raw).all()


@pytest.mark.parametrize("words", [{}, {"shape": "rough", "unit": []}, {"unit": []}])
def test_nobody_at_all_is_released_like_anybody(words):
    budget = dpfda.Budget(2)
    rest = {"neighbours": "add-remove", "design_n": 500, "spread": True, "budget": budget}
    made = dpfda.mean(np.zeros((0, 41)), **GOOD | {"epsilon": 2}, **rest, **words)
    assert np.isfinite(made.raw).all()
    assert budget.spent == 2


def test_a_grid_too_fine_for_splines_costs_nothing():
    budget = dpfda.Budget(4)
    with pytest.raises(ParameterError, match="too near each other"):
        dpfda.mean(np.full((50, 3), 0.5), **GOOD | {"grid": [0, 5e-324, 1]}, budget=budget)
    assert budget.events == ()


def test_plans_follow_public_numbers():
    assert Plan.of(382, Fraction(1), Fraction(0), 93).functions == 12
    assert Plan.of(382, Fraction(1, 8), Fraction(0), 93).looks == 1
    assert Plan.of(150, Fraction(1), Fraction(0), 93).looks == 2
    assert Plan.of(10**6, Fraction(1), Fraction(0), 93).functions == 64
    assert Plan.of(10**6, Fraction(1), Fraction(0), 7).functions == 7
    plan = Plan.of(382, Fraction(1), Fraction(0), 93)
    assert all(r <= Fraction(382, 250) for r in plan.radii)


DAMAGES = {
    "values": lambda c: c["smoothing"]["values"].__setitem__(0, 5.0),
    "prior": lambda c: c["smoothing"].update(prior="wishful"),
    "variances": lambda c: c["smoothing"]["variances"].__setitem__(0, -1.0),
    "no smoothing": lambda c: c.pop("smoothing"),
    "knots": lambda c: c["basis"]["knots"].reverse(),
    "centre of the look": lambda c: c["law"]["middle"].pop(),
    "stages short": lambda c: c["guarantee"]["stages"].pop(),
    "an event left out": lambda c: (c["guarantee"]["stages"].pop(1), c["guarantee"]["events"].pop(1)),
    "a cheaper event": lambda c: c["guarantee"]["events"][0].update(epsilon="1/100"),
    "a free radius": lambda c: c["guarantee"]["events"][1].update(epsilon="0"),
    "radius of another kind": lambda c: c["guarantee"]["events"][1].update(mechanism="guess"),
    "spread": lambda c: c["spread"]["edges"].pop(),
    "spread law": lambda c: c["spread"]["law"].update(count=-1.0),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_refused(tmp_path, damage, release):
    path = tmp_path / "mean.json"
    release.save(path)
    content = json.loads(path.read_text())
    DAMAGES[damage](content)
    rehash(path, json.dumps(content))
    with pytest.raises(FormatError):
        dpfda.load(path)


def test_old_readers_refuse_by_name(release, tmp_path):
    """A reader that knows no smoothing must not draw the unsmoothed numbers."""
    release.save(tmp_path / "mean.json")
    assert json.loads((tmp_path / "mean.json").read_text())["interpolation"] == "smoothed-basis"


def test_curves_with_points_of_their_own_need_a_domain():
    rng = np.random.default_rng(2)
    pairs = [(np.sort(rng.uniform(0, 2, 9)), rng.normal(0.5, 0.05, 9)) for _ in range(50)]
    words = {"epsilon": 100, "value_range": (0, 1)}
    made = dpfda.mean(pairs, **words, domain=(0, 2))
    np.testing.assert_allclose(made(GRID), 0.5, atol=0.1)
    assert "each at points of its own" in made.summary()
    with pytest.raises(ParameterError, match="need domain="):
        dpfda.mean(pairs, **words)
    with pytest.raises(DataError, match="curve 1 has a point outside the domain"):
        dpfda.mean(pairs, **words, domain=(0, 0.01))
    with pytest.raises(ParameterError, match="leave grid= out"):
        dpfda.mean(dpfda.readers.scattered.read_pairs(pairs), **words, grid=GRID, domain=(0, 2))
    with pytest.raises(DataError, match="no common grid"):
        dpfda.mean(pairs, **words, domain=(0, 2), shape="rough")
