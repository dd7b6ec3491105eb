"""Boxes: their eigenpairs against references, their functions, their mesh."""

import math
from itertools import pairwise

import numpy as np
import pytest

from dpfda.errors import ParameterError
from dpfda.kernels import Exponential, Gaussian, Matern, Periodic, Tensor, factorised
from dpfda.spaces.box import Box, mesh_points, multilinear
from dpfda.spaces.box_galerkin import box_galerkin_matrix
from dpfda.spaces.box_spectrum import _galerkin, box_computable, box_spectrum, decay_on_box
from dpfda.spaces.circle import Circle
from dpfda.spaces.families import CosineBasis, FourierBasis, LegendreBasis
from dpfda.spaces.interval import Interval
from dpfda.spaces.product import product_basis
from dpfda.spaces.spectrum import spectrum

SQUARE, LONG = Box((0, 1), (0, 1)), Box((-1, 1), (3, 4))


def test_boxes():
    assert LONG.start == (-1, 3)
    assert LONG.end == (1, 4)
    assert LONG.length == 2
    assert LONG.words == "[-1, 1] x [3, 4]"
    assert Box(Circle(0, 24), Interval(0, 1)).axes[0] == Circle(0, 24)
    LONG.require(np.array([[0.0, 3.5], [1.0, 4.0]]))
    with pytest.raises(ParameterError, match=r"the point \(0, 5\) is not in the domain \[-1, 1\] x \[3, 4\]"):
        LONG.require(np.array([[0.0, 3.5], [0.0, 5.0]]))
    with pytest.raises(ParameterError, match="has 2 coordinates"):
        LONG.require(np.zeros((4, 3)))


@pytest.mark.parametrize(("axes", "message"), [
    (((0, 1),), "two or three axes"), (((0, 1),) * 4, "two or three axes"), (((0, 1), 5), "axis 2 of a box must be"),
    (((0, 1), (1, 0)), "reversed"), (((0, 1, 2), (0, 1)), "axis 1 of a box must be"), (("ab", (0, 1)), "axis 1 of a box must be"),
])  # fmt: skip
def test_boxes_that_make_no_sense(axes, message):
    with pytest.raises(ParameterError, match=message):
        Box(*axes)


def test_tensors_that_make_no_sense():
    with pytest.raises(ParameterError, match="two or three kernels"):
        Tensor(Matern(1.5, 0.1))
    with pytest.raises(ParameterError, match="not 0.1"):
        Tensor(Matern(1.5, 0.1), 0.1)
    assert Tensor(Matern(1.5, 0.1), Matern(0.5, 0.3)).decay == 2
    assert Tensor(Matern(1.5, 0.1), 2.0 * Matern(0.5, 0.3)).variance == 2
    assert Tensor(Matern(1.5, 0.1), Matern(0.5, 0.3)).lengths == (0.1, 0.3)


def products(kernels, box, count):
    parts = [spectrum(k, a, count).eigenvalues for k, a in zip(kernels, box.axes, strict=True)]
    return np.sort(np.multiply.outer(*parts).ravel())[::-1][:count]


def test_products_of_kernels():
    kernels = (Exponential(0.3), Matern(2.5, 0.4))
    found = box_spectrum(Tensor(*kernels), LONG, 40)
    np.testing.assert_allclose(found.eigenvalues, products(kernels, LONG, 40), rtol=1e-9)
    circle = Box(Circle(0, 24), (0, 1))
    around = (Matern(1.5, 3.0), Exponential(0.2))
    np.testing.assert_allclose(
        box_spectrum(Tensor(*around), circle, 30).eigenvalues, products(around, circle, 30), rtol=1e-8
    )


@pytest.mark.parametrize(
    "kernel", [Gaussian(0.3), 2.0 * Gaussian(0.4), Gaussian(0.5) * Gaussian(0.4), (2.0 * Gaussian(0.4)) * Gaussian(0.5)]
)
def test_gaussians_factor_and_the_general_method_agrees(kernel):
    """The same eigenvalues by two roads: products, and Galerkin's method for the Euclidean distance."""
    whole = factorised(kernel, 2)
    assert whole.variance == pytest.approx(kernel.variance)
    by_products, by_galerkin = box_spectrum(kernel, LONG, 15), _galerkin(kernel, LONG, 15)
    np.testing.assert_allclose(by_galerkin.eigenvalues, by_products.eigenvalues, rtol=1e-6)
    assert factorised(kernel + Exponential(0.2), 2) is None
    assert factorised(kernel * Exponential(0.2), 2) is None


@pytest.mark.parametrize(
    "kernel", [Exponential(0.2), Matern(1.5, 0.15), Matern(0.7, 0.3), Exponential(0.2) + Gaussian(0.4)], ids=repr
)
def test_the_euclidean_distance_against_a_plain_quadrature(kernel):
    """Nystrom on 26 x 26 Gauss nodes: good to a few digits, by another road."""
    x, w = np.polynomial.legendre.leggauss(26)
    points = mesh_points([(x + 1), (x + 1) / 2 + 3]) - [1, 0]
    root = np.sqrt(np.multiply.outer(w, w).ravel() / 4)
    distance = np.linalg.norm(points[:, None] - points, axis=2)
    reference = np.linalg.eigvalsh(root[:, None] * kernel.profile(distance) * root)[::-1][:10]
    found = box_spectrum(kernel, LONG, 30)
    np.testing.assert_allclose(found.eigenvalues[:10], reference, rtol=0.05 if kernel.decay < 3 else 2e-3)
    assert (found.errors <= 1e-6).all()
    assert found.eigenvalues.sum() < kernel.variance


def test_error_bars_are_honest():
    """Too few polynomials on purpose: what is announced is never less than what is missing."""
    kernel = Exponential(0.15)
    true = box_spectrum(kernel, SQUARE, 60).eigenvalues
    for size in (10, 14, 20):
        matrix = box_galerkin_matrix(kernel, (1.0, 1.0), (size, size))
        values = np.linalg.eigvalsh(matrix)[::-1][:60]
        small = [i * size + j for i in range(size * 4 // 5) for j in range(size * 4 // 5)]
        fewer = np.linalg.eigvalsh(matrix[np.ix_(small, small)])[::-1][:60]
        fewer = np.append(fewer, np.zeros(60 - len(fewer)))
        bar = np.abs(values - fewer)
        small_bar = bar < 0.05 * values
        assert small_bar.sum() >= 10
        assert (np.abs(true - values)[small_bar] <= bar[small_bar] + 1e-12).all()


def test_three_dimensions():
    cube = Box((0, 1), (0, 1), (0, 1))
    gauss, other = box_spectrum(Gaussian(0.5), cube, 8), _galerkin(Gaussian(0.5), cube, 8)
    np.testing.assert_allclose(other.eigenvalues, gauss.eigenvalues, rtol=1e-6)
    found = product_basis(cube, (LegendreBasis, CosineBasis, FourierBasis), 11)
    np.testing.assert_allclose(found.overlaps(found), np.eye(11), atol=1e-12)


@pytest.mark.parametrize("basis", [
    box_computable(Exponential(0.3), LONG, 20),
    box_computable(Tensor(Matern(1.5, 0.5), Exponential(0.2)), LONG, 20),
    product_basis(LONG, (LegendreBasis, FourierBasis), 20),
    product_basis(LONG, (CosineBasis, CosineBasis), 20).truncate(7),
], ids=["distance", "tensor", "families", "cut"])  # fmt: skip
def test_functions(basis):
    """Orthonormal; eigenfunctions of each other's overlap; derivatives; projection of what is linear in each coordinate."""
    np.testing.assert_allclose(basis.overlaps(basis), np.eye(basis.count), atol=1e-11)
    rng = np.random.default_rng(1)
    points = np.column_stack([rng.uniform(-0.9, 0.9, 20), rng.uniform(3.1, 3.9, 20)])
    step = 1e-6
    for orders, shift in (((1, 0), [step, 0]), ((0, 1), [0, step])):
        differences = (basis.evaluate(points + shift) - basis.evaluate(points - shift)) / (2 * step)
        np.testing.assert_allclose(basis.evaluate(points, orders), differences, atol=1e-6 * np.abs(differences).max())
    shifted = np.array([step, 0])
    mixed = (basis.evaluate(points + shifted, (0, 1)) - basis.evaluate(points - shifted, (0, 1))) / (2 * step)
    np.testing.assert_allclose(basis.evaluate(points, (1, 1)), mixed, atol=1e-5 * np.abs(mixed).max())
    grid = (np.linspace(-1, 1, 6), np.linspace(3.1, 4, 5))
    table = rng.normal(size=(6, 5))
    x, w = np.polynomial.legendre.leggauss(60)
    fine = [
        np.concatenate([a + (b - a) * (x + 1) / 2 for a, b in pairwise(k)]) for k in (grid[0], np.array([3, *grid[1]]))
    ]
    masses = [np.concatenate([w * (b - a) / 2 for a, b in pairwise(k)]) for k in (grid[0], np.array([3, *grid[1]]))]
    mesh = mesh_points(fine)
    weight = np.multiply.outer(*masses).ravel() / LONG.length
    by_quadrature = (basis.evaluate(mesh) * weight[:, None]).T @ multilinear(grid, table, mesh)
    np.testing.assert_allclose(basis.projection(grid) @ table.ravel(), by_quadrature, atol=1e-9)
    assert np.linalg.norm(basis.projection(grid) @ table.ravel()) <= np.abs(table).max()
    np.testing.assert_allclose(basis.synthesise(np.ones(basis.count), points), basis.evaluate(points).sum(axis=1))
    assert all(2 <= t <= f.count + 1 for t, f in zip(basis.turns, basis.factors, strict=True))


def test_eigenfunctions_of_the_distance_are_eigenfunctions():
    """K phi_j = lambda_j phi_j at a point away from the corner of the kernel, by a quadrature in polar coordinates around it."""
    kernel, found = Matern(1.5, 0.3), box_spectrum(Matern(1.5, 0.3), SQUARE, 12)
    centre = np.array([0.5, 0.5])
    x, w = np.polynomial.legendre.leggauss(80)
    total = np.zeros(12)
    for turn in range(8):  # eight triangles with a corner in the middle of the square
        angle, share = (turn + (x + 1) / 2) * math.pi / 4, (x + 1) / 2
        edge = 0.5 / np.maximum(np.abs(np.cos(angle)), np.abs(np.sin(angle)))
        r = edge[:, None] * share
        where = centre + np.stack([r * np.cos(angle)[:, None], r * np.sin(angle)[:, None]], axis=-1)
        masses = (w * math.pi / 8)[:, None] * (w / 2) * edge[:, None] * r
        total += (kernel.profile(r) * masses).ravel() @ found.evaluate(where.reshape(-1, 2))
    np.testing.assert_allclose(total, found.eigenvalues * found.evaluate(centre[None])[0], atol=1e-7)


def test_families_come_by_total_degree():
    found = product_basis(SQUARE, (LegendreBasis, LegendreBasis), 10)
    assert found.terms.sum(axis=1).tolist() == [0, 1, 1, 2, 2, 2, 3, 3, 3, 3]
    waves = product_basis(SQUARE, (FourierBasis, FourierBasis), 13)
    assert ((waves.terms + 1) // 2).sum(axis=1).tolist() == [0] + [1] * 4 + [2] * 8


def test_orders_on_a_box():
    assert decay_on_box(Exponential(1), 2) == 1.5
    assert decay_on_box(Matern(1.5, 1), 3) == 2.0
    assert decay_on_box(Gaussian(1), 2) == math.inf
    # The general formula against what is computed, from the 40th to the 100th eigenvalue of a long-range kernel.
    found = box_spectrum(Matern(1.5, 1.0), SQUARE, 100).eigenvalues
    slope = -math.log(found[90:].mean() / found[35:45].mean()) / math.log(95 / 40)
    assert slope == pytest.approx(decay_on_box(Matern(1.5, 1.0), 2), rel=0.15)


BAD = {
    "circle": (Exponential(1.0), Box(Circle(0, 24), (0, 1)), 5, "does not go around a circle"),
    "periodic": (Periodic(1.0, 1.0), SQUARE, 5, "no kernel of the Euclidean distance"),
    "periodic in a sum": (Exponential(0.2) + Periodic(1.0, 1.0), SQUARE, 5, "no kernel of the Euclidean distance"),
    "thin": (Exponential(0.2), Box((0, 1), (0, 100)), 5, "more than 8 times as long"),
    "long kernel": (Exponential(200.0), SQUARE, 5, "100 times as long as the box"),
    "axes": (Tensor(Exponential(0.2), Exponential(0.2)), Box((0, 1), (0, 1), (0, 1)), 5, "has 2 factors, but"),
    "too many": (Gaussian(0.5), SQUARE, 200, r"only \d+ eigenpairs of this kernel"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_kernels_that_do_not_fit_a_box(case):
    kernel, box, count, message = BAD[case]
    with pytest.raises(ParameterError, match=message):
        box_spectrum(kernel, box, count)
