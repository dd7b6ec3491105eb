"""Reach: attained by the farthest difference, never passed; in real units and in integers."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dpfda.audit.neighbours import attained, worst_pair
from dpfda.errors import ParameterError
from dpfda.privacy.bodies import Ball, Blocks, CrossPolytope, Cube
from dpfda.privacy.influence import Box, CrossPolytopeBall, Ellipsoid, Simplex
from dpfda.privacy.lattice import MAX_BOUND, Lattice
from dpfda.privacy.neighbours import Neighbours

BODIES = [CrossPolytope, Cube]
WEIGHTS = [(1, 1, 1), (Fraction(1, 3), 2, Fraction(7, 5)), (5, 1, 1, Fraction(1, 9)), (2,)]
H = Fraction(3, 7)
CASES = [
    (body(tuple(map(Fraction, w))), influence(len(w), H))
    for body, w, influence in product(BODIES, WEIGHTS, [Box, CrossPolytopeBall, Simplex])
]
FORMULAS = {
    ("Box", "CrossPolytope"): lambda b: H * sum(1 / x for x in b),
    ("Box", "Cube"): lambda b: H * max(1 / x for x in b),
    ("CrossPolytopeBall", "CrossPolytope"): lambda b: H * max(1 / x for x in b),
    ("CrossPolytopeBall", "Cube"): lambda b: H * max(1 / x for x in b),
    ("Simplex", "CrossPolytope"): lambda b: (
        H * max((1 / x + 1 / y for i, x in enumerate(b) for j, y in enumerate(b) if i != j), default=0)
    ),
    ("Simplex", "Cube"): lambda b: H * max(1 / x for x in b) * (len(b) > 1),
}


@pytest.mark.parametrize(("body", "influence"), CASES)
def test_reach_is_the_formula_and_is_attained(body, influence):
    farthest = influence.farthest(body)
    formula = FORMULAS[type(influence).__name__, type(body).__name__](body.weights)
    assert influence.contains(farthest)
    assert body.norm(farthest) == influence.reach(body) == formula


def random_differences(influence, count, rng):
    """Differences in the set, many of them extreme."""
    d = influence.dimension
    if isinstance(influence, Box):
        u = rng.uniform(-1, 1, (count, d))
        u[::2] = np.sign(u[::2])
        return u * float(influence.half_width)
    if isinstance(influence, CrossPolytopeBall):
        u = rng.dirichlet(np.full(d, 0.2), count) * rng.choice([-1, 1], (count, d))
        return u * float(influence.radius)
    return (rng.dirichlet(np.full(d, 0.1), count) - rng.dirichlet(np.full(d, 0.1), count)) * float(influence.size)


@pytest.mark.parametrize(("body", "influence"), CASES)
def test_random_differences_never_pass_the_reach(body, influence):
    differences = random_differences(influence, 100_000, np.random.default_rng(1))
    scaled = np.abs(differences) / np.array([float(b) for b in body.weights])
    norms = scaled.sum(axis=1) if isinstance(body, CrossPolytope) else scaled.max(axis=1)
    assert norms.max() <= float(influence.reach(body)) + 1e-9
    for row, norm in zip(differences[:20].tolist(), norms, strict=False):
        assert float(body.norm(tuple(map(Fraction, row)))) == pytest.approx(norm, rel=1e-12)


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("dimension", [1, 2, 8, 64])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10**6), Fraction(1, 3), Fraction(1), Fraction(4), Fraction(10**6)])
def test_a_box_on_the_lattice_attains_the_sensitivity(neighbours, body, dimension, epsilon):
    records = Box(dimension, Fraction(1, 2))
    lattice = Lattice.plan(records, body.unit(dimension), 1 / epsilon, neighbours)
    assert attained(worst_pair(records, lattice), lattice) == lattice.sensitivity
    assert lattice.sensitivity == (2 if neighbours is Neighbours.REPLACE_ONE else 1) * lattice.bound
    assert Fraction(lattice.sensitivity, lattice.scale) <= epsilon
    assert Fraction(lattice.sensitivity, lattice.scale) > epsilon * (1 - Fraction(1, 1000))
    # Half of the range is a whole number of steps, so rounding a record of the box stays in the box.
    assert (Fraction(1, 2) / lattice.steps[0]).denominator == 1


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("influence", [Box, CrossPolytopeBall])
def test_uneven_weights_on_the_lattice(neighbours, body, influence):
    weights = tuple(map(Fraction, WEIGHTS[2]))
    records = influence(4, H)
    lattice = Lattice.plan(records, body(weights), Fraction(1), neighbours)
    assert len({s / b for s, b in zip(lattice.steps, weights, strict=True)}) == 1
    near = attained(worst_pair(records, lattice), lattice)
    assert lattice.sensitivity - 8 <= near <= lattice.sensitivity


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("dimension", [2, 5])
def test_shares_on_the_lattice_attain_the_sensitivity(neighbours, body, dimension):
    lattice = Lattice.plan_shares(body, dimension, Fraction(1), neighbours)
    assert attained(worst_pair(Simplex(dimension, Fraction(1)), lattice), lattice) == lattice.sensitivity
    assert lattice.noisy_dimension == dimension


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("shares", [False, True])
def test_random_neighbours_never_pass_the_sensitivity(neighbours, body, shares):
    """1e5 hostile records, enforced: no pair of them is farther apart than the sensitivity."""
    rng = np.random.default_rng(2)
    if shares:
        lattice = Lattice.plan_shares(body, 3, Fraction(1 << 20), neighbours)
        records = rng.multinomial(lattice.bound, [0.2, 0.3, 0.5], 100_000) + rng.integers(-1, 2, (100_000, 3))
    else:
        lattice = Lattice.plan(Box(3, H), body.unit(3), Fraction(1 << 20), neighbours)
        c = lattice.bound
        records = rng.integers(-3 * c, 3 * c, (100_000, 3))
        records[::3] = rng.choice([-c, c], (len(records[::3]), 3))
        records[::5] = rng.choice([np.iinfo(np.int64).min, np.iinfo(np.int64).max, 0, 1 << 62], (len(records[::5]), 3))
    kept = lattice.enforce(records)
    if neighbours is Neighbours.ADD_REMOVE:
        differences = kept
    else:
        differences = kept[rng.permutation(len(kept))] - kept
    sizes = np.abs(differences)
    norms = sizes.sum(axis=1) if body is CrossPolytope else sizes.max(axis=1)
    assert norms.max() <= lattice.sensitivity
    assert norms.max() > 0.99 * lattice.sensitivity or shares


def test_enforcement_leaves_admissible_records_alone_and_treats_each_by_itself():
    lattice = Lattice.plan(Box(2, H), CrossPolytope.unit(2), Fraction(1), Neighbours.REPLACE_ONE)
    room = lattice.room
    rows = np.array([[room, 0], [room // 2, -room // 2], [room, room], [-room, 5], [0, 0]])
    kept = lattice.enforce(rows)
    assert kept[[0, 1, 4]].tolist() == rows[[0, 1, 4]].tolist()
    assert kept[2].tolist() == [room // 2, room // 2]
    assert np.abs(kept).sum(axis=1).max() <= room
    for i, row in enumerate(rows):
        assert lattice.enforce(row[None])[0].tolist() == kept[i].tolist()


def test_the_least_integer_of_all_is_seen():
    """abs(-2^63) is -2^63 in int64, and sixteen squares of 2^30 sum to zero; comparisons come first."""
    for body in BODIES:
        lattice = Lattice.plan(Box(2, H), body.unit(2), Fraction(1), Neighbours.REPLACE_ONE)
        kept = lattice.enforce(np.array([[np.iinfo(np.int64).min, 0], [1 << 62, 1 << 62]]))
        assert kept[0].tolist() == [-lattice.room, 0]
        assert lattice.body.plain_norm(kept[1].tolist()) <= lattice.room


def test_what_is_not_finite_goes_to_zero_before_the_cast():
    lattice = Lattice.plan(Box(2, H), Cube.unit(2), Fraction(1), Neighbours.REPLACE_ONE)
    c = lattice.bound
    rows = np.array([[np.nan, 1.0], [np.inf, 1.0], [-np.inf, np.nan], [1e300, -1e300], [0.4, -0.6]])
    assert lattice.quantise(rows).tolist() == [[0, 0], [0, 0], [0, 0], [c, -c], [0, -1]]


def test_a_share_that_does_not_sum_goes_to_the_fixed_point():
    lattice = Lattice.plan_shares(CrossPolytope, 3, Fraction(1), Neighbours.REPLACE_ONE)
    c = lattice.bound
    rows = np.array([[c, 0, 0], [c - 1, 0, 0], [c + 1, -1, 0], [1, 2, c - 3]])
    assert lattice.enforce(rows).tolist() == [[c, 0, 0], [c, 0, 0], [c, 0, 0], [1, 2, c - 3]]


def test_the_count_takes_its_room():
    for dimension in (1, 8, 64):
        laplace = Lattice.plan(Box(dimension, H), CrossPolytope.unit(dimension), Fraction(1), Neighbours.ADD_REMOVE)
        assert laplace.room + laplace.count_weight == laplace.bound
        cube = Lattice.plan(Box(dimension, H), Cube.unit(dimension), Fraction(1), Neighbours.ADD_REMOVE)
        assert cube.room == cube.count_weight == cube.bound
        assert cube.noisy_dimension == dimension + 1


def test_the_count_weight_of_the_rule_is_near_the_best():
    """To first order the error of sum/count is N^3/(1-w)^2 + N/(4 w^2); the rule minimises it."""
    n = 8
    lattice = Lattice.plan(Box(n, H), CrossPolytope.unit(n), Fraction(1), Neighbours.ADD_REMOVE)

    def error(w):
        return n**3 / (1 - w) ** 2 + n / (4 * w**2)

    best = min(error(w) for w in np.linspace(0.01, 0.99, 999))
    assert math.isclose(error(lattice.count_weight / lattice.bound), best, rel_tol=1e-3)


def test_plans_that_make_no_sense():
    with pytest.raises(ParameterError, match="integer bound"):
        Lattice(Cube.unit(1), (Fraction(1),), MAX_BOUND + 1, 0, Fraction(1), Neighbours.REPLACE_ONE)
    with pytest.raises(ParameterError, match="leaves no room"):
        Lattice(CrossPolytope.unit(1), (Fraction(1),), 10, 11, Fraction(1), Neighbours.ADD_REMOVE)
    with pytest.raises(ParameterError, match="equal steps"):
        Lattice(
            CrossPolytope.unit(2), (Fraction(1), Fraction(2)), 10, 0, Fraction(1), Neighbours.REPLACE_ONE, shares=True
        )
    with pytest.raises(ParameterError, match="half width"):
        Box(2, Fraction(0))
    with pytest.raises(ParameterError, match="at least one coordinate"):
        Simplex(0, Fraction(1))
    with pytest.raises(ParameterError, match="weights"):
        Cube((Fraction(0),))
    with pytest.raises(ValueError, match="coordinates"):
        Cube.unit(2).norm((Fraction(1),))


# ------------------------------------------------------------------------------------------------ square roots

AXES = tuple(map(Fraction, (3, 1, Fraction(1, 2), Fraction(1, 7), 1)))
B = tuple(map(Fraction, (1, Fraction(1, 3), 2, Fraction(1, 5), 1)))
ROUND = [Ball(B), Blocks(B, (2, 3)), Blocks(B, (1, 1, 1, 1, 1)), Blocks(B, (5,)), CrossPolytope(B), Cube(B)]
SETS = [Ellipsoid(5, H, AXES), CrossPolytopeBall(5, H, AXES), Box(5, H), Simplex(5, H)]


def norm(body, rows):
    scaled = np.abs(rows) / np.array([float(b) for b in body.weights])
    if body.parts() is None:
        return scaled.max(axis=1)
    return sum(np.linalg.norm(scaled[:, p.start : p.stop], axis=1) for p in body.parts())


def extreme(influence, count, rng):
    """Random members of a set, near its border."""
    if isinstance(influence, Ellipsoid):
        v = rng.standard_normal((count, 5)) ** 3
        return (
            v / np.linalg.norm(v, axis=1, keepdims=True) * float(influence.radius) * np.array([float(a) for a in AXES])
        )
    u = random_differences(influence, count, rng)
    return u * np.array([float(a) for a in AXES]) if isinstance(influence, CrossPolytopeBall) else u


@pytest.mark.parametrize("body", ROUND, ids=lambda b: f"{b.name}-{getattr(b, 'sizes', '')}")
@pytest.mark.parametrize("influence", SETS, ids=lambda s: type(s).__name__)
def test_reach_with_square_roots(body, influence):
    """Attained within 1e-9 by a member of the set, and never passed in 1e5 tries."""
    farthest = influence.farthest(body)
    assert influence.contains(farthest)
    reach = float(influence.reach(body))
    assert reach == pytest.approx(norm(body, np.array([list(map(float, farthest))]))[0], rel=1e-9)
    tried = norm(body, extreme(influence, 100_000, np.random.default_rng(4)))
    assert tried.max() <= reach * (1 + 1e-9)
    assert tried.max() > 0.5 * reach


def test_closed_forms_of_the_ellipsoid():
    ellipsoid = Ellipsoid(5, H, AXES)
    m = np.array([float(a / b) for a, b in zip(AXES, B, strict=True)])
    h = float(H)
    assert float(ellipsoid.reach(CrossPolytope(B))) == pytest.approx(h * np.sqrt((m**2).sum()), rel=1e-12)
    assert float(ellipsoid.reach(Ball(B))) == pytest.approx(h * m.max(), rel=1e-12)
    assert float(ellipsoid.reach(Cube(B))) == pytest.approx(h * m.max(), rel=1e-12)
    blocks = np.sqrt(m[:2].max() ** 2 + m[2:].max() ** 2)
    assert float(ellipsoid.reach(Blocks(B, (2, 3)))) == pytest.approx(h * blocks, rel=1e-12)


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("body", ROUND, ids=lambda b: f"{b.name}-{getattr(b, 'sizes', '')}")
@pytest.mark.parametrize("wrong", [1.0, 1.001, 0.999])
def test_the_lattice_enforces_square_roots_in_integers(body, neighbours, wrong):
    """Hostile int64 records, and axes that are wrong by 1e-3: the enforced norms do not notice."""
    axes = tuple(a * Fraction(wrong) for a in AXES)
    records = Ellipsoid(5, H, axes)
    lattice = Lattice.plan(records, body, Fraction(1), neighbours)
    near = attained(worst_pair(records, lattice), lattice)
    assert near <= lattice.sensitivity
    assert near >= lattice.sensitivity * (1 - 1e-6)
    rng = np.random.default_rng(5)
    c = lattice.bound
    rows = rng.integers(-c, c, (20_000, 5))
    rows[::3] = (rows[::3] * rng.uniform(0, 0.5, (len(rows[::3]), 1))).astype(np.int64)
    rows[::7] = rng.choice([np.iinfo(np.int64).min, 1 << 62, 1 << 30, c, 0], (len(rows[::7]), 5))
    for row, kept in zip(rows[:3000].tolist(), lattice.enforce(rows[:3000]).tolist(), strict=True):
        assert lattice.noisy_body.plain_norm(kept) <= lattice.bound
        if lattice.body.plain_norm(row) <= lattice.room and max(map(abs, row)) <= lattice.room:
            assert kept[:5] == row
    assert lattice.enforce(rows).shape == (20_000, lattice.noisy_dimension)


def test_a_norm_check_that_wraps_is_caught():
    """Sixteen coordinates of 2^30: the squares sum to zero in int64, and to 2^64 in truth."""
    rows = np.full((1, 16), 1 << 30)
    assert (rows**2).sum() == 0
    for body in (Ball.unit(16), Blocks((Fraction(1),) * 16, (8, 8))):
        lattice = Lattice(body, (Fraction(1),) * 16, 1 << 31, 0, Fraction(1), Neighbours.REPLACE_ONE)
        kept = lattice.enforce(rows)[0].tolist()
        assert body.plain_norm(kept) <= 1 << 31
        assert kept != rows[0].tolist()


def test_blocks_must_divide():
    for sizes in ((), (2, 2), (5, 0), (6,)):
        with pytest.raises(ParameterError, match="do not divide"):
            Blocks(B, sizes)
    with pytest.raises(ParameterError, match="as many axes"):
        Ellipsoid(3, H, AXES)
