"""The audit itself: it passes honest noise and fails noise that is 10 % too small.

Every audit here raises a false alarm with probability at most 1e-6.
"""

from fractions import Fraction

import numpy as np
import pytest

import dpfda
from dpfda.audit import audit_epsilon, check_scales, worst_pair
from dpfda.errors import ParameterError
from dpfda.mechanisms import MECHANISMS
from dpfda.privacy.influence import Box
from dpfda.privacy.lattice import Lattice
from dpfda.privacy.neighbours import Neighbours

TRIALS = 400_000


def shrunken(mechanism, factor):
    class Shrunken(type(mechanism)):
        def draw(self, dimension, scale, size, bits=None):
            return super().draw(dimension, max(int(scale * factor), dimension), size, bits)

    return Shrunken()


def plan(mechanism, dimension, neighbours, epsilon=1):
    records = Box(dimension, Fraction(1, 2))
    lattice = Lattice.plan(records, mechanism.body.unit(dimension), 1 / Fraction(epsilon), neighbours)
    return lattice, worst_pair(records, lattice)


@pytest.mark.parametrize("name", list(MECHANISMS))
@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_honest_noise_passes_and_is_nearly_reached(name, neighbours):
    mechanism = MECHANISMS[name]
    lattice, pair = plan(mechanism, 1, neighbours)
    result = audit_epsilon(mechanism, lattice.scale, pair, 1.0, trials=TRIALS)
    assert result.passed
    assert result.lower > 0.93


@pytest.mark.parametrize("name", list(MECHANISMS))
@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_noise_ten_per_cent_too_small_fails(name, neighbours):
    mechanism = MECHANISMS[name]
    lattice, pair = plan(mechanism, 1, neighbours)
    assert not audit_epsilon(shrunken(mechanism, 0.9), lattice.scale, pair, 1.0, trials=TRIALS).passed


@pytest.mark.slow
@pytest.mark.parametrize("name", list(MECHANISMS))
@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_a_million_trials(name, neighbours, dimension):
    mechanism = MECHANISMS[name]
    lattice, pair = plan(mechanism, dimension, neighbours)
    assert audit_epsilon(mechanism, lattice.scale, pair, 1.0).passed
    assert not audit_epsilon(shrunken(mechanism, 0.9), lattice.scale, pair, 1.0).passed


@pytest.mark.parametrize("name", list(MECHANISMS))
def test_a_wrong_factor_of_two_fails_in_the_sensitivity(name):
    """Replace-one records against a scale that counts C where it must count 2C."""
    mechanism = MECHANISMS[name]
    lattice, pair = plan(mechanism, 1, Neighbours.REPLACE_ONE)
    assert audit_epsilon(mechanism, lattice.scale // 2, pair, 1.0, trials=TRIALS).lower > 1.8


def test_a_delta_buys_something():
    mechanism = MECHANISMS["laplace"]
    lattice, pair = plan(mechanism, 1, Neighbours.REPLACE_ONE)
    strict = audit_epsilon(mechanism, lattice.scale, pair, 1.0, trials=TRIALS)
    loose = audit_epsilon(mechanism, lattice.scale, pair, 1.0, delta=0.1, trials=TRIALS)
    # Laplace at distance eps: the event has p = 1 - e^(-1+t)/2 and q = e^-t/2, and log((p - .1)/q) is largest near .8.
    assert 0.6 < loose.lower < strict.lower
    shrunk = audit_epsilon(shrunken(mechanism, 0.5), lattice.scale, pair, 1.0, delta=0.1, trials=TRIALS)
    assert not shrunk.passed


def test_nothing_to_see_between_equal_data():
    mechanism = MECHANISMS["cube"]
    lattice, pair = plan(mechanism, 2, Neighbours.REPLACE_ONE)
    same = dpfda.audit.Pair(pair.one, pair.one)
    assert audit_epsilon(mechanism, lattice.scale, same, 1.0, trials=20_000).lower < 0.05


@pytest.mark.parametrize("name", list(MECHANISMS))
@pytest.mark.parametrize("dimension", [1, 3, 8, 64])
def test_scales_at_the_dimensions_used(name, dimension):
    mechanism = MECHANISMS[name]
    assert check_scales(mechanism, dimension, 1 << 32).passed
    for factor in (0.9, 1.1):
        assert not check_scales(shrunken(mechanism, factor), dimension, 1 << 32).passed


def test_one_bad_coordinate_is_seen():
    mechanism = MECHANISMS["laplace"]

    class OneShort(type(mechanism)):
        def draw(self, dimension, scale, size, bits=None):
            z = super().draw(dimension, scale, size, bits)
            z[:, 5] = z[:, 5] * 9 // 10
            return z

    result = check_scales(OneShort(), 8, 1 << 32)
    assert not result.passed
    assert int(np.argmax(np.abs(result.coordinates))) == 5


def test_few_trials_are_refused():
    mechanism = MECHANISMS["laplace"]
    lattice, pair = plan(mechanism, 1, Neighbours.REPLACE_ONE)
    with pytest.raises(ParameterError, match="at least 1000 trials"):
        audit_epsilon(mechanism, lattice.scale, pair, 1.0, trials=10)


@pytest.mark.parametrize("name", list(MECHANISMS))
@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_the_whole_data_pass_is_audited(name, neighbours):
    """From curves through clip, average, lattice and noise: real worst-case rows, the tallies fixed, the noise redrawn."""
    from dpfda.privacy.amounts import exact_epsilon
    from dpfda.spaces.interval import Interval
    from dpfda.summaries.mean import CellMean

    mechanism = MECHANISMS[name]
    summary = CellMean((0.0, 0.5, 1.0), Interval(0.0, 1.0), 1, Fraction(0), Fraction(1))
    lattice = Lattice.plan(summary.records, mechanism.body.unit(1), 1 / exact_epsilon("1"), neighbours)
    rest = np.full((4, 3), 0.3)
    one = summary.tally(np.vstack([rest, np.full((1, 3), 1e6)]), lattice)
    changed = np.vstack([rest, np.full((1, 3), -1e6)]) if neighbours is Neighbours.REPLACE_ONE else rest
    other = summary.tally(changed, lattice)
    pair = dpfda.audit.Pair(one.total, other.total)
    assert audit_epsilon(mechanism, lattice.scale, pair, 1.0, trials=TRIALS).passed
    assert not audit_epsilon(shrunken(mechanism, 0.9), lattice.scale, pair, 1.0, trials=TRIALS).passed
