"""Sums and multiples of releases."""

from fractions import Fraction

import numpy as np
import pytest

import dpfda
from dpfda.errors import ParameterError

GRID = np.linspace(0, 1, 31)
CURVES = np.random.default_rng(1).uniform(0.2, 0.8, (300, 31))


def release_of(**words):
    given = {"grid": GRID, "epsilon": 1, "value_range": (0, 1), "mechanism": "blocks", "kernel": dpfda.Matern(2.5, 0.2)}
    given |= {"penalty": 1e-3} | words
    return dpfda.mean(CURVES, **{k: v for k, v in given.items() if v is not ...})


A, B = release_of(), release_of(epsilon="1/2", mechanism="cube", kernel=..., penalty=...)
T = np.linspace(0, 1, 50)


def test_values_and_functionals():
    both = 2 * A - B * 0.5 + A
    np.testing.assert_allclose(both(T), 3 * A(T) - 0.5 * B(T), rtol=1e-12)
    assert both(0.3) == pytest.approx(3 * A(0.3) - 0.5 * B(0.3))
    assert both.integral(0.1, 0.7) == pytest.approx(3 * A.integral(0.1, 0.7) - 0.5 * B.integral(0.1, 0.7))
    assert both.inner(np.cos) == pytest.approx(3 * A.inner(np.cos) - 0.5 * B.inner(np.cos))
    assert both.inner(A) == pytest.approx(A.inner(both)) == pytest.approx(3 * A.inner(A) - 0.5 * B.inner(A))
    assert (A - A).inner(A + B) == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose((A + A).derivative()(T), 2 * A.derivative()(T))
    np.testing.assert_allclose((-A)(T), -A(T))
    with pytest.raises(ParameterError, match="no derivative"):
        both.derivative()


def test_the_cost_is_that_of_all_parts():
    both = A + B - 3 * A
    assert both.epsilon == Fraction(3, 2)
    assert both.delta == 0
    assert len(both.guarantees) == 2
    assert "together epsilon 1.5, delta 0" in repr(both)
    gaussian = release_of(mechanism="gaussian", delta="1e-6")
    mixed = A + gaussian
    assert mixed.epsilon == 2
    assert mixed.delta == Fraction(1, 10**6)


def test_bands_of_independent_noise():
    """The band of a - b is wider than either's and narrower than their sum; a - a has none."""
    other = release_of()
    width = lambda r: (r.band().upper - r.band().lower)[100]  # noqa: E731
    assert max(width(A), width(other)) < width(A - other) < width(A) + width(other)
    assert width(A - A) < 1e-5
    assert width(3 * A) == pytest.approx(3 * width(A), rel=1e-6)
    assert width(B + A) > width(A)
    low, high = (A - B).band()(0.5)
    assert low < (A - B)(0.5) < high


def test_bands_of_sums_cover():
    """1000 pairs of exact draws: .95 has a standard error of .007; 5 of them, and the quantile's own."""
    law, view = A.law, A.view
    band = (A - 2 * B).band()
    half = band.upper - (A - 2 * B)(band.points)
    one = law.law.draw(law.dimension, law.scale, 1000).astype(float)
    two = B.law.law.draw(B.law.dimension, B.law.scale, 1000).astype(float)
    noise = law.differences(A.raw, one) @ view.functions(band.points).T
    noise -= 2 * B.law.differences(B.raw, two) @ B.view.functions(band.points).T
    assert (np.abs(noise) <= half).all(axis=1).mean() == pytest.approx(0.95, abs=0.045)


def test_what_does_not_add():
    with pytest.raises(ParameterError, match="different domains"):
        A + release_of(domain=(-1, 1))
    with pytest.raises(ParameterError, match="different units"):
        A + release_of(unit=list(range(150)) * 2)
    with pytest.raises(TypeError):
        A + 1
    for wrong in ("2", None, True, np.inf):
        with pytest.raises(ParameterError, match="finite number"):
            A * wrong
