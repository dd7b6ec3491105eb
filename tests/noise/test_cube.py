import math

import numpy as np
import pytest

from dpfda.errors import EntropyError, ParameterError
from dpfda.noise.bits import Bits
from dpfda.noise.cube import check_cube, cube
from tests.laws import chi_square_ok, cube_marginal_cdf, cube_size_pmf, ks_ok, mean_ok


@pytest.mark.parametrize("t", [2, 3])
def test_two_dimensions_cell_by_cell(t):
    z = cube(2, t, 1 << 18)
    side = np.arange(-60 * t, 60 * t + 1)
    weight = np.exp(-np.maximum(np.abs(side)[:, None], np.abs(side)) / t)
    code = (z[:, 0] + 60 * t) * len(side) + z[:, 1] + 60 * t
    assert np.abs(z).max() <= 60 * t
    assert chi_square_ok_codes(code, (weight / weight.sum()).ravel())


def chi_square_ok_codes(code, probabilities):
    """As chi_square_ok, counting with bincount because there are many cells."""
    from scipy import stats

    counts, expected = np.bincount(code, minlength=probabilities.size), code.size * probabilities
    big = expected >= 30
    statistic = ((counts[big] - expected[big]) ** 2 / expected[big]).sum()
    rest = expected[~big].sum()
    statistic += (counts[~big].sum() - rest) ** 2 / rest
    return statistic <= stats.chi2.isf(1e-6, big.sum())


def sizes_ok(sizes, n, t):
    """Cell by cell where cells are full enough, by distribution elsewhere."""
    r, p = cube_size_pmf(n, t)
    if t < 50:
        return chi_square_ok(sizes, r, p)
    below = np.cumsum(p)
    return ks_ok(sizes, lambda k: below[k.astype(int)])


@pytest.mark.parametrize(("n", "t"), [(1, 1), (2, 2), (3, 3), (10, 10), (64, 64), (10, 300)])
def test_sizes_and_coordinates(n, t):
    z = cube(n, t, 20000)
    assert sizes_ok(np.abs(z).max(axis=1), n, t)
    for j in {0, n // 2, n - 1}:
        assert ks_ok(z[:, j], lambda k: cube_marginal_cdf(k, n, t))


@pytest.mark.parametrize("n", [2, 3, 10, 64])
@pytest.mark.parametrize("t", [1 << 20, 1 << 32, 1 << 37])
def test_large_scales(n, t):
    """The size is Gamma(n), and given it every coordinate is uniform; signs of two coordinates are independent."""
    z = cube(n, t, 20000).astype(float) / t
    assert mean_ok(np.abs(z).max(axis=1), n, math.sqrt(n))
    assert mean_ok(z[:, 0], 0, math.sqrt((n + 1) * (n + 2) / 3))
    assert mean_ok(np.sign(z[:, 0] * z[:, 1]), 0, 1)


@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_the_size_tests_have_power(factor):
    rng = np.random.default_rng(3)
    wrong = factor * rng.gamma(11, size=(20000, 1)) * rng.uniform(-1, 1, (20000, 10))
    assert not mean_ok(np.abs(wrong).max(axis=1), 10, math.sqrt(10))
    for t in (20, 300):
        assert not sizes_ok(np.rint(t * np.abs(wrong).max(axis=1)), 10, t)


def test_batches_do_not_change_the_law_or_the_shape(monkeypatch):
    import importlib

    module = importlib.import_module("dpfda.noise.cube")
    monkeypatch.setattr(module, "_BATCH", 50)
    z = cube(4, 1 << 30, 997)
    assert z.shape == (997, 4)
    assert mean_ok(np.abs(z).max(axis=1) / 2**30, 4, 2)


@pytest.mark.parametrize(("n", "t"), [(10, 9), (64, 1), (2, 1 << 43)])
def test_scales_that_cannot_be_served(n, t):
    with pytest.raises(ParameterError, match="cube noise"):
        check_cube(n, t)


def test_impossible_sizes_are_noticed():
    class Ones(Bits):
        """Every coin of probability exp(-1) falls well for a very long time."""

        def __init__(self):
            self.tosses = 0

        def words(self, count):
            return np.zeros(count, dtype=np.uint64)

    with pytest.raises(EntropyError):
        cube(2, 1 << 20, 1, Ones())
