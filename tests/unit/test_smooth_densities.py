"""Smoothers of densities: the posteriors they say they are, on intervals, circles and boxes."""

import numpy as np
import pytest

from dpfda.release.smooth import log_gaussian
from dpfda.release.smooth.kernel_sample import KernelSample
from dpfda.release.smooth.log_gaussian import LogGaussian
from dpfda.release.smooth.separable import LENGTHS, SIZES, Separable
from dpfda.spaces.nodes import hats, midpoints

N = 1000


def bump(t, middle, width):
    return np.exp(-0.5 * ((t - middle) / width) ** 2) / (width * np.sqrt(2 * np.pi))


def two_bumps(t):
    return 0.6 * bump(t, 0.3, 0.1) + 0.4 * bump(t, 0.7, 0.1)


def sample(rng, n=N):
    t = midpoints(1 << 13)
    return rng.choice(t, n, p=two_bumps(t) / two_bumps(t).sum())


def kernel(points, t, width=0.1):
    return bump(points[:, None], t, width)


def noisy_sums(x, nodes, sd, rng, periodic=False):
    return hats(x, nodes, periodic).sum(axis=0) + rng.laplace(0, sd / np.sqrt(2), nodes)


@pytest.mark.parametrize("periodic", [False, True])
def test_the_density_is_positive_of_mass_one_and_near_the_truth(periodic):
    rng = np.random.default_rng(11)
    smoother = LogGaussian(19, N, periodic)
    found = smoother.fit(noisy_sums(sample(rng), 19, 2.8, rng, periodic), np.full(19, 8.0))
    assert (found.mean > 0).all()
    assert abs(found.mean.mean() - 1) < 1e-12
    assert np.sqrt(np.mean((found.mean - two_bumps(midpoints(smoother.grid))) ** 2)) < 0.2
    draws = found.draws(2000, np.random.default_rng(12))
    np.testing.assert_allclose(draws.mean(axis=1), 1.0)
    middle = slice(25, 230)  # the first-order deviations are those of the draws where the density is not near zero
    assert abs(np.median(draws.std(axis=0)[middle] / found.sds[middle]) - 1) < 0.1


@pytest.mark.parametrize("periodic", [False, True])
def test_with_many_nodes_a_first_look_at_their_sums_changes_nothing(periodic, monkeypatch):
    rng = np.random.default_rng(18)
    sums = noisy_sums(sample(rng, 50_000), 150, 3.0, rng, periodic)
    smoother = LogGaussian(150, 50_000, periodic)
    found = smoother.fit(sums, np.full(150, 9.0))
    monkeypatch.setattr(log_gaussian, "_FEW", 1000)
    whole = smoother.fit(sums, np.full(150, 9.0))
    np.testing.assert_allclose(found.mean, whole.mean, atol=1e-3)
    np.testing.assert_allclose(found.sds, whole.sds, rtol=0.05)


def test_around_a_circle_there_is_no_seam():
    rng = np.random.default_rng(13)
    x = (sample(rng) + 0.7) % 1.0  # a bump sits on the seam
    found = LogGaussian(19, N, periodic=True).fit(noisy_sums(x, 19, 2.8, rng, True), np.full(19, 8.0))
    turned = LogGaussian(19, N, periodic=True).fit(
        np.roll(noisy_sums(x, 19, 1e-9, np.random.default_rng(1), True), 5), np.full(19, 8.0)
    )
    assert abs(found.mean[0] - found.mean[-1]) < 0.05 * found.mean.max()
    assert abs(turned.mean[0] - turned.mean[-1]) < 0.05 * turned.mean.max()


@pytest.mark.parametrize(("sd", "nodes"), [(22.6, 8), (2.83, 12), (0.7, 15)])
def test_the_kernel_estimate_of_the_sample_has_calibrated_deviations(sd, nodes):
    rng = np.random.default_rng(14)
    smoother = KernelSample(LogGaussian(nodes, N), kernel(midpoints(256), midpoints(256)))
    ratios, errors = [], []
    for _ in range(12):
        x = sample(rng)
        found = smoother.fit(noisy_sums(x, nodes, sd, rng), np.full(nodes, sd**2))
        exact = kernel(midpoints(256), x).mean(axis=1)
        ratios.append(np.mean(((found.mean - exact) / found.sds) ** 2))
        errors.append(np.mean((found.mean - exact) ** 2))
    # Far from zero and far from the 10 that a posterior without the density's own uncertainty has at the largest noise.
    assert 0.3 < np.mean(ratios) < 2.5
    assert np.mean(errors) ** 0.5 < {8: 0.15, 12: 0.022, 15: 0.007}[nodes]
    draws = found.draws(2000, np.random.default_rng(15))
    # To first order in the logarithm, which at the largest noise is a rough word.
    assert abs(np.mean(draws.std(axis=0) / found.sds) - 1) < (0.6 if nodes == 8 else 0.1)


@pytest.mark.parametrize("periodic", [(False,), (True,), (False, True), (False, False, True)])
def test_separable_against_a_dense_computation(periodic):
    rng = np.random.default_rng(16)
    d, nodes, grid = len(periodic), 5, 6
    smoother = Separable(nodes, 300.0, periodic, grid)
    y = 300 / nodes**d + rng.normal(0, 15, nodes**d)
    found = smoother.fit(y, np.full(nodes**d, 20.0))

    def full(matrices):
        product = np.ones((1, 1))
        for matrix in matrices:
            product = np.kron(product, matrix)
        return product

    spread = full(smoother.spread)
    share = np.mean((grid**d * spread) ** 2)
    noise = 20 + 300 * share
    logs, means, variances = [], [], []
    for length in LENGTHS:
        k = full(smoother.kernels(length))
        for size in SIZES:
            total = 300**2 * size**2 * spread.T @ k @ spread + noise * np.eye(nodes**d)
            away = y - 300 * spread.sum(axis=0)
            logs.append(-0.5 * (away @ np.linalg.solve(total, away) + np.linalg.slogdet(total)[1]))
            gain = 300 * size**2 * np.linalg.solve(total, spread.T @ k).T
            means.append(1 + gain @ away)
            variances.append(np.diag(size**2 * k - gain @ (300 * size**2 * spread.T @ k)))
    weights = np.exp(np.array(logs) - max(logs))
    weights[weights <= 1e-3] = 0
    weights /= weights.sum()
    mean = weights @ means
    np.testing.assert_allclose(found.mean, mean, atol=1e-8)
    np.testing.assert_allclose(found.sds**2, weights @ (variances + (means - mean) ** 2), rtol=1e-6)
    draws = found.draws(4000, np.random.default_rng(17))
    # Five standard errors of the deviation, 5/sqrt(8000), and a little for the mixture's tails.
    np.testing.assert_allclose(draws.std(axis=0), found.sds, rtol=0.09)
    np.testing.assert_allclose(draws.mean(axis=0), found.mean, atol=6 * found.sds.max() / 4000**0.5)
