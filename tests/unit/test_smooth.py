"""Smoothers see a released vector and public numbers, and their posterior is the one they say."""

import inspect

import numpy as np
import pytest

from dpfda.release.smooth.base import Posterior, Smoother
from dpfda.release.smooth.powers import CENTRE, POWERS, SIZES, SPREAD, PowerLaw


@pytest.mark.parametrize("smoother", Smoother.__subclasses__())
def test_a_smoother_can_see_nothing_else(smoother):
    words = inspect.signature(smoother.fit).parameters
    assert list(words) == ["self", "observed", "variances"]
    assert smoother.name
    assert smoother.words


def brute(y, variances):
    """The posterior mean and variance by looping over the grid of (g, q)."""
    total, first, second = 0.0, np.zeros(len(y)), np.zeros(len(y))
    for g in SIZES:
        for q in POWERS:
            prior = np.array([0.25, *(g**2 * j ** (-2 * q) for j in range(1, len(y)))])
            weight = np.exp(-0.5 * (np.log10(g / CENTRE) / SPREAD) ** 2)
            for j in range(1, len(y)):
                s = prior[j] + variances[j]
                weight *= np.exp(-0.5 * y[j] ** 2 / s) / np.sqrt(s)
            m, v = y * prior / (prior + variances), prior * variances / (prior + variances)
            total, first, second = total + weight, first + weight * m, second + weight * (v + m * m)
    mean = first / total
    return mean, second / total - mean**2


def test_power_law_against_brute_force():
    rng = np.random.default_rng(3)
    y, variances = rng.normal(0, 0.2, 9), rng.uniform(0.001, 0.05, 9)
    mean, variance = brute(y, variances)
    found = PowerLaw(1.0).fit(y, variances)
    np.testing.assert_allclose(found.mean, mean, atol=1e-12)
    np.testing.assert_allclose(found.sds**2, variance, atol=1e-12)
    scaled = PowerLaw(40.0).fit(40 * y, 1600 * variances)
    np.testing.assert_allclose(scaled.mean, 40 * mean, atol=1e-10)


def test_limits():
    y = np.array([0.3, -0.2, 0.1, 0.05])
    np.testing.assert_allclose(PowerLaw(1.0).fit(y, np.full(4, 1e-12)).mean, y, atol=1e-6)
    assert np.abs(PowerLaw(1.0).fit(y, np.full(4, 1e4)).mean).max() < 1e-3
    alone = PowerLaw(1.0).fit(y[:1], np.array([0.25]))
    np.testing.assert_allclose([alone.mean[0], alone.sds[0]], [0.15, np.sqrt(0.125)])


def test_draws_have_the_posterior_s_moments():
    rng = np.random.default_rng(4)
    found = PowerLaw(2.0).fit(rng.normal(0, 0.3, 6), np.full(6, 0.02))
    draws = found.draws(100_000, np.random.default_rng(5))
    # Five standard errors of a mean (false alarm 3e-6 in all); sds within 3 %.
    assert (np.abs(draws.mean(axis=0) - found.mean) < 5 * found.sds / 100_000**0.5).all()
    np.testing.assert_allclose(draws.std(axis=0), found.sds, rtol=0.03)


def test_a_posterior_is_frozen():
    found = PowerLaw(1.0).fit(np.zeros(3), np.ones(3))
    assert isinstance(found, Posterior)
    with pytest.raises(ValueError, match="read-only"):
        found.mean[0] = 1.0
