import math

import numpy as np
import pytest
from scipy.special import ive

from dpfda.errors import ParameterError
from dpfda.kernels import Exponential, Gaussian, Kernel, Matern, Periodic
from dpfda.spaces.circle import Circle
from dpfda.spaces.families import CosineBasis, FourierBasis, LegendreBasis
from dpfda.spaces.interval import Interval
from dpfda.spaces.spectrum import Spectrum, computable, spectrum

ALL = [
    Gaussian(0.3), Exponential(0.2), Matern(1.5, 0.1), Matern(2.5, 0.4), Matern(0.3, 0.2), Matern(1.0, 0.2), Matern(3.7, 0.3),
    Periodic(0.5, 1.0), Exponential(0.1) + Gaussian(0.5), 2.0 * Matern(1.5, 0.2), Matern(1.5, 0.2) * Gaussian(0.4),
]  # fmt: skip


@pytest.mark.parametrize("kernel", ALL, ids=repr)
def test_every_kernel(kernel):
    """The contract: symmetric, positive definite, largest at zero, units change with the domain."""
    x = np.sort(np.random.default_rng(1).uniform(0, 1, 40))
    gram = kernel(x[:, None], x)
    assert isinstance(kernel, Kernel)
    np.testing.assert_allclose(gram, gram.T)
    assert np.linalg.eigvalsh(gram).min() > -1e-10 * kernel.variance * 40
    np.testing.assert_allclose(np.diag(gram), kernel.variance)
    assert np.abs(gram).max() <= kernel.variance * (1 + 1e-12)
    np.testing.assert_allclose(kernel.stretched(7.0)(7 * x[:, None], 7 * x), gram, rtol=1e-9)
    assert kernel.normalised().variance == pytest.approx(1)
    assert kernel.smoothness >= 0
    assert kernel.decay >= 1
    assert all(length > 0 for length in kernel.lengths)


def test_as_printed():
    """Mirshani, Reimherr and Slavkovic's C1 to C4."""
    d, rho = np.array([0.0, 0.1, 0.7]), 0.25
    np.testing.assert_allclose(Gaussian.from_rho(rho).profile(d), np.exp(-(d**2) / rho))
    z = math.sqrt(5) * d / rho
    np.testing.assert_allclose(Matern(2.5, rho).profile(d), (1 + z + z**2 / 3) * np.exp(-z))
    z = math.sqrt(3) * d / rho
    np.testing.assert_allclose(Matern(1.5, rho).profile(d), (1 + z) * np.exp(-z))
    np.testing.assert_allclose(Exponential(rho).profile(d), np.exp(-d / rho))


def test_general_matern_meets_the_half_integers():
    d = np.linspace(0, 2, 50)
    for nu in (0.5, 1.5, 2.5, 6.5):
        np.testing.assert_allclose(Matern(nu + 1e-9, 0.3).profile(d), Matern(nu, 0.3).profile(d), atol=1e-7)
    np.testing.assert_allclose(Matern(19.5, 0.3).profile(d), Gaussian(0.3).profile(d), atol=0.02)


def test_orders():
    assert (Matern(1.5, 1).decay, Matern(1.5, 1).smoothness) == (4, 1)
    assert (Matern(2.5, 1).smoothness, Matern(2.0, 1).smoothness, Exponential(1).smoothness) == (2, 1, 0)
    assert (Exponential(1) + Gaussian(1)).smoothness == 0
    assert (Matern(2.5, 1) * Gaussian(1)).decay == 6
    assert Gaussian(1).decay == math.inf


@pytest.mark.parametrize("wrong", [0, -1, math.nan, math.inf, "1", None, True])
def test_lengths_that_make_no_sense(wrong):
    for make in (
        Gaussian,
        Exponential,
        lambda x: Matern(1.5, x),
        lambda x: Matern(x, 1.0),
        lambda x: Periodic(x, 1.0),
        Gaussian.from_rho,
    ):
        with pytest.raises(ParameterError, match="finite number above 0"):
            make(wrong)


def exponential_eigenvalues(length, count):
    """Closed form: omega = j pi + 2 atan(c / omega), lambda = 2c/(omega^2 + c^2), by bisection."""
    c, j = 1 / length, np.arange(count)
    low, high = j * math.pi + 1e-12, (j + 1) * math.pi - 1e-12
    for _ in range(200):
        middle = (low + high) / 2
        small = middle - j * math.pi - 2 * np.arctan(c / middle) < 0
        low, high = np.where(small, middle, low), np.where(small, high, middle)
    return 2 * c / (low**2 + c**2)


@pytest.mark.parametrize("length", [0.01, 0.1, 1.0])
def test_exponential_on_an_interval_in_closed_form(length):
    found = spectrum(Exponential(92 * length), Interval(1.0, 93.0), 50)
    np.testing.assert_allclose(found.eigenvalues, exponential_eigenvalues(length, 50), rtol=1e-8)
    assert (found.errors <= 1e-6).all()


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5])
def test_matern_on_a_circle_in_closed_form(nu):
    """The wrapped kernel's eigenvalues are its spectral density at 2 pi k / L, over L."""
    length, circle = 2.0, Circle(0.0, 24.0)
    found = spectrum(Matern(nu, length), circle, 51)
    w = 2 * np.pi * ((np.arange(51) + 1) // 2) / 24
    a = 2 * nu / length**2
    scale = 2 * math.sqrt(math.pi) * math.gamma(nu + 0.5) / math.gamma(nu) * a**nu
    np.testing.assert_allclose(found.eigenvalues, scale * (a + w**2) ** -(nu + 0.5) / 24, rtol=1e-7)


def test_periodic_on_its_circle_in_closed_form():
    found = spectrum(Periodic(0.25, 24.0), Circle(0.0, 24.0), 31)
    np.testing.assert_allclose(found.eigenvalues, ive((np.arange(31) + 1) // 2, 16.0), rtol=1e-8)
    assert found.trace == pytest.approx(1)


@pytest.mark.parametrize(
    "kernel", [Matern(1.5, 0.1), Matern(2.5, 0.1), Matern(0.7, 0.1), Exponential(0.1) + Gaussian(0.3)], ids=repr
)
def test_eigenvalues_against_a_plain_quadrature(kernel):
    """Nystrom with many Gauss nodes, good to a few digits for the first eigenvalues: a check by another road."""
    x, w = np.polynomial.legendre.leggauss(900)
    root = np.sqrt(w / 2)
    x = (x + 1) / 2
    reference = np.linalg.eigvalsh(root[:, None] * kernel(x[:, None], x) * root)[::-1][:12]
    found = spectrum(kernel, Interval(0.0, 1.0), 50)
    np.testing.assert_allclose(found.eigenvalues[:12], reference, rtol=2e-3)
    assert (found.errors <= 1e-6).all()


@pytest.mark.parametrize("kernel", [Exponential(9.0), Matern(2.5, 2.0)], ids=repr)
@pytest.mark.parametrize("domain", [Interval(1.0, 93.0), Circle(0.0, 24.0)])
def test_eigenfunctions_are_eigenfunctions(kernel, domain):
    """Orthonormal, and the kernel's series converges to the kernel (Mercer)."""
    found = spectrum(kernel, domain, 60)
    x, w = np.polynomial.legendre.leggauss(400)
    points = domain.start + domain.length * (x + 1) / 2
    values = found.evaluate(points)
    np.testing.assert_allclose((values * (w / 2)[:, None]).T @ values, np.eye(60), atol=1e-8)
    some = points[::40]
    mercer = (found.evaluate(some) * found.eigenvalues) @ found.evaluate(some).T
    d = np.abs(some[:, None] - some)
    exact = kernel.profile(d)
    if isinstance(domain, Circle):
        exact = sum(kernel.profile(np.abs(some[:, None] - some + n * 24)) for n in range(-40, 41))
    assert (
        np.abs(mercer - exact).max() <= 8 * (found.trace - found.eigenvalues.sum()) + 1e-9
    )  # phi_j^2 is up to 8 at the ends


def test_gaussian_eigenvalues_come_with_an_honest_bar():
    with pytest.raises(ParameterError, match=r"only \d+ eigenpairs .* not 50: ask for"):
        spectrum(Gaussian(0.1), Interval(0.0, 1.0), 50)
    found = computable(Gaussian(0.1), Interval(0.0, 1.0), 50)
    assert 15 <= found.count < 50
    assert (found.eigenvalues > 0).all()
    assert 1 - found.eigenvalues.sum() < 1e-8


def test_spectra_are_computed_once():
    spectrum(Matern(1.5, 0.123), Interval(0.0, 1.0), 20)
    a = spectrum(Matern(1.5, 0.123), Interval(0.0, 1.0), 20)
    b = spectrum(Matern(1.5, 0.123), Interval(0.0, 1.0), 20)
    assert a.mixing.base is b.mixing.base or np.shares_memory(a.mixing, b.mixing)


def test_truncation_and_powers():
    found = spectrum(Exponential(0.1), Interval(0.0, 1.0), 50)
    few = found.truncate_to_share(0.2)
    assert 1 - few.eigenvalues.sum() <= 0.2 < 1 - few.eigenvalues[:-1].sum()
    assert isinstance(few.truncate(3), Spectrum)
    np.testing.assert_allclose(found.power(2), found.eigenvalues**2)
    with pytest.raises(ParameterError, match="ask for more"):
        found.truncate_to_share(1e-6)


def test_a_kernel_far_longer_than_the_domain():
    with pytest.raises(ParameterError, match="a constant for every purpose"):
        spectrum(Matern(1.5, 500.0), Interval(0.0, 1.0), 5)


@pytest.mark.parametrize("kind", [LegendreBasis, CosineBasis, FourierBasis])
def test_families(kind):
    domain = Interval(-1.0, 4.0)
    basis = kind(domain, 9)
    x, w = np.polynomial.legendre.leggauss(200)
    points = 1.5 + 2.5 * x
    values = basis.evaluate(points)
    np.testing.assert_allclose((values * (w / 2)[:, None]).T @ values, np.eye(9), atol=1e-12)
    step = 1e-4
    inner = np.linspace(-0.9, 3.9, 20)
    for order in (1, 2, 3):
        around = basis.evaluate(inner + step, order - 1) - basis.evaluate(inner - step, order - 1)
        np.testing.assert_allclose(basis.evaluate(inner, order), around / (2 * step), atol=2e-4 * 20**order)
    assert basis.truncate(3).evaluate(inner).shape == (20, 3)
    assert (kind(domain, 2).evaluate(inner, 5) == 0).all() or kind is not LegendreBasis
    with pytest.raises(ParameterError, match="not in the domain"):
        basis.evaluate(np.array([5.0]))
    with pytest.raises(ParameterError, match="at least one"):
        kind(domain, 0)


def test_projection_is_a_contraction_of_the_broken_line():
    """Coefficients of the line through the points have at most its norm, on even and uneven grids."""
    rng = np.random.default_rng(3)
    for grid in (np.linspace(0, 1, 30), np.sort(rng.uniform(0, 1, 17))):
        basis = spectrum(Matern(1.5, 0.1), Interval(0.0, 1.0), 25)
        matrix = basis.projection(grid)
        for _ in range(50):
            values = rng.choice([-1.0, 1.0], len(grid))
            fine = np.interp(np.linspace(0, 1, 20001), grid, values)
            assert (matrix @ values) @ (matrix @ values) <= np.mean(fine**2) + 1e-3
            assert (matrix @ values) @ (matrix @ values) <= 1 + 1e-9
        smooth = np.cos(3 * np.linspace(0, 1, 2001))
        fine = basis.projection(np.linspace(0, 1, 2001)) @ smooth
        back = basis.synthesise(fine, np.linspace(0.1, 0.9, 50))
        np.testing.assert_allclose(back, np.cos(3 * np.linspace(0.1, 0.9, 50)), atol=0.02)


@pytest.mark.parametrize("basis", ["fourier", "cosine", "legendre", "matern"])
@pytest.mark.parametrize("domain", [(0.0, 1.0), (-3.0, 7.0)])
def test_projection_does_not_alias_on_coarse_grids(basis, domain):
    """One piece of the grid may hold many turns of a function: a constant still has one coefficient."""
    grid = np.concatenate([np.linspace(0, 0.1, 63), [1.0]])
    families = {"fourier": FourierBasis, "cosine": CosineBasis, "legendre": LegendreBasis}
    where = Interval(*domain)
    found = spectrum(Matern(1.5, 0.1 * where.length), where, 64) if basis == "matern" else families[basis](where, 64)
    coefficients = found.projection(grid) @ np.ones(64)
    assert coefficients @ coefficients <= 1 + 1e-9
    x, w = np.polynomial.legendre.leggauss(2000)
    exact = (w / 2) @ found.evaluate(domain[0] + where.length * (x + 1) / 2)
    np.testing.assert_allclose(coefficients, exact, atol=1e-9)


def test_a_circle_is_closed_by_the_projection():
    """Turning a curve by one grid point turns its harmonics and leaves their size alone."""
    grid, circle = np.arange(24.0), Circle(0.0, 24.0)
    matrix = FourierBasis(circle, 9).projection(grid)
    bump = np.exp(-0.5 * ((grid - 11) / 1.5) ** 2)
    sizes = []
    for turn in range(24):
        c = matrix @ np.roll(bump, turn)
        sizes.append([c[0] ** 2, c[1] ** 2 + c[2] ** 2, c[3] ** 2 + c[4] ** 2])
    np.testing.assert_allclose(sizes, np.broadcast_to(sizes[0], (24, 3)), rtol=1e-9)


def test_sums_with_a_periodic_kernel_on_a_circle():
    circle = Circle(0.0, 24.0)
    found = spectrum(0.5 * Matern(1.5, 1.0) + 0.5 * Periodic(1.0, 24.0), circle, 20)
    assert found.trace == pytest.approx(1, abs=1e-6)
    with pytest.raises(ParameterError, match="does not repeat around a circle"):
        spectrum(Periodic(1.0, 17.0), circle, 5)


def test_derivatives_of_eigenfunctions_in_closed_form():
    """Exponential kernel: waves of frequency omega, so the fourth derivative is omega^4 phi."""
    found = spectrum(Exponential(0.2), Interval(0.0, 1.0), 64)
    omega = np.sqrt(2 * 5 / found.eigenvalues - 25)
    t = np.linspace(0.02, 0.98, 200)
    phi = found.evaluate(t)
    for order in (2, 4):
        exact = (-1.0) ** (order // 2) * omega**order * phi
        error = np.abs(found.evaluate(t, order) - exact).max(axis=0) / np.abs(exact).max(axis=0)
        assert error.max() < 1e-3
