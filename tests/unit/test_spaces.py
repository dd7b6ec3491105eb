import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpfda.errors import ParameterError
from dpfda.spaces.cells import cell_weights, integer_weights
from dpfda.spaces.interval import Interval
from dpfda.spaces.piecewise import SPLINE_FROM, PiecewiseQuadratic, rule, through_averages

grids = (
    st.lists(st.floats(0, 1, allow_subnormal=False), min_size=2, max_size=12, unique=True)
    .map(lambda g: np.array(sorted(g)))
    .filter(lambda g: np.diff(g).min() > 1e-6)
)


@given(grids, st.integers(1, 9), st.integers(0, 2**32))
def test_cell_weights_are_exact_averages(grid, cells, seed):
    """Against fine trapezoid integration of the same broken line, which is exact when its knots include all breaks."""
    domain = Interval(-0.1, 1.2)
    edges = domain.edges(cells)
    values = np.random.default_rng(seed).normal(size=len(grid))
    weights = cell_weights(grid, domain, cells)
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-12)
    for j in range(cells):
        knots = np.unique(np.concatenate([grid[(grid > edges[j]) & (grid < edges[j + 1])], edges[j : j + 2]]))
        average = np.trapezoid(np.interp(knots, grid, values), knots) / (edges[j + 1] - edges[j])
        assert weights[j] @ values == pytest.approx(average, abs=1e-9)


@given(grids, st.integers(1, 9))
def test_integer_weights_sum_exactly(grid, cells):
    weights = cell_weights(grid, Interval(-0.1, 1.2), cells)
    whole = integer_weights(weights, 1 << 29)
    assert (whole >= 0).all()
    assert (whole.sum(axis=1) == 1 << 29).all()
    np.testing.assert_allclose(whole / 2.0**29, weights, atol=2.0**-28)
    assert (whole[weights == 0] == 0).all()


def test_long_grids_keep_their_averages():
    """Rounding each weight by itself would lose 0.2 % of a cell of 125000 points."""
    grid = np.linspace(0, 1, 1_000_001)
    weights = cell_weights(grid, Interval(0, 1), 2)
    whole = integer_weights(weights, 1 << 29)
    values = np.sin(3 * grid)
    np.testing.assert_allclose(whole @ values / 2.0**29, weights @ values, atol=1e-8)


@pytest.mark.parametrize("cells", [1, 2, 5, SPLINE_FROM, 40])
def test_functions_through_averages(cells):
    rng = np.random.default_rng(cells)
    edges, averages = Interval(-2.0, 3.0).edges(cells), rng.normal(size=cells)
    for kind in ("line", "spline"):
        f = through_averages(edges, averages, kind)
        fine = np.linspace(-2, 3, 200_001)
        values = f(fine)
        assert np.abs(np.diff(values)).max() < 1e-2  # continuous
        assert f.integral(-2.0, 3.0) == pytest.approx(np.trapezoid(values, fine), abs=1e-6)
        assert f.integral(1.0, -1.5) == pytest.approx(-f.integral(-1.5, 1.0))
        if kind == "spline":
            for a, b, average in zip(edges, edges[1:], averages, strict=False):
                assert f.integral(a, b) / (b - a) == pytest.approx(average, abs=1e-10)
        elif cells > 1:
            np.testing.assert_allclose(f((edges[1:] + edges[:-1]) / 2), averages, atol=1e-12)
            assert values.min() >= averages.min() - 1e-12


def test_the_spline_is_smooth_with_flat_ends():
    edges = Interval(0.0, 1.0).edges(12)
    f = through_averages(edges, np.random.default_rng(1).normal(size=12), "spline")
    step = 1e-6
    for knot in edges[1:-1]:
        left, mid, right = f(np.array([knot - step, knot, knot + step]))
        assert (mid - left) / step == pytest.approx((right - mid) / step, abs=1e-3)
    assert f.coefficients[0, 1] == 0
    c, h = f.coefficients[-1], edges[-1] - edges[-2]
    assert c[1] + 2 * c[2] * h == pytest.approx(0, abs=1e-9)


def test_the_spline_reproduces_smooth_curves_better_from_many_cells():
    fine = np.linspace(0, 1, 2001)
    truth = np.cos(4 * np.pi * fine)
    edges = Interval(0.0, 1.0).edges(16)
    averages = cell_weights(fine, Interval(0.0, 1.0), 16) @ truth
    errors = {k: np.abs(through_averages(edges, averages, k)(fine) - truth).max() for k in ("line", "spline")}
    assert errors["spline"] < errors["line"] / 2
    assert rule(SPLINE_FROM - 1) == "line"
    assert rule(SPLINE_FROM) == "spline"


def test_inner_products():
    f = PiecewiseQuadratic(np.array([0.0, 1.0, 4.0]), np.array([[1.0, 2.0, 0.0], [3.0, 0.0, -1.0]]))
    one = f.inner(np.ones_like)
    assert one == pytest.approx(f.integral(0, 4) / 4)
    square = f.inner(f, f.breaks)
    fine = np.linspace(0, 4, 400_001)
    assert square == pytest.approx(np.trapezoid(f(fine) ** 2, fine) / 4, rel=1e-6)


@pytest.mark.parametrize(
    "ends", [(1, 1), (2, 1), (0, np.inf), (np.nan, 1), (1, 1 + 2**-52), (-1e308, 1e308), (0, 1e-300)]
)
def test_intervals_that_are_none(ends):
    with pytest.raises(ParameterError, match="domain"):
        Interval(*map(float, ends))


def test_points_outside_are_named():
    with pytest.raises(ParameterError, match="the point 1.5 is not in the domain \\[0, 1\\]"):
        Interval(0.0, 1.0).require(np.array([0.5, 1.5]))
    with pytest.raises(ParameterError, match="nan"):
        Interval(0.0, 1.0).require(np.array([np.nan]))
