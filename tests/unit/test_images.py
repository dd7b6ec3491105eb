"""Images through the data pass: exact integers, one image at a time, sensitivity attained and never passed."""

from fractions import Fraction

import numpy as np
import pytest

from dpfda.kernels import Exponential, Matern, Tensor
from dpfda.mechanisms.choices import LAWS, choose
from dpfda.privacy.lattice import Lattice
from dpfda.privacy.neighbours import Neighbours
from dpfda.spaces.box import Box
from dpfda.spaces.box_spectrum import box_spectrum
from dpfda.spaces.families import CosineBasis
from dpfda.spaces.product import product_basis
from dpfda.summaries.base import Tally
from dpfda.summaries.coefficients import CoefficientMean
from dpfda.summaries.images import fill_images
from dpfda.summaries.mean import VALUE_UNITS, WEIGHT_UNITS
from dpfda.summaries.products import PIECE, IntegerProduct
from dpfda.summaries.units import People
from tests.audit.test_audit import TRIALS, shrunken

BOX = Box((0, 1), (0, 2))
MESH = (np.linspace(0, 1, 17), np.linspace(0, 2, 19))
SIZE = 17 * 19
TAU = Fraction(1, 2)
DISTANCE = Exponential(0.4)


def summary_of(norm="l2", count=8, wrong=0.0, kernel=DISTANCE):
    basis = box_spectrum(kernel, BOX, count)
    powers = basis.eigenvalues**1.25
    axes = powers / (powers + 0.01) * (1 + wrong * (-1.0) ** np.arange(count))
    return CoefficientMean(basis, MESH, np.full(SIZE, 0.5), axes, TAU, norm, 3.0)


def plan(summary, label, noise="matched", neighbours=Neighbours.REPLACE_ONE):
    choice = choose(label, noise, summary.axes, summary.basis.eigenvalues)
    ratio = choice.law.calibrate(Fraction(1), Fraction(0) if choice.law.pure else Fraction(1, 100), "analytic")
    return choice, Lattice.plan(summary.records, choice.body, ratio, neighbours)


def worst_image(summary, body):
    farthest = np.array([float(x) for x in summary.records.farthest(body)]) / summary.axes
    return np.linalg.lstsq(summary.basis.projection(MESH), farthest, rcond=None)[0]


@pytest.mark.parametrize(
    "kernel", [Exponential(0.4), Tensor(Matern(1.5, 0.3), Exponential(0.5))], ids=["distance", "tensor"]
)
@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize(
    ("label", "noise"), [*((label, "matched") for label in LAWS), ("iclp", "kernel"), ("gaussian", "kernel")]
)
def test_opposite_images_attain_the_sensitivity_and_none_passes_it(label, noise, neighbours, kernel):
    summary = summary_of(kernel=kernel)
    choice, lattice = plan(summary, label, noise, neighbours)
    rest = np.random.default_rng(1).uniform(0, 1, (5, SIZE))
    one_way = neighbours is Neighbours.REPLACE_ONE

    def moved(one, other):
        a, b = (summary.tally(np.vstack([rest, *rows]), lattice).total for rows in (one, other))
        return lattice.noisy_body.plain_norm([x - y for x, y in zip(a, b, strict=True)])

    image = worst_image(summary, choice.body)
    attained = moved([0.5 + image], [0.5 - image] if one_way else [])
    assert lattice.sensitivity * (1 - 1e-4) <= attained <= lattice.sensitivity + len(lattice.steps)
    rng = np.random.default_rng(2)
    for size in (1.0, 1e3, 1e300):
        for _ in range(20):
            one, other = rng.standard_cauchy((2, 1, SIZE)) * size
            assert moved(list(one), list(other) if one_way else []) <= lattice.sensitivity + len(lattice.steps)


@pytest.mark.parametrize("label", list(LAWS))
@pytest.mark.parametrize("wrong", [0.0, 1e-3])
def test_every_record_is_within_the_bound_also_with_wrong_eigenpairs(label, wrong):
    _, lattice = plan(summary_of(), label)
    rows = np.random.default_rng(3).standard_cauchy((1000, SIZE)) * 100
    rows[0] = np.nan
    rows[1, :5] = np.inf
    integers = lattice.enforce(lattice.quantise(summary_of(wrong=wrong).vectors(rows, lattice)))
    norms = [lattice.body.plain_norm(q) for q in integers.tolist()]
    assert norms[0] == 0, "an image without a value is the fixed point"
    assert 0.4 * lattice.bound < max(norms) <= lattice.bound


@pytest.mark.parametrize("label", ["iclp", "blocks", "gaussian"])
@pytest.mark.parametrize("norm", ["l2", "l1"])
def test_order_and_partition_never_change_a_bit(label, norm):
    summary = summary_of(norm)
    _, lattice = plan(summary, label)
    rng = np.random.default_rng(5)
    rows = rng.normal(0.5, 1.0, (40, SIZE))
    rows[rng.random(rows.shape) < 0.1] = np.nan
    whole, order = summary.tally(rows, lattice), rng.permutation(40)
    assert summary.tally(rows[order], lattice) == whole
    assert sum((summary.tally(r[None], lattice) for r in rows), Tally.empty(lattice.noisy_dimension)) == whole
    ids = rng.integers(0, 5, 40).tolist()
    shuffled = People.of([ids[i] for i in order], 40)
    assert summary.tally(rows, lattice, People.of(ids, 40)) == summary.tally(rows[order], lattice, shuffled)
    changed = rows.copy()
    changed[7] = 1e9
    kept = np.arange(40) != 7
    np.testing.assert_array_equal(summary.vectors(changed, lattice)[kept], summary.vectors(rows, lattice)[kept])


@pytest.mark.parametrize("pixels", [8, 128])
def test_products_of_long_rows_are_exact(pixels):
    """128 x 128 pixels at the ends of their range: every piece against Python integers; and no piece can reach 2^53."""
    box = Box((0, 1), (0, 1))
    grid = (np.linspace(0, 1, pixels),) * 2
    matrix = product_basis(box, (CosineBasis, CosineBasis), 6).projection(grid)
    product = IntegerProduct(matrix, 2.0)
    rng = np.random.default_rng(1)
    values = np.vstack([np.sign(matrix) * 2.0, rng.uniform(-2, 2, (3, pixels**2))])
    integers = product.integers(values)
    assert np.abs(integers).max() == VALUE_UNITS
    for columns, whole, _ in product.pieces:
        assert np.abs(whole).sum(axis=1).max() <= WEIGHT_UNITS + PIECE // 2
        assert VALUE_UNITS * (WEIGHT_UNITS + PIECE // 2) < 2**53
        fast = integers[:, columns] @ whole.T
        for i in (0, len(values) - 1):
            slow = [sum(int(a) * int(b) for a, b in zip(integers[i, columns], row, strict=True)) for row in whole]
            assert fast[i].tolist() == slow
    assert (np.abs(product(integers) - values @ matrix.T) <= product.error()).all()
    assert product.error().max() < 3e-7 * np.abs(matrix).sum(axis=1).max() * 2


@pytest.mark.parametrize("label", list(LAWS))
def test_sums_are_the_smoothed_mean(label):
    summary = summary_of()
    _, lattice = plan(summary, label)
    rows = np.random.default_rng(4).uniform(0.2, 0.8, (100, SIZE))
    steps = np.array([float(s) for s in lattice.steps])
    theta = np.array(summary.tally(rows, lattice).total) * steps / 100
    exact = summary.axes * (summary.basis.projection(MESH) @ (rows.mean(axis=0) - 0.5))
    assert (np.abs(theta - exact) <= steps * summary.rounding(lattice)).all()


def test_missing_pixels_come_from_their_own_image():
    x, y = np.array([0.0, 1.0, 3.0]), np.array([0.0, 1.0, 2.0, 4.0])
    plane = 2 * x[:, None] + 5 * y
    images = np.stack([plane, plane + 1, plane])
    images[0, 1, 1] = images[0, 0, 2] = np.nan
    images[1, 1, :] = np.nan
    images[2, :, 0] = np.nan
    filled = fill_images(images.reshape(3, -1), (x, y)).reshape(images.shape)
    np.testing.assert_allclose(filled[0], plane)
    np.testing.assert_allclose(filled[1], plane + 1)
    np.testing.assert_allclose(filled[2][:, 0], plane[:, 1])
    one = fill_images(images[2:].reshape(1, -1), (x, y))
    np.testing.assert_array_equal(one.reshape(3, 4), filled[2])
    whole = plane.reshape(1, -1)
    assert fill_images(whole, (x, y)) is whole
    last = np.full((1, 12), np.nan)
    last[0, 5] = 7.0
    np.testing.assert_array_equal(fill_images(last, (x, y)), np.full((1, 12), 7.0))
    volume = np.arange(24.0).reshape(1, 24)
    volume[0, [3, 8, 9, 10, 11]] = np.nan
    cube = fill_images(volume, (np.arange(2.0), np.arange(3.0), np.arange(4.0)))
    assert not np.isnan(cube).any()
    assert cube[0, 8] == 4.0


@pytest.mark.parametrize("label", ["iclp", "blocks"])
@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_the_whole_data_pass_is_audited(label, neighbours):
    """One function of worst-case images, the tallies fixed, the noise redrawn: a false alarm has probability 1e-6."""
    from dpfda.audit import Pair, audit_epsilon

    summary = summary_of(count=1)
    choice, lattice = plan(summary, label, neighbours=neighbours)
    image = 0.5 + 10 * worst_image(summary, choice.body)
    rest = np.full((4, SIZE), 0.3)
    one = summary.tally(np.vstack([rest, image]), lattice)
    other = summary.tally(np.vstack([rest, 1 - image]) if neighbours is Neighbours.REPLACE_ONE else rest, lattice)
    pair = Pair(one.total, other.total)
    trials = TRIALS if label == "iclp" else 60_000
    assert audit_epsilon(choice.law, lattice.scale, pair, 1.0, trials=trials).passed
    if label == "iclp":
        assert not audit_epsilon(shrunken(choice.law, 0.9), lattice.scale, pair, 1.0, trials=trials).passed
