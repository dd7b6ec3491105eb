"""A curve a group, at the price of one."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import dpfda
from dpfda.errors import BudgetError, DataError, FileError, ParameterError

GRID = np.linspace(0, 1, 21)
RNG = np.random.default_rng(1)
LABELS = ["a"] * 150 + ["b"] * 250
CURVES = RNG.normal(0.5, 0.05, (400, 1)) + 0.2 * np.sin(4 * GRID) + 0.2 * (np.array(LABELS) == "b")[:, None]
GOOD = {"grid": GRID, "epsilon": 2, "value_range": (0, 1)}


@pytest.fixture(scope="module")
def groups():
    return dpfda.mean(CURVES, **GOOD, groups=LABELS, spread=True)


def test_every_group_has_its_curve(groups):
    assert isinstance(groups, dpfda.Groups)
    assert list(groups) == ["a", "b"]
    assert [release.guarantee.n for _, release in groups.items()] == [150, 250]
    sure = dpfda.mean(CURVES, **GOOD | {"epsilon": 50}, groups=LABELS)
    assert sure["b"](0.5) - sure["a"](0.5) == pytest.approx(0.2, abs=0.05)
    with pytest.raises(ParameterError, match="no group 'c': there are 'a', 'b'"):
        _ = groups["c"]
    assert all("no person is in two groups" in release.summary() for _, release in groups.items())
    assert "together epsilon 2, delta 0" in " ".join(groups.summary().split())
    assert "a, b" in groups.statement()


def test_differences_have_bands_and_cost_nothing(groups):
    difference = groups.difference("b", "a")
    band = difference.band(0.999999, covers="population")  # it fails to hold the truth once in a million
    assert (difference.epsilon, difference.delta) == (2, 0)
    assert (band.lower < 0.2).all()
    assert (band.upper > 0.2).all()
    assert (groups["b"] - groups["a"]).epsilon == 4, "a sum of releases that may be of the same persons"
    assert (
        band.upper.mean() - band.lower.mean()
        > (groups["a"].band(0.95, "population").upper).mean() - (groups["a"].band(0.95, "population").lower).mean()
    )


@pytest.mark.parametrize(
    ("words", "events"),
    [
        ({}, 1),
        ({"shape": "rough"}, 1),
        ({"spread": True}, 1),
        ({"delta": "1e-6"}, 3),
        ({"delta": "1e-6", "epsilon": "1/2"}, 1),
        ({"neighbours": "add-remove", "design_n": 200, "group_names": ["a", "b"]}, 1),
    ],
)
def test_the_budget_pays_once(words, events):
    budget = dpfda.Budget(words.get("epsilon", 2), delta=words.get("delta", 0))
    groups = dpfda.mean(CURVES, **(GOOD | words), groups=LABELS, budget=budget)
    words = {k: v for k, v in words.items() if k != "group_names"}
    assert len(budget.events) == events
    assert budget.spent <= budget.epsilon
    assert groups.epsilon == Fraction(words.get("epsilon", 2))
    with pytest.raises(BudgetError):
        dpfda.mean(CURVES, **(GOOD | words | {"epsilon": "1/10"}), budget=budget)


def test_groups_of_persons():
    ids = [f"p{i // 2}" for i in range(400)]
    groups = dpfda.mean(CURVES, **GOOD, groups=LABELS, unit=ids)
    assert [release.guarantee.n for _, release in groups.items()] == [75, 125]
    mixed = ["a", "b"] * 200
    with pytest.raises(DataError, match="person of row 2 is in two groups"):
        dpfda.mean(CURVES, **GOOD, groups=mixed, unit=ids)


def test_groups_of_scattered_curves():
    pairs = [(np.sort(RNG.uniform(0, 1, 8)), RNG.normal(0.3 if i < 150 else 0.7, 0.05, 8)) for i in range(400)]
    groups = dpfda.mean(pairs, epsilon=4, value_range=(0, 1), domain=(0, 1), groups=pd.Series(LABELS))
    assert groups["a"](0.5) == pytest.approx(0.3, abs=0.1)
    assert groups["b"](0.5) == pytest.approx(0.7, abs=0.1)


BAD = {
    "one person": ({"groups": ["a"] + ["b"] * 399}, DataError, "the group 'a' has one curve only"),
    "missing": ({"groups": [None] + ["b"] * 399}, DataError, "the group of row 1 is missing"),
    "blank": ({"groups": ["b"] * 399 + [" "]}, DataError, "the group of row 400 is missing"),
    "short": ({"groups": ["a"] * 399}, DataError, "399 group labels for 400 curves"),
    "text": ({"groups": "ab"}, ParameterError, "groups must be a list"),
    "add-remove": (
        {"groups": LABELS, "neighbours": "add-remove", "design_n": 9},
        ParameterError,
        "list of groups must be given",
    ),
    "names alone": ({"group_names": ["a"]}, ParameterError, "group_names= goes with groups="),
    "name twice": ({"groups": LABELS, "group_names": ["a", "b", "a"]}, ParameterError, "a label twice"),
    "names a text": ({"groups": LABELS, "group_names": "ab"}, ParameterError, "must be a list of labels"),
    "strange label": (
        {"groups": LABELS, "group_names": ["a", "c"]},
        DataError,
        "group of row 151 is none of group_names",
    ),
    "nobody": ({"groups": LABELS, "group_names": ["a", "b", "c"]}, DataError, "the group 'c' has no curve"),
    "circle": ({"groups": LABELS, "shape": "rough", "domain": dpfda.Circle(0, 2)}, ParameterError, "cells have ends"),
    "named": ({"groups": LABELS, "mechanism": "cube"}, ParameterError, "groups= goes with the recipes"),
}


def test_the_list_of_groups_does_not_depend_on_who_is_there():
    """Under add-remove an empty group is released like any other; elsewhere labels are sorted, not taken in order."""
    words = GOOD | {"neighbours": "add-remove", "design_n": 200, "group_names": ("b", "a", "none")}
    groups = dpfda.mean(CURVES, **words, groups=LABELS)
    assert list(groups) == ["b", "a", "none"]
    turned = dpfda.mean(CURVES[::-1], **GOOD, groups=LABELS[::-1])
    assert list(turned) == list(dpfda.mean(CURVES, **GOOD, groups=LABELS)) == ["a", "b"]


def test_persons_are_compared_like_the_persons_that_are_counted():
    ids = [f"p{i}" for i in range(399)] + ["p0 "]
    with pytest.raises(DataError, match="person of row 400 is in two groups"):
        dpfda.mean(CURVES, **GOOD, groups=LABELS, unit=ids)


def test_labels_with_another_index_are_refused():
    frame = pd.DataFrame(CURVES, columns=GRID)
    labels = pd.Series(LABELS)[::-1]
    with pytest.raises(DataError, match="different indexes"):
        dpfda.mean(frame, epsilon=1, value_range=(0, 1), groups=labels)


@pytest.mark.parametrize("case", BAD)
def test_bad_groups_cost_nothing(case):
    words, kind, message = BAD[case]
    budget = dpfda.Budget(100)
    with pytest.raises(kind, match=message):
        dpfda.mean(CURVES, **GOOD, **words, budget=budget)
    assert budget.events == ()


def test_files_of_groups(groups, tmp_path):
    paths = groups.save(tmp_path / "mean.json")
    assert [p.name for p in paths] == ["mean.a.json", "mean.b.json"]
    assert dpfda.load(paths[1]) == groups["b"]
    paths[0].unlink()
    with pytest.raises(FileError, match="exists already"):
        groups.save(tmp_path / "mean.json")
    assert not paths[0].exists(), "all of them or none"
    slashed = dpfda.Groups(("a/b",), (groups["a"],))
    with pytest.raises(ParameterError, match="cannot be part of a file's name"):
        slashed.save(tmp_path / "x.json")


def test_pictures_of_groups(groups):
    from matplotlib.figure import Figure

    ax = groups.plot(Figure().subplots())
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["a", "b"]
    assert "population" in ax.get_legend().get_title().get_text()
    other = groups.difference("a", "b").plot(Figure().subplots())
    assert other.get_ylabel() == "combination of means"
    rough = dpfda.mean(CURVES, **GOOD, groups=LABELS, shape="rough", spread=True)
    rough.plot(Figure().subplots())
