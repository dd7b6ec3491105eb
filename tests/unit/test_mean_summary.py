"""The map from records to integers: exact, and a function of each record alone."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpfda.errors import DataError
from dpfda.privacy.bodies import CrossPolytope, Cube
from dpfda.privacy.lattice import Lattice
from dpfda.privacy.neighbours import Neighbours
from dpfda.spaces.cells import cell_weights
from dpfda.spaces.interval import Interval
from dpfda.summaries.base import BLOCK, Tally
from dpfda.summaries.mean import VALUE_UNITS, WEIGHT_UNITS, CellMean, cells_rule, fill_gaps
from dpfda.summaries.units import People


def summary_of(points=13, cells=4, lower=0, upper=1):
    grid = tuple(np.linspace(0, 1, points).tolist())
    return CellMean(grid, Interval(0.0, 1.0), cells, Fraction(lower), Fraction(upper))


def plan(summary, body=Cube, neighbours=Neighbours.REPLACE_ONE, epsilon=1):
    return Lattice.plan(summary.records, body.unit(summary.cells), 1 / Fraction(epsilon), neighbours)


@pytest.mark.parametrize(
    ("n", "epsilon", "cells"),
    [
        (382, "1/8", 3),
        (382, "1/4", 4),
        (382, "1/2", 6),
        (382, 1, 8),
        (382, 2, 11),
        (382, 4, 16),
        (2, "1/100", 1),
        (10**7, 4, 64),
    ],
)
def test_the_rule_for_cells(n, epsilon, cells):
    assert cells_rule(n, Fraction(epsilon)) == cells


@pytest.mark.parametrize("body", [Cube, CrossPolytope])
@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_sums_are_the_exact_averages_of_clipped_curves(body, neighbours):
    rng = np.random.default_rng(1)
    summary = summary_of(points=93, cells=8, lower=-2, upper=3)
    lattice = plan(summary, body, neighbours)
    rows = rng.normal(0.5, 3.0, (200, 93))
    tally = summary.tally(rows, lattice)
    raw = summary.means(tally.total[:8], 200.0, lattice)
    exact = cell_weights(np.array(summary.grid), summary.domain, 8) @ np.clip(rows, -2, 3).mean(axis=0)
    bound = float(lattice.steps[0]) * summary.rounding(lattice)
    assert np.abs(raw - exact).max() <= bound
    assert bound < 2e-6
    if neighbours is Neighbours.ADD_REMOVE:
        assert tally.total[8] == 200 * lattice.count_weight


def test_clipping_comes_before_averaging():
    """Half a cell far above and half far below the range: the clipped curve averages to the middle."""
    summary = summary_of(points=5, cells=1)
    lattice = plan(summary)
    rows = np.array([[100.0, 100.0, 0.5, -1.0, -1.0]])
    assert summary.tally(rows, lattice).total[0] == pytest.approx(0, abs=lattice.bound * 1e-6)


@pytest.mark.parametrize("body", [Cube, CrossPolytope])
@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_worst_rows_attain_the_sensitivity_and_no_rows_pass_it(body, neighbours):
    summary = summary_of()
    lattice = plan(summary, body, neighbours)
    rest = np.random.default_rng(2).uniform(-5, 5, (20, 13))

    def moved(one, other):
        a = summary.tally(np.vstack([rest, *one]), lattice)
        b = summary.tally(np.vstack([rest, *other]), lattice)
        return lattice.noisy_body.plain_norm([x - y for x, y in zip(a.total, b.total, strict=True)])

    high, low, nothing = [np.full(13, 1e9)], [np.full(13, -1e9)], []
    against = low if neighbours is Neighbours.REPLACE_ONE else nothing
    assert moved(high, against) == lattice.sensitivity
    rng = np.random.default_rng(3)
    for _ in range(300):
        one, other = rng.standard_cauchy((2, 1, 13))
        assert moved(list(one), list(other) if neighbours is Neighbours.REPLACE_ONE else nothing) <= lattice.sensitivity


def test_the_products_are_exact_integers():
    """float64 BLAS gives the very integers of Python's arithmetic, so nothing depends on who adds them."""
    summary = summary_of(points=301, cells=7)
    lattice = plan(summary)
    rows = np.random.default_rng(4).uniform(0, 1, (50, 301))
    values = np.rint((rows - 0.5) * (VALUE_UNITS / 0.5)).astype(np.int64)
    exact = values.astype(object) @ summary._weights.T.astype(object)
    scale = float(summary.units_of_half(lattice)) / (VALUE_UNITS * WEIGHT_UNITS)
    assert (summary.vectors(rows, lattice) == exact.astype(float) * scale).all()
    assert VALUE_UNITS * WEIGHT_UNITS < 1 << 53


records = st.integers(2, 60).flatmap(
    lambda n: st.tuples(
        st.just(n), st.integers(0, 2**32), st.permutations(range(n)), st.lists(st.integers(0, n), max_size=4)
    )
)


@settings(max_examples=60, deadline=None)
@given(records, st.sampled_from([Cube, CrossPolytope]), st.sampled_from(list(Neighbours)), st.sampled_from([1, 2048]))
def test_order_and_partition_never_change_a_bit(case, body, neighbours, epsilon):
    n, seed, order, cuts = case
    summary = summary_of(points=29, cells=5)
    lattice = plan(summary, body, neighbours, epsilon)
    rows = np.random.default_rng(seed).uniform(-0.5, 1.5, (n, 29))
    rows[np.random.default_rng(seed).random(rows.shape) < 0.1] = np.nan
    rows[:, :2] = 0.25
    whole = summary.tally(rows, lattice)
    assert summary.tally(rows[list(order)], lattice) == whole
    parts = Tally.empty(lattice.noisy_dimension)
    for part in np.split(rows, sorted(cuts)):
        parts += summary.tally(part, lattice)
    assert parts == whole
    assert sum((summary.tally(row[None], lattice) for row in rows), Tally.empty(lattice.noisy_dimension)) == whole


def test_blocks_do_not_change_a_bit(monkeypatch):
    summary = summary_of()
    lattice = plan(summary, epsilon=2048)
    rows = np.random.default_rng(5).uniform(0, 1, (BLOCK + 17, 13))
    ids = np.random.default_rng(6).integers(0, 900, len(rows)).tolist()
    whole, people = summary.tally(rows, lattice), People.of(ids, len(rows))
    by_person = summary.tally(rows, lattice, people)
    monkeypatch.setattr("dpfda.summaries.base.BLOCK", 13)
    assert summary.tally(rows, lattice) == whole
    assert summary.tally(rows, lattice, people) == by_person
    assert by_person.records == len(people) == len(set(ids))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(0, 2**32))
def test_a_person_is_the_average_of_that_persons_rows(ids, seed):
    summary = summary_of()
    lattice = plan(summary)
    rng = np.random.default_rng(seed)
    rows = rng.uniform(-1, 2, (len(ids), 13))
    expected = np.zeros(4)
    for i in set(ids):
        mine = rows[[j for j, other in enumerate(ids) if other == i]]
        expected += np.array(summary.tally(mine, lattice).total) / len(mine)
    total = summary.tally(rows, lattice, People.of(ids, len(ids))).total
    np.testing.assert_allclose(total, expected, atol=len(set(ids)))
    order = rng.permutation(len(ids))
    shuffled = People.of([ids[i] for i in order], len(ids))
    assert summary.tally(rows[order], lattice, shuffled).total == total


def test_a_person_with_many_rows_moves_no_more_than_one_with_one():
    summary = summary_of()
    lattice = plan(summary)
    for count in (1, 7, 500):
        rows = np.vstack([np.full((count, 13), 9.0), np.zeros((3, 13))])
        people = People.of(["busy"] * count + ["a", "b", "c"], len(rows))
        other = summary.tally(np.zeros((4, 13)), lattice)
        tally = summary.tally(rows, lattice, people)
        assert (
            lattice.body.plain_norm([x - y for x, y in zip(tally.total, other.total, strict=True)])
            == lattice.sensitivity
        )


def test_averages_of_a_million_rows_do_not_overflow(monkeypatch):
    """Beyond 2^20 rows a person the sums are Python integers; forcing that path gives the same numbers."""
    vectors = np.random.default_rng(7).integers(-(1 << 42), 1 << 42, (50, 3))
    starts = np.array([0, 20, 21])
    narrow = People.averages(vectors, starts)
    monkeypatch.setattr("dpfda.summaries.units._ROWS_IN_INT64", 1)
    assert (People.averages(vectors, starts) == narrow).all()
    assert narrow[1].tolist() == vectors[20].tolist()


@pytest.mark.parametrize(
    ("grid", "lower", "upper"),
    [
        (1.7e9 + 0.001 * np.arange(2000), 0, 1),
        (2_460_000 + np.arange(1440) / 1440, 0, 1),
        (np.linspace(0, 1, 93), "1000000000.1", "1000000001.3"),
        (np.concatenate([[0.0], 1 - 1e-9 * np.arange(50)[::-1]]), -3, 5),
    ],
)
def test_rounding_is_a_bound_far_from_zero_too(grid, lower, upper):
    """Against the exact average of the declared numbers in fractions, on curves that jump between the ends of the range."""
    summary = CellMean(
        tuple(grid.tolist()), Interval(float(grid[0]), float(grid[-1])), 7, Fraction(lower), Fraction(upper)
    )
    lattice = plan(summary, epsilon=2048)
    rng = np.random.default_rng(8)
    rows = np.where(rng.random((3, len(grid))) < 0.5, float(lower), float(upper))
    rows[0] = np.where(np.arange(len(grid)) % 2, float(lower), float(upper))
    raw = np.array(summary.tally(rows[:1], lattice).total) * lattice.steps[0] + summary.middle
    exact = exact_averages(
        grid.tolist(), [min(max(Fraction(x), summary.lower), summary.upper) for x in rows[0].tolist()], 7
    )
    off = max(abs(Fraction(a) - b) for a, b in zip(raw, exact, strict=True))
    assert off <= Fraction(summary.rounding(lattice)) * lattice.steps[0]


def exact_averages(grid, values, cells):
    """Averages over equal cells of the line through the points, in fractions."""
    points = list(map(Fraction, grid))
    start, width = points[0], (points[-1] - points[0]) / cells
    sums = [Fraction(0)] * cells
    for a, b, x, y in zip(points, points[1:], values, values[1:], strict=False):
        left = a
        while left < b:
            j = min(int((left - start) / width), cells - 1)
            right = min(b, start + (j + 1) * width) if j < cells - 1 else b
            at = lambda t, a=a, b=b, x=x, y=y: x + (y - x) * (t - a) / (b - a)  # noqa: E731
            sums[j] += (right - left) * (at(left) + at(right)) / 2
            left = right
    return [s / width for s in sums]


def test_gaps_are_filled_from_the_row_alone():
    grid = np.array([0.0, 1.0, 3.0, 4.0])
    nan = math.nan
    rows = np.array([[0.0, nan, 3.0, 4.0], [nan, 2.0, nan, 8.0], [1.0, 5.0, nan, nan], [1.0, 2.0, 3.0, 4.0]])
    assert fill_gaps(rows, grid).tolist() == [[0, 1, 3, 4], [2, 2, 6, 8], [1, 5, 5, 5], [1, 2, 3, 4]]
    assert np.isnan(rows[0, 1]), "the caller's array is not changed"


@pytest.mark.parametrize("missing", [None, "", "  ", math.nan])
def test_missing_ids_are_named(missing):
    with pytest.raises(DataError, match="id of row 2 is missing"):
        People.of(["a", missing, "c"], 3)


def test_ids_must_fit():
    with pytest.raises(DataError, match="2 ids for 3 curves"):
        People.of([1, 2], 3)
    people = People.of(["b", "a", "b"], 3)
    assert len(people) == 2
    assert people.order.tolist() == [0, 2, 1]


def test_pandas_na_is_a_missing_id():
    pd = pytest.importorskip("pandas")
    with pytest.raises(DataError, match="id of row 1 is missing"):
        People.of([pd.NA, "a"], 2)
