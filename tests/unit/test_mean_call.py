"""`dpfda.mean`: words in, errors before anything is spent."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import dpfda
from dpfda import Budget
from dpfda.errors import BudgetError, DataError, FileError, ParameterError
from dpfda.mechanisms import MECHANISMS, BlocksMechanism, GaussianMechanism

GRID = [0.0, 0.25, 0.5, 1.0]
CURVES = np.random.default_rng(1).uniform(0, 1, (30, 4))
GOOD = {"epsilon": 1, "value_range": (0, 1)}


@pytest.fixture
def no_noise(monkeypatch):
    """Any draw is a failure: bad input must be refused before noise."""

    def draw(self, *_):
        raise AssertionError("noise was drawn")

    for mechanism in (*map(type, MECHANISMS.values()), BlocksMechanism, GaussianMechanism):
        monkeypatch.setattr(mechanism, "draw", draw)


def with_cell(row, column, value):
    changed = CURVES.copy()
    changed[row, column] = value
    return changed


def text_cell():
    rows = CURVES.tolist()
    rows[2][3] = "n/a"
    return rows


BAD = {
    "epsilon missing": (CURVES, {"epsilon": None}, "epsilon is missing"),
    "epsilon zero": (CURVES, {"epsilon": 0}, "greater than 0, not 0"),
    "epsilon text": (CURVES, {"epsilon": "much"}, "not 'much'"),
    "epsilon nan": (CURVES, {"epsilon": float("nan")}, "not nan"),
    "epsilon infinite": (CURVES, {"epsilon": float("inf")}, "not inf"),
    "epsilon tiny": (CURVES, {"epsilon": 1e-12}, "1e-12 is too small"),
    "range missing": (CURVES, {"value_range": None}, "value_range is missing"),
    "range reversed": (CURVES, {"value_range": (1, 0)}, r"\(1, 0\) is reversed"),
    "range empty": (CURVES, {"value_range": (1, 1)}, r"\(1, 1\) is empty"),
    "range infinite": (CURVES, {"value_range": (0, np.inf)}, "finite ends"),
    "range nan": (CURVES, {"value_range": (np.nan, 1)}, "finite ends"),
    "range of three": (CURVES, {"value_range": (0, 1, 2)}, "two numbers"),
    "range text": (CURVES, {"value_range": "01"}, "two numbers"),
    "range too narrow": (CURVES, {"value_range": (1e9, 1e9 + 1e-3)}, "cannot be told apart"),
    "range too large": (CURVES, {"value_range": (0, 1e200)}, "cannot be told apart"),
    "neighbours": (CURVES, {"neighbours": "both"}, "'both'"),
    "design_n missing": (CURVES, {"neighbours": "add-remove"}, "needs design_n="),
    "design_n unasked": (CURVES, {"design_n": 5}, "for neighbours='add-remove' only"),
    "design_n zero": (CURVES, {"neighbours": "add-remove", "design_n": 0}, "design_n must be a whole number"),
    "mechanism": (CURVES, {"mechanism": "gauss"}, "'cube', 'laplace', 'gaussian', .*'auto', not 'gauss'"),
    "cells zero": (CURVES, {"cells": 0}, "cells must be a whole number from 1, not 0"),
    "cells many": (CURVES, {"cells": 65}, "cells must be at most 64, not 65"),
    "cells half": (CURVES, {"cells": 2.5}, "whole number"),
    "budget": (CURVES, {"budget": 1}, "must be a dpfda.Budget, not int"),
    "grid missing": (CURVES, {"grid": None}, "needs grid="),
    "grid short": (CURVES, {"grid": [0, 1, 2]}, "3 points, but the curves have 4 columns"),
    "grid repeats": (CURVES, {"grid": [0, 1, 1, 2]}, "point 3 repeats point 2"),
    "grid falls": (CURVES, {"grid": [0, 2, 1, 3]}, "point 3 lies below point 2"),
    "grid nan": (CURVES, {"grid": [0, np.nan, 1, 3]}, "grid point 2"),
    "grid text": (CURVES, {"grid": ["a", "b", "c", "d"]}, "increasing numbers"),
    "grid table": (CURVES, {"grid": [[0, 1], [2, 3]]}, "2 dimensions"),
    "domain": (CURVES, {"domain": (0.1, 2)}, r"grid point 0 is not in the domain \[0.1, 2\]"),
    "domain reversed": (CURVES, {"domain": (2, 0)}, "reversed"),
    "domain infinite": (CURVES, {"domain": (0, np.inf)}, "finite ends"),
    "transposed": (CURVES.T, {}, "give the transpose, curves.T"),
    "one dimension": (CURVES[0], {}, "1 dimensions"),
    "three dimensions": (CURVES[None], {}, "3 dimensions"),
    "one column": (CURVES[:, :1], {"grid": [0]}, "at least two grid points"),
    "no curve": (CURVES[:0], {}, "0 curves|one curve|fewer than two"),
    "one curve": (CURVES[:1], {}, "one curve only"),
    "one person": (CURVES, {"unit": ["a"] * 30}, "one person only"),
    "infinite": (with_cell(4, 2, np.inf), {}, "row 5, column 3 is infinite"),
    "all missing": (np.where(np.arange(30)[:, None] == 8, np.nan, CURVES), {}, "row 9 has no value"),
    "one value": (np.where((np.arange(30)[:, None] == 8) & (np.arange(4) > 0), np.nan, CURVES), {}, "row 9 has one value"),
    "text": (text_cell(), {}, "row 3, column 4 is not a number"),
    "ragged": ([[1, 2, 3, 4], [1, 2, 3]], {}, "row 2 has 3 values, but row 1 has 4"),
    "complex": (CURVES + 1j, {}, "complex"),
    "nothing": (None, {}, "NoneType|dimensions"),
    "ids short": (CURVES, {"unit": [1, 2, 3]}, "3 ids for 30 curves"),
    "ids missing": (CURVES, {"unit": [1] * 29 + [np.nan]}, "id of row 30 is missing"),
    "ids mixed": (CURVES, {"unit": [1, "1", *range(28)]}, "texts and numbers mixed, from row 2 on"),
    "ids a table": (CURVES, {"unit": np.zeros((30, 2))}, "list of ids"),
    "ids shuffled": (pd.DataFrame(CURVES, columns=GRID), {"grid": None, "unit": pd.Series(range(30)).sample(frac=1, random_state=1)}, "different indexes"),
    "epsilon comma": (CURVES, {"epsilon": "1,5"}, "decimal point, not a comma"),
    "epsilon long": (CURVES, {"epsilon": Fraction(3**10000, 3**10000 + 1)}, "too many digits"),
    "epsilon longer": (CURVES, {"epsilon": 10**5000}, "epsilon must be"),
    "range huge": (CURVES, {"value_range": (0, "1e399")}, "finite number"),
    "value huge": ([[10**400] * 4] * 3, {}, "too large for a floating-point"),
    "domain huge": (CURVES, {"domain": (-1e308, 1e308)}, "finite ends|cannot be divided"),
    "domain far away": (CURVES, {"grid": [1e16, 1e16 + 2, 1e16 + 4, 1e16 + 6]}, "cannot be divided in floating point"),
    "ids a column": (CURVES, {"unit": "ID"}, "the curves are an array"),
    "ids a number": (CURVES, {"unit": 5}, "list of ids"),
    "file": ("no-such-file.csv", {"grid": None}, "cannot read no-such-file.csv"),
    "frame column": (pd.DataFrame(CURVES, columns=GRID), {"grid": None, "unit": "ID"}, "no column 'ID'"),
    "frame text column": (pd.DataFrame(CURVES).assign(name="x"), {"grid": None}, "column 'name' of the frame is not a grid"),
    "frame text value": (pd.DataFrame(CURVES, columns=GRID).astype(object).replace(CURVES[3, 1], "x"), {"grid": None}, "row 4"),
    "frame of nothing": (pd.DataFrame({"ID": [1, 2]}), {"grid": None, "unit": "ID"}, "no column of values"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_before_anything_is_spent(case, no_noise):
    curves, words, message = BAD[case]
    budget = Budget(10)
    with pytest.raises((ParameterError, DataError, FileError), match=message) as raised:
        dpfda.mean(curves, **({"grid": GRID, "budget": budget} | GOOD | words))
    assert budget.spent == 0
    assert str(raised.value).count(". ") <= 1, "one or two sentences"


def test_errors_never_show_values():
    secret = with_cell(4, 2, np.inf)
    secret[4] = [0.987654321, 0.123456, np.inf, 0.5]
    with pytest.raises(DataError) as raised:
        dpfda.mean(secret, grid=GRID, **GOOD)
    assert "987" not in str(raised.value)
    assert "123" not in str(raised.value)


def test_a_budget_is_charged_once_for_each_release():
    budget = Budget(1)
    for left in ("1/2", "0"):
        release = dpfda.mean(CURVES, grid=GRID, epsilon="1/2", value_range=(0, 1), budget=budget)
        assert budget.left == Fraction(left)
        assert release.guarantee.events == (budget.events[-1],)
    with pytest.raises(BudgetError, match="used up by 2 releases"):
        dpfda.mean(CURVES, grid=GRID, epsilon="1/2", value_range=(0, 1), budget=budget)


def test_a_budget_is_not_charged_when_refused(no_noise):
    budget = Budget("0.5")
    with pytest.raises(BudgetError, match="0.5 of 0.5 is left"):
        dpfda.mean(CURVES, grid=GRID, **GOOD, budget=budget)
    assert budget.spent == 0


def test_a_charge_stays_when_the_noise_fails(no_noise):
    budget = Budget(1)
    with pytest.raises(AssertionError, match="noise was drawn"):
        dpfda.mean(CURVES, grid=GRID, **GOOD, budget=budget)
    assert budget.spent == 1


@pytest.mark.parametrize("names", [GRID, list(map(str, GRID))])
@pytest.mark.parametrize("library", [pd, pl])
def test_frames_declare_their_grid(library, names):
    table = {str(n): CURVES[:, j] for j, n in enumerate(names)}
    frame = library.DataFrame(table)
    if library is pd:
        frame.columns = names
    release = dpfda.mean(frame, **GOOD)
    assert release.domain == dpfda.mean(CURVES, grid=GRID, **GOOD).domain
    assert "the frame's column names" in release.summary()


@pytest.mark.parametrize("library", [pd, pl])
def test_a_frame_with_ids(library):
    ids = [f"p{i % 12}" for i in range(30)]
    frame = library.DataFrame({"ID": ids} | {str(n): CURVES[:, j] for j, n in enumerate(GRID)})
    by_column = dpfda.mean(frame, **GOOD, unit="ID")
    assert by_column.guarantee.n == 12
    assert by_column.guarantee.unit == "person"
    series = library.Series(ids)
    assert dpfda.mean(CURVES, grid=GRID, **GOOD, unit=series).guarantee.n == 12
    assert dpfda.mean(CURVES, grid=GRID, **GOOD, unit=np.array(ids)).guarantee.n == 12
    with pytest.raises(DataError, match="did you mean 'ID'"):
        dpfda.mean(frame, **GOOD, unit="id")


def test_gaps_in_frames():
    nan = {str(n): [None if (i + j) % 5 == 0 else 0.5 for i in range(30)] for j, n in enumerate(GRID)}
    for frame in (pd.DataFrame(nan), pd.DataFrame(nan).convert_dtypes(), pl.DataFrame(nan)):
        release = dpfda.mean(frame, epsilon=1000, value_range=(0, 1), shape="rough", cells=1, smooth=False)
        assert release.raw[0] == pytest.approx(0.5, abs=1e-3)


def test_files_and_tables(tmp_path):
    path = tmp_path / "curves.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in [GRID, *CURVES.tolist()]))
    for source in (path, str(path), dpfda.read_curves(path)):
        release = dpfda.mean(source, epsilon=1000, value_range=(0, 1), shape="rough", cells=1, smooth=False)
        assert release.raw[0] == pytest.approx(0.5, abs=0.2)
        assert "the file's header" in release.summary()


def test_the_domain_may_be_wider_than_the_grid():
    release = dpfda.mean(np.full((10, 4), 0.7), grid=GRID, epsilon=10**5, value_range=(0, 1), domain=(-1, 3))
    assert release.domain.start == -1
    np.testing.assert_allclose(release([-1, 0, 3]), 0.7, atol=1e-3)


def test_values_outside_are_clipped_and_counted_on_request():
    wild = np.full((10, 4), 5.0)
    release = dpfda.mean(wild, grid=GRID, epsilon=10**5, value_range=(0, 1), shape="rough", cells=1, smooth=False)
    assert release.raw[0] == pytest.approx(1, abs=1e-3)
    assert dpfda.count_clipped(wild, (0, 1), grid=GRID) == 40
    assert dpfda.count_clipped(CURVES, (0, 1), grid=GRID) == 0


def test_the_number_of_cells_follows_public_numbers_alone():
    a = dpfda.mean(CURVES, grid=GRID, **GOOD, mechanism="cube")
    b = dpfda.mean(np.zeros((30, 4)), grid=GRID, **GOOD, mechanism="cube")
    assert len(a.raw) == len(b.raw) == 2
    many = np.zeros((4000, 4))
    cells = dpfda.mean(many, grid=GRID, epsilon=4, value_range=(0, 1), shape="rough")
    assert len(cells.raw) == 4, "no more cells than grid points"


@pytest.mark.parametrize("mechanism", list(MECHANISMS))
def test_add_remove_releases_the_count(mechanism):
    curves = np.random.default_rng(2).uniform(0.6, 0.8, (2000, 4))
    release = dpfda.mean(
        curves,
        grid=GRID,
        epsilon=1,
        value_range=(0, 1),
        neighbours="add-remove",
        design_n=500,
        mechanism=mechanism,
        cells=2,
    )
    assert release.guarantee.n is None
    assert release.law.count == pytest.approx(2000, abs=150)
    assert release.raw == pytest.approx([0.7, 0.7], abs=0.1)
    assert "a released, noisy number" in release.summary()


@pytest.mark.parametrize("n", [0, 1])
def test_add_remove_never_refuses_for_n(n):
    release = dpfda.mean(
        np.zeros((n, 4)), grid=GRID, epsilon=1, value_range=(0, 1), neighbours="add-remove", design_n=50
    )
    assert release.law.count >= 1
    assert np.isfinite(release.raw).all()


@pytest.mark.parametrize("epsilon", ["0.000001", "1/3", 20, 10**6])
@pytest.mark.parametrize("mechanism", list(MECHANISMS))
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_every_epsilon_there_is(epsilon, mechanism, neighbours):
    guess = {"design_n": 30} if neighbours == "add-remove" else {}
    release = dpfda.mean(
        CURVES, grid=GRID, epsilon=epsilon, value_range=(0, 1), mechanism=mechanism, neighbours=neighbours, **guess
    )
    g = release.guarantee
    assert Fraction(g.sensitivity.units, g.scale) <= g.epsilon


def test_the_result_does_not_change_the_input():
    curves = with_cell(1, 1, np.nan)
    before = curves.copy()
    dpfda.mean(curves, grid=GRID, **GOOD)
    np.testing.assert_array_equal(curves, before)


def test_masked_values_are_missing():
    masked = np.ma.masked_greater(np.where(CURVES > 0.9, 1e6, 0.5), 1)
    masked[:, 0] = 0.5
    masked[:, 3] = 0.5
    release = dpfda.mean(masked, grid=GRID, epsilon=10**5, value_range=(0, 1e6), mechanism="cube", cells=1)
    assert release.raw[0] == pytest.approx(0.5, abs=10)


def test_paths_may_be_path_objects(tmp_path):
    with pytest.raises(FileError, match="cannot read"):
        dpfda.mean(Path(tmp_path / "none.csv"), **GOOD)
