"""OpenDP's discrete Laplace as an oracle for ours, where it is installed (it is 265 MB, so it is no dependency)."""

import numpy as np
import pytest
from scipy import stats

from dpfda.noise.laplace import laplace

dp = pytest.importorskip("opendp.prelude", reason="OpenDP is not installed")


@pytest.mark.parametrize("t", [1, 3, 20, 1 << 20])
def test_the_same_law(t):
    """Two samples of 40000: Kolmogorov and Smirnov, and where cells are full chi-square; each fails once in a million."""
    dp.enable_features("contrib")
    peer = (dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)) >> dp.m.then_laplace(scale=float(t))
    theirs = np.array(peer([0] * 40_000))
    ours = laplace(t, 40_000)
    assert stats.ks_2samp(ours, theirs, method="asymp").pvalue > 1e-6
    if t <= 20:
        values = np.arange(-4 * t, 4 * t + 1)
        table = [[(s == v).sum() for v in values] for s in (ours, theirs)]
        full = np.array(table).min(axis=0) >= 20
        assert stats.chi2_contingency(np.array(table)[:, full]).pvalue > 1e-6


def test_the_comparison_has_power():
    rng = np.random.default_rng(1)
    wrong = np.rint(rng.laplace(0, 0.9 * (1 << 20), 40_000)).astype(np.int64)
    assert stats.ks_2samp(laplace(1 << 20, 40_000), wrong, method="asymp").pvalue < 1e-6
