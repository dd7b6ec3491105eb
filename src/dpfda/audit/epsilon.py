"""A lower bound on the real epsilon, by experiment."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from dpfda.audit.neighbours import Pair
from dpfda.errors import ParameterError
from dpfda.mechanisms.base import Mechanism
from dpfda.spaces.interval import Floats

#: Thresholds of the test that are tried on the first half of the trials.
_THRESHOLDS = 200


@dataclass(frozen=True)
class AuditResult:
    """What an audit found.

    Parameters
    ----------
    claimed : float
        The epsilon that is claimed.
    lower : float
        The real epsilon is at least this, with probability `confidence`.
    delta, confidence : float
        At which delta, and how sure.
    trials : int
        Draws on each side.
    """

    claimed: float
    lower: float
    delta: float
    confidence: float
    trials: int

    @property
    def passed(self) -> bool:
        """Whether the experiment is compatible with the claim."""
        return self.lower <= self.claimed


def audit_epsilon(
    mechanism: Mechanism,
    scale: int,
    pair: Pair,
    claimed: float,
    *,
    delta: float = 0.0,
    trials: int = 10**6,
    confidence: float = 1 - 1e-6,
) -> AuditResult:
    """Bound epsilon from below at a pair of neighbours, the noise redrawn on fixed tallies.

    The event is {log p(y - S) - log p(y - S') >= threshold}, the most powerful there is (Neyman and Pearson).  The threshold
    is chosen on half of the trials; on the other half the event's probabilities p under S and q under S' get
    Clopper-Pearson bounds, each at half the allowed error, and epsilon >= log((p_low - delta) / q_high)
    (docs/proofs/audit.md).

    Parameters
    ----------
    mechanism : Mechanism
        Draws the noise, exactly as a release does.
    scale : int
        The lattice's t.
    pair : Pair
        Integer sums of two neighbouring data sets.
    claimed : float
        The epsilon that is claimed.
    delta : float
        At which delta.
    trials : int
        Draws on each side.
    confidence : float
        1 minus the probability that an honest mechanism fails.
    """
    if trials < 1000:
        raise ParameterError(f"an audit needs at least 1000 trials, not {trials}")
    shift = np.array(pair.difference, dtype=np.int64)
    dimension = len(shift)
    here = mechanism.draw(dimension, scale, trials)  # y - S, the data being S
    there = mechanism.draw(dimension, scale, trials)  # y - S', the data being S'
    ratio_here = mechanism.exponents(here + shift, scale) - mechanism.exponents(here, scale)
    ratio_there = mechanism.exponents(there, scale) - mechanism.exponents(there - shift, scale)
    half = trials // 2
    allowed = 1 - confidence
    threshold = _best_threshold(ratio_here[:half], ratio_there[:half], delta, allowed)
    lower = _bound(ratio_here[half:], ratio_there[half:], threshold, delta, allowed)
    return AuditResult(claimed, lower, delta, confidence, trials)


def _best_threshold(here: Floats, there: Floats, delta: float, allowed: float) -> float:
    """Return the threshold whose bound is the largest on these trials, a hair below so that atoms count."""
    tried = np.unique(np.quantile(np.concatenate([here, there]), np.linspace(0.001, 0.999, _THRESHOLDS))) - 1e-9
    return float(tried[int(np.argmax([_bound(here, there, t, delta, allowed) for t in tried]))])


def _bound(here: Floats, there: Floats, threshold: float, delta: float, allowed: float) -> float:
    """Return log((p_low - delta)/q_high) from Clopper-Pearson bounds at allowed/2 each."""
    hits, misses = int((here >= threshold).sum()), int((there >= threshold).sum())
    low = float(betaincinv(hits, len(here) - hits + 1, allowed / 2)) if hits else 0.0
    n = len(there)
    high = float(betaincinv(misses + 1, n - misses, 1 - allowed / 2)) if misses < n else 1.0
    return math.log((low - delta) / high) if low > delta else 0.0
