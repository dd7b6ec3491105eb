"""Audits of Gaussian, spherical and block noise; each fails a sound mechanism with probability at most 1e-6."""

from fractions import Fraction

import pytest

from dpfda.audit import audit_epsilon, check_scales, worst_pair
from dpfda.mechanisms import BallMechanism, BlocksMechanism, GaussianMechanism
from dpfda.privacy.influence import Ellipsoid
from dpfda.privacy.lattice import Lattice
from dpfda.privacy.neighbours import Neighbours
from tests.audit.test_audit import shrunken

LAWS = [GaussianMechanism(), BallMechanism(), BlocksMechanism((1,))]
DELTA = Fraction(1, 100)


def plan(mechanism, dimension=1, neighbours=Neighbours.REPLACE_ONE):
    delta = Fraction(0) if mechanism.pure else DELTA
    records = Ellipsoid(dimension, Fraction(1, 2))
    ratio = mechanism.calibrate(Fraction(1), delta, "analytic")
    lattice = Lattice.plan(records, mechanism.body_of((Fraction(1),) * dimension), ratio, neighbours)
    return lattice, worst_pair(records, lattice), float(delta)


def smaller(mechanism, factor):
    if isinstance(mechanism, BlocksMechanism):

        class Smaller(BlocksMechanism):
            def draw(self, dimension, scale, size, bits=None):
                return super().draw(dimension, int(scale * factor), size, bits)

        return Smaller(mechanism.sizes)
    return shrunken(mechanism, factor)


@pytest.mark.parametrize("mechanism", LAWS, ids=lambda m: m.name)
def test_noise_ten_per_cent_too_small_fails(mechanism):
    lattice, pair, delta = plan(mechanism)
    trials = 200_000
    honest = audit_epsilon(mechanism, lattice.scale, pair, 1.0, delta=delta, trials=trials)
    assert honest.passed
    assert honest.lower > 0.8
    assert not audit_epsilon(smaller(mechanism, 0.85), lattice.scale, pair, 1.0, delta=delta, trials=trials).passed


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("mechanism", LAWS, ids=lambda m: m.name)
def test_a_million_trials(mechanism, neighbours):
    lattice, pair, delta = plan(mechanism, neighbours=neighbours)
    assert audit_epsilon(mechanism, lattice.scale, pair, 1.0, delta=delta).passed
    assert not audit_epsilon(smaller(mechanism, 0.9), lattice.scale, pair, 1.0, delta=delta).passed


def test_the_papers_constant_fails_at_epsilon_ten():
    """sqrt(2 log(2/delta))/epsilon at epsilon 10, delta .1: its real delta is .264."""
    mechanism = GaussianMechanism()
    classic = Fraction(2.4477468306808161) / 10
    records = Ellipsoid(1, Fraction(1, 2))
    lattice = Lattice.plan(records, mechanism.body_of((Fraction(1),)), classic, Neighbours.REPLACE_ONE)
    result = audit_epsilon(mechanism, lattice.scale, worst_pair(records, lattice), 10.0, delta=0.1, trials=100_000)
    assert not result.passed
    ratio = mechanism.calibrate(Fraction(10), Fraction(1, 10), "analytic")
    lattice = Lattice.plan(records, mechanism.body_of((Fraction(1),)), ratio, Neighbours.REPLACE_ONE)
    ours = audit_epsilon(mechanism, lattice.scale, worst_pair(records, lattice), 10.0, delta=0.1, trials=100_000)
    assert ours.passed


@pytest.mark.parametrize(
    "mechanism", [GaussianMechanism(), BallMechanism(), BlocksMechanism((2, 5, 1))], ids=lambda m: m.name
)
def test_scales_at_many_dimensions(mechanism):
    assert check_scales(mechanism, 8, 1 << 32, draws=8000).passed
    assert not check_scales(smaller(mechanism, 0.9), 8, 1 << 32, draws=8000).passed


def test_mechanisms_confirm_their_integers():
    from dpfda.errors import ParameterError

    for mechanism in LAWS:
        lattice, _, delta = plan(mechanism)
        mechanism.confirm(lattice.sensitivity, lattice.scale, Fraction(1), Fraction(delta))
        with pytest.raises(ParameterError, match="does not give epsilon"):
            mechanism.confirm(lattice.sensitivity, lattice.scale * 9 // 10, Fraction(1), Fraction(delta))
