"""Sensitivities of the recipe's steps, attained in integers through the whole data pass, and never passed."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpfda.privacy.neighbours import Neighbours
from dpfda.recipes.mean import Answer, Plan, agreed
from dpfda.recipes.private import PrivateLooks
from dpfda.recipes.spread import SpreadPlan, person_curves
from dpfda.spaces.circle import Circle
from dpfda.spaces.ellipsoids import nearest, squared_sizes, sum_down
from dpfda.spaces.families import FourierBasis
from dpfda.spaces.interval import Interval
from dpfda.spaces.splines import SplineBasis
from dpfda.summaries.features import CurveFeatures
from dpfda.summaries.looks import Look
from dpfda.summaries.scattered import ScatteredFeatures
from dpfda.summaries.units import People

GRID = np.concatenate([np.linspace(0, 0.5, 21), np.linspace(0.55, 1, 7)])
PLAN = Plan.of(400, Fraction(1), Fraction(0), 28)
BASIS = SplineBasis.on(GRID, Interval(0.0, 1.0), PLAN.functions)
FEATURES = CurveFeatures(BASIS, GRID, Fraction(0), Fraction(10))
CENTRE = np.random.default_rng(5).normal(0, 0.05, PLAN.functions)
RADIUS = Fraction(1, 4)


def prepared(look, neighbours=Neighbours.REPLACE_ONE, plan=PLAN):
    """A look of the recipe with the earlier answers fixed: summary, mechanism, lattice."""
    looks = PrivateLooks(plan, np.zeros((plan.functions, 1)), neighbours, "curve", 400)
    choice, lattice, event = looks._prepared[look]
    radius, centre = (Fraction(1), np.zeros(plan.functions)) if look == 0 else (RADIUS, CENTRE)
    lattice = replace(lattice, steps=tuple(radius * step for step in lattice.steps))
    return Look(centre, plan.axes(look), radius), choice, lattice, event


def curve_with(coefficients):
    """A curve on the grid with these coefficients, in the units of the values, in range or not."""
    return 5 + 5 * (BASIS.mixing @ coefficients)


@pytest.mark.parametrize("look", [0, 1])
@pytest.mark.parametrize("law", ["blocks", "gaussian"])
def test_opposite_curves_attain_the_sensitivity(look, law):
    """Coefficient vectors at the worst corner and its opposite, through ellipsoid, lattice and sum, centre and radius fixed."""
    plan = PLAN if law == "blocks" else Plan.of(400, Fraction(1), Fraction(1, 1000), 28)
    assert plan.law == law
    view, choice, lattice, _ = prepared(look, plan=plan)
    corner = np.array([float(c) for c in view.records.farthest(choice.body)])
    assert squared_sizes(corner[:, None], view.axes)[0] == pytest.approx(float(view.radius) ** 2)
    rest = np.random.default_rng(1).normal(0, 0.1, (6, plan.functions))
    sums = [view.tally(np.vstack([rest, view.centre + sign * corner]), lattice).total for sign in (1, -1)]
    moved = lattice.body.plain_norm([a - b for a, b in zip(*sums, strict=True)])
    assert lattice.sensitivity * (1 - 1e-6) <= moved <= lattice.sensitivity


def test_two_curves_in_the_range_attain_the_second_look_s_sensitivity():
    """The same from values on a grid, range included: the corner of radius 1/4 lies well inside the range."""
    view, choice, lattice, _ = prepared(1)
    corner = np.array([float(c) for c in view.records.farthest(choice.body)])
    rest = np.random.default_rng(1).uniform(0, 10, (6, len(GRID)))
    rows = [curve_with(view.centre + sign * corner) for sign in (1, -1)]
    assert np.abs(np.array(rows) - 5).max() < 5
    sums = [view.tally(FEATURES.of(np.vstack([rest, row])).T, lattice).total for row in rows]
    moved = lattice.body.plain_norm([a - b for a, b in zip(*sums, strict=True)])
    assert lattice.sensitivity * (1 - 1e-5) <= moved <= lattice.sensitivity


@pytest.mark.parametrize("look", [0, 1])
@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_hostile_persons_never_pass_it(look, neighbours):
    view, _, lattice, _ = prepared(look, neighbours)
    rng = np.random.default_rng(7)
    hostile = rng.standard_normal((3000, PLAN.functions)) * 10.0 ** rng.uniform(-3, 300, (3000, 1))
    hostile[::7, 0], hostile[3::11, 1], hostile[5::13] = np.nan, np.inf, -np.inf
    with np.errstate(all="ignore"):
        units = lattice.enforce(lattice.quantise(view.vectors(hostile, lattice)))
    norms = [lattice.noisy_body.plain_norm(row) for row in units.tolist()]
    assert max(norms) <= lattice.bound
    rows = rng.standard_normal((500, len(GRID))) * 10.0 ** rng.uniform(-3, 5, (500, 1))
    units = lattice.enforce(lattice.quantise(view.vectors(FEATURES.of(rows).T, lattice)))
    assert max(lattice.noisy_body.plain_norm(row) for row in units.tolist()) <= lattice.bound


def test_a_wrong_basis_is_not_noticed_by_privacy():
    view, choice, lattice, _ = prepared(0)
    wrong = replace(
        BASIS, mixing=BASIS.mixing * (1 + 1e-3 * np.random.default_rng(1).standard_normal(BASIS.mixing.shape))
    )
    features = CurveFeatures(wrong, GRID, Fraction(0), Fraction(10))
    rows = np.random.default_rng(2).uniform(-50, 60, (2000, len(GRID)))
    units = lattice.enforce(lattice.quantise(view.vectors(features.of(rows).T, lattice)))
    assert max(lattice.body.plain_norm(row) for row in units.tolist()) <= lattice.bound
    assert choice.law.name == "blocks"


def test_each_person_by_itself_bit_for_bit():
    """Order, blocks, and who stands beside a person change nothing, from rows to integers."""
    rows = np.random.default_rng(3).normal(5, 3, (9000, len(GRID)))
    rows[::17, 4] = np.nan
    view, _, lattice, _ = prepared(1)

    def integers(some):
        return lattice.quantise(view.vectors(FEATURES.of(some).T, lattice))

    whole = integers(rows)
    assert (integers(rows[::-1])[::-1] == whole).all()
    assert (integers(rows[:7]) == whole[:7]).all()
    assert all((integers(rows[i : i + 1]) == whole[i]).all() for i in range(0, 9000, 37))
    assert (integers(np.delete(rows, 5, axis=0))[5:] == whole[6:]).all()


def scattered(n, rng):
    times, values = rng.uniform(0, 1, (n, 12)), rng.normal(5, 3, (n, 12))
    for row in range(n):
        times[row, rng.integers(2, 13) :] = np.nan
    values[np.isnan(times)] = np.nan
    return times, values


def test_each_scattered_curve_by_itself_bit_for_bit():
    times, values = scattered(3000, np.random.default_rng(4))
    for basis in (BASIS, FourierBasis(Circle(0.0, 1.0), 9)):
        features = ScatteredFeatures(basis, Fraction(0), Fraction(10))
        whole = features.of(times, values)
        assert (features.of(times[::-1], values[::-1])[:, ::-1] == whole).all()
        assert all(
            (features.of(times[i : i + 1], values[i : i + 1])[:, 0] == whole[:, i]).all() for i in range(0, 3000, 41)
        )


def test_scattered_curves_are_fitted_by_the_ridge_they_state():
    from dpfda.summaries.scattered import PLACES, POWER, RIDGE

    times, values = scattered(5, np.random.default_rng(6))
    features = ScatteredFeatures(BASIS, Fraction(0), Fraction(10))
    found = features.of(times, values)
    for row in range(5):
        known = ~np.isnan(times[row])
        phi = BASIS.evaluate(np.rint(times[row, known] * PLACES) / PLACES)
        y = (np.clip(values[row, known], 0, 10) - 5) / 5
        penalty = RIDGE * np.maximum(np.arange(BASIS.count), 1e-3) ** POWER * known.sum()
        expected = np.linalg.solve(phi.T @ phi + np.diag(penalty), phi.T @ y)
        np.testing.assert_allclose(found[:, row], np.clip(expected, -4, 4), atol=1e-9)


def test_a_person_s_rows_are_averaged_and_count_once():
    rows = np.random.default_rng(8).normal(5, 1, (6, len(GRID)))
    people = People.of(["a", "b", "a", "a", "c", "b"], 6)
    found = FEATURES.of(rows, people)
    assert found.shape == (PLAN.functions, 3)
    np.testing.assert_allclose(found[:, 0], FEATURES.of(rows[[0, 2, 3]]).mean(axis=1), atol=1e-11)
    times, values = scattered(6, np.random.default_rng(9))
    own = ScatteredFeatures(BASIS, Fraction(0), Fraction(10))
    np.testing.assert_allclose(
        own.of(times, values, people)[:, 1], own.of(times, values)[:, [1, 5]].mean(axis=1), atol=1e-9
    )


def test_coefficients_of_curves_in_the_range_have_norm_at_most_one():
    extreme = np.where(np.random.default_rng(1).random((500, len(GRID))) < 0.5, -1e9, 1e9)
    found = CurveFeatures(SplineBasis.on(GRID, Interval(0.0, 1.0), 28), GRID, Fraction(0), Fraction(10)).of(extreme)
    np.testing.assert_allclose((found**2).sum(axis=0), 1.0, rtol=1e-6)


def test_counts_move_by_one():
    """The radius' scores between neighbours, hostile ones included; and a change of one is attained."""
    rng = np.random.default_rng(10)
    view = Look(CENTRE, PLAN.axes(1), Fraction(1))
    rest, inside = rng.normal(0, 0.05, (PLAN.functions, 60)), CENTRE[:, None].copy()
    others = [np.full((PLAN.functions, 1), v) for v in (np.nan, np.inf, 1e300, 0.0)]
    here = np.array(view.outside(np.column_stack([rest, inside]), PLAN.radii))
    largest = 0
    for other in others:
        with np.errstate(all="ignore"):
            there = np.array(view.outside(np.column_stack([rest, other]), PLAN.radii))
        scores = [-np.abs(counts - PLAN.target) for counts in (here, there)]
        largest = max(largest, np.abs(scores[0] - scores[1]).max())
        alone = np.array(view.outside(rest, PLAN.radii))
        assert np.abs(alone - there).max() <= 1, "a person who leaves moves them by one as well"
    assert largest == 1


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_the_spread_s_sensitivity_is_attained(neighbours):
    points = np.linspace(0, 1, 9)
    plan = SpreadPlan.of(Interval(0.0, 1.0), points, 400, Fraction(1), neighbours, "curve")
    summary, lattice = plan._lattice(Fraction(4))
    rest, far, near = np.full((3, 9), 1.0), np.full((1, 9), 1e9), np.zeros((1, 9))
    with_far = summary.tally(np.vstack([rest, far]), lattice).total
    other = np.vstack([rest, near]) if neighbours is Neighbours.REPLACE_ONE else rest
    moved = [a - b for a, b in zip(with_far, summary.tally(other, lattice).total, strict=True)]
    assert lattice.noisy_body.plain_norm(moved) == lattice.sensitivity
    hostile = summary.tally(np.vstack([rest, np.full((1, 9), np.nan)]), lattice).total
    moved = [a - b for a, b in zip(hostile, summary.tally(other, lattice).total, strict=True)]
    assert lattice.noisy_body.plain_norm(moved) <= lattice.sensitivity


def test_person_curves_do_not_depend_on_neighbours():
    table, v = np.random.default_rng(1).standard_normal((65, 12)), np.random.default_rng(2).standard_normal((12, 500))
    whole = person_curves(table, v)
    assert all((person_curves(table, v[:, i : i + 1])[0] == whole[i]).all() for i in range(500))
    np.testing.assert_allclose(whole, (table @ v).T, atol=1e-12)


def test_the_nearest_point_is_the_nearest():
    rng = np.random.default_rng(11)
    axes = PLAN.axes(0)
    v = rng.standard_normal((PLAN.functions, 200)) * axes[:, None] * rng.uniform(0.1, 5, 200)
    moved = nearest(v, axes, 1.0)
    assert squared_sizes(moved, axes).max() <= 1 + 1e-12
    inside = squared_sizes(v, axes) <= 1
    assert (moved[:, inside] == v[:, inside]).all()
    # No other point of the set is nearer, along 200 random directions for each of them.
    for _ in range(200):
        other = rng.standard_normal(v.shape) * axes[:, None]
        other /= np.maximum(np.sqrt(squared_sizes(other, axes)), 1.0)
        toward = moved + 0.1 * (other - moved)
        assert (((toward - v) ** 2).sum(axis=0) >= ((moved - v) ** 2).sum(axis=0) - 1e-12).all()


@pytest.mark.parametrize("rows", range(1, 20))
def test_sums_by_halves(rows):
    values = np.random.default_rng(rows).standard_normal((rows, 7))
    np.testing.assert_allclose(sum_down(values), values.sum(axis=0))


def test_looks_are_averaged_as_far_as_they_agree():
    one, other = np.array([0.10, 0.50]), np.array([0.11, 0.10])
    first, second = Answer(one, np.full(2, 0.01)), Answer(other, np.full(2, 0.001))
    found = agreed(first, second)
    assert found.values[0] == pytest.approx((0.1 / 0.01 + 0.11 / 0.001) / (1 / 0.01 + 1 / 0.001)), (
        "agreement: precisions"
    )
    bias = 0.4**2 - 0.011
    assert found.values[1] == pytest.approx((0.5 / (0.01 + bias) + 0.1 / 0.001) / (1 / (0.01 + bias) + 1 / 0.001))
    assert found.values[1] < 0.103, "what the first look says beyond its noise hardly counts"
    assert (found.variances <= second.variances).all()
