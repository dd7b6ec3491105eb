import numpy as np
import pytest

from dpfda.errors import ParameterError
from dpfda.noise.bits import Bits
from dpfda.noise.geometric import MAX_SCALE, geometric
from dpfda.noise.laplace import laplace
from tests.laws import chi_square_ok, geometric_cdf, ks_ok, laplace_cdf, laplace_pmf, mean_ok

DRAWS = 1 << 17
SMALL, LARGE = [1, 3, 20], [1 << 20, 1 << 32, 1 << 44]


def laplace_law_ok(sample, t):
    """Cell by cell at small scales; by distribution and mean size at large ones."""
    if t <= 20:
        values = np.arange(-40 * t, 40 * t + 1)
        return chi_square_ok(sample, values, laplace_pmf(values, t))
    return ks_ok(sample, lambda k: laplace_cdf(k, t)) and mean_ok(np.abs(sample) / t, 1, 1)


@pytest.mark.parametrize("t", SMALL + LARGE)
def test_laplace_follows_its_law(t):
    assert laplace_law_ok(laplace(t, DRAWS), t)


@pytest.mark.slow
@pytest.mark.parametrize("t", SMALL + LARGE)
def test_laplace_follows_its_law_at_full_power(t):
    """2^21 draws: a scale 1 % off fails with probability above .999 (shown below)."""
    assert laplace_law_ok(laplace(t, 1 << 21), t)


@pytest.mark.parametrize("t", SMALL)
@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_the_law_test_has_power_at_small_scales(t, factor):
    rng = np.random.default_rng(5)
    p = -np.expm1(-1 / (t * factor))
    wrong = rng.geometric(p, DRAWS) - rng.geometric(p, DRAWS)
    assert not laplace_law_ok(wrong, t)


@pytest.mark.parametrize("t", LARGE)
@pytest.mark.parametrize(("factor", "draws"), [(0.9, DRAWS), (1.1, DRAWS), (0.99, 1 << 21), (1.01, 1 << 21)])
def test_the_law_test_has_power_at_large_scales(t, factor, draws):
    rng = np.random.default_rng(6)
    assert not laplace_law_ok(np.rint(rng.laplace(0, t * factor, draws)).astype(np.int64), t)


def test_the_law_test_sees_minus_zero_kept():
    """The mutant that redraws only the sign at minus zero has twice the weight at zero."""
    rng = np.random.default_rng(7)
    magnitude = rng.geometric(-np.expm1(-1.0), DRAWS) - 1
    wrong = np.where(rng.random(DRAWS) < 0.5, -magnitude, magnitude)
    assert not laplace_law_ok(wrong, 1)


@pytest.mark.parametrize("t", SMALL)
def test_geometric_cell_by_cell(t):
    values = np.arange(60 * t)
    probabilities = np.diff(geometric_cdf(np.arange(-1, 60 * t), t))
    assert chi_square_ok(geometric(t, DRAWS, Bits()), values, probabilities)


@pytest.mark.parametrize("t", LARGE)
def test_geometric_by_distribution(t):
    assert ks_ok(geometric(t, DRAWS, Bits()), lambda k: geometric_cdf(k, t))


def test_signs_are_fair_and_independent_of_size():
    z = laplace(1 << 32, DRAWS)
    assert mean_ok(np.sign(z), 0, 1)
    assert mean_ok(np.sign(z) * (np.abs(z) > np.median(np.abs(z))), 0, 0.5**0.5)


@pytest.mark.parametrize("wrong", [0, -1, 1.0, 1.5, True, "3", MAX_SCALE + 1, None])
def test_scales_are_whole_numbers_in_range(wrong):
    with pytest.raises(ParameterError, match="whole number from 1 to 2\\^44"):
        laplace(wrong, 1)


def test_no_draws():
    assert laplace(5, 0).shape == (0,)
