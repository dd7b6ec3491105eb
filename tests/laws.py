"""Exact laws of the integer noise, and tests that compare samples with them.

Every test here raises a false alarm with probability 1e-6 for an honest sampler.
"""

import math

import numpy as np
from scipy import stats

FALSE_ALARM = 1e-6


def laplace_pmf(k, t):
    q = math.exp(-1 / t)
    return (1 - q) / (1 + q) * np.exp(-np.abs(np.asarray(k, float)) / t)


def laplace_cdf(k, t):
    """P(Z <= k), exactly as written: the tail beyond k or its complement."""
    k = np.asarray(k, float)
    q = math.exp(-1 / t)
    low = np.exp(-np.abs(k) / t) / (1 + q)  # P(Z <= -|k|)
    return np.where(k < 0, low, 1 - low * q)


def geometric_cdf(k, t):
    return -np.expm1(-(np.asarray(k, float) + 1) / t)


def cube_weights(n, t, most=None):
    """P(m) of the mixture: proportional to (2m+1)^n exp(-m/t), for m up to where it is negligible."""
    m = np.arange(most or int(t * (n + 60 + 12 * math.sqrt(n))))
    logs = n * np.log(2 * m + 1) - m / t
    w = np.exp(logs - logs.max())
    return m, w / w.sum()


def cube_marginal_cdf(k, n, t):
    """P(z_1 <= k) = sum over m of P(m) (k + m + 1)/(2m + 1), cut to [0, 1]."""
    m, w = cube_weights(n, t)
    return np.array([(w * np.clip((x + m + 1) / (2 * m + 1), 0, 1)).sum() for x in np.atleast_1d(k)])


def cube_size_pmf(n, t):
    """P(max |z_j| = r), proportional to ((2r+1)^n - (2r-1)^n) exp(-r/t)."""
    r = np.arange(int(t * (n + 60 + 12 * math.sqrt(n))))
    with np.errstate(divide="ignore"):
        logs = n * np.log(2 * r + 1) + np.log1p(-(((2 * r - 1) / (2 * r + 1)).clip(0) ** n)) - r / t
    logs[0] = 0.0
    w = np.exp(logs - logs.max())
    return r, w / w.sum()


def chi_square_ok(sample, values, probabilities, least=30):
    """Compare counts with a law on integers; values expected fewer than `least` times share the tail cells."""
    sample = np.asarray(sample)
    expected = len(sample) * np.asarray(probabilities)
    counts = np.array([(sample == v).sum() for v in values])
    big = expected >= least
    rest_count, rest = len(sample) - counts[big].sum(), len(sample) - expected[big].sum()
    statistic = ((counts[big] - expected[big]) ** 2 / expected[big]).sum()
    cells = big.sum()
    if rest > least:
        statistic += (rest_count - rest) ** 2 / rest
        cells += 1
    elif rest < 1e-9 and rest_count:
        return False
    return bool(statistic <= stats.chi2.isf(FALSE_ALARM, cells - 1))


def ks_ok(sample, cdf):
    """Kolmogorov and Smirnov against a law with small atoms; the Dvoretzky-Kiefer-Wolfowitz bound is its limit."""
    values, counts = np.unique(np.asarray(sample), return_counts=True)
    empirical = np.cumsum(counts) / counts.sum()
    distance = np.abs(empirical - cdf(values)).max()
    return bool(distance <= math.sqrt(math.log(2 / FALSE_ALARM) / (2 * counts.sum())))


def mean_ok(sample, mean, sd):
    """Compare a mean with the law's, two-sided, by the central limit."""
    deviation = (np.mean(np.asarray(sample, float)) - mean) / (sd / math.sqrt(len(sample)))
    return bool(abs(deviation) <= stats.norm.isf(FALSE_ALARM / 2))
