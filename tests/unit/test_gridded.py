"""Functions through values at the middles of cells: integrals, quantiles and samples are exact."""

import numpy as np
import pytest

from dpfda.errors import ParameterError
from dpfda.spaces.circle import Circle
from dpfda.spaces.gridded import GridFunction
from dpfda.spaces.interval import Interval

AXES = [
    (Interval(-2.0, 3.0),),
    (Circle(0.0, 24.0),),
    (Interval(0.0, 1.0), Circle(-3.0, 3.0)),
    (Interval(0.0, 2.0),) * 3,
]


def made(axes, seed=1, size=6):
    return GridFunction(axes, np.random.default_rng(seed).random((size,) * len(axes)) ** 3).scaled()


def fine_points(axes, count):
    lines = [a.start + a.length * (np.arange(count) + 0.5) / count for a in axes]
    return np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, len(axes))


@pytest.mark.parametrize("axes", AXES)
def test_integrals_are_exact(axes):
    f = made(axes)
    count = {1: 24000, 2: 600, 3: 60}[len(axes)]
    points = fine_points(axes, count)
    values = f(points)
    assert abs(f.mass - 1) < 1e-12
    assert abs(values.mean() * f.volume - 1) < 1e-9
    ends = [(a.start + 0.15 * a.length, a.start + 0.7 * a.length) for a in axes]
    inside = np.all([(points[:, k] > low) & (points[:, k] < high) for k, (low, high) in enumerate(ends)], axis=0)
    assert abs(f.integral(ends) - values[inside].sum() * f.volume / len(points)) < 1e-4
    assert abs(f.integral([(a.start, a.end) for a in axes]) - 1) < 1e-12
    assert f(f.mode()[None])[0] == pytest.approx(f.values.max())
    assert values.max() <= f.values.max() + 1e-12


@pytest.mark.parametrize("axes", AXES[:2])
def test_distribution_function_and_quantiles(axes):
    f = made(axes)
    t = np.linspace(axes[0].start, axes[0].end, 1001)
    cdf = f.cdf(t)
    assert (cdf[0], cdf[-1]) == (0.0, 1.0)
    assert (np.diff(cdf) >= 0).all()
    assert abs(f.cdf(t[300:301])[0] - f.integral([(axes[0].start, t[300])])) < 1e-12
    np.testing.assert_allclose(f.quantile(cdf), t, atol=1e-9)
    with pytest.raises(ParameterError, match="marginal first"):
        made(AXES[2]).cdf(t)
    gap = GridFunction((Interval(0.0, 1.0),), np.array([2.0, 0.0, 0.0, 2.0]))
    assert np.isfinite(gap.quantile(np.array([0.0, 0.5, 1.0]))).all()


@pytest.mark.parametrize("axes", AXES)
def test_samples_follow_the_density(axes):
    f = made(axes)
    drawn = f.sample(100_000, np.random.default_rng(2))
    for k, axis in enumerate(axes):
        x = np.sort(drawn[:, k])
        assert x[0] >= axis.start
        assert x[-1] <= axis.end
        cdf = f.marginal([k]).cdf(x)
        # Kolmogorov distance sqrt(n) D > 2.8 has probability 3e-7.
        assert np.abs(cdf - (np.arange(len(x)) + 0.5) / len(x)).max() < 2.8 / len(x) ** 0.5
    other = GridFunction(axes, np.roll(f.values, 1, axis=0))
    x = np.sort(drawn[:, 0])
    assert np.abs(other.marginal([0]).cdf(x) - (np.arange(len(x)) + 0.5) / len(x)).max() > 2.8 / len(x) ** 0.5


def test_marginals_and_conditionals():
    f = made(AXES[2])
    y = np.linspace(-2.9, 2.9, 7)
    by_hand = [np.mean(f(np.column_stack([fine_points(AXES[2][:1], 6000), np.full(6000, one)]))) for one in y]
    np.testing.assert_allclose(f.marginal([1])(y[:, None]), by_hand, rtol=1e-6)
    np.testing.assert_allclose(f.at({1: 0.4})(np.array([[0.3]])), f(np.array([[0.3, 0.4]])))
    turned = f.marginal([1, 0])
    np.testing.assert_allclose(turned(np.array([[0.4, 0.3]])), f(np.array([[0.3, 0.4]])))


def test_the_nearest_density_is_nearer_than_others():
    rng = np.random.default_rng(3)
    f = GridFunction(AXES[0], rng.normal(0.2, 0.3, 12))
    nearest = f.positive()
    assert nearest.values.min() == 0
    assert abs(nearest.mass - 1) < 1e-12
    for _ in range(200):
        other = GridFunction(AXES[0], np.maximum(nearest.values + rng.normal(0, 0.05, 12), 0)).scaled()
        assert ((other.values - f.values) ** 2).sum() >= ((nearest.values - f.values) ** 2).sum() - 1e-12
    assert GridFunction(AXES[0], np.full(4, -1.0)).scaled().mass == pytest.approx(1)
