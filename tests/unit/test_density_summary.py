"""Densities over nodes: every record is divided in integers of one sum, and the sensitivity 2C is attained."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpfda.errors import DataError, ParameterError
from dpfda.mechanisms import LaplaceMechanism
from dpfda.privacy.neighbours import Neighbours
from dpfda.spaces.circle import Circle
from dpfda.spaces.interval import Interval
from dpfda.spaces.nodes import NodeGrid, hats, nodes_rule, snap
from dpfda.summaries.density import BinDensity, NodeDensity, node_grid
from dpfda.summaries.histogram import PERSON_UNITS, Counts, Points, WeightedPoints, require_numbers
from dpfda.summaries.units import People

BOXES = [
    (Interval(-2.0, 3.0),),
    (Circle(0.0, 24.0),),
    (Interval(0.0, 1.0), Circle(-3.0, 3.0)),
    (Interval(0.0, 1.0), Interval(5.0, 9.0), Interval(-1.0, 1.0)),
]


def made(axes, nodes=7, epsilon=Fraction(1), neighbours=Neighbours.REPLACE_ONE, several=False):
    grid = node_grid(axes, nodes, 1 / epsilon, neighbours, several)
    summary = NodeDensity(grid, Points(axes, grid.fine, several))
    return summary, summary.lattice(1 / epsilon, neighbours)


def random_points(axes, count, rng):
    return np.column_stack([rng.uniform(a.start - a.length / 5, a.end + a.length / 5, count) for a in axes])


@pytest.mark.parametrize("axes", BOXES)
@pytest.mark.parametrize("epsilon", [Fraction(1, 10**6), Fraction(1), Fraction(10**4)])
def test_a_record_is_divided_into_integers_that_sum_to_the_bound(axes, epsilon):
    summary, lattice = made(axes, epsilon=epsilon)
    points = random_points(axes, 60, np.random.default_rng(3))
    vectors = summary.vectors(points, lattice)
    assert (vectors >= 0).all()
    assert (vectors == np.rint(vectors)).all()
    assert (vectors.sum(axis=1) == lattice.bound).all()
    assert summary.tally(points, lattice).total == tuple(int(s) for s in vectors.sum(axis=0))
    assert LaplaceMechanism().check(lattice.noisy_dimension, lattice.scale) is None
    assert lattice.scale >= 2 * lattice.bound / epsilon


@pytest.mark.parametrize("axes", BOXES)
@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_the_sensitivity_is_attained_through_the_whole_data_pass(axes, neighbours):
    summary, lattice = made(axes, neighbours=neighbours)
    others = random_points(axes, 20, np.random.default_rng(4))
    low = np.array([[a.start if not isinstance(a, Circle) else a.start + a.length / 4 for a in axes]])
    high = np.array([[a.end if not isinstance(a, Circle) else a.start + 3 * a.length / 4 for a in axes]])

    def sums(*blocks):
        return np.array(summary.tally(np.concatenate(blocks), lattice).total, object)

    if neighbours is Neighbours.REPLACE_ONE:
        moved = np.abs(sums(others, low) - sums(others, high)).sum()
    else:
        moved = np.abs(sums(others, low) - sums(others)).sum()
    assert moved == lattice.sensitivity == lattice.bound * (2 if neighbours is Neighbours.REPLACE_ONE else 1)


@pytest.mark.parametrize("axes", BOXES)
def test_no_pair_of_records_passes_the_sensitivity(axes):
    summary, lattice = made(axes)
    points = random_points(axes, 200, np.random.default_rng(5))
    vectors = summary.vectors(points, lattice)
    moved = np.abs(vectors[:100] - vectors[100:]).sum(axis=1)
    assert moved.max() <= lattice.sensitivity


@pytest.mark.parametrize("axes", BOXES)
def test_integers_are_hat_functions_up_to_half_a_fine_cell(axes):
    summary, lattice = made(axes)
    shares = np.random.default_rng(6).random((50, len(axes)))
    points = np.column_stack([a.start + a.length * shares[:, k] for k, a in enumerate(axes)])
    weights = np.ones((50, 1))
    for k in range(len(axes)):
        one = summary.grid.hats(shares[:, k], k)
        weights = (weights[:, :, None] * one[:, None, :]).reshape(50, -1)
    off = np.abs(summary.vectors(points, lattice) / lattice.bound - weights)
    assert off.max() <= 0.51 * len(axes) / summary.grid.finer


def test_order_partition_and_others_change_nothing():
    summary, lattice = made(BOXES[2])
    rng = np.random.default_rng(7)
    points = random_points(BOXES[2], 500, rng)
    whole = summary.tally(points, lattice)
    assert summary.tally(points[rng.permutation(500)], lattice) == whole
    assert summary.tally(points[:123], lattice) + summary.tally(points[123:], lattice) == whole


def test_points_outside_go_to_the_edge_and_around_a_circle():
    box = (Interval(0.0, 10.0),)
    assert (snap(np.array([[-5.0], [0.0], [-np.inf]]), box, 64) == 0).all()
    assert (snap(np.array([[10.0], [11.0], [np.inf], [1e300]]), box, 64) == 63).all()
    day = (Circle(0.0, 24.0),)
    assert (snap(np.array([[25.5], [1.5], [-22.5], [49.5]]), day, 24) == 1).all()
    assert snap(np.array([[np.inf]]), day, 24)[0] == 0
    assert 0 <= snap(np.array([[-1e-300]]), day, 24)[0] < 24
    assert snap(np.array([[np.nan]]), box, 64)[0] == 0  # never a cast of what is no number
    with pytest.raises(DataError, match="record 2 is not a number"):
        require_numbers(np.array([[1.0], [np.nan]]))
    with pytest.raises(DataError, match="record 1 is not a number"):
        require_numbers(np.array([[np.nan], [np.nan]]))


@given(st.lists(st.integers(0, 15), min_size=1, max_size=40))
@settings(max_examples=60, deadline=None)
def test_a_person_is_divided_by_running_sums(cells):
    axes = (Interval(0.0, 16.0),)
    source = Points(axes, 16, several=True)
    rows = np.array(cells, float)[:, None] + 0.5
    got = source.histogram(rows, People.of([1] * len(cells), len(cells)))
    assert got.sum() == PERSON_UNITS
    running = np.cumsum(np.bincount(cells, minlength=16)) * PERSON_UNITS // len(cells)
    assert (np.cumsum(got) == running).all()


def test_persons_count_once_and_do_not_touch_each_other():
    axes = (Interval(0.0, 1.0),)
    summary, lattice = made(axes, several=True)
    rng = np.random.default_rng(8)
    points, ids = rng.random((90, 1)), rng.integers(0, 12, 90)
    whole = summary.tally(points, lattice, People.of(list(ids), 90))
    assert whole.records == len(set(ids))
    assert sum(whole.total) == whole.records * lattice.bound
    apart = [
        summary.tally(points[ids == i], lattice, People.of([1] * int((ids == i).sum()), int((ids == i).sum())))
        for i in set(ids)
    ]
    assert np.array([t.total for t in apart], object).sum(axis=0).tolist() == list(whole.total)
    mixed = rng.permutation(90)
    assert summary.tally(points[mixed], lattice, People.of(list(ids[mixed]), 90)) == whole
    with pytest.raises(ParameterError, match="whose they are"):
        summary.tally(points, lattice)


def test_weights_are_bounded_whatever_they_are():
    axes = (Interval(0.0, 1.0),)
    grid = node_grid(axes, 8, Fraction(1), Neighbours.REPLACE_ONE, divided=True)
    summary = NodeDensity(grid, WeightedPoints(axes, grid.fine, 2.0))
    lattice = summary.lattice(Fraction(1), Neighbours.REPLACE_ONE)
    for weight, share in [(2.0, 1), (1e9, 1), (np.inf, 1), (1.0, 0.5), (0.0, 0), (-3.0, 0), (np.nan, 0), (-np.inf, 0)]:
        assert sum(summary.tally(np.array([[0.3, weight]]), lattice).total) == share * lattice.bound, weight
    low, high = (np.array(summary.tally(np.array([[x, 5.0]]), lattice).total, object) for x in (0.0, 1.0))
    assert np.abs(low - high).sum() == lattice.sensitivity
    with pytest.raises(ParameterError, match="one weighted row a person"):
        summary.tally(np.ones((1, 2)), lattice, People.of([1], 1))


def test_counts_are_spread_over_their_bins():
    axes = (Interval(0.0, 100.0),)
    grid = node_grid(axes, 16, Fraction(1), Neighbours.REPLACE_ONE, divided=True)
    source = Counts(axes, grid.fine, (-5.0, 1.0, 5.0, 95.0, 130.0, 200.0))
    assert (source.parts >= 0).all()
    assert (source.parts.sum(axis=1) == PERSON_UNITS).all()
    summary = NodeDensity(grid, source)
    lattice = summary.lattice(Fraction(1), Neighbours.REPLACE_ONE)
    counts = np.array([3, 2, 10**15, 0, 1])
    tally = summary.tally(counts, lattice)
    assert tally.records == counts.sum()
    assert sum(tally.total) == tally.records * lattice.bound
    first, last = (np.array(summary.tally(np.eye(5, dtype=int)[k], lattice).total, object) for k in (0, 4))
    assert np.abs(first - last).sum() == lattice.sensitivity
    middle = np.array(summary.tally(np.eye(5, dtype=int)[2], lattice).total, float) / lattice.bound
    t = np.linspace(5, 95, 100001) / 100
    assert np.abs(middle - hats(t, 16, False).mean(axis=0)).max() < 1e-3


def test_python_integers_take_over_where_int64_would_wrap():
    axes = (Interval(0.0, 1.0),)
    grid = NodeGrid(axes, 4, 2048)
    huge = np.zeros(grid.fine, np.int64)
    huge[0] = 1 << 60
    assert grid.spread(huge)[0] == (1 << 60) * grid.shares


def test_the_rule_sees_public_numbers_alone():
    assert nodes_rule(1000, 1.0, 1) == 19
    assert nodes_rule(1000, 1.0, 1, 0.1) == 12
    assert nodes_rule(10**9, 10.0, 1) == 1024
    assert nodes_rule(2000, 1.0, 2) == 10
    assert nodes_rule(1, 1e-6, 3) == 6


def test_a_grid_that_makes_no_sense_is_refused():
    with pytest.raises(ParameterError, match="one, two or three axes, not 4"):
        NodeGrid((Interval(0.0, 1.0),) * 4, 6, 1)
    with pytest.raises(ParameterError, match="make no grid"):
        NodeGrid((Interval(0.0, 1.0),), 6, 3)
    summary, _ = made(BOXES[0])
    with pytest.raises(ParameterError, match="different grids"):
        NodeDensity(summary.grid, Points(BOXES[0], 5))
    wrong, _ = made(BOXES[0], nodes=8)
    other = NodeDensity(NodeGrid(BOXES[0], 7, 2), Points(BOXES[0], 14)).lattice(Fraction(10**8), Neighbours.REPLACE_ONE)
    with pytest.raises(ParameterError, match="without rounding"):
        wrong.tally(np.zeros((1, 1)), other)


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_bins_are_whole_records(neighbours):
    summary = BinDensity(7, 3)
    lattice = summary.lattice(Fraction(1), neighbours)
    assert (summary.dimension, lattice.dimension) == (3, 3)
    counts = np.array([5, 0, 2, 10**15, 1, 0, 4])
    tally = summary.tally(counts, lattice)
    assert tally.total == tuple(lattice.bound * s for s in (7, 10**15 + 1, 4))
    assert tally.records == counts.sum()
    rows = summary.vectors(np.array([[0.0], [3.0], [6.0]]), lattice)
    assert (rows.sum(axis=1) == lattice.bound).all()
    moved = counts.copy()
    moved[0] -= 1
    moved[6 if neighbours is Neighbours.REPLACE_ONE else 0] += neighbours is Neighbours.REPLACE_ONE
    away = np.abs(np.array(tally.total, object) - np.array(summary.tally(moved, lattice).total, object)).sum()
    assert away == lattice.sensitivity
